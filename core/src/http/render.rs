//! Answers and errors of the engine as HTTP responses: status, headers and body as Consul writes
//! them.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::Serialize;

use super::agent_rows::{
    self, AgentSelf, MemberJson, OwnService, RaftConfiguration, ServiceHealth,
};
use super::answers::{
    self, Created, InstanceJson, NodeJson, NodeServices, QueryMeta, ServiceJson, ServiceList,
    ServiceNode, SessionJson, Txn,
};
use super::bad_request::{KEY_WARNING, TEXT};
use super::catalog::INVALID_PASSING;
use super::check::CheckJson;
use super::connect::{self, Roots};
use super::query_rows::{Execution, PreparedQueryJson, QueryExplanation};
use super::rows;
use super::types::{Agent, AnswerFormat, AnswerKind, EndpointGroup, HttpResponse, WantedRows};
use crate::error::Error;
use crate::id::Index;
use crate::json::Json;
use crate::message::{
    AgentService, Answer, Consistency, Refusal, Response, ServiceChoice, TxnKind,
};
use crate::store::catalog::{Node, Service};
use crate::store::prepared_query::PreparedQuery;
use crate::store::txn::{TxnOutcome, TxnResult};
use crate::store::{Entry, Found};

/// The HTTP response for the engine's answer to a call, in the format that the call asks for.
pub fn encode(
    agent: &Agent,
    format: &AnswerFormat,
    result: &Result<Response, Refusal>,
) -> HttpResponse {
    let mut response = match result {
        Ok(response) => Renderer { agent, format }.response(response),
        Err(refusal) => error(format, &refusal.error),
    };
    if let Some(fault) = format.key_fault {
        response.push(KEY_WARNING, &fault.warning());
    }
    response
}

struct Renderer<'a> {
    agent: &'a Agent,
    format: &'a AnswerFormat,
}

