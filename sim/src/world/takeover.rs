//! The earliest takeover of a lock: when the first waiting client can acquire it, if from now on no
//! client releases, destroys, renews or fails. It is measured in a clone of the world in which only
//! the waiting clients act, so it is exact for every kind of client, link and clock.

use alloc::string::ToString;
use core::time::Duration;

use lictor_core::engine::{Event, LOCK_DELAY_MAX};
use lictor_core::id::{Key, SessionId, SessionRef};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::{Belief, Program};
use serde::{Deserialize, Serialize};

use super::queue::ScheduledEvent;
use super::{END, World};
use crate::event::{EventKind, SimEvent};

/// When a lock can change its holder, and what delays it until then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Takeover {
    /// When its holder changes.
    pub at: Instant,
    /// The session that acquires it.
    pub session: SessionId,
    /// The parts of the time until then.
    pub terms: Terms,
}

/// The parts of the time until a takeover, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Until the holder's session ends: the rest of twice its TTL.
    pub session: Duration,
    /// The lock-delay after that.
    pub delay: Duration,
    /// Until the first waiting client tries again and its request arrives.
    pub retry: Duration,
}

/// How long the waiting clients are simulated after the lock is free: their pauses are far shorter.
const HORIZON: Duration = Duration::from_secs(120);
/// The largest number of events that a search simulates.
const EVENTS_MAX: usize = 100_000;

/// A search for the earliest takeover, which can be divided into many calls.
#[derive(Clone, Debug)]
pub struct TakeoverSearch {
    /// A clone of the world in which only the waiting clients act.
    world: World,
    key: Key,
    holder: Option<SessionId>,
    begun: Instant,
    /// Where the search ends.
    until: Instant,
    /// When the holder's session ended and when the key can be locked, once known.
    freed: Instant,
    open: Instant,
    /// The remaining number of events.
    left: usize,
}

/// The result of one call of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Searched {
    /// The first waiting client gets the lock then.
    Found(Takeover),
    /// No client gets the lock.
    NotFound,
    /// The search is not finished.
    Unfinished,
}

impl World {
    /// The earliest takeover of a key; `None` if the key never becomes free, or no client acquires
    /// it within the bounds of the search.
    pub fn earliest_takeover(&self, key: &Key) -> Option<Takeover> {
        let found = self.search_takeover(key)?.run(EVENTS_MAX);
        if let Searched::Found(takeover) = found { Some(takeover) } else { None }
    }

    /// Begins a search for the earliest takeover. `None` if the key never becomes free, or no
    /// program waits for a lock.
    pub fn search_takeover(&self, key: &Key) -> Option<TakeoverSearch> {
        let is_waiting = |world: &Self| {
            world.programs().any(|(_, it)| matches!(it.program.belief(), Belief::Contending { .. }))
        };
        let until = self.free_at(key)?.plus(HORIZON).min(END);
        is_waiting(self).then(|| TakeoverSearch::new(self.clone(), key, until))
    }

    /// When a key can be locked at the latest, if its holder sends nothing from now on.
    fn free_at(&self, key: &Key) -> Option<Instant> {
        let delayed = self.lock_delay(key.as_str()).map_or(self.now, |delay| delay.until);
        match self.holder(key) {
            None => Some(delayed),
            Some(session) => Some(self.session_clock(session)?.ends.plus(LOCK_DELAY_MAX)),
        }
    }

    fn holder(&self, key: &Key) -> Option<SessionId> {
        self.store().kv().get(key.as_str())?.holder().and_then(SessionRef::id)
    }

