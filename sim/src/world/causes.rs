//! The index of causes: which event led to each timer, batch of tombstones, key and ended session,
//! so that every event can name its cause. It stores only events that can still be a cause or the
//! reason of an answer.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::ended_sessions::EndedSessions;
use lictor_core::engine::{Engine, Event, Timer, reaped_at};
use lictor_core::error::{Cause, Reason};
use lictor_core::id::{Key, RequestId, SessionId};
use lictor_core::store::{Change, Store};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::call::{Call, CausedBy};

/// How many deleted keys or stopped timers may be left beyond the number of others before they are
/// purged.
const PURGE_SLACK: usize = 256;

/// The events that can be causes of later ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CauseIndex {
    /// Which event armed a timer.
    timers: BTreeMap<Timer, u64>,
    /// How many timers there were after the last purge.
    timers_purged: usize,
    /// The event that began the wait of each batch of tombstones that are reaped together: the
    /// first of the tombstones, or the latest change of the leader.
    batches: BTreeMap<Instant, u64>,
    keys: BTreeMap<Key, KeyTrail>,
    ended: EndedSessions<CausedBy>,
}

/// The latest events of a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeyTrail {
    changed: CausedBy,
    /// The event that acquired its lock; `None` while it is free.
    held: Option<CausedBy>,
}

/// The causes inside one input of the server: how one event leads to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct CausalContext {
    /// The event of the input, or of the timer that fired.
    pub(super) root: Option<u64>,
    /// The call that is carried out, with its number at the server.
    pub(super) call: Option<(RequestId, Arc<Call>)>,
    /// The latest log entry since then.
    entry: Option<u64>,
    /// The latest beginning of a session.
    began: Option<u64>,
    /// The latest end of a session, and the keys that it held.
    ended: Option<(u64, BTreeSet<Key>)>,
    /// The event that ended the latest wait of a blocking query; its answer follows at once.
    wake: Option<u64>,
}

impl CausalContext {
    pub(super) fn of(root: Option<u64>, call: Option<(RequestId, Arc<Call>)>) -> Self {
        Self { root, call, ..Self::default() }
    }

    /// The event that woke the blocking query that is answered now.
    pub(super) fn wake(&self) -> Option<u64> {
        self.wake
    }

    /// The latest log entry, or the input if it wrote none: the cause of any other answer.
    pub(super) fn latest(&self) -> Option<u64> {
        self.entry.or(self.root)
    }

    fn to_change(&self, change: &Change) -> Option<u64> {
        let key = match change {
            Change::KeyWritten { after, .. } => &after.key,
            Change::KeyDeleted { before } => &before.key,
            Change::Buried { key, .. } => key,
            _ => return self.entry,
        };
        let ended = self.ended.as_ref().filter(|(_, held)| held.contains(key));
        ended.map(|(number, _)| *number).or(self.entry)
    }
}

impl CauseIndex {
    pub(super) fn rows(&self) -> usize {
        self.timers.len() + self.keys.len() + self.ended.len()
    }

    /// The cause of an event.
    pub(super) fn of(&self, event: &Event, lead: &CausalContext) -> Option<u64> {
        match event {
            Event::Fired(Timer::Reap) => self.batches.iter().next().map(|(_, number)| *number),
            Event::Fired(timer) => self.timers.get(timer).copied(),
            Event::Logged | Event::Parked { .. } | Event::Cancelled { .. } => lead.root,
            Event::Changed(change) => self.of_change(change, lead),
            Event::DelayArmed(_) => {
                lead.ended.as_ref().map(|(number, _)| *number).or(lead.latest())
            }
            Event::Renewed { .. }
            | Event::DelayOver { .. }
            | Event::StillParked { .. }
            | Event::Woken { .. }
            | Event::Passed { .. }
            | Event::TimedOut { .. }
            | Event::LeaderChanged { .. }
            | Event::LeaderLost { .. } => lead.latest(),
        }
    }

