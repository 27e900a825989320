//! JSON bodies, with all of Consul's leniency and all of its quirks.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;
use core::time::Duration;

use super::fields::{DecodeError, Fields, List};
use super::route::{Parts, agent, check_ids, content_length};
use super::{BadRequest, View};
use crate::duration;
use crate::error::Error;
use crate::id::{CheckId, Index, NodeName, ServiceId};
use crate::json::{self, Json};
use crate::message::{AgentCall, LOCK_DELAY_DEFAULT, Operation, SERF_HEALTH, SessionDraft};
use crate::store::catalog::{Check, Deregistration, Node, NodeUpdate, Registration, Service};
use crate::store::session::ServiceCheck;

/// SES-17: smaller values are taken as seconds.
const LOCK_DELAY_MIN: i64 = 1_000;
const SECOND: i64 = 1_000_000_000;

/// SES-01 to SES-05: the body counts only when its length is known and not zero (SES-02).
pub(super) fn session(parts: &Parts) -> Result<Box<SessionDraft>, BadRequest> {
    if content_length(parts.request).is_none_or(|length| length == 0) {
        return session_of(&Json::Null).map_err(undecodable);
    }
    let value = json::first_value(&parts.request.body);
    let value = value.map_err(undecodable)?;
    session_of(&value).map_err(undecodable)
}

fn session_of(value: &Json) -> Result<Box<SessionDraft>, DecodeError> {
    let fields = Fields::lenient(value, "struct { LockDelay interface {}; *structs.Alias }")?;
    // These are overwritten, but a wrong type is refused all the same (SES-05).
    fields.text("ID")?;
    fields.unsigned("CreateIndex")?;
    fields.unsigned("ModifyIndex")?;
    let list = |name| fields.list(name, &[SERF_HEALTH]);
    let (checks, node_checks) = checks_of(list("Checks")?, list("NodeChecks")?);
    Ok(Box::new(SessionDraft {
        node: fields.text("Node")?.map(NodeName::from),
        name: fields.shared("Name")?,
        lock_delay: lock_delay(fields.get("LockDelay"))?,
        behavior: Arc::from(fields.text("Behavior")?.unwrap_or("release")),
        ttl: fields.shared("TTL")?,
        node_checks,
        service_checks: service_checks(value, &fields)?,
        checks,
    }))
}

/// SES-21 to SES-23: both lists start as `["serfHealth"]`, are overlaid by the body's, and then
/// trimmed.
fn checks_of(checks: List, node_checks: List) -> (Option<Vec<CheckId>>, Option<Vec<CheckId>>) {
    let default = || Some(Vec::from([CheckId::from(SERF_HEALTH)]));
    let overlaid = |list| match list {
        List::Absent => default(),
        List::Null => None,
        List::Given(texts) => Some(check_ids(texts)),
    };
    let (checks, node_checks) = (overlaid(checks), overlaid(node_checks));
    if checks.as_ref().is_none_or(Vec::is_empty) {
        return (checks, Some(Vec::new()));
    }
    if node_checks.as_ref().is_none_or(Vec::is_empty) || checks == default() {
        return (None, node_checks);
    }
    (checks, node_checks)
}

pub(super) fn service_checks(
    value: &Json,
    fields: &Fields,
) -> Result<Option<Vec<ServiceCheck>>, DecodeError> {
    if !matches!(value.member("ServiceChecks"), Some(Json::Array(_))) {
        return fields.items("ServiceChecks").map(|_| None);
    }
    let checks = fields.items("ServiceChecks")?.iter().map(|item| {
        let fields = Fields::lenient(item, "structs.ServiceCheck")?;
        Ok(ServiceCheck {
            id: CheckId::from(fields.text("ID")?.unwrap_or_default()),
            namespace: fields.shared("Namespace")?,
        })
    });
    checks.collect::<Result<Vec<_>, _>>().map(Some)
}

/// SES-17 to SES-20: a duration, or a number of nanoseconds; below 1000 it means seconds.
fn lock_delay(value: Option<&Json>) -> Result<i64, DecodeError> {
    let nanos = match value {
        None => return Ok(LOCK_DELAY_DEFAULT),
        Some(Json::Text(text)) => duration::parse(text).map_err(|error| error.to_string())?,
        Some(Json::Unsigned(number)) => truncated(*number as f64),
        Some(Json::Signed(number)) => truncated(*number as f64),
        Some(Json::Float(number)) => truncated(*number),
        Some(_) => 0,
    };
    Ok(if nanos < LOCK_DELAY_MIN { nanos.wrapping_mul(SECOND) } else { nanos })
}

