//! The steps of an exported test. They repeat what the server of the world received, in a form that
//! one agent accepts from one client.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Config;
use lictor_core::http::{self, Agent, HttpRequest, client};
use lictor_core::message::{Consistency, Operation};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{KvVerb, Query};
use lictor_core::time::Instant;
use lictor_sim::{Call, Outcome};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::arrivals::{Arrival, ArrivalKind};
use crate::catalog;
use crate::template::{Ids, Json, Template, Variable};

/// A test before it is written in a language.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) config: Config,
    pub(crate) steps: Vec<Step>,
    /// Whether the nodes of clients are registered in the catalog. They are if a request names or
    /// lists nodes, or if the world changes one.
    pub(crate) has_nodes: bool,
    /// The variables that requests or asserted answers contain.
    pub(crate) used: BTreeSet<Variable>,
    /// The ids that the server of the world has created.
    pub(crate) world_ids: Ids,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Time passes.
    Pass(Duration),
    /// A line about what happens in the world.
    Note(String),
    Request(Box<RequestStep>),
    /// The test reads the `ModifyIndex` of a key, which a later request names.
    ReadIndex {
        target: Template,
        index: u64,
    },
    /// Another server becomes leader.
    Failover,
}

/// A request with the answer that is asserted.
#[derive(Clone, Debug)]
pub(crate) struct RequestStep {
    pub(crate) at: Instant,
    /// The client that sent it in the world, or what sent it instead of a client.
    pub(crate) sender: String,
    pub(crate) method: String,
    pub(crate) target: Template,
    pub(crate) headers: Vec<(String, Template)>,
    pub(crate) body: Body,
    pub(crate) answer: Answer,
    /// The answer in the world, if it is known.
    pub(crate) observed: Option<Arc<Outcome>>,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Text(Template),
    /// Bytes that are no UTF-8, or that contain NUL, which a variable of bash cannot hold.
    Bytes(Vec<u8>),
}

/// What a test asserts of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing: the answer in the world depends on more than these requests.
    Unknown,
    /// The status alone.
    Status(u16),
    /// The status and the whole body, except for line ends at its end.
    Text(u16, Template),
    /// The status and the body, except for the members that differ from server to server.
    Json(u16, Json),
    /// A new id, which becomes the value of the variable with this number.
    Created(usize),
}

/// The ASCII characters that HTTP clients refuse in a target, besides all characters that are not
/// ASCII.
const REFUSED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');
/// The headers that an HTTP client sets itself, so that a test does not.
const OWN_HEADERS: [&str; 4] = ["connection", "content-length", "host", "transfer-encoding"];

struct Writer<'a> {
    agent: Agent,
    has_nodes: bool,
    ids: Ids,
    /// The wanted indexes that a step has read from their key.
    known: BTreeSet<u64>,
    /// The indexes that requests name.
    wanted: &'a BTreeSet<u64>,
    now: Instant,
    steps: Vec<Step>,
}

/// The steps that repeat these arrivals. Their answers are still unknown.
pub(crate) fn steps(config: &Config, arrivals: &[Arrival]) -> Test {
    let wanted: BTreeSet<u64> = arrivals.iter().flat_map(named_indexes).collect();
    let has_nodes = arrivals.iter().any(|arrival| names_nodes(&arrival.kind));
    let mut writer = Writer {
        agent: Agent::of(config),
        has_nodes,
        ids: Ids::default(),
        known: BTreeSet::new(),
        wanted: &wanted,
        now: Instant::EPOCH,
        steps: Vec::new(),
    };
    arrivals.iter().for_each(|arrival| writer.arrival(arrival));
    let Writer { mut steps, ids: world_ids, .. } = writer;
    // Nothing is asserted after the last request, so the test need not wait until the end.
    let is_note = |step: &Step| matches!(step, Step::Pass(_) | Step::Note(_));
    let end = steps.iter().rposition(|step| !is_note(step)).map_or(0, |last| last + 1);
    steps.truncate(end);
    Test { config: config.clone(), steps, has_nodes, used: BTreeSet::new(), world_ids }
}

