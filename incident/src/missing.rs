//! What is missing: what it would show, and the command that prints it.

use alloc::format;
use alloc::string::String;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Something that was not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Missing {
    /// What was not shown.
    pub what: String,
    /// What it would show: a clause after "It would show".
    pub shows: String,
    /// The command that prints it.
    pub command: String,
    /// The path and the query of a `GET` that has it; `None` if no single one has.
    #[serde(skip)]
    pub path: Option<String>,
}

impl Missing {
    fn new(what: impl Into<String>, shows: &str, command: String) -> Self {
        Self { what: what.into(), shows: shows.into(), command, path: None }
    }

    /// What an answer to `GET` has.
    fn got(what: impl Into<String>, shows: &str, path: String) -> Self {
        let command = Address::default().get(&path);
        Self { path: Some(path), ..Self::new(what, shows, command) }
    }

    /// The same, with a command that asks at this address.
    pub(crate) fn at(mut self, address: &Address) -> Self {
        if let Some(path) = &self.path {
            self.command = address.get(path);
        }
        self
    }

    pub(crate) fn keys() -> Self {
        Self::got("a list of keys", "who holds each key", "/v1/kv/?recurse".into())
    }

    pub(crate) fn key(key: &str) -> Self {
        let what = format!("a list of keys that covers {key}");
        Self::got(what, "who holds the key", format!("/v1/kv/{}", escaped(key)))
    }

    /// A list of keys that is older than what the logs show.
    pub(crate) fn newer_key(key: &str) -> Self {
        let what = format!("a list of keys that is newer than the last event of {key}");
        Self::got(what, "who holds the key now", format!("/v1/kv/{}", escaped(key)))
    }

    pub(crate) fn sessions() -> Self {
        let shows = "when each session ends, and how long its lock-delay is";
        Self::got("a list of sessions", shows, "/v1/session/list".into())
    }

    pub(crate) fn session(id: &str, name: &str) -> Self {
        let what = format!("{name} with its TTL and its LockDelay");
        let shows = "when the session ends, and how long its lock-delay is";
        Self::got(what, shows, format!("/v1/session/info/{}", escaped(id)))
    }

    pub(crate) fn moment(list: &str) -> Self {
        let what = format!("when {list} was taken");
        let shows = "of which moment the answer is: without it the list may be of any time";
        Self::new(what, shows, "curl -si in place of curl -s, or --at TIME".into())
    }

    pub(crate) fn consistent(list: &str) -> Self {
        let what = format!("the newest state in place of {list}, which is stale");
        Self::got(what, "who holds the key now", "/v1/kv/?recurse&consistent".into())
    }

    pub(crate) fn nodes() -> Self {
        let shows = "whether the logs have every request, which makes the latest moment earlier";
        Self::got("the list of all nodes", shows, "/v1/catalog/nodes".into())
    }

    pub(crate) fn logs() -> Self {
        let what = "the requests of all agents up to this moment, and of the 60 s before it";
        let shows = "the exact moment, in place of the earliest and the latest one";
        let command = "consul monitor -log-level=debug (on each node, before and after the lists)";
        Self::new(what, shows, command.into())
    }

    pub(crate) fn contenders(prefix: &str) -> Self {
        let what = format!("the keys of all contenders below {prefix}");
        let shows = "which of the holders in .lock still have a slot";
        Self::got(what, shows, format!("/v1/kv/{}?recurse", escaped(prefix)))
    }

    /// Whether a session is alive, which decides whether a command would harm it.
    pub(crate) fn is_alive(id: &str, name: &str) -> Self {
        let shows = "whether it can be removed from Holders";
        let path = format!("/v1/session/info/{}", escaped(id));
        Self::got(format!("whether {name} is alive"), shows, path)
    }
}

/// The characters of a path that stay as they are.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_');

/// A key or an id as a part of a path.
pub fn escaped(text: &str) -> String {
    format!("{}", utf8_percent_encode(text, PATH))
}
