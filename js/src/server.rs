//! A Consul server with a virtual clock: it takes requests as HTTP or as operations, and returns
//! answers and events with the reasons that Consul does not state. The clock advances on request
//! only.
//!
//! It does not use JavaScript, so its tests run natively.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input, Timer, Wake};
use lictor_core::http::{self, Agent, AnswerFormat, HttpRequest, HttpResponse};
use lictor_core::id::RequestId;
use lictor_core::message::{Failure, Operation, Refusal, Response};
use lictor_core::time::Instant;

use crate::types::event::{ConsulEvent, What};
use crate::types::reason::{RefusalReason, WakeReason};
use crate::types::{millis, number};

/// One Consul server with a virtual clock.
#[derive(Debug)]
pub struct Server {
    engine: Engine,
    agent: Agent,
    now: Instant,
    last_request: u64,
    /// Requests that have no answer yet, with the form that the answer takes.
    waiting: BTreeMap<RequestId, AnswerFormat>,
    answers: Vec<(RequestId, HttpResponse)>,
    /// `None` while events are not collected.
    events: Option<Vec<ConsulEvent>>,
}

/// Why an operation has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The engine refuses it.
    #[error("{text}")]
    Refused {
        /// The status of Consul's answer.
        status: u16,
        /// The body of Consul's answer.
        text: String,
        /// Consul's error, and the reason that Consul does not state.
        refusal: Box<Refusal>,
    },
    /// The agent refuses it before it reaches the engine.
    #[error("{text}")]
    Undecodable {
        /// The status of Consul's answer.
        status: u16,
        /// The body of Consul's answer.
        text: String,
    },
    /// Consul's Go client does not send it.
    #[error("{0}")]
    Unsendable(Failure),
}

impl Server {
    /// A fresh server. The seed decides the ids of sessions and the jitter of blocking queries.
    pub fn new(config: Config, seed: u64) -> Self {
        Self::resumed(Engine::new(config, seed), Instant::EPOCH, 0)
    }

    /// A server in the state of an engine. The callers of its blocking queries do not exist any
    /// more, so the queries are cancelled.
    pub(crate) fn resumed(engine: Engine, now: Instant, last_request: u64) -> Self {
        let agent = Agent::of(engine.config());
        let (waiting, answers, events) = (BTreeMap::new(), Vec::new(), None);
        let mut server = Self { engine, agent, now, last_request, waiting, answers, events };
        let parked: Vec<_> = server.engine.parked().map(|(id, _)| id).collect();
        for id in parked {
            server.step(Input::Cancel(id), None);
        }
        server
    }

    /// The engine of this server.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The time of its clock.
    pub fn now(&self) -> Instant {
        self.now
    }

    pub(crate) fn last_request(&self) -> u64 {
        self.last_request
    }

    /// The next time at which something happens without a request, and what; `None` if nothing
    /// will.
    pub fn next_deadline(&self) -> Option<(Instant, &Timer)> {
        self.engine.next_deadline()
    }

    /// Advances the clock. Timers that become due fire in order, each at its own deadline.
    pub fn advance(&mut self, span: Duration) {
        self.now = self.now.plus(span);
        self.step(Input::Tick, None);
    }

    /// Advances to the next deadline; false, without a change, if there is none.
    pub fn advance_to_next(&mut self) -> bool {
        let Some((at, _)) = self.engine.next_deadline() else { return false };
        self.now = self.now.max(at);
        self.step(Input::Tick, None);
        true
    }

    /// Makes another server the leader (TTL-05, DLY-09).
    pub fn fail_over(&mut self) {
        self.step(Input::Failover, None);
    }

    /// Begins to collect events, or stops and drops those that were collected.
    pub fn observe(&mut self, is_observed: bool) {
        self.events = is_observed.then(|| self.events.take().unwrap_or_default());
    }

    pub(crate) fn take_events(&mut self) -> Vec<ConsulEvent> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Carries out an HTTP request and returns its number. [`Self::take_answers`] has its answer at
    /// once, unless it is a blocking query that waits.
    pub fn request(&mut self, request: &HttpRequest) -> u64 {
        let id = self.arrived(&request.method, &request.target);
        match http::decode(&self.agent, request) {
            Ok(call) => {
                self.waiting.insert(id, call.format);
                self.step(Input::Request { id, request: call.request }, None);
            }
            Err(refused) => {
                let response = refused.response(&self.agent, &request.method);
                self.answered(id, response.status, None, None);
                self.answers.push((id, response));
            }
        }
        id.0
    }

    /// The answers since this was last called, with the numbers of their requests.
    pub fn take_answers(&mut self) -> Vec<(u64, HttpResponse)> {
        std::mem::take(&mut self.answers).into_iter().map(|(id, answer)| (id.0, answer)).collect()
    }

    /// Cancels a blocking query, as a client does by closing its connection.
    pub fn cancel(&mut self, request: u64) {
        let id = RequestId(request);
        if self.waiting.remove(&id).is_some() {
            self.step(Input::Cancel(id), None);
        }
        self.answers.retain(|(answered, _)| *answered != id);
    }

