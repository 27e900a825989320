//! The past behind the page: the world's timeline, and what the page remembers at three places
//! of it: at the cursor for rows and cards, at the end of the branch for the event list, and as
//! far ahead as nobody acts for the lanes. Pure.

mod checkpoints;
mod edit;
mod undo;
use lictor_core::time::Instant;
use lictor_sim::journal::LoggedTimeline;
use lictor_sim::timeline::{BranchId, Position, Target, Timeline};
use lictor_sim::{Act, JournalEntry, SimEvent, World};

pub use self::edit::{ActInPast, EditError};

use self::checkpoints::Checkpoints;
use self::undo::UndoState;
use crate::history::{History, RowKeys};

/// So many steps ahead are looked at before it is asked whether there is time for more.
const STEPS_AHEAD: usize = 8;
/// What lies ahead is shown in about so many steps, where there is more than can be looked at.
const STEPS_SHOWN: u32 = 6;

/// A world with its past, and the page's memory of it.
pub struct TimeTravel {
    timeline: LoggedTimeline,
    /// The whole branch.
    full: History,
    /// The branch up to the cursor, while that is not its end.
    at_cursor: Option<History>,
    ahead: ForecastCache,
    checkpoints: Checkpoints,
    /// Where the visible past begins, by the number of moments before it.
    begin: u64,
    /// What was undone and can be redone.
    undo: Option<UndoState>,
}

/// What the lanes show: all that happened on the branch and, from its end on, what will happen if
/// nobody acts.
pub struct Forecast<'a> {
    pub record: &'a History,
    /// How far it reaches.
    pub until: Instant,
}

/// What was seen ahead.
struct ForecastCache {
    /// The whole branch and what comes after it; none where nothing was seen, or something else was
    /// done since.
    record: Option<History>,
    until: Instant,
    /// Whether there is nothing more to see of it.
    is_complete: bool,
}

/// What becomes of what was seen ahead, when it is looked at again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ForecastChange {
    /// It changes by what the record says that it touched.
    Extended,
    /// It is another one, or goes on to another place.
    Replaced,
}

