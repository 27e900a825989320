//! Transactions: their operations and results. transactions.rs runs them.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::{Entry, KvVerb};
use crate::id::{Index, Key, SessionRef};

/// One operation of a transaction; none makes, renews or ends a session (TXN-28).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnOp {
    Kv { key: Key, verb: TxnVerb },
    Node { node: Node, verb: CatalogVerb },
    Service { service: Service, verb: CatalogVerb },
    Check { check: Check, verb: CatalogVerb },
}

/// What an operation does with a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnVerb {
    Write(KvVerb),
    Get,
    GetTree,
    CheckIndex(Index),
    CheckSession(SessionRef),
    CheckNotExists,
    /// A verb that does not exist: it fails, and counts as a read (TXN-26).
    Unknown(String),
}

/// What an operation does with a record of the catalog (TXN-27).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CatalogVerb {
    Get,
    Set,
    Cas(Index),
    Delete,
    DeleteCas(Index),
    Unknown(String),
}

/// One result of a transaction that was applied (TXN-10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TxnResult {
    /// The entry as it was written, printed without its value.
    Written(Arc<Entry>),
    /// The entry as it was read, printed with its value.
    Read(Arc<Entry>),
    Node(Arc<Node>),
    Service(Arc<Service>),
    Check(Arc<Check>),
}

/// Why one operation failed (TXN-08).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TxnError {
    /// The position among the operations that were kept (TXN-06).
    pub position: usize,
    pub what: String,
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
