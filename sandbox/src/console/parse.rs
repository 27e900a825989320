//! Reads a whole input into commands before anything is sent, so that an error in the last line
//! stops the first. Placeholders stay open: their values come from the answers in between.

use super::assignment::{self, AssignedFrom, Assignment};
use super::command::{Command, CommandKind};
use super::error::{CommandError, ErrorKind};
use super::jq::JqFilter;
use super::placeholders::Placeholders;
use super::text_cursor::TextCursor;
use super::{http_line, program, shell};

/// The longest input that is read: twice what the largest value of a key needs.
const LONGEST: usize = 1 << 20;
/// The most commands in one input.
const MOST: usize = 1_000;

/// Takes an input apart. One fault anywhere and nothing of it runs.
pub fn read(text: &str) -> Result<Vec<Command>, CommandError> {
    if text.len() > LONGEST {
        return Err(CommandError::new(ErrorKind::TooLong, 0..0));
    }
    let mut cursor = TextCursor::new(text);
    let mut commands = Vec::new();
    while cursor.skip_between() {
        if commands.len() == MOST {
            return Err(CommandError::new(ErrorKind::TooLong, cursor.at()..text.len()));
        }
        commands.push(command(&mut cursor)?);
    }
    Ok(commands)
}

/// Whether Enter should open a new line instead of sending: a quote, a bracket or a line is still
/// open.
pub fn is_unfinished(text: &str) -> bool {
    match read(text) {
        Err(error) => matches!(error.kind, ErrorKind::Unfinished(_)),
        Ok(commands) => commands.last().is_some_and(|last| match &last.kind {
            CommandKind::Ask(draft) => draft.awaits.is_some(),
            CommandKind::Keep(_) | CommandKind::Help | CommandKind::Version => false,
        }),
    }
}

/// Reads one command from where the cursor stands to its end.
fn command(cursor: &mut TextCursor<'_>) -> Result<Command, CommandError> {
    let start = cursor.at();
    let mut placeholders = Placeholders::default();
    let (assign, source) = match assignment::assignment(cursor) {
        Some(Assignment { name, source }) => (Some(name), source),
        None => (None, AssignedFrom::Any),
    };
    let (kind, filter) = kind(cursor, &mut placeholders, source)
        .map_err(|error| placeholders.with_source_text(error))?;
    let text = cursor.text_from(start).trim_end().to_owned();
    Ok(Command { span: start..start + text.len(), text, assign, kind, filter, placeholders })
}

fn kind(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    source: AssignedFrom,
) -> Result<(CommandKind, Option<JqFilter>), CommandError> {
    let close = match source {
        AssignedFrom::Value => {
            return Ok((CommandKind::Keep(shell::value(cursor, placeholders)?), None));
        }
        AssignedFrom::Any if http_line::is_here(cursor) => {
            return Ok((CommandKind::Ask(http_line::read(cursor, placeholders)?), None));
        }
        AssignedFrom::Any => None,
        AssignedFrom::Shell(close) => Some(close),
    };
    let start = cursor.at();
    let words = shell::words(cursor, placeholders, close)?;
    let filter = filter(cursor, placeholders, close)?;
    Ok((program::read(&words, start)?, filter))
}

/// The filter behind a pipe, which is the only thing a pipe can lead to.
fn filter(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    close: Option<&'static str>,
) -> Result<Option<JqFilter>, CommandError> {
    let pipe = cursor.at();
    if !cursor.eat("|") {
        return Ok(None);
    }
    let is_jq = cursor.rest().trim_start().starts_with("jq");
    if !is_jq {
        return Err(CommandError::new(ErrorKind::Pipe, pipe..pipe + 1));
    }
    let words = shell::words(cursor, placeholders, close)?;
    if cursor.peek() == Some('|') {
        return Err(CommandError::new(ErrorKind::Pipe, cursor.at()..cursor.at() + 1));
    }
    JqFilter::read(&words).map(Some)
}
