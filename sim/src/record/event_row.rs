//! One row of the event list: the actor or server, its call or event, the result and the reason. A
//! row is independent of the language: its content is enums.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::error::Reason;
use lictor_core::id::{Index, ProgramName, SessionId};
use lictor_core::store::Entry;
use lictor_core::time::Instant;
use lictor_recipes::{Order, Report};

use super::session::{EndCause, KeyFate};
use super::tags::ActorTag;
use crate::call::{Call, CallStage, Outcome, Problem, Verdict};
use crate::event::{Rejected, Segment};
use crate::fault::Fault;
use crate::link::Leg;

/// The actor or server that caused a row of the event list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSource {
    /// The server itself.
    Server,
    /// A client.
    Actor(ActorTag),
}

/// A reason with the values of its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedReason {
    /// The reason.
    pub reason: Reason,
    /// The time of the answer; remaining times count from here.
    pub at: Instant,
    /// The label of the session that the reason is about.
    pub session: Arc<str>,
    /// The owner of that session.
    pub owner: Option<ActorTag>,
    /// Why that session ended, if the reason is that it did.
    pub ended: Option<EndCause>,
    /// Whether the request names the holder in another spelling of its id. Holders are compared
    /// exactly (LCK-16).
    pub is_other_spelling: bool,
}

/// The result of a row in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventResult {
    /// A write that was applied.
    True,
    /// A write that the stored state does not allow.
    False,
    /// Another successful call.
    Ok,
    /// A read that found nothing.
    NotFound,
    /// Redirected to the clean form of its path; nothing was done.
    Moved,
    /// An error, with its status.
    Refused(u16),
    /// A blocking query waits.
    Waits,
    /// The caller stopped waiting.
    Cancelled,
    /// The caller got an error in place of an answer.
    Failed,
    /// Something was not acknowledged and is sent again.
    SentAgain,
    /// Something has ended: a session, a lock-delay, a TTL.
    Ended,
    /// A client joined.
    Joined,
    /// A fault began, or another server became the leader.
    Fault,
    /// A fault was repaired.
    Mended,
    /// A guarded resource accepted a write.
    Accepted,
    /// The resource refused the write.
    Rejected,
    /// No answer arrives, so the sender does not know whether the request was applied.
    NoAnswer,
    /// A client got a program, which does nothing before it is started.
    Added,
    /// A program was started, or stopped.
    Ordered(Order),
    /// A report of a program.
    Reported,
    /// The status that a check got from a session that it follows.
    Passing,
    /// The status `critical`.
    Critical,
}

impl From<&Outcome> for EventResult {
    fn from(outcome: &Outcome) -> Self {
        let status = outcome.response.status;
        match outcome.verdict() {
            Verdict::True => Self::True,
            // A failed transaction.
            Verdict::False if status >= 400 => Self::Refused(status),
            Verdict::False => Self::False,
            Verdict::Ok if status == 301 => Self::Moved,
            Verdict::Ok => Self::Ok,
            Verdict::Missing => Self::NotFound,
            Verdict::Error => Self::Refused(status),
        }
    }
}

