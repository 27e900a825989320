//! The time without a leader: what the server that clients ask answers until another leader is
//! elected, as recorded with three servers whose leader is killed or cut off.
//!
//! First the server passes requests on to the lost leader and fails to reach it. After its own
//! election timeout it has no leader, and holds requests for a limited time until there is one.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::engine::{Effect, Input};
use lictor_core::error::{Error, LeaderError, Reason};
use lictor_core::http::{self, HttpResponse};
use lictor_core::id::{ActorName, NodeName, RequestId};
use lictor_core::message::{
    AgentCall, Consistency, Operation, Refusal, Request, Response, ServerFact,
};
use lictor_core::rng::Rng;
use lictor_core::store::Query;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::World;
use super::causes::CausalContext;
use super::queue::{HeldRequest, HeldStep, InFlightRequest, LostLeader, ScheduledEvent};
use crate::call::{Call, CausedBy, Effects, Outcome, Problem};
use crate::fault::{LeaderFate, LeaderLoss, SERVER_DOWN};
use crate::link::{Cut, CutDirection, CutMode};

/// For how long a server tries to pass a request on (`rpc_hold_timeout`).
const HOLD_TIMEOUT: Duration = Duration::from_secs(7);
/// The longest pause before the second attempt. It doubles with each attempt, and no pause is
/// shorter than the one before.
const FIRST_PAUSE: Duration = Duration::from_micros(437_500);
/// How long gossip needs to find a killed server dead: the least time, and the range above it.
const GOSSIP: (Duration, Duration) = (Duration::from_millis(5_900), Duration::from_millis(600));
/// How long a server needs to find its connection to a silent one dead: the least time, and the
/// range above it.
const SILENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(30));
/// For how long a server tries to connect to another one.
const DIAL_TIMEOUT: Duration = Duration::from_secs(10);
/// A write that arrives so soon after the leader was killed was under way to it.
const UNDER_WAY: Duration = Duration::from_millis(3);

/// What a client meets while the process of the server is killed.
const REFUSED: Cut = Cut { way: CutDirection::Both, mode: CutMode::Reject };
/// The number of attempts at first, and the pause before.
const NO_ATTEMPT: (u32, Duration) = (0, Duration::ZERO);

/// A time without a leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Election {
    fate: LeaderFate,
    lost: LostLeader,
    /// When gossip finds the leader dead.
    gossip: Instant,
    /// When the election timeout of the server that clients ask is over; if this server wins the
    /// election, the time at which it is the leader.
    timeout: Instant,
    /// When this server finds its connection to a leader that is cut off dead.
    silence: Instant,
    /// The write that the leader has carried out without a chance to answer.
    unanswered: Option<RequestId>,
    /// What is carried out when there is a leader: the node of the agent, the operation, its cause.
    deferred: Vec<(NodeName, Operation, Option<u64>)>,
}

impl LeaderLoss {
    /// How long the fault lasts if that is not given. An election lasts from the shortest to the
    /// longest recorded time.
    pub(super) fn span(self, rng: &mut Rng) -> Duration {
        if self.fate == LeaderFate::Alone {
            return SERVER_DOWN;
        }
        let more = u64::from(self.multiplier.saturating_sub(1));
        let (least, most) = (1_200 + more * 1_575, 2_800 + more * 2_700);
        let longer = rng.shorter_than(Duration::from_millis(most - least));
        Duration::from_millis(least).saturating_add(longer)
    }
}

impl World {
    /// The leader is lost until a time.
    pub(super) fn lose_leader(&mut self, loss: LeaderLoss, until: Instant, event: u64) {
        let (now, rng) = (self.now, &mut self.rng);
        let heartbeat = Duration::from_secs(loss.multiplier.into());
        let wins = rng.below(2) == 0;
        let timeout = now.plus(heartbeat).plus(rng.shorter_than(heartbeat));
        let lost = LostLeader { at: now, event };
        let election = Election {
            fate: loss.fate,
            lost,
            gossip: now.plus(GOSSIP.0).plus(rng.shorter_than(GOSSIP.1)),
            timeout: match loss.fate {
                LeaderFate::Restarted => now,
                _ if wins => until,
                _ => timeout.min(until),
            },
            silence: now.plus(SILENCE.0).plus(rng.shorter_than(SILENCE.1)),
            unanswered: None,
            deferred: self.election.take().map_or_else(Vec::new, |earlier| earlier.deferred),
        };
        let silence = election.silence;
        self.election = Some(Box::new(election));
        let cause = Some(event);
        self.input(Input::LeaderLost { until }, CausalContext::of(cause, None));
        if loss.fate == LeaderFate::Alone {
            return self.kill_server(event);
        }
        let needs_leader = |operation: Option<&Operation>| operation.is_some_and(needs_leader);
        let parked = self.served.iter().filter(|(_, served)| needs_leader(served.call.operation()));
        let parked: Vec<_> = parked.map(|(id, served)| (*id, served.arrived)).collect();
        for (id, since) in parked {
            let Some(call) = self.served_call(id).cloned() else { continue };
            self.close(id, cause);
            let held = HeldRequest { in_flight: InFlightRequest { id, call }, since, lost };
            match loss.fate {
                LeaderFate::Cut => self.wait_for_silence(held, silence, cause),
                _ => self.hold(held, NO_ATTEMPT, cause),
            }
        }
    }

