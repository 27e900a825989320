//! A computation over the events of a world, one after the other. A timeline carries one with each
//! of its worlds, so that it is computed once and is there at any position. `()` computes nothing.

use core::fmt::Debug;

use lictor_core::time::Instant;

use crate::event::SimEvent;
use crate::world::World;

/// What the events up to a position of a timeline amount to.
pub trait Fold: Clone + Debug {
    /// What is known of a world whose earlier events are not.
    fn beginning(world: &World) -> Self;

    /// Adds the next event.
    fn fold(&mut self, event: &SimEvent);

    /// Marks what ended before a time as forgotten, because the timeline has dropped those events.
    /// It is dropped gradually, as further events are added.
    fn forget(&mut self, begin: Instant);

    /// Drops at once all that is forgotten.
    fn drop_forgotten(&mut self);

    /// The approximate memory of a copy in bytes, beside what it shares with others.
    fn weight(&self) -> usize;
}

impl Fold for () {
    fn beginning(_: &World) {}

    fn fold(&mut self, _: &SimEvent) {}

    fn forget(&mut self, _: Instant) {}

    fn drop_forgotten(&mut self) {}

    fn weight(&self) -> usize {
        0
    }
}