impl Writer<'_> {
    fn arrival(&mut self, arrival: &Arrival) {
        let at = arrival.at;
        match &arrival.kind {
            ArrivalKind::Note(text) => {
                self.pass(at);
                self.steps.push(Step::Note(text.clone()));
            }
            ArrivalKind::Created { id } => self.ids.push(id.clone()),
            ArrivalKind::Failover => {
                self.pass(at);
                self.steps.push(Step::Failover);
            }
            ArrivalKind::Written { key, index } if self.wanted.contains(index) => {
                self.pass(at);
                self.known.insert(*index);
                let query = Query::Key(key.clone());
                let read = Operation::Read { query, wait: None, consistency: Consistency::Default };
                let Ok(request) = client::encode(&read) else { return };
                let target = self.ids.template(&request.target);
                self.steps.push(Step::ReadIndex { target, index: *index });
            }
            ArrivalKind::Written { .. } => {}
            ArrivalKind::Catalog { changes, is_join } => {
                if self.has_nodes || !is_join {
                    for (target, body) in catalog::requests(changes) {
                        let request = HttpRequest::new("PUT", target, body.as_bytes());
                        self.request(at, "the catalog", &request, None);
                    }
                }
            }
            ArrivalKind::Call { call, outcome, .. } => {
                if let Some(request) = self.on_one_agent(call) {
                    self.request(at, call.actor.as_str(), &request, outcome.as_ref());
                }
            }
        }
    }

    /// Lets time pass until a time, if it is later than that of the step before.
    fn pass(&mut self, at: Instant) {
        if at > self.now {
            self.steps.push(Step::Pass(at.since(self.now)));
            self.now = at;
        }
    }

    fn request(
        &mut self,
        at: Instant,
        sender: &str,
        request: &HttpRequest,
        outcome: Option<&Arc<Outcome>>,
    ) {
        self.pass(at);
        let target = self.ids.template(&request.target).with_index("cas=", &self.known);
        let headers = request.headers.iter();
        let headers = headers.filter(|(name, _)| !OWN_HEADERS.contains(&&*name.to_lowercase()));
        let headers = headers.map(|(name, value)| (name.clone(), self.ids.template(value)));
        let body = match std::str::from_utf8(&request.body) {
            Ok(text) if !text.contains('\0') => {
                let text = self.ids.template(text);
                Body::Text(if request.target.starts_with("/v1/txn") {
                    text.with_index("\"Index\":", &self.known)
                } else {
                    text
                })
            }
            _ => Body::Bytes(request.body.clone()),
        };
        self.steps.push(Step::Request(Box::new(RequestStep {
            at,
            sender: sender.into(),
            method: request.method.clone(),
            target,
            headers: headers.collect(),
            body,
            answer: Answer::Unknown,
            observed: outcome.cloned(),
        })));
    }

    /// The request as one agent accepts it for all clients, without waiting. `None` for a request
    /// to the client's own agent.
    fn on_one_agent(&self, call: &Call) -> Option<HttpRequest> {
        let mut request = sendable(&call.request, &self.agent);
        match call.operation() {
            Some(Operation::Agent(_)) => return None,
            Some(Operation::Read { wait: Some(_), .. }) => {
                request.target = without_wait(&request.target);
            }
            Some(Operation::CreateSession(draft)) if self.has_nodes && draft.node.is_none() => {
                request.body = with_node(&call.request.body, call.actor.as_str());
            }
            _ => {}
        }
        Some(request)
    }
}

/// The request with its target percent-encoded where HTTP clients refuse a character, if that means
/// the same.
fn sendable(request: &HttpRequest, agent: &Agent) -> HttpRequest {
    let target = utf8_percent_encode(&request.target, REFUSED).to_string();
    let encoded = HttpRequest { target, ..request.clone() };
    let means_the_same = http::decode(agent, &encoded) == http::decode(agent, request);
    if means_the_same { encoded } else { request.clone() }
}

/// The target of a blocking query as that of a read that is answered at once.
fn without_wait(target: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let is_kept = |parameter: &&str| {
        let name = parameter.split('=').next().unwrap_or_default();
        !["index", "wait", "hash", ""].contains(&name)
    };
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    if kept.is_empty() { path.into() } else { format!("{path}?{}", kept.join("&")) }
}

