//! The JSON of an agent's answers about itself, the servers and members of its cluster, its
//! services and their health, and user events. Names and order of the fields are Consul's.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::Serialize;

use super::answers::{Addresses, Base64, NO_PAIRS, PortJson, WeightsJson, addresses, ports};
use super::mesh::{ConnectJson, EmptyObject, locality_at_agent, proxy_at_agent};
use super::types::Agent;
use crate::id::{CheckId, Index, NodeName, QueryId, ServiceId};
use crate::json::Json;
use crate::message::{AgentInfo, AgentService};
use crate::store::catalog::{Check, CheckStatus, Pairs};
use crate::user_event::UserEvent;
use crate::version::VersionRules;

/// The agent's description of itself (`/v1/agent/self`).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct AgentSelf<'a> {
    config: AgentConfig<'a>,
    debug_config: EmptyObject,
    coord: Coordinate,
    member: MemberJson<'a>,
    stats: Json,
    meta: &'a Pairs,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct AgentConfig<'a> {
    datacenter: &'a str,
    primary_datacenter: &'a str,
    node_name: &'a NodeName,
    #[serde(rename = "NodeID")]
    node_id: &'a str,
    revision: &'static str,
    server: bool,
    version: &'static str,
    build_date: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bind_addr: Option<&'a str>,
}

/// The network coordinate of a server that has met no other.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Coordinate {
    vec: [u8; 8],
    error: f64,
    adjustment: u8,
    height: f64,
}

/// A member of the cluster, in the form of gossip.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct MemberJson<'a> {
    name: String,
    addr: &'a str,
    port: u16,
    tags: Json,
    /// 1 is "alive" in gossip.
    status: u8,
    protocol_min: u8,
    protocol_max: u8,
    protocol_cur: u8,
    delegate_min: u8,
    delegate_max: u8,
    delegate_cur: u8,
}

/// The servers that vote (`/v1/operator/raft/configuration`): one.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct RaftConfiguration<'a> {
    servers: [RaftServer<'a>; 1],
    index: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RaftServer<'a> {
    #[serde(rename = "ID")]
    id: &'a str,
    node: &'a NodeName,
    address: String,
    leader: bool,
    protocol_version: &'static str,
    voter: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_index: Option<Index>,
}

/// A service as its agent shows it.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct OwnService<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    kind: &'a str,
    #[serde(rename = "ID")]
    id: &'a ServiceId,
    service: &'a str,
    tags: &'a [Arc<str>],
    meta: &'a BTreeMap<Arc<str>, Arc<str>>,
    port: i64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    ports: Vec<PortJson<'a>>,
    address: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    socket_path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tagged_addresses: Option<Addresses<'a>>,
    weights: WeightsJson,
    enable_tag_override: bool,
    /// Only for a service that is read alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    /// Only of proxies and gateways.
    #[serde(skip_serializing_if = "Option::is_none")]
    proxy: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<ConnectJson>,
    datacenter: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    locality: Option<Json>,
}

/// The health of a service of the agent.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ServiceHealth<'a> {
    pub(super) aggregated_status: &'static str,
    service: Option<OwnService<'a>>,
    checks: Option<Vec<OwnCheck<'a>>>,
}

/// A check in the health of a service; its definition and indexes are not filled in.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct OwnCheck<'a> {
    node: &'a NodeName,
    #[serde(rename = "CheckID")]
    check_id: &'a CheckId,
    name: &'a str,
    status: &'a str,
    notes: &'a str,
    output: &'a str,
    #[serde(rename = "ServiceID")]
    service_id: &'a str,
    service_name: &'a str,
    service_tags: &'a Option<Vec<Arc<str>>>,
    #[serde(rename = "Type")]
    kind: &'static str,
    exposed_port: u8,
    definition: OwnDefinition,
    create_index: u8,
    modify_index: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct OwnDefinition {
    interval: &'static str,
    timeout: &'static str,
    deregister_critical_service_after: &'static str,
    #[serde(rename = "HTTP")]
    http: &'static str,
    header: Option<()>,
    method: &'static str,
    body: &'static str,
    #[serde(rename = "TLSServerName")]
    tls_server_name: &'static str,
    #[serde(rename = "TLSSkipVerify")]
    tls_skip_verify: bool,
    #[serde(rename = "TCP")]
    tcp: &'static str,
    #[serde(rename = "TCPUseTLS", skip_serializing_if = "Option::is_none")]
    tcp_use_tls: Option<bool>,
    #[serde(rename = "UDP")]
    udp: &'static str,
    #[serde(rename = "GRPC")]
    grpc: &'static str,
    #[serde(rename = "OSService", skip_serializing_if = "Option::is_none")]
    os_service: Option<&'static str>,
    #[serde(rename = "GRPCUseTLS")]
    grpc_use_tls: bool,
}

/// An event of `consul event`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct EventJson<'a> {
    #[serde(rename = "ID")]
    id: QueryId,
    name: &'a str,
    payload: Option<Base64<'a>>,
    node_filter: &'a str,
    service_filter: &'a str,
    tag_filter: &'a str,
    version: u8,
    #[serde(rename = "LTime")]
    time: u64,
}

