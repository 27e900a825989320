//! Errors of single operations of a transaction, in Consul's words.

use alloc::string::String;
use core::fmt;

use thiserror::Error;

use crate::error::Error as EngineError;
use crate::id::{CheckId, Index, Key, NodeName, ServiceId, SessionRef, UuidError, go_quoted};

/// Why an operation fails.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OpError {
    /// A `lock` of a key that another session holds (TXN-18).
    #[error("failed to lock key {}, lock is already held", quoted(.0))]
    LockHeld(Key),
    /// A `lock` of a key under lock-delay (TXN-18).
    #[error("failed to lock key {} due to lock delay", quoted(.0))]
    LockDelay(Key),
    /// An `unlock` by a session that does not hold the key (TXN-19).
    #[error("failed to unlock key {}, lock isn't held, or is held by another session", quoted(.0))]
    LockNotHeld(Key),
    /// A `cas` of a key or record that is not at the expected index (TXN-17, TXN-27).
    #[error("failed to set {0}, index is stale")]
    StaleSet(OpTarget),
    /// A `delete-cas` of a key or record that is not at the expected index (TXN-25, TXN-27).
    #[error("failed to delete {0}, index is stale")]
    StaleDelete(OpTarget),
    /// A `get` of a key or record that does not exist (TXN-20, TXN-27).
    #[error("{0} doesn't exist")]
    Missing(OpTarget),
    /// A `check-not-exists` of a key that exists (TXN-24).
    #[error("key {} exists", quoted(.0))]
    KeyExists(Key),
    /// A `check-index` of a key that does not exist (TXN-22).
    #[error("failed to check index, key {} doesn't exist", quoted(.0))]
    NoKeyToCheckIndex(Key),
    /// A `check-index` of a key with another index (TXN-22).
    #[error(
        "failed index check for key {}, current modify index {actual} != {expected}",
        quoted(key)
    )]
    OtherIndex {
        /// The key.
        key: Key,
        /// Its `ModifyIndex`.
        actual: Index,
        /// The index that the operation named.
        expected: Index,
    },
    /// A `check-session` of a key that does not exist (TXN-23).
    #[error("failed to check session, key {} doesn't exist", quoted(.0))]
    NoKeyToCheckSession(Key),
    /// A `check-session` of a key that another session holds, or none (TXN-23).
    #[error(
        "failed session check for key {}, current session {} != {}",
        quoted(key), go_quoted(actual), go_quoted(expected.as_str())
    )]
    OtherSession {
        /// The key.
        key: Key,
        /// The session that holds it; empty if none does.
        actual: String,
        /// The session that the operation named.
        expected: SessionRef,
    },
    /// A `delete` of a check without a node or an id (TXN-27).
    #[error("check lookup failed: index error: object is missing a value for this index")]
    NamelessCheckToDelete,
    /// A `delete-cas` of a check without a node or an id (TXN-27).
    #[error("check lookup failed: {}", EngineError::EmptyCheckId)]
    NamelessCheckToDeleteCas,
    /// A verb that does not exist, which the leader refuses (V22-07).
    #[error("unknown {kind} operation: {verb}")]
    UnknownOperation {
        /// The kind of the operation, such as `KV` or `node`.
        kind: &'static str,
        /// The verb as it was sent.
        verb: String,
    },
    /// A verb that does not exist, which the state refuses (TXN-26).
    #[error("unknown {kind} verb {}", go_quoted(verb))]
    UnknownVerb {
        /// The kind of the operation, such as `KV`.
        kind: &'static str,
        /// The verb as it was sent.
        verb: String,
    },
    /// A `get` of a node by what is not the beginning of an id (TXN-27).
    #[error("node lookup by ID failed: index error: {0}")]
    MalformedNodeId(#[from] UuidError),
    /// The error that the single request has.
    #[error(transparent)]
    Request(#[from] EngineError),
}

/// The key or record that an operation names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpTarget {
    /// A key.
    Key(Key),
    /// A node.
    Node(NodeName),
    /// A service of a node.
    Service(NodeName, ServiceId),
    /// A check of a node.
    Check(NodeName, CheckId),
}

impl fmt::Display for OpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => write!(f, "key {}", quoted(key)),
            Self::Node(node) => write!(f, "node {}", go_quoted(node.as_str())),
            Self::Service(node, id) => {
                let (id, node) = (go_quoted(id.as_str()), go_quoted(node.as_str()));
                write!(f, "service {id} on node {node}")
            }
            Self::Check(node, id) => {
                let (id, node) = (go_quoted(id.as_str()), go_quoted(node.as_str()));
                write!(f, "check {id} on node {node}")
            }
        }
    }
}

fn quoted(key: &Key) -> String {
    go_quoted(key.as_str())
}
