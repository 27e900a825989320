//! A world to run clients in: one server, the actors who call it, and a journal of everything that
//! they did. The same seed and the same journal give the same world, moment by moment.

mod actor;
mod dump;
mod moment;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use litemap::LiteMap;
use serde::{Deserialize, Serialize};

pub use self::actor::Actor;
pub use self::dump::DumpError;
pub use self::moment::{Happening, Moment, Outcome, Problem, Verdict};

use crate::engine::{
    Config, Effect, Engine, Event, Input, LockDelay, ParkedQuery, SessionClock, Stamped, Timer,
};
use crate::http::{self, HttpRequest, HttpResponse, Layout, Shape};
use crate::id::{ActorName, Index, NodeName, RequestId, SessionId};
use crate::message::{Operation, Refusal, Request, Response};
use crate::store::Store;
use crate::time::Instant;

/// Where time ends: after 292 years, with room for every deadline behind it (E7).
const END: Instant = Instant::from_nanos(u64::MAX / 2);

/// Everything that a person can do to a world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// A client appears, on a healthy node of its own.
    Join { actor: ActorName },
    /// A client sends a request to the agent of its node.
    Request { actor: ActorName, request: HttpRequest },
    /// A client stops waiting for an answer.
    Cancel { id: RequestId },
    /// Another server becomes leader.
    Failover,
    /// Nothing is done but waiting, up to this moment.
    Advance { to: Instant },
}

/// An act with the moment at which it was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalEntry {
    pub at: Instant,
    pub act: Act,
}

/// A call that was not answered yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub actor: ActorName,
    pub request: HttpRequest,
    pub sent: Instant,
    shape: Shape,
    agent: http::Agent,
    /// Whether it had to wait, rather than being answered in the same moment.
    parked: bool,
}

/// One server and its clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    seed: u64,
    engine: Engine,
    now: Instant,
    /// In the order in which they joined.
    actors: Vec<Actor>,
    #[serde(deserialize_with = "crate::flat::read")]
    pending: LiteMap<RequestId, Box<Pending>>,
    next_request: u64,
    next_moment: u64,
    journal: Vec<JournalEntry>,
}

impl World {
    /// A world with one server and nobody to call it.
    pub fn new(seed: u64) -> Self {
        Self::with_config(seed, Config::default())
    }

    pub fn with_config(seed: u64, config: Config) -> Self {
        Self {
            seed,
            engine: Engine::new(config, seed),
            now: Instant::EPOCH,
            actors: Vec::new(),
            pending: LiteMap::new(),
            next_request: 1,
            next_moment: 1,
            journal: Vec::new(),
        }
    }

    /// Does something now. An act that the world has no room for, such as a second actor of the
    /// same name, changes nothing and is not recorded.
    pub fn perform(&mut self, act: Act) -> Vec<Moment> {
        let mut moments = Vec::new();
        let is_done = match act.clone() {
            Act::Join { actor } => self.join(actor, &mut moments),
            Act::Request { actor, request } => self.send(&actor, request, &mut moments),
            Act::Cancel { id } => self.cancel(id, &mut moments),
            Act::Failover => self.input(Input::Failover, &mut moments),
            Act::Advance { to } => return self.advance(to),
        };
        if is_done {
            self.journal.push(JournalEntry { at: self.now, act });
        }
        moments
    }

    /// Lets time pass up to a moment, at most to the end of time; everything that falls due on the
    /// way happens at its own time.
    pub fn advance(&mut self, to: Instant) -> Vec<Moment> {
        let mut moments = Vec::new();
        let to = to.min(END);
        if to > self.now {
            self.record_advance(to);
            self.now = to;
            self.input(Input::Tick, &mut moments);
        }
        moments
    }

    /// The same world from its beginning: the journal done again (E5).
    pub fn replay(seed: u64, config: Config, journal: &[JournalEntry]) -> Self {
        let mut world = Self::with_config(seed, config);
        for entry in journal {
            world.advance(entry.at);
            world.perform(entry.act.clone());
        }
        world
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    pub fn journal(&self) -> &[JournalEntry] {
        &self.journal
    }

    /// The clients in the order in which they joined.
    pub fn actors(&self) -> &[Actor] {
        &self.actors
    }

    pub fn actor(&self, name: &str) -> Option<&Actor> {
        self.actors.iter().find(|actor| actor.name.as_str() == name)
    }

    /// The calls that were not answered yet, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = (RequestId, &Pending)> {
        self.pending.iter().map(|(id, pending)| (*id, &**pending))
    }

