//! A second implementation of docs/en/reference/behaviour.md: sessions, keys, locks, lock-delays
//! and TTLs.
//!
//! It keeps the time, the index of the log and a history of facts, from which it computes every
//! answer. It has no tables and no timers, and undoes a failed transaction by truncating the
//! history.

mod blocking_reads;
pub mod server;

use std::collections::BTreeSet;
use std::time::Duration;

use lictor_core::duration;
use lictor_core::error::Error;
use lictor_core::id::{Index, Key, SessionId, SessionRef};
use lictor_core::message::{Operation, SessionDraft};
use lictor_core::store::{Entry, Hold, KvVerb, Query, txn::TxnOp, txn::TxnVerb};
use lictor_core::time::Instant;

/// The answer of the model to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelAnswer {
    Flag(bool),
    Refused(Error),
    /// The entries that a transaction wrote or checked, or which of its operations failed.
    Txn(Result<Vec<Entry>, Vec<usize>>),
    /// The index of a read, and the names of what it found.
    Found(Index, Vec<String>),
}

/// The facts so far, each with its time and index; the time and the index of the log now.
#[derive(Clone, Debug)]
pub struct LockModel {
    history: Vec<(Instant, Index, Fact)>,
    pub now: Instant,
    pub index: Index,
}

#[derive(Clone, Debug)]
enum Fact {
    /// A session began or, without a draft, ended.
    Session(SessionId, Option<Box<SessionDraft>>),
    Renewed(SessionId),
    LeaderChanged,
    /// The lock-delay of a key began, and ends at this time.
    Delayed(Key, Instant),
    /// A key was written or, without an entry, deleted.
    Key(Key, Option<Entry>),
    /// A tombstone: of a key, or of all keys under a prefix.
    Tombstone(Key),
    /// The tombstones up to this index were reaped.
    Reaped(Index),
}

impl LockModel {
    pub fn new(index: Index) -> Self {
        Self { history: Vec::new(), now: Instant::EPOCH, index }
    }

    /// Performs a request. `new` is the id that the engine has given to a new session. Panics on an
    /// operation that the model does not support.
    pub fn request(&mut self, operation: &Operation, new: Option<SessionId>) -> ModelAnswer {
        match (operation, new) {
            (Operation::CreateSession(draft), Some(id)) => {
                self.index = self.index.next();
                self.note(Fact::Session(id, Some(draft.clone())));
                ModelAnswer::Flag(true)
            }
            (Operation::DestroySession(session), _) => {
                if let Some(id) = self.alive(session) {
                    self.log(Some(id));
                }
                ModelAnswer::Flag(true)
            }
            (Operation::RenewSession(session), _) => {
                let Some(id) = self.alive(session) else {
                    return ModelAnswer::Refused(Error::SessionNotFound(session.clone()));
                };
                self.note(Fact::Renewed(id));
                ModelAnswer::Flag(true)
            }
            (Operation::Kv { key, verb }, _) => self.single(key, verb),
            (Operation::Txn(ops), _) => ModelAnswer::Txn(self.txn(ops)),
            other => panic!("the model does not support {other:?}"),
        }
    }

    /// Adds a log entry: the end of a session or, without one, the reaping of tombstones.
    pub fn log(&mut self, session: Option<SessionId>) {
        self.index = self.index.next();
        if let Some(id) = session {
            return self.end(id);
        }
        let batch = self.tombstones().filter(|it| self.reaped_at(it.0) == self.now);
        let newest = batch.map(|it| it.1).max().unwrap_or_default();
        self.note(Fact::Reaped(newest));
    }

    /// A failover restarts TTL timers and keeps lock-delays (TTL-05, DLY-09).
    pub fn change_leader(&mut self) {
        self.note(Fact::LeaderChanged);
    }

    /// The next time at which a session expires or, without one, tombstones are reaped.
    pub fn next_due(&self) -> Option<(Instant, Option<SessionId>)> {
        let ends = self.sessions().into_iter().filter_map(|id| Some((self.ends(id)?, Some(id))));
        let reaped = self.tombstones().map(|(died, ..)| (self.reaped_at(died), None));
        ends.chain(reaped).min_by_key(|(at, id)| (*at, id.is_none(), *id))
    }

    pub fn sessions(&self) -> BTreeSet<SessionId> {
        let known = self.pick(|it| if let Fact::Session(id, _) = it { Some(*id) } else { None });
        known.filter(|id| self.draft(*id).is_some()).collect()
    }

    /// The time at which a session expires: twice the TTL after its creation, its last renewal or
    /// the last failover, whichever is latest (TTL-01, TTL-02). `None` without a TTL or for a
    /// session that has ended.
    pub fn ends(&self, session: SessionId) -> Option<Instant> {
        let ttl = span(duration::parse(&self.draft(session)?.ttl).unwrap_or_default());
        let heard = self.last(|fact| match fact {
            Fact::Session(id, _) | Fact::Renewed(id) => *id == session,
            fact => matches!(fact, Fact::LeaderChanged),
        });
        let (at, ..) = heard?;
        (!ttl.is_zero()).then(|| at.plus(ttl * 2))
    }

