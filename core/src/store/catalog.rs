//! The catalog: nodes, their services and their health checks. What sessions hang on: a check that
//! turns critical or goes, and a node that goes, end the sessions bound to them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::Store;
use super::change::Change;
use crate::error::{Cause, Error};
use crate::id::{CheckId, Folded, Index, NodeName, ServiceId, go_quoted};

/// The check that gossip keeps for each node; sessions hang on it by default (SES-01).
pub const SERF_HEALTH: &str = "serfHealth";

/// Text pairs such as a node's metadata; `None` prints as `null`.
pub type Pairs = Option<BTreeMap<Arc<str>, Arc<str>>>;

/// A registered machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    pub name: NodeName,
    pub id: Arc<str>,
    pub address: Arc<str>,
    pub tagged_addresses: Pairs,
    pub meta: Pairs,
    pub create_index: Index,
    pub modify_index: Index,
}

/// A service on a node. Sessions are never linked to a service itself (CAT-08).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    pub node: NodeName,
    pub id: ServiceId,
    pub name: Arc<str>,
    pub tags: Option<Vec<Arc<str>>>,
    pub address: Arc<str>,
    pub meta: Pairs,
    pub port: i64,
    pub create_index: Index,
    pub modify_index: Index,
}

/// A health check of a node, or of one of its services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    pub node: NodeName,
    pub id: CheckId,
    pub name: Arc<str>,
    /// `passing`, `warning`, `critical`, or any other text that was sent.
    pub status: Arc<str>,
    pub notes: Arc<str>,
    pub output: Arc<str>,
    /// Empty for a check of the node itself.
    pub service: Option<ServiceId>,
    pub service_name: Arc<str>,
    pub service_tags: Option<Vec<Arc<str>>>,
    /// How the agent runs the check (`ttl`), empty when it was only registered.
    pub kind: Arc<str>,
    pub create_index: Index,
    pub modify_index: Index,
}

/// One call to register: a node with any services and checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    pub node: Node,
    /// Whether the node's own record is left as it is (CAT-06).
    pub node_update: NodeUpdate,
    pub service: Option<Service>,
    pub checks: Vec<Check>,
}

/// Whether a registration writes its node's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeUpdate {
    Write,
    Skip,
}

/// What a call to deregister names (CAT-05).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deregistration {
    Service(NodeName, ServiceId),
    Check(NodeName, CheckId),
    Node(NodeName),
}

/// Nodes, services and checks; names are matched without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    nodes: BTreeMap<Folded, Arc<Node>>,
    services: BTreeMap<(Folded, Folded), Arc<Service>>,
    checks: BTreeMap<(Folded, Folded), Arc<Check>>,
    indexes: CatalogIndexes,
}

/// The last change of each table of the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogIndexes {
    pub nodes: Index,
    pub services: Index,
    pub checks: Index,
}

impl Check {
    pub const CRITICAL: &'static str = "critical";

    pub fn is_critical(&self) -> bool {
        &*self.status == Self::CRITICAL
    }
}

impl Catalog {
    pub(super) fn rows(&self) -> usize {
        self.nodes.len() + self.services.len() + self.checks.len()
    }

    pub fn node(&self, name: &Folded) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    pub fn service(&self, node: &Folded, id: &Folded) -> Option<&Arc<Service>> {
        self.services.get(&(node.clone(), id.clone()))
    }

    pub fn services(&self) -> impl Iterator<Item = &Arc<Service>> {
        self.services.values()
    }

    pub fn services_of<'a>(&'a self, node: &'a Folded) -> impl Iterator<Item = &'a Arc<Service>> {
        of_node(&self.services, node)
    }

    pub fn check(&self, node: &Folded, id: &Folded) -> Option<&Arc<Check>> {
        self.checks.get(&(node.clone(), id.clone()))
    }

    pub fn checks(&self) -> impl Iterator<Item = &Arc<Check>> {
        self.checks.values()
    }