impl Renderer<'_> {
    fn response(&self, response: &Response) -> HttpResponse {
        with_policy(match &response.answer {
            Answer::Flag(flag) => self.json(flag),
            Answer::Done => self.done(),
            Answer::Created(id) => self.json(&Created { id }),
            Answer::QueryCreated(id) => self.json(&Created { id }),
            Answer::Renewed(session) => self.json(&[SessionJson::from(session)]),
            Answer::Txn { outcome, kind } => self.txn(outcome, *kind),
            Answer::AgentChecks(checks) => {
                if let (WantedRows::Refused(why), false) = (&self.format.rows, checks.is_empty()) {
                    return with_policy(HttpResponse { status: 500, ..text(why, TEXT) });
                }
                let wanted = checks.iter().map(|check| (&check.id, CheckJson::of_agent(check)));
                let wanted = wanted.filter(|(_, row)| self.wants(row));
                self.json(&wanted.collect::<BTreeMap<_, _>>())
            }
            Answer::Texts(texts) => self.json(texts),
            Answer::Text(text) => self.json(text),
            Answer::Agent(agent) => self.json(&AgentSelf::new(agent)),
            Answer::Members(agent) => {
                let is_wan = self.format.kind == AnswerKind::Members { is_wan: true };
                let member = MemberJson::new(agent, is_wan);
                let is_wanted = self.admits(|| rows::member(&member));
                self.json(&is_wanted.then_some(member).as_slice())
            }
            Answer::RaftConfiguration(agent) => self.json(&RaftConfiguration::new(agent)),
            Answer::AgentServices { asked, found }
                if self.format.kind == AnswerKind::OneService =>
            {
                self.own_service(asked, found, response.index)
            }
            Answer::AgentServices { asked, found } => self.own_services(asked, found),
            Answer::EventFired(event) => self.json(&agent_rows::EventJson::fired(event)),
            Answer::Found(Found::UserEvents(events)) => {
                let events: Vec<_> =
                    events.iter().map(|it| agent_rows::EventJson::new(it)).collect();
                let mut list = self.json(&events);
                list.push("X-Consul-Index", &response.index.to_string());
                list
            }
            Answer::Found(Found::CaRoots) if self.format.kind == AnswerKind::Certificates => {
                text(connect::CERTIFICATE, "application/pem-certificate-chain")
            }
            Answer::Found(found) => {
                let index = match self.format.kind {
                    AnswerKind::QueryExecution(_) | AnswerKind::QueryExplanation(_) => Index(1),
                    _ => response.index,
                };
                let mut answer =
                    with_read_headers(self.found(found, response.index), index, "true");
                if self.names_consistency() {
                    let level = answers::level(self.format.consistency);
                    answer.push("X-Consul-Effective-Consistency", level);
                }
                answer
            }
        })
    }

    /// Whether the answer has the consistency with which it was read: in Consul those of the
    /// catalog and of prepared queries do (HTTP-10).
    fn names_consistency(&self) -> bool {
        matches!(self.format.group, EndpointGroup::Catalog | EndpointGroup::Query)
    }

    /// The result of a read. An absent entry, tree or list of keys is 404 (GET-03, GET-06, GET-08);
    /// an absent session is an empty list (SES-28).
    fn found(&self, found: &Found, index: Index) -> HttpResponse {
        let datacenter = &self.agent.datacenter;
        if self.format.kind == AnswerKind::InvalidPassing {
            let refused = text(INVALID_PASSING, TEXT);
            return HttpResponse { status: 400, ..refused };
        }
        match found {
            Found::Entry(None) | Found::PreparedQuery(None) | Found::Execution(None) => empty(404),
            Found::Entry(Some(entry)) if self.format.kind == AnswerKind::RawValue => {
                self.raw(entry)
            }
            Found::Entry(Some(entry)) => self.json(&[answers::EntryJson::read(entry)]),
            Found::Entries(entries) if entries.is_empty() => empty(404),
            Found::Entries(entries) => {
                let entries = entries.iter().map(|entry| answers::EntryJson::read(entry));
                self.json(&entries.collect::<Vec<_>>())
            }
            Found::Keys(keys) if keys.is_empty() && self.format.kind != AnswerKind::AllKeys => {
                empty(404)
            }
            Found::Keys(keys) => self.json(keys),
            Found::Session(session) => {
                self.json(&answers::rows::<_, SessionJson>(session.as_slice()))
            }
            Found::Sessions(sessions) => self.json(&answers::rows::<_, SessionJson>(sessions)),
            Found::Checks(checks) => self.rows(checks.iter().map(CheckJson::listed)),
            Found::PreparedQueries(queries) => {
                let rules = self.agent.rules();
                let rows = queries.iter().map(|query| PreparedQueryJson::new(query, rules));
                self.json(&rows.collect::<Vec<_>>())
            }
            Found::PreparedQuery(Some(query)) => self.query(query),
            Found::Nodes(nodes) => {
                self.rows(nodes.iter().map(|node| NodeJson::new(node, datacenter)))
            }
            Found::Node(node) => self.node(node.as_ref()),
            Found::Services(all) => {
                let wanted = all.iter().filter(|(node, service)| {
                    self.wants(&ServiceNode::new(node, service, self.agent))
                });
                self.json(&answers::tags_by_service(wanted.map(|(_, service)| service)))
            }
            Found::Instances(all) => self.rows(
                all.iter().map(|(node, service)| ServiceNode::new(node, service, self.agent)),
            ),
            Found::ServiceHealth(all) => {
                self.rows(all.iter().map(|instance| InstanceJson::new(instance, datacenter)))
            }
            Found::Execution(Some((query, instances))) => {
                let consistency = match self.format.kind {
                    AnswerKind::QueryExecution(consistency) => consistency,
                    _ => Consistency::Default,
                };
                self.json(&Execution::new(query, instances, datacenter, consistency))
            }
            Found::CaRoots => self.json(&Roots::new(index)),
            Found::UserEvents(_) => empty(200),
        }
    }

    /// A list of the rows that the request selects.
    fn rows<R: Serialize>(&self, rows: impl Iterator<Item = R>) -> HttpResponse {
        self.json(&rows.filter(|row| self.wants(row)).collect::<Vec<_>>())
    }

    /// Whether the request selects a row (FLT-01).
    fn wants(&self, row: &impl Serialize) -> bool {
        self.admits(|| rows::value(row))
    }

    fn admits(&self, row: impl FnOnce() -> Json) -> bool {
        match &self.format.rows {
            WantedRows::All => true,
            WantedRows::Filtered(filter) => filter.admits(&row()),
            WantedRows::Refused(_) => false,
        }
    }

    /// A node with the services that the request selects. A list without services is absent; with a
    /// filter it is empty, even if there is no node.
    fn node(&self, node: Option<&(Arc<Node>, Vec<Arc<Service>>)>) -> HttpResponse {
        let datacenter = &self.agent.datacenter;
        let services = node.map(|(_, services)| {
            let rows = services.iter().map(ServiceJson::listed);
            rows.filter(|row| self.wants(row)).collect::<Vec<_>>()
        });
        let node = node.map(|(node, _)| NodeJson::new(node, datacenter));
        if self.format.kind == AnswerKind::ServiceList {
            let services = match self.format.rows {
                WantedRows::All => services.filter(|services| !services.is_empty()),
                _ => Some(services.unwrap_or_default()),
            };
            return self.json(&ServiceList { node, services });
        }
        self.json(&node.zip(services).map(|(node, services)| NodeServices::new(node, services)))
    }

    /// Services of the agent: all by id, or the health of one id or name.
    fn own_services(&self, asked: &ServiceChoice, found: &[AgentService]) -> HttpResponse {
        let datacenter = &self.agent.datacenter;
        let AnswerKind::Health { is_text } = self.format.kind else {
            let rows = found.iter().map(|own| {
                let row = OwnService::new(own, datacenter);
                (own.service.id.as_str(), row)
            });
            let wanted = rows.filter(|(_, row)| self.wants(row));
            return self.json(&wanted.collect::<BTreeMap<_, _>>());
        };
        let health: Vec<_> = found.iter().map(|own| ServiceHealth::new(own, self.agent)).collect();
        let worst = health.iter().max_by_key(|health| health.code());
        let status = worst.map_or(404, ServiceHealth::code);
        let reason = match (worst, asked) {
            (Some(worst), _) => worst.aggregated_status.into(),
            (None, ServiceChoice::Id(id)) => format!("ServiceId {id} not found"),
            (None, ServiceChoice::Name(name)) => format!("ServiceName {name} Not Found"),
            (None, ServiceChoice::All) => String::new(),
        };
        let mut response = match asked {
            _ if is_text => text(&reason, "text/plain"),
            ServiceChoice::Id(_) => self.json(worst.unwrap_or(&ServiceHealth::unknown())),
            _ => self.json(&health),
        };
        response.status = status;
        response.push("X-Consul-Reason", &reason);
        response
    }

    /// A service of the agent, alone. The index of the answer is its content hash.
    fn own_service(
        &self,
        asked: &ServiceChoice,
        found: &[AgentService],
        hash: Index,
    ) -> HttpResponse {
        let Some(own) = found.first() else {
            let id = if let ServiceChoice::Id(id) = asked { id.as_str() } else { "" };
            let mut response = text(&format!("unknown service ID: {id}"), TEXT);
            response.status = 404;
            return response;
        };
        let hash = format!("{:x}", hash.0);
        let mut response = self.json(&OwnService::alone(own, &hash, &self.agent.datacenter));
        response.push("X-Consul-ContentHash", &hash);
        response
    }

    fn query(&self, query: &Arc<PreparedQuery>) -> HttpResponse {
        match self.format.kind {
            AnswerKind::QueryExplanation(consistency) => {
                self.json(&QueryExplanation::new(query, consistency, self.agent.rules()))
            }
            _ => self.json(&[PreparedQueryJson::new(query, self.agent.rules())]),
        }
    }

    /// The answer to a transaction; only without writes it describes the read (TXN-07 to TXN-09).
    fn txn(&self, outcome: &TxnOutcome, kind: TxnKind) -> HttpResponse {
        let (status, content_type, results, errors) = match outcome {
            Ok(results) => {
                let results = results.iter().map(|it| self.result(it)).collect();
                (200, "application/json", Some(results), None)
            }
            Err(errors) => {
                (409, self.agent.rules().failed_txn_type, None, Some(answers::rows(errors)))
            }
        };
        let (read, leader) = match kind {
            TxnKind::Write => (None, None),
            TxnKind::Read => (Some(QueryMeta::answered("")), Some("true")),
            TxnKind::ReadRefused => (Some(QueryMeta::refused()), Some("false")),
        };
        let mut answer = self.json_as(content_type, &Txn { results, errors, read });
        answer.status = status;
        if let Some(leader) = leader {
            answer.push("X-Consul-KnownLeader", leader);
            answer.push("X-Consul-LastContact", "0");
        }
        answer
    }

    /// One result of a transaction (TXN-10).
    fn result<'a>(&'a self, result: &'a TxnResult) -> answers::TxnResultJson<'a> {
        match result {
            TxnResult::Written(entry) => {
                answers::TxnResultJson::Kv(answers::EntryJson::written(entry))
            }
            TxnResult::Read(entry) => answers::TxnResultJson::Kv(answers::EntryJson::read(entry)),
            TxnResult::Node(node) => {
                answers::TxnResultJson::Node(NodeJson::new(node, &self.agent.datacenter))
            }
            TxnResult::Service(service) => answers::TxnResultJson::Service(service.into()),
            TxnResult::Check(check) => answers::TxnResultJson::Check(Box::new(check.into())),
        }
    }

    /// Success without a body.
    fn done(&self) -> HttpResponse {
        let mut response = empty(200);
        if let Some(content_type) = self.agent.rules().empty_type {
            response.push("Content-Type", content_type);
        }
        response
    }

    /// The value of an entry as it is (GET-04).
    fn raw(&self, entry: &Entry) -> HttpResponse {
        let mut response = empty(200);
        response.push("Content-Type", self.agent.rules().raw_type);
        response.push("X-Content-Type-Options", "nosniff");
        response.push("Content-Security-Policy", "sandbox");
        response.body = entry.value.to_vec();
        response
    }

    /// A JSON body with status 200 (HTTP-05).
    fn json(&self, value: &impl Serialize) -> HttpResponse {
        self.json_as("application/json", value)
    }

    fn json_as(&self, content_type: &str, value: &impl Serialize) -> HttpResponse {
        let body = self.format.indent.written(value);
        let mut response = HttpResponse { status: 200, headers: Vec::new(), body };
        response.push("Content-Type", content_type);
        response
    }
}

