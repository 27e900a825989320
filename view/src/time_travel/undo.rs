//! Undo and redo of acts, and of edits of past acts. Undo begins a branch without the last act, and
//! keeps the one that has it, so nothing is lost. Undoing ten acts in a row leaves one such branch,
//! not ten: each step replaces the branch of the step before. An edit, or an act in the past, has
//! begun a branch itself; undo goes back to the branch on which it was made.

use lictor_recipes::Order;
use lictor_sim::Act;
use lictor_sim::timeline::{BranchId, Position, SeekTarget};
use lictor_sim::trace::{Names, words_of};

use super::TimeTravel;

/// The acts that were undone, on the branch that still has them.
pub(super) struct UndoState {
    origin: BranchId,
    /// The position of the cursor before the first undo.
    position: Position,
    /// The branch without the undone acts.
    branch: BranchId,
    /// The number of acts of `branch`.
    acts: usize,
}

/// A change of the past, which began a branch: an edit of an act, or a new act.
#[derive(Clone, Copy)]
pub(super) struct UndoableEdit {
    origin: BranchId,
    /// The position of the cursor on `origin`, before the change.
    before: Position,
    /// The branch that the change began.
    branch: BranchId,
    /// The position of the cursor on `branch`, after the change.
    after: Position,
    /// The numbers of acts of `origin` and of `branch` right after the change.
    acts: (usize, usize),
}

impl TimeTravel {
    pub fn can_undo(&self) -> bool {
        self.last_edit().is_some() || self.undoable().is_some()
    }

    pub fn can_redo(&self) -> bool {
        self.redoable().is_some() || self.undone_edit().is_some()
    }

    /// Notes an edit that has just begun the current branch.
    pub(super) fn note_edit(&mut self, origin: BranchId, before: Position) {
        let branch = self.timeline.current();
        let count = |id| self.timeline.branch(id).map_or(0, |branch| branch.end().acts);
        let acts = (count(origin), count(branch));
        let after = self.timeline.position();
        self.edits.push(UndoableEdit { origin, before, branch, after, acts });
        self.undone_edits.clear();
    }

    /// The latest edit, if no act was performed since, or all such acts are undone.
    fn last_edit(&self) -> Option<&UndoableEdit> {
        let undone = self.undone().map(|state| (state.origin, state.acts));
        let current = self.timeline.current();
        let here = undone.unwrap_or_else(|| (current, self.timeline.here().end().acts));
        let is_here = |edit: &&UndoableEdit| {
            (edit.branch, edit.acts.1) == here && self.timeline.branch(edit.origin).is_some()
        };
        self.edits.last().filter(is_here)
    }

    /// The edit that was undone last, if no act was performed since.
    fn undone_edit(&self) -> Option<&UndoableEdit> {
        let here = (self.timeline.current(), self.timeline.here().end().acts);
        let is_here = |edit: &&UndoableEdit| {
            (edit.origin, edit.acts.0) == here && self.timeline.branch(edit.branch).is_some()
        };
        self.undone_edits.last().filter(is_here)
    }

    fn undo_edit(&mut self) -> bool {
        let Some(edit) = self.last_edit().copied() else { return false };
        let without_later_acts = self.undone().map(|state| state.branch);
        self.edits.pop();
        self.undone_edits.push(edit);
        self.timeline.switch(edit.origin);
        if let Some(branch) = without_later_acts {
            self.timeline.remove(branch);
        }
        self.timeline.seek(SeekTarget::Position(edit.before));
        self.forecast_until = None;
        true
    }

    fn redo_edit(&mut self) -> bool {
        let Some(edit) = self.undone_edit().copied() else { return false };
        self.undone_edits.pop();
        self.edits.push(edit);
        self.timeline.switch(edit.branch);
        // Acts after the edit that were undone remain undone.
        if let Some(state) = self.undo.take_if(|state| state.origin == edit.branch) {
            self.leave_for(state.origin, state.position, (state.acts, None));
        }
        self.timeline.seek(SeekTarget::Position(edit.after));
        self.forecast_until = None;
        true
    }

    /// The act that undo removes unless it undoes an edit: the last one before the cursor. `None`
    /// if only joins of clients precede the cursor.
    fn undoable(&self) -> Option<&Act> {
        let number = self.timeline.position().acts.checked_sub(1)?;
        let branch = self.timeline.here();
        let is_setup = |(index, entry): (usize, &lictor_sim::JournalEntry)| {
            index > number || matches!(entry.act, Act::Join { .. })
        };
        let act = &branch.act(number)?.act;
        (!branch.acts().all(is_setup)).then_some(act)
    }

    /// The act that redo performs again; `None` if it redoes an edit or nothing.
    fn redoable(&self) -> Option<&Act> {
        let state = self.undone()?;
        Some(&self.timeline.branch(state.origin)?.act(state.acts)?.act)
    }

