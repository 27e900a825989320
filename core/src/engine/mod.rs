//! The leader: policy around the store, and the only place where time meets state. One function,
//! [`step`], takes the time and one input and returns everything that follows from it.
//!
//! [`step`]: Engine::step

mod admit;
mod agent_endpoints;
mod ended;
mod event;
mod own;
mod parked;
mod reads;
mod requests;
mod restart;
mod timers;
mod wake_reason;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::ended::EndedSession;
pub use self::event::{Effect, Event, Stamped, Wake};
pub use self::own::serf_health;
pub use self::parked::ParkedQuery;
pub use self::restart::{OutOfOrder, Record, Snapshot};
pub use self::timers::{
    LOCK_DELAY_MAX, LockDelay, SessionClock, TOMBSTONE_GRANULARITY, TOMBSTONE_TTL, TTL_GRACE, Timer,
};

use self::agent_endpoints::AgentChecks;
use self::ended::Ended;
use self::own::own_node;
use self::parked::Parked;
use self::restart::Recorder;
use self::timers::Timers;
use crate::error::{Cause, Error};
use crate::id::{Index, Key, NodeName, RequestId, SessionId};
use crate::message::{Refusal, Request};
use crate::rng::Rng;
use crate::store::{Applied, Change, Command, Session, Store};
use crate::time::Instant;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Not dumped: who keeps records goes on from a whole (`restart`).
    #[serde(skip)]
    recorder: Option<Recorder>,
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
        let own = Box::new(own_node(&config));
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
            recorder: None,
        };
        let registered = engine.log(Instant::EPOCH, &Command::Register(own), &mut Vec::new());
        registered.expect("an empty catalog takes any node");
        engine
    }

    /// How many records are stored, clocks run, queries wait and ends are remembered.
    pub fn rows(&self) -> usize {
        let clocks = self.timers.deadlines.len() + self.timers.delays.len();
        self.store.rows() + clocks + self.parked.len() + self.ended.len()
    }

    /// Takes one input at a time, which never runs backwards, and returns all that follows from it:
    /// first from the timers due by then, each at its own deadline, then from the input itself. Of
    /// those who want a lock, the first gets it (LCK-18).
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
        self.store.sessions().get(id).and_then(|session| self.timers.clock(session))
    }

    pub fn ended_session(&self, id: SessionId) -> Option<&EndedSession> {
        self.ended.get(id)
    }

    /// The blocking queries that wait, in the order of their requests.
    pub fn parked(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.parked.iter()
    }

    /// What is at odds with itself, if anything is.
    pub fn invariant_violation(&self) -> Option<&'static str> {
        let waits = |id| self.timers.deadlines.get(&Timer::Parked(id)).is_some();
        match self.store.invariant_violation(self.index) {
            Some(invariant_violation) => Some(invariant_violation),
            None if !self.parked().all(|(id, _)| waits(id)) => Some("a query waits for ever"),
            None => None,
        }
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

    fn end_session(
        &mut self,
        now: Instant,
        id: SessionId,
        cause: Cause,
        effects: &mut Vec<Effect>,
    ) {
        let Ok(_) = self.log(now, &Command::EndSession { id, cause }, effects) else {
            unreachable!("the end of a session is never refused");
        };
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
        self.record(command);
        self.emit(now, Event::Logged, effects);
        let mut changes = Vec::new();
        let applied = self.store.apply(self.index, command, &mut changes);
        let watchers = self.parked.touched_by(&changes);
        for change in changes {
            let followed = self.follow(now, &change);
            self.emit(now, Event::Changed(change), effects);
            followed.into_iter().for_each(|event| self.emit(now, event, effects));
        }
        self.wake(now, watchers, effects);
        applied.map_err(|error| self.refusal(error))
    }

    /// Arms and disarms the timers of a change, and tells what it did.
    fn follow(&mut self, now: Instant, change: &Change) -> Vec<Event> {
        match change {
            Change::SessionCreated(session) => {
                let clock = self.timers.start_clock(now, session);
                clock
                    .map(|clock| Event::Renewed { session: session.id, clock })
                    .into_iter()
                    .collect()
            }
            Change::SessionEnded { session, cause, held } => {
                self.timers.stop_clock(session.id);
                let end = EndedSession { at: now, index: self.index, cause: cause.clone() };
                self.ended.remember(session.id, end);
                self.arm_delays(now, (session, cause, held))
            }
            Change::Buried { .. } => {
                self.timers.hint_tombstone(now, self.index);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// DLY-02: one delay for each key that the session held, whatever ended it (DST-10).
    fn arm_delays(
        &mut self,
        now: Instant,
        (session, cause, held): (&Session, &Cause, &[Key]),
    ) -> Vec<Event> {
        let arm = |key: &Key| {
            let delay = LockDelay {
                key: key.clone(),
                armed_at: now,
                until: now,
                index: self.index,
                session: session.id,
                cause: cause.clone(),
            };
            self.timers.arm_delay(session.lock_delay, delay).cloned().map(Event::DelayArmed)
        };
        held.iter().filter_map(arm).collect()
    }

    /// DLY-10: a failed transaction does not take back the delays of the sessions that it had
    /// ended.
    fn arm_undone(&mut self, now: Instant, undone: &[Change], effects: &mut Vec<Effect>) {
        for change in undone {
            if let Change::SessionEnded { session, cause, held } = change {
                let armed = self.arm_delays(now, (session, cause, held));
                armed.into_iter().for_each(|event| self.emit(now, event, effects));
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
