//! Takes a [`Snapshot`] of a server, with the records of what follows it, and starts a server from
//! one (IDX-12), as Consul does when its process is started again. Time and the TTL of each session
//! and of each agent's check begin anew. Lock-delays, blocking queries, user events and the reasons
//! why sessions ended are not in a snapshot, so they are lost.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::event::EngineStep;
use super::own_node::{own_node, serf_health};
use super::server::Engine;
use super::snapshot::{Recorder, Snapshot, SnapshotRecord};
use super::timers::Timer;
use crate::config::Config;
use crate::store::Command;
use crate::time::Instant;

impl Engine {
    /// A server whose time begins at 0 with the state of a snapshot. It registers its own node if
    /// the snapshot lacks that node, or has it with another address or another health.
    pub fn restart(config: Config, seed: u64, snapshot: Snapshot) -> Self {
        let mut engine = Self::new(config, seed);
        engine.index = snapshot.index;
        engine.store = snapshot.store;
        engine.store.set_version(engine.config.version);
        engine.agent_checks = snapshot.agent_checks;
        engine.start_clocks();
        if !engine.is_registered() {
            let own = Command::Register(Box::new(own_node(&engine.config)));
            let mut step = EngineStep::at(Instant::EPOCH);
            let registered = engine.log(&mut step, &own);
            registered.expect("a node with its own service and check is complete");
        }
        engine
    }

    /// The state that survives a restart of this server.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            index: self.index,
            store: self.store.clone(),
            agent_checks: self.agent_checks.clone(),
        }
    }

    /// Whether the catalog has the server's own node as it registers itself.
    fn is_registered(&self) -> bool {
        let health = serf_health(&self.config.node);
        let (node, check) = health.path();
        let catalog = self.store.catalog();
        let is_there = catalog.node(&node).is_some_and(|own| *own.address == *self.config.address);
        is_there && catalog.check(&node, &check).is_some_and(|kept| kept.status == health.status)
    }

    /// Starts all TTLs in full at time 0, and waits the full time again for all tombstones.
    pub(super) fn start_clocks(&mut self) {
        for session in self.store.sessions().iter() {
            self.timers.start_clock(Instant::EPOCH, session);
        }
        for (path, ttl) in self.agent_checks.with_ttl() {
            let timer = Timer::CheckTtl(path.0.clone(), path.1.clone());
            self.timers.deadlines.set(timer, Instant::EPOCH.plus(ttl));
        }
        if let Some(newest) = self.store.kv().newest_tombstone() {
            self.timers.hint_tombstone(Instant::EPOCH, newest);
        }
    }
}

impl Engine {
    /// Starts to collect a [`SnapshotRecord`] of each log entry, for [`Engine::take_records`].
    pub fn keep_records(&mut self) {
        let agent_checks = self.agent_checks.clone();
        self.recorder = Some(Recorder { records: Vec::new(), agent_checks });
    }

    /// The records since they were last taken; none without [`Engine::keep_records`].
    pub fn take_records(&mut self) -> Vec<SnapshotRecord> {
        let Some(recorder) = &mut self.recorder else { return Vec::new() };
        let mut records = core::mem::take(&mut recorder.records);
        if recorder.agent_checks != self.agent_checks {
            recorder.agent_checks = self.agent_checks.clone();
            records.push(SnapshotRecord::AgentChecks(self.agent_checks.clone()));
        }
        records
    }

    /// Adds the latest log entry to the records, if they are kept.
    pub(super) fn record(&mut self, command: &Command) {
        if let Some(recorder) = &mut self.recorder {
            let record = SnapshotRecord::Logged { index: self.index, command: command.clone() };
            recorder.records.push(record);
        }
    }
}
