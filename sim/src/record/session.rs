//! The history of one session: its creation, its renewals and its end.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::engine::SessionClock;
use lictor_core::error::Cause;
use lictor_core::id::Key;
use lictor_core::store::{Behavior, Session};
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;

/// The history of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTrack {
    /// The session.
    pub session: Arc<Session>,
    /// Its label.
    pub tag: SessionTag,
    /// When it was created.
    pub created: Instant,
    /// The earliest known start of its TTL.
    pub first: Instant,
    /// The run of its TTL that began before the record, if there is one.
    pub(super) first_clock: Option<SessionClock>,
    /// The latest run of its TTL; `None` without a TTL.
    pub clock: Option<SessionClock>,
    /// The later starts of its TTL by a renewal, in order.
    pub renewals: Vec<Instant>,
    /// The later starts of its TTL by a server that became leader, in order. While there is no
    /// leader, the last one is yet to come.
    pub restarts: Vec<Instant>,
    /// The times without a leader, in order. The session cannot end in them.
    pub leaderless: Vec<(Instant, Instant)>,
    /// How it ended; `None` while it lives.
    pub ended: Option<SessionEnd>,
}

/// How a session ended, and which keys it held then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEnd {
    /// When it ended.
    pub at: Instant,
    /// Why.
    pub cause: EndCause,
    /// The keys that it held.
    pub freed: Vec<Key>,
}

/// What happened to the keys of a session that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFate {
    /// They have no session now.
    Released,
    /// They exist no more.
    Deleted,
}

impl From<Behavior> for KeyFate {
    fn from(behavior: Behavior) -> Self {
        match behavior {
            Behavior::Delete => Self::Deleted,
            _ => Self::Released,
        }
    }
}

/// Why a session ended, with the name that its sentence needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndCause {
    /// Consul's cause.
    pub cause: Cause,
    /// The label of the session whose end made the check of this one critical.
    pub followed: Option<Arc<str>>,
}

impl SessionTrack {
    pub(super) fn new(at: Instant, session: Arc<Session>, tag: SessionTag) -> Self {
        Self {
            session,
            tag,
            created: at,
            first: at,
            first_clock: None,
            clock: None,
            renewals: Vec::new(),
            restarts: Vec::new(),
            leaderless: Vec::new(),
            ended: None,
        }
    }

    /// Records a start of the TTL; the first one is the creation.
    pub(super) fn renewed(&mut self, clock: SessionClock) {
        if clock.renewed > self.created {
            self.renewals.push(clock.renewed);
        } else {
            self.first_clock = None;
        }
        self.clock = Some(clock);
    }

    /// Another server became leader and started the TTL again.
    pub(super) fn restarted(&mut self, at: Instant, ttl: Duration) {
        if let Some(clock) = &mut self.clock {
            self.first_clock = self.first_clock.filter(|first| first.renewed < at);
            self.restarts.retain(|restart| *restart < at);
            self.restarts.push(at);
            if let Some((_, to)) = self.leaderless.last_mut() {
                *to = at.min(*to);
            }
            *clock = SessionClock::starting(at, ttl);
        }
    }

    /// There is no leader until the start of this clock.
    pub(super) fn leader_lost(&mut self, at: Instant, clock: SessionClock) {
        debug_assert!(clock.renewed >= at, "the next leader is not in the past");
        self.first_clock = self.first_clock.filter(|first| first.renewed < clock.renewed);
        self.restarts.retain(|restart| *restart < at);
        self.restarts.push(clock.renewed);
        if let Some((_, to)) = self.leaderless.last_mut() {
            *to = at.min(*to);
        }
        self.leaderless.push((at, clock.renewed));
        self.clock = Some(clock);
    }

    /// Drops the starts of the TTL before a time, except the latest of them.
    pub(super) fn forget(&mut self, begin: Instant) {
        let last = [&self.renewals, &self.restarts].map(|it| it.iter().rfind(|at| **at < begin));
        if let Some(last) = last.into_iter().flatten().max() {
            (self.first, self.first_clock) = (*last, None);
        }
        forget(&mut self.renewals, &|at| *at < begin);
        forget(&mut self.restarts, &|at| *at < begin);
        self.leaderless.retain(|(_, to)| *to >= begin);
    }

    pub(super) fn items(&self) -> usize {
        self.renewals.len() + self.restarts.len() + self.leaderless.len()
    }

    /// The time of the latest start of the TTL.
    pub fn last_start(&self) -> Instant {
        let last = [self.renewals.last(), self.restarts.last()].into_iter().flatten().max();
        last.copied().unwrap_or(self.first)
    }

    /// The run of the TTL from one of its starts, without later renewals; `None` without a TTL.
    pub fn clock_from(&self, start: Instant) -> Option<SessionClock> {
        let clock = self.clock?;
        let first = self.first_clock.filter(|_| start == self.first);
        Some(first.unwrap_or_else(|| SessionClock::starting(start, clock.ttl)))
    }

    /// All starts of the TTL in order, the first one included.
    pub fn starts(&self) -> Vec<Instant> {
        let later = self.renewals.iter().chain(&self.restarts).copied();
        let mut starts: Vec<_> = core::iter::once(self.first).chain(later).collect();
        starts.sort_unstable();
        starts
    }
}
