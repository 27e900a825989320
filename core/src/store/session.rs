//! Sessions: creation, and the single way in which all of them end.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter;

use serde::{Deserialize, Serialize};

use super::Store;
use super::change::Change;
use crate::error::{Cause, Error};
use crate::id::{CheckId, Folded, Index, Key, NodeName, SessionId};
use alloc::collections::{BTreeMap, BTreeSet};

/// A lease that can hold locks, bound to a node and to health checks (SES-27).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub id: SessionId,
    pub name: Arc<str>,
    /// As it was sent; matched without regard to case (SES-09).
    pub node: NodeName,
    /// Nanoseconds, as stored: neither capped nor refused when negative (SES-19, SES-20).
    pub lock_delay: i64,
    pub behavior: Behavior,
    /// Go duration text as it was sent; empty for none (SES-16).
    pub ttl: Arc<str>,
    pub node_checks: Option<Vec<CheckId>>,
    pub service_checks: Option<Vec<ServiceCheck>>,
    /// The deprecated list (SES-21).
    pub checks: Option<Vec<CheckId>>,
    /// A session's ModifyIndex is the same: it never changes (SES-11).
    pub create_index: Index,
}

/// What the end of a session does to the keys that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behavior {
    /// They become free (DST-03).
    Release,
    /// They are deleted (DST-04).
    Delete,
}

/// A check of a service that a session hangs on (SES-24).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceCheck {
    pub id: CheckId,
    pub namespace: Arc<str>,
}

/// Something that a session ends with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Link {
    Node(Folded),
    Check(Folded, Folded),
}

/// All sessions, by id, by node and by check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sessions {
    by_id: BTreeMap<SessionId, Arc<Session>>,
    /// What each session hangs on.
    links: BTreeSet<(Link, SessionId)>,
    /// The last creation or end of any session (SES-30).
    index: Index,
}

impl Session {
    /// SES-24: the checks that keep the session alive, in the order in which they are looked up.
    pub fn enforced_checks(&self) -> impl Iterator<Item = &CheckId> {
        let listed = self.checks.iter().flatten().chain(self.node_checks.iter().flatten());
        listed.chain(self.service_checks.iter().flatten().map(|check| &check.id))
    }
}

impl Session {
    fn links(&self) -> impl Iterator<Item = Link> {
        let node = self.node.folded();
        let of = node.clone();
        let checks = self.enforced_checks().map(move |id| Link::Check(of.clone(), id.folded()));
        iter::once(Link::Node(node)).chain(checks)
    }
}

impl Sessions {
    pub fn get(&self, id: SessionId) -> Option<&Arc<Session>> {
        self.by_id.get(&id)
    }

    /// All sessions in the order of their ids (SES-32).
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.by_id.values()
    }

    /// The sessions on a node, in the order of their ids.
    pub fn on_node(&self, node: &Folded) -> impl Iterator<Item = &Arc<Session>> {
        self.on(Link::Node(node.clone())).filter_map(|id| self.by_id.get(&id))
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub fn table_index(&self) -> Index {
        self.index
    }

    /// The sessions that hang on a check of a node.
    pub(super) fn linked(&self, node: &Folded, check: &Folded) -> Vec<SessionId> {
        self.on(Link::Check(node.clone(), check.clone())).collect()
    }

    /// What is at odds with itself: S2, and what is found by node and check.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let mut again = Self { index: self.index, ..Self::default() };
        for session in self.by_id.values() {
            again.place(session.clone());
            if session.create_index > self.index {
                return Some("S2: a session is newer than its table");
            }
        }
        (again != *self).then_some("a session is not found by what it hangs on")
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
    fn on(&self, link: Link) -> impl Iterator<Item = SessionId> {
        let from = (link.clone(), SessionId::FIRST);
        self.links.range(from..).take_while(move |(of, _)| *of == link).map(|(_, id)| *id)
    }

    fn place(&mut self, session: Arc<Session>) {
        self.links.extend(session.links().map(|link| (link, session.id)));
        self.by_id.insert(session.id, session);
    }

    fn take(&mut self, id: SessionId) -> Option<Arc<Session>> {
        let session = self.by_id.remove(&id)?;
        for link in session.links() {
            self.links.remove(&(link, id));
        }
        Some(session)
    }
}

impl Store {
    /// SES-06, SES-25: the node must be registered, each check too, and none of them critical.
    pub(super) fn create_session(
        &mut self,
        at: Index,
        session: &Arc<Session>,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let node = session.node.folded();
        if self.catalog.node(&node).is_none() {
            return Err(Error::MissingNode);
        }
        for id in session.enforced_checks() {
            if id.is_empty() {
                return Err(Error::EmptyCheckId);
            }
            let check = self.catalog.check(&node, &id.folded());
            let check = check.ok_or_else(|| Error::MissingCheck(id.clone()))?;
            if check.is_critical() {
                return Err(Error::CriticalCheck(id.clone()));
            }
        }
        let session = Arc::new(Session { create_index: at, ..Session::clone(session) });
        self.sessions.place(session.clone());
        self.sessions.index = at;
        changes.push(Change::SessionCreated(session));
        Ok(())
    }

    /// DST-02, CAT-12: all causes end a session here, in one log entry, so that all its keys get
    /// one index (DST-05, IDX-13). False if there is no such session.
    pub(super) fn end_session(
        &mut self,
        at: Index,
        id: SessionId,
        cause: Cause,
        changes: &mut Vec<Change>,
    ) -> bool {
        let Some(session) = self.sessions.take(id) else { return false };
        self.sessions.index = at;
        let held: Vec<Key> = self.kv.held_by(id).cloned().collect();
        let behavior = session.behavior;
        changes.push(Change::SessionEnded { session, cause, held: held.clone() });
        for key in &held {
            self.kv.let_go(at, key, behavior, changes);
        }
        self.queries.delete_bound_to(at, id, changes);
        true
    }
}
