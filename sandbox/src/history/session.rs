//! The history of one session: its creation, its renewals and its end. `server_changes` fills it;
//! the session lane (`timeline::zones`) and the session rows read it.

use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::error::Cause;
use lictor_core::id::Key;
use lictor_core::store::Session;
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;

/// The history of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTrack {
    pub session: Arc<Session>,
    pub tag: SessionTag,
    pub created: Instant,
    /// The earliest known start of its TTL.
    pub first: Instant,
    /// The latest run of its TTL; none without a TTL.
    pub clock: Option<SessionClock>,
    /// The later starts of its TTL, in order.
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

    /// Records a start of the TTL; the first one is the creation.
    pub(super) fn renewed(&mut self, clock: SessionClock) {
        if clock.renewed > self.created {
            self.renewals.push(clock.renewed);
        }
        self.clock = Some(clock);
    }

    /// Drops the starts of the TTL before a time, except the latest of them.
    pub(super) fn forget(&mut self, begin: Instant) {
        let last = self.renewals.iter().rfind(|at| **at < begin);
        self.first = last.copied().unwrap_or(self.first);
        forget(&mut self.renewals, &|at| *at < begin);
    }

    /// The time of the latest start of the TTL.
    pub fn last_start(&self) -> Instant {
        self.renewals.last().copied().unwrap_or(self.first)
    }
}
