//! Routing: finds the endpoint of a method and path, and lets it decode the request into a
//! [`Call`]. Unclean paths, unknown endpoints, wrong methods and other datacenters are refused
//! here, in Consul's order.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::bad_request::BadRequest;
use super::parameters::{
    self, BLOCKING, CHECKED, COMMON, CONSISTENCY, CONSISTENT, DC, ENTERPRISE,
    ENTERPRISE_AFTER_READ, ENTERPRISE_LAST, EXECUTION, FILTER, FORMAT, HASH, KV, MAINTENANCE,
    MERGE, NAME, NEAR, NODE_META, NOTE, PARTITION, PASSING, PEER, PEM, Parameter, REPLACE,
    RefusedWhen, STALE, TAG,
};
use super::parts::{self, Decoded, RequestParts};
use super::path::{self, Params, Plus};
use super::rows;
use super::schema::GoType;
use super::types::{
    Agent, AnswerFormat, AnswerKind, Call, EndpointGroup as Group, HttpRequest, Indent, WantedRows,
};
use super::{agent, catalog, connect, kv, query, session, txn};
use crate::filter::Filter;
use crate::id::is_printable;
use crate::message::{Consistency, Operation, Request, ServerFact};
use crate::store::Query;
use crate::store::catalog::CheckStatus;
use crate::version::RoutedPath;

/// An endpoint: its path, its methods, its parameters, and the function that decodes its requests.
/// A pattern that ends in a slash matches every path below it.
struct Route {
    endpoint: Endpoint,
    decode: fn(&RequestParts) -> Decoded,
    /// The type of the rows that `filter` chooses from, and when it is checked; `None` without one.
    rows: Option<(&'static GoType, FilterCheck)>,
}

/// When a filter is checked against the type of rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilterCheck {
    AtOnce,
    /// When it is evaluated for the first time (FLT-08).
    AtFirstRow,
}

/// An endpoint, as [`endpoints`] lists it.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// Its path; one that ends in a slash matches every path below it.
    pub pattern: &'static str,
    /// The methods that it accepts, besides `OPTIONS`.
    pub methods: &'static [&'static str],
    /// The group, which decides the form of its errors.
    pub group: Group,
    parameters: &'static [&'static [Parameter]],
}

type Groups = &'static [&'static [Parameter]];

const PLAIN: Groups = &[COMMON];
const LOCAL: Groups = &[COMMON, ENTERPRISE];
const WRITE: Groups = &[COMMON, ENTERPRISE, DC];
const RENEW: Groups = &[COMMON, ENTERPRISE_AFTER_READ, DC];
const READ: Groups = &[COMMON, ENTERPRISE_AFTER_READ, CONSISTENCY, BLOCKING];
const KEYS: Groups = &[COMMON, ENTERPRISE_AFTER_READ, CONSISTENCY, BLOCKING, KV];
const TXN: Groups = &[COMMON, CONSISTENCY];
const NODES: Groups = &[COMMON, PARTITION, CONSISTENCY, BLOCKING, NODE_META, NEAR, FILTER, PEER];
const CHECKS: Groups = &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, NODE_META, NEAR, FILTER, PEER];
const SERVICES: Groups = &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, NODE_META, FILTER, PEER];
const NODE: Groups = &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, FILTER, PEER];
const INSTANCES: Groups =
    &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, TAG, NODE_META, NEAR, FILTER, PEER, MERGE];
const MESH: Groups =
    &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, NODE_META, NEAR, FILTER, PEER, MERGE];
const MESH_HEALTH: Groups =
    &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, PASSING, NODE_META, NEAR, FILTER, PEER, MERGE];
