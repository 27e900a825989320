//! One command of the console: its words as they are written, and the request that it becomes once
//! its names have values.

use core::time::Duration;

use lictor_core::http::HttpRequest;
use serde::{Deserialize, Serialize};

use super::answer_filter::AnswerFilter;
use super::arithmetic::seconds;
use super::error::{CommandError, ErrorKind, TextSpan};
use super::http_line::HttpLine;
use super::known_keys;
use super::kv_output::ErrorStream;
use super::program;
use super::request::{Draft, Sending};
use super::shell::Simple;
use super::shell_loop::ShellLoop;
use super::variables::WHOLE_ANSWER;
use super::word::{Expansion, PlaceholderValues, Word, has_slot};

/// One command of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleCommand {
    /// The text of the command, without a prompt before it.
    pub text: String,
    /// Where the text begins in the input.
    pub(super) start: usize,
    /// The bytes of the command in the input; of one in brackets, those of the whole line.
    pub span: TextSpan,
    /// The variable that gets the answer or the value.
    pub assign: Option<String>,
    /// The parts of its line that are not carried out.
    pub notes: Vec<Note>,
    pub(super) source: Source,
    /// The filter after a pipe.
    pub(super) filter: Option<AnswerFilter>,
}

/// A part of a line that the console leaves out, although it carries out the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Note {
    /// A pipe into a program that does not run here.
    SkippedPipe(String),
    /// A pipe that takes the ID of a new session out of the answer: the variable has this ID.
    CreatedId,
    /// What follows an unquoted `&` in an address, which a shell does not send.
    CutOff(String),
}

/// A command as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A program with its words.
    Line(Simple),
    Http(HttpLine),
    /// `name=value`.
    Value(Word),
    Loop(ShellLoop),
}

/// A command whose names all have values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilledCommand {
    Send {
        request: HttpRequest,
        sending: Sending,
    },
    Keep {
        name: String,
        value: String,
    },
    /// A program to start, in the words of the line language.
    Start(String),
    /// A text to print.
    Print(String),
    /// Time that passes.
    Pass(Duration),
    Help,
    Version,
}

impl FilledCommand {
    /// The command in which a text is replaced by another wherever it occurs.
    pub(super) fn with_text(self, replaced: &str, text: &str) -> Self {
        let with = |before: String| before.replace(replaced, text);
        match self {
            Self::Send { mut request, sending } => {
                request.target = with(request.target);
                for (_, value) in &mut request.headers {
                    *value = value.replace(replaced, text);
                }
                if let Ok(body) = String::from_utf8(request.body.clone()) {
                    request.body = with(body).into_bytes();
                }
                Self::Send { request, sending }
            }
            Self::Keep { name, value } => Self::Keep { name, value: with(value) },
            Self::Start(words) => Self::Start(with(words)),
            Self::Print(printed) => Self::Print(with(printed)),
            other @ (Self::Pass(_) | Self::Help | Self::Version) => other,
        }
    }
}

impl ConsoleCommand {
    /// The command with values in place of its names. Fails with one error for each place of a name
    /// without a value, or with the error of a request that cannot be sent.
    pub fn fill(&self, value: PlaceholderValues<'_>) -> Result<FilledCommand, Vec<CommandError>> {
        // What is printed into a pipe is the whole answer that a variable got.
        let is_piped = self.filter.is_some() && matches!(&self.source, Source::Line(_));
        let whole = |name: &str| value(&format!("{WHOLE_ANSWER}{name}")).or_else(|| value(name));
        let mut expansion = Expansion::new(value);
        let mut draft = self.draft(&mut expansion);
        if is_piped && matches!(draft, Ok(Draft::Echo(_))) {
            expansion = Expansion::new(&whole);
            draft = self.draft(&mut expansion);
        }
        let draft = draft.map_err(|error| match expansion.certain(error) {
            Some(error) => vec![error],
            None => {
                let unset = expansion.unset_places().map(|(name, span)| {
                    CommandError::new(ErrorKind::NoValue(name.to_owned()), span.clone())
                });
                unset.collect()
            }
        })?;
        self.finish(draft, &expansion)
    }

