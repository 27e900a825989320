//! Changes: what one command did to the store, in order. A change holds the record before it, so
//! that a failed transaction is undone from its changes alone. The engine starts timers and wakes
//! blocking queries from them; history shows them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::Entry;
use super::prepared_query::PreparedQuery;
use super::session::Session;
use crate::error::Cause;
use crate::id::{Index, Key};

/// One record that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    KeyWritten {
        before: Option<Arc<Entry>>,
        after: Arc<Entry>,
    },
    KeyDeleted {
        before: Arc<Entry>,
    },
    /// A tombstone was set, over an earlier one or none (IDX-07).
    Buried {
        key: Key,
        before: Option<Index>,
    },
    SessionCreated(Arc<Session>),
    /// The session ended; what happened to the keys that it held follows.
    SessionEnded {
        session: Arc<Session>,
        cause: Cause,
        held: Vec<Key>,
    },
    NodeWritten {
        before: Option<Arc<Node>>,
        after: Arc<Node>,
    },
    NodeDeleted {
        before: Arc<Node>,
    },
    ServiceWritten {
        before: Option<Arc<Service>>,
        after: Arc<Service>,
    },
    ServiceDeleted {
        before: Arc<Service>,
    },
    CheckWritten {
        before: Option<Arc<Check>>,
        after: Arc<Check>,
    },
    CheckDeleted {
        before: Arc<Check>,
    },
    QueryWritten {
        before: Option<Arc<PreparedQuery>>,
        after: Arc<PreparedQuery>,
    },
    QueryDeleted {
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
