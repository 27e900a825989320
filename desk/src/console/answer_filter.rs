//! The filter after the pipe of a request: `jq` with paths, as guides use it to take one field of
//! an answer (`jq -r .ID`, `jq -r '.[0].Value | @base64d'`), and perhaps `base64 -d` after it. Its
//! output replaces the answer where that is shown or assigned. An error has jq's words without a
//! position. Filters other than paths are refused.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use lictor_core::json::{Json, first_value, to_text};
use serde::{Deserialize, Serialize};

use super::kv_output::ErrorStream;
use super::word::Token;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AnswerFilter {
    Jq(JqFilter),
    /// jq, and `base64 -d` after another pipe.
    Decoded(JqFilter),
}

/// A path into a JSON answer, and the form in which jq prints what it finds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JqFilter {
    steps: Vec<PathStep>,
    /// `-r`: texts are printed without quotes.
    is_raw: bool,
    /// `-c`: each result is one line.
    #[serde(default)]
    is_compact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PathStep {
    place: PathPlace,
    /// `?`: a value that has no such place is left out without an error.
    is_optional: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PathPlace {
    Member(String),
    Item(usize),
    /// `[]`: each item of a list or each value of an object.
    Each,
    /// `@base64d`.
    Decoded,
}

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl AnswerFilter {
    /// The output for an answer, or for the text that a program has printed. `errors` is where the
    /// lines go that the programs after the pipe print to their error streams.
    pub(super) fn printed(&self, body: &[u8], errors: ErrorStream) -> String {
        let (Self::Jq(filter) | Self::Decoded(filter)) = self;
        let (results, mut error) = filter.apply(body);
        let mut output = results.join("\n");
        if matches!(self, Self::Decoded(_)) {
            let decoded: Result<Vec<_>, _> = results.iter().map(|it| BASE64.decode(it)).collect();
            output = String::from_utf8_lossy(&decoded.clone().unwrap_or_default().concat()).into();
            error = error.or(decoded.err().map(|_| "base64: invalid input".to_owned()));
        }
        match error.filter(|_| errors != ErrorStream::Dropped) {
            Some(error) if output.is_empty() => error,
            Some(error) => format!("{output}\n{error}"),
            None => output,
        }
    }
}

impl JqFilter {
    /// Reads the words after the pipe. `None` if they are no call of jq that this module supports.
    pub(super) fn read(words: &[Token]) -> Option<Self> {
        let (program, words) = words.split_first()?;
        if program.text != "jq" {
            return None;
        }
        let mut filter = Self { steps: Vec::new(), is_raw: false, is_compact: false };
        let mut path = None;
        for word in words {
            match word.text.as_str() {
                "--raw-output" => filter.is_raw = true,
                "--compact-output" => filter.is_compact = true,
                text if text.starts_with('-') => {
                    for letter in text[1..].chars() {
                        match letter {
                            'r' => filter.is_raw = true,
                            'c' => filter.is_compact = true,
                            // Colours and the exit status change nothing here.
                            'M' | 'C' | 'e' => {}
                            _ => return None,
                        }
                    }
                }
                text if path.is_none() => path = Some(text),
                _ => return None,
            }
        }
        filter.steps = read_path(path.unwrap_or("."))?;
        Some(filter)
    }

    /// The results for a text, and the error that ends them.
    fn apply(&self, body: &[u8]) -> (Vec<String>, Option<String>) {
        let mut results = Vec::new();
        if body.trim_ascii().is_empty() {
            return (results, None);
        }
        let error = match first_value(body) {
            Ok(json) => self.results(json, &self.steps, &mut results).err(),
            Err(_) => Some("parse error: Invalid literal".to_owned()),
        };
        (results, error.map(|error| format!("jq: {error}")))
    }

    /// Adds the results for a value, up to the first error.
    fn results(
        &self,
        json: Json,
        steps: &[PathStep],
        lines: &mut Vec<String>,
    ) -> Result<(), String> {
        let Some((step, rest)) = steps.split_first() else {
            lines.push(match json {
                Json::Text(text) if self.is_raw => text,
                json if self.is_compact => to_text(&json),
                json => serde_json::to_string_pretty(&json).unwrap_or_default(),
            });
            return Ok(());
        };
        match step.place.values_in(json) {
            Ok(found) => found.into_iter().try_for_each(|json| self.results(json, rest, lines)),
            Err(_) if step.is_optional => Ok(()),
            Err(error) => Err(format!("error: {error}")),
        }
    }
}

impl PathPlace {
    /// The values at this place of a value. Fails with jq's error if the value has no such place.
    fn values_in(&self, json: Json) -> Result<Vec<Json>, String> {
        let kind = if matches!(json, Json::Bool(_)) { "boolean" } else { json.kind() };
        Ok(match (self, json) {
            (Self::Member(name), Json::Object(members)) => {
                let member = members.into_iter().rfind(|(known, _)| known == name);
                vec![member.map_or(Json::Null, |(_, value)| value)]
            }
            (Self::Item(index), Json::Array(items)) => {
                vec![items.into_iter().nth(*index).unwrap_or(Json::Null)]
            }
            (Self::Member(_) | Self::Item(_), Json::Null) => vec![Json::Null],
            (Self::Each, Json::Array(items)) => items,
            (Self::Each, Json::Object(members)) => {
                members.into_iter().map(|(_, value)| value).collect()
            }
            (Self::Decoded, json) => {
                let text = json.as_text().map_or_else(|| to_text(&json), str::to_owned);
                let bytes = BASE64.decode(&text);
                let bytes =
                    bytes.map_err(|_| format!("string ({text:?}) is not valid base64 data"))?;
                vec![Json::Text(String::from_utf8_lossy(&bytes).into_owned())]
            }
            (Self::Member(name), _) => {
                return Err(format!("Cannot index {kind} with string \"{name}\""));
            }
            (Self::Item(_), _) => return Err(format!("Cannot index {kind} with number")),
            (Self::Each, json) => {
                return Err(format!("Cannot iterate over {kind} ({})", to_text(&json)));
            }
        })
    }
}

/// Reads paths, each of which is applied to the results of the one before: `.[] | .Value |
/// @base64d`. `None` for any other filter.
fn read_path(filter: &str) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    for path in filter.split('|').map(str::trim) {
        match path {
            "@base64d" => steps.push(PathStep { place: PathPlace::Decoded, is_optional: false }),
            _ => steps.extend(read_steps(path)?),
        }
    }
    Some(steps)
}

