//! Checks an act against the state of a world, and carries it out. A refused act changes nothing.

use alloc::boxed::Box;
use alloc::sync::Arc;

use lictor_core::id::ActorName;
use lictor_core::message::Operation;

use super::World;
use super::hosts::{Actor, Condition};
use super::resources::Resource;
use crate::act::{Act, ActError, JOURNAL_MAX};
use crate::call::Caller;
use crate::event::EventKind;
use crate::tcp::HttpClient;

impl World {
    /// Checks whether [`World::perform`] would perform an act.
    ///
    /// # Errors
    ///
    /// Fails with the reason for which it would be refused.
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
                Some(pending) => self.check_running(&pending.call.actor),
                None => Err(ActError::UnknownCall(*id)),
            },
            Act::Link { actor, .. } => self.check_known(actor).map(|_| ()),
            Act::Inject { fault, plan } => match fault.actor() {
                Some(actor) => self.check_known(actor).map(|_| ()),
                None if plan.after.is_zero() && self.is_server_down() => Err(ActError::ServerDown),
                None => Ok(()),
            },
            Act::Repair { fault } => {
                let is_wrong = self.active_faults.iter().any(|active| active.fault.is_like(fault));
                if is_wrong { Ok(()) } else { Err(ActError::NothingWrong) }
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
            Act::Failover if self.is_server_down() => Err(ActError::ServerDown),
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

    pub(super) fn act(&mut self, act: Act) {
        match act {
            Act::Join { actor } => self.join(actor),
            Act::Request { actor, request } => self.send((&actor, Caller::Person), request, None),
            Act::Cancel { id } => self.cancel(id, None),
            Act::Failover => self.fail_over(None),
            Act::Advance { .. } => {}
            Act::Link { actor, link } => {
                if let Some(host) = self.host(&actor) {
                    host.link = link;
                }
            }
            Act::Inject { fault, plan } => self.inject(fault, plan),
            Act::Repair { fault } => self.repair(&fault),
            Act::Heal => self.heal(),
            Act::Spawn { actor, program, initial, resource, http } => {
                if let Some(tcp) = self.tcp.as_mut().filter(|_| http != HttpClient::default()) {
                    tcp.set_client(program.clone(), http);
                }
                self.spawn(actor, &program, Arc::unwrap_or_clone(initial), resource);
            }
            Act::Order { program, order } => self.order(&program, order),
            Act::Guard { resource, asks } => {
                self.resources.insert(resource, Resource::new(asks));
            }
        }
    }

    fn join(&mut self, name: ActorName) {
        let number = u32::try_from(self.actors.len()).unwrap_or(u32::MAX).saturating_add(1);
        let host = Actor::new(name.clone(), number, self.seed);
        let (node, registration) = (host.node.clone(), host.registration());
        self.actor_indexes.insert(name.clone(), self.actors.len());
        self.actors.push(host);
        let joined = self.note(None, EventKind::Joined { actor: name });
        self.ask(node, Operation::Register(Box::new(registration)), Some(joined));
    }
}
