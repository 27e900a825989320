//! A world: one Consul server, its clients, the links between them, their faults and guarded
//! resources, at one time.
//!
//! [`World::perform`] carries out an act, [`World::advance`] lets virtual time pass; both return
//! the events that follow. A world keeps no past.

mod acts;
mod calls;
mod causes;
mod connections;
mod dump;
mod election;
mod faults;
mod hosts;
mod programs;
mod queue;
mod resources;
mod schedule;
mod server;
mod takeover;

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::mem;
use core::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::calls::Pending;
pub use self::connections::{
    Connection, ConnectionState, ConnectionTimer, DialStep, Repetition, TimerKind,
};
pub use self::dump::DumpError;
pub(crate) use self::hosts::own_node;
pub use self::hosts::{Actor, Condition};
pub use self::programs::Running;
pub use self::queue::{HeldRequest, HeldStep, InFlightRequest, LostLeader, Reply, ScheduledEvent};
pub use self::resources::Resource;
pub use self::schedule::Upcoming;
pub use self::takeover::{Searched, Takeover, TakeoverSearch, Terms};

use lictor_core::deadlines::Deadlines;
use lictor_core::engine::{
    ClusterState, Config, Engine, Input, LockDelay, ParkedQuery, SessionClock,
};
use lictor_core::id::{ActorName, Index, ProgramName, RequestId, ResourceName, SessionId};
use lictor_core::rng::Rng;
use lictor_core::store::{Contradiction, Store};
use lictor_core::time::Instant;

use self::calls::Served;
use self::causes::{CausalContext, CauseIndex};
use self::connections::Connections;
use self::election::Election;
use self::queue::{EventQueue, QueuedEvent};
use self::schedule::DueQueue;
use crate::act::{Act, ActError, JournalEntry};
use crate::event::{EventKind, SimEvent};
use crate::fault::ActiveFault;
use crate::tcp::Network;

/// The end of virtual time: 292 years, with room for every deadline after it.
pub(crate) const END: Instant = Instant::from_nanos(u64::MAX / 2);

/// After about this many events a wait ends early, as programs without pauses could fill the
/// memory. The caller may wait again.
pub const EVENTS_AT_ONCE: usize = 100_000;

/// One server and its clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    seed: u64,
    engine: Engine,
    now: Instant,
    /// The random numbers of everything that belongs to no client.
    rng: Rng,
    /// In the order in which they joined.
    actors: Vec<Actor>,
    /// The index of each client in `actors`.
    actor_indexes: BTreeMap<ActorName, usize>,
    pending: BTreeMap<RequestId, Pending>,
    served: BTreeMap<RequestId, Served>,
    /// The requests of `served` by the call that each is a copy of.
    served_by_call: BTreeSet<(RequestId, RequestId)>,
    queue: EventQueue,
    programs: BTreeMap<ProgramName, Box<Running>>,
    /// The next deadline of each program.
    wakes: Deadlines<ProgramName>,
    resources: BTreeMap<ResourceName, Resource>,
    active_faults: Vec<ActiveFault>,
    causes: CauseIndex,
    next_request: u64,
    next_event: u64,
    journal: Vec<JournalEntry>,
    /// `None` in a world whose messages travel alone. Older dumps end before this field.
    tcp: Option<Box<Connections>>,
    /// `None` while there is a leader. Older dumps do not contain it either.
    election: Option<Box<Election>>,
    /// The events since the last act that were not returned to the caller yet.
    #[serde(skip)]
    emitted: EmittedEvents,
}

/// Events that were not returned yet. A clone of the world has none, as the caller of its acts gets
/// only their events.
#[derive(Debug, Default, PartialEq, Eq)]
struct EmittedEvents(Vec<SimEvent>);

impl Clone for EmittedEvents {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl World {
    /// A world with one server and no clients.
    pub fn new(seed: u64) -> Self {
        Self::with_config(seed, Config::default())
    }

    /// A world whose server has this configuration.
    pub fn with_config(seed: u64, config: Config) -> Self {
        Self::with_network(seed, config, Network::default())
    }

