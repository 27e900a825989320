//! What `consul kv` prints for an answer: the value alone, a list, or a line that says whether the
//! write succeeded, in the program's own words. `consul` chooses the form when it reads a command;
//! `transcript` prints it when the answer arrives.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::HttpResponse;
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
    Put,
    Cas,
    Acquire,
    Release,
    Delete,
    DeleteCas,
    DeleteTree,
}

/// The form in which a command prints its answer, with the key or prefix that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOutput {
    pub key: String,
    pub form: KvOutput,
}

impl KeyOutput {
    /// The text for an answer.
    pub(super) fn printed(&self, response: &HttpResponse) -> String {
        self.form.printed(&self.key, response)
    }
}

impl KvOutput {
    /// The text for an answer about a key or a prefix.
    fn printed(self, key: &str, response: &HttpResponse) -> String {
        let body = String::from_utf8_lossy(&response.body);
        let is_missing = response.status == 404 && self.is_read();
        if response.status != 200 && !is_missing {
            let code = format!("Unexpected response code: {} ({})", response.status, body.trim());
            return self.failure(key, &code);
        }
        let is_true = body.trim() == "true";
        match self {
            Self::Get { .. } if is_missing => format!("Error! No key exists at: {key}"),
            Self::Get { is_detailed, is_base64 } => {
                let shown = entries(response).into_iter().map(|entry| {
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
            Self::Put => format!("Success! Data written to: {key}"),
            Self::Cas if is_true => format!("Success! Data written to: {key}"),
            Self::Cas => format!("Error! Did not write to {key}: CAS failed"),
            Self::Acquire if is_true => format!("Success! Lock acquired on: {key}"),
            Self::Acquire => "Error! Did not acquire lock".into(),
            Self::Release if is_true => format!("Success! Lock released on: {key}"),
            Self::Release => "Error! Did not release lock".into(),
            Self::DeleteCas if !is_true => format!("Error! Did not delete key {key}: CAS failed"),
            Self::Delete | Self::DeleteCas => format!("Success! Deleted key: {key}"),
            Self::DeleteTree => format!("Success! Deleted keys with prefix: {key}"),
        }
    }

    fn is_read(self) -> bool {
        matches!(self, Self::Get { .. } | Self::Recurse { .. } | Self::Keys)
    }

    fn failure(self, key: &str, code: &str) -> String {
        match self {
            Self::Get { .. } | Self::Recurse { .. } | Self::Keys => {
                format!("Error querying Consul agent: {code}")
            }
            Self::Put | Self::Acquire | Self::Release => {
                format!("Error! Failed writing data: {code}")
            }
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
        let session = Some(self.text("Session")).filter(|text| !text.is_empty()).unwrap_or("-");
        let fields = [
            ("CreateIndex", self.number("CreateIndex").to_string()),
            ("Flags", self.number("Flags").to_string()),
            ("Key", self.text("Key").to_owned()),
            ("LockIndex", self.number("LockIndex").to_string()),
            ("ModifyIndex", self.number("ModifyIndex").to_string()),
            ("Session", session.to_owned()),
            ("Value", self.value(is_base64)),
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
        output.printed("a", &response)
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
    }

    #[test]
    fn writes_print_whether_they_succeeded() {
        assert_eq!(printed(KvOutput::Put, 200, "true"), "Success! Data written to: a");
        assert_eq!(printed(KvOutput::Cas, 200, "false"), "Error! Did not write to a: CAS failed");
        assert_eq!(printed(KvOutput::Acquire, 200, "false"), "Error! Did not acquire lock");
        let refused = "Error! Failed writing data: Unexpected response code: 500 (no)";
        assert_eq!(printed(KvOutput::Put, 500, "no"), refused);
        assert_eq!(printed(KvOutput::Delete, 200, "true"), "Success! Deleted key: a");
    }
}
