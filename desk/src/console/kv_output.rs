//! The output of `consul kv` for an answer, in the words of the real program: the value alone, a
//! list, or whether the write succeeded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::id::Key;
use lictor_core::message::Answer;
use lictor_core::store::{Entry, Found};
use lictor_sim::{Call, Outcome, Verdict};
use serde::{Deserialize, Serialize};

/// The form in which a `consul kv` command prints its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KvOutput {
    /// The value, or all fields of the entry with `-detailed`.
    Get {
        is_detailed: bool,
        is_base64: bool,
    },
    /// `key:value` for each entry, or all fields of each.
    Recurse {
        is_detailed: bool,
        is_base64: bool,
    },
    Keys,
    /// The keys of all entries, or all fields but the value.
    RecurseKeys {
        is_detailed: bool,
    },
    Put,
    Cas,
    Acquire,
    Release,
    Delete,
    DeleteCas,
    DeleteTree,
}

/// Where the lines go that a program prints to its error stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorStream {
    #[default]
    Shown,
    /// `2>/dev/null`.
    Dropped,
    /// `2>&1`: they are a part of the output.
    Merged,
}

/// The form in which a command prints its answer, with the key or prefix that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOutput {
    pub key: String,
    pub form: KvOutput,
    pub errors: ErrorStream,
}

impl KeyOutput {
    /// The text for the answer to a call. Fails with the text that goes to the error stream.
    pub(super) fn printed(&self, call: &Call, outcome: &Outcome) -> Result<String, String> {
        let query = call.request.target.split_once('?').map_or("", |(_, query)| query);
        let is_first = query.split('&').any(|parameter| parameter == "cas=0");
        let printed = self.form.printed(&self.key, is_first, call, outcome);
        match self.errors {
            ErrorStream::Shown => printed,
            ErrorStream::Dropped => Ok(printed.unwrap_or_default()),
            ErrorStream::Merged => Ok(printed.unwrap_or_else(|error| error)),
        }
    }

    /// The target of a read or a deletion without two slashes at the beginning of its key: the real
    /// program drops one, and Go's client another. The key loses one.
    pub(super) fn without_slash(&mut self, target: &str) -> String {
        let mut target = target.to_owned();
        if let Some(key) = self.key.strip_prefix('/') {
            self.key = key.to_owned();
            for _ in 0..2 {
                target = target.replacen("/v1/kv//", "/v1/kv/", 1);
            }
        }
        target
    }

    /// The error with which Go's client refuses to write this key. `None` if it sends the request.
    pub(super) fn refusal(&self) -> Option<String> {
        let is_write = matches!(
            self.form,
            KvOutput::Put | KvOutput::Cas | KvOutput::Acquire | KvOutput::Release
        );
        (is_write && self.key.starts_with('/')).then(|| {
            let error = format!("Invalid key. Key must not begin with a '/': {}", self.key);
            self.form.failure(&self.key, &error)
        })
    }
}

impl KvOutput {
    /// The text for an answer about a key or a prefix; an error is printed to the error stream.
    fn printed(
        self,
        key: &str,
        is_first: bool,
        call: &Call,
        outcome: &Outcome,
    ) -> Result<String, String> {
        let status = outcome.response.status;
        let is_missing = status == 404 && self.is_read();
        if status != 200 && !is_missing {
            let body = String::from_utf8_lossy(&outcome.response.body);
            let code = format!("Unexpected response code: {status} ({})", body.trim());
            return Err(self.failure(key, &code));
        }
        let is_true = outcome.verdict() == Verdict::True;
        let entries = call.entries_in(outcome);
        Ok(match self {
            Self::Get { .. } if is_missing => {
                return Err(format!("Error! No key exists at: {key}"));
            }
            Self::Get { is_detailed, is_base64 } => {
                let print = if is_detailed { detailed } else { value };
                entries.first().map(|entry| print(entry, is_base64)).unwrap_or_default()
            }
            Self::Recurse { is_detailed, is_base64 } => {
                let pair = |entry: &Entry| format!("{}:{}", entry.key, value(entry, is_base64));
                let shown = entries.iter().map(|entry| {
                    if is_detailed { detailed(entry, is_base64) } else { pair(entry) }
                });
                shown.collect::<Vec<_>>().join(if is_detailed { "\n\n" } else { "\n" })
            }
            Self::Keys => keys(outcome).join("\n"),
            Self::RecurseKeys { is_detailed: true } => {
                let shown = entries.iter().map(|entry| without_value(entry) + "\n");
                shown.collect::<Vec<_>>().join("\n\n")
            }
            Self::RecurseKeys { is_detailed: false } => {
                let keys = entries.iter().map(|entry| entry.key.as_str());
                keys.collect::<Vec<_>>().join("\n")
            }
            Self::Put => format!("Success! Data written to: {key}"),
            Self::Cas if is_true => format!("Success! Data written to: {key}"),
            Self::Cas if is_first => {
                let reason = "CAS performed with index=0 and key already exists.";
                return Err(format!("Error! Did not write to {key}: {reason}"));
            }
            Self::Cas => return Err(format!("Error! Did not write to {key}: CAS failed")),
            Self::Acquire if is_true => format!("Success! Lock acquired on: {key}"),
            Self::Acquire => return Err("Error! Did not acquire lock".into()),
            Self::Release if is_true => format!("Success! Lock released on: {key}"),
            Self::Release => return Err("Error! Did not release lock".into()),
            Self::DeleteCas if !is_true => {
                return Err(format!("Error! Did not delete key {key}: CAS failed"));
            }
            Self::Delete | Self::DeleteCas => format!("Success! Deleted key: {key}"),
            Self::DeleteTree => format!("Success! Deleted keys with prefix: {key}"),
        })
    }

