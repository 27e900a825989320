//! The server behind the HTTP API: it turns requests and the passing of time into log entries,
//! applies them to the [`Store`], and keeps what is not in the log (timers, parked queries).
//!
//! All of its state changes in [`Engine::step`].

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::agent_checks::AgentChecks;
use super::event::{Effect, EngineStep, Event, Stamped};
use super::input::{Input, InputError};
use super::own_node::own_node;
use super::parked::{ParkedQueries, ParkedQuery};
use super::snapshot::Recorder;
use super::timers::{LockDelay, SessionClock, Timer, Timers, applied_lock_delay};
use crate::config::Config;
use crate::ended_sessions::{EndedSession, EndedSessions};
use crate::error::{Cause, Error};
use crate::id::{Index, Key, RequestId, SessionId};
use crate::message::Refusal;
use crate::rng::Rng;
use crate::store::{Applied, Change, Command, Session, Store};
use crate::time::Instant;
use crate::user_event::UserEvents;

/// The log entries that come before the registration of a server's own node: the election, and the
/// configuration of Raft, autopilot, the system metadata and the service mesh. A recorded Consul
/// 1.13 has its `serfHealth` at index 6. Test harnesses wait for an index above 1 before they send
/// requests.
pub(super) const ENTRIES_BEFORE_OWN_NODE: Index = Index(5);

/// A Consul server as a value: its store, its timers and the blocking queries that wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    pub(super) config: Config,
    pub(super) store: Store,
    pub(super) index: Index,
    pub(super) now: Instant,
    pub(super) rng: Rng,
    pub(super) timers: Timers,
    pub(super) parked: ParkedQueries,
    pub(super) agent_checks: AgentChecks,
    pub(super) ended: EndedSessions<EndedSession>,
    pub(super) user_events: UserEvents,
    /// Not serialized: records continue a [`Snapshot`](super::Snapshot), not a dump.
    #[serde(skip)]
    pub(super) recorder: Option<Recorder>,
}

impl Engine {
    /// A fresh server whose own node is registered and healthy.
    pub fn new(config: Config, seed: u64) -> Self {
        let own = Box::new(own_node(&config));
        let mut engine = Self {
            store: Store::new(config.version),
            config,
            index: ENTRIES_BEFORE_OWN_NODE,
            now: Instant::EPOCH,
            rng: Rng::new(seed),
            timers: Timers::default(),
            parked: ParkedQueries::default(),
            agent_checks: AgentChecks::default(),
            ended: EndedSessions::default(),
            user_events: UserEvents::default(),
            recorder: None,
        };
        let mut step = EngineStep::at(Instant::EPOCH);
        let registered = engine.log(&mut step, &Command::Register(own));
        registered.expect("an empty catalog accepts any node");
        engine
    }

    /// The number of stored records, running timers, lock-delays, parked queries and remembered
    /// session ends.
    pub fn rows(&self) -> usize {
        let clocks = self.timers.deadlines.len() + self.timers.delays.len();
        self.store.rows() + clocks + self.parked.len() + self.ended.len()
    }

