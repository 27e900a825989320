//! What the page shows as plain comparable values: a row or card for each client, lock, semaphore,
//! session, key and deadline. They contain no texts, as these are enums, and are the same in every
//! language.

pub mod cures;
mod future;
pub mod headline;
pub mod takeover;
mod words;
mod world_view;

use core::time::Duration;
use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::id::{ActorName, CheckId, Index, Key, NodeName, ProgramName, SessionId};
use lictor_core::store::Behavior;
use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_recipes::{Due, FenceKind, Order, Phase};
use lictor_sim::record::{
    ActorTag, DocumentFormat, EndCause, EventCall, EventRow, LockIndexReset, LockIndexStep,
    PrunedHolder, SessionTag,
};
use lictor_sim::timeline::BranchId;
use lictor_sim::{Always, Condition, Cut, Fault, Segment};

pub use future::{ForecastVisibility, SessionFuture, due_events, session_future};
pub use words::{Words, words};
pub use world_view::{WorldView, act_summary, branches, host};

#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod headline_tests;
#[cfg(test)]
mod row_tests;

/// The health of a node according to its own check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Passing,
    Critical,
}

/// A client on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActorRow {
    pub actor: ActorTag,
    pub node: String,
    pub health: Health,
    /// The newest of its live sessions.
    pub session: Option<(SessionId, Arc<str>)>,
    /// The session that its buttons use: the newest live one, or one that has ended while no answer
    /// to the client has shown its end.
    pub session_in_use: Option<SessionId>,
    /// The number of its live sessions.
    pub sessions: usize,
    /// The keys that these sessions hold, by their names on the page.
    pub holds: Vec<String>,
    /// A key that it believes it holds, but does not hold.
    pub wrongly_believes: Option<String>,
    /// What its requests without an answer wait for.
    pub waits: Option<Waits>,
    pub host: HostState,
    pub programs: Vec<ProgramRow>,
}

/// What a client waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A blocking query is at the server.
    ForChange,
    /// Requests or their answers are on the way or lost.
    ForAnswer,
}

/// The faults of a client's host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostState {
    pub condition: Condition,
    /// The cut of its network.
    pub cut: Option<Cut>,
    /// When the cut ends. `None` if nothing ends it.
    pub cut_until: Option<Instant>,
    /// The rate of its clock in thousandths of that of an accurate clock.
    pub clock_rate: u32,
}

/// A program on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRow {
    pub name: ProgramName,
    pub phase: Phase,
    /// The name of its state, as in docs/en/reference/recipes.md.
    pub state: &'static str,
    /// Its next deadline, and the reason.
    pub next: Option<(Instant, Due)>,
}

/// The holder of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHolder {
    pub session: Arc<str>,
    pub tag: SessionTag,
}

/// A running lock-delay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningLockDelay {
    /// Since when the remaining time is known.
    pub armed_at: Instant,
    /// When the session ended. `None` if that was before the beginning of the world.
    pub ended_at: Option<Instant>,
    pub until: Instant,
    pub session: Arc<str>,
    pub cause: EndCause,
}

/// Whether the reason of a refusal still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tense {
    Present,
    Past,
}

/// A lock on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockRow {
    pub key: Key,
    pub holder: Option<KeyHolder>,
    /// LockIndex and ModifyIndex. `None` if the key is deleted.
    pub indexes: Option<(u64, Index)>,
    pub delay: Option<RunningLockDelay>,
    /// The sessions whose clients believe that they hold the lock.
    pub believers: Vec<SessionTag>,
    pub history: Vec<LockIndexStep>,
    pub acquired: usize,
    pub reset: Option<LockIndexReset>,
}

/// A holder or a contender of a semaphore.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HolderRow {
    pub session: Arc<str>,
    pub tag: SessionTag,
    /// Whether the document lists the session.
    pub is_listed: bool,
    /// Whether the contender key exists.
    pub has_key: bool,
    /// Whether the session holds the contender key.
    pub is_attached: bool,
}

/// A semaphore on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemaphoreRow {
    pub prefix: Key,
    pub shape: DocumentFormat,
    pub limit: Option<u64>,
    pub modify_index: Option<Index>,
    pub holders: Vec<HolderRow>,
    pub pruned: Option<PrunedHolder>,
}

