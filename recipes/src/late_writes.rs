//! The writes with a session of the caller whose answers the program no longer waits for. They may
//! arrive late and change a later hold of the same session. (A session of the contender's own is
//! destroyed in the end, which makes such writes harmless; the caller's continues to exist.)
//!
//! These writes stay open until they are answered, for a bounded time. A key that one of them may
//! have acquired after the release of the lock is released once more.

use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::http::HttpResponse;
use lictor_core::http::client;
use lictor_core::message::{Answer, Operation};
use lictor_core::store::KvVerb;
use lictor_core::time::Instant;

use crate::call_id::CallId;
use crate::semaphore::SEMAPHORE_FLAG;

/// The pause before a failed release or deletion is repeated.
const RETRY: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, Default)]
pub(crate) struct LateWrites {
    writes: Vec<LateWrite>,
    /// The operations that have to be sent, and when.
    due: Vec<(Instant, Operation)>,
    /// The time from which no write is waited for; `None` while the lock is contended for or held.
    ends_by: Option<Instant>,
    /// Whether a write or the release of its key has not ended in time.
    is_unsettled: bool,
}

#[derive(Clone, Debug)]
struct LateWrite {
    id: CallId,
    operation: Operation,
    until: Instant,
}

/// A step that the caller of [`LateWrites`] carries out.
pub(crate) enum LateStep {
    /// Send an operation, and follow it as a late write.
    Send(Operation),
    /// Stop waiting for the answer to this call.
    Abandon(CallId),
}

/// Whether an operation with a session of the caller may change a later hold of the session.
pub(crate) fn may_act_late(operation: &Operation) -> bool {
    let Operation::Kv { verb, .. } = operation else { return false };
    matches!(verb, KvVerb::Acquire { .. } | KvVerb::Release { .. } | KvVerb::Delete)
}

impl LateWrites {
    /// Waits for the answer to a write, at most until a time.
    pub(crate) fn wait_for(&mut self, id: CallId, operation: Operation, until: Instant) {
        let until = self.ends_by.map_or(until, |ends_by| ends_by.min(until));
        self.writes.push(LateWrite { id, operation, until });
    }

    /// Releases, until this time, every key that a late write acquires from now on. It is called
    /// when the lock is released or its attempt ends; only the first call has an effect.
    pub(crate) fn begin_ending(&mut self, ends_by: Instant) {
        let ends_by = *self.ends_by.get_or_insert(ends_by);
        for write in &mut self.writes {
            write.until = write.until.min(ends_by);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.due.is_empty()
    }

    /// Whether a key may still be locked, because a write or its release has not ended in time.
    pub(crate) fn is_unsettled(&self) -> bool {
        self.is_unsettled
    }

    /// When [`due`](Self::due) has to be called. `None` if nothing will be due.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let writes = self.writes.iter().map(|write| write.until);
        writes.chain(self.due.iter().map(|(at, _)| *at)).min()
    }

    /// Handles the end of a call, with its answer if there is one. Returns false if the call is no
    /// late write.
    pub(crate) fn ended(
        &mut self,
        now: Instant,
        id: CallId,
        response: Option<&HttpResponse>,
    ) -> bool {
        let Some(index) = self.writes.iter().position(|write| write.id == id) else {
            return false;
        };
        let LateWrite { operation, .. } = self.writes.remove(index);
        let Some(ends_by) = self.ends_by else { return true };
        let answer = response.map(|response| client::decode(&operation, response));
        let answer = answer.and_then(Result::ok).map(|response| response.answer);
        let next = match (&operation, answer) {
            (Operation::Kv { verb: KvVerb::Acquire { .. }, .. }, Some(Answer::Flag(false))) => None,
            (Operation::Kv { key, verb: KvVerb::Acquire { write, session } }, _) => {
                let verb = match write.flags {
                    // The contender key of a semaphore belongs to this session alone.
                    SEMAPHORE_FLAG => KvVerb::Delete,
                    _ => KvVerb::Release { write: write.clone(), session: session.clone() },
                };
                Some((now, Operation::Kv { key: key.clone(), verb }))
            }
            // A release or a deletion with an answer was carried out, so nothing is left.
            (_, Some(_)) => None,
            (_, None) => Some((now.plus(RETRY), operation)),
        };
        match next {
            Some((at, _)) if at >= ends_by => self.is_unsettled = true,
            Some(next) => self.due.push(next),
            None => {}
        }
        true
    }

    /// Removes and returns the steps that are due at this time.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<LateStep> {
        let mut steps = Vec::new();
        let is_ending = self.ends_by.is_some();
        self.writes.retain(|write| {
            let is_over = write.until <= now;
            if is_over {
                steps.push(LateStep::Abandon(write.id));
            }
            !is_over
        });
        self.is_unsettled |= is_ending && !steps.is_empty();
        self.due.retain(|(at, operation)| {
            let is_due = *at <= now;
            if is_due {
                steps.push(LateStep::Send(operation.clone()));
            }
            !is_due
        });
        steps
    }
}
