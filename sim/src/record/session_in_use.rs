//! The session that a client uses: its newest live one, or the last one that has ended, until an
//! answer to the client shows that.

use lictor_core::error::Reason;
use lictor_core::id::{ActorName, SessionId};
use lictor_core::message::Operation;

use super::Record;
use crate::call::{Call, Outcome};

impl Record {
    /// The session that a client sends with its requests, as far as it knows.
    pub fn session_in_use(&self, actor: &ActorName) -> Option<SessionId> {
        let live = self.session_of(actor).map(|track| track.session.id);
        live.or_else(|| self.unknown_ends.get(actor).copied())
    }

    /// Notes that a session has ended, which no answer to its client has shown yet.
    pub(super) fn note_end(&mut self, session: SessionId) {
        let owner = self.session(session).and_then(|track| track.tag.owner.as_ref());
        if let Some(owner) = owner.map(|owner| owner.name.clone()) {
            self.unknown_ends.insert(owner, session);
        }
    }

    /// Forgets the ended session of a client if this answer shows the end: to the client's own
    /// destroy, or a refusal that names the session.
    pub(super) fn note_known_end(&mut self, call: &Call, outcome: &Outcome) {
        let Some(known) = self.unknown_ends.get(&call.actor) else { return };
        let has_destroyed = match call.operation() {
            Some(Operation::DestroySession(id)) => id.id() == Some(*known),
            _ => false,
        };
        let is_refused = match outcome.reason() {
            Some(Reason::SessionEnded { session, .. }) => session == known,
            _ => false,
        };
        if has_destroyed && outcome.answer.is_ok() || is_refused {
            self.unknown_ends.remove(&call.actor);
        }
    }

    /// Forgets the ended session of a client whose processes have ended.
    pub(super) fn forget_session(&mut self, actor: &ActorName) {
        self.unknown_ends.remove(actor);
    }
}
