//! What the engine tells its surroundings beside answers: every change, every timer, every wait.

use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::timers::{LockDelay, SessionClock, Timer};
use crate::id::{Index, Key, RequestId, SessionId};
use crate::message::{Refusal, Response};
use crate::store::Change;
use crate::time::Instant;

/// One thing that a step gives back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// The answer to a request; each gets exactly one.
    Reply { id: RequestId, result: Result<Response, Refusal> },
    /// Something that happened inside the server.
    Event(Stamped),
}

/// An event with its time and the log index as it then was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamped {
    pub at: Instant,
    pub index: Index,
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A log entry was written; what it changed follows. Many change nothing (S1).
    Logged,
    Changed(Change),
    /// The clock of a session started over (TTL-02).
    Renewed {
        session: SessionId,
        clock: SessionClock,
    },
    DelayArmed(LockDelay),
    DelayOver {
        key: Key,
    },
    Parked {
        id: RequestId,
        min_index: Index,
        until: Instant,
    },
    /// A parked query looked again as something that it watches changed, and goes on waiting.
    WokenInVain {
        id: RequestId,
    },
    Woken {
        id: RequestId,
    },
    TimedOut {
        id: RequestId,
    },
    Cancelled {
        id: RequestId,
    },
    /// A timer fell due; what it did follows.
    Fired(Timer),
    /// A new leader took over: all session clocks start anew (TTL-05).
    LeaderChanged {
        clocks: Vec<(SessionId, Duration)>,
    },
}
