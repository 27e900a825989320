//! A cursor on a branch: the world at some position of it. It moves by steps; a step is one act, or
//! all that is due at one time. Seeks, searches and comparisons all walk this way (`branch` has the
//! steps).

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::trace::is_event;
use crate::{Act, END, SimEvent, World};
use lictor_core::time::Instant;

/// A place on a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub at: Instant,
    /// How many acts were done until then.
    pub acts: usize,
    /// How many moments there were until then.
    pub event_number: u64,
    /// How many of them were events, which lists show.
    pub events: u64,
}

/// Where to go on a branch. What lies before its visible past is taken for its beginning, what lies
/// behind its end for its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a time, when everything that happened at it is over.
    Time(Instant),
    /// To the end of the step in which the moment of this number happened.
    SimEvent(u64),
    /// Directly behind this many acts.
    Acts(usize),
    /// To an earlier position of a cursor.
    Position(Position),
}

/// A world that has some of a branch's acts behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) world: World,
    pub(super) acts: usize,
    pub(super) events: u64,
}

impl Cursor {
    pub(crate) fn new(world: World) -> Self {
        Self { world, acts: 0, events: 0 }
    }

    pub(super) fn position(&self) -> Position {
        Position {
            at: self.world.now(),
            acts: self.acts,
            event_number: self.world.event_count(),
            events: self.events,
        }
    }

    /// Does something new here; none if the world has no room for it.
    pub(crate) fn perform(&mut self, act: Act) -> Option<Vec<SimEvent>> {
        let events = self.world.perform(act);
        if self.world.take_journal().is_empty() {
            return None;
        }
        self.acts += 1;
        self.count(&events);
        Some(events)
    }

    /// Lets the next due event happen, if it is due by a time; else only time goes on.
    pub(crate) fn pass(&mut self, until: Instant) -> Option<Vec<SimEvent>> {
        let until = until.min(END);
        let due = self.world.next_deadline().map(|(at, _)| at).filter(|at| *at <= until);
        let events = self.world.advance(due.unwrap_or(until));
        self.world.take_journal();
        self.count(&events);
        due.map(|_| events)
    }

    /// All that falls due up to a moment.
    pub(super) fn pass_to(&mut self, until: Instant) -> Vec<SimEvent> {
        let mut events = Vec::new();
        while let Some(more) = self.pass(until) {
            events.extend(more);
        }
        events
    }

    fn count(&mut self, events: &[SimEvent]) {
        self.events += events.iter().filter(|event| is_event(event)).count() as u64;
    }
}

impl Position {
    /// Whether a target lies ahead of this position.
    pub(super) fn reaches(&self, target: Target) -> bool {
        match target {
            Target::Time(at) => self.at <= at,
            Target::SimEvent(number) => self.event_number < number,
            Target::Acts(acts) => self.acts < acts,
            Target::Position(to) => self.acts <= to.acts && self.at <= to.at,
        }
    }
}
