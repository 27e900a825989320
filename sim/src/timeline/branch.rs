//! One branch of a timeline: its acts, and checkpoints of the world and its record. Checkpoints are
//! dense near the end and sparse before, within a budget of bytes; the oldest events are dropped.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use lictor_core::time::Instant;

use super::cursor::{Cursor, Position, SeekTarget};
use super::{BranchId, Limits};
use crate::act::{Act, JournalEntry};
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::world::World;

/// After how many events a small world gets another checkpoint.
const SPACING: u64 = 256;
/// Cloning this many bytes of a world takes about as long as computing one event.
const BYTES_PER_EVENT: usize = 200;
/// The memory in bytes that a clone of a world takes for each of its records, beside what clones
/// share.
const ROW_BYTES: usize = 80;
/// The memory in bytes of an act without its texts.
const ACT_BYTES: usize = 200;
/// Events are dropped once they exceed their limit by one eighth of it. Once acts exceed theirs,
/// they are dropped until they are one eighth below it.
const SLACK: u64 = 8;
/// A checkpoint is kept in each half of the visible events, and in each quarter if the budget
/// allows it. Dropping events up to a checkpoint needs no computation.
const HALVES: u64 = 2;
const QUARTERS: u64 = 4;
/// The budget for checkpoints is divided by this in branches that are not current.
const INACTIVE_SHARE: usize = 16;

/// One of the branches of a timeline.
#[derive(Clone, Debug)]
pub struct Branch<F = ()> {
    /// The name, for people; several branches may have the same one.
    pub name: String,
    parent: Option<Fork>,
    /// The acts that were not dropped.
    acts: Vec<Arc<JournalEntry>>,
    act_bytes: usize,
    /// The checkpoints; the first one is where the visible events begin.
    checkpoints: Vec<Arc<Checkpoint<F>>>,
    end: Position,
}

/// The position where a branch forked off another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The other branch, which may no longer exist.
    pub from: BranchId,
    /// The last position that both have in common.
    pub at: Position,
}

#[derive(Debug)]
struct Checkpoint<F> {
    cursor: Cursor<F>,
    /// Its approximate memory in bytes.
    weight: usize,
}

impl<F: Fold> Branch<F> {
    pub(super) fn new(name: String, cursor: Cursor<F>) -> Self {
        let end = cursor.position();
        let checkpoints = Vec::from([Arc::new(Checkpoint::new(cursor))]);
        Self { name, parent: None, acts: Vec::new(), act_bytes: 0, checkpoints, end }
    }

    /// A branch with the same past up to a cursor.
    pub(super) fn fork(&self, name: String, from: BranchId, cursor: &Cursor<F>) -> Self {
        let at = cursor.position();
        let kept = cursor.acts.saturating_sub(self.begin().acts);
        let is_past = |checkpoint: &&Arc<Checkpoint<F>>| {
            let position = checkpoint.cursor.position();
            position.at <= at.at && position.acts <= at.acts
        };
        let acts = self.acts[..kept].to_vec();
        Self {
            name,
            parent: Some(Fork { from, at }),
            act_bytes: acts.iter().map(|entry| act_bytes(entry)).sum(),
            acts,
            checkpoints: self.checkpoints.iter().filter(is_past).cloned().collect(),
            end: at,
        }
    }

    /// The position where it forked off another branch.
    pub fn parent(&self) -> Option<Fork> {
        self.parent
    }

    /// The position where its visible events begin; earlier acts are no longer known.
    pub fn begin(&self) -> Position {
        self.first().position()
    }

    /// The position of its end.
    pub fn end(&self) -> Position {
        self.end
    }

    /// The acts that were not dropped with their numbers, which count from the beginning of the
    /// world.
    pub fn acts(&self) -> impl DoubleEndedIterator<Item = (usize, &JournalEntry)> {
        let first = self.begin().acts;
        self.acts.iter().enumerate().map(move |(index, entry)| (first + index, &**entry))
    }

    /// The act of a number, which counts from the beginning of the world; `None` if it was dropped.
    pub fn act(&self, number: usize) -> Option<&JournalEntry> {
        let index = number.checked_sub(self.begin().acts)?;
        self.acts.get(index).map(|entry| &**entry)
    }

