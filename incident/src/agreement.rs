//! Whether lists that were read one after the other are of one state of the cluster.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use lictor_core::id::SessionRef;

use crate::incident::Incident;
use crate::semaphore;

/// What answers rest on. If it is the same in two readings of a cluster, it did not change between
/// them: each change of a key has a higher index, and the id of a session never returns. So there
/// was a moment at which all of it held together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedState {
    /// The keys, each with the indexes of its creation and of its last change.
    keys: Vec<(String, [u64; 2])>,
    /// The sessions that hold a key or a slot, and whether each was listed.
    holders: BTreeMap<String, bool>,
    /// The status of each check on which these rest.
    checks: BTreeMap<(String, String), String>,
}

impl Incident {
    /// What the answers rest on that must be of one moment.
    pub fn shared_state(&self) -> SharedState {
        let keys = self
            .entries()
            .map(|entry| (entry.key.clone(), [entry.create_index, entry.modify_index]));
        let holders = self.holders();
        let rests = |node: &str, check: &str| {
            let mut sessions = holders.iter().filter_map(|id| self.session(id));
            sessions.any(|it| it.node == node && it.all_checks().any(|one| one == check))
        };
        let checks = self.checks.iter().filter(|check| rests(&check.node, &check.check_id));
        let checks = checks
            .map(|check| ((check.node.clone(), check.check_id.clone()), check.status.clone()));
        SharedState {
            keys: keys.collect(),
            checks: checks.collect(),
            holders: holders.iter().map(|id| (id.clone(), self.session(id).is_some())).collect(),
        }
    }

    /// The keys that exist by the last list that covers each, with the session that holds each, in
    /// the order of their names.
    pub fn keys(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.entries().map(|entry| (entry.key.as_str(), entry.session.as_deref()))
    }

    /// The nodes of the sessions that hold a key or a slot of a semaphore.
    pub fn nodes_of_holders(&self) -> BTreeSet<&str> {
        let holders = self.holders();
        let sessions = self.sessions.iter().filter(|(id, _)| holders.contains(*id));
        let nodes = sessions.map(|(_, session)| session.node.as_str());
        nodes.filter(|node| !node.is_empty()).collect()
    }

    fn holders(&self) -> BTreeSet<String> {
        let of_keys = self.entries().filter_map(|entry| entry.session.clone());
        let documents = self.entries().filter_map(semaphore::document);
        let of_slots = documents.flat_map(|document| {
            document.holders.iter().map(SessionRef::as_str).map(String::from).collect::<Vec<_>>()
        });
        of_keys.chain(of_slots).collect()
    }
}
