//! Errors of the line language: a line that cannot be read, or words that name no act.

use alloc::string::String;

/// Why a text is no line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("the index {0:?} is no number")]
    Index(String),
    #[error("the time {0:?} is none: it is written like 12.345s")]
    Time(String),
    #[error("a line has a time, an actor, and what it does")]
    Short,
    #[error("a quote is not closed")]
    Quote,
}

/// Why words say nothing that can be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("a quote is not closed")]
    Quote,
    #[error("nobody can do {0:?}")]
    Verb(String),
    #[error("{verb:?} needs {what}")]
    Missing { verb: String, what: &'static str },
    #[error("{0:?} does not belong here")]
    Extra(String),
    #[error("{name}={text:?} is no {kind}")]
    Value { name: String, text: String, kind: &'static str },
    #[error("no program for {key:?}: {error}")]
    Program { key: String, error: String },
}
