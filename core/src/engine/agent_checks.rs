//! The health checks that agents run themselves, and how each one is run. They are not part of the
//! catalog: a deregistration through the catalog does not remove a check from here, as it does not
//! reach the agent (CAT-09).

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::Folded;
use crate::message::CheckRun;
use crate::store::catalog::Check;

/// The checks of agents, by node and check id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChecks(BTreeMap<(Folded, Folded), AgentCheck>);

/// How an agent runs a check, and what of the check it does not send to the catalog if nothing else
/// changes (CAT-14).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AgentCheck {
    run: CheckRun,
    kind: Arc<str>,
    interval: Arc<str>,
    timeout: Arc<str>,
}

impl AgentCheck {
    pub(super) fn new(check: &Check, run: CheckRun) -> Self {
        let Check { kind, interval, timeout, .. } = check.clone();
        Self { run, kind, interval, timeout }
    }
}

impl AgentChecks {
    pub(super) fn contains(&self, path: &(Folded, Folded)) -> bool {
        self.0.contains_key(path)
    }

    /// The TTL of a check, if the agent runs it and it has one.
    pub(super) fn ttl(&self, path: &(Folded, Folded)) -> Option<Duration> {
        self.get(path).and_then(CheckRun::ttl)
    }

    pub(super) fn get(&self, path: &(Folded, Folded)) -> Option<&CheckRun> {
        self.0.get(path).map(|check| &check.run)
    }

    /// A check of the catalog with the type, interval and timeout that its agent has; `None` if no
    /// agent runs it.
    pub(super) fn known(&self, check: &Arc<Check>) -> Option<Arc<Check>> {
        let AgentCheck { kind, interval, timeout, .. } = self.0.get(&check.path())?.clone();
        Some(Arc::new(Check { kind, interval, timeout, ..Check::clone(check) }))
    }

    /// Adds or replaces a check; returns whether the agent already ran it.
    pub(super) fn insert(&mut self, path: (Folded, Folded), check: AgentCheck) -> bool {
        self.0.insert(path, check).is_some()
    }

    pub(super) fn remove(&mut self, path: &(Folded, Folded)) {
        self.0.remove(path);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&(Folded, Folded), &CheckRun)> {
        self.0.iter().map(|(path, check)| (path, &check.run))
    }

    /// The checks that expire unless they are updated.
    pub(super) fn with_ttl(&self) -> impl Iterator<Item = (&(Folded, Folded), Duration)> {
        self.iter().filter_map(|(path, run)| Some((path, run.ttl()?)))
    }
}
