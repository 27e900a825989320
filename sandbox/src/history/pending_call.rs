//! A request that was sent and is not answered yet, with what it has done so far. `calls` makes
//! and ends these; `server_changes` notes on the one being carried out what it did.

use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::http::HttpRequest;
use lictor_core::id::{Index, SessionId};
use lictor_sim::Caller;

use super::tags::ActorTag;
use crate::request_text::LockRequest;

/// A request that was sent and not yet answered.
#[derive(Clone, Debug)]
pub(super) struct PendingCall {
    pub(super) who: ActorTag,
    pub(super) caller: Caller,
    pub(super) request: Arc<HttpRequest>,
    pub(super) lock: Option<LockRequest>,
    /// The log entry that it made, if any.
    pub(super) logged: Option<Index>,
    /// What it did to sessions, for its row in the event list.
    pub(super) did: CallEffect,
}

/// What a request did that its answer does not say.
#[derive(Clone, Debug)]
pub(super) enum CallEffect {
    Nothing,
    Created(SessionId),
    Ended(SessionId),
    Renewed(SessionClock),
    Woke,
    TimedOut,
}
