//! Definitions of prepared queries, which end with the session that they are bound to.
//! query_table.rs stores them, discovery.rs executes them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::Pairs;
use crate::id::{Index, QueryId, SessionId};

/// A stored definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedQuery {
    pub id: QueryId,
    pub definition: QueryDefinition,
    pub create_index: Index,
    pub modify_index: Index,
}

/// What a caller sends, and reads back (PQ-01).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct QueryDefinition {
    pub name: String,
    pub session: String,
    pub token: String,
    pub template: Template,
    pub service: ServiceQuery,
    #[serde(rename = "DNS")]
    pub dns: Dns,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct Template {
    #[serde(rename = "Type")]
    pub kind: String,
    pub regexp: String,
    pub remove_empty_tags: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct ServiceQuery {
    pub service: String,
    pub failover: Failover,
    pub only_passing: bool,
    #[serde(rename = "IgnoreCheckIDs")]
    pub ignore_check_ids: Option<Vec<String>>,
    pub near: String,
    pub tags: Option<Vec<String>>,
    pub node_meta: Pairs,
    pub service_meta: Pairs,
    pub connect: bool,
    pub peer_name: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase", deny_unknown_fields)]
pub struct Failover {
    pub nearest_n: i64,
    pub datacenters: Option<Vec<String>>,
    pub targets: Option<Vec<Pairs>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dns {
    #[serde(rename = "TTL")]
    pub ttl: String,
}

impl QueryDefinition {
    /// The session whose end deletes the query.
    pub(super) fn bound_to(&self) -> Option<SessionId> {
        SessionId::parse(&self.session)
    }
}
