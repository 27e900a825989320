//! What goes into the engine: its configuration and the inputs of `Engine::step` (server.rs). What
//! comes out is in event.rs.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{NodeName, RequestId};
use crate::message::Request;
use crate::store::catalog::Pairs;

/// The configuration of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// The server's own node, registered from the start with a passing `serfHealth`.
    pub node: NodeName,
    /// The id of that node, a UUID; empty for a node without one.
    pub node_id: String,
    /// The metadata of that node.
    pub node_meta: Pairs,
    /// The address of that node, without a port.
    pub address: String,
    /// The name of the datacenter, the only one that requests can reach.
    pub datacenter: String,
    /// The shortest TTL of a session (SES-15, TTL-09).
    pub session_ttl_min: Duration,
    /// The largest number of blocking queries that may wait at the same time.
    pub parked_max: usize,
}

/// One input of [`Engine::step`](super::Engine::step).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// Only time passes.
    Tick,
    /// A client asks for something.
    Request {
        /// Chosen by the caller; no waiting query may have the same.
        id: RequestId,
        /// What the client asks for.
        request: Request,
    },
    /// The caller of a blocking query no longer waits for its answer.
    Cancel(RequestId),
    /// Another server becomes leader (TTL-05, DLY-09).
    Failover,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            node: NodeName::from("n1"),
            node_id: String::new(),
            node_meta: None,
            address: "127.0.0.1".into(),
            datacenter: "dc1".into(),
            session_ttl_min: Duration::from_secs(10),
            parked_max: 65_536,
        }
    }
}

impl Config {
    /// The addresses under which Consul lists a node that has an id; others are listed without.
    pub(super) fn tagged_addresses(&self) -> Pairs {
        let family = if self.address.contains(':') { "ipv6" } else { "ipv4" };
        let names = ["lan", "wan"].map(|net| [net.into(), format!("{net}_{family}")]);
        let address: Arc<str> = Arc::from(self.address.as_str());
        let tagged = names.into_iter().flatten().map(|name| (name.into(), address.clone()));
        (!self.node_id.is_empty()).then(|| tagged.collect())
    }
}

/// A mistake of the caller of [`Engine::step`](super::Engine::step): the input is not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum InputError {
    /// The id of a request is that of a blocking query that still waits.
    #[error("request id {0} belongs to a blocking query that still waits")]
    RequestIdInUse(RequestId),
}
