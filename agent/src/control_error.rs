//! The reasons why a server did not carry out a command of a test.

use std::time::Duration;

use lictor_core::id::SessionId;

/// The error if the server has stopped, or its engine task has ended, so that there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("the server has stopped")]
pub struct Stopped;

/// The reason why a command of a test was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The server runs in real time.
    #[error("the server was not started with a manual clock")]
    RealClock,
    /// No session has this id.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The session has no TTL that could be over.
    #[error("session {0} has no TTL")]
    NoTtl(SessionId),
    /// Fewer blocking queries are waiting than were expected.
    #[error("{waiting} of {count} blocking queries wait after {timeout:?}")]
    #[expect(missing_docs)]
    Waiting { count: usize, waiting: usize, timeout: Duration },
    /// The server no longer runs.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}
