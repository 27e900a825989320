//! Requests under `/v1/agent/` and `/v1/event/`. Definitions of checks and services that Consul's
//! agent refuses are refused here, before the engine; the engine stores the others in the catalog
//! and runs their TTLs.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::{IpAddr, Ipv6Addr};
use core::time::Duration;

use super::agent_schema::{CHECK, CHECK_UPDATE, SERVICE};
use super::bad_request::BadRequest;
use super::catalog;
use super::check::{definition_at_agent, printed};
use super::mesh;
use super::object::Object;
use super::parameters::ABSENT;
use super::parts::{Decoded, RequestParts};
use super::session::nanos;
use super::types::AnswerKind;
use crate::id::{CheckId, Index, NodeName, ServiceId, go_quoted, go_text};
use crate::json::Json;
use crate::message::{AgentCall, CheckRun, LogLevel, Operation, ServerFact, ServiceChoice, Wait};
use crate::regexp::Regexp;
use crate::store::Query;
use crate::store::catalog::{
    Check, CheckDefinition, CheckStatus, OS_SERVICE, Service, ServiceAddress,
};
use crate::strconv::parse_bool;
use crate::user_event::FiredEvent;
use crate::version::VersionRules;

/// How many bytes of the output of a check are kept.
const OUTPUT_MAX: usize = 4_096;

pub(super) fn checks(_: &RequestParts) -> Decoded {
    call(AgentCall::Checks)
}

pub(super) fn services(_: &RequestParts) -> Decoded {
    call(AgentCall::Services(ServiceChoice::All))
}

/// A service alone. With the hash that an earlier answer had, the read waits for a change of it.
pub(super) fn service(parts: &RequestParts) -> Decoded {
    let timeout = parts.wait_time()?;
    parts.admit_wait()?;
    let hash = parts.params.filled("hash").and_then(content_hash);
    let wait = hash.map(|hash| Wait { min_index: Index(hash), timeout });
    let (node, id) = (parts.agent.node.clone(), ServiceId::from(parts.rest.as_str()));
    let query = Query::OwnService { node, id };
    Ok((parts.read_operation(query, wait), AnswerKind::OneService))
}

/// A hash in the form that answers have; `None` for another text, which no service has.
fn content_hash(text: &str) -> Option<u64> {
    let hash = u64::from_str_radix(text, 16).ok()?;
    (format!("{hash:x}") == text).then_some(hash)
}

/// The health of a service by its id or name, whose status is also that of the answer.
pub(super) fn health_by_id(parts: &RequestParts) -> Decoded {
    let id = ServiceId::from(named(parts, "Missing serviceID")?);
    let kind = AnswerKind::Health { is_text: is_text(parts) };
    call_as(AgentCall::Services(ServiceChoice::Id(id)), kind)
}

pub(super) fn health_by_name(parts: &RequestParts) -> Decoded {
    let name = named(parts, "Missing service Name")?;
    let kind = AnswerKind::Health { is_text: is_text(parts) };
    call_as(AgentCall::Services(ServiceChoice::Name(name.into())), kind)
}

/// The name that ends the path; without one these requests fail with status 500.
fn named<'a>(parts: &'a RequestParts, missing: &str) -> Result<&'a str, BadRequest> {
    parts.name(missing).map_err(|_| BadRequest::Failed(missing.into()))
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

/// The log as a stream; its lines are JSON if `logjson` is there at all.
pub(super) fn monitor(parts: &RequestParts) -> Decoded {
    let level = match parts.params.filled("loglevel") {
        None => LogLevel::Info,
        Some(name) => LogLevel::parse(name)
            .ok_or_else(|| BadRequest::Invalid(format!("Unknown log level: {name}")))?,
    };
    call(AgentCall::Monitor { level, is_json: parts.params.has("logjson") })
}