    /// Records an event of the server as a possible cause, and updates the context.
    pub(super) fn follow(
        &mut self,
        at: Instant,
        number: u64,
        event: &Event,
        context: &mut CausalContext,
    ) {
        match event {
            Event::Fired(timer) => {
                self.fired(at, timer);
                *context = CausalContext::of(Some(number), None);
            }
            Event::Logged => {
                (context.entry, context.began, context.ended) = (Some(number), None, None);
            }
            Event::Changed(change) => self.changed(at, number, change, context),
            Event::Renewed { session, .. } => {
                self.timers.insert(Timer::SessionTtl(*session), number);
            }
            Event::DelayArmed(delay) => {
                self.timers.insert(Timer::LockDelay(delay.key.clone()), number);
            }
            Event::Parked { id, .. } => {
                self.timers.insert(Timer::Parked(*id), number);
            }
            Event::Passed { .. } => context.wake = Some(number),
            Event::Woken { id, .. } | Event::TimedOut { id } => {
                self.timers.remove(&Timer::Parked(*id));
                context.wake = Some(number);
            }
            Event::Cancelled { id } => {
                self.timers.remove(&Timer::Parked(*id));
            }
            Event::LeaderChanged { clocks } => self.leader_changed(at, number, clocks),
            Event::LeaderLost { clocks } => {
                let timers = clocks.iter().map(|(id, _)| (Timer::SessionTtl(*id), number));
                self.timers.extend(timers);
            }
            Event::DelayOver { .. } | Event::StillParked { .. } => {}
        }
    }

    /// Records the event that armed a timer.
    pub(super) fn arm(&mut self, timer: Timer, number: u64) {
        self.timers.insert(timer, number);
    }

    /// The event that a reason refers to.
    pub(super) fn because(&self, reason: &Reason, key: Option<&Key>) -> Option<CausedBy> {
        let trail = key.and_then(|key| self.keys.get(key));
        match reason {
            Reason::HeldBy { .. } => trail.and_then(|trail| trail.held.clone()),
            Reason::LockDelay { .. } => {
                let number = self.timers.get(&Timer::LockDelay(key?.clone()))?;
                Some(CausedBy { event: *number, by: None })
            }
            Reason::NotHeld | Reason::KeyMissing | Reason::IndexDiffers { .. } => {
                trail.map(|trail| trail.changed.clone())
            }
            Reason::SessionEnded { session, .. } => self.ended.get(*session).cloned(),
            Reason::SessionUnknown | Reason::TransactionFailed { .. } | Reason::NoLeader { .. } => {
                None
            }
        }
    }

    /// Purges deleted keys once there are more of them than other keys. A purge scans all keys, so
    /// it must be rare.
    pub(super) fn remove_reaped(&mut self, store: &Store) {
        if self.keys.len() > 2 * store.kv().len() + PURGE_SLACK {
            self.keys.retain(|key, _| store.kv().get(key.as_str()).is_some());
        }
    }

    /// Purges timers that the engine does not have, such as those of refused requests and of
    /// deregistered checks.
    pub(super) fn purge_timers(&mut self, engine: &Engine) {
        if self.timers.len() > 2 * self.timers_purged + PURGE_SLACK {
            let armed: BTreeSet<&Timer> = engine.deadlines().map(|(_, timer)| timer).collect();
            self.timers.retain(|timer, _| armed.contains(timer));
            self.timers_purged = self.timers.len();
        }
    }

    /// The cause of a change. The beginning or the end of a session that a check follows changes
    /// the check, and may end the sessions that are bound to the check.
    fn of_change(&self, change: &Change, lead: &CausalContext) -> Option<u64> {
        let followed = match change {
            Change::CheckWritten { followed, .. } => *followed,
            Change::SessionEnded { cause: Cause::FollowedSessionEnded { session, .. }, .. } => {
                Some(*session)
            }
            _ => None,
        };
        match followed {
            Some(session) => self.ended.get(session).map(|end| end.event).or(lead.began),
            None => lead.to_change(change),
        }
    }