impl TimeTravel {
    pub fn new(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::begin(timeline))
    }

    /// A past that was read from its log, which goes on.
    pub fn resume(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::resume(timeline))
    }

    fn of(timeline: LoggedTimeline) -> Self {
        let until = timeline.world().now();
        let mut past = Self {
            timeline,
            full: History::default(),
            at_cursor: None,
            ahead: ForecastCache { record: None, until, is_complete: false },
            checkpoints: Checkpoints::default(),
            begin: 0,
            undo: None,
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

    /// What is known at the cursor.
    pub fn history(&self) -> &History {
        self.at_cursor.as_ref().unwrap_or(&self.full)
    }

    /// What changed at the cursor since the last look.
    pub fn take_changed_rows(&mut self) -> RowKeys {
        self.at_cursor.as_mut().unwrap_or(&mut self.full).take_changed_rows()
    }

    /// What is known at the end of the branch.
    pub fn full_history(&self) -> &History {
        &self.full
    }

    /// What is known at the end of another branch.
    pub fn history_of(&self, branch: BranchId) -> Option<History> {
        let branch = self.timeline.branch(branch)?;
        let mut record = History::beginning(branch.beginning());
        branch
            .events(1..branch.end().event_number + 1)
            .iter()
            .for_each(|moment| record.fold(moment));
        Some(record)
    }

    pub fn forecast(&self) -> Forecast<'_> {
        match &self.ahead.record {
            Some(record) => Forecast { record, until: self.ahead.until },
            None => Forecast { record: &self.full, until: self.end() },
        }
    }

    /// Whether all was seen of what is to be seen ahead.
    pub fn is_forecast_complete(&self) -> bool {
        self.ahead.is_complete
    }

    /// What was written into the log since this was last asked.
    pub fn take_log(&mut self) -> String {
        self.timeline.take_lines()
    }

    /// The line of the log that leads to the cursor.
    pub fn cursor_line(&self) -> String {
        self.timeline.position_line()
    }

    /// Where the branch ends.
    pub fn end(&self) -> Instant {
        self.timeline.here().end().at
    }

    /// Does something at the cursor; in the past, on a branch of its own.
    pub fn perform(&mut self, act: Act) -> Vec<SimEvent> {
        let here = self.timeline.current();
        self.ahead.record = None;
        let moments = self.timeline.perform(act);
        if self.timeline.current() != here {
            self.begin_branch(moments.first().map(|moment| moment.number));
        }
        self.record_events(&moments);
        moments
    }

    /// Lets time pass; in the past, what happened happens again.
    pub fn advance(&mut self, to: Instant) -> Vec<SimEvent> {
        let moments = self.timeline.advance(to);
        self.record_events(&moments);
        moments
    }

    /// Where the visible past begins; the beginning where nothing was folded away.
    pub fn begin(&self) -> Instant {
        if self.begin > 0 { self.timeline.here().begin().at } else { Instant::EPOCH }
    }

    /// Forgets what is no longer visible, as the timeline has folded it away.
    fn forget(&mut self) {
        let begin = self.timeline.here().begin();
        if begin.event_number > self.begin {
            self.begin = begin.event_number;
            self.checkpoints.forget(begin);
            self.full.forget(begin.at);
            self.ahead.record = None;
        }
    }

    /// Goes to another place on the branch.
    pub fn seek(&mut self, target: Target) {
        let position = self.timeline.seek(target);
        self.ahead.record = None;
        let is_at_end = self.timeline.is_at_end();
        self.at_cursor = (!is_at_end).then(|| self.history_at(position.event_number));
    }

    /// Goes to the next event, if the branch has one.
    pub fn next_event(&mut self) -> bool {
        let next = self.full.events().get(self.history().events().len()).map(|row| row.moment);
        next.is_some_and(|moment| {
            self.seek(Target::SimEvent(moment));
            true
        })
    }

    /// Goes back to the end of the latest event before here, or to the beginning.
    pub fn previous_event(&mut self) {
        let here = self.timeline.position();
        let earlier =
            self.history().events().iter().rev().map(|row| row.moment).collect::<Vec<_>>();
        for moment in earlier {
            let there = self.timeline.seek(Target::SimEvent(moment));
            if there.at < here.at || there.event_number < here.event_number {
                return self.seek(Target::SimEvent(moment));
            }
        }
        self.first();
    }

    /// Goes to where the clients have joined and nothing has happened yet.
    pub fn first(&mut self) {
        let is_join = |act: &Act| matches!(act, Act::Join { .. });
        let joined = self.timeline.here().acts().take_while(|(_, entry)| is_join(&entry.act));
        let acts = joined.last().map_or(0, |(number, _)| number + 1);
        self.seek(Target::Acts(acts));
    }

    /// Goes to another branch. False if there is no such branch.
    pub fn switch(&mut self, branch: BranchId) -> bool {
        let is_there = self.timeline.switch(branch).is_some();
        if is_there {
            self.rebuild_histories();
        }
        is_there
    }

    /// Does what a script does after what is done already, and goes to a place of it. In the past
    /// that begins a branch of this name.
    pub fn play_script(&mut self, script: &[JournalEntry], until: Position, name: &str) {
        if !self.timeline.is_at_end() {
            self.timeline.fork(name.to_owned());
            self.begin_branch(None);
        }
        let done = self.timeline.position().acts;
        for entry in script.get(done..until.acts).unwrap_or_default() {
            self.advance(entry.at);
            self.perform(entry.act.clone());
        }
        self.advance(until.at);
    }

    /// Looks ahead up to a moment, from the end of the branch, for as long as there is time. What
    /// was seen ahead before happens as it was seen, so it is only looked further.
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

    /// Where it cannot be looked to the end it is looked on by whole steps, as all that has no end
    /// is drawn anew with each.
    fn extend_forecast_once(&mut self, record: &mut History, until: Instant) {
        let horizon = until.since(self.timeline.world().now());
        let forecast = self.timeline.look_ahead(horizon, STEPS_AHEAD);
        let (ahead, reached) = (&mut self.ahead, forecast.world().now().min(until));
        for moment in forecast.after(record.moments()).take_while(|it| it.at <= until) {
            record.fold(moment);
        }
        ahead.is_complete = forecast.is_complete();
        if reached == until || reached.since(ahead.until) > horizon / STEPS_SHOWN {
            ahead.until = reached.max(ahead.until);
        }
    }

    /// What changed in what is seen ahead since the last look.
    pub fn take_forecast_changed_rows(&mut self) -> RowKeys {
        self.ahead.record.as_mut().map(History::take_changed_rows).unwrap_or_default()
    }

    fn record_events(&mut self, moments: &[SimEvent]) {
        for moment in moments {
            if let Some(at_cursor) = &mut self.at_cursor {
                at_cursor.fold(moment);
            }
            if moment.number > self.full.moments() {
                self.full.fold(moment);
                self.checkpoints.take(&self.full);
            }
        }
        // Where time has come farther than was seen, that is of no more use.
        self.ahead.record.take_if(|seen| seen.moments() < self.full.moments());
        if self.at_cursor.is_some() && self.timeline.is_at_end() {
            let changed_rows =
                self.at_cursor.take().map(|mut at_cursor| at_cursor.take_changed_rows());
            self.full.set_changed_rows(changed_rows.unwrap_or_default());
        }
        self.forget();
    }

    /// What was the past up to the cursor is all there is of the new branch.
    fn begin_branch(&mut self, first: Option<u64>) {
        self.ahead.record = None;
        if let Some(at_cursor) = self.at_cursor.take() {
            self.full = at_cursor;
        }
        let first = first.unwrap_or(self.full.moments() + 1);
        self.checkpoints.cut(first);
    }

    /// Learns all of a branch that was not followed while it grew.
    fn rebuild_histories(&mut self) {
        self.checkpoints.cut(0);
        self.begin = self.timeline.here().begin().event_number;
        self.full = History::beginning(self.timeline.here().beginning());
        self.at_cursor = None;
        let end = self.timeline.here().end();
        for moment in self.timeline.here().events(1..end.event_number + 1) {
            self.full.fold(&moment);
            self.checkpoints.take(&self.full);
        }
        self.ahead.record = None;
        let here = self.timeline.position();
        if here != end {
            self.at_cursor = Some(self.history_at(here.event_number));
        }
    }

    /// The record as it was after so many moments.
    fn history_at(&self, moments: u64) -> History {
        let at_cursor = self.at_cursor.as_ref().filter(|record| record.moments() <= moments);
        let checkpoints = self.checkpoints.before(moments).max_by_key(|record| record.moments());
        let nearest =
            at_cursor.into_iter().chain(checkpoints).max_by_key(|record| record.moments());
        let begin = || History::beginning(self.timeline.here().beginning());
        let mut record = nearest.cloned().unwrap_or_else(begin);
        let missing = record.moments() + 1..moments + 1;
        let missing = self.timeline.here().events(missing);
        missing.iter().for_each(|moment| record.fold(moment));
        record
    }
}

#[cfg(test)]
mod tests;
