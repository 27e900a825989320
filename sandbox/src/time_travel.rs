//! The world's timeline with three histories: at the cursor for rows and cards, at the end of the
//! branch for the event list, and with the forecast added for the lanes. Every change of the
//! timeline goes through [`TimeTravel`], which keeps the histories up to date. It is pure; the
//! page's controller owns one.

mod checkpoints;
mod edit;
mod undo;
use lictor_core::time::Instant;
use lictor_sim::journal::LoggedTimeline;
use lictor_sim::timeline::{BranchId, Position, SeekTarget, Timeline};
use lictor_sim::{Act, ActError, JournalEntry, SimEvent, World};

pub use self::edit::{ActInPast, EditError};

use self::checkpoints::Checkpoints;
use self::undo::{UndoState, UndoableEdit};
use lictor_sim::record::{Record, RowKeys};

/// The number of forecast steps between two checks of the time.
const STEPS_AHEAD: usize = 8;
/// The approximate number of times that a long forecast is shown extended.
const STEPS_SHOWN: u32 = 6;

/// A timeline and its histories.
pub struct TimeTravel {
    timeline: LoggedTimeline,
    /// The history of the whole branch.
    full: Record,
    /// The history up to the cursor; none if the cursor is at the end of the branch.
    at_cursor: Option<Record>,
    ahead: ForecastCache,
    checkpoints: Checkpoints,
    /// The number of events before the first visible one.
    begin: u64,
    /// The acts that were undone and can be redone.
    undo: Option<UndoState>,
    /// The edits of past acts, the latest last, and those of them that were undone.
    edits: Vec<UndoableEdit>,
    undone_edits: Vec<UndoableEdit>,
}

/// The history of the branch and, after its end, of the events that follow if no client acts.
pub struct Forecast<'a> {
    pub record: &'a Record,
    /// The end of the forecast.
    pub until: Instant,
}

/// The computed part of the forecast.
struct ForecastCache {
    /// The history of the branch with the forecast; none if nothing is computed or valid.
    record: Option<Record>,
    until: Instant,
    /// Whether it is complete.
    is_complete: bool,
}

/// The effect of extending a forecast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ForecastChange {
    /// Only the rows in its changed row keys have changed.
    Extended,
    /// It is another forecast, or has another end: everything has changed.
    Replaced,
}

