//! A world with its past: seek to any position, and act there. An act in the past begins a branch;
//! the old branch stays. A timeline may carry a record, a fold over the events: it is available up
//! to the cursor, the end of the branch, and the end of the forecast.
//!
//! Only acts and some checkpoints are stored; everything between them is computed again when it is
//! visited.

mod branch;
pub(super) mod cursor;
mod forecast;
mod rebase;
mod trace_lines;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::time::Duration;

pub use self::branch::{Branch, Fork};
pub use self::cursor::{Position, SeekTarget};
pub use self::forecast::Forecast;
pub use self::rebase::{Revised, Revision, RevisionError};
pub use self::trace_lines::{EventWithLine, TraceLines, events_with_lines};

use lictor_core::time::Instant;

use self::cursor::Cursor;
use crate::act::{Act, ActError};
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::observed::ObservedPast;
use crate::trace::{Names, words_of};
use crate::world::{EVENTS_AT_ONCE, World};

/// The limits of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of visible events. Up to about twice as many are kept, as old events are dropped
    /// in groups.
    pub events: u64,
    /// The largest size of all acts of a branch, in bytes.
    pub act_bytes: usize,
    /// The largest size of the checkpoints of the current branch, in bytes; each other branch has a
    /// sixteenth.
    pub checkpoint_bytes: usize,
    /// The largest number of branches; one more replaces the oldest.
    pub branches: usize,
}

/// The id of a branch. It may no longer exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchId(u32);

/// A world with its past.
#[derive(Clone, Debug)]
pub struct Timeline<F: Fold = ()> {
    limits: Limits,
    /// What was observed before the beginning of the world.
    observed: Arc<ObservedPast>,
    /// In the order in which they began.
    branches: BTreeMap<BranchId, Branch<F>>,
    next_branch: u32,
    current: BranchId,
    /// The world at the cursor, which is somewhere on the current branch.
    cursor: Cursor<F>,
    /// The record at the end of the current branch, once it is known; used in the branch's past.
    record_at_end: OnceCell<F>,
    forecast: Option<Forecast<F>>,
}

impl BranchId {
    /// The branch with which a timeline begins.
    pub const FIRST: Self = Self(0);

    /// The branch of a number, which counts from 0 in the order in which they began.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number, counted from 0.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 100_000, act_bytes: 32 << 20, checkpoint_bytes: 24 << 20, branches: 16 }
    }
}

impl Timeline {
    /// A timeline that begins with this world, without a record.
    pub fn new(world: World) -> Self {
        Self::recorded(world)
    }

    /// A timeline with limits of its own, without a record.
    pub fn with_limits(world: World, limits: Limits) -> Self {
        Self::recorded_within(world, limits)
    }
}

impl<F: Fold> Timeline<F> {
    /// A timeline that begins with this world, with a record.
    pub fn recorded(world: World) -> Self {
        Self::recorded_within(world, Limits::default())
    }

    /// A timeline with limits of its own, with a record.
    pub fn recorded_within(mut world: World, limits: Limits) -> Self {
        world.take_journal();
        let cursor = Cursor::new(world);
        let current = BranchId::FIRST;
        let main = Branch::new(String::from("main"), cursor.clone());
        let branches = BTreeMap::from([(current, main)]);
        Self {
            limits,
            observed: Arc::default(),
            branches,
            next_branch: 1,
            current,
            cursor,
            record_at_end: OnceCell::new(),
            forecast: None,
        }
    }

    /// The same timeline after an observed past.
    pub(crate) fn after(self, observed: ObservedPast) -> Self {
        Self { observed: Arc::new(observed), ..self }
    }

    /// What was observed before the beginning of the world. No cursor can go there.
    pub fn observed(&self) -> &ObservedPast {
        &self.observed
    }

    /// The record up to the cursor.
    pub fn record(&self) -> &F {
        &self.cursor.record
    }

    /// The record of the whole branch of the cursor.
    pub fn record_at_end(&self) -> &F {
        if self.is_at_end() {
            return self.record();
        }
        let visited = || self.here().visit(SeekTarget::Position(self.here().end())).record;
        self.record_at_end.get_or_init(visited)
    }

    /// The record of a branch up to a target, unless the branch was dropped.
    pub fn record_of(&self, id: BranchId, until: SeekTarget) -> Option<F> {
        Some(self.branch(id)?.visit(until).record)
    }

    /// The forecast as far as it was computed.
    pub fn forecast(&self) -> Option<&Forecast<F>> {
        self.forecast.as_ref()
    }

    /// The records at the cursor and of the forecast, to take from them what their reader has not
    /// seen yet.
    pub fn records_mut(&mut self) -> (&mut F, Option<&mut F>) {
        (&mut self.cursor.record, self.forecast.as_mut().map(Forecast::record_mut))
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        &self.cursor.world
    }

    /// The position of the cursor.
    pub fn position(&self) -> Position {
        self.cursor.position()
    }

    /// Whether the cursor is at the end of its branch.
    pub fn is_at_end(&self) -> bool {
        self.position() == self.here().end()
    }

    /// The id of the branch of the cursor.
    pub fn current(&self) -> BranchId {
        self.current
    }

    /// The branch of the cursor.
    pub fn here(&self) -> &Branch<F> {
        self.branch(self.current).expect("the current branch is never removed")
    }

    /// In the order in which they began.
    pub fn branches(&self) -> impl Iterator<Item = (BranchId, &Branch<F>)> {
        self.branches.iter().map(|(id, branch)| (*id, branch))
    }

