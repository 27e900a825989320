//! Requests under `/v1/agent/`: the checks and services that an agent keeps itself, and its
//! maintenance mode. Definitions that Consul's agent refuses are refused here, before the engine;
//! the engine stores them in the catalog and runs their TTLs.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::bad_request::BadRequest;
use super::catalog::{self, SERVICE_ADDRESS, WEIGHTS};
use super::check::printed;
use super::object::Object;
use super::parts::{Decoded, RequestParts, parse_bool};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::session::nanos;
use super::types::AnswerKind;
use crate::id::{CheckId, NodeName, ServiceId, go_quoted};
use crate::message::{AgentCall, CheckRun, Operation, ServerFact, ServiceChoice};
use crate::store::Query;
use crate::store::catalog::{Check, CheckStatus, Service, ServiceAddress};
use crate::user_event::FiredEvent;

const CHECK: GoStruct = GoStruct {
    go_type: "structs.CheckDefinition",
    name: "",
    is_strict: false,
    fields: &[
        ("ID", GoType::Text("types.CheckID")),
        ("CheckID", GoType::Text("types.CheckID")),
        ("Name", STRING),
        ("Status", STRING),
        ("Notes", STRING),
        ("ServiceID", STRING),
        ("TTL", GoType::Any),
        ("Interval", GoType::Any),
        ("Timeout", GoType::Any),
        ("HTTP", STRING),
        ("TCP", STRING),
        ("UDP", STRING),
        ("GRPC", STRING),
        ("H2PING", STRING),
        ("Args", STRINGS),
        ("ScriptArgs", STRINGS),
        ("DockerContainerID", STRING),
        ("AliasNode", STRING),
        ("AliasService", STRING),
    ],
};

const CHECK_UPDATE: GoType = GoType::Struct(&GoStruct {
    go_type: "agent.checkUpdate",
    name: "checkUpdate",
    is_strict: true,
    fields: &[("Status", STRING), ("Output", STRING)],
});

const SERVICE: GoType = GoType::Struct(&GoStruct {
    go_type: "structs.ServiceDefinition",
    name: "",
    is_strict: true,
    fields: &[
        ("Kind", GoType::Text("structs.ServiceKind")),
        ("ID", STRING),
        ("Service", STRING),
        ("Name", STRING),
        ("Tags", STRINGS),
        ("Address", STRING),
        ("TaggedAddresses", GoType::Map("map[string]structs.ServiceAddress", &SERVICE_ADDRESS)),
        ("Meta", GoType::Pairs),
        ("Port", GoType::Int),
        ("SocketPath", STRING),
        ("Weights", GoType::Struct(&WEIGHTS)),
        ("EnableTagOverride", GoType::Bool),
        ("Proxy", GoType::Unchecked),
        ("Connect", GoType::Unchecked),
        ("PeerName", STRING),
        ("Namespace", STRING),
        ("Partition", STRING),
        ("Check", GoType::Struct(&CHECK)),
        ("Checks", GoType::List("structs.CheckTypes", &GoType::Struct(&CHECK))),
        ("CreateIndex", GoType::Uint64),
        ("ModifyIndex", GoType::Uint64),
    ],
});

pub(super) fn checks(_: &RequestParts) -> Decoded {
    call(AgentCall::Checks)
}

pub(super) fn services(_: &RequestParts) -> Decoded {
    call(AgentCall::Services(ServiceChoice::All))
}

pub(super) fn service(parts: &RequestParts) -> Decoded {
    let id = ServiceId::from(parts.rest.as_str());
    call_as(AgentCall::Services(ServiceChoice::Id(id)), AnswerKind::OneService)
}

/// The health of a service by its id or name, whose status is also that of the answer.
pub(super) fn health_by_id(parts: &RequestParts) -> Decoded {
    let id = ServiceId::from(parts.name("Missing serviceID")?);
    let kind = AnswerKind::Health { is_text: is_text(parts) };
    call_as(AgentCall::Services(ServiceChoice::Id(id)), kind)
}

pub(super) fn health_by_name(parts: &RequestParts) -> Decoded {
    let name = parts.name("Missing service Name")?;
    let kind = AnswerKind::Health { is_text: is_text(parts) };
    call_as(AgentCall::Services(ServiceChoice::Name(name.into())), kind)
}

fn is_text(parts: &RequestParts) -> bool {
    let asked = parts.params.first("format");
    asked == Some("text") || parts.request.header("Accept").is_some_and(|it| it == "text/plain")
}

/// The members of the cluster, in its own datacenter or in all of them; there is one.
pub(super) fn members(parts: &RequestParts) -> Decoded {
    let is_wan = parts.params.filled("wan").is_some();
    match parts.params.filled("segment") {
        None | Some("_all") => {}
        Some(_) if is_wan => {
            return Err(BadRequest::bad("Cannot provide a segment with wan=true"));
        }
        Some(_) => {
            let text = "Network segments are not supported in this version of Consul";
            return Err(BadRequest::Failed(text.into()));
        }
    }
    Ok((Operation::Server(ServerFact::Members), AnswerKind::Members { is_wan }))
}

