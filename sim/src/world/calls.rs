//! Calls between clients and the server: requests travel over links, are executed, and answers
//! travel back. What the caller knows ([`Pending`]) and what has really happened (`Served`) are
//! separate. Links decide the fate of a message (`link`); `server` steps the engine.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::World;
use super::causes::CausalContext;
use super::hosts::Condition;
use super::queue::{InFlightRequest, QueuedEvent, Reply, ScheduledEvent};
use crate::event::{CallStage, Caller, EventKind, MessageLoss, Outcome, Travel};
use crate::link::{Cut, CutMode, Fate, Leg};
use lictor_core::engine::{Input, Timer, Wake};
use lictor_core::http::{self, AnswerFormat, HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Key, NodeName, RequestId};
use lictor_core::message::{AgentCall, Failure, Operation, Refusal, Request, Response};
use lictor_core::store::Query;
use lictor_core::time::Instant;

/// A call whose caller waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The client.
    pub actor: ActorName,
    /// Its user or a program.
    pub caller: Caller,
    /// What was sent.
    pub request: Arc<HttpRequest>,
    /// When it was sent.
    pub sent: Instant,
    /// How far it really is.
    pub stage: CallStage,
}

/// A request that waits at the server, whether or not its caller still does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Served {
    call: RequestId,
    actor: ActorName,
    arrived: Instant,
    format: AnswerFormat,
    agent: http::Agent,
    /// Its key, to name the reason of its answer.
    key: Option<Key>,
    /// Whether it had to wait, and was not answered at the time of its arrival.
    parked: bool,
}

