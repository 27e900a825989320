//! A request that was sent and is not answered yet, with the log entry and the changes of sessions
//! that it has caused so far. `calls` adds and removes them; `server_changes` records the changes
//! of the request that is being carried out.

use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::id::{Index, SessionId};
use lictor_sim::Call;

use super::tags::ActorTag;

/// A request that was sent and not yet answered.
#[derive(Clone, Debug)]
pub(super) struct PendingCall {
    pub(super) who: ActorTag,
    pub(super) call: Arc<Call>,
    /// The log entry that it made, if any.
    pub(super) logged: Option<Index>,
    /// Its changes of sessions, for its row in the event list.
    pub(super) did: CallEffect,
}

/// A change that a request made and that its answer does not state.
#[derive(Clone, Debug)]
pub(super) enum CallEffect {
    Nothing,
    Created(SessionId),
    Ended(SessionId),
    Renewed(SessionClock),
    Woke,
    TimedOut,
}
