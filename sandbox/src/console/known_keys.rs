//! The indexes, values and semaphores that answers contained, by key and address. A guide takes
//! them from here, so that it never fills in the index of another key or prefix.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_core::http::HttpResponse;
use lictor_core::id::SessionRef;
use lictor_core::store::Entry;
use lictor_recipes::{COORDINATION, SemaphoreDocument};
use lictor_sim::{Call, Outcome, Verdict};
use percent_encoding::percent_decode_str;

/// The knowledge of one actor, or of all actors together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KnownKeys {
    /// The header X-Consul-Index of the last read of each address without its query.
    indexes: BTreeMap<String, String>,
    entries: BTreeMap<String, KnownEntry>,
}

/// An entry as it was read or written last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KnownEntry {
    /// `None` after a change by the actor, as the answer does not contain the new index.
    pub(super) modify_index: Option<String>,
    pub(super) lock_index: Option<String>,
    pub(super) semaphore: Option<ObservedSemaphore>,
    value: Vec<u8>,
}

/// A semaphore's limit and its live holders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ObservedSemaphore {
    pub(super) limit: Option<u64>,
    pub(super) holders: Vec<String>,
}

impl KnownKeys {
    /// Adds the knowledge from an answer.
    pub(super) fn learn(&mut self, call: &Call, outcome: &Outcome) {
        let request = &call.request;
        let path = path(&request.target);
        if request.method == "GET" {
            if let Some(index) = outcome.index() {
                self.indexes.insert(path.clone(), index.to_string());
            }
            let Some(key) = path.strip_prefix(KV) else { return };
            if outcome.verdict() == Verdict::Missing {
                self.entries.remove(key);
                self.entries.remove(&lock_under(key));
            }
            self.read(call.entries_in(outcome));
            return;
        }
        let is_done = outcome.verdict() == Verdict::True;
        let Some(key) = path.strip_prefix(KV).filter(|_| is_done) else { return };
        if request.method == "DELETE" {
            self.entries.remove(key);
            return;
        }
        let entry = self.entries.entry(key.to_owned()).or_default();
        // A write of the same value counts as one that does not change the entry.
        if entry.value != request.body {
            entry.modify_index = None;
            entry.value = request.body.clone();
        }
        if is_lock(key) {
            entry.semaphore = SemaphoreDocument::read(&request.body).ok().map(|document| {
                let holders = document.holders.iter().map(|it| it.as_str().to_owned());
                ObservedSemaphore {
                    limit: u64::try_from(document.limit).ok(),
                    holders: holders.collect(),
                }
            });
        }
    }

    fn read(&mut self, entries: &[Arc<Entry>]) {
        for entry in entries {
            let key = entry.key.as_str();
            let semaphore = is_lock(key).then(|| observed_semaphore(entry, entries));
            let known = KnownEntry {
                modify_index: Some(entry.modify_index.to_string()),
                lock_index: Some(entry.lock_index.to_string()),
                semaphore,
                value: entry.value.to_vec(),
            };
            self.entries.insert(key.to_owned(), known);
        }
    }

    /// The index of the last read of an address.
    pub(super) fn index(&self, address: &str) -> Option<String> {
        self.indexes.get(address).cloned()
    }

    pub(super) fn entry(&self, key: &str) -> Option<&KnownEntry> {
        self.entries.get(key)
    }
}

/// The part of an address that precedes the key of an entry.
pub(super) const KV: &str = "kv/";

/// The decoded path of a target without its query, `/v1/` at the beginning and slashes at the end.
pub(super) fn path(target: &str) -> String {
    let path = target.split('?').next().unwrap_or_default();
    let path = path.trim_start_matches('/').trim_start_matches("v1/").trim_end_matches('/');
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// The key of the document of a semaphore, as the guide recommends it: "A good choice for this lock
/// key is simply `<prefix>/.lock`".
pub(super) fn lock_under(prefix: &str) -> String {
    format!("{}/{COORDINATION}", prefix.trim_end_matches('/'))
}

pub(super) fn is_lock(key: &str) -> bool {
    key.rsplit('/').next() == Some(COORDINATION)
}

/// The semaphore of a `.lock` entry in an answer. It has no holders and no limit if no client can
/// read its document.
fn observed_semaphore(lock: &Entry, entries: &[Arc<Entry>]) -> ObservedSemaphore {
    let document = SemaphoreDocument::read(&lock.value).ok();
    ObservedSemaphore {
        limit: document.as_ref().and_then(|it| u64::try_from(it.limit).ok()),
        holders: document.map_or_else(Vec::new, |it| live_holders(&it, entries)),
    }
}

/// The sessions in a semaphore document that hold an entry of the answer; all of them if the answer
/// has no entry but the document.
fn live_holders(document: &SemaphoreDocument, entries: &[Arc<Entry>]) -> Vec<String> {
    let holds = entries.iter().filter_map(|entry| entry.hold.as_ref());
    let attached = holds.map(|hold| hold.session.as_str()).collect::<Vec<_>>();
    let is_live = |id: &&str| entries.len() == 1 || attached.contains(id);
    document.holders.iter().map(SessionRef::as_str).filter(is_live).map(Into::into).collect()
}

/// The value of a header, whatever the case of its name.
pub(super) fn header<'a>(response: &'a HttpResponse, name: &str) -> Option<&'a str> {
    let header = response.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    header.map(|(_, value)| value.as_str())
}