    /// Whether a server leads.
    pub fn has_leader(&self) -> bool {
        self.election.is_none()
    }

    /// Whether the process of the only server is killed.
    pub(super) fn is_server_down(&self) -> bool {
        self.election.as_ref().is_some_and(|election| election.fate == LeaderFate::Alone)
    }

    /// The cut of a client; without one, a server that is down refuses its connections.
    pub(super) fn cut_of(&self, actor: &ActorName) -> Option<Cut> {
        let own = self.actor(actor.as_str()).and_then(|host| host.cut);
        own.or_else(|| self.is_server_down().then_some(REFUSED))
    }

    /// The kernel of the server resets its connections, and nothing waits there any more.
    fn kill_server(&mut self, event: u64) {
        let clients: Vec<_> = self.actors.iter().map(|it| (it.name.clone(), it.cut)).collect();
        for (actor, cut) in clients {
            match cut {
                Some(_) => self.forget_at_server(&actor),
                None if self.tcp.is_some() => self.cut_connections(&actor, (REFUSED, None), event),
                None => self.break_calls(&actor, Some(event)),
            }
        }
        let served: Vec<_> = self.served.keys().copied().collect();
        for id in served {
            self.close(id, Some(event));
        }
    }

    /// The process of the server runs again. It has no leader.
    pub(super) fn restart_server(&mut self) {
        if let Some(election) = &mut self.election {
            election.fate = LeaderFate::Restarted;
        }
    }

    /// Another server becomes leader.
    pub(super) fn elect_leader(&mut self, cause: Option<u64>) {
        let election = self.election.take();
        self.input(Input::Failover, CausalContext::of(cause, None));
        for (agent, operation, cause) in election.map_or_else(Vec::new, |it| it.deferred) {
            let request = Request { agent, operation };
            self.check_ttl_started(&request, cause);
            self.ask(request.agent, request.operation, cause);
        }
    }

    /// Defers what needs a leader, if there is none. Returns it otherwise.
    pub(super) fn defer(
        &mut self,
        request: (NodeName, Operation),
        cause: Option<u64>,
    ) -> Option<(NodeName, Operation)> {
        let Some(election) = &mut self.election else { return Some(request) };
        election.deferred.push((request.0, request.1, cause));
        None
    }

    /// Answers or holds a request that cannot be carried out without a leader. Returns any other.
    pub(super) fn without_leader(
        &mut self,
        in_flight: InFlightRequest,
        request: &Request,
        cause: Option<u64>,
    ) -> Option<InFlightRequest> {
        let (now, Some(election)) = (self.now, &mut self.election) else {
            return Some(in_flight);
        };
        if let Operation::Agent(call) = &request.operation
            && changes_agent(call)
        {
            self.answer_for_agent(in_flight, request, cause);
            return None;
        }
        if !needs_leader(&request.operation) {
            return Some(in_flight);
        }
        let is_write = !matches!(request.operation, Operation::Read { .. });
        let was_under_way = is_write && now <= election.lost.at.plus(UNDER_WAY);
        if election.fate == LeaderFate::Killed && was_under_way && self.rng.below(2) == 0 {
            election.unanswered = Some(in_flight.id);
            return Some(in_flight);
        }
        let timeout = election.timeout;
        let held = HeldRequest { in_flight, since: now, lost: election.lost };
        match election.fate {
            _ if now >= timeout => self.hold(held, NO_ATTEMPT, cause),
            LeaderFate::Killed if was_under_way => self.refuse(held, LeaderError::Broken, cause),
            _ => self.try_lost_leader(held, cause),
        }
        None
    }

