//! Answers and errors to HTTP: status, headers and body as Consul writes them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bad_request::TEXT;
use super::wire::{self, ReadMeta};
use super::{Agent, Family, HttpResponse, Layout, Shape, View};
use crate::error::Error;
use crate::id::Index;
use crate::json::Writer;
use crate::message::{Answer, Refusal, Response, TxnKind};
use crate::store::catalog::Service;
use crate::store::prepared_query::PreparedQuery;
use crate::store::txn::{TxnOutcome, TxnResult};
use crate::store::{Entry, Found};
use alloc::collections::BTreeMap;

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
        let mut json = Writer::go();
        match &response.answer {
            Answer::Flag(flag) => json.truth((*flag).into()),
            Answer::Done => return with_policy(empty(200)),
            Answer::Created(id) => wire::id(&mut json, &id.to_string()),
            Answer::QueryCreated(id) => wire::id(&mut json, &id.to_string()),
            Answer::Renewed(session) => json.list([session], |json, it| wire::session(json, it)),
            Answer::Txn { outcome, kind } => return with_policy(self.txn(outcome, *kind)),
            Answer::AgentChecks(checks) => wire::checks_by_id(&mut json, checks),
            Answer::Texts(texts) => json.list(texts, |json, text| json.text(text)),
            Answer::Text(text) => json.text(text),
            Answer::Agent { node, datacenter } => {
                wire::agent(&mut json, node.as_str(), datacenter, VERSION);
            }
            Answer::Found(found) => {
                let index = match self.shape.view {
                    View::Execution(_) | View::Explanation(_) => Index(1),
                    _ => response.index,
                };
                return with_read_headers(self.found(found), index, "true");
            }
        }
        with_policy(self.body(200, json))
    }

    /// GET-03, GET-06, GET-08: an entry, a tree or a list of keys that is not there is 404; a
    /// session that is not there is an empty list (SES-28).
    fn found(&self, found: &Found) -> HttpResponse {
        let mut json = Writer::go();
        match found {
            Found::Entry(None) | Found::PreparedQuery(None) => return empty(404),
            Found::Entry(Some(entry)) if self.shape.view == View::Raw => return raw(entry),
            Found::Entry(Some(entry)) => json.list([entry], |json, it| wire::entry(json, it)),
            Found::Entries(entries) if entries.is_empty() => return empty(404),
            Found::Entries(entries) => json.list(entries, |json, it| wire::entry(json, it)),
            Found::Keys(keys) if keys.is_empty() && self.shape.view != View::KeysOfAll => {
                return empty(404);
            }
            Found::Keys(keys) => json.list(keys, |json, key| json.text(key.as_str())),
            Found::Session(session) => json.list(session, |json, it| wire::session(json, it)),
            Found::Sessions(sessions) => json.list(sessions, |json, it| wire::session(json, it)),
            Found::Checks(checks) => json.list(checks, |json, check| wire::check(json, check)),
            Found::PreparedQueries(queries) => json.list(queries, |json, it| wire::query(json, it)),
            Found::PreparedQuery(Some(query)) => self.query(&mut json, query),
            Found::Nodes(_) | Found::Node(_) | Found::Services(_) | Found::Instances(_) => {
                self.catalog(&mut json, found);
            }
        }
        self.body(200, json)
    }

    fn query(&self, json: &mut Writer, query: &PreparedQuery) {
        match self.shape.view {
            View::Execution(consistency) => {
                wire::execution(json, query, (&self.agent.datacenter, consistency));
            }
            View::Explanation(consistency) => wire::explanation(json, query, consistency),
            View::Json | View::Raw | View::KeysOfAll => json.list([query], wire::query),
        }
    }

    fn catalog(&self, json: &mut Writer, found: &Found) {
        let datacenter = &self.agent.datacenter;
        match found {
            Found::Nodes(nodes) => {
                json.list(nodes, |json, node| wire::node(json, node, datacenter));
            }
            Found::Node(Some((node, services))) => {
                wire::node_services(json, node, services, datacenter);
            }
            Found::Services(services) => {
                wire::map(json, &tags_by_name(services), |json, tags| {
                    json.list(tags, |json, tag| json.text(tag));
                });
            }
            Found::Instances(instances) => json.list(instances, |json, (node, service)| {
                wire::instance(json, node, service, datacenter);
            }),
            _ => json.null(),
        }
    }

    /// TXN-07 to TXN-09: the members about the read stand only in the answer of a transaction
    /// without writes.
    fn txn(&self, outcome: &TxnOutcome, kind: TxnKind) -> HttpResponse {
        let read = match kind {
            TxnKind::Write => None,
            TxnKind::Read => Some(ReadMeta::Answered { consistency_level: "" }),
            TxnKind::ReadRefused => Some(ReadMeta::BadRequest),
        };
        let mut json = Writer::go();
        json.open_object();
        let status = match outcome {
            Ok(results) => {
                json.member("Results").list(results, |json, result| self.result(json, result));
                json.member("Errors").null();
                200
            }
            Err(errors) => {
                json.member("Results").null();
                json.member("Errors").list(errors, wire::txn_error);
                409
            }
        };
        if let Some(read) = read {
            read.write(&mut json);
        }
        json.close_object();
        let mut answer = self.body(status, json);
        if kind != TxnKind::Write {
            let leader = if kind == TxnKind::Read { "true" } else { "false" };
            push(&mut answer, "X-Consul-KnownLeader", leader);
            push(&mut answer, "X-Consul-LastContact", "0");
        }
        answer
    }

    /// TXN-10: one result of a transaction.
    fn result(&self, json: &mut Writer, result: &TxnResult) {
        json.open_object();
        match result {
            TxnResult::Written(entry) => wire::written_entry(json.member("KV"), entry),
            TxnResult::Read(entry) => wire::entry(json.member("KV"), entry),
            TxnResult::Node(node) => {
                wire::node(json.member("Node"), node, &self.agent.datacenter);
            }
            TxnResult::Service(service) => wire::service(json.member("Service"), service),
            TxnResult::Check(check) => wire::check(json.member("Check"), check),
        }
        json.close_object();
    }

    /// HTTP-05.
    fn body(&self, status: u16, json: Writer) -> HttpResponse {
        let body = match self.shape.layout {
            Layout::Compact => json.into_bytes(),
            Layout::Indented => json.into_pretty(),
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
        Error::UnknownService(_) | Error::MissingServiceId(_) => 404,
        Error::TooManyParked { .. } => 429,
        _ => 500,
    };
    let text = format!("{}{error}", prefix(shape.family, error));
    let kind = if is_text(&text) { TEXT } else { "application/octet-stream" };
    let mut response = HttpResponse { status, headers: Vec::new(), body: text.into_bytes() };
    push(&mut response, "Content-Type", kind);
    match error {
        Error::QueryNotFound => with_read_headers(response, Index(1), "false"),
        _ => with_policy(response),
    }
}

/// Whether Go's sniffing takes the beginning for text.
fn is_text(text: &str) -> bool {
    let is_binary = |byte| matches!(byte, 0..=8 | 0xb | 0xe..=0x1a | 0x1c..=0x1f);
    !text.bytes().take(512).any(is_binary)
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
            | Error::QueryNameIsId(_)
    );
    match (family, is_applied) {
        (Family::Kv | Family::Query, true) => "raft apply failed: ",
        (Family::Session, true) => "apply failed: ",
        (Family::Catalog, _) if matches!(error, Error::NodeNameReserved(_)) => {
            "failed inserting node: "
        }
        _ => "",
    }
}

fn tags_by_name(services: &[Arc<Service>]) -> BTreeMap<&str, Vec<&str>> {
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for service in services {
        let tags = by_name.entry(&service.name).or_default();
        tags.extend(service.tags.iter().flatten().map(|tag| &**tag));
        tags.sort();
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