pub(super) fn leave(_: &RequestParts) -> Decoded {
    call(AgentCall::Leave)
}

/// Fires an event for the agents that its filters admit. Filters are regular expressions in Consul;
/// here only those are taken that are plain words.
pub(super) fn fire_event(parts: &RequestParts) -> Decoded {
    let name = parts.name("Missing name")?;
    let filter = |name: &str| {
        let text = parts.params.first(name).unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if text.chars().all(is_plain) {
            return Ok(String::from(text));
        }
        let why = "this server implements no regular expressions";
        Err(BadRequest::Invalid(format!("Invalid query parameter: \"{name}\" - {why}")))
    };
    let fired = FiredEvent {
        name: name.into(),
        payload: parts.request.body.clone(),
        node: filter("node")?,
        service: filter("service")?,
        tag: filter("tag")?,
    };
    if !fired.tag.is_empty() && fired.service.is_empty() {
        let text = "Cannot provide tag filter without service filter";
        return Err(BadRequest::Failed(text.into()));
    }
    call(AgentCall::FireEvent(fired))
}

pub(super) fn list_events(parts: &RequestParts) -> Decoded {
    let name = parts.params.filled("name").map(String::from);
    parts.read(Query::UserEvents(name))
}

pub(super) fn register_check(parts: &RequestParts) -> Decoded {
    let body = parts.body(&GoType::Struct(&CHECK))?;
    let fields = Object::new(&body);
    let Some(name) = fields.filled("Name") else {
        return Err(BadRequest::bad("Missing check name"));
    };
    let check = check(parts, fields, name, name);
    admit_status(&check, "Bad check status")?;
    let run = check_run(fields)?;
    call(AgentCall::RegisterCheck { check, run })
}

pub(super) fn deregister_check(parts: &RequestParts) -> Decoded {
    call(AgentCall::DeregisterCheck(CheckId::from(parts.rest.as_str())))
}

/// A check is reported as passing, warning or critical, with an optional note.
pub(super) fn set_status(parts: &RequestParts, status: CheckStatus) -> Decoded {
    let note = parts.params.first("note").unwrap_or_default();
    call(AgentCall::UpdateCheck {
        id: CheckId::from(parts.rest.as_str()),
        status,
        output: note.into(),
    })
}

pub(super) fn update_check(parts: &RequestParts) -> Decoded {
    let body = parts.body(&CHECK_UPDATE)?;
    let fields = Object::new(&body);
    let status = CheckStatus::from(fields.text("Status").unwrap_or_default());
    if let CheckStatus::Other(text) = status {
        return Err(BadRequest::Invalid(format!("Invalid check status: '{text}'")));
    }
    call(AgentCall::UpdateCheck {
        id: CheckId::from(parts.rest.as_str()),
        status,
        output: fields.shared("Output"),
    })
}

pub(super) fn register_service(parts: &RequestParts) -> Decoded {
    let body = parts.body(&SERVICE)?;
    let fields = Object::new(&body);
    let mut service = catalog::service(parts.agent.node.clone(), fields);
    if service.name.is_empty() {
        return Err(BadRequest::bad("Missing service name"));
    }
    if service.is_anywhere() {
        return Err(BadRequest::bad("Invalid service address"));
    }
    catalog::admit_plain_service(fields)?;
    tag_address(&mut service);
    let checks = checks_of_service(parts, fields, &service)?;
    let replaces_checks = match parts.params.first("replace-existing-checks") {
        None => false,
        Some("") => true,
        Some(text) => parse_bool(text)
            .ok_or_else(|| BadRequest::bad("Invalid value for \"replace-existing-checks\""))?,
    };
    call(AgentCall::RegisterService { service, checks, replaces_checks })
}

pub(super) fn deregister_service(parts: &RequestParts) -> Decoded {
    call(AgentCall::DeregisterService(ServiceId::from(parts.rest.as_str())))
}

pub(super) fn node_maintenance(parts: &RequestParts) -> Decoded {
    maintenance(parts, None)
}

pub(super) fn service_maintenance(parts: &RequestParts) -> Decoded {
    maintenance(parts, Some(ServiceId::from(parts.name("Missing service ID")?)))
}

fn maintenance(parts: &RequestParts, service: Option<ServiceId>) -> Decoded {
    let text = parts.params.first("enable");
    let text = text.ok_or_else(|| BadRequest::bad("Missing value for enable"))?;
    let Some(is_on) = parse_bool(text) else {
        let text = go_quoted(text);
        return Err(BadRequest::Invalid(format!("Invalid value for enable: {text}")));
    };
    let reason = is_on.then(|| parts.params.first("reason").unwrap_or_default().into());
    call(AgentCall::Maintenance { service, reason })
}

/// A call for the agent itself, answered in JSON.
fn call(call: AgentCall) -> Decoded {
    call_as(call, AnswerKind::Json)
}

fn call_as(call: AgentCall, kind: AnswerKind) -> Decoded {
    Ok((Operation::Agent(Box::new(call)), kind))
}

