//! Errors of the line language: a line that cannot be parsed, or words that express no act.
//! `TraceLine::parse` and `act_of` return them.

use alloc::string::String;

use lictor_recipes::ProgramError;

/// Why a text is not a line of a story.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceLineError {
    #[error("the index {0:?} is not a number")]
    Index(String),
    #[error("the time {0:?} is not written like 12.345s")]
    Time(String),
    #[error("a line has a time, an actor, and what it does")]
    Short,
    #[error("a quote is not closed")]
    Quote,
}

/// Why words express no act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("a quote is not closed")]
    Quote,
    #[error("unknown action {0:?}")]
    Verb(String),
    #[error("{verb:?} needs {what}")]
    Missing { verb: String, what: &'static str },
    #[error("unexpected argument {0:?}")]
    Extra(String),
    #[error("{name}={text:?} is not a {kind}")]
    Value { name: String, text: String, kind: &'static str },
    #[error("no program for {key:?}: {error}")]
    Program { key: String, error: ProgramError },
}