/// A float as Go turns it into 64 bits on the usual processors: what does not fit becomes the
/// smallest.
fn truncated(number: f64) -> i64 {
    let fits = number >= i64::MIN as f64 && number < i64::MAX as f64;
    if fits { number as i64 } else { i64::MIN }
}

pub(super) fn undecodable(what: impl Display) -> BadRequest {
    BadRequest::Invalid(format!("Request decode failed: {what}"))
}

pub(super) fn parsed(parts: &Parts) -> Result<Json, BadRequest> {
    let value = json::first_value(&parts.request.body);
    value.map_err(undecodable)
}

/// A node's record and the index that it expects.
pub(super) fn node(value: &Json) -> Result<(Node, u64), DecodeError> {
    const KNOWN: &[&str] = &[
        "ID",
        "Node",
        "Address",
        "Datacenter",
        "TaggedAddresses",
        "Meta",
        "Partition",
        "PeerName",
        "CreateIndex",
        "ModifyIndex",
    ];
    let fields = Fields::strict(value, "structs.Node", KNOWN)?;
    let name = NodeName::from(fields.text("Node")?.unwrap_or_default());
    let node = node_of(name, &fields, "Meta")?;
    Ok((node, fields.unsigned("ModifyIndex")?))
}

/// A node with what is said of it.
fn node_of(name: NodeName, fields: &Fields, meta: &str) -> Result<Node, DecodeError> {
    Ok(Node {
        name,
        id: fields.shared("ID")?,
        address: fields.shared("Address")?,
        tagged_addresses: fields.pairs("TaggedAddresses")?,
        meta: fields.pairs(meta)?,
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    })
}

/// A service's record and the index that it expects.
pub(super) fn service(of: &NodeName, value: &Json) -> Result<(Service, u64), DecodeError> {
    const KNOWN: &[&str] = &[
        "Kind",
        "ID",
        "Service",
        "Name",
        "Tags",
        "Address",
        "TaggedAddresses",
        "Meta",
        "Port",
        "SocketPath",
        "Weights",
        "EnableTagOverride",
        "Proxy",
        "Connect",
        "PeerName",
        "Namespace",
        "Partition",
        "Check",
        "Checks",
        "CreateIndex",
        "ModifyIndex",
    ];
    let fields = Fields::strict(value, "structs.NodeService", KNOWN)?;
    let name = fields.text("Service")?.or(fields.text("Name")?).unwrap_or_default();
    let id = fields.filled("ID")?.unwrap_or(name);
    let service = Service {
        node: of.clone(),
        id: ServiceId::from(id),
        name: Arc::from(name),
        tags: fields.tags("Tags")?,
        address: fields.shared("Address")?,
        meta: fields.pairs("Meta")?,
        port: fields.signed("Port")?,
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    };
    Ok((service, fields.unsigned("ModifyIndex")?))
}

/// A check's record and the index that it expects. Without a status it is critical (CAT-02).
pub(super) fn check(of: &NodeName, value: &Json) -> Result<(Check, u64), DecodeError> {
    const KNOWN: &[&str] = &[
        "Node",
        "CheckID",
        "Name",
        "Status",
        "Notes",
        "Output",
        "ServiceID",
        "ServiceName",
        "ServiceTags",
        "Type",
        "Interval",
        "Timeout",
        "ExposedPort",
        "Definition",
        "Namespace",
        "Partition",
        "PeerName",
        "CreateIndex",
        "ModifyIndex",
    ];
    let fields = Fields::strict(value, "structs.HealthCheck", KNOWN)?;
    let name = fields.shared("Name")?;
    let id = fields.filled("CheckID")?.unwrap_or(&name);
    let status = fields.filled("Status")?;
    let node = fields.filled("Node")?;
    let check = Check {
        node: node.map_or_else(|| of.clone(), NodeName::from),
        id: CheckId::from(id),
        name: name.clone(),
        status: Arc::from(status.unwrap_or(Check::CRITICAL)),
        notes: fields.shared("Notes")?,
        output: fields.shared("Output")?,
        service: service_of(&fields)?,
        service_name: Arc::default(),
        service_tags: None,
        kind: fields.shared("Type")?,
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    };
    Ok((check, fields.unsigned("ModifyIndex")?))
}