    /// Undoes the latest edit or act. The start of a program that was added at the same time is
    /// undone with the addition, because one command does both. False if there is nothing to undo.
    pub fn undo(&mut self) -> bool {
        if self.undo_edit() {
            return true;
        }
        let acts = self.timeline.position().acts;
        let branch = self.timeline.current();
        let is_pair = acts.checked_sub(2).is_some_and(|first| self.is_pair(branch, first));
        // In the past, the addition has begun the branch, so it is undone as an edit.
        self.undo_act() && (!is_pair || self.undo_edit() || self.undo_act())
    }

    /// Redoes what was undone last, and with the addition of a program its start. False if there is
    /// none, or if another act was performed since.
    pub fn redo(&mut self) -> bool {
        if !self.redo_one() {
            return false;
        }
        let next = self.undone().and_then(|state| Some((state.origin, state.acts.checked_sub(1)?)));
        let is_pair = next.is_some_and(|(origin, last)| self.is_pair(origin, last));
        !is_pair || self.redo_one()
    }

    /// Whether an act of a branch adds a program that the next act starts at the same time.
    fn is_pair(&self, branch: BranchId, first: usize) -> bool {
        let act = |number| self.timeline.branch(branch)?.act(number);
        let (Some(added), Some(started)) = (act(first), act(first + 1)) else { return false };
        match (&added.act, &started.act) {
            (Act::Spawn { program, .. }, Act::Order { program: other, order: Order::Start }) => {
                program == other && added.at == started.at
            }
            _ => false,
        }
    }

    /// Goes to the time of the last act before the cursor, on a branch without this act. False if
    /// there is none.
    fn undo_act(&mut self) -> bool {
        if self.undoable().is_none() {
            return false;
        }
        let position = self.timeline.position();
        let (origin, end, before) = match self.undone() {
            Some(state) => (state.origin, state.position, Some(state.branch)),
            None => (self.timeline.current(), position, None),
        };
        self.leave_for(origin, end, (position.acts - 1, before));
        true
    }

    /// Redoes the act or edit that was undone last. False if there is none, or if another act was
    /// performed since.
    fn redo_one(&mut self) -> bool {
        let Some(state) = self.undone() else { return self.redo_edit() };
        let (origin, end, acts) = (state.origin, state.position, state.acts + 1);
        let before = state.branch;
        if acts < end.acts {
            self.leave_for(origin, end, (acts, Some(before)));
            return true;
        }
        self.timeline.switch(origin);
        self.timeline.seek(SeekTarget::Position(end));
        self.timeline.remove(before);
        self.undo = None;
        self.forecast_until = None;
        true
    }

    /// The undone acts, if no other act was performed since.
    fn undone(&self) -> Option<&UndoState> {
        let is_here = |state: &&UndoState| {
            let branch = self.timeline.here();
            self.timeline.current() == state.branch
                && branch.end().acts == state.acts
                && self.timeline.branch(state.origin).is_some()
        };
        self.undo.as_ref().filter(is_here)
    }

