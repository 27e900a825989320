//! A candidate in a leader election: a lock whose value names the leader.

use serde::{Deserialize, Serialize};

use crate::interface::Phase;
use crate::lock::{Lock, LockOptions};
use crate::parts::step_context::{StepContext, StepInput};
use crate::program_error::ProgramError;
use crate::watcher::Sight;
use lictor_core::message::{Answer, Response};
use lictor_core::store::Found;

/// A candidate in a leader election.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    lock: Lock,
    sight: Sight,
}

impl Candidate {
    /// A candidate for the key, named by the value.
    pub fn new(options: LockOptions) -> Result<Self, ProgramError> {
        Ok(Self { lock: Lock::new(options)?, sight: Sight::default() })
    }

    /// The lock whose holder is the leader.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// While it contends, the value that it reads names the leader.
    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        if let StepInput::Reply { result: Ok(Response { answer, .. }), .. } = &event
            && let Answer::Found(Found::Entry(entry)) = answer
        {
            self.sight.look(context, entry.as_deref());
        }
        let before = self.lock.phase();
        self.lock.on(context, event);
        match (before, self.lock.phase()) {
            (Phase::Busy, Phase::Holding) => {
                let leader = self.lock.value().clone();
                self.sight.see(context, Some(leader));
            }
            // It no longer follows the leader.
            (_, Phase::Idle) => self.sight.forget(),
            (_, Phase::Busy | Phase::Holding | Phase::Lost) => {}
        }
    }
}
