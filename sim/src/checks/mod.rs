//! Invariants of every world, checked event by event. The cost depends on the number of events, not
//! on the size of the world; a world without checks has no cost.
//!
//! [`Always`] is a safety rule; a violation names the event that broke it. [`Sometimes`] must occur
//! in a batch of random worlds, or their faults are too harmless.

mod floors;
mod shadow;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::engine::{Event, Timer};
use lictor_core::error::{Cause, Reason};
use lictor_core::id::{Index, Key, RequestId, ResourceName};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::{ChildEvent, FenceKind, Report};
use serde::{Deserialize, Serialize};

use self::floors::Floors;
use self::shadow::{Beliefs, Locks, WriteCheck};
use crate::belief::BeliefChange;
use crate::call::Verdict;
use crate::event::{EventKind, ProgramEvent, SimEvent, Travel, Used};
use crate::world::World;

/// A safety rule: no event may break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Always {
    /// Mutual exclusion in the store: a lock changes its holder only after it was free.
    OneHolder,
    /// No key is held by a session that has ended.
    LivingHolder,
    /// A semaphore's document never lists more holders than its limit.
    LimitKept,
    /// A resource with a sound fence accepts no write of an earlier holder than one whose write it
    /// has accepted.
    FenceKept,
    /// Log indexes increase by one, and no entry is replaced by an older one. The index of a key
    /// or a prefix never falls for its readers, unless tombstones were reaped (IDX-09) or a shorter
    /// prefix was deleted recursively.
    IndexesGrow,
    /// No call and no blocking query is answered twice.
    AnsweredOnce,
}

/// Something that must occur in a batch of random worlds; otherwise their faults are too harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sometimes {
    /// Two people or programs believe at once that they hold the same lock.
    TwoBelievers,
    /// A fence rejects a write of an earlier holder.
    StaleWriteRejected,
    /// A write of an earlier holder is accepted, as the fence is unsound or there is none.
    StaleWriteAccepted,
    /// A write takes effect, but its caller gets no answer.
    EffectWithoutAnswer,
    /// An acquire is refused by a lock-delay.
    Delayed,
    /// An acquire is refused because another session holds the lock.
    Contended,
    /// A session ends because it was not renewed for twice its TTL.
    Expired,
    /// A session ends because a check becomes critical.
    CheckFailed,
    /// A session ends because its node or a check of it is removed.
    NodeLost,
    /// A program that believed it held a lock notices that it does not.
    LossNoticed,
    /// A program gives up.
    GivenUp,
    /// A request is carried out twice.
    CarriedOutTwice,
    /// Another server becomes leader.
    LeaderChanged,
    /// A program starts again after a crash.
    Restarted,
    /// A lock changes its holder because the session of the last one expired.
    TakenOver,
    /// A program sees that another one is the leader.
    LeaderSeen,
    /// A child of `consul lock` does not end when asked to, and is killed.
    ChildKilled,
    /// A blocking query is answered although nothing that it reads has changed.
    WokenWithoutNews,
}

impl Sometimes {
    /// All of them, in the order of the variants.
    pub const ALL: [Self; 18] = [
        Self::TwoBelievers,
        Self::StaleWriteRejected,
        Self::StaleWriteAccepted,
        Self::EffectWithoutAnswer,
        Self::Delayed,
        Self::Contended,
        Self::Expired,
        Self::CheckFailed,
        Self::NodeLost,
        Self::LossNoticed,
        Self::GivenUp,
        Self::CarriedOutTwice,
        Self::LeaderChanged,
        Self::Restarted,
        Self::TakenOver,
        Self::LeaderSeen,
        Self::ChildKilled,
        Self::WokenWithoutNews,
    ];
}

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// The rule.
    pub rule: Always,
    /// The number of the event that broke it.
    pub event: u64,
    /// The time of that event.
    pub at: Instant,
}

/// A time during which more people and programs believed that they held a lock than may hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// The key of the lock.
    pub key: Key,
    /// When one believer too many began to believe.
    pub from: Instant,
    /// `None` as long as it lasts.
    pub to: Option<Instant>,
    /// The numbers of the events at which it began and ended.
    pub events: (u64, Option<u64>),
}

/// All checks of a world, with the state that they need.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    broken: Vec<Broken>,
    /// How often each rule was tested.
    tested: BTreeMap<Always, u64>,
    seen: BTreeMap<Sometimes, u64>,
    overlaps: Vec<Overlap>,
    locks: Locks,
    beliefs: Beliefs,
    /// The latest log entry.
    index: Option<Index>,
    /// The acquire under which the latest accepted write of each resource was made.
    accepted: BTreeMap<ResourceName, Index>,
    /// The token that is required by the resource which accepted the latest stale write.
    stale_fence: Option<FenceKind>,
    /// The keys that a session held which was not renewed.
    orphaned: BTreeSet<Key>,
    open: BTreeSet<RequestId>,
    parked: BTreeSet<RequestId>,
    floors: Floors,
}