    /// The world where the visible events begin.
    pub fn beginning(&self) -> &World {
        &self.first().world
    }

    fn first(&self) -> &Cursor<F> {
        &self.checkpoints[0].cursor
    }

    /// The world at a target, with its record.
    pub(super) fn visit(&self, target: SeekTarget) -> Cursor<F> {
        let mut cursor = self.nearest(target).clone();
        cursor.record.forget(self.begin().at);
        cursor.go(self, target);
        cursor
    }

    /// The world at a target, without its record.
    pub(super) fn visit_world(&self, target: SeekTarget) -> Cursor {
        let mut cursor = self.nearest(target).without_record();
        cursor.go(self, target);
        cursor
    }

    /// The last checkpoint before a target.
    pub(super) fn nearest(&self, target: SeekTarget) -> &Cursor<F> {
        let reaches =
            |checkpoint: &Arc<Checkpoint<F>>| checkpoint.cursor.position().reaches(target);
        let after = self.checkpoints.partition_point(reaches);
        &self.checkpoints[after.saturating_sub(1)].cursor
    }

    /// The events with these numbers, without those that were dropped.
    pub fn events(&self, numbers: Range<u64>) -> Vec<SimEvent> {
        let mut events = Vec::new();
        let mut cursor = self.nearest(SeekTarget::SimEvent(numbers.start)).without_record();
        while cursor.world.event_count() + 1 < numbers.end
            && let Some(more) = cursor.step(self, self.end.at)
        {
            events.extend(more.into_iter().filter(|event| numbers.contains(&event.number)));
        }
        events
    }

    /// How many acts were done when an event had happened, by its number.
    pub fn acts_at_event(&self, number: u64) -> usize {
        self.visit_world(SeekTarget::SimEvent(number)).acts
    }

    /// Records an act at the end.
    pub(super) fn record(&mut self, act: Act, cursor: &mut Cursor<F>, limits: &Limits) {
        let entry = JournalEntry { at: cursor.world.now(), act };
        self.act_bytes += act_bytes(&entry);
        self.acts.push(Arc::new(entry));
        let acts = self.begin().acts + self.acts.len();
        debug_assert_eq!(cursor.acts, acts, "an act is recorded at the end of its branch");
        self.grow(cursor, limits);
        // Acts without events, such as new links, cause no checkpoint.
        let begin = self.begin();
        self.forget_acts(limits);
        if self.begin() != begin {
            cursor.record.forget(self.begin().at);
        }
    }

    /// Moves the end of the branch, and adds a checkpoint if one is due.
    pub(super) fn grow(&mut self, cursor: &mut Cursor<F>, limits: &Limits) {
        let earlier = core::mem::replace(&mut self.end, cursor.position());
        debug_assert!(
            earlier.at <= self.end.at && earlier.event_number <= self.end.event_number,
            "a branch does not shrink"
        );
        let last = &self.checkpoints[self.checkpoints.len() - 1];
        let spacing = SPACING.max((last.weight / BYTES_PER_EVENT) as u64);
        if self.end.event_number >= last.cursor.world.event_count() + spacing {
            self.checkpoints.push(Arc::new(Checkpoint::new(cursor.clone())));
            self.thin(limits.checkpoint_bytes, Some(limits.events));
            let begin = self.begin();
            self.forget(limits);
            if self.begin() != begin {
                cursor.record.forget(self.begin().at);
            }
        }
    }

    /// Thins the checkpoints to 1/16 of their budget, after adding one at the end if the cursor is
    /// there.
    pub(super) fn leave(&mut self, cursor: &Cursor<F>, limits: &Limits) {
        let last = &self.checkpoints[self.checkpoints.len() - 1];
        if self.end == cursor.position() && self.end != last.cursor.position() {
            self.checkpoints.push(Arc::new(Checkpoint::new(cursor.clone())));
        }
        self.thin(limits.checkpoint_bytes / INACTIVE_SHARE, None);
    }

