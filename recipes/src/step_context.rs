//! The context of one step of a recipe: the time, its calls, its belief, and the actions that it
//! appends. `Program::step` makes it; every recipe takes it as its first parameter.

use alloc::vec::Vec;

use super::calls::{CallId, CallSlot, Calls};
use super::{Action, Belief, Due, LockLoss, Order, ProgramError, Report, Token};
use lictor_core::id::Key;
use lictor_core::message::{Consistency, Failure, Operation, Response, Wait};
use lictor_core::store::{Entry, KvVerb, Query};
use lictor_core::time::Instant;

/// An event for a recipe: a stimulus whose call was found, or one of its deadlines.
pub(super) enum StepInput {
    Order(Order),
    Reply { slot: CallSlot, result: Result<Response, Failure> },
    Due(Due),
}

pub(super) struct StepContext<'a> {
    pub(super) now: Instant,
    /// The call whose answer is handled in this step.
    pub(super) from: Option<CallId>,
    pub(super) calls: &'a mut Calls,
    pub(super) belief: &'a mut Belief,
    pub(super) out: &'a mut Vec<Action>,
}

impl StepContext<'_> {
    /// Sends a call in a slot. An earlier call that is still pending in this slot is abandoned.
    pub(super) fn send(&mut self, slot: CallSlot, operation: Operation) {
        self.abandon(slot);
        let call = self.calls.open(self.now, slot, &operation);
        self.out.push(Action::Send { call, operation });
    }

    /// Sends a read in the main slot.
    pub(super) fn read(&mut self, query: Query, wait: Option<Wait>) {
        let consistency = Consistency::Default;
        self.send(CallSlot::Main, Operation::Read { query, wait, consistency });
    }

    /// Sends a write in the main slot.
    pub(super) fn write(&mut self, key: Key, verb: KvVerb) {
        self.send(CallSlot::Main, Operation::Kv { key, verb });
    }

    pub(super) fn abandon(&mut self, slot: CallSlot) {
        if let Some(call) = self.calls.in_slot(slot) {
            self.calls.close(call);
            self.out.push(Action::Abandon(call));
        }
    }

    pub(super) fn report(&mut self, report: Report) {
        self.out.push(Action::Report(report));
    }

    pub(super) fn fail(&mut self, error: ProgramError) {
        self.report(Report::Failed(error));
    }

    /// Records that the program wants the lock, unless it wanted it before.
    pub(super) fn start_contending(&mut self) {
        if !matches!(self.belief, Belief::Contending { .. }) {
            *self.belief = Belief::Contending { since: self.now };
        }
    }

    /// Records that, by the present answer, the program holds the lock.
    pub(super) fn mark_held(&mut self, token: Token) {
        let from = self.from.unwrap_or_default();
        *self.belief = Belief::Believes { since: self.now, from, token: token.clone() };
        self.report(Report::Acquired { token });
    }

    /// Completes the token with the indexes of an entry that was read while the program holds it.
    /// Only the first read counts, as other clients may write to the key later.
    pub(super) fn learn_indexes(&mut self, entry: &Entry) {
        let Belief::Believes { token, .. } = &mut *self.belief else { return };
        if token.modify_index.is_none() {
            token.lock_index = Some(entry.lock_index);
            token.modify_index = Some(entry.modify_index);
            let token = token.clone();
            self.report(Report::TokenKnown(token));
        }
    }

    pub(super) fn mark_lost(&mut self, loss: LockLoss) {
        *self.belief = Belief::KnowsLost { since: self.now, from: self.from };
        self.report(Report::Lost(loss));
    }

    pub(super) fn mark_released(&mut self) {
        *self.belief = Belief::LetGo { since: self.now, from: self.from };
    }

    pub(super) fn clear_belief(&mut self) {
        *self.belief = Belief::Unknown;
    }
}
