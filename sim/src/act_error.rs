//! Errors of acts that a world cannot perform. [`World::check_act`] returns them before
//! [`World::perform`] is called; buttons, scripts and journals check this way.

use thiserror::Error;

use super::{Act, Actor, Condition, World};
use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};

/// The largest number of acts in the journal of a world. When it is full, only time can pass; a
/// longer world continues from a dump.
pub const JOURNAL_MAX: usize = 100_000;

/// Why an act would change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActError {
    #[error("a name is needed")]
    NoName,
    #[error("there is already a client called {0}")]
    NameTaken(ActorName),
    #[error("there is no client called {0}")]
    UnknownActor(ActorName),
    #[error("{0} is paused")]
    Paused(ActorName),
    #[error("{0} is down")]
    Down(ActorName),
    #[error("call {0} does not wait for an answer")]
    UnknownCall(RequestId),
    #[error("there is already a program called {0}")]
    ProgramTaken(ProgramName),
    #[error("there is no program called {0}")]
    UnknownProgram(ProgramName),
    #[error("there is already a resource called {0}")]
    ResourceTaken(ResourceName),
    #[error("there is no resource called {0}")]
    UnknownResource(ResourceName),
    #[error("there is no such fault")]
    NothingWrong,
    #[error("the journal is full: it holds {JOURNAL_MAX} acts")]
    JournalFull,
}

impl World {
    /// Refuses an act that would change nothing; [`World::perform`] does not record such an act.
    pub fn check_act(&self, act: &Act) -> Result<(), ActError> {
        if let Act::Advance { .. } = act {
            return Ok(());
        }
        // The last entry of the journal is reserved for a wait after the last act.
        if self.journal.len() + 1 >= JOURNAL_MAX {
            return Err(ActError::JournalFull);
        }
        match act {
            Act::Join { actor } if actor.is_empty() => Err(ActError::NoName),
            Act::Join { actor } => match self.actor(actor.as_str()) {
                None => Ok(()),
                Some(_) => Err(ActError::NameTaken(actor.clone())),
            },
            Act::Request { actor, .. } => self.check_running(actor),
            Act::Cancel { id } => match self.pending.get(id) {
                Some(pending) => self.check_running(&pending.actor),
                None => Err(ActError::UnknownCall(*id)),
            },
            Act::Link { actor, .. } => self.check_known(actor).map(|_| ()),
            Act::Inject { fault, .. } => match fault.actor() {
                Some(actor) => self.check_known(actor).map(|_| ()),
                None => Ok(()),
            },
            Act::Repair { fault } => {
                let is_wrong = self.active_faults.iter().any(|active| active.fault.is_like(fault));
                is_wrong.then_some(()).ok_or(ActError::NothingWrong)
            }
            Act::Spawn { program, .. } if program.is_empty() => Err(ActError::NoName),
            Act::Spawn { actor, program, resource, .. } => {
                self.check_running(actor)?;
                if self.programs.contains_key(program) {
                    return Err(ActError::ProgramTaken(program.clone()));
                }
                match resource {
                    Some(resource) if !self.resources.contains_key(resource) => {
                        Err(ActError::UnknownResource(resource.clone()))
                    }
                    _ => Ok(()),
                }
            }
            Act::Order { program, .. } => match self.programs.get(program) {
                Some(running) => self.check_running(&running.actor),
                None => Err(ActError::UnknownProgram(program.clone())),
            },
            Act::Guard { resource, .. } if resource.is_empty() => Err(ActError::NoName),
            Act::Guard { resource, .. } if self.resources.contains_key(resource) => {
                Err(ActError::ResourceTaken(resource.clone()))
            }
            Act::Guard { .. } | Act::Failover | Act::Heal | Act::Advance { .. } => Ok(()),
        }
    }

    fn check_running(&self, actor: &ActorName) -> Result<(), ActError> {
        match self.check_known(actor)?.condition {
            Condition::Up => Ok(()),
            Condition::Paused => Err(ActError::Paused(actor.clone())),
            Condition::Down => Err(ActError::Down(actor.clone())),
        }
    }

    fn check_known(&self, actor: &ActorName) -> Result<&Actor, ActError> {
        self.actor(actor.as_str()).ok_or_else(|| ActError::UnknownActor(actor.clone()))
    }
}