    /// Carries out an operation, as a request that Consul's Go client would send, and returns the
    /// typed answer with its reason. Fails if the client, the agent or the engine refuses it, and
    /// panics if it is a blocking read.
    pub fn call(&mut self, operation: &Operation) -> Result<Response, CallError> {
        let request = http::client::encode(operation).map_err(CallError::Unsendable)?;
        let id = self.arrived(&request.method, &request.target);
        let call = http::decode(&self.agent, &request).map_err(|refused| {
            let response = refused.response(&self.agent, &request.method);
            self.answered(id, response.status, None, None);
            CallError::Undecodable { status: response.status, text: response.text() }
        })?;
        let own = Some((id, &call.format));
        let result = self.step(Input::Request { id, request: call.request }, own);
        let result = result.expect("only a blocking query waits, and this is none");
        result.map_err(|refusal| {
            let response = http::encode(&self.agent, &call.format, &Err(refusal.clone()));
            let (status, text) = (response.status, response.text());
            CallError::Refused { status, text, refusal: Box::new(refusal) }
        })
    }

    fn arrived(&mut self, method: &str, target: &str) -> RequestId {
        self.last_request += 1;
        let request = self.last_request as f64;
        let (method, target) = (method.to_owned(), target.to_owned());
        self.happened(What::Requested { request, method, target });
        RequestId(self.last_request)
    }

    fn answered(
        &mut self,
        id: RequestId,
        status: u16,
        result: Option<&Reply>,
        wake: Option<&Wake>,
    ) {
        let reason = match result {
            None => None,
            Some(Ok(response)) => response.reason.as_ref(),
            Some(Err(refusal)) => refusal.reason.as_deref(),
        };
        let (reason, wake) = (reason.map(RefusalReason::from), wake.map(WakeReason::from));
        self.happened(What::Answered { request: id.0 as f64, status, reason, wake });
    }

    fn happened(&mut self, what: What) {
        let (at, index) = (millis(self.now), number(self.engine.index()));
        if let Some(events) = &mut self.events {
            events.push(ConsulEvent { at, index, what });
        }
    }

    /// Steps the engine and stores its answers and events. The answer to the request `own` is
    /// returned instead.
    fn step(&mut self, input: Input, own: Option<(RequestId, &AnswerFormat)>) -> Option<Reply> {
        let mut own_reply = None;
        for effect in self.engine.step(self.now, input) {
            match effect {
                Effect::Reply { id, result, wake } => {
                    let own = own.filter(|(own, _)| *own == id);
                    let kept = self.waiting.remove(&id);
                    let Some(format) = own.map(|(_, format)| format).or(kept.as_ref()) else {
                        continue;
                    };
                    let response = http::encode(&self.agent, format, &result);
                    self.answered(id, response.status, Some(&result), wake.as_ref());
                    match own {
                        Some(_) => own_reply = Some(result),
                        None => self.answers.push((id, response)),
                    }
                }
                Effect::Event(stamped) => {
                    if let Some(events) = &mut self.events {
                        events.extend(ConsulEvent::of(&stamped));
                    }
                }
                // No number of a request is used twice.
                Effect::Rejected { .. } => {}
            }
        }
        own_reply
    }
}

type Reply = Result<Response, Refusal>;

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::message::SessionDraft;
    use lictor_core::store::{KvVerb, Write};

    fn server() -> Server {
        let mut server = Server::new(Config::default(), 1);
        server.observe(true);
        server
    }

    fn created(server: &mut Server, draft: SessionDraft) -> lictor_core::id::SessionRef {
        let response = server.call(&Operation::CreateSession(draft.into())).expect("it is valid");
        match response.answer {
            lictor_core::message::Answer::Created(id) => id.into(),
            answer => panic!("{answer:?}"),
        }
    }

    fn acquire(session: lictor_core::id::SessionRef) -> Operation {
        let write = Write { value: (*b"web-1").into(), flags: 0 };
        Operation::Kv { key: "db/leader".into(), verb: KvVerb::Acquire { write, session } }
    }

    #[test]
    fn a_refused_acquire_states_its_reason_in_the_answer_and_in_the_event() {
        let mut server = server();
        let ttl = SessionDraft { ttl: "10s".into(), ..SessionDraft::named("a") };
        let (first, second) = (created(&mut server, ttl), SessionDraft::named("b"));
        let second = created(&mut server, second);
        assert_eq!(server.call(&acquire(first)).expect("it is carried out").reason, None);
        server.advance(Duration::from_secs(20));
        server.take_events();
        let refused = server.call(&acquire(second)).expect("it is carried out");
        assert!(refused.reason.is_some());
        let events = server.take_events();
        let answered = events.iter().find_map(|event| match &event.what {
            What::Answered { reason: Some(reason), .. } => Some(reason),
            _ => None,
        });
        assert!(matches!(answered, Some(RefusalReason::LockDelay { until: 35_000.0, .. })));
    }

    #[test]
    fn a_request_that_the_agent_refuses_has_consuls_status_and_text() {
        let mut server = server();
        let unknown = Operation::RenewSession("nothing".into());
        let error = server.call(&unknown).expect_err("there is no such session");
        assert!(matches!(error, CallError::Undecodable { .. } | CallError::Refused { .. }));
        assert!(error.to_string().contains("nothing"), "{error}");
        let statuses = server.take_events().into_iter().filter_map(|event| match event.what {
            What::Answered { status, .. } => Some(status),
            _ => None,
        });
        assert_eq!(statuses.count(), 1);
    }

    #[test]
    fn a_blocking_query_is_answered_by_the_change_that_it_waits_for() {
        let mut server = server();
        let index = server.engine().index().0;
        let target = format!("/v1/kv/a?index={index}&wait=60s");
        let watch = server.request(&HttpRequest::new("GET", &target, b""));
        assert_eq!(server.take_answers(), []);
        server.request(&HttpRequest::new("PUT", "/v1/kv/a", b"x"));
        let answered: Vec<_> = server.take_answers().into_iter().map(|it| it.0).collect();
        assert_eq!(answered, [watch + 1, watch]);
    }
}
