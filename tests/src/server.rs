//! A server in virtual time as a trait, so that a vector can be replayed on any: requests, answers,
//! and a clock that can be advanced. [`EngineServer`] implements it with the engine and its HTTP.

use std::collections::BTreeMap;

use lictor_core::engine::{Config, Effect, Engine, Input};
use lictor_core::http::{Agent, AnswerFormat, Call, HttpRequest, HttpResponse, decode, encode};
use lictor_core::id::RequestId;
use lictor_core::time::Instant;

use crate::vector;

/// A freshly started server in virtual time.
pub trait VirtualServer {
    fn now(&self) -> Instant;

    /// The time of the next deadline.
    fn next_deadline(&self) -> Option<Instant>;

    /// Advances the clock. Timers that become due fire in order, each at its own deadline.
    fn advance_to(&mut self, to: Instant);

    /// Sends a request and returns its number.
    fn send(&mut self, request: HttpRequest) -> u64;

    /// The answer to the request of a number; `None` if it has not arrived.
    fn answer(&self, request: u64) -> Option<&ServerAnswer>;
}

/// An answer and the time of its arrival.
#[derive(Clone, Debug)]
pub struct ServerAnswer {
    pub at: Instant,
    pub response: HttpResponse,
}

/// An engine with its HTTP as values: no socket, no network.
pub struct EngineServer {
    engine: Engine,
    agent: Agent,
    now: Instant,
    /// The answer formats of the pending requests.
    formats: BTreeMap<RequestId, AnswerFormat>,
    answers: BTreeMap<RequestId, ServerAnswer>,
    sent: u64,
}

impl EngineServer {
    /// A server like the recorded one, with the configuration of a vector.
    pub fn new(config: &vector::VectorConfig) -> Self {
        let mut engine = Config::of(config.version);
        if let Some(ttl) = config.session_ttl_min {
            engine.session_ttl_min = ttl;
        }
        engine.disable_kv_key_validation = config.disable_kv_key_validation;
        let agent = Agent::of(&engine);
        Self {
            engine: Engine::new(engine, 1),
            agent,
            now: Instant::EPOCH,
            formats: BTreeMap::new(),
            answers: BTreeMap::new(),
            sent: 0,
        }
    }

    fn step(&mut self, input: Input) {
        for effect in self.engine.step(self.now, input) {
            if let Effect::Reply { id, result, .. } = effect
                && let Some(format) = self.formats.remove(&id)
            {
                let response = encode(&self.agent, &format, &result);
                self.answers.insert(id, ServerAnswer { at: self.now, response });
            }
        }
    }
}

impl VirtualServer for EngineServer {
    fn now(&self) -> Instant {
        self.now
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.engine.next_deadline().map(|(at, _)| at)
    }

    fn advance_to(&mut self, to: Instant) {
        while let Some(at) = self.next_deadline().filter(|at| *at <= to) {
            self.now = at;
            self.step(Input::Tick);
        }
        self.now = to;
    }

    fn send(&mut self, request: HttpRequest) -> u64 {
        self.sent += 1;
        let id = RequestId(self.sent);
        match decode(&self.agent, &request) {
            Ok(Call { request, format }) => {
                self.formats.insert(id, format);
                self.step(Input::Request { id, request });
            }
            Err(refused) => {
                let response = refused.response(&self.agent, &request.method);
                self.answers.insert(id, ServerAnswer { at: self.now, response });
            }
        }
        id.0
    }

    fn answer(&self, request: u64) -> Option<&ServerAnswer> {
        self.answers.get(&RequestId(request))
    }
}