const NODE_SERVICES: Groups = &[COMMON, ENTERPRISE, CONSISTENCY, BLOCKING, FILTER, PEER, MERGE];
const HEALTH: Groups = &[
    COMMON,
    ENTERPRISE,
    CONSISTENCY,
    BLOCKING,
    PASSING,
    TAG,
    NODE_META,
    NEAR,
    FILTER,
    PEER,
    MERGE,
];
const DATACENTERS: Groups = &[COMMON, STALE, CONSISTENT];
const EVENT: Groups = &[COMMON, DC, parameters::EVENT];
const EVENTS: Groups = &[COMMON, BLOCKING, NAME];
const MEMBERS: Groups = &[COMMON, PARTITION, parameters::MEMBERS, FILTER];
const MONITOR: Groups = &[COMMON, parameters::MONITOR];
const OWN_HEALTH: Groups = &[COMMON, ENTERPRISE_LAST, FORMAT];
const OWN_SERVICE: Groups = &[COMMON, ENTERPRISE, HASH];
const OF_AGENT: Groups = &[COMMON, ENTERPRISE, FILTER];
const UPDATE: Groups = &[COMMON, ENTERPRISE_LAST];
const STATUS: Groups = &[COMMON, ENTERPRISE, NOTE];
const NODE_MAINTENANCE: Groups = &[COMMON, MAINTENANCE];
const SERVICE_MAINTENANCE: Groups = &[COMMON, ENTERPRISE_LAST, MAINTENANCE];
const REGISTER_SERVICE: Groups = &[COMMON, ENTERPRISE, REPLACE];
const STATUS_READ: Groups = &[COMMON, DC, STALE, CONSISTENT, CHECKED];
const OWN_ROOTS: Groups = &[COMMON, CONSISTENCY, BLOCKING];
const ROOTS: Groups = &[COMMON, CONSISTENCY, BLOCKING, PEM];
const QUERIES: Groups = &[COMMON, CONSISTENCY, BLOCKING];
const QUERY: Groups = &[COMMON, CONSISTENCY, BLOCKING, EXECUTION];

