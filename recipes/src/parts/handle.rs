//! The common state of a lock and a semaphore: the session that contends, the monitor of the hold,
//! the attempts, and the effect of each order in each phase.

use core::time::Duration;

use lictor_core::id::{Index, SessionRef};
use lictor_core::message::{Consistency, Failure, Operation, Response, Wait};
use lictor_core::store::Query;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::interface::{Due, Order, Phase, first_due};
use crate::parts::answers;
use crate::parts::attempts::Attempts;
use crate::parts::calls::CallSlot;
use crate::parts::monitor::{Monitor, MonitorOptions, RetriedFailures};
use crate::parts::session_renewer::{SessionOptions, SessionRenewer};
use crate::parts::step_context::StepContext;
use crate::parts::upkeep::{OnFailure, Upkeep};
use crate::program_error::ProgramError;
use crate::report::GaveUp;

/// The shortest time between two reads whose answers show nothing new.
const RETRY_SOON: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LockHandle {
    pub(crate) renewer: SessionRenewer,
    pub(crate) monitor: Monitor,
    pub(crate) attempts: Attempts,
    /// The upkeep with `OnFailure::Repeat`; `None` with `OnFailure::AsInGo`.
    pub(crate) upkeep: Option<Upkeep>,
    /// The session that contends or holds.
    pub(crate) session: Option<SessionRef>,
    /// The index that the next blocking read waits to exceed; 0 for a read that does not wait.
    pub(crate) seen: Index,
    /// Whether its user has ordered a stop, which has an effect between requests only (RCL-08).
    pub(crate) is_stopping: bool,
    /// Whether the attempt has begun again with another session, as its first one had ended.
    pub(crate) is_anew: bool,
    /// The session of the attempt before it began again, which may still exist and hold the lock.
    former: Option<SessionRef>,
}

/// The phase of a handle, as far as orders depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandlePhase {
    Idle,
    /// It contends.
    Trying,
    Holding,
    Lost,
    /// It releases, or removes an unused key.
    Ending,
}

/// The effect of an order in the present phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderEffect {
    Begin,
    StopTrying,
    Release,
    /// Checks whether an unused key can be removed.
    Inspect,
    /// Fails, because the handle already holds the lock.
    Held,
    /// Fails, because there is nothing to release.
    NotHeld,
    /// Fails, because an earlier order is not done.
    Busy,
}

/// What an answer to a create, a renewal or a read of the session shows.
pub(crate) enum SessionNews {
    /// Nothing that the recipe has to handle.
    Nothing,
    /// The result of the create.
    Created(Result<SessionRef, Failure>),
    /// The session does not exist any more, or may have ended.
    Gone,
}

impl LockHandle {
    pub(crate) fn new(
        session: &SessionOptions,
        behavior: &str,
        monitor: MonitorOptions,
        query: Query,
        mut retried: RetriedFailures,
        attempts: Attempts,
        on_failure: OnFailure,
    ) -> Result<Self, ProgramError> {
        let mut renewer = SessionRenewer::new(session, behavior)?;
        let mut upkeep = None;
        if on_failure == OnFailure::Repeat {
            upkeep = Some(Upkeep::new(renewer.ttl().ok_or(ProgramError::NoTtl)?, query.clone()));
            renewer = renewer.without_renewals();
            retried = RetriedFailures::All;
        }
        let monitor = Monitor::new(monitor, retried, query);
        Ok(Self {
            renewer,
            monitor,
            attempts,
            upkeep,
            session: None,
            seen: Index::ZERO,
            is_stopping: false,
            is_anew: false,
            former: None,
        })
    }

    pub(crate) fn on_failure(&self) -> OnFailure {
        if self.upkeep.is_some() { OnFailure::Repeat } else { OnFailure::AsInGo }
    }

