//! Errors of scenarios: a line that cannot be parsed (`read`), that does not play as it says
//! (`play`), or an expectation that is not met (`rehearse`).

use alloc::string::String;

use crate::act::ActError;
use crate::checks::{Always, Sometimes};
use crate::trace::{TraceLineError, WordsError};
use lictor_core::time::Instant;

/// What is wrong with a scenario, and in which line of its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ScenarioError {
    pub line: usize,
    pub problem: ScenarioProblem,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioProblem {
    #[error("there is no scenario {0}")]
    UnknownScenario(u32),
    #[error("{text:?} is not a {kind}")]
    Malformed { text: String, kind: &'static str },
    #[error("unknown keyword {0:?}")]
    UnknownKeyword(String),
    #[error("unknown expectation {0:?}")]
    UnknownExpectation(String),
    #[error("the line with {0:?} is missing")]
    MissingKeyword(&'static str),
    #[error("a text needs both languages, separated by |")]
    OneLanguage,
    #[error("a choice, reason or answer without a question")]
    NoQuestion,
    #[error("a question without a reason")]
    NoReason,
    #[error("a question without an answer")]
    NoAnswer,
    #[error(transparent)]
    Line(#[from] TraceLineError),
    #[error(transparent)]
    Words(#[from] WordsError),
    #[error(transparent)]
    Act(#[from] ActError),
    #[error("its time is before that of the line above")]
    BackInTime,
    #[error("it creates no session that could be named")]
    NoSession,
    #[error("its outcome is {actual:?}, not {expected:?}")]
    OtherOutcome { expected: String, actual: String },
    #[error("the answer cannot be measured")]
    NotMeasured,
    #[error("the measured answer {0:?} is not one of the choices")]
    AnswerIsNoChoice(String),
    #[error("the rule {rule:?} is broken at {at}")]
    RuleBroken { rule: Always, at: Instant },
    /// The story follows, line by line, to show what happened instead.
    #[error("{expectation}:{story}")]
    NotMet { expectation: Unmet, story: String },
}

/// An expectation that a played scenario does not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmet {
    #[error("no line contains {0:?}")]
    NoLine(String),
    #[error("a line contains {0:?}")]
    Line(String),
    #[error("{0:?} never happens")]
    NeverSeen(Sometimes),
    #[error("{0:?} happens")]
    Seen(Sometimes),
    #[error("the digest is {0:08x}")]
    OtherDigest(u32),
}