fn service_of(fields: &Fields) -> Result<Option<ServiceId>, DecodeError> {
    Ok(fields.filled("ServiceID")?.map(ServiceId::from))
}

/// CAT-01, CAT-06.
pub(super) fn register(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    const KNOWN: &[&str] = &[
        "Datacenter",
        "ID",
        "Node",
        "Address",
        "TaggedAddresses",
        "NodeMeta",
        "Service",
        "Check",
        "Checks",
        "SkipNodeUpdate",
        "Namespace",
        "Partition",
        "PeerName",
        "Token",
    ];
    let value = parsed(parts)?;
    let fields = Fields::strict(&value, "structs.RegisterRequest", KNOWN).map_err(undecodable)?;
    let registration = registration(&fields).map_err(undecodable)?;
    admit_datacenter(parts, &fields)?;
    Ok((Operation::Register(Box::new(registration)), View::Json))
}

fn registration(fields: &Fields) -> Result<Registration, DecodeError> {
    let name = NodeName::from(fields.text("Node")?.unwrap_or_default());
    let service = fields.get("Service").map(|value| service(&name, value)).transpose()?;
    let items = fields.items("Checks")?;
    if items.contains(&Json::Null) {
        return Err("json: cannot unmarshal null into Go value of type structs.HealthCheck".into());
    }
    let checks = items.iter().chain(fields.get("Check"));
    let checks = checks
        .map(|value| check(&name, value).map(|(check, _)| check))
        .collect::<Result<Vec<_>, _>>();
    let is_skipped = fields.is_set("SkipNodeUpdate")?;
    Ok(Registration {
        node: node_of(name, fields, "NodeMeta")?,
        node_update: if is_skipped { NodeUpdate::Skip } else { NodeUpdate::Write },
        service: service.map(|(service, _)| service),
        checks: checks?,
    })
}

/// HTTP-14: of these two calls the body says which datacenter is meant.
fn admit_datacenter(parts: &Parts, fields: &Fields) -> Result<(), BadRequest> {
    match fields.filled("Datacenter").map_err(undecodable)? {
        Some(asked) if asked != parts.agent.datacenter => {
            Err(BadRequest::UnknownDatacenter { on_session_read: false })
        }
        _ => Ok(()),
    }
}

/// CAT-05.
pub(super) fn deregister(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    const KNOWN: &[&str] = &[
        "Datacenter",
        "Node",
        "Address",
        "ServiceID",
        "CheckID",
        "Namespace",
        "Partition",
        "PeerName",
        "Token",
    ];
    let value = parsed(parts)?;
    let fields = Fields::strict(&value, "structs.DeregisterRequest", KNOWN).map_err(undecodable)?;
    let text = |name| fields.filled(name).map_err(undecodable);
    admit_datacenter(parts, &fields)?;
    let Some(node) = text("Node")?.map(NodeName::from) else {
        return Err(BadRequest::Failed(Error::CatalogWithoutNode.to_string()));
    };
    let target = match (text("ServiceID")?, text("CheckID")?) {
        (Some(id), _) => Deregistration::Service(node, ServiceId::from(id)),
        (None, Some(id)) => Deregistration::Check(node, CheckId::from(id)),
        (None, None) => Deregistration::Node(node),
    };
    Ok((Operation::Deregister(target), View::Json))
}

/// The body of `/v1/agent/check/register`.
pub(super) fn register_check(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let value = parsed(parts)?;
    let fields = Fields::lenient(&value, "structs.CheckDefinition").map_err(undecodable)?;
    let name = fields.shared("Name").map_err(undecodable)?;
    if name.is_empty() {
        return Err(BadRequest::bad("Missing check name"));
    }
    let check = own_check(parts, &fields, (&name, &name)).map_err(undecodable)?;
    admit_status(&check, "Bad check status")?;
    let ttl = check_ttl(&fields)?;
    agent(AgentCall::RegisterCheck { check, ttl })
}

