//! The rows of lists as filters see them (`?filter=`): the Go type of the rows of each endpoint,
//! and a row of an answer as a value.

use alloc::vec::Vec;
use core::net::IpAddr;

use serde::Serialize;

use super::agent_rows::MemberJson;
use super::catalog::{self, NODE_FIELDS, TAGGED_ADDRESSES, WEIGHTS};
use super::mesh_schema::{CONNECT, PROXY};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use crate::filter::{FieldType, RowType};
use crate::json::{self, Json};

/// `/v1/catalog/nodes`.
pub(super) const NODE: GoType = GoType::Struct(&NODE_TYPE);

/// The services of a node or of an agent.
pub(super) const SERVICE: GoType = GoType::Struct(&catalog::SERVICE);

/// Checks, wherever they are listed.
pub(super) const CHECK: GoType = GoType::Struct(&catalog::CHECK);

/// The instances of services of `/v1/catalog/service/` and `/v1/catalog/connect/`, from which
/// `/v1/catalog/services` has its names and tags, too.
pub(super) const SERVICE_NODE: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.ServiceNode",
    name: "ServiceNode",
    is_strict: true,
    fields: &[
        ("ID", GoType::Text("types.NodeID")),
        ("Node", STRING),
        ("Address", STRING),
        ("Datacenter", STRING),
        ("TaggedAddresses", GoType::Pairs),
        ("NodeMeta", GoType::Pairs),
        ("ServiceKind", GoType::Text("structs.ServiceKind")),
        ("ServiceID", STRING),
        ("ServiceName", STRING),
        ("ServiceTags", STRINGS),
        ("ServiceAddress", STRING),
        ("ServiceTaggedAddresses", TAGGED_ADDRESSES),
        ("ServiceWeights", GoType::Struct(&WEIGHTS)),
        ("ServiceMeta", GoType::Pairs),
        ("ServicePort", GoType::Int),
        ("ServiceSocketPath", STRING),
        ("ServiceEnableTagOverride", GoType::Bool),
        ("ServiceProxy", GoType::Struct(&PROXY)),
        ("ServiceConnect", GoType::Struct(&CONNECT)),
        ("PeerName", STRING),
    ],
});

/// `/v1/health/service/` and `/v1/health/connect/`.
pub(super) const INSTANCE: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.CheckServiceNode",
    name: "CheckServiceNode",
    is_strict: true,
    fields: &[
        ("Node", NODE),
        ("Service", SERVICE),
        ("Checks", GoType::List("structs.HealthChecks", &CHECK)),
    ],
});

/// `/v1/agent/members`.
pub(super) const MEMBER: GoType = GoType::Struct(&GoStruct {
    go_type: "serf.Member",
    name: "Member",
    is_strict: true,
    fields: &[
        ("Name", STRING),
        ("Addr", GoType::List("net.IP", &GoType::Uint8)),
        ("Port", GoType::Uint16),
        ("Tags", GoType::Pairs),
        ("Status", GoType::Int),
        ("ProtocolMin", GoType::Uint8),
        ("ProtocolMax", GoType::Uint8),
        ("ProtocolCur", GoType::Uint8),
        ("DelegateMin", GoType::Uint8),
        ("DelegateMax", GoType::Uint8),
        ("DelegateCur", GoType::Uint8),
    ],
});

const NODE_TYPE: GoStruct =
    GoStruct { go_type: "structs.Node", name: "Node", is_strict: true, fields: NODE_FIELDS };

/// The members that no filter sees, in whatever type (FLT-05).
const HIDDEN: [&str; 7] =
    ["CreateIndex", "ModifyIndex", "Definition", "Config", "Arguments", "Locality", "Ports"];

impl RowType for GoType {
    fn field_type(&self) -> FieldType<'_, Self> {
        match self {
            Self::Text(_) => FieldType::Text,
            Self::Bool => FieldType::Bool,
            Self::Int => FieldType::Int,
            Self::Uint8 => FieldType::Uint(8),
            Self::Uint16 => FieldType::Uint(16),
            Self::Uint | Self::Uint64 | Self::RaftIndex => FieldType::Uint(64),
            Self::List(_, item) => FieldType::List(item),
            Self::Pairs => FieldType::Map(&STRING),
            Self::Map(_, value) => FieldType::Map(value),
            Self::Struct(_) | Self::Pointer(_) => FieldType::Struct,
            Self::Shown(inner) | Self::Since(_, inner) | Self::Before(_, inner) => {
                inner.field_type()
            }
            Self::Bytes | Self::Any | Self::Duration => FieldType::Hidden,
            Self::Unchecked | Self::Embedded(_) | Self::Changed(..) => FieldType::Hidden,
        }
    }

    fn member(&self, name: &str) -> Option<&Self> {
        let go_struct = match self {
            Self::Struct(go_struct) | Self::Pointer(go_struct) => go_struct,
            Self::Shown(inner) | Self::Since(_, inner) | Self::Before(_, inner) => {
                return inner.member(name);
            }
            _ => return None,
        };
        let (_, found) = go_struct.members().iter().find(|(known, _)| *known == name)?;
        let is_hidden = HIDDEN.contains(&name) || matches!(found.field_type(), FieldType::Hidden);
        (!is_hidden).then_some(found)
    }
}

/// A row of an answer as a value.
pub(super) fn value(row: &impl Serialize) -> Json {
    json::only_value(&json::to_text(row)).unwrap_or(Json::Null)
}

/// A member of the cluster as a value. In Go its address is a list of bytes.
pub(super) fn member(row: &MemberJson) -> Json {
    let mut value = value(row);
    let Json::Object(members) = &mut value else { return value };
    for (_, address) in members.iter_mut().filter(|(name, _)| name == "Addr") {
        let ip = address.as_text().and_then(|text| text.parse().ok());
        let bytes = match ip {
            Some(IpAddr::V4(ip)) => ip.octets().to_vec(),
            Some(IpAddr::V6(ip)) => ip.octets().to_vec(),
            None => Vec::new(),
        };
        *address = Json::Array(bytes.into_iter().map(|byte| Json::Unsigned(byte.into())).collect());
    }
    value
}
