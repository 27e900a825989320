//! Answers and errors to HTTP: status, headers and body as Consul writes them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ordered::BTreeMap;
use serde::Serialize;

use super::refusal::TEXT;
use super::wire::{
    WireAgent, WireAgentConfig, WireCheck, WireEntry, WireError, WireExecution, WireExplanation,
    WireId, WireInstance, WireMember, WireNode, WireNodeServices, WireQuery, WireReadMeta,
    WireResult, WireService, WireSession, WireTxn,
};
use super::{Agent, Family, HttpResponse, Layout, Shape, View};
use crate::error::Error;
use crate::id::{Index, Key};
use crate::json;
use crate::message::{Answer, Refusal, Response, TxnKind};
use crate::ordered;
use crate::store::catalog::Service;
use crate::store::txn::{TxnOutcome, TxnResult};
use crate::store::{Entry, Found};

/// The version that the agent names itself by: the one whose behaviour it has.
const VERSION: &str = "1.13.9";

/// Renders what came of a call.
pub fn encode(agent: &Agent, shape: &Shape, result: &Result<Response, Refusal>) -> HttpResponse {
    match result {
        Ok(response) => Renderer { agent, shape }.response(response),
        Err(refusal) => error(shape, &refusal.error),
    }
}

struct Renderer<'a> {
    agent: &'a Agent,
    shape: &'a Shape,
}

impl Renderer<'_> {
    fn response(&self, response: &Response) -> HttpResponse {
        let answered = match &response.answer {
            Answer::Flag(flag) => self.json(200, flag),
            Answer::Done => empty(200),
            Answer::Created(id) => self.json(200, &WireId { id: id.to_string() }),
            Answer::QueryCreated(id) => self.json(200, &WireId { id: id.to_string() }),
            Answer::Renewed(session) => self.json(200, &[WireSession::from(session.as_ref())]),
            Answer::Txn { outcome, kind } => self.txn(outcome, *kind),
            Answer::AgentChecks(checks) => {
                let by_id =
                    checks.iter().map(|check| (check.id.as_str(), WireCheck::from(check.as_ref())));
                self.json(200, &by_id.collect::<BTreeMap<_, _>>())
            }
            Answer::Texts(texts) => self.json(200, texts),
            Answer::Text(text) => self.json(200, text),
            Answer::Agent { node, datacenter } => self.about(node.as_str(), datacenter),
            Answer::Found(found) => {
                let index = match self.shape.view {
                    View::Execution | View::Explanation => Index(1),
                    _ => response.index,
                };
                return with_read_headers(self.found(found), index, "true");
            }
        };
        with_policy(answered)
    }

    /// GET-03, GET-06, GET-08: an entry, a tree or a list of keys that is not there is 404; a
    /// session that is not there is an empty list (SES-28).
    fn found(&self, found: &Found) -> HttpResponse {
        match found {
            Found::Entry(None) => empty(404),
            Found::Entry(Some(entry)) if self.shape.view == View::Raw => raw(entry),
            Found::Entry(Some(entry)) => self.json(200, &[WireEntry::with_value(entry)]),
            Found::Entries(entries) if entries.is_empty() => empty(404),
            Found::Entries(entries) => {
                self.list(entries.iter().map(|entry| WireEntry::with_value(entry)))
            }
            Found::Keys(keys) if keys.is_empty() && self.shape.view != View::KeysOfAll => {
                empty(404)
            }
            Found::Keys(keys) => self.list(keys.iter().map(Key::as_str)),
            Found::Session(session) => self.list(session.iter().map(|s| WireSession::from(&**s))),
            Found::Sessions(sessions) => {
                self.list(sessions.iter().map(|s| WireSession::from(&**s)))
            }
            Found::Checks(checks) => self.list(checks.iter().map(|c| WireCheck::from(&**c))),
            Found::PreparedQueries(queries) => {
                self.list(queries.iter().map(|q| WireQuery::from(&**q)))
            }
            Found::PreparedQuery(None) => empty(404),
            Found::PreparedQuery(Some(query)) => match self.shape.view {
                View::Execution => {
                    self.json(200, &WireExecution::new(query, &self.agent.datacenter))
                }
                View::Explanation => {
                    self.json(200, &WireExplanation { query: WireQuery::from(&**query) })
                }
                View::Json | View::Raw | View::KeysOfAll => {
                    self.json(200, &[WireQuery::from(&**query)])
                }
            },
            Found::Nodes(_) | Found::Node(_) | Found::Services(_) | Found::Instances(_) => {
                self.catalog(found)
            }
        }
    }

    fn catalog(&self, found: &Found) -> HttpResponse {
        let datacenter = &self.agent.datacenter;
        match found {
            Found::Nodes(nodes) => self.list(nodes.iter().map(|n| WireNode::new(n, datacenter))),
            Found::Node(Some((node, services))) => {
                let services = services
                    .iter()
                    .map(|service| (service.id.as_str(), WireService::from(service.as_ref())));
                let node = WireNode::new(node, datacenter);
                self.json(200, &WireNodeServices { node, services: services.collect() })
            }
            Found::Services(services) => self.json(200, &tags_by_name(services)),
            Found::Instances(instances) => {
                let wire = instances.iter().map(|(n, s)| WireInstance::new(n, s, datacenter));
                self.list(wire)
            }
            _ => self.json(200, &()),
        }
    }

    /// TXN-07 to TXN-09.
    fn txn(&self, outcome: &TxnOutcome, kind: TxnKind) -> HttpResponse {
        let read = match kind {
            TxnKind::Write => None,
            TxnKind::Read => Some(WireReadMeta::answered("")),
            TxnKind::ReadRefused => Some(WireReadMeta::refused()),
        };
        let (status, results, errors) = match outcome {
            Ok(results) => (200, Some(results.iter().map(|r| self.result(r)).collect()), None),
            Err(errors) => {
                let errors = errors
                    .iter()
                    .map(|error| WireError { op_index: error.position, what: &error.what });
                (409, None, Some(errors.collect()))
            }
        };
        let mut answer = self.json(status, &WireTxn { results, errors, read });
        if kind != TxnKind::Write {
            let leader = if kind == TxnKind::Read { "true" } else { "false" };
            push(&mut answer, "X-Consul-KnownLeader", leader);
            push(&mut answer, "X-Consul-LastContact", "0");
        }
        answer
    }

    fn result<'r>(&'r self, result: &'r TxnResult) -> WireResult<'r> {
        match result {
            TxnResult::Written(entry) => WireResult::Kv(WireEntry::without_value(entry)),
            TxnResult::Read(entry) => WireResult::Kv(WireEntry::with_value(entry)),
            TxnResult::Node(node) => WireResult::Node(WireNode::new(node, &self.agent.datacenter)),
            TxnResult::Service(service) => WireResult::Service(WireService::from(&**service)),
            TxnResult::Check(check) => WireResult::Check(WireCheck::from(&**check)),
        }
    }

    fn about(&self, node: &str, datacenter: &str) -> HttpResponse {
        let config =
            WireAgentConfig { datacenter, node_name: node, server: true, version: VERSION };
        // Status 1 is "alive" in gossip.
        let member = WireMember { name: node, addr: "127.0.0.1", port: 8301, status: 1 };
        self.json(200, &WireAgent { config, member })
    }

    fn list<T: Serialize>(&self, items: impl Iterator<Item = T>) -> HttpResponse {
        self.json(200, &items.collect::<Vec<_>>())
    }

    /// HTTP-05.
    fn json(&self, status: u16, value: &impl Serialize) -> HttpResponse {
        let body = match self.shape.layout {
            Layout::Compact => json::go_compact(value),
            Layout::Indented => json::go_pretty(value),
        };
        let mut response = HttpResponse { status, headers: Vec::new(), body };
        push(&mut response, "Content-Type", "application/json");
        response
    }
}

