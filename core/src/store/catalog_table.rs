//! The catalog: the tables of nodes, services and checks. Names are compared without regard to
//! case, and a record that does not change keeps its index. Sessions that depend on a record are
//! not ended here.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, Node, SERF_HEALTH, Service, ServiceAddress, ServicePorts};
use super::change::{Change, Changes};
use super::mesh::{VIRTUAL, VirtualAddresses};
use crate::error::Error;
use crate::id::{Folded, Index, NodeName, ServiceId, SessionId, go_quoted};

/// Nodes, services and checks; names are matched without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalog {
    nodes: BTreeMap<Folded, Arc<Node>>,
    services: BTreeMap<(Folded, Folded), Arc<Service>>,
    checks: BTreeMap<(Folded, Folded), Arc<Check>>,
    indexes: CatalogIndexes,
}

/// The last change of each table of the catalog, and of each service by name; and the virtual
/// addresses, which a failed transaction restores together with the indexes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogIndexes {
    /// The last change of a node.
    pub nodes: Index,
    /// The last change of a service.
    pub services: Index,
    /// The last change of a check.
    pub checks: Index,
    by_service: Arc<BTreeMap<Folded, ServiceIndex>>,
    /// When a service last lost its last instance.
    extinction: Index,
    /// When a node was last removed. A read of a node that does not exist has this index.
    pub(super) removal: Index,
    virtual_addresses: Arc<VirtualAddresses>,
}

/// The last change of a service, and how many instances it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ServiceIndex {
    index: Index,
    instances: usize,
}

impl CatalogIndexes {
    /// The index of a read of one service: when its instances, their checks or nodes last changed.
    /// A service without instances has that of the last extinction, or the given one.
    pub(super) fn of_service(&self, name: &str, otherwise: Index) -> Index {
        self.of_instances(name).unwrap_or_else(|| self.without_instances(otherwise))
    }

    /// The index of a read that finds no instance: that of the last extinction, or the given one.
    pub(super) fn without_instances(&self, otherwise: Index) -> Index {
        if self.extinction > Index::ZERO { self.extinction } else { otherwise }
    }

    /// When the instances of a service, their checks or nodes last changed, if it has some.
    pub(super) fn of_instances(&self, name: &str) -> Option<Index> {
        self.by_service.get(&Folded::new(name)).map(|found| found.index)
    }
}

impl Catalog {
    pub(super) fn rows(&self) -> usize {
        self.nodes.len() + self.services.len() + self.checks.len()
    }

    /// The node with a name.
    pub fn node(&self, name: &Folded) -> Option<&Arc<Node>> {
        self.nodes.get(name)
    }

    /// All nodes in the order of their names.
    pub fn nodes(&self) -> impl Iterator<Item = &Arc<Node>> {
        self.nodes.values()
    }

    /// The service of a node with an id.
    pub fn service(&self, node: &Folded, id: &Folded) -> Option<&Arc<Service>> {
        self.services.get(&(node.clone(), id.clone()))
    }

    /// All services in the order of their nodes and ids.
    pub fn services(&self) -> impl Iterator<Item = &Arc<Service>> {
        self.services.values()
    }

    /// The services of a node in the order of their ids.
    pub fn services_of<'a>(&'a self, node: &'a Folded) -> impl Iterator<Item = &'a Arc<Service>> {
        of_node(&self.services, node)
    }

    /// The check of a node with an id.
    pub fn check(&self, node: &Folded, id: &Folded) -> Option<&Arc<Check>> {
        self.checks.get(&(node.clone(), id.clone()))
    }

    /// All checks in the order of their nodes and ids.
    pub fn checks(&self) -> impl Iterator<Item = &Arc<Check>> {
        self.checks.values()
    }

    /// The checks of a node in the order of their ids.
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

    /// The indexes of the tables and of each service.
    pub fn indexes(&self) -> CatalogIndexes {
        self.indexes.clone()
    }

