//! Requests to `/v1/txn`: a list of operations on keys, nodes, services and checks that Consul
//! applies together or not at all. Bodies that Go cannot decode, too many operations and values
//! that are too long are refused here; the engine checks each operation before it logs them.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bad_request::BadRequest;
use super::catalog::{self, NODE_FIELDS};
use super::check::definition_in_txn;
use super::go_base64;
use super::limits::{VALUE_MAX, admit_txn_size};
use super::mesh;
use super::mesh_schema::{API_CONNECT, API_LOCALITY, API_PROXY};
use super::object::Object;
use super::parameters::ABSENT;
use super::parts::{Decoded, RequestParts};
use super::schema::{DecodeError, GoStruct, GoType, STRING, STRINGS};
use super::types::AnswerKind;
use crate::id::{CheckId, Index, Key, NodeName, ServiceId, SessionRef, go_quoted};
use crate::json::Json;
use crate::message::Operation;
use crate::store::catalog::Check;
use crate::store::txn::{CatalogVerb, TxnOp, TxnVerb};
use crate::store::{KvVerb, Write};
use crate::version::ConsulVersion::V1_22;
use crate::version::VersionRules;

const TXN_OPS: GoType = GoType::List("api.TxnOps", &GoType::Pointer(&TXN_OP));

const TXN_OP: GoStruct = GoStruct {
    go_type: "api.TxnOp",
    name: "TxnOp",
    is_strict: true,
    fields: &[
        ("KV", GoType::Struct(&KV_OP)),
        ("Node", GoType::Struct(&NODE_OP)),
        ("Service", GoType::Struct(&SERVICE_OP)),
        ("Check", GoType::Struct(&CHECK_OP)),
    ],
};

pub(super) const KV_OP: GoStruct = GoStruct {
    go_type: "api.KVTxnOp",
    name: "KVTxnOp",
    is_strict: true,
    fields: &[
        ("Verb", GoType::Text("api.KVOp")),
        ("Key", STRING),
        ("Value", GoType::Bytes),
        ("Flags", GoType::Uint64),
        ("Index", GoType::Uint64),
        ("Session", STRING),
        ("Namespace", STRING),
        ("Partition", STRING),
    ],
};

pub(super) const NODE_OP: GoStruct = GoStruct {
    go_type: "api.NodeTxnOp",
    name: "NodeTxnOp",
    is_strict: true,
    fields: &[("Verb", GoType::Text("api.NodeOp")), ("Node", GoType::Struct(&NODE))],
};

const NODE: GoStruct =
    GoStruct { go_type: "api.Node", name: "Node", is_strict: true, fields: NODE_FIELDS };

pub(super) const SERVICE_OP: GoStruct = GoStruct {
    go_type: "api.ServiceTxnOp",
    name: "ServiceTxnOp",
    is_strict: true,
    fields: &[
        ("Verb", GoType::Text("api.ServiceOp")),
        ("Node", STRING),
        ("Service", GoType::Struct(&SERVICE)),
    ],
};

const SERVICE: GoStruct = GoStruct {
    go_type: "api.AgentService",
    name: "AgentService",
    is_strict: true,
    fields: &[
        ("Kind", GoType::Text("api.ServiceKind")),
        ("ID", STRING),
        ("Service", STRING),
        ("Tags", STRINGS),
        ("Meta", GoType::Pairs),
        ("Port", GoType::Int),
        ("Address", STRING),
        ("SocketPath", STRING),
        ("TaggedAddresses", GoType::Map("map[string]api.ServiceAddress", &SERVICE_ADDRESS)),
        ("Weights", GoType::Struct(&WEIGHTS)),
        ("EnableTagOverride", GoType::Bool),
        ("CreateIndex", GoType::Uint64),
        ("ModifyIndex", GoType::Uint64),
        ("ContentHash", STRING),
        ("Proxy", GoType::Struct(&API_PROXY)),
        ("Connect", GoType::Struct(&API_CONNECT)),
        ("Ports", GoType::Since(V1_22, &GoType::List("api.ServicePorts", &SERVICE_PORT))),
        ("Locality", GoType::Since(V1_22, &GoType::Struct(&API_LOCALITY))),
        ("PeerName", STRING),
        ("Namespace", STRING),
        ("Partition", STRING),
        ("Datacenter", STRING),
    ],
};

const SERVICE_ADDRESS: GoType = GoType::Struct(&GoStruct {
    go_type: "api.ServiceAddress",
    name: "ServiceAddress",
    is_strict: true,
    fields: &[("Address", STRING), ("Port", GoType::Int)],
});

const WEIGHTS: GoStruct = GoStruct {
    go_type: "api.AgentWeights",
    name: "AgentWeights",
    is_strict: true,
    fields: &[("Passing", GoType::Int), ("Warning", GoType::Int)],
};

const SERVICE_PORT: GoType = GoType::Struct(&GoStruct {
    go_type: "api.ServicePort",
    name: "ServicePort",
    is_strict: true,
    fields: &[("Name", STRING), ("Port", GoType::Int), ("Default", GoType::Bool)],
});

