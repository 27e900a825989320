//! JSON as Consul's Go reads and writes it. [`first_value`] and [`only_value`] parse a text into a
//! [`Json`], which keeps the order and the duplicates of members, as Consul's lenient bodies depend
//! on both. [`to_go_bytes`] writes any `Serialize` as Go's `encoding/json` does.

mod go_writer;
mod kept;
mod reader;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::value::RawValue;
use smol_str::SmolStr;
use thiserror::Error;

pub use self::go_writer::{to_go_bytes, to_go_bytes_pretty};
pub use self::kept::KeptJson;
use self::reader::JsonReader;
use crate::id::go_text;

/// A JSON value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer from 0 on.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// Any other number, as it was written: one with a fraction or an exponent, one that 64 bits
    /// cannot hold, or `-0`.
    Decimal(SmolStr),
    /// A string, without its escapes.
    Text(String),
    /// A list.
    Array(Vec<Self>),
    /// Members in the order in which they were written; a name may occur more than once.
    Object(Vec<(String, Self)>),
}

/// Why a text is not JSON, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is empty or white space.
    #[error("EOF")]
    Empty,
    /// The text ends within a value.
    #[error("unexpected EOF")]
    Truncated,
    /// What is wrong with the text.
    #[error("{0}")]
    Malformed(String),
}

/// Reads one JSON value from the start of a text and ignores what follows, as Go's decoder does.
/// Bytes that are not UTF-8 read as U+FFFD. Fails with [`JsonError::Empty`] if there is no value.
pub fn first_value(bytes: &[u8]) -> Result<Json, JsonError> {
    let text = go_text(bytes);
    let mut reader = JsonReader::new(&text);
    if reader.is_empty() { Err(JsonError::Empty) } else { reader.first() }
}

/// Reads a text that is one JSON value and nothing else, such as one that [`to_text`] has written.
/// It may be nested a little deeper than one from outside.
pub fn only_value(text: &str) -> Result<Json, JsonError> {
    JsonReader::of_own(text).only()
}

/// Reads a whole text as a record. Fails with serde_json's error text.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|error| JsonError::Malformed(error.to_string()))
}

/// Reads UTF-8 text as a record. Fails with serde_json's error text.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonError> {
    let text = core::str::from_utf8(bytes);
    from_text(text.map_err(|error| JsonError::Malformed(error.to_string()))?)
}

/// Writes a record in one line, without Go's escapes.
pub fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records have text keys, and a String takes all texts")
}

/// A text as a JSON string, in quotes.
pub fn quoted(text: &str) -> String {
    to_text(&text)
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Unsigned(number) => serializer.serialize_u64(*number),
            Self::Signed(number) => serializer.serialize_i64(*number),
            Self::Decimal(text) => {
                let raw = RawValue::from_string(text.to_string()).map_err(ser::Error::custom)?;
                raw.serialize(serializer)
            }
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl Json {
    /// The last member of an object whose name matches without regard to case (SES-04).
    pub fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The text of a string; `None` for any other value.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The value as a whole number, if it is one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => i64::try_from(*number).ok(),
            Self::Signed(number) => Some(*number),
            Self::Decimal(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value as the nearest float; `None` if it is beyond all floats, or not a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Unsigned(number) => Some(*number as f64),
            Self::Signed(number) => Some(*number as f64),
            Self::Decimal(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    /// A number as Go writes it after it was read as a float; any other value as it is.
    pub fn rounded(&self) -> Self {
        let Some(number) = self.as_f64() else { return self.clone() };
        let is_plain = number == 0.0 || (1e-6..1e21).contains(&number.abs());
        let text = match format!("{number:e}").split_once('e') {
            Some((digits, power)) if !is_plain && !power.starts_with('-') => {
                format!("{digits}e+{power}")
            }
            Some((digits, power)) if !is_plain => format!("{digits}e{power}"),
            _ => number.to_string(),
        };
        Self::Decimal(text.into())
    }

    /// The text of a number.
    pub fn number_text(&self) -> Option<String> {
        match self {
            Self::Unsigned(number) => Some(number.to_string()),
            Self::Signed(number) => Some(number.to_string()),
            Self::Decimal(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// The items of an array; any other value has none.
    pub fn items(&self) -> &[Self] {
        if let Self::Array(items) = self { items } else { &[] }
    }

    /// The kind of value, in the words of Go's decoder.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Unsigned(_) | Self::Signed(_) | Self::Decimal(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_after_the_first_value_is_ignored() {
        assert_eq!(first_value(b" null trailing"), Ok(Json::Null));
        assert_eq!(first_value(b"  "), Err(JsonError::Empty));
        assert_eq!(first_value(b"{\"a\":"), Err(JsonError::Truncated));
        assert!(matches!(first_value(b"{a}"), Err(JsonError::Malformed(_))));
    }

    #[test]
    fn of_members_that_match_in_any_case_the_last_counts() {
        let body = first_value(br#"{"name":"a","NAME":"b"}"#).expect("an object");
        assert_eq!(body.member("Name").and_then(Json::as_text), Some("b"));
    }

    #[test]
    fn only_space_may_surround_the_only_value() {
        assert_eq!(only_value(" [1]\r\n\t "), Ok(Json::Array([Json::Unsigned(1)].into())));
        for text in ["{} x", "10x", "null x"] {
            let why = "invalid character 'x' after top-level value";
            assert_eq!(only_value(text), Err(JsonError::Malformed(why.into())));
        }
        assert!(only_value("{}\u{a0}").is_err());
        assert_eq!(only_value("\n"), Err(JsonError::Truncated));
        assert_eq!(only_value("1e999"), Ok(Json::Decimal("1e999".into())));
        assert_eq!(Json::Decimal("1e999".into()).as_f64(), None);
    }
}