    pub fn checks_of<'a>(&'a self, node: &'a Folded) -> impl Iterator<Item = &'a Arc<Check>> {
        of_node(&self.checks, node)
    }

    /// The checks of one service of a node.
    pub fn checks_of_service<'a>(
        &'a self,
        node: &'a Folded,
        service: &'a Folded,
    ) -> impl Iterator<Item = &'a Arc<Check>> {
        let is_of_service = |id: &ServiceId| id.folded() == *service;
        self.checks_of(node).filter(move |check| check.service.as_ref().is_some_and(is_of_service))
    }

    pub fn indexes(&self) -> CatalogIndexes {
        self.indexes
    }

    pub(super) fn rewind(&mut self, indexes: CatalogIndexes) {
        self.indexes = indexes;
    }

    /// What is at odds with itself: records stand under their own names.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let nodes = self.nodes.iter().all(|(name, node)| *name == node.name.folded());
        let services = self.services.iter().all(|(path, service)| *path == service.path());
        let checks = self.checks.iter().all(|(path, check)| *path == check.path());
        (!(nodes && services && checks)).then_some("a record of the catalog has another name")
    }

    pub(super) fn undo(&mut self, change: &Change) {
        match change {
            Change::NodeWritten { before: Some(node), .. }
            | Change::NodeDeleted { before: node } => {
                self.nodes.insert(node.name.folded(), node.clone());
            }
            Change::NodeWritten { before: None, after } => {
                self.nodes.remove(&after.name.folded());
            }
            Change::ServiceWritten { before: Some(service), .. }
            | Change::ServiceDeleted { before: service } => {
                self.services.insert(service.path(), service.clone());
            }
            Change::ServiceWritten { before: None, after } => {
                self.services.remove(&after.path());
            }
            Change::CheckWritten { before: Some(check), .. }
            | Change::CheckDeleted { before: check } => {
                self.checks.insert(check.path(), check.clone());
            }
            Change::CheckWritten { before: None, after } => {
                self.checks.remove(&after.path());
            }
            _ => {}
        }
    }

    /// The node that has an id, whatever its name.
    fn node_of_id(&self, id: &str) -> Option<&Arc<Node>> {
        self.nodes().find(|node| !id.is_empty() && node.id.eq_ignore_ascii_case(id))
    }

    /// A name belongs to its node while gossip hears from that; one without an id can get one, but
    /// not by a `rename`.
    fn admit_name(&self, node: &Node, rename: Option<&Arc<Node>>) -> Result<(), Error> {
        let path = node.name.folded();
        let Some(owner) = self.node(&path).filter(|owner| owner.id != node.id) else {
            return Ok(());
        };
        let health = self.check(&path, &Folded::new(SERF_HEALTH));
        let is_alive = health.is_some_and(|check| !check.is_critical());
        if !is_alive || (owner.id.is_empty() && rename.is_none()) {
            return Ok(());
        }
        let by = if rename.is_some() { format!(" ({})", node.address) } else { String::new() };
        Err(Error::NodeNameReserved(format!(
            "{}{by}: Node name {} is reserved by node {} with name {} ({})",
            go_quoted(&node.id),
            node.name,
            owner.id,
            owner.name,
            owner.address
        )))
    }

    /// Writes a node unless it is there already.
    fn put_node(
        &mut self,
        at: Index,
        (node, renamed): (&Node, Option<&Arc<Node>>),
        changes: &mut Vec<Change>,
    ) {
        let path = node.name.folded();
        let before = self.nodes.get(&path).cloned();
        let Some(after) = renewed(renamed.or(before.as_ref()).map(|old| &**old), node, at) else {
            return;
        };
        let after = Arc::new(after);
        self.nodes.insert(path, after.clone());
        self.indexes.nodes = at;
        changes.push(Change::NodeWritten { before, after });
    }

    /// Writes a service unless it is there already; its node must be.
    pub(super) fn set_service(
        &mut self,
        at: Index,
        service: &Service,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let path = service.path();
        self.node(&path.0).ok_or(Error::MissingNode)?;
        let before = self.services.get(&path).cloned();
        let Some(after) = renewed(before.as_deref(), service, at) else { return Ok(()) };
        let after = Arc::new(after);
        self.services.insert(path, after.clone());
        self.indexes.services = at;
        self.indexes.nodes = at;
        changes.push(Change::ServiceWritten { before, after });
        Ok(())
    }

    /// Removes a service; its checks are the caller's to remove before it.
    fn remove_service(&mut self, at: Index, path: &(Folded, Folded), changes: &mut Vec<Change>) {
        if let Some(before) = self.services.remove(path) {
            self.indexes.services = at;
            self.indexes.nodes = at;
            changes.push(Change::ServiceDeleted { before });
        }
    }

    /// Completes a check with the name and tags of its service, which must be there.
    fn completed(&self, check: &Check) -> Result<Check, Error> {
        if check.id.is_empty() {
            return Err(Error::NamelessCheck);
        }
        let node = check.node.folded();
        self.node(&node).ok_or(Error::MissingNode)?;
        let mut check = check.clone();
        if let Some(id) = &check.service {
            let service = self.service(&node, &id.folded());
            let service = service.ok_or(Error::MissingService)?;
            check.service_name = service.name.clone();
            check.service_tags.clone_from(&service.tags);
        }
        Ok(check)
    }

    fn put_check(&mut self, at: Index, check: &Check, changes: &mut Vec<Change>) {
        let path = check.path();
        let before = self.checks.get(&path).cloned();
        let Some(after) = renewed(before.as_deref(), check, at) else { return };
        let after = Arc::new(after);
        self.checks.insert(path, after.clone());
        self.indexes.checks = at;
        changes.push(Change::CheckWritten { before, after });
    }
}