    /// Drops the oldest events and acts that exceed their limits.
    fn forget(&mut self, limits: &Limits) {
        let span = self.end.events - self.begin().events;
        if span > limits.events + limits.events / SLACK {
            let events = self.end.events - limits.events;
            let after =
                self.checkpoints.partition_point(|checkpoint| checkpoint.cursor.events <= events);
            let near = self.checkpoints[after.saturating_sub(1)].cursor.events;
            // Computing all events between two checkpoints takes longer than a frame.
            if near > self.begin().events {
                self.drop_events_to(near);
            } else if span > 2 * limits.events {
                self.drop_events_to(events);
            }
        }
        self.forget_acts(limits);
    }

    /// Drops the oldest acts if they exceed their budget.
    fn forget_acts(&mut self, limits: &Limits) {
        if self.act_bytes <= limits.act_bytes {
            return;
        }
        let excess = self.act_bytes - limits.act_bytes + limits.act_bytes / SLACK as usize;
        let mut forgotten = 0;
        let oldest = self.acts.iter().take_while(|entry| {
            let is_excess = forgotten < excess;
            forgotten += act_bytes(entry);
            is_excess
        });
        let acts = self.begin().acts + oldest.count();
        let after = self.checkpoints.partition_point(|checkpoint| checkpoint.cursor.acts <= acts);
        let mut cursor = self.checkpoints[after.saturating_sub(1)].cursor.clone();
        while cursor.acts < acts && cursor.step(self, self.end.at).is_some() {}
        self.begin_at(cursor);
    }

    /// Drops checkpoints until the rest fits the budget, but neither the first nor the last: always
    /// the one whose neighbours are nearest to each other in relation to its distance from the end.
    /// Among the visible events, the first checkpoint of a quarter is dropped last, and the first
    /// one of a half never.
    fn thin(&mut self, budget: usize, visible: Option<u64>) {
        let mut weight: usize = self.checkpoints.iter().map(|checkpoint| checkpoint.weight).sum();
        while weight > budget && self.checkpoints.len() > 2 {
            let numbers = |at: usize| self.checkpoints[at].cursor.world.event_count();
            let events = |at: usize| self.checkpoints[at].cursor.events;
            let is_first = |at: usize, parts: u64| {
                let part = visible.map_or(u64::MAX, |visible| (visible / parts).max(1));
                events(at) / part > events(at - 1) / part
            };
            let loss = |at: &usize| {
                let gap = numbers(at + 1) - numbers(at - 1);
                let distance = self.end.event_number - numbers(*at) + 1;
                let rank = (is_first(*at, HALVES), is_first(*at, QUARTERS));
                (rank, (u128::from(gap) << 64) / u128::from(distance))
            };
            let inner = 1..self.checkpoints.len() - 1;
            let least = inner.min_by_key(loss).filter(|at| !is_first(*at, HALVES));
            let Some(least) = least else { return };
            weight -= self.checkpoints.remove(least).weight;
        }
    }

    /// Drops the visible events up to this number, which counts from the beginning of the world.
    fn drop_events_to(&mut self, events: u64) {
        let after =
            self.checkpoints.partition_point(|checkpoint| checkpoint.cursor.events <= events);
        let mut cursor = self.checkpoints[after.saturating_sub(1)].cursor.clone();
        while cursor.events < events && cursor.step(self, self.end.at).is_some() {}
        self.begin_at(cursor);
    }

    /// Drops everything before a cursor.
    fn begin_at(&mut self, cursor: Cursor<F>) {
        let begin = cursor.position();
        let forgotten = begin.acts - self.begin().acts;
        self.act_bytes -=
            self.acts.drain(..forgotten).map(|entry| act_bytes(&entry)).sum::<usize>();
        self.checkpoints.retain(|checkpoint| {
            let at = checkpoint.cursor.position();
            at.event_number > begin.event_number || at.acts > begin.acts
        });
        self.checkpoints.insert(0, Arc::new(Checkpoint::new(cursor)));
        // A checkpoint that another branch shares forgets when it is visited.
        for checkpoint in self.checkpoints.iter_mut().filter_map(Arc::get_mut) {
            checkpoint.cursor.record.forget(begin.at);
            checkpoint.cursor.record.drop_forgotten();
        }
    }
}

