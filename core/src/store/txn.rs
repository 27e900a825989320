//! Transactions: their operations, results and errors.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::{Entry, KvVerb};
use crate::error::Reason;
use crate::id::{Index, Key, SessionRef};

/// One operation of a transaction; none makes, renews or ends a session (TXN-28).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnOp {
    /// An operation on keys.
    Kv {
        /// The key, or the prefix of `GetTree` and `DeleteTree`.
        key: Key,
        /// What to do with it.
        verb: TxnVerb,
    },
    /// An operation on a node.
    Node {
        /// The node; all but its name is only for the verbs that set.
        node: Node,
        /// What to do with it.
        verb: CatalogVerb,
    },
    /// An operation on a service.
    Service {
        /// The service; all but its node and id is only for the verbs that set.
        service: Service,
        /// What to do with it.
        verb: CatalogVerb,
    },
    /// An operation on a check.
    Check {
        /// The check; all but its node and id is only for the verbs that set.
        check: Check,
        /// What to do with it.
        verb: CatalogVerb,
    },
}

/// What an operation does with a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TxnVerb {
    /// Writes or deletes, as a request under `/v1/kv/` does.
    Write(KvVerb),
    /// Reads the entry, which must exist (TXN-20).
    Get,
    /// Reads the entry; without one, an entry with these values is the result (V22-05).
    GetOrEmpty {
        /// Its flags.
        flags: u64,
        /// Its session; empty for none.
        session: SessionRef,
        /// Its `ModifyIndex`.
        index: Index,
    },
    /// Reads the entries under a prefix (TXN-21).
    GetTree,
    /// The entry must have this `ModifyIndex` (TXN-22).
    CheckIndex(Index),
    /// This session must hold the entry (TXN-23).
    CheckSession(SessionRef),
    /// The entry must not exist (TXN-24).
    CheckNotExists,
    /// A verb that does not exist: it fails, and counts as a read (TXN-26).
    Unknown(String),
}

/// What an operation does with a record of the catalog (TXN-27).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CatalogVerb {
    /// Reads the record, which must exist.
    Get,
    /// Writes the record.
    Set,
    /// Writes the record if it has this index; 0 if it must not exist.
    Cas(Index),
    /// Deletes the record, if it exists.
    Delete,
    /// Deletes the record if it has this index.
    DeleteCas(Index),
    /// A verb that does not exist: it fails.
    Unknown(String),
}

/// One result of a transaction that was applied (TXN-10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnResult {
    /// The entry as it was written, printed without its value.
    Written(Arc<Entry>),
    /// The entry as it was read, printed with its value.
    Read(Arc<Entry>),
    /// A node as it was read or is stored.
    Node(Arc<Node>),
    /// A service as it was read or is stored.
    Service(Arc<Service>),
    /// A check as it was read or is stored.
    Check(Arc<Check>),
}

/// Why one operation failed (TXN-08).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TxnError {
    /// The position among the operations that were kept (TXN-06).
    pub position: usize,
    /// The error in Consul's words.
    pub what: String,
    /// The lock-delay that refuses a `lock`, if that is the error (TXN-18).
    pub reason: Option<Reason>,
}

/// The results of all operations, or the errors of those that failed.
pub type TxnOutcome = Result<Vec<TxnResult>, Vec<TxnError>>;

impl TxnOp {
    /// Whether the operation makes its transaction a write (TXN-07).
    pub fn is_write(&self) -> bool {
        match self {
            Self::Kv { verb, .. } => matches!(verb, TxnVerb::Write(_)),
            Self::Node { verb, .. } | Self::Service { verb, .. } | Self::Check { verb, .. } => {
                !matches!(verb, CatalogVerb::Get)
            }
        }
    }
}
