//! What each request does: the checks before the log, the entry in the log, the answer.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Effect, Engine, Event};
use crate::duration;
use crate::error::{Cause, Error, Reason};
use crate::id::{Index, Key, NodeName, QueryId, RequestId, SessionRef, query_id_fault};
use crate::message::{
    Answer, Operation, Refusal, Request, Response, ServerFact, SessionDraft, TxnKind,
};
use crate::store::prepared_query::QueryDefinition;
use crate::store::txn::TxnOp;
use crate::store::{Applied, Command, KvVerb};
use crate::time::Instant;

impl Engine {
    /// Carries a request out. The answer to its caller comes before those of the queries that it
    /// wakes.
    pub(super) fn request(
        &mut self,
        now: Instant,
        id: RequestId,
        request: Request,
        effects: &mut Vec<Effect>,
    ) {
        if let Operation::Read { query, wait, .. } = request.operation {
            return self.read(now, id, (query, wait), effects);
        }
        let mut caused = Vec::new();
        let result = self.carry_out(now, request, &mut caused);
        let is_event = |effect: &Effect| matches!(effect, Effect::Event(_));
        let answers = caused.iter().position(|effect| !is_event(effect)).unwrap_or(caused.len());
        let woken = caused.split_off(answers);
        effects.append(&mut caused);
        effects.push(Effect::Reply { id, result });
        effects.extend(woken);
    }

    fn carry_out(
        &mut self,
        now: Instant,
        request: Request,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        // Before anything is said of the session (DLY-07); no other call asks for it (DLY-06).
        if let Some(reason) = request.acquires().and_then(|key| self.delayed(key)) {
            return Ok(Response::refused(Index::ZERO, reason));
        }
        match request.operation {
            Operation::CreateSession(draft) => {
                self.create_session(now, &request.agent, *draft, effects)
            }
            Operation::DestroySession(session) => {
                let known = session.id().filter(|id| self.store.sessions().get(*id).is_some());
                if let Some(id) = known {
                    self.end_session(now, id, Cause::Requested, effects);
                }
                Ok(Response::write(self.index, Answer::Flag(true)))
            }
            Operation::RenewSession(session) => self.renew(now, &session, effects),
            Operation::Kv { key, verb } => self.write(now, key, verb, effects),
            Operation::Txn(ops) => Ok(self.txn(now, ops, effects)),
            Operation::Register(registration) => {
                self.admit_registration(&registration)?;
                self.log_flag(now, &Command::Register(registration), effects)
            }
            Operation::Deregister(target) => {
                self.log_flag(now, &Command::Deregister(target), effects)
            }
            Operation::CreateQuery(definition) => self.create_query(now, definition, effects),
            Operation::UpdateQuery { id, definition } => {
                self.update_query(now, &id, definition, effects)
            }
            Operation::DeleteQuery(id) => self.delete_query(now, &id, effects),
            Operation::Agent(call) => self.agent_call(now, &request.agent, *call, effects),
            Operation::Server(fact) => Ok(self.fact(fact)),
            Operation::Read { .. } => unreachable!("reads are answered before"),
        }
    }

    fn create_session(
        &mut self,
        now: Instant,
        agent: &NodeName,
        draft: SessionDraft,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let session = self.admit_session(agent, draft)?;
        let id = session.id;
        self.log(now, &Command::CreateSession(Box::new(session)), effects)?;
        Ok(Response::write(self.index, Answer::Created(id)))
    }

    /// SES-33 to SES-37: restarts the clock, as nothing else does (TTL-04); nothing is logged, and
    /// the TTL is the stored one.
    fn renew(
        &mut self,
        now: Instant,
        session: &SessionRef,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let found = session.id().and_then(|id| self.store.sessions().get(id)).cloned();
        let Some(found) = found else {
            let reason = Some(self.ended.reason(session));
            return Err(Refusal { error: Error::SessionNotFound(session.clone()), reason });
        };
        if let Some(clock) = self.timers.start_clock(now, &found) {
            self.emit(now, Event::Renewed { session: found.id, clock }, effects);
        }
        Ok(Response::write(Index::ZERO, Answer::Renewed(found)))
    }

    fn write(
        &mut self,
        now: Instant,
        key: Key,
        verb: KvVerb,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        if key.is_empty() && verb != KvVerb::DeleteTree {
            return Err(Error::MissingKey.into());
        }
        match self.log(now, &Command::Kv { key, verb }, effects)? {
            Applied::Refused(reason) => Ok(Response::refused(self.index, reason)),
            Applied::Done | Applied::Txn { .. } => {
                Ok(Response::write(self.index, Answer::Flag(true)))
            }
        }
    }

