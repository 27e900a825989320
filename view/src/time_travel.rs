//! The timeline of a page with its record, its forecast, undo and the log. Every change of the
//! timeline goes through [`TimeTravel`].

mod edit;
mod undo;

use lictor_core::time::Instant;
use lictor_sim::journal::LoggedTimeline;
use lictor_sim::record::{Record, RowKeys};
use lictor_sim::timeline::{self as sim, BranchId, Position, SeekTarget, Timeline};
use lictor_sim::{Act, ActError, JournalEntry, SimEvent, World};

pub use self::edit::{ActInPast, EditError};

use self::undo::{UndoState, UndoableEdit};
use crate::rows::WorldView;

/// The number of steps of a forecast between two checks of the time.
const STEPS_AHEAD: usize = 8;
/// The approximate number of parts in which a long forecast is shown.
const STEPS_SHOWN: u32 = 6;

/// A timeline with its log, and what can be undone.
pub struct TimeTravel {
    timeline: LoggedTimeline<Record>,
    /// The end of the forecast that is shown; `None` before one is computed.
    forecast_until: Option<Instant>,
    /// Whether the forecast was replaced since its change was last taken.
    is_forecast_replaced: bool,
    /// The acts that were undone and can be redone.
    undo: Option<UndoState>,
    /// The changes of the past that can be undone, the latest last.
    edits: Vec<UndoableEdit>,
    /// The changes of the past that were undone, the latest last.
    undone_edits: Vec<UndoableEdit>,
}

/// The future that the page shows: at the end of the branch, the events that follow if no client
/// acts; in the past, the recorded rest of the branch.
pub struct Forecast<'a> {
    /// The record of the branch and of this future.
    pub record: &'a Record,
    /// The end of the forecast.
    pub until: Instant,
}

/// What has changed in a forecast.
#[derive(Debug, PartialEq, Eq)]
pub enum ForecastChange {
    /// Only these rows.
    Extended(RowKeys),
    /// It is another forecast, or has another end: everything has changed.
    Replaced,
}

impl TimeTravel {
    pub fn new(timeline: Timeline<Record>) -> Self {
        Self::of(LoggedTimeline::begin(timeline))
    }

    /// Continues a timeline that was read from its log.
    pub fn resume(timeline: Timeline<Record>) -> Self {
        Self::of(LoggedTimeline::resume(timeline))
    }

    /// The sandbox after these acts, each with its time in milliseconds and its client, up to a
    /// time.
    #[cfg(test)]
    pub(crate) fn after(acts: &[(u64, &str, &str)], until: u64) -> Self {
        let mut past =
            Self::new(crate::fresh_world::sandbox(lictor_core::ConsulVersion::default()));
        for (at, actor, words) in acts {
            past.advance_to(Instant::from_millis(*at));
            past.perform_words(actor, words);
        }
        past.advance_to(Instant::from_millis(until));
        past
    }

    /// Performs an act in the words of the line language.
    #[cfg(test)]
    pub(crate) fn perform_words(&mut self, actor: &str, words: &str) {
        let names = self.record().session_names();
        let act = lictor_sim::trace::act_of(actor, words, &names).expect(words);
        self.perform(act).expect(words);
    }

    fn of(timeline: LoggedTimeline<Record>) -> Self {
        Self {
            timeline,
            forecast_until: None,
            is_forecast_replaced: false,
            undo: None,
            edits: Vec::new(),
            undone_edits: Vec::new(),
        }
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    pub fn timeline(&self) -> &Timeline<Record> {
        &self.timeline
    }

    /// The record up to the cursor.
    pub fn record(&self) -> &Record {
        self.timeline.record()
    }

    /// The world at the cursor with its record.
    pub fn view(&self) -> WorldView<'_> {
        WorldView { world: self.world(), record: self.record() }
    }

    /// The record of the whole branch.
    pub fn record_at_end(&self) -> &Record {
        self.timeline.record_at_end()
    }

    /// The rows at the cursor that changed since the last call.
    pub fn take_changed_rows(&mut self) -> RowKeys {
        self.timeline.records_mut().0.take_changed_rows()
    }

