//! The engine and the model of it side by side: what one says and keeps, the other must too.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input, Timer};
use lictor_core::id::{Key, NodeName, RequestId, SessionRef};
use lictor_core::message::{Answer, Refusal, Request, Response};
use lictor_core::store::Query;
use lictor_core::store::txn::TxnResult;
use lictor_core::time::Instant;

use crate::model::{Model, Said};
use crate::steps::{KEYS, Step};

/// Both, and the sessions that the steps mean.
#[derive(Clone)]
pub struct Pair {
    engine: Engine,
    model: Model,
    now: Instant,
    sessions: Vec<SessionRef>,
    /// What is asked after each step, by what it looks at.
    queries: Arc<[(String, Query)]>,
}

impl Pair {
    /// A fresh server, with sessions that never existed.
    pub fn new(seed: u64, sessions: usize) -> Self {
        let engine = Engine::new(Config::default(), seed);
        let model = Model::new(engine.index());
        let sessions = vec![SessionRef::from("adf4238a-882b-9ddc-4a9d-5b6758e4159e"); sessions];
        Self { engine, model, now: Instant::EPOCH, sessions, queries: queries().collect() }
    }

    /// Does one step on both sides, and says in what they differ after it.
    pub fn step(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Wait(span) => self.wait(span),
            Step::Failover => {
                let _ = self.engine.step(self.now, Input::Failover);
                self.model.change_leader();
            }
            _ => self.request(step)?,
        }
        self.compare()
    }

    fn wait(&mut self, span: Duration) {
        self.now = self.now.after(span);
        let _ = self.engine.step(self.now, Input::Tick);
        self.model.pass(self.now);
    }

    fn request(&mut self, step: Step) -> Result<(), String> {
        let operation = step.operation(&self.engine, &self.sessions);
        let operation = operation.ok_or("the step asks for nothing")?;
        let request = Request { agent: NodeName::from("n1"), operation: operation.clone() };
        let effects = self.engine.step(self.now, Input::Request { id: RequestId(1), request });
        let replies = effects.into_iter().filter_map(|effect| match effect {
            Effect::Reply { result, .. } => Some(result),
            Effect::Event(_) => None,
        });
        let [answer] = <[_; 1]>::try_from(replies.collect::<Vec<_>>())
            .map_err(|answers| format!("not one answer: {answers:?}"))?;
        let minted = match &answer {
            Ok(Response { answer: Answer::Created(id), .. }) => Some(*id),
            _ => None,
        };
        if let (Step::Create(place, _), Some(id)) = (step, minted) {
            self.sessions[place] = SessionRef::from(id);
        }
        let (told, said) = (told(&answer), self.model.request(&operation, minted));
        same("the answer", &told, &said)
    }

    /// Holds everything that can be seen of the engine against the model.
    fn compare(&self) -> Result<(), String> {
        same("the log index", &self.engine.index(), &self.model.index)?;
        let store = self.engine.store();
        let (entries, expected) = (store.kv().with_prefix(""), self.model.entries(""));
        if !entries.map(|entry| &**entry).eq(&expected) {
            let entries: Vec<_> = store.kv().with_prefix("").collect();
            return Err(format!("the engine has {entries:?}, the model {expected:?}"));
        }
        for (key, query) in self.queries.iter() {
            let index = match query {
                Query::Tree(_) => store.kv().prefix_index(key),
                _ => store.read(query).0,
            };
            same(key, &index, &self.model.index_of(query))?;
        }
        let alive: BTreeSet<_> = store.sessions().iter().map(|session| session.id).collect();
        same("the sessions", &alive, &self.model.sessions())?;
        for id in alive {
            let ends = self.engine.session_clock(id).map(|clock| clock.ends);
            same("the end of a session", &ends, &self.model.ends(id))?;
        }
        let delays = self.engine.lock_delays().map(|delay| (delay.key.clone(), delay.until));
        same("the lock-delays", &delays.collect(), &self.model.delays())?;
        let mut due = self.engine.deadlines().filter(|(_, timer)| !is_delay(timer));
        let due = due.next().map(|(at, _)| at);
        same("the next deadline", &due, &self.model.next_due().map(|(at, _)| at))
    }
}

/// Each key, and each way to look at a prefix: of all, of some, of one and of none.
fn queries() -> impl Iterator<Item = (String, Query)> {
    let keys = KEYS.iter().map(|key| ((*key).to_owned(), Query::Key(Key::from(*key))));
    let trees = ["", "a", "ab", "abc"].iter();
    let trees = trees.map(|prefix| ((*prefix).to_owned(), Query::Tree(Key::from(*prefix))));
    keys.chain(trees).chain([("sessions".to_owned(), Query::Sessions)])
}

fn is_delay(timer: &Timer) -> bool {
    matches!(timer, Timer::LockDelay(_))
}

/// The engine's answer in the model's terms.
fn told(answer: &Result<Response, Refusal>) -> Said {
    match answer {
        Err(refusal) => Said::Refused(refusal.error.clone()),
        Ok(Response { answer: Answer::Flag(flag), .. }) => Said::Flag(*flag),
        Ok(Response { answer: Answer::Txn { outcome, .. }, .. }) => Said::Txn(match outcome {
            Ok(results) => Ok(results.iter().filter_map(entry).cloned().collect()),
            Err(errors) => Err(errors.iter().map(|error| error.position).collect()),
        }),
        Ok(_) => Said::Flag(true),
    }
}

fn entry(result: &TxnResult) -> Option<&lictor_core::store::Entry> {
    match result {
        TxnResult::Written(entry) | TxnResult::Read(entry) => Some(entry),
        TxnResult::Node(_) | TxnResult::Service(_) | TxnResult::Check(_) => None,
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, engine: &T, model: &T) -> Result<(), String> {
    if engine == model {
        return Ok(());
    }
    Err(format!("{what}: the engine has {engine:?}, the model {model:?}"))
}
