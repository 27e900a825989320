//! Errors of programs, in the words of the Go client (RCL-04, RCS-06). Recipes report them through
//! `StepContext::fail`.

use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use lictor_core::duration::DurationError;
use lictor_core::message::Failure;

use crate::holders::DocumentError;

/// Why a program failed or refused an order. Rule ids name the rules that the texts come from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ProgramError {
    #[error("missing key")] // RCL-03
    MissingKey,
    #[error("invalid SessionTTL: {0}")] // RCL-03, RCS-05
    InvalidTtl(DurationError),
    #[error("missing prefix")] // RCS-05
    MissingPrefix,
    #[error("semaphore limit must be positive")] // RCS-05
    LimitNotPositive,
    #[error("Key prefix and child command must be specified")] // CLI-01
    PrefixAndChild,
    #[error("Lock holder limit must be positive")] // CLI-02
    HoldersNotPositive,
    #[error("Timeout must be positive")] // CLI-04
    TimeoutNegative,
    #[error("Number for MonitorRetry must be >= 0")] // CLI-05
    MonitorRetryNegative,
    #[error("Lock already held")]
    LockHeld,
    #[error("Lock not held")]
    LockNotHeld,
    #[error("Lock in use")]
    LockInUse,
    #[error("Existing key does not match lock use")]
    LockConflict,
    #[error("Semaphore already held")]
    SemaphoreHeld,
    #[error("Semaphore not held")]
    SemaphoreNotHeld,
    #[error("Semaphore in use")]
    SemaphoreInUse,
    #[error("Existing key does not match semaphore use")]
    SemaphoreConflict,
    #[error("semaphore limit conflict (lock: {lock}, local: {local})")] // RCS-18
    LimitConflict { lock: i64, local: i64 },
    /// The recipe is busy with an earlier order; the Go client would block until it is done.
    #[error("busy with something else")]
    Busy,
    #[error("failed to create session: {0}")]
    CreateSession(Failure),
    #[error("failed to read lock: {0}")]
    ReadLock(Failure),
    #[error("failed to acquire lock: {0}")]
    AcquireLock(Failure),
    #[error("failed to release lock: {0}")]
    ReleaseLock(Failure),
    #[error("failed to remove lock: {0}")]
    RemoveLock(Failure),
    /// The contender key was refused: the Go client then reports a nil error (RCS-08).
    #[error("failed to make contender entry: {}", failure_text(.0.as_ref()))]
    Contend(Option<Failure>),
    #[error("failed to read prefix: {0}")]
    ReadPrefix(Failure),
    #[error("failed to update lock: {0}")]
    UpdateLock(Failure),
    #[error("failed to remove semaphore: {0}")]
    RemoveSemaphore(Failure),
    /// The session no longer exists, so it cannot be renewed (RCL-19).
    #[error("session expired")]
    SessionExpired,
    /// The session has no TTL, so it cannot be renewed (RCL-20).
    #[error("the session has no TTL")]
    NoTtl,
    /// A failed call, without words of the recipe's own.
    #[error("{0}")]
    Call(Failure),
    /// A step of a script uses the script's session before one was created.
    #[error("there is no session yet")]
    NoSession,
    /// The value of the coordination key is not a document of this recipe.
    #[error("lock decoding failed: {0}")]
    Undecodable(DocumentError),
}

/// The failure, or how Go prints a nil error.
fn failure_text(failure: Option<&Failure>) -> String {
    failure.map_or_else(|| String::from("<nil>"), ToString::to_string)
}
