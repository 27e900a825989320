//! Splits the text of a guide's command into pieces, so that the page can mark the values that were
//! filled in or composed and the placeholders that lack one.

use lictor_view::request_text::quoted;
use serde::{Deserialize, Serialize};

use super::command::{ConsoleCommand, Source};
use super::shell::{Input, Simple};
use super::word::PlaceholderValues;

/// A piece of a command's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPiece {
    pub text: String,
    pub kind: PieceKind,
}

/// Where the text of a piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PieceKind {
    /// Text of the guide.
    Written,
    /// The value of a placeholder.
    Filled,
    /// A semaphore's document, composed of what the sender has read.
    Composed,
    /// The name of a placeholder without a value. The number is that of the step which provides the
    /// value, counted from 0. `None` if the reader does.
    Missing(Option<usize>),
}

/// Splits the text of a command at its placeholders.
pub(super) fn pieces(
    command: &ConsoleCommand,
    kind_of: &dyn Fn(&str) -> PieceKind,
    value: PlaceholderValues<'_>,
) -> Vec<CommandPiece> {
    let (mut pieces, mut done) = (Vec::new(), 0);
    let written = |from: usize, to: usize| {
        let text = command.text.get(from..to).unwrap_or_default();
        CommandPiece { text: without_line_ends(text), kind: PieceKind::Written }
    };
    for (name, span) in command.placeholder_places() {
        if span.start < done || span.end > command.text.len() {
            continue;
        }
        let (text, kind) = match (kind_of(&name), value(&name)) {
            (kind @ PieceKind::Missing(_), _) => (name, kind),
            (kind, Some(text)) => (text, kind),
            // A name that the request does not need, such as the address of the agent.
            (_, None) => continue,
        };
        pieces.extend([written(done, span.start), CommandPiece { text, kind }]);
        done = span.end;
    }
    pieces.push(written(done, command.text.len()));
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The text of a command with the values of its placeholders, each quoted as a shell needs it.
pub(super) fn shell_text(command: &ConsoleCommand, value: PlaceholderValues<'_>) -> String {
    // A here-document has no quotes.
    let document = match &command.source {
        Source::Line(Simple { input: Some(Input::Text(word)), .. }) => word.span.clone(),
        _ => 0..0,
    };
    let is_http = matches!(command.source, Source::Http(_));
    let (mut text, mut done, mut quote) = (String::new(), 0, None);
    for (name, span) in command.placeholder_places() {
        let Some(value) = value(&name).filter(|_| span.start >= done) else { continue };
        let Some(written) = command.text.get(done..span.start) else { continue };
        quote = quote_after(written, quote);
        text += written;
        text += &match quote {
            _ if is_http || document.contains(&(command.start + span.start)) => value,
            None => quoted(&value),
            Some('\'') => value.replace('\'', r"'\''"),
            Some(_) => value.replace('\\', r"\\").replace('"', "\\\"").replace('$', r"\$"),
        };
        done = span.end;
    }
    text + command.text.get(done..).unwrap_or_default()
}

/// The quote that is open after a piece of a command.
fn quote_after(written: &str, before: Option<char>) -> Option<char> {
    let (mut quote, mut is_escaped) = (before, false);
    for c in written.chars() {
        quote = match (c, quote) {
            _ if is_escaped => quote,
            ('\'' | '"', None) => Some(c),
            (c, Some(open)) if c == open => None,
            _ => quote,
        };
        is_escaped = c == '\\' && !is_escaped && quote != Some('\'');
    }
    quote
}

/// Joins the lines of a command that end with a backslash.
fn without_line_ends(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |joined, line| joined + line.trim_start())
}
