//! The writes to one guarded resource, and whether its fence accepted them. `client_events` adds
//! them; the resource lane draws them.

use lictor_core::time::Instant;

use super::event_row::EventResult;
use super::tags::ActorTag;

/// The writes to one guarded resource, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceTrack {
    pub writes: Vec<WriteMark>,
    /// The number of writes, including those that were dropped.
    pub(super) made: u64,
}

#[cfg(test)]
impl ResourceTrack {
    pub fn of(writes: Vec<WriteMark>) -> Self {
        Self { made: writes.len() as u64, writes }
    }
}

/// One write, and whether it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteMark {
    pub at: Instant,
    pub who: ActorTag,
    /// Counted from 1 for the resource.
    pub number: u64,
    pub reply: EventResult,
}
