//! Nodes, services and health checks: the records of the catalog, and the requests that change
//! them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};
use crate::json::KeptJson;

/// The check that gossip maintains for each node. A session is bound to it by default (SES-01).
pub const SERF_HEALTH: &str = "serfHealth";

/// Text pairs such as a node's metadata; `None` prints as `null`.
pub type Pairs = Option<BTreeMap<Arc<str>, Arc<str>>>;

/// Further addresses of a service, such as `lan_ipv4`.
pub type TaggedAddresses = Option<BTreeMap<Arc<str>, ServiceAddress>>;

/// The named ports of a service.
pub type ServicePorts = Option<Vec<ServicePort>>;

/// A registered machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its name, which is unique.
    pub name: NodeName,
    /// A UUID in any letter case; empty for a node without one.
    pub id: Arc<str>,
    /// Its address, usually an IP address; not checked.
    pub address: Arc<str>,
    /// Further addresses by their names, such as `wan`.
    pub tagged_addresses: Pairs,
    /// Metadata, by which reads can filter.
    pub meta: Pairs,
    /// Where it runs: a region and a zone.
    pub locality: KeptJson,
    /// The log entry that registered it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// A service on a node. Sessions are never linked to a service itself (CAT-08).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// The node that it runs on.
    pub node: NodeName,
    /// Its id, which is unique on its node.
    pub id: ServiceId,
    /// Its name, which its instances share.
    pub name: Arc<str>,
    /// Its tags in the order in which they were sent; `None` prints as an empty list.
    pub tags: Option<Vec<Arc<str>>>,
    /// Its address; empty if it is that of its node.
    pub address: Arc<str>,
    /// Further addresses by their names.
    pub tagged_addresses: TaggedAddresses,
    /// Metadata.
    pub meta: Pairs,
    /// Its port; 0 for none, and if it has named ports.
    pub port: i64,
    /// Its named ports, of which one is the default (V22-20).
    pub ports: ServicePorts,
    /// Its weights in DNS answers.
    pub weights: Weights,
    /// Whether other clients may change the tags in the catalog; the agent then keeps theirs.
    pub enable_tag_override: bool,
    /// What it is in the service mesh, such as `connect-proxy`; empty for an ordinary service.
    pub kind: Arc<str>,
    /// The Unix socket on which it listens; empty for none.
    pub socket_path: Arc<str>,
    /// Its settings as a proxy.
    pub proxy: KeptJson,
    /// Whether it takes part in the service mesh without a proxy.
    pub is_native: bool,
    /// Where it runs: a region and a zone.
    pub locality: KeptJson,
    /// The log entry that registered it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// One of the addresses of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceAddress {
    /// An IP address or a host name.
    pub address: Arc<str>,
    /// Its port; 0 for none.
    pub port: i64,
}

/// One of several ports of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePort {
    /// Its name, which is unique in its service.
    pub name: Arc<str>,
    /// Its number.
    pub port: i64,
    /// Whether it is the one that clients use which know only one.
    pub is_default: bool,
}

/// The type of a check of a service of the operating system.
pub const OS_SERVICE: &str = "os_service";

/// The largest number of pairs in the metadata of a service.
const META_PAIRS_MAX: usize = 64;

/// The largest weight.
const WEIGHT_MAX: i64 = 65_535;

/// The weights of a service in DNS answers, by its health.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weights {
    /// Its weight while its checks pass.
    pub passing: i64,
    /// Its weight while a check warns.
    pub warning: i64,
}

/// A health check of a node, or of one of its services.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The node that is checked, or on which the service runs.
    pub node: NodeName,
    /// Its id, which is unique on its node.
    pub id: CheckId,
    /// Its name, for people.
    pub name: Arc<str>,
    /// Its last result.
    pub status: CheckStatus,
    /// A description, for people.
    pub notes: Arc<str>,
    /// What its last run printed.
    pub output: Arc<str>,
    /// The service that is checked; `None` for a check of the node itself.
    pub service: Option<ServiceId>,
    /// The name of that service, as of the registration of the check. Without a service it is what
    /// the check was sent with.
    pub service_name: Arc<str>,
    /// The tags of that service, in the same way.
    pub service_tags: Option<Vec<Arc<str>>>,
    /// Its type, such as `ttl`: the one that it was sent with, or that of its definition. Empty if
    /// neither has one.
    pub kind: Arc<str>,
    /// How often the agent would run it, as a Go duration.
    pub interval: Arc<str>,
    /// How long the agent would wait for a result, as a Go duration.
    pub timeout: Arc<str>,
    /// The port that a proxy exposes for the check; 0 for none.
    pub exposed_port: i64,
    /// `None` if it is empty.
    pub definition: Option<Arc<CheckDefinition>>,
    /// The log entry that registered it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// The result of a health check. Only `Critical` ends sessions (CAT-01, CAT-03).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Arc<str>", into = "Arc<str>")]
