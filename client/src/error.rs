//! The errors of acquiring and of releasing a lock.

use std::time::SystemTime;

use lictor_core::time::Instant;
use lictor_recipes::{ContenderError, LockLoss, ProgramError};

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be used.
    #[error("the address {address:?} cannot be used: {reason}")]
    Address {
        /// The address; only what follows its last `@`, because a secret can be before it.
        address: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A header with this name, or its value, is not valid.
    #[error("the header {0:?} is not valid")]
    Header(String),
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made")]
    Http(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// An option cannot be used.
    #[error(transparent)]
    Option(#[from] ContenderError),
    /// The lock was not free within the wait of [`Acquire::once`](crate::Acquire::once).
    #[error("the lock was not free in time")]
    NotAcquired,
    /// Consul refused a request, or could not be reached. The session was ended if that was
    /// possible.
    #[error(transparent)]
    Failed(ProgramError),
    /// The lock was lost in the moment in which it was acquired.
    #[error("the lock was lost at once: {0}")]
    Lost(LockLoss),
    /// The lock may not have been released.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The runtime stopped the task that runs the lock.
    #[error("the runtime was shut down")]
    Shutdown,
}

/// Why a release may have failed. The lock may still be held.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Consul did not confirm the release.
    #[error("the release is not confirmed: {error}")]
    Unconfirmed {
        /// Why not.
        error: ProgramError,
        /// Until when the key may stay locked.
        until: LockedUntil,
    },
    /// The runtime stopped the task that runs the lock.
    #[error("the runtime was shut down")]
    Shutdown,
}

/// Until when a key may stay locked after a release that was not confirmed. A new leader of Consul
/// starts all TTLs again, which may add the time of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockedUntil {
    /// It is free; only the session is left, until it ends by its TTL.
    Free,
    /// Until the session has ended by its TTL, and the lock-delay after that.
    Time(SystemTime),
    /// Until the session of the caller ends or releases it.
    CallersSession,
}

impl LockedUntil {
    pub(crate) fn new(until: lictor_recipes::LockedUntil, now: Instant) -> Self {
        match until {
            lictor_recipes::LockedUntil::Free => Self::Free,
            lictor_recipes::LockedUntil::CallersSession => Self::CallersSession,
            // A time that a wall clock cannot represent is replaced by the present.
            lictor_recipes::LockedUntil::Time(at) => {
                let wall = SystemTime::now();
                Self::Time(wall.checked_add(at.since(now)).unwrap_or(wall))
            }
        }
    }
}
