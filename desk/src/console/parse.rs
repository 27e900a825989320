//! Parses a whole input into commands before anything is sent, so an error in the last line
//! prevents the first command, too. Placeholders get their values later, from the answers of
//! earlier commands.

use lictor_view::request_text::quoted;

use super::answer_filter::AnswerFilter;
use super::assignment::{self, AssignedFrom, Assignment};
use super::command::{AnswerParts, CommandKind, ConsoleCommand, RequestTemplate};
use super::error::{CommandError, ErrorKind};
use super::here_document::HereDocument;
use super::jq::JqFilter;
use super::placeholders::Placeholders;
use super::program::CommandLine;
use super::shell::{CommandEnd, CommandWords, Nested};
use super::text_cursor::TextCursor;
use super::token::Token;
use super::variables::INNER_NAME;
use super::{http_line, program, shell, shell_loop};

/// The length of the longest input in bytes: twice that of the largest value of a key.
const LONGEST: usize = 1 << 20;
/// The number of commands after which no further line of an input is accepted.
const MOST: usize = 1_000;
/// The largest nesting of commands in brackets.
const DEPTH_MAX: usize = 8;

/// Parses an input. Fails with the first error of any of its commands.
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
        let start = cursor.at();
        let mut outer = command(&mut cursor, &mut inner)?;
        // If an inner command cannot be sent, the input that is rejected begins with the whole
        // line.
        let line = outer.first().map_or(start..start, |command| command.span.clone());
        inner.iter_mut().for_each(|command| command.span = line.clone());
        commands.append(&mut inner);
        commands.append(&mut outer);
    }
    Ok(commands)
}

/// Whether an input is unfinished, because a quote, a bracket, a line or the like is open at its
/// end. The Enter key then begins a new line and sends nothing.
pub fn is_unfinished(text: &str) -> bool {
    match read(text) {
        Err(error) => matches!(error.kind, ErrorKind::Unfinished(_)),
        Ok(commands) => commands.last().is_some_and(|last| match &last.kind {
            CommandKind::Request(draft) => draft.awaits.is_some(),
            CommandKind::Assign(_)
            | CommandKind::Write { .. }
            | CommandKind::Echo(_)
            | CommandKind::Start(_)
            | CommandKind::Help
            | CommandKind::Version => false,
        }),
    }
}

/// Parses one command from the cursor to its end. An address with patterns makes several of it.
/// Commands in brackets inside its words are appended to `inner` and are sent before it.
fn command<'a>(
    cursor: &mut TextCursor<'a>,
    inner: &mut Vec<ConsoleCommand>,
) -> Result<Vec<ConsoleCommand>, CommandError> {
    let start = cursor.at();
    let mut placeholders = Placeholders::default();
    let (assign, source) = match assignment::assignment(cursor) {
        Some(Assignment { name, source }) => (Some(name), source),
        None => (None, AssignedFrom::Any),
    };
    let mut nested = |cursor: &mut TextCursor<'a>| command_in_word(cursor, inner, 1);
    let read = called_from(cursor, &mut placeholders, source, &mut nested)
        .map_err(|error| placeholders.with_source_text(error))?;
    let CalledCommand { kinds, filter, has_environment } = read;
    let text = cursor.text_from(start).trim_end().to_owned();
    if assign.is_some() && !has_environment {
        only_one(&kinds).map_err(|error| placeholders.with_source_text(error))?;
    }
    let assign = assign.filter(|_| !has_environment);
    let (is_one, span) = (kinds.len() == 1, start..start + text.len());
    let commands = kinds.into_iter().map(|kind| {
        let text = match &kind {
            CommandKind::Request(template) if !is_one && placeholders.count() == 0 => {
                with_address(&text, start, template)
            }
            _ => text.clone(),
        };
        let (span, assign) = (span.clone(), assign.clone());
        let (filter, placeholders) = (filter.clone(), placeholders.clone());
        ConsoleCommand { span, text, assign, kind, filter, placeholders }
    });
    Ok(commands.collect())
}