    /// Carries out one input and returns everything that follows from it.
    ///
    /// Timers that are due by `now` fire first, each at its own deadline. Inputs are carried out in
    /// the order of the calls, so of several clients that acquire a lock the first gets it
    /// (LCK-18). A time before the last one counts as the last one.
    #[must_use]
    pub fn step(&mut self, now: Instant, input: Input) -> Vec<Effect> {
        let now = now.max(self.now);
        let mut step = EngineStep::at(self.now);
        while let Some((at, timer)) = self.timers.deadlines.pop_due(now) {
            debug_assert!(at >= self.now, "a timer that was due before has fired before");
            (self.now, step.now) = (at, at);
            self.fire(&mut step, timer);
            self.update_aliases(&mut step);
            self.wake_watchers(&mut step);
        }
        (self.now, step.now) = (now, now);
        match input {
            Input::Tick => {}
            Input::Request { id, .. } if self.parked.get(id).is_some() => {
                step.effects.push(Effect::Rejected { id, error: InputError::RequestIdInUse(id) });
            }
            Input::Request { id, request } => self.request(&mut step, id, request),
            Input::Cancel(id) => self.cancel(&mut step, id),
            Input::Failover => self.fail_over(&mut step),
            Input::LeaderLost { until } => self.lose_leader(&mut step, until),
            Input::ExpireSession(id) => {
                let timer = Timer::SessionTtl(id);
                if self.timers.deadlines.get(&timer).is_some() {
                    self.timers.stop_clock(id);
                    self.fire(&mut step, timer);
                }
            }
        }
        self.update_aliases(&mut step);
        self.wake_watchers(&mut step);
        let next = self.next_deadline();
        debug_assert!(next.is_none_or(|(at, _)| at >= now), "no timer is set to the past");
        step.effects
    }

    /// The time of the next timer, and what it does: the engine must be stepped by then.
    pub fn next_deadline(&self) -> Option<(Instant, &Timer)> {
        self.timers.deadlines.next()
    }

    /// All timers, earliest first.
    pub fn deadlines(&self) -> impl Iterator<Item = (Instant, &Timer)> {
        self.timers.deadlines.iter()
    }

    /// The stored state.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The configuration with which the engine was started.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The index of the last log entry.
    pub fn index(&self) -> Index {
        self.index
    }

    /// The keys under lock-delay, in key order.
    pub fn lock_delays(&self) -> impl Iterator<Item = &LockDelay> {
        self.timers.delays.values()
    }

    /// The lock-delay of a key, if it is under one.
    pub fn lock_delay(&self, key: &str) -> Option<&LockDelay> {
        self.timers.delays.get(key)
    }

    /// The TTL clock of a live session; `None` if the session has no TTL.
    pub fn session_clock(&self, id: SessionId) -> Option<SessionClock> {
        self.store.sessions().get(id).and_then(|session| self.timers.clock(session))
    }

    /// When and why a session ended, if that is still remembered.
    pub fn ended_session(&self, id: SessionId) -> Option<&EndedSession> {
        self.ended.get(id)
    }

    /// The blocking queries that wait, in the order of their request ids.
    pub fn parked(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.parked.iter()
    }