/// Reads `.`, `.name`, `.[0]`, `.[]` and their sequences such as `.[0].name`; `None` for anything
/// else.
fn read_steps(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('.')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (place, after) = if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            let name = index.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            let place = match (index, name) {
                ("", _) => PathPlace::Each,
                (_, Some(name)) => PathPlace::Member(name.to_owned()),
                (number, None) => PathPlace::Item(number.parse().ok()?),
            };
            (place, after)
        } else {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            (PathPlace::Member(name.to_owned()), after)
        };
        rest = after.trim_start_matches('?');
        steps.push(PathStep { place, is_optional: rest.len() < after.len() });
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                return None;
            }
            rest = after;
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::super::parse::read;
    use super::*;

    /// The output of a pipe for an answer; `None` if the pipe is skipped.
    fn printed(pipe: &str, answer: &str) -> Option<String> {
        let commands = read(&format!("curl /v1/kv/a | {pipe}")).expect("it is read");
        let filter = commands[0].filter.as_ref()?;
        Some(filter.printed(answer.as_bytes(), ErrorStream::Shown))
    }

    #[test]
    fn a_path_takes_one_field() {
        let body = r#"[{"ID":"7","Value":"d2ViLTE=","N":[1,{"a":true}]},{"ID":"8"}]"#;
        for (pipe, expected) in [
            ("jq -r .[0].ID", "7"),
            ("jq '.[0].ID'", "\"7\""),
            ("jq -r '.[] | .ID'", "7\n8"),
            ("jq -r '.[0].Value | @base64d'", "web-1"),
            ("jq -r '.[0].Value' | base64 -d", "web-1"),
            ("jq -c '.[0].N'", "[1,{\"a\":true}]"),
            ("jq '.[0][\"N\"]'", "[\n  1,\n  {\n    \"a\": true\n  }\n]"),
            ("jq -e .[5]", "null"),
            ("jq .[0].id", "null"),
            ("jq .[0].ID.x?", ""),
        ] {
            assert_eq!(printed(pipe, body).as_deref(), Some(expected), "{pipe}");
        }
        assert_eq!(printed("jq", "12345678901234567890").as_deref(), Some("12345678901234567890"));
        for pipe in ["jq 'map(.ID)'", "jq -x .ID", "jq .a..b", "grep x", "jq '.a | length'"] {
            assert_eq!(printed(pipe, body), None, "{pipe}");
        }
    }

    #[test]
    fn errors_have_the_words_of_the_programs() {
        for (pipe, body, expected) in [
            ("jq .", "Invalid session", "jq: parse error: Invalid literal"),
            ("jq .ID", "true", "jq: error: Cannot index boolean with string \"ID\""),
            ("jq .[0]", "{}", "jq: error: Cannot index object with number"),
            ("jq .[]", "null", "jq: error: Cannot iterate over null (null)"),
            ("jq @base64d", "\"!\"", "jq: error: string (\"!\") is not valid base64 data"),
            ("jq .ID | base64 -d", "{\"ID\": \"a\"}", "base64: invalid input"),
            ("jq .ID", "null", "null"),
            ("jq .ID", "\n", ""),
        ] {
            assert_eq!(printed(pipe, body).as_deref(), Some(expected), "{pipe} {body:?}");
        }
    }
}
