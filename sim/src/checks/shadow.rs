//! The holder of each lock, and the clients that believe they hold it, computed from events alone,
//! so that the store and the reports of programs can be checked against them.

use alloc::collections::VecDeque;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use lictor_core::id::{Index, Key, SessionId, SessionRef};
use lictor_core::store::Entry;
use lictor_core::time::Instant;
use lictor_recipes::{COORDINATION, SemaphoreDocument, Token};
use serde::{Deserialize, Serialize};

use crate::belief::{BeliefChange, Believer, HeldBelief};

/// The largest number of ended sessions whose acquires are remembered, as their clients may still
/// believe to hold the locks.
const ENDED_MAX: usize = 1_000;

/// The locks by key and by session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Locks {
    holders: BTreeMap<Key, SessionId>,
    held: BTreeSet<(SessionId, Key)>,
    /// The index at which a session acquired a key.
    acquired: BTreeMap<SessionId, BTreeMap<Key, Index>>,
    ended: VecDeque<SessionId>,
    /// The sessions that end in the latest log entry, each with its event.
    ending: Vec<(SessionId, (u64, Instant))>,
    /// The limits of semaphores by their documents' keys.
    limits: BTreeMap<Key, u64>,
}

/// The rules that a write to a key satisfies.
pub(super) struct WriteCheck {
    pub(super) is_exclusive: bool,
    /// `None` if it is not the document of a semaphore.
    pub(super) is_within_limit: Option<bool>,
}

impl Locks {
    /// About how many entries there are in the maps: a held key is in three of them.
    pub(super) fn rows(&self) -> usize {
        3 * self.held.len() + 2 * self.acquired.len() + self.limits.len()
    }

    pub(super) fn written(&mut self, entry: &Entry, index: Index) -> WriteCheck {
        let before = self.holders.get(&entry.key).copied();
        let after = entry.holder().and_then(SessionRef::id);
        let is_exclusive = before.is_none() || after.is_none() || before == after;
        if before != after {
            self.deleted(&entry.key);
            if let Some(session) = after {
                self.holders.insert(entry.key.clone(), session);
                self.held.insert((session, entry.key.clone()));
                let acquired = self.acquired.entry(session).or_default();
                acquired.insert(entry.key.clone(), index);
            }
        }
        WriteCheck { is_exclusive, is_within_limit: self.is_within_limit(entry) }
    }

    pub(super) fn deleted(&mut self, key: &Key) {
        if let Some(session) = self.holders.remove(key) {
            self.held.remove(&(session, key.clone()));
        }
    }

    pub(super) fn ended(&mut self, session: SessionId, event: (u64, Instant)) {
        self.ending.push((session, event));
        if !self.acquired.contains_key(&session) {
            return;
        }
        self.ended.push_back(session);
        if self.ended.len() > ENDED_MAX
            && let Some(oldest) = self.ended.pop_front()
        {
            self.acquired.remove(&oldest);
        }
    }

    /// The events at which sessions ended that still hold something.
    pub(super) fn settle(&mut self) -> Vec<(u64, Instant)> {
        let ending = core::mem::take(&mut self.ending);
        let holds = |session: SessionId| {
            let first = self.held.range((session, Key::from(""))..).next();
            first.is_some_and(|(holder, _)| *holder == session)
        };
        ending.into_iter().filter(|(session, _)| holds(*session)).map(|(_, at)| at).collect()
    }

    /// The index at which the hold of a token began.
    pub(super) fn acquired_at(&self, token: &Token) -> Option<Index> {
        self.acquired.get(&token.session.id()?)?.get(&token.key).copied()
    }

    /// How many clients may hold a key: one, or the limit of a semaphore.
    pub(super) fn limit(&self, key: &Key) -> u64 {
        self.limits.get(key).copied().unwrap_or(1)
    }

    /// Whether the holders are within the limit, if the entry is the document of a semaphore.
    fn is_within_limit(&mut self, entry: &Entry) -> Option<bool> {
        if !entry.key.as_str().ends_with(COORDINATION) {
            return None;
        }
        let (limit, holders) = document(&entry.value)?;
        self.limits.insert(entry.key.clone(), limit);
        Some(holders <= limit)
    }
}

/// The limit of a semaphore's document and how many holders it lists; `None` if no client can read
/// it or it has no limit.
fn document(value: &[u8]) -> Option<(u64, u64)> {
    let document = SemaphoreDocument::read(value).ok()?;
    let limit = u64::try_from(document.limit).ok().filter(|limit| *limit > 0)?;
    Some((limit, document.holders.len() as u64))
}

/// The believers of each lock, with the sessions that they believe to hold it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Beliefs {
    believers: BTreeMap<Key, Vec<(Believer, SessionRef)>>,
}

impl Beliefs {
    /// Applies a change, and returns the keys whose believers changed.
    pub(super) fn change(&mut self, change: &BeliefChange) -> Vec<Key> {
        let mut changed = Vec::new();
        if let Some(ends) = &change.ends {
            self.believers.retain(|key, believers| {
                let before = believers.len();
                believers.retain(|(believer, session)| !ends.includes(believer, key, session));
                if believers.len() < before {
                    changed.push(key.clone());
                }
                !believers.is_empty()
            });
        }
        if let Some(HeldBelief { believer, key, session }) = change.begins.clone() {
            let believers = self.believers.entry(key.clone()).or_default();
            let belief = (believer, session);
            if !believers.contains(&belief) {
                believers.push(belief);
                if !changed.contains(&key) {
                    changed.push(key);
                }
            }
        }
        changed
    }

    /// How many people and programs believe that they hold a key.
    pub(super) fn count(&self, key: &Key) -> u64 {
        self.believers.get(key).map_or(0, |believers| believers.len() as u64)
    }
}
