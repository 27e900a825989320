//! Edits an act of the past, or removes it; the later acts are performed again on top, on a new
//! branch. The words are those of the line language, with the page's names of sessions.

use lictor_sim::timeline::{Revised, Revision, RevisionError};
use lictor_sim::trace::{Names, WordsError, act_of, actor_of, words_of};
use lictor_sim::{Act, ActError};

use super::TimeTravel;

/// An act of the branch, as it can be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActInPast {
    /// Its number on the branch.
    pub number: usize,
    /// The actor that does it.
    pub actor: String,
    /// The act in words: `session ttl=20s delay=15s`.
    pub words: String,
}

/// Why an edit was refused; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the act is no longer there")]
    NoSuchAct,
    #[error(transparent)]
    Words(#[from] WordsError),
    #[error(transparent)]
    Act(#[from] ActError),
}

impl From<RevisionError> for EditError {
    fn from(error: RevisionError) -> Self {
        match error {
            RevisionError::NoSuchAct => Self::NoSuchAct,
            RevisionError::Act(error) => Self::Act(error),
        }
    }
}

impl TimeTravel {
    /// The act that an event of the branch goes back to, by the event's number; none if the act is
    /// no longer kept, or the client joined with it.
    pub fn act_of_event(&self, event: u64) -> Option<ActInPast> {
        let branch = self.timeline.here();
        let mut first = branch.events(event..event.saturating_add(1)).pop()?;
        while let Some(cause) = first.cause {
            first = branch.events(cause..cause.saturating_add(1)).pop()?;
        }
        let number = branch.acts_at_event(first.number).checked_sub(1)?;
        let act = &branch.act(number)?.act;
        let is_setup = matches!(act, Act::Join { .. } | Act::Advance { .. });
        let (actor, words) = (actor_of(act).to_owned(), words_of(act, &self.names()));
        (!is_setup).then_some(ActInPast { number, actor, words })
    }

    /// Removes an act.
    pub fn remove_act(&mut self, number: usize) -> Result<Revised, EditError> {
        Ok(self.revise(Revision::Remove(number))?)
    }

    /// Replaces an act by another one of the same actor.
    pub fn edit_act(&mut self, number: usize, words: &str) -> Result<Revised, EditError> {
        let entry = self.timeline.here().act(number).ok_or(EditError::NoSuchAct)?;
        let act = act_of(actor_of(&entry.act), words, &self.names())?;
        Ok(self.revise(Revision::Replace(number, act))?)
    }

    /// What the words of acts mean in this world.
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

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::ActorName;
    use lictor_core::time::Instant;
    use lictor_sim::World;
    use lictor_sim::journal::Log;
    use lictor_sim::timeline::{BranchId, Timeline};

    fn request(actor: &str, method: &str, target: &str, body: &str) -> Act {
        let request = HttpRequest::new(method, target, body.as_bytes());
        Act::Request { actor: ActorName::from(actor), request }
    }

    /// web-1 takes a lock and destroys its session at 5 s; web-2 is refused at 6 s.
    fn past() -> TimeTravel {
        let mut past = TimeTravel::new(Timeline::recorded(World::new(1)));
        for actor in ["web-1", "web-2"] {
            past.perform(Act::Join { actor: ActorName::from(actor) }).expect("it is possible");
        }
        past.perform(request("web-1", "PUT", "/v1/session/create", r#"{"LockDelay":"15s"}"#))
            .expect("it is possible");
        past.perform(request("web-2", "PUT", "/v1/session/create", "")).expect("it is possible");
        let ids = ["web-1", "web-2"].map(|actor| {
            let track = past.record().session_of(&ActorName::from(actor));
            track.expect("it has one").session.id
        });
        past.perform(request("web-1", "PUT", &format!("/v1/kv/a?acquire={}", ids[0]), "1"))
            .expect("it is possible");
        past.advance_to(Instant::from_millis(5_000));
        past.perform(request("web-1", "PUT", &format!("/v1/session/destroy/{}", ids[0]), ""))
            .expect("it is possible");
        past.advance_to(Instant::from_millis(6_000));
        past.perform(request("web-2", "PUT", &format!("/v1/kv/a?acquire={}", ids[1]), "2"))
            .expect("it is possible");
        past.advance_to(Instant::from_millis(8_000));
        past
    }

    fn event_of(past: &TimeTravel, call: &str) -> u64 {
        let words = &crate::language::Language::English.words();
        let mut rows = past.record_at_end().events().iter();
        rows.find(|row| words.call(&row.call) == call).expect("it has a row").event
    }

    fn holder(past: &TimeTravel) -> Option<String> {
        let entry = past.world().store().kv().get("a")?;
        entry.holder().map(|holder| past.record().tag_of(holder).label.to_string())
    }

    #[test]
    fn an_act_is_edited_from_its_row_and_later_acts_follow() {
        let mut past = past();
        assert_eq!(holder(&past), None, "web-2 is in the lock-delay");
        let act = past.act_of_event(event_of(&past, "PUT session/create")).expect("an act");
        assert_eq!((act.actor.as_str(), act.words.as_str()), ("web-1", "session delay=15s"));
        past.edit_act(act.number, "session delay=0s").expect("it is possible");
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
        let act = past.act_of_event(event_of(&past, "PUT session/destroy/A")).expect("an act");
        assert_eq!(act.words, "destroy A");
        past.remove_act(act.number).expect("it is possible");
        assert_eq!(holder(&past).as_deref(), Some("A"), "its session lives");
    }

    #[test]
    fn edits_and_acts_are_undone_and_redone_in_their_order() {
        let mut past = past();
        let (end, edited) = (past.timeline().position(), BranchId::new(1));
        let create = past.act_of_event(event_of(&past, "PUT session/create")).expect("an act");
        past.edit_act(create.number, "session delay=0s").expect("it is possible");
        past.perform(request("web-2", "PUT", "/v1/kv/b", "x")).expect("it is possible");
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
        past.perform(request("web-2", "PUT", "/v1/kv/c", "x")).expect("it is possible");
        assert!(!past.can_redo());
    }

    #[test]
    fn an_invalid_edit_is_an_error_and_changes_nothing() {
        let mut past = past();
        let act = past.act_of_event(event_of(&past, "PUT session/create")).expect("an act");
        let world = past.world().clone();
        for (words, why) in [
            ("put a cas=soon", "cas=\"soon\" is not a number"),
            ("dances", "unknown action \"dances\""),
            ("joins", "there is already a client called web-1"),
        ] {
            let error = past.edit_act(act.number, words).expect_err("it is wrong");
            assert_eq!(error.to_string(), why);
        }
        assert_eq!(past.edit_act(99, "renew A"), Err(EditError::NoSuchAct));
        assert_eq!(past.remove_act(99), Err(EditError::NoSuchAct));
        assert_eq!((past.world(), past.timeline().branches().count()), (&world, 1));
        assert_eq!(past.act_of_event(1), None, "the client joined with it");
    }
}
