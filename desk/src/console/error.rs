//! The errors of an input, each with its position. Their sentences are part of the words of each
//! language.

use core::ops::Range;

/// A piece of the input, in bytes.
pub type TextSpan = Range<usize>;

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    pub kind: ErrorKind,
    pub span: TextSpan,
}

/// The kind of an error, with the part of the input that its sentence quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input ends too early, so the Enter key begins a new line and sends nothing.
    Unfinished(Unclosed),
    TooLong,

    // Shell syntax that has no meaning here.
    Pipe,
    Redirect,
    OrElse,
    Substitution,
    CurlyQuote,
    /// A dash in the place of a hyphen.
    Dash,
    /// A `while` or `for` that the page cannot run.
    Loop,
    /// `if` and `case`.
    If,
    /// The definition of a function.
    Function,
    /// `[ ... ]`.
    Test,
    /// A `sleep` without a span.
    Sleep,
    /// A line that `^C` has cut off.
    Interrupted,
    NotText,
    /// A text after the closing bracket of `name=$(...)`.
    AfterBracket,
    /// More than one word after `name=`.
    SeveralValues,

    // Programs and their options.
    UnknownProgram(String),
    /// Another client or language that sends HTTP, with the line.
    OtherClient(String),
    /// `consul session ...`, which does not exist, with the curl command for it.
    ConsulSession(String),
    /// A command of the consul program that is not available.
    ConsulProgram,
    /// `consul watch`.
    ConsulWatch,
    /// Wrong usage, in the words of the consul program.
    ConsulUsage(String),
    /// A misspelt word, and the one that was probably meant.
    DidYouMean {
        written: String,
        meant: &'static str,
    },
    UnknownOption(String),
    ValueMissing(String),
    /// A file that cannot be read, or an input (`@-`, `-`) without a here-document.
    File,
    /// A blank or a control character in an address.
    AddressBlank,
    /// A command is missing.
    NoCommand,
    /// No client is selected, so nothing can send it.
    NoClient,
    NoAddress,
    SecondAddress(String),
    /// Braces or brackets in an address, which curl reads as patterns.
    Pattern,
    Scheme(String),
    Header,
    Method,
    /// `curl -I` with a body.
    HeadWithBody,

    /// A name without a value.
    NoValue(String),
}

/// The construct that is open at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclosed {
    SingleQuote,
    DoubleQuote,
    Bracket,
    /// A backslash at the end of the last line.
    Line,
    /// The last line of a here-document is missing.
    HereDocument,
    /// A loop without its `done`.
    Loop,
}

/// A line and column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    pub line: usize,
    pub column: usize,
}

impl ErrorKind {
    /// The part of the input that its sentence quotes.
    pub(super) fn quoted_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::UnknownProgram(text)
            | Self::OtherClient(text)
            | Self::ConsulSession(text)
            | Self::ConsulUsage(text)
            | Self::DidYouMean { written: text, .. }
            | Self::UnknownOption(text)
            | Self::ValueMissing(text)
            | Self::SecondAddress(text)
            | Self::Scheme(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is about a program that the console does not know.
    pub(super) fn is_of_another_program(&self) -> bool {
        matches!(
            self,
            Self::UnknownProgram(_) | Self::OtherClient(_) | Self::DidYouMean { .. } | Self::Test
        )
    }
}

impl CommandError {
    pub fn new(kind: ErrorKind, span: TextSpan) -> Self {
        Self { kind, span }
    }
}

/// Line and column of a byte of a text. A byte that is not in the text, or not at the beginning of
/// a character, has the position of the end.
pub fn position_of(text: &str, byte: usize) -> TextPosition {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    TextPosition {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        assert_eq!(position_of("curl", 0), TextPosition { line: 1, column: 1 });
        assert_eq!(position_of("a\n键 b", 6), TextPosition { line: 2, column: 3 });
        assert_eq!(position_of("a", 99), TextPosition { line: 1, column: 2 });
    }
}
