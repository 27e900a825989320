//! Engines filled with keys, sessions and parked queries, and the requests that a benchmark sends
//! to them.

use std::sync::Arc;
use std::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input};
use lictor_core::id::{Index, Key, NodeName, RequestId, SessionId, SessionRef};
use lictor_core::message::{Answer, Consistency, Operation, Request, SessionDraft, Wait};
use lictor_core::store::{KvVerb, Query, Write};
use lictor_core::time::Instant;

/// The time of every step of a benchmark.
pub(super) const NOW: Instant = Instant::from_millis(1_000);

/// An engine, and the number of its last request.
pub struct PreparedEngine {
    pub engine: Engine,
    next: u64,
}

impl PreparedEngine {
    /// An engine with keys `service/app-0042/000137`, a hundred in each folder.
    pub fn with_keys(count: usize) -> Self {
        let mut prepared = Self { engine: Engine::new(Config::default(), 42), next: 1 };
        for place in 0..count {
            prepared.run(put(&key(place)));
        }
        prepared
    }

    /// Carries out an operation.
    pub fn run(&mut self, operation: Operation) -> Vec<Effect> {
        self.next += 1;
        step(&mut self.engine, self.next, operation)
    }

    /// Creates a session; an empty TTL is none.
    pub fn session(&mut self, ttl: &str) -> SessionId {
        let effects = self.run(create_session(ttl));
        let created = effects.iter().find_map(|effect| match effect {
            Effect::Reply { result: Ok(response), .. } => match response.answer {
                Answer::Created(id) => Some(id),
                _ => None,
            },
            _ => None,
        });
        created.expect("a session on the server's own node is never refused")
    }

    /// Adds a blocking query that no write answers: its index is the largest.
    pub fn park(&mut self, query: Query) {
        let wait = Wait { min_index: Index(u64::MAX), timeout: Duration::from_secs(600) };
        self.run(Operation::Read { query, wait: Some(wait), consistency: Consistency::Default });
    }
}

/// One request with all its effects.
pub(super) fn step(engine: &mut Engine, id: u64, operation: Operation) -> Vec<Effect> {
    let request = Request { agent: NodeName::from("n1"), operation };
    engine.step(NOW, Input::Request { id: RequestId(id), request })
}

pub(super) fn key(place: usize) -> Key {
    Key::from(format!("service/app-{:04}/{:06}", place / 100, place))
}

pub(super) fn write() -> Write {
    Write { value: Arc::from(&b"a value of forty bytes, as is quite usual"[..]), flags: 0 }
}

pub(super) fn put(key: &Key) -> Operation {
    Operation::Kv { key: key.clone(), verb: KvVerb::Set(write()) }
}

pub(super) fn acquire(key: &Key, session: &SessionRef) -> Operation {
    let verb = KvVerb::Acquire { write: write(), session: session.clone() };
    Operation::Kv { key: key.clone(), verb }
}

pub(super) fn release(key: &Key, session: &SessionRef) -> Operation {
    let verb = KvVerb::Release { write: write(), session: session.clone() };
    Operation::Kv { key: key.clone(), verb }
}

pub(super) fn create_session(ttl: &str) -> Operation {
    Operation::CreateSession(Box::new(SessionDraft {
        node: None,
        name: Arc::from("bench"),
        lock_delay: 0,
        behavior: Arc::from("release"),
        ttl: Arc::from(ttl),
        node_checks: Some(Vec::new()),
        service_checks: None,
        checks: None,
    }))
}
