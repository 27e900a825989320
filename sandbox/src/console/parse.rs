//! Parses a whole input into commands before anything is sent: an error in the last line stops the
//! first one too. Placeholders get their values later, from the answers of earlier commands.
//! `transcript` calls it.

use super::answer_filter::AnswerFilter;
use super::assignment::{self, AssignedFrom, Assignment};
use super::command::{AnswerParts, CommandKind, ConsoleCommand};
use super::error::{CommandError, ErrorKind};
use super::jq::JqFilter;
use super::placeholders::Placeholders;
use super::program::CommandLine;
use super::shell::{CommandEnd, CommandWords, Nested};
use super::text_cursor::TextCursor;
use super::token::Token;
use super::variables::INNER_NAME;
use super::{http_line, program, shell, shell_loop};

/// The longest input: twice the length that the largest value of a key needs.
const LONGEST: usize = 1 << 20;
/// The most commands in one input.
const MOST: usize = 1_000;
/// The largest nesting of commands in brackets.
const DEPTH_MAX: usize = 8;

/// Parses an input. An error anywhere prevents all of it.
pub fn read(text: &str) -> Result<Vec<ConsoleCommand>, CommandError> {
    if text.len() > LONGEST {
        return Err(CommandError::new(ErrorKind::TooLong, 0..0));
    }
    let mut cursor = TextCursor::new(text);
    let mut commands = Vec::new();
    while cursor.skip_between() {
        if commands.len() >= MOST {
            return Err(CommandError::new(ErrorKind::TooLong, cursor.at()..text.len()));
        }
        let mut inner = Vec::new();
        let outer = command(&mut cursor, &mut inner)?;
        // A fault of an inner command gives the whole line back.
        inner.iter_mut().for_each(|command| command.span = outer.span.clone());
        commands.append(&mut inner);
        commands.push(outer);
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
            CommandKind::Keep(_)
            | CommandKind::Write { .. }
            | CommandKind::Echo(_)
            | CommandKind::Start(_)
            | CommandKind::Help
            | CommandKind::Version => false,
        }),
    }
}

/// Parses one command from the cursor to its end. Commands in brackets inside its words are
/// appended to `inner` and are sent before it.
fn command<'a>(
    cursor: &mut TextCursor<'a>,
    inner: &mut Vec<ConsoleCommand>,
) -> Result<ConsoleCommand, CommandError> {
    let start = cursor.at();
    let mut placeholders = Placeholders::default();
    let (assign, source) = match assignment::assignment(cursor) {
        Some(Assignment { name, source }) => (Some(name), source),
        None => (None, AssignedFrom::Any),
    };
    let mut nested = |cursor: &mut TextCursor<'a>| command_in_word(cursor, inner, 1);
    let (kind, filter) = kind(cursor, &mut placeholders, source, &mut nested)
        .map_err(|error| placeholders.with_source_text(error))?;
    let text = cursor.text_from(start).trim_end().to_owned();
    Ok(ConsoleCommand { span: start..start + text.len(), text, assign, kind, filter, placeholders })
}

/// Parses the command in a `$(...)`, after the opening bracket. It is appended to `inner` and
/// assigns its answer to a name that users cannot write.
fn command_in_word<'a>(
    cursor: &mut TextCursor<'a>,
    inner: &mut Vec<ConsoleCommand>,
    depth: usize,
) -> Result<String, CommandError> {
    let start = cursor.at();
    if depth > DEPTH_MAX {
        return Err(CommandError::new(ErrorKind::Substitution, start..start));
    }
    let mut placeholders = Placeholders::default();
    let mut nested = |cursor: &mut TextCursor<'a>| command_in_word(cursor, inner, depth + 1);
    let (kind, filter) = called(cursor, &mut placeholders, CommandEnd::BracketInWord, &mut nested)
        .map_err(|error| placeholders.with_source_text(error))?;
    if !matches!(kind, CommandKind::Ask(_)) {
        return Err(CommandError::new(ErrorKind::Substitution, start..cursor.at()));
    }
    let text = cursor.text_from(start);
    let text = text.strip_suffix(')').unwrap_or(text).trim_end().to_owned();
    let name = format!("{INNER_NAME}{start}");
    let (span, assign) = (start..start + text.len(), Some(name.clone()));
    inner.push(ConsoleCommand { span, text, assign, kind, filter, placeholders });
    Ok(name)
}

