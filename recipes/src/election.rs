//! A candidate in a leader election: a lock whose value names the leader.

use lictor_core::message::{Answer, Response};
use lictor_core::store::Found;
use serde::{Deserialize, Serialize};

use crate::interface::Phase;
use crate::lock::{Lock, LockOptions};
use crate::parts::step_context::{StepContext, StepInput};
use crate::program_error::ProgramError;
use crate::watcher::LastLeader;

/// A candidate in a leader election.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    lock: Lock,
    last_leader: LastLeader,
}

impl Candidate {
    /// A candidate for the key; the value names it as the leader. Fails as [`Lock::new`] does.
    pub fn new(options: LockOptions) -> Result<Self, ProgramError> {
        Ok(Self { lock: Lock::new(options)?, last_leader: LastLeader::default() })
    }

    /// The lock whose holder is the leader.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// Steps the lock, and reports the leader: the value of the key in each read, if a session
    /// holds it, and its own value once it holds the lock.
    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        if let StepInput::Reply { result: Ok(Response { answer, .. }), .. } = &event
            && let Answer::Found(Found::Entry(entry)) = answer
        {
            self.last_leader.report_holder(context, entry.as_deref());
        }
        let before = self.lock.phase();
        self.lock.on(context, event);
        match (before, self.lock.phase()) {
            (Phase::Busy, Phase::Holding) => {
                let leader = self.lock.value().clone();
                self.last_leader.report(context, Some(leader));
            }
            // An idle candidate does not follow the leader, so the next one is reported again.
            (_, Phase::Idle) => self.last_leader.forget(),
            (_, Phase::Busy | Phase::Holding | Phase::Lost) => {}
        }
    }
}
