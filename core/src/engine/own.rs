//! The records that a server keeps of itself from the start.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Config;
use crate::id::{CheckId, Index, NodeName, ServiceId};
use crate::message::SERF_HEALTH;
use crate::store::catalog::{Check, Node, NodeUpdate, Registration, Service};

/// The server's own node as it stands after a start: with its gossip check and its own service.
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

/// The check that gossip keeps for each node (CAT-10).
pub fn serf_health(node: &NodeName) -> Check {
    Check {
        node: node.clone(),
        id: CheckId::from(SERF_HEALTH),
        name: Arc::from("Serf Health Status"),
        status: Arc::from("passing"),
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
