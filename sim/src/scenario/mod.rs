//! Scenarios: the files from which lessons are played, with clients, a script of acts, a question
//! whose answer is measured, and an optional fix. Each is a text file in `sim/scenarios`
//! (docs/en/reference/formats.md has the grammar).

mod error;
mod play;
mod read;
mod rehearse;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use self::error::{ScenarioError, ScenarioProblem, Unmet};
pub use self::play::{Cue, MeasuredAnswer, Measurement, Played, Question, Scene};

use lictor_core::id::ActorName;
use lictor_core::time::Instant;

/// The built-in scenarios, in the order of their numbers.
pub const SCENARIOS: [&str; 25] = [
    include_str!("../../scenarios/01-ttl-twice.txt"),
    include_str!("../../scenarios/02-earliest-takeover.txt"),
    include_str!("../../scenarios/03-false-but-free.txt"),
    include_str!("../../scenarios/04-three-exits.txt"),
    include_str!("../../scenarios/05-lock-delay-values.txt"),
    include_str!("../../scenarios/06-advisory.txt"),
    include_str!("../../scenarios/07-release-writes.txt"),
    include_str!("../../scenarios/08-cas-and-acquire.txt"),
    include_str!("../../scenarios/09-acquire-again.txt"),
    include_str!("../../scenarios/10-lock-index-resets.txt"),
    include_str!("../../scenarios/11-behavior-delete.txt"),
    include_str!("../../scenarios/12-renewed-and-lost.txt"),
    include_str!("../../scenarios/13-without-checks.txt"),
    include_str!("../../scenarios/14-crashed-holder.txt"),
    include_str!("../../scenarios/15-two-believers.txt"),
    include_str!("../../scenarios/16-zombie-session.txt"),
    include_str!("../../scenarios/17-failover.txt"),
    include_str!("../../scenarios/18-late-leader.txt"),
    include_str!("../../scenarios/19-semaphore.txt"),
    include_str!("../../scenarios/20-watch-without-news.txt"),
    include_str!("../../scenarios/21-session-check.txt"),
    include_str!("../../scenarios/22-cut-two-seconds.txt"),
    include_str!("../../scenarios/23-cut-fifteen-seconds.txt"),
    include_str!("../../scenarios/24-cut-for-ever.txt"),
    include_str!("../../scenarios/25-election-gap.txt"),
];

/// Whether the fix is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Variant {
    /// As the lesson is played first.
    Plain,
    /// With the change that would have helped.
    Fixed,
}

/// A text in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BilingualText {
    /// In English.
    pub english: String,
    /// In simplified Chinese.
    pub chinese: String,
}

/// A parsed scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// The name in links.
    pub name: String,
    /// Its number, counted from 1.
    pub number: u32,
    /// The issue in which people met this behaviour, such as `consul#1172`.
    pub source: String,
    /// The question as lists of lessons show it.
    pub title: BilingualText,
    /// The situation in one line, for lists of lessons.
    pub preview: BilingualText,
    /// The text of the last page.
    pub conclusion: BilingualText,
    /// The seed of its world.
    pub seed: u64,
    /// The clients, which join at the beginning.
    pub cast: Vec<ActorName>,
    /// The lanes of the timeline that the page shows at first; none for all but those of keys.
    pub lanes: Vec<LessonLane>,
    /// The description of the fix.
    pub fix: BilingualText,
    /// Texts, acts and waits, in order.
    parts: Vec<Numbered<ScenarioPart>>,
    end: Instant,
    /// The expectations at the end, as they are written.
    expectations: Vec<Numbered<String>>,
}

/// A kind of lanes of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LessonLane {
    /// The server and its leader.
    Server,
    /// The keys of locks and their holders.
    Locks,
    /// What each client believes about a lock.
    Beliefs,
    /// The sessions of clients.
    Sessions,
    /// The health checks that clients have registered.
    Checks,
    /// The slots of semaphores.
    Slots,
    /// The keys that clients read.
    Keys,
    /// The writes to guarded resources.
    Resources,
    /// The requests that a cut network has concerned.
    Connections,
}

/// One of the choices of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The value as a measurement returns it: `40s`, `true`, `never`.
    pub value: String,
    /// The text of the choice.
    pub label: BilingualText,
    /// When the answer would occur, if it is a time.
    pub at: Option<Instant>,
}

/// A parsed question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenQuestion {
    text: BilingualText,
    choices: Vec<Choice>,
    /// Why the answer is what it is, to be read after "because".
    reason: BilingualText,
    /// Times count from the first line that has this pattern; from 0 s without one.
    since: Option<String>,
    /// The name of the time from there to the answer.
    span: Option<BilingualText>,
    answer: Measure,
}

/// An item of one variant or of both, with the number of its line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Numbered<T> {
    line: usize,
    /// `None` for both.
    only: Option<Variant>,
    item: T,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum ScenarioPart {
    Chapter(BilingualText),
    /// A sentence about the next event.
    Beat(BilingualText),
    Question(WrittenQuestion),
    /// Waits until this time.
    Wait(Instant),
    TraceLine {
        at: Instant,
        actor: String,
        /// The name for the session that it creates.
        name: Option<String>,
        what: String,
        /// The expected beginning of its outcome.
        outcome: Option<String>,
    },
}

/// How the answer of a question is measured in the trace of the played lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Measure {
    /// The time of the first line that contains this pattern.
    When(String),
    /// The number of lines that contain it.
    Count(String),
    /// The outcome of the first line that contains it.
    Outcome(String),
    /// The first word of this outcome.
    Verdict(String),
    /// The length of the time in which several clients believed that they held the same lock.
    Overlap,
}

impl Variant {
    /// Both variants, the plain one first.
    pub const BOTH: [Self; 2] = [Self::Plain, Self::Fixed];
}

impl<T> Numbered<T> {
    fn is_in(&self, variant: Variant) -> bool {
        self.only.is_none_or(|only| only == variant)
    }

    fn error(&self, problem: impl Into<ScenarioProblem>) -> ScenarioError {
        ScenarioError { line: self.line, problem: problem.into() }
    }
}
