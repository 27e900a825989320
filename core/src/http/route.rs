//! Routing: finds the endpoint of a method and path, and lets it decode the request into a
//! [`Call`]. Unclean paths, unknown endpoints, wrong methods and other datacenters are refused
//! here, in Consul's order. This is the top module of `http`: it imports all endpoints, and none
//! imports it.

use alloc::format;
use alloc::string::String;

use super::bad_request::BadRequest;
use super::parts::{Decoded, Parts};
use super::path::{self, Params, Plus};
use super::types::{Agent, AnswerFormat, AnswerKind, Call, EndpointGroup, HttpRequest};
use super::{agent, catalog, kv, query, session, txn};
use crate::id::is_printable;
use crate::message::{Consistency, Operation, Request, ServerFact};
use crate::store::Query;
use crate::store::catalog::CheckStatus;

/// An endpoint: its path, its methods, and the function that decodes its requests. A pattern that
/// ends in a slash matches every path below it.
struct Route {
    pattern: &'static str,
    methods: &'static [&'static str],
    group: EndpointGroup,
    decode: fn(&Parts) -> Decoded,
}

/// All endpoints (HTTP-01).
const ROUTES: &[Route] = &[
    route("/v1/session/create", &["PUT"], EndpointGroup::Session, session::create),
    route("/v1/session/destroy/", &["PUT"], EndpointGroup::Session, session::destroy),
    route("/v1/session/renew/", &["PUT"], EndpointGroup::Session, session::renew),
    route("/v1/session/info/", &["GET"], EndpointGroup::Session, session::info),
    route("/v1/session/node/", &["GET"], EndpointGroup::Session, session::on_node),
    route("/v1/session/list", &["GET"], EndpointGroup::Session, |p| p.read(Query::Sessions)),
    route("/v1/kv/", &["GET", "PUT", "DELETE"], EndpointGroup::Kv, kv::decode),
    route("/v1/txn", &["PUT"], EndpointGroup::Txn, txn::decode),
    route("/v1/catalog/register", &["PUT"], EndpointGroup::Catalog, catalog::register),
    route("/v1/catalog/deregister", &["PUT"], EndpointGroup::Catalog, catalog::deregister),
    route("/v1/catalog/datacenters", &["GET"], EndpointGroup::Status, |_| {
        fact(ServerFact::Datacenters)
    }),
    route("/v1/catalog/nodes", &["GET"], EndpointGroup::Catalog, |p| p.read(Query::Nodes)),
    route("/v1/catalog/node/", &["GET"], EndpointGroup::Catalog, catalog::read_node),
    route("/v1/catalog/services", &["GET"], EndpointGroup::Catalog, |p| p.read(Query::Services)),
    route("/v1/catalog/service/", &["GET"], EndpointGroup::Catalog, catalog::read_service),
    route("/v1/health/node/", &["GET"], EndpointGroup::Catalog, catalog::checks_of_node),
    route("/v1/health/checks/", &["GET"], EndpointGroup::Catalog, catalog::checks_of_service),
    route("/v1/health/state/", &["GET"], EndpointGroup::Catalog, catalog::checks_in_state),
    route("/v1/status/leader", &["GET"], EndpointGroup::Status, |_| fact(ServerFact::Leader)),
    route("/v1/status/peers", &["GET"], EndpointGroup::Status, |_| fact(ServerFact::Peers)),
    route("/v1/agent/self", &["GET"], EndpointGroup::Agent, |_| fact(ServerFact::Agent)),
    route("/v1/agent/checks", &["GET"], EndpointGroup::Agent, agent::checks),
    route("/v1/agent/check/register", &["PUT"], EndpointGroup::Agent, agent::register_check),
    route("/v1/agent/check/deregister/", &["PUT"], EndpointGroup::Agent, agent::deregister_check),
    route("/v1/agent/check/pass/", &["PUT"], EndpointGroup::Agent, |p| {
        agent::set_status(p, CheckStatus::Passing)
    }),
    route("/v1/agent/check/warn/", &["PUT"], EndpointGroup::Agent, |p| {
        agent::set_status(p, CheckStatus::Warning)
    }),
    route("/v1/agent/check/fail/", &["PUT"], EndpointGroup::Agent, |p| {
        agent::set_status(p, CheckStatus::Critical)
    }),
    route("/v1/agent/check/update/", &["PUT"], EndpointGroup::Agent, agent::update_check),
    route("/v1/agent/maintenance", &["PUT"], EndpointGroup::Agent, agent::node_maintenance),
    route("/v1/agent/service/register", &["PUT"], EndpointGroup::Agent, agent::register_service),
    route(
        "/v1/agent/service/deregister/",
        &["PUT"],
        EndpointGroup::Agent,
        agent::deregister_service,
    ),
    route(
        "/v1/agent/service/maintenance/",
        &["PUT"],
        EndpointGroup::Agent,
        agent::service_maintenance,
    ),
    route("/v1/query", &["GET", "POST"], EndpointGroup::Query, query::decode_all),
    route("/v1/query/", &["GET", "PUT", "DELETE"], EndpointGroup::Query, query::decode_one),
];

const fn route(
    pattern: &'static str,
    methods: &'static [&'static str],
    group: EndpointGroup,
    decode: fn(&Parts) -> Decoded,
) -> Route {
    Route { pattern, methods, group, decode }
}

/// The pattern and the methods of each endpoint. A pattern that ends in a slash matches every path
/// below it.
pub fn endpoints() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    ROUTES.iter().map(|route| (route.pattern, route.methods))
}

/// Decodes a request that an agent received. Fails at the first of these, in Consul's order
/// (HTTP-08): path that cannot be printed, unclean path, unknown path, query, method, the rest.
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
    let pretty = agent.pretty || params.has("pretty");
    let parts = Parts { agent, request, params, rest };
    let (operation, kind) = (route.decode)(&parts)?;
    admit_datacenter(&parts, route.group, &operation)?;
    let request = Request { agent: agent.node.clone(), operation };
    Ok(Call { request, format: AnswerFormat { group: route.group, kind, pretty } })
}

/// The endpoint of a path, which must be clean (HTTP-09, HTTP-17).
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

/// Checks that the endpoint has the method of the request (HTTP-02 to HTTP-04).
fn admit_method(request: &HttpRequest, route: &Route, rest: &str) -> Result<(), BadRequest> {
    let method = request.method.as_str();
    let checks_itself = route.pattern == "/v1/query/";
    let only_reads = checks_itself && query::execution(rest, Consistency::Default).is_some();
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

/// A fact about the server, which is not in its store.
fn fact(fact: ServerFact) -> Decoded {
    Ok((Operation::Server(fact), AnswerKind::Json))
}

/// Only the agent's own datacenter can be reached (HTTP-14). Registrations name theirs in the body,
/// and calls for the agent do not look at it.
fn admit_datacenter(
    parts: &Parts,
    group: EndpointGroup,
    operation: &Operation,
) -> Result<(), BadRequest> {
    let is_unread = matches!(operation, Operation::Register(_) | Operation::Deregister(_));
    let asked = parts.params.filled("dc");
    if is_unread
        || group == EndpointGroup::Agent
        || asked.is_none_or(|dc| dc == parts.agent.datacenter)
    {
        return Ok(());
    }
    let is_read = matches!(operation, Operation::Read { .. });
    let on_session_read = is_read && group == EndpointGroup::Session;
    Err(BadRequest::UnknownDatacenter { on_session_read })
}
