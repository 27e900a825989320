//! The life of one session: created, renewed, ended.

use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::error::Cause;
use lictor_core::id::Key;
use lictor_core::store::Session;
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;

/// All that happened to one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTrack {
    pub session: Arc<Session>,
    pub tag: SessionTag,
    pub created: Instant,
    /// The earliest start of its clock that is known.
    pub first: Instant,
    /// The clock as it was last started; none without a TTL.
    pub clock: Option<SessionClock>,
    /// Later starts of the clock than that, in order.
    pub renewals: Vec<Instant>,
    pub ended: Option<SessionEnd>,
}

/// How a session ended, and which keys it held then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    pub at: Instant,
    pub cause: Cause,
    pub freed: Vec<Key>,
}

impl SessionTrack {
    pub(super) fn new(at: Instant, session: Arc<Session>, tag: SessionTag) -> Self {
        Self {
            session,
            tag,
            created: at,
            first: at,
            clock: None,
            renewals: Vec::new(),
            ended: None,
        }
    }

    /// The clock started over; its first start is the creation itself.
    pub(super) fn renewed(&mut self, clock: SessionClock) {
        if clock.renewed > self.created {
            self.renewals.push(clock.renewed);
        }
        self.clock = Some(clock);
    }

    /// Forgets all but the last start of the clock before a moment.
    pub(super) fn forget(&mut self, begin: Instant) {
        let last = self.renewals.iter().rfind(|at| **at < begin);
        self.first = last.copied().unwrap_or(self.first);
        forget(&mut self.renewals, &|at| *at < begin);
    }

    /// When the clock last started.
    pub fn last_start(&self) -> Instant {
        self.renewals.last().copied().unwrap_or(self.first)
    }
}
