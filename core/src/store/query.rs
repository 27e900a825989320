//! Reads as values: a [`Query`] and the [`Found`] records that answer it. The same value serves a
//! read that is answered at once and one that blocks.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, Service};
use super::kv::Entry;
use super::prepared_query::PreparedQuery;
use super::session::Session;
use crate::id::{Key, NodeName, ServiceId, SessionRef};
use crate::user_event::UserEvent;

/// A read: of the store, of what an agent has itself, or of the root certificates. A blocking query
/// runs it again when its result may have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Query {
    /// One entry.
    Key(Key),
    /// All entries under a prefix (GET-06).
    Tree(Key),
    /// The keys under a prefix, cut after a separator (GET-07, GET-09).
    Keys {
        /// The beginning of the keys.
        prefix: Key,
        /// The text after which keys are cut; `None` for whole keys.
        separator: Option<String>,
    },
    /// One session.
    Session(SessionRef),
    /// All sessions.
    Sessions,
    /// The sessions of a node.
    SessionsOfNode(NodeName),
    /// All nodes.
    Nodes,
    /// A node with its services.
    Node(NodeName),
    /// All services; an answer lists their names and tags.
    Services,
    /// The instances of a service by its name.
    Service(String),
    /// The checks of a node.
    ChecksOfNode(NodeName),
    /// The checks of a service, by its name.
    ChecksOfService(String),
    /// The checks in a state; `any` for all.
    ChecksInState(String),
    /// All prepared queries.
    PreparedQueries,
    /// One prepared query by its id.
    PreparedQuery(String),
    /// The instances of a service with their checks (`/v1/health/service/`).
    ServiceHealth(String),
    /// A query of the catalog, of whose rows a filter selects some.
    Filtered {
        /// The query.
        query: Box<Self>,
        /// The conditions.
        filter: Filter,
    },
    /// Executes a prepared query, by id or name, for at most `limit` instances; 0 for all.
    Execute {
        /// The id or the name of the prepared query.
        query: String,
        /// How many instances are wanted at most.
        limit: u64,
    },
    /// A prepared query by id or name, as it would be executed.
    Explain(String),
    /// The recent events of an agent, of one name or all.
    UserEvents(Option<String>),
    /// The root certificates of the service mesh.
    CaRoots,
    /// A service of an agent. Its index is its content hash.
    OwnService {
        /// The node of the agent.
        node: NodeName,
        /// The service.
        id: ServiceId,
    },
    /// The instances through which clients in the mesh reach a service (`/v1/catalog/connect/`).
    Mesh(String),
    /// The same instances with their checks (`/v1/health/connect/`).
    MeshHealth(String),
}

/// Selects the rows of the catalog that fulfil all conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Metadata of the node.
    pub node_meta: Vec<(String, String)>,
    /// Tags of the service, in any letter case; `None` without a condition.
    pub tags: Option<Vec<String>>,
    /// Whether only instances count whose checks all pass.
    pub only_passing: bool,
}

/// An instance of a service with its node and its checks, the node's checks first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The node on which it runs.
    pub node: Arc<Node>,
    /// The service.
    pub service: Arc<Service>,
    /// The checks of the node, then those of the service.
    pub checks: Vec<Arc<Check>>,
}

/// What a query found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Found {
    /// One entry; `None` if the key does not exist.
    Entry(Option<Arc<Entry>>),
    /// Entries in key order.
    Entries(Vec<Arc<Entry>>),
    /// Keys in order.
    Keys(Vec<Key>),
    /// One session; `None` if it does not exist.
    Session(Option<Arc<Session>>),
    /// Sessions in the order of their ids.
    Sessions(Vec<Arc<Session>>),
    /// Nodes in the order of their names.
    Nodes(Vec<Arc<Node>>),
    /// A node with its services.
    Node(Option<(Arc<Node>, Vec<Arc<Service>>)>),
    /// All services in the order of their nodes and ids, each with its node.
    Services(Vec<(Arc<Node>, Arc<Service>)>),
    /// The instances of one service, each with its node.
    Instances(Vec<(Arc<Node>, Arc<Service>)>),
    /// Checks in the order of their nodes and ids.
    Checks(Vec<Arc<Check>>),
    /// Prepared queries in the order of their ids.
    PreparedQueries(Vec<Arc<PreparedQuery>>),
    /// One prepared query; `None` if it does not exist.
    PreparedQuery(Option<Arc<PreparedQuery>>),
    /// The instances of one service with their checks.
    ServiceHealth(Vec<Instance>),
    /// What a prepared query found; `None` if there is no such query.
    Execution(Option<(Arc<PreparedQuery>, Vec<Instance>)>),
    /// Events, oldest first.
    UserEvents(Vec<Arc<UserEvent>>),
    /// The root certificates, which are the same in every server.
    CaRoots,
}

impl Found {
    /// Whether a single record was asked for and is not there (BLK-09).
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Entry(None)
                | Self::Session(None)
                | Self::Node(None)
                | Self::PreparedQuery(None)
                | Self::Execution(None)
        )
    }
}

impl Query {
    /// The key that it reads, or the prefix of the keys.
    pub fn key(&self) -> Option<&Key> {
        match self {
            Self::Key(key) | Self::Tree(key) | Self::Keys { prefix: key, .. } => Some(key),
            _ => None,
        }
    }

    /// Whether it reads what an agent has itself, outside the catalog. The indexes of such reads
    /// have no order: any other one counts as new.
    pub(crate) fn is_of_agent(&self) -> bool {
        matches!(self, Self::UserEvents(_) | Self::OwnService { .. })
    }

    /// Whether it reads instances of a service with their checks.
    pub(crate) fn is_service_health(&self) -> bool {
        match self {
            Self::ServiceHealth(_) | Self::MeshHealth(_) => true,
            Self::Filtered { query, .. } => query.is_service_health(),
            _ => false,
        }
    }
}
