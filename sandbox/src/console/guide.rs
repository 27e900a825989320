//! A published guide that was pasted whole: the commands found in its text, as steps in their
//! order. The placeholders of a step get their values from the reader's choices and from the
//! answers that the sender has received; a missing value names the step that provides it. The guide
//! panel lists the steps; `transcript` sends the requests.

use lictor_core::http::HttpRequest;
use serde::Serialize;

use super::assignment;
use super::command::{CommandKind, ConsoleCommand, FilledCommand};
use super::error::ErrorKind;
use super::guide_pieces::{CommandPiece, PieceKind, pieces};
use super::http_line;
use super::parse::read;
use super::text_cursor::TextCursor;
use super::variables::{Variables, folded};

/// The most lines of one command.
const COMMAND_LINES_MAX: usize = 60;
/// The address of a session's creation, for a guide whose text has lost it.
const CREATE: &str = "/v1/session/create";
/// The members of a body that creates a session.
const SESSION_MEMBERS: [&str; 7] = [
    "\"Name\"",
    "\"TTL\"",
    "\"LockDelay\"",
    "\"Behavior\"",
    "\"Node\"",
    "\"NodeChecks\"",
    "\"Checks\"",
];

/// The commands of a guide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guide {
    pub steps: Vec<GuideStep>,
    /// The number of pasted lines, including prose.
    pub lines: usize,
    /// The number of JSON samples that were left out.
    pub samples: usize,
}

/// One request of a guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideStep {
    /// Counted from 1.
    pub line: usize,
    pub role: StepRole,
    pub origin: StepOrigin,
    pub command: ConsoleCommand,
}

/// The purpose of a step, for its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRole {
    CreateSession,
    RenewSession,
    DestroySession,
    /// Acquire a key, such as a semaphore's contender key.
    Acquire,
    Release,
    /// Create a semaphore's `.lock` document with `cas=0`.
    CreateLock,
    /// Add the sender to the holders in the document.
    TakeSlot,
    /// Remove the sender from the holders in the document.
    ReleaseSlot,
    Read,
    /// A blocking query.
    Watch,
    Delete,
    Other,
}

/// The origin of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOrigin {
    Written,
    /// Written without an address, which was completed.
    Completed,
    /// The prose describes it without a command.
    Described,
}

/// The choices of the reader for all steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideChoices {
    pub prefix: String,
    /// A text for `<body>`; none takes the name of the sender.
    pub body: Option<String>,
    pub limit: u64,
}

/// A choice that only the reader can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuideQuestion {
    Prefix,
    Body,
    Limit,
}

/// A placeholder without a value, and the step that provides it, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingValue {
    pub name: String,
    pub from_step: Option<usize>,
}

/// A semaphore's document in the form of the guide.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct LockDocument {
    limit: u64,
    holders: Vec<String>,
}

impl Default for GuideChoices {
    fn default() -> Self {
        Self { prefix: "service/db".into(), body: None, limit: 2 }
    }
}

impl GuideChoices {
    fn prefix(&self) -> Option<String> {
        let prefix = self.prefix.trim().trim_end_matches('/');
        (!prefix.is_empty()).then(|| prefix.to_owned())
    }
}

impl Guide {
    /// Finds the commands in a text; everything else is left out.
    pub fn read(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let (mut steps, mut at) = (Vec::new(), 0);
        let (mut samples, mut is_sample) = (0, false);
        while let Some(line) = lines.get(at) {
            let found = starts_a_command(line).then(|| commands_at(&lines[at..])).flatten();
            let was_sample = is_sample;
            is_sample = found.is_none() && is_json(line, was_sample);
            samples += usize::from(is_sample && !was_sample);
            let (commands, origin, used) = match found {
                Some(found) => found,
                None => (described(line), StepOrigin::Described, 1),
            };
            steps.extend(commands.into_iter().filter_map(|command| {
                let role = role_of(&command, origin)?;
                Some(GuideStep { line: at + 1, role, origin, command })
            }));
            at += used;
        }
        Self { steps, lines: lines.len(), samples }
    }

    /// The choices that the reader has to make before the steps can be sent.
    pub fn questions(&self) -> Vec<GuideQuestion> {
        let uses = |name: &str| {
            let names = self.steps.iter().flat_map(|step| step.command.placeholder_names());
            names.into_iter().any(|of| folded(&of) == name)
        };
        let asks = [
            (GuideQuestion::Prefix, uses("prefix") || uses("lock")),
            (GuideQuestion::Body, self.steps.iter().any(GuideStep::asks_for_body)),
            (GuideQuestion::Limit, self.steps.iter().any(GuideStep::composes_document)),
        ];
        asks.into_iter().filter(|(_, is_asked)| *is_asked).map(|(question, _)| question).collect()
    }