impl Store {
    /// Registers a node with its service and checks (CAT-01, CAT-02, CAT-04). After an error the
    /// caller takes back what was done before it.
    pub(super) fn register(
        &mut self,
        at: Index,
        registration: &Registration,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let node = &registration.node;
        let is_known = self.catalog.node(&node.name.folded()).is_some();
        if registration.node_update == NodeUpdate::Write || !is_known {
            self.set_node(at, node, changes)?;
        }
        if let Some(service) = &registration.service {
            self.catalog.set_service(at, service, changes)?;
        }
        for check in &registration.checks {
            self.set_check(at, check, changes)?;
        }
        Ok(())
    }

    /// Writes a node. One that has its id under another name is renamed: it goes first, with all
    /// that hung on it (CAT-05).
    pub(super) fn set_node(
        &mut self,
        at: Index,
        node: &Node,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let same = self.catalog.node_of_id(&node.id).cloned();
        let renamed = same.as_ref().filter(|old| old.name.folded() != node.name.folded());
        if !node.id.is_empty() && (same.is_none() || renamed.is_some()) {
            self.catalog.admit_name(node, renamed)?;
        }
        if let Some(old) = renamed {
            self.remove_node(at, &old.name.folded(), changes);
        }
        self.catalog.put_node(at, (node, renamed), changes);
        Ok(())
    }

    /// Removes what is named and ends what hung on it; what is absent is no error (CAT-05, CAT-06).
    pub(super) fn deregister(
        &mut self,
        at: Index,
        target: &Deregistration,
        changes: &mut Vec<Change>,
    ) {
        match target {
            Deregistration::Service(node, id) => {
                self.remove_service(at, &(node.folded(), id.folded()), changes);
            }
            Deregistration::Check(node, id) => {
                self.remove_check(at, &(node.folded(), id.folded()), changes);
            }
            Deregistration::Node(node) => self.remove_node(at, &node.folded(), changes),
        }
    }

    /// Stores a check. A critical one ends its sessions each time it is stored, changed or not
    /// (CAT-04); any other status ends none and revives none (CAT-03).
    pub(super) fn set_check(
        &mut self,
        at: Index,
        check: &Check,
        changes: &mut Vec<Change>,
    ) -> Result<(), Error> {
        let check = self.catalog.completed(check)?;
        self.catalog.put_check(at, &check, changes);
        if check.is_critical() {
            let (node, id) = check.path();
            for session in self.sessions.linked(&node, &id) {
                self.end_session(at, session, Cause::CheckCritical(check.id.clone()), changes);
            }
        }
        Ok(())
    }

