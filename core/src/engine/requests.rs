//! What each request does: the checks before the log, the log entry, the answer. A read that waits
//! is answered later.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::event::{EngineStep, Event};
use super::server::Engine;
use crate::config::Config;
use crate::duration;
use crate::error::{Cause, Error, Reason};
use crate::id::{Index, Key, NodeName, QueryId, RequestId, SessionRef, check_query_id};
use crate::message::{
    AgentInfo, Answer, Operation, Refusal, Request, Response, ServerFact, SessionDraft, TxnKind,
};
use crate::store::catalog::{Reserved, meta_fault};
use crate::store::prepared_query::QueryDefinition;
use crate::store::txn::TxnOp;
use crate::store::{Applied, Command, KvVerb};

impl Engine {
    /// Carries out a request and answers it, unless it is a read that has to wait.
    pub(super) fn request(&mut self, step: &mut EngineStep, id: RequestId, request: Request) {
        let Request { agent, operation } = request;
        if let Operation::Read { query, wait, .. } = operation {
            return self.read(step, id, query, wait);
        }
        let result = self.carry_out(step, &agent, operation);
        step.reply(id, result);
    }

    fn carry_out(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        operation: Operation,
    ) -> Result<Response, Refusal> {
        match operation {
            Operation::CreateSession(draft) => self.create_session(step, agent, *draft),
            Operation::DestroySession(session) => {
                let known = session.id().filter(|id| self.store.sessions().get(*id).is_some());
                if let Some(id) = known {
                    self.end_session(step, id, Cause::Requested);
                }
                Ok(Response::write(self.index, Answer::Flag(true)))
            }
            Operation::RenewSession(session) => self.renew(step, &session),
            Operation::Kv { key, verb } => self.write(step, key, verb),
            Operation::Txn(ops) => Ok(self.txn(step, ops)),
            Operation::Register(registration) => {
                self.admit_registration(&registration)?;
                self.log_true(step, &Command::Register(registration))
            }
            Operation::Deregister(target) => self.log_true(step, &Command::Deregister(target)),
            Operation::CreateQuery(definition) => self.create_query(step, definition),
            Operation::UpdateQuery { id, definition } => {
                let id = self.query_to_modify(&id)?;
                admit_query(&definition)?;
                self.log_done(step, &Command::SetQuery { id, definition })
            }
            Operation::DeleteQuery(id) => {
                let id = self.query_to_modify(&id)?;
                self.log_done(step, &Command::DeleteQuery(id))
            }
            Operation::Agent(call) => self.agent_call(step, agent, *call),
            Operation::Server(fact) => Ok(self.server_fact(fact)),
            Operation::Read { .. } => unreachable!("`request` answers reads"),
        }
    }

    fn create_session(
        &mut self,
        step: &mut EngineStep,
        agent: &NodeName,
        draft: SessionDraft,
    ) -> Result<Response, Refusal> {
        let session = self.admit_session(agent, draft)?;
        let id = session.id;
        self.log(step, &Command::CreateSession(Box::new(session)))?;
        Ok(Response::write(self.index, Answer::Created(id)))
    }

    /// Restarts the TTL of a session (SES-33 to SES-37), which no other request does (TTL-04). It
    /// uses no log entry.
    fn renew(&mut self, step: &mut EngineStep, session: &SessionRef) -> Result<Response, Refusal> {
        let found = session.id().and_then(|id| self.store.sessions().get(id)).cloned();
        let Some(found) = found else {
            let reason = Some(Box::new(self.ended.reason(session)));
            return Err(Refusal { error: Error::SessionNotFound(session.clone()), reason });
        };
        if let Some(clock) = self.timers.start_clock(step.now, &found) {
            self.emit(step, Event::Renewed { session: found.id, clock });
        }
        Ok(Response::write(Index::ZERO, Answer::Renewed(found)))
    }

    fn write(
        &mut self,
        step: &mut EngineStep,
        key: Key,
        verb: KvVerb,
    ) -> Result<Response, Refusal> {
        // A lock-delay refuses an acquire before its session is looked up (DLY-07), and refuses
        // nothing else (DLY-06).
        if matches!(verb, KvVerb::Acquire { .. })
            && let Some(reason) = self.lock_delay_of(&key)
        {
            return Ok(Response::refused(Index::ZERO, reason));
        }
        if key.is_empty() && verb != KvVerb::DeleteTree {
            return Err(Error::MissingKey.into());
        }
        match self.log(step, &Command::Kv { key, verb })? {
            Applied::Refused(reason) => Ok(Response::refused(self.index, reason)),
            Applied::Done | Applied::Txn { .. } => {
                Ok(Response::write(self.index, Answer::Flag(true)))
            }
        }
    }