impl TimeTravel {
    pub fn new(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::begin(timeline))
    }

    /// Continues a timeline that was read from its log.
    pub fn resume(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::resume(timeline))
    }

    fn of(timeline: LoggedTimeline) -> Self {
        let until = timeline.world().now();
        let mut past = Self {
            timeline,
            full: Record::default(),
            at_cursor: None,
            ahead: ForecastCache { record: None, until, is_complete: false },
            checkpoints: Checkpoints::default(),
            begin: 0,
            undo: None,
            edits: Vec::new(),
            undone_edits: Vec::new(),
        };
        past.rebuild_histories();
        past
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The history up to the cursor.
    pub fn history(&self) -> &Record {
        self.at_cursor.as_ref().unwrap_or(&self.full)
    }

    /// The rows at the cursor that changed since the last call.
    pub fn take_changed_rows(&mut self) -> RowKeys {
        self.at_cursor.as_mut().unwrap_or(&mut self.full).take_changed_rows()
    }

    /// The history of the whole branch.
    pub fn full_history(&self) -> &Record {
        &self.full
    }

    /// The history of a whole other branch.
    pub fn history_of(&self, branch: BranchId) -> Option<Record> {
        let branch = self.timeline.branch(branch)?;
        let mut record = Record::beginning(branch.beginning());
        branch.events(1..branch.end().event_number + 1).iter().for_each(|event| record.fold(event));
        Some(record)
    }

    pub fn forecast(&self) -> Forecast<'_> {
        match &self.ahead.record {
            Some(record) => Forecast { record, until: self.ahead.until },
            None => Forecast { record: &self.full, until: self.end() },
        }
    }

    /// Whether the forecast is complete.
    pub fn is_forecast_complete(&self) -> bool {
        self.ahead.is_complete
    }

    /// The lines that were written to the log since the last call.
    pub fn take_log(&mut self) -> String {
        self.timeline.take_lines()
    }

    /// The line of the log that moves a reader to the cursor.
    pub fn cursor_line(&self) -> String {
        self.timeline.position_line()
    }

    /// The time of the end of the branch.
    pub fn end(&self) -> Instant {
        self.timeline.here().end().at
    }

    /// Performs an act at the cursor. In the past this begins a branch.
    ///
    /// # Errors
    ///
    /// If the world refuses the act, nothing changes.
    pub fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        let here = self.timeline.current();
        let events = self.timeline.perform(act)?;
        self.ahead.record = None;
        if self.timeline.current() != here {
            self.begin_branch(events.first().map(|event| event.number));
        }
        self.record_events(&events);
        Ok(events)
    }

    /// Advances time. In the past the events of the branch are repeated.
    pub fn advance_to(&mut self, to: Instant) -> Vec<SimEvent> {
        let events = self.timeline.advance_to(to);
        self.record_events(&events);
        events
    }

    /// The time of the first visible event; the epoch if no events were dropped.
    pub fn begin(&self) -> Instant {
        if self.begin > 0 { self.timeline.here().begin().at } else { Instant::EPOCH }
    }

    /// Drops from the histories what the timeline has dropped.
    fn forget(&mut self) {
        let begin = self.timeline.here().begin();
        if begin.event_number > self.begin {
            self.begin = begin.event_number;
            self.checkpoints.forget(begin);
            self.full.forget(begin.at);
            self.ahead.record = None;
        }
    }

    /// Moves the cursor along the branch.
    pub fn seek(&mut self, target: SeekTarget) {
        let position = self.timeline.seek(target);
        self.ahead.record = None;
        let is_at_end = self.timeline.is_at_end();
        self.at_cursor = (!is_at_end).then(|| self.history_at(position.event_number));
    }

    /// Moves the cursor to the next event, and returns whether there is one.
    pub fn next_event(&mut self) -> bool {
        let next = self.full.events().get(self.history().events().len()).map(|row| row.event);
        next.is_some_and(|event| {
            self.seek(SeekTarget::SimEvent(event));
            true
        })
    }

    /// Moves the cursor back to the end of the event before it, or to the beginning.
    pub fn previous_event(&mut self) {
        let here = self.timeline.position();
        let earlier = self.history().events().iter().rev().map(|row| row.event).collect::<Vec<_>>();
        for event in earlier {
            let there = self.timeline.seek(SeekTarget::SimEvent(event));
            if there.at < here.at || there.event_number < here.event_number {
                return self.seek(SeekTarget::SimEvent(event));
            }
        }
        self.first();
    }

    /// Moves the cursor to the beginning, after the clients have joined.
    pub fn first(&mut self) {
        let is_join = |act: &Act| matches!(act, Act::Join { .. });
        let joined = self.timeline.here().acts().take_while(|(_, entry)| is_join(&entry.act));
        let acts = joined.last().map_or(0, |(number, _)| number + 1);
        self.seek(SeekTarget::Acts(acts));
    }

    /// Moves the cursor to another branch. False if it does not exist.
    pub fn switch(&mut self, branch: BranchId) -> bool {
        let is_there = self.timeline.switch(branch).is_some();
        if is_there {
            self.rebuild_histories();
        }
        is_there
    }

    /// Performs the acts of a script that come after those already performed, up to a position. In
    /// the past this begins a branch of this name. Acts that the world refuses are left out.
    pub fn play_script(&mut self, script: &[JournalEntry], until: Position, name: &str) {
        if !self.timeline.is_at_end() {
            self.timeline.fork(name.to_owned());
            self.begin_branch(None);
        }
        let done = self.timeline.position().acts;
        for entry in script.get(done..until.acts).unwrap_or_default() {
            self.advance_to(entry.at);
            drop(self.perform(entry.act.clone()));
        }
        self.advance_to(until.at);
    }

    /// Computes the forecast from the end of the branch up to a time, as long as `has_time` returns
    /// true. An earlier forecast stays valid while no client acts, so it is only extended.
    pub fn extend_forecast(
        &mut self,
        until: Instant,
        has_time: &dyn Fn() -> bool,
    ) -> ForecastChange {
        if until < self.ahead.until {
            self.ahead.record = None;
        }
        let is_new = self.ahead.record.is_none();
        if is_new {
            self.ahead.until = self.end().min(until);
        }
        let reached = self.ahead.until;
        let mut record = self.ahead.record.take().unwrap_or_else(|| self.full.clone());
        self.ahead.is_complete = self.at_cursor.is_some();
        while !self.ahead.is_complete {
            self.extend_forecast_once(&mut record, until);
            if !has_time() {
                break;
            }
        }
        self.ahead.record = Some(record);
        if is_new || self.ahead.until != reached {
            ForecastChange::Replaced
        } else {
            ForecastChange::Extended
        }
    }

    /// Computes some steps. A forecast that is not complete yet is shown extended only in large
    /// steps, because each extension redraws all open spans.
    fn extend_forecast_once(&mut self, record: &mut Record, until: Instant) {
        let horizon = until.since(self.timeline.world().now());
        let forecast = self.timeline.look_ahead(horizon, STEPS_AHEAD);
        let (ahead, reached) = (&mut self.ahead, forecast.world().now().min(until));
        for event in forecast.after(record.event_count()).take_while(|it| it.at <= until) {
            record.fold(event);
        }
        ahead.is_complete = forecast.is_complete();
        if reached == until || reached.since(ahead.until) > horizon / STEPS_SHOWN {
            ahead.until = reached.max(ahead.until);
        }
    }

    /// The rows of the forecast that changed since the last call.
    pub fn take_forecast_changed_rows(&mut self) -> RowKeys {
        self.ahead.record.as_mut().map(Record::take_changed_rows).unwrap_or_default()
    }

    fn record_events(&mut self, events: &[SimEvent]) {
        for event in events {
            if let Some(at_cursor) = &mut self.at_cursor {
                at_cursor.fold(event);
            }
            if event.number > self.full.event_count() {
                self.full.fold(event);
                self.checkpoints.take(&self.full);
            }
        }
        // A forecast that ends before the present is useless.
        self.ahead.record.take_if(|seen| seen.event_count() < self.full.event_count());
        if self.at_cursor.is_some() && self.timeline.is_at_end() {
            let changed_rows =
                self.at_cursor.take().map(|mut at_cursor| at_cursor.take_changed_rows());
            self.full.set_changed_rows(changed_rows.unwrap_or_default());
        }
        self.forget();
    }

    /// Makes the history up to the cursor that of the new branch.
    fn begin_branch(&mut self, first: Option<u64>) {
        self.ahead.record = None;
        if let Some(at_cursor) = self.at_cursor.take() {
            self.full = at_cursor;
        }
        let first = first.unwrap_or(self.full.event_count() + 1);
        self.checkpoints.cut(first);
    }

    /// Computes all histories of the current branch from its events.
    fn rebuild_histories(&mut self) {
        self.checkpoints.cut(0);
        self.begin = self.timeline.here().begin().event_number;
        self.full = Record::beginning(self.timeline.here().beginning());
        self.at_cursor = None;
        let end = self.timeline.here().end();
        for event in self.timeline.here().events(1..end.event_number + 1) {
            self.full.fold(&event);
            self.checkpoints.take(&self.full);
        }
        self.ahead.record = None;
        let here = self.timeline.position();
        if here != end {
            self.at_cursor = Some(self.history_at(here.event_number));
        }
    }

    /// The history after this number of events.
    fn history_at(&self, events: u64) -> Record {
        let at_cursor = self.at_cursor.as_ref().filter(|record| record.event_count() <= events);
        let checkpoints = self.checkpoints.before(events).max_by_key(|record| record.event_count());
        let nearest =
            at_cursor.into_iter().chain(checkpoints).max_by_key(|record| record.event_count());
        let begin = || Record::beginning(self.timeline.here().beginning());
        let mut record = nearest.cloned().unwrap_or_else(begin);
        let missing = record.event_count() + 1..events + 1;
        let missing = self.timeline.here().events(missing);
        missing.iter().for_each(|event| record.fold(event));
        record
    }
}

#[cfg(test)]
mod tests;
