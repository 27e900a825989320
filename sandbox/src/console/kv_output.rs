//! What `consul kv` prints for an answer: the value alone, a list, or a line that says whether the
//! write succeeded, in the program's own words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::json::{Json, first_value};
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

/// What becomes of the lines that a program prints to its error stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorStream {
    Shown,
    /// `2>/dev/null`.
    Dropped,
}

/// The form in which a command prints its answer, with the key or prefix that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOutput {
    pub key: String,
    pub form: KvOutput,
    pub errors: ErrorStream,
}

impl KeyOutput {
    /// The text for the answer to a request.
    pub(super) fn printed(&self, request: &HttpRequest, response: &HttpResponse) -> String {
        let query = request.target.split_once('?').map_or("", |(_, query)| query);
        let is_first = query.split('&').any(|parameter| parameter == "cas=0");
        match (self.form.printed(&self.key, is_first, response), self.errors) {
            (Ok(text), _) | (Err(text), ErrorStream::Shown) => text,
            (Err(_), ErrorStream::Dropped) => String::new(),
        }
    }

    /// The target of a read or a deletion without the slash at the beginning of its key: the
    /// program drops one, and Go's client another.
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

    /// Why Go's client sends nothing for this key; none if it sends the request.
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
    fn printed(self, key: &str, is_first: bool, response: &HttpResponse) -> Result<String, String> {
        let body = String::from_utf8_lossy(&response.body);
        let is_missing = response.status == 404 && self.is_read();
        if response.status != 200 && !is_missing {
            let code = format!("Unexpected response code: {} ({})", response.status, body.trim());
            return Err(self.failure(key, &code));
        }
        let is_true = body.contains("true");
        Ok(match self {
            Self::Get { .. } if is_missing => {
                return Err(format!("Error! No key exists at: {key}"));
            }
            Self::Get { is_detailed, is_base64 } => {
                let shown = entries(response).into_iter().take(1).map(|entry| {
                    if is_detailed { entry.detailed(is_base64) } else { entry.value(is_base64) }
                });
                shown.collect::<Vec<_>>().join("\n")
            }
            Self::Recurse { is_detailed: true, is_base64 } => {
                let shown = entries(response).into_iter().map(|entry| entry.detailed(is_base64));
                shown.collect::<Vec<_>>().join("\n\n")
            }
            Self::Recurse { is_detailed: false, is_base64 } => {
                let line = |entry: PrintedEntry| {
                    format!("{}:{}", entry.text("Key"), entry.value(is_base64))
                };
                entries(response).into_iter().map(line).collect::<Vec<_>>().join("\n")
            }
            Self::Keys => keys(response).join("\n"),
            Self::RecurseKeys { is_detailed: true } => {
                let shown = entries(response).into_iter().map(|entry| entry.without_value() + "\n");
                shown.collect::<Vec<_>>().join("\n\n")
            }
            Self::RecurseKeys { is_detailed: false } => {
                let keys = entries(response).into_iter().map(|entry| entry.text("Key").to_owned());
                keys.collect::<Vec<_>>().join("\n")
            }
            Self::Put => format!("Success! Data written to: {key}"),
            Self::Cas if is_true => format!("Success! Data written to: {key}"),
            Self::Cas if is_first => {
                let why = "CAS performed with index=0 and key already exists.";
                return Err(format!("Error! Did not write to {key}: {why}"));
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
            // The program names the key in the place of the error.
            Self::Release => format!("Error! Failed writing data: {key}"),
            Self::Cas => format!("Error! Did not write to {key}: {code}"),
            Self::Delete => format!("Error deleting key {key}: {code}"),
            Self::DeleteCas => format!("Error! Did not delete key {key}: {code}"),
            Self::DeleteTree => format!("Error! Did not delete prefix {key}: {code}"),
        }
    }
}

/// One entry of an answer.
struct PrintedEntry(Json);

impl PrintedEntry {
    fn text(&self, member: &str) -> &str {
        self.0.member(member).and_then(Json::as_text).unwrap_or_default()
    }

    fn number(&self, member: &str) -> u64 {
        match self.0.member(member) {
            Some(Json::Unsigned(number)) => *number,
            _ => 0,
        }
    }

    fn value(&self, is_base64: bool) -> String {
        let encoded = self.text("Value");
        if is_base64 {
            encoded.to_owned()
        } else {
            String::from_utf8_lossy(&STANDARD.decode(encoded).unwrap_or_default()).into_owned()
        }
    }

    /// The fields in two columns, as the program aligns them.
    fn detailed(&self, is_base64: bool) -> String {
        format!("{}\n{:<17}{}", self.without_value(), "Value", self.value(is_base64))
    }

    fn without_value(&self) -> String {
        let session = Some(self.text("Session")).filter(|text| !text.is_empty()).unwrap_or("-");
        let fields = [
            ("CreateIndex", self.number("CreateIndex").to_string()),
            ("Flags", self.number("Flags").to_string()),
            ("Key", self.text("Key").to_owned()),
            ("LockIndex", self.number("LockIndex").to_string()),
            ("ModifyIndex", self.number("ModifyIndex").to_string()),
            ("Session", session.to_owned()),
        ];
        fields.map(|(name, value)| format!("{name:<17}{value}")).join("\n")
    }
}

fn entries(response: &HttpResponse) -> Vec<PrintedEntry> {
    match first_value(&response.body) {
        Ok(Json::Array(entries)) => entries.into_iter().map(PrintedEntry).collect(),
        _ => Vec::new(),
    }
}

fn keys(response: &HttpResponse) -> Vec<String> {
    match first_value(&response.body) {
        Ok(Json::Array(keys)) => keys.iter().filter_map(Json::as_text).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(output: KvOutput, status: u16, body: &str) -> String {
        let response = HttpResponse { status, headers: vec![], body: body.into() };
        let request = HttpRequest::new("PUT", "/v1/kv/a?cas=7", b"");
        let output = KeyOutput { key: "a".into(), form: output, errors: ErrorStream::Shown };
        output.printed(&request, &response)
    }

    #[test]
    fn a_value_is_printed_raw_and_a_missing_key_is_an_error() {
        let get = KvOutput::Get { is_detailed: false, is_base64: false };
        let entry = r#"[{"Key":"a","Value":"d2ViLTE=","LockIndex":1,"ModifyIndex":7}]"#;
        assert_eq!(printed(get, 200, entry), "web-1");
        assert_eq!(printed(get, 404, ""), "Error! No key exists at: a");
        let detailed = KvOutput::Get { is_detailed: true, is_base64: true };
        assert!(printed(detailed, 200, entry).ends_with("Value            d2ViLTE="));
        let recurse = KvOutput::Recurse { is_detailed: false, is_base64: false };
        assert_eq!(printed(recurse, 200, entry), "a:web-1");
        assert_eq!(printed(KvOutput::Keys, 200, r#"["a","b/"]"#), "a\nb/");
        assert_eq!(printed(KvOutput::RecurseKeys { is_detailed: false }, 200, entry), "a");
        let detailed = printed(KvOutput::RecurseKeys { is_detailed: true }, 200, entry);
        assert!(detailed.ends_with("Session          -\n"), "{detailed}");
    }

    #[test]
    fn writes_print_whether_they_succeeded() {
        assert_eq!(printed(KvOutput::Put, 200, "true"), "Success! Data written to: a");
        assert_eq!(printed(KvOutput::Cas, 200, "false"), "Error! Did not write to a: CAS failed");
        assert_eq!(printed(KvOutput::Acquire, 200, "false"), "Error! Did not acquire lock");
        let refused = "Error! Failed writing data: Unexpected response code: 500 (no)";
        assert_eq!(printed(KvOutput::Put, 500, "no"), refused);
        assert_eq!(printed(KvOutput::Release, 500, "no"), "Error! Failed writing data: a");
        assert_eq!(printed(KvOutput::Delete, 200, "true"), "Success! Deleted key: a");
    }

    #[test]
    fn an_error_goes_to_the_error_stream() {
        let response = HttpResponse { status: 404, headers: vec![], body: vec![] };
        let form = KvOutput::Get { is_detailed: false, is_base64: false };
        let output = KeyOutput { key: "a".into(), form, errors: ErrorStream::Dropped };
        assert_eq!(output.printed(&HttpRequest::new("GET", "/v1/kv/a", b""), &response), "");
    }
}
