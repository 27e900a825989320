//! Requests under `/v1/catalog/` and `/v1/health/`: registering nodes, services and checks, and
//! reading them. Only the shape of a body and its datacenter are checked here; the engine refuses
//! incomplete records. `txn` and `agent` decode the same records.

use alloc::boxed::Box;
use alloc::string::ToString as _;
use alloc::sync::Arc;

use super::bad_request::BadRequest;
use super::object::Object;
use super::parts::{Decoded, Parts};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::error::Error;
use crate::id::{CheckId, Index, NodeName, ServiceId};
use crate::message::Operation;
use crate::store::Query;
use crate::store::catalog::{
    Check, CheckStatus, Deregistration, Node, NodeUpdate, Registration, Service,
};

pub(super) const NODE_FIELDS: &[(&str, GoType)] = &[
    ("ID", GoType::Text("types.NodeID")),
    ("Node", STRING),
    ("Address", STRING),
    ("Datacenter", STRING),
    ("TaggedAddresses", GoType::Pairs),
    ("Meta", GoType::Pairs),
    ("Partition", STRING),
    ("PeerName", STRING),
    ("CreateIndex", GoType::Uint64),
    ("ModifyIndex", GoType::Uint64),
];

pub(super) const SERVICE_FIELDS: &[(&str, GoType)] = &[
    ("Kind", GoType::Text("structs.ServiceKind")),
    ("ID", STRING),
    ("Service", STRING),
    ("Name", STRING),
    ("Tags", STRINGS),
    ("Address", STRING),
    ("TaggedAddresses", GoType::Unchecked),
    ("Meta", GoType::Pairs),
    ("Port", GoType::Int),
    ("SocketPath", STRING),
    ("Weights", GoType::Unchecked),
    ("EnableTagOverride", GoType::Bool),
    ("Proxy", GoType::Unchecked),
    ("Connect", GoType::Unchecked),
    ("PeerName", STRING),
    ("Namespace", STRING),
    ("Partition", STRING),
    ("Check", GoType::Unchecked),
    ("Checks", GoType::Unchecked),
    ("CreateIndex", GoType::Uint64),
    ("ModifyIndex", GoType::Uint64),
];

pub(super) const CHECK_FIELDS: &[(&str, GoType)] = &[
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
    ("Definition", GoType::Unchecked),
    ("Namespace", STRING),
    ("Partition", STRING),
    ("PeerName", STRING),
    ("CreateIndex", GoType::Uint64),
    ("ModifyIndex", GoType::Uint64),
];

const SERVICE: GoStruct = GoStruct {
    go_type: "structs.NodeService",
    name: "NodeService",
    is_strict: true,
    fields: SERVICE_FIELDS,
};

const CHECK: GoStruct = GoStruct {
    go_type: "structs.HealthCheck",
    name: "HealthCheck",
    is_strict: true,
    fields: CHECK_FIELDS,
};

const REGISTER: GoType = GoType::Struct(&GoStruct {
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
        ("Namespace", STRING),
        ("Partition", STRING),
        ("PeerName", STRING),
        ("Token", STRING),
    ],
});

const DEREGISTER: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.DeregisterRequest",
    name: "DeregisterRequest",
    is_strict: true,
    fields: &[
        ("Datacenter", STRING),
        ("Node", STRING),
        ("Address", STRING),
        ("ServiceID", STRING),
        ("CheckID", GoType::Text("types.CheckID")),
        ("Namespace", STRING),
        ("Partition", STRING),
        ("PeerName", STRING),
        ("Token", STRING),
    ],
});

/// Registers a node with its service and checks (CAT-01, CAT-06).
pub(super) fn register(parts: &Parts) -> Decoded {
    let body = parts.body(&REGISTER)?;
    let fields = Object::new(&body);
    admit_datacenter(parts, fields)?;
    let registration = registration(fields);
    Ok((Operation::Register(Box::new(registration)), AnswerKind::Json))
}

/// Removes a service, a check, or a node with all that it has (CAT-05).
pub(super) fn deregister(parts: &Parts) -> Decoded {
    let body = parts.body(&DEREGISTER)?;
    let fields = Object::new(&body);
    admit_datacenter(parts, fields)?;
    let Some(node) = fields.filled("Node").map(NodeName::from) else {
        return Err(BadRequest::Failed(Error::CatalogWithoutNode.to_string()));
    };
    let target = match (fields.filled("ServiceID"), fields.filled("CheckID")) {
        (Some(id), _) => Deregistration::Service(node, ServiceId::from(id)),
        (None, Some(id)) => Deregistration::Check(node, CheckId::from(id)),
        (None, None) => Deregistration::Node(node),
    };
    Ok((Operation::Deregister(target), AnswerKind::Json))
}

pub(super) fn read_node(parts: &Parts) -> Decoded {
    let node = parts.name("Missing node name")?;
    parts.read(Query::Node(NodeName::from(node)))
}

pub(super) fn read_service(parts: &Parts) -> Decoded {
    let service = parts.name("Missing service name")?;
    parts.read(Query::Service(service.into()))
}

pub(super) fn checks_of_node(parts: &Parts) -> Decoded {
    let node = parts.name("Missing node name")?;
    parts.read(Query::ChecksOfNode(NodeName::from(node)))
}

pub(super) fn checks_of_service(parts: &Parts) -> Decoded {
    let service = parts.name("Missing service name")?;
    parts.read(Query::ChecksOfService(service.into()))
}

pub(super) fn checks_in_state(parts: &Parts) -> Decoded {
    let state = parts.name("Missing check state")?;
    parts.read(Query::ChecksInState(state.into()))
}

fn registration(fields: Object) -> Registration {
    let name = NodeName::from(fields.string("Node"));
    let service = fields.get("Service").map(|value| service(name.clone(), Object::new(value)));
    // The single check comes after the list.
    let checks = fields.items("Checks").iter().chain(fields.get("Check"));
    let checks = checks.map(|value| check(&name, Object::new(value))).collect();
    let is_skipped = fields.is_set("SkipNodeUpdate");
    Registration {
        node: node_with_meta(fields, "NodeMeta"),
        node_update: if is_skipped { NodeUpdate::Skip } else { NodeUpdate::Write },
        service,
        checks,
    }
}

/// A registration says in its body which datacenter it means; its parameter is not read (HTTP-14).
fn admit_datacenter(parts: &Parts, fields: Object) -> Result<(), BadRequest> {
    match fields.filled("Datacenter") {
        Some(asked) if asked != parts.agent.datacenter => {
            Err(BadRequest::UnknownDatacenter { on_session_read: false })
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
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
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
        meta: fields.pairs("Meta"),
        port: fields.signed("Port"),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}

/// The record of a check, by default of the given node. Without an id, its name is its id; without
/// a status it is critical (CAT-02).
pub(super) fn check(node: &NodeName, fields: Object) -> Check {
    let name = fields.shared("Name");
    Check {
        node: fields.filled("Node").map_or_else(|| node.clone(), NodeName::from),
        id: CheckId::from(fields.filled("CheckID").unwrap_or(&name)),
        name: name.clone(),
        status: fields.filled("Status").map_or(CheckStatus::Critical, CheckStatus::from),
        notes: fields.shared("Notes"),
        output: fields.shared("Output"),
        service: fields.filled("ServiceID").map(ServiceId::from),
        service_name: Arc::default(),
        service_tags: None,
        kind: fields.shared("Type"),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