    /// Begins a branch with the first `acts` acts of `origin`, and removes `before`, the branch of
    /// the last undo or redo.
    fn leave_for(
        &mut self,
        origin: BranchId,
        position: Position,
        (acts, before): (usize, Option<BranchId>),
    ) {
        self.timeline.switch(origin);
        let next = self.timeline.here().act(acts).cloned();
        if let Some(next) = next {
            let target = Position { at: next.at, acts, ..Position::default() };
            self.timeline.seek(SeekTarget::Position(target));
            self.timeline.fork(words_of(&next.act, &Names::default()));
        }
        let branch = self.timeline.current();
        if let Some(before) = before {
            self.timeline.remove(before);
        }
        self.undo = Some(UndoState { origin, position, branch, acts });
        self.forecast_until = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::BranchTitle;
    use crate::rows::branches;
    use lictor_core::time::Instant;
    use lictor_sim::journal::Log;
    use lictor_sim::record::Record;
    use lictor_sim::timeline::Timeline;

    /// A branch of 10 s in which web-1 writes the keys a, b and c at 1, 2 and 3 s.
    fn past() -> TimeTravel {
        let acts =
            [(1_000, "web-1", "put a"), (2_000, "web-1", "put b"), (3_000, "web-1", "put c")];
        TimeTravel::after(&acts, 10_000)
    }

    fn put(past: &mut TimeTravel, key: &str) {
        past.perform_words("web-1", &format!("put {key}"));
    }

    /// Adds a program to the client `web-1` and starts it, as the page does at once.
    fn start_lock(past: &mut TimeTravel, command: &str) {
        past.perform_words("web-1", &format!("spawns p consul-lock zed command=\"{command}\""));
        past.perform_words("web-1", "orders p start");
    }

    /// The act that redo performs again, in words.
    fn redone(past: &TimeTravel) -> Option<String> {
        past.redoable().map(|act| words_of(act, &Names::default()))
    }

    fn keys(past: &TimeTravel) -> String {
        let keys = past.world().store().kv().with_prefix("");
        keys.map(|entry| entry.key.as_str().to_owned()).collect()
    }

    fn rows(history: &Record) -> usize {
        history.events().len()
    }

    #[test]
    fn undo_removes_acts_one_by_one_and_redo_restores_them() {
        let mut past = past();
        let (end, all) = (past.timeline().position(), rows(past.record_at_end()));
        for (kept, second) in [("ab", 3), ("a", 2), ("", 1)] {
            assert!(past.undo());
            assert_eq!(keys(&past), kept);
            assert_eq!(past.world().now(), Instant::from_millis(second * 1_000));
            assert!(past.timeline().is_at_end(), "the undone act is not ahead");
            assert_eq!(past.timeline().branches().count(), 2);
        }
        assert!(!past.undo(), "the client stays");
        assert_eq!(past.undoable(), None);
        for kept in ["a", "ab", "abc"] {
            assert!(past.redo());
            assert_eq!(keys(&past), kept);
        }
        assert_eq!((past.timeline().position(), rows(past.record_at_end())), (end, all));
        assert_eq!(past.timeline().branches().count(), 1);
        assert!(!past.redo());
    }

    #[test]
    fn an_act_after_undo_ends_redo_and_can_be_undone() {
        let mut past = past();
        past.undo();
        assert_eq!(redone(&past).as_deref(), Some("put c"));
        put(&mut past, "d");
        assert_eq!((redone(&past), keys(&past).as_str()), (None, "abd"));
        assert!(!past.redo());
        assert!(past.undo());
        assert_eq!(keys(&past), "ab");
        assert!(past.redo());
        assert_eq!(keys(&past), "abd");
        assert_eq!(past.timeline().branches().count(), 2, "the first branch stays");
    }

    #[test]
    fn undo_of_an_act_in_the_past_goes_back_to_the_branch_on_which_it_was_made() {
        let mut past = past();
        let first = past.timeline().current();
        past.seek(SeekTarget::Time(Instant::from_millis(2_500)));
        let before = past.timeline().position();
        put(&mut past, "d");
        put(&mut past, "e");
        assert_eq!((keys(&past).as_str(), past.timeline().branches().count()), ("abde", 2));
        assert!(past.undo());
        assert_eq!(keys(&past), "abd");
        assert!(past.undo());
        assert_eq!((past.timeline().current(), past.timeline().position()), (first, before));
        assert_eq!(keys(&past), "ab");
        assert!(!past.timeline().is_at_end(), "what was done later is ahead again");
        assert_eq!(past.timeline().branches().count(), 2);
        assert!(past.redo());
        assert_eq!(keys(&past), "abd");
        assert!(past.redo());
        assert_eq!((keys(&past).as_str(), past.timeline().branches().count()), ("abde", 2));
    }

    #[test]
    fn a_program_that_was_added_and_started_at_once_is_undone_at_once() {
        let mut past = past();
        start_lock(&mut past, "sleep 5");
        assert_eq!(past.world().programs().count(), 1);
        assert!(past.undo());
        assert_eq!((past.world().programs().count(), keys(&past).as_str()), (0, "abc"));
        let title = branches(past.timeline(), past.record()).all.pop().map(|it| it.title);
        let Some(BranchTitle::Without(summary)) = title else { panic!("{title:?}") };
        assert_eq!(summary.actor.as_deref(), Some("web-1"));
        assert!(past.redo());
        assert_eq!(past.world().programs().count(), 1);
        assert!(past.world().store().kv().get("zed/.lock").is_some(), "it runs");
        assert!(!past.redo());
        assert!(past.undo() && past.undo());
        assert_eq!(keys(&past), "ab");
    }

    #[test]
    fn an_undone_edit_leaves_a_program_that_was_added_and_started_before() {
        let mut past = TimeTravel::after(&[(0, "web-1", "put a")], 10_000);
        start_lock(&mut past, "sleep 50");
        let (first, number) = (past.timeline().current(), past.act_at_cursor().expect("an act"));
        assert_eq!(past.act(number - 2).map(|act| act.words).as_deref(), Some("put a"));
        past.edit_act(number - 2, (Instant::EPOCH, "put b value=1")).expect("it is possible");
        let edited = past.timeline().current();
        assert_ne!(edited, first);
        assert!(past.undo());
        assert_eq!(past.timeline().current(), first);
        assert!(past.timeline().is_at_end(), "nothing else is undone");
        assert!(past.redo());
        assert_eq!(past.timeline().current(), edited);
    }

    #[test]
    fn a_program_that_was_added_and_started_in_the_past_is_undone_and_redone_at_once() {
        let mut past = past();
        let first = past.timeline().current();
        past.seek(SeekTarget::Time(Instant::from_millis(2_500)));
        start_lock(&mut past, "sleep 5");
        assert!(past.undo());
        assert_eq!(past.timeline().current(), first);
        assert!(past.redo());
        assert!(past.world().store().kv().get("zed/.lock").is_some(), "it runs");
        assert!(!past.redo());
    }

    #[test]
    fn undone_acts_stay_undone_after_a_reload() {
        let mut past = past();
        past.undo();
        past.undo();
        let log = past.take_log() + &past.cursor_line();
        let timeline: Timeline = Log::read(&log).expect("it is whole");
        assert_eq!(timeline.world(), past.world());
        assert_eq!(timeline.branches().count(), 2);
    }
}
