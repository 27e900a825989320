//! The lines of a log file as serde types, one JSON object each. Times are nanoseconds.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::ConsulVersion;
use lictor_core::engine::{ClusterState, Config};
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::Origin;
use crate::act::{Act, JournalEntry};
use crate::observed::ObservedPast;
use crate::tcp::Network;
use crate::trace::{Names, WordsError, act_of, actor_of, words_of};

/// The file type in the first line.
pub(super) const LOG: &str = "log";
/// Increased when older programs cannot read the format.
pub(super) const VERSION: u32 = 1;

/// The part of the first line that is the same in all versions.
#[derive(Deserialize)]
pub(super) struct Signature {
    pub(super) lictor: String,
    pub(super) version: u32,
}

/// The first line: the beginning of the world, and how many acts of the first branch follow
/// directly.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) lictor: String,
    pub(super) version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    /// The version of Consul of a server with an otherwise default configuration. Without it and
    /// without `config` the log is from before versions could be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) consul: Option<ConsulVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) config: Option<Config>,
    /// How messages travel in a new world. Without it the log is from before there were
    /// connections; a dump contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) network: Option<Network>,
    /// The state of a cluster in which the server begins; without it the server is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) state: Option<Box<ClusterState>>,
    /// What was observed before the beginning.
    #[serde(default, skip_serializing_if = "ObservedPast::is_empty")]
    pub(super) observed: ObservedPast,
    /// A dump in base64, in place of a seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) world: Option<String>,
    pub(super) acts: usize,
    pub(super) end: Instant,
}

impl Head {
    /// The first line of a log that does not begin with a dump.
    pub(super) fn of(origin: Origin<'_>, acts: usize, end: Instant) -> Self {
        let Origin { seed, config, network, state } = origin;
        let is_default = *config == Config::of(config.version);
        Self {
            seed: Some(seed),
            consul: is_default.then_some(config.version),
            config: (!is_default).then(|| config.clone()),
            network: Some(network).filter(|network| *network == Network::Tcp),
            state,
            acts,
            end,
            ..Self::default()
        }
    }
}

impl Default for Head {
    fn default() -> Self {
        Self {
            lictor: LOG.to_owned(),
            version: VERSION,
            seed: None,
            consul: None,
            config: None,
            network: None,
            state: None,
            observed: ObservedPast::default(),
            world: None,
            acts: 0,
            end: Instant::EPOCH,
        }
    }
}

/// Any later line: an act, a position of the cursor, a fork, or the removal of a branch.
pub(super) enum LogRecord {
    Act(ActRecord),
    Position(PositionRecord),
    Fork(ForkRecord),
    Remove(RemoveRecord),
}

/// An act: a request as it is sent, or any other act in the words of the line language.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActRecord {
    at: Instant,
    actor: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    does: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<RequestRecord>,
}

/// A request as it is sent. A body that is not UTF-8 is in `base64` in place of `body`; an empty
/// one is left out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestRecord {
    method: String,
    target: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// A move of the cursor. A branch that ends earlier is extended to there.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionRecord {
    pub(super) branch: u32,
    pub(super) at: Instant,
    /// The number of acts before it.
    pub(super) acts: usize,
}

/// A fork at the cursor, which begins a branch with this name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ForkRecord {
    pub(super) fork: String,
}

/// The branch of this number is forgotten.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveRecord {
    pub(super) remove: u32,
}

/// The fields that distinguish the kinds of records.
#[derive(Deserialize)]
struct RecordFields {
    branch: Option<IgnoredAny>,
    fork: Option<IgnoredAny>,
    remove: Option<IgnoredAny>,
}

/// Why a line is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It is not JSON, or lacks a field, or has an unknown one; in the words of serde_json.
    #[error("{0}")]
    Json(String),
    /// Its words express no act.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// It is an act with neither words nor a request, or with both.
    #[error("an act has either `does` or `request`")]
    NoAct,
    /// Its request has two bodies.
    #[error("a request has either `body` or `base64`")]
    TwoBodies,
    /// The body of its request is not base64.
    #[error("the body is not base64")]
    Base64,
}

pub(super) fn parse<T: DeserializeOwned>(line: &str) -> Result<T, RecordError> {
    serde_json::from_str(line).map_err(|error| {
        // serde_json counts lines too, in a text that is one line of a file.
        let (words, column) = (error.to_string(), error.column());
        let place = format!(" at line {} column {column}", error.line());
        RecordError::Json(match words.strip_suffix(&place) {
            Some(cause) => format!("{cause} at column {column}"),
            None => words,
        })
    })
}

/// Appends a record as one line.
pub(super) fn push_line(lines: &mut String, record: &impl Serialize) {
    let line = serde_json::to_string(record);
    lines.push_str(&line.expect("records have text keys, and a String takes all texts"));
    lines.push('\n');
}

impl LogRecord {
    pub(super) fn parse(line: &str) -> Result<Self, RecordError> {
        let shape: RecordFields = parse(line)?;
        Ok(match (shape.branch, shape.fork, shape.remove) {
            (Some(_), ..) => Self::Position(parse(line)?),
            (None, Some(_), _) => Self::Fork(parse(line)?),
            (None, None, Some(_)) => Self::Remove(parse(line)?),
            (None, None, None) => Self::Act(parse(line)?),
        })
    }
}

impl ActRecord {
    pub(super) fn of(entry: &JournalEntry) -> Self {
        let (does, request) = match &entry.act {
            Act::Request { request, .. } => (None, Some(RequestRecord::of(request))),
            act => (Some(words_of(act, &Names::default())), None),
        };
        Self { at: entry.at, actor: actor_of(&entry.act).to_owned(), does, request }
    }

    pub(super) fn entry(self) -> Result<JournalEntry, RecordError> {
        let act = match (self.request, self.does) {
            (Some(request), None) => {
                Act::Request { actor: ActorName::from(self.actor), request: request.request()? }
            }
            (None, Some(words)) => act_of(&self.actor, &words, &Names::default())?,
            _ => return Err(RecordError::NoAct),
        };
        Ok(JournalEntry { at: self.at, act })
    }
}

impl RequestRecord {
    fn of(request: &HttpRequest) -> Self {
        let (body, base64) = match core::str::from_utf8(&request.body) {
            Ok("") => (None, None),
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(STANDARD.encode(&request.body))),
        };
        Self {
            method: request.method.clone(),
            target: request.target.clone(),
            headers: request.headers.clone(),
            body,
            base64,
        }
    }

    fn request(self) -> Result<HttpRequest, RecordError> {
        let body = match (self.body, self.base64) {
            (None, None) => Vec::new(),
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => STANDARD.decode(text).map_err(|_| RecordError::Base64)?,
            (Some(_), Some(_)) => return Err(RecordError::TwoBodies),
        };
        let Self { method, target, headers, .. } = self;
        Ok(HttpRequest { method, target, headers, body })
    }
}
