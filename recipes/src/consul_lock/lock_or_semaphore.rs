//! The lock or the semaphore that `consul lock` holds while its child runs, with one interface.

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::interface::{Due, Phase};
use crate::lock::Lock;
use crate::parts::session_renewer::SessionRenewer;
use crate::parts::step_context::{StepContext, StepInput};
use crate::semaphore::Semaphore;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum LockOrSemaphore {
    Lock(Lock),
    Semaphore(Semaphore),
}

impl LockOrSemaphore {
    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match self {
            Self::Lock(lock) => lock.on(context, event),
            Self::Semaphore(semaphore) => semaphore.on(context, event),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        match self {
            Self::Lock(lock) => lock.phase(),
            Self::Semaphore(semaphore) => semaphore.phase(),
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self {
            Self::Lock(lock) => lock.next_deadline(),
            Self::Semaphore(semaphore) => semaphore.next_deadline(),
        }
    }

    pub(super) fn renewer(&self) -> &SessionRenewer {
        match self {
            Self::Lock(lock) => lock.renewer(),
            Self::Semaphore(semaphore) => semaphore.renewer(),
        }
    }

    pub(super) fn monitor_state(&self) -> &'static str {
        match self {
            Self::Lock(lock) => lock.monitor_state(),
            Self::Semaphore(semaphore) => semaphore.monitor_state(),
        }
    }
}
