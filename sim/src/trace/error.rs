//! Errors of the line language: a line that cannot be parsed, or words that express no act.

use alloc::string::String;

use lictor_recipes::ProgramError;

/// Why a text is not a line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceLineError {
    /// What follows `#` is not a log index.
    #[error("the index {0:?} is not a number")]
    Index(String),
    /// The word before the actor is not a time in seconds.
    #[error("the time {0:?} is not written like 12.345s")]
    Time(String),
    /// The time, the actor, or what it does is missing.
    #[error("a line has a time, an actor, and what it does")]
    Short,
    /// A quotation mark has no counterpart.
    #[error("a quote is not closed")]
    Quote,
}

/// Why words express no act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// A quotation mark has no counterpart.
    #[error("a quote is not closed")]
    Quote,
    /// No act begins with this word.
    #[error("unknown action {0:?}")]
    Verb(String),
    /// An argument is missing.
    #[error("{verb:?} needs {what}")]
    Missing {
        /// The first word of the act.
        verb: String,
        /// The missing argument.
        what: &'static str,
    },
    /// The act has no such argument.
    #[error("unexpected argument {0:?}")]
    Extra(String),
    /// The value of an argument cannot be read.
    #[error("{name}={text:?} is not a {kind}")]
    Value {
        /// The name of the argument.
        name: String,
        /// Its text.
        text: String,
        /// What was expected, such as `number`.
        kind: &'static str,
    },
    /// The options of a program are wrong.
    #[error("no program for {key:?}: {error}")]
    Program {
        /// The key or the prefix of the program.
        key: String,
        /// What is wrong.
        error: ProgramError,
    },
}