    /// The request of a step for a sender, or the values that it lacks.
    pub fn request(
        &self,
        step: usize,
        (sender, variables): (&str, &Variables),
        choices: &GuideChoices,
    ) -> Result<HttpRequest, Vec<MissingValue>> {
        let Some(step) = self.steps.get(step) else { return Err(Vec::new()) };
        let value = |name: &str| step.value(name, (sender, variables), choices);
        match step.command.fill(&value) {
            Ok(FilledCommand::Send { request, .. }) => Ok(request),
            Ok(_) => Err(Vec::new()),
            Err(errors) => {
                let mut missing: Vec<MissingValue> = Vec::new();
                for error in errors {
                    let ErrorKind::NoValue(name) = error.kind else { continue };
                    // A document lacks nothing but the session of its sender.
                    let is_document = step.composes_document() && is_body(&name);
                    let name = if is_document { "session".to_owned() } else { name };
                    if !missing.iter().any(|it| it.name == name) {
                        let from_step = self.step_that_gives(&name);
                        missing.push(MissingValue { name, from_step });
                    }
                }
                Err(missing)
            }
        }
    }

    /// The text of a step's command in pieces, with the values that a sender has.
    pub fn pieces(
        &self,
        step: usize,
        sender: (&str, &Variables),
        choices: &GuideChoices,
    ) -> Vec<CommandPiece> {
        let missing = self.request(step, sender, choices).err().unwrap_or_default();
        let Some(step) = self.steps.get(step) else { return Vec::new() };
        let kind_of = |name: &str| {
            let is_document = step.composes_document() && is_body(name);
            let lacks = if is_document { "session" } else { name };
            match missing.iter().find(|it| it.name == lacks) {
                Some(MissingValue { from_step, .. }) => PieceKind::Missing(*from_step),
                None if is_document => PieceKind::Composed,
                None => PieceKind::Filled,
            }
        };
        pieces(&step.command, &kind_of, &|name| step.value(name, sender, choices))
    }

    fn step_that_gives(&self, name: &str) -> Option<usize> {
        let role = match folded(name).as_str() {
            "session" | "session-id" => StepRole::CreateSession,
            "prefix" | "lock" => return None,
            _ => StepRole::Read,
        };
        self.steps.iter().position(|step| step.role == role)
    }
}

impl GuideStep {
    fn value(
        &self,
        name: &str,
        (sender, variables): (&str, &Variables),
        choices: &GuideChoices,
    ) -> Option<String> {
        match folded(name).as_str() {
            "prefix" => choices.prefix(),
            "lock" => choices.prefix().map(|prefix| format!("{prefix}/.lock")),
            "body" if self.composes_document() => self.document((sender, variables), choices),
            "body" => Some(choices.body.clone().unwrap_or_else(|| sender.to_owned())),
            "updated-lock-body" => self.document((sender, variables), choices),
            _ => variables.value(sender, name),
        }
    }

    /// The `.lock` document that this step writes: the live holders that the sender has read, with
    /// the sender added or removed.
    fn document(
        &self,
        (sender, variables): (&str, &Variables),
        choices: &GuideChoices,
    ) -> Option<String> {
        let session = variables.value(sender, "session")?;
        let read = variables.semaphore(sender);
        let (limit, mut holders) = match self.role {
            StepRole::CreateLock => (choices.limit, Vec::new()),
            _ => (read.limit.unwrap_or(choices.limit), read.holders),
        };
        holders.retain(|holder| *holder != session);
        if self.role != StepRole::ReleaseSlot {
            holders.push(session);
        }
        serde_json::to_string(&LockDocument { limit, holders }).ok()
    }

    fn composes_document(&self) -> bool {
        matches!(self.role, StepRole::CreateLock | StepRole::TakeSlot | StepRole::ReleaseSlot)
    }

    fn asks_for_body(&self) -> bool {
        let names = self.command.placeholder_names();
        !self.composes_document() && names.iter().any(|name| folded(name) == "body")
    }
}