    /// The keys with a lock-delay, and its end.
    pub fn delays(&self) -> BTreeSet<(Key, Instant)> {
        let delays = self.pick(|it| match it {
            Fact::Delayed(key, until) if *until > self.now => Some((key.clone(), *until)),
            _ => None,
        });
        delays.collect()
    }

    /// The entries under a prefix, in the order of their keys.
    pub fn entries(&self, prefix: &str) -> Vec<Entry> {
        let keys = self.pick(|it| if let Fact::Key(key, _) = it { Some(key) } else { None });
        let keys: BTreeSet<&Key> = keys.filter(|key| key.as_str().starts_with(prefix)).collect();
        keys.into_iter().filter_map(|key| self.entry(key).cloned()).collect()
    }

    /// The index of an answer (IDX-01 to IDX-05, IDX-09 to IDX-11, SES-30).
    pub fn index_of(&self, query: &Query) -> Index {
        let table = || self.last(|it| matches!(it, Fact::Key(..))).map_or(Index::ZERO, |it| it.1);
        match query {
            Query::Key(key) => self.entry(key).map_or_else(table, |entry| entry.modify_index),
            Query::Tree(prefix) if prefix.is_empty() => table(),
            Query::Tree(prefix) => {
                let prefix = prefix.as_str();
                let written = self.entries(prefix).into_iter().map(|it| it.modify_index);
                let buried = self.tombstones().filter(|it| it.2.as_str().starts_with(prefix));
                written.chain(buried.map(|it| it.1)).max().unwrap_or_else(table)
            }
            _ => self.last(|it| matches!(it, Fact::Session(..))).map_or(Index::ZERO, |it| it.1),
        }
    }

    /// Ends a session and releases or deletes its keys (DST-02 to DST-06, DLY-02, DLY-03).
    pub fn end(&mut self, session: SessionId) {
        let draft = self.draft(session).expect("the session exists").clone();
        let delay = span(draft.lock_delay).min(Duration::from_secs(60));
        self.note(Fact::Session(session, None));
        let is_held = |it: &Entry| it.holder().and_then(SessionRef::id) == Some(session);
        for entry in self.entries("").into_iter().filter(is_held) {
            self.note(Fact::Delayed(entry.key.clone(), self.now.plus(delay)));
            if &*draft.behavior == "delete" {
                let _ = self.delete(&entry.key.clone(), vec![entry]);
            } else {
                self.put(Entry { hold: None, ..entry });
            }
        }
    }

    fn single(&mut self, key: &Key, verb: &KvVerb) -> ModelAnswer {
        if matches!(verb, KvVerb::Acquire { .. }) && self.delays().iter().any(|it| it.0 == *key) {
            return ModelAnswer::Flag(false);
        }
        self.index = self.index.next();
        match self.verb(key, verb) {
            Err(Some(error)) => ModelAnswer::Refused(error),
            done => ModelAnswer::Flag(done.is_ok()),
        }
    }

    /// Performs a transaction, all or nothing (TXN-08, TXN-11 to TXN-13, TXN-18, TXN-23).
    fn txn(&mut self, ops: &[TxnOp]) -> Result<Vec<Entry>, Vec<usize>> {
        let locks = |verb: &_| matches!(verb, TxnVerb::Write(KvVerb::Acquire { .. }));
        failing(ops, |key, verb| !locks(verb) || self.delays().iter().all(|it| it.0 != *key))?;
        self.index = self.index.next();
        let (before, mut done) = (self.history.len(), Vec::new());
        let outcome = failing(ops, |key, verb| {
            let is_done = match verb {
                TxnVerb::Write(verb) => self.verb(key, verb).is_ok(),
                TxnVerb::CheckSession(session) => self.entry(key).is_some_and(|entry| {
                    entry.holder().map_or("", SessionRef::as_str) == session.as_str()
                }),
                other => panic!("the model does not support {other:?}"),
            };
            done.extend(self.entry(key).cloned());
            is_done
        });
        self.history.truncate(if outcome.is_ok() { self.history.len() } else { before });
        outcome.map(|()| done)
    }

