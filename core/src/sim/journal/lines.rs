//! A journal as lines of JSON: first what it is, then one line for each act.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::{Journal, Start};
use crate::engine::Config;
use crate::http::HttpRequest;
use crate::id::ActorName;
use crate::json;
use crate::sim::records::{world_of, world_record};
use crate::sim::trace::{Names, act_of, actor_of, words_of};
use crate::sim::{Act, DumpError, JournalEntry};
use crate::time::Instant;

/// What the first line says that it is.
const KIND: &str = "journal";
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

/// What every version begins with.
#[derive(Deserialize)]
struct Kind {
    lictor: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    lictor: String,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Config>,
    /// A dump in base64, in the place of a seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<String>,
    acts: usize,
    /// Nanoseconds, as all times here.
    end: u64,
}

/// A request as it is sent, or any other act in the words of a story.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    at: u64,
    actor: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    does: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Request>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    method: String,
    target: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// A body that is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Journal {
    pub fn to_lines(&self) -> String {
        let mut lines = json::to_text(&self.head());
        lines.push('\n');
        for entry in &self.entries {
            lines.push_str(&act_line(entry));
            lines.push('\n');
        }
        lines
    }

    pub fn from_lines(text: &str) -> Result<Self, LinesError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
        let (_, first) = lines.next().ok_or(LinesError::NotAJournal)?;
        let head = head_of(first)?;
        let start = match (head.seed, head.world) {
            (Some(seed), None) => Start::Fresh { seed, config: head.config.unwrap_or_default() },
            (None, Some(dump)) => {
                Start::Lived(Box::new(world_of(&dump).map_err(LinesError::Start)?))
            }
            _ => return Err(wrong(1, "it begins with a seed or a world")),
        };
        let entries = lines.map(|(line, text)| entry(text).map_err(|what| wrong(line, &what)));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        if entries.len() != head.acts {
            return Err(LinesError::CutOff { expected: head.acts, found: entries.len() });
        }
        Ok(Self { start, scenario: head.scenario, entries, end: Instant::from_nanos(head.end) })
    }

    fn head(&self) -> Head {
        let (seed, config, world) = match &self.start {
            Start::Fresh { seed, config } => (Some(*seed), Some(config.clone()), None),
            Start::Lived(world) => (None, None, world_record(world)),
        };
        Head {
            lictor: KIND.into(),
            version: VERSION,
            scenario: self.scenario.clone(),
            seed,
            config: config.filter(|config| *config != Config::default()),
            world,
            acts: self.entries.len(),
            end: self.end.as_nanos(),
        }
    }
}

fn wrong(line: usize, problem: &str) -> LinesError {
    LinesError::Line { line, problem: problem.into() }
}

fn head_of(line: &str) -> Result<Head, LinesError> {
    let kind: Kind = json::from_text(line).map_err(|_| LinesError::NotAJournal)?;
    if kind.lictor != KIND {
        return Err(LinesError::NotAJournal);
    }
    if kind.version != VERSION {
        return Err(LinesError::UnknownVersion { found: kind.version });
    }
    json::from_text(line).map_err(|problem| wrong(1, &problem.to_string()))
}

fn entry(line: &str) -> Result<JournalEntry, String> {
    let line: Line = json::from_text(line).map_err(|problem| problem.to_string())?;
    let act = match (line.request, line.does) {
        (Some(request), None) => {
            Act::Request { actor: ActorName::from(line.actor), request: request.read()? }
        }
        (None, Some(words)) => {
            let act = act_of(&line.actor, &words, &Names::default());
            act.map_err(|problem| problem.to_string())?
        }
        _ => return Err("an act is a request, or something that is done".into()),
    };
    Ok(JournalEntry { at: Instant::from_nanos(line.at), act })
}

fn act_line(entry: &JournalEntry) -> String {
    let (request, does) = match &entry.act {
        Act::Request { request, .. } => (Some(Request::new(request)), None),
        act => (None, Some(words_of(act, &Names::default()))),
    };
    let actor = actor_of(&entry.act).into();
    json::to_text(&Line { at: entry.at.as_nanos(), actor, does, request })
}

impl Request {
    fn new(request: &HttpRequest) -> Self {
        let (body, base64) = match core::str::from_utf8(&request.body) {
            Ok("") => (None, None),
            Ok(text) => (Some(text.into()), None),
            Err(_) => (None, Some(STANDARD.encode(&request.body))),
        };
        let HttpRequest { method, target, headers, .. } = request.clone();
        Self { method, target, headers, body, base64 }
    }

    fn read(self) -> Result<HttpRequest, String> {
        let body = match (self.body, self.base64) {
            (None, None) => Vec::new(),
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => STANDARD.decode(text).map_err(|_| "a body that is no base64")?,
            (Some(_), Some(_)) => return Err("two bodies".into()),
        };
        let Self { method, target, headers, .. } = self;
        Ok(HttpRequest { method, target, headers, body })
    }
}
