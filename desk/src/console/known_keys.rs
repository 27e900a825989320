//! The indexes, values and semaphores that answers contained, by key and address. A guide takes
//! them from here, so that it never fills in the index of another key or prefix.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_core::http::HttpResponse;
use lictor_core::id::{Key, SessionRef};
use lictor_core::message::Operation;
use lictor_core::store::{Entry, KvVerb, Query, Write};
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
    /// `None` after a change by the actor, as the answer does not contain the new indexes.
    seen: Option<Arc<Entry>>,
    pub(super) semaphore: Option<ObservedSemaphore>,
}

/// A semaphore's limit and its live holders.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ObservedSemaphore {
    pub(super) limit: Option<u64>,
    pub(super) holders: Vec<String>,
}

impl KnownEntry {
    pub(super) fn modify_index(&self) -> Option<String> {
        self.seen.as_ref().map(|entry| entry.modify_index.to_string())
    }

    pub(super) fn lock_index(&self) -> Option<String> {
        self.seen.as_ref().map(|entry| entry.lock_index.to_string())
    }
}

impl KnownKeys {
    /// Adds the knowledge from an answer that is no error.
    pub(super) fn learn(&mut self, call: &Call, outcome: &Outcome) {
        let request = &call.request;
        if request.method == "GET"
            && let Some(index) = outcome.index()
        {
            self.indexes.insert(path(&request.target), index.to_string());
        }
        let is_done = outcome.verdict() == Verdict::True;
        match call.operation() {
            Some(Operation::Read { query, .. }) => self.read(query, call, outcome),
            Some(Operation::Kv { key, verb }) if is_done => self.write(key, verb),
            // What a transaction has read or changed is read again.
            Some(Operation::Txn(_)) if is_done => self.entries.clear(),
            Some(Operation::DestroySession(session)) if is_done => {
                self.let_go(|holder| holder.as_str().eq_ignore_ascii_case(session.as_str()));
            }
            // The end of a node or a check can end sessions, and the answer does not say which.
            Some(Operation::Register(_) | Operation::Deregister(_) | Operation::Agent(_)) => {
                self.let_go(|_| true);
            }
            _ => {}
        }
    }

    /// Takes the entries of an answer. What it lacks does not exist.
    fn read(&mut self, query: &Query, call: &Call, outcome: &Outcome) {
        match query {
            Query::Tree(prefix) => self.forget_under(prefix),
            Query::Key(key) if outcome.verdict() == Verdict::Missing => {
                self.entries.remove(key.as_str());
            }
            _ => {}
        }
        self.seen(call.entries_in(outcome));
    }

    /// Takes the entries that were read together.
    fn seen(&mut self, entries: &[Arc<Entry>]) {
        for entry in entries {
            let key = entry.key.as_str();
            let semaphore = is_semaphore_document(key).then(|| observed_semaphore(entry, entries));
            self.entries
                .insert(key.to_owned(), KnownEntry { seen: Some(entry.clone()), semaphore });
        }
    }

    /// Notes a write or a deletion by the actor.
    fn write(&mut self, key: &Key, verb: &KvVerb) {
        let write = match verb {
            KvVerb::Set(write)
            | KvVerb::Cas { write, .. }
            | KvVerb::Acquire { write, .. }
            | KvVerb::Release { write, .. } => write,
            KvVerb::Delete | KvVerb::DeleteCas { .. } => {
                self.entries.remove(key.as_str());
                return;
            }
            KvVerb::DeleteTree => return self.forget_under(key),
        };
        let entry = self.entries.entry(key.as_str().to_owned()).or_default();
        entry.seen = entry.seen.take().filter(|seen| is_unchanged(seen, verb, write));
        if is_semaphore_document(key.as_str()) {
            entry.semaphore = SemaphoreDocument::read(&write.value).ok().map(|document| {
                let holders = document.holders.iter().map(|it| it.as_str().to_owned());
                ObservedSemaphore {
                    limit: u64::try_from(document.limit).ok(),
                    holders: holders.collect(),
                }
            });
        }
    }

    fn forget_under(&mut self, prefix: &Key) {
        self.entries.retain(|key, _| !key.starts_with(prefix.as_str()));
    }

    /// Forgets the entries that these sessions hold: their end releases or deletes them.
    fn let_go(&mut self, has_ended: impl Fn(&SessionRef) -> bool) {
        let is_held = |entry: &Entry| entry.holder().is_some_and(&has_ended);
        self.entries.retain(|_, entry| !entry.seen.as_deref().is_some_and(is_held));
    }

    /// The index of the last read of an address.
    pub(super) fn index(&self, address: &str) -> Option<String> {
        self.indexes.get(address).cloned()
    }

    pub(super) fn entry(&self, key: &str) -> Option<&KnownEntry> {
        self.entries.get(key)
    }
}

/// Whether a write leaves an entry and its indexes as they are (KV-07). A plain one sets LockIndex
/// to 0 (KV-04).
fn is_unchanged(entry: &Entry, verb: &KvVerb, write: &Write) -> bool {
    let keeps_lock = match verb {
        KvVerb::Set(_) | KvVerb::Cas { .. } => entry.lock_index == 0,
        KvVerb::Acquire { session, .. } => entry.holder() == Some(session),
        KvVerb::Release { .. } | KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree => {
            false
        }
    };
    keeps_lock && entry.flags == write.flags && entry.value == write.value
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
pub(super) fn document_key(prefix: &str) -> String {
    format!("{}/{COORDINATION}", prefix.trim_end_matches('/'))
}

pub(super) fn is_semaphore_document(key: &str) -> bool {
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