/// The largest number of broken rules, and of overlaps, that are listed.
const LISTED: usize = 1_000;

impl Checks {
    /// Checks that begin with the present state of a world.
    pub fn of(world: &World) -> Self {
        let mut checks = Self { index: Some(world.index()), ..Self::default() };
        for entry in world.store().kv().with_prefix("") {
            checks.locks.written(entry, entry.modify_index);
        }
        for (name, running) in world.programs() {
            let belief = running.program.belief();
            checks.beliefs.change(&BeliefChange::of_program(name, &running.actor, belief));
        }
        checks.open = world.pending().map(|(id, _)| id).collect();
        checks.parked = world.parked().map(|(id, _)| id).collect();
        checks
    }

    /// Checks the next event.
    pub fn follow(&mut self, sim_event: &SimEvent) {
        self.follow_beliefs(sim_event);
        self.follow_rules(sim_event);
    }

    /// Follows what the next event changes in the beliefs of clients, before its rules are checked.
    /// Returns the change with the keys whose believers it has changed.
    pub(crate) fn follow_beliefs(
        &mut self,
        sim_event: &SimEvent,
    ) -> Option<(BeliefChange, Vec<Key>)> {
        let change = BeliefChange::of(sim_event)?;
        let keys = self.beliefs.change(&change);
        for key in &keys {
            self.time(key, sim_event);
        }
        Some((change, keys))
    }

    /// Checks the next event against the rules.
    pub(crate) fn follow_rules(&mut self, sim_event: &SimEvent) {
        match &sim_event.kind {
            EventKind::Sent(call) => {
                self.opened(call.id, sim_event);
                self.floors.asked(call);
            }
            EventKind::Answered { call, outcome } => {
                let keeps_to_it = self.floors.answered(call.id, outcome);
                if !keeps_to_it {
                    self.broke(Always::IndexesGrow, sim_event);
                }
                self.closed(call.id, sim_event);
                match outcome.reason() {
                    Some(Reason::LockDelay { .. }) => self.see(Sometimes::Delayed),
                    Some(Reason::HeldBy { .. }) => self.see(Sometimes::Contended),
                    _ => {}
                }
            }
            EventKind::Cancelled { call, .. } => self.closed(call.id, sim_event),
            EventKind::Travel(travel) => self.travelled(travel, sim_event),
            EventKind::Program { event, .. } => self.acted(event),
            EventKind::Used(used) => self.used(used, sim_event),
            EventKind::Server { index, event, .. } => self.server(*index, event, sim_event),
            EventKind::Joined { .. } | EventKind::Failed(_) | EventKind::Mended(_) => {}
        }
    }

    /// Whether the caller of this call waits for an answer.
    pub fn is_open(&self, call: RequestId) -> bool {
        self.open.contains(&call)
    }

    /// How many records the state of the checks has, as a measure of its memory.
    pub(crate) fn rows(&self) -> usize {
        let calls = self.open.len() + self.parked.len() + self.floors.rows();
        let listed = self.broken.len() + self.overlaps.len() + self.orphaned.len();
        self.locks.rows() + calls + listed
    }