    pub fn store(&self) -> &Store {
        self.engine.store()
    }

    /// The last index of the log.
    pub fn index(&self) -> Index {
        self.engine.index()
    }

    /// When something next happens by itself, and what.
    pub fn next_deadline(&self) -> Option<(Instant, &Timer)> {
        self.engine.next_deadline()
    }

    /// All that will happen by itself, in order.
    pub fn deadlines(&self) -> impl Iterator<Item = (Instant, &Timer)> {
        self.engine.deadlines()
    }

    pub fn lock_delays(&self) -> impl Iterator<Item = &LockDelay> {
        self.engine.lock_delays()
    }

    pub fn lock_delay(&self, key: &str) -> Option<&LockDelay> {
        self.engine.lock_delay(key)
    }

    pub fn session_clock(&self, id: SessionId) -> Option<SessionClock> {
        self.engine.session_clock(id)
    }

    pub fn parked(&self) -> impl Iterator<Item = (RequestId, &ParkedQuery)> {
        self.engine.parked()
    }

    /// Panics if the world is at odds with itself.
    pub fn check_invariants(&self) {
        assert_eq!(self.flaw(), None);
    }

    /// What is at odds with itself, if anything is.
    fn flaw(&self) -> Option<&'static str> {
        let is_ours = |(id, pending): (RequestId, &Pending)| {
            pending.parked && id.0 < self.next_request && pending.sent <= self.now
        };
        let is_due = self.next_deadline().is_some_and(|(at, _)| at <= self.now);
        match self.engine.flaw() {
            Some(flaw) => Some(flaw),
            None if is_due => Some("E7: a deadline lies in the past"),
            None if !self.parked().map(|it| it.0).eq(self.pending.keys().copied()) => {
                Some("every query that waits has a caller who waits")
            }
            None if !self.pending().all(is_ours) => Some("every caller has sent a request"),
            None => None,
        }
    }

    fn join(&mut self, name: ActorName, moments: &mut Vec<Moment>) -> bool {
        if name.is_empty() || self.actor(name.as_str()).is_some() {
            return false;
        }
        let node = NodeName::from(name.as_str());
        let at_place = self.actors.len() + 1;
        self.actors.push(Actor { name: name.clone(), node: node.clone() });
        self.note(Happening::Joined { actor: name }, self.now, moments);
        let registration = actor::registration(&node, at_place);
        let id = self.mint_request();
        let operation = Operation::Register(Box::new(registration));
        self.input(Input::Request { id, request: Request { agent: node, operation } }, moments)
    }

    fn send(&mut self, actor: &ActorName, request: HttpRequest, moments: &mut Vec<Moment>) -> bool {
        let Some(actor) = self.actor(actor.as_str()).cloned() else { return false };
        let id = self.mint_request();
        let sent = Happening::Sent { id, actor: actor.name.clone(), request: request.clone() };
        self.note(sent, self.now, moments);
        let agent = http::Agent {
            node: actor.node,
            datacenter: self.engine.config().datacenter.clone(),
            layout: Layout::Compact,
        };
        match http::decode(&agent, &request) {
            Err(refused) => {
                let response = refused.response(&request.method);
                let outcome = Outcome::refused(refused);
                let actor = actor.name;
                let answered = Happening::Answered { id, actor, request, response, outcome };
                self.note(answered, self.now, moments);
            }
            Ok(call) => {
                let pending = Pending {
                    actor: actor.name,
                    request,
                    sent: self.now,
                    shape: call.shape,
                    agent,
                    parked: false,
                };
                self.pending.insert(id, Box::new(pending));
                self.input(Input::Request { id, request: call.request }, moments);
            }
        }
        true
    }

    fn cancel(&mut self, id: RequestId, moments: &mut Vec<Moment>) -> bool {
        let Some(pending) = self.pending.remove(&id) else { return false };
        self.note(Happening::Cancelled { id, actor: pending.actor }, self.now, moments);
        self.input(Input::Cancel(id), moments)
    }

    /// Steps the engine and turns what follows into moments.
    fn input(&mut self, input: Input, moments: &mut Vec<Moment>) -> bool {
        let mut at = self.now;
        for effect in self.engine.step(self.now, input) {
            match effect {
                Effect::Event(Stamped { at: when, index, event }) => {
                    at = when;
                    if let Event::Parked { id, .. } = &event {
                        self.mark_parked(*id);
                    }
                    self.note(Happening::Server { index, event }, at, moments);
                }
                Effect::Reply { id, result } => self.answer(at, id, &result, moments),
            }
        }
        true
    }

    fn answer(
        &mut self,
        at: Instant,
        id: RequestId,
        result: &Result<Response, Refusal>,
        moments: &mut Vec<Moment>,
    ) {
        // The registration of a new actor's node has no caller.
        let Some(pending) = self.pending.remove(&id) else { return };
        let response: HttpResponse = http::encode(&pending.agent, &pending.shape, result);
        let waited = pending.parked.then(|| at.since(pending.sent));
        let outcome = Outcome::of(result, &response, waited);
        let Pending { actor, request, .. } = *pending;
        self.note(Happening::Answered { id, actor, request, response, outcome }, at, moments);
    }

    fn mark_parked(&mut self, id: RequestId) {
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.parked = true;
        }
    }

    fn mint_request(&mut self) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        id
    }

    fn note(&mut self, happening: Happening, at: Instant, moments: &mut Vec<Moment>) {
        moments.push(Moment { number: self.next_moment, at, happening });
        self.next_moment += 1;
    }

    /// Waits that follow each other are one entry of the journal, however they were cut up (E4).
    fn record_advance(&mut self, to: Instant) {
        if let Some(JournalEntry { act: Act::Advance { to: last }, .. }) = self.journal.last_mut() {
            *last = to;
            return;
        }
        self.journal.push(JournalEntry { at: self.now, act: Act::Advance { to } });
    }
}