    /// The first invariant that the state violates, if any.
    pub fn invariant_violation(&self) -> Option<&'static str> {
        let has_timer = |id| self.timers.deadlines.get(&Timer::Parked(id)).is_some();
        self.store.invariant_violation(self.index).or_else(|| {
            let is_timed = self.parked().all(|(id, _)| has_timer(id));
            (!is_timed).then_some("a parked query has no timeout")
        })
    }

    /// Carries out a timer that is due at `step.now`.
    fn fire(&mut self, step: &mut EngineStep, timer: Timer) {
        self.emit(step, Event::Fired(timer.clone()));
        match timer {
            Timer::SessionTtl(id) => self.end_session(step, id, Cause::TtlExpired),
            Timer::LockDelay(key) => {
                self.timers.delays.remove(&key);
                self.emit(step, Event::DelayOver { key });
            }
            Timer::Parked(id) => self.time_out(step, id),
            Timer::CheckTtl(node, check) => self.expire_check(step, &(node, check)),
            Timer::Reap => {
                if let Some(up_to) = self.timers.take_batch(step.now) {
                    let reaped = self.log(step, &Command::ReapTombstones { up_to });
                    reaped.expect("reaping is never refused");
                }
            }
        }
    }

    pub(super) fn end_session(&mut self, step: &mut EngineStep, id: SessionId, cause: Cause) {
        let ended = self.log(step, &Command::EndSession { id, cause });
        ended.expect("the end of a session is never refused");
    }

    /// A new leader restarts the clocks of all sessions (TTL-05). Lock-delays and parked queries
    /// continue (DLY-09).
    fn fail_over(&mut self, step: &mut EngineStep) {
        let timers = &mut self.timers;
        let sessions = self.store.sessions().iter();
        let restarted = sessions
            .filter_map(|session| Some((session.id, timers.start_clock(step.now, session)?.ttl)));
        let clocks = restarted.collect();
        timers.restart_reaping(step.now);
        self.emit(step, Event::LeaderChanged { clocks });
    }

    /// No session ends before another leader has started its clock again. Lock-delays continue.
    fn lose_leader(&mut self, step: &mut EngineStep, until: Instant) {
        let timers = &mut self.timers;
        let sessions = self.store.sessions().iter();
        let clocks = sessions
            .filter_map(|session| Some((session.id, timers.start_clock(until, session)?)))
            .collect();
        timers.wait_for_leader(until);
        self.emit(step, Event::LeaderLost { clocks });
    }

    /// Writes one entry to the log, applies it to the store and updates the timers. The queries
    /// that watch what it changed are woken after the writer's answer.
    pub(super) fn log(
        &mut self,
        step: &mut EngineStep,
        command: &Command,
    ) -> Result<Applied, Refusal> {
        self.index = self.index.next();
        self.record(command);
        self.emit(step, Event::Logged);
        let (applied, changes) = self.store.apply(self.index, command);
        debug_assert!(applied.is_ok() || changes.is_empty(), "a refused entry changes nothing");
        step.watchers.append(&mut self.parked.touched_by(&changes));
        for change in changes {
            let consequences = self.follow(step.now, &change);
            self.emit(step, Event::Changed(change));
            for event in consequences {
                self.emit(step, event);
            }
        }
        applied.map_err(|error| self.refusal(error))
    }

    /// Starts and stops the timers that a change affects.
    fn follow(&mut self, now: Instant, change: &Change) -> Vec<Event> {
        match change {
            Change::SessionCreated(session) => {
                let clock = self.timers.start_clock(now, session);
                let renewed = clock.map(|clock| Event::Renewed { session: session.id, clock });
                renewed.into_iter().collect()
            }
            Change::SessionEnded { session, cause, held } => {
                self.timers.stop_clock(session.id);
                let end = EndedSession { at: now, index: self.index, cause: cause.clone() };
                self.ended.remember(session.id, end);
                self.arm_delays(now, session, cause, held)
            }
            Change::Buried { .. } => {
                self.timers.hint_tombstone(now, self.index);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Arms a lock-delay for each key that an ended session held (DLY-02), whatever ended it
    /// (DST-10).
    fn arm_delays(
        &mut self,
        now: Instant,
        session: &Session,
        cause: &Cause,
        held: &[Key],
    ) -> Vec<Event> {
        let length = applied_lock_delay(session.lock_delay);
        let arm = |key: &Key| {
            let delay = LockDelay {
                key: key.clone(),
                armed_at: now,
                until: now,
                index: self.index,
                session: session.id,
                cause: cause.clone(),
            };
            self.timers.arm_delay(length, delay).cloned().map(Event::DelayArmed)
        };
        held.iter().filter_map(arm).collect()
    }

    /// Arms the lock-delays of sessions whose end was undone with a failed transaction, as Consul
    /// does (DLY-10).
    pub(super) fn arm_undone(&mut self, step: &mut EngineStep, undone: &[Change]) {
        for change in undone {
            if let Change::SessionEnded { session, cause, held } = change {
                for event in self.arm_delays(step.now, session, cause, held) {
                    self.emit(step, event);
                }
            }
        }
    }

    /// Adds to an error why the session that it names does not exist.
    fn refusal(&self, error: Error) -> Refusal {
        let reason = match &error {
            Error::InvalidSession(session) => Some(Box::new(self.ended.reason(session))),
            _ => None,
        };
        Refusal { error, reason }
    }

    pub(super) fn emit(&self, step: &mut EngineStep, event: Event) {
        let stamped = Stamped { at: step.now, index: self.index, event };
        step.effects.push(Effect::Event(stamped));
    }
}