    /// The future at the cursor, as far as it is computed.
    pub fn forecast(&self) -> Forecast<'_> {
        let until = self.forecast_until.unwrap_or(self.end());
        match self.timeline.forecast() {
            Some(forecast) => Forecast { record: forecast.record(), until },
            None => Forecast { record: self.record_at_end(), until },
        }
    }

    /// The events of the forecast in order: none in the past, or before it is computed.
    pub fn events_ahead(&self) -> impl Iterator<Item = &SimEvent> {
        let (now, until) = (self.timeline.world().now(), self.forecast().until);
        let events = self.timeline.forecast().into_iter().flat_map(sim::Forecast::events);
        events.filter(move |event| event.at > now && event.at <= until)
    }

    /// Whether the forecast is complete. In the past, the branch is its own future.
    pub fn is_forecast_complete(&self) -> bool {
        let is_complete = self.timeline.forecast().is_some_and(sim::Forecast::is_complete);
        is_complete || !self.timeline.is_at_end()
    }

    /// The lines that were written to the log since the last call.
    pub fn take_log(&mut self) -> String {
        self.timeline.take_lines()
    }

    /// The line of the log that stores the position of the cursor.
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
        let (here, before) = (self.timeline.current(), self.timeline.position());
        let events = self.timeline.perform(act)?;
        self.forecast_until = None;
        if self.timeline.current() != here {
            self.note_edit(here, before);
        }
        Ok(events)
    }

    /// Advances time. In the past the events of the branch are repeated.
    pub fn advance_to(&mut self, to: Instant) -> Vec<SimEvent> {
        self.timeline.advance_to(to)
    }

    /// The time of the first event that is still kept; the epoch if no events were dropped.
    pub fn begin(&self) -> Instant {
        let begin = self.timeline.here().begin();
        if begin.event_number > 0 { begin.at } else { Instant::EPOCH }
    }

    /// Moves the cursor along the branch.
    pub fn seek(&mut self, target: SeekTarget) {
        self.timeline.seek(target);
        self.forecast_until = None;
    }

    /// Moves the cursor to the next event, and returns whether there is one.
    pub fn next_event(&mut self) -> bool {
        let next = self.record_at_end().events().get(self.record().events().len());
        let Some(event) = next.map(|row| row.event) else { return false };
        self.seek(SeekTarget::SimEvent(event));
        true
    }

    /// Moves the cursor back to the event before it, or to the beginning if there is none.
    pub fn previous_event(&mut self) {
        let here = self.timeline.position();
        let events = self.record().events().clone();
        for row in events.iter().rev() {
            self.seek(SeekTarget::SimEvent(row.event));
            let there = self.timeline.position();
            if there.at < here.at || there.event_number < here.event_number {
                return;
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

    /// Moves the cursor to another branch. Returns false if it does not exist.
    pub fn switch(&mut self, branch: BranchId) -> bool {
        self.forecast_until = None;
        self.timeline.switch(branch).is_some()
    }

    /// Performs the acts of a script up to a position, without the first ones, as many as the
    /// branch already has. In the past this begins a branch with this name. Acts that the world
    /// refuses are left out.
    pub fn play_script(&mut self, script: &[JournalEntry], until: Position, name: &str) {
        if !self.timeline.is_at_end() {
            self.timeline.fork(name.to_owned());
        }
        let done = self.timeline.position().acts;
        for entry in script.get(done..until.acts).unwrap_or_default() {
            self.advance_to(entry.at);
            drop(self.perform(entry.act.clone()));
        }
        self.advance_to(until.at);
    }

    /// Computes the forecast from the end of the branch up to a time, until `has_time` returns
    /// false. An earlier forecast stays valid while no client acts, so it is only extended.
    pub fn extend_forecast(&mut self, until: Instant, has_time: &dyn Fn() -> bool) {
        let is_at_end = self.timeline.is_at_end();
        let is_kept = !is_at_end || self.timeline.forecast().is_some();
        let reached = self.forecast_until.filter(|reached| is_kept && *reached <= until);
        self.forecast_until = reached.or(Some(self.end().min(until)));
        if is_at_end {
            self.extend_forecast_once(until);
            while !self.is_forecast_complete() && has_time() {
                self.extend_forecast_once(until);
            }
        }
        self.is_forecast_replaced |= reached.is_none() || self.forecast_until != reached;
    }

    /// Computes some steps of the forecast. The end that is shown moves only in large steps until
    /// the forecast is complete, because the page redraws all open spans each time.
    fn extend_forecast_once(&mut self, until: Instant) {
        let horizon = until.since(self.timeline.world().now());
        let forecast = self.timeline.look_ahead(horizon, STEPS_AHEAD);
        let (computed, shown) = (forecast.world().now(), self.forecast_until);
        let is_shown = forecast.is_complete()
            || shown.is_none_or(|shown| computed.since(shown) > horizon / STEPS_SHOWN);
        if is_shown {
            self.forecast_until = shown.max(Some(computed));
        }
    }

    /// What has changed in the forecast since the last call.
    pub fn take_forecast_change(&mut self) -> ForecastChange {
        let (_, forecast) = self.timeline.records_mut();
        let rows = forecast.map(Record::take_changed_rows).unwrap_or_default();
        match std::mem::take(&mut self.is_forecast_replaced) {
            true => ForecastChange::Replaced,
            false => ForecastChange::Extended(rows),
        }
    }
}

#[cfg(test)]
mod tests;
