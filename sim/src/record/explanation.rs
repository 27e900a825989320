//! The latest refused request with the events that led to it, step by step, as values without
//! texts.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::{ActorName, CheckId, Key};
use lictor_core::time::Instant;

use super::event_row::{EventCall, EventResult, Note};
use super::session::EndCause;

/// One step of the chain that led to a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CauseStep {
    /// The session acquired the key.
    Held {
        /// When.
        at: Instant,
        /// Its label.
        label: Arc<str>,
    },
    /// The session ended.
    Ended {
        /// When.
        at: Instant,
        /// Its label.
        label: Arc<str>,
        /// Why.
        cause: EndCause,
    },
    /// A check became critical, as the session before it in the chain ended, and ended this one.
    EndedByCheck {
        /// When.
        at: Instant,
        /// The label of the session.
        label: Arc<str>,
        /// The check.
        check: CheckId,
    },
    /// A lock-delay of the key began.
    LockDelay {
        /// When.
        at: Instant,
        /// When it ends.
        until: Instant,
    },
    /// The leader was lost.
    LeaderLost {
        /// When.
        at: Instant,
    },
    /// The request was refused.
    Got {
        /// When.
        at: Instant,
        /// The client.
        actor: ActorName,
        /// The request.
        call: EventCall,
        /// The result.
        reply: EventResult,
    },
}

/// The latest refusal with the events that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// When the request was refused.
    pub at: Instant,
    /// The number of the event.
    pub event: u64,
    /// The result.
    pub reply: EventResult,
    /// The key of the request, if it has one.
    pub key: Option<Key>,
    /// Why.
    pub note: Note,
    /// From the earliest step to the refusal.
    pub chain: Vec<CauseStep>,
}

impl CauseStep {
    /// When it happened.
    pub fn at(&self) -> Instant {
        match self {
            Self::Held { at, .. }
            | Self::Ended { at, .. }
            | Self::EndedByCheck { at, .. }
            | Self::LockDelay { at, .. }
            | Self::LeaderLost { at }
            | Self::Got { at, .. } => *at,
        }
    }
}
