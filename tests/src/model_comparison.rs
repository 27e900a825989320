//! Runs the engine and the model side by side: after each step, answers and state must be equal.

use std::collections::BTreeSet;
use std::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Event, Input, Timer};
use lictor_core::id::{Index, NodeName, QueryId, RequestId, SessionId, SessionRef};
use lictor_core::message::{Answer, Operation, Refusal, Request, Response};
use lictor_core::store::catalog::{Check, Node, NodeUpdate, Registration};
use lictor_core::store::txn::TxnResult;
use lictor_core::store::{Entry, Found};
use lictor_core::time::Instant;

use crate::model::ModelAnswer;
use crate::model::server::{ModelRecord, ServerModel};
use crate::model_steps::{KnownIds, ModelStep, queries};

/// An engine and a model after the same steps, and the ids that these steps have created.
#[derive(Clone)]
pub struct ModelComparison {
    engine: Engine,
    model: ServerModel,
    now: Instant,
    known: KnownIds,
    requests: u64,
}

/// What the engine chose at random, which the model takes from it: the id of a new record, or the
/// deadline of a blocking read.
#[derive(Clone, Copy)]
enum Chosen {
    Session(SessionId),
    Query(QueryId),
    Until(Instant),
}

impl ModelComparison {
    /// A fresh server. The known sessions are ids that never existed.
    pub fn new(seed: u64, sessions: usize) -> Self {
        let engine = Engine::new(Config::default(), seed);
        let catalog = engine.store().catalog();
        let node = catalog.nodes().next().expect("its own");
        let own = Registration {
            node: bare_node(node),
            node_update: NodeUpdate::Write,
            service: None,
            checks: catalog.checks().map(|check| bare_check(check)).collect(),
        };
        let never = SessionRef::from("adf4238a-882b-9ddc-4a9d-5b6758e4159e");
        let known =
            KnownIds { sessions: vec![never; sessions], query: QueryId::from_bytes([7; 16]) };
        let model = ServerModel::new(&own, engine.index());
        Self { engine, model, now: Instant::EPOCH, known, requests: 0 }
    }

    /// Takes one step on both sides. Fails with the first difference in answers or state.
    pub fn step(&mut self, step: ModelStep) -> Result<(), String> {
        match step {
            ModelStep::Wait(span) => self.wait(span)?,
            ModelStep::Failover => {
                let _ = self.engine.step(self.now, Input::Failover);
                self.model.model.change_leader();
            }
            ModelStep::Leave => self.leave()?,
            _ => {
                for operation in step.operations(&self.engine, &self.known) {
                    self.request(step, &operation)?;
                }
            }
        }
        self.compare()
    }

    fn wait(&mut self, span: Duration) -> Result<(), String> {
        self.now = self.now.plus(span);
        let effects = self.engine.step(self.now, Input::Tick);
        same("the answers", &answers(&effects), &self.model.pass(self.now))
    }

    /// Disconnects the caller of the oldest blocking read, if one waits.
    fn leave(&mut self) -> Result<(), String> {
        let (parked, waits) = (self.engine.parked().next(), self.model.waiting());
        let oldest = parked.map(|(id, _)| id);
        same("the oldest waiting read", &oldest, &waits.into_keys().next())?;
        if let Some(id) = oldest {
            let _ = self.engine.step(self.now, Input::Cancel(id));
            self.model.cancel(id);
        }
        Ok(())
    }

    fn request(&mut self, step: ModelStep, operation: &Operation) -> Result<(), String> {
        self.requests += 1;
        let id = RequestId(self.requests);
        let request = Request { agent: NodeName::from("n1"), operation: operation.clone() };
        let effects = self.engine.step(self.now, Input::Request { id, request });
        let chosen = effects.iter().find_map(chosen);
        let (new, until) = match chosen {
            Some(Chosen::Session(id)) => (id.to_string(), self.now),
            Some(Chosen::Query(id)) => (id.to_string(), self.now),
            Some(Chosen::Until(until)) => (String::new(), until),
            None => (String::new(), self.now),
        };
        match (chosen, step, operation) {
            (Some(Chosen::Session(id)), ModelStep::Create(client, _), _) => {
                self.known.sessions[client] = SessionRef::from(id);
            }
            (Some(Chosen::Query(id)), ..) => self.known.query = id,
            (Some(Chosen::Until(until)), _, Operation::Read { wait: Some(wait), .. }) => {
                let (first, jitter) = (self.now.plus(wait.timeout), wait.timeout / 16);
                let is_fine = (first..first.plus(jitter)).contains(&until);
                same("the length of a wait (BLK-03)", &is_fine, &true)?;
            }
            _ => {}
        }
        same("the answers", &answers(&effects), &self.model.request(id, operation, (&new, until)))
    }