    /// A world whose server has this configuration, and whose messages travel in this way.
    pub fn with_network(seed: u64, config: Config, network: Network) -> Self {
        Self {
            seed,
            engine: Engine::new(config, seed),
            now: Instant::EPOCH,
            rng: Rng::new(!seed),
            actors: Vec::new(),
            actor_indexes: BTreeMap::new(),
            pending: BTreeMap::new(),
            served: BTreeMap::new(),
            served_by_call: BTreeSet::new(),
            queue: EventQueue::default(),
            programs: BTreeMap::new(),
            wakes: Deadlines::default(),
            resources: BTreeMap::new(),
            active_faults: Vec::new(),
            causes: CauseIndex::default(),
            next_request: 1,
            next_event: 1,
            journal: Vec::new(),
            tcp: match network {
                Network::Messages => None,
                Network::Tcp => Some(Box::default()),
            },
            election: None,
            emitted: EmittedEvents::default(),
        }
    }

    /// A world whose server begins in the state of a running cluster, without clients.
    ///
    /// # Errors
    ///
    /// Fails if the state contradicts itself.
    pub fn in_state(
        seed: u64,
        config: Config,
        network: Network,
        state: &ClusterState,
    ) -> Result<Self, Contradiction> {
        let engine = Engine::in_state(config.clone(), seed, state)?;
        Ok(Self { engine, ..Self::with_network(seed, config, network) })
    }

    /// The state in which its server began, if it was not a new one and nothing has happened since.
    pub(crate) fn initial_state(&self) -> Option<ClusterState> {
        let is_fresh = || self.engine == Engine::new(self.config().clone(), self.seed);
        (self.is_untouched() && !is_fresh()).then(|| self.cluster_state())
    }

    /// The state of the server now, in which the server of another world can begin.
    pub fn cluster_state(&self) -> ClusterState {
        self.engine.cluster_state()
    }

    /// Whether no act was performed and no time has passed.
    pub(crate) fn is_untouched(&self) -> bool {
        let is_empty = self.actors.is_empty() && self.resources.is_empty();
        let is_calm = self.active_faults.is_empty() && self.queue.len() == 0;
        is_empty
            && is_calm
            && self.now == Instant::EPOCH
            && (self.next_request, self.next_event) == (1, 1)
    }

    /// The number of records of the server and its clients, to which the cost of a clone is
    /// proportional.
    pub(crate) fn rows(&self) -> usize {
        let connections = self.tcp.as_ref().map_or(0, |tcp| tcp.rows());
        let calls = self.pending.len() + self.served.len() + self.queue.len() + connections;
        let clients = self.actors.len() + self.programs.len() + self.resources.len();
        self.engine.rows() + self.causes.rows() + calls + clients
    }

    /// Performs an act and returns the events that follow at once. A wait is performed as
    /// [`World::advance_to`].
    ///
    /// # Errors
    ///
    /// Fails if the act is impossible ([`World::check_act`]). The world stays as it is, and its
    /// journal does not contain the act.
    pub fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        if let Act::Advance { to } = act {
            return Ok(self.advance_to(to));
        }
        self.check_act(&act)?;
        self.journal.push(JournalEntry { at: self.now, act: act.clone() });
        self.act(act);
        self.happen_until(self.now);
        Ok(mem::take(&mut self.emitted.0))
    }

    /// Lets a span of virtual time pass ([`World::advance_to`]).
    pub fn advance(&mut self, span: Duration) -> Vec<SimEvent> {
        self.advance_to(self.now.plus(span))
    }

    /// Lets virtual time pass up to a time, at most to the end of time. Everything that is due
    /// happens at its own time. Stops early after about [`EVENTS_AT_ONCE`] events.
    pub fn advance_to(&mut self, to: Instant) -> Vec<SimEvent> {
        let (from, to) = (self.now, to.min(END));
        if to > from {
            self.now = self.happen_until(to);
            self.record_advance(from, self.now);
            self.input(Input::Tick, CausalContext::default());
        }
        mem::take(&mut self.emitted.0)
    }

    /// Replays a journal on a new world with the default network.
    ///
    /// # Errors
    ///
    /// Fails if the world refuses an act, so the journal is not one of such a world.
    pub fn replay(seed: u64, config: Config, journal: &[JournalEntry]) -> Result<Self, ActError> {
        let mut world = Self::with_config(seed, config);
        for entry in journal {
            while world.now < entry.at.min(END) {
                world.advance_to(entry.at);
            }
            world.perform(entry.act.clone())?;
        }
        Ok(world)
    }

    /// The seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The configuration of the server.
    pub fn config(&self) -> &Config {
        self.engine.config()
    }

    /// How messages travel.
    pub fn network(&self) -> Network {
        if self.tcp.is_some() { Network::Tcp } else { Network::Messages }
    }