pub(super) const CHECK_OP: GoStruct = GoStruct {
    go_type: "api.CheckTxnOp",
    name: "CheckTxnOp",
    is_strict: true,
    fields: &[("Verb", GoType::Text("api.CheckOp")), ("Check", GoType::Struct(&CHECK))],
};

const CHECK: GoStruct = GoStruct {
    go_type: "api.HealthCheck",
    name: "HealthCheck",
    is_strict: true,
    fields: &[
        ("Node", STRING),
        ("CheckID", STRING),
        ("Name", STRING),
        ("Status", STRING),
        ("Notes", STRING),
        ("Output", STRING),
        ("ServiceID", STRING),
        ("ServiceName", STRING),
        ("ServiceTags", STRINGS),
        ("Type", STRING),
        ("Namespace", STRING),
        ("Partition", STRING),
        ("ExposedPort", GoType::Int),
        ("PeerName", STRING),
        ("Definition", GoType::Struct(&DEFINITION)),
        ("CreateIndex", GoType::Uint64),
        ("ModifyIndex", GoType::Uint64),
    ],
};

/// A definition, whose spans have two names each.
const DEFINITION: GoStruct = GoStruct {
    go_type: "struct { IntervalDuration interface {}; TimeoutDuration interface {}; \
              DeregisterCriticalServiceAfterDuration interface {}; *api.Alias }",
    name: "",
    is_strict: false,
    fields: &[
        ("IntervalDuration", GoType::Duration),
        ("TimeoutDuration", GoType::Duration),
        ("DeregisterCriticalServiceAfterDuration", GoType::Duration),
        (
            "Alias",
            GoType::Embedded(&[
                ("HTTP", STRING),
                ("Header", GoType::Map("map[string][]string", &STRINGS)),
                ("Method", STRING),
                ("Body", STRING),
                ("TLSServerName", STRING),
                ("TLSSkipVerify", GoType::Bool),
                ("TCP", STRING),
                ("TCPUseTLS", GoType::Since(V1_22, &GoType::Bool)),
                ("UDP", STRING),
                ("GRPC", STRING),
                ("GRPCUseTLS", GoType::Bool),
                ("OSService", GoType::Since(V1_22, &STRING)),
                ("SessionName", GoType::Since(V1_22, &STRING)),
                ("Interval", GoType::Duration),
                ("Timeout", GoType::Duration),
                ("DeregisterCriticalServiceAfter", GoType::Duration),
            ]),
        ),
    ],
};

/// A transaction never blocks, but the wait of one without writes is still checked (BLK-18).
pub(super) fn decode(parts: &RequestParts) -> Decoded {
    admit_txn_size(parts.agent.rules(), parts.request)?;
    let ops = ops(parts)?;
    if !ops.iter().any(TxnOp::is_write) {
        parts.admit_read()?;
    }
    Ok((Operation::Txn(ops), AnswerKind::Json))
}

/// The operations of a body (TXN-01, TXN-02). `null` is an empty list, and text after the list is
/// ignored (TXN-15).
fn ops(parts: &RequestParts) -> Result<Vec<TxnOp>, BadRequest> {
    let invalid =
        |error: DecodeError| BadRequest::Invalid(format!("Failed to parse body: {error}"));
    let body = parts.body(&TXN_OPS).map_err(invalid)?;
    let items = body.items();
    let (count, max) = (items.len(), parts.agent.rules().txn_ops_max);
    if count > max {
        return Err(BadRequest::TooLarge(format!(
            "Transaction contains too many operations ({count} > {max})"
        )));
    }
    for item in items {
        admit_local(Object::new(item))?;
    }
    let ops = items.iter().filter_map(|item| op(parts.agent.rules(), Object::new(item)));
    let ops = ops.collect::<Vec<_>>();
    ops.iter().try_for_each(admit_value)?;
    Ok(ops)
}

/// Refuses nodes and checks of other clusters, which Consul keeps beside its own.
fn admit_local(op: Object) -> Result<(), BadRequest> {
    let is_of_peer = |kind| catalog::is_of_peer(op.object(kind).object(kind));
    match ["Node", "Check"].into_iter().find(|kind| is_of_peer(kind)) {
        None => Ok(()),
        Some(kind) => {
            let kind = kind.to_ascii_lowercase();
            Err(BadRequest::Invalid(format!("Invalid {kind}: \"PeerName\" - {ABSENT}")))
        }
    }
}

/// Refuses a value that is too long (TXN-04).
fn admit_value(op: &TxnOp) -> Result<(), BadRequest> {
    let TxnOp::Kv { key, verb: TxnVerb::Write(verb) } = op else { return Ok(()) };
    let write = match verb {
        KvVerb::Set(write)
        | KvVerb::Cas { write, .. }
        | KvVerb::Acquire { write, .. }
        | KvVerb::Release { write, .. } => write,
        KvVerb::Delete | KvVerb::DeleteCas { .. } | KvVerb::DeleteTree => return Ok(()),
    };
    let length = write.value.len();
    if length <= VALUE_MAX {
        return Ok(());
    }
    let key = go_quoted(key.as_str());
    Err(BadRequest::TooLarge(format!(
        "Value for key {key} is too large ({length} > {VALUE_MAX} bytes)"
    )))
}

