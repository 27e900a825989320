//! Parses a whole input into commands before anything is sent, so an error in the last line
//! prevents the first command, too. Names get their values later, from the answers of earlier
//! commands. The words of a shell around commands, such as `if` and `do`, are errors of their own;
//! the text of a guide is read without them.

use super::command::{ConsoleCommand, Note, Source};
use super::error::{CommandError, ErrorKind, TextSpan};
use super::keyword::{Keyword, keyword};
use super::pipeline::{Context, Pipeline, pipeline};
use super::program;
use super::request::{Draft, RequestTemplate};
use super::shell::{CommandEnd, Input};
use super::text_cursor::{TextCursor, is_blank, is_of_name, starts_a_name};
use super::word::{Expansion, Part, Word};
use super::{http_line, shell_loop};

/// The length of the longest input in bytes: twice that of the largest value of a key.
const LONGEST: usize = 1 << 20;
/// The number of commands after which no further line of an input is accepted.
const MOST: usize = 1_000;

/// Parses an input. Fails with the first error of any of its commands.
pub fn read(text: &str) -> Result<Vec<ConsoleCommand>, CommandError> {
    let parsed = read_all(text, &mut Functions::default())?;
    parsed.into_iter().map(|parsed| parsed.result).collect()
}

/// Whether an input is unfinished, because a quote, a bracket, a line or the like is open at its
/// end. The Enter key then begins a new line and sends nothing.
pub fn is_unfinished(text: &str) -> bool {
    match read(text) {
        Err(error) => matches!(error.kind, ErrorKind::Unfinished(_)),
        Ok(commands) => commands.last().is_some_and(|last| {
            let draft = last.known_draft(&|_| None);
            matches!(draft, Some(Draft::Request(RequestTemplate { awaits: Some(_), .. })))
        }),
    }
}

/// A command of an input, or the reason why it is none.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) span: TextSpan,
    pub(super) result: Result<ConsoleCommand, CommandError>,
    /// Whether it is only a word around commands, such as `then` or `done`.
    pub(super) is_part: bool,
}

/// The functions of a script that was read in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Functions {
    /// The functions that send one request, with it.
    known: Vec<(String, ConsoleCommand)>,
    /// The function whose body is being read, with its commands.
    open: Option<(String, Vec<ConsoleCommand>)>,
    /// Whether the text is a file of requests for an editor.
    pub(super) is_http_file: bool,
}

impl Functions {
    /// No functions so far, of a text that is a file of requests for an editor or not.
    pub(super) fn of_text(is_http_file: bool) -> Self {
        Self { is_http_file, ..Self::default() }
    }
}

/// Parses an input into commands and errors, in their order.
pub(super) fn read_all(text: &str, functions: &mut Functions) -> Result<Vec<Parsed>, CommandError> {
    if text.len() > LONGEST {
        return Err(CommandError::new(ErrorKind::TooLong, 0..0));
    }
    let mut reader = Reader { cursor: TextCursor::new(text), found: Vec::new(), functions };
    while reader.cursor.skip_between() {
        if reader.found.len() >= MOST {
            let rest = reader.cursor.at()..text.len();
            return Err(CommandError::new(ErrorKind::TooLong, rest));
        }
        let start = reader.cursor.at();
        if let Err(error) = reader.statement() {
            let is_unfinished = matches!(error.kind, ErrorKind::Unfinished(_));
            if is_unfinished || reader.cursor.at() == start {
                reader.cursor.take_while(|c| is_unfinished || c != '\n');
            }
            reader.add(start, error, false);
        }
    }
    Ok(reader.found)
}

struct Reader<'a, 'f> {
    cursor: TextCursor<'a>,
    found: Vec<Parsed>,
    functions: &'f mut Functions,
}

impl Reader<'_, '_> {
    /// Adds an error of the text from a position on.
    fn add(&mut self, start: usize, error: CommandError, is_part: bool) {
        let span = start..start + self.cursor.text_from(start).trim_end().len();
        self.found.push(Parsed { span, result: Err(error), is_part });
    }

    fn add_command(&mut self, mut command: ConsoleCommand) {
        if let Some((function, commands)) = &mut self.functions.open {
            command.rename_arguments(function);
            commands.push(command.clone());
        }
        let (span, is_part) = (command.span.clone(), false);
        self.found.push(Parsed { span, result: Ok(command), is_part });
    }

