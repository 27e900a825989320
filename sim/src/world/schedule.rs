//! The schedule of a world: everything that will happen without an act, in one order. At the same
//! time the server comes first, then messages and faults, connections, programs.

use lictor_core::engine::Timer;
use lictor_core::id::ProgramName;
use lictor_core::time::Instant;
use lictor_recipes::Due;

use super::World;
use super::connections::ConnectionTimer;
use super::queue::ScheduledEvent;

/// Something that will happen without an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upcoming<'a> {
    /// A timer of the server fires.
    Timer(&'a Timer),
    /// A message arrives, or a fault begins or ends.
    ScheduledEvent(&'a ScheduledEvent),
    /// A connection repeats something, fails, or its client stops waiting.
    Connection(ConnectionTimer),
    /// A program reaches a deadline of its own, for this reason.
    Program(&'a ProgramName, Due),
}

/// The queue that is due next.
pub(super) enum DueQueue {
    Server,
    EventQueue,
    Connection,
    Program,
}

impl DueQueue {
    pub(super) fn of(next: Upcoming) -> Self {
        match next {
            Upcoming::Timer(_) => Self::Server,
            Upcoming::ScheduledEvent(_) => Self::EventQueue,
            Upcoming::Connection(_) => Self::Connection,
            Upcoming::Program(..) => Self::Program,
        }
    }
}

impl World {
    /// The next time at which something is due, and what. At the same time, the server comes first,
    /// then messages and faults, then connections, then programs.
    pub fn next_deadline(&self) -> Option<(Instant, Upcoming<'_>)> {
        let timer = self.engine.next_deadline().map(|(at, timer)| (at, Upcoming::Timer(timer)));
        let scheduled =
            self.scheduled_events().next().map(|(at, it)| (at, Upcoming::ScheduledEvent(it)));
        let connection = self.tcp.as_ref().and_then(|tcp| tcp.next_timer());
        let connection = connection.map(|(at, timer)| (at, Upcoming::Connection(timer)));
        let earliest = timer.into_iter().chain(scheduled).chain(connection);
        let earliest = earliest.chain(self.program_deadlines().next());
        earliest.min_by_key(|(at, _)| *at)
    }

    fn program_deadlines(&self) -> impl Iterator<Item = (Instant, Upcoming<'_>)> {
        self.wakes.iter().filter_map(|(at, name)| {
            let (_, due) = self.program(name.as_str())?.program.next_deadline()?;
            Some((at, Upcoming::Program(name, due)))
        })
    }

    /// The timers of the server, in order.
    pub fn deadlines(&self) -> impl Iterator<Item = (Instant, &Timer)> {
        self.engine.deadlines()
    }

    /// The scheduled events outside the server, in order.
    pub(super) fn scheduled_events(&self) -> impl Iterator<Item = (Instant, &ScheduledEvent)> {
        self.queue.iter()
    }
}
