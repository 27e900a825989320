//! The JSON of Consul's answers: one struct for each kind of record, with Consul's field names in
//! Consul's order, borrowing the rows of the store. Each absent list or map is `null`, empty or
//! left out as in Consul.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};

use super::check::{CheckJson, is_default};
use super::mesh::{ConnectJson, LocalityJson, ProxyJson};
use super::types::Agent;
use crate::id::{CheckId, Index, Key, NodeName, ServiceId, SessionId, SessionRef};
use crate::message::Consistency;
use crate::store::catalog::{self, Pairs};
use crate::store::session::ServiceCheck;
use crate::store::txn::TxnError;
use crate::store::{self, Behavior};

/// An entry of the key/value store (GET-01).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct EntryJson<'a> {
    lock_index: u64,
    key: &'a Key,
    flags: u64,
    /// `null` when empty (KV-09).
    value: Option<Base64<'a>>,
    /// Left out for an unlocked key (GET-02).
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionRef>,
    create_index: Index,
    modify_index: Index,
}

/// Bytes as a text in standard base64 with padding (GET-12).
pub(super) struct Base64<'a>(pub(super) &'a [u8]);

/// A session (SES-27).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SessionJson<'a> {
    #[serde(rename = "ID")]
    id: SessionId,
    name: &'a str,
    node: &'a NodeName,
    lock_delay: i64,
    behavior: &'static str,
    #[serde(rename = "TTL")]
    ttl: &'a str,
    node_checks: &'a Option<Vec<CheckId>>,
    service_checks: Option<Vec<ServiceCheckRow<'a>>>,
    #[serde(skip_serializing_if = "<[CheckId]>::is_empty")]
    checks: &'a [CheckId],
    create_index: Index,
    modify_index: Index,
}

/// A service's check that a session depends on.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ServiceCheckRow<'a> {
    #[serde(rename = "ID")]
    id: &'a CheckId,
    namespace: &'a str,
}

/// A node, alone or with its services.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct NodeJson<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    node: &'a NodeName,
    address: &'a str,
    datacenter: &'a str,
    tagged_addresses: &'a Pairs,
    meta: &'a Pairs,
    #[serde(skip_serializing_if = "Option::is_none")]
    locality: Option<LocalityJson<'a>>,
    create_index: Index,
    modify_index: Index,
}

/// A node with its services by id (`/v1/catalog/node/`).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct NodeServices<'a> {
    node: NodeJson<'a>,
    services: BTreeMap<&'a ServiceId, ServiceJson<'a>>,
}

/// A service on a node.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ServiceJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(rename = "ID")]
    id: &'a ServiceId,
    service: &'a str,
    tags: Option<&'a [Arc<str>]>,
    address: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tagged_addresses: Option<Addresses<'a>>,
    meta: &'a Pairs,
    #[serde(skip_serializing_if = "is_default")]
    port: i64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ports: Vec<PortJson<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    socket_path: &'a str,
    weights: WeightsJson,
    enable_tag_override: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    locality: Option<LocalityJson<'a>>,
    proxy: ProxyJson<'a>,
    connect: ConnectJson,
    peer_name: &'static str,
    create_index: Index,
    modify_index: Index,
}

/// A service with its node (`/v1/catalog/service/`).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ServiceNode<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    node: &'a NodeName,
    address: &'a str,
    datacenter: &'a str,
    tagged_addresses: &'a Pairs,
    node_meta: &'a Pairs,
    service_kind: &'a str,
    #[serde(rename = "ServiceID")]
    service_id: &'a ServiceId,
    service_name: &'a str,
    service_tags: &'a [Arc<str>],
    service_address: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tagged_addresses: Option<Addresses<'a>>,
    service_weights: WeightsJson,
    service_meta: &'a BTreeMap<Arc<str>, Arc<str>>,
    service_port: i64,
    /// Absent in versions without it (V22-13).
    #[serde(skip_serializing_if = "Option::is_none")]
    service_ports: Option<Option<Vec<PortJson<'a>>>>,
    service_socket_path: &'a str,
    service_enable_tag_override: bool,
    service_proxy: ProxyJson<'a>,
    service_connect: ConnectJson,
    /// Absent in versions without it (V22-13).
    #[serde(skip_serializing_if = "Option::is_none")]
    service_locality: Option<Option<LocalityJson<'a>>>,
    create_index: Index,
    modify_index: Index,
}

/// A node with a list of its services (`/v1/catalog/node-services/`).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ServiceList<'a> {
    pub(super) node: Option<NodeJson<'a>>,
    pub(super) services: Option<Vec<ServiceJson<'a>>>,
}

/// An instance of a service with its node and checks (`/v1/health/service/`).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct InstanceJson<'a> {
    node: NodeJson<'a>,
    service: ServiceJson<'a>,
    checks: Option<Vec<CheckJson<'a>>>,
}

/// The addresses of a service by name.
pub(super) struct Addresses<'a>(&'a BTreeMap<Arc<str>, catalog::ServiceAddress>);