    /// The first 1,000 breaches of rules, in the order in which they were found.
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }

    /// How often an event could have broken a rule. While it is 0, nothing is known of the rule.
    pub fn tested(&self, rule: Always) -> u64 {
        self.tested.get(&rule).copied().unwrap_or_default()
    }

    /// How often something has occurred.
    pub fn seen(&self, what: Sometimes) -> u64 {
        self.seen.get(&what).copied().unwrap_or_default()
    }

    /// The token that a resource asked for when it accepted a stale write; the latest one.
    pub fn stale_fence(&self) -> Option<FenceKind> {
        self.stale_fence
    }

    /// When more people and programs believed that they held a lock than may hold it: the first
    /// 1,000 times. It is no error, as no lock service can prevent it.
    pub fn overlaps(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// The total length of these overlaps until now.
    pub fn overlap(&self, now: Instant) -> Duration {
        self.overlaps.iter().map(|it| it.to.unwrap_or(now).since(it.from)).sum()
    }

    fn server(&mut self, index: Index, event: &Event, sim_event: &SimEvent) {
        if let Event::Woken { why, .. } | Event::Passed { why, .. } = event
            && !why.is_news()
        {
            self.see(Sometimes::WokenWithoutNews);
        }
        match event {
            Event::Logged => {
                self.settle();
                self.test(Always::IndexesGrow);
                let is_next = self.index.is_none_or(|last| last.next() == index);
                if !is_next {
                    self.broke(Always::IndexesGrow, sim_event);
                }
                self.index = Some(index);
            }
            Event::Changed(change) => self.changed(index, change, sim_event),
            Event::Parked { id, .. } => {
                let is_new = self.parked.insert(*id);
                if !is_new {
                    self.broke(Always::AnsweredOnce, sim_event);
                }
            }
            Event::Woken { id, .. } | Event::TimedOut { id } | Event::Cancelled { id } => {
                let was_parked = self.parked.remove(id);
                if !was_parked {
                    self.broke(Always::AnsweredOnce, sim_event);
                }
            }
            Event::LeaderChanged { .. } => self.see(Sometimes::LeaderChanged),
            Event::Fired(Timer::Reap) => self.floors.reaped(),
            Event::Fired(_)
            | Event::Renewed { .. }
            | Event::DelayArmed(_)
            | Event::DelayOver { .. }
            | Event::Passed { .. }
            | Event::LeaderLost { .. }
            | Event::StillParked { .. } => {}
        }
    }

    fn changed(&mut self, index: Index, change: &Change, sim_event: &SimEvent) {
        match change {
            Change::KeyWritten { before, after } => {
                let is_newer =
                    before.as_ref().is_none_or(|it| it.modify_index <= after.modify_index);
                if !is_newer {
                    self.broke(Always::IndexesGrow, sim_event);
                }
                if after.hold.is_some() {
                    self.test(Always::OneHolder);
                }
                if after.hold.is_some() && self.orphaned.remove(&after.key) {
                    self.see(Sometimes::TakenOver);
                }
                let WriteCheck { is_exclusive, is_within_limit } = self.locks.written(after, index);
                if is_within_limit.is_some() {
                    self.test(Always::LimitKept);
                }
                if !is_exclusive {
                    self.broke(Always::OneHolder, sim_event);
                }
                if is_within_limit == Some(false) {
                    self.broke(Always::LimitKept, sim_event);
                }
            }
            Change::KeyDeleted { before } => self.locks.deleted(&before.key),
            Change::SessionEnded { session, cause, held } => {
                if !held.is_empty() {
                    self.test(Always::LivingHolder);
                }
                self.locks.ended(session.id, (sim_event.number, sim_event.at));
                match cause {
                    Cause::Requested | Cause::Unknown => {}
                    Cause::TtlExpired => {
                        self.see(Sometimes::Expired);
                        self.orphaned.extend(held.iter().cloned());
                    }
                    Cause::CheckCritical(_) | Cause::FollowedSessionEnded { .. } => {
                        self.see(Sometimes::CheckFailed);
                    }
                    Cause::CheckRemoved(_) | Cause::NodeRemoved => self.see(Sometimes::NodeLost),
                }
            }
            Change::Buried { key, .. } => self.floors.buried(key),
            Change::SessionCreated(_)
            | Change::NodeWritten { .. }
            | Change::NodeDeleted { .. }
            | Change::ServiceWritten { .. }
            | Change::ServiceDeleted { .. }
            | Change::CheckWritten { .. }
            | Change::CheckDeleted { .. }
            | Change::QueryWritten { .. }
            | Change::QueryDeleted { .. } => {}
        }
    }

    /// After a complete log entry, a session that ended in it must hold nothing any more.
    fn settle(&mut self) {
        for (event, at) in self.locks.settle() {
            self.breaks(Broken { rule: Always::LivingHolder, event, at });
        }
    }

    fn travelled(&mut self, travel: &Travel, sim_event: &SimEvent) {
        match travel {
            Travel::Arrived { id, call } if *id != call.id => self.see(Sometimes::CarriedOutTwice),
            Travel::Broken { call, .. } => self.closed(call.id, sim_event),
            Travel::AnswerLost { outcome, .. } if outcome.verdict() == Verdict::True => {
                self.see(Sometimes::EffectWithoutAnswer);
            }
            Travel::Arrived { .. }
            | Travel::RequestLost { .. }
            | Travel::AnswerLost { .. }
            | Travel::Late { .. }
            | Travel::SentAgain { .. }
            | Travel::Repeated { .. }
            | Travel::HungUp { .. } => {}
        }
    }

    fn acted(&mut self, event: &ProgramEvent) {
        match event {
            ProgramEvent::Reports(report) => {
                if let Some(occurrence) = seen_in(report) {
                    self.see(occurrence);
                }
            }
            ProgramEvent::Restarted(_) => self.see(Sometimes::Restarted),
            ProgramEvent::Believes(_)
            | ProgramEvent::Spawned
            | ProgramEvent::Ordered(_)
            | ProgramEvent::Due(_) => {}
        }
    }

    /// Whether more people and programs believe that they hold a key than may hold it.
    pub(crate) fn are_too_many(&self, key: &Key) -> bool {
        self.beliefs.count(key) > self.locks.limit(key)
    }

    /// Begins or ends the overlap of a key whose believers have changed.
    fn time(&mut self, key: &Key, sim_event: &SimEvent) {
        let are_too_many = self.are_too_many(key);
        let is_running = |overlap: &Overlap| overlap.key == *key && overlap.to.is_none();
        match (self.overlaps.iter().rposition(is_running), are_too_many) {
            // An end and a beginning at the same time do not overlap.
            (Some(index), false) if self.overlaps[index].from == sim_event.at => {
                self.overlaps.remove(index);
            }
            (Some(index), false) => {
                let overlap = &mut self.overlaps[index];
                overlap.to = Some(sim_event.at);
                overlap.events.1 = Some(sim_event.number);
            }
            (None, true) => {
                self.see(Sometimes::TwoBelievers);
                if self.overlaps.len() < LISTED {
                    let (from, events) = (sim_event.at, (sim_event.number, None));
                    self.overlaps.push(Overlap { key: key.clone(), from, to: None, events });
                }
            }
            (Some(_), true) | (None, false) => {}
        }
    }

    /// A write is late if its hold began before the one under which the resource was last written.
    fn used(&mut self, used: &Used, sim_event: &SimEvent) {
        // The result of a write that Consul checks arrives with the answer, which may be late.
        if used.asks == FenceKind::CheckSession {
            return;
        }
        let held = used.write.token.as_ref().and_then(|token| self.locks.acquired_at(token));
        let Some(held) = held else { return };
        let latest = self.accepted.get(&used.resource).copied().unwrap_or_default();
        if used.asks == FenceKind::ModifyIndex {
            self.test(Always::FenceKept);
        }
        match (&used.verdict, held < latest) {
            (Ok(()), false) => {
                self.accepted.insert(used.resource.clone(), held);
            }
            (Ok(()), true) => {
                self.see(Sometimes::StaleWriteAccepted);
                self.stale_fence = Some(used.asks);
                if used.asks == FenceKind::ModifyIndex {
                    self.broke(Always::FenceKept, sim_event);
                }
            }
            (Err(_), true) => self.see(Sometimes::StaleWriteRejected),
            (Err(_), false) => {}
        }
    }

    fn opened(&mut self, id: RequestId, sim_event: &SimEvent) {
        let is_new = self.open.insert(id);
        if !is_new {
            self.broke(Always::AnsweredOnce, sim_event);
        }
    }

    fn closed(&mut self, id: RequestId, sim_event: &SimEvent) {
        self.floors.forget_call(id);
        self.test(Always::AnsweredOnce);
        let was_open = self.open.remove(&id);
        if !was_open {
            self.broke(Always::AnsweredOnce, sim_event);
        }
    }

    fn test(&mut self, rule: Always) {
        *self.tested.entry(rule).or_default() += 1;
    }

    fn see(&mut self, what: Sometimes) {
        *self.seen.entry(what).or_default() += 1;
    }

    fn broke(&mut self, rule: Always, sim_event: &SimEvent) {
        self.breaks(Broken { rule, event: sim_event.number, at: sim_event.at });
    }

    fn breaks(&mut self, broken: Broken) {
        if self.broken.len() < LISTED {
            self.broken.push(broken);
        }
    }
}

/// The occurrence that a report shows.
fn seen_in(report: &Report) -> Option<Sometimes> {
    match report {
        Report::GaveUp(_) | Report::Failed(_) => Some(Sometimes::GivenUp),
        Report::Lost(_) => Some(Sometimes::LossNoticed),
        Report::Leader(Some(_)) => Some(Sometimes::LeaderSeen),
        Report::Child(ChildEvent::Killed) => Some(Sometimes::ChildKilled),
        Report::SessionCreated(_)
        | Report::Acquired { .. }
        | Report::TokenKnown(_)
        | Report::Released
        | Report::ReleasedNothing
        | Report::Destroyed
        | Report::RenewerStopped(_)
        | Report::Pruned(_)
        | Report::Leader(None)
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Child(_)
        | Report::Exited(_)
        | Report::Polled { .. } => None,
    }
}
