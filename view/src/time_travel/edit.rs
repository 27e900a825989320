//! Edits an act of the past, moves it to another time, or removes it; the later acts are performed
//! again after it, on a new branch. Acts are written in the line language, with the page's names of
//! sessions.

use lictor_core::time::Instant;
use lictor_sim::record::EventRow;
use lictor_sim::timeline::{Revised, Revision, RevisionError};
use lictor_sim::trace::{Names, WordsError, act_of, actor_of, words_of};
use lictor_sim::{Act, ActError, JournalEntry};

use super::TimeTravel;

/// An act of the branch, as it can be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActInPast {
    /// Its number on the branch.
    pub number: usize,
    pub at: Instant,
    /// The actor that does it.
    pub actor: String,
    /// The act in words: `session ttl=20s delay=15s`.
    pub words: String,
}

/// Why an edit was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The branch has no act with this number.
    #[error("the act is no longer there")]
    NoSuchAct,
    /// Its new time is not on the branch, which begins and ends at these times.
    #[error("the time is not on the branch")]
    NoSuchTime { begin: Instant, end: Instant },
    /// The words are no act.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The act is not possible at its time.
    #[error(transparent)]
    Act(#[from] ActError),
}

impl From<RevisionError> for EditError {
    fn from(error: RevisionError) -> Self {
        match error {
            RevisionError::NoSuchAct => Self::NoSuchAct,
            RevisionError::NoSuchTime { begin, end } => Self::NoSuchTime { begin, end },
            RevisionError::Act(error) => Self::Act(error),
        }
    }
}

impl TimeTravel {
    /// The act that a row of the event list shows. `None` if it shows none, or one that is no
    /// longer kept.
    pub fn act_of_row(&self, row: &EventRow) -> Option<ActInPast> {
        self.act(self.timeline.here().acts_at_event(row.act?).checked_sub(1)?)
    }

    /// The number of the latest act up to the cursor that can be edited. Its row of the event list
    /// may follow the cursor: the row of a request is added when the request ends.
    pub fn act_at_cursor(&self) -> Option<usize> {
        let branch = self.timeline.here();
        let acts = (0..self.timeline.position().acts).rev();
        let mut kept = acts.map_while(|number| Some((number, branch.act(number)?)));
        kept.find(|(_, entry)| is_editable(&entry.act)).map(|(number, _)| number)
    }

    /// An act of the branch; `None` if it is no longer kept.
    pub fn act(&self, number: usize) -> Option<ActInPast> {
        let JournalEntry { at, act } = self.timeline.here().act(number)?;
        let (actor, words) = (actor_of(act).to_owned(), words_of(act, &self.names()));
        Some(ActInPast { number, at: *at, actor, words })
    }

    /// Removes an act and performs the later ones again on a new branch.
    pub fn remove_act(&mut self, number: usize) -> Result<Revised, EditError> {
        Ok(self.revise(Revision::Remove(number))?)
    }

    /// Replaces an act by another one of the same actor, or moves it to another time, and performs
    /// the later ones again on a new branch. `number` is that of [`ActInPast`].
    pub fn edit_act(
        &mut self,
        number: usize,
        (at, words): (Instant, &str),
    ) -> Result<Revised, EditError> {
        let entry = self.timeline.here().act(number).ok_or(EditError::NoSuchAct)?;
        let act = act_of(actor_of(&entry.act), words, &self.names())?;
        Ok(self.revise(Revision::Replace(number, JournalEntry { at, act }))?)
    }

    /// The names of sessions and of the server in this world, for the words of acts.
    fn names(&self) -> Names {
        self.record_at_end().session_names().with_server(self.timeline.world().config())
    }

    fn revise(&mut self, revision: Revision) -> Result<Revised, RevisionError> {
        let (origin, position) = (self.timeline.current(), self.timeline.position());
        let revised = self.timeline.revise(revision)?;
        self.note_edit(origin, position);
        self.forecast_until = None;
        Ok(revised)
    }
}

