//! The health checks that agents run themselves, with their TTLs. They are not part of the catalog:
//! agent_endpoints.rs changes both, and restart.rs starts their timers again.

use alloc::collections::BTreeMap;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::Folded;

/// The TTL of each check of an agent, by node and check id; none for a check without TTL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChecks(BTreeMap<(Folded, Folded), Option<Duration>>);

impl AgentChecks {
    pub(super) fn contains(&self, path: &(Folded, Folded)) -> bool {
        self.0.contains_key(path)
    }

    /// The TTL of a check, if the agent runs it and it has one.
    pub(super) fn ttl(&self, path: &(Folded, Folded)) -> Option<Duration> {
        self.0.get(path).copied().flatten()
    }

    /// Adds or replaces a check; returns whether the agent already ran it.
    pub(super) fn insert(&mut self, path: (Folded, Folded), ttl: Option<Duration>) -> bool {
        self.0.insert(path, ttl).is_some()
    }

    pub(super) fn remove(&mut self, path: &(Folded, Folded)) {
        self.0.remove(path);
    }

    /// The checks that expire unless they are updated.
    pub(super) fn with_ttl(&self) -> impl Iterator<Item = (&(Folded, Folded), Duration)> {
        self.0.iter().filter_map(|(path, ttl)| Some((path, (*ttl)?)))
    }
}
