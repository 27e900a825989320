//! Calls of clients, as plain types: what was sent and decoded once, and how it was answered, with
//! what Consul does not state. All events of a call share it.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::engine::{Event, SessionClock, Wake};
use lictor_core::error::{Cause, Reason};
use lictor_core::http::{self, AnswerKind, BadRequest, HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Index, Key, ProgramName, RequestId, SessionId};
use lictor_core::message::{Answer, Failure, Operation, Refusal, Response};
use lictor_core::store::{Change, Entry, Found};
use lictor_recipes::CallId;
use serde::{Deserialize, Serialize};

use crate::link::Leg;
use crate::tcp::{ConnectionId, Ends, HttpClient, NetworkError};

/// The ports that a client uses for its connections.
const FIRST_PORT: u64 = 32_768;
const PORTS: u64 = 28_232;

/// A call of a client: a request with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its number in the world.
    pub id: RequestId,
    /// The client.
    pub actor: ActorName,
    /// Its user or a program.
    pub caller: Caller,
    /// The request as the client sends it.
    pub request: Arc<HttpRequest>,
    /// What the client's agent reads in the request, or why it refuses it. It is decoded once, when
    /// it is sent: neither the agent nor its version changes, and faults do not change a request.
    pub decoded: Result<http::Call, BadRequest>,
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

/// How far a call really is, whatever its caller knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallStage {
    /// The request is travelling to the server.
    Sent,
    /// It waits at the server.
    Waits,
    /// It was carried out, and the answer is travelling to the caller.
    Done,
    /// The request or its answer is lost. No answer will come, unless a link that duplicates
    /// requests delivers a copy of it later.
    Lost(Leg),
}

/// Why an HTTP client reports an error in place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFailure {
    /// What happened to the connection.
    pub error: NetworkError,
    /// The HTTP client.
    pub http: HttpClient,
    /// The connection.
    pub connection: ConnectionId,
}

/// The answer to a call, with what Consul does not state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The answer, or why it is an error.
    pub answer: Result<Response, Problem>,
    /// The answer as the client receives it.
    pub response: HttpResponse,
    /// What the request has changed.
    pub effects: Effects,
    /// The event that the reason refers to: the lock was taken, the key changed, the session ended.
    pub because: Option<CausedBy>,
    /// How long the answer was waited for, if it was a blocking query that did not answer at once.
    pub waited: Option<Duration>,
    /// Why a blocking query was answered.
    pub wake: Option<Wake>,
}

/// What a request has changed, as far as its answer does not state it. Of several changes by one
/// transaction it has the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// Its log entry.
    pub logged: Option<Index>,
    /// The LockIndex of the key that it locked.
    pub locked: Option<u64>,
    /// The TTL clock that it started.
    pub clock: Option<SessionClock>,
    /// The session that it ended.
    pub ended: Option<SessionId>,
}

/// An answer in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// A write that was applied, or a transaction that succeeded.
    True,
    /// A write or a transaction that the stored state does not allow.
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
    /// The agent could not decode it. Some of its answers, such as a redirect, are no errors.
    BadRequest(BadRequest),
    /// The server did not carry it out.
    Refused(Refusal),
}

/// The event that caused something, and its actor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CausedBy {
    /// The number of the event.
    pub event: u64,
    /// `None` if no client caused it.
    pub by: Option<ActorName>,
}

impl Call {
    /// The operation that the server is asked for; `None` if the agent refuses the request.
    pub fn operation(&self) -> Option<&Operation> {
        self.decoded.as_ref().ok().map(|decoded| &decoded.request.operation)
    }

    /// The key that the call reads or writes, or the prefix of its keys.
    pub fn key(&self) -> Option<&Key> {
        self.operation()?.key()
    }

    /// The error of the call in the words of its HTTP client.
    pub fn failure_text(&self, failure: &CallFailure) -> String {
        let ends = Ends {
            host: self.actor.as_str(),
            port: FIRST_PORT + failure.connection.0 % PORTS,
            target: &self.request.target,
        };
        failure.error.text(failure.http, &ends)
    }

    /// What its caller learns if it fails without an answer.
    pub(crate) fn failure(&self, failure: Option<CallFailure>) -> Failure {
        let Some(failure) = failure else { return Failure::Unreachable };
        Failure::Network(self.failure_text(&failure))
    }

    /// The entries that an answer to the call shows with their keys and holders. A raw value has
    /// neither.
    pub fn entries_in<'a>(&self, outcome: &'a Outcome) -> &'a [Arc<Entry>] {
        let (Ok(decoded), Ok(response)) = (&self.decoded, &outcome.answer) else { return &[] };
        match &response.answer {
            Answer::Found(Found::Entries(entries)) => entries,
            Answer::Found(Found::Entry(Some(entry)))
                if decoded.format.kind != AnswerKind::RawValue =>
            {
                core::slice::from_ref(entry)
            }
            _ => &[],
        }
    }
}

impl Effects {
    /// Adds an event of the server that the request has caused.
    pub(crate) fn add(&mut self, index: Index, event: &Event) {
        match event {
            Event::Logged => self.logged = Some(index),
            Event::Renewed { clock, .. } => self.clock = Some(*clock),
            Event::Changed(Change::KeyWritten { before, after }) => {
                let was_held = before.as_ref().is_some_and(|entry| entry.hold.is_some());
                if after.hold.is_some() && !was_held {
                    self.locked = Some(after.lock_index);
                }
            }
            Event::Changed(Change::SessionEnded { session, cause: Cause::Requested, .. }) => {
                self.ended = Some(session.id);
            }
            _ => {}
        }
    }
}

impl Problem {
    /// The text of Consul's error, without the line feed with which some texts end.
    pub fn text(&self) -> String {
        match self {
            Self::BadRequest(refused) => refused.text().trim_end_matches('\n').into(),
            Self::Refused(refusal) => refusal.error.to_string(),
        }
    }
}

impl Outcome {
    /// The answer in one word.
    pub fn verdict(&self) -> Verdict {
        match &self.answer {
            Ok(Response { answer: Answer::Flag(true), .. }) => Verdict::True,
            Ok(Response { answer: Answer::Flag(false), .. }) => Verdict::False,
            Ok(Response { answer: Answer::Txn { outcome, .. }, .. }) => match outcome {
                Ok(_) => Verdict::True,
                Err(_) => Verdict::False,
            },
            Ok(Response { answer: Answer::Found(found), .. })
                if found.is_missing() || self.response.status == 404 =>
            {
                Verdict::Missing
            }
            Ok(_) => Verdict::Ok,
            Err(Problem::BadRequest(refused)) if refused.status() < 400 => Verdict::Ok,
            Err(_) => Verdict::Error,
        }
    }

    /// The index of a read, or of the log entry of a write; `None` if the answer has none.
    pub fn index(&self) -> Option<Index> {
        let index = self.answer.as_ref().ok()?.index;
        (index > Index::ZERO).then_some(index)
    }

    /// Why the answer is `false`, missing or an error.
    pub fn reason(&self) -> Option<&Reason> {
        match &self.answer {
            Ok(response) => response.reason.as_ref(),
            Err(Problem::Refused(refusal)) => refusal.reason.as_deref(),
            Err(Problem::BadRequest(_)) => None,
        }
    }

    /// Why the request was refused.
    pub fn problem(&self) -> Option<&Problem> {
        self.answer.as_ref().err()
    }
}
