//! Snapshots: the state of a server that survives a restart, and the records that lead from one
//! snapshot to the next. A log entry that is out of order is refused.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::agent_checks::AgentChecks;
use crate::id::Index;
use crate::store::{Command, Store};

/// The state of a server that survives its restart: the store with its tombstones, and the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub(super) index: Index,
    pub(super) store: Store,
    /// A real agent keeps its checks in files of its own (CAT-09).
    pub(super) agent_checks: AgentChecks,
}

/// One step from a snapshot to a later one; [`Snapshot::redo`] applies it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SnapshotRecord {
    /// One log entry.
    Logged {
        /// Its index: one above that of the entry before.
        index: Index,
        /// What it does.
        command: Command,
    },
    /// All checks of agents, each time one is added or removed.
    AgentChecks(AgentChecks),
}

/// A record that does not continue the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("log entry {found} follows entry {last}")]
pub struct OutOfOrder {
    last: Index,
    found: Index,
}

/// Collects the records since they were last taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recorder {
    pub(super) records: Vec<SnapshotRecord>,
    /// The checks of agents in the records so far.
    pub(super) agent_checks: AgentChecks,
}

impl Snapshot {
    /// Applies a record. On an error the snapshot is unchanged.
    pub fn redo(&mut self, record: SnapshotRecord) -> Result<(), OutOfOrder> {
        match record {
            SnapshotRecord::Logged { index, command } => {
                if index != self.index.next() {
                    return Err(OutOfOrder { last: self.index, found: index });
                }
                self.index = index;
                // An entry that the server refused is refused here too, and changes nothing.
                let _ = self.store.apply(index, &command);
            }
            SnapshotRecord::AgentChecks(checks) => self.agent_checks = checks,
        }
        Ok(())
    }

    /// The index of the last log entry.
    pub fn index(&self) -> Index {
        self.index
    }
}