    pub(super) fn remove_service(
        &mut self,
        at: Index,
        path: &(Folded, Folded),
        changes: &mut Vec<Change>,
    ) {
        let checks = self.catalog.checks_of_service(&path.0, &path.1);
        let checks: Vec<_> = checks.map(|check| check.path()).collect();
        for check in &checks {
            self.remove_check(at, check, changes);
        }
        self.catalog.remove_service(at, path, changes);
    }

    pub(super) fn remove_check(
        &mut self,
        at: Index,
        path: &(Folded, Folded),
        changes: &mut Vec<Change>,
    ) {
        let Some(before) = self.catalog.checks.remove(path) else { return };
        self.catalog.indexes.checks = at;
        let cause = Cause::CheckRemoved(before.id.clone());
        changes.push(Change::CheckDeleted { before });
        for session in self.sessions.linked(&path.0, &path.1) {
            self.end_session(at, session, cause.clone(), changes);
        }
    }

    /// CAT-07: services with their checks, other checks, the node, then the sessions that are left.
    pub(super) fn remove_node(&mut self, at: Index, name: &Folded, changes: &mut Vec<Change>) {
        let services: Vec<_> = self.catalog.services_of(name).map(|s| s.path()).collect();
        for service in &services {
            self.remove_service(at, service, changes);
        }
        let checks: Vec<_> = self.catalog.checks_of(name).map(|check| check.path()).collect();
        for check in &checks {
            self.remove_check(at, check, changes);
        }
        let Some(before) = self.catalog.nodes.remove(name) else { return };
        self.catalog.indexes.nodes = at;
        changes.push(Change::NodeDeleted { before });
        let sessions: Vec<_> = self.sessions.on_node(name).map(|session| session.id).collect();
        for session in sessions {
            self.end_session(at, session, Cause::NodeRemoved, changes);
        }
    }
}

impl Service {
    /// Whether its address stands for all of them, which leads nowhere.
    pub fn is_anywhere(&self) -> bool {
        matches!(&*self.address, "0.0.0.0" | "::" | "[::]")
    }

    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}

impl Check {
    pub fn path(&self) -> (Folded, Folded) {
        (self.node.folded(), self.id.folded())
    }
}

/// A record that carries the name of its node, and the indexes of its birth and last change.
trait Record: Clone + PartialEq {
    fn stamp(&mut self) -> (&mut NodeName, &mut Index, &mut Index);
}

macro_rules! record {
    ($($record:ty: $node:ident),*) => {$(
        impl Record for $record {
            fn stamp(&mut self) -> (&mut NodeName, &mut Index, &mut Index) {
                (&mut self.$node, &mut self.create_index, &mut self.modify_index)
            }
        }
    )*};
}

record!(Node: name, Service: node, Check: node);

/// The record to store, or none if what is stored says the same, be it of a node in another
/// spelling (S3).
fn renewed<R: Record>(before: Option<&R>, wanted: &R, at: Index) -> Option<R> {
    let mut after = wanted.clone();
    let (name, create, modify) = after.stamp();
    (*create, *modify) = (at, at);
    if let Some(before) = before {
        let mut old = before.clone();
        let (old_name, created, modified) = old.stamp();
        (*create, *modified) = (*created, at);
        if old_name.folded() == name.folded() {
            *old_name = name.clone();
        }
        if old == after {
            return None;
        }
    }
    Some(after)
}

fn of_node<'a, R>(
    records: &'a BTreeMap<(Folded, Folded), Arc<R>>,
    node: &'a Folded,
) -> impl Iterator<Item = &'a Arc<R>> {
    let from = records.range((node.clone(), Folded::new(""))..);
    from.take_while(move |((of, _), _)| of == node).map(|(_, record)| record)
}
