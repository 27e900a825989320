//! The records of a running cluster as plain lists with their own indexes, and the store that they
//! make. Records that contradict each other are refused.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::catalog::{Check, CheckDefinition, CheckStatus, Node, Pairs, Service};
use super::kv::{Entry, Hold};
use super::session::{Behavior, ServiceCheck, Session, SessionTtl};
use super::state::Store;
use crate::id::{CheckId, Index, Key, NodeName, ServiceId, SessionId, SessionRef};
use crate::time::Instant;
use crate::version::ConsulVersion;

/// Higher indexes are refused, so that there is room for all entries that a server can log.
const INDEX_MAX: Index = Index(u64::MAX / 2);

/// A node of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeState {
    /// Its name.
    pub name: NodeName,
    /// A UUID; empty for a node without one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub id: Arc<str>,
    /// Its address.
    #[serde(default, skip_serializing_if = "is_default")]
    pub address: Arc<str>,
    /// Further addresses.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tagged_addresses: Pairs,
    /// Metadata.
    #[serde(default, skip_serializing_if = "is_default")]
    pub meta: Pairs,
    /// The log entry that registered it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// A health check of a node, or of one of its services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckState {
    /// The node.
    pub node: NodeName,
    /// Its id.
    pub id: CheckId,
    /// Its name, for people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Arc<str>,
    /// Its last result.
    pub status: CheckStatus,
    /// A description, for people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notes: Arc<str>,
    /// What its last run printed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub output: Arc<str>,
    /// The id of its service; `None` for a check of the node itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service: Option<ServiceId>,
    /// The name of that service.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service_name: Arc<str>,
    /// The tags of that service.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service_tags: Option<Vec<Arc<str>>>,
    /// How it is run (`ttl`, `session`); empty when it was only registered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: Arc<str>,
    /// The name of the sessions that a check of the type `session` follows (V22-09).
    #[serde(default, skip_serializing_if = "is_default")]
    pub session_name: Arc<str>,
    /// The log entry that registered it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// A live session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionState {
    /// Its id.
    pub id: SessionId,
    /// Its name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Arc<str>,
    /// Its node.
    pub node: NodeName,
    /// Nanoseconds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lock_delay: i64,
    /// What its end does to its keys.
    #[serde(default, skip_serializing_if = "is_default")]
    pub behavior: Behavior,
    /// Its TTL; empty for none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ttl: SessionTtl,
    /// When it ends unless it is renewed; `None` if its TTL has only begun, or if it has none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ends: Option<Instant>,
    /// The checks of its node on which it depends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub node_checks: Option<Vec<CheckId>>,
    /// The checks of services on which it depends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub service_checks: Option<Vec<ServiceCheck>>,
    /// The deprecated list of checks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checks: Option<Vec<CheckId>>,
    /// The log entry that created it.
    pub create_index: Index,
}

/// An entry of the key/value store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryState {
    /// The key.
    pub key: Key,
    /// Any bytes, serialized in base64.
    #[serde(default, with = "base64_text", skip_serializing_if = "is_empty")]
    pub value: Arc<[u8]>,
    /// Opaque to the server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub flags: u64,
    /// How often it was acquired.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lock_index: u64,
    /// The session that holds it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: Option<SessionRef>,
    /// The log entry in which that session acquired it; `None` if that is `modify_index`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub held_since: Option<Index>,
    /// The log entry that created it.
    pub create_index: Index,
    /// The log entry that changed it last.
    pub modify_index: Index,
}

/// The records of a cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Records<'a> {
    pub(crate) nodes: &'a [NodeState],
    pub(crate) checks: &'a [CheckState],
    pub(crate) sessions: &'a [SessionState],
    pub(crate) keys: &'a [EntryState],
}

/// How records contradict each other, or are impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// Two records have the same name or id.
    #[error("there are two records of {0}")]
    Duplicate(String),
    /// A record was changed before it was created, or after the last entry of the log.
    #[error("the indexes of {record} are {create} and {modify}, and the log ends at {log}")]
    Indexes {
        /// The record.
        record: String,
        /// When it was created.
        create: Index,
        /// When it was changed last.
        modify: Index,
        /// The last entry of the log.
        log: Index,
    },
    /// A record names another one that does not exist.
    #[error("{record} names {missing}, of which there is no record")]
    Missing {
        /// The record.
        record: String,
        /// What it names.
        missing: String,
    },
    /// A deadline has passed, or is later than the time that its record allows.
    #[error("the deadline of {record} is {at}, which is not within the next {limit} s")]
    Deadline {
        /// The record.
        record: String,
        /// The deadline.
        at: Instant,
        /// The longest time to it in seconds.
        limit: u64,
    },
    /// A number is larger than a server can count on, or a TTL is negative.
    #[error("{0} has a number that is out of range")]
    OutOfRange(String),
}

