//! The errors that JavaScript receives: each has a code for programs and a text for people, and is
//! thrown as a `LictorError`.

use lictor_core::error::Error;
use lictor_core::message::Refusal;
#[cfg(feature = "incident")]
use lictor_incident::TextError;
use serde::Serialize;

use crate::options::OptionError;
use crate::save::LoadError;
use crate::server::CallError;
use crate::types::reason::RefusalReason;
#[cfg(feature = "world")]
use crate::world::{UnreadableWorld, WorldError};

/// What a `LictorError` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "the JavaScript of the package throws some of these itself")]
pub(crate) enum ErrorCode {
    /// An argument or an option has a wrong type or an impossible value.
    InvalidArgument,
    /// Consul refuses the request; `status` is that of its answer, and the message its text.
    Refused,
    /// The session that is to be renewed does not exist.
    SessionNotFound,
    /// The session that is to hold a lock does not exist; `reason` says when and why it ended.
    InvalidSession,
    /// The TTL of a session is no duration, or out of bounds.
    InvalidTtl,
    /// A check on which a session depends is critical.
    CriticalCheck,
    /// The address belongs to another origin than the server's.
    ForeignUrl,
    /// The server was freed.
    Closed,
    /// The engine has failed and its server is lost; other servers are not affected.
    Panicked,
    /// What is loaded is not a saved server or world that this version can read.
    Unreadable,
    /// The WebAssembly module could not be loaded.
    NotLoaded,
    /// A single try (`once`) ended without the lock.
    NotAcquired,
    /// The lock is lost: Consul says so, or the client could not renew its session in time.
    Lost,
    /// The key belongs to something else, or the semaphore has another limit.
    Conflict,
    /// Consul did not do what the client asked for.
    RequestFailed,
    /// The lock was released by its holder: the reason of its signal after that.
    Released,
    /// The lock could not be given back; `lockedUntil` says until when the key may stay locked.
    NotReleased,
    /// The words are no act of a world.
    NotUnderstood,
    /// The act is not possible in this state of the world, or what it refers to does not exist.
    NotPossible,
    /// The cursor of the world was moved before the request had an answer.
    Moved,
}

/// A failure as it crosses the boundary.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failed {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// The HTTP status of Consul's answer, if there is one.
    pub(crate) status: Option<u16>,
    /// Why Consul refuses, in detail that its answer does not have.
    pub(crate) reason: Option<RefusalReason>,
}

impl Failed {
    fn new(code: ErrorCode, message: String) -> Self {
        Self { code, message, status: None, reason: None }
    }
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Self {
        let message = error.to_string();
        match error {
            CallError::Refused { status, refusal, .. } => Self {
                code: code_of(&refusal),
                message,
                status: Some(status),
                reason: refusal.reason.as_deref().map(RefusalReason::from),
            },
            CallError::Undecodable { status, .. } => {
                Self { status: Some(status), ..Self::new(ErrorCode::Refused, message) }
            }
            CallError::Unsendable(_) => Self::new(ErrorCode::InvalidArgument, message),
        }
    }
}

fn code_of(refusal: &Refusal) -> ErrorCode {
    match &refusal.error {
        Error::SessionNotFound(_) => ErrorCode::SessionNotFound,
        Error::InvalidSession(_) => ErrorCode::InvalidSession,
        Error::InvalidTtl { .. } | Error::TtlOutOfBounds { .. } => ErrorCode::InvalidTtl,
        Error::CriticalCheck(_) => ErrorCode::CriticalCheck,
        _ => ErrorCode::Refused,
    }
}

impl From<OptionError> for Failed {
    fn from(error: OptionError) -> Self {
        Self::new(ErrorCode::InvalidArgument, error.to_string())
    }
}

impl From<LoadError> for Failed {
    fn from(error: LoadError) -> Self {
        Self::new(ErrorCode::Unreadable, error.to_string())
    }
}

#[cfg(feature = "incident")]
impl From<TextError> for Failed {
    fn from(error: TextError) -> Self {
        let code = match &error {
            TextError::Pattern { .. } => ErrorCode::InvalidArgument,
            TextError::Incident(_) => ErrorCode::Unreadable,
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(feature = "world")]
impl From<WorldError> for Failed {
    fn from(error: WorldError) -> Self {
        let code = match &error {
            WorldError::Words(_) => ErrorCode::NotUnderstood,
            WorldError::NotARead => ErrorCode::InvalidArgument,
            WorldError::Act(_)
            | WorldError::UnknownEvent(_)
            | WorldError::AfterTheEnd(_)
            | WorldError::EventAfterTheEnd(_)
            | WorldError::UnknownBranch(_)
            | WorldError::Link(_) => ErrorCode::NotPossible,
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(feature = "world")]
impl From<UnreadableWorld> for Failed {
    fn from(error: UnreadableWorld) -> Self {
        Self::new(ErrorCode::Unreadable, error.to_string())
    }
}
