//! `| jq` with a path, as guides use it to take one field of an answer: `jq -r .ID`,
//! `jq -r '.[0].Session'`, `jq -r '.[0].Value | @base64d'`. Other filters are refused.
//! `parse` reads it; `transcript` applies it to the answer before it is shown or assigned.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::json::{Json, JsonError, first_value};
use serde::{Deserialize, Serialize};

use super::error::{CommandError, ErrorKind};
use super::token::Token;

/// A path into a JSON answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JqFilter {
    steps: Vec<PathStep>,
    /// `-r`: texts are printed without quotes.
    is_raw: bool,
    is_base64d: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PathStep {
    Member(String),
    Item(usize),
    /// `[]`: each item of a list or each value of an object.
    Each,
}

impl JqFilter {
    /// Reads the words after the pipe.
    pub(super) fn read(words: &[Token]) -> Result<Self, CommandError> {
        let (program, rest) = match words.split_first() {
            Some((program, rest)) if program.text == "jq" => (program, rest),
            Some((other, _)) => {
                return Err(CommandError::new(ErrorKind::Pipe, other.span.clone()));
            }
            None => return Err(CommandError::new(ErrorKind::Pipe, 0..0)),
        };
        let (mut filter, mut path) = (Self::default(), None);
        for word in rest {
            match word.text.as_str() {
                "-r" | "--raw-output" => filter.is_raw = true,
                "-c" | "-M" | "-S" | "--compact-output" => {}
                "-rc" | "-cr" => filter.is_raw = true,
                text if !text.starts_with('-') && path.is_none() => path = Some(word),
                _ => return Err(unsupported(word)),
            }
        }
        let Some(path) = path else { return Err(unsupported(program)) };
        let (steps, is_base64d) = match path.text.split_once('|') {
            Some((steps, "@base64d" | " @base64d")) => (steps.trim(), true),
            Some(_) => return Err(unsupported(path)),
            None => (path.text.trim(), false),
        };
        filter.is_base64d = is_base64d;
        filter.steps = read_steps(steps).ok_or_else(|| unsupported(path))?;
        Ok(filter)
    }

    /// The filter with `base64 -d` behind it.
    pub(super) fn decoded(mut self) -> Self {
        (self.is_raw, self.is_base64d) = (true, true);
        self
    }

    /// What jq prints for an answer, one result a line.
    pub(super) fn apply(&self, body: &[u8]) -> Result<String, JsonError> {
        if body.iter().all(u8::is_ascii_whitespace) {
            return Ok(String::new());
        }
        let mut found = vec![first_value(body)?];
        for step in &self.steps {
            found = found.into_iter().flat_map(|json| step.of(json)).collect();
        }
        let lines: Vec<String> = found.iter().map(|json| self.printed(json)).collect();
        Ok(lines.join("\n"))
    }

    fn printed(&self, json: &Json) -> String {
        match json {
            Json::Text(text) => {
                let text = match STANDARD.decode(text) {
                    Ok(bytes) if self.is_base64d => String::from_utf8_lossy(&bytes).into_owned(),
                    _ => text.clone(),
                };
                if self.is_raw { text } else { quoted(&text) }
            }
            other => written(other),
        }
    }
}

impl PathStep {
    fn of(&self, json: Json) -> Vec<Json> {
        match (self, json) {
            (Self::Member(name), json @ Json::Object(_)) => {
                vec![json.member(name).cloned().unwrap_or(Json::Null)]
            }
            (Self::Item(at), Json::Array(items)) => {
                vec![items.into_iter().nth(*at).unwrap_or(Json::Null)]
            }
            (Self::Each, Json::Array(items)) => items,
            (Self::Each, Json::Object(members)) => {
                members.into_iter().map(|(_, value)| value).collect()
            }
            (Self::Member(_) | Self::Item(_), _) => vec![Json::Null],
            (Self::Each, _) => Vec::new(),
        }
    }
}

fn unsupported(word: &Token) -> CommandError {
    CommandError::new(ErrorKind::JqFilter(word.text.clone()), word.span.clone())
}

/// `.`, `.name`, `.[0]`, `.[]` and what they make one after the other; none for anything else.
fn read_steps(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('.')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            let name = index.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
            steps.push(match (index, name) {
                ("", _) => PathStep::Each,
                (_, Some(name)) => PathStep::Member(name.to_owned()),
                (number, None) => PathStep::Item(number.parse().ok()?),
            });
            rest = after;
        } else {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(PathStep::Member(name.to_owned()));
            rest = after;
        }
        rest = rest.strip_prefix('?').unwrap_or(rest);
        if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                return None;
            }
            rest = after;
        }
    }
    Some(steps)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// A value on one line, its members in their order.
fn written(json: &Json) -> String {
    match json {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Unsigned(number) => number.to_string(),
        Json::Signed(number) => number.to_string(),
        Json::Decimal(number) => number.to_string(),
        Json::Text(text) => quoted(text),
        Json::Array(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(","))
        }
        Json::Object(members) => {
            let member =
                |(name, value): &(String, Json)| format!("{}:{}", quoted(name), written(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(line: &str) -> Option<JqFilter> {
        let words = shell_words::split(line).expect("quotes are closed").into_iter();
        let words: Vec<Token> = words.map(|text| Token { text, span: 0..0 }).collect();
        JqFilter::read(&words).ok()
    }

    #[test]
    fn a_path_takes_one_field() {
        let body = br#"[{"ID":"7","Value":"d2ViLTE=","N":[1,{"a":true}]},{"ID":"8"}]"#;
        for (line, expected) in [
            ("jq -r .[0].ID", "7"),
            ("jq '.[0].ID'", "\"7\""),
            ("jq -r '.[].ID'", "7\n8"),
            ("jq -r '.[0].Value | @base64d'", "web-1"),
            ("jq '.[0].N'", "[1,{\"a\":true}]"),
            ("jq '.[0][\"N\"][1].a'", "true"),
            ("jq .[5]", "null"),
        ] {
            let printed = filter(line).and_then(|filter| filter.apply(body).ok());
            assert_eq!(printed.as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_filters_are_refused() {
        for line in ["jq", "jq 'map(.ID)'", "jq -e .ID", "jq .a..b", "grep x", "jq '.a | length'"] {
            assert_eq!(filter(line), None, "{line}");
        }
        assert!(filter("jq .").expect("a path").apply(b"no json").is_err());
    }
}
