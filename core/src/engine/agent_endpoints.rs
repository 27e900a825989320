//! Requests under `/v1/agent/`: the checks, services and maintenance of one agent. A change goes to
//! the catalog in the same step; a real agent syncs it a moment later (CAT-09).

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use super::agent_checks::AgentCheck;
use super::event::EngineStep;
use super::own_node::CONSUL;
use super::server::Engine;
use super::timers::Timer;
use crate::error::Error;
use crate::id::{CheckId, Folded, Index, NodeName, ServiceId};
use crate::message::{AgentCall, AgentService, Answer, CheckRun, Refusal, Response, ServiceChoice};
use crate::store::Command;
use crate::store::catalog::{
    Check, CheckStatus, Deregistration, NodeUpdate, Registration, Service,
};
use crate::store::mesh::VIRTUAL;
use crate::time::Instant;

/// The output of a check whose TTL has expired.
const EXPIRED: &str = "TTL expired";

impl Engine {
    pub(super) fn agent_call(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        call: AgentCall,
    ) -> Result<Response, Refusal> {
        match call {
            AgentCall::RegisterCheck { check, run } => {
                let missing = check.service.as_ref().filter(|id| !self.has_service(agent, id));
                if let Some(id) = missing {
                    return Err(Error::MissingServiceId(id.clone()).into());
                }
                self.admit_run(&run)?;
                let check = self.add_check(step.now, check, run);
                self.sync(step, agent, None, Vec::from([check]))
            }
            AgentCall::UpdateCheck { id, status, output } => {
                let path = self.own_check(agent, &id)?;
                let ttl = self.agent_checks.ttl(&path).ok_or(Error::CheckWithoutTtl(id))?;
                self.start_ttl(step.now, &path, Some(ttl));
                self.set_status(step, &path, status, output)
            }
            AgentCall::DeregisterCheck(id) => {
                let path = self.own_check(agent, &id)?;
                self.remove_check(&path);
                let target = Deregistration::Check(agent.clone(), id);
                self.log_done(step, &Command::Deregister(target))
            }
            AgentCall::Maintenance { service, reason } => {
                self.maintain(step, agent, service, reason.as_deref())
            }
            AgentCall::RegisterService { service, checks, replaces_checks } => {
                checks.iter().try_for_each(|(_, run)| self.admit_run(run))?;
                if replaces_checks {
                    self.remove_other_checks(step, agent, &service.id, &checks)?;
                }
                let add = |(check, run)| self.add_check(step.now, check, run);
                let checks = checks.into_iter().map(add).collect();
                self.sync(step, agent, Some(service), checks)
            }
            AgentCall::DeregisterService(id) => self.deregister_service(step, agent, id),
            AgentCall::Checks => {
                let node = agent.folded();
                let own = self.store.catalog().checks_of(&node);
                let own = own.filter_map(|check| self.agent_checks.known(check));
                let answer = Answer::AgentChecks(own.collect());
                Ok(Response::write(Index::ZERO, answer))
            }
            AgentCall::Services(asked) => {
                let mut found = self.services_of_agent(agent);
                found.retain(|it| is_asked_for(&asked, &it.service));
                Ok(Response::write(Index::ZERO, Answer::AgentServices { asked, found }))
            }
            AgentCall::FireEvent(fired) => Ok(self.fire_event(step, agent, fired)),
            AgentCall::Leave => Ok(Response::write(Index::ZERO, Answer::Done)),
            AgentCall::Monitor { .. } => Err(Error::NoStreams.into()),
        }
    }

    /// A service of the agent, alone; the content hash is the index of the answer.
    pub(super) fn own_service(&self, agent: &NodeName, id: &ServiceId) -> Response {
        let mut found = self.services_of_agent(agent);
        found.retain(|own| own.service.id == *id);
        let hash = found.first().map_or(0, |own| own.service.content_hash(self.config.version));
        let asked = ServiceChoice::Id(id.clone());
        Response {
            index: Index(hash),
            answer: Answer::AgentServices { asked, found },
            reason: None,
        }
    }

    /// The services of the agent: all of its node but the server's own.
    pub(super) fn services_of_agent(&self, agent: &NodeName) -> Vec<AgentService> {
        let (node, catalog) = (agent.folded(), self.store.catalog());
        let of_clients = catalog.services_of(&node).filter(|it| it.id.as_str() != CONSUL);
        let with_checks = |service: &Arc<Service>| {
            let is_about = |check: &&Arc<Check>| {
                let is_own = check.service.as_ref().is_none_or(|id| *id == service.id);
                is_own && self.agent_checks.contains(&check.path())
            };
            let checks = catalog.checks_of(&node).filter(is_about).cloned().collect();
            AgentService { service: as_registered(service), checks }
        };
        of_clients.map(with_checks).collect()
    }

