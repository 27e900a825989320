//! The part of a lock and a semaphore that is the same: their session, their orders, the watch and
//! the loss; and with `OnFailure::Repeat`, how they repeat failed requests, begin again with
//! another session, and release what they may have acquired.
//!
//! A recipe implements [`Contending`] with its own requests and a state for each of them.

use lictor_core::id::{Index, SessionRef};
use lictor_core::message::{Failure, Response};

use crate::belief::Token;
use crate::interface::{Due, Order};
use crate::parts::calls::CallSlot;
use crate::parts::handle::{HandlePhase, LockHandle, OrderEffect, SessionNews};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss, Report};

/// The states that both recipes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommonState {
    Idle,
    CreatingSession,
    Holding,
    Lost,
    /// Waits until its session is destroyed, with `OnFailure::Repeat`.
    Destroying,
}

/// The result of the watch or a check of a held lock: the index of the answer, or a loss.
pub(crate) type Judgement = Result<Index, LockLoss>;

/// A recipe that contends for a lock or a slot. The required methods are its requests and states;
/// the others are the behaviour that both recipes have.
pub(crate) trait Contending {
    /// Whether it contends for a slot of a semaphore.
    const HOLDS_SLOT: bool;

    fn handle(&mut self) -> &mut LockHandle;

    fn stage(&self) -> HandlePhase;

    fn is_in(&self, state: CommonState) -> bool;

    fn enter(&mut self, state: CommonState);

    /// Begins to contend with a session.
    fn contend(&mut self, context: &mut StepContext, session: SessionRef);

    /// Contends again when a pause is over.
    fn contend_again(&mut self, context: &mut StepContext);

    /// Enters the state in which it waits for the end of a pause.
    fn rest(&mut self, context: &StepContext);

    /// Whether it waits for the end of a pause without a pending request.
    fn is_resting(&self) -> bool;

    /// Whether the pending request may acquire the lock or slot.
    fn may_take(&self) -> bool;