/// One item of the list, by the first kind that it has; an item without any is skipped (TXN-06).
fn op(rules: &VersionRules, fields: Object) -> Option<TxnOp> {
    let member = |kind| fields.get(kind).map(Object::new);
    let catalog_op = || {
        let node = || member("Node").map(node_op);
        let service = || member("Service").map(|fields| service_op(rules, fields));
        node().or_else(service).or_else(|| member("Check").map(|fields| check_op(rules, fields)))
    };
    member("KV").map(|fields| kv_op(rules, fields)).or_else(catalog_op)
}

fn node_op(fields: Object) -> TxnOp {
    let record = fields.object("Node");
    TxnOp::Node { node: catalog::node(record), verb: catalog_verb(fields, record) }
}

fn service_op(rules: &VersionRules, fields: Object) -> TxnOp {
    let record = fields.object("Service");
    let (verb, node) = (catalog_verb(fields, record), NodeName::from(fields.string("Node")));
    let mut service = catalog::service(node, record);
    mesh::add_in_transaction(&mut service, record);
    if !rules.txn_keeps_tagged_addresses {
        service.tagged_addresses = None;
    }
    if verb == CatalogVerb::Get {
        // All other verbs use the name in place of an absent id (TXN-27).
        service.id = ServiceId::from(record.string("ID"));
    }
    TxnOp::Service { service, verb }
}

/// An operation on a check, of which Consul does not keep all members.
fn check_op(rules: &VersionRules, fields: Object) -> TxnOp {
    let record = fields.object("Check");
    let verb = catalog_verb(fields, record);
    let check = catalog::check(&NodeName::from(""), record, rules);
    let mut check = Check {
        kind: if rules.txn_keeps_check_types { check.kind } else { Arc::default() },
        definition: record.get("Definition").and_then(|value| definition_in_txn(value, rules)),
        ..check
    };
    if verb == CatalogVerb::Get {
        check.id = CheckId::from(record.string("CheckID"));
    }
    TxnOp::Check { check, verb }
}

/// An operation on a key (TXN-05). Verbs of later versions are unknown (TXN-21, V22-05).
fn kv_op(rules: &VersionRules, fields: Object) -> TxnOp {
    let value = bytes(fields.get("Value").unwrap_or(&Json::Null));
    let write = Write { value: Arc::from(value), flags: fields.unsigned("Flags") };
    let index = Index(fields.unsigned("Index"));
    let session = SessionRef::from(fields.string("Session"));
    let verb = match fields.text("Verb").unwrap_or_default() {
        "set" => TxnVerb::Write(KvVerb::Set(write)),
        "cas" => TxnVerb::Write(KvVerb::Cas { write, expected: index }),
        "lock" => TxnVerb::Write(KvVerb::Acquire { write, session }),
        "unlock" => TxnVerb::Write(KvVerb::Release { write, session }),
        "delete" => TxnVerb::Write(KvVerb::Delete),
        "delete-cas" => TxnVerb::Write(KvVerb::DeleteCas { expected: index }),
        "delete-tree" => TxnVerb::Write(KvVerb::DeleteTree),
        "get" => TxnVerb::Get,
        "get-or-empty" if rules.has_get_or_empty => {
            TxnVerb::GetOrEmpty { flags: write.flags, session, index }
        }
        "get-tree" => TxnVerb::GetTree,
        "check-index" => TxnVerb::CheckIndex(index),
        "check-session" => TxnVerb::CheckSession(session),
        "check-not-exists" => TxnVerb::CheckNotExists,
        other => TxnVerb::Unknown(other.into()),
    };
    TxnOp::Kv { key: Key::from(fields.string("Key")), verb }
}

/// A value in base64 or as a list of numbers.
fn bytes(value: &Json) -> Vec<u8> {
    // `null` counts as 0; all other items were checked to be bytes.
    let byte = |item: &Json| match item {
        Json::Unsigned(number) => u8::try_from(*number).unwrap_or_default(),
        _ => 0,
    };
    match value {
        Json::Text(text) => go_base64::decode(text).unwrap_or_default(),
        other => other.items().iter().map(byte).collect(),
    }
}

/// The verb of an operation on the catalog; the index that it expects is the record's own.
fn catalog_verb(fields: Object, record: Object) -> CatalogVerb {
    let index = Index(record.unsigned("ModifyIndex"));
    match fields.text("Verb").unwrap_or_default() {
        "get" => CatalogVerb::Get,
        "set" => CatalogVerb::Set,
        "cas" => CatalogVerb::Cas(index),
        "delete" => CatalogVerb::Delete,
        "delete-cas" => CatalogVerb::DeleteCas(index),
        other => CatalogVerb::Unknown(other.into()),
    }
}