    /// Removes all programs that do not wait for a lock, pending messages of the holder, such as a
    /// renewal that may still be lost, and all planned faults.
    fn silence(&mut self, holder: Option<SessionId>) {
        let is_busy = |program: &Program| {
            let session = program.renewer().and_then(|renewer| renewer.session()?.id());
            // A waiting client may already hold the lock, before the answer has arrived.
            (holder.is_some() && session == holder)
                || !matches!(program.belief(), Belief::Contending { .. })
        };
        let busy = self.programs.iter().filter(|(_, it)| is_busy(&it.program));
        for name in busy.map(|(name, _)| name.clone()).collect::<alloc::vec::Vec<_>>() {
            self.programs.remove(&name);
            self.wakes.clear(&name);
        }
        let holder_id = holder.map(|id| id.to_string());
        let is_holders = |target: &str| {
            holder_id.as_ref().is_some_and(|id| target.to_ascii_lowercase().contains(id))
        };
        self.queue.retain(|scheduled| match scheduled {
            ScheduledEvent::Request(in_flight) => !is_holders(&in_flight.call.request.target),
            ScheduledEvent::Held { held, .. } => !is_holders(&held.in_flight.call.request.target),
            ScheduledEvent::FaultBegins { .. } => false,
            ScheduledEvent::Answer(_)
            | ScheduledEvent::Stimulus { .. }
            | ScheduledEvent::HangUp { .. }
            | ScheduledEvent::FaultEnds { .. }
            | ScheduledEvent::SilenceNoticed { .. }
            | ScheduledEvent::Segment { .. }
            | ScheduledEvent::ConnectionFails { .. } => true,
        });
        self.forget_connections(|call| is_holders(&call.request.target));
    }
}

impl TakeoverSearch {
    fn new(mut world: World, key: &Key, until: Instant) -> Self {
        let (begun, holder, key) = (world.now, world.holder(key), key.clone());
        world.silence(holder);
        let open = world.lock_delay(key.as_str()).map_or(begun, |delay| delay.until);
        let (freed, left) = (Instant::EPOCH, EVENTS_MAX);
        Self { world, key, holder, begun, until, freed, open, left }
    }

    /// Runs the waiting clients until one of them acquires this lock, or this many events have
    /// happened.
    pub fn run(&mut self, events: usize) -> Searched {
        for _ in 0..events.min(self.left) {
            if self.world.next_deadline().is_none_or(|(at, _)| at > self.until) {
                return Searched::NotFound;
            }
            self.left -= 1;
            self.world.happen_next();
            for event in core::mem::take(&mut self.world.emitted.0) {
                if let Some(takeover) = self.follow(&event) {
                    return Searched::Found(takeover);
                }
            }
        }
        if self.left == 0 { Searched::NotFound } else { Searched::Unfinished }
    }

    fn follow(&mut self, event: &SimEvent) -> Option<Takeover> {
        let at = event.at;
        match step_of(event, &self.key, self.holder)? {
            TakeoverStep::Ended => (self.freed, self.open) = (at, self.open.max(at)),
            TakeoverStep::Delayed(until) => self.open = until,
            TakeoverStep::Taken(session) => {
                let freed = self.freed.max(self.begun);
                let open = self.open.max(freed);
                let terms = Terms {
                    session: freed.since(self.begun),
                    delay: open.since(freed),
                    retry: at.since(open),
                };
                return Some(Takeover { at, session, terms });
            }
        }
        None
    }
}

/// What an event means for the search.
enum TakeoverStep {
    Ended,
    Delayed(Instant),
    Taken(SessionId),
}

fn step_of(event: &SimEvent, key: &Key, holder: Option<SessionId>) -> Option<TakeoverStep> {
    let EventKind::Server { event, .. } = &event.kind else { return None };
    match event {
        Event::Changed(Change::SessionEnded { session, .. }) => {
            (Some(session.id) == holder).then_some(TakeoverStep::Ended)
        }
        Event::DelayArmed(delay) => {
            (delay.key == *key).then_some(TakeoverStep::Delayed(delay.until))
        }
        Event::Changed(Change::KeyWritten { after, .. }) if after.key == *key => {
            let session = after.holder().and_then(SessionRef::id)?;
            (Some(session) != holder).then_some(TakeoverStep::Taken(session))
        }
        _ => None,
    }
}