/// A text as the body of an answer.
fn text(text: &str, content_type: &str) -> HttpResponse {
    let mut response = empty(200);
    response.push("Content-Type", content_type);
    response.body = text.as_bytes().to_vec();
    response
}

/// An error of the engine, with Consul's status and text (HTTP-06, HTTP-07, HTTP-11).
fn error(format: &AnswerFormat, error: &Error) -> HttpResponse {
    let status = match error {
        Error::SessionNotFound(_) | Error::QueryNotFound | Error::UnknownCheck(_) => 404,
        Error::UnknownService(_) | Error::MissingServiceId(_) => 404,
        Error::TooManyParked { .. } => 429,
        _ => 500,
    };
    let text = format!("{}{error}", prefix(format.group, error));
    let kind = if is_text(&text) { TEXT } else { "application/octet-stream" };
    let mut response = HttpResponse { status, headers: Vec::new(), body: text.into_bytes() };
    response.push("Content-Type", kind);
    let is_read = match error {
        Error::QueryNotFound => true,
        Error::ConnectDisabled => format.group == EndpointGroup::Connect,
        _ => false,
    };
    if is_read {
        response = with_read_headers(response, Index(1), "false");
    }
    with_policy(response)
}

/// Whether Go's content sniffing takes the first 512 bytes for text (HTTP-06).
fn is_text(text: &str) -> bool {
    let is_binary = |byte| matches!(byte, 0..=8 | 0xb | 0xe..=0x1a | 0x1c..=0x1f);
    !text.bytes().take(512).any(is_binary)
}

