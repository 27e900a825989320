//! The work under a lock: when the next of the periodic writes to the guarded resource is due, and
//! which number it has.

use core::time::Duration;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::interface::Due;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The interval between two writes. `None` if there are no writes.
    every: Option<Duration>,
    /// When the next write is due; `None` while the lock is not held.
    next: Option<Instant>,
    written: u64,
}

/// The shortest interval, so that the number of writes at one time is finite.
const EVERY_MIN: Duration = Duration::from_millis(1);

impl Work {
    pub(crate) fn new(every: Option<Duration>) -> Self {
        Self { every: every.map(|every| every.max(EVERY_MIN)), next: None, written: 0 }
    }

    pub(crate) fn every(&self) -> Option<Duration> {
        self.every
    }

    /// Makes the first write due now, unless the work has already begun.
    pub(crate) fn begin(&mut self, now: Instant) {
        if self.every.is_some() && self.next.is_none() {
            self.next = Some(now);
        }
    }

    pub(crate) fn end(&mut self) {
        self.next = None;
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        self.next.map(|at| (at, Due::Write))
    }

    /// Counts the write that is due, schedules the next one and returns its number.
    pub(crate) fn write(&mut self, now: Instant) -> u64 {
        self.next = self.every.map(|every| now.plus(every));
        self.written += 1;
        self.written
    }
}
