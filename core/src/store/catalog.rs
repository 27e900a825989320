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

/// Further addresses of a service, such as `lan_ipv4`.
pub type TaggedAddresses = Option<BTreeMap<Arc<str>, ServiceAddress>>;

/// A registered machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    pub node: NodeName,
    pub id: ServiceId,
    pub name: Arc<str>,
    pub tags: Option<Vec<Arc<str>>>,
    pub address: Arc<str>,
    pub tagged_addresses: TaggedAddresses,
    pub meta: Pairs,
    pub port: i64,
    pub weights: Weights,
    /// Whether other clients may change the tags in the catalog; the agent then keeps theirs.
    pub enable_tag_override: bool,
    pub create_index: Index,
    pub modify_index: Index,
}

/// One of the addresses of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceAddress {
    pub address: Arc<str>,
    pub port: i64,
}

/// The weights of a service in DNS answers, by its health.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weights {
    pub passing: i64,
    pub warning: i64,
}

/// A health check of a node, or of one of its services.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// How often the agent would run it, as a Go duration.
    pub interval: Arc<str>,
    pub timeout: Arc<str>,
    pub exposed_port: i64,
    /// None if it is empty.
    pub definition: Option<Arc<CheckDefinition>>,
    pub create_index: Index,
    pub modify_index: Index,
}

/// The result of a health check. Only `Critical` ends sessions (CAT-01, CAT-03).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Arc<str>", into = "Arc<str>")]
pub enum CheckStatus {
    Passing,
    Warning,
    #[default]
    Critical,
    /// Any other text: the catalog stores what it is sent, an agent refuses it.
    Other(Arc<str>),
}

/// What a check does. The catalog keeps and returns it; nothing here runs it. Spans are in
/// nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckDefinition {
    pub interval: i64,
    pub output_max_size: u64,
    pub timeout: i64,
    pub deregister_critical_service_after: i64,
    pub http: Arc<str>,
    pub tls_server_name: Arc<str>,
    pub tls_skip_verify: bool,
    pub header: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    pub method: Arc<str>,
    pub body: Arc<str>,
    pub disable_redirects: bool,
    pub tcp: Arc<str>,
    pub udp: Arc<str>,
    pub h2ping: Arc<str>,
    pub h2ping_use_tls: bool,
    pub script_args: Vec<Arc<str>>,
    pub docker_container_id: Arc<str>,
    pub shell: Arc<str>,
    pub grpc: Arc<str>,
    pub grpc_use_tls: bool,
    pub alias_node: Arc<str>,
    pub alias_service: Arc<str>,
    pub ttl: i64,
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

impl CheckDefinition {
    /// The type of a check that is defined so, such as `http`; empty for a definition of none.
    pub fn kind(&self) -> &'static str {
        let has_interval = self.interval > 0;
        let is_script = !self.script_args.is_empty();
        match () {
            () if has_interval && !self.grpc.is_empty() => "grpc",
            () if has_interval && !self.http.is_empty() => "http",
            () if self.ttl > 0 => "ttl",
            () if has_interval && !self.tcp.is_empty() => "tcp",
            () if has_interval && !self.udp.is_empty() => "udp",
            () if !self.alias_node.is_empty() || !self.alias_service.is_empty() => "alias",
            () if has_interval && is_script && !self.docker_container_id.is_empty() => "docker",
            () if is_script => "script",
            () if has_interval && !self.h2ping.is_empty() => "h2ping",
            () => "",
        }
    }
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

impl Default for Weights {
    fn default() -> Self {
        Self { passing: 1, warning: 1 }
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
