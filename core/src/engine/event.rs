//! What [`Engine::step`](super::Engine::step) returns: the answers to requests, and every change,
//! timer and wait inside the server, in the order in which they happened.

use alloc::vec::Vec;
use core::fmt;
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
    Reply {
        /// The request that is answered.
        id: RequestId,
        /// The response, or why the request was refused.
        result: Result<Response, Refusal>,
        /// Why a blocking query is answered now; `None` for any other request, and for a query
        /// without an index.
        wake: Option<Wake>,
    },
    /// Something that happened inside the server.
    Event(Stamped),
    /// The request was not carried out and gets no answer, because its caller made a mistake.
    Rejected {
        /// The request that was not carried out.
        id: RequestId,
        /// The mistake of its caller.
        error: InputError,
    },
}

/// An event with its time and the index of the log at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamped {
    /// When it happened.
    pub at: Instant,
    /// The index of the last log entry at that time.
    pub index: Index,
    /// What happened.
    pub event: Event,
}

/// Why a blocking query was answered. Some reasons tell its caller nothing new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wake {
    /// What it reads has changed; for a read of keys, this key (BLK-07, BLK-11).
    Changed {
        /// `None` for a read of another table.
        key: Option<Key>,
    },
    /// A key that it read was deleted, as its tombstone shows (BLK-08, IDX-05).
    Deleted {
        /// The key that was deleted.
        key: Key,
    },
    /// This key was written, but the query reads only key names, and they are the same (BLK-11).
    SameKeys {
        /// The key that was written.
        key: Key,
    },
    /// Nothing matches the query, so its index is the table's, which any write raises (IDX-02,
    /// IDX-03, BLK-10).
    NoMatch,
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
            Self::SameKeys { .. } | Self::NoMatch | Self::OtherRow | Self::TimeUp => false,
        }
    }
}

impl fmt::Display for Wake {
    /// The end of a sentence that begins with "the query is answered, as": `db/leader has changed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { key: Some(key) } => write!(f, "{key} has changed"),
            Self::Changed { key: None } => f.write_str("what it reads has changed"),
            Self::Deleted { key } => write!(f, "{key} was deleted"),
            Self::SameKeys { key } => write!(f, "{key} was written"),
            Self::NoMatch => f.write_str("any write counts where nothing is"),
            Self::OtherRow => f.write_str("something else in the table has changed"),
            Self::TimeUp => f.write_str("its wait time is over"),
        }
    }
}

/// Something that happened inside the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A log entry was written; its changes follow. Many entries change nothing.
    Logged,
    /// A log entry changed one record.
    Changed(Change),
    /// The TTL clock of a session was started or restarted (TTL-02).
    Renewed {
        /// The session.
        session: SessionId,
        /// Its TTL, and when it ends unless it is renewed again.
        clock: SessionClock,
    },
    /// A key came under lock-delay, because the session that held it ended (DLY-01).
    DelayArmed(LockDelay),
    /// The lock-delay of a key is over.
    DelayOver {
        /// The key, which can be acquired again.
        key: Key,
    },
    /// A blocking query began to wait (BLK-01).
    Parked {
        /// The request that waits.
        id: RequestId,
        /// It is answered when the index of what it reads is above this one.
        min_index: Index,
        /// When it is answered without a change: its wait time and the jitter have passed.
        until: Instant,
    },
    /// A parked query was run again because something that it watches changed, and still waits.
    StillParked {
        /// The request that still waits.
        id: RequestId,
    },
    /// A parked query is answered; its reply follows.
    Woken {
        /// The request that is answered.
        id: RequestId,
        /// The change that woke it.
        why: Wake,
    },
    /// A blocking query did not need to wait: the index was already above its own.
    Passed {
        /// The request that is answered.
        id: RequestId,
        /// Why the index was above its own.
        why: Wake,
    },
    /// The wait time of a blocking query is over; its reply follows (BLK-05).
    TimedOut {
        /// The request that is answered.
        id: RequestId,
    },
    /// A blocking query ended without an answer, as its caller had gone.
    Cancelled {
        /// The request that was cancelled.
        id: RequestId,
    },
    /// A timer fired; its consequences follow.
    Fired(Timer),
    /// A new leader took over and restarted all session clocks (TTL-05).
    LeaderChanged {
        /// Each live session that has a TTL, and that TTL, which starts anew.
        clocks: Vec<(SessionId, Duration)>,
    },
    /// There is no leader, so no session ends by its TTL (TTL-06).
    LeaderLost {
        /// The clock of each live session that has a TTL, which the next leader starts anew.
        clocks: Vec<(SessionId, SessionClock)>,
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
        self.effects.push(Effect::Reply { id, result, wake: None });
    }

    /// Answers a blocking query, with the reason why it is answered now.
    pub(super) fn reply_to_query(
        &mut self,
        id: RequestId,
        result: Result<Response, Refusal>,
        why: Wake,
    ) {
        self.effects.push(Effect::Reply { id, result, wake: Some(why) });
    }
}
