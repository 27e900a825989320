//! JSON text to values and back: the only file that names serde_json. Objects keep the order and
//! the duplicates of their text, as Consul's lenient bodies depend on both.

mod float;
mod reader;
mod writer;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, de::DeserializeOwned};

use self::reader::Reader;
pub use self::writer::{Truth, Writer, quoted};
use crate::id::go_text;

/// A JSON value as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    Empty,
    Truncated,
    Malformed(String),
}

/// Reads one JSON value from the start of a text; what follows it is left alone, as Go's decoder
/// does. Bytes that are not UTF-8 read as U+FFFD.
pub fn first_value(bytes: &[u8]) -> Result<Json, Problem> {
    let text = go_text(bytes);
    let mut reader = Reader::new(&text);
    if reader.is_empty() { Err(Problem::Empty) } else { reader.first() }
}

/// Reads a text that is one JSON value, and nothing else.
pub fn only_value(text: &str) -> Result<Json, Problem> {
    Reader::new(text).only()
}

/// Reads a whole text as a record.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| Problem::Malformed(alloc::format!("{error}")))
}

/// Writes a record in one line.
pub fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("our records have text keys, and a String takes all texts")
}

impl Json {
    /// The member of an object whose name matches without regard to case; of several, the last
    /// (SES-04).
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The kind of value, in the words of Go's decoder.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Unsigned(_) | Self::Signed(_) | Self::Float(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("EOF"),
            Self::Truncated => f.write_str("unexpected EOF"),
            Self::Malformed(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_counts_and_the_rest_is_ignored() {
        assert_eq!(first_value(b" null trailing"), Ok(Json::Null));
        assert_eq!(first_value(b"  "), Err(Problem::Empty));
        assert_eq!(first_value(b"{\"a\":"), Err(Problem::Truncated));
        assert!(matches!(first_value(b"{a}"), Err(Problem::Malformed(_))));
    }

    #[test]
    fn members_match_in_any_case_and_the_last_wins() {
        let body = first_value(br#"{"name":"a","NAME":"b"}"#).expect("an object");
        assert_eq!(body.member("Name").and_then(Json::as_text), Some("b"));
    }

    #[test]
    fn the_only_value_has_nothing_but_space_around_it() {
        assert_eq!(only_value(" [1]\r\n\t "), Ok(Json::Array([Json::Unsigned(1)].into())));
        for text in ["{} x", "10x", "null x"] {
            let why = "invalid character 'x' after top-level value";
            assert_eq!(only_value(text), Err(Problem::Malformed(why.into())));
        }
        assert!(only_value("{}\u{a0}").is_err());
        assert_eq!(only_value("\n"), Err(Problem::Truncated));
        let why =
            "json: cannot unmarshal number 1e999 into Go struct field .LockDelay of type float64";
        assert_eq!(only_value(r#"{"LockDelay":1e999}"#), Err(Problem::Malformed(why.into())));
        assert!(only_value(r#"{"a":1e999}"#).is_ok(), "Go does not look at what nobody reads");
    }
}
