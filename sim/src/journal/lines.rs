//! A journal as lines of JSON: first what it is, then one line for each act.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::members::{Members, misfit, text};
use super::{Journal, Start, config};
use crate::dump_text::{world_from_text, world_to_text};
use crate::trace::{Names, act_of, actor_of, words_of};
use crate::{Act, DumpError, JournalEntry};
use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::json::{self, Json, Writer};
use lictor_core::time::Instant;

/// What the first line says that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Journal,
    /// A journal to which more was added: see [`super::Log`].
    Log,
}

/// Lines with their numbers, which count from 1; empty ones are left out.
pub(super) type Lines<'a> = Box<dyn Iterator<Item = (usize, &'a str)> + 'a>;

/// Grows when older programs could not read what is written.
const VERSION: u32 = 1;

/// Why a text is no journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinesError {
    #[error("this is not a journal")]
    NotAJournal,
    #[error("the journal has version {found}; this program reads {VERSION}")]
    UnknownVersion { found: u32 },
    #[error("line {line}: {problem}")]
    Line { line: usize, problem: String },
    #[error("the world that it begins with: {0}")]
    Start(DumpError),
    #[error("the journal is cut off: {found} of {expected} acts")]
    CutOff { expected: usize, found: usize },
}

/// What the first line says.
struct Head<'a> {
    scenario: Option<&'a str>,
    seed: Option<u64>,
    config: Option<Config>,
    /// A dump in base64, in the place of a seed.
    world: Option<&'a str>,
    acts: usize,
    end: Instant,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Journal => "journal",
            Self::Log => "log",
        }
    }
}

impl Journal {
    pub fn to_lines(&self) -> String {
        lines_of(Kind::Journal, self)
    }

    pub fn from_lines(text: &str) -> Result<Self, LinesError> {
        let (journal, rest) = journal_of(Kind::Journal, text)?;
        match rest.count() {
            0 => Ok(journal),
            more => {
                let expected = journal.entries.len();
                Err(LinesError::CutOff { expected, found: expected + more })
            }
        }
    }

    fn head_line(&self, kind: Kind) -> String {
        let mut json = Writer::plain();
        json.open_object();
        json.member("lictor").text(kind.name());
        json.member("version").unsigned(u64::from(VERSION));
        if let Some(scenario) = &self.scenario {
            json.member("scenario").text(scenario);
        }
        match &self.start {
            Start::Fresh { seed, config } => {
                json.member("seed").unsigned(*seed);
                if *config != Config::default() {
                    config::write(json.member("config"), config);
                }
            }
            Start::Lived(world) => {
                json.member("world").text(&world_to_text(world));
            }
        }
        json.member("acts").unsigned(self.entries.len() as u64);
        json.member("end").unsigned(self.end.as_nanos());
        json.close_object();
        json.into_text()
    }
}

pub(super) fn lines_of(kind: Kind, journal: &Journal) -> String {
    let mut lines = journal.head_line(kind);
    lines.push('\n');
    for entry in &journal.entries {
        lines.push_str(&act_line(entry));
        lines.push('\n');
    }
    lines
}

/// The journal that a text begins with, and the lines behind it.
pub(super) fn journal_of(kind: Kind, text: &str) -> Result<(Journal, Lines<'_>), LinesError> {
    let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let mut lines: Lines<'_> = Box::new(lines);
    let (_, first) = lines.next().ok_or(LinesError::NotAJournal)?;
    let first = json::only_value(first).map_err(|_| LinesError::NotAJournal)?;
    let head = head_of(kind, &first)?;
    let start = match (head.seed, head.world) {
        (Some(seed), None) => Start::Fresh { seed, config: head.config.unwrap_or_default() },
        (None, Some(dump)) => {
            Start::Lived(Box::new(world_from_text(dump).map_err(LinesError::Start)?))
        }
        _ => return Err(wrong(1, "it begins with a seed or a world")),
    };
    let mut entries = Vec::new();
    while entries.len() < head.acts {
        let Some((line, text)) = lines.next() else {
            return Err(LinesError::CutOff { expected: head.acts, found: entries.len() });
        };
        entries.push(entry(text).map_err(|what| wrong(line, &what))?);
    }
    let scenario = head.scenario.map(String::from);
    Ok((Journal { start, scenario, entries, end: head.end }, lines))
}

pub(super) fn wrong(line: usize, problem: &str) -> LinesError {
    LinesError::Line { line, problem: problem.into() }
}

