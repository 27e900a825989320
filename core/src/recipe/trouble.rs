//! What goes wrong for a program, in the words of the Go client (RCL-04, RCS-06).

use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::duration::DurationError;
use crate::message::Failure;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Trouble {
    /// RCL-03.
    #[error("missing key")]
    MissingKey,
    /// RCL-03, RCS-05.
    #[error("invalid SessionTTL: {0}")]
    InvalidTtl(DurationError),
    /// The recipe is in the middle of something; the Go client would wait for its end.
    #[error("busy with something else")]
    Busy,
    #[error("failed to create session: {0}")]
    CreateSession(Failure),
    #[error("failed to acquire lock: {0}")]
    AcquireLock(Failure),
    #[error("failed to release lock: {0}")]
    ReleaseLock(Failure),
    /// A step of a script.
    #[error("{0}")]
    Call(Failure),
    /// A step of a script that names a session before one was made.
    #[error("there is no session yet")]
    NoSession,
    /// Someone else's text that is no document of the recipe.
    #[error("lock decoding failed: {0}")]
    Undecodable(String),
}
