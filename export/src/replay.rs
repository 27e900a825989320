//! Performs the steps of a test on a new server, whose answers the test asserts. Where the world
//! had another answer, nothing is asserted, so that no exported test fails on the same server.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_core::Consul;
use lictor_core::http::{self, Agent, AnswerKind, EndpointGroup, HttpRequest, HttpResponse};
use lictor_core::message::Operation;
use lictor_sim::Outcome;
use serde_json::Value;

use crate::steps::{Answer, Body, RequestStep, Step, Test};
use crate::template::{Ids, Template, Variable};

/// A part of the only error text that contains indexes, which differ from server to server.
const STATES_INDEXES: &str = "current modify index";

/// The seed of the server's ids. It is none of the sandbox's, so that an id of the world which was
/// not replaced by a variable does not exist here.
const SEED: u64 = 0x6c69_6374_6f72;

/// A server with its values for the variables of a test.
struct Replay {
    consul: Consul,
    agent: Agent,
    /// The ids that this server has created.
    ids: Ids,
    /// The indexes of this server, by those of the world's.
    indexes: BTreeMap<u64, String>,
    /// The ids of the world's server.
    world_ids: Ids,
}

/// Performs a test and fills in the answers that it asserts.
pub(crate) fn answer(test: &mut Test) {
    let mut replay = Replay {
        consul: Consul::with_config(test.config.clone(), SEED),
        agent: Agent::of(&test.config),
        ids: Ids::default(),
        indexes: BTreeMap::new(),
        world_ids: test.world_ids.clone(),
    };
    for step in &mut test.steps {
        match step {
            Step::Pass(span) => replay.consul.advance(*span),
            Step::Note(_) => {}
            Step::Failover => replay.consul.fail_over(),
            Step::ReadIndex { target, index } => {
                let modified = replay.modify_index(target);
                replay.indexes.insert(*index, modified.unwrap_or_else(|| index.to_string()));
            }
            Step::Request(request) => request.answer = replay.request(request),
        }
    }
}

impl Replay {
    /// The value of a variable on this server. `None` if the server has not created it.
    fn value(&self, variable: Variable) -> Option<String> {
        match variable {
            Variable::Id(number) => self.ids.id(number).map(Into::into),
            Variable::UpperId(number) => self.ids.id(number).map(str::to_ascii_uppercase),
            Variable::Index(index) => self.indexes.get(&index).cloned(),
        }
    }

    fn filled(&self, template: &Template) -> Option<String> {
        template.filled(|variable| self.value(variable))
    }

    /// The answer to a request. `None` if the server does not answer at once.
    fn send(&mut self, request: &HttpRequest) -> Option<HttpResponse> {
        let handle = self.consul.request(request);
        let response = self.consul.poll(handle);
        self.consul.cancel(handle);
        response
    }

    fn modify_index(&mut self, target: &Template) -> Option<String> {
        let target = self.filled(target)?;
        let response = self.send(&HttpRequest::new("GET", &target, b""))?;
        let entries: Value = serde_json::from_slice(&response.body).ok()?;
        entries[0]["ModifyIndex"].as_u64().map(|index| index.to_string())
    }

    /// Sends a request and returns the answer to assert.
    fn request(&mut self, step: &RequestStep) -> Answer {
        let Some(request) = self.http(step) else { return Answer::Unknown };
        let Some(response) = self.send(&request) else { return Answer::Unknown };
        if let Some(id) = created_id(&response, &self.agent, &request) {
            self.ids.push(id);
        }
        let answer = answer_of(&response, &self.agent, &request, &self.ids);
        let is_observed = |outcome: &Arc<Outcome>| {
            answer_of(&outcome.response, &self.agent, &request, &self.world_ids) == answer
        };
        if step.observed.as_ref().is_none_or(is_observed) { answer } else { Answer::Unknown }
    }

    /// The request of a step with this server's values. `None` if a variable has no value.
    fn http(&self, step: &RequestStep) -> Option<HttpRequest> {
        let header = |(name, value): &(String, Template)| Some((name.clone(), self.filled(value)?));
        let body = match &step.body {
            Body::Text(text) => self.filled(text)?.into(),
            Body::Bytes(bytes) => bytes.clone(),
        };
        Some(HttpRequest {
            method: step.method.clone(),
            target: self.filled(&step.target)?,
            headers: step.headers.iter().map(header).collect::<Option<_>>()?,
            body,
        })
    }
}

/// The new id in an answer. `None` if the request creates none or has failed.
fn created_id(response: &HttpResponse, agent: &Agent, request: &HttpRequest) -> Option<String> {
    let call = http::decode(agent, request).ok()?;
    let creates =
        matches!(call.request.operation, Operation::CreateSession(_) | Operation::CreateQuery(_));
    let body: Value = serde_json::from_slice(&response.body).ok().filter(|_| creates)?;
    if response.status != 200 {
        return None;
    }
    body["ID"].as_str().map(Into::into)
}

/// The part of an answer that is the same on every server: all of it with variables for ids. Of an
/// answer that is no text, that contains NUL or indexes in an error, or that is an object or a list
/// about something else than keys, sessions and transactions, it is the status alone.
fn answer_of(response: &HttpResponse, agent: &Agent, request: &HttpRequest, ids: &Ids) -> Answer {
    let status = response.status;
    let decoded = http::decode(agent, request).ok();
    let text = std::str::from_utf8(&response.body).ok();
    let Some(text) = text.filter(|text| !text.contains('\0') && !text.contains(STATES_INDEXES))
    else {
        return Answer::Status(status);
    };
    if let Some(id) = created_id(response, agent, request) {
        return ids.number(&id).map_or(Answer::Unknown, Answer::Created);
    }
    let is_of_locks = decoded.as_ref().is_none_or(|call| {
        matches!(call.format.group, EndpointGroup::Kv | EndpointGroup::Session | EndpointGroup::Txn)
    });
    let is_raw = decoded.is_some_and(|call| call.format.kind == AnswerKind::RawValue);
    match serde_json::from_str::<Value>(text).ok().filter(|_| !is_raw) {
        Some(value) if value.is_array() || value.is_object() => {
            if is_of_locks {
                Answer::Json(status, ids.json(&value))
            } else {
                Answer::Status(status)
            }
        }
        _ => Answer::Text(status, ids.template(text.trim_end_matches('\n'))),
    }
}
