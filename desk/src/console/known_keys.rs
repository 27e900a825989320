//! The indexes, values and semaphores that answers contained, by key and address. A guide takes
//! them from here, so that it never fills in the index of another key or prefix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_core::http::HttpResponse;
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{AgentCall, Answer, Operation};
use lictor_core::store::catalog::CheckStatus;
use lictor_core::store::txn::{TxnOp, TxnResult, TxnVerb};
use lictor_core::store::{Entry, Found, KvVerb, Query, Write};
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
            Some(Operation::Txn(operations)) if is_done => self.transaction(operations, outcome),
            Some(Operation::DestroySession(session)) if is_done => {
                self.let_go(|holder| holder.as_str().eq_ignore_ascii_case(session.as_str()));
            }
            Some(operation) if may_end_sessions(operation) => self.let_go(|_| true),
            _ => {}
        }
    }

    /// Takes the entries that a transaction has read, and then notes its changes, so that an entry
    /// which it has also changed has no index of an earlier time.
    fn transaction(&mut self, operations: &[TxnOp], outcome: &Outcome) {
        for operation in operations {
            match operation {
                TxnOp::Kv { key, verb: TxnVerb::GetTree } => self.forget_under(key),
                TxnOp::Kv { key, verb: TxnVerb::GetOrEmpty { .. } | TxnVerb::CheckNotExists } => {
                    self.entries.remove(key.as_str());
                }
                _ => {}
            }
        }
        let answer = outcome.answer.as_ref().map(|response| &response.answer);
        if let Ok(Answer::Txn { outcome: Ok(results), .. }) = answer {
            let read = results.iter().filter_map(|result| match result {
                // Without a CreateIndex, it is what `get-or-empty` returns for no entry.
                TxnResult::Read(entry) if entry.create_index > Index::ZERO => Some(entry.clone()),
                _ => None,
            });
            self.seen(&read.collect::<Vec<_>>());
        }
        for operation in operations {
            match operation {
                TxnOp::Kv { key, verb: TxnVerb::Write(verb) } => self.write(key, verb),
                TxnOp::Kv { .. } => {}
                TxnOp::Node { .. } | TxnOp::Service { .. } | TxnOp::Check { .. } => {
                    if operation.is_write() {
                        self.let_go(|_| true);
                    }
                }
            }
        }
    }

    /// Takes the entries of an answer. What it lacks does not exist.
    fn read(&mut self, query: &Query, call: &Call, outcome: &Outcome) {
        match query {
            Query::Tree(prefix) => self.forget_under(prefix),
            Query::Keys { prefix, separator } => {
                let separator = separator.as_deref().unwrap_or_default();
                let listed = listed_keys(outcome);
                self.entries.retain(|key, _| {
                    let under = key.strip_prefix(prefix.as_str());
                    under.is_none_or(|it| listed.contains(&listed_as(key, it, separator)))
                });
            }
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

/// Whether a change of the catalog can end sessions, which depend on nodes and their checks. The
/// answer does not say whether it has ended one.
fn may_end_sessions(operation: &Operation) -> bool {
    match operation {
        Operation::Register(_) | Operation::Deregister(_) => true,
        Operation::Agent(call) => match &**call {
            AgentCall::UpdateCheck { status, .. } => *status == CheckStatus::Critical,
            AgentCall::Maintenance { reason, .. } => reason.is_some(),
            AgentCall::RegisterCheck { .. }
            | AgentCall::DeregisterCheck(_)
            | AgentCall::RegisterService { .. }
            | AgentCall::DeregisterService(_) => true,
            _ => false,
        },
        _ => false,
    }
}

/// The keys in an answer to `?keys`, which may be cut after a separator. None are listed if there
/// are none.
fn listed_keys(outcome: &Outcome) -> BTreeSet<&str> {
    match outcome.answer.as_ref().map(|response| &response.answer) {
        Ok(Answer::Found(Found::Keys(keys))) => keys.iter().map(Key::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

/// How a list of keys shows a key, of which `under` is the part after the prefix: up to the first
/// separator in it (GET-09).
fn listed_as<'k>(key: &'k str, under: &str, separator: &str) -> &'k str {
    match under.find(separator).filter(|_| !separator.is_empty()) {
        Some(at) => &key[..key.len() - under.len() + at + separator.len()],
        None => key,
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
