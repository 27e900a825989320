//! Nodes, services and health checks: the records of the catalog, and the requests that change
//! them. catalog_table.rs stores them; writes.rs registers and deregisters them.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};

/// The check that gossip keeps for each node; sessions hang on it by default (SES-01).
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
    /// `passing`, `warning`, `critical`, or any other text that was sent.
    pub status: Arc<str>,
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

impl Check {
    pub const CRITICAL: &'static str = "critical";

    pub fn is_critical(&self) -> bool {
        &*self.status == Self::CRITICAL
    }
}

impl Service {
    /// Whether its address stands for all of them, which leads nowhere.
    pub fn is_anywhere(&self) -> bool {
        matches!(&*self.address, "0.0.0.0" | "::" | "[::]")
    }

    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}

impl Check {
    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}
