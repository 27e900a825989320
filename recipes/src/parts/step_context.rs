//! The context of one step of a recipe: the time, its calls, its belief, and the list to which it
//! appends its actions.

use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::id::Key;
use lictor_core::message::{Consistency, Failure, Operation, Response, Wait};
use lictor_core::store::{Entry, KvVerb, Query};
use lictor_core::time::Instant;

use crate::belief::{Belief, Token};
use crate::call_id::CallId;
use crate::interface::{Action, Due, Order};
use crate::parts::calls::{CallSlot, Calls};
use crate::program_error::ProgramError;
use crate::report::{LockLoss, Report};

/// An event for a recipe: a stimulus whose call was found, or one of its deadlines.
pub(crate) enum StepInput {
    Order(Order),
    Reply { slot: CallSlot, result: Result<Response, Failure> },
    Due(Due),
}

pub(crate) struct StepContext<'a> {
    pub(crate) now: Instant,
    /// The call whose answer is handled in this step.
    pub(crate) from: Option<CallId>,
    /// When this call was sent; the present time if there is none.
    pub(crate) sent: Instant,
    /// How long, from when the request was sent, the answer proves that the lock is held. `None` if
    /// it proves nothing.
    pub(crate) confirmed: Option<Duration>,
    pub(crate) calls: &'a mut Calls,
    pub(crate) belief: &'a mut Belief,
    pub(crate) out: &'a mut Vec<Action>,
}

impl StepContext<'_> {
    /// Sends a call in a slot. An earlier call that is still pending in this slot is abandoned.
    pub(crate) fn send(&mut self, slot: CallSlot, operation: Operation) {
        self.abandon(slot);
        let call = self.calls.open(self.now, slot, &operation);
        self.out.push(Action::Send { call, operation });
    }

    /// Sends a read in the main slot.
    pub(crate) fn read(&mut self, query: Query, wait: Option<Wait>) {
        let consistency = Consistency::Default;
        self.send(CallSlot::Main, Operation::Read { query, wait, consistency });
    }

    /// Sends a write in the main slot.
    pub(crate) fn write(&mut self, key: Key, verb: KvVerb) {
        self.send(CallSlot::Main, Operation::Kv { key, verb });
    }

    pub(crate) fn abandon(&mut self, slot: CallSlot) {
        if let Some(call) = self.calls.in_slot(slot) {
            self.calls.close(call);
            self.out.push(Action::Abandon(call));
        }
    }

    /// Keeps the pending call of one slot as a call of another, and returns it.
    pub(crate) fn change_slot(&mut self, from: CallSlot, to: CallSlot) -> Option<CallId> {
        self.calls.change_slot(from, to)
    }

    /// Abandons all pending calls of a slot that can have several.
    pub(crate) fn abandon_all(&mut self, slot: CallSlot) {
        let calls = self.calls.outstanding().iter().filter(|it| it.slot == slot);
        for call in calls.map(|it| it.call).collect::<Vec<_>>() {
            self.calls.close(call);
            self.out.push(Action::Abandon(call));
        }
    }

    /// Whether no call of a slot is pending.
    pub(crate) fn is_free(&self, slot: CallSlot) -> bool {
        self.calls.in_slot(slot).is_none()
    }

    /// Records that the present answer proves, for this span from when its request was sent, that
    /// the lock is held.
    pub(crate) fn confirm(&mut self, within: Duration) {
        self.confirmed = Some(within);
    }

    pub(crate) fn report(&mut self, report: Report) {
        self.out.push(Action::Report(report));
    }

    pub(crate) fn fail(&mut self, error: ProgramError) {
        self.report(Report::Failed(error));
    }

    /// Records that the program contends for the lock from now on, unless it already does.
    pub(crate) fn start_contending(&mut self) {
        if !matches!(self.belief, Belief::Contending { .. }) {
            *self.belief = Belief::Contending { since: self.now };
        }
    }

    /// Records that, by the present answer, the program holds the lock or slot.
    pub(crate) fn mark_held(&mut self, token: Token, is_slot: bool) {
        let from = self.from.unwrap_or_default();
        *self.belief = Belief::Believes { since: self.now, from, token: token.clone() };
        self.report(Report::Acquired { token, is_slot });
    }

    /// Completes the token with the indexes of an entry that was read while the program holds it.
    /// Only the first read counts, as other clients may write to the key later.
    pub(crate) fn learn_indexes(&mut self, entry: &Entry) {
        let Belief::Believes { token, .. } = &mut *self.belief else { return };
        if token.modify_index.is_none() {
            token.lock_index = Some(entry.lock_index);
            token.modify_index = Some(entry.modify_index);
            let token = token.clone();
            self.report(Report::TokenKnown(token));
        }
    }

    pub(crate) fn mark_lost(&mut self, loss: LockLoss) {
        *self.belief = Belief::KnowsLost { since: self.now, from: self.from };
        self.report(Report::Lost(loss));
    }

    pub(crate) fn mark_released(&mut self) {
        *self.belief = Belief::LetGo { since: self.now, from: self.from };
    }

    pub(crate) fn clear_belief(&mut self) {
        *self.belief = Belief::Unknown;
    }
}
