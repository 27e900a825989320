//! Calls of clients, from the request to the answer or the failure. A call whose caller waits
//! ([`Pending`]) and a request at the server (`Served`) are separate, because each can end before
//! the other. In a world without connections each message travels alone: its link can lose or delay
//! it, and can deliver a request twice.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::engine::{Effect, Event, Input, Timer, Wake};
use lictor_core::http::{self, HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Index, NodeName, RequestId};
use lictor_core::message::{AgentCall, Failure, Operation, Refusal, Request, Response};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::World;
use super::causes::CausalContext;
use super::hosts::Condition;
use super::queue::{InFlightRequest, QueuedEvent, Reply, ScheduledEvent};
use crate::call::{Call, CallFailure, CallStage, Caller, Effects, Outcome, Problem};
use crate::event::{EventKind, MessageLoss, Travel};
use crate::link::{CutMode, Leg, RequestFate};

/// A call whose caller waits for the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The call.
    pub call: Arc<Call>,
    /// When it was sent.
    pub sent: Instant,
    /// How far it has come, which the caller does not know.
    pub stage: CallStage,
    /// The log entry that it has made; `None` if it has made none.
    pub logged: Option<Index>,
}

/// A request at the server that has no answer yet, whether or not its caller still waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Served {
    pub(super) call: Arc<Call>,
    pub(super) arrived: Instant,
    /// Whether it had to wait, and was not answered at the time of its arrival.
    parked: bool,
    /// What it has changed so far.
    effects: Effects,
}

