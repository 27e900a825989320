//! Reads a here-document: the lines below a command that are its input, up to a line with a chosen
//! word.

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::text_cursor::{TextCursor, is_blank};
use super::word::Word;

/// The start of a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HereDocument {
    /// The line that ends it.
    end: String,
    /// Whether tabs at the beginning of its lines are dropped: `<<-`.
    drops_tabs: bool,
    /// Whether the word is quoted, so that the shell puts no values into the lines.
    is_raw: bool,
    span: TextSpan,
}

impl HereDocument {
    /// Consumes `<<END`, with quotes around the word or without. `None` if there is no word, or if
    /// its quote is not closed.
    pub(super) fn begin(cursor: &mut TextCursor<'_>) -> Option<Self> {
        let start = cursor.at();
        cursor.eat("<<");
        let drops_tabs = cursor.eat("-");
        cursor.skip_blanks();
        let quote = cursor.peek().filter(|c| matches!(c, '\'' | '"'));
        if quote.is_some() {
            cursor.step();
        }
        let is_end = |c: char| !c.is_alphanumeric() && c != '_' && c != '-' && c != '.';
        let end = cursor.take_while(|c| !is_end(c)).to_owned();
        if quote.is_some() && cursor.step() != quote {
            return None;
        }
        let (is_raw, span) = (quote.is_some(), start..cursor.at());
        (!end.is_empty()).then_some(Self { end, drops_tabs, is_raw, span })
    }

    /// Reads the lines below the command, at the end of whose own line the cursor is. Fails if that
    /// line continues, or if the last line is missing.
    pub(super) fn lines(&self, cursor: &mut TextCursor<'_>) -> Result<Word, CommandError> {
        cursor.take_while(is_blank);
        if cursor.peek() == Some('#') {
            cursor.take_while(|c| c != '\n');
        }
        let is_line_end = cursor.peek() == Some('\n');
        if !is_line_end && !cursor.rest().is_empty() {
            return Err(CommandError::new(ErrorKind::Redirect, self.span.clone()));
        }
        cursor.step();
        let mut text = Word { parts: Vec::new(), span: cursor.at()..cursor.at() };
        let mut is_markup = false;
        loop {
            if cursor.rest().is_empty() {
                let open = ErrorKind::Unfinished(Unclosed::HereDocument);
                return Err(CommandError::new(open, self.span.clone()));
            }
            if self.drops_tabs {
                cursor.take_while(|c| c == '\t');
            }
            if cursor.line().trim_end_matches(is_blank) == self.end {
                text.span.end = cursor.at();
                cursor.take_while(|c| c != '\n');
                if is_markup {
                    text.mark_as_markup(0);
                }
                return Ok(text);
            }
            is_markup |= line(cursor, self.is_raw, &mut text);
        }
    }
}

/// Reads a line with its end and appends it with its names, as in quotes; the lines of a document
/// whose last word is quoted have no `$name`. Returns whether it has other angle brackets, as
/// markup does.
fn line(cursor: &mut TextCursor<'_>, is_raw: bool, text: &mut Word) -> bool {
    let mut is_markup = false;
    while let Some(c) = cursor.peek() {
        if is_raw && c == '$' || !text.take_name(cursor, false) {
            cursor.step();
            is_markup |= matches!(c, '<' | '>');
            text.push(c);
        }
        if c == '\n' {
            break;
        }
    }
    is_markup
}
