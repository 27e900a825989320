//! The reports of a program to its user: which lock it acquired or lost, the answers and writes
//! that it has, what its child does, and why it ended.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::{Index, SessionId, SessionRef};
use lictor_core::message::{Answer, Failure};
use serde::{Deserialize, Serialize};

use crate::belief::Token;
use crate::holders::DocumentError;
use crate::program_error::ProgramError;

/// A fact that a program reports to its user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// Its session was created.
    SessionCreated(SessionId),
    /// It holds the lock or a slot, according to the answers that it received.
    Acquired {
        /// The token of the lock, with the indexes as far as answers have contained them.
        token: Token,
        /// Whether it is a slot of the semaphore with this key.
        is_slot: bool,
    },
    /// A read has returned the indexes of its token.
    TokenKnown(Token),
    /// It has noticed that it lost the lock.
    Lost(LockLoss),
    /// It has released the lock or its slot.
    Released,
    /// Its release was answered `false`: it did not hold the lock any more (RCL-15).
    ReleasedNothing,
    /// It ended without the lock and without an error: `(nil, nil)` of the Go client (RCL-07).
    GaveUp(GaveUp),
    /// An order was refused, or the program ended by this error.
    Failed(ProgramError),
    /// The key or document is removed, or did not exist.
    Destroyed,
    /// Its session is no longer renewed. The program may still believe that it holds the lock.
    RenewerStopped(ProgramError),
    /// Its claim removed these holders, whose sessions had ended (RCS-09).
    Pruned(Vec<SessionRef>),
    /// The leader has changed: the value of the key of the election. `None` if it has no holder.
    Leader(Option<Arc<[u8]>>),
    /// A step of a script was answered.
    Answered {
        /// The number of the step, counted from 0.
        step: usize,
        /// The answer to it.
        answer: Answer,
    },
    /// A step of a script had nothing to do.
    NothingToDo {
        /// The number of the step, counted from 0.
        step: usize,
    },
    /// The result of a write in a transaction that checks the lock (TXN-29).
    Written {
        /// The number of the write, counted from 1.
        number: u64,
        /// Whether the transaction was applied.
        is_accepted: bool,
    },
    /// The child of `consul lock` was started, signalled or has ended.
    Child(ChildEvent),
    /// `consul lock` has ended with this code (CLI-10).
    Exited(u8),
    /// A poll was answered.
    Polled {
        /// The index of the answer.
        index: Index,
        /// Whether it differs from the answer before.
        news: News,
    },
}

/// The result of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// The first answer.
    First,
    /// The result differs from the last one.
    Changed,
    /// The wait timed out, or a wake-up brought no change.
    Nothing,
}

/// How a program noticed that it lost the lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum LockLoss {
    /// The key does not exist.
    #[error("the key does not exist any more")]
    KeyMissing,
    /// The key has no holder.
    #[error("no session holds the key any more")]
    Freed,
    /// Another session holds the key.
    #[error("session {0} holds the key")]
    HeldBy(SessionRef),
    /// The document does not list its session (RCS-15).
    #[error("the semaphore does not list this session any more")]
    NotAHolder,
    /// The watch failed, which counts as a loss (RCL-12).
    #[error("the watch of the key failed: {0}")]
    WatchFailed(Failure),
    /// The document of the semaphore cannot be read (RCS-15).
    #[error("the semaphore cannot be read: {0}")]
    Undecodable(DocumentError),
    /// No renewal of the session, or no read of the key, has succeeded in time, so another client
    /// may soon hold the lock.
    #[error("no renewal or no read of the key has succeeded for a TTL")]
    LeaseEnded,
    /// A renewal was answered with 404: the session has ended.
    #[error("the session has ended")]
    SessionEnded,
}

/// Why a program ended without the lock and without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GaveUp {
    /// Its user ordered it to stop.
    Stopped,
    /// Its wait time has passed (`Tries::Once`).
    TimedOut,
}

/// What happens to a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChildEvent {
    /// It was started.
    Started,
    /// It has ended by itself.
    Ended(Ending),
    /// SIGTERM was sent.
    Asked,
    /// SIGKILL was sent.
    Killed,
}

/// How a child ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// With the exit code 0.
    Success,
    /// With another exit code.
    Failure,
}
