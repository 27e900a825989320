//! What a world has no room for, and why.

use thiserror::Error;

use super::{Act, Condition, World};
use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};

/// How many acts a journal can hold. When it is full, only time can go on; a world with a longer
/// life is begun anew from a dump.
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
    #[error("{0} stands still")]
    Paused(ActorName),
    #[error("{0} is down")]
    Down(ActorName),
    #[error("no call {0} waits for an answer")]
    UnknownCall(RequestId),
    #[error("there is already a program called {0}")]
    ProgramTaken(ProgramName),
    #[error("there is no program called {0}")]
    UnknownProgram(ProgramName),
    #[error("there is already a resource called {0}")]
    ResourceTaken(ResourceName),
    #[error("there is no resource called {0}")]
    UnknownResource(ResourceName),
    #[error("nothing of the kind is wrong")]
    NothingWrong,
    #[error("the journal is full: it holds {JOURNAL_MAX} acts")]
    JournalFull,
}

impl World {
    /// Why an act would change nothing and not be recorded now, if so.
    pub fn declines(&self, act: &Act) -> Option<ActError> {
        if let Act::Advance { .. } = act {
            return None;
        }
        // One entry is kept for the time that goes on afterwards.
        if self.journal.len() + 1 >= JOURNAL_MAX {
            return Some(ActError::JournalFull);
        }
        match act {
            Act::Join { actor } if actor.is_empty() => Some(ActError::NoName),
            Act::Join { actor } => {
                self.actor(actor.as_str()).map(|_| ActError::NameTaken(actor.clone()))
            }
            Act::Request { actor, .. } => self.is_kept_from_acting(actor),
            Act::Cancel { id } => match self.pending.get(id) {
                Some(pending) => self.is_kept_from_acting(&pending.actor),
                None => Some(ActError::UnknownCall(*id)),
            },
            Act::Link { actor, .. } => self.is_unknown(actor),
            Act::Inject { fault, .. } => fault.actor().and_then(|actor| self.is_unknown(actor)),
            Act::Repair { fault } => {
                let is_wrong = self.troubles.iter().any(|trouble| trouble.fault.is_like(fault));
                (!is_wrong).then_some(ActError::NothingWrong)
            }
            Act::Spawn { program, .. } if program.is_empty() => Some(ActError::NoName),
            Act::Spawn { actor, program, resource, .. } => {
                let taken = self.programs.contains_key(program);
                let missing = resource.iter().find(|it| !self.resources.contains_key(*it));
                let taken = taken.then(|| ActError::ProgramTaken(program.clone()));
                let missing = missing.map(|it| ActError::UnknownResource(it.clone()));
                self.is_kept_from_acting(actor).or(taken).or(missing)
            }
            Act::Order { program, .. } => match self.programs.get(program) {
                Some(running) => self.is_kept_from_acting(&running.actor),
                None => Some(ActError::UnknownProgram(program.clone())),
            },
            Act::Guard { resource, .. } if resource.is_empty() => Some(ActError::NoName),
            Act::Guard { resource, .. } => {
                let taken = self.resources.contains_key(resource);
                taken.then(|| ActError::ResourceTaken(resource.clone()))
            }
            Act::Failover | Act::Heal | Act::Advance { .. } => None,
        }
    }

    fn is_kept_from_acting(&self, actor: &ActorName) -> Option<ActError> {
        let Some(host) = self.actor(actor.as_str()) else {
            return Some(ActError::UnknownActor(actor.clone()));
        };
        match host.condition {
            Condition::Up => None,
            Condition::Paused => Some(ActError::Paused(actor.clone())),
            Condition::Down => Some(ActError::Down(actor.clone())),
        }
    }

    fn is_unknown(&self, actor: &ActorName) -> Option<ActError> {
        let known = self.actor(actor.as_str()).is_some();
        (!known).then(|| ActError::UnknownActor(actor.clone()))
    }
}
