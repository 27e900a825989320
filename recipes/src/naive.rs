//! A lock as a shell script takes it: `until [ "$(curl -X PUT ...?acquire=$ID)" = true ]; do sleep
//! 1; done`. It does not renew its session or watch its key, trusts the first `true`, and never
//! destroys its session.

use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::{Key, SessionRef};
use lictor_core::message::{Failure, Operation, Response, SessionDraft};
use lictor_core::store::{KvVerb, Write};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::belief::Token;
use crate::interface::{Due, Order, Phase};
use crate::parts::answers;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::{StepContext, StepInput};
use crate::program_error::ProgramError;
use crate::report::{GaveUp, Report};

/// A lock as a shell script takes it: it trusts the first `true`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naive {
    /// The key of the lock.
    pub key: Key,
    /// The value that the holder writes to it.
    pub value: Arc<[u8]>,
    /// The session that it creates, and never renews.
    pub session: SessionDraft,
    /// The pause between two attempts.
    pub pause: Duration,
    state: NaiveState,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum NaiveState {
    Idle,
    CreatingSession,
    Acquiring(SessionRef),
    Pausing { session: SessionRef, until: Instant },
    Working(SessionRef),
    Releasing(SessionRef),
}

impl Naive {
    /// A lock that is tried each second, with a session of 10 s that nobody renews, so the server
    /// may end it at any time after that.
    pub fn new(key: Key, value: &[u8]) -> Self {
        Self {
            key,
            value: value.into(),
            session: SessionDraft { ttl: "10s".into(), ..SessionDraft::named("") },
            pause: Duration::from_secs(1),
            state: NaiveState::Idle,
        }
    }

    pub(super) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state {
            NaiveState::Idle => Phase::Idle,
            NaiveState::CreatingSession | NaiveState::Acquiring(_) | NaiveState::Pausing { .. } => {
                Phase::Busy
            }
            NaiveState::Working(_) => Phase::Holding,
            NaiveState::Releasing(_) => Phase::Busy,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match &self.state {
            NaiveState::Pausing { until, .. } => Some((*until, Due::TryAgain)),
            NaiveState::Idle
            | NaiveState::CreatingSession
            | NaiveState::Acquiring(_)
            | NaiveState::Working(_)
            | NaiveState::Releasing(_) => None,
        }
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match (&self.state, event) {
            (NaiveState::Idle, StepInput::Order(Order::Start)) => {
                context.start_contending();
                context.send(CallSlot::Main, Operation::CreateSession(self.session.clone().into()));
                self.state = NaiveState::CreatingSession;
            }
            (NaiveState::CreatingSession, StepInput::Reply { slot: CallSlot::Main, result }) => {
                self.created(context, result);
            }
            (NaiveState::Acquiring(session), StepInput::Reply { slot: CallSlot::Main, result }) => {
                let session = session.clone();
                self.answered(context, session, result);
            }
            (NaiveState::Pausing { session, .. }, StepInput::Due(Due::TryAgain)) => {
                let session = session.clone();
                self.acquire(context, session);
            }
            (NaiveState::Working(session), StepInput::Order(Order::Stop)) => {
                let session = session.clone();
                let release = KvVerb::Release { write: self.write(), session: session.clone() };
                context.write(self.key.clone(), release);
                self.state = NaiveState::Releasing(session);
            }
            (NaiveState::Releasing(_), StepInput::Reply { slot: CallSlot::Main, result }) => {
                self.released(context, result);
            }
            (NaiveState::Idle | NaiveState::Releasing(_), StepInput::Order(Order::Stop)) => {}
            (_, StepInput::Order(Order::Stop)) => self.interrupted(context),
            (_, StepInput::Order(_)) => context.fail(ProgramError::Busy),
            (_, StepInput::Reply { .. } | StepInput::Due(_)) => {}
        }
    }

    fn created(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::created(result) {
            Ok(id) => {
                context.report(Report::SessionCreated(id));
                self.acquire(context, SessionRef::from(id));
            }
            Err(failure) => {
                context.clear_belief();
                context.fail(ProgramError::CreateSession(failure));
                self.state = NaiveState::Idle;
            }
        }
    }

    fn acquire(&mut self, context: &mut StepContext, session: SessionRef) {
        let verb = KvVerb::Acquire { write: self.write(), session: session.clone() };
        context.write(self.key.clone(), verb);
        self.state = NaiveState::Acquiring(session);
    }

    /// Tries again after every answer but `true`: to the script, an error looks like `false`.
    fn answered(
        &mut self,
        context: &mut StepContext,
        session: SessionRef,
        result: Result<Response, Failure>,
    ) {
        if answers::flag(result) == Ok(true) {
            context.mark_held(Token::new(self.key.clone(), session.clone()), false);
            self.state = NaiveState::Working(session);
        } else {
            self.state = NaiveState::Pausing { session, until: context.now.plus(self.pause) };
        }
    }

    fn released(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        context.mark_released();
        match answers::flag(result) {
            Ok(true) => context.report(Report::Released),
            Ok(false) => context.report(Report::ReleasedNothing),
            Err(failure) => context.fail(ProgramError::ReleaseLock(failure)),
        }
        self.state = NaiveState::Idle;
    }

    /// An interrupted script ends at once.
    fn interrupted(&mut self, context: &mut StepContext) {
        context.abandon(CallSlot::Main);
        context.clear_belief();
        context.report(Report::GaveUp(GaveUp::Stopped));
        self.state = NaiveState::Idle;
    }

    fn write(&self) -> Write {
        Write { value: self.value.clone(), flags: 0 }
    }
}
