//! Errors of programs, in the words of the Go client (RCL-04, RCS-06).

use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use lictor_core::duration::DurationError;
use lictor_core::message::Failure;

use crate::holders::DocumentError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ProgramError {
    /// RCL-03.
    #[error("missing key")]
    MissingKey,
    /// RCL-03, RCS-05.
    #[error("invalid SessionTTL: {0}")]
    InvalidTtl(DurationError),
    /// RCS-05.
    #[error("missing prefix")]
    MissingPrefix,
    /// RCS-05.
    #[error("semaphore limit must be positive")]
    LimitNotPositive,
    /// CLI-01.
    #[error("Key prefix and child command must be specified")]
    PrefixAndChild,
    /// CLI-02.
    #[error("Lock holder limit must be positive")]
    HoldersNotPositive,
    /// CLI-04.
    #[error("Timeout must be positive")]
    TimeoutNegative,
    /// CLI-05.
    #[error("Number for MonitorRetry must be >= 0")]
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
    /// RCS-18.
    #[error("semaphore limit conflict (lock: {lock}, local: {local})")]
    LimitConflict { lock: i64, local: i64 },
    /// The recipe is in the middle of something; the Go client would wait for its end.
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
    /// RCS-08: a refusal without an error reads like this.
    #[error("failed to make contender entry: {}", said(.0.as_ref()))]
    Contend(Option<Failure>),
    #[error("failed to read prefix: {0}")]
    ReadPrefix(Failure),
    #[error("failed to update lock: {0}")]
    UpdateLock(Failure),
    #[error("failed to remove semaphore: {0}")]
    RemoveSemaphore(Failure),
    /// RCL-19: there is nothing left to renew.
    #[error("session expired")]
    SessionExpired,
    /// RCL-20: the session has no TTL to renew it in.
    #[error("the session has no TTL")]
    NoTtl,
    /// A call that the recipe adds nothing to.
    #[error("{0}")]
    Call(Failure),
    /// A step of a script that names a session before one was made.
    #[error("there is no session yet")]
    NoSession,
    /// The value of the coordination key is not a document of this recipe.
    #[error("lock decoding failed: {0}")]
    Undecodable(DocumentError),
}

/// Go's word for no error.
fn said(failure: Option<&Failure>) -> String {
    failure.map_or_else(|| String::from("<nil>"), ToString::to_string)
}
