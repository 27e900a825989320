//! JSON text to values and back: the only file that names serde_json. Objects keep the order and
//! the duplicates of their text, as Consul's lenient bodies depend on both.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer, de::DeserializeOwned};

use crate::go_json::{complaint, out_of_range};

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
    let text = String::from_utf8_lossy(bytes);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Json>();
    match values.next() {
        None => Err(Problem::Empty),
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) if error.is_eof() => Err(Problem::Truncated),
        Some(Err(error)) => {
            // What Go's scanner lets pass, and serde_json does not, is a number beyond all floats.
            let said = complaint(&text).unwrap_or_else(|| out_of_range(&text, error.column()));
            Err(Problem::Malformed(said))
        }
    }
}

/// Reads a whole text as a record.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| Problem::Malformed(alloc::format!("{error}")))
}

/// Writes a record in one line.
pub fn to_text(value: &impl Serialize) -> String {
    String::from_utf8(compact(value)).expect("serde_json writes UTF-8")
}

/// Writes a body as Go does: `<`, `>` and `&` escaped (HTTP-19), in one line.
pub fn go_compact(value: &impl Serialize) -> Vec<u8> {
    go_escaped(&compact(value))
}

/// Writes a body as Go does with `?pretty` (HTTP-05): indented by four spaces, with a final
/// newline.
pub fn go_pretty(value: &impl Serialize) -> Vec<u8> {
    let mut body = indented(&go_escaped(&compact(value)));
    body.push(b'\n');
    body
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

fn compact(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("our records have text keys, and a Vec takes all bytes")
}

/// Outside of strings JSON has none of these characters, so they can be replaced wherever they
/// stand.
fn go_escaped(json: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(json.len() + 1);
    for byte in json {
        match byte {
            b'<' => escaped.extend_from_slice(b"\\u003c"),
            b'>' => escaped.extend_from_slice(b"\\u003e"),
            b'&' => escaped.extend_from_slice(b"\\u0026"),
            other => escaped.push(*other),
        }
    }
    escaped
}

/// Compact JSON with line breaks and four spaces for each level; empty lists and objects stay
/// closed.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, byte) in json.iter().enumerate() {
        if in_text {
            in_text = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            out.push(*byte);
            continue;
        }
        let is_empty = |open| at > 0 && json[at - 1] == open;
        match byte {
            b'"' => in_text = true,
            b'}' | b']' => {
                depth -= 1;
                if !is_empty(byte - 2) {
                    break_line(&mut out, depth);
                }
            }
            _ => {}
        }
        out.push(*byte);
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if json.get(at + 1) != Some(&(byte + 2)) {
                    break_line(&mut out, depth);
                }
            }
            b',' => break_line(&mut out, depth),
            b':' => out.push(b' '),
            _ => {}
        }
    }
    out
}

fn break_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + 4 * depth, b' ');
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsWritten)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

/// Builds a [`Json`] from what the parser meets.
struct AsWritten;

impl<'de> Visitor<'de> for AsWritten {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Signed(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(member) = members.next_entry()? {
            object.push(member);
        }
        Ok(Json::Object(object))
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
    fn bodies_are_escaped_as_go_does() {
        assert_eq!(go_compact(&"a&<b>"), br#""a\u0026\u003cb\u003e""#);
        assert_eq!(go_pretty(&[1]), b"[\n    1\n]\n");
        let empty: [&str; 0] = [];
        assert_eq!(go_pretty(&empty), b"[]\n");
        let nested = go_pretty(&[["a\\\"]"]]);
        assert_eq!(nested, b"[\n    [\n        \"a\\\\\\\"]\"\n    ]\n]\n");
    }
}