impl World {
    /// The pending calls, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = (RequestId, &Pending)> {
        self.pending.iter().map(|(id, pending)| (*id, &**pending))
    }

    /// Sends a request for a client.
    pub(super) fn send(
        &mut self,
        (actor, caller): (&ActorName, Caller),
        request: HttpRequest,
        cause: Option<u64>,
    ) {
        let (id, request) = (self.mint_request(), Arc::new(request));
        if let Caller::Program { program, call } = &caller {
            self.carries(program, *call, id);
        }
        let sent = EventKind::Sent {
            id,
            actor: actor.clone(),
            caller: caller.clone(),
            request: request.clone(),
        };
        let event = self.note(cause, sent);
        let pending = Pending {
            actor: actor.clone(),
            caller,
            request: request.clone(),
            sent: self.now,
            stage: CallStage::Sent,
        };
        self.pending.insert(id, Box::new(pending));
        let cut = self.actor(actor.as_str()).and_then(|host| host.cut);
        if cut.is_some_and(Cut::refuses) {
            return self.break_call(id, Some(event));
        }
        let in_flight = InFlightRequest { id, call: id, actor: actor.clone(), request };
        self.post(in_flight, event);
    }

    /// Sends a request over the link: it is lost, arrives at once, or is scheduled to arrive once
    /// or twice.
    fn post(&mut self, in_flight: InFlightRequest, cause: u64) {
        let now = self.now;
        let Some(host) = self.host(&in_flight.actor) else { return };
        if host.cut.is_some_and(|cut| cut.stops(Leg::Request)) {
            return self.lose_request(&in_flight, MessageLoss::Cut, Some(cause));
        }
        match host.fate(Leg::Request, now) {
            Fate::Lost => self.lose_request(&in_flight, MessageLoss::Chance, Some(cause)),
            Fate::Once(at) if at == now => self.serve(in_flight, Some(cause)),
            Fate::Once(at) => {
                self.plan(at, Some(cause), ScheduledEvent::Request(Box::new(in_flight)));
            }
            Fate::Twice(one, other) => {
                let copy = InFlightRequest { id: self.mint_request(), ..in_flight.clone() };
                self.plan(one, Some(cause), ScheduledEvent::Request(Box::new(in_flight)));
                self.plan(other, Some(cause), ScheduledEvent::Request(Box::new(copy)));
            }
        }
    }

    /// A request arrives at the server.
    pub(super) fn arrive(&mut self, in_flight: InFlightRequest, cause: Option<u64>) {
        let host = self.actor(in_flight.actor.as_str());
        if host.and_then(|host| host.cut).is_some_and(|cut| cut.stops(Leg::Request)) {
            return self.lose_request(&in_flight, MessageLoss::Cut, cause);
        }
        let (id, call, actor) = (in_flight.id, in_flight.call, in_flight.actor.clone());
        let arrived = self.note(cause, EventKind::Travel(Travel::Arrived { id, call, actor }));
        self.serve(in_flight, Some(arrived));
    }

    /// What the server would answer to a read now. The world does not change, and a request that
    /// would change it returns none.
    pub fn look(&self, target: &str) -> Option<HttpResponse> {
        let config = self.engine.config();
        let agent = self.agent(config.node.clone());
        let request = HttpRequest::new("GET", target, b"");
        match http::decode(&agent, &request) {
            Err(refused) => Some(refused.response(&agent, &request.method)),
            Ok(call) => match call.request.operation {
                Operation::Read { query, .. } => {
                    Some(http::encode(&agent, &call.format, &self.engine.look(&query)))
                }
                _ => None,
            },
        }
    }

    fn agent(&self, node: NodeName) -> http::Agent {
        http::Agent { node, ..http::Agent::of(self.engine.config()) }
    }

    /// Decodes a request as the client's agent does, and hands it to the server.
    fn serve(&mut self, in_flight: InFlightRequest, cause: Option<u64>) {
        let InFlightRequest { id, call, actor, request } = in_flight;
        let Some(host) = self.actor(actor.as_str()) else { return };
        let agent = self.agent(host.node.clone());
        self.set_stage(call, CallStage::Waits);
        match http::decode(&agent, &request) {
            Err(refused) => {
                let response = Arc::new(refused.response(&agent, &request.method));
                let outcome = Outcome::refused(refused);
                self.respond(Reply { call, actor, response, outcome }, cause);
            }
            Ok(understood) => {
                let by = Some(actor.clone());
                let served = Served {
                    call,
                    actor,
                    arrived: self.now,
                    format: understood.format,
                    agent,
                    key: key_of(&understood.request.operation),
                    parked: false,
                };
                self.served_by_call.insert((call, id));
                self.served.insert(id, Box::new(served));
                self.hear_of_check(&understood.request, cause);
                let input = Input::Request { id, request: understood.request };
                self.input(input, CausalContext::of(cause, by));
            }
        }
    }

    /// Records that a request has started the TTL of an agent's check.
    fn hear_of_check(&mut self, request: &Request, cause: Option<u64>) {
        let (Operation::Agent(call), Some(event)) = (&request.operation, cause) else { return };
        let mut arm = |(node, check)| self.causes.arm(Timer::CheckTtl(node, check), event);
        match &**call {
            AgentCall::RegisterCheck { check, .. } => arm(check.path()),
            AgentCall::RegisterService { checks, .. } => {
                checks.iter().for_each(|(check, _)| arm(check.path()));
            }
            AgentCall::UpdateCheck { id, .. } => arm((request.agent.folded(), id.folded())),
            AgentCall::DeregisterCheck(_)
            | AgentCall::Maintenance { .. }
            | AgentCall::DeregisterService(_)
            | AgentCall::Checks
            | AgentCall::Services(_)
            | AgentCall::FireEvent(_)
            | AgentCall::Leave => {}
        }
    }

    /// Handles an answer of the engine.
    pub(super) fn reply(
        &mut self,
        id: RequestId,
        (result, wake): (Result<Response, Refusal>, Option<Wake>),
        lead: &CausalContext,
    ) {
        // Requests of the world itself, such as the registration of a new client's node, have no
        // caller.
        let Some(served) = self.take_served(id) else { return };
        let response = Arc::new(http::encode(&served.agent, &served.format, &result));
        let waited = served.parked.then(|| self.now.since(served.arrived));
        let mut outcome = Outcome::of(result, &response, waited);
        let reason = outcome.reason.as_ref();
        outcome.because = reason.and_then(|it| self.causes.because(it, served.key.as_ref()));
        let cause = if wake.is_some() { lead.wake() } else { lead.latest() };
        outcome.wake = wake.map(Box::new);
        let Served { call, actor, .. } = *served;
        self.respond(Reply { call, actor, response, outcome }, cause);
    }

    /// Sends an answer over the link: it is lost, arrives at once, or is scheduled to arrive.
    fn respond(&mut self, reply: Reply, cause: Option<u64>) {
        self.set_stage(reply.call, CallStage::Done);
        let now = self.now;
        let is_lost_by_fault = self.take_lost_answer(&reply.actor, cause);
        let Some(host) = self.host(&reply.actor) else { return };
        let is_cut = host.cut.is_some_and(|cut| cut.stops(Leg::Answer));
        if is_lost_by_fault || is_cut {
            let loss = if is_lost_by_fault { MessageLoss::LostAnswer } else { MessageLoss::Cut };
            return self.lose_answer(reply, loss, cause);
        }
        match host.fate(Leg::Answer, now) {
            Fate::Lost => self.lose_answer(reply, MessageLoss::Chance, cause),
            Fate::Once(at) | Fate::Twice(at, _) if at == now => self.deliver(reply, cause),
            Fate::Once(at) | Fate::Twice(at, _) => {
                self.plan(at, cause, ScheduledEvent::Answer(Box::new(reply)));
            }
        }
    }

    /// Delivers an answer to its client.
    pub(super) fn deliver(&mut self, reply: Reply, cause: Option<u64>) {
        let Some(host) = self.host(&reply.actor) else { return };
        if host.cut.is_some_and(|cut| cut.stops(Leg::Answer)) {
            return self.lose_answer(reply, MessageLoss::Cut, cause);
        }
        match host.condition {
            Condition::Up => {}
            Condition::Paused => {
                host.inbox.push(QueuedEvent {
                    cause,
                    scheduled: ScheduledEvent::Answer(Box::new(reply)),
                });
                return;
            }
            Condition::Down => return self.lose_answer(reply, MessageLoss::Down, cause),
        }
        let Reply { call, actor, response, outcome } = reply;
        let Some(pending) = self.pending.remove(&call) else {
            self.note(cause, EventKind::Travel(Travel::Late { call, actor }));
            return;
        };
        let Pending { caller, request, .. } = *pending;
        let answer = response.clone();
        let answered = EventKind::Answered { id: call, actor, request, response, outcome };
        let event = self.note(cause, answered);
        self.pass_on(caller, Ok(&answer), event);
    }

    /// Cancels a call. The server notices as soon as the link delivers the message.
    pub(super) fn cancel(&mut self, id: RequestId, cause: Option<u64>) {
        let Some(pending) = self.pending.remove(&id) else { return };
        let Pending { actor, stage, .. } = *pending;
        let gone = EventKind::Cancelled { id, actor: actor.clone(), stage };
        let event = self.note(cause, gone);
        self.hang_up(id, &actor, Some(event));
    }

    /// Fails a call: the caller gets an error in place of an answer.
    fn break_call(&mut self, call: RequestId, cause: Option<u64>) {
        let Some(pending) = self.pending.remove(&call) else { return };
        let Pending { actor, caller, stage, .. } = *pending;
        let broken = EventKind::Travel(Travel::Broken { call, actor, stage });
        let event = self.note(cause, broken);
        self.pass_on(caller, Err(Failure::Unreachable), event);
    }

    /// Passes the result of a call to the program that made it.
    fn pass_on(&mut self, caller: Caller, answer: Result<&HttpResponse, Failure>, event: u64) {
        match caller {
            Caller::Person => {}
            Caller::Program { program, call } => {
                self.answer_program((program, call), answer, Some(event));
            }
        }
    }

    /// Fails all calls of a client. The server notices, unless the link drops that message, too.
    pub(super) fn break_calls(&mut self, actor: &ActorName, cause: Option<u64>) {
        let of_actor = self.pending.iter().filter(|(_, pending)| pending.actor == *actor);
        let calls: Vec<_> = of_actor.map(|(id, _)| *id).collect();
        for call in calls {
            self.break_call(call, cause);
        }
        let cut = self.actor(actor.as_str()).and_then(|host| host.cut);
        if cut.is_some_and(|cut| cut.stops(Leg::Request) && cut.manner == CutMode::Drop) {
            return;
        }
        let served = self.served.iter().filter(|(_, served)| served.actor == *actor);
        let served: Vec<_> = served.map(|(id, _)| *id).collect();
        for id in served {
            self.close(id, cause);
        }
    }

    /// Closes a cancelled call at the server, unless the link drops the message.
    fn hang_up(&mut self, call: RequestId, actor: &ActorName, cause: Option<u64>) {
        let copies = self.served_by_call.range((call, RequestId(0))..=(call, RequestId(u64::MAX)));
        let served: Vec<_> = copies.map(|(_, id)| *id).collect();
        let now = self.now;
        for id in served {
            let Some(host) = self.host(actor) else { return };
            if host.cut.is_some_and(|cut| cut.stops(Leg::Request)) {
                return;
            }
            match host.fate(Leg::Request, now) {
                Fate::Lost => {}
                Fate::Once(at) | Fate::Twice(at, _) if at == now => self.close(id, cause),
                Fate::Once(at) | Fate::Twice(at, _) => {
                    self.plan(at, cause, ScheduledEvent::HangUp { id });
                }
            }
        }
    }

    /// Handles the arrival of the message that a caller has cancelled.
    pub(super) fn hear_hang_up(&mut self, id: RequestId, cause: Option<u64>) {
        let Some(served) = self.served.get(&id) else { return };
        let actor = served.actor.clone();
        let host = self.actor(actor.as_str());
        if host.and_then(|host| host.cut).is_some_and(|cut| cut.stops(Leg::Request)) {
            return;
        }
        let event = self.note(cause, EventKind::Travel(Travel::HungUp { id, actor }));
        self.close(id, Some(event));
    }

    fn take_served(&mut self, id: RequestId) -> Option<Box<Served>> {
        let served = self.served.remove(&id)?;
        self.served_by_call.remove(&(served.call, id));
        Some(served)
    }

    fn close(&mut self, id: RequestId, cause: Option<u64>) {
        if let Some(served) = self.take_served(id) {
            self.input(Input::Cancel(id), CausalContext::of(cause, Some(served.actor)));
        }
    }

    /// A request of the world itself, such as the registration of a node. Its answer is dropped.
    pub(super) fn ask(&mut self, agent: NodeName, operation: Operation, cause: Option<u64>) {
        let id = self.mint_request();
        let input = Input::Request { id, request: Request { agent, operation } };
        self.input(input, CausalContext::of(cause, None));
    }

    pub(super) fn mark_parked(&mut self, id: RequestId) {
        if let Some(served) = self.served.get_mut(&id) {
            served.parked = true;
        }
    }

    /// The first invariant that the calls violate, if any.
    pub(super) fn call_violation(&self) -> Option<&'static str> {
        let is_known = |actor: &ActorName| self.actor(actor.as_str()).is_some();
        let is_served = |served: &Served| served.parked && is_known(&served.actor);
        let is_sent = |(id, pending): (RequestId, &Pending)| {
            id.0 < self.next_request && pending.sent <= self.now && is_known(&pending.actor)
        };
        if !self.engine.parked().map(|it| it.0).eq(self.served.keys().copied()) {
            return Some("every query that waits was sent by someone");
        }
        let by_call: BTreeSet<_> = self.served.iter().map(|(id, of)| (of.call, *id)).collect();
        if by_call != self.served_by_call {
            return Some("every request at the server is found by its call");
        }
        if !self.served.values().all(|served| is_served(served)) {
            return Some("what the server keeps open waits");
        }
        let is_new = |in_flight: &InFlightRequest| {
            in_flight.id.0 < self.next_request && !self.served.contains_key(&in_flight.id)
        };
        let is_on_its_way = |scheduled: &ScheduledEvent| match scheduled {
            ScheduledEvent::Request(in_flight) => is_new(in_flight),
            ScheduledEvent::Answer(_)
            | ScheduledEvent::Stimulus { .. }
            | ScheduledEvent::HangUp { .. }
            | ScheduledEvent::FaultBegins { .. }
            | ScheduledEvent::FaultEnds { .. }
            | ScheduledEvent::SilenceNoticed { .. } => true,
        };
        if !self.scheduled_events().all(|(_, scheduled)| is_on_its_way(scheduled)) {
            return Some("a request arrives once");
        }
        (!self.pending().all(is_sent)).then_some("every caller has sent a request")
    }

    fn lose_request(&mut self, in_flight: &InFlightRequest, loss: MessageLoss, cause: Option<u64>) {
        if in_flight.id == in_flight.call {
            self.set_stage(in_flight.call, CallStage::Lost(Leg::Request));
        }
        let (call, actor) = (in_flight.call, in_flight.actor.clone());
        self.note(cause, EventKind::Travel(Travel::RequestLost { call, actor, loss }));
    }

    fn lose_answer(&mut self, reply: Reply, loss: MessageLoss, cause: Option<u64>) {
        let Reply { call, actor, outcome, .. } = reply;
        let outcome = Box::new(outcome);
        self.set_stage(call, CallStage::Lost(Leg::Answer));
        self.note(cause, EventKind::Travel(Travel::AnswerLost { call, actor, loss, outcome }));
    }

    fn set_stage(&mut self, call: RequestId, stage: CallStage) {
        if let Some(pending) = self.pending.get_mut(&call) {
            pending.stage = stage;
        }
    }
}

/// The key that an operation reads or writes.
fn key_of(operation: &Operation) -> Option<Key> {
    match operation {
        Operation::Kv { key, .. } => Some(key.clone()),
        Operation::Read { query: Query::Key(key), .. } => Some(key.clone()),
        _ => None,
    }
}