    /// Compares the state of the engine, as far as the model has it, with that of the model.
    fn compare(&self) -> Result<(), String> {
        let (store, model) = (self.engine.store(), &self.model.model);
        same("the log index", &self.engine.index(), &model.index)?;
        let (entries, expected) = (store.kv().with_prefix(""), model.entries(""));
        if !entries.map(|entry| &**entry).eq(&expected) {
            let entries: Vec<_> = store.kv().with_prefix("").collect();
            return Err(format!("the engine has {entries:?}, the model {expected:?}"));
        }
        for query in queries(&self.known) {
            let index = store.read(&query).0.at_least_one();
            if index != self.model.index_of(&query) {
                return same(&format!("{query:?}"), &index, &self.model.index_of(&query));
            }
        }
        let alive: BTreeSet<_> = store.sessions().iter().map(|session| session.id).collect();
        same("the sessions", &alive, &model.sessions())?;
        for id in alive {
            let ends = self.engine.session_clock(id).map(|clock| clock.ends);
            same("the end of a session", &ends, &model.ends(id))?;
        }
        let delays = self.engine.lock_delays().map(|delay| (delay.key.clone(), delay.until));
        same("the lock-delays", &delays.collect(), &model.delays())?;
        let model_records = ["check/", "node/", "query/"].iter().flat_map(|it| self.model.all(it));
        let model_records =
            model_records.map(|(_, (created, modified, it))| (created, modified, it.clone()));
        same("catalog and prepared queries", &self.catalog_records(), &model_records.collect())?;
        let parked = self.engine.parked().map(|(id, _)| id);
        same(
            "the waiting reads",
            &parked.collect(),
            &self.model.waiting().into_keys().collect::<Vec<_>>(),
        )?;
        let mut due = self.engine.deadlines().filter(|(_, timer)| !is_delay(timer));
        same("the next deadline", &due.next().map(|(at, _)| at), &self.model.next_due())
    }

    /// The engine's catalog and prepared queries in the model's terms.
    fn catalog_records(&self) -> Vec<(Index, Index, ModelRecord)> {
        let (catalog, queries) = (self.engine.store().catalog(), self.engine.store().queries());
        let checks = catalog.checks();
        let checks = checks.map(|it| {
            let check = ModelRecord::Check(bare_check(it));
            (it.create_index, it.modify_index, check)
        });
        let nodes = catalog.nodes();
        let nodes =
            nodes.map(|it| (it.create_index, it.modify_index, ModelRecord::Node(bare_node(it))));
        let queries = queries.iter().map(|it| {
            let definition = ModelRecord::Query(Box::new(it.definition.clone()));
            (it.create_index, it.modify_index, definition)
        });
        checks.chain(nodes).chain(queries).collect()
    }
}

/// The engine's answers in the model's terms.
fn answers(effects: &[Effect]) -> Vec<(RequestId, ModelAnswer)> {
    let replies = effects.iter().filter_map(|effect| match effect {
        Effect::Reply { id, result, .. } => Some((*id, answer(result))),
        Effect::Event(_) | Effect::Rejected { .. } => None,
    });
    replies.collect()
}

fn answer(result: &Result<Response, Refusal>) -> ModelAnswer {
    let response = match result {
        Err(refusal) => return ModelAnswer::Refused(refusal.error.clone()),
        Ok(response) => response,
    };
    match &response.answer {
        Answer::Flag(flag) => ModelAnswer::Flag(*flag),
        Answer::Txn { outcome, .. } => ModelAnswer::Txn(match outcome {
            Ok(results) => Ok(results.iter().filter_map(entry).cloned().collect()),
            Err(errors) => Err(errors.iter().map(|error| error.position).collect()),
        }),
        Answer::Found(found) => ModelAnswer::Found(response.index, names(found)),
        _ => ModelAnswer::Flag(true),
    }
}

/// The names of the found records in the model's terms: ids of sessions and keys as they are, those
/// of other records after their kind.
fn names(found: &Found) -> Vec<String> {
    match found {
        Found::Entry(entry) => entry.iter().map(|it| it.key.to_string()).collect(),
        Found::Entries(entries) => entries.iter().map(|it| it.key.to_string()).collect(),
        Found::Session(session) => session.iter().map(|it| it.id.to_string()).collect(),
        Found::Sessions(sessions) => sessions.iter().map(|it| it.id.to_string()).collect(),
        Found::Nodes(nodes) => nodes.iter().map(|it| format!("node/{}", it.name)).collect(),
        Found::Checks(checks) => {
            checks.iter().map(|it| format!("check/{}/{}", it.node, it.id)).collect()
        }
        Found::PreparedQueries(queries) => {
            queries.iter().map(|it| format!("query/{}", it.id)).collect()
        }
        Found::PreparedQuery(query) => query.iter().map(|it| format!("query/{}", it.id)).collect(),
        other => panic!("no step reads {other:?}"),
    }
}

fn chosen(effect: &Effect) -> Option<Chosen> {
    match effect {
        Effect::Reply { result, .. } => match result.as_ref().ok()?.answer {
            Answer::Created(id) => Some(Chosen::Session(id)),
            Answer::QueryCreated(id) => Some(Chosen::Query(id)),
            _ => None,
        },
        Effect::Event(stamped) => match stamped.event {
            Event::Parked { until, .. } => Some(Chosen::Until(until)),
            _ => None,
        },
        Effect::Rejected { .. } => None,
    }
}

fn is_delay(timer: &Timer) -> bool {
    matches!(timer, Timer::LockDelay(_))
}

fn entry(result: &TxnResult) -> Option<&Entry> {
    match result {
        TxnResult::Written(entry) | TxnResult::Read(entry) => Some(entry),
        TxnResult::Node(_) | TxnResult::Service(_) | TxnResult::Check(_) => None,
    }
}

fn bare_node(node: &Node) -> Node {
    Node { create_index: Index::ZERO, modify_index: Index::ZERO, ..node.clone() }
}

fn bare_check(check: &Check) -> Check {
    Check { create_index: Index::ZERO, modify_index: Index::ZERO, ..check.clone() }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, engine: &T, model: &T) -> Result<(), String> {
    if engine == model {
        return Ok(());
    }
    Err(format!("{what}: the engine has {engine:?}, the model {model:?}"))
}
