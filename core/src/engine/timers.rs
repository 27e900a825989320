//! The timers of the leader: sessions, lock-delays, blocking queries, checks of agents, tombstones.
//! They are not in the log (DLY-01, TTL-01). A new leader restarts those of sessions and
//! tombstones; the others continue (DLY-09).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::deadlines::Deadlines;
use crate::error::Cause;
use crate::id::{Folded, Index, Key, RequestId, SessionId};
use crate::store::Session;
use crate::time::Instant;

/// The server ends a session that was not renewed for this multiple of its TTL (TTL-01).
pub const TTL_GRACE: u32 = 2;
/// The longest lock-delay; longer ones are shortened to this (DLY-03).
pub const LOCK_DELAY_MAX: Duration = Duration::from_secs(60);
/// How long a tombstone is kept (IDX-08).
const TOMBSTONE_TTL: Duration = Duration::from_secs(15 * 60);
/// Tombstones are reaped at multiples of this (IDX-08).
const TOMBSTONE_GRANULARITY: Duration = Duration::from_secs(30);

/// What happens at a deadline.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Timer {
    /// The session was not renewed for twice its TTL and ends.
    SessionTtl(SessionId),
    /// The key can be acquired again.
    LockDelay(Key),
    /// The waiting time of the blocking query is over.
    Parked(RequestId),
    /// An agent's check was not updated within its TTL: node and check.
    CheckTtl(Folded, Folded),
    /// Old tombstones are deleted.
    Reap,
}

/// A key that cannot be acquired until a time, and why (DLY-02).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockDelay {
    /// The key that cannot be acquired.
    pub key: Key,
    /// When the session ended.
    pub armed_at: Instant,
    /// When the key can be acquired again.
    pub until: Instant,
    /// The log entry in which the session ended.
    pub index: Index,
    /// The session that held the key.
    pub session: SessionId,
    /// Why that session ended.
    pub cause: Cause,
}

/// The running TTL of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionClock {
    /// When it was created or last renewed, or when a new leader restarted it (TTL-02).
    pub renewed: Instant,
    /// The TTL; the server waits for twice this time (TTL-01).
    pub ttl: Duration,
    /// When the server ends the session unless it is renewed.
    pub ends: Instant,
}

impl SessionClock {
    /// A TTL that starts at a time: the server waits for twice the TTL (TTL-01).
    pub fn starting(renewed: Instant, ttl: Duration) -> Self {
        Self { renewed, ttl, ends: renewed.plus(ttl * TTL_GRACE) }
    }

    /// The end of the TTL itself, before which the session cannot expire; the epoch if it was
    /// before that.
    pub fn guaranteed_until(&self) -> Instant {
        self.ends.minus(self.ttl)
    }

    /// The TTL that is over at a time.
    fn ending(ends: Instant, ttl: Duration) -> Self {
        Self { renewed: ends.minus(ttl * TTL_GRACE), ttl, ends }
    }
}

/// All deadlines, with what is needed to carry them out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timers {
    pub(super) deadlines: Deadlines<Timer>,
    pub(super) delays: BTreeMap<Key, LockDelay>,
    /// The newest tombstone of each batch that is reaped together.
    batches: BTreeMap<Instant, Index>,
}

impl Timers {
    /// Starts or restarts the TTL of a session, if it has one (TTL-02, SES-35). A session without
    /// TTL and checks only ends by a request (SES-26).
    pub(super) fn start_clock(&mut self, now: Instant, session: &Session) -> Option<SessionClock> {
        let ttl = session.ttl.duration()?;
        let clock = SessionClock::starting(now, ttl);
        self.deadlines.set(Timer::SessionTtl(session.id), clock.ends);
        Some(clock)
    }

    /// The running TTL of a session, computed from its deadline.
    pub(super) fn clock(&self, session: &Session) -> Option<SessionClock> {
        let ttl = session.ttl.duration()?;
        let ends = self.deadlines.get(&Timer::SessionTtl(session.id))?;
        Some(SessionClock::ending(ends, ttl))
    }

    /// Stops the TTL of a session that ended (TTL-08).
    pub(super) fn stop_clock(&mut self, session: SessionId) {
        self.deadlines.clear(&Timer::SessionTtl(session));
    }

    /// Arms a lock-delay in place of an earlier one of the same key, unless the session asks for
    /// none (DLY-02, DLY-03). The timer of the earlier one is not restarted, so the new delay is
    /// over no later (DLY-11).
    pub(super) fn arm_delay(&mut self, length: Duration, delay: LockDelay) -> Option<&LockDelay> {
        if length.is_zero() {
            return None;
        }
        let key = delay.key.clone();
        let earlier = self.delays.get(&key).map(|earlier| earlier.until);
        let until = delay.armed_at.plus(length);
        let until = earlier.map_or(until, |earlier| earlier.min(until));
        debug_assert!(until >= delay.armed_at, "an earlier lock-delay of the key is not over");
        self.deadlines.set(Timer::LockDelay(key.clone()), until);
        self.delays.insert(key.clone(), LockDelay { until, ..delay });
        self.delays.get(&key)
    }

    /// Schedules the reaping of a new tombstone.
    pub(super) fn hint_tombstone(&mut self, now: Instant, index: Index) {
        let at = reaped_at(now);
        let earlier = self.batches.insert(at, index);
        debug_assert!(earlier <= Some(index), "tombstones are made in the order of the log");
        self.arm_reaping();
    }

    /// Takes the batch that is due: the index up to which tombstones are reaped now.
    pub(super) fn take_batch(&mut self, now: Instant) -> Option<Index> {
        let (at, _) = self.batches.iter().next().filter(|(at, _)| **at <= now)?;
        let at = *at;
        let index = self.batches.remove(&at)?;
        self.arm_reaping();
        Some(index)
    }

    /// A new leader waits the full time again for all tombstones (DLY-09).
    pub(super) fn restart_reaping(&mut self, now: Instant) {
        let newest = self.batches.values().max().copied();
        self.batches = BTreeMap::new();
        self.deadlines.clear(&Timer::Reap);
        if let Some(index) = newest {
            self.hint_tombstone(now, index);
        }
    }

    /// Stops reaping, which the next leader starts again, and delays the checks that are due until
    /// then: one becomes critical after that time, as what its agent has reported meanwhile comes
    /// first.
    pub(super) fn wait_for_leader(&mut self, until: Instant) {
        self.deadlines.clear(&Timer::Reap);
        let is_due =
            |(at, timer): &(Instant, &Timer)| *at <= until && matches!(timer, Timer::CheckTtl(..));
        let due: Vec<_> =
            self.deadlines.iter().filter(is_due).map(|(_, timer)| timer.clone()).collect();
        for timer in due {
            self.deadlines.set(timer, until.plus(Duration::from_nanos(1)));
        }
    }

    fn arm_reaping(&mut self) {
        if let Some((at, _)) = self.batches.iter().next() {
            self.deadlines.set(Timer::Reap, *at);
        }
    }
}

/// When the leader reaps a tombstone that is made at this time, or that a new leader finds at this
/// time (IDX-08, DLY-09).
pub fn reaped_at(made: Instant) -> Instant {
    made.plus(TOMBSTONE_TTL).next_multiple(TOMBSTONE_GRANULARITY)
}

/// The lock-delay of a session in nanoseconds as the server applies it: at most the longest, and
/// zero if it is negative (DLY-03).
pub fn applied_lock_delay(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default()).min(LOCK_DELAY_MAX)
}