/// A session on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub id: SessionId,
    pub tag: SessionTag,
    pub name: Arc<str>,
    pub behavior: Behavior,
    pub clock: Option<SessionClock>,
    /// Its last renewal. `None` if it was not renewed.
    pub renewed: Option<Instant>,
    pub created: Instant,
    pub holds: Vec<String>,
    /// The checks that it is bound to: it ends if one of them fails.
    pub checks: Vec<CheckId>,
    pub ended: Option<(Instant, EndCause)>,
}

/// A health check of the catalog, except for that of a node itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheckRow {
    pub id: CheckId,
    pub node: NodeName,
    /// The name of the sessions that it follows; `None` for any other check.
    pub follows: Option<Arc<str>>,
    pub status: CheckStatus,
    pub since: Instant,
    /// The label of the session whose beginning or end set the status.
    pub by: Option<Arc<str>>,
}

/// A key in the list of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    pub key: Key,
    /// The key as the page names it, with the label of a session in place of its id.
    pub name: String,
    pub lock_index: u64,
    pub modify_index: Index,
    pub holder: Option<KeyHolder>,
    pub preview: String,
}

/// One of the next events after the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upcoming {
    /// It is due if nobody acts.
    Due(Deadline),
    /// It is recorded: the cursor is in the past.
    Recorded(Arc<EventRow>),
}

/// A deadline: an event that will happen without an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadline {
    SessionExpires {
        label: Arc<str>,
    },
    /// A session ends for another reason than its TTL.
    SessionEnds {
        label: Arc<str>,
    },
    LockDelayOver {
        key: String,
    },
    WaitOver {
        actor: ActorName,
    },
    CheckLapses {
        check: String,
    },
    Reap,
    Program {
        actor: ActorName,
        name: ProgramName,
        due: Due,
    },
    FaultBegins {
        fault: Fault,
    },
    FaultEnds {
        fault: Fault,
    },
    /// A kernel sends something again.
    SentAgain {
        call: EventCall,
        actor: ActorName,
        segment: Segment,
    },
}

/// A renewal without an answer, of a session with which a client holds a lock or believes that it
/// does. The kernel of the client or of the server repeats the segment that is not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnansweredRenewal {
    /// When the segment is sent again.
    pub at: Instant,
    /// Whether it is the segment of the request or of the answer.
    pub segment: Segment,
    /// When the segment was first sent.
    pub since: Instant,
    /// How many times it was sent again so far.
    pub number: u32,
    /// When the session ends without it, or has ended.
    pub session_ends: Instant,
    pub session_has_ended: bool,
}

impl UnansweredRenewal {
    /// Whether the session has ended when the segment is sent again.
    pub fn is_late(&self) -> bool {
        self.at >= self.session_ends
    }
}

impl Deadline {
    /// The client that it is about, if it is about one.
    pub fn client(&self) -> Option<&ActorName> {
        match self {
            Self::WaitOver { actor }
            | Self::Program { actor, .. }
            | Self::SentAgain { actor, .. } => Some(actor),
            Self::FaultBegins { fault } | Self::FaultEnds { fault } => fault.actor(),
            Self::SessionExpires { .. }
            | Self::SessionEnds { .. }
            | Self::LockDelayOver { .. }
            | Self::CheckLapses { .. }
            | Self::Reap => None,
        }
    }
}

/// A countdown that has reached a threshold at which it is announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountdownThreshold {
    pub at: Instant,
    pub deadline: Deadline,
    /// The remaining time at the threshold.
    pub left: Duration,
}

/// The results of the checks: broken rules, overlaps and stale writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChecksRow {
    /// The rules that an event could have broken.
    pub tested: Vec<Always>,
    /// Whether any client has believed that it holds a lock.
    pub has_believers: bool,
    /// The rules that were broken, with the time of the first violation.
    pub broken: Vec<(Always, Instant)>,
    /// How many times two clients believed that they held the same lock.
    pub overlaps: usize,
    /// Since when two clients believe so. `None` if none do now.
    pub overlap: Option<Instant>,
    /// The numbers of stale writes that guarded resources accepted and rejected.
    pub stale: (u64, u64),
    /// The kind of token that was required when a stale write was accepted.
    pub stale_fence: Option<FenceKind>,
    /// The number of problems in the forecast.
    pub ahead: usize,
}

