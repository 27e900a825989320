//! Errors of scenarios, each with its line: it cannot be parsed, an act does not have its stated
//! outcome, or an expectation is not met.

use alloc::string::String;

use lictor_core::time::Instant;

use crate::act::ActError;
use crate::checks::{Always, Sometimes};
use crate::trace::{TraceLineError, WordsError};

/// What is wrong with a scenario, and in which line of its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScenarioError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: ScenarioProblem,
}

/// What is wrong with a line of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioProblem {
    /// No built-in scenario has this number.
    #[error("there is no scenario {0}")]
    UnknownScenario(u32),
    /// A text cannot be read as what is expected at its place.
    #[error("{text:?} is not a {kind}")]
    Malformed {
        /// The text.
        text: String,
        /// What is expected, such as `number`.
        kind: &'static str,
    },
    /// No line of a scenario begins with this word.
    #[error("unknown keyword {0:?}")]
    UnknownKeyword(String),
    /// There is no expectation of this kind.
    #[error("unknown expectation {0:?}")]
    UnknownExpectation(String),
    /// A scenario needs a line with this keyword.
    #[error("the line with {0:?} is missing")]
    MissingKeyword(&'static str),
    /// A text is there in one language only.
    #[error("a text needs both languages, separated by |")]
    OneLanguage,
    /// A line belongs to a question, but none is open.
    #[error("a choice, reason or answer without a question")]
    NoQuestion,
    /// The question before this line has no reason.
    #[error("a question without a reason")]
    NoReason,
    /// The question before this line has no answer.
    #[error("a question without an answer")]
    NoAnswer,
    /// It is not a line of the line language.
    #[error(transparent)]
    Line(#[from] TraceLineError),
    /// Its words express no act.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The world refuses its act.
    #[error(transparent)]
    Act(#[from] ActError),
    /// Acts are in the order of time.
    #[error("its time is before that of the line above")]
    BackInTime,
    /// It names a session, but its act creates none.
    #[error("it creates no session that could be named")]
    NoSession,
    /// The outcome in the world is not that of the line.
    #[error("its outcome is {actual:?}, not {expected:?}")]
    OtherOutcome {
        /// The beginning of the outcome in the scenario.
        expected: String,
        /// The outcome in the world.
        actual: String,
    },
    /// No line of the trace has the pattern of the question.
    #[error("the answer cannot be measured")]
    NotMeasured,
    /// No line of the trace has the pattern of a question, with or without the fix: such a pattern
    /// proves neither that something never happens nor that it happens 0 times.
    #[error("no line contains {0:?}, with or without the fix")]
    MatchesNothing(String),
    /// No clients believe at the same time that they hold the lock, with or without the fix.
    #[error("no beliefs overlap, with or without the fix")]
    NoOverlap,
    /// No choice of the question is the measured answer.
    #[error("the measured answer {0:?} is not one of the choices")]
    AnswerIsNoChoice(String),
    /// The played world breaks a safety rule.
    #[error("the rule {rule:?} is broken at {at}")]
    RuleBroken {
        /// The rule.
        rule: Always,
        /// The time of the event that broke it.
        at: Instant,
    },
    /// An expectation is not met.
    #[error("{expectation}:{trace}")]
    NotMet {
        /// The expectation.
        expectation: Unmet,
        /// The trace, to show what happened instead.
        trace: String,
    },
}

/// An expectation that a played scenario does not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmet {
    /// Some line has to contain this pattern.
    #[error("no line contains {0:?}")]
    NoLine(String),
    /// No line may contain this pattern.
    #[error("a line contains {0:?}")]
    Line(String),
    /// This has to occur.
    #[error("{0:?} never happens")]
    NeverSeen(Sometimes),
    /// This must not occur.
    #[error("{0:?} happens")]
    Seen(Sometimes),
    /// The checksum of the trace is this one.
    #[error("the digest is {0:08x}")]
    OtherDigest(u32),
}
