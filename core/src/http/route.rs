//! Method, path and query to a [`Call`], or a refusal.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::time::Duration;

use super::path::{self, Params, Plus};
use super::{
    Agent, BadRequest, Call, Family, HttpRequest, Layout, Shape, View, body, kv, query, txn,
};
use crate::duration;
use crate::error::Error;
use crate::id::{
    CheckId, Index, NodeName, ServiceId, SessionRef, go_quoted, is_printable, query_id_fault,
};
use crate::message::{AgentCall, Consistency, Operation, Request, ServerFact, Wait};
use crate::store::Query;

/// BLK-03: how long a read waits when it does not say, and at most.
const WAIT_DEFAULT: Duration = Duration::from_secs(300);
const WAIT_MAX: Duration = Duration::from_secs(600);

/// An endpoint: its pattern, the methods that it takes, and how it is read. A pattern that ends in
/// a slash takes anything behind it.
struct Route {
    pattern: &'static str,
    methods: &'static [&'static str],
    family: Family,
    read: fn(&Parts) -> Result<(Operation, View), BadRequest>,
}

/// A request taken apart.
pub(super) struct Parts<'a> {
    pub(super) agent: &'a Agent,
    pub(super) request: &'a HttpRequest,
    pub(super) params: Params,
    /// What stands behind the pattern, decoded.
    pub(super) rest: String,
}

/// HTTP-01.
const ROUTES: &[Route] = &[
    route("/v1/session/create", &["PUT"], Family::Session, create_session),
    route("/v1/session/destroy/", &["PUT"], Family::Session, destroy_session),
    route("/v1/session/renew/", &["PUT"], Family::Session, renew_session),
    route("/v1/session/info/", &["GET"], Family::Session, session_info),
    route("/v1/session/node/", &["GET"], Family::Session, sessions_of_node),
    route("/v1/session/list", &["GET"], Family::Session, |p| p.read(Query::Sessions)),
    route("/v1/kv/", &["GET", "PUT", "DELETE"], Family::Kv, kv::read),
    route("/v1/txn", &["PUT"], Family::Txn, txn::read),
    route("/v1/catalog/register", &["PUT"], Family::Catalog, body::register),
    route("/v1/catalog/deregister", &["PUT"], Family::Catalog, body::deregister),
    route("/v1/catalog/datacenters", &["GET"], Family::Status, |_| fact(ServerFact::Datacenters)),
    route("/v1/catalog/nodes", &["GET"], Family::Catalog, |p| p.read(Query::Nodes)),
    route("/v1/catalog/node/", &["GET"], Family::Catalog, |p| {
        let node = p.named("Missing node name")?;
        p.read(Query::Node(NodeName::from(node)))
    }),
    route("/v1/catalog/services", &["GET"], Family::Catalog, |p| p.read(Query::Services)),
    route("/v1/catalog/service/", &["GET"], Family::Catalog, |p| {
        let service = p.named("Missing service name")?;
        p.read(Query::Service(service.into()))
    }),
    route("/v1/health/node/", &["GET"], Family::Catalog, |p| {
        let node = p.named("Missing node name")?;
        p.read(Query::ChecksOfNode(NodeName::from(node)))
    }),
    route("/v1/health/checks/", &["GET"], Family::Catalog, |p| {
        let service = p.named("Missing service name")?;
        p.read(Query::ChecksOfService(service.into()))
    }),
    route("/v1/health/state/", &["GET"], Family::Catalog, |p| {
        let state = p.named("Missing check state")?;
        p.read(Query::ChecksInState(state.into()))
    }),
    route("/v1/status/leader", &["GET"], Family::Status, |_| fact(ServerFact::Leader)),
    route("/v1/status/peers", &["GET"], Family::Status, |_| fact(ServerFact::Peers)),
    route("/v1/agent/self", &["GET"], Family::Agent, |_| fact(ServerFact::Agent)),
    route("/v1/agent/checks", &["GET"], Family::Agent, |_| agent(AgentCall::Checks)),
    route("/v1/agent/check/register", &["PUT"], Family::Agent, body::register_check),
    route("/v1/agent/check/deregister/", &["PUT"], Family::Agent, |p| {
        agent(AgentCall::DeregisterCheck(CheckId::from(p.rest.as_str())))
    }),
    route("/v1/agent/check/pass/", &["PUT"], Family::Agent, |p| p.check_status("passing")),
    route("/v1/agent/check/warn/", &["PUT"], Family::Agent, |p| p.check_status("warning")),
    route("/v1/agent/check/fail/", &["PUT"], Family::Agent, |p| p.check_status("critical")),
    route("/v1/agent/check/update/", &["PUT"], Family::Agent, body::update_check),
    route("/v1/agent/maintenance", &["PUT"], Family::Agent, |p| maintenance(p, None)),
    route("/v1/agent/service/register", &["PUT"], Family::Agent, body::register_service),
    route("/v1/agent/service/deregister/", &["PUT"], Family::Agent, |p| {
        agent(AgentCall::DeregisterService(ServiceId::from(p.rest.as_str())))
    }),
    route("/v1/agent/service/maintenance/", &["PUT"], Family::Agent, |p| {
        maintenance(p, Some(ServiceId::from(p.named("Missing service ID")?)))
    }),
    route("/v1/query", &["GET", "POST"], Family::Query, queries),
    route("/v1/query/", &["GET", "PUT", "DELETE"], Family::Query, one_query),
];