    /// A transaction with a write goes to the log; one without is answered from the store (TXN-07).
    fn txn(&mut self, step: &mut EngineStep, ops: Vec<TxnOp>) -> Response {
        let writes = ops.iter().any(TxnOp::is_write);
        let refused = self.admit_txn(&ops);
        let (outcome, kind) = match (refused.is_empty(), writes) {
            (false, true) => (Err(refused), TxnKind::Write),
            (false, false) => (Err(refused), TxnKind::ReadRefused),
            (true, false) => (self.store.txn_read(&ops), TxnKind::Read),
            (true, true) => match self.log(step, &Command::Txn(ops)) {
                Ok(Applied::Txn { outcome, undone }) => {
                    self.arm_undone(step, &undone);
                    (outcome, TxnKind::Write)
                }
                Ok(_) | Err(_) => unreachable!("a transaction returns its own outcome"),
            },
        };
        let failed = outcome.as_ref().err().map(Vec::len);
        let reason = failed.map(|failed| Reason::TransactionFailed { failed });
        Response { index: self.index, answer: Answer::Txn { outcome, kind }, reason }
    }

    /// Logs a command whose answer is `true`.
    fn log_true(&mut self, step: &mut EngineStep, command: &Command) -> Result<Response, Refusal> {
        self.log(step, command)?;
        Ok(Response::write(self.index, Answer::Flag(true)))
    }

    fn create_query(
        &mut self,
        step: &mut EngineStep,
        definition: Box<QueryDefinition>,
    ) -> Result<Response, Refusal> {
        admit_query(&definition)?;
        let id = QueryId::from_bytes(self.rng.bytes16());
        self.log(step, &Command::SetQuery { id, definition })?;
        Ok(Response::write(self.index, Answer::QueryCreated(id)))
    }

    fn query_to_modify(&self, text: &str) -> Result<QueryId, Error> {
        check_query_id(text).map_err(|error| Error::MalformedQueryIdToModify(error.to_string()))?;
        let known = QueryId::parse(text).filter(|id| self.store.queries().get(*id).is_some());
        known.ok_or_else(|| Error::UnknownQueryToModify(text.into()))
    }

    fn server_fact(&self, fact: ServerFact) -> Response {
        let address = || format!("{}:8300", self.config.address);
        let answer = match fact {
            ServerFact::Datacenters => Answer::Texts(Vec::from([self.config.datacenter.clone()])),
            ServerFact::Leader => Answer::Text(address()),
            ServerFact::Peers => Answer::Texts(Vec::from([address()])),
            ServerFact::Agent => Answer::Agent(Box::new(self.agent_info())),
            ServerFact::Members => Answer::Members(Box::new(self.agent_info())),
            ServerFact::RaftConfiguration => Answer::RaftConfiguration(Box::new(self.agent_info())),
        };
        Response::write(Index::ZERO, answer)
    }

    fn agent_info(&self) -> AgentInfo {
        let Config { version, node, node_id, node_meta, address, datacenter, .. } =
            self.config.clone();
        AgentInfo {
            services: self.services_of_agent(&node).len(),
            checks: self.agent_checks.iter().count(),
            ttls: self.agent_checks.with_ttl().count(),
            index: self.index,
            version,
            node,
            node_id,
            node_meta,
            datacenter,
            address,
        }
    }
}

/// What lists show in place of a token to those who may not see it.
const REDACTED_TOKEN: &str = "<hidden>";

/// A query must have a service and one of session, name and template (PQ-02, PQ-07). Of several
/// errors the first in Consul's order counts (PQ-09).
fn admit_query(definition: &QueryDefinition) -> Result<(), Error> {
    let invalid = |what: String| Err(Error::InvalidQuery(what));
    let is_bound = !definition.session.is_empty() || !definition.name.is_empty();
    if !is_bound && definition.template.kind.is_empty() {
        return Err(Error::UnboundQuery);
    }
    if definition.token == REDACTED_TOKEN {
        return invalid(format!(
            "Bad Token '{REDACTED_TOKEN}', it looks like a query definition with a redacted token \
             was submitted"
        ));
    }
    let service = &definition.service;
    if service.service.is_empty() {
        return Err(Error::QueryWithoutService);
    }
    let failover = &service.failover;
    if failover.nearest_n < 0 {
        return invalid(format!("Bad NearestN '{}', must be >= 0", failover.nearest_n));
    }
    let has = |list: Option<usize>| list.is_some_and(|length| length > 0);
    let has_datacenters = has(failover.datacenters.as_ref().map(Vec::len));
    if (failover.nearest_n > 0 || has_datacenters) && has(failover.targets.as_ref().map(Vec::len)) {
        return invalid("Targets cannot be populated with NearestN or Datacenters".into());
    }
    if let Some(fault) = meta_fault(&service.node_meta, Reserved::Allowed) {
        return invalid(fault);
    }
    if !service.sameness_group.is_empty() {
        return invalid("sameness-groups are an enterprise-only feature".into());
    }
    admit_dns_ttl(&definition.dns.ttl)
}

fn admit_dns_ttl(text: &str) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    match duration::parse(text) {
        Err(error) => Err(Error::InvalidQuery(format!("Bad DNS TTL '{text}': {error}"))),
        Ok(ttl) if ttl < 0 => Err(Error::InvalidQuery(format!("DNS TTL '{ttl}', must be >=0"))),
        Ok(_) => Ok(()),
    }
}
