//! The configuration of a server: its node, its datacenter, its limits and the version of Consul
//! that it answers as.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::NodeName;
use crate::store::catalog::Pairs;
use crate::version::ConsulVersion;

/// The configuration of a server. [`Config::default`] is a server `n1` of the newest version;
/// change its fields for another one.
///
/// ```
/// use lictor_core::engine::Config;
/// use lictor_core::{Consul, ConsulVersion};
///
/// let mut config = Config::default();
/// config.version = ConsulVersion::V1_13;
/// let consul = Consul::with_config(config, 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Config {
    /// The version of Consul whose answers the server gives.
    #[serde(default = "ConsulVersion::unnamed")]
    pub version: ConsulVersion,
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
    /// Whether keys with any name are served, with a warning (V22-03). In versions that check no
    /// names it has no effect.
    #[serde(default)]
    pub disable_kv_key_validation: bool,
    /// Whether the service mesh is enabled, so that there is a root certificate; `None` for the
    /// default of the version.
    #[serde(default)]
    pub connect: Option<bool>,
    /// Whether requests may register checks that run a script, as with Consul's key
    /// `enable_script_checks`. Such a check keeps the state in which it was registered.
    #[serde(default)]
    pub script_checks: bool,
    /// The largest number of blocking queries that may wait at the same time.
    pub parked_max: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self::of(ConsulVersion::default())
    }
}

impl Config {
    /// The default configuration of a server of a version.
    pub fn of(version: ConsulVersion) -> Self {
        Self {
            version,
            node: NodeName::from("n1"),
            node_id: String::new(),
            node_meta: None,
            address: "127.0.0.1".into(),
            datacenter: "dc1".into(),
            session_ttl_min: Duration::from_secs(10),
            disable_kv_key_validation: false,
            connect: None,
            script_checks: false,
            parked_max: 65_536,
        }
    }

    /// Whether the service mesh is enabled.
    pub(crate) fn has_connect(&self) -> bool {
        self.connect.unwrap_or(self.version.rules().enables_connect)
    }

    /// The addresses under which Consul lists a node that has an id; others are listed without.
    pub(crate) fn tagged_addresses(&self) -> Pairs {
        let family = if self.address.contains(':') { "ipv6" } else { "ipv4" };
        let names = ["lan", "wan"].map(|net| [net.into(), format!("{net}_{family}")]);
        let address: Arc<str> = Arc::from(self.address.as_str());
        let tagged = names.into_iter().flatten().map(|name| (name.into(), address.clone()));
        (!self.node_id.is_empty()).then(|| tagged.collect())
    }
}