pub enum CheckStatus {
    /// All is well.
    Passing,
    /// Something is wrong; sessions continue.
    Warning,
    /// The service or node is not usable.
    #[default]
    Critical,
    /// Any other text: the catalog stores what it is sent, an agent refuses it.
    Other(Arc<str>),
}

/// What a check does. The catalog keeps and returns it, and uses only `session_name`. Durations are
/// in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckDefinition {
    /// The time between two runs.
    pub interval: i64,
    /// How many bytes of its output are kept; 0 for the agent's own limit.
    pub output_max_size: u64,
    /// How long a run may take.
    pub timeout: i64,
    /// How long the service may be critical until it is removed; 0 for ever.
    pub deregister_critical_service_after: i64,
    /// The URL of an HTTP check.
    pub http: Arc<str>,
    /// The name that the certificate must have; empty for the host.
    pub tls_server_name: Arc<str>,
    /// Whether the certificate is not checked.
    pub tls_skip_verify: bool,
    /// Headers of the HTTP request.
    pub header: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The method of the HTTP request; empty for `GET`.
    pub method: Arc<str>,
    /// The body of the HTTP request.
    pub body: Arc<str>,
    /// Whether redirects are not followed.
    pub disable_redirects: bool,
    /// Host and port of a TCP check.
    pub tcp: Arc<str>,
    /// Whether the TCP check uses TLS.
    pub tcp_use_tls: bool,
    /// Host and port of a UDP check.
    pub udp: Arc<str>,
    /// Host and port of an HTTP/2 ping.
    pub h2ping: Arc<str>,
    /// The service of the operating system whose state the check has.
    pub os_service: Arc<str>,
    /// Whether the HTTP/2 ping uses TLS.
    pub h2ping_use_tls: bool,
    /// The command line of a script check.
    pub script_args: Vec<Arc<str>>,
    /// The container in which the script runs.
    pub docker_container_id: Arc<str>,
    /// The shell that runs the script in the container.
    pub shell: Arc<str>,
    /// Host, port and service of a gRPC check.
    pub grpc: Arc<str>,
    /// Whether the gRPC check uses TLS.
    pub grpc_use_tls: bool,
    /// The node of an alias check; empty for its own.
    pub alias_node: Arc<str>,
    /// The id of the service whose state an alias check has.
    pub alias_service: Arc<str>,
    /// The name of the sessions that a check of type `session` follows (V22-09).
    pub session_name: Arc<str>,
    /// The time within which a TTL check must be updated.
    pub ttl: i64,
}

/// One call to register: a node with any services and checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The node.
    pub node: Node,
    /// Whether the node's own record is left as it is (CAT-06).
    pub node_update: NodeUpdate,
    /// A service on it.
    pub service: Option<Service>,
    /// Checks of the node or of its services.
    pub checks: Vec<Check>,
}

/// Whether a registration writes its node's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum NodeUpdate {
    /// The record is written.
    Write,
    /// The record is left as it is, unless there is none.
    Skip,
}

/// What a call to deregister names (CAT-05).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deregistration {
    /// A service of a node, with its checks.
    Service(NodeName, ServiceId),
    /// A check of a node.
    Check(NodeName, CheckId),
    /// A node with its services, its checks and its sessions.
    Node(NodeName),
    /// A record that was imported from another cluster, of which there are none.
    Imported,
}

