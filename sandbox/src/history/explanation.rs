//! The latest refused request with the events that led to it, as the "why" strip shows them.
//! `explain` builds it; `i18n` turns each step into a sentence.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::id::{ActorName, CheckId, Key};
use lictor_core::time::Instant;

use super::event_row::{EventResult, Note};
use super::session::EndCause;

/// One step of the chain that led to a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CauseStep {
    Held {
        at: Instant,
        label: Arc<str>,
    },
    Ended {
        at: Instant,
        label: Arc<str>,
        cause: EndCause,
    },
    /// A check became critical, as the session before it in the chain ended, and ended this one.
    EndedByCheck {
        at: Instant,
        label: Arc<str>,
        check: CheckId,
    },
    LockDelay {
        at: Instant,
        until: Instant,
        span: Duration,
    },
    Got {
        at: Instant,
        actor: ActorName,
        reply: EventResult,
    },
}

/// The latest refusal with the events that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// When the request was refused, and the number of the event.
    pub at: Instant,
    pub event: u64,
    pub reply: EventResult,
    /// The key of the request, if it has one.
    pub key: Option<Key>,
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
            | Self::Got { at, .. } => *at,
        }
    }
}