    /// Passes a request on to the server that was the leader.
    fn try_lost_leader(&mut self, held: HeldRequest, cause: Option<u64>) {
        let (now, Some(election)) = (self.now, &self.election) else { return };
        let silence = election.silence;
        let error = match election.fate {
            LeaderFate::Cut if now < silence => {
                return self.wait_for_silence(held, silence, cause);
            }
            LeaderFate::Cut => {
                let next = HeldStep::DialTimeout;
                return self.plan_held(now.plus(DIAL_TIMEOUT), (held, next), cause);
            }
            _ if now >= election.gossip => LeaderError::Unknown,
            _ if self.rng.below(2) == 0 => LeaderError::Refused,
            _ => LeaderError::NoConnection,
        };
        self.refuse(held, error, cause);
    }

    /// The request waits at a leader that is cut off.
    fn wait_for_silence(&mut self, held: HeldRequest, silence: Instant, cause: Option<u64>) {
        let (at, next) = match held.deadline() {
            Some(deadline) if deadline < silence => (deadline, HeldStep::Deadline),
            _ => (silence, HeldStep::Silence),
        };
        self.plan_held(at.max(self.now), (held, next), cause);
    }

    /// Holds a request until the next attempt to pass it on.
    fn hold(
        &mut self,
        held: HeldRequest,
        (attempts, shortest): (u32, Duration),
        cause: Option<u64>,
    ) {
        let longest = FIRST_PAUSE.saturating_mul(1 << attempts.min(10));
        let more = self.rng.shorter_than(longest.saturating_sub(shortest));
        let pause = shortest.saturating_add(more);
        let next = HeldStep::Retry { attempts: attempts + 1, pause };
        self.plan_held(self.now.plus(pause), (held, next), cause);
    }

    fn plan_held(
        &mut self,
        at: Instant,
        (held, next): (HeldRequest, HeldStep),
        cause: Option<u64>,
    ) {
        self.plan(at, cause, ScheduledEvent::Held { held, next });
    }

    /// The next step of a request that a server holds. A caller that has gone is not served.
    pub(super) fn run_held(&mut self, held: HeldRequest, next: HeldStep, cause: Option<u64>) {
        let is_open = match &self.tcp {
            Some(tcp) => tcp.is_awaited(held.in_flight.id),
            None => self.pending.contains_key(&held.in_flight.call.id),
        };
        if !is_open {
            return;
        }
        let now = self.now;
        let may_retry = held.deadline().unwrap_or(held.since.plus(HOLD_TIMEOUT)) > now;
        match (next, &self.election) {
            (HeldStep::Deadline, _) => self.refuse(held, LeaderError::DeadlineReached, cause),
            (HeldStep::DialTimeout, _) => self.refuse(held, LeaderError::NoConnection, cause),
            (HeldStep::Silence, _) if may_retry && held.is_read() => {
                self.hold(held, NO_ATTEMPT, cause);
            }
            (HeldStep::Silence, _) => self.refuse(held, LeaderError::Broken, cause),
            (HeldStep::Retry { .. }, None) => self.serve(held.in_flight, cause),
            (HeldStep::Retry { .. }, Some(election)) if now < election.timeout => {
                self.try_lost_leader(held, cause);
            }
            (HeldStep::Retry { attempts, pause }, Some(_)) if may_retry => {
                self.hold(held, (attempts, pause), cause);
            }
            (HeldStep::Retry { .. }, Some(_)) => self.refuse(held, LeaderError::NoLeader, cause),
        }
    }

    /// Answers a request with an error.
    fn refuse(&mut self, held: HeldRequest, error: LeaderError, cause: Option<u64>) {
        let HeldRequest { in_flight: InFlightRequest { id, call }, since, lost } = held;
        let waited = Some(self.now.since(since)).filter(|it| !it.is_zero());
        let reason = Reason::NoLeader { since: lost.at, error };
        let refusal = Refusal { reason: Some(Box::new(reason)), ..Error::Leader(error).into() };
        let because = Some(CausedBy { event: lost.event, by: None });
        let end = AnswerContext { waited, because };
        self.respond_with((id, call), Err(refusal), end, cause);
    }

