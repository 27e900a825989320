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

/// Why a blocking read was answered, and so how much its caller learns by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wake {
    /// What it reads has changed; of keys, this one (BLK-07, BLK-11).
    Changed { key: Option<Key> },
    /// A key that it read was deleted: the tombstone says so (BLK-08, IDX-05).
    Deleted { key: Key },
    /// This key was written, but only the names of keys are read, and they are the same (BLK-11).
    SameKeys { key: Key },
    /// Nothing is there to read, so the index is the table's, which any write moves (IDX-02,
    /// IDX-03, BLK-10).
    NothingThere,
    /// The index is that of a whole table, in which something else has changed (IDX-04, BLK-14).
    OtherRow,
    /// It has waited for as long as it wanted to (BLK-05).
    TimeUp,
}

impl Wake {
    /// Whether what it reads may be another than before.
    pub fn is_news(&self) -> bool {
        match self {
            Self::Changed { .. } | Self::Deleted { .. } => true,
            Self::SameKeys { .. } | Self::NothingThere | Self::OtherRow | Self::TimeUp => false,
        }
    }
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
        why: Wake,
    },
    /// A read that would have waited found an index above the one it knows at once.
    Passed {
        id: RequestId,
        why: Wake,
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
