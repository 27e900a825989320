//! The pending calls of one program. Each slot has at most one, so that no call is sent while
//! another of its kind is pending; only the requests to destroy a session can be several.

use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::message::Operation;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::call_id::CallId;
use crate::interface::Due;

/// The part of a program that waits for an answer. In the Go client each part is a goroutine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallSlot {
    /// The recipe itself.
    Main,
    /// The session renewer.
    Renewer,
    /// The monitor of the lock.
    Monitor,
    /// Requests of the work that is done under the lock.
    Work,
    /// Requests to destroy a session. Their answers are ignored, and any number may be pending.
    SessionDestroy,
    /// Renewals that were pending when their session was given up. The answer decides whether the
    /// session is destroyed; any number may be pending.
    FormerRenewal,
    /// The reads of a held key at half of the TTL.
    Check,
}

/// A pending call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outstanding {
    /// Its id, which the reply repeats.
    pub call: CallId,
    /// The part of the program that waits for the answer.
    pub slot: CallSlot,
    /// What was sent.
    pub operation: Operation,
    /// When it was sent, on the program's clock.
    pub sent: Instant,
    /// When the program stops waiting for the answer; `None` without a request timeout.
    pub until: Option<Instant>,
}

/// All pending calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Calls {
    request_timeout: Option<Duration>,
    /// How many calls were sent.
    sent: u64,
    under_way: Vec<Outstanding>,
}

/// The server extends the wait of a blocking read by up to this part (BLK-04).
const JITTER_DIVISOR: u32 = 16;

impl Calls {
    pub(crate) fn with_request_timeout(request_timeout: Duration) -> Self {
        Self { request_timeout: Some(request_timeout), ..Self::default() }
    }

    pub(crate) fn request_timeout(&self) -> Option<Duration> {
        self.request_timeout
    }

    pub(crate) fn outstanding(&self) -> &[Outstanding] {
        &self.under_way
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let due = |it: &Outstanding| Some((it.until?, Due::TimeOut(it.call)));
        self.under_way.iter().filter_map(due).min()
    }

    /// Adds a call and returns its number.
    pub(crate) fn open(&mut self, now: Instant, slot: CallSlot, operation: &Operation) -> CallId {
        debug_assert!(self.in_slot(slot).is_none(), "no call of this kind is pending");
        self.sent += 1;
        let call = CallId(self.sent);
        let until = self
            .request_timeout
            .map(|request_timeout| now.plus(request_timeout).plus(waits(operation)));
        let operation = operation.clone();
        self.under_way.push(Outstanding { call, slot, operation, sent: now, until });
        call
    }

    /// Removes a call and returns it, if it is pending.
    pub(crate) fn close(&mut self, call: CallId) -> Option<Outstanding> {
        let index = self.under_way.iter().position(|it| it.call == call)?;
        Some(self.under_way.remove(index))
    }

    /// The pending call of a slot; `None` for a slot that can have several.
    pub(crate) fn in_slot(&self, slot: CallSlot) -> Option<CallId> {
        let is_single = !matches!(slot, CallSlot::SessionDestroy | CallSlot::FormerRenewal);
        let found = self.under_way.iter().find(|it| it.slot == slot && is_single);
        found.map(|it| it.call)
    }

    /// Moves the pending call of one slot to another, and returns it. `None` if none is pending.
    pub(crate) fn change_slot(&mut self, from: CallSlot, to: CallSlot) -> Option<CallId> {
        let call = self.in_slot(from)?;
        self.under_way.iter_mut().filter(|it| it.call == call).for_each(|it| it.slot = to);
        Some(call)
    }
}

/// How long the server may wait before it answers: the wait of a blocking read with its longest
/// extension, zero for any other operation.
fn waits(operation: &Operation) -> Duration {
    operation
        .blocking_wait()
        .map_or(Duration::ZERO, |wait| wait.timeout.saturating_add(wait.timeout / JITTER_DIVISOR))
}
