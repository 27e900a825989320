//! Requests under `/v1/catalog/` and `/v1/health/`: registering nodes, services and checks, and
//! reading them. The engine refuses incomplete registrations.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;

use super::bad_request::BadRequest;
use super::check::{DEFINITION, definition};
use super::mesh;
use super::mesh_schema::{API_LOCALITY, CONNECT, LOCALITY, PROXY};
use super::object::Object;
use super::parameters::NAMESPACES;
use super::parts::{self, Decoded, RequestParts};
use super::schema::{DecodeError, GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::error::Error;
use crate::id::{CheckId, NodeName, ServiceId};
use crate::json::Json;
use crate::message::{Operation, ServerFact};
use crate::store::catalog::{
    Check, CheckStatus, Deregistration, Node, NodeUpdate, Registration, Service, ServiceAddress,
    TaggedAddresses, Weights,
};
use crate::store::{Filter, Query};
use crate::strconv::parse_bool;
use crate::version::ConsulVersion::V1_22;
use crate::version::VersionRules;

pub(super) const INVALID_PASSING: &str = "Invalid value for ?passing";

pub(super) const NODE_FIELDS: &[(&str, GoType)] = &[
    ("ID", STRING),
    ("Node", STRING),
    ("Address", STRING),
    ("Datacenter", STRING),
    ("TaggedAddresses", GoType::Pairs),
    ("Meta", GoType::Pairs),
    ("Partition", STRING),
    ("PeerName", STRING),
    ("Locality", GoType::Since(V1_22, &GoType::Struct(&API_LOCALITY))),
    ("CreateIndex", GoType::Uint64),
    ("ModifyIndex", GoType::Uint64),
];

const SERVICE_FIELDS: &[(&str, GoType)] = &[
    ("Kind", GoType::Text("structs.ServiceKind")),
    ("ID", STRING),
    ("Service", STRING),
    ("Tags", STRINGS),
    ("Address", STRING),
    ("TaggedAddresses", TAGGED_ADDRESSES),
    ("Meta", GoType::Pairs),
    ("Port", GoType::Int),
    ("SocketPath", STRING),
    ("Weights", GoType::Struct(&WEIGHTS)),
    ("EnableTagOverride", GoType::Bool),
    ("Proxy", GoType::Struct(&PROXY)),
    ("Connect", GoType::Struct(&CONNECT)),
    ("Ports", GoType::Since(V1_22, &GoType::List("structs.ServicePorts", &SERVICE_PORT))),
    ("Locality", GoType::Since(V1_22, &GoType::Struct(&LOCALITY))),
    ("PeerName", STRING),
    ("CreateIndex", GoType::RaftIndex),
    ("ModifyIndex", GoType::RaftIndex),
];

pub(super) const TAGGED_ADDRESSES: GoType =
    GoType::Map("map[string]structs.ServiceAddress", &SERVICE_ADDRESS);

const CHECK_FIELDS: &[(&str, GoType)] = &[
    ("Node", STRING),
    ("CheckID", GoType::Text("types.CheckID")),
    ("Name", STRING),
    ("Status", STRING),
    ("Notes", STRING),
    ("Output", STRING),
    ("ServiceID", STRING),
    ("ServiceName", STRING),
    ("ServiceTags", STRINGS),
    ("Type", STRING),
    ("Interval", STRING),
    ("Timeout", STRING),
    ("ExposedPort", GoType::Int),
    ("Definition", GoType::Struct(&DEFINITION)),
    ("PeerName", STRING),
    ("CreateIndex", GoType::RaftIndex),
    ("ModifyIndex", GoType::RaftIndex),
];

pub(super) const SERVICE_ADDRESS: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.ServiceAddress",
    name: "ServiceAddress",
    is_strict: true,
    fields: &[("Address", STRING), ("Port", GoType::Int)],
});

pub(super) const SERVICE_PORT: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.ServicePort",
    name: "ServicePort",
    is_strict: true,
    fields: &[("Name", STRING), ("Port", GoType::Int), ("Default", GoType::Bool)],
});

pub(super) const WEIGHTS: GoStruct = GoStruct {
    go_type: "structs.Weights",
    name: "Weights",
    is_strict: true,
    fields: &[("Passing", GoType::Int), ("Warning", GoType::Int)],
};

pub(super) const SERVICE: GoStruct = GoStruct {
    go_type: "structs.NodeService",
    name: "NodeService",
    is_strict: true,
    fields: SERVICE_FIELDS,
};

