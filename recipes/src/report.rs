//! Reports of a program to its user. Recipes append them through `StepContext::report`; the
//! simulation turns them into events.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::holders::DocumentError;
use super::{ProgramError, Token};
use lictor_core::id::{Index, SessionId, SessionRef};
use lictor_core::message::{Answer, Failure};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    SessionCreated(SessionId),
    /// It holds the lock or a slot now, as far as it knows.
    Acquired {
        token: Token,
    },
    /// A read while it holds has returned the numbers of its token.
    TokenKnown(Token),
    /// It has noticed that it holds nothing any more.
    Lost(LockLoss),
    Released,
    /// It ended without the lock and without an error: `(nil, nil)` of the Go client (RCL-07).
    GaveUp(GaveUp),
    Failed(ProgramError),
    /// What was left behind is removed, or was not there.
    Destroyed,
    /// Its session is renewed no longer, whatever the program itself believes.
    RenewerStopped(ProgramError),
    /// By its claim it removed these holders, whose sessions have ended (RCS-09).
    Pruned(Vec<SessionRef>),
    /// Another leader is seen; none while the key is not held.
    Leader(Option<Arc<[u8]>>),
    /// A step of a script was answered; counted from 0.
    Answered {
        step: usize,
        answer: Answer,
    },
    /// A step of a script found nothing to do.
    NothingToDo {
        step: usize,
    },
    /// A write that Consul itself has checked (TXN-29).
    Written {
        number: u64,
        is_accepted: bool,
    },
    /// Something became of the child of `consul lock`.
    Child(ChildEvent),
    /// `consul lock` has ended with this code (CLI-10).
    Exited(u8),
    /// A poll was answered.
    Polled {
        index: Index,
        news: News,
    },
}

/// What a poll brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    /// The first answer.
    First,
    /// Something else than before.
    Changed,
    /// A time-out, or a wake-up without a change.
    Nothing,
}

/// How a program noticed that it holds nothing any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockLoss {
    /// The key is gone.
    KeyMissing,
    /// The key has no holder.
    Freed,
    /// Another session holds the key.
    HeldBy(SessionRef),
    /// Its session is not among the living holders (RCS-15).
    NotAHolder,
    /// The watch failed, which counts as a loss (RCL-12).
    WatchFailed(Failure),
    /// The document of the semaphore cannot be read (RCS-15).
    Undecodable(DocumentError),
}

/// Why a program ended without the lock and without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GaveUp {
    Stopped,
    TimedOut,
}

/// What becomes of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChildEvent {
    Started,
    Ended(Ending),
    /// SIGTERM was sent.
    Asked,
    /// SIGKILL was sent.
    Killed,
}

/// How a child ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    Success,
    Failure,
}