    fn fired(&mut self, at: Instant, timer: &Timer) {
        match timer {
            Timer::Reap => {
                let due: Vec<_> = self.batches.keys().copied().filter(|due| *due <= at).collect();
                for due in due {
                    self.batches.remove(&due);
                }
            }
            timer => {
                self.timers.remove(timer);
            }
        }
    }

    fn changed(&mut self, at: Instant, number: u64, change: &Change, context: &mut CausalContext) {
        let by = context.call.as_ref().map(|(_, call)| call.actor.clone());
        let because = CausedBy { event: number, by };
        match change {
            Change::KeyWritten { before, after } => {
                let was_held = before.as_ref().is_some_and(|entry| entry.hold.is_some());
                let acquired = self.keys.remove(&after.key).and_then(|trail| trail.held);
                let held = match (was_held, after.hold.is_some()) {
                    (_, false) => None,
                    (true, true) => acquired,
                    (false, true) => Some(because.clone()),
                };
                self.keys.insert(after.key.clone(), KeyTrail { changed: because, held });
            }
            Change::KeyDeleted { before } => {
                let trail = KeyTrail { changed: because, held: None };
                self.keys.insert(before.key.clone(), trail);
            }
            Change::Buried { .. } => {
                let due = reaped_at(at);
                self.batches.entry(due).or_insert(number);
            }
            Change::SessionEnded { session, held, .. } => {
                self.timers.remove(&Timer::SessionTtl(session.id));
                self.ended.remember(session.id, because);
                context.ended = Some((number, held.iter().cloned().collect()));
            }
            Change::SessionCreated(_) => context.began = Some(number),
            Change::NodeWritten { .. }
            | Change::NodeDeleted { .. }
            | Change::ServiceWritten { .. }
            | Change::ServiceDeleted { .. }
            | Change::CheckWritten { .. }
            | Change::CheckDeleted { .. }
            | Change::QueryWritten { .. }
            | Change::QueryDeleted { .. } => {}
        }
    }

    /// A new leader restarts the session clocks, and the full wait for tombstones (TTL-05, DLY-09).
    fn leader_changed(
        &mut self,
        at: Instant,
        number: u64,
        clocks: &[(SessionId, core::time::Duration)],
    ) {
        let timers = clocks.iter().map(|(id, _)| (Timer::SessionTtl(*id), number));
        self.timers.extend(timers);
        if !self.batches.is_empty() {
            let due = reaped_at(at);
            self.batches.clear();
            self.batches.insert(due, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::Act;
    use crate::world::World;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::ActorName;
    use std::time::{Duration, Instant as Stopwatch};

    /// With one session that holds this many keys, a scan of all held keys for each change would
    /// take minutes.
    #[test]
    fn each_key_of_a_session_that_ends_is_found_quickly() {
        let key = |number: usize| Key::from(alloc::format!("a/long/common/prefix/{number:06}"));
        let ended = Some((7, (0..100_000).map(key).collect()));
        let lead = CausalContext { ended, ..CausalContext::default() };
        let watch = Stopwatch::now();
        for number in 0..100_000 {
            let change = Change::Buried { key: key(number), before: None };
            assert_eq!(lead.to_change(&change), Some(7));
        }
        assert!(watch.elapsed() < Duration::from_secs(20), "{:?}", watch.elapsed());
    }

    #[test]
    fn timers_of_refused_requests_are_forgotten() {
        let (mut world, actor) = (World::new(1), ActorName::from("a"));
        world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        for number in 0..2_000 {
            let target = alloc::format!("/v1/agent/check/pass/unknown-{number}");
            let request = HttpRequest::new("PUT", &target, b"");
            world.perform(Act::Request { actor: actor.clone(), request }).expect("it is possible");
            world.take_journal();
        }
        assert!(world.causes.timers.len() <= 2 * PURGE_SLACK, "{}", world.causes.timers.len());
    }
}
