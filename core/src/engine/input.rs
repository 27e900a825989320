//! What [`Engine::step`](super::Engine::step) accepts, and why it rejects an input.

use serde::{Deserialize, Serialize};

use crate::id::{RequestId, SessionId};
use crate::message::Request;
use crate::time::Instant;

/// One input of [`Engine::step`](super::Engine::step).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Input {
    /// Only time passes.
    Tick,
    /// A client asks for something.
    Request {
        /// Chosen by the caller; no waiting query may have the same.
        id: RequestId,
        /// What the client asks for.
        request: Request,
    },
    /// The caller of a blocking query no longer waits for its answer.
    Cancel(RequestId),
    /// Another server becomes leader (TTL-05, DLY-09).
    Failover,
    /// There is no leader until this time, at which [`Input::Failover`] is due (TTL-06). Until then
    /// no session ends by its TTL and no agent's check becomes critical. The caller answers the
    /// requests that arrive meanwhile.
    LeaderLost {
        /// When another server becomes leader.
        until: Instant,
    },
    /// The TTL of the session is over now, and it ends as it would at its deadline. Nothing happens
    /// to a session without a running TTL.
    ExpireSession(SessionId),
}

/// A mistake of the caller of [`Engine::step`](super::Engine::step): the input is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum InputError {
    /// The id of a request is that of a blocking query that still waits.
    #[error("request id {0} belongs to a blocking query that still waits")]
    RequestIdInUse(RequestId),
}
