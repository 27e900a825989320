//! A cursor on a branch: the world at some position, and the record of the events up to there. It
//! moves by steps; a step is one act, or everything that is due at one time.

use alloc::vec::Vec;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::act::{Act, ActError};
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::trace::is_event;
use crate::world::{END, World};

/// A position on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The time of the world.
    pub at: Instant,
    /// The number of acts before it.
    pub acts: usize,
    /// The number of events before it.
    pub event_number: u64,
    /// The number of those events that lists show.
    pub events: u64,
}

/// A target on a branch. Targets before its visible events mean its beginning, targets after its
/// end mean its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekTarget {
    /// A time, after everything that happens at it.
    Time(Instant),
    /// The end of the step that contains the event of this number.
    SimEvent(u64),
    /// Directly after this many acts.
    Acts(usize),
    /// An earlier position of a cursor.
    Position(Position),
}

/// A world after some of a branch's acts, with its record.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<F = ()> {
    pub(crate) world: World,
    pub(super) record: F,
    pub(super) acts: usize,
    pub(super) events: u64,
}

impl<F: Fold> Cursor<F> {
    pub(crate) fn new(world: World) -> Self {
        let record = F::beginning(&world);
        Self { world, record, acts: 0, events: 0 }
    }

    /// The same cursor without its record.
    pub(super) fn without_record(&self) -> Cursor {
        Cursor { world: self.world.clone(), record: (), acts: self.acts, events: self.events }
    }

    pub(super) fn position(&self) -> Position {
        Position {
            at: self.world.now(),
            acts: self.acts,
            event_number: self.world.event_count(),
            events: self.events,
        }
    }

    /// Performs a new act.
    pub(crate) fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        let events = self.world.perform(act)?;
        self.world.take_journal();
        self.acts += 1;
        self.follow(&events);
        Ok(events)
    }

    /// Runs what is due next, if it is due by a time; otherwise only time advances.
    pub(crate) fn pass(&mut self, until: Instant) -> Option<Vec<SimEvent>> {
        let until = until.min(END);
        let due = self.world.next_deadline().map(|(at, _)| at).filter(|at| *at <= until);
        debug_assert!(due.is_none_or(|at| at > self.world.now()), "what was due has happened");
        let events = self.world.advance_to(due.unwrap_or(until));
        self.world.take_journal();
        self.follow(&events);
        due.map(|_| events)
    }

    /// Runs everything that is due by a time.
    pub(super) fn pass_to(&mut self, until: Instant) -> Vec<SimEvent> {
        let mut events = Vec::new();
        while let Some(more) = self.pass(until) {
            events.extend(more);
        }
        events
    }

    fn follow(&mut self, events: &[SimEvent]) {
        events.iter().for_each(|event| self.record.fold(event));
        self.events += events.iter().filter(|event| is_event(event)).count() as u64;
    }
}

impl Position {
    /// Whether steps from this position lead to a target.
    pub(super) fn reaches(&self, target: SeekTarget) -> bool {
        match target {
            SeekTarget::Time(at) => self.at <= at,
            SeekTarget::SimEvent(number) => self.event_number < number,
            SeekTarget::Acts(acts) => self.acts < acts,
            SeekTarget::Position(to) => self.acts <= to.acts && self.at <= to.at,
        }
    }
}
