//! Work under a lock: writes to the guarded resource at regular intervals. `consul_lock` and
//! `writer` use it while they hold.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::Due;
use lictor_core::time::Instant;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Work {
    /// Nothing where nothing is written.
    every: Option<Duration>,
    next: Option<Instant>,
    written: u64,
}

/// Work without a pause would write without end in one moment.
const EVERY_MIN: Duration = Duration::from_millis(1);

impl Work {
    pub(super) fn new(every: Option<Duration>) -> Self {
        Self { every: every.map(|every| every.max(EVERY_MIN)), next: None, written: 0 }
    }

    pub(super) fn every(&self) -> Option<Duration> {
        self.every
    }

    /// The first write is due now; nothing changes if it has begun before.
    pub(super) fn begin(&mut self, now: Instant) {
        if self.every.is_some() && self.next.is_none() {
            self.next = Some(now);
        }
    }

    pub(super) fn end(&mut self) {
        self.next = None;
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        self.next.map(|at| (at, Due::Write))
    }

    /// The number of the write that is due.
    pub(super) fn write(&mut self, now: Instant) -> u64 {
        self.next = self.every.map(|every| now.after(every));
        self.written += 1;
        self.written
    }
}
