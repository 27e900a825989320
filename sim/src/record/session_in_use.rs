//! The session that a client uses: its newest live one, or the last one that has ended without an
//! answer to the client that says so.

use crate::call::{Call, Outcome};
use lictor_core::error::Reason;
use lictor_core::id::{ActorName, SessionId};
use lictor_core::message::Operation;

use super::Record;

impl Record {
    /// The session that a client sends with its requests, as far as it knows.
    pub fn session_in_use(&self, actor: &ActorName) -> Option<SessionId> {
        let live = self.session_of(actor).map(|track| track.session.id);
        live.or_else(|| self.ended_unseen.get(actor).copied())
    }

    /// A session has ended; its client does not know it yet.
    pub(super) fn end_unseen(&mut self, session: SessionId) {
        let owner = self.session(session).and_then(|track| track.tag.owner.as_ref());
        if let Some(owner) = owner.map(|owner| owner.name.clone()) {
            self.ended_unseen.insert(owner, session);
        }
    }

    /// An answer may tell its client that the session has ended.
    pub(super) fn see_end(&mut self, call: &Call, outcome: &Outcome) {
        let Some(known) = self.ended_unseen.get(&call.actor) else { return };
        let has_destroyed = match call.operation() {
            Some(Operation::DestroySession(id)) => id.id() == Some(*known),
            _ => false,
        };
        let is_refused = match outcome.reason() {
            Some(Reason::SessionEnded { session, .. }) => session == known,
            _ => false,
        };
        if has_destroyed && outcome.answer.is_ok() || is_refused {
            self.ended_unseen.remove(&call.actor);
        }
    }

    /// The processes of a client have ended, with all that they knew.
    pub(super) fn forget_session(&mut self, actor: &ActorName) {
        self.ended_unseen.remove(actor);
    }
}