/// The prefix of an error that was raised while a log entry was applied (HTTP-11).
fn prefix(group: EndpointGroup, error: &Error) -> &'static str {
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
            | Error::InvalidTemplate(_)
            | Error::NamelessTemplateExists
    );
    match (group, is_applied) {
        (EndpointGroup::Kv | EndpointGroup::Query, true) => "raft apply failed: ",
        (EndpointGroup::Session, true) => "apply failed: ",
        (EndpointGroup::Catalog, _) if matches!(error, Error::NodeNameReserved(_)) => {
            "failed inserting node: "
        }
        (EndpointGroup::Catalog, _) if matches!(error, Error::InvalidServiceMeta { .. }) => {
            "failed inserting service: "
        }
        _ => "",
    }
}

fn empty(status: u16) -> HttpResponse {
    HttpResponse { status, headers: Vec::new(), body: Vec::new() }
}

/// The headers of a read (HTTP-10, HTTP-12).
fn with_read_headers(mut response: HttpResponse, index: Index, leader: &str) -> HttpResponse {
    let index: String = index.at_least_one().to_string();
    response.push("X-Consul-Index", &index);
    response.push("X-Consul-KnownLeader", leader);
    response.push("X-Consul-LastContact", "0");
    response.push("X-Consul-Query-Backend", "blocking-query");
    response
}

fn with_policy(mut response: HttpResponse) -> HttpResponse {
    response.push("X-Consul-Default-ACL-Policy", "allow");
    response
}
