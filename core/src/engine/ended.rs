//! What is remembered of sessions that ended, so that a later refusal can say what became of them.

use alloc::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::error::{Cause, Reason};
use crate::id::{Index, SessionId, SessionRef};
use crate::time::Instant;

/// How many ended sessions are remembered; of an older one only its absence is known.
const REMEMBERED: usize = 10_000;

/// When and why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSession {
    pub at: Instant,
    pub index: Index,
    pub cause: Cause,
}

/// The sessions that ended most recently, the last of them at the end. They are looked for when a
/// request is refused, so a search is cheap enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended(VecDeque<(SessionId, EndedSession)>);

impl Ended {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn remember(&mut self, id: SessionId, end: EndedSession) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((id, end));
    }

    pub(super) fn get(&self, id: SessionId) -> Option<&EndedSession> {
        self.0.iter().rev().find(|(ended, _)| *ended == id).map(|(_, end)| end)
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