impl ChecksRow {
    /// The lines of the panel, in their order.
    pub const LINES: [CheckLine; 8] = [
        CheckLine::Rule(Always::OneHolder),
        CheckLine::Rule(Always::LivingHolder),
        CheckLine::Rule(Always::LimitKept),
        CheckLine::Rule(Always::FenceKept),
        CheckLine::Rule(Always::IndexesGrow),
        CheckLine::Rule(Always::AnsweredOnce),
        CheckLine::OneBeliever,
        CheckLine::StaleWrites,
    ];

    pub fn result(&self, line: CheckLine) -> CheckResult {
        let (is_tested, has_problem) = match line {
            CheckLine::Rule(rule) => {
                let is_broken = self.broken.iter().any(|(broken, _)| *broken == rule);
                (self.tested.contains(&rule), is_broken)
            }
            CheckLine::OneBeliever => (self.has_believers, self.overlaps > 0),
            CheckLine::StaleWrites => (self.stale.1 > 0, self.stale.0 > 0),
        };
        match (is_tested, has_problem) {
            (_, true) => CheckResult::Problem,
            (true, false) => CheckResult::Passed,
            (false, false) => CheckResult::Untested,
        }
    }

    /// How many lines have passed, and of how many that were tested.
    pub fn passed(&self) -> (usize, usize) {
        let count = |wanted: &[CheckResult]| {
            Self::LINES.iter().filter(|line| wanted.contains(&self.result(**line))).count()
        };
        let passed = count(&[CheckResult::Passed]);
        (passed, passed + count(&[CheckResult::Problem]))
    }
}

/// A line of the panel of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckLine {
    Rule(Always),
    /// At most one client believes at a time that it holds a lock.
    OneBeliever,
    /// Guarded resources reject the writes of earlier holders.
    StaleWrites,
}

/// The result of a check. Without a case that it could have failed, it has not passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckResult {
    Untested,
    Passed,
    Problem,
}

/// The branches of the past, in the order in which they began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchList {
    pub all: Vec<BranchRow>,
    pub current: BranchId,
}

/// The name of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchTitle {
    /// The first branch.
    Main,
    /// It begins with this act.
    With(ActSummary),
    /// This act of its parent was removed, undone or edited.
    Without(ActSummary),
    /// It does this act of its parent at another time.
    Moved { act: ActSummary, from: Instant },
    /// It has a name of its own, as the branches of lessons have.
    Named(String),
}

/// An act in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActSummary {
    pub at: Instant,
    /// `None` if no client of the branch is known to do it.
    pub actor: Option<String>,
    pub text: ActText,
}

/// The text of the summary of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActText {
    /// `PUT kv/db/leader?acquire=B`, or the act in the words of the line language.
    Words(String),
    Fault(Fault),
    Repair(Fault),
    Spawn(ProgramName),
    Order {
        program: ProgramName,
        order: Order,
    },
    /// An act that differs only by these parameters from the one that it replaces.
    Edited {
        text: Box<Self>,
        changes: Vec<ActChange>,
    },
}

/// A parameter of an act: an option of a program in the words of the line language, or a member of
/// the body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActChange {
    /// The name of the parameter; empty for the key of a program.
    pub word: String,
    pub value: String,
}

/// One branch as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRow {
    pub id: BranchId,
    /// The name in the log; the page shows `title`.
    pub name: String,
    pub title: BranchTitle,
    /// The branch that it forked off, and the time.
    pub from: Option<(BranchId, Instant)>,
    pub end: Instant,
}

impl HolderRow {
    /// Whether its contender key exists and is locked by its session.
    pub fn is_live(&self) -> bool {
        self.has_key && self.is_attached
    }

    /// Whether it occupies a slot although its contender key is missing or not locked by its
    /// session.
    pub fn is_dead_and_listed(&self) -> bool {
        self.is_listed && !self.is_live()
    }
}

/// The first 80 characters of a value; control characters and bytes that are no text become dots.
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
