//! What a semaphore of `OnFailure::Repeat` does beyond the Go client: it ends an attempt at once,
//! repeats what may succeed later, and notices the end of its session.

use super::{Semaphore, SemaphoreState};
use crate::parts::calls::CallSlot;
use crate::parts::handle::{HandlePhase, SessionNews};
use crate::parts::step_context::StepContext;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss};
use lictor_core::id::Index;

impl Semaphore {
    pub(super) fn on_session(&mut self, context: &mut StepContext, news: SessionNews) {
        match (news, self.stage()) {
            (SessionNews::Created(created), _) => self.session_created(context, created),
            (SessionNews::Gone, HandlePhase::Holding) => {
                self.lose(context, LockLoss::SessionEnded);
            }
            (SessionNews::Gone, HandlePhase::Trying) => {
                self.fail(context, ProgramError::SessionExpired);
            }
            (SessionNews::Nothing | SessionNews::Gone, _) => {}
        }
    }

    /// Ends an attempt at once, where the Go client would end it with its next answer. The answers
    /// to two requests are needed: they may create a session, or take a slot.
    pub(super) fn stop_trying(&mut self, context: &mut StepContext) {
        self.handle.is_stopping = true;
        self.handle.begin_ending(context);
        if !matches!(self.state, SemaphoreState::CreatingSession | SemaphoreState::Claiming) {
            context.abandon(CallSlot::Main);
            self.give_up(context, GaveUp::Stopped);
        }
    }

    /// The pause is over.
    pub(super) fn try_again(&mut self, context: &mut StepContext) {
        self.handle.take_pause();
        match self.stage() {
            HandlePhase::Trying if self.state == SemaphoreState::Surveying => self.survey(context),
            HandlePhase::Trying => {
                if let Some(session) = self.handle.session.clone() {
                    self.enroll(context, session);
                }
            }
            HandlePhase::Ending if self.state == SemaphoreState::Destroying => {
                self.end_session(context);
            }
            HandlePhase::Ending => self.read(context),
            HandlePhase::Idle | HandlePhase::Holding | HandlePhase::Lost => {}
        }
    }

    /// Repeats the release after a failure that may pass.
    pub(super) fn fail_to_release(&mut self, context: &mut StepContext, error: ProgramError) {
        if self.pauses_after(context, &error) {
            self.state = SemaphoreState::Reading;
            return;
        }
        self.end(context, Err(error));
    }

    pub(super) fn pauses_after(&mut self, context: &StepContext, error: &ProgramError) -> bool {
        error.failure().is_some_and(|failure| self.handle.pause_after(context.now, failure))
    }

    /// Repeats the attempt after a failure that may pass. Without an answer to a claim, the next
    /// list shows whether it has succeeded.
    pub(super) fn trouble(&mut self, context: &mut StepContext, error: ProgramError) {
        if !self.handle.is_stopping && self.pauses_after(context, &error) {
            self.handle.seen = Index::ZERO;
            if self.state == SemaphoreState::Claiming {
                self.state = SemaphoreState::Surveying;
            }
            return;
        }
        self.fail(context, error);
    }
}