pub(super) const CHECK: GoStruct = GoStruct {
    go_type: "structs.HealthCheck",
    name: "HealthCheck",
    is_strict: true,
    fields: CHECK_FIELDS,
};

pub(super) const REGISTER: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.RegisterRequest",
    name: "RegisterRequest",
    is_strict: true,
    fields: &[
        ("Datacenter", STRING),
        ("ID", GoType::Text("types.NodeID")),
        ("Node", STRING),
        ("Address", STRING),
        ("TaggedAddresses", GoType::Pairs),
        ("NodeMeta", GoType::Pairs),
        ("Service", GoType::Struct(&SERVICE)),
        ("Check", GoType::Struct(&CHECK)),
        ("Checks", GoType::List("structs.HealthChecks", &GoType::Pointer(&CHECK))),
        ("SkipNodeUpdate", GoType::Bool),
        ("Locality", GoType::Since(V1_22, &GoType::Struct(&LOCALITY))),
        ("PeerName", STRING),
        ("Token", STRING),
        ("CreateIndex", GoType::RaftIndex),
        ("ModifyIndex", GoType::RaftIndex),
    ],
});

pub(super) const DEREGISTER: GoType = GoType::Struct(&GoStruct {
    go_type: "struct { Address string; *structs.Alias }",
    name: "",
    is_strict: true,
    fields: &[
        ("Address", STRING),
        (
            "Alias",
            GoType::Embedded(&[
                ("Datacenter", STRING),
                ("Node", STRING),
                ("ServiceID", STRING),
                ("CheckID", GoType::Text("types.CheckID")),
                ("PeerName", STRING),
                ("Token", STRING),
            ]),
        ),
    ],
});

/// Registers a node with its service and checks (CAT-01, CAT-06).
pub(super) fn register(parts: &RequestParts) -> Decoded {
    let body = parts.body(&REGISTER).map_err(undecodable)?;
    let fields = Object::new(&body);
    admit_local(fields)?;
    admit_datacenter(parts, fields)?;
    let registration = registration(fields, parts.agent.rules());
    Ok((Operation::Register(Box::new(registration)), AnswerKind::Json))
}

/// The refusal of a body. For a namespace, its text adds that Consul Enterprise has them.
fn undecodable(error: DecodeError) -> BadRequest {
    match &error {
        DecodeError::UnknownField(name) if name == "Namespace" => {
            let text = format!("Request decode failed: {error} - {NAMESPACES}");
            BadRequest::Invalid(text)
        }
        _ => error.into(),
    }
}

/// Removes a service, a check, or a node with all that it has (CAT-05).
pub(super) fn deregister(parts: &RequestParts) -> Decoded {
    let body = parts.body(&DEREGISTER).map_err(undecodable)?;
    let fields = Object::new(&body);
    admit_datacenter(parts, fields)?;
    let Some(node) = fields.filled("Node").map(NodeName::from) else {
        return Err(BadRequest::Failed(Error::CatalogWithoutNode.to_string()));
    };
    let target = match (fields.filled("ServiceID"), fields.filled("CheckID")) {
        _ if is_of_peer(fields) => Deregistration::Imported,
        (Some(id), _) => Deregistration::Service(node, ServiceId::from(id)),
        (None, Some(id)) => Deregistration::Check(node, CheckId::from(id)),
        (None, None) => Deregistration::Node(node),
    };
    Ok((Operation::Deregister(target), AnswerKind::Json))
}

/// The names of all datacenters. When Consul refuses the parameters, it appends the list to the
/// text.
pub(super) fn datacenters(parts: &RequestParts) -> Decoded {
    parts.admit_consistency().map_err(|refused| {
        let list = parts.indent().written(&[&parts.agent.datacenter]);
        BadRequest::Invalid(refused.text() + &String::from_utf8_lossy(&list))
    })?;
    parts::fact(ServerFact::Datacenters)
}

pub(super) fn read_node(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing node name", |node| Query::Node(NodeName::from(node)))
}

/// A node with a list of its services, instead of services by id.
pub(super) fn read_service_list(parts: &RequestParts) -> Decoded {
    let (operation, _) = read_node(parts)?;
    Ok((operation, AnswerKind::ServiceList))
}

pub(super) fn read_nodes(parts: &RequestParts) -> Decoded {
    parts.read(filtered(parts, Query::Nodes))
}

