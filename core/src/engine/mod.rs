//! The leader: policy around the store, and the only place where time meets state. One function, [`step`],
//! takes the time and one input and returns everything that follows from it.
//!
//! [`step`]: Engine::step

mod admit;
mod agent;
mod ended;
mod event;
mod parked;
mod timers;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::ended::EndedSession;
pub use self::event::{Effect, Event, Stamped};
pub use self::parked::ParkedQuery;
pub use self::timers::{
    LOCK_DELAY_MAX, LockDelay, SessionClock, TOMBSTONE_GRANULARITY, TOMBSTONE_TTL, TTL_GRACE, Timer,
};

use self::agent::AgentChecks;
use self::ended::Ended;
use self::parked::Parked;
use self::timers::Timers;
use crate::error::{Cause, Error, Reason};
use crate::id::{CheckId, Index, Key, NodeName, QueryId, RequestId, ServiceId, SessionId};
use crate::message::{
    Answer, Operation, Refusal, Request, Response, ServerFact, SessionDraft, TxnKind, Wait,
};
use crate::rng::Rng;
use crate::store::catalog::{Check, Node, NodeUpdate, Registration, Service};
use crate::store::prepared_query::QueryDefinition;
use crate::store::txn::TxnOp;
use crate::store::{Applied, Change, Command, Found, KvVerb, Query, Store};
use crate::time::Instant;

/// A read that waits gets up to this part of its waiting time on top (BLK-03).
const JITTER_PART: u32 = 16;

/// What can be configured of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The server's own node, registered from the start with a passing `serfHealth`.
    pub node: NodeName,
    pub address: String,
    pub datacenter: String,
    /// The shortest TTL of a session (SES-15, TTL-09).
    pub session_ttl_min: Duration,
    /// How many blocking queries may wait at the same time.
    pub parked_max: usize,
}

/// Something that comes from outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// Nothing but the passing of time.
    Tick,
    Request {
        id: RequestId,
        request: Request,
    },
    /// The caller of a blocking query has gone.
    Cancel(RequestId),
    /// Another server becomes leader (TTL-05, DLY-09).
    Failover,
}

/// One server: its state, its clocks and those who wait for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    config: Config,
    store: Store,
    index: Index,
    now: Instant,
    rng: Rng,
    timers: Timers,
    parked: Parked,
    agent_checks: AgentChecks,
    ended: Ended,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            node: NodeName::from("n1"),
            address: "127.0.0.1".into(),
            datacenter: "dc1".into(),
            session_ttl_min: Duration::from_secs(10),
            parked_max: 65_536,
        }
    }
}

impl Engine {
    /// A fresh server whose own node is registered and healthy.
    pub fn new(config: Config, seed: u64) -> Self {
        let own = own_node(&config);
        let mut engine = Self {
            config,
            store: Store::default(),
            index: Index::ZERO,
            now: Instant::EPOCH,
            rng: Rng::new(seed),
            timers: Timers::default(),
            parked: Parked::default(),
            agent_checks: AgentChecks::default(),
            ended: Ended::default(),
        };
        let registered = engine.log(Instant::EPOCH, &Command::Register(own), &mut Vec::new());
        registered.expect("an empty catalog takes any node");
        engine
    }

    /// Takes one input at a time, which never runs backwards, and returns all that follows from it: first
    /// from the timers due by then, each at its own deadline, then from the input itself.
    #[must_use]
    pub fn step(&mut self, now: Instant, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        let now = now.max(self.now);
        while let Some((at, timer)) = self.timers.deadlines.pop_due(now) {
            self.now = at;
            self.fire(at, timer, &mut effects);
        }
        self.now = now;
        match input {
            Input::Tick => {}
            Input::Request { id, request } => self.request(now, id, request, &mut effects),
            Input::Cancel(id) => self.cancel(now, id, &mut effects),
            Input::Failover => self.fail_over(now, &mut effects),
        }
        effects
    }

    /// When the engine must be stepped next, and why.
    pub fn next_deadline(&self) -> Option<(Instant, &Timer)> {
        self.timers.deadlines.next()
    }

