//! What can be read from the store, and what a read finds. reads.rs answers; the engine parks reads
//! that block.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::Entry;
use super::prepared_query::PreparedQuery;
use super::session::Session;
use crate::id::{Key, NodeName, SessionRef};

/// A read of the store. A blocking query runs it again when its result may have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Query {
    Key(Key),
    /// All entries under a prefix (GET-06).
    Tree(Key),
    /// The keys under a prefix, cut after a separator (GET-07, GET-09).
    Keys {
        prefix: Key,
        separator: Option<String>,
    },
    Session(SessionRef),
    Sessions,
    SessionsOfNode(NodeName),
    Nodes,
    Node(NodeName),
    Services,
    /// The instances of a service by its name.
    Service(String),
    ChecksOfNode(NodeName),
    ChecksOfService(String),
    /// The checks in a state; `any` for all.
    ChecksInState(String),
    PreparedQueries,
    PreparedQuery(String),
}

/// What a query found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    Entry(Option<Arc<Entry>>),
    Entries(Vec<Arc<Entry>>),
    Keys(Vec<Key>),
    Session(Option<Arc<Session>>),
    Sessions(Vec<Arc<Session>>),
    Nodes(Vec<Arc<Node>>),
    /// A node with its services.
    Node(Option<(Arc<Node>, Vec<Arc<Service>>)>),
    Services(Vec<Arc<Service>>),
    /// The instances of one service, each with its node.
    Instances(Vec<(Arc<Node>, Arc<Service>)>),
    Checks(Vec<Arc<Check>>),
    PreparedQueries(Vec<Arc<PreparedQuery>>),
    PreparedQuery(Option<Arc<PreparedQuery>>),
}

impl Found {
    /// Whether a single record was asked for and is not there (BLK-09).
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Entry(None) | Self::Session(None) | Self::Node(None) | Self::PreparedQuery(None)
        )
    }
}