    /// Starts an attempt. Returns the caller's own session, or `None` while one is created (RCL-05
    /// and RCS-08, step 2).
    pub(crate) fn begin(&mut self, context: &mut StepContext) -> Option<SessionRef> {
        context.start_contending();
        (self.is_stopping, self.is_anew, self.seen) = (false, false, Index::ZERO);
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.begin();
        }
        self.renewer.begin(context)
    }

    /// Begins the attempt again with another session, as the present one may have ended. Returns
    /// false, and does nothing, for a session of the caller and with `OnFailure::AsInGo`.
    pub(crate) fn begin_anew(&mut self, context: &mut StepContext) -> bool {
        let Some(upkeep) = self.upkeep.as_mut().filter(|_| self.renewer.is_own()) else {
            return false;
        };
        context.abandon(CallSlot::Main);
        upkeep.begin();
        self.former = self.renewer.take_session();
        (self.session, self.seen, self.is_anew) = (None, Index::ZERO, true);
        self.renewer.begin(context);
        true
    }

    /// Starts the time of a single try, unless the attempt has begun again: the time counts from
    /// the first session.
    pub(crate) fn begin_attempts(&mut self, now: Instant) {
        if !self.is_anew {
            self.attempts.begin(now);
        }
    }

    /// Handles the result of the main request: after a success, pauses begin with the shortest.
    pub(crate) fn answered(&mut self, result: &Result<Response, Failure>) {
        if let (Some(upkeep), Ok(_)) = (&mut self.upkeep, result) {
            upkeep.recovered();
        }
    }

    /// Reads the session of the caller after an error of the server: a 500 may mean that it does
    /// not exist.
    pub(crate) fn ask_for_session(&self, context: &mut StepContext, error: &ProgramError) {
        let is_refusal = matches!(error.failure(), Some(Failure::Status { .. }));
        if !is_refusal || self.renewer.is_own() || !context.is_free(CallSlot::Renewer) {
            return;
        }
        if let Some(session) = self.session.clone() {
            let (query, consistency) = (Query::Session(session), Consistency::Consistent);
            context.send(CallSlot::Renewer, Operation::Read { query, wait: None, consistency });
        }
    }

    /// Destroys the session that the attempt had before it began again.
    fn destroy_former(&mut self, context: &mut StepContext) {
        if let Some(session) = self.former.take() {
            context.send(CallSlot::SessionDestroy, Operation::DestroySession(session));
        }
    }

    /// Handles the answer to a request for the session.
    pub(crate) fn session_answered(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> SessionNews {
        if let Some(upkeep) = self.upkeep.as_mut().filter(|_| !self.renewer.is_creating()) {
            if !self.renewer.is_own() {
                if !answers::session(result).is_ok_and(|found| found.is_none()) {
                    return SessionNews::Nothing;
                }
                // The end of the session has released its keys, so nothing has to be released.
                upkeep.has_tried = false;
                return SessionNews::Gone;
            }
            let is_alive = upkeep.renewed(context, &result);
            return if is_alive { SessionNews::Nothing } else { SessionNews::Gone };
        }
        match self.renewer.answered(context, result) {
            Some(created) => {
                if let (Some(upkeep), Ok(_)) = (&mut self.upkeep, &created) {
                    upkeep.created(context);
                    self.destroy_former(context);
                }
                SessionNews::Created(created)
            }
            None => SessionNews::Nothing,
        }
    }

    /// Sends the renewal that is due, and with `OnFailure::Repeat` a read of the lock that is held.
    pub(crate) fn renew(&mut self, context: &mut StepContext, is_holding: bool) -> SessionNews {
        let Some(upkeep) = &mut self.upkeep else {
            self.renewer.renew(context);
            return SessionNews::Nothing;
        };
        let is_alive = self.session.as_ref().is_none_or(|it| upkeep.renew(context, it, is_holding));
        if is_alive { SessionNews::Nothing } else { SessionNews::Gone }
    }

    /// Starts the upkeep of a hold: the present answer has shown that the lock is held.
    pub(crate) fn held(&mut self, context: &mut StepContext) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.held(context);
        }
    }

    /// Handles a read which has shown that the lock is still held.
    pub(crate) fn confirmed(&mut self, context: &mut StepContext) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.checked(context);
        }
    }

    /// Ends the watch and the renewals after a loss. In the Go client the renewals continue until
    /// the handle is unlocked (RCL-14).
    pub(crate) fn lost(&mut self, context: &mut StepContext) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.stop(context);
            self.monitor.end(context);
        }
    }

    /// Schedules the main request again after a failure. Returns false if it is not repeated, as
    /// always with `OnFailure::AsInGo`.
    pub(crate) fn pause_after(&mut self, now: Instant, failure: &Failure) -> bool {
        self.upkeep.as_mut().is_some_and(|upkeep| upkeep.pause_after(now, failure))
    }

    /// Begins a pause if the last answer came at once and shows nothing new, as from a proxy that
    /// does not let reads wait. Returns whether it did.
    pub(crate) fn pause_without_news(&mut self, context: &StepContext, is_new: bool) -> bool {
        let earliest = context.sent.plus(RETRY_SOON);
        match &mut self.upkeep {
            Some(upkeep) if !is_new && earliest > context.now => {
                let left = self.attempts.left(context.now);
                let latest = left.map_or(earliest, |left| context.now.plus(left));
                upkeep.pause_until(earliest.min(latest));
                true
            }
            _ => false,
        }
    }

    /// Ends the pause that was begun, and returns when it would have ended. `None` if there is
    /// none.
    pub(crate) fn take_pause(&mut self) -> Option<Instant> {
        self.upkeep.as_mut().and_then(Upkeep::take_pause)
    }

    /// Begins the end of a hold or an attempt. Returns whether the lock may have been acquired, so
    /// that it has to be released; always false with `OnFailure::AsInGo`, as in the Go client.
    pub(crate) fn begin_ending(&mut self, context: &mut StepContext) -> bool {
        let Some(upkeep) = &mut self.upkeep else { return false };
        upkeep.begin_ending(context);
        upkeep.has_tried
    }

    /// Sends the request that destroys its own session. Returns false if there is no such session,
    /// so that no answer will come.
    pub(crate) fn destroy(&mut self, context: &mut StepContext) -> bool {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.stop(context);
            upkeep.take_pause();
        }
        context.abandon(CallSlot::Main);
        self.destroy_former(context);
        if !self.renewer.is_own() {
            self.session = None;
        }
        let Some(session) = self.session.clone() else { return false };
        context.send(CallSlot::Main, Operation::DestroySession(session));
        true
    }

    /// Handles the answer to the request of [`destroy`](Self::destroy). Returns false if the
    /// request is repeated.
    pub(crate) fn destroyed(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> bool {
        match answers::flag(result) {
            Err(failure) if self.pause_after(context.now, &failure) => return false,
            Err(failure) => context.fail(ProgramError::DestroySession(failure)),
            Ok(_) => {}
        }
        self.session = None;
        self.renewer.take_session();
        true
    }

    /// The wait of the next read, which the Go client also sends with a read that is answered at
    /// once; or why there is no further read (RCL-05 and RCS-08, steps a to c).
    pub(crate) fn next_wait(&mut self, now: Instant) -> Result<Wait, GaveUp> {
        if self.is_stopping {
            return Err(GaveUp::Stopped);
        }
        let timeout = self.attempts.next(now).ok_or(GaveUp::TimedOut)?;
        Ok(Wait { min_index: self.seen, timeout })
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let upkeep = self.upkeep.as_ref().and_then(Upkeep::next_deadline);
        first_due(&[self.renewer.next_deadline(), self.monitor.next_deadline(), upkeep])
    }

    /// Ends a hold or an attempt, and destroys the session if the handle created it.
    pub(crate) fn end(&mut self, context: &mut StepContext) {
        self.session = None;
        self.renewer.end(context);
    }
}

impl HandlePhase {
    pub(crate) fn phase(self) -> Phase {
        match self {
            Self::Idle => Phase::Idle,
            Self::Holding => Phase::Holding,
            Self::Lost => Phase::Lost,
            Self::Trying | Self::Ending => Phase::Busy,
        }
    }

    /// The effect of an order. A lost lock counts as held until it is released (RCL-14).
    pub(crate) fn effect_of(self, order: Order) -> OrderEffect {
        match (self, order) {
            (Self::Idle, Order::Start) => OrderEffect::Begin,
            (Self::Idle, Order::Destroy) => OrderEffect::Inspect,
            (Self::Trying, Order::Stop) => OrderEffect::StopTrying,
            (Self::Holding | Self::Lost, Order::Stop) => OrderEffect::Release,
            (Self::Holding | Self::Lost, Order::Start | Order::Destroy) => OrderEffect::Held,
            (Self::Idle | Self::Ending, Order::Stop) => OrderEffect::NotHeld,
            (Self::Trying | Self::Ending, Order::Start | Order::Destroy) => OrderEffect::Busy,
        }
    }
}