/// The checks that come with a service, each with its TTL; without names of their own they are
/// named after the service (CAT-09).
fn checks_of_service(
    parts: &RequestParts,
    fields: Object,
    service: &Service,
) -> Result<Vec<(Check, CheckRun)>, BadRequest> {
    let definitions: Vec<_> =
        fields.get("Check").into_iter().chain(fields.items("Checks")).collect();
    let is_single = definitions.len() == 1;
    let name = format!("Service '{}' check", service.name);
    let checks = definitions.into_iter().enumerate().map(|(at, value)| {
        let fields = Object::new(value);
        let number = if is_single { String::new() } else { format!(":{}", at + 1) };
        let id = format!("service:{}{number}", service.id);
        let check = check(parts, fields, &id, &name);
        let run = check_run(fields)?;
        admit_status(&check, "Status for checks must 'passing', 'warning', 'critical'")?;
        Ok((Check { service: Some(service.id.clone()), ..check }, run))
    });
    checks.collect::<Result<Vec<_>, _>>()
}

/// A check of the agent's own node, with the given id and name unless it has its own.
fn check(parts: &RequestParts, fields: Object, id: &str, name: &str) -> Check {
    let span = |name| printed(fields.get(name).and_then(|it| nanos(it).ok()).unwrap_or_default());
    Check {
        node: parts.agent.node.clone(),
        id: CheckId::from(fields.filled("ID").or(fields.filled("CheckID")).unwrap_or(id)),
        name: Arc::from(fields.filled("Name").unwrap_or(name)),
        status: fields.filled("Status").map_or(CheckStatus::Critical, CheckStatus::from),
        notes: fields.shared("Notes"),
        service: fields.filled("ServiceID").map(ServiceId::from),
        kind: Arc::from(kind(fields)),
        interval: Arc::from(span("Interval")),
        timeout: Arc::from(span("Timeout")),
        ..Check::default()
    }
}

/// The type of a check, by the first member that decides it.
fn kind(fields: Object) -> &'static str {
    let has = |name| fields.filled(name).is_some();
    let is_script = !fields.items("ScriptArgs").is_empty() || !fields.items("Args").is_empty();
    match () {
        () if has("GRPC") => "grpc",
        () if has("HTTP") => "http",
        () if fields.get("TTL").and_then(|it| nanos(it).ok()).is_some_and(|ttl| ttl != 0) => "ttl",
        () if has("TCP") => "tcp",
        () if has("UDP") => "udp",
        () if has("AliasNode") || has("AliasService") => "alias",
        () if is_script && has("DockerContainerID") => "docker",
        () if is_script => "script",
        () if has("H2PING") => "h2ping",
        () => "",
    }
}

/// How a check is run. One of a URL, a port, a script or a container is not: it keeps the state in
/// which it was registered.
fn check_run(fields: Object) -> Result<CheckRun, BadRequest> {
    let nanos = |name| fields.get(name).map_or(Ok(0), nanos);
    let invalid = |what| Err(BadRequest::Invalid(format!("Invalid check: {what}")));
    let (ttl, interval) = (nanos("TTL")?, nanos("Interval")?);
    let has = |name| fields.filled(name).is_some();
    let has_items = |name| !fields.items(name).is_empty();
    let has_interval = ["HTTP", "TCP", "UDP", "GRPC", "H2PING"].into_iter().any(has)
        || ["Args", "ScriptArgs"].into_iter().any(has_items);
    let is_alias = has("AliasNode") || has("AliasService");
    if ttl > 0 && interval > 0 {
        return invalid("Interval and TTL cannot both be specified");
    }
    if has_interval && interval <= 0 {
        return invalid("Interval must be > 0 for Script, HTTP, H2PING, TCP or UDP checks");
    }
    if has_interval && is_alias {
        return invalid("Interval cannot be set for Alias checks");
    }
    if is_alias && ttl > 0 {
        return invalid("TTL must be not be set for Alias checks");
    }
    match u64::try_from(ttl).ok().filter(|ttl| *ttl > 0) {
        Some(ttl) => Ok(CheckRun::Ttl(Duration::from_nanos(ttl))),
        None if is_alias => Ok(CheckRun::Alias {
            node: fields.filled("AliasNode").map(NodeName::from),
            service: fields.filled("AliasService").map(ServiceId::from),
        }),
        None if has_interval => Ok(CheckRun::Never),
        None => invalid("TTL must be > 0 for TTL checks"),
    }
}

/// An agent lists the address of a service under further names, unless it has them already.
fn tag_address(service: &mut Service) {
    let Ok(ip) = service.address.parse::<IpAddr>() else { return };
    let family = if ip.is_ipv4() { "ipv4" } else { "ipv6" };
    let tagged = service.tagged_addresses.get_or_insert_default();
    for net in ["lan", "wan"] {
        let address = ServiceAddress { address: service.address.clone(), port: service.port };
        tagged.entry(Arc::from(format!("{net}_{family}"))).or_insert(address);
    }
}

fn admit_status(check: &Check, refusal: &str) -> Result<(), BadRequest> {
    match check.status {
        CheckStatus::Other(_) => Err(BadRequest::bad(refusal)),
        _ => Ok(()),
    }
}
