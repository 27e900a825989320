//! Changes: what one command did to the store, in order. A change holds the record before it, so
//! that a failed transaction is undone from its changes alone.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::Entry;
use super::prepared_query::PreparedQuery;
use super::session::Session;
use crate::error::Cause;
use crate::id::{Index, Key, SessionId};

/// One record that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// An entry was created or changed.
    KeyWritten {
        /// `None` for a new entry.
        before: Option<Arc<Entry>>,
        /// The entry as it is stored.
        after: Arc<Entry>,
    },
    /// An entry was deleted.
    KeyDeleted {
        /// The entry as it was.
        before: Arc<Entry>,
    },
    /// A tombstone was set, over an earlier one or none (IDX-07).
    Buried {
        /// The key that was deleted.
        key: Key,
        /// The index of the earlier tombstone.
        before: Option<Index>,
    },
    /// A session was created.
    SessionCreated(Arc<Session>),
    /// The session ended; what happened to the keys that it held follows.
    SessionEnded {
        /// The session as it was.
        session: Arc<Session>,
        /// Why it ended.
        cause: Cause,
        /// The keys that it held, in key order.
        held: Vec<Key>,
    },
    /// A node was registered or changed.
    NodeWritten {
        /// `None` for a new node.
        before: Option<Arc<Node>>,
        /// The node as it is stored.
        after: Arc<Node>,
    },
    /// A node was removed.
    NodeDeleted {
        /// The node as it was.
        before: Arc<Node>,
    },
    /// A service was registered or changed.
    ServiceWritten {
        /// `None` for a new service.
        before: Option<Arc<Service>>,
        /// The service as it is stored.
        after: Arc<Service>,
    },
    /// A service was removed.
    ServiceDeleted {
        /// The service as it was.
        before: Arc<Service>,
    },
    /// A check was registered or changed.
    CheckWritten {
        /// `None` for a new check.
        before: Option<Arc<Check>>,
        /// The check as it is stored.
        after: Arc<Check>,
        /// The session whose beginning or end the check follows; `None` for a check that was
        /// registered or updated (V22-09).
        followed: Option<SessionId>,
    },
    /// A check was removed.
    CheckDeleted {
        /// The check as it was.
        before: Arc<Check>,
    },
    /// A prepared query was stored or changed.
    QueryWritten {
        /// `None` for a new query.
        before: Option<Arc<PreparedQuery>>,
        /// The query as it is stored.
        after: Arc<PreparedQuery>,
    },
    /// A prepared query was deleted.
    QueryDeleted {
        /// The query as it was.
        before: Arc<PreparedQuery>,
    },
}

/// The changes of one log entry, while it is carried out.
#[derive(Debug)]
pub(super) struct Changes {
    /// The index of the log entry, which everything that it changes gets.
    pub(super) at: Index,
    pub(super) list: Vec<Change>,
}

impl Changes {
    pub(super) fn new(at: Index) -> Self {
        Self { at, list: Vec::new() }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.list.push(change);
    }
}
