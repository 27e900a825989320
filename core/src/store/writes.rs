//! Writes that span tables: registering and deregistering, sessions and prepared queries. A check
//! that becomes critical or is removed ends the sessions that are bound to it; so does the removal
//! of a node.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, CheckStatus, Deregistration, Node, NodeUpdate, Registration};
use super::change::{Change, Changes};
use super::prepared_query::{PreparedQuery, QueryDefinition};
use super::session::Session;
use super::state::Store;
use crate::error::{Cause, Error};
use crate::id::{Folded, Key, QueryId, SessionId, SessionRef};

/// What the checks that follow a session report of it.
#[derive(Clone, Copy)]
enum SessionState {
    InForce,
    Ended,
}

/// A step of the end of a session.
enum EndStep {
    /// The session ends, for this cause.
    End(SessionId, Cause),
    /// The check shows that the session, which it follows, has ended.
    UpdateFollower(Arc<Check>, SessionId),
}

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
            Deregistration::Imported => {}
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
            let follows_sessions =
                self.version.rules().has_session_checks && check.is_of_sessions();
            if check.is_critical() && !follows_sessions {
                return Err(Error::CriticalCheck(id.clone()));
            }
        }
        let session = Arc::new(Session { create_index: changes.at, ..session.clone() });
        self.sessions.insert(changes.at, session.clone());
        changes.push(Change::SessionCreated(session.clone()));
        for check in self.followers(&session) {
            self.update_follower(changes, &check, session.id, SessionState::InForce);
        }
        Ok(())
    }

    /// The checks that follow a session (V22-09).
    fn followers(&self, session: &Session) -> Vec<Arc<Check>> {
        if !self.version.rules().has_session_checks {
            return Vec::new();
        }
        let node = session.node.folded();
        let checks = self.catalog.checks_of(&node);
        checks.filter(|check| check.follows(&session.name)).cloned().collect()
    }

    /// Writes the state of a session into a check that follows it. The check keeps its own indexes.
    fn update_follower(
        &mut self,
        changes: &mut Changes,
        check: &Check,
        session: SessionId,
        state: SessionState,
    ) {
        let (status, is) = match state {
            SessionState::InForce => (CheckStatus::Passing, "in force"),
            SessionState::Ended => (CheckStatus::Critical, "is invalid"),
        };
        let output = Arc::from(format!("Session '{session}' {is}"));
        let check = Check { status, output, ..check.clone() };
        self.catalog.put_following_check(changes, &check, session);
    }

    /// Ends a session if it exists. All causes end sessions here (DST-02, CAT-12), in one log
    /// entry, so that all keys that it held get one index (DST-05, IDX-13).
    ///
    /// The checks that follow the session become critical, after the sessions that are bound to
    /// them have ended (V22-11). One of these may be followed by the same check, which then shows
    /// the session that ended first. A stack takes the place of recursion, as chains of sessions
    /// can have any length.
    pub(super) fn end_session(&mut self, changes: &mut Changes, id: SessionId, cause: Cause) {
        let mut steps = Vec::from([EndStep::End(id, cause)]);
        while let Some(step) = steps.pop() {
            let (id, cause) = match step {
                EndStep::End(id, cause) => (id, cause),
                EndStep::UpdateFollower(check, ended) => {
                    self.update_follower(changes, &check, ended, SessionState::Ended);
                    continue;
                }
            };
            let Some(session) = self.end_one_session(changes, id, cause) else { continue };
            for check in self.followers(&session).into_iter().rev() {
                let (node, path) = check.path();
                let cause = Cause::FollowedSessionEnded { check: check.id.clone(), session: id };
                let bound = self.sessions.linked(&node, &path).into_iter().rev();
                steps.push(EndStep::UpdateFollower(check, id));
                steps.extend(bound.map(|id| EndStep::End(id, cause.clone())));
            }
        }
    }

    fn end_one_session(
        &mut self,
        changes: &mut Changes,
        id: SessionId,
        cause: Cause,
    ) -> Option<Arc<Session>> {
        let session = self.sessions.remove(changes.at, id)?;
        let held: Vec<Key> = self.kv.held_by(id).cloned().collect();
        let ended = Change::SessionEnded { session: session.clone(), cause, held: held.clone() };
        changes.push(ended);
        for key in &held {
            self.kv.let_go(changes, key, session.behavior);
        }
        self.queries.delete_bound_to(changes, id);
        Some(session)
    }

    /// Stores a prepared query. No other query may have its name, in any case, its session must
    /// exist, and a template must be one (PQ-01, PQ-05, PQ-07, PQ-08).
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
        let is_template = definition.is_template();
        let nameless = self.queries.nameless_template();
        if is_template && name.is_empty() && nameless.is_some_and(|owner| owner != id) {
            return Err(Error::NamelessTemplateExists);
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
        if is_template {
            definition.rendered(name).map_err(Error::InvalidTemplate)?;
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
