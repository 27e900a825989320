//! Display rows: plain values that compare, made from the core's records. They know no language:
//! what is to be said is kept as a case of an enum, and the text table turns it into words.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::error::{Cause, Reason};
use lictor_core::fold;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Index, Key, ProgramName, SessionId};
use lictor_core::recipe::{Due, Phase, Report};
use lictor_core::sim::timeline::BranchId;
use lictor_core::sim::{Always, Condition, Fault, Rejected};
use lictor_core::store::Behavior;
use lictor_core::time::Instant;

use crate::ui::Badge;

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

/// The health of a node, as far as its own check tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Passing,
    Critical,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorRow {
    pub who: Who,
    pub node: String,
    pub health: Health,
    /// The newest of its sessions that lives.
    pub session: Option<(SessionId, Arc<str>)>,
    /// What it holds, as the page names it.
    pub holds: Vec<String>,
    /// A key that it takes itself to hold, and does not.
    pub misbelieves: Option<String>,
    /// How many of its requests wait.
    pub waiting: usize,
    pub ails: Ails,
    pub programs: Vec<ProgramRow>,
}

/// What is wrong with a client's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ails {
    pub condition: Condition,
    pub link: LinkState,
    /// The seconds of its clock in a thousand true ones.
    pub clock_rate: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    Whole,
    Cut,
}

/// A program on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRow {
    pub name: ProgramName,
    pub phase: Phase,
    /// The name of its state, as docs/recipes.md has it.
    pub state: &'static str,
    /// When it next acts by itself, and why.
    pub next: Option<(Instant, Due)>,
}

/// The holder of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub session: Arc<str>,
    pub tag: SessionTag,
}

/// A lock-delay that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    pub armed_at: Instant,
    pub until: Instant,
    pub session: Arc<str>,
    pub cause: Cause,
}

/// Why a LockIndex started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    Deleted(Instant),
    Written(Instant),
}

impl Reset {
    pub fn at(&self) -> Instant {
        match self {
            Self::Deleted(at) | Self::Written(at) => *at,
        }
    }
}

/// One value of a LockIndex, in the order in which it took them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryStep {
    pub lock_index: u64,
    /// Set on the first step after the count started again.
    pub after_reset: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRow {
    pub key: Key,
    pub holder: Option<Holder>,
    /// Lock and modify index; none when the key is deleted.
    pub indexes: Option<(u64, Index)>,
    pub delay: Option<Delay>,
    /// Who takes itself for the holder.
    pub believers: Vec<SessionTag>,
    pub history: Vec<HistoryStep>,
    pub acquired: usize,
    pub reset: Option<Reset>,
}

/// How a semaphore document writes its holders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As in the published guide.
    List,
    /// As the Go client writes it (RCS-03).
    Map,
    Unreadable,
    /// There is no document.
    Missing,
}

/// A badge of a semaphore's holder: there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Present,
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderRow {
    pub session: Arc<str>,
    pub tag: SessionTag,
    pub listed: Presence,
    pub key: Presence,
    pub attached: Presence,
}

/// A holder that a check-and-set took off the list after its session had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruned {
    pub label: Arc<str>,
    pub by: Arc<str>,
    pub index: Index,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemaphoreRow {
    pub prefix: Key,
    pub shape: Shape,
    pub limit: Option<u64>,
    pub modify_index: Option<Index>,
    pub holders: Vec<HolderRow>,
    pub pruned: Option<Pruned>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub id: SessionId,
    pub tag: SessionTag,
    pub name: Arc<str>,
    pub behavior: Behavior,
    pub clock: Option<SessionClock>,
    pub holds: Vec<String>,
    pub ended: Option<(Instant, Cause)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    pub key: Key,
    pub lock_index: u64,
    pub modify_index: Index,
    pub holder: Option<Holder>,
    pub preview: String,
}

/// Something that will happen by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadline {
    SessionEnds { label: Arc<str> },
    LockDelayOver { key: String },
    WaitOver { actor: ActorName },
    CheckLapses { check: String },
    Reap,
    Program { name: ProgramName, due: Due },
}

/// A countdown that has come so far that it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    pub at: Instant,
    pub deadline: Deadline,
    /// How much was left then.
    pub left: Duration,
}

/// One step of the chain that led to a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainStep {
    Held { at: Instant, label: Arc<str> },
    Ended { at: Instant, label: Arc<str>, cause: Cause },
    LockDelay { until: Instant, span: Duration },
    Got { at: Instant, actor: ActorName, reply: Reply },
}

/// The latest refusal, with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub reply: Reply,
    /// What was asked for, if it was about one key.
    pub key: Option<Key>,
    pub note: Note,
    pub chain: Vec<ChainStep>,
}

/// Whether all went as it must.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChecksRow {
    /// The rules that were broken, with when that was seen first.
    pub broken: Vec<(Always, Instant)>,
    /// How often two believed to hold the same lock, and since when they do.
    pub overlaps: usize,
    pub overlap: Option<Instant>,
    /// Stale writes that guarded resources let in, and kept out.
    pub stale: (u64, u64),
    /// How many problems lie ahead.
    pub ahead: usize,
}

/// The branches of the past, in the order in which they began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branches {
    pub all: Vec<BranchRow>,
    pub current: BranchId,
}

/// One branch as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRow {
    pub id: BranchId,
    pub name: String,
    /// Which branch it left, and when.
    pub from: Option<(BranchId, Instant)>,
    pub end: Instant,
}

impl HolderRow {
    /// Whether its contender key is there with its session attached.
    pub fn is_live(&self) -> bool {
        self.key == Presence::Present && self.attached == Presence::Present
    }

    /// Whether it takes a slot without being alive.
    pub fn is_dead_and_listed(&self) -> bool {
        self.listed == Presence::Present && !self.is_live()
    }
}

impl From<bool> for Presence {
    fn from(present: bool) -> Self {
        if present { Self::Present } else { Self::Missing }
    }
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
        let wanted = fold::lower(wanted);
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
        texts.into_iter().any(|text| fold::lower(text).contains(&wanted))
    }
}

/// The start of a value, printable: what is not text is shown as dots.
pub fn preview(value: &[u8]) -> String {
    const LONGEST: usize = 80;
    let text = String::from_utf8_lossy(&value[..value.len().min(4 * LONGEST)]);
    let shown = text.chars().take(LONGEST);
    shown.map(|c| if c.is_control() || c == '\u{fffd}' { '·' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_short_and_printable() {
        assert_eq!(preview(b"{\"Limit\":2}"), "{\"Limit\":2}");
        assert_eq!(preview(b"a\n\x00b"), "a··b");
        assert_eq!(preview(&[b'x'; 5000]).len(), 80);
        assert_eq!(preview("键".repeat(500).as_bytes()).chars().count(), 80);
    }
}