impl<F: Fold> Cursor<F> {
    /// Performs the next step of a branch if it is due by a time; otherwise only time advances.
    /// What is due comes before an act at the same time.
    pub(super) fn step<G: Fold>(
        &mut self,
        branch: &Branch<G>,
        until: Instant,
    ) -> Option<Vec<SimEvent>> {
        let next = branch.act(self.acts).filter(|entry| entry.at <= until);
        let until = next.map_or(until, |entry| entry.at);
        if let Some(events) = self.pass(until) {
            return Some(events);
        }
        let act = next?.act.clone();
        Some(self.perform(act).expect("what was done has room where it was done"))
    }

    /// Moves along a branch to a target and returns the events on the way.
    pub(super) fn go<G: Fold>(&mut self, branch: &Branch<G>, target: SeekTarget) -> Vec<SimEvent> {
        let end = branch.end();
        let mut events = Vec::new();
        match target {
            SeekTarget::Time(at) => {
                while let Some(more) = self.step(branch, at.min(end.at)) {
                    events.extend(more);
                }
            }
            SeekTarget::SimEvent(number) => {
                while self.world.event_count() < number
                    && let Some(more) = self.step(branch, end.at)
                {
                    events.extend(more);
                }
            }
            SeekTarget::Acts(acts) => {
                while self.acts < acts
                    && let Some(more) = self.step(branch, end.at)
                {
                    events.extend(more);
                }
            }
            SeekTarget::Position(to) => {
                events = self.go(branch, SeekTarget::Acts(to.acts));
                events.extend(self.pass_to(to.at.min(end.at)));
            }
        }
        events
    }
}

impl<F: Fold> Checkpoint<F> {
    fn new(cursor: Cursor<F>) -> Self {
        let weight = weight(&cursor.world) + cursor.record.weight();
        Self { cursor, weight }
    }
}

fn weight(world: &World) -> usize {
    world.rows() * ROW_BYTES + world.store().kv().bytes()
}

fn act_bytes(entry: &JournalEntry) -> usize {
    let texts = match &entry.act {
        Act::Request { request, .. } => {
            let headers = request.headers.iter().map(|(name, value)| name.len() + value.len());
            request.target.len() + request.body.len() + headers.sum::<usize>()
        }
        _ => 0,
    };
    ACT_BYTES + texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Link;
    use crate::timeline::Timeline;
    use alloc::format;
    use core::time::Duration;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::ActorName;

    /// New links cause no events, so they cause no checkpoints either.
    #[test]
    fn acts_without_events_stay_within_their_budget() {
        let limits = Limits { act_bytes: 100 * ACT_BYTES, ..Limits::default() };
        let mut timeline = Timeline::with_limits(World::new(1), limits);
        let actor = ActorName::from("web-1");
        timeline.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        for number in 0..1_000 {
            timeline.advance_to(Instant::from_millis(number));
            let latency = Duration::from_millis(number);
            let link = Link { latency, ..Link::default() };
            timeline.perform(Act::Link { actor: actor.clone(), link }).expect("it is possible");
            assert!(timeline.here().acts().count() <= 100, "{number}");
        }
        let begin = timeline.here().begin();
        assert_eq!(
            (begin.acts, timeline.position().acts),
            (1_001 - timeline.here().acts().count(), 1_001)
        );
        timeline.seek(SeekTarget::Acts(begin.acts + 10));
        assert_eq!(timeline.position().acts, begin.acts + 10);
    }

    /// A dump is denser than memory, but clones of a world share their records.
    #[test]
    fn the_estimated_memory_of_a_world_is_half_to_four_times_its_dump() {
        let mut world = World::new(1);
        let actor = ActorName::from("web-1");
        world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        for number in 0..300 {
            let target = format!("/v1/kv/some/key/{number}");
            for request in [
                HttpRequest::new("PUT", &target, &[b'x'; 50]),
                HttpRequest::new("PUT", "/v1/session/create", br#"{"TTL": "30s"}"#),
            ] {
                let act = Act::Request { actor: actor.clone(), request };
                world.perform(act).expect("it is possible");
            }
            world.take_journal();
            let (weight, dump) = (weight(&world), world.dump().len());
            assert!((dump / 2..4 * dump).contains(&weight), "{number}: {weight} to {dump}");
        }
    }
}
