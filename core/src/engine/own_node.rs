//! A server's own records in the catalog: its node, its service `consul` and its `serfHealth`
//! check. server.rs registers them in a new server; restart.rs does if they are missing or not
//! healthy.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::input::Config;
use crate::id::{CheckId, Index, NodeName, ServiceId};
use crate::message::SERF_HEALTH;
use crate::store::catalog::{Check, CheckStatus, Node, NodeUpdate, Registration, Service};

/// The registration of the server's own node, with its service and its gossip check.
pub(super) fn own_node(config: &Config) -> Registration {
    let node = config.node.clone();
    Registration {
        service: Some(Service {
            node: node.clone(),
            id: ServiceId::from("consul"),
            name: Arc::from("consul"),
            tags: Some(Vec::new()),
            address: Arc::default(),
            meta: None,
            port: 8300,
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
        }),
        checks: Vec::from([serf_health(&node)]),
        node: Node {
            name: node,
            id: Arc::default(),
            address: Arc::from(config.address.as_str()),
            tagged_addresses: None,
            meta: None,
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
        },
        node_update: NodeUpdate::Write,
    }
}

/// The check that gossip maintains for each node (CAT-10).
pub fn serf_health(node: &NodeName) -> Check {
    Check {
        node: node.clone(),
        id: CheckId::from(SERF_HEALTH),
        name: Arc::from("Serf Health Status"),
        status: CheckStatus::Passing,
        notes: Arc::default(),
        output: Arc::from("Agent alive and reachable"),
        service: None,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::default(),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
