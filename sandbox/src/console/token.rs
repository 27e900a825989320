//! One word of a command with its position in the input, so that an error can underline it. `shell`
//! and `http_line` make tokens; the readers of each program take them apart.

use super::error::TextSpan;

/// A piece of a command with its position in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub span: TextSpan,
}