const fn route(
    pattern: &'static str,
    methods: &'static [&'static str],
    family: Family,
    read: fn(&Parts) -> Result<(Operation, View), BadRequest>,
) -> Route {
    Route { pattern, methods, family, read }
}

/// The endpoints with the methods that each takes. One that ends in a slash takes anything behind
/// it.
pub fn endpoints() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ROUTES.iter().map(|route| (route.pattern, route.methods))
}

/// Reads a request. Order (HTTP-08): printable path, clean path, known path, query, method, the
/// rest.
pub fn decode(agent: &Agent, request: &HttpRequest) -> Result<Call, BadRequest> {
    let (encoded, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let path = path::unescaped(encoded, Plus::IsItself);
    let path = path.ok_or_else(|| BadRequest::bad("400 Bad Request"))?;
    if !path.chars().all(is_printable) {
        return Err(BadRequest::UnprintablePath);
    }
    let route = find(request, &path)?;
    let params = Params::parse(query).ok_or(BadRequest::UndecodableQuery)?;
    let rest: String = path.get(route.pattern.len()..).unwrap_or_default().into();
    admit_method(request, route, &rest)?;
    let layout = if params.has("pretty") { Layout::Indented } else { agent.layout };
    let parts = Parts { agent, request, params, rest };
    let (operation, view) = (route.read)(&parts)?;
    parts.admit_datacenter(route.family, &operation)?;
    let request = Request { agent: agent.node.clone(), operation };
    Ok(Call { request, shape: Shape { family: route.family, view, layout } })
}

/// HTTP-09, HTTP-17.
fn find(request: &HttpRequest, path: &str) -> Result<&'static Route, BadRequest> {
    let clean = path::cleaned(path);
    let matches = |route: &&Route| {
        if route.pattern.ends_with('/') {
            clean.starts_with(route.pattern)
        } else {
            clean == route.pattern
        }
    };
    let found = ROUTES.iter().find(matches);
    // Both at once: `/v1/kv/.` moves to `/v1/kv/`.
    let below = clean.clone() + "/";
    if found.is_none() && ROUTES.iter().any(|route| route.pattern == below) {
        return Err(moved(request, &below));
    }
    if clean != path {
        return Err(moved(request, &clean));
    }
    found.ok_or_else(|| BadRequest::UnknownPath { is_api: path.contains("/v1/") })
}

fn moved(request: &HttpRequest, clean: &str) -> BadRequest {
    let mut location = path::escaped(clean);
    if let Some((_, query)) = request.target.split_once('?').filter(|(_, query)| !query.is_empty())
    {
        location = location + "?" + query;
    }
    BadRequest::Moved { location, shows_link: matches!(&*request.method, "GET" | "HEAD") }
}