/// Whether the event list has rows of acts of this kind, which can be edited there.
const fn is_editable(act: &Act) -> bool {
    match act {
        Act::Request { .. }
        | Act::Failover
        | Act::Inject { .. }
        | Act::Repair { .. }
        | Act::Heal
        | Act::Order { .. } => true,
        Act::Join { .. }
        | Act::Cancel { .. }
        | Act::Advance { .. }
        | Act::Link { .. }
        | Act::Spawn { .. }
        | Act::Guard { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::language::Language;
    use crate::rows;
    use lictor_sim::Link;
    use lictor_sim::journal::Log;
    use lictor_sim::timeline::{BranchId, SeekTarget, Timeline};

    /// web-1 takes a lock and destroys its session at 5 s; web-2 is refused at 6 s.
    fn past() -> TimeTravel {
        let acts = [
            (0, "web-1", "session delay=15s"),
            (0, "web-2", "session"),
            (0, "web-1", "put a value=1 acquire=A"),
            (5_000, "web-1", "destroy A"),
            (6_000, "web-2", "put a value=2 acquire=B"),
        ];
        TimeTravel::after(&acts, 8_000)
    }

    /// The act of the last row of a call.
    fn act_of(past: &TimeTravel, call: &str) -> ActInPast {
        let words = rows::words(Language::English);
        let mut rows = past.record_at_end().events().iter();
        let row = rows.rfind(|row| words.call(&row.call) == call).expect("it has a row");
        past.act_of_row(row).expect("it is an act")
    }

    fn holder(past: &TimeTravel) -> Option<String> {
        let entry = past.world().store().kv().get("a")?;
        entry.holder().map(|holder| past.record().tag_of(holder).label.to_string())
    }

    #[test]
    fn an_act_is_edited_from_its_row_and_later_acts_follow() {
        let mut past = past();
        assert_eq!(holder(&past), None, "web-2 is in the lock-delay");
        let rows: Vec<_> = past.record_at_end().events().iter().cloned().collect();
        let act = rows.iter().find_map(|row| past.act_of_row(row)).expect("the first act");
        assert_eq!((act.actor.as_str(), act.words.as_str()), ("web-1", "session delay=15s"));
        past.edit_act(act.number, (act.at, "session delay=0s")).expect("it is possible");
        assert_eq!(past.world().now(), Instant::from_millis(8_000));
        assert_eq!(holder(&past).as_deref(), Some("B"));
        assert_eq!(past.timeline().branches().count(), 2);
        let log = past.take_log() + &past.cursor_line();
        let read: Timeline = Log::read(&log).expect("it is whole");
        assert_eq!(read.world(), past.world());
    }

    #[test]
    fn an_act_is_removed_from_its_row_and_later_acts_follow() {
        let mut past = past();
        let act = act_of(&past, "PUT session/destroy/A");
        assert_eq!(act.words, "destroy A");
        past.remove_act(act.number).expect("it is possible");
        assert_eq!(holder(&past).as_deref(), Some("A"), "its session exists");
    }

    #[test]
    fn edits_and_acts_are_undone_and_redone_in_their_order() {
        let mut past = past();
        let (end, edited) = (past.timeline().position(), BranchId::new(1));
        let first = act_of(&past, "PUT session/create").number - 1;
        past.edit_act(first, (Instant::EPOCH, "session delay=0s")).expect("it is possible");
        past.perform_words("web-2", "put b value=x");
        assert!(past.undo(), "the act is undone first");
        assert_eq!((holder(&past).as_deref(), past.can_redo()), (Some("B"), true));
        assert!(past.undo(), "then the edit");
        assert_eq!((past.timeline().position(), holder(&past)), (end, None));
        assert_eq!(past.timeline().current(), BranchId::FIRST);
        assert!(past.redo());
        assert_eq!((holder(&past).as_deref(), past.can_redo()), (Some("B"), true));
        assert_ne!(past.timeline().current(), edited, "the act stays undone");
        assert!(past.undo() && past.undo(), "then the acts before the edit");
        assert_eq!(past.timeline().position().acts, end.acts - 1);
        assert!(past.redo() && past.redo(), "both come back");
        assert_eq!((past.timeline().current(), holder(&past).as_deref()), (edited, Some("B")));
        past.perform_words("web-2", "put c value=x");
        assert!(!past.can_redo());
    }

    #[test]
    fn an_invalid_edit_is_an_error_and_changes_nothing() {
        let mut past = past();
        let act = act_of(&past, "PUT session/create");
        let world = past.world().clone();
        for (words, expected) in [
            ("put a cas=soon", "cas=\"soon\" is not a number"),
            ("dances", "unknown action \"dances\""),
            ("joins", "there is already a client called web-2"),
        ] {
            let error = past.edit_act(act.number, (act.at, words)).expect_err("it is wrong");
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(past.edit_act(99, (act.at, "renew A")), Err(EditError::NoSuchAct));
        assert_eq!(past.remove_act(99), Err(EditError::NoSuchAct));
        assert_eq!((past.world(), past.timeline().branches().count()), (&world, 1));
        let joined = past.record_at_end().events().get(0).expect("it has a row");
        assert_eq!(past.act_of_row(joined), None, "the client joined with it");
    }

    #[test]
    fn an_act_is_moved_and_the_name_of_its_branch_has_its_earlier_time() {
        for (to, title) in [(3_000, "3.0 s web-1: "), (7_000, "7.0 s web-1: ")] {
            let mut past = past();
            let act = act_of(&past, "PUT session/destroy/A");
            past.edit_act(act.number, (Instant::from_millis(to), &act.words)).expect("possible");
            let moved = act_of(&past, "PUT session/destroy/A");
            assert_eq!(moved.at, Instant::from_millis(to));
            let rows = rows::branches(past.timeline(), past.record()).all;
            let words = rows::words(Language::English);
            let name = (words.branch_name)(&rows.last().expect("there is one").title);
            let expected = format!("{title}PUT session/destroy/A, moved from 5.0 s");
            assert_eq!(name, expected);
            assert!(past.undo());
            assert_eq!(act_of(&past, "PUT session/destroy/A").at, Instant::from_millis(5_000));
        }
    }

    /// web-1 waits for a change; web-2 writes, or web-1 crashes.
    #[test]
    fn the_row_of_the_end_of_a_wait_edits_its_own_request() {
        for (actor, act) in [("web-2", "put a value=x"), ("web-1", "crashes")] {
            let mut past = past();
            let wait = format!("get a index={} wait=60s", past.world().index());
            past.perform_words("web-1", &wait);
            past.advance_to(Instant::from_millis(9_000));
            past.perform_words(actor, act);
            let rows: Vec<_> = past.record_at_end().events().iter().cloned().collect();
            let acts: Vec<_> = rows.iter().filter_map(|row| past.act_of_row(row)).collect();
            let waits: Vec<_> = acts.iter().filter(|act| act.words.starts_with("get a")).collect();
            assert_eq!(waits.len(), 2, "it began and ended: {acts:?}");
            let latest = past.act_at_cursor().and_then(|number| past.act(number));
            assert!(latest.is_some_and(|latest| !latest.words.starts_with("get")));
        }
    }

    #[test]
    fn the_act_at_the_cursor_is_a_request_on_its_way_and_after_a_seek_an_earlier_act() {
        let mut past = past();
        let at_cursor = |past: &TimeTravel| {
            past.act(past.act_at_cursor().expect("there is one")).expect("kept").words
        };
        assert_eq!(at_cursor(&past), "put a value=2 acquire=B");
        let link = Link { latency: Duration::from_secs(1), ..Link::default() };
        past.perform(Act::Link { actor: "web-1".into(), link }).expect("it is possible");
        past.perform_words("web-1", "put c value=x");
        let row = past.record_at_end().latest_act().and_then(|row| past.act_of_row(row));
        assert!(row.is_some_and(|act| act.words != "put c value=x"), "it has no row yet");
        assert_eq!(at_cursor(&past), "put c value=x");
        past.seek(SeekTarget::Time(Instant::from_millis(5_500)));
        assert_eq!(at_cursor(&past), "destroy A");
        past.seek(SeekTarget::Time(Instant::EPOCH));
        assert_eq!(TimeTravel::after(&[], 0).act_at_cursor(), None, "the clients have joined");
    }
}
