//! What can go wrong, for the code that wants a lock and for the code that gives it back.

use lictor_recipes::{ContenderError, LockLoss, ProgramError};

/// Why there is no lock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address cannot be used.
    #[error("the address {address:?} cannot be used: {reason}")]
    Address {
        /// The address; only its host if it contains a secret.
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
    /// Consul refused a request, or could not be reached. The session was ended if that was possible.
    #[error(transparent)]
    Failed(ProgramError),
    /// The lock was lost in the moment in which it was acquired.
    #[error("the lock was lost at once: {0}")]
    Lost(LockLoss),
    /// The lock may not have been given back.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The runtime stopped the task that runs the lock.
    #[error("the runtime was shut down")]
    Shutdown,
}

/// The lock may not have been given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Consul did not confirm it. The key may stay locked until the session has ended, which happens
    /// within twice its TTL.
    #[error("the release is not confirmed: {0}")]
    Unconfirmed(ProgramError),
    /// The runtime stopped the task that runs the lock.
    #[error("the runtime was shut down")]
    Shutdown,
}