impl<'a> AgentSelf<'a> {
    pub(super) fn new(agent: &'a AgentInfo) -> Self {
        Self {
            config: AgentConfig {
                datacenter: &agent.datacenter,
                primary_datacenter: &agent.datacenter,
                node_name: &agent.node,
                node_id: &agent.node_id,
                revision: "",
                server: true,
                version: agent.version.release(),
                build_date: "1970-01-01T00:00:01Z",
                bind_addr: shows_details(agent).then_some(agent.address.as_str()),
            },
            debug_config: EmptyObject {},
            coord: Coordinate { vec: [0; 8], error: 1.5, adjustment: 0, height: 1e-5 },
            member: MemberJson::new(agent, false),
            stats: stats(agent),
            meta: &agent.node_meta,
        }
    }
}

impl<'a> MemberJson<'a> {
    pub(super) fn new(agent: &'a AgentInfo, is_wan: bool) -> Self {
        let (name, port) = if is_wan {
            (format!("{}.{}", agent.node, agent.datacenter), 8302)
        } else {
            (agent.node.to_string(), 8301)
        };
        // The tag has the release and its revision, which is empty here.
        let build = format!("{}:", agent.version.release());
        let tags = [
            ("acls", "0"),
            ("build", &build),
            ("dc", &agent.datacenter),
            ("ft_fs", "1"),
            ("ft_si", "1"),
            ("id", &agent.node_id),
            ("port", "8300"),
            ("raft_vsn", "3"),
            ("role", "consul"),
            ("segment", ""),
            ("vsn", "2"),
            ("vsn_max", "3"),
            ("vsn_min", "2"),
        ];
        let join_port = (!is_wan).then_some(("wan_join_port", "8302"));
        Self {
            name,
            addr: &agent.address,
            port,
            tags: text_members(tags.into_iter().chain(join_port)),
            status: 1,
            protocol_min: 1,
            protocol_max: 5,
            protocol_cur: 2,
            delegate_min: 2,
            delegate_max: 5,
            delegate_cur: 4,
        }
    }
}

impl<'a> RaftConfiguration<'a> {
    pub(super) fn new(agent: &'a AgentInfo) -> Self {
        let server = RaftServer {
            id: &agent.node_id,
            node: &agent.node,
            address: format!("{}:8300", agent.address),
            leader: true,
            protocol_version: "3",
            voter: true,
            last_index: shows_details(agent).then_some(agent.index),
        };
        Self { servers: [server], index: 0 }
    }
}

fn shows_details(agent: &AgentInfo) -> bool {
    agent.version.rules().agents_show_details
}

/// An object of texts. Consul writes members in the order of their names, so they come in it.
fn text_members<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Json {
    let member = |(name, text): (&str, &str)| (name.into(), Json::Text(text.into()));
    let members: Vec<(String, Json)> = members.into_iter().map(member).collect();
    debug_assert!(members.is_sorted_by_key(|(name, _)| name), "in the order of their names");
    Json::Object(members)
}

/// A section of what `consul info` prints.
fn section(entries: &[(&str, &str)]) -> Json {
    text_members(entries.iter().copied())
}

/// The gossip of a server that has met no other.
const SERF: &[(&str, &str)] = &[
    ("coordinate_resets", "0"),
    ("encrypted", "false"),
    ("event_queue", "0"),
    ("event_time", "1"),
    ("failed", "0"),
    ("health_score", "0"),
    ("intent_queue", "0"),
    ("left", "0"),
    ("member_time", "1"),
    ("members", "1"),
    ("query_queue", "0"),
    ("query_time", "1"),
];

/// The log of the only server, which leads.
fn raft(agent: &AgentInfo) -> Json {
    let address = format!("{}:8300", agent.address);
    let voter = format!("[{{Suffrage:Voter ID:{} Address:{address}}}]", agent.node_id);
    let index = agent.index.to_string();
    section(&[
        ("applied_index", &index),
        ("commit_index", &index),
        ("fsm_pending", "0"),
        ("last_contact", "0"),
        ("last_log_index", &index),
        ("last_log_term", "2"),
        ("last_snapshot_index", "0"),
        ("last_snapshot_term", "0"),
        ("latest_configuration", &voter),
        ("latest_configuration_index", "0"),
        ("num_peers", "0"),
        ("protocol_version", "3"),
        ("protocol_version_max", "3"),
        ("protocol_version_min", "0"),
        ("snapshot_version_max", "1"),
        ("snapshot_version_min", "0"),
        ("state", "Leader"),
        ("term", "2"),
    ])
}

