//! The rule by which the user of a lock stops in time: it may act only while its lease runs, until
//! one TTL after the last create or renewal of its session that succeeded was *sent*.
//!
//! The server ends no session sooner, and keeps the key closed during the lock-delay after that. So
//! a client that loses its network stops before another one can begin. A reported loss ends the
//! lease at once. The JavaScript package runs it on real networks, the soak under faults.

use core::time::Duration;

use crate::report::Report;
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::time::Instant;

/// Whether the user of a lock may act, on the clock of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    ttl: Option<Duration>,
    ends: Option<Instant>,
    is_holding: bool,
}

impl Lease {
    /// The lease of a program that holds nothing yet. Without a TTL, or for a session that somebody
    /// else renews, only reports end it.
    pub fn new(ttl: Option<Duration>) -> Self {
        Self { ttl, ends: None, is_holding: false }
    }

    /// A request of the program was answered; `sent` is when it was sent.
    pub fn answered(&mut self, operation: &Operation, sent: Instant, response: &Response) {
        let proves_life = match operation {
            Operation::CreateSession(_) => matches!(response.answer, Answer::Created(_)),
            Operation::RenewSession(_) => matches!(response.answer, Answer::Renewed(_)),
            _ => false,
        };
        if let Some(ttl) = self.ttl.filter(|_| proves_life) {
            self.ends = Some(sent.plus(ttl));
        }
    }

    /// The program has reported something.
    pub fn reported(&mut self, report: &Report) {
        match report {
            Report::Acquired { .. } => self.is_holding = true,
            Report::Lost(_) | Report::Released | Report::ReleasedNothing => self.is_holding = false,
            // A session that is not renewed any more ends the lease by its time.
            _ => {}
        }
    }

    /// Ends it if its time is over, and returns whether that ended it now. Otherwise a renewal that
    /// succeeds later, for example after the host was suspended, would let its user act again.
    pub fn expire(&mut self, now: Instant) -> bool {
        let is_over = self.is_holding && !self.may_act(now);
        self.is_holding &= !is_over;
        is_over
    }

    /// Whether its user may act now.
    pub fn may_act(&self, now: Instant) -> bool {
        self.is_holding && self.ends.is_none_or(|ends| now < ends)
    }

    /// When it ends, unless the session is renewed.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.ends.filter(|_| self.is_holding)
    }
}
