//! Compares a server's answers with recorded ones: ids as symbols, indexes by their order, a last
//! contact by its presence, and everything else exactly (tests/vectors/README.md).
//!
//! A [`Comparer`] remembers which id matches a symbol and which index a recorded one, so it must
//! get all answers of a vector in order.

mod ids;
mod indexes;
mod pattern;
mod uuid;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::HttpResponse;

use crate::json::RawJson;
use crate::vector::{BodyContent, Recorded, RecordedRequest, Vector};
pub use ids::Ids;
pub use indexes::Indexes;
pub use pattern::{IndexRef, fill_ids, fill_indexes, index_refs};
use pattern::{Pattern, Unknown};

/// The header with the media type of a body.
pub const CONTENT_TYPE: &str = "content-type";

/// The headers that are compared. One that was not recorded must be absent.
const CHECKED: [&str; 9] = [
    CONTENT_TYPE,
    "x-consul-kv-warning",
    "x-consul-index",
    "x-consul-knownleader",
    "x-consul-lastcontact",
    "allow",
    "x-content-type-options",
    "content-security-policy",
    "location",
];

/// Of this header only the presence is compared.
const LAST_CONTACT: &str = "x-consul-lastcontact";

/// What the answers of a vector have shown so far.
#[derive(Clone, Debug)]
pub struct Comparer {
    pub ids: Ids,
    pub indexes: Indexes,
    /// The indexes in the request of the answer that is compared.
    refs: Vec<IndexRef>,
    /// A header that is not compared.
    ignored: Option<&'static str>,
    differences: Vec<String>,
}

impl Comparer {
    pub fn new(vector: &Vector) -> Self {
        Self {
            ids: Ids::new(vector),
            indexes: Indexes::new(vector),
            refs: Vec::new(),
            ignored: None,
            differences: Vec::new(),
        }
    }

    /// Does not compare this header.
    pub fn without(self, header: &'static str) -> Self {
        Self { ignored: Some(header), ..self }
    }

    /// Compares an answer and returns the differences, each in a sentence.
    pub fn answer(
        &mut self,
        request: &RecordedRequest,
        recorded: &Recorded,
        got: &HttpResponse,
    ) -> Vec<String> {
        self.refs = index_refs(request);
        if recorded.status == got.status {
            self.headers(recorded, got);
            self.body(recorded, got);
        } else {
            let body = brief(&String::from_utf8_lossy(&got.body));
            let expected = brief(&printed(&recorded.content));
            self.differ(
                "status",
                format_args!("{} with body {expected}", recorded.status),
                format_args!("{} with body {body}", got.status),
            );
        }
        std::mem::take(&mut self.differences)
    }

    fn differ(
        &mut self,
        path: &str,
        expected: impl std::fmt::Display,
        got: impl std::fmt::Display,
    ) {
        self.differences.push(format!("{path}: expected {expected}, got {got}"));
    }

    fn index(&mut self, path: &str, recorded: u64, got: u64) {
        if let Err(problem) = self.indexes.pair(recorded, got) {
            self.differences.push(format!("{path}: {problem}"));
        }
    }

    // --- Headers and bodies --------------------------------------------------------------------

    fn headers(&mut self, recorded: &Recorded, got: &HttpResponse) {
        let got: BTreeMap<_, _> =
            got.headers.iter().map(|(name, value)| (name.to_lowercase(), value.as_str())).collect();
        let ignored = self.ignored;
        for name in CHECKED.into_iter().filter(|name| ignored != Some(name)) {
            let path = format!("header {name}");
            match (recorded.headers.get(name), got.get(name)) {
                (None, None) => {}
                (Some(_), Some(_)) if name == LAST_CONTACT => {}
                (Some(_), Some(value)) if name == "x-consul-index" => {
                    match (recorded.index(), value.parse()) {
                        (Some(expected), Ok(index)) => self.index(&path, expected, index),
                        _ => self.differ(&path, "an index", format_args!("{value:?}")),
                    }
                }
                (Some(expected), Some(value)) => self.text(&path, expected, value),
                (Some(expected), None) => self.differ(&path, brief(expected), "none"),
                (None, Some(value)) => self.differ(&path, "none", brief(value)),
            }
        }
    }

    fn body(&mut self, recorded: &Recorded, got: &HttpResponse) {
        if let BodyContent::Bytes(expected) = &recorded.content {
            if *expected != got.body {
                let (expected, got) = (STANDARD.encode(expected), STANDARD.encode(&got.body));
                self.differ("body in base64", brief(&expected), brief(&got));
            }
            return;
        }
        let Ok(body) = str::from_utf8(&got.body) else {
            let got = brief(&String::from_utf8_lossy(&got.body));
            return self.differ("body", "UTF-8", got);
        };
        if let Some(text) = &recorded.text {
            self.text("body's text", text, body);
        }
        match &recorded.content {
            BodyContent::Json(expected) | BodyContent::JsonSubset(expected) => {
                let Ok(json) = RawJson::parse(body) else {
                    return self.differ("body", brief_json(expected), brief(body));
                };
                if matches!(recorded.content, BodyContent::Json(_)) {
                    self.json("body", None, expected, &json);
                } else {
                    self.subset("body", None, expected, &json);
                }
            }
            BodyContent::Text(expected) => self.text("body", expected, body),
            BodyContent::Beginning(beginning) if body.starts_with(beginning) => {}
            BodyContent::Beginning(beginning) => {
                self.differ("body", format_args!("{beginning:?} first"), brief(body));
            }
            BodyContent::Bytes(_) => {}
        }
    }

