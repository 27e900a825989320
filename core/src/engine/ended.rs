//! What is remembered of sessions that ended, so that a later refusal can say what became of them.

use serde::{Deserialize, Serialize};

use crate::ended_sessions::EndedSessions;
use crate::error::{Cause, Reason};
use crate::id::{Index, SessionId, SessionRef};
use crate::time::Instant;

/// When and why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSession {
    pub at: Instant,
    pub index: Index,
    pub cause: Cause,
}

/// The sessions that ended last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended(EndedSessions<EndedSession>);

impl Ended {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn remember(&mut self, id: SessionId, end: EndedSession) {
        self.0.remember(id, end);
    }

    pub(super) fn get(&self, id: SessionId) -> Option<&EndedSession> {
        self.0.get(id)
    }

    /// Why a session that a caller names is not there.
    pub(super) fn reason(&self, session: &SessionRef) -> Reason {
        let end = session.id().and_then(|id| Some((id, self.get(id)?)));
        end.map_or(Reason::SessionUnknown, |(session, end)| Reason::SessionEnded {
            session,
            at: end.at,
            index: end.index,
            cause: end.cause.clone(),
        })
    }
}