impl World {
    /// The pending calls, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = (RequestId, &Pending)> {
        self.pending.iter().map(|(id, pending)| (*id, pending))
    }

    /// The call of a request that waits at the server.
    pub fn served_call(&self, id: RequestId) -> Option<&Arc<Call>> {
        self.served.get(&id).map(|served| &served.call)
    }

    /// Sends a request for a client.
    pub(super) fn send(
        &mut self,
        (actor, caller): (&ActorName, Caller),
        request: HttpRequest,
        cause: Option<u64>,
    ) {
        let Some(agent) = self.agent_of(actor) else { return };
        let decoded = http::decode(&agent, &request);
        let id = self.mint_request();
        if let Caller::Program { program, call } = &caller {
            self.set_request(program, *call, id);
        }
        let request = Arc::new(request);
        let call = Arc::new(Call { id, actor: actor.clone(), caller, request, decoded });
        let event = self.note(cause, EventKind::Sent(call.clone()));
        let stage = CallStage::Sent;
        let pending = Pending { call: call.clone(), sent: self.now, stage, logged: None };
        let earlier = self.pending.insert(id, pending);
        debug_assert!(earlier.is_none(), "a call has a number of its own");
        if self.tcp.is_some() {
            return self.carry(InFlightRequest { id, call }, Some(event));
        }
        let cut = self.cut_of(actor);
        if cut.is_some_and(|cut| cut.mode != CutMode::Drop && cut.stops(Leg::Request)) {
            return self.break_call(id, None, Some(event));
        }
        self.post(InFlightRequest { id, call }, event);
    }

    /// Sends a request over the link: it is lost, arrives at once, or is scheduled to arrive once
    /// or twice.
    fn post(&mut self, in_flight: InFlightRequest, cause: u64) {
        let now = self.now;
        let Some(host) = self.host(&in_flight.call.actor) else { return };
        if host.cut.is_some_and(|cut| cut.stops(Leg::Request)) {
            return self.lose_request(in_flight, MessageLoss::Cut, Some(cause));
        }
        match host.request_fate(now) {
            RequestFate::Lost => self.lose_request(in_flight, MessageLoss::Chance, Some(cause)),
            RequestFate::Once(at) if at == now => self.serve(in_flight, Some(cause)),
            RequestFate::Once(at) => self.plan(at, Some(cause), ScheduledEvent::Request(in_flight)),
            RequestFate::Twice(one, other) => {
                let copy = InFlightRequest { id: self.mint_request(), ..in_flight.clone() };
                self.plan(one, Some(cause), ScheduledEvent::Request(in_flight));
                self.plan(other, Some(cause), ScheduledEvent::Request(copy));
            }
        }
    }

    /// A request arrives at the server.
    pub(super) fn arrive(&mut self, in_flight: InFlightRequest, cause: Option<u64>) {
        let cut = self.cut_of(&in_flight.call.actor);
        if cut.is_some_and(|cut| cut.stops(Leg::Request)) {
            return self.lose_request(in_flight, MessageLoss::Cut, cause);
        }
        let (id, call) = (in_flight.id, in_flight.call.clone());
        let arrived = self.note(cause, EventKind::Travel(Travel::Arrived { id, call }));
        self.serve(in_flight, Some(arrived));
    }

    /// What the server would answer to a GET now, without waiting. The world does not change.
    /// Returns `None` for a request that would change it or that has no answer now.
    pub fn read_now(&self, target: &str) -> Option<HttpResponse> {
        let agent = http::Agent::of(self.engine.config());
        let request = HttpRequest::new("GET", target, b"");
        match http::decode(&agent, &request) {
            Err(refused) => Some(refused.response(&agent, &request.method)),
            Ok(call) => match call.request.operation {
                Operation::Read { query, .. } => {
                    let answer = self.engine.read_now(&query);
                    let mut response = http::encode(&agent, &call.format, &answer);
                    self.note_last_contact(&mut response);
                    Some(response)
                }
                operation => {
                    let answer = self.answer_of_copy(Request { operation, ..call.request })?;
                    Some(http::encode(&agent, &call.format, &answer))
                }
            },
        }
    }

    /// The answer of a copy of the server, unless the request changes it or has no answer now.
    fn answer_of_copy(&self, request: Request) -> Option<Result<Response, Refusal>> {
        let mut copy = self.engine.clone();
        drop(copy.step(self.now, Input::Tick));
        let (before, id) = (copy.clone(), RequestId(u64::MAX));
        let effects = copy.step(self.now, Input::Request { id, request });
        let answer = effects.into_iter().find_map(|effect| match effect {
            Effect::Reply { id: answered, result, .. } if answered == id => Some(result),
            _ => None,
        });
        answer.filter(|_| copy == before)
    }

    /// The agent of a client's node.
    pub(super) fn agent_of(&self, actor: &ActorName) -> Option<http::Agent> {
        let node = self.actor(actor.as_str())?.node.clone();
        Some(http::Agent { node, ..http::Agent::of(self.engine.config()) })
    }

    /// Hands a request to the server, or answers one that the client's agent refuses.
    pub(super) fn serve(
        &mut self,
        InFlightRequest { id, call }: InFlightRequest,
        cause: Option<u64>,
    ) {
        self.set_stage(call.id, CallStage::Waits);
        match &call.decoded {
            Err(refused) => {
                let Some(agent) = self.agent_of(&call.actor) else { return };
                let response = refused.response(&agent, &call.request.method);
                let answer = Err(Problem::BadRequest(refused.clone()));
                let outcome = Outcome {
                    answer,
                    response,
                    effects: Effects::default(),
                    because: None,
                    waited: None,
                    wake: None,
                };
                self.respond((id, call), outcome, cause);
            }
            Ok(decoded) => {
                let request = decoded.request.clone();
                let in_flight = InFlightRequest { id, call };
                let Some(in_flight) = self.without_leader(in_flight, &request, cause) else {
                    return;
                };
                let InFlightRequest { id, call } = in_flight;
                self.served_by_call.insert((call.id, id));
                let lead = CausalContext::of(cause, Some((id, call.clone())));
                let (arrived, effects) = (self.now, Effects::default());
                self.served.insert(id, Served { call, arrived, parked: false, effects });
                self.check_ttl_started(&request, cause);
                self.input(Input::Request { id, request }, lead);
            }
        }
    }

    /// Notes the arrival of a request as the cause of what follows when the TTL of an agent's check
    /// is over: a request that registers or updates such a check starts its TTL.
    pub(super) fn check_ttl_started(&mut self, request: &Request, cause: Option<u64>) {
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
            | AgentCall::Leave
            | AgentCall::Monitor { .. } => {}
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
        let Some(Served { call, arrived, parked, effects }) = self.take_served(id) else { return };
        let (Some(agent), Ok(decoded)) = (self.agent_of(&call.actor), &call.decoded) else {
            return;
        };
        let result = self.result_without_leader(id, result);
        let mut response = http::encode(&agent, &decoded.format, &result);
        self.note_lost_leader(&decoded.request.operation, &mut response);
        let waited = parked.then(|| self.now.since(arrived));
        let answer = result.map_err(Problem::Refused);
        let mut outcome = Outcome { answer, response, effects, because: None, waited, wake };
        outcome.because =
            outcome.reason().and_then(|reason| self.causes.because(reason, call.key()));
        let cause = if outcome.wake.is_some() { lead.wake() } else { lead.latest() };
        self.respond((id, call), outcome, cause);
    }

    /// Sends an answer over the link: it is lost, arrives at once, or is scheduled to arrive.
    pub(super) fn respond(
        &mut self,
        (id, call): (RequestId, Arc<Call>),
        outcome: Outcome,
        cause: Option<u64>,
    ) {
        let reply = Reply { call, outcome: Arc::new(outcome) };
        if let Some(pending) = self.pending.get_mut(&reply.call.id) {
            pending.stage = CallStage::Done;
            // Of two copies of a request, the second one may have made no log entry.
            pending.logged = reply.outcome.effects.logged.or(pending.logged);
        }
        let now = self.now;
        let is_lost_by_fault = self.take_lost_answer(&reply.call.actor, cause);
        if self.tcp.is_some() {
            return self.write_answer((id, reply), is_lost_by_fault, cause);
        }
        let Some(host) = self.host(&reply.call.actor) else { return };
        let is_cut = host.cut.is_some_and(|cut| cut.stops(Leg::Answer));
        if is_lost_by_fault || is_cut {
            let loss = if is_lost_by_fault { MessageLoss::LostAnswer } else { MessageLoss::Cut };
            return self.lose_answer(reply, loss, cause);
        }
        match host.answer_arrival(now) {
            None => self.lose_answer(reply, MessageLoss::Chance, cause),
            Some(at) if at == now => self.deliver(reply, cause),
            Some(at) => self.plan(at, cause, ScheduledEvent::Answer(reply)),
        }
    }

    /// Delivers an answer to its client.
    pub(super) fn deliver(&mut self, reply: Reply, cause: Option<u64>) {
        let is_alone = self.tcp.is_none();
        let Some(host) = self.host(&reply.call.actor) else { return };
        if is_alone && host.cut.is_some_and(|cut| cut.stops(Leg::Answer)) {
            return self.lose_answer(reply, MessageLoss::Cut, cause);
        }
        match host.condition {
            Condition::Up => {}
            Condition::Paused => {
                host.inbox.push(QueuedEvent { cause, scheduled: ScheduledEvent::Answer(reply) });
                return;
            }
            Condition::Down => return self.lose_answer(reply, MessageLoss::Down, cause),
        }
        let Reply { call, outcome } = reply;
        if self.pending.remove(&call.id).is_none() {
            self.note(cause, EventKind::Travel(Travel::Late { call }));
            return;
        }
        let answered = EventKind::Answered { call: call.clone(), outcome: outcome.clone() };
        let event = self.note(cause, answered);
        self.pass_on(&call.caller, Ok(&outcome.response), event);
    }

    /// Cancels a call. The server notices as soon as the link delivers the message.
    pub(super) fn cancel(&mut self, id: RequestId, cause: Option<u64>) {
        let Some(Pending { call, stage, logged, .. }) = self.pending.remove(&id) else { return };
        let event = self.note(cause, EventKind::Cancelled { call: call.clone(), stage, logged });
        self.hang_up(&call, Some(event));
    }

    /// Fails a call: the caller gets an error in place of an answer.
    pub(super) fn break_call(
        &mut self,
        id: RequestId,
        failure: Option<CallFailure>,
        cause: Option<u64>,
    ) {
        let Some(Pending { call, stage, logged, .. }) = self.pending.remove(&id) else { return };
        let broken = Travel::Broken { call: call.clone(), stage, logged, failure };
        let event = self.note(cause, EventKind::Travel(broken));
        self.pass_on(&call.caller, Err(call.failure(failure)), event);
    }

    /// Passes the result of a call to the program that made it.
    fn pass_on(&mut self, caller: &Caller, answer: Result<&HttpResponse, Failure>, event: u64) {
        if let Caller::Program { program, call } = caller {
            self.answer_program((program, *call), answer, Some(event));
        }
    }

    /// Fails all calls of a client. The server notices, unless the link drops that message too.
    pub(super) fn break_calls(&mut self, actor: &ActorName, cause: Option<u64>) {
        let is_of_actor = |call: &Call| call.actor == *actor;
        let pending = self.pending.iter().filter(|(_, pending)| is_of_actor(&pending.call));
        let calls: Vec<_> = pending.map(|(id, _)| *id).collect();
        for call in calls {
            self.break_call(call, None, cause);
        }
        if self.tcp.is_some() {
            return self.close_connections(actor, cause);
        }
        let cut = self.actor(actor.as_str()).and_then(|host| host.cut);
        if cut.is_some_and(|cut| cut.stops(Leg::Request) && cut.mode == CutMode::Drop) {
            return;
        }
        let served = self.served.iter().filter(|(_, served)| is_of_actor(&served.call));
        let ids: Vec<_> = served.map(|(id, _)| *id).collect();
        for id in ids {
            self.close(id, cause);
        }
    }

    /// Closes a cancelled call at the server, unless the link drops the message.
    fn hang_up(&mut self, call: &Call, cause: Option<u64>) {
        if let Some(id) = self.connection_of(call.id) {
            return self.close_connection(id, cause);
        }
        let copies = (call.id, RequestId(0))..=(call.id, RequestId(u64::MAX));
        let served: Vec<_> = self.served_by_call.range(copies).map(|(_, id)| *id).collect();
        let now = self.now;
        for id in served {
            let Some(host) = self.host(&call.actor) else { return };
            if host.cut.is_some_and(|cut| cut.stops(Leg::Request)) {
                return;
            }
            match host.request_fate(now) {
                RequestFate::Lost => {}
                RequestFate::Once(at) | RequestFate::Twice(at, _) if at == now => {
                    self.close(id, cause);
                }
                // A second message would find no request to close.
                RequestFate::Once(at) | RequestFate::Twice(at, _) => {
                    self.plan(at, cause, ScheduledEvent::HangUp { id });
                }
            }
        }
    }

    /// Handles the arrival of the message by which a caller cancels its request.
    pub(super) fn hang_up_arrived(&mut self, id: RequestId, cause: Option<u64>) {
        let Some(call) = self.served.get(&id).map(|served| served.call.clone()) else { return };
        let host = self.actor(call.actor.as_str());
        if host.and_then(|host| host.cut).is_some_and(|cut| cut.stops(Leg::Request)) {
            return;
        }
        let event = self.note(cause, EventKind::Travel(Travel::HungUp { id, call }));
        self.close(id, Some(event));
    }

    fn take_served(&mut self, id: RequestId) -> Option<Served> {
        let served = self.served.remove(&id)?;
        let was_indexed = self.served_by_call.remove(&(served.call.id, id));
        debug_assert!(was_indexed, "a request at the server is found by its call");
        Some(served)
    }

    pub(super) fn close(&mut self, id: RequestId, cause: Option<u64>) {
        if let Some(Served { call, .. }) = self.take_served(id) {
            self.input(Input::Cancel(id), CausalContext::of(cause, Some((id, call))));
        }
    }

    /// A request of the world itself, such as the registration of a node. Its answer is dropped.
    pub(super) fn ask(&mut self, agent: NodeName, operation: Operation, cause: Option<u64>) {
        let Some((agent, operation)) = self.defer((agent, operation), cause) else { return };
        let id = self.mint_request();
        let input = Input::Request { id, request: Request { agent, operation } };
        self.input(input, CausalContext::of(cause, None));
    }

    /// Records an event of the server with the request that it is about, and returns its call.
    pub(super) fn follow_call(
        &mut self,
        index: Index,
        event: &Event,
        lead: &CausalContext,
    ) -> Option<Arc<Call>> {
        let carried_out = lead.call.as_ref();
        let id = match event {
            Event::Parked { id, .. }
            | Event::StillParked { id }
            | Event::Woken { id, .. }
            | Event::Passed { id, .. }
            | Event::TimedOut { id } => *id,
            _ => carried_out?.0,
        };
        let Some(served) = self.served.get_mut(&id) else {
            return carried_out.map(|(_, call)| call.clone());
        };
        served.parked |= matches!(event, Event::Parked { .. });
        served.effects.add(index, event);
        Some(served.call.clone())
    }

    /// The first invariant that the calls violate, if any.
    pub(super) fn call_violation(&self) -> Option<&'static str> {
        // An agent decodes a request to the same call at any time.
        let is_decoded = |call: &Call| {
            let agent = self.agent_of(&call.actor);
            agent.is_some_and(|agent| http::decode(&agent, &call.request) == call.decoded)
        };
        let is_served = |served: &Served| served.parked && is_decoded(&served.call);
        let is_sent = |(id, pending): (RequestId, &Pending)| {
            let is_earlier = id.0 < self.next_request && pending.sent <= self.now;
            is_earlier && pending.call.id == id && is_decoded(&pending.call)
        };
        if !self.engine.parked().map(|it| it.0).eq(self.served.keys().copied()) {
            return Some("every query that waits was sent by someone");
        }
        let is_found = |(id, served): (&RequestId, &Served)| {
            self.served_by_call.contains(&(served.call.id, *id))
        };
        if self.served_by_call.len() != self.served.len() || !self.served.iter().all(is_found) {
            return Some("every request at the server is found by its call");
        }
        if !self.served.values().all(is_served) {
            return Some("what the server keeps open waits");
        }
        let is_new = |InFlightRequest { id, call }: &InFlightRequest| {
            id.0 < self.next_request && !self.served.contains_key(id) && is_decoded(call)
        };
        let is_on_its_way = |scheduled: &ScheduledEvent| match scheduled {
            ScheduledEvent::Request(in_flight) => is_new(in_flight),
            ScheduledEvent::Held { held, .. } => is_new(&held.in_flight),
            ScheduledEvent::Answer(_)
            | ScheduledEvent::Stimulus { .. }
            | ScheduledEvent::HangUp { .. }
            | ScheduledEvent::FaultBegins { .. }
            | ScheduledEvent::FaultEnds { .. }
            | ScheduledEvent::SilenceNoticed { .. }
            | ScheduledEvent::Segment { .. }
            | ScheduledEvent::ConnectionFails { .. } => true,
        };
        if !self.scheduled_events().all(|(_, scheduled)| is_on_its_way(scheduled)) {
            return Some("a request arrives once");
        }
        (!self.pending().all(is_sent)).then_some("every caller has sent a request")
    }

    fn lose_request(
        &mut self,
        InFlightRequest { call, .. }: InFlightRequest,
        loss: MessageLoss,
        cause: Option<u64>,
    ) {
        // With connections only a copy is lost, as the request itself is sent again.
        let pending = self.pending.get(&call.id);
        let is_sent = pending.is_some_and(|pending| pending.stage == CallStage::Sent);
        if self.tcp.is_none() && is_sent && !self.is_request_under_way(call.id) {
            self.set_stage(call.id, CallStage::Lost(Leg::Request));
        }
        self.note(cause, EventKind::Travel(Travel::RequestLost { call, loss }));
    }

    /// Whether a copy of a call's request is on its way to the server.
    fn is_request_under_way(&self, call: RequestId) -> bool {
        let is_copy = |scheduled: &ScheduledEvent| match scheduled {
            ScheduledEvent::Request(in_flight) => in_flight.call.id == call,
            _ => false,
        };
        self.scheduled_events().any(|(_, scheduled)| is_copy(scheduled))
    }

    /// Whether an answer to a call is on its way to the client, or waits there until the client is
    /// no longer paused.
    fn is_answer_under_way(&self, call: &Call) -> bool {
        let is_answer = |scheduled: &ScheduledEvent| match scheduled {
            ScheduledEvent::Answer(reply) => reply.call.id == call.id,
            _ => false,
        };
        let mut inbox = self.actor(call.actor.as_str()).into_iter().flat_map(|host| &host.inbox);
        self.scheduled_events().any(|(_, scheduled)| is_answer(scheduled))
            || inbox.any(|queued| is_answer(&queued.scheduled))
    }

    pub(super) fn lose_answer(
        &mut self,
        Reply { call, outcome }: Reply,
        loss: MessageLoss,
        cause: Option<u64>,
    ) {
        if !self.is_answer_under_way(&call) {
            self.set_stage(call.id, CallStage::Lost(Leg::Answer));
        }
        self.note(cause, EventKind::Travel(Travel::AnswerLost { call, loss, outcome }));
    }

    fn set_stage(&mut self, call: RequestId, stage: CallStage) {
        if let Some(pending) = self.pending.get_mut(&call) {
            pending.stage = stage;
        }
    }
}
