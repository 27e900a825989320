//! Nodes, services and health checks: the records of the catalog, and the requests that change
//! them. catalog_table.rs stores them; writes.rs registers and deregisters them.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};

/// The check that gossip maintains for each node. A session is bound to it by default (SES-01).
pub const SERF_HEALTH: &str = "serfHealth";

/// Text pairs such as a node's metadata; `None` prints as `null`.
pub type Pairs = Option<BTreeMap<Arc<str>, Arc<str>>>;

/// A registered machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub name: NodeName,
    pub id: Arc<str>,
    pub address: Arc<str>,
    pub tagged_addresses: Pairs,
    pub meta: Pairs,
    pub create_index: Index,
    pub modify_index: Index,
}

/// A service on a node. Sessions are never linked to a service itself (CAT-08).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    pub node: NodeName,
    pub id: ServiceId,
    pub name: Arc<str>,
    pub tags: Option<Vec<Arc<str>>>,
    pub address: Arc<str>,
    pub meta: Pairs,
    pub port: i64,
    pub create_index: Index,
    pub modify_index: Index,
}

/// A health check of a node, or of one of its services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub node: NodeName,
    pub id: CheckId,
    pub name: Arc<str>,
    pub status: CheckStatus,
    pub notes: Arc<str>,
    pub output: Arc<str>,
    /// Empty for a check of the node itself.
    pub service: Option<ServiceId>,
    pub service_name: Arc<str>,
    pub service_tags: Option<Vec<Arc<str>>>,
    /// How the agent runs the check (`ttl`), empty when it was only registered.
    pub kind: Arc<str>,
    pub create_index: Index,
    pub modify_index: Index,
}

/// The result of a health check. Only `Critical` ends sessions (CAT-01, CAT-03).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Arc<str>", into = "Arc<str>")]
pub enum CheckStatus {
    Passing,
    Warning,
    Critical,
    /// Any other text: the catalog stores what it is sent, an agent refuses it.
    Other(Arc<str>),
}

/// One call to register: a node with any services and checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    pub node: Node,
    /// Whether the node's own record is left as it is (CAT-06).
    pub node_update: NodeUpdate,
    pub service: Option<Service>,
    pub checks: Vec<Check>,
}

/// Whether a registration writes its node's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeUpdate {
    Write,
    Skip,
}

/// What a call to deregister names (CAT-05).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deregistration {
    Service(NodeName, ServiceId),
    Check(NodeName, CheckId),
    Node(NodeName),
}

impl CheckStatus {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Passing => "passing",
            Self::Warning => "warning",
            Self::Critical => "critical",
            Self::Other(text) => text,
        }
    }
}

impl From<&str> for CheckStatus {
    fn from(text: &str) -> Self {
        match text {
            "passing" => Self::Passing,
            "warning" => Self::Warning,
            "critical" => Self::Critical,
            other => Self::Other(other.into()),
        }
    }
}

impl From<Arc<str>> for CheckStatus {
    fn from(text: Arc<str>) -> Self {
        Self::from(&*text)
    }
}

impl From<CheckStatus> for Arc<str> {
    fn from(status: CheckStatus) -> Self {
        status.as_str().into()
    }
}

impl Service {
    /// Whether its address is a wildcard, to which no client can connect.
    pub fn is_anywhere(&self) -> bool {
        matches!(&*self.address, "0.0.0.0" | "::" | "[::]")
    }

    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}

impl Check {
    pub fn is_critical(&self) -> bool {
        self.status == CheckStatus::Critical
    }

    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}
