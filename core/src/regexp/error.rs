//! Why a text is no regular expression, or one that is not supported, in the words of Go's
//! `regexp`.

use alloc::string::String;

use thiserror::Error;

/// Why an expression is refused, with the part of it that is at fault. Only the text about Unicode
/// classes is not Go's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("error parsing regexp: {fault}: `{part}`")]
pub struct RegexpError {
    fault: Fault,
    part: String,
}

/// What is wrong with a part of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Fault {
    #[error("invalid character class range")]
    Range,
    #[error("invalid escape sequence")]
    Escape,
    #[error("invalid named capture")]
    Name,
    #[error("invalid or unsupported Perl syntax")]
    Flags,
    #[error("invalid nested repetition operator")]
    NestedRepetition,
    #[error("invalid repeat count")]
    Count,
    #[error("missing closing ]")]
    OpenClass,
    #[error("missing closing )")]
    OpenGroup,
    #[error("missing argument to repetition operator")]
    NothingToRepeat,
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    #[error("unexpected )")]
    ClosedGroup,
    #[error("expression nests too deeply")]
    Depth,
    #[error("expression too large")]
    Size,
    /// Go has the tables for them.
    #[error("this server has no Unicode classes")]
    UnicodeClass,
}

pub(super) fn error<T>(fault: Fault, part: &str) -> Result<T, RegexpError> {
    Err(RegexpError { fault, part: part.into() })
}