    /// Whether the lock is still held, according to an answer to a read of it.
    fn judge(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Judgement, Failure>;

    /// Sends the first request of a release.
    fn give_back(&mut self, context: &mut StepContext);

    /// Reads the key or the document before an order to remove it is carried out.
    fn inspect(&mut self, context: &mut StepContext);

    /// The errors of an order that needs an idle handle, and of one that needs a held lock.
    fn order_errors(&self) -> [ProgramError; 2];

    /// Handles an event that both recipes handle in the same way. Returns the answer if it is one
    /// to a request of the recipe itself.
    fn on_common(
        &mut self,
        context: &mut StepContext,
        event: StepInput,
    ) -> Option<Result<Response, Failure>> {
        let is_holding = self.stage() == HandlePhase::Holding;
        match event {
            StepInput::Reply { slot: CallSlot::Main, result } => {
                self.handle().answered(&result);
                if !self.is_in(CommonState::Destroying) {
                    return Some(result);
                }
                if self.handle().destroyed(context, result) {
                    self.enter(CommonState::Idle);
                }
            }
            StepInput::Reply { slot: CallSlot::Renewer, result } => {
                let news = self.handle().session_answered(context, result);
                self.on_session(context, news);
            }
            StepInput::Reply { slot: CallSlot::FormerRenewal, result } => {
                self.handle().renewer.former_answered(context, result);
            }
            StepInput::Reply { slot: CallSlot::Monitor, result } if is_holding => {
                self.watched(context, result);
            }
            StepInput::Reply { slot: CallSlot::Check, result } if is_holding => {
                // `Upkeep` repeats a check that failed.
                if let Ok(Err(loss)) = self.judge(context, result) {
                    self.lose(context, loss);
                }
            }
            StepInput::Due(Due::Renew) => {
                let news = self.handle().renew(context, is_holding);
                self.on_session(context, news);
            }
            StepInput::Due(Due::LeaseEnds) if is_holding => {
                self.lose(context, LockLoss::LeaseEnded);
            }
            StepInput::Due(Due::WatchAgain) if is_holding => self.handle().monitor.poll(context),
            StepInput::Due(Due::TryAgain) => self.try_again(context),
            StepInput::Order(order) => self.on_order(context, order),
            StepInput::Reply { .. } | StepInput::Due(_) => {}
        }
        None
    }

    fn on_order(&mut self, context: &mut StepContext, order: Order) {
        match self.stage().effect_of(order) {
            OrderEffect::Begin => self.begin(context),
            OrderEffect::StopTrying if self.repeats() => self.stop_trying(context),
            OrderEffect::StopTrying if self.is_resting() => self.give_up(context, GaveUp::Stopped),
            OrderEffect::StopTrying => self.handle().is_stopping = true,
            OrderEffect::Release => self.release(context),
            OrderEffect::Inspect => self.inspect(context),
            OrderEffect::Held => context.fail(self.order_errors()[0].clone()),
            OrderEffect::NotHeld => context.fail(self.order_errors()[1].clone()),
            OrderEffect::Busy => context.fail(ProgramError::Busy),
        }
    }

    fn repeats(&mut self) -> bool {
        self.handle().on_failure() == OnFailure::Repeat
    }

    fn begin(&mut self, context: &mut StepContext) {
        match self.handle().begin(context) {
            Some(session) => self.contend(context, session),
            None => self.enter(CommonState::CreatingSession),
        }
    }

    fn on_session(&mut self, context: &mut StepContext, news: SessionNews) {
        match (news, self.stage()) {
            (SessionNews::Created(Ok(session)), _) => self.contend(context, session),
            (SessionNews::Created(Err(failure)), _) => {
                let error = ProgramError::CreateSession(failure);
                // The first request is not repeated, so that a wrong address fails at once.
                let is_repeated = self.handle().is_anew && !self.handle().is_stopping;
                if !is_repeated || !self.pauses_after(context, &error) {
                    self.fail(context, error);
                }
            }
            (SessionNews::Gone, HandlePhase::Holding) => {
                self.lose(context, LockLoss::SessionEnded);
            }
            (SessionNews::Gone, HandlePhase::Trying) => {
                if self.handle().is_stopping || !self.handle().begin_anew(context) {
                    return self.fail(context, ProgramError::SessionExpired);
                }
                self.enter(CommonState::CreatingSession);
            }
            (SessionNews::Nothing | SessionNews::Gone, _) => {}
        }
    }

    /// Ends an attempt at once, where the Go client would end it with its next answer (RCL-08).
    /// Some answers are needed: the request may create a session, or take the lock.
    fn stop_trying(&mut self, context: &mut StepContext) {
        self.handle().is_stopping = true;
        self.handle().begin_ending(context);
        if !self.may_take() && !self.handle().renewer.is_creating() {
            context.abandon(CallSlot::Main);
            self.give_up(context, GaveUp::Stopped);
        }
    }

    /// Continues after a pause.
    fn try_again(&mut self, context: &mut StepContext) {
        self.handle().take_pause();
        match self.stage() {
            HandlePhase::Trying if self.is_in(CommonState::CreatingSession) => {
                if self.handle().attempts.is_over(context.now) {
                    return self.give_up(context, GaveUp::TimedOut);
                }
                self.handle().renewer.begin(context);
            }
            HandlePhase::Trying => self.contend_again(context),
            HandlePhase::Ending if self.is_in(CommonState::Destroying) => self.end_session(context),
            HandlePhase::Ending => self.give_back(context),
            HandlePhase::Idle | HandlePhase::Holding | HandlePhase::Lost => {}
        }
    }

    /// Schedules the failed request again. Returns false if it is not repeated.
    fn pauses_after(&mut self, context: &StepContext, error: &ProgramError) -> bool {
        error.failure().is_some_and(|failure| self.handle().pause_after(context.now, failure))
    }

    /// Repeats the attempt after a failure that may pass, or ends it with the error.
    fn trouble(&mut self, context: &mut StepContext, error: ProgramError) {
        if self.handle().is_stopping || !self.pauses_after(context, &error) {
            return self.fail(context, error);
        }
        self.handle().seen = Index::ZERO;
        self.handle().ask_for_session(context, &error);
        self.rest(context);
    }

    /// Enters the hold (RCL-05, step 4). If an order to stop came while the request was pending, it
    /// releases the lock at once.
    fn hold(&mut self, context: &mut StepContext, token: Token) {
        context.mark_held(token, Self::HOLDS_SLOT);
        self.enter(CommonState::Holding);
        self.handle().held(context);
        if self.handle().is_stopping {
            return self.release(context);
        }
        self.handle().monitor.begin(context);
    }

    fn watched(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let Some(result) = self.handle().monitor.answered(context, result) else { return };
        match self.judge(context, result) {
            Ok(Ok(index)) => self.handle().monitor.wait_for_change(context, index),
            Ok(Err(loss)) => self.lose(context, loss),
            Err(failure) => self.lose(context, LockLoss::WatchFailed(failure)),
        }
    }

    fn lose(&mut self, context: &mut StepContext, loss: LockLoss) {
        context.mark_lost(loss);
        self.handle().lost(context);
        self.enter(CommonState::Lost);
    }

    /// Releases what it holds. The program believes at once that it does not hold the lock,
    /// whatever the answer will be (RCL-14, RCS-16).
    fn release(&mut self, context: &mut StepContext) {
        self.handle().monitor.end(context);
        self.handle().begin_ending(context);
        context.mark_released();
        self.give_back(context);
    }

    /// Repeats the release after a failure that may pass, or ends without it.
    fn release_failed(&mut self, context: &mut StepContext, error: ProgramError) {
        if !self.pauses_after(context, &error) {
            context.fail(error);
            self.end_session(context);
        }
    }

    /// Ends an attempt without the lock and without an error (RCL-07).
    fn give_up(&mut self, context: &mut StepContext, reason: GaveUp) {
        self.end_attempt(context, Report::GaveUp(reason));
    }

    fn fail(&mut self, context: &mut StepContext, error: ProgramError) {
        self.end_attempt(context, Report::Failed(error));
    }

    /// Ends an attempt. With `OnFailure::Repeat` it releases what it may have acquired.
    fn end_attempt(&mut self, context: &mut StepContext, report: Report) {
        context.report(report);
        context.clear_belief();
        if self.handle().begin_ending(context) {
            return self.give_back(context);
        }
        self.end_session(context);
    }

    /// Ends its session. With `OnFailure::Repeat` a failed request to destroy it is repeated.
    fn end_session(&mut self, context: &mut StepContext) {
        self.enter(CommonState::Idle);
        if !self.repeats() {
            self.handle().end(context);
        } else if self.handle().destroy(context) {
            self.enter(CommonState::Destroying);
        }
    }
}
