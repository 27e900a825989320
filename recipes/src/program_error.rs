//! Errors of programs, in the words of the Go client where it has them (RCL-04, RCS-06).

use alloc::string::{String, ToString};

use lictor_core::duration::DurationError;
use lictor_core::message::Failure;
use serde::{Deserialize, Serialize};

use crate::holders::DocumentError;

/// Why a program failed or refused an order. Rule ids name the rules that the texts come from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ProgramError {
    /// A lock without a key.
    #[error("missing key")] // RCL-03
    MissingKey,
    /// A TTL that is no Go duration.
    #[error("invalid SessionTTL: {0}")] // RCL-03, RCS-05
    InvalidTtl(DurationError),
    /// A semaphore without a prefix.
    #[error("missing prefix")] // RCS-05
    MissingPrefix,
    /// A semaphore whose limit is not above 0.
    #[error("semaphore limit must be positive")] // RCS-05
    LimitNotPositive,
    /// `consul lock` without a prefix or a command.
    #[error("Key prefix and child command must be specified")] // CLI-01
    PrefixAndChild,
    /// `consul lock -n` with a number that is not above 0.
    #[error("Lock holder limit must be positive")] // CLI-02
    HoldersNotPositive,
    /// `consul lock -timeout` with a negative time.
    #[error("Timeout must be positive")] // CLI-04
    TimeoutNegative,
    /// `consul lock -monitor-retry` with a negative number.
    #[error("Number for MonitorRetry must be >= 0")] // CLI-05
    MonitorRetryNegative,
    /// An order to start, while the program holds the lock.
    #[error("Lock already held")]
    LockHeld,
    /// An order to stop, while the program does not hold the lock.
    #[error("Lock not held")]
    LockNotHeld,
    /// An order to destroy a lock that is held (RCL-17).
    #[error("Lock in use")]
    LockInUse,
    /// The key exists with other Flags than those of locks, so it is no lock (RCL-04).
    #[error("Existing key does not match lock use")]
    LockConflict,
    /// An order to start, while the program has a slot.
    #[error("Semaphore already held")]
    SemaphoreHeld,
    /// An order to stop, while the program has no slot.
    #[error("Semaphore not held")]
    SemaphoreNotHeld,
    /// An order to destroy a semaphore that has a holder (RCS-17).
    #[error("Semaphore in use")]
    SemaphoreInUse,
    /// The document's key exists with other Flags than those of semaphores, so it is no semaphore
    /// (RCS-06).
    #[error("Existing key does not match semaphore use")]
    SemaphoreConflict,
    /// The document has another limit than the options.
    #[error("semaphore limit conflict (lock: {lock}, local: {local})")] // RCS-18
    LimitConflict {
        /// The limit in the document.
        lock: i64,
        /// The limit in the options.
        local: i64,
    },
    /// The recipe is busy with an earlier order; the Go client would block until it is done.
    #[error("busy with something else")]
    Busy,
    /// The session could not be created.
    #[error("failed to create session: {0}")]
    CreateSession(Failure),
    /// The key could not be read.
    #[error("failed to read lock: {0}")]
    ReadLock(Failure),
    /// The acquire failed.
    #[error("failed to acquire lock: {0}")]
    AcquireLock(Failure),
    /// The release failed.
    #[error("failed to release lock: {0}")]
    ReleaseLock(Failure),
    /// The key could not be deleted.
    #[error("failed to remove lock: {0}")]
    RemoveLock(Failure),
    /// The contender key could not be written. `None` if the server answered `false`: the Go client
    /// then prints a nil error (RCS-08).
    #[error("failed to make contender entry: {}", failure_text(.0.as_ref()))]
    Contend(Option<Failure>),
    /// The keys of the semaphore could not be read.
    #[error("failed to read prefix: {0}")]
    ReadPrefix(Failure),
    /// The document could not be written.
    #[error("failed to update lock: {0}")]
    UpdateLock(Failure),
    /// The document could not be deleted.
    #[error("failed to remove semaphore: {0}")]
    RemoveSemaphore(Failure),
    /// The session no longer exists, so it cannot be renewed (RCL-19).
    #[error("session expired")]
    SessionExpired,
    /// The session has no TTL, so it cannot be renewed (RCL-20).
    #[error("the session has no TTL")]
    NoTtl,
    /// A failed call for which the Go client has no text of its own.
    #[error("{0}")]
    Call(Failure),
    /// A step of a script uses the script's session before one was created.
    #[error("there is no session yet")]
    NoSession,
    /// The value of the coordination key is not a document of this recipe.
    #[error("lock decoding failed: {0}")]
    Undecodable(DocumentError),
    /// The session could not be destroyed.
    #[error("failed to destroy session: {0}")]
    DestroySession(Failure),
}

impl ProgramError {
    /// The failure of the request that caused this error. `None` if no request failed.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::CreateSession(failure)
            | Self::ReadLock(failure)
            | Self::AcquireLock(failure)
            | Self::ReleaseLock(failure)
            | Self::RemoveLock(failure)
            | Self::Contend(Some(failure))
            | Self::ReadPrefix(failure)
            | Self::UpdateLock(failure)
            | Self::RemoveSemaphore(failure)
            | Self::DestroySession(failure)
            | Self::Call(failure) => Some(failure),
            _ => None,
        }
    }
}

/// The failure, or how Go prints a nil error.
fn failure_text(failure: Option<&Failure>) -> String {
    failure.map_or_else(|| String::from("<nil>"), ToString::to_string)
}
