//! The events of a world, as plain types. Every event but an act names the event that caused it.

use alloc::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, Index, Key, ProgramName, RequestId, ResourceName, SessionRef};
use lictor_core::time::Instant;
use lictor_recipes::{Belief, Due, Fence, FenceKind, Order, Report, Use};
use serde::{Deserialize, Serialize};

use crate::call::{Call, CallFailure, CallStage, Outcome};
use crate::fault::{ActiveFault, Memory};
use crate::link::Leg;
use crate::tcp::NetworkError;

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimEvent {
    /// Counts from 1.
    pub number: u64,
    /// The time of the world at which it happened.
    pub at: Instant,
    /// The event that caused this one; `None` for an act. The chain of causes of any event leads
    /// back to an act.
    pub cause: Option<u64>,
    /// What happened.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// A client has joined the world.
    Joined {
        /// The client.
        actor: ActorName,
    },
    /// A client has sent a request.
    Sent(Arc<Call>),
    /// The answer to a call has reached its caller.
    Answered {
        /// The call.
        call: Arc<Call>,
        /// Its answer.
        outcome: Arc<Outcome>,
    },
    /// A caller cancelled its call. Its outcome is unknown to the caller; stage and log entry are
    /// what really happened.
    Cancelled {
        /// The call.
        call: Arc<Call>,
        /// How far it had come.
        stage: CallStage,
        /// The log entry that it had made.
        logged: Option<Index>,
    },
    /// What happened to a message between a client and the server, or to its connection.
    Travel(Travel),
    /// A fault began.
    Failed(ActiveFault),
    /// A fault ended.
    Mended(ActiveFault),
    /// A program did something, or something happened to it.
    Program {
        /// The program.
        program: ProgramName,
        /// The client on which it runs.
        actor: ActorName,
        /// What it did.
        event: ProgramEvent,
    },
    /// A write to a guarded resource.
    Used(Used),
    /// An event inside the server, with the log index at that time.
    Server {
        /// The index of the latest log entry.
        index: Index,
        /// The event.
        event: Event,
        /// The call that the server carries out, or whose blocking query waits; `None` for what the
        /// server does by itself.
        call: Option<Arc<Call>>,
    },
}

/// What a program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramEvent {
    /// It was added to its client.
    Spawned,
    /// Its user gave it an order.
    Ordered(Order),
    /// It acted at a deadline of its own, for this reason.
    Due(Due),
    /// Its belief changed to this.
    Believes(Belief),
    /// It reports this to its user.
    Reports(Arc<Report>),
    /// It was started again after a crash of its host.
    Restarted(Memory),
}

/// A write to a guarded resource, and whether it was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// The resource.
    pub resource: ResourceName,
    /// The kind of token that the resource checks.
    pub asks: FenceKind,
    /// The program that writes.
    pub program: ProgramName,
    /// The client on which it runs.
    pub actor: ActorName,
    /// The write, with its fencing token.
    pub write: Use,
    /// Whether the resource accepts it.
    pub verdict: Result<(), Rejected>,
}

/// Why a resource refuses a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rejected {
    /// The token is of another kind than the resource checks.
    OtherKind {
        /// The token of the write.
        presented: Fence,
    },
    /// It has accepted a newer LockIndex.
    OlderLockIndex {
        /// The LockIndex of the write.
        presented: u64,
        /// The latest one that was accepted.
        accepted: u64,
    },
    /// It has accepted a newer ModifyIndex.
    OlderModifyIndex {
        /// The ModifyIndex of the write.
        presented: Index,
        /// The latest one that was accepted.
        accepted: Index,
    },
    /// It has accepted another session since.
    EarlierSession {
        /// The session of the write.
        presented: SessionRef,
        /// The session that was accepted last.
        accepted: SessionRef,
    },
    /// It guards another key.
    OtherKey {
        /// The key of the write.
        presented: Key,
        /// The key that was accepted last.
        accepted: Key,
    },
    /// Consul refused the transaction, because another session holds the key, or none.
    NotTheHolder,
}

/// What happened to a message or its connection, if the message was not delivered at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Travel {
    /// A request reached the server under a number of its own: each copy has another one.
    Arrived {
        /// Its number at the server.
        id: RequestId,
        /// The call.
        call: Arc<Call>,
    },
    /// A request is lost. Its caller gets no notice of it.
    RequestLost {
        /// The call.
        call: Arc<Call>,
        /// Why it is lost.
        loss: MessageLoss,
    },
    /// An answer is lost, although the request was carried out. Its caller gets no notice of it.
    AnswerLost {
        /// The call.
        call: Arc<Call>,
        /// Why it is lost.
        loss: MessageLoss,
        /// The answer.
        outcome: Arc<Outcome>,
    },
    /// The caller gets an error instead of an answer. It does not know whether its request took
    /// effect; stage and log entry are what really happened.
    Broken {
        /// The call.
        call: Arc<Call>,
        /// How far it had come.
        stage: CallStage,
        /// The log entry that it had made.
        logged: Option<Index>,
        /// The error of its HTTP client; `None` if its process has ended.
        failure: Option<CallFailure>,
    },
    /// A kernel sends something again, as it was not acknowledged.
    SentAgain {
        /// The call.
        call: Arc<Call>,
        /// What is sent.
        segment: Segment,
        /// The number of the retransmission.
        number: u32,
    },
    /// A connection broke, and the HTTP client repeats the call on a new one. Its caller gets no
    /// notice of it.
    Repeated {
        /// The call.
        call: Arc<Call>,
        /// Why the connection broke.
        error: NetworkError,
    },
    /// An answer arrived after its call was cancelled or had failed.
    Late {
        /// The call.
        call: Arc<Call>,
    },
    /// The server notices that a caller no longer waits.
    HungUp {
        /// The number of the request at the server.
        id: RequestId,
        /// The call.
        call: Arc<Call>,
    },
}

/// What a kernel sends on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Segment {
    /// The first segment, with which a client makes the connection.
    Dial,
    /// A request, or the end of the connection.
    Request,
    /// An answer.
    Answer,
}

impl Segment {
    pub(crate) fn of(leg: Leg) -> Self {
        match leg {
            Leg::Request => Self::Request,
            Leg::Answer => Self::Answer,
        }
    }
}

/// Why a message is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageLoss {
    /// The link loses some of them.
    Chance,
    /// The link is cut.
    Cut,
    /// The fault `LostAnswer` of the client.
    LostAnswer,
    /// The client is down.
    Down,
}