/// Fires an event for the agents that its filters admit.
pub(super) fn fire_event(parts: &RequestParts) -> Decoded {
    let name = parts.name("Missing name")?;
    let payload = event_payload(parts)?;
    let filter = |name: &str| String::from(parts.params.first(name).unwrap_or_default());
    let fired = FiredEvent {
        name: name.into(),
        payload,
        node: filter("node"),
        service: filter("service"),
        tag: filter("tag"),
    };
    if !fired.tag.is_empty() && fired.service.is_empty() {
        let text = "Cannot provide tag filter without service filter";
        return Err(BadRequest::Failed(text.into()));
    }
    for (name, filter) in [("node", &fired.node), ("service", &fired.service), ("tag", &fired.tag)]
    {
        Regexp::new(filter)
            .map_err(|error| BadRequest::Failed(format!("Invalid {name} filter: {error}")))?;
    }
    fired
        .check_size()
        .map_err(|error| BadRequest::Failed(format!("error broadcasting event: {error}")))?;
    call(AgentCall::FireEvent(fired))
}

/// The payload of an event, whose length must be known and limited since 1.22.
fn event_payload(parts: &RequestParts) -> Result<Vec<u8>, BadRequest> {
    let (body, is_chunked) = (&parts.request.body, parts.request.is_chunked());
    match parts.agent.rules().event_payload_max {
        None if is_chunked => Ok(Vec::new()),
        Some(_) if is_chunked => {
            Err(BadRequest::bad("Event payload size must be greater than zero"))
        }
        Some(max) if body.len() > max => Err(BadRequest::TooLarge(format!(
            "Event payload too large, received {} bytes, max size: {max} bytes. \
             User events should be kept small for efficient gossip propagation.",
            body.len()
        ))),
        _ => Ok(body.clone()),
    }
}

pub(super) fn list_events(parts: &RequestParts) -> Decoded {
    let name = parts.params.filled("name").map(String::from);
    let wait = parts.admit_wait()?;
    Ok((parts.read_operation(Query::UserEvents(name), wait), AnswerKind::Json))
}

pub(super) fn register_check(parts: &RequestParts) -> Decoded {
    let body = parts.body(&CHECK)?;
    let fields = Object::new(&body);
    let Some(name) = fields.filled("Name") else {
        return Err(BadRequest::bad("Missing check name"));
    };
    let rules = parts.agent.rules();
    let definition = definition_at_agent(&body, rules);
    let check = check(parts, fields, name, name);
    let check = Check {
        kind: Arc::from(definition.kind()),
        interval: go_duration(definition.interval),
        timeout: go_duration(definition.timeout),
        ..check
    };
    admit_status(&check, "Bad check status")?;
    let run = check_run(rules, fields, &definition)?;
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
        output: captured(note),
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
        output: captured(fields.text("Output").unwrap_or_default()),
    })
}

/// The output of a check as an agent keeps it: of a long one the beginning.
fn captured(output: &str) -> Arc<str> {
    let total = output.len();
    match output.as_bytes().get(..OUTPUT_MAX) {
        Some(begin) if total > OUTPUT_MAX => {
            let begin = go_text(begin);
            Arc::from(format!("{begin} ... (captured {OUTPUT_MAX} of {total} bytes)"))
        }
        _ => Arc::from(output),
    }
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
    service.enable_tag_override |= fields.is_set("enable_tag_override");
    if service.tagged_addresses.is_none() {
        let tagged = fields.get("tagged_addresses");
        service.tagged_addresses = tagged.and_then(catalog::tagged_addresses);
    }
    if let Some(fault) = fields.get("Weights").and_then(|it| catalog::weights(it).fault()) {
        return Err(BadRequest::Invalid(format!("Invalid Weights: {fault}")));
    }
    if let Some(fault) = service.meta_fault() {
        return Err(BadRequest::Invalid(format!("Invalid Service Meta: {fault}")));
    }
    mesh::add_at_agent(&mut service, fields);
    if let Some(fault) = service.fault() {
        return Err(BadRequest::Invalid(format!("Validation failed: {fault}")));
    }
    tag_address(&mut service);
    let checks = checks_of_service(parts, fields, &service)?;
    admit_sidecar(fields)?;
    admit_tagged_addresses(&service)?;
    let replaces_checks =
        matches!(parts.params.first("replace-existing-checks"), Some("" | "true"));
    call(AgentCall::RegisterService { service, checks, replaces_checks })
}

