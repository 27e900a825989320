//! Records as they stand in answers: names, order and emptiness of members as Consul prints them.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ordered::BTreeMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::id::SessionRef;
use crate::store::catalog::{Check, Node, Pairs, Service};
use crate::store::prepared_query::{Dns, PreparedQuery, ServiceQuery, Template};
use crate::store::{Behavior, Entry, Session};

/// GET-01. The session is left out of an unlocked key (GET-02), an empty value is `null` (KV-09).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireEntry<'a> {
    lock_index: u64,
    key: &'a str,
    flags: u64,
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    create_index: u64,
    modify_index: u64,
}

impl<'a> WireEntry<'a> {
    /// GET-12.
    pub(super) fn with_value(entry: &'a Entry) -> Self {
        let value = (!entry.value.is_empty()).then(|| STANDARD.encode(&entry.value));
        Self { value, ..Self::without_value(entry) }
    }

    /// TXN-10: how a write shows its entry.
    pub(super) fn without_value(entry: &'a Entry) -> Self {
        Self {
            lock_index: entry.lock_index,
            key: entry.key.as_str(),
            flags: entry.flags,
            value: None,
            session: entry.holder().map(SessionRef::as_str),
            create_index: entry.create_index.0,
            modify_index: entry.modify_index.0,
        }
    }
}

/// SES-27.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireSession<'a> {
    #[serde(rename = "ID")]
    id: String,
    name: &'a str,
    node: &'a str,
    lock_delay: i64,
    behavior: &'static str,
    #[serde(rename = "TTL")]
    ttl: &'a str,
    node_checks: Option<Vec<&'a str>>,
    service_checks: Option<Vec<WireServiceCheck<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Vec<&'a str>>,
    create_index: u64,
    modify_index: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct WireServiceCheck<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    namespace: &'a str,
}