    /// Reads one command, or one word of the shell around commands.
    fn statement(&mut self) -> Result<(), CommandError> {
        let start = self.cursor.at();
        let shell_loop = match shell_loop::read(&mut self.cursor) {
            Err(error) if matches!(error.kind, ErrorKind::Unfinished(_)) => return Err(error),
            // The commands of a loop that cannot run are read one by one.
            read => read.unwrap_or_default(),
        };
        if let Some(shell_loop) = shell_loop {
            let command = self.command_of(start, Source::Loop(shell_loop));
            self.add_command(command);
            return Ok(());
        }
        if let Some((name, value)) = http_line::variable(&mut self.cursor) {
            let command = self.command_of(start, Source::Value(value));
            self.add_command(ConsoleCommand { assign: Some(name), ..command });
            return Ok(());
        }
        if let Some(word) = keyword(&mut self.cursor) {
            self.keyword(start, word);
            return Ok(());
        }
        if self.cursor.eat("||") {
            let mut ahead = self.cursor.clone();
            ahead.skip_blanks();
            let command = ahead.take_while(|c| !is_blank(c) && !"\n;)&|".contains(c));
            if matches!(command, "true" | ":") {
                self.cursor = ahead;
            } else {
                let error = CommandError::new(ErrorKind::OrElse, start..start + 2);
                self.add(start, error, true);
            }
            return Ok(());
        }
        match assigned_by_arrow(&mut self.cursor) {
            Some(name) => {
                self.request_or_line(start)?;
                if let Some(Parsed { result: Ok(command), .. }) = self.found.last_mut() {
                    command.assign = Some(name);
                }
                Ok(())
            }
            None => self.request_or_line(start),
        }
    }

    fn keyword(&mut self, start: usize, word: Keyword) {
        let is_end = self.cursor.text_from(start).starts_with('}');
        if let Some(name) = word.function {
            self.functions.open = Some((name, Vec::new()));
        } else if is_end && let Some((name, commands)) = self.functions.open.take() {
            let one = <[ConsoleCommand; 1]>::try_from(commands);
            self.functions.known.extend(one.map(|[command]| (name, command)));
        }
        let error = CommandError::new(word.kind, start..start + word.length);
        self.add(start, error, word.is_part);
    }

    fn request_or_line(&mut self, start: usize) -> Result<(), CommandError> {
        if http_line::is_here(&self.cursor) {
            let line = http_line::read(&mut self.cursor, self.functions.is_http_file)?;
            let command = self.command_of(start, Source::Http(line));
            self.add_command(command);
            return Ok(());
        }
        declaration(&mut self.cursor);
        let mut context = Context { inner: Vec::new(), functions: &self.functions.known };
        let read = pipeline(&mut self.cursor, CommandEnd::Line, &mut context, 0);
        let inner = context.inner;
        let line = start..start + self.cursor.text_from(start).trim_end().len();
        let commands = match read {
            Ok(pipeline) => self.commands_of(start, pipeline, inner),
            Err(error) => {
                // The rest of a line that cannot be read is no command.
                self.cursor.take_while(|c| c != '\n');
                self.add_inner(inner, &line);
                return Err(error);
            }
        };
        let mut commands = commands?;
        // If an inner command cannot be sent, the rejected input begins with the whole line.
        commands.iter_mut().for_each(|command| command.span = line.clone());
        commands.into_iter().for_each(|command| self.add_command(command));
        Ok(())
    }

    fn add_inner(&mut self, inner: Vec<ConsoleCommand>, line: &TextSpan) {
        for command in inner {
            self.add_command(ConsoleCommand { span: line.clone(), ..command });
        }
    }

    /// The commands of a line, in the order in which they run.
    fn commands_of(
        &mut self,
        start: usize,
        pipeline: Pipeline,
        mut inner: Vec<ConsoleCommand>,
    ) -> Result<Vec<ConsoleCommand>, CommandError> {
        let Pipeline { mut line, filter, mut notes, .. } = pipeline;
        let cut_off = line.cut_off.take();
        notes.extend(cut_off.iter().map(|(rest, _)| Note::CutOff(rest.clone())));
        let assigned = line.words.iter().take_while(|word| word.assignment().is_some()).count();
        let rest = line.words[assigned..].to_vec();
        let span = start..start + self.cursor.text_from(start).trim_end().len();
        if rest.is_empty() && assigned > 0 {
            if let Some(file) = &line.output {
                self.add_inner(inner, &span);
                return Err(CommandError::new(ErrorKind::Redirect, file.span.clone()));
            }
            let mut commands = Vec::new();
            for word in &line.words {
                commands.extend(self.assigned(start, word, &mut inner, line.words.len() == 1));
            }
            inner.append(&mut commands);
            return Ok(inner);
        }
        if assigned > 0 {
            let mut expansion = Expansion::new(&|_| None);
            let tokens = expansion.tokens(&rest);
            if !program::is_known(program::unwrapped(&tokens)) {
                let span = rest.first().map_or(0..0, |word| word.span.clone());
                return Err(CommandError::new(ErrorKind::SeveralValues, span));
            }
            line.words = rest;
        }
        let mut expansion = Expansion::new(&|_| None);
        let problem = program::read(&line, &mut expansion).err();
        if let Some(error) = problem.and_then(|error| expansion.certain(error)) {
            self.add_inner(inner, &span);
            return Err(error);
        }
        let command = self.command_of(start, Source::Line(line));
        inner.push(ConsoleCommand { filter, notes, ..command });
        if let Some((rest, place)) = cut_off {
            inner.extend(self.assigned_after(&rest, &place));
        }
        Ok(inner)
    }