fn kind<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    source: AssignedFrom,
    nested: Nested<'_, 'a>,
) -> Result<(CommandKind, Option<AnswerFilter>), CommandError> {
    if source == AssignedFrom::Any
        && let Some(program) = shell_loop::read(cursor, placeholders)?
    {
        return Ok((program, None));
    }
    let end = match source {
        AssignedFrom::Value => {
            return Ok((CommandKind::Keep(shell::value(cursor, placeholders, nested)?), None));
        }
        AssignedFrom::Any if http_line::is_here(cursor) => {
            return Ok((CommandKind::Ask(http_line::read(cursor, placeholders)?), None));
        }
        AssignedFrom::Any => CommandEnd::Line,
        AssignedFrom::Shell(close) => CommandEnd::Bracket(close),
    };
    called(cursor, placeholders, end, nested)
}

/// A command line that calls a program.
fn called<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<(CommandKind, Option<AnswerFilter>), CommandError> {
    let start = cursor.at();
    let CommandWords { words, here, output } =
        shell::words(cursor, placeholders, end, &mut *nested)?;
    let pipe = cursor.at();
    let filter = filter(cursor, placeholders, end, nested)?;
    let input = here.map(|here| here.lines(cursor, placeholders)).transpose()?;
    let line = CommandLine { words: &words, input, output };
    let kind = program::read(line, placeholders, start).map_err(|error| match error.kind {
        // The line itself may begin with curl.
        ErrorKind::UnknownProgram(name) if end != CommandEnd::Line => {
            CommandError::new(ErrorKind::InnerProgram(name), error.span)
        }
        kind => CommandError::new(kind, error.span),
    })?;
    let has_headers =
        matches!(&kind, CommandKind::Ask(draft) if draft.shown == AnswerParts::Headers);
    if filter == Some(AnswerFilter::Index) && !has_headers {
        return Err(CommandError::new(ErrorKind::Pipe, pipe..pipe + 1));
    }
    Ok((kind, filter))
}

/// The filter after a pipe: jq with a path, and what decodes base64; or what takes the index from
/// the headers.
fn filter<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<Option<AnswerFilter>, CommandError> {
    let pipe = cursor.at();
    if !cursor.eat("|") {
        return Ok(None);
    }
    let is_jq = cursor.rest().trim_start().starts_with("jq");
    if !is_jq {
        let mut programs = vec![piped(cursor, placeholders, end, &mut *nested)?];
        while cursor.eat("|") {
            programs.push(piped(cursor, placeholders, end, &mut *nested)?);
        }
        return if AnswerFilter::takes_index(&programs) {
            Ok(Some(AnswerFilter::Index))
        } else {
            Err(CommandError::new(ErrorKind::Pipe, pipe..pipe + 1))
        };
    }
    let words = piped(cursor, placeholders, end, &mut *nested)?;
    let filter = JqFilter::read(&words)?;
    let second = cursor.at();
    if !cursor.eat("|") {
        return Ok(Some(AnswerFilter::Jq(filter)));
    }
    let decoder = piped(cursor, placeholders, end, nested)?;
    let decoder: Vec<&str> = decoder.iter().map(|word| word.text.as_str()).collect();
    let is_decoder = matches!(decoder[..], ["base64", "-d" | "-D" | "--decode"]);
    if !is_decoder || cursor.peek() == Some('|') {
        return Err(CommandError::new(ErrorKind::Pipe, second..second + 1));
    }
    Ok(Some(AnswerFilter::Jq(filter.decoded())))
}

/// The words of a program after a pipe.
fn piped<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<Vec<Token>, CommandError> {
    let CommandWords { words, here, output } = shell::words(cursor, placeholders, end, nested)?;
    match (here, output) {
        (None, None) => Ok(words),
        (_, Some(output)) => Err(CommandError::new(ErrorKind::Redirect, output.span)),
        (Some(_), None) => Err(CommandError::new(ErrorKind::Redirect, cursor.at()..cursor.at())),
    }
}
