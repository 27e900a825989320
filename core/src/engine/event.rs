//! What [`Engine::step`](super::Engine::step) returns: answers, and every change, timer and wait
//! inside the server. The world of clients turns events into its history; the agent only needs the
//! answers. What goes in is in input.rs.

use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::input::InputError;
use super::timers::{LockDelay, SessionClock, Timer};
use crate::id::{Index, Key, RequestId, SessionId};
use crate::message::{Refusal, Response};
use crate::store::Change;
use crate::time::Instant;

/// One result of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// The answer to a request. Each request gets exactly one, unless it was cancelled or rejected.
    Reply { id: RequestId, result: Result<Response, Refusal> },
    /// Something that happened inside the server.
    Event(Stamped),
    /// The request was not carried out and gets no answer, because its caller made a mistake.
    Rejected { id: RequestId, error: InputError },
}

/// An event with its time and the index of the log at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamped {
    pub at: Instant,
    pub index: Index,
    pub event: Event,
}

/// Why a blocking query was answered. Some reasons tell its caller nothing new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wake {
    /// What it reads has changed; for a read of keys, this key (BLK-07, BLK-11).
    Changed { key: Option<Key> },
    /// A key that it read was deleted, as its tombstone shows (BLK-08, IDX-05).
    Deleted { key: Key },
    /// This key was written, but the query reads only key names, and they are the same (BLK-11).
    SameKeys { key: Key },
    /// Nothing matches the query, so its index is the table's, which any write raises (IDX-02,
    /// IDX-03, BLK-10).
    NothingThere,
    /// Its index is that of a whole table, in which another row has changed (IDX-04, BLK-14).
    OtherRow,
    /// Its waiting time is over (BLK-05).
    TimeUp,
}

impl Wake {
    /// Whether the answer may differ from the one before.
    pub fn is_news(&self) -> bool {
        match self {
            Self::Changed { .. } | Self::Deleted { .. } => true,
            Self::SameKeys { .. } | Self::NothingThere | Self::OtherRow | Self::TimeUp => false,
        }
    }
}

/// Something that happened inside the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A log entry was written; its changes follow. Many entries change nothing (S1).
    Logged,
    Changed(Change),
    /// The TTL clock of a session was started or restarted (TTL-02).
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
    /// A parked query was run again because something that it watches changed, and still waits.
    WokenInVain {
        id: RequestId,
    },
    /// A parked query is answered; its reply follows.
    Woken {
        id: RequestId,
        why: Wake,
    },
    /// A blocking query did not need to wait: the index was already above its own.
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
    /// A timer fired; its consequences follow.
    Fired(Timer),
    /// A new leader took over and restarted all session clocks (TTL-05).
    LeaderChanged {
        clocks: Vec<(SessionId, Duration)>,
    },
}

/// One call of [`Engine::step`](super::Engine::step) while it runs.
#[derive(Debug)]
pub(super) struct EngineStep {
    /// The time of the input, or the deadline of the timer that fires.
    pub(super) now: Instant,
    pub(super) effects: Vec<Effect>,
    /// The parked queries that watch what was changed, to be run again.
    pub(super) watchers: Vec<RequestId>,
}

impl EngineStep {
    pub(super) fn at(now: Instant) -> Self {
        Self { now, effects: Vec::new(), watchers: Vec::new() }
    }

    pub(super) fn reply(&mut self, id: RequestId, result: Result<Response, Refusal>) {
        self.effects.push(Effect::Reply { id, result });
    }
}