/// HTTP-02 to HTTP-04.
fn admit_method(request: &HttpRequest, route: &Route, rest: &str) -> Result<(), BadRequest> {
    let method = request.method.as_str();
    let checks_itself = route.pattern == "/v1/query/";
    let only_reads = checks_itself && executed(rest, Consistency::Default).is_some();
    let methods = if only_reads { &["GET"] } else { route.methods };
    if methods.contains(&method) {
        return Ok(());
    }
    let listed = methods.join(",");
    if method == "OPTIONS" {
        let allowed = format!("OPTIONS,{listed}");
        return Err(BadRequest::Options { allowed, has_body: checks_itself });
    }
    let allowed = if checks_itself { listed } else { format!("OPTIONS,{listed}") };
    Err(BadRequest::MethodNotAllowed { method: method.into(), allowed })
}

impl Parts<'_> {
    /// A read of the store, which may wait (HTTP-13, BLK-01).
    pub(super) fn read(&self, query: Query) -> Result<(Operation, View), BadRequest> {
        let wait = self.admit_read()?;
        Ok((self.reading(query, wait), View::Json))
    }

    /// A read in the consistency that is asked for; whether it may be is checked apart.
    pub(super) fn reading(&self, query: Query, wait: Option<Wait>) -> Operation {
        Operation::Read { query, wait, consistency: self.consistency() }
    }

    fn consistency(&self) -> Consistency {
        match (self.params.has("consistent"), self.params.has("stale")) {
            (true, _) => Consistency::Consistent,
            (false, true) => Consistency::Stale,
            (false, false) => Consistency::Default,
        }
    }

    /// The text behind the pattern, which must not be empty.
    fn named(&self, missing: &str) -> Result<&str, BadRequest> {
        if self.rest.is_empty() { Err(BadRequest::bad(missing)) } else { Ok(&self.rest) }
    }

    /// HTTP-13, BLK-02, BLK-03: consistency, wait and index; how long to wait, if at all.
    pub(super) fn admit_read(&self) -> Result<Option<Wait>, BadRequest> {
        self.admit_consistency()?;
        let timeout = match self.params.filled("wait") {
            None => WAIT_DEFAULT,
            Some(text) => {
                let nanos =
                    duration::parse(text).map_err(|_| BadRequest::bad("Invalid wait time"))?;
                bounded_wait(nanos)
            }
        };
        let Some(index) = self.params.filled("index") else { return Ok(None) };
        let min_index = parse_uint(index).map_err(|_| BadRequest::bad("Invalid index"))?;
        Ok(Some(Wait { min_index: Index(min_index), timeout }))
    }

    fn admit_consistency(&self) -> Result<(), BadRequest> {
        let is_fresh_enough = match self.params.filled("max_stale") {
            None => false,
            Some(text) => {
                let quoted = || go_quoted(text);
                let invalid =
                    || BadRequest::Invalid(format!("Invalid max_stale value {}", quoted()));
                duration::parse(text).map_err(|_| invalid())? > 0
            }
        };
        let stale = self.params.has("stale") || is_fresh_enough;
        let conflict = match (self.params.has("consistent"), stale, self.params.has("cached")) {
            (true, true, _) => "stale",
            (true, false, true) => "cached",
            _ => return Ok(()),
        };
        Err(BadRequest::Invalid(format!(
            "Cannot specify ?{conflict} with ?consistent, conflicting semantics."
        )))
    }

    /// HTTP-14: only this datacenter can be reached. Registrations say in their bodies which one
    /// they mean, and an agent is in one.
    fn admit_datacenter(&self, family: Family, operation: &Operation) -> Result<(), BadRequest> {
        let is_unread = matches!(operation, Operation::Register(_) | Operation::Deregister(_));
        let asked = self.params.filled("dc");
        if is_unread
            || family == Family::Agent
            || asked.is_none_or(|dc| dc == self.agent.datacenter)
        {
            return Ok(());
        }
        let is_read = matches!(operation, Operation::Read { .. });
        let on_session_read = is_read && family == Family::Session;
        Err(BadRequest::UnknownDatacenter { on_session_read })
    }

    fn check_status(&self, status: &str) -> Result<(Operation, View), BadRequest> {
        let note = self.params.first("note").unwrap_or_default();
        agent(AgentCall::UpdateCheck {
            id: CheckId::from(self.rest.as_str()),
            status: status.into(),
            output: note.into(),
        })
    }
}

