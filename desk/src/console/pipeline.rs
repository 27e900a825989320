//! A command with the pipe after it, and the commands in brackets inside of its words.

use super::answer_filter::{AnswerFilter, JqFilter};
use super::command::{ConsoleCommand, Note, Source};
use super::error::{CommandError, ErrorKind, Unclosed};
use super::program::{self, program_name};
use super::request::Draft;
use super::shell::{self, CommandEnd, Input, Simple};
use super::text_cursor::TextCursor;
use super::variables::{HOST_NAME, INNER_NAME, file_variable};
use super::word::{Expansion, Name, NameForm, Part, Token, Word, has_slot};

/// The largest nesting of commands in brackets.
const DEPTH_MAX: usize = 8;

/// The commands in brackets that were found in the words of a line, and the functions that these
/// may call.
pub(super) struct Context<'f> {
    pub(super) inner: Vec<ConsoleCommand>,
    pub(super) functions: &'f [(String, ConsoleCommand)],
}

/// A command with what follows it in a pipe.
pub(super) struct Pipeline {
    pub(super) line: Simple,
    pub(super) filter: Option<AnswerFilter>,
    pub(super) notes: Vec<Note>,
    /// Whether the pipe leads to a program that does not run here.
    is_cut: bool,
}

/// Reads a command up to its end, over the closing bracket if there is one.
pub(super) fn pipeline<'a>(
    cursor: &mut TextCursor<'a>,
    end: CommandEnd,
    context: &mut Context<'_>,
    depth: usize,
) -> Result<Pipeline, CommandError> {
    let mut nested = |cursor: &mut TextCursor<'a>, close| nested(cursor, close, context, depth + 1);
    let mut line = shell::words(cursor, end, &mut nested)?;
    let mut stages = Vec::new();
    let is_pipe =
        |cursor: &TextCursor<'_>| cursor.peek() == Some('|') && !cursor.rest().starts_with("||");
    while is_pipe(cursor) && line.cut_off.is_none() {
        let pipe = cursor.at();
        cursor.step();
        let stage = shell::words(cursor, end, &mut nested)?;
        if stage.words.is_empty() {
            return Err(CommandError::new(ErrorKind::Pipe, pipe..pipe + 1));
        }
        stages.push((pipe, stage));
    }
    let mut pipe_end = cursor.at();
    if let CommandEnd::Bracket(close) = end {
        if cursor.rest().starts_with("||") {
            cursor.take_while(|c| c != close);
            if cursor.step().is_none() {
                let open = ErrorKind::Unfinished(Unclosed::Bracket);
                return Err(CommandError::new(open, pipe_end..pipe_end));
            }
        } else {
            pipe_end -= close.len_utf8();
        }
    }
    let text = |from: usize| cursor.text_from(from)[..pipe_end - from].trim_end().to_owned();
    let texts: Vec<String> = stages.iter().map(|(pipe, _)| text(*pipe)).collect();
    for stage in std::iter::once(&mut line).chain(stages.iter_mut().map(|(_, stage)| stage)) {
        if let Some(here) = stage.here.take() {
            stage.input = Some(Input::Text(here.lines(cursor)?));
        }
    }
    let mut filters = stages.as_slice();
    if let Some(((pipe, sender), rest)) = stages.split_first()
        && is_printer(&line)
        && is_sender(sender)
    {
        let refused = CommandError::new(ErrorKind::Pipe, *pipe..*pipe + 1);
        let input = program::piped_input(&line).ok_or(refused)?;
        line = Simple { input: Some(input), ..sender.clone() };
        filters = rest;
    }
    let (filter, count) = filter_of(filters);
    let skipped = texts.get(texts.len() - filters.len() + count);
    let notes = skipped.cloned().map(Note::SkippedPipe).into_iter().collect();
    Ok(Pipeline { line, filter, notes, is_cut: skipped.is_some() })
}

/// Whether a command prints a text that can be piped into a request.
fn is_printer(line: &Simple) -> bool {
    let program = line.words.first().and_then(Word::literal);
    program.is_some_and(|program| matches!(program, "echo" | "printf" | "cat"))
}

fn is_sender(line: &Simple) -> bool {
    let mut expansion = Expansion::new(&|_| None);
    let words = expansion.tokens(&line.words);
    let program = program::unwrapped(&words).first().map_or("", |it| program_name(&it.text));
    matches!(program, "curl" | "consul")
}

/// The filter of the programs after a pipe, jq and perhaps a decoder of base64 after it, and the
/// number of programs that it has.
fn filter_of(stages: &[(usize, Simple)]) -> (Option<AnswerFilter>, usize) {
    let words = |stage: &Simple| -> Option<Vec<Token>> {
        let words = Expansion::new(&|_| None).tokens(&stage.words);
        let is_plain = stage.output.is_none() && stage.input.is_none();
        (is_plain && !words.iter().any(|word| has_slot(&word.text))).then_some(words)
    };
    let Some(jq) = stages.first().and_then(|(_, stage)| JqFilter::read(&words(stage)?)) else {
        return (None, 0);
    };
    let decoder = stages.get(1).and_then(|(_, stage)| words(stage)).unwrap_or_default();
    let decoder: Vec<&str> = decoder.iter().map(|word| word.text.as_str()).collect();
    match decoder[..] {
        ["base64", "-d" | "-D" | "--decode"] => (Some(AnswerFilter::Decoded(jq)), 2),
        _ => (Some(AnswerFilter::Jq(jq)), 1),
    }
}

