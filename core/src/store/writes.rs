//! Writes that span tables: registering and deregistering, sessions and prepared queries. A check
//! that becomes critical or is removed ends the sessions that are bound to it; so does the removal
//! of a node. state.rs and transactions.rs call this.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, Deregistration, Node, NodeUpdate, Registration};
use super::change::{Change, Changes};
use super::prepared_query::{PreparedQuery, QueryDefinition};
use super::session::Session;
use super::state::Store;
use crate::error::{Cause, Error};
use crate::id::{Folded, Key, QueryId, SessionId, SessionRef};

impl Store {
    /// Registers a node with its service and checks (CAT-01, CAT-02, CAT-04). After an error the
    /// caller undoes the changes before it.
    pub(super) fn register(
        &mut self,
        changes: &mut Changes,
        registration: &Registration,
    ) -> Result<(), Error> {
        let node = &registration.node;
        let is_known = self.catalog.node(&node.name.folded()).is_some();
        if registration.node_update == NodeUpdate::Write || !is_known {
            self.set_node(changes, node)?;
        }
        if let Some(service) = &registration.service {
            self.catalog.set_service(changes, service)?;
        }
        for check in &registration.checks {
            self.set_check(changes, check).map_err(|error| match error {
                Error::NamelessCheck => Error::NamelessCheckOfNode(check.node.clone()),
                other => other,
            })?;
        }
        Ok(())
    }

    /// Writes a node. A node with the same id under another name is renamed: it is removed first,
    /// with everything that belongs to it (CAT-05).
    pub(super) fn set_node(&mut self, changes: &mut Changes, node: &Node) -> Result<(), Error> {
        let same = self.catalog.node_of_id(&node.id).cloned();
        let renamed = same.as_ref().filter(|old| old.name.folded() != node.name.folded());
        if !node.id.is_empty() && (same.is_none() || renamed.is_some()) {
            self.catalog.admit_name(node, renamed)?;
        }
        if let Some(old) = renamed {
            self.remove_node(changes, &old.name.folded());
        }
        self.catalog.put_node(changes, node, renamed);
        Ok(())
    }

    /// Removes a node, service or check and ends the sessions that are bound to it (CAT-05).
    /// Removing one that does not exist is no error (CAT-06).
    pub(super) fn deregister(&mut self, changes: &mut Changes, target: &Deregistration) {
        match target {
            Deregistration::Service(node, id) => {
                self.remove_service(changes, &(node.folded(), id.folded()));
            }
            Deregistration::Check(node, id) => {
                self.remove_check(changes, &(node.folded(), id.folded()));
            }
            Deregistration::Node(node) => self.remove_node(changes, &node.folded()),
        }
    }

    /// Stores a check. A critical one ends its sessions each time it is stored, changed or not
    /// (CAT-04); any other status ends none and revives none (CAT-03).
    pub(super) fn set_check(&mut self, changes: &mut Changes, check: &Check) -> Result<(), Error> {
        let check = self.catalog.completed(check)?;
        self.catalog.put_check(changes, &check);
        if check.is_critical() {
            let (node, id) = check.path();
            for session in self.sessions.linked(&node, &id) {
                self.end_session(changes, session, Cause::CheckCritical(check.id.clone()));
            }
        }
        Ok(())
    }

    pub(super) fn remove_service(&mut self, changes: &mut Changes, path: &(Folded, Folded)) {
        let checks = self.catalog.checks_of_service(&path.0, &path.1);
        let checks: Vec<_> = checks.map(|check| check.path()).collect();
        for check in &checks {
            self.remove_check(changes, check);
        }
        self.catalog.remove_service(changes, path);
    }

    pub(super) fn remove_check(&mut self, changes: &mut Changes, path: &(Folded, Folded)) {
        let Some(before) = self.catalog.remove_check(changes, path) else { return };
        let cause = Cause::CheckRemoved(before.id.clone());
        for session in self.sessions.linked(&path.0, &path.1) {
            self.end_session(changes, session, cause.clone());
        }
    }

    /// Removes services with their checks, other checks, the node, then the sessions that are left
    /// (CAT-07).
    pub(super) fn remove_node(&mut self, changes: &mut Changes, name: &Folded) {
        let services: Vec<_> = self.catalog.services_of(name).map(|s| s.path()).collect();
        for service in &services {
            self.remove_service(changes, service);
        }
        let checks: Vec<_> = self.catalog.checks_of(name).map(|check| check.path()).collect();
        for check in &checks {
            self.remove_check(changes, check);
        }
        if !self.catalog.remove_node(changes, name) {
            return;
        }
        let sessions: Vec<_> = self.sessions.on_node(name).map(|session| session.id).collect();
        for session in sessions {
            self.end_session(changes, session, Cause::NodeRemoved);
        }
    }

    /// Creates a session. Its node and its checks must be registered, and no check critical
    /// (SES-06, SES-25).
    pub(super) fn create_session(
        &mut self,
        changes: &mut Changes,
        session: &Session,
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
        let session = Arc::new(Session { create_index: changes.at, ..session.clone() });
        self.sessions.insert(changes.at, session.clone());
        changes.push(Change::SessionCreated(session));
        Ok(())
    }

    /// Ends a session if it exists. All causes end sessions here (DST-02, CAT-12), in one log
    /// entry, so that all keys that it held get one index (DST-05, IDX-13).
    pub(super) fn end_session(&mut self, changes: &mut Changes, id: SessionId, cause: Cause) {
        let Some(session) = self.sessions.remove(changes.at, id) else { return };
        let held: Vec<Key> = self.kv.held_by(id).cloned().collect();
        let behavior = session.behavior;
        changes.push(Change::SessionEnded { session, cause, held: held.clone() });
        for key in &held {
            self.kv.let_go(changes, key, behavior);
        }
        self.queries.delete_bound_to(changes, id);
    }

    /// Stores a prepared query. No other query may have its name, in any case, and its session must
    /// exist (PQ-01, PQ-05, PQ-07).
    pub(super) fn set_query(
        &mut self,
        changes: &mut Changes,
        id: QueryId,
        definition: &QueryDefinition,
    ) -> Result<(), Error> {
        let name = &definition.name;
        if self.queries.with_name(name).is_some_and(|owner| owner != id) {
            return Err(Error::QueryNameTaken(name.clone()));
        }
        if self.queries.with_id(name).is_some() {
            return Err(Error::QueryNameIsId(name.clone()));
        }
        if !definition.session.is_empty() {
            let known = definition.bound_to().and_then(|session| self.sessions.get(session));
            known.ok_or_else(|| {
                Error::InvalidSession(SessionRef::from(definition.session.as_str()))
            })?;
        }
        let before = self.queries.get(id).cloned();
        let create_index = before.as_ref().map_or(changes.at, |before| before.create_index);
        let definition = definition.clone();
        let after =
            Arc::new(PreparedQuery { id, definition, create_index, modify_index: changes.at });
        self.queries.insert(changes.at, after.clone());
        changes.push(Change::QueryWritten { before, after });
        Ok(())
    }
}
