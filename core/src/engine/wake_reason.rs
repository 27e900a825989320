//! Why a blocking query is answered: its index has risen above the one that its caller knows. That
//! does not always mean that what it reads has changed.

use super::event::Wake;
use crate::id::{Index, Key};
use crate::store::{Query, Session, Store};

/// Finds the change that raised the index of a query above `known`. Once its tombstone is reaped,
/// the reason is less specific.
pub(super) fn why_woken(store: &Store, query: &Query, known: Index) -> Wake {
    match query {
        Query::Key(key) => match store.kv().tombstone(key.as_str()) {
            _ if store.kv().get(key.as_str()).is_some() => Wake::changed(key),
            Some(index) if index > known => Wake::Deleted { key: key.clone() },
            _ => Wake::NoMatch,
        },
        Query::Tree(prefix) => list_wake(store, prefix, known, Wake::changed),
        Query::Keys { prefix, .. } => {
            let is_new = |key: &Key| {
                let entry = store.kv().get(key.as_str());
                entry.is_some_and(|entry| entry.create_index > known)
            };
            list_wake(store, prefix, known, |key| {
                if is_new(key) { Wake::changed(key) } else { Wake::SameKeys { key: key.clone() } }
            })
        }
        Query::Session(session) => {
            let session = session.id().and_then(|id| store.sessions().get(id));
            rows_wake(session.map(|session| &**session).into_iter(), known)
        }
        Query::SessionsOfNode(node) => {
            let node = node.folded();
            let sessions = store.sessions().on_node(&node);
            rows_wake(sessions.map(|session| &**session), known)
        }
        Query::Sessions | Query::PreparedQueries => Wake::Changed { key: None },
        Query::PreparedQuery(text) => match store.queries().find(text) {
            Some(found) if found.modify_index > known => Wake::Changed { key: None },
            _ => Wake::OtherRow,
        },
        Query::Nodes
        | Query::Node(_)
        | Query::Services
        | Query::Service(_)
        | Query::ChecksOfNode(_)
        | Query::ChecksOfService(_)
        | Query::ChecksInState(_)
        | Query::ServiceHealth(_)
        | Query::Mesh(_)
        | Query::MeshHealth(_)
        | Query::Filtered { .. }
        | Query::CaRoots
        | Query::Explain(_)
        | Query::Execute { .. } => Wake::OtherRow,
        Query::UserEvents(_) | Query::OwnService { .. } => Wake::Changed { key: None },
    }
}

/// For a list, the newest entry or tombstone under its prefix is the reason.
fn list_wake(store: &Store, prefix: &Key, known: Index, written: impl Fn(&Key) -> Wake) -> Wake {
    let prefix = prefix.as_str();
    let newest = store.kv().with_prefix(prefix).max_by_key(|entry| entry.modify_index);
    let newest = newest.map(|entry| (entry.modify_index, &entry.key));
    let buried = store.kv().newest_tombstone_under(prefix);
    let written_since = newest.filter(|(index, _)| *index > known);
    let deleted_since = buried.filter(|(index, _)| *index > known);
    match (written_since, deleted_since) {
        (Some((written, _)), Some((deleted, key))) if deleted > written => {
            Wake::Deleted { key: key.clone() }
        }
        (Some((_, key)), _) => written(key),
        (None, Some((_, key))) => Wake::Deleted { key: key.clone() },
        (None, None) if newest.is_some() => Wake::OtherRow,
        (None, None) => Wake::NoMatch,
    }
}

fn rows_wake<'a>(mut sessions: impl Iterator<Item = &'a Session>, known: Index) -> Wake {
    if sessions.any(|session| session.create_index > known) {
        Wake::Changed { key: None }
    } else {
        Wake::OtherRow
    }
}

impl Wake {
    fn changed(key: &Key) -> Self {
        Self::Changed { key: Some(key.clone()) }
    }
}
