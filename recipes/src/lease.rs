//! The rule by which the user of a lock stops in time: it may act only while its lease runs, until
//! one TTL after the last create or renewal of its session that succeeded was *sent*.
//!
//! With `OnFailure::Repeat` it also ends one TTL after the last read was sent that showed the lock
//! as held. The server ends no session sooner, and then nobody can acquire the key for the
//! lock-delay. So the lease of a client that loses its network ends before another one can begin.
//! An order to stop, or a loss that the program notices, ends the lease at once. A lease that has
//! ended does not run again until the program has acquired the lock again.

use core::time::Duration;

use lictor_core::duration;
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

/// Whether the user of a lock may act, on the clock of its host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The TTL of the session; `None` without a session, for a session without a TTL, and for one
    /// of the caller.
    ttl: Option<Duration>,
    /// One TTL after the last create or renewal was sent; `None` without a TTL.
    ends: Option<Instant>,
    /// Until when the last proof that the lock is held counts. `None` if no proof is needed.
    proved_until: Option<Instant>,
    state: LeaseState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum LeaseState {
    /// The program does not believe that it holds the lock.
    #[default]
    NotHeld,
    Runs,
    /// The program may still believe that it holds the lock.
    Ended,
}

impl Lease {
    /// Handles an answer to a request of the program; `sent` is when the request was sent.
    pub(crate) fn answered(&mut self, operation: &Operation, sent: Instant, response: &Response) {
        match (operation, &response.answer) {
            (Operation::CreateSession(draft), Answer::Created(_)) => {
                let nanos = duration::parse(&draft.ttl).unwrap_or_default();
                let nanos = u64::try_from(nanos).unwrap_or_default();
                self.ttl = (nanos > 0).then(|| Duration::from_nanos(nanos));
            }
            (Operation::RenewSession(_), Answer::Renewed(_)) => {}
            _ => return,
        }
        self.ends = self.ttl.map(|ttl| sent.plus(ttl));
    }

    /// Handles an answer which proves that the lock was held after `sent`, when its request was
    /// sent. From now on another proof is needed within this span after it.
    pub(crate) fn confirm(&mut self, sent: Instant, within: Duration) {
        let until = sent.plus(within);
        self.proved_until = Some(self.proved_until.map_or(until, |known| known.max(until)));
    }

    /// Follows a step of the program, after which it believes that it holds the lock, or not.
    pub(crate) fn follow(&mut self, is_believer: bool) {
        self.state = match (self.state, is_believer) {
            (_, false) => LeaseState::NotHeld,
            (LeaseState::NotHeld, true) => LeaseState::Runs,
            (state, true) => state,
        };
        if !is_believer {
            self.proved_until = None;
        }
    }

    /// Ends the lease, whatever the program believes.
    pub(crate) fn end(&mut self) {
        if self.state == LeaseState::Runs {
            self.state = LeaseState::Ended;
        }
    }

    /// Ends the lease if its time is over, and returns whether this ended it. Without this, a
    /// renewal that succeeds later, for example after the host was suspended, would start it again.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let is_over = self.state == LeaseState::Runs && !self.may_act(now);
        if is_over {
            self.end();
        }
        is_over
    }

    /// Whether its user may act now.
    pub(crate) fn may_act(&self, now: Instant) -> bool {
        self.state == LeaseState::Runs && self.ends().is_none_or(|ends| now < ends)
    }

    /// When the lease ends unless an answer extends it. `None` if it does not run or has no end.
    pub(crate) fn ends(&self) -> Option<Instant> {
        let ends = self.ends.into_iter().chain(self.proved_until).min();
        ends.filter(|_| self.state == LeaseState::Runs)
    }
}