/// The body of a new session with its node, which a client's own agent would add.
fn with_node(body: &[u8], node: &str) -> Vec<u8> {
    let member = format!("{{\"Node\":{}", serde_json::Value::from(node));
    let text = String::from_utf8_lossy(body);
    let Some((before, after)) = text.split_once('{') else { return (member + "}").into() };
    let comma = if after.trim_start().starts_with('}') { "" } else { "," };
    format!("{before}{member}{comma}{after}").into()
}

/// The indexes that a request requires keys to have.
fn named_indexes(arrival: &Arrival) -> Vec<u64> {
    let ArrivalKind::Call { call, .. } = &arrival.kind else { return Vec::new() };
    let of_verb = |verb: &KvVerb| match verb {
        KvVerb::Cas { expected, .. } | KvVerb::DeleteCas { expected } => Some(expected.0),
        _ => None,
    };
    let of_operation = |operation: &TxnOp| match operation {
        TxnOp::Kv { verb: TxnVerb::Write(verb), .. } => of_verb(verb),
        TxnOp::Kv { verb: TxnVerb::CheckIndex(index), .. } => Some(index.0),
        _ => None,
    };
    match call.operation() {
        Some(Operation::Kv { verb, .. }) => of_verb(verb).into_iter().collect(),
        Some(Operation::Txn(operations)) => operations.iter().filter_map(of_operation).collect(),
        _ => Vec::new(),
    }
}

/// Whether the nodes of clients have to be registered for the same answer.
fn names_nodes(arrival: &ArrivalKind) -> bool {
    let call = match arrival {
        ArrivalKind::Catalog { is_join, .. } => return !is_join,
        ArrivalKind::Call { call, .. } => call,
        _ => return false,
    };
    let is_of_keys = |operation: &TxnOp| matches!(operation, TxnOp::Kv { .. });
    match call.operation() {
        None | Some(Operation::DestroySession(_) | Operation::RenewSession(_)) => false,
        Some(Operation::Kv { .. } | Operation::Agent(_) | Operation::Server(_)) => false,
        Some(Operation::CreateSession(draft)) => draft.node.is_some(),
        Some(Operation::Txn(operations)) => !operations.iter().all(is_of_keys),
        Some(Operation::Read { query, .. }) => !matches!(
            query,
            Query::Key(_)
                | Query::Tree(_)
                | Query::Keys { .. }
                | Query::Session(_)
                | Query::Sessions
        ),
        Some(_) => true,
    }
}

impl Test {
    /// Sets the variables that are used.
    pub(crate) fn find_used(&mut self) {
        let mut used = BTreeSet::new();
        for step in &self.steps {
            match step {
                Step::Request(request) => request.add_variables(&mut used),
                Step::ReadIndex { target, .. } => used.extend(target.variables()),
                Step::Pass(_) | Step::Note(_) | Step::Failover => {}
            }
        }
        self.used = used;
    }

    /// Whether a request or an asserted answer contains a variable.
    pub(crate) fn uses(&self, variable: Variable) -> bool {
        self.used.contains(&variable)
    }

    /// The flags with which `lictor-agent` has the configuration of the server of the world.
    pub(crate) fn agent_flags(&self) -> Vec<String> {
        let (config, default) = (&self.config, Config::default());
        let mut flags = Vec::new();
        let mut add = |name: &str, value: String| flags.extend([name.into(), value]);
        if config.version != default.version {
            add("--consul-version", config.version.name().into());
        }
        if config.datacenter != default.datacenter {
            add("-datacenter", config.datacenter.clone());
        }
        if config.node != default.node {
            add("-node", config.node.to_string());
        }
        if config.session_ttl_min != default.session_ttl_min {
            add("--session-ttl-min", duration::print_exact(config.session_ttl_min));
        }
        if config.disable_kv_key_validation {
            add("-hcl", "disable_kv_key_validation = true".into());
        }
        flags
    }
}

impl RequestStep {
    fn add_variables(&self, used: &mut BTreeSet<Variable>) {
        used.extend(self.target.variables());
        self.headers.iter().for_each(|(_, value)| used.extend(value.variables()));
        if let Body::Text(text) = &self.body {
            used.extend(text.variables());
        }
        match &self.answer {
            Answer::Text(_, text) => used.extend(text.variables()),
            Answer::Json(_, json) => json.add_variables(used),
            Answer::Unknown | Answer::Status(_) | Answer::Created(_) => {}
        }
    }
}