    /// Performs one verb (KV-02 to KV-18, LCK-01 to LCK-14). `Err(None)` is the answer `false`.
    fn verb(&mut self, key: &Key, verb: &KvVerb) -> Result<(), Option<Error>> {
        use KvVerb::*;
        let old = self.entry(key).cloned();
        let index = old.as_ref().map(|old| old.modify_index);
        let count = old.as_ref().map_or(0, |old| old.lock_index);
        let hold = old.as_ref().and_then(|old| old.hold.clone());
        let holder = hold.as_ref().map(|hold| &hold.session);
        let (write, lock_index, hold) = match verb {
            Set(write) => (write, 0, hold),
            Cas { write, expected } if *expected == index.unwrap_or_default() => (write, 0, hold),
            Acquire { session, .. } if self.alive(session).is_none() => {
                return Err(Some(Error::InvalidSession(session.clone())));
            }
            Acquire { write, session } if holder.is_none() => {
                (write, count + 1, Some(Hold { session: session.clone(), since: self.index }))
            }
            Acquire { write, session } if holder == Some(session) => (write, count, hold),
            Release { write, session } if holder == Some(session) => (write, count, None),
            DeleteTree => return self.delete(key, self.entries(key.as_str())),
            DeleteCas { expected } if index.is_some_and(|it| it != *expected) => return Err(None),
            Delete | DeleteCas { .. } => return self.delete(key, old.into_iter().collect()),
            _ => return Err(None),
        };
        let create_index = old.map_or(self.index, |old| old.create_index);
        let (key, value, flags) = (key.clone(), write.value.clone(), write.flags);
        let modify_index = self.index;
        self.put(Entry { key, value, flags, lock_index, hold, create_index, modify_index });
        Ok(())
    }

    /// Writes an entry, unless nothing would change (KV-07).
    fn put(&mut self, entry: Entry) {
        let modify_index = self.entry(&entry.key).map_or(self.index, |old| old.modify_index);
        if self.entry(&entry.key) != Some(&Entry { modify_index, ..entry.clone() }) {
            let entry = Entry { modify_index: self.index, ..entry };
            self.note(Fact::Key(entry.key.clone(), Some(entry)));
        }
    }

    /// Deletes entries with one tombstone, or none if the prefix is empty (KV-15, KV-18).
    fn delete(&mut self, prefix: &Key, doomed: Vec<Entry>) -> Result<(), Option<Error>> {
        if !doomed.is_empty() && !prefix.is_empty() {
            self.note(Fact::Tombstone(prefix.clone()));
        }
        for entry in doomed {
            self.note(Fact::Key(entry.key, None));
        }
        Ok(())
    }

    fn note(&mut self, fact: Fact) {
        self.history.push((self.now, self.index, fact));
    }

    fn pick<'a, T>(&'a self, wanted: impl Fn(&'a Fact) -> Option<T>) -> impl Iterator<Item = T> {
        self.history.iter().rev().filter_map(move |(.., fact)| wanted(fact))
    }

    fn last(&self, wanted: impl Fn(&Fact) -> bool) -> Option<&(Instant, Index, Fact)> {
        self.history.iter().rev().find(|(.., fact)| wanted(fact))
    }

    pub fn entry(&self, key: &Key) -> Option<&Entry> {
        let (.., last) = self.last(|it| matches!(it, Fact::Key(other, _) if other == key))?;
        if let Fact::Key(_, entry) = last { entry.as_ref() } else { None }
    }

    /// The options of a session, until it ends.
    pub fn draft(&self, session: SessionId) -> Option<&SessionDraft> {
        let (.., last) = self.last(|it| matches!(it, Fact::Session(id, _) if *id == session))?;
        if let Fact::Session(_, draft) = last { draft.as_deref() } else { None }
    }

    pub fn alive(&self, session: &SessionRef) -> Option<SessionId> {
        session.id().filter(|id| self.draft(*id).is_some())
    }

    /// The tombstones that are not reaped yet.
    fn tombstones(&self) -> impl Iterator<Item = (Instant, Index, &Key)> {
        let reaped = |it: &Fact| if let Fact::Reaped(index) = it { Some(*index) } else { None };
        let reaped = self.pick(reaped).next().unwrap_or_default();
        self.history.iter().filter_map(move |(at, index, fact)| match fact {
            Fact::Tombstone(key) if *index > reaped => Some((*at, *index, key)),
            _ => None,
        })
    }

    /// Tombstones are reaped at the first multiple of 30 s that is more than 15 minutes after the
    /// deletion and after the last failover (IDX-08).
    fn reaped_at(&self, died: Instant) -> Instant {
        let change = self.last(|it| matches!(it, Fact::LeaderChanged));
        let since = change.map_or(died, |it| it.0.max(died));
        since.plus(Duration::from_secs(900)).next_multiple(Duration::from_secs(30))
    }
}

/// A duration in nanoseconds; a negative one is zero.
fn span(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}

/// Fails with the places of the operations of which `holds` is false or that have no key.
fn failing(ops: &[TxnOp], mut holds: impl FnMut(&Key, &TxnVerb) -> bool) -> Result<(), Vec<usize>> {
    let mut fails = |op: &_| !matches!(op, TxnOp::Kv { key, verb } if holds(key, verb));
    let failing: Vec<_> = (0..ops.len()).filter(|index| fails(&ops[*index])).collect();
    if failing.is_empty() { Ok(()) } else { Err(failing) }
}