/// GET-04.
fn raw(entry: &Entry) -> HttpResponse {
    let mut response = empty(200);
    push(&mut response, "Content-Type", "text/plain");
    push(&mut response, "X-Content-Type-Options", "nosniff");
    push(&mut response, "Content-Security-Policy", "sandbox");
    response.body = entry.value.to_vec();
    response
}

/// HTTP-06, HTTP-07, HTTP-11: status and text of a refusal by the server.
fn error(shape: &Shape, error: &Error) -> HttpResponse {
    let status = match error {
        Error::SessionNotFound(_) | Error::QueryNotFound | Error::UnknownCheck(_) => 404,
        Error::UnknownService(_) => 404,
        Error::TooManyParked { .. } => 429,
        _ => 500,
    };
    let text = format!("{}{error}", prefix(shape.family, error));
    let kind = if text.contains('\0') { "application/octet-stream" } else { TEXT };
    let mut response = HttpResponse { status, headers: Vec::new(), body: text.into_bytes() };
    push(&mut response, "Content-Type", kind);
    match error {
        Error::QueryNotFound => with_read_headers(response, Index(1), "false"),
        _ => with_policy(response),
    }
}

/// HTTP-11: errors that were raised while a log entry was applied carry a prefix.
fn prefix(family: Family, error: &Error) -> &'static str {
    let is_applied = matches!(
        error,
        Error::MissingNode
            | Error::MissingCheck(_)
            | Error::CriticalCheck(_)
            | Error::EmptyCheckId
            | Error::MissingSession
            | Error::InvalidSession(_)
            | Error::QueryNameTaken(_)
    );
    match (family, is_applied) {
        (Family::Kv | Family::Query, true) => "raft apply failed: ",
        (Family::Session, true) => "apply failed: ",
        _ => "",
    }
}

fn tags_by_name(services: &[Arc<Service>]) -> BTreeMap<&str, Vec<&str>> {
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for service in services {
        let tags = by_name.entry(&service.name).or_default();
        tags.extend(service.tags.iter().flatten().map(|tag| &**tag));
        ordered::sort(tags);
        tags.dedup();
    }
    by_name
}

fn empty(status: u16) -> HttpResponse {
    HttpResponse { status, headers: Vec::new(), body: Vec::new() }
}

fn push(response: &mut HttpResponse, name: &str, value: &str) {
    response.headers.push((name.into(), value.into()));
}

/// HTTP-10, HTTP-12.
fn with_read_headers(mut response: HttpResponse, index: Index, leader: &str) -> HttpResponse {
    let index: String = index.at_least_one().to_string();
    push(&mut response, "X-Consul-Index", &index);
    push(&mut response, "X-Consul-KnownLeader", leader);
    push(&mut response, "X-Consul-LastContact", "0");
    push(&mut response, "X-Consul-Query-Backend", "blocking-query");
    with_policy(response)
}

fn with_policy(mut response: HttpResponse) -> HttpResponse {
    push(&mut response, "X-Consul-Default-ACL-Policy", "allow");
    response
}
