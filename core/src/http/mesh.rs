//! The settings of services for the service mesh, in JSON: the form in which the catalog keeps the
//! settings of a proxy (MSH-01), and those in which answers show them. Contradictions are not
//! refused here, and nothing is proxied.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Serialize, Serializer};

use super::mesh_schema::{API_LOCALITY, API_PROXY, LOCALITY, PROXY};
use super::object::Object;
use super::schema::{GoStruct, GoType};
use crate::json::{Json, KeptJson};
use crate::store::catalog::{Service, ServicePort, ServicePorts};
use crate::store::mesh::CONNECT_PROXY;

/// The settings of a proxy that Consul takes from a transaction (MSH-04).
const OF_TRANSACTIONS: [&str; 7] = [
    "DestinationServiceName",
    "DestinationServiceID",
    "LocalServiceAddress",
    "LocalServicePort",
    "LocalServiceSocketPath",
    "MeshGateway",
    "TransparentProxy",
];

/// The settings of a service as a proxy, as the catalog shows them.
pub(super) struct ProxyJson<'a>(pub(super) &'a KeptJson);

/// Where a node or a service runs.
pub(super) struct LocalityJson<'a>(&'a KeptJson);

/// The settings of a service that is no proxy, which are by far the most frequent ones.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
struct NoProxy {
    mode: &'static str,
    mesh_gateway: EmptyObject,
    expose: EmptyObject,
}

/// `{}`.
#[derive(Default, Serialize)]
pub(super) struct EmptyObject {}

/// Whether a service takes part in the mesh without a proxy.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ConnectJson {
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub(super) native: bool,
}

impl Serialize for ProxyJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_empty() {
            return NoProxy::default().serialize(serializer);
        }
        shown(&self.0.value(), &PROXY).serialize(serializer)
    }
}

impl<'a> LocalityJson<'a> {
    /// Where it runs, if that is known.
    pub(super) fn known(locality: &'a KeptJson) -> Option<Self> {
        (!locality.is_empty()).then_some(Self(locality))
    }
}

impl Serialize for LocalityJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value().serialize(serializer)
    }
}

/// Adds to a service the mesh settings and the named ports of its registration in the catalog.
pub(super) fn add(service: &mut Service, fields: Object) {
    service.ports = ports(fields);
    service.kind = fields.shared("Kind");
    service.socket_path = fields.shared("SocketPath");
    service.proxy = kept(fields.get("Proxy"), &PROXY);
    service.is_native = fields.object("Connect").is_set("Native");
    service.locality = locality(fields);
}

/// The named ports of a service.
fn ports(fields: Object) -> ServicePorts {
    let port = |item| {
        let fields = Object::new(item);
        ServicePort {
            name: fields.shared("Name"),
            port: fields.signed("Port"),
            is_default: fields.is_set("Default"),
        }
    };
    fields.get("Ports").map(|_| fields.items("Ports").iter().map(port).collect())
}

/// Adds to a service the mesh settings of its registration at an agent. The agent completes it:
/// upstreams are services by default, those of a proxy have its gateways by default, and the
/// extensions of proxies and gateways are dropped (MSH-03).
pub(super) fn add_at_agent(service: &mut Service, fields: Object) {
    add(service, fields);
    let Json::Object(members) = service.proxy.value() else { return };
    let is_gateway = |name: &str| &*service.kind == CONNECT_PROXY && name == "MeshGateway";
    let gateway = members.iter().find(|(name, _)| is_gateway(name)).map(|(_, it)| it.clone());
    let loses_extensions = service.is_of_mesh();
    let taken = members
        .into_iter()
        .filter(|(name, _)| !(loses_extensions && name == "EnvoyExtensions"))
        .map(|(name, value)| match value {
            Json::Array(upstreams) if name == "Upstreams" => {
                let upstreams = upstreams.into_iter().map(|it| completed(it, gateway.as_ref()));
                (name, Json::Array(upstreams.collect()))
            }
            value => (name, value),
        });
    service.proxy = kept(Some(&Json::Object(taken.collect())), &PROXY);
}

/// An upstream with its default type, and with the gateways of its proxy unless it has its own or
/// is a prepared query.
fn completed(upstream: Json, gateway: Option<&Json>) -> Json {
    let Json::Object(members) = upstream else { return upstream };
    let complete = |(name, value): (String, Json)| match (&*name, &value) {
        ("DestinationType", Json::Text(text)) if text.is_empty() => {
            (name, Json::Text("service".into()))
        }
        _ => (name, value),
    };
    let mut members: Vec<_> = members.into_iter().map(complete).collect();
    let is_query = members.iter().any(|(name, value)| {
        name == "DestinationType" && value.as_text() == Some("prepared_query")
    });
    let own = members.iter_mut().find(|(name, value)| name == "MeshGateway" && is_empty(value));
    if let (Some((_, own)), Some(gateway), false) = (own, gateway, is_query) {
        *own = gateway.clone();
    }
    Json::Object(members)
}