fn bounded_wait(nanos: i64) -> Duration {
    match u64::try_from(nanos) {
        Ok(nanos) if nanos > 0 => Duration::from_nanos(nanos).min(WAIT_MAX),
        _ => WAIT_DEFAULT,
    }
}

/// KV-22: an unsigned decimal number, or Go's complaint.
pub(super) fn parse_uint(text: &str) -> Result<u64, BadRequest> {
    let fault = |what: &str| {
        let quoted = go_quoted(text);
        BadRequest::Failed(format!("strconv.ParseUint: parsing {quoted}: {what}"))
    };
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(fault("invalid syntax"));
    }
    text.parse().map_err(|_| fault("value out of range"))
}

pub(super) fn agent(call: AgentCall) -> Result<(Operation, View), BadRequest> {
    Ok((Operation::Agent(Box::new(call)), View::Json))
}

fn fact(fact: ServerFact) -> Result<(Operation, View), BadRequest> {
    Ok((Operation::Server(fact), View::Json))
}

fn create_session(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    Ok((Operation::CreateSession(body::session(parts)?), View::Json))
}

fn destroy_session(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let session = SessionRef::from(parts.named("Missing session")?);
    Ok((Operation::DestroySession(session), View::Json))
}

fn renew_session(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    parts.admit_read()?;
    let session = SessionRef::from(parts.named("Missing session")?);
    Ok((Operation::RenewSession(session), View::Json))
}

fn session_info(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let wait = parts.admit_read()?;
    let query = Query::Session(SessionRef::from(parts.named("Missing session")?));
    Ok((parts.reading(query, wait), View::Json))
}

fn sessions_of_node(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let wait = parts.admit_read()?;
    let query = Query::SessionsOfNode(NodeName::from(parts.named("Missing node name")?));
    Ok((parts.reading(query, wait), View::Json))
}

fn maintenance(parts: &Parts, service: Option<ServiceId>) -> Result<(Operation, View), BadRequest> {
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
    agent(AgentCall::Maintenance { service, reason })
}

fn queries(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    if parts.request.method == "GET" {
        return parts.read(Query::PreparedQueries);
    }
    Ok((Operation::CreateQuery(query::new(parts)?), View::Json))
}

/// PQ-07. What executes or explains a query never waits.
fn one_query(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let rest = parts.rest.as_str();
    let id = || String::from(rest);
    if let Some((name, view)) = executed(rest, parts.consistency()) {
        parts.admit_read()?;
        return Ok((parts.reading(Query::PreparedQuery(name.into()), None), view));
    }
    match parts.request.method.as_str() {
        "GET" => {
            let wait = parts.admit_read()?;
            if let Some(fault) = query_id_fault(rest) {
                return Err(BadRequest::FailedRead(Error::MalformedQueryId(fault).to_string()));
            }
            Ok((parts.reading(Query::PreparedQuery(id()), wait), View::Json))
        }
        "PUT" => {
            let definition = query::update(parts)?;
            Ok((Operation::UpdateQuery { id: id(), definition }, View::Json))
        }
        _ => Ok((Operation::DeleteQuery(id()), View::Json)),
    }
}

/// The query that is executed or explained, and how the answer shows that.
fn executed(rest: &str, asked: Consistency) -> Option<(&str, View)> {
    let executed = rest.strip_suffix("/execute").map(|name| (name, View::Execution(asked)));
    executed.or_else(|| Some((rest.strip_suffix("/explain")?, View::Explanation(asked))))
}

/// The bytes that the caller says the body has; none if it does not say.
pub(super) fn content_length(request: &HttpRequest) -> Option<usize> {
    if request.is_chunked() {
        return None;
    }
    let declared = request.header("content-length").and_then(|text| text.parse().ok());
    Some(declared.unwrap_or(request.body.len()))
}

/// Texts of a list as ids.
pub(super) fn check_ids(texts: Vec<String>) -> Vec<CheckId> {
    texts.into_iter().map(CheckId::from).collect()
}
