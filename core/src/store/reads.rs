//! Reading the store: each answer carries the index that a blocking query compares (IDX). Nothing
//! waits here. Reads of what only an agent or the engine has find nothing.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, Node, Service};
use super::query::{Found, Query};
use super::state::Store;
use crate::id::{Folded, Index, Key, NodeName};

impl Store {
    /// Answers a query from the present state, with the index of the records that were read.
    pub fn read(&self, query: &Query) -> (Index, Found) {
        match query {
            Query::Key(key) => self.read_key(key),
            Query::Tree(prefix) => {
                let entries = self.kv.with_prefix(prefix.as_str()).cloned().collect();
                (self.kv.prefix_index(prefix.as_str()), Found::Entries(entries))
            }
            Query::Keys { prefix, separator } => {
                let keys = self.keys(prefix.as_str(), separator.as_deref());
                (self.kv.prefix_index(prefix.as_str()), Found::Keys(keys))
            }
            Query::Session(session) => {
                let found = session.id().and_then(|id| self.sessions.get(id)).cloned();
                (self.sessions.table_index(), Found::Session(found))
            }
            Query::Sessions => {
                let all = self.sessions.iter().cloned().collect();
                (self.sessions.table_index(), Found::Sessions(all))
            }
            Query::SessionsOfNode(node) => {
                let of_node = self.sessions.on_node(&node.folded()).cloned().collect();
                (self.sessions.table_index(), Found::Sessions(of_node))
            }
            Query::PreparedQueries => {
                let all = self.queries.iter().cloned().collect();
                (self.queries.table_index(), Found::PreparedQueries(all))
            }
            Query::PreparedQuery(text) => {
                let found = self.queries.find(text).cloned();
                (self.queries.table_index(), Found::PreparedQuery(found))
            }
            Query::Explain(text) => {
                let found = self.queries.resolve(text).ok().flatten();
                (self.queries.table_index(), Found::PreparedQuery(found))
            }
            Query::Execute { query, limit } => {
                let found = self.queries.resolve(query).ok().flatten().map(|query| {
                    let instances = self.execute(&query, *limit);
                    (query, instances)
                });
                (self.queries.table_index(), Found::Execution(found))
            }
            Query::Filtered { query, filter } => {
                let (index, found) = self.read(query);
                (index, self.filtered(found, filter))
            }
            Query::UserEvents(_) => (Index::ZERO, Found::UserEvents(Vec::new())),
            Query::CaRoots => (Index::ZERO, Found::CaRoots),
            Query::OwnService { .. } => (Index::ZERO, Found::Services(Vec::new())),
            _ => self.read_catalog(query),
        }
    }

    /// A key has its own index; a missing key has that of the table (IDX-01, IDX-02).
    fn read_key(&self, key: &Key) -> (Index, Found) {
        match self.kv.get(key.as_str()) {
            Some(entry) => (entry.modify_index, Found::Entry(Some(entry.clone()))),
            None => (self.kv.table_index(), Found::Entry(None)),
        }
    }

    /// Keys cut after the first separator past the prefix, without repetitions (GET-09). The
    /// answer has the index of all keys under the prefix (IDX-06).
    fn keys(&self, prefix: &str, separator: Option<&str>) -> Vec<Key> {
        let under = self.kv.with_prefix(prefix).map(|entry| &entry.key);
        let Some(separator) = separator.filter(|text| !text.is_empty()) else {
            return under.cloned().collect();
        };
        let mut keys: Vec<Key> = Vec::new();
        for key in under {
            let cut = cut_after(key, prefix.len(), separator);
            if keys.last().is_none_or(|last| last.as_str() != cut) {
                keys.push(Key::from(cut));
            }
        }
        keys
    }

    fn read_catalog(&self, query: &Query) -> (Index, Found) {
        let at = self.catalog.indexes();
        let checks_where = |wanted: &dyn Fn(&Check) -> bool| {
            let found = self.catalog.checks().filter(|check| wanted(check)).cloned().collect();
            (at.checks, Found::Checks(found))
        };
        match query {
            Query::Node(name) => self.read_node(name),
            Query::Services => {
                (at.services, Found::Services(self.with_nodes(self.catalog.services())))
            }
            Query::Service(name) => {
                let index = at.of_service(name, at.nodes.max(at.services));
                (index, Found::Instances(self.with_nodes(self.services_named(name))))
            }
            Query::ServiceHealth(name) => {
                let index = at.of_service(name, at.nodes.max(at.services).max(at.checks));
                (index, Found::ServiceHealth(self.instances(self.services_named(name))))
            }
            Query::Mesh(name) => {
                let found = self.with_nodes(self.services_in_mesh(name));
                let tables = at.nodes.max(at.services);
                let index = if found.is_empty() {
                    at.without_instances(tables)
                } else {
                    at.of_instances(name).unwrap_or(tables)
                };
                (index, Found::Instances(found))
            }
            Query::MeshHealth(name) => {
                let found = self.instances(self.services_in_mesh(name));
                let names = found.iter().filter_map(|it| at.of_instances(&it.service.name));
                let tables = at.nodes.max(at.services).max(at.checks);
                let index = names.max().unwrap_or_else(|| at.without_instances(tables));
                (index, Found::ServiceHealth(found))
            }
            Query::ChecksOfNode(node) => {
                let found = self.catalog.checks_of(&node.folded()).cloned().collect();
                (at.checks, Found::Checks(found))
            }
            Query::ChecksOfService(name) => {
                let name = Folded::new(name);
                checks_where(&|check| Folded::new(&check.service_name) == name)
            }
            Query::ChecksInState(state) => checks_where(&|check| {
                state == "any" || check.status.as_str().eq_ignore_ascii_case(state)
            }),
            _ => (at.nodes, Found::Nodes(self.catalog.nodes().cloned().collect())),
        }
    }

    /// Each service with its node.
    fn with_nodes<'a>(
        &self,
        services: impl Iterator<Item = &'a Arc<Service>>,
    ) -> Vec<(Arc<Node>, Arc<Service>)> {
        let with_node = |service: &Arc<Service>| {
            let node = self.catalog.node(&service.node.folded())?;
            Some((node.clone(), service.clone()))
        };
        services.filter_map(with_node).collect()
    }

    fn read_node(&self, name: &NodeName) -> (Index, Found) {
        let path = name.folded();
        let Some(node) = self.catalog.node(&path) else {
            return (self.catalog.indexes().removal, Found::Node(None));
        };
        let services = self.catalog.services_of(&path).cloned().collect();
        let at = self.catalog.indexes();
        (at.nodes.max(at.services), Found::Node(Some((node.clone(), services))))
    }
}

/// The part of a key up to the first separator past the prefix, or all of it.
fn cut_after<'a>(key: &'a Key, prefix: usize, separator: &str) -> &'a str {
    let text = key.as_str();
    match text[prefix..].find(separator) {
        Some(at) => &text[..prefix + at + separator.len()],
        None => text,
    }
}