/// Whether a line is part of a sample of JSON, whose brackets a copied page may have lost.
fn is_json(line: &str, is_in_sample: bool) -> bool {
    let line = line.trim();
    let inner = line.trim_start_matches(['{', '[', ' ']);
    let opens =
        inner.len() < line.len() && (inner.is_empty() || inner.starts_with(['"', '}', ']']));
    let is_member = line.starts_with('"') && line.contains("\":");
    opens || is_member || is_in_sample && line.starts_with(['"', '{', '}', '[', ']'])
}

fn is_body(name: &str) -> bool {
    matches!(folded(name).as_str(), "body" | "updated-lock-body")
}

/// Whether a line of a text begins as a command does.
fn starts_a_command(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("$ ").unwrap_or(line).trim_start();
    let program = line.split_whitespace().next().unwrap_or_default();
    let takes_answer =
        line.contains("$(") && assignment::assignment(&mut TextCursor::new(line)).is_some();
    matches!(program, "curl" | "consul") || takes_answer || is_http_line(line)
}

fn is_http_line(line: &str) -> bool {
    let is_method = line.split_whitespace().next().is_some_and(|word| word == word.to_uppercase());
    is_method && http_line::is_here(&TextCursor::new(line))
}

/// The commands that begin at the first of these lines, and how many lines they take.
fn commands_at(lines: &[&str]) -> Option<(Vec<ConsoleCommand>, StepOrigin, usize)> {
    let block =
        lines.iter().skip(1).position(|line| line.trim().is_empty() || starts_a_command(line));
    let block = block.map_or(lines.len(), |length| length + 1);
    if is_http_line(lines[0].trim_start().trim_start_matches("$ ")) {
        let commands = read(&lines[..block].join("\n")).ok()?;
        return Some((commands, StepOrigin::Written, block));
    }
    for count in 1..=lines.len().min(COMMAND_LINES_MAX) {
        match read(&lines[..count].join("\n")) {
            Ok(commands) => return Some((commands, StepOrigin::Written, count)),
            Err(error) => match error.kind {
                ErrorKind::Unfinished(_) => {}
                ErrorKind::NoAddress => return completed(&lines[..block]),
                _ => return None,
            },
        }
    }
    completed(&lines[..block])
}

/// A command that creates a session, whose address was lost when the guide was copied.
fn completed(lines: &[&str]) -> Option<(Vec<ConsoleCommand>, StepOrigin, usize)> {
    let text = lines.join("\n");
    let text = text.trim_end().trim_end_matches('\\').trim_end();
    let creates = SESSION_MEMBERS.iter().any(|member| text.contains(member));
    let commands = creates.then(|| read(&format!("{text} {CREATE}")).ok()).flatten()?;
    Some((commands, StepOrigin::Completed, lines.len()))
}

/// The requests that the semaphore guide describes without a command: the watch of the prefix, and
/// how a holder releases its slot.
fn described(line: &str) -> Vec<ConsoleCommand> {
    let text = line.replace('`', "");
    let mut commands = String::new();
    if text.contains("blocking query against") && text.contains("/kv/<prefix>?recurse") {
        commands += "GET /v1/kv/<prefix>?recurse&index=<index>\n";
    }
    if text.contains("release its slot") && text.contains("against <lock>") {
        commands += "PUT /v1/kv/<lock>?cas=<lock-modify-index> <Updated Lock Body>\n\
                     DELETE /v1/kv/<prefix>/<session>\nPUT /v1/session/destroy/<session>\n";
    }
    read(&commands).unwrap_or_default()
}

/// The purpose of a command; none for one that sends nothing.
fn role_of(command: &ConsoleCommand, origin: StepOrigin) -> Option<StepRole> {
    let CommandKind::Ask(template) = &command.kind else { return None };
    let url = command.source_url().unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    let is_lock = path.ends_with("/.lock") || path.ends_with("<lock>");
    Some(match template.method.as_str() {
        "GET" if query.contains("index=") => StepRole::Watch,
        "GET" => StepRole::Read,
        "DELETE" => StepRole::Delete,
        "PUT" if path.ends_with("/session/create") => StepRole::CreateSession,
        "PUT" if path.contains("/session/renew/") => StepRole::RenewSession,
        "PUT" if path.contains("/session/destroy/") => StepRole::DestroySession,
        "PUT" if query.contains("acquire=") => StepRole::Acquire,
        "PUT" if query.contains("release=") => StepRole::Release,
        "PUT" if is_lock && query == "cas=0" => StepRole::CreateLock,
        "PUT" if is_lock && origin == StepOrigin::Described => StepRole::ReleaseSlot,
        "PUT" if is_lock && query.contains("cas=") => StepRole::TakeSlot,
        _ => StepRole::Other,
    })
}
