//! Moves the cursor, to a time, to an event or to another branch, and undoes, edits and removes
//! acts of the past.

use core::time::Duration;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_desk::direction::Direction;
use lictor_desk::forms::act_form::{ActForm, ActFormError};
use lictor_sim::record::EventRow;
use lictor_sim::timeline::{BranchId, SeekTarget};
use lictor_view::rows::ActSummary;
use lictor_view::rows::act_summary;
use lictor_view::time_travel::{ActInPast, TimeTravel};

use super::controller::{Controller, Scope};

impl Controller {
    /// Advances virtual time, whether a question is open or not; does nothing if the time is past.
    pub fn run_to(self, at: Instant) {
        self.update(|inner| inner.has_events |= !inner.past.advance_to(at).is_empty());
        self.sync(Scope::Changes);
        self.jumped(self.now.get_untracked());
    }

    /// A time, or the end of the branch if the time is later and a question is open.
    pub(super) fn limited(self, at: Instant) -> Instant {
        let is_hidden = self.forecast_visibility.get_untracked().is_hidden();
        if is_hidden { at.min(self.read(|inner| inner.past.end())) } else { at }
    }

    /// Advances virtual time as far as a reader may: while a question is open, to the end of the
    /// branch.
    pub fn pass_to(self, at: Instant) {
        self.run_to(self.limited(at));
    }

    /// Goes to the next event; at the end of the branch to the next deadline, or to the end while
    /// a question is open.
    pub fn step(self) {
        if self.move_cursor(TimeTravel::next_event) {
            return;
        }
        if self.forecast_visibility.get_untracked().is_hidden() {
            return self.to_last();
        }
        let next = self.with_world(|world| world.next_deadline().map(|(at, _)| at));
        if let Some(at) = next {
            self.run_to(at);
        }
    }

    /// Goes to the previous event.
    pub fn step_back(self) {
        self.move_cursor(TimeTravel::previous_event);
    }

    /// Goes to the start.
    pub fn to_first(self) {
        self.move_cursor(TimeTravel::first);
    }

    /// Goes to the end of the branch.
    pub fn to_last(self) {
        self.move_cursor(|past| past.seek(SeekTarget::Time(past.end())));
    }

    /// Goes to a time of the past, at most to the end of the branch.
    pub fn seek(self, at: Instant) {
        self.move_cursor(|past| past.seek(SeekTarget::Time(at)));
    }

    /// Goes to a position of the branch.
    pub fn visit(self, target: SeekTarget) {
        self.move_cursor(|past| past.seek(target));
    }

    /// Goes to the event of a row of the event list.
    pub fn to_event(self, row: &EventRow) {
        let event = row.event;
        self.move_cursor(|past| past.seek(SeekTarget::SimEvent(event)));
    }

    /// Goes to the next row that reports a problem, or to the previous one; nowhere if there is
    /// none.
    pub fn to_problem(self, direction: Direction) {
        let found = self.read(|inner| {
            let past = &inner.past;
            let (mut events, here) =
                (past.record_at_end().events().iter(), past.record().events().len());
            match direction {
                Direction::Forward => events.find(|row| row.number > here && row.is_problem()),
                Direction::Back => events.rfind(|row| row.number < here && row.is_problem()),
            }
            .cloned()
        });
        if let Some(row) = found {
            self.to_event(&row);
        }
    }

    /// Goes to another branch, at the same time.
    pub fn switch(self, branch: BranchId) {
        self.pause();
        let is_there = self.update(|inner| inner.past.switch(branch));
        if is_there {
            self.leave_branch();
        }
    }

    /// Undoes the last act before the cursor.
    pub fn undo(self) {
        self.change_acts(TimeTravel::undo);
    }

    /// Redoes the act that was undone last.
    pub fn redo(self) {
        self.change_acts(TimeTravel::redo);
    }

    /// Whether there is an act to undo, and one to redo; subscribes.
    pub fn can_undo_and_redo(self) -> (bool, bool) {
        self.acts.track();
        self.store.branch.track();
        self.cursor.track();
        self.read(|inner| (inner.past.can_undo(), inner.past.can_redo()))
    }

    /// The latest act up to the cursor that can be edited; subscribes.
    pub fn act_at_cursor(self) -> Option<ActSummary> {
        self.world.track();
        self.acts.track();
        self.store.branch.track();
        self.read(|inner| summary_of(&inner.past, inner.past.act_at_cursor()?))
    }

    /// The form of the latest act up to the cursor that can be edited, and its summary.
    pub fn act_form_at_cursor(self) -> Option<(ActForm, ActSummary)> {
        self.read(|inner| act_form(&inner.past, inner.past.act(inner.past.act_at_cursor()?)?))
    }

    /// The act of a row of the event list as a form, and its summary; `None` if the row is no act.
    pub fn act_form_of_row(self, row: &EventRow) -> Option<(ActForm, ActSummary)> {
        self.read(|inner| act_form(&inner.past, inner.past.act_of_row(row)?))
    }

    /// Replaces an act of the past by that of a form, and performs the later acts again. Returns
    /// how many of those were left out as impossible. Fails if the form has an error.
    pub fn edit_act(self, form: &ActForm) -> Result<usize, ActFormError> {
        self.revise(|past| form.apply(past))
    }

    /// Removes an act of the past, with the result of [`Controller::edit_act`].
    pub fn remove_act(self, number: usize) -> Result<usize, ActFormError> {
        self.revise(|past| Ok(past.remove_act(number)?.left_out))
    }

    fn revise(
        self,
        change: impl FnOnce(&mut TimeTravel) -> Result<usize, ActFormError>,
    ) -> Result<usize, ActFormError> {
        self.pause();
        let left_out = self.update(|inner| change(&mut inner.past))?;
        self.leave_branch();
        Ok(left_out)
    }

    fn change_acts(self, change: impl FnOnce(&mut TimeTravel) -> bool) {
        self.pause();
        if self.update(|inner| change(&mut inner.past)) {
            self.leave_branch();
        }
    }

    /// Moves the cursor by seconds; beyond the end of the branch, time passes.
    pub fn move_by(self, seconds: f64) {
        let (now, span) = (self.now.get_untracked(), Duration::from_secs_f64(seconds.abs()));
        if seconds < 0.0 {
            self.seek(Instant::EPOCH.plus(now.since(Instant::EPOCH).saturating_sub(span)));
        } else {
            self.pass(span);
        }
    }

    /// Switches to a branch and changes the timeline there. Returns the current branch afterwards.
    pub fn follow(self, branch: BranchId, go: impl FnOnce(&mut TimeTravel)) -> BranchId {
        self.pause();
        let [before, after] = self.update(|inner| {
            let past = &mut inner.past;
            let before = past.timeline().current();
            if before != branch {
                past.switch(branch);
            }
            go(past);
            [before, past.timeline().current()]
        });
        if before == after {
            self.sync(Scope::Everything);
        } else {
            self.leave_branch();
        }
        after
    }

    fn move_cursor<T>(self, go: impl FnOnce(&mut TimeTravel) -> T) -> T {
        self.pause();
        let result = self.update(|inner| go(&mut inner.past));
        self.sync(Scope::Everything);
        result
    }
}

/// The form of an act of the past, and its summary.
fn act_form(past: &TimeTravel, act: ActInPast) -> Option<(ActForm, ActSummary)> {
    let summary = summary_of(past, act.number)?;
    Some((ActForm::new(act), summary))
}

fn summary_of(past: &TimeTravel, number: usize) -> Option<ActSummary> {
    let branch = past.timeline().here();
    Some(act_summary(branch.act(number)?, branch, past.record_at_end()))
}
