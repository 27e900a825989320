//! What an axis marks: the entries of the server's log, and the times of acquires, session ends,
//! lock-delays and faults, each kind in order of time.

use lictor_core::id::Index;
use lictor_core::time::Instant;

use super::chunked_log::ChunkedLog;

/// One entry of the server's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntryMark {
    /// When it was made.
    pub at: Instant,
    /// Its index.
    pub index: Index,
}

/// The times that the scrubber marks.
#[derive(Clone, Debug, Default)]
pub struct TimelineMarks {
    /// The lock-delays, from start to end.
    pub delays: ChunkedLog<(Instant, Instant)>,
    /// When a lock was acquired.
    pub acquired: ChunkedLog<Instant>,
    /// When a session ended.
    pub ended: ChunkedLog<Instant>,
    /// When a fault began.
    pub faults: ChunkedLog<Instant>,
}

impl TimelineMarks {
    /// Drops entries from before a time, gradually.
    pub(super) fn forget(&mut self, begin: Instant) {
        self.delays.forget(|(_, until)| *until < begin);
        for times in self.times() {
            times.forget(|at| *at < begin);
        }
    }

    pub(super) fn drop_forgotten(&mut self) {
        self.delays.drop_forgotten(usize::MAX);
        for times in self.times() {
            times.drop_forgotten(usize::MAX);
        }
    }

    pub(super) fn weight(&self) -> usize {
        let times = [&self.acquired, &self.ended, &self.faults];
        self.delays.weight() + times.into_iter().map(ChunkedLog::weight).sum::<usize>()
    }

    fn times(&mut self) -> [&mut ChunkedLog<Instant>; 3] {
        [&mut self.acquired, &mut self.ended, &mut self.faults]
    }
}
