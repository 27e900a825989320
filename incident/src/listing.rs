//! A list as it was shown: what it covers, and when it was taken.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::answer_head::AnswerHead;
use crate::lists::{KeyEntry, Session};
use crate::moment::Moment;
use crate::request::{ListRequest, Target};
use crate::source::Evidence;

/// Of which sessions or keys a list says also that they are not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The keys that begin with this; all with an empty one.
    Keys(String),
    Key(String),
    AllSessions,
    SessionsOfNode(String),
    Session(String),
    /// Of none: nothing says what was asked for, or a part may have been left out.
    Unknown,
}

/// The entries of a list.
#[derive(Clone, Debug)]
pub(crate) enum Entries {
    Sessions(Vec<Session>),
    Keys(Vec<KeyEntry>),
}

/// A list as it was shown.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) entries: Entries,
    pub(crate) scope: Scope,
    pub(crate) moment: Moment,
    pub(crate) line: Arc<Evidence>,
    pub(crate) request: Option<ListRequest>,
    pub(crate) head: AnswerHead,
}

impl Scope {
    /// What the answer to a request covers.
    pub(crate) fn of(request: &ListRequest, head: &AnswerHead) -> Self {
        if request.is_filtered || head.is_filtered_by_acls {
            return Self::Unknown;
        }
        match &request.target {
            Target::Sessions => Self::AllSessions,
            Target::SessionsOfNode(node) => Self::SessionsOfNode(node.clone()),
            Target::Session(id) => Self::Session(id.clone()),
            Target::Keys(prefix) => Self::Keys(prefix.clone()),
            Target::Key(key) => Self::Key(key.clone()),
            Target::Nodes | Target::Checks => Self::Unknown,
        }
    }

    /// Whether a session that is not in a list of this scope does not exist.
    pub(crate) fn covers_session(&self, session: &Session) -> bool {
        match self {
            Self::AllSessions => true,
            Self::SessionsOfNode(node) => *node == session.node,
            Self::Session(id) => *id == session.id,
            _ => false,
        }
    }

    /// Whether a key that is not in a list of this scope does not exist.
    pub(crate) fn covers_key(&self, key: &str) -> bool {
        match self {
            Self::Keys(prefix) => key.starts_with(prefix.as_str()),
            Self::Key(one) => one == key,
            _ => false,
        }
    }
}

impl Entries {
    pub(crate) const fn is_sessions(&self) -> bool {
        matches!(self, Self::Sessions(_))
    }

    pub(crate) const fn is_keys(&self) -> bool {
        matches!(self, Self::Keys(_))
    }

    pub(crate) fn sessions(&self) -> &[Session] {
        match self {
            Self::Sessions(sessions) => sessions,
            Self::Keys(_) => &[],
        }
    }

    pub(crate) fn keys(&self) -> &[KeyEntry] {
        match self {
            Self::Keys(keys) => keys,
            Self::Sessions(_) => &[],
        }
    }
}

impl Listing {
    /// The list in a sentence: what it is of, and its place.
    pub(crate) fn name(&self) -> String {
        let what = match (&self.entries, &self.scope) {
            (Entries::Sessions(_), Scope::AllSessions) => "the list of all sessions".to_string(),
            (Entries::Sessions(_), Scope::SessionsOfNode(node)) => {
                format!("the list of the sessions of node {node} only")
            }
            (Entries::Sessions(_), Scope::Session(_)) => "the list of one session only".into(),
            (Entries::Sessions(_), _) => "the list of sessions".into(),
            (Entries::Keys(_), Scope::Keys(prefix)) if prefix.is_empty() => {
                "the list of all keys".into()
            }
            (Entries::Keys(_), Scope::Keys(prefix)) => {
                format!("the list of the keys below {prefix}")
            }
            (Entries::Keys(_), Scope::Key(key)) => format!("the answer for the key {key}"),
            (Entries::Keys(_), _) => "the list of keys".into(),
        };
        format!("{what} ({}:{})", self.line.source, self.line.line)
    }

    /// Whether a request in a log can be the one for this list.
    pub(crate) fn can_be_answer_to(&self, request: &ListRequest) -> bool {
        if let Some(own) = &self.request {
            return own.target == request.target && (own.tag.is_none() || own.tag == request.tag);
        }
        match (&self.entries, &request.target) {
            (Entries::Sessions(_), Target::Sessions) => true,
            (Entries::Sessions(all), Target::SessionsOfNode(node)) => {
                all.iter().all(|session| session.node == *node)
            }
            (Entries::Sessions(all), Target::Session(id)) => {
                all.iter().all(|session| session.id == *id)
            }
            (Entries::Keys(all), Target::Keys(prefix)) => {
                all.iter().all(|entry| entry.key.starts_with(prefix.as_str()))
            }
            (Entries::Keys(all), Target::Key(key)) => all.iter().all(|entry| entry.key == *key),
            _ => false,
        }
    }

    /// The sessions that were alive when the list was taken: those in it, or the holders of keys.
    pub(crate) fn alive(&self) -> impl Iterator<Item = &str> {
        let sessions = self.entries.sessions().iter().map(|session| session.id.as_str());
        let holders = self.entries.keys().iter().filter_map(|entry| entry.session.as_deref());
        sessions.chain(holders)
    }

    pub(crate) fn names(&self) -> BTreeSet<&str> {
        self.entries.keys().iter().map(|entry| entry.key.as_str()).collect()
    }

    /// The earliest time at which the list can have been taken; its moment if that is assumed.
    pub(crate) fn taken_earliest(&self) -> Timestamp {
        self.moment.earliest.unwrap_or(self.moment.latest)
    }
}
