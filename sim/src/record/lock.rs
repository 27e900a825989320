//! The history of one locked key: its holders over time, the requests to acquire it, its
//! lock-delays and its LockIndex.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use lictor_core::engine::LockDelay;
use lictor_core::id::Index;
use lictor_core::store::Entry;
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::event_row::ExplainedReason;
use super::tags::{ActorTag, SessionTag};

/// Why a LockIndex was reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockIndexReset {
    /// The key was deleted at this time.
    Deleted(Instant),
    /// A write reset it at this time.
    Written(Instant),
}

impl LockIndexReset {
    /// When it was reset.
    pub fn at(&self) -> Instant {
        match self {
            Self::Deleted(at) | Self::Written(at) => *at,
        }
    }
}

/// One value of a LockIndex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockIndexStep {
    /// The value.
    pub lock_index: u64,
    /// Set on the first step after the count started again.
    pub after_reset: bool,
}

/// How many of the latest LockIndex values are kept; a card shows fewer.
const STEPS_KEPT: usize = 16;

/// One time that a session held the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// The session.
    pub session: SessionTag,
    /// When it acquired the key.
    pub from: Instant,
    /// `None` while it lasts.
    pub to: Option<Instant>,
    /// The LockIndex of the acquire.
    pub lock_index: u64,
}

/// One request to acquire the key, or another write of it that was refused, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcquireAttempt {
    /// When it was answered.
    pub at: Instant,
    /// The client.
    pub actor: ActorTag,
    /// The answer.
    pub result: AttemptResult,
}

/// Whether a request was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptResult {
    /// It was.
    Yes,
    /// It was refused.
    No,
    /// No answer arrived; the outcome of the request is unknown to the client.
    Unknown,
}

/// The history of the lock of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockTrack {
    /// The times that sessions held it, in order.
    pub tenures: Vec<Tenure>,
    /// The log entry that ended the latest hold that has ended.
    pub ended_by: Option<Index>,
    /// Its latest LockIndex; 0 after a deletion.
    pub lock_index: u64,
    /// How often it was acquired.
    pub acquired: usize,
    /// The lock-delays, in order.
    pub delays: Vec<LockDelay>,
    /// The requests to acquire it and other writes of it that were refused, in order.
    pub attempts: Vec<AcquireAttempt>,
    /// Why the latest write of it that was answered `false` was refused.
    pub refused: Option<ExplainedReason>,
    /// The latest values of its LockIndex, in order.
    pub history: VecDeque<LockIndexStep>,
    /// When its LockIndex was reset, in order.
    pub resets: Vec<LockIndexReset>,
}

impl LockTrack {
    /// Records a write of the key. `holder` is the session that holds it after the write. Returns
    /// whether this session has just acquired it.
    pub(super) fn written(
        &mut self,
        at: Instant,
        index: Index,
        before: Option<&Entry>,
        after: &Entry,
        holder: Option<SessionTag>,
    ) -> bool {
        let earlier = before.map_or(0, |entry| entry.lock_index);
        self.lock_index = after.lock_index;
        if after.lock_index < earlier {
            self.resets.push(LockIndexReset::Written(at));
        }
        if after.lock_index > earlier {
            self.count(after.lock_index);
        }
        let held = before.and_then(|entry| entry.hold.as_ref());
        if held == after.hold.as_ref() {
            return false;
        }
        self.close(at, index);
        let Some(session) = holder else { return false };
        let lock_index = after.lock_index;
        let last = self.tenures.last();
        debug_assert!(last.is_none_or(|tenure| tenure.from <= at), "holds are in order of time");
        self.acquired += 1;
        self.tenures.push(Tenure { session, from: at, to: None, lock_index });
        true
    }

    pub(super) fn deleted(&mut self, at: Instant, index: Index, before: &Entry) {
        self.close(at, index);
        self.lock_index = 0;
        if before.lock_index > 0 {
            self.resets.push(LockIndexReset::Deleted(at));
        }
    }

    /// Drops the holds, lock-delays, requests and resets that ended before a time. Keeps the latest
    /// reset.
    pub(super) fn forget(&mut self, begin: Instant) {
        let latest = self.resets.last().map(LockIndexReset::at);
        forget(&mut self.resets, &|it| it.at() < begin && Some(it.at()) != latest);
        forget(&mut self.tenures, &|tenure| tenure.to.is_some_and(|to| to < begin));
        forget(&mut self.delays, &|delay| delay.until < begin);
        forget(&mut self.attempts, &|it| it.at < begin);
    }

    pub(super) fn items(&self) -> usize {
        self.tenures.len() + self.delays.len() + self.attempts.len()
    }

    fn close(&mut self, at: Instant, index: Index) {
        if let Some(open) = self.tenures.last_mut().filter(|tenure| tenure.to.is_none()) {
            open.to = Some(at);
            self.ended_by = Some(index);
        }
    }

    /// The hold that a log entry has ended; `None` if a later one has ended since, or none did.
    pub(super) fn hold_ended_by(&self, index: Index) -> Option<&Tenure> {
        let ended = self.tenures.iter().rfind(|tenure| tenure.to.is_some())?;
        (self.ended_by == Some(index)).then_some(ended)
    }

    fn count(&mut self, lock_index: u64) {
        let last = self.history.back().map_or(0, |step| step.lock_index);
        if self.history.len() == STEPS_KEPT {
            self.history.pop_front();
        }
        self.history.push_back(LockIndexStep { lock_index, after_reset: lock_index <= last });
    }
}
