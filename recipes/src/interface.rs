//! The interface of a program, which is the same for all recipes: the orders and stimuli that it
//! receives, the actions that it returns, its deadlines, and its phase.

use lictor_core::message::{Failure, Operation, Response};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::belief::Use;
use crate::call_id::CallId;
use crate::report::Report;

/// An order of its user: for a lock, the Go client's `Lock`, `Unlock` and `Destroy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Begins: to contend, to watch, or with the first step of a script.
    Start,
    /// Releases what it holds, or ends the attempt.
    Stop,
    /// Removes what a release leaves behind, such as the key (RCL-17, RCS-17).
    Destroy,
}

/// An event that a program receives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stimulus {
    /// An order of its user.
    Order(Order),
    /// The result of a call. The results of abandoned calls are ignored.
    Reply {
        /// The id of the call.
        call: CallId,
        /// The answer, or why there is none.
        result: Result<Response, Failure>,
    },
    /// Time has passed.
    Tick,
}

/// An effect that a program has on the world around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// It sends a request.
    Send {
        /// The id of the call, which the reply repeats.
        call: CallId,
        /// What is requested.
        operation: Operation,
    },
    /// It no longer waits for the answer to a call, which may still take effect.
    Abandon(CallId),
    /// A write to the guarded resource.
    Use(Use),
    /// A report to its user.
    Report(Report),
}

/// Why a program acts at a deadline of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Due {
    /// The timeout of a call ends.
    TimeOut(CallId),
    /// The session is to be renewed.
    Renew,
    /// The watch is to be tried again after a failure.
    WatchAgain,
    /// The pause before the next try ends.
    TryAgain,
    /// The next step of a script.
    NextStep,
    /// The next write to the guarded resource.
    Write,
    /// The child of `consul lock` ends, by itself or after SIGTERM.
    ChildEnds,
    /// The child of `consul lock` is killed (CLI-08).
    Kill,
    /// Its user's policy releases the lock.
    EndOfWork,
    /// Its user's policy starts it again.
    StartAgain,
    /// The lease ends, unless an answer extends it before.
    LeaseEnds,
}

/// The phase of a program, as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It does nothing until it is started.
    Idle,
    /// It contends for the lock, watches, carries out the steps of a script, or ends a hold.
    Busy,
    /// It believes that it holds the lock.
    Holding,
    /// It has noticed that it lost the lock.
    Lost,
}

/// The earliest of several deadlines.
pub(crate) fn first_due(parts: &[Option<(Instant, Due)>]) -> Option<(Instant, Due)> {
    let mut first = None;
    for due in parts.iter().flatten() {
        if first.is_none_or(|first| *due < first) {
            first = Some(*due);
        }
    }
    first
}