/// All endpoints (HTTP-01).
const ROUTES: &[Route] = &[
    route("/v1/session/create", &["PUT"], Group::Session, WRITE, session::create),
    route("/v1/session/destroy/", &["PUT"], Group::Session, WRITE, session::destroy),
    route("/v1/session/renew/", &["PUT"], Group::Session, RENEW, session::renew),
    route("/v1/session/info/", &["GET"], Group::Session, READ, session::info),
    route("/v1/session/node/", &["GET"], Group::Session, READ, session::on_node),
    route("/v1/session/list", &["GET"], Group::Session, READ, |p| p.read(Query::Sessions)),
    route("/v1/kv/", &["GET", "PUT", "DELETE"], Group::Kv, KEYS, kv::decode),
    route("/v1/txn", &["PUT"], Group::Txn, TXN, txn::decode),
    route("/v1/catalog/register", &["PUT"], Group::Catalog, LOCAL, catalog::register),
    route("/v1/catalog/deregister", &["PUT"], Group::Catalog, LOCAL, catalog::deregister),
    route("/v1/catalog/datacenters", &["GET"], Group::Status, DATACENTERS, catalog::datacenters),
    route("/v1/catalog/nodes", &["GET"], Group::Catalog, NODES, catalog::read_nodes)
        .with_rows(&rows::NODE),
    route("/v1/catalog/node/", &["GET"], Group::Catalog, NODE, catalog::read_node)
        .with_rows(&rows::SERVICE),
    route("/v1/catalog/services", &["GET"], Group::Catalog, SERVICES, catalog::read_services)
        .with_rows(&rows::SERVICE_NODE),
    route(
        "/v1/catalog/node-services/",
        &["GET"],
        Group::Catalog,
        NODE_SERVICES,
        catalog::read_service_list,
    )
    .with_rows(&rows::SERVICE),
    route("/v1/catalog/service/", &["GET"], Group::Catalog, INSTANCES, catalog::read_service)
        .with_rows(&rows::SERVICE_NODE),
    route("/v1/catalog/connect/", &["GET"], Group::Catalog, MESH, catalog::read_mesh)
        .with_rows(&rows::SERVICE_NODE),
    route("/v1/health/node/", &["GET"], Group::Catalog, NODE, catalog::checks_of_node)
        .with_rows(&rows::CHECK),
    route("/v1/health/checks/", &["GET"], Group::Catalog, CHECKS, catalog::checks_of_service)
        .with_rows(&rows::CHECK),
    route("/v1/health/state/", &["GET"], Group::Catalog, CHECKS, catalog::checks_in_state)
        .with_rows(&rows::CHECK),
    route("/v1/health/service/", &["GET"], Group::Catalog, HEALTH, catalog::service_health)
        .with_rows(&rows::INSTANCE),
    route("/v1/health/connect/", &["GET"], Group::Catalog, MESH_HEALTH, catalog::mesh_health)
        .with_rows(&rows::INSTANCE),
    route("/v1/event/fire/", &["PUT"], Group::Event, EVENT, agent::fire_event),
    route("/v1/event/list", &["GET"], Group::Event, EVENTS, agent::list_events),
    route("/v1/status/leader", &["GET"], Group::Status, STATUS_READ, |p| {
        p.read_fact(ServerFact::Leader)
    }),
    route("/v1/status/peers", &["GET"], Group::Status, STATUS_READ, |p| {
        p.read_fact(ServerFact::Peers)
    }),
    route("/v1/operator/raft/configuration", &["GET"], Group::Status, STATUS_READ, |p| {
        p.read_fact(ServerFact::RaftConfiguration)
    }),
    route("/v1/agent/self", &["GET"], Group::Agent, PLAIN, |_| parts::fact(ServerFact::Agent)),
    route("/v1/agent/members", &["GET"], Group::Agent, MEMBERS, agent::members)
        .with_rows(&rows::MEMBER),
    route("/v1/agent/leave", &["PUT"], Group::Agent, PLAIN, agent::leave),
    route("/v1/agent/monitor", &["GET"], Group::Agent, MONITOR, agent::monitor),
    route("/v1/agent/services", &["GET"], Group::Agent, OF_AGENT, agent::services)
        .with_rows(&rows::SERVICE),
    route("/v1/agent/health/service/id/", &["GET"], Group::Agent, OWN_HEALTH, agent::health_by_id),
    route(
        "/v1/agent/health/service/name/",
        &["GET"],
        Group::Agent,
        OWN_HEALTH,
        agent::health_by_name,
    ),
    route("/v1/agent/checks", &["GET"], Group::Agent, OF_AGENT, agent::checks)
        .with_rows_checked_late(&rows::CHECK),
    route("/v1/agent/check/register", &["PUT"], Group::Agent, LOCAL, agent::register_check),
    route("/v1/agent/check/deregister/", &["PUT"], Group::Agent, LOCAL, agent::deregister_check),
    route("/v1/agent/check/pass/", &["PUT"], Group::Agent, STATUS, |p| {
        agent::set_status(p, CheckStatus::Passing)
    }),
    route("/v1/agent/check/warn/", &["PUT"], Group::Agent, STATUS, |p| {
        agent::set_status(p, CheckStatus::Warning)
    }),
    route("/v1/agent/check/fail/", &["PUT"], Group::Agent, STATUS, |p| {
        agent::set_status(p, CheckStatus::Critical)
    }),
    route("/v1/agent/check/update/", &["PUT"], Group::Agent, UPDATE, agent::update_check),
    route(
        "/v1/agent/maintenance",
        &["PUT"],
        Group::Agent,
        NODE_MAINTENANCE,
        agent::node_maintenance,
    ),
    route(
        "/v1/agent/service/register",
        &["PUT"],
        Group::Agent,
        REGISTER_SERVICE,
        agent::register_service,
    ),
    route(
        "/v1/agent/service/deregister/",
        &["PUT"],
        Group::Agent,
        LOCAL,
        agent::deregister_service,
    ),
    route(
        "/v1/agent/service/maintenance/",
        &["PUT"],
        Group::Agent,
        SERVICE_MAINTENANCE,
        agent::service_maintenance,
    ),
    // After the longer paths that begin alike, as the first match counts.
    route("/v1/agent/service/", &["GET"], Group::Agent, OWN_SERVICE, agent::service),
    route("/v1/agent/connect/ca/roots", &["GET"], Group::Agent, OWN_ROOTS, |p| {
        p.read(Query::CaRoots)
    }),
    route("/v1/connect/ca/roots", &["GET"], Group::Connect, ROOTS, connect::roots),
    route("/v1/query", &["GET", "POST"], Group::Query, QUERIES, query::decode_all),
    route("/v1/query/", &["GET", "PUT", "DELETE"], Group::Query, QUERY, query::decode_one),
];

const fn route(
    pattern: &'static str,
    methods: &'static [&'static str],
    group: Group,
    parameters: Groups,
    decode: fn(&RequestParts) -> Decoded,
) -> Route {
    Route { endpoint: Endpoint { pattern, methods, group, parameters }, decode, rows: None }
}

impl Route {
    const fn with_rows(self, rows: &'static GoType) -> Self {
        Self { rows: Some((rows, FilterCheck::AtOnce)), ..self }
    }

