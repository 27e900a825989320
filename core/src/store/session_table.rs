//! All live sessions, found by id, by node and by check.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::session::Session;
use crate::id::{Folded, Index, SessionId};

/// A record whose removal or failure ends a session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum SessionLink {
    Node(Folded),
    Check(Folded, Folded),
}

/// All sessions, by id, by node and by check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    by_id: BTreeMap<SessionId, Arc<Session>>,
    /// The records that each session is bound to.
    links: BTreeSet<(SessionLink, SessionId)>,
    /// The last creation or end of any session (SES-30).
    index: Index,
}

impl Session {
    fn links(&self) -> impl Iterator<Item = SessionLink> {
        let node = self.node.folded();
        let check_node = node.clone();
        let checks = self
            .enforced_checks()
            .map(move |id| SessionLink::Check(check_node.clone(), id.folded()));
        iter::once(SessionLink::Node(node)).chain(checks)
    }
}

impl Sessions {
    /// The session with an id.
    pub fn get(&self, id: SessionId) -> Option<&Arc<Session>> {
        self.by_id.get(&id)
    }

    /// All sessions in the order of their ids (SES-32).
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.by_id.values()
    }

    /// The sessions on a node, in the order of their ids.
    pub fn on_node(&self, node: &Folded) -> impl Iterator<Item = &Arc<Session>> {
        self.on(SessionLink::Node(node.clone())).filter_map(|id| self.by_id.get(&id))
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is no session.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The log entry that created or ended a session last.
    pub fn table_index(&self) -> Index {
        self.index
    }

    /// The sessions that are bound to a check of a node.
    pub(super) fn linked(&self, node: &Folded, check: &Folded) -> Vec<SessionId> {
        self.on(SessionLink::Check(node.clone(), check.clone())).collect()
    }

    /// The first invariant that the table violates: an index that is too new, or a lookup by
    /// node and check that differs from the sessions.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let mut again = Self { index: self.index, ..Self::default() };
        for session in self.by_id.values() {
            again.place(session.clone());
            if session.create_index > self.index {
                return Some("a session is newer than its table");
            }
        }
        (again != *self).then_some("a session is not found by its node and checks")
    }

    pub(super) fn undo(&mut self, change: &Change) {
        match change {
            Change::SessionCreated(session) => {
                self.take(session.id);
            }
            Change::SessionEnded { session, .. } => self.place(session.clone()),
            _ => {}
        }
    }

    pub(super) fn rewind(&mut self, index: Index) {
        self.index = index;
    }

    /// The sessions with a link, in the order of their ids.
    fn on(&self, link: SessionLink) -> impl Iterator<Item = SessionId> {
        let from = (link.clone(), SessionId::FIRST);
        self.links.range(from..).take_while(move |(linked, _)| *linked == link).map(|(_, id)| *id)
    }

    fn place(&mut self, session: Arc<Session>) {
        self.links.extend(session.links().map(|link| (link, session.id)));
        self.by_id.insert(session.id, session);
    }

    /// Puts a session in place with its own index, and returns one that had its id.
    pub(super) fn restore(&mut self, session: Arc<Session>) -> Option<Arc<Session>> {
        let replaced = self.take(session.id);
        self.index = self.index.max(session.create_index);
        self.place(session);
        replaced
    }

    /// Adds a new session.
    pub(super) fn insert(&mut self, at: Index, session: Arc<Session>) {
        self.place(session);
        self.index = at;
    }

    /// Removes a session that ends.
    pub(super) fn remove(&mut self, at: Index, id: SessionId) -> Option<Arc<Session>> {
        let session = self.take(id)?;
        self.index = at;
        Some(session)
    }

    fn take(&mut self, id: SessionId) -> Option<Arc<Session>> {
        let session = self.by_id.remove(&id)?;
        for link in session.links() {
            self.links.remove(&(link, id));
        }
        Some(session)
    }
}
