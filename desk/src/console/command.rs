//! One command of the console: its text, and the request that it becomes once its placeholders have
//! values.

use lictor_core::http::HttpRequest;
use lictor_sim::{Call, Outcome};
use serde::{Deserialize, Serialize};

use super::answer_filter::AnswerFilter;
use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::kv_output::KeyOutput;
use super::placeholders::{EncodedValues, PlaceholderValues, Placeholders, has_slot};
use super::redirect::Redirect;
use super::token::Token;
use super::write_out::WriteOut;
use super::{known_keys, kv_parameter, url};

/// One command of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleCommand {
    /// The text of the command, without a prompt before it.
    pub text: String,
    /// The bytes of the command in the input.
    pub span: TextSpan,
    /// The variable that gets the answer or the value.
    pub assign: Option<String>,
    pub kind: CommandKind,
    /// The filter after a pipe.
    pub(super) filter: Option<AnswerFilter>,
    pub(super) placeholders: Placeholders,
}

/// The kind of a command, with placeholders that have no values yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A request to the server.
    Request(RequestTemplate),
    /// `name=value`: nothing is sent.
    Assign(Token),
    /// `cat > file <<END`: the text is kept in a variable.
    Write {
        file: String,
        text: Token,
    },
    /// `echo`: nothing is sent.
    Echo(Token),
    /// `consul lock`: a program of the client, in the words of the line language.
    Start(Token),
    Help,
    /// `consul version`.
    Version,
}

/// A request whose placeholders have no values yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestTemplate {
    pub method: String,
    pub origin: MethodSource,
    pub url: Token,
    /// The data that `-G` moves from the body to the query.
    pub query: Vec<String>,
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub shown: AnswerParts,
    /// What a body of several lines seems to lack at its end.
    pub awaits: Option<Unclosed>,
    /// How the program prints the answer. `None` if it prints it as it is.
    pub output: Option<ProgramOutput>,
    /// How the program follows a redirect. `None` if it does not.
    pub redirect: Option<Redirect>,
    /// Whether the program removes the segments `.` and `..` of the path.
    pub removes_dots: bool,
}

/// How a program prints an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramOutput {
    Kv(KeyOutput),
    Curl(WriteOut),
}

/// The origin of the method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MethodSource {
    /// The command names it.
    Written,
    /// curl's choice of POST when there is a body, which Consul refuses.
    FromBody,
    /// The command has another option or no body, from which the method follows.
    Implied,
}

/// The part of the answer to print (`-i`, `-v`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerParts {
    Body,
    Headers,
}

/// A command whose placeholders all have values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilledCommand {
    Send {
        request: HttpRequest,
        /// How its program prints the answer.
        output: Option<ProgramOutput>,
    },
    Keep {
        name: String,
        value: String,
    },
    /// A program to start, in the words of the line language.
    Start(String),
    /// A text to print.
    Print(String),
    Help,
    Version,
}

impl RequestTemplate {
    /// A request with nothing but its method and its address.
    pub(super) fn new(method: &str, url: Token) -> Self {
        Self {
            method: method.into(),
            origin: MethodSource::Written,
            url,
            query: Vec::new(),
            headers: Vec::new(),
            body: String::new(),
            shown: AnswerParts::Body,
            awaits: None,
            output: None,
            redirect: None,
            removes_dots: false,
        }
    }

    /// The target as the program sends it.
    pub(super) fn sent_target(&self, target: String) -> String {
        if self.removes_dots { url::without_dots(&target) } else { target }
    }
}

impl ProgramOutput {
    /// The text for the answer to a call. Fails with the text that goes to the error stream.
    pub(super) fn printed(&self, call: &Call, outcome: &Outcome) -> Result<String, String> {
        match self {
            Self::Kv(output) => output.printed(call, outcome),
            Self::Curl(write_out) => Ok(write_out.printed(&call.request, &outcome.response)),
        }
    }
}

impl FilledCommand {
    /// The command in which a text is replaced by another wherever it occurs.
    pub(super) fn with_text(self, replaced: &str, text: &str) -> Self {
        let with = |before: String| before.replace(replaced, text);
        match self {
            Self::Send { mut request, output } => {
                request.target = with(request.target);
                request
                    .headers
                    .iter_mut()
                    .for_each(|(_, value)| *value = value.replace(replaced, text));
                if let Ok(body) = String::from_utf8(request.body.clone()) {
                    request.body = with(body).into_bytes();
                }
                Self::Send { request, output }
            }
            Self::Keep { name, value } => Self::Keep { name, value: with(value) },
            Self::Start(words) => Self::Start(with(words)),
            Self::Print(printed) => Self::Print(with(printed)),
            other @ (Self::Help | Self::Version) => other,
        }
    }
}

impl ConsoleCommand {
    /// The command with values in place of its names. Fails with one error for each place of a name
    /// without a value, or with the error of a request that cannot be sent.
    pub fn fill(&self, value: PlaceholderValues<'_>) -> Result<FilledCommand, Vec<CommandError>> {
        match &self.kind {
            CommandKind::Help => Ok(FilledCommand::Help),
            CommandKind::Version => Ok(FilledCommand::Version),
            CommandKind::Assign(word) => {
                let kept = self.resolved(word, value)?;
                Ok(FilledCommand::Keep {
                    name: self.assign.clone().unwrap_or_default(),
                    value: kept,
                })
            }
            CommandKind::Write { file, text } => {
                let value = self.resolved(text, value)?;
                Ok(FilledCommand::Keep { name: file.clone(), value })
            }
            CommandKind::Echo(text) => self.resolved(text, value).map(FilledCommand::Print),
            CommandKind::Start(words) => self.resolved(words, value).map(FilledCommand::Start),
            CommandKind::Request(draft) => self.request(draft, value),
        }
    }

