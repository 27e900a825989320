//! The events of a world, as plain types. Every event names the event that caused it. `World` emits
//! them; the page shows them, tests compare them, and `trace` prints them. This module imports only
//! other plain types.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::fault::{ActiveFault, Memory};
use crate::link::Leg;
use lictor_core::engine::{Event, Wake};
use lictor_core::error::{Error, Reason};
use lictor_core::http::{BadRequest, HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Index, Key, ProgramName, RequestId, ResourceName, SessionRef};
use lictor_core::message::{Answer, Refusal, Response};
use lictor_core::time::Instant;
use lictor_recipes::{Belief, CallId, Due, Fence, FenceKind, Order, Report, Use};

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimEvent {
    /// Counts from 1.
    pub number: u64,
    /// The time of the world at which it happened.
    pub at: Instant,
    /// The event that caused this one; none for an act. The chain of causes of any event leads back
    /// to an act.
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
    Sent {
        /// The number of the call.
        id: RequestId,
        /// The client.
        actor: ActorName,
        /// Its user or a program.
        caller: Caller,
        /// The request.
        request: Arc<HttpRequest>,
    },
    /// The answer to a call has reached its caller.
    Answered {
        /// The number of the call.
        id: RequestId,
        /// The client.
        actor: ActorName,
        /// The request that is answered.
        request: Arc<HttpRequest>,
        /// The answer as the client receives it.
        response: Arc<HttpResponse>,
        /// What the answer means, and why.
        outcome: Outcome,
    },
    /// A caller cancelled its call. Its outcome is unknown to the caller; the stage is what really
    /// happened.
    Cancelled {
        /// The number of the call.
        id: RequestId,
        /// The client.
        actor: ActorName,
        /// How far the call had come.
        stage: CallStage,
    },
    /// What happened to a message between a client and the server.
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
    },
}

/// The caller on a client: its user or a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Caller {
    /// The user of the client.
    Person,
    /// A program on the client.
    Program {
        /// The program.
        program: ProgramName,
        /// The number of the call within the program.
        call: CallId,
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
        shown: Fence,
    },
    /// It has accepted a newer LockIndex.
    OlderLockIndex {
        /// The LockIndex of the write.
        shown: u64,
        /// The latest one that was accepted.
        accepted: u64,
    },
    /// It has accepted a newer ModifyIndex.
    OlderModifyIndex {
        /// The ModifyIndex of the write.
        shown: Index,
        /// The latest one that was accepted.
        accepted: Index,
    },
    /// It has accepted another session since.
    EarlierSession {
        /// The session of the write.
        shown: SessionRef,
        /// The session that was accepted last.
        accepted: SessionRef,
    },
    /// It guards another key.
    OtherKey {
        /// The key of the write.
        shown: Key,
        /// The key that was accepted last.
        accepted: Key,
    },
    /// Consul refused the transaction, because another session holds the key, or none.
    NotTheHolder,
}

/// What happened to a message that was not delivered at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Travel {
    /// A request reached the server under a number of its own: each copy has another one.
    Arrived {
        /// Its number at the server.
        id: RequestId,
        /// The number of the call.
        call: RequestId,
        /// The client.
        actor: ActorName,
    },
    /// A request is lost, which its caller does not know.
    RequestLost {
        /// The number of the call.
        call: RequestId,
        /// The client.
        actor: ActorName,
        /// Why it is lost.
        loss: MessageLoss,
    },
    /// An answer is lost: the request took effect, which its caller does not know.
    AnswerLost {
        /// The number of the call.
        call: RequestId,
        /// The client.
        actor: ActorName,
        /// Why it is lost.
        loss: MessageLoss,
        /// What the answer would have meant.
        outcome: Box<Outcome>,
    },
    /// The caller gets an error instead of an answer. It does not know whether its request took
    /// effect; the stage is what really happened.
    Broken {
        /// The number of the call.
        call: RequestId,
        /// The client.
        actor: ActorName,
        /// How far the call had come.
        stage: CallStage,
    },
    /// An answer arrived after its call was cancelled or had failed.
    Late {
        /// The number of the call.
        call: RequestId,
        /// The client.
        actor: ActorName,
    },
    /// The server notices that a caller no longer waits.
    HungUp {
        /// The number of the request at the server.
        id: RequestId,
        /// The client.
        actor: ActorName,
    },
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

