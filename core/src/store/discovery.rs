//! Service discovery: the instances of a service with their checks, the filters of catalog reads,
//! and the execution of prepared queries. Nothing is sorted by distance, as there are no network
//! coordinates.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::catalog::{Check, CheckStatus, Node, Pairs, Service};
use super::prepared_query::{PreparedQuery, ServiceQuery};
use super::query::{Filter, Found, Instance};
use super::state::Store;
use crate::id::{Folded, NodeName};

impl Store {
    /// The instances of a service, whose name matches in any letter case.
    pub(super) fn services_named(&self, name: &str) -> impl Iterator<Item = &Arc<Service>> {
        let name = Folded::new(name);
        self.catalog.services().filter(move |service| Folded::new(&service.name) == name)
    }

    /// The services through which clients in the mesh reach a service, whose name matches in any
    /// letter case: its proxies, and instances without proxies (MSH-05).
    pub(super) fn services_in_mesh(&self, name: &str) -> impl Iterator<Item = &Arc<Service>> {
        let name = Folded::new(name);
        let is_reached = move |service: &Service| {
            service.mesh_name().is_some_and(|known| Folded::new(&known) == name)
        };
        self.catalog.services().filter(move |service| is_reached(service))
    }

    /// Services with their checks: those of the node first.
    pub(super) fn instances<'a>(
        &self,
        services: impl Iterator<Item = &'a Arc<Service>>,
    ) -> Vec<Instance> {
        let instance = |service: &Arc<Service>| {
            let (node, id) = service.path();
            let of_node = self.catalog.checks_of(&node).filter(|check| check.service.is_none());
            let of_service = self.catalog.checks_of_service(&node, &id);
            Some(Instance {
                node: self.catalog.node(&node)?.clone(),
                service: service.clone(),
                checks: of_node.chain(of_service).cloned().collect(),
            })
        };
        services.filter_map(instance).collect()
    }

    /// Of what was found, the rows that fulfil a filter.
    pub(super) fn filtered(&self, found: Found, filter: &Filter) -> Found {
        let has_meta = |node: &Node| {
            filter.node_meta.iter().all(|(key, value)| has_pair(&node.meta, key, value))
        };
        let on_node =
            |name: &NodeName| self.catalog.node(&name.folded()).is_some_and(|it| has_meta(it));
        let has_tags =
            |service: &Service| filter.tags.iter().flatten().all(|tag| has_tag(service, tag));
        match found {
            Found::Nodes(nodes) => {
                Found::Nodes(nodes.into_iter().filter(|node| has_meta(node)).collect())
            }
            Found::Services(all) => {
                Found::Services(all.into_iter().filter(|(node, _)| has_meta(node)).collect())
            }
            Found::Checks(checks) => {
                Found::Checks(checks.into_iter().filter(|it| on_node(&it.node)).collect())
            }
            Found::Instances(all) => {
                let wanted =
                    all.into_iter().filter(|(node, service)| has_meta(node) && has_tags(service));
                Found::Instances(wanted.collect())
            }
            Found::ServiceHealth(all) => {
                let wanted =
                    all.into_iter().filter(|it| has_meta(&it.node) && has_tags(&it.service));
                let mut wanted: Vec<_> = wanted.collect();
                if filter.only_passing {
                    keep_passing(&mut wanted);
                }
                Found::ServiceHealth(wanted)
            }
            other => other,
        }
    }

    /// What a prepared query finds (PQ-06). Consul shuffles the instances; here they stay in the
    /// order of the catalog.
    pub(super) fn execute(&self, query: &PreparedQuery, limit: u64) -> Vec<Instance> {
        let wanted = &query.definition.service;
        let mut found = if !wanted.peer.is_empty() {
            // Nothing is imported from other clusters.
            Vec::new()
        } else if wanted.connect {
            self.instances(self.services_in_mesh(&wanted.service))
        } else {
            self.instances(self.services_named(&wanted.service))
        };
        found.retain(|instance| is_wanted(instance, wanted));
        if limit > 0 {
            found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        found
    }
}

/// Removes the instances with a check that does not pass, as Consul does: the last one takes the
/// place of one that is removed.
fn keep_passing(instances: &mut Vec<Instance>) {
    let mut at = 0;
    while let Some(instance) = instances.get(at) {
        if instance.checks.iter().all(|check| is_passing(check)) {
            at += 1;
        } else {
            instances.swap_remove(at);
        }
    }
}

fn is_wanted(instance: &Instance, wanted: &ServiceQuery) -> bool {
    let is_ignored = |check: &Check| {
        let mut ignored = wanted.ignore_check_ids.iter().flatten();
        ignored.any(|id| *id == check.id.as_str())
    };
    let is_healthy = |check: &Arc<Check>| {
        is_ignored(check) || (!check.is_critical() && (!wanted.only_passing || is_passing(check)))
    };
    let has_pairs = |pairs: &Pairs, wanted: &Pairs| {
        wanted.iter().flatten().all(|(key, value)| has_pair(pairs, key, value))
    };
    let fits = |tag: &String| match tag.strip_prefix('!') {
        Some(unwanted) => !has_tag(&instance.service, unwanted),
        None => has_tag(&instance.service, tag),
    };
    instance.checks.iter().all(is_healthy)
        && has_pairs(&instance.node.meta, &wanted.node_meta)
        && has_pairs(&instance.service.meta, &wanted.service_meta)
        && wanted.tags.iter().flatten().all(fits)
}

fn is_passing(check: &Check) -> bool {
    check.status == CheckStatus::Passing
}

fn has_pair(pairs: &Pairs, key: &str, value: &str) -> bool {
    pairs.as_ref().and_then(|pairs| pairs.get(key)).is_some_and(|found| **found == *value)
}

fn has_tag(service: &Service, wanted: &str) -> bool {
    let wanted = Folded::new(wanted);
    service.tags.iter().flatten().any(|tag| Folded::new(tag) == wanted)
}
