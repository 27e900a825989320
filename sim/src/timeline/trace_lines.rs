//! Events with their lines of the trace. A line names each session by its place in the order of
//! their creation, so the events before it are read first.

use alloc::string::String;
use alloc::vec::Vec;

use super::{BranchId, Timeline};
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::trace::{Names, TraceLine, TraceWriter, trace_of};

/// An event with its line; `None` for an event that has no line.
pub type EventWithLine = (SimEvent, Option<TraceLine>);

/// The lines of the events up to the cursor of one timeline. Events are read once, and from the
/// beginning again after a change of the branch, and for lines before the last event that was read.
#[derive(Debug)]
pub struct TraceLines {
    writer: TraceWriter,
    branch: BranchId,
    /// The number of the last event that was read.
    read: u64,
}

impl Default for TraceLines {
    fn default() -> Self {
        Self { writer: TraceWriter::default(), branch: BranchId::FIRST, read: 0 }
    }
}

impl TraceLines {
    /// The names of everything up to the cursor.
    pub fn names<F: Fold>(&mut self, timeline: &Timeline<F>) -> &Names {
        self.after(timeline, timeline.position().event_number);
        &self.writer.names
    }

    /// The events after the one of this number up to the cursor, with their lines. Events that are
    /// no longer kept are left out.
    pub fn after<F: Fold>(&mut self, timeline: &Timeline<F>, number: u64) -> Vec<EventWithLine> {
        if self.branch != timeline.current() || self.read > number {
            *self = Self { branch: timeline.current(), ..Self::default() };
        }
        self.read_to(timeline, number);
        self.read_to(timeline, timeline.position().event_number)
    }

    fn read_to<F: Fold>(&mut self, timeline: &Timeline<F>, number: u64) -> Vec<EventWithLine> {
        let events = timeline.here().events(self.read + 1..number + 1);
        self.read = self.read.max(number);
        with_lines(&mut self.writer, events)
    }
}

/// The events of a branch from its beginning, with their lines.
pub fn events_with_lines(events: Vec<SimEvent>) -> Vec<EventWithLine> {
    with_lines(&mut TraceWriter::default(), events)
}

fn with_lines(writer: &mut TraceWriter, events: Vec<SimEvent>) -> Vec<EventWithLine> {
    let with_line = |event: SimEvent| {
        let line = writer.lines_of(core::slice::from_ref(&event)).pop();
        (event, line)
    };
    events.into_iter().map(with_line).collect()
}

impl<F: Fold> Timeline<F> {
    /// The trace up to the cursor, one line for each event that has one. The same world gives the
    /// same text.
    pub fn trace(&self) -> String {
        trace_of(&self.here().events(1..self.position().event_number + 1))
    }
}
