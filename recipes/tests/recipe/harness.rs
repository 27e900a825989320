//! The test harness: one engine, and programs that send it HTTP requests as values over a network
//! that delivers at once or fails. Time advances from one deadline to the next.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input};
use lictor_core::http::{self, Agent, AnswerFormat, HttpRequest, HttpResponse, client};
use lictor_core::id::RequestId;
use lictor_core::message::{Failure, Operation, Response};
use lictor_core::store::Entry;
use lictor_core::time::Instant;
use lictor_recipes::{
    Action, Belief, CallId, Order, Program, Recipe, Report, Script, SessionRenewer, Stimulus, Use,
};

pub(crate) struct Harness {
    engine: Engine,
    agent: Agent,
    now: Instant,
    clients: Vec<Client>,
    calls: BTreeMap<RequestId, HarnessCall>,
    sent: u64,
}

/// A program with everything that it has sent and reported.
pub(crate) struct Client {
    pub(crate) program: Program,
    pub(crate) reports: Vec<(Instant, Report)>,
    /// Methods and targets.
    pub(crate) sent: Vec<(Duration, String)>,
    pub(crate) uses: Vec<(Instant, Use)>,
    pub(crate) network: Network,
    /// The network for calls that begin with this text, in place of `network`.
    exception: Option<(String, Network)>,
}

/// The network between a client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Network {
    Works,
    /// Each call fails at once: the server cannot be reached.
    Refuses,
    /// Calls are lost.
    IsSilent,
    /// Calls take effect, but their answers are lost.
    LosesAnswers,
    /// Each call is answered with this status.
    Answers(u16),
}

struct HarnessCall {
    caller: Option<usize>,
    call: CallId,
    /// The operation to decode the answer for, and the network that it travels over.
    operation: Option<(Operation, Network)>,
    format: AnswerFormat,
    answer: Option<HttpResponse>,
}

impl Harness {
    pub(crate) fn new() -> Self {
        let config = Config::default();
        let agent = Agent::of(&config);
        Self {
            engine: Engine::new(config, 1),
            agent,
            now: Instant::EPOCH,
            clients: Vec::new(),
            calls: BTreeMap::new(),
            sent: 0,
        }
    }

    pub(crate) fn add(&mut self, program: Program) -> usize {
        self.clients.push(Client {
            program,
            reports: Vec::new(),
            sent: Vec::new(),
            uses: Vec::new(),
            network: Network::Works,
            exception: None,
        });
        self.clients.len() - 1
    }

    /// Adds a program and starts it.
    pub(crate) fn start(&mut self, program: Program) -> usize {
        let at = self.add(program);
        self.order(at, Order::Start);
        at
    }

    pub(crate) fn order(&mut self, client: usize, order: Order) {
        self.stimulate(client, Stimulus::Order(order));
    }

    pub(crate) fn set_network(&mut self, client: usize, network: Network) {
        self.clients[client].network = network;
    }

    /// From now on calls that begin with this text are answered with 500.
    pub(crate) fn fail_at(&mut self, client: usize, call: &str) {
        self.clients[client].exception = Some((call.to_owned(), Network::Answers(500)));
    }

    /// From now on calls that begin with this text take effect, but their answers are lost.
    pub(crate) fn lose_answers_at(&mut self, client: usize, call: &str) {
        self.clients[client].exception = Some((call.to_owned(), Network::LosesAnswers));
    }

    /// From now on calls that begin with this text are lost.
    pub(crate) fn silence(&mut self, client: usize, call: &str) {
        self.clients[client].exception = Some((call.to_owned(), Network::IsSilent));
    }

    /// Answers the renewal that a client waits for.
    pub(crate) fn answer_renewal(&mut self, client: usize, result: Result<Response, Failure>) {
        let mut pending = self.clients[client].program.outstanding().iter();
        let renewal = pending.find(|it| matches!(it.operation, Operation::RenewSession(_)));
        let call = renewal.expect("a renewal is pending").call;
        self.reply(client, call, result);
    }

