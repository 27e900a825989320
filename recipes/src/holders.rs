//! The document of a semaphore, which lists its limit and its holders, and the name of its key. The
//! server does not enforce the limit: contenders do, by updates with check-and-set.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::SessionRef;
use lictor_core::json::{self, Json, JsonError};
use lictor_core::store::Entry;
use serde::{Deserialize, Serialize};

/// The name of a semaphore's coordination key below its prefix (RCS-02).
pub const COORDINATION: &str = ".lock";

/// The format of the document. A client of one format cannot read the other (RCS-03).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Style {
    /// `Holders` is a map, and the keys of the semaphore have the client's Flags.
    GoClient,
    /// `Holders` is a list, and the keys have no Flags.
    Guide,
}

/// The document of a semaphore as it is written, for readers that do not contend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemaphoreDocument {
    /// Its format; that of the guide if the document has no `Holders`.
    pub style: Style,
    /// How many sessions may hold a slot at once; 0 if the document has no limit.
    pub limit: i64,
    /// The sessions that hold slots, in the order of the document.
    pub holders: Vec<SessionRef>,
}

/// The document as a contender of one style reads and writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) limit: i64,
    pub(super) holders: BTreeSet<SessionRef>,
}

/// Why a value is not a semaphore's document. The text is like that of Go's decoder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DocumentError {
    /// The value is not JSON.
    #[error(transparent)]
    Syntax(#[from] JsonError),
    /// A field of the document has another type.
    #[error(
        "json: cannot unmarshal {value} into Go struct field semaphoreLock.{field} of type \
         {go_type}"
    )]
    WrongType {
        /// What was found, such as `string`, or `number 1.5` in place of a whole number.
        value: String,
        /// The name of the field.
        field: String,
        /// The type that was expected, as Go writes it.
        go_type: String,
    },
    /// The whole document is no object.
    #[error("json: cannot unmarshal {value} into Go value of type api.semaphoreLock")]
    NotAnObject {
        /// What was found, such as `array`.
        value: String,
    },
}

/// The document in its JSON form.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct WrittenDocument<'a> {
    limit: i64,
    holders: Holders<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Holders<'a> {
    Map(BTreeMap<&'a SessionRef, bool>),
    List(Vec<&'a SessionRef>),
}

/// The value of the coordination entry (RCS-03).
fn written<'a>(style: Style, limit: i64, holders: impl Iterator<Item = &'a SessionRef>) -> Vec<u8> {
    let holders = match style {
        Style::GoClient => Holders::Map(holders.map(|holder| (holder, true)).collect()),
        Style::Guide => Holders::List(holders.collect()),
    };
    json::to_go_bytes(&WrittenDocument { limit, holders })
}

impl SemaphoreDocument {
    /// Reads the value of a coordination entry in whichever format it has. Fails if it is empty, or
    /// if neither kind of client can read it.
    pub fn read(value: &[u8]) -> Result<Self, DocumentError> {
        let json = object(value)?;
        let style = match json.member("Holders") {
            Some(Json::Object(_)) => Style::GoClient,
            _ => Style::Guide,
        };
        Ok(Self { style, limit: limit_of(&json)?, holders: holders_of(style, &json)? })
    }

    /// The value of the coordination entry, in its format.
    pub fn write(&self) -> Vec<u8> {
        written(self.style, self.limit, self.holders.iter())
    }
}

impl Document {
    /// Reads the value of the coordination entry. An empty value is a document with the caller's
    /// limit and no holders (RCS-08, step f). Fails for a value of the other style.
    pub(super) fn read(style: Style, value: &[u8], own_limit: i64) -> Result<Self, DocumentError> {
        if value.is_empty() {
            return Ok(Self { limit: own_limit, holders: BTreeSet::new() });
        }
        let json = object(value)?;
        let holders = holders_of(style, &json)?.into_iter().collect();
        Ok(Self { limit: limit_of(&json)?, holders })
    }

    /// The value of the coordination entry (RCS-03).
    pub(super) fn write(&self, style: Style) -> Vec<u8> {
        written(style, self.limit, self.holders.iter())
    }

    /// Removes and returns the holders that are not the session of any listed entry (RCS-08, step
    /// h; RCS-12).
    pub(super) fn prune(&mut self, listed: &[Arc<Entry>]) -> Vec<SessionRef> {
        let alive: BTreeSet<&SessionRef> =
            listed.iter().filter_map(|entry| entry.holder()).collect();
        let (kept, dead): (BTreeSet<_>, BTreeSet<_>) =
            self.holders.iter().cloned().partition(|holder| alive.contains(holder));
        self.holders = kept;
        dead.into_iter().collect()
    }

    /// Whether at least as many sessions hold a slot as the limit of the document allows.
    pub(super) fn is_full(&self) -> bool {
        i64::try_from(self.holders.len()).is_ok_and(|holders| holders >= self.limit)
    }
}

fn object(value: &[u8]) -> Result<Json, DocumentError> {
    let json = json::only_value(&String::from_utf8_lossy(value))?;
    match json {
        Json::Object(_) | Json::Null => Ok(json),
        other => Err(DocumentError::NotAnObject { value: other.kind().into() }),
    }
}

fn limit_of(json: &Json) -> Result<i64, DocumentError> {
    match json.member("Limit") {
        None | Some(Json::Null) => Ok(0),
        Some(value) => value.as_i64().ok_or_else(|| {
            // Go names a number only where it expects one.
            let number = value.number_text().map(|number| format!("number {number}"));
            wrong_type(number.as_deref().unwrap_or(value.kind()), "Limit", "int")
        }),
    }
}