pub(super) fn read_services(parts: &RequestParts) -> Decoded {
    parts.read(filtered(parts, Query::Services))
}

pub(super) fn read_service(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing service name", |service| {
        filtered(parts, Query::Service(service.into()))
    })
}

/// The instances through which clients in the mesh reach a service. `tag` is ignored.
pub(super) fn read_mesh(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing service name", |service| {
        let filter = Filter { tags: None, ..filter(parts) };
        with_filter(Query::Mesh(service.into()), filter)
    })
}

/// The instances of a service with their checks.
pub(super) fn service_health(parts: &RequestParts) -> Decoded {
    health(parts, Query::ServiceHealth, filter(parts))
}

/// The instances through which clients in the mesh reach a service, with their checks.
pub(super) fn mesh_health(parts: &RequestParts) -> Decoded {
    health(parts, Query::MeshHealth, Filter { tags: None, ..filter(parts) })
}

/// Instances with their checks. Older versions read `passing` after their query, so an invalid one
/// is refused in the answer, which may have waited.
fn health(parts: &RequestParts, query: fn(String) -> Query, filter: Filter) -> Decoded {
    let wait = parts.admit_read()?;
    let service = parts.name("Missing service name")?;
    let (only_passing, kind) = match parts.params.first("passing") {
        None => (false, AnswerKind::Json),
        Some("") => (true, AnswerKind::Json),
        Some(text) => match parse_bool(text) {
            Ok(flag) => (flag, AnswerKind::Json),
            Err(_) if parts.agent.rules().reads_passing_first => {
                return Err(BadRequest::bad(INVALID_PASSING));
            }
            Err(_) => (false, AnswerKind::InvalidPassing),
        },
    };
    let filtered = with_filter(query(service.into()), Filter { only_passing, ..filter });
    Ok((parts.read_operation(filtered, wait), kind))
}

pub(super) fn checks_of_node(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing node name", |node| Query::ChecksOfNode(NodeName::from(node)))
}

pub(super) fn checks_of_service(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing service name", |service| {
        filtered(parts, Query::ChecksOfService(service.into()))
    })
}

pub(super) fn checks_in_state(parts: &RequestParts) -> Decoded {
    parts.read_named("Missing check state", |state| {
        filtered(parts, Query::ChecksInState(state.into()))
    })
}

/// A read of the rows that the parameters `node-meta` and `tag` ask for.
fn filtered(parts: &RequestParts, query: Query) -> Query {
    with_filter(query, filter(parts))
}

fn with_filter(query: Query, filter: Filter) -> Query {
    if filter == Filter::default() {
        query
    } else {
        Query::Filtered { query: Box::new(query), filter }
    }
}

fn filter(parts: &RequestParts) -> Filter {
    let pair = |text: &str| {
        let (key, value) = text.split_once(':').unwrap_or((text, ""));
        (String::from(key), String::from(value))
    };
    let tags = parts.params.all("tag").map(String::from);
    Filter {
        node_meta: parts.params.all("node-meta").map(pair).collect(),
        tags: parts.params.has("tag").then(|| tags.collect()),
        only_passing: false,
    }
}

fn registration(fields: Object, rules: &VersionRules) -> Registration {
    let name = NodeName::from(fields.string("Node"));
    let service = fields.get("Service").map(|value| {
        let fields = Object::new(value);
        let mut service = service(name.clone(), fields);
        mesh::add(&mut service, fields);
        service
    });
    // The single check comes after the list.
    let values = fields.items("Checks").iter().chain(fields.get("Check"));
    let is_skipped = fields.is_set("SkipNodeUpdate");
    Registration {
        node: Node { locality: mesh::locality(fields), ..node_with_meta(fields, "NodeMeta") },
        node_update: if is_skipped { NodeUpdate::Skip } else { NodeUpdate::Write },
        service,
        checks: values.map(|value| typed(check(&name, Object::new(value), rules))).collect(),
    }
}

/// Refuses records of a peer, which only another cluster can register.
fn admit_local(fields: Object) -> Result<(), BadRequest> {
    let single = fields.get("Service").into_iter().chain(fields.get("Check"));
    let mut records = single.chain(fields.items("Checks")).map(Object::new);
    if is_of_peer(fields) || records.any(is_of_peer) {
        let text = "cannot register requests with PeerName in them";
        return Err(BadRequest::Failed(text.into()));
    }
    Ok(())
}

