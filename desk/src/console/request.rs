//! A request of a command, with slots in place of the names without values, and how its program
//! sends it, follows a redirect (301) and prints the answer. curl follows one with `-L`, the client
//! of `consul` always; whether it keeps the method and the body depends on the program.

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_sim::{Call, Outcome};
use serde::{Deserialize, Serialize};

use super::error::{CommandError, ErrorKind, TextSpan, Unclosed};
use super::known_keys::header;
use super::kv_output::{ErrorStream, KeyOutput};
use super::url;
use super::word::{Expansion, Token, has_slot};
use super::write_out::WriteOut;

/// A call of a program: its words, its input and where its errors go.
pub(super) struct ProgramLine<'w, 'e, 'v> {
    /// The name of the program.
    pub(super) program: &'w Token,
    /// The words after it.
    pub(super) words: &'w [Token],
    /// The text of its standard input, if the command redirects it.
    pub(super) input: Option<String>,
    pub(super) errors: ErrorStream,
    pub(super) expansion: &'e mut Expansion<'v>,
}

impl ProgramLine<'_, '_, '_> {
    /// The content of a file that was written here, or the input of the command for `-`.
    pub(super) fn content(&mut self, file: &str, span: &TextSpan) -> Result<String, CommandError> {
        let missing = || CommandError::new(ErrorKind::File, span.clone());
        match file {
            "-" => self.input.clone().ok_or_else(missing),
            _ if file.is_empty() || has_slot(file) => Err(missing()),
            _ => Ok(self.expansion.file(file, span)),
        }
    }
}

/// What a command does, with slots in place of the names without values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Draft {
    Request(RequestTemplate),
    /// `name=value`: nothing is sent.
    Assign(String),
    /// `cat > file <<END`: the text is kept in a variable.
    Write {
        file: String,
        text: String,
    },
    /// `echo`: nothing is sent.
    Echo(String),
    /// A program of the client, in the words of the line language.
    Start(String),
    /// `sleep`: time passes.
    Pass(String),
    Help,
    /// `consul version`.
    Version,
}

/// A request with slots in place of the names without values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestTemplate {
    pub(super) method: String,
    pub(super) url: Token,
    /// The data that `-G` moves from the body to the query.
    pub(super) query: Vec<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) sending: Sending,
    /// What a body of several lines seems to lack at its end.
    pub(super) awaits: Option<Unclosed>,
    /// Whether the program removes the segments `.` and `..` of the path.
    pub(super) removes_dots: bool,
}

/// How the program of a command sends its request and prints the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// The parts of the answer that it prints.
    pub shown: AnswerParts,
    pub origin: MethodSource,
    /// How the program prints the answer. `None` if it prints it as it is.
    pub output: Option<ProgramOutput>,
    /// How the program follows a redirect. `None` if it does not.
    pub redirect: Option<Redirect>,
}

/// How a program prints an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgramOutput {
    Kv(KeyOutput),
    Curl(WriteOut),
}

/// The origin of the method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum MethodSource {
    /// The command names it.
    #[default]
    Written,
    /// curl's choice of POST when there is a body, which Consul refuses.
    FromBody,
    /// The command has another option or no body, from which the method follows.
    Implied,
}

/// The part of the answer to print (`-i`, `-v`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerParts {
    #[default]
    Body,
    Headers,
}

impl RequestTemplate {
    /// A request with nothing but its method and its address.
    pub(super) fn new(method: &str, url: Token) -> Self {
        Self { method: method.into(), url, ..Self::default() }
    }

    /// The target as the program sends it. Its host is gone, so a name in it needs no value.
    pub(super) fn target(&self) -> Result<String, CommandError> {
        let refused = |kind| CommandError::new(kind, self.url.span.clone());
        let mut target = url::target(&self.url.text).map_err(refused)?;
        for piece in &self.query {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(piece);
        }
        Ok(if self.removes_dots { url::without_dots(&target) } else { target })
    }

    /// The request with its values. Fails with an error for each place of a name without one.
    pub(super) fn finish(
        mut self,
        expansion: &Expansion<'_>,
    ) -> Result<(HttpRequest, Sending), Vec<CommandError>> {
        let mut target = self.target().map_err(|error| vec![error])?;
        let mut texts = vec![&mut self.method, &mut target, &mut self.body];
        if let Some(ProgramOutput::Kv(output)) = &mut self.sending.output {
            texts.push(&mut output.key);
        }
        for (name, value) in &mut self.headers {
            texts.extend([name, value]);
        }
        expansion.finish(&mut texts)?;
        let refused = |kind| vec![CommandError::new(kind, self.url.span.clone())];
        match &mut self.sending.output {
            Some(ProgramOutput::Kv(output)) => {
                if let Some(refusal) = output.refusal() {
                    return Err(refused(ErrorKind::ConsulUsage(refusal)));
                }
                target = output.without_slash(&target);
            }
            _ if target.contains(|c: char| c == ' ' || c.is_ascii_control()) => {
                return Err(refused(ErrorKind::AddressBlank));
            }
            _ => {}
        }
        let (method, headers, body) = (self.method, self.headers, self.body.into_bytes());
        let request = HttpRequest { method, target: url::encoded(&target), headers, body };
        Ok((request, self.sending))
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

/// How a program follows a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// The second request has the method of the first; otherwise it is GET.
    pub(super) keeps_method: bool,
    pub(super) keeps_body: bool,
}

/// What the second request lacks of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirected {
    /// The method of the first request, if the second has another.
    pub method: Option<String>,
    pub has_lost_body: bool,
}

impl Redirect {
    /// Go's `net/http`: any method but GET and HEAD becomes GET.
    pub(super) fn of_go() -> Self {
        Self { keeps_method: false, keeps_body: false }
    }

    /// The second request, if an answer redirects.
    pub(super) fn follow(
        self,
        request: &HttpRequest,
        response: &HttpResponse,
    ) -> Option<(HttpRequest, Redirected)> {
        let location = location(response)?;
        let is_read = matches!(request.method.as_str(), "GET" | "HEAD");
        let mut next = HttpRequest { target: location.to_owned(), ..request.clone() };
        if !self.keeps_method && !is_read {
            next.method = "GET".into();
        }
        if !self.keeps_body {
            next.body = Vec::new();
        }
        let redirected = Redirected {
            method: (next.method != request.method).then(|| request.method.clone()),
            has_lost_body: next.body != request.body,
        };
        Some((next, redirected))
    }
}

/// The address to which an answer redirects. `None` if it is no 301 with a `Location`.
fn location(response: &HttpResponse) -> Option<&str> {
    header(response, "Location").filter(|_| response.status == 301)
}

/// Whether an answer redirects.
pub(super) fn is_redirect(response: &HttpResponse) -> bool {
    location(response).is_some()
}