/// Adds to a service those mesh settings that Consul takes from a transaction (MSH-04).
pub(super) fn add_in_transaction(service: &mut Service, fields: Object) {
    let members = match fields.get("Proxy") {
        Some(Json::Object(members)) => members.as_slice(),
        _ => &[],
    };
    let is_taken = |(name, _): &&(String, Json)| {
        OF_TRANSACTIONS.iter().any(|taken| taken.eq_ignore_ascii_case(name))
    };
    let taken = members.iter().filter(is_taken).cloned().collect();
    service.kind = fields.shared("Kind");
    service.proxy = kept(Some(&Json::Object(taken)), &PROXY);
}

/// Where a node or a service runs; an empty object is one too.
pub(super) fn locality(fields: Object) -> KeptJson {
    let given = fields.get("Locality").map(|value| KeptJson::new(&shown(value, &LOCALITY)));
    given.unwrap_or_default()
}

/// The settings of a proxy as its agent shows them.
pub(super) fn proxy_at_agent(proxy: &KeptJson) -> Json {
    shown(&proxy.value(), &API_PROXY)
}

/// Where a service runs as its agent shows it, if that is known.
pub(super) fn locality_at_agent(locality: &KeptJson) -> Option<Json> {
    (!locality.is_empty()).then(|| shown(&locality.value(), &API_LOCALITY))
}

/// A value as the catalog keeps it; empty if it is the zero value.
fn kept(value: Option<&Json>, go_struct: &GoStruct) -> KeptJson {
    let shown_value = shown(value.unwrap_or(&Json::Null), go_struct);
    let is_zero = shown_value == shown(&Json::Null, go_struct);
    if is_zero { KeptJson::default() } else { KeptJson::new(&shown_value) }
}

/// An object as Go writes it: the members of its type, in their order, without the empty ones that
/// Go omits.
fn shown(value: &Json, go_struct: &GoStruct) -> Json {
    let fields = Object::new(value);
    let member = |(name, go_type): &(&str, GoType)| {
        let further =
            go_struct.fields.iter().map(|(known, _)| *known).find(|it| is_spelling(it, name));
        let spellings = [Some(*name), further].into_iter().flatten();
        let value =
            spellings.filter_map(|name| fields.get(name)).find_map(|it| filled(it, go_type));
        let zero = || if let GoType::Shown(go_type) = go_type { Some(zero(go_type)) } else { None };
        Some((String::from(*name), value.or_else(zero)?))
    };
    Json::Object(go_struct.members().iter().filter_map(member).collect())
}

/// Whether a name such as `local_bind_port` is a further spelling of `LocalBindPort`.
fn is_spelling(name: &str, field: &str) -> bool {
    let letters = name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase());
    name.contains('_') && letters.eq(field.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// A value of a type as Go writes it; `None` if it is null, empty or the zero value.
fn filled(value: &Json, go_type: &GoType) -> Option<Json> {
    let item = |value: &Json, go_type| filled(value, go_type).unwrap_or_else(|| zero(go_type));
    let found = match (go_type, value) {
        (_, Json::Null) => return None,
        (GoType::Shown(go_type), value) => return filled(value, go_type),
        (GoType::Any, value) => return Some(any(value)),
        (GoType::List(_, go_type), Json::Array(items)) => {
            Json::Array(items.iter().map(|value| item(value, go_type)).collect())
        }
        (GoType::Map(_, go_type), Json::Object(members)) => {
            sorted(members.iter().map(|(name, value)| (name, item(value, go_type))))
        }
        (GoType::Struct(go_struct) | GoType::Pointer(go_struct), value) => shown(value, go_struct),
        (_, plain) => plain.clone(),
    };
    (found != zero(go_type) && !is_empty(&found)).then_some(found)
}

/// The zero value of a type.
fn zero(go_type: &GoType) -> Json {
    match go_type {
        GoType::Text(_) => Json::Text(String::new()),
        GoType::Bool => Json::Bool(false),
        GoType::Int => Json::Unsigned(0),
        GoType::Struct(go_struct) | GoType::Pointer(go_struct) => shown(&Json::Null, go_struct),
        _ => Json::Null,
    }
}

/// A value of any type as Go writes it after it has read it: numbers as floats, names sorted.
fn any(value: &Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.iter().map(any).collect()),
        Json::Object(members) => sorted(members.iter().map(|(name, value)| (name, any(value)))),
        plain => plain.rounded(),
    }
}

/// An object with its names sorted; of several members of a name the last counts.
fn sorted<'a>(members: impl Iterator<Item = (&'a String, Json)>) -> Json {
    let mut by_name = BTreeMap::new();
    by_name.extend(members);
    Json::Object(by_name.into_iter().map(|(name, value)| (name.clone(), value)).collect())
}

fn is_empty(value: &Json) -> bool {
    matches!(value, Json::Array(items) if items.is_empty())
        || matches!(value, Json::Object(members) if members.is_empty())
}
