//! Definitions of prepared queries, which end with the session that they are bound to.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::Pairs;
use crate::id::{Index, QueryId, SessionId};

/// A stored definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedQuery {
    /// Its id, by which clients find it.
    pub id: QueryId,
    /// What it looks for.
    pub definition: QueryDefinition,
    /// The log entry that created it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// What a caller sends, and reads back (PQ-01).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryDefinition {
    /// A name by which it is found too; empty for none.
    pub name: String,
    /// The id of the session with which it ends; empty for none.
    pub session: String,
    /// The token of its executions; without effect, as there are no ACLs.
    pub token: String,
    /// Whether it answers for other names too.
    pub template: Template,
    /// The service to look for.
    pub service: ServiceQuery,
    /// How DNS answers are given.
    pub dns: Dns,
}

/// How one query answers for many names (PQ-08).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct Template {
    /// `name_prefix_match`, or empty for an ordinary query.
    #[serde(rename = "Type")]
    pub kind: String,
    /// A regular expression whose groups the definition can use.
    pub regexp: String,
    /// Whether tags that become empty are left out.
    pub remove_empty_tags: bool,
}

/// The instances that a query looks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceQuery {
    /// The name of the service.
    pub service: String,
    /// A group of clusters, which only Consul Enterprise has.
    pub sameness_group: String,
    /// Where to look if there is no instance.
    pub failover: Failover,
    /// Whether an instance with a check that warns is left out.
    pub only_passing: bool,
    /// Checks that do not count.
    pub ignore_check_ids: Option<Vec<String>>,
    /// The node by whose distance instances are sorted; without effect.
    pub near: String,
    /// Tags that an instance must have, or must not have after a `!`.
    pub tags: Option<Vec<String>>,
    /// Metadata that its node must have.
    pub node_meta: Pairs,
    /// Metadata that the instance must have.
    pub service_meta: Pairs,
    /// Whether proxies of the service mesh are looked for.
    pub connect: bool,
    /// The peer from which the service is imported.
    pub peer: String,
}

/// Other datacenters in which a query looks. They are stored, and have no effect here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failover {
    /// How many of the nearest ones to try; 0 for none.
    pub nearest_n: i64,
    /// Their names, in the order in which they are tried.
    pub datacenters: Option<Vec<String>>,
    /// Datacenters and peers, in the order in which they are tried.
    pub targets: Option<Vec<Target>>,
}

/// A datacenter or a peer in which a query looks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The name of the peer; empty for none.
    pub peer: String,
    /// The name of the datacenter; empty for none.
    pub datacenter: String,
}

/// How DNS answers of a query are given. There is no DNS here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    /// How long an answer may be cached, as a Go duration.
    #[serde(rename = "TTL")]
    pub ttl: String,
}

impl QueryDefinition {
    /// The session whose end deletes the query.
    pub(super) fn bound_to(&self) -> Option<SessionId> {
        SessionId::parse(&self.session)
    }
}
