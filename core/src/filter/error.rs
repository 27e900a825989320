//! Why a text is no filter of a type of rows, in Consul's words where Consul answers.

use alloc::string::String;

use thiserror::Error;

use crate::id::go_quoted;
use crate::regexp::RegexpError;
use crate::strconv::ValueError;

/// Why a text is no filter of a type of rows (FLT-03, FLT-04).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FilterError {
    /// It does not have the syntax of a filter.
    #[error("{0}")]
    Syntax(String),
    /// It has too many parentheses inside each other; Consul would not answer.
    #[error("Parentheses are nested too deeply")]
    TooDeep,
    /// The rows have no such field.
    #[error("Selector {} is not valid", go_quoted(.0))]
    Selector(String),
    /// The field is of a type that the operator cannot be used with.
    #[error(
        "Invalid match operator {} for selector {}",
        go_quoted(.operator), go_quoted(.selector)
    )]
    Operator {
        /// The operator by its name.
        operator: &'static str,
        /// The field.
        selector: String,
    },
    /// The field is of a type that has no such value.
    #[error(
        "Failed to coerce value {} for selector {}: {error}",
        go_quoted(.value), go_quoted(.selector)
    )]
    Value {
        /// The value.
        value: String,
        /// The field.
        selector: String,
        /// What is wrong with the value.
        error: ValueError,
    },
    /// The value of `matches` is no regular expression.
    #[error("Failed to compile regular expression {}: {error}", go_quoted(.pattern))]
    Pattern {
        /// The value.
        pattern: String,
        /// What is wrong with it.
        error: RegexpError,
    },
}

impl FilterError {
    /// Whether the text is no filter at all, whatever the rows are.
    pub fn is_of_syntax(&self) -> bool {
        matches!(self, Self::Syntax(_) | Self::TooDeep)
    }
}
