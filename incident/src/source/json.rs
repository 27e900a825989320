//! The values of JSON in a source: lists, entries of lists, and lines of a log.

use alloc::vec::Vec;

use serde_json::value::RawValue;

use super::{Reader, ShownList};
use crate::lists::{self, List};
use crate::log;

pub(super) const KEY_NAMES: &str = "the names of keys (`?keys`), without the sessions that hold \
                                    them: `curl 'http://127.0.0.1:8500/v1/kv/?recurse'` has both";
const NO_KEYS: &str =
    "an empty list, which Consul does not answer for keys: without any, it answers 404 and no body";
pub(super) const OTHER_JSON: &str =
    "JSON, but none of Consul's lists of sessions, keys, nodes or checks";

impl<'a> Reader<'a> {
    pub(super) fn json(&mut self, json: &'a RawValue, number: usize) {
        let is_log = json.get().starts_with('{') && json.get().contains("\"@timestamp\"");
        let line = is_log.then(|| serde_json::from_str(json.get()).ok()).flatten();
        if let Some(line) = line.as_ref().and_then(log::parse_json) {
            return self.log_line(line, json.get(), number);
        }
        let recognized = lists::recognize(json);
        // An answer with an error has no list, so that this one is of another answer.
        if matches!(recognized, Ok(Some(_))) && self.head.is_error() {
            self.end_answer();
        }
        match recognized {
            Ok(Some(List::Empty)) => {
                self.empty_list(number);
                self.end_answer();
            }
            Ok(Some(list)) => {
                let text = json.get().lines().next().unwrap_or_default();
                let is_object = json.get().starts_with('{');
                self.list(list, is_object, number, text);
                // Further objects may be entries of the same answer, one in a line.
                if !is_object {
                    self.end_answer();
                }
            }
            Ok(None) if self.are_key_names(json) => self.refuse(number, KEY_NAMES),
            Ok(None) if self.lines_in_json(json.get(), number) => {}
            Ok(None) if !json.get().contains('\n') && self.timed_line(json.get(), number) => {}
            Ok(None) => self.refuse(number, OTHER_JSON),
            Err(error) => {
                let reason = alloc::format!("a list of Consul with something else in it: {error}");
                self.refuse(number, &reason);
            }
        }
    }

    pub(super) fn list(&mut self, list: List, is_object: bool, number: usize, text: &str) {
        let line = self.evidence(number, text);
        let (request, head) = (self.request.clone(), self.head.clone());
        let address = self.address.clone().filter(|_| request.is_some());
        let last = self.content.lists.last_mut().filter(|last| {
            is_object && last.is_object && last.request == request && last.head == head
        });
        match (last.map(|last| &mut last.list), list) {
            (Some(List::Sessions(known)), List::Sessions(more)) => known.extend(more),
            (Some(List::Keys(known)), List::Keys(more)) => known.extend(more),
            (Some(List::Nodes(known)), List::Nodes(more)) => known.extend(more),
            (Some(List::Checks(known)), List::Checks(more)) => known.extend(more),
            (_, list) => {
                let shown = ShownList { list, line, request, address, head, is_object };
                self.content.lists.push(shown);
            }
        }
    }

    /// The kind of an empty list is that of the request before it, or of the name of the file.
    pub(super) fn empty_list(&mut self, number: usize) {
        let name = self.named.or_else(|| list_in(&self.content.name));
        let list = match name {
            Some("session") => List::Sessions(Vec::new()),
            Some("kv" | "key") => return self.refuse(number, NO_KEYS),
            Some("node") => List::Nodes(Vec::new()),
            Some("check" | "health") => List::Checks(Vec::new()),
            _ => {
                return self.refuse(
                    number,
                    "an empty list, which does not say of what: name the file sessions.json or \
                     keys.json, or paste the request above it",
                );
            }
        };
        self.list(list, false, number, "[]");
    }
}

/// Whether a line can begin a JSON object or one of Consul's lists, which are lists of objects. A
/// level such as `[INFO]` or a time in brackets cannot.
pub(super) fn may_be_json(line: &str) -> bool {
    let list = line.strip_prefix('[');
    line.starts_with('{')
        || list.is_some_and(|rest| !rest.starts_with(|it: char| it.is_alphanumeric()))
}

/// The list that a request or the name of a file names.
pub(super) fn list_in(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    ["session", "health", "check", "node", "kv", "key"].into_iter().find(|name| text.contains(name))
}
