//! Clients: each on a node of its own, so that its health can fail alone.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::engine::serf_health;
use crate::id::{ActorName, Index, NodeName};
use crate::store::catalog::{Node, NodeUpdate, Registration};

/// A client of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub name: ActorName,
    /// The node whose agent it calls.
    pub node: NodeName,
}

/// The catalog entry of an actor's node when it joins: alive and reachable.
pub(super) fn registration(node: &NodeName, place: usize) -> Registration {
    Registration {
        node: Node {
            name: node.clone(),
            id: Arc::default(),
            address: Arc::from(address(place)),
            tagged_addresses: None,
            meta: None,
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
        },
        node_update: NodeUpdate::Write,
        service: None,
        checks: Vec::from([serf_health(node)]),
    }
}

/// Private addresses by the order of joining.
fn address(place: usize) -> alloc::string::String {
    format!("10.0.{}.{}", place / 250, place % 250 + 1)
}