    /// Deregisters the checks of a service that its new registration does not name.
    fn remove_other_checks(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        service: &ServiceId,
        named: &[(Check, CheckRun)],
    ) -> Result<(), Refusal> {
        let (node, service) = (agent.folded(), service.folded());
        let checks = self.store.catalog().checks_of_service(&node, &service);
        let is_named = |id: &CheckId| named.iter().any(|(check, _)| check.id == *id);
        let gone: Vec<_> =
            checks.map(|check| check.id.clone()).filter(|id| !is_named(id)).collect();
        for id in gone {
            self.remove_check(&(node.clone(), id.folded()));
            self.log(step, &Command::Deregister(Deregistration::Check(agent.clone(), id)))?;
        }
        Ok(())
    }

    /// Makes a check critical that was not updated within its TTL.
    pub(super) fn expire_check(&mut self, step: &mut EngineStep, path: &(Folded, Folded)) {
        let Some(check) = self.store.catalog().check(&path.0, &path.1) else { return };
        let last = &check.output;
        let output = if last.is_empty() || last.starts_with(EXPIRED) {
            Arc::from(EXPIRED)
        } else {
            Arc::from(format!("{EXPIRED} (last output before timeout follows): {last}"))
        };
        // This does not fail: a check of the catalog has its node and its service there.
        let _ = self.set_status(step, path, CheckStatus::Critical, output);
    }

    /// Adds a check to those of the agent and starts its TTL. A check that the agent already runs
    /// keeps its status and output.
    fn add_check(&mut self, now: Instant, mut check: Check, run: CheckRun) -> Check {
        let path = check.path();
        let ttl = run.ttl();
        if self.agent_checks.insert(path.clone(), AgentCheck::new(&check, run))
            && let Some(before) = self.store.catalog().check(&path.0, &path.1)
        {
            check.status.clone_from(&before.status);
            check.output.clone_from(&before.output);
        }
        self.start_ttl(now, &path, ttl);
        check
    }

    /// Removes a check from those of the agent, so that it no longer expires.
    fn remove_check(&mut self, path: &(Folded, Folded)) {
        self.agent_checks.remove(path);
        self.timers.deadlines.clear(&Timer::CheckTtl(path.0.clone(), path.1.clone()));
    }

    /// The path of a check that the agent runs. Unlike in the catalog, the case of its id matters.
    fn own_check(&self, agent: &NodeName, id: &CheckId) -> Result<(Folded, Folded), Error> {
        let path = (agent.folded(), id.folded());
        let stored = self.store.catalog().check(&path.0, &path.1);
        let same_case = stored.is_none_or(|check| check.id == *id);
        let is_own = same_case && self.agent_checks.contains(&path);
        is_own.then_some(path).ok_or_else(|| Error::UnknownCheck(id.clone()))
    }

    /// Whether the agent has the service; false for the server's own. Unlike in the catalog, the
    /// case of its id matters.
    fn has_service(&self, agent: &NodeName, id: &ServiceId) -> bool {
        let stored = self.store.catalog().service(&agent.folded(), &id.folded());
        id.as_str() != CONSUL && stored.is_some_and(|service| service.id == *id)
    }

    /// Restarts the TTL of a check, or stops it if the check has none.
    fn start_ttl(&mut self, now: Instant, path: &(Folded, Folded), ttl: Option<Duration>) {
        let timer = Timer::CheckTtl(path.0.clone(), path.1.clone());
        match ttl {
            Some(ttl) => self.timers.deadlines.set(timer, now.plus(ttl)),
            None => self.timers.deadlines.clear(&timer),
        }
    }

    pub(super) fn set_status(
        &mut self,
        step: &mut EngineStep,
        path: &(Folded, Folded),
        status: CheckStatus,
        output: Arc<str>,
    ) -> Result<Response, Refusal> {
        let Some(check) = self.store.catalog().check(&path.0, &path.1) else {
            return Err(Error::UnknownCheck(CheckId::from(path.1.as_str())).into());
        };
        if check.status == status && check.output == output {
            return Ok(Response::write(Index::ZERO, Answer::Done));
        }
        let check = Check { status, output, ..Check::clone(check) };
        let agent = check.node.clone();
        self.sync(step, &agent, None, Vec::from([check]))
    }