impl Serialize for Addresses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, tagged)| {
            let row = Address { address: &tagged.address, port: tagged.port };
            (name, row)
        }))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Address<'a> {
    address: &'a str,
    port: i64,
}

/// One of the named ports of a service.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct PortJson<'a> {
    name: &'a str,
    port: i64,
    default: bool,
}

/// The weights of a service in DNS answers.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WeightsJson {
    passing: i64,
    warning: i64,
}

/// The id of a session or query that was created.
#[derive(Serialize)]
pub(super) struct Created<T> {
    #[serde(rename = "ID")]
    pub(super) id: T,
}

/// The answer to a transaction (TXN-07, TXN-08).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Txn<'a> {
    pub(super) results: Option<Vec<TxnResultJson<'a>>>,
    pub(super) errors: Option<Vec<TxnErrorRow<'a>>>,
    /// Only for a transaction without writes (TXN-09).
    #[serde(flatten)]
    pub(super) read: Option<QueryMeta>,
}

/// One result of a transaction (TXN-10).
#[derive(Serialize)]
pub(super) enum TxnResultJson<'a> {
    #[serde(rename = "KV")]
    Kv(EntryJson<'a>),
    Node(NodeJson<'a>),
    Service(ServiceJson<'a>),
    Check(Box<CheckJson<'a>>),
}

/// One error of a transaction (TXN-08).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct TxnErrorRow<'a> {
    op_index: usize,
    what: &'a str,
}

/// What Consul's answers in JSON contain about the server that was read from (TXN-09).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct QueryMeta {
    index: Index,
    last_contact: u64,
    known_leader: bool,
    consistency_level: &'static str,
    not_modified: bool,
    backend: u8,
    #[serde(rename = "ResultsFilteredByACLs")]
    results_filtered_by_acls: bool,
}

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.0))
    }
}

impl<'a> EntryJson<'a> {
    pub(super) fn read(entry: &'a store::Entry) -> Self {
        Self::with_value(entry, &entry.value)
    }

    /// The entry as the result of a write in a transaction, which shows no value (TXN-10).
    pub(super) fn written(entry: &'a store::Entry) -> Self {
        Self::with_value(entry, &[])
    }

    fn with_value(entry: &'a store::Entry, value: &'a [u8]) -> Self {
        Self {
            lock_index: entry.lock_index,
            key: &entry.key,
            flags: entry.flags,
            value: (!value.is_empty()).then_some(Base64(value)),
            session: entry.holder(),
            create_index: entry.create_index,
            modify_index: entry.modify_index,
        }
    }
}

impl<'a> From<&'a Arc<store::Session>> for SessionJson<'a> {
    fn from(session: &'a Arc<store::Session>) -> Self {
        let service_checks = session.service_checks.as_deref();
        Self {
            id: session.id,
            name: &session.name,
            node: &session.node,
            lock_delay: session.lock_delay,
            behavior: match session.behavior {
                Behavior::Release => "release",
                Behavior::Delete => "delete",
            },
            ttl: session.ttl.as_str(),
            node_checks: &session.node_checks,
            service_checks: service_checks.map(rows),
            checks: session.checks.as_deref().unwrap_or_default(),
            create_index: session.create_index,
            modify_index: session.create_index,
        }
    }
}

impl<'a> From<&'a ServiceCheck> for ServiceCheckRow<'a> {
    fn from(check: &'a ServiceCheck) -> Self {
        Self { id: &check.id, namespace: &check.namespace }
    }
}

impl<'a> NodeJson<'a> {
    pub(super) fn new(node: &'a catalog::Node, datacenter: &'a str) -> Self {
        Self {
            id: &node.id,
            node: &node.name,
            address: &node.address,
            datacenter,
            tagged_addresses: &node.tagged_addresses,
            meta: &node.meta,
            locality: LocalityJson::known(&node.locality),
            create_index: node.create_index,
            modify_index: node.modify_index,
        }
    }
}

impl<'a> NodeServices<'a> {
    pub(super) fn new(node: NodeJson<'a>, services: Vec<ServiceJson<'a>>) -> Self {
        let by_id = services.into_iter().map(|service| (service.id, service));
        Self { node, services: by_id.collect() }
    }
}

impl<'a> From<&'a Arc<catalog::Service>> for ServiceJson<'a> {
    fn from(service: &'a Arc<catalog::Service>) -> Self {
        Self {
            kind: &service.kind,
            id: &service.id,
            service: &service.name,
            tags: service.tags.as_deref(),
            address: &service.address,
            tagged_addresses: addresses(service),
            meta: &service.meta,
            port: service.port,
            ports: ports(service).unwrap_or_default(),
            socket_path: &service.socket_path,
            weights: service.weights.into(),
            enable_tag_override: service.enable_tag_override,
            locality: LocalityJson::known(&service.locality),
            proxy: ProxyJson(&service.proxy),
            connect: ConnectJson { native: service.is_native },
            peer_name: "",
            create_index: service.create_index,
            modify_index: service.modify_index,
        }
    }
}