    const fn with_rows_checked_late(self, rows: &'static GoType) -> Self {
        Self { rows: Some((rows, FilterCheck::AtFirstRow)), ..self }
    }
}

impl Endpoint {
    /// The parameters that Consul reads at this endpoint, each with what it does here.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> {
        self.parameters.iter().copied().flatten().copied()
    }
}

/// All endpoints.
pub fn endpoints() -> impl Iterator<Item = Endpoint> {
    ROUTES.iter().map(|route| route.endpoint)
}

/// Decodes a request that an agent received. Fails at the first of these, in Consul's order
/// (HTTP-08): path that cannot be decoded or printed, unclean path, unknown path, query, method,
/// the rest.
pub fn decode(agent: &Agent, request: &HttpRequest) -> Result<Call, BadRequest> {
    let (encoded, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let path = path::unescaped(encoded, Plus::IsItself);
    let path = path.map_err(|_| BadRequest::UndecodablePath)?;
    if !path.chars().all(is_printable) {
        return Err(BadRequest::UnprintablePath);
    }
    if path == "/" {
        return Err(BadRequest::NoUi);
    }
    let route = find(agent, request, encoded, &path)?;
    let params = Params::parse(query).map_err(BadRequest::UndecodableQuery)?;
    let rest: String = path.get(route.endpoint.pattern.len()..).unwrap_or_default().into();
    let mut parts = RequestParts { agent, request, params, rest };
    let indent = parts.indent();
    admit_method(request, route, &parts.rest, indent)?;
    parameters::admit(route.endpoint.parameters, &parts.params, request, RefusedWhen::First)?;
    if route.endpoint.parameters().any(|it| it.is_refused_after_read()) {
        parts.admit_read()?;
    }
    let is_kv = route.endpoint.group == Group::Kv;
    let key_fault = if is_kv { kv::admit_name(&mut parts)? } else { None };
    let decoded = decode_rest(&parts, route);
    let (operation, kind, rows) = decoded.map_err(|refused| refused.with_warning(key_fault))?;
    let (group, consistency) = (route.endpoint.group, parts.consistency());
    let request = Request { agent: agent.node.clone(), operation };
    let format = AnswerFormat { group, kind, consistency, indent, key_fault, rows };
    Ok(Call { request, format })
}

/// The rows that a request selects. Consul's servers read its filter, so that an error in it comes
/// after those of all other parameters (FLT-01).
fn wanted_rows(
    parts: &RequestParts,
    route: &Route,
    operation: &Operation,
) -> Result<WantedRows, BadRequest> {
    let (Some((rows, checked)), Some(text)) = (route.rows, parts.params.filled("filter")) else {
        return Ok(WantedRows::All);
    };
    match Filter::new(text, rows) {
        Ok(filter) => Ok(WantedRows::Filtered(filter)),
        Err(error) if checked == FilterCheck::AtFirstRow && !error.is_of_syntax() => {
            Ok(WantedRows::Refused(error.to_string()))
        }
        Err(error) => {
            let text = format!("Failed to create boolean expression evaluator: {error}");
            Err(if has_read_headers(route.endpoint.group, operation) {
                BadRequest::FailedRead(text)
            } else {
                BadRequest::Failed(text)
            })
        }
    }
}

/// Lets the endpoint decode a request after its path, method and key were checked.
fn decode_rest(
    parts: &RequestParts,
    route: &Route,
) -> Result<(Operation, AnswerKind, WantedRows), BadRequest> {
    let groups = route.endpoint.parameters;
    parameters::admit(groups, &parts.params, parts.request, RefusedWhen::AfterRead)?;
    let (operation, kind) = (route.decode)(parts)?;
    parameters::admit(groups, &parts.params, parts.request, RefusedWhen::Last)?;
    admit_datacenter(parts, route.endpoint.group, &operation)?;
    let rows = wanted_rows(parts, route, &operation)?;
    Ok((operation, kind, rows))
}

/// The endpoint of a path, which must be clean (HTTP-09, HTTP-17). The path is given as it was sent
/// and decoded; the version decides which form counts (V22-18).
fn find(
    agent: &Agent,
    request: &HttpRequest,
    encoded: &str,
    decoded: &str,
) -> Result<&'static Route, BadRequest> {
    let routed = match agent.rules().routed_path {
        RoutedPath::Decoded => Cow::Borrowed(decoded),
        RoutedPath::AsSent => path::well_escaped(encoded, decoded),
    };
    let clean = path::cleaned(&routed);
    let segments: Vec<_> = match agent.rules().routed_path {
        RoutedPath::Decoded => clean.split('/').map(Cow::Borrowed).collect(),
        RoutedPath::AsSent => clean.split('/').map(path::segment).collect(),
    };
    let found = ROUTES.iter().find(|route| matches(route.endpoint.pattern, &segments));
    // A cleaned path that lacks only the final slash is redirected once: `/v1/kv/.` moves to
    // `/v1/kv/`. A pattern without a final slash, such as `/v1/query`, matches without a redirect.
    let below = clean.clone() + "/";
    let is_exact = found.is_some_and(|route| !route.endpoint.pattern.ends_with('/'));
    if !is_exact && ROUTES.iter().any(|route| route.endpoint.pattern == below) {
        return Err(moved(request, &below));
    }
    if clean != routed {
        return Err(moved(request, &clean));
    }
    found.ok_or_else(|| BadRequest::UnknownPath { is_api: decoded.contains("/v1/") })
}