fn holders_of(style: Style, json: &Json) -> Result<Vec<SessionRef>, DocumentError> {
    let fault = |value: &Json, go_type| wrong_type(value.kind(), "Holders", go_type);
    match (style, json.member("Holders")) {
        (_, None | Some(Json::Null)) => Ok(Vec::new()),
        (Style::GoClient, Some(Json::Object(members))) => {
            let holder = |(holder, flag): &(String, Json)| match flag {
                Json::Bool(_) | Json::Null => Ok(SessionRef::from(holder.as_str())),
                other => Err(fault(other, "bool")),
            };
            members.iter().map(holder).collect()
        }
        (Style::Guide, Some(Json::Array(items))) => {
            let holder = |item: &Json| match item.as_text() {
                Some(holder) => Ok(SessionRef::from(holder)),
                None => Err(fault(item, "string")),
            };
            items.iter().map(holder).collect()
        }
        (Style::GoClient, Some(other)) => Err(fault(other, "map[string]bool")),
        (Style::Guide, Some(other)) => Err(fault(other, "[]string")),
    }
}

fn wrong_type(value: &str, field: &str, go_type: &str) -> DocumentError {
    DocumentError::WrongType { value: value.into(), field: field.into(), go_type: go_type.into() }
}

/// A path below a prefix, as Go's `path.Join` cleans it (RCS-02).
pub(super) fn joined(prefix: &str, name: &str) -> String {
    let is_rooted = prefix.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in prefix.split('/').chain([name]) {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if is_rooted => {}
            other => kept.push(other),
        }
    }
    let slash = if is_rooted { "/" } else { "" };
    format!("{slash}{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn document(holders: &[&str]) -> Document {
        Document { limit: 2, holders: holders.iter().map(|it| SessionRef::from(*it)).collect() }
    }

    /// RCS-03.
    #[test]
    fn each_style_reads_what_it_writes_and_not_what_the_other_writes() {
        let document = document(&["b", "a"]);
        for (style, other, text) in [
            (Style::GoClient, Style::Guide, r#"{"Limit":2,"Holders":{"a":true,"b":true}}"#),
            (Style::Guide, Style::GoClient, r#"{"Limit":2,"Holders":["a","b"]}"#),
        ] {
            assert_eq!(String::from_utf8_lossy(&document.write(style)), text);
            assert_eq!(Document::read(style, text.as_bytes(), 9), Ok(document.clone()));
            assert!(Document::read(other, text.as_bytes(), 9).is_err());
            let read = SemaphoreDocument::read(text.as_bytes()).expect("it has a format");
            assert_eq!((read.style, read.limit), (style, 2));
            assert_eq!(read.holders, ["a", "b"].map(SessionRef::from));
        }
    }

    /// The texts of Go's `json.Unmarshal` for Consul's `semaphoreLock`.
    #[test]
    fn a_wrong_type_is_reported_as_by_gos_decoder() {
        for (value, text) in [
            ("[1]", "array into Go value of type api.semaphoreLock"),
            (
                r#"{"Holders":{"a":1}}"#,
                "number into Go struct field semaphoreLock.Holders of type bool",
            ),
            (
                r#"{"Holders":[1]}"#,
                "array into Go struct field semaphoreLock.Holders of type map[string]bool",
            ),
            (r#"{"Limit":"a"}"#, "string into Go struct field semaphoreLock.Limit of type int"),
        ] {
            let error = Document::read(Style::GoClient, value.as_bytes(), 9).expect_err(value);
            assert_eq!(error.to_string(), format!("json: cannot unmarshal {text}"));
        }
    }

    /// Observed with Go 1.26.
    #[test]
    fn a_limit_is_a_number_that_gos_int_can_hold() {
        let read = |limit: &str| {
            let value = format!("{{\"Limit\":{limit},\"Holders\":null}}");
            Document::read(Style::GoClient, value.as_bytes(), 9).map(|it| it.limit)
        };
        for (limit, number) in [
            ("-0", 0),
            ("-1", -1),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(read(limit), Ok(number));
        }
        for limit in [
            "1.5",
            "1e3",
            "1E+2",
            "-1.0",
            "-0.0",
            "0.1e-5",
            "1e999",
            "9223372036854775808",
            "18446744073709551616",
            "-9223372036854775809",
        ] {
            let text = format!(
                "json: cannot unmarshal number {limit} into Go struct field semaphoreLock.Limit \
                 of type int"
            );
            assert_eq!(read(limit).map_err(|it| it.to_string()), Err(text));
        }
    }

    #[test]
    fn an_empty_value_is_a_document_with_the_callers_limit() {
        let read = |value: &[u8]| Document::read(Style::GoClient, value, 9);
        assert_eq!(read(b""), Ok(Document { limit: 9, holders: BTreeSet::new() }));
        assert_eq!(read(b"{}"), Ok(Document { limit: 0, holders: BTreeSet::new() }));
        for nonsense in ["[]", "x", "{\"Limit\":\"2\"}", "{\"Limit\":1,\"Holders\":[]}", "{}x"] {
            assert!(read(nonsense.as_bytes()).is_err(), "{nonsense}");
        }
    }

    /// RCS-02.
    #[test]
    fn prefixes_are_cleaned_as_go_joins_paths() {
        for (prefix, joint) in [
            ("test/lock", "test/lock/.lock"),
            ("test/lock/", "test/lock/.lock"),
            ("test//./lock/../x", "test/x/.lock"),
            ("../a", "../a/.lock"),
            ("/a", "/a/.lock"),
            ("/../a", "/a/.lock"),
        ] {
            assert_eq!(joined(prefix, ".lock"), joint);
        }
    }
}