    /// Writes a service and checks of the agent to the catalog.
    fn sync(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        service: Option<Service>,
        checks: Vec<Check>,
    ) -> Result<Response, Refusal> {
        let Some(node) = self.store.catalog().node(&agent.folded()) else {
            return Err(Error::MissingNode.into());
        };
        let node = node.as_ref().clone();
        let registration = Registration { node, node_update: NodeUpdate::Skip, service, checks };
        self.log_done(step, &Command::Register(Box::new(registration)))
    }

    /// Begins maintenance of the node or a service, with a reason that may be empty, or ends it if
    /// `reason` is `None` (CAT-11). Nothing happens if it has already begun or ended.
    fn maintain(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        service: Option<ServiceId>,
        reason: Option<&str>,
    ) -> Result<Response, Refusal> {
        if let Some(id) = service.as_ref().filter(|id| !self.has_service(agent, id)) {
            return Err(Error::UnknownService(id.as_str().into()).into());
        }
        let check = maintenance_check(agent, service, reason.unwrap_or_default());
        let path = check.path();
        match (reason.is_some(), self.store.catalog().check(&path.0, &path.1).is_some()) {
            (true, false) => {
                let check = self.add_check(step.now, check, CheckRun::Never);
                self.sync(step, agent, None, Vec::from([check]))
            }
            (false, true) => {
                self.remove_check(&path);
                let target = Deregistration::Check(agent.clone(), check.id);
                self.log_done(step, &Command::Deregister(target))
            }
            _ => Ok(Response::write(Index::ZERO, Answer::Done)),
        }
    }

    /// Deregisters a service with its checks, which the agent then no longer runs.
    fn deregister_service(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        id: ServiceId,
    ) -> Result<Response, Refusal> {
        if !self.has_service(agent, &id) {
            return Err(Error::UnknownService(id.as_str().into()).into());
        }
        let (node, service) = (agent.folded(), id.folded());
        let checks = self.store.catalog().checks_of_service(&node, &service);
        let checks: Vec<_> = checks.map(|check| check.path()).collect();
        checks.iter().for_each(|path| self.remove_check(path));
        let target = Deregistration::Service(agent.clone(), id);
        self.log_done(step, &Command::Deregister(target))
    }

    /// Refuses a check that an agent on Linux cannot run, and a script that it must not run.
    fn admit_run(&self, run: &CheckRun) -> Result<(), Error> {
        match run {
            CheckRun::OsService => Err(Error::NotImplemented),
            CheckRun::Script if !self.config.script_checks => Err(Error::ScriptsDisabled),
            CheckRun::Ttl(_) | CheckRun::Alias { .. } | CheckRun::Script | CheckRun::Never => {
                Ok(())
            }
        }
    }

    /// Logs a command whose answer has no content.
    pub(super) fn log_done(
        &mut self,
        step: &mut EngineStep,
        command: &Command,
    ) -> Result<Response, Refusal> {
        self.log(step, command)?;
        Ok(Response::write(self.index, Answer::Done))
    }
}

/// The check that maintenance mode adds; for an empty reason it has Consul's default note.
fn maintenance_check(agent: &NodeName, service: Option<ServiceId>, reason: &str) -> Check {
    let (id, name, kind) = match &service {
        None => (String::from("_node_maintenance"), "Node", "node"),
        Some(id) => (format!("_service_maintenance:{id}"), "Service", "service"),
    };
    let unnamed = "Maintenance mode is enabled for this";
    let notes = if reason.is_empty() {
        let default = "but no reason was provided. This is a default message.";
        Arc::from(format!("{unnamed} {kind}, {default}"))
    } else {
        Arc::from(reason)
    };
    Check {
        node: agent.clone(),
        id: CheckId::from(id),
        name: Arc::from(format!("{name} Maintenance Mode")),
        status: CheckStatus::Critical,
        notes,
        service,
        kind: Arc::from("maintenance"),
        ..Check::default()
    }
}

/// A service without the virtual address, which its agent has not registered.
fn as_registered(service: &Arc<Service>) -> Arc<Service> {
    let mut own = service.clone();
    if service.mesh_name().is_some() {
        let own = Arc::make_mut(&mut own);
        own.tagged_addresses.iter_mut().for_each(|tagged| drop(tagged.remove(VIRTUAL)));
    }
    own
}

fn is_asked_for(asked: &ServiceChoice, service: &Service) -> bool {
    match asked {
        ServiceChoice::All => true,
        ServiceChoice::Id(id) => service.id == *id,
        ServiceChoice::Name(name) => *service.name == **name,
    }
}