impl<'a> ServiceNode<'a> {
    pub(super) fn new(
        node: &'a catalog::Node,
        service: &'a catalog::Service,
        agent: &'a Agent,
    ) -> Self {
        let has_newer_members = agent.rules().has_newer_members;
        Self {
            id: &node.id,
            node: &node.name,
            address: &node.address,
            datacenter: &agent.datacenter,
            tagged_addresses: &node.tagged_addresses,
            node_meta: &node.meta,
            service_kind: &service.kind,
            service_id: &service.id,
            service_name: &service.name,
            service_tags: service.tags.as_deref().unwrap_or_default(),
            service_address: &service.address,
            service_tagged_addresses: addresses(service),
            service_weights: service.weights.into(),
            service_meta: service.meta.as_ref().unwrap_or(&NO_PAIRS),
            service_port: service.default_port(),
            service_ports: has_newer_members.then(|| ports(service)),
            service_socket_path: &service.socket_path,
            service_enable_tag_override: service.enable_tag_override,
            service_proxy: ProxyJson(&service.proxy),
            service_connect: ConnectJson { native: service.is_native },
            service_locality: has_newer_members.then(|| LocalityJson::known(&service.locality)),
            create_index: service.create_index,
            modify_index: service.modify_index,
        }
    }
}

impl From<catalog::Weights> for WeightsJson {
    fn from(weights: catalog::Weights) -> Self {
        Self { passing: weights.passing, warning: weights.warning }
    }
}

/// The metadata of a service without any, where Consul writes `{}` for it.
pub(super) static NO_PAIRS: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();

/// The addresses of a service; `None` if there is none.
pub(super) fn addresses(service: &catalog::Service) -> Option<Addresses<'_>> {
    let tagged = service.tagged_addresses.as_ref();
    tagged.filter(|tagged| !tagged.is_empty()).map(Addresses)
}

/// The named ports of a service; `None` if it was registered without.
pub(super) fn ports(service: &catalog::Service) -> Option<Vec<PortJson<'_>>> {
    service.ports.as_deref().map(rows)
}

impl<'a> From<&'a catalog::ServicePort> for PortJson<'a> {
    fn from(port: &'a catalog::ServicePort) -> Self {
        Self { name: &port.name, port: port.port, default: port.is_default }
    }
}

impl ServiceJson<'_> {
    /// The service as most reads show it, with an empty list for absent tags.
    pub(super) fn listed(service: &Arc<catalog::Service>) -> ServiceJson<'_> {
        ServiceJson { tags: Some(service.tags.as_deref().unwrap_or_default()), ..service.into() }
    }
}

impl<'a> InstanceJson<'a> {
    pub(super) fn new(instance: &'a store::Instance, datacenter: &'a str) -> Self {
        Self {
            node: NodeJson::new(&instance.node, datacenter),
            service: ServiceJson {
                port: instance.service.default_port(),
                ..ServiceJson::listed(&instance.service)
            },
            checks: Some(instance.checks.iter().map(CheckJson::listed).collect()),
        }
    }

    /// The instance in the result of a query, where absent tags and checks are `null`.
    pub(super) fn executed(instance: &'a store::Instance, datacenter: &'a str) -> Self {
        let checks = Some(rows(&instance.checks)).filter(|checks: &Vec<_>| !checks.is_empty());
        Self { service: (&instance.service).into(), checks, ..Self::new(instance, datacenter) }
    }
}

impl<'a> From<&'a TxnError> for TxnErrorRow<'a> {
    fn from(error: &'a TxnError) -> Self {
        Self { op_index: error.position, what: &error.what }
    }
}

impl QueryMeta {
    /// A server has answered, with this consistency level.
    pub(super) fn answered(consistency_level: &'static str) -> Self {
        Self::new(Index(1), true, consistency_level)
    }

    /// The pre-checks failed, so that no server was asked.
    pub(super) fn refused() -> Self {
        Self::new(Index::ZERO, false, "")
    }

    fn new(index: Index, known_leader: bool, consistency_level: &'static str) -> Self {
        Self {
            index,
            last_contact: 0,
            known_leader,
            consistency_level,
            not_modified: false,
            backend: 0,
            results_filtered_by_acls: false,
        }
    }
}

impl From<Consistency> for QueryMeta {
    fn from(consistency: Consistency) -> Self {
        Self::answered(level(consistency))
    }
}

/// The name of a consistency in answers.
pub(super) fn level(consistency: Consistency) -> &'static str {
    match consistency {
        Consistency::Default => "leader",
        Consistency::Consistent => "consistent",
        Consistency::Stale => "stale",
    }
}

/// Each record as its row.
pub(super) fn rows<'a, T, R: From<&'a T>>(records: &'a [T]) -> Vec<R> {
    records.iter().map(R::from).collect()
}

/// The tags of all instances of each service, sorted and without duplicates
/// (`/v1/catalog/services`).
pub(super) fn tags_by_service<'a>(
    services: impl IntoIterator<Item = &'a Arc<catalog::Service>>,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut by_name: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for service in services {
        let tags = by_name.entry(&service.name).or_default();
        tags.extend(service.tags.iter().flatten().map(|tag| &**tag));
    }
    by_name
}
