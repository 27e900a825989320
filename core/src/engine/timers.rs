//! Everything that happens by itself when its time comes: the ends of sessions and lock-delays, the
//! answers of blocking queries, lapsing checks and the reaping of tombstones.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::deadlines::Deadlines;
use crate::duration;
use crate::error::Cause;
use crate::id::{Folded, Index, Key, RequestId, SessionId};
use crate::store::Session;
use crate::time::Instant;
use alloc::collections::BTreeMap;

/// The server ends a session when it was not renewed for this many times its TTL (TTL-01).
pub const TTL_GRACE: u32 = 2;
/// No lock-delay is longer, whatever the session says (DLY-03).
pub const LOCK_DELAY_MAX: Duration = Duration::from_secs(60);
/// How long a tombstone is kept (IDX-08).
pub const TOMBSTONE_TTL: Duration = Duration::from_secs(15 * 60);
/// Tombstones are reaped at multiples of this (IDX-08).
pub const TOMBSTONE_GRANULARITY: Duration = Duration::from_secs(30);

/// Why the engine will wake: one variant for each thing that can fall due.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Timer {
    /// The session was not renewed for twice its TTL.
    SessionTtl(SessionId),
    /// The key can be acquired again.
    LockDelay(Key),
    /// The blocking query has waited long enough.
    Parked(RequestId),
    /// An agent's check was not heard from for its TTL: node and check.
    CheckTtl(Folded, Folded),
    /// Old tombstones are forgotten.
    Reap,
}

/// A key that cannot be acquired for a while, and why (DLY-02).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockDelay {
    pub key: Key,
    pub armed_at: Instant,
    pub until: Instant,
    /// The log entry in which the session ended.
    pub index: Index,
    pub session: SessionId,
    pub cause: Cause,
}

/// The clock of a session with a TTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionClock {
    /// When it was created, last renewed, or taken over by a new leader (TTL-02).
    pub renewed: Instant,
    pub ttl: Duration,
    /// When the server ends it, unless it is renewed.
    pub ends: Instant,
}

/// The leader's clocks: every deadline with its reason. None of it is in the log (DLY-01, TTL-01).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Timers {
    pub(super) deadlines: Deadlines<Timer>,
    pub(super) delays: BTreeMap<Key, LockDelay>,
    /// The newest tombstone of each batch that is reaped together.
    batches: BTreeMap<Instant, Index>,
}

impl Timers {
    /// Starts or restarts the clock of a session, if it has a TTL (TTL-02, SES-35).
    pub(super) fn start_clock(&mut self, now: Instant, session: &Session) -> Option<SessionClock> {
        let ttl = ttl_of(session)?;
        let clock = SessionClock { renewed: now, ttl, ends: now.after(ttl * TTL_GRACE) };
        self.deadlines.set(Timer::SessionTtl(session.id), clock.ends);
        Some(clock)
    }

    /// The running clock of a session, read off its deadline.
    pub(super) fn clock(&self, session: &Session) -> Option<SessionClock> {
        let ttl = ttl_of(session)?;
        let ends = self.deadlines.get(&Timer::SessionTtl(session.id))?;
        Some(SessionClock { renewed: ends.before(ttl * TTL_GRACE), ttl, ends })
    }

    /// TTL-08: whatever ends a session takes its clock away.
    pub(super) fn stop_clock(&mut self, session: SessionId) {
        self.deadlines.clear(&Timer::SessionTtl(session));
    }

    /// DLY-02, DLY-03: arms a delay in place of any earlier one; none if the session asks for none.
    /// The timer of the earlier one goes on, and takes the new delay away with it (DLY-11).
    pub(super) fn arm_delay(&mut self, lock_delay: i64, delay: LockDelay) -> Option<&LockDelay> {
        let length = lock_delay_of(lock_delay)?;
        let key = delay.key.clone();
        let earlier = self.delays.get(&key).map(|earlier| earlier.until);
        let until = delay.armed_at.after(length);
        let until = earlier.map_or(until, |earlier| earlier.min(until));
        self.deadlines.set(Timer::LockDelay(key.clone()), until);
        self.delays.insert(key.clone(), LockDelay { until, ..delay });
        self.delays.get(&key)
    }

    /// Remembers that a tombstone was made, so that it is reaped in time.
    pub(super) fn hint_tombstone(&mut self, now: Instant, index: Index) {
        let at = now.after(TOMBSTONE_TTL).next_multiple(TOMBSTONE_GRANULARITY);
        self.batches.insert(at, index);
        self.arm_reaping();
    }

    /// The index up to which tombstones are now to be reaped.
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

    fn arm_reaping(&mut self) {
        if let Some((at, _)) = self.batches.iter().next() {
            self.deadlines.set(Timer::Reap, *at);
        }
    }
}

/// The TTL of a session; none when it is empty or zero (SES-14). Without one, and without checks,
/// only a call ends the session (SES-26).
fn ttl_of(session: &Session) -> Option<Duration> {
    let nanos = duration::parse(&session.ttl).ok()?;
    u64::try_from(nanos).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos)
}

/// The delay that a session's LockDelay amounts to; none when it is zero or negative (DLY-03).
fn lock_delay_of(nanos: i64) -> Option<Duration> {
    let nanos = u64::try_from(nanos).ok().filter(|nanos| *nanos > 0)?;
    Some(Duration::from_nanos(nanos).min(LOCK_DELAY_MAX))
}
