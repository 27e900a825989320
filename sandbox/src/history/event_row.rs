//! One row of the event list: the actor or server, its call or event, the result and the reason. A
//! row is independent of the language: its content is enums, for which `i18n` has the words.
//! `calls` and `client_events` make the rows.

use std::sync::Arc;

use lictor_core::error::Reason;
use lictor_core::http::HttpRequest;
use lictor_core::id::{Index, ProgramName, SessionId};
use lictor_core::time::Instant;
use lictor_recipes::{Order, Report};
use lictor_sim::{Fault, Leg, Outcome, Rejected, Verdict};

use super::session::EndCause;
use super::tags::ActorTag;

/// The actor or server that caused a row of the event list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventSource {
    Server,
    Actor(ActorTag),
}

/// A reason with the values of its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedReason {
    pub reason: Reason,
    /// The time of the answer; remaining times count from here.
    pub at: Instant,
    /// The name of the session that the reason is about, and its owner.
    pub session: Arc<str>,
    pub owner: Option<ActorTag>,
    /// Why that session ended, if the reason is that it did.
    pub ended: Option<EndCause>,
}

/// The result of a row in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventResult {
    True,
    False,
    Ok,
    NotFound,
    /// Redirected to the clean form of its path; nothing was done.
    Moved,
    Refused(u16),
    Waits,
    Cancelled,
    Ended,
    Joined,
    /// A fault began, or was repaired.
    Fault,
    Mended,
    /// Whether a guarded resource accepted a write.
    Accepted,
    Rejected,
    /// No answer arrives, so the sender does not know whether the request was applied.
    NoAnswer,
    /// A client got a program, which does nothing before it is started.
    Added,
    /// A program was started, or stopped.
    Ordered(Order),
    /// A report of a program.
    Says,
    /// The status that a check got from a session that it follows.
    Passing,
    Critical,
}

impl From<&Outcome> for EventResult {
    fn from(outcome: &Outcome) -> Self {
        let status = outcome.response.status;
        match outcome.verdict() {
            Verdict::True => Self::True,
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
    Nothing,
    Reason(ExplainedReason),
    /// Consul's own text.
    Consul(String),
    /// The path has characters that cannot be printed; Consul sends no text.
    UnprintablePath,
    /// The query string is not form-encoded; Consul sends no text.
    UndecodableQuery,
    /// The clean path that the request was redirected to.
    Moved {
        location: String,
    },
    /// A new leader starts the clocks of all sessions again.
    ClocksRestarted,
    LockIndex(u64),
    Created {
        label: Arc<str>,
    },
    Renewed {
        expires: Instant,
    },
    Parked {
        min_index: Index,
        until: Instant,
    },
    Woken {
        index: Index,
    },
    WaitOver,
    SessionEnded {
        cause: EndCause,
        freed: Vec<String>,
    },
    LockDelayOver,
    /// A session that a check follows began or ended.
    FollowedBegan {
        label: Arc<str>,
    },
    FollowedEnded {
        label: Arc<str>,
    },
    OwnNode,
    Rejected(Rejected),
    Lost(Leg),
    Said(Arc<Report>),
}

/// An event that the server caused without a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCall {
    SessionEnded { label: Arc<str> },
    LockDelayOver { key: String },
    LeaderChanged,
    CheckLapsed { check: String },
    CheckChanged { check: String },
    Joined,
}

/// The call or event of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventCall {
    Http {
        request: Arc<HttpRequest>,
        /// The sessions that the request names, with their labels.
        sessions: Vec<(SessionId, Arc<str>)>,
    },
    Server(ServerCall),
    Fault(Fault),
    /// The end of a fault.
    Repair(Fault),
    /// The numbered write of a program to a resource.
    Write {
        resource: String,
        number: u64,
    },
    Program(ProgramName),
}

/// One row of the event list. Rows are added, never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    /// Counted from 1.
    pub number: usize,
    /// The number of the world's event that made the row.
    pub event: u64,
    pub at: Instant,
    pub index: Option<Index>,
    pub source: EventSource,
    pub call: EventCall,
    pub reply: EventResult,
    pub note: Note,
    /// Whether it is an act of the reader, which can be edited and removed.
    pub is_act: bool,
}

impl EventRow {
    /// Whether the row is a problem: a refusal, a fault, a rejected write, a lost lock.
    pub fn is_problem(&self) -> bool {
        match &self.reply {
            EventResult::False
            | EventResult::Refused(_)
            | EventResult::Fault
            | EventResult::Rejected
            | EventResult::Critical
            | EventResult::NoAnswer => true,
            EventResult::Says => matches!(
                &self.note,
                Note::Said(it) if matches!(**it, Report::Lost(_) | Report::Failed(_))
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
            | EventResult::Joined
            | EventResult::Mended
            | EventResult::Accepted
            | EventResult::Added
            | EventResult::Passing
            | EventResult::Ordered(_) => false,
        }
    }
}