    /// Compares texts that may hold ids and indexes.
    fn text(&mut self, path: &str, recorded: &str, got: &str) {
        if !Pattern::is_needed(recorded) {
            if recorded != got {
                self.differ(path, brief(recorded), brief(&self.ids.symbolic(got)));
            }
            return;
        }
        let pattern = Pattern::new(recorded, &self.ids, &self.indexes, &self.refs);
        let Some(found) = pattern.find(got) else {
            let got = brief(&self.ids.symbolic(got));
            return self.differ(path, brief(recorded), got);
        };
        for (unknown, got) in found {
            match unknown {
                Unknown::Index(recorded) => match got.parse() {
                    Ok(index) => self.index(path, recorded, index),
                    Err(_) => self.differ(path, "an index", got),
                },
                Unknown::Id(name) => {
                    if let Err(problem) = self.ids.bind(&name, got) {
                        self.differences.push(format!("{path}: {problem}"));
                    }
                }
            }
        }
    }

    // --- JSON ----------------------------------------------------------------------------------

    /// Compares two values. `key` is the name of the member whose value they are; `None` for an
    /// element of a list and for the whole body.
    fn json(&mut self, path: &str, key: Option<&str>, recorded: &RawJson, got: &RawJson) {
        match (recorded, got) {
            (RawJson::Object(members), _) if key == Some("Value") && is_decoded(members) => {
                self.decoded(path, &members[0].1, got);
            }
            (RawJson::Object(recorded), RawJson::Object(got)) => self.members(path, recorded, got),
            (RawJson::List(recorded), RawJson::List(got)) => self.list(path, recorded, got),
            (RawJson::Whole(recorded), RawJson::Whole(got)) if is_index(key) => {
                match (u64::try_from(*recorded), u64::try_from(*got)) {
                    (Ok(recorded), Ok(got)) => self.index(path, recorded, got),
                    _ => self.differ(path, recorded, got),
                }
            }
            (RawJson::Whole(_), RawJson::Whole(_)) if key == Some("LastContact") => {}
            (RawJson::Text(recorded), RawJson::Text(got)) => self.value(path, key, recorded, got),
            _ if recorded == got => {}
            _ => self.differ(path, brief_json(recorded), brief_json(got)),
        }
    }

    /// Compares a `Value` in base64 with one that was recorded as `{"utf8": text}`, because its
    /// text has ids.
    fn decoded(&mut self, path: &str, recorded: &RawJson, got: &RawJson) {
        match (recorded, got.as_text().and_then(base64_text)) {
            (RawJson::Text(recorded), Some(got)) => {
                self.text(&format!("{path} decoded"), recorded, &got);
            }
            _ => self.differ(
                path,
                format_args!("base64 of {}", brief_json(recorded)),
                brief_json(got),
            ),
        }
    }

    fn value(&mut self, path: &str, key: Option<&str>, recorded: &str, got: &str) {
        if key == Some("Value")
            && recorded != got
            && let (Some(recorded), Some(got)) = (base64_text(recorded), base64_text(got))
            && uuid::is_in(&recorded)
        {
            return self.text(&format!("{path} decoded"), &recorded, &got);
        }
        self.text(path, recorded, got);
    }

    /// Compares members by name. Their order matters, except where names are ids.
    fn members(&mut self, path: &str, recorded: &[(String, RawJson)], got: &[(String, RawJson)]) {
        let mut recorded: Vec<_> = recorded.iter().map(|(key, json)| (key.clone(), json)).collect();
        let mut got: Vec<_> = got.iter().map(|(key, json)| (key.clone(), json)).collect();
        if !same_keys(&recorded, &got) {
            let in_order = (keys(&recorded), keys(&got));
            for (key, _) in &mut got {
                *key = self.ids.symbolic(key);
            }
            recorded.sort_by(|one, other| one.0.cmp(&other.0));
            got.sort_by(|one, other| one.0.cmp(&other.0));
            if !same_keys(&recorded, &got) {
                return self.differ(
                    path,
                    format_args!("members {}", in_order.0),
                    format_args!("members {}", in_order.1),
                );
            }
            if !recorded.iter().any(|(key, _)| pattern::holds_symbol(key)) {
                self.differ(path, format_args!("the order {}", in_order.0), in_order.1);
            }
        }
        for ((key, recorded), (_, got)) in recorded.into_iter().zip(got) {
            self.json(&format!("{path}.{key}"), Some(&key), recorded, got);
        }
    }

