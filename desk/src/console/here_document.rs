//! Reads a here-document: the lines below a command that are its input, up to a line with a chosen
//! word.

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::placeholders::{NameForm, Placeholders};
use super::text_cursor::{TextCursor, is_blank};
use super::token::Token;

/// The start of a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HereDocument {
    /// The line that ends it.
    end: String,
    /// Whether tabs at the beginning of its lines are dropped: `<<-`.
    drops_tabs: bool,
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
        (!end.is_empty()).then(|| Self { end, drops_tabs, span: start..cursor.at() })
    }

    /// Reads the lines below the command, at the end of whose own line the cursor is. Fails if that
    /// line continues, or if the last line is missing.
    pub(super) fn lines(
        &self,
        cursor: &mut TextCursor<'_>,
        placeholders: &mut Placeholders,
    ) -> Result<Token, CommandError> {
        cursor.take_while(is_blank);
        if cursor.peek() == Some('#') {
            cursor.take_while(|c| c != '\n');
        }
        let is_line_end = cursor.peek() == Some('\n');
        if !is_line_end && !cursor.rest().is_empty() {
            return Err(CommandError::new(ErrorKind::Redirect, self.span.clone()));
        }
        cursor.step();
        let (start, mut text) = (cursor.at(), String::new());
        let (first, mut is_markup) = (placeholders.count(), false);
        loop {
            if cursor.rest().is_empty() {
                let open = ErrorKind::Unfinished(Unclosed::HereDocument);
                return Err(CommandError::new(open, self.span.clone()));
            }
            if self.drops_tabs {
                cursor.take_while(|c| c == '\t');
            }
            if cursor.line().trim_end_matches(is_blank) == self.end {
                let span = start..cursor.at();
                cursor.take_while(|c| c != '\n');
                if !is_markup {
                    placeholders.require_from(first);
                }
                return Ok(Token { text, span });
            }
            is_markup |= line(cursor, placeholders, &mut text)?;
        }
    }
}

/// Reads a line with its end and appends it; names in it become slots, as in quotes. Returns
/// whether it has other angle brackets, as markup does.
fn line(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    text: &mut String,
) -> Result<bool, CommandError> {
    let mut is_markup = false;
    while let Some(c) = cursor.peek() {
        let place = cursor.at();
        match cursor.name() {
            Some((name, span)) if c == '<' => text.push(placeholders.quoted_name(name, span)?),
            Some((name, span)) => text.push(placeholders.name(name, NameForm::Shell, span)?),
            None => {
                cursor.step();
                is_markup |= matches!(c, '<' | '>');
                text.push(placeholders.plain(c, place)?);
            }
        }
        if c == '\n' {
            break;
        }
    }
    Ok(is_markup)
}