    /// The branch of an id, unless it was dropped.
    pub fn branch(&self, id: BranchId) -> Option<&Branch<F>> {
        self.branches.get(&id)
    }

    /// Performs an act at the cursor. In the past this begins a branch that is named after the act,
    /// except for `Act::Advance`, which is [`Timeline::advance_to`].
    ///
    /// # Errors
    ///
    /// If the world refuses the act, nothing changes ([`World::perform`]).
    pub fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        if let Act::Advance { to } = act {
            return Ok(self.advance_to(to));
        }
        let past = (!self.is_at_end()).then(|| self.cursor.clone());
        let events = self.cursor.perform(act.clone())?;
        self.forecast = None;
        if let Some(past) = past {
            let done = core::mem::replace(&mut self.cursor, past);
            self.fork(words_of(&act, &Names::default()));
            self.cursor = done;
        }
        let limits = self.limits.clone();
        let (branch, cursor) = self.parts();
        branch.record(act, cursor, &limits);
        Ok(events)
    }

    /// Lets a span of time pass ([`Timeline::advance_to`]).
    pub fn advance(&mut self, span: Duration) -> Vec<SimEvent> {
        self.advance_to(self.world().now().plus(span))
    }

    /// Lets time pass up to a time. In the past the events of the branch are repeated up to its
    /// end; from there on the branch is extended. Stops early after [`EVENTS_AT_ONCE`] events.
    pub fn advance_to(&mut self, to: Instant) -> Vec<SimEvent> {
        let mut events = Vec::new();
        if !self.is_at_end() {
            self.forecast = None;
            let (branch, cursor) = self.parts();
            let until = to.min(branch.end().at);
            while events.len() < EVENTS_AT_ONCE {
                let Some(more) = cursor.step(branch, until) else { break };
                events.extend(more);
            }
        }
        if self.is_at_end() && to > self.world().now() {
            let (limits, begin) = (self.limits.clone(), self.here().begin());
            let (branch, cursor) = self.parts();
            while events.len() < EVENTS_AT_ONCE {
                let Some(more) = cursor.pass(to) else { break };
                events.extend(more);
                branch.grow(cursor, &limits);
            }
            branch.grow(cursor, &limits);
            // The record of the forecast still has what the branch has dropped.
            if branch.begin() != begin {
                self.forecast = None;
            }
        }
        events
    }

    /// Moves the cursor along its branch, forward or back.
    pub fn seek(&mut self, target: SeekTarget) -> Position {
        let here = self.position();
        let nearest = self.here().nearest(target).position();
        if self.is_at_end() {
            self.record_at_end = OnceCell::from(self.record().clone());
        }
        let (branch, cursor) = self.parts();
        if here.reaches(target) && here.event_number >= nearest.event_number {
            cursor.go(branch, target);
        } else {
            *cursor = branch.visit(target);
        }
        self.forecast = None;
        self.position()
    }

    /// The world at a target on a branch, if the branch exists.
    pub fn visit(&self, id: BranchId, target: SeekTarget) -> Option<World> {
        Some(self.branch(id)?.visit_world(target).world)
    }

    /// Begins a branch at the cursor.
    pub fn fork(&mut self, name: String) -> BranchId {
        let branch = self.here().fork(name, self.current, &self.cursor);
        self.add(branch);
        self.current
    }

    /// Moves the cursor to another branch, at the same time or at its end if it ends earlier.
    /// `None` if the branch does not exist.
    pub fn switch(&mut self, id: BranchId) -> Option<Position> {
        let target = SeekTarget::Time(self.world().now());
        let cursor = self.branch(id)?.visit(target);
        self.leave();
        self.current = id;
        self.cursor = cursor;
        Some(self.position())
    }

    /// Drops a branch, unless it is the current one.
    pub fn remove(&mut self, id: BranchId) {
        if id != self.current {
            self.branches.remove(&id);
        }
    }

    /// The forecast up to a horizon. Each call computes some more steps, so that a long forecast
    /// can be divided into many calls; an act or a seek starts it again.
    pub fn look_ahead(&mut self, horizon: Duration, steps: usize) -> &Forecast<F> {
        let now = self.cursor.world.now();
        let until = now.plus(horizon);
        self.forecast.take_if(|forecast| !(now..=until).contains(&forecast.world().now()));
        let forecast = self.forecast.get_or_insert_with(|| Forecast::new(self.cursor.clone()));
        forecast.extend(now, horizon, steps);
        // The acts of a branch are not part of what follows without acts, even if they are known.
        debug_assert_eq!(forecast.acts(), self.cursor.acts, "a forecast performs no act");
        forecast
    }

    fn parts(&mut self) -> (&mut Branch<F>, &mut Cursor<F>) {
        let branch = self.branches.get_mut(&self.current);
        (branch.expect("the current branch is never removed"), &mut self.cursor)
    }

    /// Makes a branch the current one.
    fn add(&mut self, branch: Branch<F>) {
        self.leave();
        self.current = BranchId(self.next_branch);
        self.next_branch += 1;
        self.branches.insert(self.current, branch);
        if self.branches.len() > self.limits.branches {
            self.branches.pop_first();
        }
    }

    fn leave(&mut self) {
        let limits = self.limits.clone();
        let (branch, cursor) = self.parts();
        branch.leave(cursor, &limits);
        self.record_at_end = OnceCell::new();
        self.forecast = None;
    }
}
