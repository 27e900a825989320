//! The common part of `lock` and `semaphore`: the session that contends, the monitor of the hold,
//! the attempts, and what each order means in each phase.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::interface::{Due, Order, Phase, first_due};
use crate::parts::attempts::Attempts;
use crate::parts::monitor::Monitor;
use crate::parts::session_renewer::SessionRenewer;
use crate::parts::step_context::StepContext;
use crate::report::GaveUp;
use lictor_core::id::{Index, SessionRef};
use lictor_core::message::Wait;
use lictor_core::time::Instant;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LockHandle {
    pub(crate) renewer: SessionRenewer,
    pub(crate) monitor: Monitor,
    pub(crate) attempts: Attempts,
    /// The session that contends or holds.
    pub(crate) session: Option<SessionRef>,
    /// The index that the next blocking read waits to exceed; 0 for a read that does not wait.
    pub(crate) seen: Index,
    /// Its user has ordered a stop, which it notices between requests only (RCL-08).
    pub(crate) is_stopping: bool,
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

/// What an order means in the present phase.
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

impl LockHandle {
    pub(crate) fn new(renewer: SessionRenewer, monitor: Monitor, attempts: Attempts) -> Self {
        let (session, seen, is_stopping) = (None, Index::ZERO, false);
        Self { renewer, monitor, attempts, session, seen, is_stopping }
    }

    /// Starts an attempt. Returns the caller's own session, or none while one is created (RCL-05
    /// and RCS-08, step 2).
    pub(crate) fn begin(&mut self, context: &mut StepContext) -> Option<SessionRef> {
        context.start_contending();
        (self.is_stopping, self.seen) = (false, Index::ZERO);
        self.renewer.begin(context)
    }

    /// How the next read waits, or why there is no further one (RCL-05 and RCS-08, steps a to c).
    pub(crate) fn next_wait(
        &mut self,
        now: Instant,
        next: fn(&mut Attempts, Instant) -> Option<Duration>,
    ) -> Result<Option<Wait>, GaveUp> {
        if self.is_stopping {
            return Err(GaveUp::Stopped);
        }
        let timeout = next(&mut self.attempts, now).ok_or(GaveUp::TimedOut)?;
        let min_index = self.seen;
        Ok((min_index > Index::ZERO).then_some(Wait { min_index, timeout }))
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        first_due(&[self.renewer.next_deadline(), self.monitor.next_deadline()])
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

    /// What an order does. A lost lock counts as held until it is released (RCL-14).
    pub(crate) fn task(self, order: Order) -> OrderEffect {
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