impl<'a> From<&'a Session> for WireSession<'a> {
    fn from(session: &'a Session) -> Self {
        let service_checks = session.service_checks.as_ref().map(|checks| {
            let wire = checks.iter().map(|check| WireServiceCheck {
                id: check.id.as_str(),
                namespace: &check.namespace,
            });
            wire.collect()
        });
        let ids = |ids: &'a Vec<_>| ids.iter().map(crate::id::CheckId::as_str).collect::<Vec<_>>();
        Self {
            id: session.id.to_string(),
            name: &session.name,
            node: session.node.as_str(),
            lock_delay: session.lock_delay,
            behavior: match session.behavior {
                Behavior::Release => "release",
                Behavior::Delete => "delete",
            },
            ttl: &session.ttl,
            node_checks: session.node_checks.as_ref().map(ids),
            service_checks,
            checks: session.checks.as_ref().map(ids).filter(|ids| !ids.is_empty()),
            create_index: session.create_index.0,
            modify_index: session.create_index.0,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireNode<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    node: &'a str,
    address: &'a str,
    datacenter: &'a str,
    tagged_addresses: &'a Pairs,
    meta: &'a Pairs,
    create_index: u64,
    modify_index: u64,
}

impl<'a> WireNode<'a> {
    pub(super) fn new(node: &'a Node, datacenter: &'a str) -> Self {
        Self {
            id: &node.id,
            node: node.name.as_str(),
            address: &node.address,
            datacenter,
            tagged_addresses: &node.tagged_addresses,
            meta: &node.meta,
            create_index: node.create_index.0,
            modify_index: node.modify_index.0,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireService<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    service: &'a str,
    tags: &'a Option<Vec<Arc<str>>>,
    address: &'a str,
    meta: &'a Pairs,
    port: i64,
    weights: Weights,
    enable_tag_override: bool,
    proxy: Proxy,
    connect: Empty,
    peer_name: &'static str,
    create_index: u64,
    modify_index: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Weights {
    passing: u8,
    warning: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Proxy {
    mode: &'static str,
    mesh_gateway: Empty,
    expose: Empty,
}

#[derive(Serialize)]
struct Empty {}

const EQUAL: Weights = Weights { passing: 1, warning: 1 };
const NO_PROXY: Proxy = Proxy { mode: "", mesh_gateway: Empty {}, expose: Empty {} };

impl<'a> From<&'a Service> for WireService<'a> {
    fn from(service: &'a Service) -> Self {
        Self {
            id: service.id.as_str(),
            service: &service.name,
            tags: &service.tags,
            address: &service.address,
            meta: &service.meta,
            port: service.port,
            weights: EQUAL,
            enable_tag_override: false,
            proxy: NO_PROXY,
            connect: Empty {},
            peer_name: "",
            create_index: service.create_index.0,
            modify_index: service.modify_index.0,
        }
    }
}

/// An instance of a service with its node, as `/v1/catalog/service/` lists it.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireInstance<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    node: &'a str,
    address: &'a str,
    datacenter: &'a str,
    tagged_addresses: &'a Pairs,
    node_meta: &'a Pairs,
    service_kind: &'static str,
    #[serde(rename = "ServiceID")]
    service_id: &'a str,
    service_name: &'a str,
    service_tags: &'a Option<Vec<Arc<str>>>,
    service_address: &'a str,
    service_weights: Weights,
    service_meta: &'a Pairs,
    service_port: i64,
    service_socket_path: &'static str,
    service_enable_tag_override: bool,
    service_proxy: Proxy,
    service_connect: Empty,
    create_index: u64,
    modify_index: u64,
}

impl<'a> WireInstance<'a> {
    pub(super) fn new(node: &'a Node, service: &'a Service, datacenter: &'a str) -> Self {
        Self {
            id: &node.id,
            node: node.name.as_str(),
            address: &node.address,
            datacenter,
            tagged_addresses: &node.tagged_addresses,
            node_meta: &node.meta,
            service_kind: "",
            service_id: service.id.as_str(),
            service_name: &service.name,
            service_tags: &service.tags,
            service_address: &service.address,
            service_weights: EQUAL,
            service_meta: &service.meta,
            service_port: service.port,
            service_socket_path: "",
            service_enable_tag_override: false,
            service_proxy: NO_PROXY,
            service_connect: Empty {},
            create_index: service.create_index.0,
            modify_index: service.modify_index.0,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireCheck<'a> {
    node: &'a str,
    #[serde(rename = "CheckID")]
    check_id: &'a str,
    name: &'a str,
    status: &'a str,
    notes: &'a str,
    output: &'a str,
    #[serde(rename = "ServiceID")]
    service_id: &'a str,
    service_name: &'a str,
    service_tags: &'a Option<Vec<Arc<str>>>,
    r#type: &'a str,
    interval: &'static str,
    timeout: &'static str,
    exposed_port: u16,
    definition: Empty,
    create_index: u64,
    modify_index: u64,
}

impl<'a> From<&'a Check> for WireCheck<'a> {
    fn from(check: &'a Check) -> Self {
        Self {
            node: check.node.as_str(),
            check_id: check.id.as_str(),
            name: &check.name,
            status: &check.status,
            notes: &check.notes,
            output: &check.output,
            service_id: check.service.as_ref().map_or("", |service| service.as_str()),
            service_name: &check.service_name,
            service_tags: &check.service_tags,
            r#type: &check.kind,
            interval: "",
            timeout: "",
            exposed_port: 0,
            definition: Empty {},
            create_index: check.create_index.0,
            modify_index: check.modify_index.0,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireQuery<'a> {
    #[serde(rename = "ID")]
    id: String,
    name: &'a str,
    session: &'a str,
    token: &'a str,
    template: &'a Template,
    service: &'a ServiceQuery,
    #[serde(rename = "DNS")]
    dns: &'a Dns,
    create_index: u64,
    modify_index: u64,
}

impl<'a> From<&'a PreparedQuery> for WireQuery<'a> {
    fn from(query: &'a PreparedQuery) -> Self {
        let definition = &query.definition;
        Self {
            id: query.id.to_string(),
            name: &definition.name,
            session: &definition.session,
            token: &definition.token,
            template: &definition.template,
            service: &definition.service,
            dns: &definition.dns,
            create_index: query.create_index.0,
            modify_index: query.modify_index.0,
        }
    }
}

/// The created id of a session or query.
#[derive(Serialize)]
pub(super) struct WireId {
    #[serde(rename = "ID")]
    pub(super) id: String,
}

/// A node and its services by id.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireNodeServices<'a> {
    pub(super) node: WireNode<'a>,
    pub(super) services: BTreeMap<&'a str, WireService<'a>>,
}

/// TXN-10: one result of a transaction.
#[derive(Serialize)]
pub(super) enum WireResult<'a> {
    #[serde(rename = "KV")]
    Kv(WireEntry<'a>),
    Node(WireNode<'a>),
    Service(WireService<'a>),
    Check(WireCheck<'a>),
}

/// TXN-08: one error of a transaction.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireError<'a> {
    pub(super) op_index: usize,
    pub(super) what: &'a str,
}

/// TXN-08, TXN-09: the members from `Index` on stand only in the answer of a transaction without
/// writes.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireTxn<'a> {
    pub(super) results: Option<Vec<WireResult<'a>>>,
    pub(super) errors: Option<Vec<WireError<'a>>>,
    #[serde(flatten)]
    pub(super) read: Option<WireReadMeta>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireReadMeta {
    index: u64,
    last_contact: u64,
    known_leader: bool,
    consistency_level: &'static str,
    not_modified: bool,
    backend: u64,
    #[serde(rename = "ResultsFilteredByACLs")]
    results_filtered_by_acls: bool,
}

impl WireReadMeta {
    /// A server has answered.
    pub(super) fn answered(consistency_level: &'static str) -> Self {
        Self { index: 1, known_leader: true, consistency_level, ..Self::refused() }
    }

    /// The pre-checks failed, so no server was asked.
    pub(super) fn refused() -> Self {
        Self {
            index: 0,
            last_contact: 0,
            known_leader: false,
            consistency_level: "",
            not_modified: false,
            backend: 0,
            results_filtered_by_acls: false,
        }
    }
}

/// The answer to executing a query; no instances are ever found, as that is out of scope.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireExecution<'a> {
    service: &'a str,
    nodes: [u8; 0],
    #[serde(rename = "DNS")]
    dns: &'a Dns,
    datacenter: &'a str,
    peer_name: &'static str,
    failovers: u64,
    #[serde(flatten)]
    meta: WireReadMeta,
}

impl<'a> WireExecution<'a> {
    pub(super) fn new(query: &'a PreparedQuery, datacenter: &'a str) -> Self {
        Self {
            service: &query.definition.service.service,
            nodes: [],
            dns: &query.definition.dns,
            datacenter,
            peer_name: "",
            failovers: 0,
            meta: WireReadMeta::answered("leader"),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireExplanation<'a> {
    pub(super) query: WireQuery<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireAgent<'a> {
    pub(super) config: WireAgentConfig<'a>,
    pub(super) member: WireMember<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireAgentConfig<'a> {
    pub(super) datacenter: &'a str,
    pub(super) node_name: &'a str,
    pub(super) server: bool,
    pub(super) version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireMember<'a> {
    pub(super) name: &'a str,
    pub(super) addr: &'static str,
    pub(super) port: u16,
    pub(super) status: u8,
}