/// The detail of a row beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// No detail.
    Nothing,
    /// Why the answer is `false`, missing or an error.
    Reason(ExplainedReason),
    /// The kernel repeats this segment; the number of the repetition.
    SentAgain(Segment, u32),
    /// The HTTP client repeats the request on a new connection.
    Repeated,
    /// The error that Consul answered.
    Problem(Arc<Problem>),
    /// The clean path that the request was redirected to.
    Moved {
        /// The clean path.
        location: String,
    },
    /// A new leader starts the clocks of all sessions again.
    ClocksRestarted,
    /// The LockIndex of the acquire.
    LockIndex(u64),
    /// The write was applied although the session of another client holds the key.
    HeldByOther {
        /// The label of the session.
        session: Arc<str>,
        /// The client that created it.
        owner: Option<ActorTag>,
    },
    /// The write ended the lock of another client, whose session lives on.
    HoldEnded {
        /// The label of the session.
        session: Arc<str>,
        /// The client that created it.
        owner: Option<ActorTag>,
        /// How many more locks of other clients it ended.
        others: usize,
        /// What happened to the key.
        fate: KeyFate,
    },
    /// A session was created.
    Created {
        /// Its label.
        label: Arc<str>,
    },
    /// A session was renewed.
    Renewed {
        /// When its TTL ends.
        expires: Instant,
    },
    /// The entry that a read of one key found.
    Found(Arc<Entry>),
    /// A query waits at the server.
    Parked {
        /// It waits for an index above this one.
        min_index: Index,
        /// The latest time of its answer.
        until: Instant,
    },
    /// A change answered a query.
    Woken {
        /// The index of the answer.
        index: Index,
    },
    /// A query was answered at once, as the index was above its own already.
    IndexPassed {
        /// The index of the answer.
        index: Index,
        /// The index of the query.
        min_index: Index,
    },
    /// The longest wait of a query is over.
    WaitOver,
    /// A session has ended.
    SessionEnded {
        /// Why it ended.
        cause: EndCause,
        /// The keys that it held.
        freed: Vec<String>,
        /// What happened to them.
        fate: KeyFate,
    },
    /// The lock-delay of a key is over.
    LockDelayOver,
    /// A session that the check follows was created.
    FollowedBegan {
        /// The label of the session.
        label: Arc<str>,
    },
    /// A session that the check follows has ended.
    FollowedEnded {
        /// Its label.
        label: Arc<str>,
    },
    /// A client has a node of its own.
    OwnNode,
    /// Why a resource refused a write.
    Rejected(Rejected),
    /// The direction of the message that was lost.
    Lost(Leg),
    /// A call has failed.
    Broken {
        /// How far it had come; `None` for a read with an error, which changes nothing.
        stage: Option<CallStage>,
        /// The error of its HTTP client; `None` if its process has ended.
        error: Option<Arc<str>>,
    },
    /// The report of a program.
    Report(Arc<Report>),
}

/// An event without a call: one of the server, or that a client joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCall {
    /// A session ended.
    SessionEnded {
        /// Its label.
        label: Arc<str>,
    },
    /// A lock-delay is over.
    LockDelayOver {
        /// Its key.
        key: String,
    },
    /// Another server leads.
    LeaderChanged,
    /// The TTL of a check is over.
    CheckLapsed {
        /// Its id.
        check: String,
    },
    /// A session changed the status of a check.
    CheckChanged {
        /// Its id.
        check: String,
    },
    /// A client joined.
    Joined,
}

/// The call or event of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventCall {
    /// A request over HTTP.
    Http {
        /// The request with its sender.
        call: Arc<Call>,
        /// The sessions that the request names, with their labels.
        sessions: Vec<(SessionId, Arc<str>)>,
    },
    /// An event of the server.
    Server(ServerCall),
    /// The beginning of a fault.
    Fault(Fault),
    /// The end of a fault.
    Repair(Fault),
    /// The numbered write of a program to a resource.
    Write {
        /// The resource.
        resource: String,
        /// Counted from 1 for the resource.
        number: u64,
    },
    /// An event of a program.
    Program(ProgramName),
}

/// One row of the event list. Rows are added, never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Counted from 1.
    pub number: usize,
    /// The number of the world's event that made the row.
    pub event: u64,
    /// When it happened.
    pub at: Instant,
    /// The log entry that it made.
    pub index: Option<Index>,
    /// Who caused it.
    pub source: EventSource,
    /// The call or the event.
    pub call: EventCall,
    /// The result.
    pub reply: EventResult,
    /// The detail.
    pub note: Note,
    /// The number of the first event of the reader's act that the row shows, which can be edited
    /// and removed; `None` for other rows. The end of a request has the act of the request,
    /// whatever ended it.
    pub act: Option<u64>,
}

impl EventRow {
    /// Whether the row is a problem, such as a refusal, a fault, an ended session or a lost lock.
    pub fn is_problem(&self) -> bool {
        match &self.reply {
            EventResult::False
            | EventResult::Refused(_)
            | EventResult::Fault
            | EventResult::Rejected
            | EventResult::Critical
            | EventResult::Failed
            | EventResult::NoAnswer => true,
            EventResult::Reported => matches!(
                &self.note,
                Note::Report(it) if matches!(**it, Report::Lost(_) | Report::Failed(_))
            ),
            EventResult::Ended => {
                matches!(self.call, EventCall::Server(ServerCall::SessionEnded { .. }))
            }
            EventResult::True
            | EventResult::Ok
            | EventResult::NotFound
            | EventResult::Moved
            | EventResult::Waits
            | EventResult::Cancelled
            | EventResult::SentAgain
            | EventResult::Joined
            | EventResult::Mended
            | EventResult::Accepted
            | EventResult::Added
            | EventResult::Passing
            | EventResult::Ordered(_) => false,
        }
    }
}
