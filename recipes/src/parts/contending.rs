//! What a lock and a semaphore do alike: their session, their orders, the watch and the loss; and
//! with `OnFailure::Repeat` how they repeat what has failed, begin anew with another session, and
//! give back what they may have taken.
//!
//! A recipe has a state of its own for each of its requests, and states in common with the other.

use crate::belief::Token;
use crate::interface::{Due, Order};
use crate::parts::calls::CallSlot;
use crate::parts::handle::{HandlePhase, LockHandle, OrderEffect, SessionNews};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss, Report};
use lictor_core::id::{Index, SessionRef};
use lictor_core::message::{Failure, Response};

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

/// What the watch or a check of a held lock shows: the index of the answer, or a loss.
pub(crate) type Judgement = Result<Index, LockLoss>;

pub(crate) trait Contending {
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

    /// Whether it rests, so that no answer will come.
    fn is_resting(&self) -> bool;

    /// Whether the pending request may take what it contends for.
    fn may_take(&self) -> bool;

    /// What an answer shows while the lock is held.
    fn judge(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Judgement, Failure>;

    /// Sends the first request of a release.
    fn give_back(&mut self, context: &mut StepContext);

    /// Reads what may be removed.
    fn inspect(&mut self, context: &mut StepContext);

    /// The errors of an order that needs an idle handle, and of one that needs a held lock.
    fn order_errors(&self) -> [ProgramError; 2];

    /// Handles what both recipes handle alike. Returns the answer to a request of the recipe.
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
            StepInput::Reply { slot: CallSlot::Monitor, result } if is_holding => {
                self.watched(context, result);
            }
            StepInput::Reply { slot: CallSlot::Check, result } if is_holding => {
                // A check that failed is repeated.
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
        match self.stage().task(order) {
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
                // A first session is not repeated: whether there is a server is known at once.
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

    /// A pause is over.
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

    /// Whether the request that has failed is repeated after a pause.
    fn pauses_after(&mut self, context: &StepContext, error: &ProgramError) -> bool {
        error.failure().is_some_and(|failure| self.handle().pause_after(context.now, failure))
    }

    /// Repeats the attempt after a failure that may pass.
    fn trouble(&mut self, context: &mut StepContext, error: ProgramError) {
        if self.handle().is_stopping || !self.pauses_after(context, &error) {
            return self.fail(context, error);
        }
        self.handle().seen = Index::ZERO;
        self.handle().ask_for_session(context, &error);
        self.rest(context);
    }

    /// Holds what it contended for (RCL-05, step 4). If a stop was ordered too late to be noticed
    /// before, it gives it back at once.
    fn hold(&mut self, context: &mut StepContext, token: Token) {
        context.mark_held(token);
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

    /// Releases what it holds. It counts as released at once, whatever the answer will be (RCL-14,
    /// RCS-16).
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
    fn give_up(&mut self, context: &mut StepContext, why: GaveUp) {
        self.end_attempt(context, Report::GaveUp(why));
    }

    fn fail(&mut self, context: &mut StepContext, error: ProgramError) {
        self.end_attempt(context, Report::Failed(error));
    }

    /// Ends an attempt. With `OnFailure::Repeat` it gives back what it may have taken.
    fn end_attempt(&mut self, context: &mut StepContext, report: Report) {
        context.report(report);
        context.clear_belief();
        if self.handle().begin_ending(context) {
            return self.give_back(context);
        }
        self.end_session(context);
    }

    /// Ends its session, with `OnFailure::Repeat` once more if that failed.
    fn end_session(&mut self, context: &mut StepContext) {
        self.enter(CommonState::Idle);
        if !self.repeats() {
            self.handle().end(context);
        } else if self.handle().destroy(context) {
            self.enter(CommonState::Destroying);
        }
    }
}