/// Whether a record is of another cluster.
pub(super) fn is_of_peer(fields: Object) -> bool {
    fields.filled("PeerName").is_some()
}

/// Refuses a body for another datacenter. The parameter `dc` is not read (HTTP-14).
fn admit_datacenter(parts: &RequestParts, fields: Object) -> Result<(), BadRequest> {
    match fields.filled("Datacenter") {
        Some(asked) if asked != parts.agent.datacenter => {
            Err(BadRequest::UnknownDatacenter { has_read_headers: false })
        }
        _ => Ok(()),
    }
}

/// A node's record.
pub(super) fn node(fields: Object) -> Node {
    node_with_meta(fields, "Meta")
}

/// A node's record whose metadata has the given name.
fn node_with_meta(fields: Object, meta: &str) -> Node {
    Node {
        name: NodeName::from(fields.string("Node")),
        id: fields.shared("ID"),
        address: fields.shared("Address"),
        tagged_addresses: fields.pairs("TaggedAddresses"),
        meta: fields.pairs(meta),
        ..Node::default()
    }
}

/// Whether a value is zero or has only zero members, as in the answers that clients write back. An
/// empty `SidecarService` is not zero.
pub(super) fn is_blank(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) => true,
        Json::Text(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(members) => members.iter().all(|(name, value)| {
            let is_sidecar = name.eq_ignore_ascii_case("SidecarService");
            if is_sidecar { *value == Json::Null } else { is_blank(value) }
        }),
        number => number.as_i64() == Some(0),
    }
}

/// The record of a service on a node. Without an id, its name is its id.
pub(super) fn service(node: NodeName, fields: Object) -> Service {
    let name = fields.text("Service").or(fields.text("Name")).unwrap_or_default();
    Service {
        node,
        id: ServiceId::from(fields.filled("ID").unwrap_or(name)),
        name: Arc::from(name),
        tags: fields.texts("Tags"),
        address: fields.shared("Address"),
        tagged_addresses: fields.get("TaggedAddresses").and_then(tagged_addresses),
        meta: fields.pairs("Meta"),
        port: fields.signed("Port"),
        // Consul's catalog stores its default in place of weights that DNS cannot have.
        weights: fields
            .get("Weights")
            .map(weights)
            .filter(|weights| weights.fault().is_none())
            .unwrap_or_default(),
        enable_tag_override: fields.is_set("EnableTagOverride"),
        ..Service::default()
    }
}

pub(super) fn tagged_addresses(value: &Json) -> TaggedAddresses {
    let Json::Object(members) = value else { return None };
    let address = |(name, value): &(String, Json)| {
        let fields = Object::new(value);
        let (address, port) = (fields.shared("Address"), fields.signed("Port"));
        (Arc::from(name.as_str()), ServiceAddress { address, port })
    };
    Some(members.iter().map(address).collect())
}

/// The weights of a service as they were sent, even if DNS cannot have them.
pub(super) fn weights(value: &Json) -> Weights {
    let fields = Object::new(value);
    Weights { passing: fields.signed("Passing"), warning: fields.signed("Warning") }
}

/// A check of a registration: without a type it has that of its definition.
fn typed(check: Check) -> Check {
    match &check.definition {
        Some(definition) if check.kind.is_empty() => {
            Check { kind: Arc::from(definition.kind()), ..check }
        }
        _ => check,
    }
}

/// The record of a check, by default of the given node. Without an id, its name is its id; without
/// a status it is critical (CAT-02).
pub(super) fn check(node: &NodeName, fields: Object, rules: &VersionRules) -> Check {
    let name = fields.shared("Name");
    Check {
        node: fields.filled("Node").map_or_else(|| node.clone(), NodeName::from),
        id: CheckId::from(fields.filled("CheckID").unwrap_or(&name)),
        name: name.clone(),
        status: fields.filled("Status").map_or(CheckStatus::Critical, CheckStatus::from),
        notes: fields.shared("Notes"),
        output: fields.shared("Output"),
        service: fields.filled("ServiceID").map(ServiceId::from),
        service_name: fields.shared("ServiceName"),
        service_tags: fields.texts("ServiceTags"),
        kind: fields.shared("Type"),
        interval: fields.shared("Interval"),
        timeout: fields.shared("Timeout"),
        exposed_port: fields.signed("ExposedPort"),
        definition: fields.get("Definition").and_then(|value| definition(value, rules)),
        ..Check::default()
    }
}