    /// The virtual time, which begins at the epoch.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// The acts since the beginning of the world, or since the journal was taken. Waits are acts,
    /// too.
    pub fn journal(&self) -> &[JournalEntry] {
        &self.journal
    }

    /// Removes the journal and returns it. Clones are cheaper without it.
    pub fn take_journal(&mut self) -> Vec<JournalEntry> {
        mem::take(&mut self.journal)
    }

    /// The number of events so far.
    pub fn event_count(&self) -> u64 {
        self.next_event - 1
    }

    /// The clients in the order in which they joined.
    pub fn actors(&self) -> &[Actor] {
        &self.actors
    }

    /// The client of a name.
    pub fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.get(*self.actor_indexes.get(name)?)
    }

    /// What the server has stored: keys, sessions, the catalog.
    pub fn store(&self) -> &Store {
        self.engine.store()
    }

    /// The last index of the log.
    pub fn index(&self) -> Index {
        self.engine.index()
    }

    /// The lock-delays that have not ended.
    pub fn lock_delays(&self) -> impl Iterator<Item = &LockDelay> {
        self.engine.lock_delays()
    }

    /// The lock-delay of a key, unless it has ended.
    pub fn lock_delay(&self, key: &str) -> Option<&LockDelay> {
        self.engine.lock_delay(key)
    }

    /// The TTL of a session, and when the server ends it unless it is renewed; `None` for a session
    /// that does not exist or has no TTL.
    pub fn session_clock(&self, id: SessionId) -> Option<SessionClock> {
        self.engine.session_clock(id)
    }

    /// The blocking queries that wait at the server, with their ids there.
    pub fn parked(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.engine.parked()
    }

    /// Checks the world's internal consistency, for tests.
    ///
    /// # Panics
    ///
    /// Panics with the first invariant that does not hold.
    pub fn check_invariants(&self) {
        assert_eq!(self.invariant_violation(), None);
    }

    /// The first invariant that the world violates, if any.
    fn invariant_violation(&self) -> Option<&'static str> {
        let is_due = self.next_deadline().is_some_and(|(at, _)| at <= self.now);
        match self.engine.invariant_violation() {
            Some(invariant_violation) => Some(invariant_violation),
            None if is_due => Some("a deadline lies in the past"),
            None => self.actor_violation().or_else(|| self.call_violation()),
        }
    }

    fn actor_violation(&self) -> Option<&'static str> {
        let is_indexed = |(index, actor): (usize, &Actor)| {
            self.actor_indexes.get(&actor.name).is_some_and(|found| *found == index)
        };
        let is_indexed = self.actors.iter().enumerate().all(is_indexed)
            && self.actor_indexes.len() == self.actors.len();
        (!is_indexed).then_some("every client is found by its name")
    }

    /// Runs everything that is due by a time, and returns the time that was reached, which is
    /// earlier after [`EVENTS_AT_ONCE`] events.
    fn happen_until(&mut self, until: Instant) -> Instant {
        while let Some((at, _)) = self.next_deadline().filter(|(at, _)| *at <= until) {
            if self.emitted.0.len() >= EVENTS_AT_ONCE && at > self.now {
                return self.now;
            }
            self.happen_next();
        }
        until
    }

    /// Advances to the next time at which something is due, and runs it.
    fn happen_next(&mut self) {
        let Some((at, next)) = self.next_deadline() else { return };
        let next = DueQueue::of(next);
        self.now = at.max(self.now);
        match next {
            DueQueue::Server => self.input(Input::Tick, CausalContext::default()),
            DueQueue::EventQueue => {
                if let Some(entry) = self.queue.pop() {
                    self.run_scheduled(entry);
                }
            }
            DueQueue::Connection => {
                let timer = self.tcp.as_mut().and_then(|tcp| tcp.pop_timer(self.now));
                if let Some(timer) = timer {
                    self.run_connection_timer(timer);
                }
            }
            DueQueue::Program => {
                if let Some((_, name)) = self.wakes.pop_due(self.now) {
                    self.wake_program(&name);
                }
            }
        }
    }

    fn run_scheduled(&mut self, QueuedEvent { cause, scheduled }: QueuedEvent) {
        match scheduled {
            ScheduledEvent::Request(in_flight) => self.arrive(in_flight, cause),
            ScheduledEvent::Answer(reply) => self.deliver(reply, cause),
            ScheduledEvent::Stimulus { program, stimulus } => {
                self.reach_program(&program, stimulus, cause);
            }
            ScheduledEvent::HangUp { id } => self.hang_up_arrived(id, cause),
            ScheduledEvent::FaultBegins { fault, plan } => self.begin(fault, plan, cause),
            ScheduledEvent::FaultEnds { number } => self.end_planned(number),
            ScheduledEvent::SilenceNoticed { number } => self.notice_silence(number),
            ScheduledEvent::Segment { connection, leg } => self.segment_arrives(connection, leg),
            ScheduledEvent::ConnectionFails { connection, error } => {
                self.fail_connection(connection, error);
            }
            ScheduledEvent::Held { held, next } => self.run_held(held, next, cause),
        }
    }

    fn plan(&mut self, at: Instant, cause: Option<u64>, scheduled: ScheduledEvent) {
        debug_assert!(at >= self.now, "nothing is planned for the past");
        self.queue.add(at, QueuedEvent { cause, scheduled });
    }

    fn host(&mut self, name: &ActorName) -> Option<&mut Actor> {
        self.actors.get_mut(*self.actor_indexes.get(name)?)
    }

    fn mint_request(&mut self) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        id
    }

    /// Emits an event and returns its number.
    fn note(&mut self, cause: Option<u64>, kind: EventKind) -> u64 {
        let number = self.next_event;
        self.emitted.0.push(SimEvent { number, at: self.now, cause, kind });
        self.next_event += 1;
        number
    }

    /// Successive waits are one entry of the journal, so that it does not depend on how a caller
    /// divides them.
    fn record_advance(&mut self, from: Instant, to: Instant) {
        debug_assert!(from <= to, "time does not go back");
        if let Some(JournalEntry { act: Act::Advance { to: last }, .. }) = self.journal.last_mut() {
            *last = to;
            return;
        }
        self.journal.push(JournalEntry { at: from, act: Act::Advance { to } });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Names, act_of};
    use lictor_core::http::HttpRequest;

    fn put(world: &mut World, target: &str, body: &str) -> Vec<SimEvent> {
        let request = HttpRequest::new("PUT", target, body.as_bytes());
        world
            .perform(Act::Request { actor: ActorName::from("a"), request })
            .expect("it is possible")
    }

    #[test]
    fn successive_waits_are_one_entry_of_the_journal() {
        let worlds = [&[8_000][..], &[1_000, 5_000, 8_000]].map(|pieces| {
            let mut world = World::new(1);
            for millis in pieces {
                world.advance_to(Instant::from_millis(*millis));
            }
            world
        });
        assert_eq!(worlds[0], worlds[1]);
    }

    #[test]
    fn a_world_is_untouched_until_an_act_changes_it() {
        let new = World::new(1);
        assert!(new.is_untouched());
        for (actor, words) in [
            ("a", "joins"),
            ("a", "get x"),
            ("server", "fails-over"),
            ("server", "leader-lost after=5s"),
            ("server", "heals"),
            ("server", "guards disk asks=session"),
        ] {
            let mut world = new.clone();
            let act = act_of(actor, words, &Names::default()).expect(words);
            let is_refused = world.perform(act).is_err();
            world.take_journal();
            assert_eq!(is_refused, words == "get x", "there is no client yet");
            assert_eq!(world.is_untouched(), world == new, "{words}");
        }
    }

    #[test]
    fn time_ends_before_deadlines_do() {
        let mut world = World::new(1);
        world.advance_to(Instant::from_nanos(u64::MAX));
        world.perform(Act::Join { actor: ActorName::from("a") }).expect("it is possible");
        put(&mut world, "/v1/session/create", r#"{"TTL": "24h"}"#);
        world.check_invariants();
        assert!(world.next_deadline().is_some());
    }

    #[test]
    fn a_registration_that_fails_has_done_nothing() {
        let mut world = World::new(1);
        world.perform(Act::Join { actor: ActorName::from("a") }).expect("it is possible");
        let before = world.store().clone();
        let body = r#"{"Node": "a", "Address": "10.0.0.9", "Service": {"Service": "new"},
            "Check": {"CheckID": "x", "ServiceID": "none"}}"#;
        let events = put(&mut world, "/v1/catalog/register", body);
        let is_failure = |event: &SimEvent| match &event.kind {
            EventKind::Answered { outcome, .. } => outcome.response.status == 500,
            _ => false,
        };
        assert!(events.iter().any(is_failure), "{events:?}");
        assert_eq!(*world.store(), before);
    }
}