/// The text of a command that begins at `start`, with one address in the place of a pattern.
fn with_address(text: &str, start: usize, template: &RequestTemplate) -> String {
    let Token { text: address, span } = &template.url;
    let places = (span.start.checked_sub(start), span.end.checked_sub(start));
    let (Some(from), Some(to)) = places else { return text.to_owned() };
    match (text.get(..from), text.get(to..)) {
        (Some(before), Some(after)) => format!("{before}{}{after}", quoted(address)),
        _ => text.to_owned(),
    }
}

/// Fails if there are several requests: a variable gets the answer to one.
fn only_one(kinds: &[CommandKind]) -> Result<(), CommandError> {
    match kinds {
        [_, CommandKind::Request(second), ..] => {
            let second = second.url.clone();
            Err(CommandError::new(ErrorKind::SecondAddress(second.text), second.span))
        }
        _ => Ok(()),
    }
}

/// Parses the command in a `$(...)`, after the opening bracket, and appends it to `inner`. Returns
/// the name to which it assigns its answer, which users cannot write.
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
    let read = called(cursor, &mut placeholders, CommandEnd::BracketInWord, &mut nested)
        .and_then(|read| only_one(&read.kinds).map(|()| read))
        .map_err(|error| placeholders.with_source_text(error))?;
    let (filter, mut kinds) = (read.filter, read.kinds.into_iter());
    let Some(kind @ CommandKind::Request(_)) = kinds.next() else {
        return Err(CommandError::new(ErrorKind::Substitution, start..cursor.at()));
    };
    let text = cursor.text_from(start);
    let text = text.strip_suffix(')').unwrap_or(text).trim_end().to_owned();
    let name = format!("{INNER_NAME}{start}");
    let (span, assign) = (start..start + text.len(), Some(name.clone()));
    inner.push(ConsoleCommand { span, text, assign, kind, filter, placeholders });
    Ok(name)
}

/// A command line without the assignment before it.
struct CalledCommand {
    kinds: Vec<CommandKind>,
    filter: Option<AnswerFilter>,
    /// Whether it is `NAME=value command`, whose value is not kept.
    has_environment: bool,
}

impl From<CommandKind> for CalledCommand {
    fn from(kind: CommandKind) -> Self {
        Self { kinds: vec![kind], filter: None, has_environment: false }
    }
}

/// Parses the part of a command after the start of an assignment.
fn called_from<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    source: AssignedFrom,
    nested: Nested<'_, 'a>,
) -> Result<CalledCommand, CommandError> {
    if source == AssignedFrom::Any
        && let Some(program) = shell_loop::read(cursor, placeholders)?
    {
        return Ok(program.into());
    }
    let end = match source {
        AssignedFrom::Value => return value_or_called(cursor, placeholders, nested),
        AssignedFrom::Any if http_line::is_here(cursor) => {
            return Ok(CommandKind::Request(http_line::read(cursor, placeholders)?).into());
        }
        AssignedFrom::Any => CommandEnd::Line,
        AssignedFrom::Shell(close) => CommandEnd::Bracket(close),
    };
    called(cursor, placeholders, end, nested)
}

/// The one word after `name=`, or the command for which it sets a variable of the environment.
fn value_or_called<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    nested: Nested<'_, 'a>,
) -> Result<CalledCommand, CommandError> {
    let start = cursor.at();
    let mut read = shell::words(cursor, placeholders, CommandEnd::Line, &mut *nested)?;
    match read.words.as_slice() {
        [] | [_] => match read.output {
            Some(output) => Err(CommandError::new(ErrorKind::Redirect, output.span)),
            None => {
                let value = read.words.into_iter().next();
                let value = value.unwrap_or(Token { text: String::new(), span: start..start });
                Ok(CommandKind::Assign(value).into())
            }
        },
        [_, rest @ ..] if program::is_known(program::unwrapped(rest)) => {
            read.words = rest.to_vec();
            let end = (CommandEnd::Line, start);
            let called = from_words(cursor, placeholders, end, read, nested)?;
            Ok(CalledCommand { has_environment: true, ..called })
        }
        [_, second, ..] => Err(CommandError::new(ErrorKind::SeveralValues, second.span.clone())),
    }
}