/// Whether the decoded segments of a path match a pattern. The last segment of a pattern that ends
/// in a slash is empty, and matches any others.
fn matches(pattern: &str, segments: &[Cow<str>]) -> bool {
    let mut wanted = pattern.split('/');
    let fixed = wanted.clone().count() - usize::from(pattern.ends_with('/'));
    let has_length =
        if pattern.ends_with('/') { segments.len() > fixed } else { segments.len() == fixed };
    has_length && segments[..fixed].iter().all(|segment| wanted.next() == Some(segment))
}

fn moved(request: &HttpRequest, clean: &str) -> BadRequest {
    let mut location = path::path_escaped(clean);
    if let Some((_, query)) = request.target.split_once('?').filter(|(_, query)| !query.is_empty())
    {
        location = location + "?" + query;
    }
    BadRequest::Moved { location, shows_link: matches!(&*request.method, "GET" | "HEAD") }
}

/// Checks that the endpoint has the method of the request (HTTP-02 to HTTP-04).
fn admit_method(
    request: &HttpRequest,
    route: &Route,
    rest: &str,
    indent: Indent,
) -> Result<(), BadRequest> {
    let method = request.method.as_str();
    let checks_itself = route.endpoint.pattern == "/v1/query/";
    let only_reads = checks_itself && query::execution(rest, Consistency::Default).is_some();
    let methods = if only_reads { &["GET"] } else { route.endpoint.methods };
    if methods.contains(&method) {
        return Ok(());
    }
    let listed = methods.join(",");
    if method == "OPTIONS" {
        let allowed = format!("OPTIONS,{listed}");
        let body = match (checks_itself, indent) {
            (false, _) => "",
            (true, Indent::None | Indent::Lines) => "{}",
            (true, Indent::LinesAndEnd) => "{}\n",
        };
        return Err(BadRequest::Options { allowed, body: body.into() });
    }
    let allowed = if checks_itself { listed } else { format!("OPTIONS,{listed}") };
    Err(BadRequest::MethodNotAllowed { method: method.into(), allowed })
}

/// Refuses a request for another datacenter (HTTP-14). Registrations name theirs in the body; calls
/// for the agent, its events and the list of datacenters ignore the parameter.
fn admit_datacenter(
    parts: &RequestParts,
    group: Group,
    operation: &Operation,
) -> Result<(), BadRequest> {
    let is_unread = match operation {
        Operation::Register(_) | Operation::Deregister(_) => true,
        Operation::Server(ServerFact::Datacenters) => true,
        Operation::Read { query: Query::CaRoots, .. } => false,
        Operation::Read { query, .. } => query.is_of_agent(),
        _ => group == Group::Agent,
    };
    if is_unread || !parts.is_for_another_datacenter() {
        return Ok(());
    }
    Err(BadRequest::UnknownDatacenter { has_read_headers: has_read_headers(group, operation) })
}

/// Whether an error of the servers has the headers of a read (HTTP-10).
fn has_read_headers(group: Group, operation: &Operation) -> bool {
    match operation {
        Operation::Read { query, .. } => {
            !matches!(group, Group::Kv | Group::Agent) && !query.is_service_health()
        }
        _ => false,
    }
}