/// How far a call really is, whatever its caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallStage {
    /// The request is travelling to the server.
    Sent,
    /// It waits at the server.
    Waits,
    /// It was carried out, and the answer is travelling to the caller.
    Done,
    /// It or its answer is lost: no answer will come.
    Lost(Leg),
}

/// The event that caused something, and its actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CausedBy {
    /// The number of the event.
    pub event: u64,
    /// None if no client caused it.
    pub by: Option<ActorName>,
}

/// The meaning of an answer, with what Consul does not state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The answer in one word.
    pub verdict: Verdict,
    /// The index of a read, or of the log entry of a write.
    pub index: Option<Index>,
    /// Why the answer is `false`, missing or an error.
    pub reason: Option<Reason>,
    /// The event that the reason refers to: the lock was taken, the key changed, the session ended.
    pub because: Option<CausedBy>,
    /// Why the request was refused, if the answer is an error.
    pub problem: Option<Problem>,
    /// How long the answer was waited for, if it was a blocking query that did not answer at once.
    pub waited: Option<Duration>,
    /// Why a blocking query was answered.
    pub wake: Option<Box<Wake>>,
}

/// An answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// A write that was applied.
    True,
    /// A write that the stored state does not allow: the answer is `false`.
    False,
    /// A read that found something, or another successful call.
    Ok,
    /// A read that found nothing.
    Missing,
    /// A request that was answered with an error.
    Error,
}

/// Why a request was refused, by the agent or by the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    /// The agent could not decode it.
    BadRequest(BadRequest),
    /// The server did not carry it out.
    Failed(Error),
}

impl Problem {
    /// The text of Consul's error, without the line feed with which some texts end.
    pub fn text(&self) -> String {
        match self {
            Self::BadRequest(refused) => refused.text().trim_end_matches('\n').into(),
            Self::Failed(error) => error.to_string(),
        }
    }
}

impl Outcome {
    pub(crate) fn refused(refused: BadRequest) -> Self {
        let verdict = if refused.status() < 400 { Verdict::Ok } else { Verdict::Error };
        let problem = Some(Problem::BadRequest(refused));
        Self {
            verdict,
            index: None,
            reason: None,
            because: None,
            problem,
            waited: None,
            wake: None,
        }
    }

    pub(crate) fn of(
        result: Result<Response, Refusal>,
        response: &HttpResponse,
        waited: Option<Duration>,
    ) -> Self {
        match result {
            Ok(answered) => Self {
                verdict: verdict(&answered.answer, response),
                index: Some(answered.index).filter(|index| *index > Index::ZERO),
                reason: answered.reason,
                because: None,
                problem: None,
                waited,
                wake: None,
            },
            Err(refusal) => Self {
                verdict: Verdict::Error,
                index: None,
                reason: refusal.reason.map(|reason| *reason),
                because: None,
                problem: Some(Problem::Failed(refusal.error)),
                waited,
                wake: None,
            },
        }
    }
}

fn verdict(answer: &Answer, response: &HttpResponse) -> Verdict {
    match answer {
        Answer::Flag(true) => Verdict::True,
        Answer::Flag(false) => Verdict::False,
        Answer::Txn { outcome: Err(_), .. } => Verdict::False,
        Answer::Txn { outcome: Ok(_), .. } => Verdict::True,
        Answer::Found(found) if found.is_missing() || response.status == 404 => Verdict::Missing,
        _ => Verdict::Ok,
    }
}
