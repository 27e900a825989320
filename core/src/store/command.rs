//! Commands: everything that a log entry can contain, and the results of applying one.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Deregistration, Registration};
use super::change::Change;
use super::kv::KvVerb;
use super::prepared_query::QueryDefinition;
use super::session::Session;
use super::txn::{TxnOp, TxnOutcome};
use crate::error::{Cause, Reason};
use crate::id::{Index, Key, QueryId, SessionId};

/// One entry of the log. Ids are minted and limits checked before it is made; time is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Command {
    /// Creates a session; its `create_index` is that of the entry.
    CreateSession(Box<Session>),
    /// Ends a session, if it is still there.
    EndSession {
        /// The session.
        id: SessionId,
        /// Why it ends.
        cause: Cause,
    },
    /// Writes or deletes keys.
    Kv {
        /// The key, or the prefix of a `DeleteTree`.
        key: Key,
        /// What to do with it.
        verb: KvVerb,
    },
    /// Runs operations together or not at all.
    Txn(Vec<TxnOp>),
    /// Registers a node with a service and checks.
    Register(Box<Registration>),
    /// Removes a node, a service or a check.
    Deregister(Deregistration),
    /// Stores a prepared query.
    SetQuery {
        /// The query.
        id: QueryId,
        /// Its definition.
        definition: Box<QueryDefinition>,
    },
    /// Deletes a prepared query.
    DeleteQuery(QueryId),
    /// Deletes old tombstones.
    ReapTombstones {
        /// The index of the newest one that is deleted.
        up_to: Index,
    },
}

/// The result of a command that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Applied {
    /// The write was applied.
    Done,
    /// The stored state does not allow the write: the answer is `false`.
    Refused(Reason),
    /// The outcome of a transaction; of a failed one also the changes that were undone.
    Txn {
        /// The results of its operations, or the errors.
        outcome: TxnOutcome,
        /// What the operations had changed before one failed.
        undone: Vec<Change>,
    },
}
