//! A server's own records in the catalog: its node, its service `consul` and its `serfHealth`
//! check.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::config::Config;
use crate::id::{CheckId, NodeName, ServiceId};
use crate::message::SERF_HEALTH;
use crate::store::catalog::{Check, CheckStatus, Node, NodeUpdate, Registration, Service};

/// The id of the service of a server.
pub(super) const CONSUL: &str = "consul";

/// The registration of the server's own node, with its service and its gossip check.
pub(super) fn own_node(config: &Config) -> Registration {
    let node = config.node.clone();
    Registration {
        service: Some(own_service(config)),
        checks: Vec::from([serf_health(&node)]),
        node: Node {
            name: node,
            id: Arc::from(config.node_id.as_str()),
            address: Arc::from(config.address.as_str()),
            tagged_addresses: config.tagged_addresses(),
            meta: config.node_meta.clone(),
            ..Node::default()
        },
        node_update: NodeUpdate::Write,
    }
}

/// The service of the server's own node.
pub(super) fn own_service(config: &Config) -> Service {
    let meta = [
        ("non_voter", "false"),
        ("raft_version", "3"),
        ("read_replica", "false"),
        ("serf_protocol_current", "2"),
        ("serf_protocol_max", "5"),
        ("serf_protocol_min", "1"),
        ("version", config.version.release()),
    ];
    Service {
        node: config.node.clone(),
        id: ServiceId::from(CONSUL),
        name: Arc::from(CONSUL),
        meta: Some(meta.map(|(name, value)| (Arc::from(name), Arc::from(value))).into()),
        port: 8300,
        ..Service::default()
    }
}

/// The check that gossip maintains for each node (CAT-10).
pub fn serf_health(node: &NodeName) -> Check {
    Check {
        node: node.clone(),
        id: CheckId::from(SERF_HEALTH),
        name: Arc::from("Serf Health Status"),
        status: CheckStatus::Passing,
        output: Arc::from("Agent alive and reachable"),
        ..Check::default()
    }
}