impl CheckDefinition {
    /// The type of a check with this definition, such as `http`; empty if it defines no type.
    pub fn kind(&self) -> &'static str {
        let has_interval = self.interval > 0;
        let is_script = !self.script_args.is_empty();
        // The first condition that is true decides, in Consul's order.
        let kinds = [
            (has_interval && !self.grpc.is_empty(), "grpc"),
            (has_interval && !self.http.is_empty(), "http"),
            (self.ttl > 0, "ttl"),
            (has_interval && !self.tcp.is_empty(), "tcp"),
            (has_interval && !self.udp.is_empty(), "udp"),
            (self.is_alias(), "alias"),
            (has_interval && is_script && !self.docker_container_id.is_empty(), "docker"),
            (is_script, "script"),
            (has_interval && !self.h2ping.is_empty(), "h2ping"),
            (has_interval && !self.os_service.is_empty(), OS_SERVICE),
        ];
        kinds.into_iter().find(|(applies, _)| *applies).map_or("", |(_, kind)| kind)
    }

    /// Whether the check has the state of another one.
    pub fn is_alias(&self) -> bool {
        !self.alias_node.is_empty() || !self.alias_service.is_empty()
    }

    /// Whether the check is carried out again and again, so that it needs an interval.
    pub fn is_repeated(&self) -> bool {
        let targets =
            [&self.http, &self.tcp, &self.udp, &self.grpc, &self.h2ping, &self.os_service];
        !self.script_args.is_empty() || targets.into_iter().any(|target| !target.is_empty())
    }
}

impl CheckStatus {
    /// The word as Consul writes it.
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

impl Weights {
    /// Why DNS cannot have them, in Consul's words.
    pub fn fault(&self) -> Option<&'static str> {
        match *self {
            Self { passing, .. } if passing < 1 => Some("Passing must be greater than 0"),
            Self { warning, .. } if warning < 0 => Some("Warning must be greater or equal than 0"),
            Self { passing, warning } if passing.max(warning) > WEIGHT_MAX => {
                Some("DNS Weight must be between 0 and 65535")
            }
            _ => None,
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self { passing: 1, warning: 1 }
    }
}

impl Service {
    /// What is wrong with its metadata, in Consul's words: the number of its pairs, their form and
    /// their length are limited.
    pub fn meta_fault(&self) -> Option<String> {
        meta_fault(&self.meta, Reserved::Refused)
    }
}

/// Whether names of metadata may begin as those that Consul uses itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reserved {
    Allowed,
    Refused,
}

/// What is wrong with metadata, in Consul's words.
pub(crate) fn meta_fault(pairs: &Pairs, reserved: Reserved) -> Option<String> {
    let pairs = pairs.as_ref()?;
    if pairs.len() > META_PAIRS_MAX {
        return Some(format!(
            "Node metadata cannot contain more than {META_PAIRS_MAX} key/value pairs"
        ));
    }
    pairs.iter().find_map(|(key, value)| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let what = match &**key {
            "" => "Key cannot be blank",
            _ if !key.bytes().all(is_plain) => "Key contains invalid characters",
            _ if key.len() > 128 => "Key is too long (limit: 128 characters)",
            _ if key.starts_with("consul-") && reserved == Reserved::Refused => {
                "Key prefix 'consul-' is reserved for internal use"
            }
            _ if value.len() > 512 => "Value is too long (limit: 512 characters)",
            _ => return None,
        };
        Some(format!("Couldn't load metadata pair ('{key}', '{value}'): {what}"))
    })
}

impl Service {
    /// The port that clients use which know only one: the default one of several.
    pub fn default_port(&self) -> i64 {
        let default = self.ports.iter().flatten().find(|port| port.is_default);
        default.map_or(self.port, |port| port.port)
    }

    /// Whether its address is a wildcard, to which no client can connect.
    pub fn is_anywhere(&self) -> bool {
        matches!(&*self.address, "0.0.0.0" | "::" | "[::]")
    }

    /// The key in its table: node and id.
    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}

/// The type of the checks that follow sessions.
const SESSION_CHECK: &str = "session";

impl Check {
    /// Whether it is of the type that follows sessions (V22-09).
    pub fn is_of_sessions(&self) -> bool {
        &*self.kind == SESSION_CHECK
    }

    /// The name of the sessions that it follows, if it is of that type. A check whose definition
    /// has no name follows sessions without a name.
    pub fn followed_name(&self) -> Option<&str> {
        let name = self.definition.as_ref().map_or("", |definition| &*definition.session_name);
        self.is_of_sessions().then_some(name)
    }

    /// Whether it follows the sessions of a name.
    pub fn follows(&self, session_name: &str) -> bool {
        self.followed_name() == Some(session_name)
    }

    /// Whether it ends the sessions that are bound to it.
    pub fn is_critical(&self) -> bool {
        self.status == CheckStatus::Critical
    }

    /// The key in its table: node and id.
    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}