    fn finish(
        &self,
        draft: Draft,
        expansion: &Expansion<'_>,
    ) -> Result<FilledCommand, Vec<CommandError>> {
        let finish = |mut text: String| expansion.finish(&mut [&mut text]).map(|()| text);
        let name = self.assign.clone();
        Ok(match draft {
            Draft::Request(template) => {
                let (request, sending) = template.finish(expansion)?;
                FilledCommand::Send { request, sending }
            }
            Draft::Assign(value) => {
                FilledCommand::Keep { name: name.unwrap_or_default(), value: finish(value)? }
            }
            Draft::Write { file, text } => FilledCommand::Keep { name: file, value: finish(text)? },
            Draft::Echo(text) => {
                let text = finish(text)?;
                let errors = if name.is_some() { ErrorStream::Dropped } else { ErrorStream::Shown };
                let text = self
                    .filter
                    .as_ref()
                    .map(|it| it.printed(text.as_bytes(), errors))
                    .unwrap_or(text);
                match name {
                    Some(name) => FilledCommand::Keep { name, value: text },
                    None => FilledCommand::Print(text),
                }
            }
            Draft::Start(words) => FilledCommand::Start(finish(words)?),
            Draft::Pass(span) => {
                let seconds = seconds(&finish(span)?);
                let refused = || vec![CommandError::new(ErrorKind::Sleep, self.span.clone())];
                FilledCommand::Pass(Duration::from_secs_f64(seconds.ok_or_else(refused)?))
            }
            Draft::Help => FilledCommand::Help,
            Draft::Version => FilledCommand::Version,
        })
    }

    /// What the command does with the values of an expansion.
    pub(super) fn draft(&self, expansion: &mut Expansion<'_>) -> Result<Draft, CommandError> {
        match &self.source {
            Source::Line(line) => program::read(line, expansion),
            Source::Http(line) => Ok(Draft::Request(line.template(expansion))),
            Source::Value(word) => Ok(Draft::Assign(expansion.token(word).text)),
            Source::Loop(shell_loop) => shell_loop.words(expansion).map(Draft::Start),
        }
    }

    /// What the command does, with the values that are known already; `None` if that is uncertain.
    pub(super) fn known_draft(&self, value: PlaceholderValues<'_>) -> Option<Draft> {
        self.draft(&mut Expansion::new(value)).ok()
    }

    /// The names that must have values before the command can be sent.
    pub(super) fn required_names(&self) -> Vec<String> {
        self.names_without(&|_| None)
    }

    /// The names that must have values beside these ones.
    pub(super) fn names_without(&self, value: PlaceholderValues<'_>) -> Vec<String> {
        let errors = self.fill(value).err().unwrap_or_default().into_iter();
        let mut names: Vec<String> = Vec::new();
        for error in errors {
            if let ErrorKind::NoValue(name) = error.kind
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// The names and files in its own text, each with its place, in their order.
    pub(super) fn placeholder_places(&self) -> Vec<(String, TextSpan)> {
        let mut places: Vec<(String, TextSpan)> = Vec::new();
        let mut add = |name: &str, span: &TextSpan| {
            let span = span.start.saturating_sub(self.start)..span.end.saturating_sub(self.start);
            places.push((name.to_owned(), span));
        };
        let words: Vec<&Word> = match &self.source {
            Source::Line(line) => line.all_words().collect(),
            Source::Http(line) => line.words().collect(),
            Source::Value(word) => vec![word],
            Source::Loop(shell_loop) => shell_loop.words_of_command().collect(),
        };
        words.iter().flat_map(|word| word.places()).for_each(|(name, span)| add(name, span));
        // A file is no name of a word.
        let mut expansion = Expansion::new(&|_| None);
        let _ = self.draft(&mut expansion);
        expansion.unset_places().for_each(|(name, span)| add(name, span));
        places.sort_by_key(|(_, span)| (span.start, span.end));
        places.dedup();
        places
    }

    /// The method and the address with these values, and with `<name>` in place of those that have
    /// none; `None` for a command that sends nothing.
    pub(super) fn written_request(&self, value: PlaceholderValues<'_>) -> Option<(String, String)> {
        let mut expansion = Expansion::new(value);
        let Ok(Draft::Request(template)) = self.draft(&mut expansion) else { return None };
        let mut target = template.url.text;
        for piece in &template.query {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(piece);
        }
        Some((template.method, expansion.source_text(&target)))
    }

    /// The decoded path of the address with these values; `None` for a command that sends nothing,
    /// and if a name in the path has no value.
    pub(super) fn path(&self, value: PlaceholderValues<'_>) -> Option<String> {
        let Draft::Request(template) = self.known_draft(value)? else { return None };
        let target = template.target().ok()?;
        let path = target.split('?').next().unwrap_or_default();
        (!has_slot(path)).then(|| known_keys::path(path))
    }

    /// The position of an error in the text of the command.
    pub fn span_in_command(&self, span: &TextSpan) -> TextSpan {
        span.start.saturating_sub(self.span.start)..span.end.saturating_sub(self.span.start)
    }
}
