//! One word of a command with its position in the input, so that an error can underline it.

use super::error::TextSpan;

/// A piece of a command with its position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub span: TextSpan,
}