impl Contradiction {
    /// Fails if the record has replaced another one.
    pub(crate) fn if_replaced<T>(replaced: Option<T>, record: String) -> Result<(), Self> {
        replaced.map_or(Ok(()), |_| Err(Self::Duplicate(record)))
    }
}

impl Store {
    /// A store with these records. Its services are the one of the server itself and those that
    /// checks name; there are no tombstones and no prepared queries. `log` is the last entry.
    pub(crate) fn restored(
        version: ConsulVersion,
        own: &Service,
        records: Records<'_>,
        log: Index,
    ) -> Result<Self, Contradiction> {
        if log > INDEX_MAX {
            return Err(Contradiction::OutOfRange("the log".into()));
        }
        let mut store = Self::new(version);
        for node in records.nodes {
            let name = described("node", node.name.as_str());
            in_order(&name, node.create_index, node.modify_index, log)?;
            Contradiction::if_replaced(store.catalog.restore_node(Node::from(node)), name)?;
        }
        for check in records.checks {
            let name = described("check", check.id.as_str());
            in_order(&name, check.create_index, check.modify_index, log)?;
            store.needs_node(&name, &check.node)?;
            Contradiction::if_replaced(store.catalog.restore_check(Check::from(check)), name)?;
        }
        store.restore_services(own)?;
        for session in records.sessions {
            let name = described("session", &session.id.to_string());
            in_order(&name, session.create_index, session.create_index, log)?;
            store.needs_node(&name, &session.node)?;
            if session.ttl.nanos() < 0 {
                return Err(Contradiction::OutOfRange(name));
            }
            Contradiction::if_replaced(
                store.sessions.restore(Arc::new(Session::from(session))),
                name,
            )?;
        }
        for entry in records.keys {
            let name = described("key", entry.key.as_str());
            let held_since = entry.held_since.unwrap_or(entry.modify_index);
            in_order(&name, entry.create_index, held_since, log)?;
            in_order(&name, held_since, entry.modify_index, log)?;
            if entry.lock_index > INDEX_MAX.0 {
                return Err(Contradiction::OutOfRange(name));
            }
            if let Some(holder) = &entry.session
                && holder.id().and_then(|id| store.sessions.get(id)).is_none()
            {
                let missing = described("session", holder.as_str());
                return Err(Contradiction::Missing { record: name, missing });
            }
            Contradiction::if_replaced(store.kv.restore(&Arc::new(Entry::from(entry))), name)?;
        }
        Ok(store)
    }

    fn needs_node(&self, record: &str, node: &NodeName) -> Result<(), Contradiction> {
        match self.catalog.node(&node.folded()) {
            Some(_) => Ok(()),
            None => Err(Contradiction::Missing {
                record: record.into(),
                missing: described("node", node.as_str()),
            }),
        }
    }

    /// Adds the service of the server, and those of the checks: each check has the id, the name and
    /// the tags of its service.
    fn restore_services(&mut self, own: &Service) -> Result<(), Contradiction> {
        let node = own.node.folded();
        self.needs_node("the server", &own.node)?;
        let mut services = Vec::from([own.clone()]);
        let mut known = BTreeSet::from([(node, own.id.folded())]);
        for check in self.catalog.checks() {
            let Some(id) = &check.service else { continue };
            if known.insert((check.node.folded(), id.folded())) {
                services.push(Service {
                    node: check.node.clone(),
                    id: id.clone(),
                    name: check.service_name.clone(),
                    tags: check.service_tags.clone(),
                    ..Service::default()
                });
            }
        }
        for service in services {
            self.catalog.restore_service(service);
        }
        Ok(())
    }

    /// The records of the store. `ends` is the deadline of a session.
    pub(crate) fn to_lists(
        &self,
        ends: impl Fn(SessionId) -> Option<Instant>,
    ) -> (Vec<NodeState>, Vec<CheckState>, Vec<SessionState>, Vec<EntryState>) {
        let nodes = self.catalog.nodes().map(|node| NodeState::from(&**node)).collect();
        let checks = self.catalog.checks().map(|check| CheckState::from(&**check)).collect();
        let session = |session: &Arc<Session>| SessionState {
            ends: ends(session.id),
            ..SessionState::from(&**session)
        };
        let sessions = self.sessions.iter().map(session).collect();
        let keys = self.kv.with_prefix("").map(|entry| EntryState::from(&**entry)).collect();
        (nodes, checks, sessions, keys)
    }
}

fn described(kind: &str, name: &str) -> String {
    [kind, name].join(" ")
}

