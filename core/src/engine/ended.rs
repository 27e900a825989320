//! What is remembered of sessions that ended, so that a later refusal can say what became of them.

use alloc::collections::{BTreeMap, VecDeque};

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

/// The sessions that ended most recently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ended {
    by_id: BTreeMap<SessionId, EndedSession>,
    in_order: VecDeque<SessionId>,
}

impl Ended {
    pub(super) fn remember(&mut self, id: SessionId, end: EndedSession) {
        if self.in_order.len() == REMEMBERED
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.by_id.remove(&oldest);
        }
        self.in_order.push_back(id);
        self.by_id.insert(id, end);
    }

    pub(super) fn contains(&self, id: SessionId) -> bool {
        self.by_id.contains_key(&id)
    }

    pub(super) fn get(&self, id: SessionId) -> Option<&EndedSession> {
        self.by_id.get(&id)
    }

    /// Why a session that a caller names is not there.
    pub(super) fn reason(&self, session: &SessionRef) -> Reason {
        let end = session.id().and_then(|id| Some((id, self.by_id.get(&id)?)));
        end.map_or(Reason::SessionUnknown, |(session, end)| Reason::SessionEnded {
            session,
            at: end.at,
            index: end.index,
            cause: end.cause.clone(),
        })
    }
}