    /// The names that must have values before the command can be sent.
    pub(super) fn required_names(&self) -> Vec<String> {
        let errors = self.fill(&|_| None).err().unwrap_or_default().into_iter();
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

    /// The name of the variable that the command sets.
    pub(super) fn gives(&self) -> Option<&str> {
        match &self.kind {
            CommandKind::Write { file, .. } => Some(file),
            _ => self.assign.as_deref(),
        }
    }

    /// The names in its own text, each with its place, in their order.
    pub(super) fn placeholder_places(&self) -> Vec<(&str, TextSpan)> {
        let spans = self.placeholders.places();
        let mut spans: Vec<(&str, TextSpan)> =
            spans.map(|(name, span)| (name, self.span_in_command(span))).collect();
        spans.sort_by_key(|(_, span)| span.start);
        spans
    }

    /// The address as it was written; `None` for a command that sends nothing.
    pub(super) fn source_url(&self) -> Option<String> {
        match &self.kind {
            CommandKind::Request(template) => {
                Some(self.placeholders.source_text(&template.url.text))
            }
            CommandKind::Assign(_)
            | CommandKind::Write { .. }
            | CommandKind::Echo(_)
            | CommandKind::Start(_)
            | CommandKind::Help
            | CommandKind::Version => None,
        }
    }

    /// The decoded path of the address with these values; `None` for a command that sends nothing,
    /// and if a name in the path has no value.
    pub(super) fn path(&self, value: PlaceholderValues<'_>) -> Option<String> {
        let CommandKind::Request(draft) = &self.kind else { return None };
        let encoded = EncodedValues::OfGuideNames;
        let address = self.placeholders.fill_address(&draft.url.text, encoded, value);
        let target = url::target(&address).ok()?;
        let path = target.split('?').next().unwrap_or_default();
        (!has_slot(path)).then(|| known_keys::path(&draft.sent_target(path.to_owned())))
    }

    /// The parts of the answer to print.
    pub fn shown(&self) -> AnswerParts {
        if let CommandKind::Request(draft) = &self.kind { draft.shown } else { AnswerParts::Body }
    }

    /// The position of an error in the text of the command.
    pub fn span_in_command(&self, span: &TextSpan) -> TextSpan {
        span.start.saturating_sub(self.span.start)..span.end.saturating_sub(self.span.start)
    }

    /// Fills a request. The host is removed before names are checked, so `$CONSUL_HTTP_ADDR` needs
    /// no value.
    fn request(
        &self,
        draft: &RequestTemplate,
        value: PlaceholderValues<'_>,
    ) -> Result<FilledCommand, Vec<CommandError>> {
        let filled = |text: &String| self.placeholders.fill(text, value);
        let refused = |kind| vec![CommandError::new(kind, draft.url.span.clone())];
        let kv = match &draft.output {
            Some(ProgramOutput::Kv(output)) => {
                Some(KeyOutput { key: filled(&output.key), ..output.clone() })
            }
            Some(ProgramOutput::Curl(_)) | None => None,
        };
        // The consul program percent-encodes keys; curl sends an address as it is written.
        let encoded = match kv {
            Some(_) => EncodedValues::All,
            None => EncodedValues::OfGuideNames,
        };
        let address = |text: &String| self.placeholders.fill_address(text, encoded, value);
        let mut target = url::target(&address(&draft.url.text)).map_err(refused)?;
        for piece in &draft.query {
            let piece = match kv {
                Some(_) => kv_parameter::sent_parameter(address(piece)).map_err(refused)?,
                None => Some(address(piece)),
            };
            if let Some(piece) = piece {
                target.push(if target.contains('?') { '&' } else { '?' });
                target.push_str(&piece);
            }
        }
        let method = filled(&draft.method);
        let headers = draft.headers.iter().map(|(name, value)| (filled(name), filled(value)));
        let headers = headers.collect::<Vec<_>>();
        let body = filled(&draft.body);
        let mut texts = vec![&method, &target, &body];
        for (name, value) in &headers {
            texts.push(name);
            texts.push(value);
        }
        self.check_resolved(&texts, value)?;
        let mut target = draft.sent_target(target);
        let output = match kv {
            Some(mut output) => {
                if let Some(refusal) = output.refusal() {
                    return Err(refused(ErrorKind::ConsulUsage(refusal)));
                }
                target = output.without_slash(&target);
                Some(ProgramOutput::Kv(output))
            }
            None if target.contains(|c: char| c == ' ' || c.is_ascii_control()) => {
                return Err(refused(ErrorKind::AddressBlank));
            }
            None => draft.output.clone(),
        };
        let target = url::encoded(&target);
        let request = HttpRequest { method, target, headers, body: body.into_bytes() };
        Ok(FilledCommand::Send { request, output })
    }

    /// A word with the values of its names.
    fn resolved(
        &self,
        word: &Token,
        value: PlaceholderValues<'_>,
    ) -> Result<String, Vec<CommandError>> {
        let text = self.placeholders.fill(&word.text, value);
        self.check_resolved(&[&text], value)?;
        Ok(text)
    }

    /// Fails if a name in texts that were filled has no value.
    fn check_resolved(
        &self,
        texts: &[&String],
        value: PlaceholderValues<'_>,
    ) -> Result<(), Vec<CommandError>> {
        let open = self.placeholders.unresolved(texts, value);
        if open.is_empty() { Ok(()) } else { Err(open) }
    }
}