/// A command line that calls a program.
fn called<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<CalledCommand, CommandError> {
    let start = cursor.at();
    let read = shell::words(cursor, placeholders, end, &mut *nested)?;
    from_words(cursor, placeholders, (end, start), read, nested)
}

/// A command line that begins with these words.
fn from_words<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    (end, start): (CommandEnd, usize),
    mut read: CommandWords,
    nested: Nested<'_, 'a>,
) -> Result<CalledCommand, CommandError> {
    let source = if leads_to_a_request(cursor, &read.words) {
        cursor.eat("|");
        let source =
            std::mem::replace(&mut read, shell::words(cursor, placeholders, end, &mut *nested)?);
        Some(source)
    } else {
        None
    };
    let pipe = cursor.at();
    let filter = filter(cursor, placeholders, end, nested)?;
    let mut lines = |here: Option<HereDocument>| -> Result<Option<Token>, CommandError> {
        here.map(|here| here.lines(cursor, placeholders)).transpose()
    };
    let input = match source {
        Some(source) => {
            let input = lines(source.here)?.or(source.input);
            let refused = CommandError::new(ErrorKind::Pipe, pipe..pipe);
            Some(program::piped_text(&source.words, input).ok_or(refused)?)
        }
        None => lines(read.here)?.or(read.input),
    };
    let CommandWords { words, output, errors, .. } = read;
    let line = CommandLine { words: &words, input, output, errors };
    let kinds = program::read(line, placeholders, start).map_err(|error| match error.kind {
        // Inside of brackets the error names the program there, as the line may begin with curl.
        ErrorKind::UnknownProgram(name) if end != CommandEnd::Line => {
            CommandError::new(ErrorKind::InnerProgram(name), error.span)
        }
        kind => CommandError::new(kind, error.span),
    })?;
    let has_headers = |kind: &CommandKind| match kind {
        CommandKind::Request(template) => template.shown == AnswerParts::Headers,
        _ => false,
    };
    if filter == Some(AnswerFilter::Index) && !kinds.iter().all(has_headers) {
        return Err(CommandError::new(ErrorKind::Pipe, pipe..pipe + 1));
    }
    Ok(CalledCommand { kinds, filter, has_environment: false })
}

/// Whether a program that prints a text is followed by a pipe to one that can send it.
fn leads_to_a_request(cursor: &TextCursor<'_>, words: &[Token]) -> bool {
    let is_source = words.first().is_some_and(|it| matches!(&*it.text, "echo" | "printf" | "cat"));
    let mut after = cursor.rest().split('|').nth(1).unwrap_or_default().split_whitespace();
    let program = after.next().map(program::program_name);
    is_source
        && cursor.peek() == Some('|')
        && matches!(program, Some("curl" | "curl.exe" | "consul" | "consul.exe" | "sudo" | "time"))
}

/// Parses the filter after a pipe: jq with a path and perhaps a decoder of base64, or programs that
/// take the index from the headers. `None` without a pipe; fails for any other program.
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
    Ok(Some(AnswerFilter::Decoded(filter)))
}

/// The words of a program after a pipe. Fails if it redirects its input or output.
fn piped<'a>(
    cursor: &mut TextCursor<'a>,
    placeholders: &mut Placeholders,
    end: CommandEnd,
    nested: Nested<'_, 'a>,
) -> Result<Vec<Token>, CommandError> {
    let read = shell::words(cursor, placeholders, end, nested)?;
    match read.output.or(read.input) {
        None if read.here.is_none() => Ok(read.words),
        None => Err(CommandError::new(ErrorKind::Redirect, cursor.at()..cursor.at())),
        Some(file) => Err(CommandError::new(ErrorKind::Redirect, file.span)),
    }
}