/// Reads the command in a `$(...)` or in backquotes, after the opening one. A request is added to
/// the inner commands, and its answer replaces the brackets. For a program that does not run here,
/// the text of the brackets is a name, whose value is asked for.
fn nested(
    cursor: &mut TextCursor<'_>,
    close: char,
    context: &mut Context<'_>,
    depth: usize,
) -> Result<Part, CommandError> {
    let start = cursor.at();
    let refused =
        |cursor: &TextCursor<'_>| CommandError::new(ErrorKind::Substitution, start..cursor.at());
    if depth > DEPTH_MAX {
        return Err(CommandError::new(ErrorKind::Substitution, start..start));
    }
    let pipeline = pipeline(cursor, CommandEnd::Bracket(close), context, depth)?;
    let opening = if close == ')' { 2 } else { 1 };
    let span = start - opening..cursor.at();
    let text = cursor.text_from(start);
    let text = text.strip_suffix(close).unwrap_or(text).trim().to_owned();
    let named = |name: String| {
        Part::Name(Name { name, form: NameForm::Shell, default: None, span: span.clone() })
    };
    let asked = format!("$({text})");
    let Pipeline { line, filter, notes, is_cut } = pipeline;
    let words: Vec<&str> = line.words.iter().filter_map(Word::literal).collect();
    let is_plain = filter.is_none() && !is_cut;
    if let Some(name) = name_of_brackets(&line, is_plain) {
        return Ok(named(name.unwrap_or(asked)));
    }
    if line.words.is_empty() {
        return Err(CommandError::new(ErrorKind::NoCommand, start..start));
    }
    if line.words.iter().all(|word| word.assignment().is_some()) {
        return Err(refused(cursor));
    }
    let function = words.first().and_then(|name| {
        context.functions.iter().rfind(|(known, _)| known == name).map(|(_, command)| command)
    });
    let name = format!("{INNER_NAME}{start}");
    if let Some(function) = function.filter(|_| is_plain) {
        context.inner.push(ConsoleCommand { assign: Some(name.clone()), ..function.clone() });
        return Ok(named(name));
    }
    let mut expansion = Expansion::new(&|_| None);
    let draft = match program::read(&line, &mut expansion) {
        Ok(draft) => Some(draft),
        Err(error) if error.kind.is_of_another_program() => return Ok(named(asked)),
        Err(error) => match expansion.certain(error) {
            Some(error) => return Err(error),
            None => None,
        },
    };
    let is_id = draft.as_ref().is_some_and(creates_session) && takes_id(&notes);
    let (is_cut, notes) = if is_id { (false, vec![Note::CreatedId]) } else { (is_cut, notes) };
    match draft {
        Some(Draft::Echo(_)) if is_cut => return Ok(named(asked)),
        None | Some(Draft::Request(_) | Draft::Echo(_)) => {}
        _ => return Err(refused(cursor)),
    }
    let assign = Some(name.clone()).filter(|_| !is_cut);
    let part = named(if is_cut { asked } else { name });
    let span = start..start + text.len();
    let source = Source::Line(line);
    context.inner.push(ConsoleCommand { text, start, span, assign, notes, source, filter });
    Ok(part)
}

fn creates_session(draft: &Draft) -> bool {
    let Draft::Request(template) = draft else { return false };
    template.method == "PUT" && template.target().is_ok_and(|it| it == "/v1/session/create")
}

/// Whether a pipe that was skipped takes the ID out of the answer to the creation of a session,
/// which has nothing else.
fn takes_id(notes: &[Note]) -> bool {
    let is_its = |pipe: &String| {
        pipe.contains("ID")
            || ["awk", "cut"].contains(&pipe.split_whitespace().nth(1).unwrap_or_default())
    };
    notes.iter().any(|note| matches!(note, Note::SkippedPipe(pipe) if is_its(pipe)))
}

/// The name whose value replaces a command in brackets that sends nothing: the file that `cat`
/// prints, or that of the host. `None` for other commands; without a name, the value is asked for.
fn name_of_brackets(line: &Simple, is_plain: bool) -> Option<Option<String>> {
    let words: Vec<&str> = line.words.iter().filter_map(Word::literal).collect();
    match (words.as_slice(), &line.input) {
        ([] | ["cat"], Some(Input::File(file))) if is_plain => {
            Some(file.literal().map(file_variable))
        }
        (["cat", file], None) if is_plain => Some(Some(file_variable(file))),
        (["hostname" | "uname", ..], _) => Some(Some(HOST_NAME.to_owned())),
        _ => None,
    }
}
