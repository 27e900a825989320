//! What a server keeps when it ends, and how it goes on from there (IDX-12): the state with its
//! tombstones and its index. Clocks are not part of it: sessions get their TTL in full, lock-delays
//! are gone, and nobody waits.
//!
//! A server can be kept whole, or as an older whole with the records of what was done since.

use alloc::boxed::Box;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::agent_endpoints::AgentChecks;
use super::own::{own_node, serf_health};
use super::{Config, Engine, Timer};
use crate::id::Index;
use crate::store::{Command, Store};
use crate::time::Instant;

/// All that outlives a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    index: Index,
    store: Store,
    /// A real agent keeps its checks in files of its own (CAT-09).
    agent_checks: AgentChecks,
}

/// One thing that was done: done again to what was kept before, it gives what is to be kept after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    Logged {
        index: Index,
        command: Command,
    },
    /// The checks that agents run themselves, whenever one was added or removed.
    AgentChecks(AgentChecks),
}

/// A record that does not follow those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("log entry {found} follows entry {last}")]
pub struct OutOfOrder {
    last: Index,
    found: Index,
}

/// What was done since the records were last taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recorder {
    records: Vec<Record>,
    agent_checks: AgentChecks,
}

impl Engine {
    /// A server that goes on from what an earlier one kept. Its own node is registered again if
    /// that is not there, or not healthy.
    pub fn restart(config: Config, seed: u64, kept: Snapshot) -> Self {
        let mut engine = Self::new(config, seed);
        engine.index = kept.index;
        engine.store = kept.store;
        engine.agent_checks = kept.agent_checks;
        engine.start_clocks();
        if !engine.is_registered() {
            let own = Command::Register(Box::new(own_node(&engine.config)));
            let registered = engine.log(Instant::EPOCH, &own, &mut Vec::new());
            registered.expect("a node with its own service and check is complete");
        }
        engine
    }

    /// All that is to outlive this server.
    pub fn kept(&self) -> Snapshot {
        Snapshot {
            index: self.index,
            store: self.store.clone(),
            agent_checks: self.agent_checks.clone(),
        }
    }

    fn is_registered(&self) -> bool {
        let health = serf_health(&self.config.node);
        let (node, check) = health.path();
        let catalog = self.store.catalog();
        let is_there = catalog.node(&node).is_some_and(|own| *own.address == *self.config.address);
        is_there && catalog.check(&node, &check).is_some_and(|kept| kept.status == health.status)
    }

    fn start_clocks(&mut self) {
        for session in self.store.sessions().iter() {
            self.timers.start_clock(Instant::EPOCH, session);
        }
        for (path, ttl) in self.agent_checks.with_ttl() {
            let timer = Timer::CheckTtl(path.0.clone(), path.1.clone());
            self.timers.deadlines.set(timer, Instant::EPOCH.after(ttl));
        }
        if let Some(newest) = self.store.kv().newest_tombstone() {
            self.timers.hint_tombstone(Instant::EPOCH, newest);
        }
    }
}

impl Engine {
    /// From now on there is a record of everything, until it is taken.
    pub fn keep_records(&mut self) {
        let agent_checks = self.agent_checks.clone();
        self.recorder = Some(Recorder { records: Vec::new(), agent_checks });
    }

    /// What was done since the records were last taken.
    pub fn take_records(&mut self) -> Vec<Record> {
        let Some(recorder) = &mut self.recorder else { return Vec::new() };
        let mut records = core::mem::take(&mut recorder.records);
        if recorder.agent_checks != self.agent_checks {
            recorder.agent_checks = self.agent_checks.clone();
            records.push(Record::AgentChecks(self.agent_checks.clone()));
        }
        records
    }

    pub(super) fn record(&mut self, command: &Command) {
        if let Some(recorder) = &mut self.recorder {
            let record = Record::Logged { index: self.index, command: command.clone() };
            recorder.records.push(record);
        }
    }
}

impl Snapshot {
    /// Does again what was done.
    pub fn redo(&mut self, record: Record) -> Result<(), OutOfOrder> {
        match record {
            Record::Logged { index, command } => {
                if index != self.index.next() {
                    return Err(OutOfOrder { last: self.index, found: index });
                }
                self.index = index;
                // An entry that was refused then is refused again, and changes as little.
                let _ = self.store.apply(index, &command, &mut Vec::new());
            }
            Record::AgentChecks(checks) => self.agent_checks = checks,
        }
        Ok(())
    }

    /// The last index of the log.
    pub fn index(&self) -> Index {
        self.index
    }
}