    /// Elements are compared in order, except in lists that the server orders by generated ids.
    fn list(&mut self, path: &str, recorded: &[RawJson], got: &[RawJson]) {
        if recorded.len() != got.len() {
            let got = format!("{}: {}", got.len(), brief_json(&RawJson::List(got.to_vec())));
            return self.differ(path, format_args!("{} elements", recorded.len()), got);
        }
        let mut recorded: Vec<_> = recorded.iter().collect();
        let mut got: Vec<_> = got.iter().collect();
        if is_ordered_by_ids(&recorded) {
            self.byte_order(path, recorded[0], &got);
            recorded.sort_by_cached_key(|json| id_of(json));
            got.sort_by_cached_key(|json| id_of(json).map(|id| self.ids.symbolic(id)));
        }
        for (index, (recorded, got)) in recorded.into_iter().zip(got).enumerate() {
            self.json(&format!("{path}[{index}]"), None, recorded, got);
        }
    }

    /// Checks that a list of keys, sessions or entries is ordered by the bytes of its ids.
    fn byte_order(&mut self, path: &str, recorded: &RawJson, got: &[&RawJson]) {
        let is_table = recorded.as_text().is_some()
            || recorded.get("LockDelay").is_some()
            || recorded.get("LockIndex").is_some();
        let ids: Vec<_> = got.iter().map(|json| id_of(json)).collect();
        if is_table && !ids.is_sorted() {
            self.differ(path, "the byte order of the ids", format_args!("{ids:?}"));
        }
    }

    // --- Subsets -------------------------------------------------------------------------------

    /// Compares members and elements that were recorded; others may occur. Recorded elements must
    /// occur in their order, and an empty text matches any text.
    fn subset(&mut self, path: &str, key: Option<&str>, recorded: &RawJson, got: &RawJson) {
        match (recorded, got) {
            (RawJson::Object(members), RawJson::Object(_)) => {
                for (key, recorded) in members {
                    match got.get(key) {
                        Some(got) => {
                            self.subset(&format!("{path}.{key}"), Some(key), recorded, got);
                        }
                        None => self.differ(path, format_args!("a member {key}"), brief_json(got)),
                    }
                }
            }
            (RawJson::List(recorded), RawJson::List(items)) => {
                let mut rest = items.iter();
                for recorded in recorded {
                    if !rest.any(|item| self.is_like(path, recorded, item)) {
                        let expected = format!("an element like {}", brief_json(recorded));
                        return self.differ(path, expected, brief_json(got));
                    }
                }
            }
            (RawJson::Text(text), RawJson::Text(_)) if text.is_empty() => {}
            _ => self.json(path, key, recorded, got),
        }
    }

    /// Whether an element contains the recorded one. Its ids and indexes are remembered only then.
    fn is_like(&mut self, path: &str, recorded: &RawJson, got: &RawJson) -> bool {
        let mut trial = self.clone();
        trial.subset(path, None, recorded, got);
        let is_like = trial.differences.len() == self.differences.len();
        if is_like {
            *self = trial;
        }
        is_like
    }
}

fn printed(content: &BodyContent) -> String {
    match content {
        BodyContent::Json(json) | BodyContent::JsonSubset(json) => json.to_string(),
        BodyContent::Text(text) | BodyContent::Beginning(text) => text.clone(),
        BodyContent::Bytes(bytes) => STANDARD.encode(bytes),
    }
}

// --- Looking at JSON ---------------------------------------------------------------------------

fn is_decoded(members: &[(String, RawJson)]) -> bool {
    matches!(members, [(key, _)] if key == "utf8")
}

fn is_index(key: Option<&str>) -> bool {
    matches!(key, Some("CreateIndex" | "ModifyIndex"))
}

/// The text by which the server orders an element of a list; `None` if it has none.
fn id_of(json: &RawJson) -> Option<&str> {
    match json {
        RawJson::Text(text) => Some(text),
        RawJson::Object(_) => {
            let entry =
                json.get("KV").filter(|it| matches!(it, RawJson::Object(_))).unwrap_or(json);
            ["Key", "ID"].into_iter().find_map(|key| entry.get(key)?.as_text())
        }
        _ => None,
    }
}

fn is_ordered_by_ids(recorded: &[&RawJson]) -> bool {
    let ids: Option<Vec<_>> = recorded.iter().map(|json| id_of(json)).collect();
    ids.is_some_and(|ids| ids.len() > 1 && ids.into_iter().any(pattern::holds_symbol))
}

fn same_keys(one: &[(String, &RawJson)], other: &[(String, &RawJson)]) -> bool {
    one.iter().map(|(key, _)| key).eq(other.iter().map(|(key, _)| key))
}

fn keys(members: &[(String, &RawJson)]) -> String {
    members.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
}

fn base64_text(base64: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(base64).ok()?).ok()
}

fn brief_json(json: &RawJson) -> String {
    shortened(json.to_string())
}

fn brief(text: &str) -> String {
    shortened(format!("{text:?}"))
}

/// A value for a message: at most its first 160 characters.
fn shortened(text: String) -> String {
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
