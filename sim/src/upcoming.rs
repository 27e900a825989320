//! Everything that is due in a world without an act, in one order: timers of the server, messages
//! and planned faults, and deadlines of programs. `World::advance` follows it, and pages show it.

use alloc::vec::Vec;

use super::World;
use super::event_queue::ScheduledEvent;
use lictor_core::engine::Timer;
use lictor_core::id::ProgramName;
use lictor_core::time::Instant;
use lictor_recipes::Due;

/// Why something will happen by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcoming<'a> {
    /// In the server.
    Timer(&'a Timer),
    /// Between the server and its clients.
    ScheduledEvent(&'a ScheduledEvent),
    /// A program acts by itself, for this reason.
    Program(&'a ProgramName, Due),
}

/// Where the next thing happens.
pub(super) enum Source {
    Server,
    EventQueue,
    Program,
}

impl Source {
    pub(super) fn of(next: Upcoming) -> Self {
        match next {
            Upcoming::Timer(_) => Self::Server,
            Upcoming::ScheduledEvent(_) => Self::EventQueue,
            Upcoming::Program(..) => Self::Program,
        }
    }
}

impl World {
    /// When something next happens by itself, and what. At one moment, the server comes first, then
    /// what is on its way, then programs.
    pub fn next_deadline(&self) -> Option<(Instant, Upcoming<'_>)> {
        let timer = self.engine.next_deadline().map(|(at, timer)| (at, Upcoming::Timer(timer)));
        let scheduled =
            self.scheduled_events().next().map(|(at, it)| (at, Upcoming::ScheduledEvent(it)));
        let earliest = timer.into_iter().chain(scheduled).chain(self.program_deadlines().next());
        earliest.min_by_key(|(at, _)| *at)
    }

    /// All that will happen by itself, in order.
    pub fn upcoming(&self) -> Vec<(Instant, Upcoming<'_>)> {
        let timers = self.deadlines().map(|(at, timer)| (at, Upcoming::Timer(timer)));
        let scheduled = self
            .scheduled_events()
            .map(|(at, scheduled)| (at, Upcoming::ScheduledEvent(scheduled)));
        let mut all: Vec<_> = timers.chain(scheduled).chain(self.program_deadlines()).collect();
        all.sort_by_key(|(one, _)| *one);
        all
    }

    fn program_deadlines(&self) -> impl Iterator<Item = (Instant, Upcoming<'_>)> {
        self.wakes.iter().filter_map(|(at, name)| {
            let (_, due) = self.program(name.as_str())?.program.next_deadline()?;
            Some((at, Upcoming::Program(name, due)))
        })
    }

    /// All that the server will do by itself, in order.
    pub fn deadlines(&self) -> impl Iterator<Item = (Instant, &Timer)> {
        self.engine.deadlines()
    }

    /// All that is on its way outside the server, in order.
    pub fn scheduled_events(&self) -> impl Iterator<Item = (Instant, &ScheduledEvent)> {
        self.queue.iter()
    }
}