fn in_order(name: &str, create: Index, modify: Index, log: Index) -> Result<(), Contradiction> {
    if create <= modify && modify <= log {
        return Ok(());
    }
    Err(Contradiction::Indexes { record: name.into(), create, modify, log })
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_empty(bytes: &Arc<[u8]>) -> bool {
    bytes.is_empty()
}

mod base64_text {
    use alloc::string::String;
    use alloc::sync::Arc;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    pub(super) fn serialize<S: Serializer>(
        bytes: &Arc<[u8]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        STANDARD.encode(bytes).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Arc<[u8]>, D::Error> {
        let bytes = STANDARD.decode(String::deserialize(input)?);
        bytes.map(Arc::from).map_err(|_| de::Error::custom("the value is not base64"))
    }
}

impl From<&NodeState> for Node {
    fn from(state: &NodeState) -> Self {
        Self {
            name: state.name.clone(),
            id: state.id.clone(),
            address: state.address.clone(),
            tagged_addresses: state.tagged_addresses.clone(),
            meta: state.meta.clone(),
            create_index: state.create_index,
            modify_index: state.modify_index,
            ..Self::default()
        }
    }
}

impl From<&Node> for NodeState {
    fn from(node: &Node) -> Self {
        Self {
            name: node.name.clone(),
            id: node.id.clone(),
            address: node.address.clone(),
            tagged_addresses: node.tagged_addresses.clone(),
            meta: node.meta.clone(),
            create_index: node.create_index,
            modify_index: node.modify_index,
        }
    }
}

impl From<&CheckState> for Check {
    fn from(state: &CheckState) -> Self {
        let definition = (!state.session_name.is_empty()).then(|| {
            let session_name = state.session_name.clone();
            Arc::new(CheckDefinition { session_name, ..CheckDefinition::default() })
        });
        Self {
            node: state.node.clone(),
            id: state.id.clone(),
            name: state.name.clone(),
            status: state.status.clone(),
            notes: state.notes.clone(),
            output: state.output.clone(),
            service: state.service.clone(),
            service_name: state.service_name.clone(),
            service_tags: state.service_tags.clone(),
            kind: state.kind.clone(),
            definition,
            create_index: state.create_index,
            modify_index: state.modify_index,
            ..Self::default()
        }
    }
}

impl From<&Check> for CheckState {
    fn from(check: &Check) -> Self {
        Self {
            node: check.node.clone(),
            id: check.id.clone(),
            name: check.name.clone(),
            status: check.status.clone(),
            notes: check.notes.clone(),
            output: check.output.clone(),
            service: check.service.clone(),
            service_name: check.service_name.clone(),
            service_tags: check.service_tags.clone(),
            kind: check.kind.clone(),
            session_name: check.followed_name().unwrap_or_default().into(),
            create_index: check.create_index,
            modify_index: check.modify_index,
        }
    }
}

impl From<&SessionState> for Session {
    fn from(state: &SessionState) -> Self {
        Self {
            id: state.id,
            name: state.name.clone(),
            node: state.node.clone(),
            lock_delay: state.lock_delay,
            behavior: state.behavior,
            ttl: state.ttl.clone(),
            node_checks: state.node_checks.clone(),
            service_checks: state.service_checks.clone(),
            checks: state.checks.clone(),
            create_index: state.create_index,
        }
    }
}

impl From<&Session> for SessionState {
    fn from(session: &Session) -> Self {
        Self {
            id: session.id,
            name: session.name.clone(),
            node: session.node.clone(),
            lock_delay: session.lock_delay,
            behavior: session.behavior,
            ttl: session.ttl.clone(),
            ends: None,
            node_checks: session.node_checks.clone(),
            service_checks: session.service_checks.clone(),
            checks: session.checks.clone(),
            create_index: session.create_index,
        }
    }
}

impl From<&EntryState> for Entry {
    fn from(state: &EntryState) -> Self {
        let since = state.held_since.unwrap_or(state.modify_index);
        Self {
            key: state.key.clone(),
            value: state.value.clone(),
            flags: state.flags,
            lock_index: state.lock_index,
            hold: state.session.clone().map(|session| Hold { session, since }),
            create_index: state.create_index,
            modify_index: state.modify_index,
        }
    }
}

impl From<&Entry> for EntryState {
    fn from(entry: &Entry) -> Self {
        let since = entry.hold.as_ref().map(|hold| hold.since);
        Self {
            key: entry.key.clone(),
            value: entry.value.clone(),
            flags: entry.flags,
            lock_index: entry.lock_index,
            session: entry.holder().cloned(),
            held_since: since.filter(|since| *since != entry.modify_index),
            create_index: entry.create_index,
            modify_index: entry.modify_index,
        }
    }
}
