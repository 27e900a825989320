//! Requests under `/v1/agent/`: the checks and services that an agent keeps itself, and its
//! maintenance mode. Definitions that Consul's agent refuses are refused here, before the engine;
//! the engine stores them in the catalog and runs their TTLs.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use super::bad_request::BadRequest;
use super::catalog;
use super::object::Object;
use super::parts::{Decoded, Parts};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::session::nanos;
use super::types::AnswerKind;
use crate::id::{CheckId, Index, ServiceId, go_quoted};
use crate::message::{AgentCall, Operation};
use crate::store::catalog::{Check, CheckStatus, Service};

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
        ("Check", GoType::Struct(&CHECK)),
        ("Checks", GoType::List("structs.CheckTypes", &GoType::Struct(&CHECK))),
        ("CreateIndex", GoType::Uint64),
        ("ModifyIndex", GoType::Uint64),
    ],
});

pub(super) fn checks(_: &Parts) -> Decoded {
    call(AgentCall::Checks)
}

pub(super) fn register_check(parts: &Parts) -> Decoded {
    let body = parts.body(&GoType::Struct(&CHECK))?;
    let fields = Object::new(&body);
    let Some(name) = fields.filled("Name") else {
        return Err(BadRequest::bad("Missing check name"));
    };
    let check = check(parts, fields, name, name);
    admit_status(&check, "Bad check status")?;
    let ttl = check_ttl(fields)?;
    call(AgentCall::RegisterCheck { check, ttl })
}

pub(super) fn deregister_check(parts: &Parts) -> Decoded {
    call(AgentCall::DeregisterCheck(CheckId::from(parts.rest.as_str())))
}

/// A check is reported as passing, warning or critical, with an optional note.
pub(super) fn set_status(parts: &Parts, status: CheckStatus) -> Decoded {
    let note = parts.params.first("note").unwrap_or_default();
    call(AgentCall::UpdateCheck {
        id: CheckId::from(parts.rest.as_str()),
        status,
        output: note.into(),
    })
}

pub(super) fn update_check(parts: &Parts) -> Decoded {
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

pub(super) fn register_service(parts: &Parts) -> Decoded {
    let body = parts.body(&SERVICE)?;
    let fields = Object::new(&body);
    let service = catalog::service(parts.agent.node.clone(), fields);
    if service.name.is_empty() {
        return Err(BadRequest::bad("Missing service name"));
    }
    if service.is_anywhere() {
        return Err(BadRequest::bad("Invalid service address"));
    }
    let checks = checks_of_service(parts, fields, &service)?;
    call(AgentCall::RegisterService { service, checks })
}

pub(super) fn deregister_service(parts: &Parts) -> Decoded {
    call(AgentCall::DeregisterService(ServiceId::from(parts.rest.as_str())))
}

pub(super) fn node_maintenance(parts: &Parts) -> Decoded {
    maintenance(parts, None)
}

pub(super) fn service_maintenance(parts: &Parts) -> Decoded {
    maintenance(parts, Some(ServiceId::from(parts.name("Missing service ID")?)))
}

fn maintenance(parts: &Parts, service: Option<ServiceId>) -> Decoded {
    let text = parts.params.first("enable");
    let reason = match text.ok_or_else(|| BadRequest::bad("Missing value for enable"))? {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => {
            Some(parts.params.first("reason").unwrap_or_default().into())
        }
        "0" | "f" | "F" | "false" | "FALSE" | "False" => None,
        other => {
            let other = go_quoted(other);
            return Err(BadRequest::Invalid(format!("Invalid value for enable: {other}")));
        }
    };
    call(AgentCall::Maintenance { service, reason })
}

/// A call for the agent itself, answered in JSON.
fn call(call: AgentCall) -> Decoded {
    Ok((Operation::Agent(Box::new(call)), AnswerKind::Json))
}

/// The checks that come with a service, each with its TTL; without names of their own they are
/// named after the service (CAT-09).
fn checks_of_service(
    parts: &Parts,
    fields: Object,
    service: &Service,
) -> Result<Vec<(Check, Option<Duration>)>, BadRequest> {
    let definitions: Vec<_> =
        fields.get("Check").into_iter().chain(fields.items("Checks")).collect();
    let is_single = definitions.len() == 1;
    let name = format!("Service '{}' check", service.name);
    let checks = definitions.into_iter().enumerate().map(|(at, value)| {
        let fields = Object::new(value);
        let number = if is_single { String::new() } else { format!(":{}", at + 1) };
        let id = format!("service:{}{number}", service.id);
        let check = check(parts, fields, &id, &name);
        let ttl = check_ttl(fields)?;
        admit_status(&check, "Status for checks must 'passing', 'warning', 'critical'")?;
        Ok((Check { service: Some(service.id.clone()), ..check }, ttl))
    });
    checks.collect::<Result<Vec<_>, _>>()
}

/// A check of the agent's own node, with the given id and name unless it has its own.
fn check(parts: &Parts, fields: Object, id: &str, name: &str) -> Check {
    let has_ttl = fields.get("TTL").is_some();
    Check {
        node: parts.agent.node.clone(),
        id: CheckId::from(fields.filled("ID").or(fields.filled("CheckID")).unwrap_or(id)),
        name: Arc::from(fields.filled("Name").unwrap_or(name)),
        status: fields.filled("Status").map_or(CheckStatus::Critical, CheckStatus::from),
        notes: fields.shared("Notes"),
        output: Arc::default(),
        service: fields.filled("ServiceID").map(ServiceId::from),
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::from(if has_ttl { "ttl" } else { "" }),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}

/// The TTL of a check. Only a check that Consul's agent would run itself, such as one of a URL, has
/// none; here it never runs.
fn check_ttl(fields: Object) -> Result<Option<Duration>, BadRequest> {
    const RUN_BY_AGENT: [&str; 8] =
        ["HTTP", "TCP", "UDP", "GRPC", "H2PING", "Args", "ScriptArgs", "AliasService"];
    let nanos = |name| fields.get(name).map_or(Ok(0), nanos);
    let invalid = |what| Err(BadRequest::Invalid(format!("Invalid check: {what}")));
    let (ttl, interval) = (nanos("TTL")?, nanos("Interval")?);
    if ttl > 0 && interval > 0 {
        return invalid("Interval and TTL cannot both be specified");
    }
    let ttl = u64::try_from(ttl).ok().filter(|ttl| *ttl > 0).map(Duration::from_nanos);
    if ttl.is_none() && RUN_BY_AGENT.iter().all(|kind| fields.get(kind).is_none()) {
        return invalid("TTL must be > 0 for TTL checks");
    }
    Ok(ttl)
}

fn admit_status(check: &Check, refusal: &str) -> Result<(), BadRequest> {
    match check.status {
        CheckStatus::Other(_) => Err(BadRequest::bad(refusal)),
        _ => Ok(()),
    }
}