/// What `consul info` prints of one healthy server.
fn stats(agent: &AgentInfo) -> Json {
    let address = format!("{}:8300", agent.address);
    let sections = [
        (
            "agent",
            section(&[
                ("check_monitors", "0"),
                ("check_ttls", &agent.ttls.to_string()),
                ("checks", &agent.checks.to_string()),
                ("services", &agent.services.to_string()),
            ]),
        ),
        (
            "build",
            section(&[
                ("prerelease", ""),
                ("revision", ""),
                ("version", agent.version.release()),
                ("version_metadata", ""),
            ]),
        ),
        (
            "consul",
            section(&[
                ("acl", "disabled"),
                ("bootstrap", "false"),
                ("known_datacenters", "1"),
                ("leader", "true"),
                ("leader_addr", &address),
                ("server", "true"),
            ]),
        ),
        ("raft", raft(agent)),
        ("serf_lan", section(SERF)),
        ("serf_wan", section(SERF)),
    ];
    Json::Object(sections.map(|(name, section)| (name.into(), section)).into())
}

impl<'a> OwnService<'a> {
    pub(super) fn new(own: &'a AgentService, datacenter: &'a str) -> Self {
        let service = &own.service;
        Self {
            kind: &service.kind,
            id: &service.id,
            service: &service.name,
            tags: service.tags.as_deref().unwrap_or_default(),
            meta: service.meta.as_ref().unwrap_or(&NO_PAIRS),
            port: service.default_port(),
            ports: ports(service).unwrap_or_default(),
            address: &service.address,
            socket_path: &service.socket_path,
            tagged_addresses: addresses(service),
            weights: service.weights.into(),
            enable_tag_override: service.enable_tag_override,
            content_hash: None,
            proxy: service.is_of_mesh().then(|| proxy_at_agent(&service.proxy)),
            connect: service.is_native.then_some(ConnectJson { native: true }),
            datacenter,
            locality: locality_at_agent(&service.locality),
        }
    }

    /// The service alone, with its content hash.
    pub(super) fn alone(own: &'a AgentService, content_hash: &str, datacenter: &'a str) -> Self {
        Self { content_hash: Some(content_hash.into()), ..Self::new(own, datacenter) }
    }
}

impl<'a> ServiceHealth<'a> {
    pub(super) fn new(own: &'a AgentService, agent: &'a Agent) -> Self {
        let rules = agent.rules();
        Self {
            aggregated_status: aggregated(&own.checks),
            service: Some(OwnService::new(own, &agent.datacenter)),
            checks: Some(own.checks.iter().map(|check| OwnCheck::new(check, rules)).collect()),
        }
    }

    /// The answer for a service that the agent does not have.
    pub(super) fn unknown() -> Self {
        Self { aggregated_status: "critical", service: None, checks: None }
    }

    /// The HTTP status of the answer.
    pub(super) fn code(&self) -> u16 {
        match self.aggregated_status {
            "passing" => 200,
            "warning" => 429,
            _ => 503,
        }
    }
}

impl<'a> OwnCheck<'a> {
    fn new(check: &'a Check, rules: &VersionRules) -> Self {
        Self {
            node: &check.node,
            check_id: &check.id,
            name: &check.name,
            status: check.status.as_str(),
            notes: &check.notes,
            output: &check.output,
            service_id: check.service.as_ref().map_or("", |service| service.as_str()),
            service_name: &check.service_name,
            service_tags: &check.service_tags,
            kind: "",
            exposed_port: 0,
            definition: OwnDefinition {
                interval: "0s",
                timeout: "0s",
                deregister_critical_service_after: "0s",
                http: "",
                header: None,
                method: "",
                body: "",
                tls_server_name: "",
                tls_skip_verify: false,
                tcp: "",
                tcp_use_tls: rules.has_newer_members.then_some(false),
                udp: "",
                grpc: "",
                os_service: rules.has_newer_members.then_some(""),
                grpc_use_tls: false,
            },
            create_index: 0,
            modify_index: 0,
        }
    }
}

/// The worst status of the checks, `passing` without checks; maintenance is worse than critical.
fn aggregated(checks: &[Arc<Check>]) -> &'static str {
    let is_maintenance = |check: &Check| {
        let id = check.id.as_str();
        id == "_node_maintenance" || id.starts_with("_service_maintenance:")
    };
    let has = |status: CheckStatus| checks.iter().any(|check| check.status == status);
    if checks.iter().any(|check| is_maintenance(check)) {
        "maintenance"
    } else if has(CheckStatus::Critical) {
        "critical"
    } else if has(CheckStatus::Warning) {
        "warning"
    } else {
        "passing"
    }
}

impl<'a> EventJson<'a> {
    /// An event as a list shows it.
    pub(super) fn new(event: &'a UserEvent) -> Self {
        let fired = &event.fired;
        Self {
            id: event.id,
            name: &fired.name,
            payload: (!fired.payload.is_empty()).then_some(Base64(&fired.payload)),
            node_filter: &fired.node,
            service_filter: &fired.service,
            tag_filter: &fired.tag,
            version: 1,
            time: event.time,
        }
    }

    /// An event as its sender sees it, before it has a time.
    pub(super) fn fired(event: &'a UserEvent) -> Self {
        Self { time: 0, ..Self::new(event) }
    }
}