    /// TXN-07: with a write it goes to the log, without one it is answered from what is stored.
    fn txn(&mut self, now: Instant, ops: Vec<TxnOp>, effects: &mut Vec<Effect>) -> Response {
        let writes = ops.iter().any(TxnOp::is_write);
        let refused = self.admit_txn(&ops);
        let (outcome, kind) = match (refused.is_empty(), writes) {
            (false, true) => (Err(refused), TxnKind::Write),
            (false, false) => (Err(refused), TxnKind::ReadRefused),
            (true, false) => (self.store.txn_read(&ops), TxnKind::Read),
            (true, true) => match self.log(now, &Command::Txn(ops), effects) {
                Ok(Applied::Txn { outcome, undone }) => {
                    self.arm_undone(now, &undone, effects);
                    (outcome, TxnKind::Write)
                }
                Ok(_) | Err(_) => unreachable!("a transaction answers for itself"),
            },
        };
        let failed = outcome.as_ref().err().map(Vec::len);
        let reason = failed.map(|failed| Reason::TransactionFailed { failed });
        Response { index: self.index, answer: Answer::Txn { outcome, kind }, reason }
    }

    fn log_flag(
        &mut self,
        now: Instant,
        command: &Command,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        self.log(now, command, effects)?;
        Ok(Response::write(self.index, Answer::Flag(true)))
    }

    fn create_query(
        &mut self,
        now: Instant,
        definition: Box<QueryDefinition>,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        admit_query(&definition)?;
        let id = QueryId::from_bytes(self.rng.bytes16());
        self.log(now, &Command::SetQuery { id, definition }, effects)?;
        Ok(Response::write(self.index, Answer::QueryCreated(id)))
    }

    fn update_query(
        &mut self,
        now: Instant,
        id: &str,
        definition: Box<QueryDefinition>,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let id = self.query_to_modify(id)?;
        admit_query(&definition)?;
        self.log(now, &Command::SetQuery { id, definition }, effects)?;
        Ok(Response::write(self.index, Answer::Done))
    }

    fn delete_query(
        &mut self,
        now: Instant,
        id: &str,
        effects: &mut Vec<Effect>,
    ) -> Result<Response, Refusal> {
        let id = self.query_to_modify(id)?;
        self.log(now, &Command::DeleteQuery(id), effects)?;
        Ok(Response::write(self.index, Answer::Done))
    }

    fn query_to_modify(&self, text: &str) -> Result<QueryId, Error> {
        let fault = query_id_fault(text);
        fault.map_or(Ok(()), |fault| Err(Error::MalformedQueryIdToModify(fault)))?;
        let known = QueryId::parse(text).filter(|id| self.store.queries().get(*id).is_some());
        known.ok_or_else(|| Error::UnknownQueryToModify(text.into()))
    }

    fn fact(&self, fact: ServerFact) -> Response {
        let address = || format!("{}:8300", self.config.address);
        let answer = match fact {
            ServerFact::Datacenters => Answer::Texts(Vec::from([self.config.datacenter.clone()])),
            ServerFact::Leader => Answer::Text(address()),
            ServerFact::Peers => Answer::Texts(Vec::from([address()])),
            ServerFact::Agent => Answer::Agent {
                node: self.config.node.clone(),
                datacenter: self.config.datacenter.clone(),
            },
        };
        Response::write(Index::ZERO, answer)
    }
}

/// PQ-02, PQ-07: a query has a service, and a session, a name or a template. Its numbers are not
/// negative.
fn admit_query(definition: &QueryDefinition) -> Result<(), Error> {
    let is_bound = !definition.session.is_empty() || !definition.name.is_empty();
    if !is_bound && definition.template.kind.is_empty() {
        return Err(Error::UnboundQuery);
    }
    if definition.service.service.is_empty() {
        return Err(Error::QueryWithoutService);
    }
    let nearest = definition.service.failover.nearest_n;
    if nearest < 0 {
        return Err(Error::InvalidQuery(format!("Bad NearestN '{nearest}', must be >= 0")));
    }
    admit_dns_ttl(&definition.dns.ttl).map_err(Error::InvalidQuery)
}

fn admit_dns_ttl(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    match duration::parse(text) {
        Err(error) => Err(format!("Bad DNS TTL '{text}': {error}")),
        Ok(ttl) if ttl < 0 => Err(format!("DNS TTL '{ttl}', must be >=0")),
        Ok(_) => Ok(()),
    }
}