    /// Answers a change of an agent, which needs no leader, and defers its change of the catalog.
    fn answer_for_agent(
        &mut self,
        InFlightRequest { id, call }: InFlightRequest,
        request: &Request,
        cause: Option<u64>,
    ) {
        let mut copy = self.engine.clone();
        let effects = copy.step(self.now, Input::Request { id, request: request.clone() });
        let result = effects.into_iter().find_map(|effect| match effect {
            Effect::Reply { result, .. } => Some(result),
            Effect::Event(_) | Effect::Rejected { .. } => None,
        });
        let Request { agent, operation } = request.clone();
        if let Some(election) = &mut self.election {
            election.deferred.push((agent, operation, cause));
        }
        if let Some(result) = result {
            self.respond_with((id, call), result, AnswerContext::default(), cause);
        }
    }

    fn respond_with(
        &mut self,
        (id, call): (RequestId, Arc<Call>),
        result: Result<Response, Refusal>,
        AnswerContext { waited, because }: AnswerContext,
        cause: Option<u64>,
    ) {
        let (Some(agent), Ok(decoded)) = (self.agent_of(&call.actor), &call.decoded) else {
            return;
        };
        let response = http::encode(&agent, &decoded.format, &result);
        let answer = result.map_err(Problem::Refused);
        let effects = Effects::default();
        let outcome = Outcome { answer, response, effects, because, waited, wake: None };
        self.respond((id, call), outcome, cause);
    }

    /// The result of a request that the engine has carried out, as the caller gets it: without a
    /// leader there may be nobody to pass it back.
    pub(super) fn result_without_leader(
        &mut self,
        id: RequestId,
        result: Result<Response, Refusal>,
    ) -> Result<Response, Refusal> {
        let Some(election) = &mut self.election else { return result };
        if election.unanswered == Some(id) {
            election.unanswered = None;
            let error = LeaderError::Broken;
            let reason = Reason::NoLeader { since: election.lost.at, error };
            return Err(Refusal { reason: Some(Box::new(reason)), ..Error::Leader(error).into() });
        }
        result
    }

    /// Adapts an answer that needs no leader: the last contact of a stale read, and the address of
    /// the leader, which is empty after the election timeout.
    pub(super) fn note_lost_leader(&self, operation: &Operation, response: &mut HttpResponse) {
        let Some(election) = &self.election else { return };
        let knows_leader = self.now < election.timeout;
        match operation {
            Operation::Read { consistency: Consistency::Stale, .. } => {
                self.note_last_contact(response);
            }
            Operation::Server(ServerFact::Leader) if !knows_leader => {
                response.body = b"\"\"".to_vec();
            }
            _ => {}
        }
    }

    /// Adds to an answer of any server when it last heard from the leader that is lost.
    pub(super) fn note_last_contact(&self, response: &mut HttpResponse) {
        let Some(election) = &self.election else { return };
        let contact = self.now.since(election.lost.at).as_millis().to_string();
        for (name, value) in &mut response.headers {
            match name.as_str() {
                "X-Consul-LastContact" => *value = contact.clone(),
                "X-Consul-KnownLeader" if self.now >= election.timeout => *value = "false".into(),
                _ => {}
            }
        }
    }
}

/// What an answer to a request that was held has besides its result.
#[derive(Default)]
struct AnswerContext {
    waited: Option<Duration>,
    because: Option<CausedBy>,
}

impl HeldRequest {
    /// When a server no longer waits for the answer to a blocking query; `None` for other requests.
    fn deadline(&self) -> Option<Instant> {
        let wait = self.in_flight.call.operation()?.blocking_wait()?;
        Some(self.since.plus(wait.timeout).plus(wait.timeout / 16).plus(HOLD_TIMEOUT))
    }

    fn is_read(&self) -> bool {
        matches!(self.in_flight.call.operation(), Some(Operation::Read { .. }))
    }
}

/// Whether only the leader carries out an operation.
fn needs_leader(operation: &Operation) -> bool {
    let any_server = matches!(
        operation,
        Operation::Read { consistency: Consistency::Stale, .. }
            | Operation::Read { query: Query::UserEvents(_) | Query::OwnService { .. }, .. }
            | Operation::Agent(_)
            | Operation::Server(_)
    );
    !any_server
}

/// Whether an agent that is asked for this has something for the catalog.
fn changes_agent(call: &AgentCall) -> bool {
    match call {
        AgentCall::RegisterCheck { .. }
        | AgentCall::UpdateCheck { .. }
        | AgentCall::DeregisterCheck(_)
        | AgentCall::Maintenance { .. }
        | AgentCall::RegisterService { .. }
        | AgentCall::DeregisterService(_) => true,
        AgentCall::Checks
        | AgentCall::Services(_)
        | AgentCall::FireEvent(_)
        | AgentCall::Leave
        | AgentCall::Monitor { .. } => false,
    }
}
