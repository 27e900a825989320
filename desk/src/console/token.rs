//! A word of a command with its position in the input.

use super::error::TextSpan;

/// A word of a command with its position in the input, which an error underlines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub span: TextSpan,
}