/// A check that the agent keeps itself: here one with a TTL, or one that nobody runs. Its id and
/// name are given for the case that it has none.
fn own_check(
    parts: &Parts,
    fields: &Fields,
    (id, name): (&str, &str),
) -> Result<Check, DecodeError> {
    let has_ttl = fields.get("TTL").is_some();
    Ok(Check {
        node: parts.agent.node.clone(),
        id: CheckId::from(fields.filled("ID")?.or(fields.filled("CheckID")?).unwrap_or(id)),
        name: Arc::from(fields.filled("Name")?.unwrap_or(name)),
        status: Arc::from(fields.filled("Status")?.unwrap_or(Check::CRITICAL)),
        notes: fields.shared("Notes")?,
        output: Arc::default(),
        service: service_of(fields)?,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::from(if has_ttl { "ttl" } else { "" }),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    })
}

/// The TTL of a check, which it has unless it is run.
fn check_ttl(fields: &Fields) -> Result<Option<Duration>, BadRequest> {
    const RUN: [&str; 8] =
        ["HTTP", "TCP", "UDP", "GRPC", "H2PING", "Args", "ScriptArgs", "AliasService"];
    let nanos = |name| nanos(fields, name).map_err(undecodable);
    let invalid = |what| Err(BadRequest::Invalid(format!("Invalid check: {what}")));
    let (ttl, interval) = (nanos("TTL")?, nanos("Interval")?);
    if ttl > 0 && interval > 0 {
        return invalid("Interval and TTL cannot both be specified");
    }
    let ttl = u64::try_from(ttl).ok().filter(|ttl| *ttl > 0).map(Duration::from_nanos);
    if ttl.is_none() && RUN.iter().all(|kind| fields.get(kind).is_none()) {
        return invalid("TTL must be > 0 for TTL checks");
    }
    Ok(ttl)
}

/// A duration, or a number of nanoseconds.
fn nanos(fields: &Fields, name: &str) -> Result<i64, DecodeError> {
    match fields.get(name) {
        Some(Json::Text(text)) => duration::parse(text).map_err(|error| error.to_string()),
        _ => fields.signed(name),
    }
}

fn admit_status(check: &Check, refusal: &str) -> Result<(), BadRequest> {
    match &*check.status {
        "passing" | "warning" | "critical" => Ok(()),
        _ => Err(BadRequest::bad(refusal)),
    }
}

/// The body of `/v1/agent/check/update/<id>`.
pub(super) fn update_check(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let value = parsed(parts)?;
    let known = ["Status", "Output"];
    let fields = Fields::strict(&value, "agent.checkUpdate", &known).map_err(undecodable)?;
    let status = fields.text("Status").map_err(undecodable)?.unwrap_or_default();
    if !matches!(status, "passing" | "warning" | "critical") {
        return Err(BadRequest::Invalid(format!("Invalid check status: '{status}'")));
    }
    agent(AgentCall::UpdateCheck {
        id: CheckId::from(parts.rest.as_str()),
        status: Arc::from(status),
        output: fields.shared("Output").map_err(undecodable)?,
    })
}

/// The body of `/v1/agent/service/register`.
pub(super) fn register_service(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let value = parsed(parts)?;
    let (service, _) = service(&parts.agent.node, &value).map_err(undecodable)?;
    if service.name.is_empty() {
        return Err(BadRequest::bad("Missing service name"));
    }
    if service.is_anywhere() {
        return Err(BadRequest::bad("Invalid service address"));
    }
    let checks = checks_of_service(parts, &value, &service)?;
    agent(AgentCall::RegisterService { service, checks })
}

/// CAT-09: the checks that come with a service; they are named after it.
fn checks_of_service(
    parts: &Parts,
    value: &Json,
    service: &Service,
) -> Result<Vec<(Check, Option<Duration>)>, BadRequest> {
    let fields = Fields::lenient(value, "structs.ServiceDefinition").map_err(undecodable)?;
    let list = fields.items("Checks").map_err(undecodable)?;
    let is_single = list.len() + usize::from(fields.get("Check").is_some()) == 1;
    let name = format!("Service '{}' check", service.name);
    let checks = fields.get("Check").into_iter().chain(list).enumerate().map(|(at, value)| {
        let fields = Fields::lenient(value, "structs.CheckType").map_err(undecodable)?;
        let number = if is_single { String::new() } else { format!(":{}", at + 1) };
        let id = format!("service:{}{number}", service.id);
        let check = own_check(parts, &fields, (&id, &name)).map_err(undecodable)?;
        let ttl = check_ttl(&fields)?;
        admit_status(&check, "Status for checks must 'passing', 'warning', 'critical'")?;
        Ok((Check { service: Some(service.id.clone()), ..check }, ttl))
    });
    checks.collect::<Result<Vec<_>, _>>()
}
