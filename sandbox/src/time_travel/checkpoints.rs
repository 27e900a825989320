//! Copies of the history at intervals, so that an earlier history need not be folded from the first
//! event. `TimeTravel` takes and uses them.

use lictor_sim::timeline::Position;

use lictor_sim::record::Record;

/// The number of events between two copies; it doubles when there are too many copies.
const SPACING: u64 = 512;
/// The largest number of copies.
const KEPT: usize = 8;

/// Copies of the history, each with the number of its last event.
pub(super) struct Checkpoints {
    copies: Vec<(u64, Record)>,
    spacing: u64,
}

impl Default for Checkpoints {
    fn default() -> Self {
        Self { copies: Vec::new(), spacing: SPACING }
    }
}

impl Checkpoints {
    /// Takes a copy, if the last one is old enough.
    pub(super) fn take(&mut self, record: &Record) {
        let last = self.copies.last().map_or(0, |(events, _)| *events);
        if record.event_count() < last + self.spacing {
            return;
        }
        self.copies.push((record.event_count(), record.clone()));
        if self.copies.len() > KEPT {
            // The first copy is kept: it may be the only one with the state before the visible
            // events.
            let mut place = 0;
            self.copies.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.spacing *= 2;
        }
    }

    /// Drops the copies from an event on.
    pub(super) fn cut(&mut self, event: u64) {
        self.copies.retain(|(events, _)| *events < event);
    }

    /// Keeps one copy from before the oldest kept event, and drops in all of them what ended before
    /// it.
    pub(super) fn forget(&mut self, begin: Position) {
        let old = self.copies.partition_point(|(of, _)| *of <= begin.event_number);
        self.copies.drain(..old.saturating_sub(1));
        for (_, record) in &mut self.copies {
            record.forget(begin.at);
            record.drop_forgotten();
        }
    }

    pub(super) fn before(&self, events: u64) -> impl Iterator<Item = &Record> {
        let is_before = move |(of, _): &&(u64, Record)| *of <= events;
        self.copies.iter().filter(is_before).map(|(_, record)| record)
    }
}