    pub(super) fn rewind(&mut self, indexes: CatalogIndexes) {
        self.indexes = indexes;
    }

    /// The invariant that records are stored under their own names, if it is violated.
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
            Change::CheckWritten { before: None, after, .. } => {
                self.checks.remove(&after.path());
            }
            _ => {}
        }
    }

    /// The node that has an id, whatever its name; `None` for an empty id.
    pub(super) fn node_of_id(&self, id: &str) -> Option<&Arc<Node>> {
        self.nodes().find(|node| !id.is_empty() && node.id.eq_ignore_ascii_case(id))
    }

    /// Refuses a name that belongs to another node which is alive. A node without an id can get
    /// one, but not by a rename; `renamed` is the node that would be renamed.
    pub(super) fn admit_name(&self, node: &Node, renamed: Option<&Arc<Node>>) -> Result<(), Error> {
        let path = node.name.folded();
        let Some(owner) = self.node(&path).filter(|owner| owner.id != node.id) else {
            return Ok(());
        };
        let health = self.check(&path, &Folded::new(SERF_HEALTH));
        let is_alive = health.is_some_and(|check| !check.is_critical());
        if !is_alive || (owner.id.is_empty() && renamed.is_none()) {
            return Ok(());
        }
        let by = if renamed.is_some() { format!(" ({})", node.address) } else { String::new() };
        Err(Error::NodeNameReserved(format!(
            "{}{by}: Node name {} is reserved by node {} with name {} ({})",
            go_quoted(&node.id),
            node.name,
            owner.id,
            owner.name,
            owner.address
        )))
    }

    /// Inserts a node with the indexes that it has, and returns the one that had its name.
    pub(super) fn restore_node(&mut self, node: Node) -> Option<Arc<Node>> {
        self.indexes.nodes = self.indexes.nodes.max(node.modify_index);
        self.nodes.insert(node.name.folded(), Arc::new(node))
    }

    /// Inserts a check with the indexes that it has, and returns the one that had its id.
    pub(super) fn restore_check(&mut self, check: Check) -> Option<Arc<Check>> {
        self.indexes.checks = self.indexes.checks.max(check.modify_index);
        self.checks.insert(check.path(), Arc::new(check))
    }

    /// Inserts a service with the CreateIndex of its node as its indexes. All nodes and checks must
    /// be restored before.
    pub(super) fn restore_service(&mut self, service: Service) {
        let path = service.path();
        let created = self.node(&path.0).map_or(Index::ZERO, |node| node.create_index);
        let service = Service { create_index: created, modify_index: created, ..service };
        let node = self.node(&path.0).map(|node| node.modify_index);
        let of_service =
            |id: &Option<ServiceId>| id.as_ref().is_none_or(|id| id.folded() == path.1);
        let checks = self.checks_of(&path.0).filter(|check| of_service(&check.service));
        let touched = checks.map(|check| check.modify_index).chain(node).max().unwrap_or(created);
        self.count_instance(&service.name, touched, |instances| instances + 1);
        self.indexes.nodes = self.indexes.nodes.max(created);
        self.indexes.services = self.indexes.services.max(created);
        self.services.insert(path, Arc::new(service));
    }

    /// Writes a node unless it is the same.
    pub(super) fn put_node(
        &mut self,
        changes: &mut Changes,
        node: &Node,
        renamed: Option<&Arc<Node>>,
    ) {
        let path = node.name.folded();
        let before = self.nodes.get(&path).cloned();
        let Some(after) = renewed(renamed.or(before.as_ref()).map(|old| &**old), node, changes.at)
        else {
            return;
        };
        let after = Arc::new(after);
        self.nodes.insert(path.clone(), after.clone());
        self.indexes.nodes = changes.at;
        self.touch_services_of(&path, changes.at);
        changes.push(Change::NodeWritten { before, after });
    }

    /// Writes a service unless it is the same; its metadata must be admissible, and its node exist.
    pub(super) fn set_service(
        &mut self,
        changes: &mut Changes,
        service: &Service,
    ) -> Result<(), Error> {
        if let Some(fault) = service.meta_fault() {
            let (node, service) = (service.node.clone(), service.id.clone());
            return Err(Error::InvalidServiceMeta { node, service, fault });
        }
        let path = service.path();
        self.node(&path.0).ok_or(Error::MissingNode)?;
        let before = self.services.get(&path).cloned();
        let service = self.with_virtual_address(service);
        let Some(after) = renewed(before.as_deref(), &service, changes.at) else { return Ok(()) };
        let after = Arc::new(after);
        self.services.insert(path, after.clone());
        self.indexes.services = changes.at;
        self.indexes.nodes = changes.at;
        self.count_instance(&after.name, changes.at, |instances| instances + 1);
        if let Some(before) = &before {
            self.count_instance(&before.name, changes.at, |instances| instances - 1);
        }
        changes.push(Change::ServiceWritten { before, after });
        Ok(())
    }

    /// A service as it is stored: one of the mesh has the virtual address of the service that it
    /// represents (MSH-06).
    fn with_virtual_address<'a>(&mut self, service: &'a Service) -> Cow<'a, Service> {
        let Some(name) = service.mesh_name() else { return Cow::Borrowed(service) };
        let mut service = service.clone();
        let address = Arc::make_mut(&mut self.indexes.virtual_addresses).of(&name);
        let address = ServiceAddress { address: address.to_string().into(), port: service.port };
        service.tagged_addresses.get_or_insert_default().insert(VIRTUAL.into(), address);
        Cow::Owned(service)
    }

    /// Removes a service. The caller removes its checks first.
    pub(super) fn remove_service(&mut self, changes: &mut Changes, path: &(Folded, Folded)) {
        if let Some(before) = self.services.remove(path) {
            self.indexes.services = changes.at;
            self.indexes.nodes = changes.at;
            self.count_instance(&before.name, changes.at, |instances| instances - 1);
            if self.indexes.of_instances(&before.name).is_none() {
                Arc::make_mut(&mut self.indexes.virtual_addresses).release(&before.name);
            }
            changes.push(Change::ServiceDeleted { before });
        }
    }

    pub(super) fn remove_check(
        &mut self,
        changes: &mut Changes,
        path: &(Folded, Folded),
    ) -> Option<Arc<Check>> {
        let before = self.checks.remove(path)?;
        self.indexes.checks = changes.at;
        self.touch_checked(&before, changes.at);
        changes.push(Change::CheckDeleted { before: before.clone() });
        Some(before)
    }

    /// Removes a node and returns whether it existed. The caller removes its services and checks
    /// first.
    pub(super) fn remove_node(&mut self, changes: &mut Changes, name: &Folded) -> bool {
        let Some(before) = self.nodes.remove(name) else { return false };
        self.indexes.nodes = changes.at;
        self.indexes.removal = changes.at;
        changes.push(Change::NodeDeleted { before });
        true
    }

    /// Completes a check with the name and tags of its service, which must exist. A check without
    /// one keeps those that it was sent with.
    pub(super) fn completed(&self, check: &Check) -> Result<Check, Error> {
        if check.id.is_empty() || check.node.is_empty() {
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

    pub(super) fn put_check(&mut self, changes: &mut Changes, check: &Check) {
        let before = self.checks.get(&check.path()).cloned();
        let Some(after) = renewed(before.as_deref(), check, changes.at) else { return };
        self.replace_check(changes, before, after, None);
    }

    /// Writes a check whose status follows a session. Its own indexes stay, but those of the table
    /// and of its service rise (V22-09).
    pub(super) fn put_following_check(
        &mut self,
        changes: &mut Changes,
        check: &Check,
        session: SessionId,
    ) {
        let before = self.checks.get(&check.path()).cloned();
        self.replace_check(changes, before, check.clone(), Some(session));
    }

    fn replace_check(
        &mut self,
        changes: &mut Changes,
        before: Option<Arc<Check>>,
        after: Check,
        followed: Option<SessionId>,
    ) {
        let after = Arc::new(after);
        self.checks.insert(after.path(), after.clone());
        self.indexes.checks = changes.at;
        self.touch_checked(&after, changes.at);
        changes.push(Change::CheckWritten { before, after, followed });
    }

    /// Raises the index of what a check is about: its service, or all services of its node.
    fn touch_checked(&mut self, check: &Check, at: Index) {
        match &check.service {
            Some(_) => self.touch_service(&check.service_name, at),
            None => self.touch_services_of(&check.node.folded(), at),
        }
    }

    fn touch_services_of(&mut self, node: &Folded, at: Index) {
        let names: Vec<_> = self.services_of(node).map(|service| service.name.clone()).collect();
        names.iter().for_each(|name| self.touch_service(name, at));
    }

    fn touch_service(&mut self, name: &str, at: Index) {
        self.count_instance(name, at, |instances| instances);
    }

    /// Raises the index of a service whose number of instances changes. One without instances is
    /// extinct and has no index.
    fn count_instance(&mut self, name: &str, at: Index, count: impl Fn(usize) -> usize) {
        let name = Folded::new(name);
        let by_service = Arc::make_mut(&mut self.indexes.by_service);
        let instances = count(by_service.get(&name).copied().unwrap_or_default().instances);
        if instances > 0 {
            by_service.insert(name, ServiceIndex { index: at, instances });
        } else if by_service.remove(&name).is_some() {
            self.indexes.extinction = at;
        }
    }
}

/// A record with the name of its node and the indexes of its creation and last change.
trait CatalogRecord: Clone + PartialEq {
    fn stamp(&mut self) -> (&mut NodeName, &mut Index, &mut Index);

    /// Copies from another record the fields that are not compared: alone they make no change
    /// (MSH-08, CAT-14).
    fn take_uncompared(&mut self, other: &Self);
}

/// Whether two lists have the same names with the same numbers, in any order. Which port is the
/// default one is not compared (V22-20).
fn has_same_ports(one: &ServicePorts, other: &ServicePorts) -> bool {
    let numbers = |ports: &ServicePorts| {
        let ports = ports.iter().flatten();
        ports.map(|port| (port.name.clone(), port.port)).collect::<BTreeMap<_, _>>()
    };
    numbers(one) == numbers(other)
}

macro_rules! record {
    ($($record:ty: $node:ident, [$($uncompared:ident),*]
        $(, $($compared:ident by $is_same:ident),*)?;)*) => {$(
        impl CatalogRecord for $record {
            fn stamp(&mut self) -> (&mut NodeName, &mut Index, &mut Index) {
                (&mut self.$node, &mut self.create_index, &mut self.modify_index)
            }

            fn take_uncompared(&mut self, other: &Self) {
                $(self.$uncompared.clone_from(&other.$uncompared);)*
                $($(if $is_same(&self.$compared, &other.$compared) {
                    self.$compared.clone_from(&other.$compared);
                })*)?
            }
        }
    )*};
}

record! {
    Node: name, [locality];
    Service: node, [socket_path, locality], ports by has_same_ports;
    Check: node, [kind, interval, timeout, exposed_port];
}

/// The record to store, or `None` if the stored one is the same apart from the case of its node's
/// name and from fields that are not compared.
fn renewed<R: CatalogRecord>(before: Option<&R>, wanted: &R, at: Index) -> Option<R> {
    let mut after = wanted.clone();
    let (_, create, modify) = after.stamp();
    (*create, *modify) = (at, at);
    if let Some(before) = before {
        let mut old = before.clone();
        old.take_uncompared(&after);
        let (name, create, _) = after.stamp();
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
    from.take_while(move |((name, _), _)| name == node).map(|(_, record)| record)
}
