//! Compares the predicted earliest time at which another client can acquire a lock with what
//! happens: an earlier takeover is a failure.

use lictor_core::engine::Event;
use lictor_core::error::Cause;
use lictor_core::id::{Key, SessionId, SessionRef};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_sim::{EventKind, Fault, SimEvent, Takeover, World};

use crate::random_programs::LOCK;

/// The prediction for a lock, which is valid until its holder releases it.
pub(super) struct EarliestTakeover {
    holder: Option<SessionId>,
    pub(super) not_before: Instant,
    /// Whether the holder's session has expired, as predicted.
    is_orphaned: bool,
}

/// Whether a prediction still holds after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PredictionState {
    Pending,
    Ended,
}

impl EarliestTakeover {
    /// The prediction for the world as it is; `None` if there is none. The retry interval of the
    /// present waiters is left out of it, because another client may be faster.
    pub(super) fn of(world: &World) -> Option<Self> {
        let Takeover { at, terms, .. } = world.earliest_takeover(&Key::from(LOCK))?;
        let holder = world.store().kv().get(LOCK).and_then(|it| it.holder()?.id());
        Some(Self { holder, not_before: at.minus(terms.retry), is_orphaned: false })
    }

    /// Follows an event: the prediction ends when the lock is released, taken or deleted, when the
    /// session of the holder ends for another reason than its TTL, and when an election ends, which
    /// an act or chance can make earlier than was known.
    pub(super) fn observe(&mut self, event: &SimEvent) -> PredictionState {
        if let EventKind::Mended(active) = &event.kind
            && matches!(active.fault, Fault::LeaderLost(_))
        {
            return PredictionState::Ended;
        }
        let EventKind::Server { event: Event::Changed(change), .. } = &event.kind else {
            return PredictionState::Pending;
        };
        let has_ended = match change {
            Change::SessionEnded { session, cause, .. } if Some(session.id) == self.holder => {
                self.is_orphaned = *cause == Cause::TtlExpired;
                !self.is_orphaned
            }
            Change::KeyWritten { after, .. } if after.key.as_str() == LOCK => {
                if after.hold.is_none() { !self.is_orphaned } else { self.is_taken(event) }
            }
            Change::KeyDeleted { before } => before.key.as_str() == LOCK,
            _ => false,
        };
        if has_ended { PredictionState::Ended } else { PredictionState::Pending }
    }

    /// Whether an event writes a key that another session holds than the holder of the prediction.
    pub(super) fn is_taken(&self, event: &SimEvent) -> bool {
        let EventKind::Server { event: Event::Changed(change), .. } = &event.kind else {
            return false;
        };
        match change {
            Change::KeyWritten { after, .. } => {
                let holder = after.holder().and_then(SessionRef::id);
                holder.is_some() && holder != self.holder
            }
            _ => false,
        }
    }
}