fn head_of(kind: Kind, value: &Json) -> Result<Head<'_>, LinesError> {
    let found = version_of(kind, value).ok_or(LinesError::NotAJournal)?;
    if found != VERSION {
        return Err(LinesError::UnknownVersion { found });
    }
    read_head(value).map_err(|problem| wrong(1, &problem))
}

/// What every version begins with.
fn version_of(kind: Kind, value: &Json) -> Option<u32> {
    let members = Members::among(value, &["lictor", "version"]).ok()?;
    let is_one = members.text("lictor").is_ok_and(|name| name == kind.name());
    members.narrow("version").ok().filter(|_| is_one)
}

fn read_head(value: &Json) -> Result<Head<'_>, String> {
    let known = ["lictor", "version", "scenario", "seed", "config", "world", "acts", "end"];
    let members = Members::only(value, &known)?;
    Ok(Head {
        scenario: members.optional_text("scenario")?,
        seed: members.optional_number("seed")?,
        config: members.optional("config").map(config::read).transpose()?,
        world: members.optional_text("world")?,
        acts: members.narrow("acts")?,
        end: Instant::from_nanos(members.number("end")?),
    })
}

fn entry(line: &str) -> Result<JournalEntry, String> {
    entry_of(&json::only_value(line).map_err(|problem| problem.to_string())?)
}

/// A request as it is sent, or any other act in the words of a story.
pub(super) fn entry_of(value: &Json) -> Result<JournalEntry, String> {
    let members = Members::only(value, &["at", "actor", "does", "request"])?;
    let (at, actor) = (Instant::from_nanos(members.number("at")?), members.text("actor")?);
    let act = match (members.optional("request"), members.optional_text("does")?) {
        (Some(request), None) => {
            Act::Request { actor: ActorName::from(actor), request: request_of(request)? }
        }
        (None, Some(words)) => {
            let act = act_of(actor, words, &Names::default());
            act.map_err(|problem| problem.to_string())?
        }
        _ => return Err("an act is a request, or something that is done".into()),
    };
    Ok(JournalEntry { at, act })
}

fn request_of(value: &Json) -> Result<HttpRequest, String> {
    let members = Members::only(value, &["method", "target", "headers", "body", "base64"])?;
    let body = match (members.optional_text("body")?, members.optional_text("base64")?) {
        (None, None) => Vec::new(),
        (Some(text), None) => text.into(),
        (None, Some(text)) => STANDARD.decode(text).map_err(|_| "a body that is no base64")?,
        (Some(_), Some(_)) => return Err("two bodies".into()),
    };
    Ok(HttpRequest {
        method: members.text("method")?.into(),
        target: members.text("target")?.into(),
        headers: members.get("headers").map(headers_of).transpose()?.unwrap_or_default(),
        body,
    })
}

fn headers_of(value: &Json) -> Result<Vec<(String, String)>, String> {
    let wrong = |value| misfit("headers", value, "a list of names with values");
    let Json::Array(items) = value else { return Err(wrong(value)) };
    let mut headers = Vec::new();
    for item in items {
        match item {
            Json::Array(pair) if pair.len() == 2 => {
                let (name, value) = (text("headers", &pair[0])?, text("headers", &pair[1])?);
                headers.push((name.into(), value.into()));
            }
            other => return Err(wrong(other)),
        }
    }
    Ok(headers)
}

pub(super) fn act_line(entry: &JournalEntry) -> String {
    let mut json = Writer::plain();
    json.open_object();
    json.member("at").unsigned(entry.at.as_nanos());
    json.member("actor").text(actor_of(&entry.act));
    match &entry.act {
        Act::Request { request, .. } => write_request(json.member("request"), request),
        act => json.member("does").text(&words_of(act, &Names::default())),
    }
    json.close_object();
    json.into_text()
}

/// A body that is not text is written in base64, and one that is empty not at all.
fn write_request(json: &mut Writer, request: &HttpRequest) {
    json.open_object();
    json.member("method").text(&request.method);
    json.member("target").text(&request.target);
    if !request.headers.is_empty() {
        json.member("headers").list(&request.headers, |json, (name, value)| {
            json.list([name, value], |json, text| json.text(text));
        });
    }
    match core::str::from_utf8(&request.body) {
        Ok("") => {}
        Ok(text) => json.member("body").text(text),
        Err(_) => json.member("base64").text(&STANDARD.encode(&request.body)),
    }
    json.close_object();
}