/// The call of a request in one line, as lists show it: method, path and query.
pub fn call_line(request: &HttpRequest) -> String {
    let target = request.target.strip_prefix("/v1/").unwrap_or(&request.target);
    format!("{} {target}", request.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(world: &mut World, target: &str, body: &str) -> Vec<Moment> {
        let request = HttpRequest::new("PUT", target, body.as_bytes());
        world.perform(Act::Request { actor: ActorName::from("a"), request })
    }

    #[test]
    fn waits_are_one_entry_however_they_are_cut_up() {
        let worlds = [&[8_000][..], &[1_000, 5_000, 8_000]].map(|pieces| {
            let mut world = World::new(1);
            for millis in pieces {
                world.advance(Instant::from_millis(*millis));
            }
            world
        });
        assert_eq!(worlds[0], worlds[1]);
    }

    #[test]
    fn time_ends_before_deadlines_do() {
        let mut world = World::new(1);
        world.advance(Instant::from_nanos(u64::MAX));
        world.perform(Act::Join { actor: ActorName::from("a") });
        put(&mut world, "/v1/session/create", r#"{"TTL": "24h"}"#);
        world.check_invariants();
        assert!(world.next_deadline().is_some());
    }

    #[test]
    fn a_registration_that_fails_has_done_nothing() {
        let mut world = World::new(1);
        world.perform(Act::Join { actor: ActorName::from("a") });
        let before = world.store().clone();
        let body = r#"{"Node": "a", "Address": "10.0.0.9", "Service": {"Service": "new"},
            "Check": {"CheckID": "x", "ServiceID": "none"}}"#;
        let moments = put(&mut world, "/v1/catalog/register", body);
        let is_failure = |moment: &Moment| match &moment.happening {
            Happening::Answered { response, .. } => response.status == 500,
            _ => false,
        };
        assert!(moments.iter().any(is_failure), "{moments:?}");
        assert_eq!(*world.store(), before);
    }
}