    /// Ends the program and breaks its connections.
    pub(crate) fn crash(&mut self, client: usize) {
        let gone = self.calls.iter().filter(|(_, call)| call.caller == Some(client));
        for id in gone.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.calls.remove(&id);
            self.input(Input::Cancel(id));
        }
        self.clients[client].program = Program::new(Recipe::Script(Script::new(Vec::new())));
    }

    /// Creates a session that belongs to no client, and returns its id.
    pub(crate) fn session(&mut self, body: &str) -> String {
        let answer = self.ask("PUT", "/v1/session/create", body).text();
        answer.split('"').nth(3).expect("an id").to_owned()
    }

    /// Destroys the session of a client with a request of another caller.
    pub(crate) fn destroy_session_of(&mut self, client: usize) {
        let session =
            self.clients[client].program.renewer().and_then(SessionRenewer::session).cloned();
        let session = session.expect("a session");
        self.ask("PUT", &format!("/v1/session/destroy/{session}"), "");
    }

    pub(crate) fn now(&self) -> Duration {
        self.now.since(Instant::EPOCH)
    }

    pub(crate) fn client(&self, client: usize) -> &Client {
        &self.clients[client]
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.engine.store().kv().get(key).map(|entry| &**entry)
    }

    pub(crate) fn sessions(&self) -> usize {
        self.engine.store().sessions().len()
    }

    /// Advances time; everything that is due meanwhile runs at its own time.
    pub(crate) fn run(&mut self, seconds: u64) {
        self.run_for(Duration::from_secs(seconds));
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
        let to = self.now.plus(span);
        while let Some(at) = self.next_deadline().filter(|at| *at <= to) {
            self.now = at;
            self.input(Input::Tick);
            for client in 0..self.clients.len() {
                let next = self.clients[client].program.next_deadline();
                if next.is_some_and(|(due, _)| due <= at) {
                    self.stimulate(client, Stimulus::Tick);
                }
            }
        }
        self.now = to;
    }

    /// Sends a request of another caller and returns its answer.
    pub(crate) fn ask(&mut self, method: &str, target: &str, body: &str) -> HttpResponse {
        let request = HttpRequest::new(method, target, body.as_bytes());
        let id = self.next_id();
        self.request(id, &request, |format| HarnessCall {
            caller: None,
            call: CallId(0),
            operation: None,
            format,
            answer: None,
        });
        let call = self.calls.remove(&id);
        call.and_then(|call| call.answer).expect("an answer at once")
    }

    fn next_deadline(&self) -> Option<Instant> {
        let programs = self.clients.iter().filter_map(|client| client.program.next_deadline());
        let own = self.engine.next_deadline().map(|(at, _)| at);
        programs.map(|(at, _)| at).chain(own).min()
    }

    fn stimulate(&mut self, client: usize, stimulus: Stimulus) {
        let mut actions = Vec::new();
        self.clients[client].program.step(self.now, stimulus, &mut actions);
        for action in actions {
            match action {
                Action::Send { call, operation } => self.send(client, call, operation),
                Action::Abandon(call) => self.abandon(client, call),
                Action::Report(report) => self.clients[client].reports.push((self.now, report)),
                Action::Use(written) => self.clients[client].uses.push((self.now, written)),
            }
        }
    }

    fn send(&mut self, client: usize, call: CallId, operation: Operation) {
        let request = match client::encode(&operation) {
            Ok(request) => request,
            Err(failure) => return self.reply(client, call, Err(failure)),
        };
        let line = format!("{} {}", request.method, request.target);
        let network = self.clients[client].network_of(&line);
        self.clients[client].sent.push((self.now.since(Instant::EPOCH), line));
        match network {
            Network::IsSilent => {}
            Network::Refuses => self.reply(client, call, Err(Failure::Unreachable)),
            Network::Answers(status) => {
                let answer = HttpResponse { status, headers: Vec::new(), body: b"no".to_vec() };
                self.reply(client, call, client::decode(&operation, &answer));
            }
            Network::Works | Network::LosesAnswers => {
                let id = self.next_id();
                self.request(id, &request, |format| HarnessCall {
                    caller: Some(client),
                    call,
                    operation: Some((operation, network)),
                    format,
                    answer: None,
                });
            }
        }
    }

    fn abandon(&mut self, client: usize, call: CallId) {
        let is_it = |it: &HarnessCall| it.caller == Some(client) && it.call == call;
        let id = self.calls.iter().find(|(_, it)| is_it(it)).map(|(id, _)| *id);
        if let Some(id) = id {
            self.calls.remove(&id);
            self.input(Input::Cancel(id));
        }
    }

    fn request(
        &mut self,
        id: RequestId,
        request: &HttpRequest,
        call: impl FnOnce(AnswerFormat) -> HarnessCall,
    ) {
        let decoded = http::decode(&self.agent, request);
        let decoded = decoded.expect("a valid request");
        self.calls.insert(id, call(decoded.format));
        self.input(Input::Request { id, request: decoded.request });
    }

    fn input(&mut self, input: Input) {
        for effect in self.engine.step(self.now, input) {
            if let Effect::Reply { id, result, .. } = effect {
                let Some(call) = self.calls.get_mut(&id) else { continue };
                let answer = http::encode(&self.agent, &call.format, &result);
                let (Some(client), Some((operation, network))) = (call.caller, &call.operation)
                else {
                    call.answer = Some(answer);
                    continue;
                };
                let (call, read) = (call.call, client::decode(operation, &answer));
                let network = *network;
                self.calls.remove(&id);
                self.deliver(client, call, network, read);
            }
        }
    }

    /// Delivers an answer over the network, which may have changed since the request.
    fn deliver(
        &mut self,
        client: usize,
        call: CallId,
        sent_over: Network,
        result: Result<Response, Failure>,
    ) {
        match (sent_over, self.clients[client].network) {
            (Network::LosesAnswers, _) | (_, Network::IsSilent | Network::LosesAnswers) => {}
            (_, Network::Refuses) => self.reply(client, call, Err(Failure::Unreachable)),
            (_, Network::Answers(code)) => {
                self.reply(client, call, Err(Failure::Status { code, text: "no".into() }));
            }
            (_, Network::Works) => self.reply(client, call, result),
        }
    }

    fn reply(&mut self, client: usize, call: CallId, result: Result<Response, Failure>) {
        self.stimulate(client, Stimulus::Reply { call, result });
    }

    fn next_id(&mut self) -> RequestId {
        self.sent += 1;
        RequestId(self.sent)
    }
}