/// Refuses a service whose proxy the agent would have to register as well (MSH-07).
fn admit_sidecar(fields: Object) -> Result<(), BadRequest> {
    let connect = fields.object("Connect");
    let given = ["SidecarService", "sidecar_service"].into_iter().find_map(|it| connect.get(it));
    match given {
        None => Ok(()),
        Some(_) if !fields.items("Ports").is_empty() => {
            Err(BadRequest::bad("MultiPort cannot be used with Consul Connect."))
        }
        Some(_) => {
            let text = format!("Invalid service: \"SidecarService\" - {ABSENT}");
            Err(BadRequest::Invalid(text))
        }
    }
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
    let enable = parts.params.first("enable");
    let enable = enable.ok_or_else(|| BadRequest::bad("Missing value for enable"))?;
    let Ok(is_on) = parse_bool(enable) else {
        let text = go_quoted(enable);
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

/// The checks that come with a service, each with how it is run; without names of their own they
/// are named after the service (CAT-09).
fn checks_of_service(
    parts: &RequestParts,
    fields: Object,
    service: &Service,
) -> Result<Vec<(Check, CheckRun)>, BadRequest> {
    // An empty check beside the list counts as none.
    let single = fields.get("Check").filter(|value| !is_empty_check(value));
    let definitions: Vec<_> = single.into_iter().chain(fields.items("Checks")).collect();
    let is_single = definitions.len() == 1;
    let name = format!("Service '{}' check", service.name);
    let rules = parts.agent.rules();
    let checks = definitions.into_iter().enumerate().map(|(at, value)| {
        let fields = Object::new(value);
        let number = if is_single { String::new() } else { format!(":{}", at + 1) };
        let id = format!("service:{}{number}", service.id);
        let definition = definition_at_agent(value, rules);
        let check = check(parts, fields, &id, &name);
        let run = check_run(rules, fields, &definition)?;
        admit_status(&check, "Status for checks must 'passing', 'warning', 'critical'")?;
        let timeout = match definition.timeout {
            0 => Arc::default(),
            own if rules.shows_service_check_timeouts => go_duration(own),
            _ => go_duration(definition.interval),
        };
        let check = Check {
            service: Some(service.id.clone()),
            kind: Arc::from(definition.kind()),
            interval: Arc::from(printed(definition.interval)),
            timeout,
            ..check
        };
        Ok((check, run))
    });
    checks.collect::<Result<Vec<_>, _>>()
}

/// Whether all members of a check are empty. A map of headers is not, even without any.
fn is_empty_check(check: &Json) -> bool {
    let Json::Object(members) = check else { return true };
    let is_span = |name: &str| {
        let spans = ["Interval", "Timeout", "TTL", "DeregisterCriticalServiceAfter"];
        spans.into_iter().any(|span| span.eq_ignore_ascii_case(name))
    };
    // What the agent fills in itself.
    let is_unread = |name: &str| {
        ["ServiceID", "service_id"].into_iter().any(|unread| unread.eq_ignore_ascii_case(name))
    };
    members.iter().all(|(name, value)| match value {
        _ if is_unread(name) => true,
        value if is_span(name) => nanos(value) == Ok(0),
        Json::Object(_) => false,
        value => catalog::is_blank(value),
    })
}

/// A check of the agent's own node, with the given id and name unless it has its own.
fn check(parts: &RequestParts, fields: Object, id: &str, name: &str) -> Check {
    Check {
        node: parts.agent.node.clone(),
        id: CheckId::from(fields.filled("ID").or(fields.filled("CheckID")).unwrap_or(id)),
        name: Arc::from(fields.filled("Name").unwrap_or(name)),
        status: fields.filled("Status").map_or(CheckStatus::Critical, CheckStatus::from),
        notes: fields.shared("Notes"),
        service: fields.filled("ServiceID").or(fields.filled("service_id")).map(ServiceId::from),
        ..Check::default()
    }
}

/// A span as Go prints it, also if it is 0.
fn go_duration(nanos: i64) -> Arc<str> {
    if nanos == 0 { Arc::from("0s") } else { Arc::from(printed(nanos)) }
}

/// How a check is run. One of a URL, a port, a script or a container is not: it keeps the state in
/// which it was registered.
fn check_run(
    rules: &VersionRules,
    fields: Object,
    definition: &CheckDefinition,
) -> Result<CheckRun, BadRequest> {
    let invalid = |what: &str| Err(BadRequest::Invalid(format!("Invalid check: {what}")));
    let (ttl, interval) = (definition.ttl, definition.interval);
    let (is_repeated, is_alias) = (definition.is_repeated(), definition.is_alias());
    if ttl > 0 && interval > 0 {
        return invalid("Interval and TTL cannot both be specified");
    }
    if is_repeated && interval <= 0 {
        return invalid(&format!("Interval must be > 0 for {} checks", rules.interval_checks));
    }
    if is_repeated && is_alias {
        return invalid("Interval cannot be set for Alias checks");
    }
    if is_alias && ttl > 0 {
        return invalid("TTL must be not be set for Alias checks");
    }
    if !is_repeated && !is_alias && ttl <= 0 {
        return invalid("TTL must be > 0 for TTL checks");
    }
    if fields.signed("OutputMaxSize") < 0 {
        return invalid("MaxOutputMaxSize must be positive");
    }
    if fields.signed("FailuresBeforeWarning") > fields.signed("FailuresBeforeCritical") {
        return invalid("FailuresBeforeWarning can't be higher than FailuresBeforeCritical");
    }
    match u64::try_from(ttl).ok().filter(|ttl| *ttl > 0) {
        Some(ttl) => Ok(CheckRun::Ttl(Duration::from_nanos(ttl))),
        None if is_alias => Ok(CheckRun::Alias {
            node: fields.filled("AliasNode").map(NodeName::from),
            service: fields.filled("AliasService").map(ServiceId::from),
        }),
        None if definition.kind() == OS_SERVICE => Ok(CheckRun::OsService),
        None if !definition.script_args.is_empty() => Ok(CheckRun::Script),
        None => Ok(CheckRun::Never),
    }
}

/// Refuses a tagged address that is not of the family in its name. Consul does not check
/// `wan_ipv6`.
fn admit_tagged_addresses(service: &Service) -> Result<(), BadRequest> {
    let is_ipv4 = |text: &str| {
        text.parse().is_ok_and(|ip: IpAddr| match ip {
            IpAddr::V4(_) => true,
            IpAddr::V6(ip) => ip.to_ipv4_mapped().is_some(),
        })
    };
    let is_ipv6 = |text: &str| text.parse::<Ipv6Addr>().is_ok() && !is_ipv4(text);
    for (name, family) in [("lan_ipv4", "ipv4"), ("wan_ipv4", "ipv4"), ("lan_ipv6", "ipv6")] {
        let tagged = service.tagged_addresses.as_ref().and_then(|tagged| tagged.get(name));
        let Some(ServiceAddress { address, .. }) = tagged else { continue };
        let is_valid = if family == "ipv4" { is_ipv4(address) } else { is_ipv6(address) };
        if !is_valid {
            let text = format!(
                "Service tagged address {} must be a valid {family} address",
                go_quoted(name)
            );
            return Err(BadRequest::Failed(text));
        }
    }
    Ok(())
}

/// An agent lists the address of a service under further names, unless it has them already.
fn tag_address(service: &mut Service) {
    let Ok(ip) = service.address.parse::<IpAddr>() else { return };
    let family = if ip.is_ipv4() { "ipv4" } else { "ipv6" };
    let port = service.default_port();
    let tagged = service.tagged_addresses.get_or_insert_default();
    for net in ["lan", "wan"] {
        let address = ServiceAddress { address: service.address.clone(), port };
        tagged.entry(Arc::from(format!("{net}_{family}"))).or_insert(address);
    }
}

fn admit_status(check: &Check, refusal: &str) -> Result<(), BadRequest> {
    match check.status {
        CheckStatus::Other(_) => Err(BadRequest::bad(refusal)),
        _ => Ok(()),
    }
}
