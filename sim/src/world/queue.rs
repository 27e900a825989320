//! The scheduled events that are no timers of the server's engine, such as messages under way,
//! planned faults, and requests that wait for a leader, in order of time. Of events at the same
//! time, the one that was scheduled first comes first.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::{ProgramName, RequestId};
use lictor_core::time::Instant;
use lictor_recipes::Stimulus;
use serde::{Deserialize, Serialize};

use crate::call::{Call, Outcome};
use crate::fault::{Fault, Plan};
use crate::link::Leg;
use crate::tcp::{ConnectionId, NetworkError};

/// An event that is due at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScheduledEvent {
    /// A request reaches the server.
    Request(InFlightRequest),
    /// An answer reaches its caller.
    Answer(Reply),
    /// A stimulus reaches a program.
    Stimulus {
        /// The program.
        program: ProgramName,
        /// The stimulus.
        stimulus: Stimulus,
    },
    /// The server notices that a caller no longer waits.
    HangUp {
        /// The number of the request at the server.
        id: RequestId,
    },
    /// A planned fault begins.
    FaultBegins {
        /// What fails.
        fault: Fault,
        /// How long it lasts, and how often it returns.
        plan: Plan,
    },
    /// The time of a fault is over.
    FaultEnds {
        /// The number of the event with which it began.
        number: u64,
    },
    /// Gossip notices that a node is silent.
    SilenceNoticed {
        /// The number of the event with which the fault began.
        number: u64,
    },
    /// A segment of a connection arrives.
    Segment {
        /// The connection.
        connection: ConnectionId,
        /// Its direction.
        leg: Leg,
    },
    /// A process that was paused learns that a connection has failed.
    ConnectionFails {
        /// The connection.
        connection: ConnectionId,
        /// Why.
        error: NetworkError,
    },
    /// A server that has no leader takes the next step of a request that it holds.
    Held {
        /// The request.
        held: HeldRequest,
        /// What happens.
        next: HeldStep,
    },
}

/// A request that travels to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlightRequest {
    /// Its number at the server; each copy has its own.
    pub id: RequestId,
    /// The call of which it is the request.
    pub call: Arc<Call>,
}

/// When the leader was lost, and the event of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostLeader {
    pub(super) at: Instant,
    pub(super) event: u64,
}

/// A request that a server holds, as it cannot pass it on to the leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldRequest {
    /// The request.
    pub in_flight: InFlightRequest,
    /// When it arrived.
    pub since: Instant,
    pub(super) lost: LostLeader,
}

/// What happens next to a request that a server holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeldStep {
    /// The server tries again to pass it on.
    Retry {
        /// The number of its attempts so far.
        attempts: u32,
        /// The pause since the last one.
        pause: Duration,
    },
    /// The server finds its connection to the leader dead.
    Silence,
    /// The server gives up a new connection to the leader.
    DialTimeout,
    /// The server does not wait longer for the answer to a blocking query.
    Deadline,
}

/// An answer that travels to its caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The call that is answered.
    pub call: Arc<Call>,
    /// The answer.
    pub outcome: Arc<Outcome>,
}

/// A scheduled event and the event that caused it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QueuedEvent {
    pub(super) cause: Option<u64>,
    pub(super) scheduled: ScheduledEvent,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EventQueue {
    entries: BTreeMap<(Instant, u64), QueuedEvent>,
    next: u64,
}

impl EventQueue {
    pub(super) fn add(&mut self, at: Instant, entry: QueuedEvent) {
        self.entries.insert((at, self.next), entry);
        self.next = self.next.saturating_add(1);
    }

    pub(super) fn pop(&mut self) -> Option<QueuedEvent> {
        self.entries.pop_first().map(|(_, entry)| entry)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Instant, &ScheduledEvent)> {
        self.entries.iter().map(|((at, _), entry)| (*at, &entry.scheduled))
    }

    pub(super) fn retain(&mut self, is_kept: impl Fn(&ScheduledEvent) -> bool) {
        self.entries.retain(|_, entry| is_kept(&entry.scheduled));
    }
}
