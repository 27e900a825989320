//! The writes to one guarded resource, and whether its fence accepted them.

use alloc::vec::Vec;

use lictor_core::time::Instant;

use super::event_row::EventResult;
use super::tags::ActorTag;

/// The writes to one guarded resource, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceTrack {
    /// In order.
    pub writes: Vec<WriteMark>,
    /// The number of writes, including those that were dropped.
    pub made: u64,
}

/// One write, and whether it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteMark {
    /// When it was made.
    pub at: Instant,
    /// The client.
    pub actor: ActorTag,
    /// Counted from 1 for the resource.
    pub number: u64,
    /// The result.
    pub reply: EventResult,
}