    fn is_read(self) -> bool {
        matches!(
            self,
            Self::Get { .. } | Self::Recurse { .. } | Self::Keys | Self::RecurseKeys { .. }
        )
    }

    fn failure(self, key: &str, code: &str) -> String {
        match self {
            Self::Get { .. } | Self::Recurse { .. } | Self::Keys | Self::RecurseKeys { .. } => {
                format!("Error querying Consul agent: {code}")
            }
            Self::Put | Self::Acquire => format!("Error! Failed writing data: {code}"),
            // The real program prints the key where the error should be.
            Self::Release => format!("Error! Failed writing data: {key}"),
            Self::Cas => format!("Error! Did not write to {key}: {code}"),
            Self::Delete => format!("Error deleting key {key}: {code}"),
            Self::DeleteCas => format!("Error! Did not delete key {key}: {code}"),
            Self::DeleteTree => format!("Error! Did not delete prefix {key}: {code}"),
        }
    }
}

fn value(entry: &Entry, is_base64: bool) -> String {
    if is_base64 {
        STANDARD.encode(&entry.value)
    } else {
        String::from_utf8_lossy(&entry.value).into_owned()
    }
}

/// The fields in two columns, as the program aligns them.
fn detailed(entry: &Entry, is_base64: bool) -> String {
    format!("{}\n{:<17}{}", without_value(entry), "Value", value(entry, is_base64))
}

fn without_value(entry: &Entry) -> String {
    let session = entry.hold.as_ref().map_or("-", |hold| hold.session.as_str());
    let fields = [
        ("CreateIndex", entry.create_index.to_string()),
        ("Flags", entry.flags.to_string()),
        ("Key", entry.key.to_string()),
        ("LockIndex", entry.lock_index.to_string()),
        ("ModifyIndex", entry.modify_index.to_string()),
        ("Session", session.to_owned()),
    ];
    fields.map(|(name, value)| format!("{name:<17}{value}")).join("\n")
}

/// The keys in an answer to `?keys`.
fn keys(outcome: &Outcome) -> Vec<&str> {
    match outcome.answer.as_ref().map(|response| &response.answer) {
        Ok(Answer::Found(Found::Keys(keys))) => keys.iter().map(Key::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_view::test_world::TestWorld;

    /// What a command about the key `a` prints for the answer to this request.
    fn printed(played: &mut TestWorld, form: KvOutput, request: (&str, &str)) -> String {
        let (method, target) = request;
        played.call("web-1", method, &format!("/v1/kv/{target}"), "web-1");
        let output = KeyOutput { key: "a".into(), form, errors: ErrorStream::Shown };
        let (call, outcome) = played.answered();
        output.printed(call, outcome).unwrap_or_else(|error| error)
    }

    #[test]
    fn a_value_is_printed_raw_and_a_missing_key_is_an_error() {
        let mut played = TestWorld::of_three();
        let get = KvOutput::Get { is_detailed: false, is_base64: false };
        assert_eq!(printed(&mut played, get, ("GET", "a")), "Error! No key exists at: a");
        played.call("web-1", "PUT", "/v1/kv/a", "web-1");
        let mut printed = |form, target| printed(&mut played, form, ("GET", target));
        assert_eq!(printed(get, "a"), "web-1");
        let detailed = KvOutput::Get { is_detailed: true, is_base64: true };
        assert!(printed(detailed, "a").ends_with("Value            d2ViLTE="));
        let recurse = KvOutput::Recurse { is_detailed: false, is_base64: false };
        assert_eq!(printed(recurse, "?recurse"), "a:web-1");
        assert_eq!(printed(KvOutput::Keys, "?keys"), "a");
        assert_eq!(printed(KvOutput::RecurseKeys { is_detailed: false }, "?recurse"), "a");
        let detailed = printed(KvOutput::RecurseKeys { is_detailed: true }, "?recurse");
        assert!(detailed.ends_with("Session          -\n"), "{detailed}");
    }

    #[test]
    fn writes_print_whether_they_succeeded() {
        let mut played = TestWorld::of_three();
        let session = played.session("web-1", "{}");
        let other = played.session("web-2", "{}");
        let acquire = format!("a?acquire={session}");
        let refused = format!("a?acquire={other}");
        for (form, request, expected) in [
            (KvOutput::Put, ("PUT", "a"), "Success! Data written to: a"),
            (KvOutput::Cas, ("PUT", "a?cas=7"), "Error! Did not write to a: CAS failed"),
            (KvOutput::Acquire, ("PUT", &*acquire), "Success! Lock acquired on: a"),
            (KvOutput::Acquire, ("PUT", &*refused), "Error! Did not acquire lock"),
            (
                KvOutput::Put,
                ("PUT", "a?cas=x"),
                "Error! Failed writing data: Unexpected response \
              code: 500 (strconv.ParseUint: parsing \"x\": invalid syntax)",
            ),
            (KvOutput::Release, ("PUT", "a?cas=x"), "Error! Failed writing data: a"),
            (KvOutput::Delete, ("DELETE", "a"), "Success! Deleted key: a"),
        ] {
            assert_eq!(printed(&mut played, form, request), expected, "{request:?}");
        }
    }
}
