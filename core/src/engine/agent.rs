//! An agent's own checks: those with a TTL lapse unless they are heard from. Each change goes to
//! the catalog at once; a real agent needs a moment to sync it (CAT-09).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use crate::gather::Gather as _;
use crate::ordered::BTreeMap;
use serde::{Deserialize, Serialize};

use super::{Effect, Engine, Timer};
use crate::error::Error;
use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};
use crate::message::{AgentCall, Answer, Refusal, Response};
use crate::store::Command;
use crate::store::catalog::{Check, Deregistration, NodeUpdate, Registration};
use crate::time::Instant;

/// The id of the check that maintenance mode adds (CAT-11).
const MAINTENANCE: &str = "_node_maintenance";

/// The checks that agents run themselves, with the TTL of those that have one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChecks(BTreeMap<(Folded, Folded), Option<Duration>>);

impl AgentChecks {
    /// The checks that lapse unless they are heard from: node, check and TTL.
    pub(super) fn with_ttl(&self) -> impl Iterator<Item = (&(Folded, Folded), Duration)> {
        self.0.iter().filter_map(|(path, ttl)| Some((path, (*ttl)?)))
    }
}

impl Engine {
    pub(super) fn agent_call(
        &mut self,
        now: Instant,
        agent: &NodeName,
        call: AgentCall,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        match call {
            AgentCall::RegisterCheck { check, ttl } => {
                self.agent_checks.0.insert(check.path(), ttl);
                self.heard_from(now, &check.path());
                self.sync_check(now, check, effects)
            }
            AgentCall::UpdateCheck { id, status, output } => {
                let path = (agent.folded(), id.folded());
                let ttl = self.agent_checks.0.get(&path);
                let ttl = ttl.ok_or_else(|| Error::UnknownCheck(id.clone()))?;
                ttl.ok_or(Error::CheckWithoutTtl(id))?;
                self.heard_from(now, &path);
                self.set_status(now, &path, (status, output), effects)
            }
            AgentCall::DeregisterCheck(id) => self.drop_check(now, agent, id, effects),
            AgentCall::StartMaintenance { reason } => {
                self.sync_check(now, maintenance(agent, reason), effects)
            }
            AgentCall::EndMaintenance => {
                let target = Deregistration::Check(agent.clone(), CheckId::from(MAINTENANCE));
                self.log_done(now, &Command::Deregister(target), effects)
            }
            AgentCall::RegisterService(registration) => {
                self.log_done(now, &Command::Register(Box::new(registration)), effects)
            }
            AgentCall::DeregisterService(id) => self.drop_service(now, agent, id, effects),
            AgentCall::Checks => {
                let node = agent.folded();
                let own = self.store.catalog().checks_of(&node);
                let own = own.filter(|check| self.agent_checks.0.contains_key(&check.path()));
                let answer = Answer::AgentChecks(own.cloned().gather());
                Ok(Response::write(Index::ZERO, answer))
            }
        }
    }

    /// A check was not heard from for its TTL.
    pub(super) fn lapse(
        &mut self,
        now: Instant,
        path: &(Folded, Folded),
        effects: &mut Vec<Effect>,
    ) {
        let news = (Arc::from(Check::CRITICAL), Arc::from("TTL expired"));
        // The check may have been deregistered behind the agent's back; then nothing lapses.
        let _ = self.set_status(now, path, news, effects);
    }

    fn heard_from(&mut self, now: Instant, path: &(Folded, Folded)) {
        if let Some(Some(ttl)) = self.agent_checks.0.get(path) {
            let timer = Timer::CheckTtl(path.0.clone(), path.1.clone());
            self.timers.deadlines.set(timer, now.after(*ttl));
        }
    }

    fn set_status(
        &mut self,
        now: Instant,
        path: &(Folded, Folded),
        (status, output): (Arc<str>, Arc<str>),
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let Some(check) = self.store.catalog().check(&path.0, &path.1) else {
            return Err(Error::UnknownCheck(CheckId::from(path.1.as_str())).into());
        };
        if check.status == status && check.output == output {
            return Ok(Response::write(Index::ZERO, Answer::Done));
        }
        let check = Check { status, output, ..Check::clone(check) };
        self.sync_check(now, check, effects)
    }

    fn sync_check(
        &mut self,
        now: Instant,
        check: Check,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let Some(node) = self.store.catalog().node(&check.node.folded()) else {
            return Err(Error::MissingNode.into());
        };
        let registration = Registration {
            node: node.as_ref().clone(),
            node_update: NodeUpdate::Skip,
            service: None,
            checks: Vec::from([check]),
        };
        self.log_done(now, &Command::Register(Box::new(registration)), effects)
    }

    fn drop_check(
        &mut self,
        now: Instant,
        agent: &NodeName,
        id: CheckId,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let path = (agent.folded(), id.folded());
        if self.agent_checks.0.remove(&path).is_none() {
            return Err(Error::UnknownCheck(id).into());
        }
        self.timers.deadlines.clear(&Timer::CheckTtl(path.0, path.1));
        let target = Deregistration::Check(agent.clone(), id);
        self.log_done(now, &Command::Deregister(target), effects)
    }

    fn drop_service(
        &mut self,
        now: Instant,
        agent: &NodeName,
        id: ServiceId,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        if self.store.catalog().service(&agent.folded(), &id.folded()).is_none() {
            return Err(Error::UnknownService(id.as_str().into()).into());
        }
        let target = Deregistration::Service(agent.clone(), id);
        self.log_done(now, &Command::Deregister(target), effects)
    }

    fn log_done(
        &mut self,
        now: Instant,
        command: &Command,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        self.log(now, command, effects)?;
        Ok(Response::write(self.index, Answer::Done))
    }
}

fn maintenance(agent: &NodeName, reason: Arc<str>) -> Check {
    let notes = if reason.is_empty() {
        Arc::from("Maintenance mode is enabled for this node, but no reason was provided.")
    } else {
        reason
    };
    Check {
        node: agent.clone(),
        id: CheckId::from(MAINTENANCE),
        name: Arc::from("Node Maintenance Mode"),
        status: Arc::from(Check::CRITICAL),
        notes,
        output: Arc::default(),
        service: None,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::from("maintenance"),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