    /// Everything that will happen by itself, in order.
    pub fn deadlines(&self) -> impl Iterator<Item = (Instant, &Timer)> {
        self.timers.deadlines.iter()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The last index of the log.
    pub fn index(&self) -> Index {
        self.index
    }

    /// The keys under lock-delay, in key order.
    pub fn lock_delays(&self) -> impl Iterator<Item = &LockDelay> {
        self.timers.delays.values()
    }

    pub fn lock_delay(&self, key: &str) -> Option<&LockDelay> {
        self.timers.delays.get(key)
    }

    pub fn session_clock(&self, id: SessionId) -> Option<SessionClock> {
        self.timers.clocks.get(&id).copied()
    }

    pub fn ended_session(&self, id: SessionId) -> Option<&EndedSession> {
        self.ended.get(id)
    }

    /// The blocking queries that wait, in the order of their requests.
    pub fn parked(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.parked.iter()
    }

    fn fire(&mut self, at: Instant, timer: Timer, effects: &mut Vec<Effect>) {
        self.emit(at, Event::Fired(timer.clone()), effects);
        match timer {
            Timer::SessionTtl(id) => self.end_session(at, id, Cause::TtlExpired, effects),
            Timer::LockDelay(key) => {
                self.timers.delays.remove(&key);
                self.emit(at, Event::DelayOver { key }, effects);
            }
            Timer::Parked(id) => self.time_out(at, id, effects),
            Timer::CheckTtl(node, check) => self.lapse(at, &(node, check), effects),
            Timer::Reap => {
                if let Some(up_to) = self.timers.take_batch(at) {
                    let reaped = self.log(at, &Command::ReapTombstones { up_to }, effects);
                    reaped.expect("reaping refuses nothing");
                }
            }
        }
    }

    /// Carries a request out. The answer to its caller comes before those of the queries that it wakes.
    fn request(
        &mut self,
        now: Instant,
        id: RequestId,
        request: Request,
        effects: &mut Vec<Effect>,
    ) {
        if let Operation::Read { query, wait } = request.operation {
            return self.read(now, id, (query, wait), effects);
        }
        let mut caused = Vec::new();
        let result = self.carry_out(now, request, &mut caused);
        let is_event = |effect: &Effect| matches!(effect, Effect::Event(_));
        let answers = caused.iter().position(|effect| !is_event(effect)).unwrap_or(caused.len());
        let woken = caused.split_off(answers);
        effects.append(&mut caused);
        effects.push(Effect::Reply { id, result });
        effects.extend(woken);
    }

    fn carry_out(
        &mut self,
        now: Instant,
        request: Request,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        if let Some(reason) = request.acquires().and_then(|key| self.delayed(key)) {
            return Ok(Response::refused(Index::ZERO, reason));
        }
        match request.operation {
            Operation::CreateSession(draft) => {
                self.create_session(now, &request.agent, draft, effects)
            }
            Operation::DestroySession(session) => {
                let known = session.id().filter(|id| self.store.sessions().get(*id).is_some());
                if let Some(id) = known {
                    self.end_session(now, id, Cause::Requested, effects);
                }
                Ok(Response::write(self.index, Answer::Flag(true)))
            }
            Operation::RenewSession(session) => self.renew(now, &session, effects),
            Operation::Kv { key, verb } => self.write(now, key, verb, effects),
            Operation::Txn(ops) => Ok(self.txn(now, ops, effects)),
            Operation::Register(registration) => {
                self.log_flag(now, &Command::Register(registration), effects)
            }
            Operation::Deregister(target) => {
                self.log_flag(now, &Command::Deregister(target), effects)
            }
            Operation::CreateQuery(definition) => self.create_query(now, definition, effects),
            Operation::UpdateQuery { id, definition } => {
                self.update_query(now, id, definition, effects)
            }
            Operation::DeleteQuery(id) => self.delete_query(now, id, effects),
            Operation::Agent(call) => self.agent_call(now, &request.agent, call, effects),
            Operation::Server(fact) => Ok(self.fact(fact)),
            Operation::Read { .. } => unreachable!("reads are answered before"),
        }
    }

    fn create_session(
        &mut self,
        now: Instant,
        agent: &NodeName,
        draft: SessionDraft,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let session = self.admit_session(agent, draft)?;
        let id = session.id;
        self.log(now, &Command::CreateSession(session), effects)?;
        Ok(Response::write(self.index, Answer::Created(id)))
    }

    /// SES-33 to SES-36: restarts the clock; nothing is logged.
    fn renew(
        &mut self,
        now: Instant,
        session: &crate::id::SessionRef,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let found = session.id().and_then(|id| self.store.sessions().get(id)).cloned();
        let Some(found) = found else {
            let reason = Some(self.ended.reason(session));
            return Err(Refusal { error: Error::SessionNotFound(session.clone()), reason });
        };
        if let Some(clock) = self.timers.start_clock(now, &found) {
            self.emit(now, Event::Renewed { session: found.id, clock }, effects);
        }
        Ok(Response::write(Index::ZERO, Answer::Renewed(found)))
    }

    fn write(
        &mut self,
        now: Instant,
        key: Key,
        verb: KvVerb,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        if key.is_empty() && verb != KvVerb::DeleteTree {
            return Err(Error::MissingKey.into());
        }
        match self.log(now, &Command::Kv { key, verb }, effects)? {
            Applied::Refused(reason) => Ok(Response::refused(self.index, reason)),
            Applied::Done | Applied::Txn(_) => Ok(Response::write(self.index, Answer::Flag(true))),
        }
    }

    fn txn(&mut self, now: Instant, ops: Vec<TxnOp>, effects: &mut Vec<Effect>) -> Response {
        let writes = ops.iter().any(TxnOp::is_write);
        let refused = self.admit_txn(&ops);
        let (outcome, kind) = match (refused.is_empty(), writes) {
            (false, true) => (Err(refused), TxnKind::Write),
            (false, false) => (Err(refused), TxnKind::ReadRefused),
            (true, false) => (self.store.txn_read(&ops), TxnKind::Read),
            (true, true) => match self.log(now, &Command::Txn(ops), effects) {
                Ok(Applied::Txn(outcome)) => (outcome, TxnKind::Write),
                other => unreachable!("a transaction answers for itself: {other:?}"),
            },
        };
        let failed = outcome.as_ref().err().map(Vec::len);
        let reason = failed.map(|failed| Reason::TransactionFailed { failed });
        Response { index: self.index, answer: Answer::Txn { outcome, kind }, reason }
    }

    fn log_flag(
        &mut self,
        now: Instant,
        command: &Command,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        self.log(now, command, effects)?;
        Ok(Response::write(self.index, Answer::Flag(true)))
    }

    fn create_query(
        &mut self,
        now: Instant,
        definition: QueryDefinition,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        admit_query(&definition)?;
        let id = QueryId::from_bytes(self.rng.bytes16());
        self.log(now, &Command::SetQuery { id, definition }, effects)?;
        Ok(Response::write(self.index, Answer::QueryCreated(id)))
    }

    fn update_query(
        &mut self,
        now: Instant,
        id: QueryId,
        definition: QueryDefinition,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        self.query_to_modify(id)?;
        admit_query(&definition)?;
        self.log(now, &Command::SetQuery { id, definition }, effects)?;
        Ok(Response::write(self.index, Answer::Done))
    }

    fn delete_query(
        &mut self,
        now: Instant,
        id: QueryId,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        self.query_to_modify(id)?;
        self.log(now, &Command::DeleteQuery(id), effects)?;
        Ok(Response::write(self.index, Answer::Done))
    }

    fn query_to_modify(&self, id: QueryId) -> Result<(), Error> {
        let known = self.store.queries().get(id).map(|_| ());
        known.ok_or_else(|| Error::UnknownQueryToModify(alloc::format!("{id}")))
    }

    fn fact(&self, fact: ServerFact) -> Response {
        let address = || alloc::format!("{}:8300", self.config.address);
        let answer = match fact {
            ServerFact::Datacenters => Answer::Texts(Vec::from([self.config.datacenter.clone()])),
            ServerFact::Leader => Answer::Text(address()),
            ServerFact::Peers => Answer::Texts(Vec::from([address()])),
            ServerFact::Agent => Answer::Agent {
                node: self.config.node.clone(),
                datacenter: self.config.datacenter.clone(),
            },
        };
        Response::write(Index::ZERO, answer)
    }

    fn end_session(
        &mut self,
        now: Instant,
        id: SessionId,
        cause: Cause,
        effects: &mut Vec<Effect>,
    ) {
        let ended = self.log(now, &Command::EndSession { id, cause }, effects);
        ended.expect("the end of a session is never refused");
    }

    /// BLK-04: answers at once, or parks.
    fn read(
        &mut self,
        now: Instant,
        id: RequestId,
        (query, wait): (Query, Option<Wait>),
        effects: &mut Vec<Effect>,
    ) {
        let waits = wait.filter(|wait| wait.min_index > Index::ZERO);
        let Some(wait) = waits else {
            let result = self.look(&query);
            return effects.push(Effect::Reply { id, result });
        };
        let mut parked = ParkedQuery::new(&self.store, query, wait.min_index);
        if let Some(result) = self.look_again(&mut parked) {
            return effects.push(Effect::Reply { id, result });
        }
        if self.parked.len() >= self.config.parked_max {
            let error = Error::TooManyParked { limit: self.config.parked_max };
            return effects.push(Effect::Reply { id, result: Err(error.into()) });
        }
        let jitter = self.rng.shorter_than(wait.timeout / JITTER_PART);
        let until = now.after(wait.timeout).after(jitter);
        self.timers.deadlines.set(Timer::Parked(id), until);
        self.parked.insert(id, parked);
        self.emit(now, Event::Parked { id, min_index: wait.min_index, until }, effects);
    }

    fn look(&self, query: &Query) -> Result<Response, Refusal> {
        let (index, found) = self.store.read(query);
        if let (Query::PreparedQuery(_), true) = (query, found.is_missing()) {
            return Err(Error::QueryNotFound.into());
        }
        let reason = self.why_missing(query, &found);
        Ok(Response { index: index.at_least_one(), answer: Answer::Found(found), reason })
    }

    fn why_missing(&self, query: &Query, found: &Found) -> Option<Reason> {
        match query {
            Query::Session(session) if found.is_missing() => Some(self.ended.reason(session)),
            Query::Key(_) if found.is_missing() => Some(Reason::KeyMissing),
            _ => None,
        }
    }

    /// Looks on behalf of a waiting query; an answer means that it need not wait any longer.
    fn look_again(&self, parked: &mut ParkedQuery) -> Option<Result<Response, Refusal>> {
        let result = self.look(&parked.query);
        let Ok(response) = &result else { return Some(result) };
        if let Answer::Found(Found::Entry(None) | Found::Session(None)) = response.answer {
            if parked.missed {
                parked.min_index = response.index;
            }
            parked.missed = true;
        }
        parked.seen = response.index;
        (response.index > parked.min_index).then_some(result)
    }

    /// BLK-05: the time is up; the answer is that of the last look.
    fn time_out(&mut self, now: Instant, id: RequestId, effects: &mut Vec<Effect>) {
        let Some(parked) = self.parked.remove(id) else { return };
        self.emit(now, Event::TimedOut { id }, effects);
        let result = self.look(&parked.query);
        let result = result.map(|response| Response { index: parked.seen, ..response });
        effects.push(Effect::Reply { id, result });
    }

    fn cancel(&mut self, now: Instant, id: RequestId, effects: &mut Vec<Effect>) {
        if self.parked.remove(id).is_some() {
            self.timers.deadlines.clear(&Timer::Parked(id));
            self.emit(now, Event::Cancelled { id }, effects);
        }
    }

    /// TTL-05, DLY-09: session clocks start in full, lock-delays go on, so do waiting reads.
    fn fail_over(&mut self, now: Instant, effects: &mut Vec<Effect>) {
        let sessions: Vec<_> = self.store.sessions().iter().cloned().collect();
        let restarted = sessions
            .iter()
            .filter_map(|session| Some((session.id, self.timers.start_clock(now, session)?.ttl)));
        let clocks = restarted.collect();
        self.timers.restart_reaping(now);
        self.emit(now, Event::LeaderChanged { clocks }, effects);
    }

    /// Writes one entry to the log and lets everything follow that depends on it.
    fn log(
        &mut self,
        now: Instant,
        command: &Command,
        effects: &mut Vec<Effect>,
    ) -> Result<Applied, Refusal> {
        self.index = self.index.next();
        self.emit(now, Event::Logged, effects);
        let mut changes = Vec::new();
        let applied = self.store.apply(self.index, command, &mut changes);
        for change in &changes {
            self.emit(now, Event::Changed(change.clone()), effects);
            self.follow(now, change, effects);
        }
        self.wake(now, &changes, effects);
        applied.map_err(|error| self.refusal(error))
    }

    /// The timers that a change arms or disarms.
    fn follow(&mut self, now: Instant, change: &Change, effects: &mut Vec<Effect>) {
        match change {
            Change::SessionCreated(session) => {
                if let Some(clock) = self.timers.start_clock(now, session) {
                    self.emit(now, Event::Renewed { session: session.id, clock }, effects);
                }
            }
            Change::SessionEnded { session, cause, held } => {
                self.timers.stop_clock(session.id);
                let end = EndedSession { at: now, index: self.index, cause: cause.clone() };
                self.ended.remember(session.id, end);
                for key in held {
                    let delay = LockDelay {
                        key: key.clone(),
                        armed_at: now,
                        until: now,
                        index: self.index,
                        session: session.id,
                        cause: cause.clone(),
                    };
                    if let Some(armed) = self.timers.arm_delay(session.lock_delay, delay) {
                        let armed = armed.clone();
                        self.emit(now, Event::DelayArmed(armed), effects);
                    }
                }
            }
            Change::Buried { .. } => self.timers.hint_tombstone(now, self.index),
            _ => {}
        }
    }

    fn wake(&mut self, now: Instant, changes: &[Change], effects: &mut Vec<Effect>) {
        for id in self.parked.touched_by(changes) {
            let Some(mut parked) = self.parked.remove(id) else { continue };
            match self.look_again(&mut parked) {
                Some(result) => {
                    self.timers.deadlines.clear(&Timer::Parked(id));
                    self.emit(now, Event::Woken { id }, effects);
                    effects.push(Effect::Reply { id, result });
                }
                None => {
                    self.parked.insert(id, parked);
                    self.emit(now, Event::WokenInVain { id }, effects);
                }
            }
        }
    }

    /// Adds to an error what became of the session that it names.
    fn refusal(&self, error: Error) -> Refusal {
        let reason = match &error {
            Error::InvalidSession(session) => Some(self.ended.reason(session)),
            _ => None,
        };
        Refusal { error, reason }
    }

    fn emit(&self, at: Instant, event: Event, effects: &mut Vec<Effect>) {
        effects.push(Effect::Event(Stamped { at, index: self.index, event }));
    }
}

/// PQ-02, PQ-07: a query has a service, and a session, a name or a template.
fn admit_query(definition: &QueryDefinition) -> Result<(), Error> {
    let is_bound = !definition.session.is_empty() || !definition.name.is_empty();
    if !is_bound && definition.template.kind.is_empty() {
        return Err(Error::UnboundQuery);
    }
    if definition.service.service.is_empty() {
        return Err(Error::QueryWithoutService);
    }
    Ok(())
}

/// The server's own node as it stands after a start: with its gossip check and its own service.
fn own_node(config: &Config) -> Registration {
    let node = config.node.clone();
    Registration {
        service: Some(Service {
            node: node.clone(),
            id: ServiceId::from("consul"),
            name: Arc::from("consul"),
            tags: Some(Vec::new()),
            address: Arc::default(),
            meta: None,
            port: 8300,
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
        }),
        checks: Vec::from([serf_health(&node)]),
        node: Node {
            name: node,
            id: Arc::default(),
            address: Arc::from(config.address.as_str()),
            tagged_addresses: None,
            meta: None,
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
        },
        node_update: NodeUpdate::Write,
    }
}

/// The check that gossip keeps for each node (CAT-10).
pub fn serf_health(node: &NodeName) -> Check {
    Check {
        node: node.clone(),
        id: CheckId::from("serfHealth"),
        name: Arc::from("Serf Health Status"),
        status: Arc::from("passing"),
        notes: Arc::default(),
        output: Arc::from("Agent alive and reachable"),
        service: None,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::default(),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
