//! What a person would want to find again on the line of time, each kind in the order of time.

use lictor_core::id::Index;
use lictor_core::time::Instant;

use super::chunked_log::ChunkedLog;

/// One entry of the server's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntryMark {
    pub at: Instant,
    pub index: Index,
}

#[derive(Clone, Debug, Default)]
pub struct TimelineMarks {
    /// From when to when a lock-delay kept everybody from a lock.
    pub delays: ChunkedLog<(Instant, Instant)>,
    /// When somebody came to hold a lock,
    pub acquired: ChunkedLog<Instant>,
    /// when a session ended,
    pub ended: ChunkedLog<Instant>,
    /// and when something went wrong.
    pub faults: ChunkedLog<Instant>,
}

impl TimelineMarks {
    /// Forgets what was over before a moment, little by little.
    pub(super) fn forget(&mut self, begin: Instant) {
        self.delays.forget(|(_, until)| *until < begin);
        for moments in self.moments() {
            moments.forget(|at| *at < begin);
        }
    }

    pub(super) fn drop_forgotten(&mut self) {
        self.delays.drop_forgotten(usize::MAX);
        for moments in self.moments() {
            moments.drop_forgotten(usize::MAX);
        }
    }

    fn moments(&mut self) -> [&mut ChunkedLog<Instant>; 3] {
        [&mut self.acquired, &mut self.ended, &mut self.faults]
    }
}