    /// The command of a word `name=value`, which may be one of the inner commands.
    fn assigned(
        &self,
        start: usize,
        word: &Word,
        inner: &mut Vec<ConsoleCommand>,
        is_only: bool,
    ) -> Option<ConsoleCommand> {
        let (name, value) = word.assignment()?;
        let assign = Some(name);
        let line = self.command_of(start, Source::Value(value.clone()));
        let text = if is_only {
            line.text.clone()
        } else {
            let from = word.span.start - start;
            line.text.get(from..word.span.end - start).unwrap_or_default().to_owned()
        };
        let is_its = |command: &ConsoleCommand| command.assign.as_deref() == value.only_name();
        let place = inner.iter().rposition(is_its).filter(|_| value.only_name().is_some());
        let command = match place {
            Some(place) => inner.remove(place).moved_to(&text, &line.span),
            None => line,
        };
        Some(ConsoleCommand { assign, text, ..command })
    }

    /// The assignments after an unquoted `&` in an address, as a shell reads them.
    fn assigned_after(&self, rest: &str, place: &TextSpan) -> Vec<ConsoleCommand> {
        let mut commands = Vec::new();
        let mut start = place.start;
        for piece in rest.split('&') {
            let word = Word::text(piece, start..start + piece.len());
            if let Some((name, value)) = word.assignment()
                && !piece.contains(is_blank)
            {
                let command = self.command_of(place.start, Source::Value(value));
                commands.push(ConsoleCommand {
                    assign: Some(name),
                    text: piece.to_owned(),
                    ..command
                });
            }
            start += piece.len() + 1;
        }
        commands
    }

    fn command_of(&self, start: usize, source: Source) -> ConsoleCommand {
        let text = self.cursor.text_from(start).trim_end().to_owned();
        let span = start..start + text.len();
        let (assign, notes, filter) = (None, Vec::new(), None);
        ConsoleCommand { text, start, span, assign, notes, source, filter }
    }
}

impl ConsoleCommand {
    /// The command as a part of a longer text, with its words at their places there.
    fn moved_to(mut self, text: &str, span: &TextSpan) -> Self {
        self.text = text.to_owned();
        self.start = span.start;
        self.span = span.clone();
        self
    }

    /// Gives the arguments of a function names of their own.
    fn rename_arguments(&mut self, function: &str) {
        match &mut self.source {
            Source::Line(line) => {
                line.words.iter_mut().for_each(|word| word.rename_arguments(function));
                if let Some(Input::Text(word) | Input::File(word)) = &mut line.input {
                    word.rename_arguments(function);
                }
            }
            Source::Value(word) => word.rename_arguments(function),
            Source::Http(_) | Source::Loop(_) => {}
        }
    }
}

impl Word {
    fn rename_arguments(&mut self, function: &str) {
        for part in &mut self.parts {
            let Part::Name(name) = part else { continue };
            let digits = name.name.strip_prefix('$').unwrap_or_default();
            if !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()) {
                name.name += &format!(" of {function}");
            }
            if let Some(default) = &mut name.default {
                default.rename_arguments(function);
            }
        }
    }
}

/// Consumes the word before the assignments of a script, such as `export` and `local`.
fn declaration(cursor: &mut TextCursor<'_>) {
    let words = ["export", "local", "readonly", "declare", "typeset"];
    let rest = cursor.rest();
    let is_its =
        |word: &&&str| rest.strip_prefix(**word).is_some_and(|it| it.starts_with(is_blank));
    if let Some(word) = words.iter().find(is_its) {
        cursor.eat(word);
        cursor.skip_blanks();
        while cursor.peek() == Some('-') {
            cursor.take_while(|c| !is_blank(c) && c != '\n');
            cursor.skip_blanks();
        }
    }
}

/// Consumes `name <-` and returns the name.
fn assigned_by_arrow(cursor: &mut TextCursor<'_>) -> Option<String> {
    let mut ahead = cursor.clone();
    let name = ahead.take_while(|c| is_of_name(c) || c == '-').to_owned();
    ahead.skip_blanks();
    if !starts_a_name(&name) || !ahead.eat("<-") {
        return None;
    }
    ahead.skip_blanks();
    *cursor = ahead;
    Some(name)
}
