//! One row of the event list: which actor or the server did what, with which result and reason. A
//! row knows no language: what it says is a case of an enum, and `i18n` turns it into words. The
//! rows are made by `events` and `world`, beside this file.

use std::sync::Arc;

use lictor_core::error::{Cause, Reason};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Index, ProgramName};
use lictor_core::time::Instant;
use lictor_recipes::Report;
use lictor_sim::{Fault, Rejected};

use crate::badge::Badge;

/// An actor, as it is named beside what it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    pub name: ActorName,
    pub badge: Badge,
}

/// A session as it is named on the page: `A`, `A2` after its owner, or the start of its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTag {
    pub label: Arc<str>,
    pub owner: Option<Who>,
}

/// Who did what a row of the event list tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Server,
    Actor(Who),
}

/// A reason with what its sentence needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    pub reason: Reason,
    /// When the reason was given: time left counts from here.
    pub at: Instant,
    /// The name of the session that the reason is about, and its owner.
    pub session: Arc<str>,
    pub owner: Option<Who>,
}

/// How a call or a happening ended, in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    True,
    False,
    Ok,
    NotFound,
    Refused(u16),
    Waits,
    Cancelled,
    Ended,
    Joined,
    /// Something went wrong, or is right again.
    Fault,
    Mended,
    /// What a guarded resource said of a write.
    Accepted,
    Rejected,
    /// No answer comes, and who asked does not know what became of it.
    NoAnswer,
    /// A program says something.
    Says,
}

/// What a row of the event list says beside its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    Nothing,
    Why(Why),
    /// Consul's own text.
    Consul(String),
    LockIndex(u64),
    Created {
        label: Arc<str>,
    },
    TimerBack {
        ends: Instant,
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
        cause: Cause,
        freed: Vec<String>,
    },
    LockDelayOver,
    OwnNode,
    Rejected(Rejected),
    Lost(LostHalf),
    Said(Arc<Report>),
}

/// Which half of a call was lost, and so whether the request took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostHalf {
    Request,
    Answer,
}

/// Something that the server did by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCall {
    SessionEnded { label: Arc<str> },
    LockDelayOver { key: String },
    CheckLapsed { check: String },
    Joined,
}

/// What was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Http {
        short: String,
        request: Arc<HttpRequest>,
    },
    Server(ServerCall),
    Fault(Fault),
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
    /// The moment of the world that it tells.
    pub moment: u64,
    pub at: Instant,
    pub index: Option<Index>,
    pub source: Source,
    pub call: Call,
    pub reply: Reply,
    pub note: Note,
}

impl EventRow {
    /// Whether it tells of something that somebody did not want.
    pub fn is_problem(&self) -> bool {
        match &self.reply {
            Reply::False | Reply::Refused(_) | Reply::Fault | Reply::Rejected | Reply::NoAnswer => {
                true
            }
            Reply::Says => matches!(
                &self.note,
                Note::Said(it) if matches!(**it, Report::Lost(_) | Report::Failed(_))
            ),
            Reply::Ended => matches!(self.call, Call::Server(ServerCall::SessionEnded { .. })),
            Reply::True
            | Reply::Ok
            | Reply::NotFound
            | Reply::Waits
            | Reply::Cancelled
            | Reply::Joined
            | Reply::Mended
            | Reply::Accepted => false,
        }
    }

    /// Whether the row has the text, whatever its case, in what it says of actor, call or key.
    pub fn matches(&self, wanted: &str, said: &[&str]) -> bool {
        let wanted = wanted.to_lowercase();
        let actor = match &self.source {
            Source::Server => "",
            Source::Actor(who) => who.name.as_str(),
        };
        let target = match &self.call {
            Call::Http { request, .. } => request.target.as_str(),
            Call::Write { resource, .. } => resource,
            Call::Program(name) => name.as_str(),
            Call::Server(_) | Call::Fault(_) => "",
        };
        let texts = [actor, target].into_iter().chain(said.iter().copied());
        texts.into_iter().any(|text| text.to_lowercase().contains(&wanted))
    }
}
