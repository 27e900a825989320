//! An agent's own checks: those with a TTL lapse unless they are heard from. Each change goes to
//! the catalog at once; a real agent needs a moment to sync it (CAT-09).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use serde::{Deserialize, Serialize};

use super::{Effect, Engine, Timer};
use crate::error::Error;
use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};
use crate::message::{AgentCall, Answer, Refusal, Response};
use crate::store::Command;
use crate::store::catalog::{Check, Deregistration, NodeUpdate, Registration, Service};
use crate::time::Instant;

/// What a check says that was not heard from for its TTL.
const EXPIRED: &str = "TTL expired";

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
                let missing = check.service.as_ref().filter(|id| !self.has_service(agent, id));
                if let Some(id) = missing {
                    return Err(Error::MissingServiceId(id.clone()).into());
                }
                let check = self.keep_check(now, check, ttl);
                self.sync(now, agent, (None, Vec::from([check])), effects)
            }
            AgentCall::UpdateCheck { id, status, output } => {
                let path = self.own_check(agent, &id)?;
                let ttl = self.agent_checks.0.get(&path).copied().flatten();
                ttl.ok_or(Error::CheckWithoutTtl(id))?;
                self.heard_from(now, &path);
                self.set_status(now, &path, (status, output), effects)
            }
            AgentCall::DeregisterCheck(id) => self.drop_check(now, agent, id, effects),
            AgentCall::Maintenance { service, reason } => {
                self.maintain(now, agent, (service, reason), effects)
            }
            AgentCall::RegisterService { service, checks } => {
                let keep = |(check, ttl)| self.keep_check(now, check, ttl);
                let checks = checks.into_iter().map(keep).collect();
                self.sync(now, agent, (Some(service), checks), effects)
            }
            AgentCall::DeregisterService(id) => self.drop_service(now, agent, id, effects),
            AgentCall::Checks => {
                let node = agent.folded();
                let own = self.store.catalog().checks_of(&node);
                let own = own.filter(|check| self.agent_checks.0.contains_key(&check.path()));
                let answer = Answer::AgentChecks(own.cloned().collect());
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
        let Some(check) = self.store.catalog().check(&path.0, &path.1) else { return };
        let last = &check.output;
        let output = if last.is_empty() || last.starts_with(EXPIRED) {
            Arc::from(EXPIRED)
        } else {
            Arc::from(format!("{EXPIRED} (last output before timeout follows): {last}"))
        };
        let news = (Arc::from(Check::CRITICAL), output);
        // The check may have been deregistered behind the agent's back; then nothing lapses.
        let _ = self.set_status(now, path, news, effects);
    }

    /// The check is the agent's from now on; one that it has goes on as it was.
    fn keep_check(&mut self, now: Instant, mut check: Check, ttl: Option<Duration>) -> Check {
        let path = check.path();
        let known = self.agent_checks.0.insert(path.clone(), ttl);
        let before = known.and_then(|_| self.store.catalog().check(&path.0, &path.1));
        if let Some(before) = before {
            check.status.clone_from(&before.status);
            check.output.clone_from(&before.output);
        }
        self.heard_from(now, &path);
        check
    }

    /// The path of a check that the agent has; unlike the catalog it looks at the case of an id.
    fn own_check(&self, agent: &NodeName, id: &CheckId) -> Result<(Folded, Folded), Error> {
        let path = (agent.folded(), id.folded());
        let stored = self.store.catalog().check(&path.0, &path.1);
        let is_spelt = stored.is_none_or(|check| check.id == *id);
        let is_own = is_spelt && self.agent_checks.0.contains_key(&path);
        is_own.then_some(path).ok_or_else(|| Error::UnknownCheck(id.clone()))
    }

    fn has_service(&self, agent: &NodeName, id: &ServiceId) -> bool {
        self.store.catalog().service(&agent.folded(), &id.folded()).is_some()
    }

    fn heard_from(&mut self, now: Instant, path: &(Folded, Folded)) {
        let timer = Timer::CheckTtl(path.0.clone(), path.1.clone());
        match self.agent_checks.0.get(path) {
            Some(Some(ttl)) => self.timers.deadlines.set(timer, now.after(*ttl)),
            _ => self.timers.deadlines.clear(&timer),
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
        let agent = check.node.clone();
        self.sync(now, &agent, (None, Vec::from([check])), effects)
    }

    fn sync(
        &mut self,
        now: Instant,
        agent: &NodeName,
        (service, checks): (Option<Service>, Vec<Check>),
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let Some(node) = self.store.catalog().node(&agent.folded()) else {
            return Err(Error::MissingNode.into());
        };
        let node = node.as_ref().clone();
        let registration = Registration { node, node_update: NodeUpdate::Skip, service, checks };
        self.log_done(now, &Command::Register(Box::new(registration)), effects)
    }

    /// CAT-11: maintenance begins with a reason and ends without one; what is so already stays.
    fn maintain(
        &mut self,
        now: Instant,
        agent: &NodeName,
        (service, reason): (Option<ServiceId>, Option<Arc<str>>),
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        if let Some(id) = service.as_ref().filter(|id| !self.has_service(agent, id)) {
            return Err(Error::UnknownService(id.as_str().into()).into());
        }
        let check = maintenance(agent, service, reason.as_deref().unwrap_or_default());
        let (node, id) = check.path();
        match (reason.is_some(), self.store.catalog().check(&node, &id).is_some()) {
            (true, false) => {
                let check = self.keep_check(now, check, None);
                self.sync(now, agent, (None, Vec::from([check])), effects)
            }
            (false, true) => {
                self.agent_checks.0.remove(&(node, id));
                let target = Deregistration::Check(agent.clone(), check.id);
                self.log_done(now, &Command::Deregister(target), effects)
            }
            _ => Ok(Response::write(Index::ZERO, Answer::Done)),
        }
    }

    fn drop_check(
        &mut self,
        now: Instant,
        agent: &NodeName,
        id: CheckId,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let path = self.own_check(agent, &id)?;
        self.agent_checks.0.remove(&path);
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
        if !self.has_service(agent, &id) {
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

fn maintenance(agent: &NodeName, service: Option<ServiceId>, reason: &str) -> Check {
    let (id, name, kind) = match &service {
        None => (String::from("_node_maintenance"), "Node", "node"),
        Some(id) => (format!("_service_maintenance:{id}"), "Service", "service"),
    };
    let unnamed = "Maintenance mode is enabled for this";
    let notes = if reason.is_empty() {
        Arc::from(format!("{unnamed} {kind}, but no reason was provided."))
    } else {
        Arc::from(reason)
    };
    Check {
        node: agent.clone(),
        id: CheckId::from(id),
        name: Arc::from(format!("{name} Maintenance Mode")),
        status: Arc::from(Check::CRITICAL),
        notes,
        output: Arc::default(),
        service,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::from("maintenance"),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