impl Client {
    fn network_of(&self, line: &str) -> Network {
        let exception = self.exception.as_ref().filter(|(call, _)| line.starts_with(call));
        exception.map_or(self.network, |(_, network)| *network)
    }

    pub(crate) fn state(&self) -> &'static str {
        self.program.state()
    }

    pub(crate) fn believes(&self) -> bool {
        matches!(self.program.belief(), Belief::Believes { .. })
    }

    /// The time of the first report that matches.
    pub(crate) fn first(&self, is_it: impl Fn(&Report) -> bool) -> Option<Duration> {
        let found = self.reports.iter().find(|(_, report)| is_it(report));
        found.map(|(at, _)| at.since(Instant::EPOCH))
    }

    pub(crate) fn count(&self, is_it: impl Fn(&Report) -> bool) -> usize {
        self.reports.iter().filter(|(_, report)| is_it(report)).count()
    }

    pub(crate) fn acquired(&self) -> Option<Duration> {
        self.first(|report| matches!(report, Report::Acquired { .. }))
    }

    /// The texts of all reported errors.
    pub(crate) fn errors(&self) -> Vec<String> {
        let errors = self.reports.iter().filter_map(|(_, report)| match report {
            Report::Failed(error) => Some(error.to_string()),
            _ => None,
        });
        errors.collect()
    }
}
