//! The lists of Consul's HTTP interface and the entries of a decoded snapshot, and how to tell
//! which of them a JSON text is.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::store::SessionTtl;
use lictor_core::store::catalog::{Pairs, SERF_HEALTH};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A session, as `/v1/session/list` returns it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Session {
    #[serde(rename = "ID")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) node: String,
    /// `None` if the list does not have this member, which Consul always writes.
    #[serde(default, deserialize_with = "nanos")]
    pub(crate) lock_delay: Option<Duration>,
    /// `None` likewise.
    #[serde(default)]
    pub(crate) behavior: Option<String>,
    /// `None` likewise. Consul keeps a TTL as it was written; one of zero is none.
    #[serde(default, rename = "TTL")]
    pub(crate) ttl: Option<SessionTtl>,
    /// `None` likewise; a list that Consul writes as null is empty.
    #[serde(default, deserialize_with = "present")]
    pub(crate) node_checks: Option<Vec<String>>,
    /// Consul before 1.7 has only this list.
    #[serde(default, deserialize_with = "present")]
    pub(crate) checks: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) service_checks: Option<Vec<ServiceCheck>>,
    #[serde(default)]
    pub(crate) create_index: u64,
    /// Of Consul Enterprise.
    #[serde(default)]
    pub(crate) namespace: Option<String>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct ServiceCheck {
    #[serde(rename = "ID")]
    pub(crate) id: String,
}

impl Session {
    pub(crate) fn deletes(&self) -> bool {
        self.behavior.as_deref() == Some("delete")
    }

    /// Takes the members that it lacks from another list.
    pub(crate) fn complete(&mut self, other: &Self) {
        self.lock_delay = self.lock_delay.or(other.lock_delay);
        self.behavior = self.behavior.take().or_else(|| other.behavior.clone());
        self.ttl = self.ttl.take().or_else(|| other.ttl.clone());
        self.node_checks = self.node_checks.take().or_else(|| other.node_checks.clone());
        self.checks = self.checks.take().or_else(|| other.checks.clone());
        self.service_checks = self.service_checks.take().or_else(|| other.service_checks.clone());
        if self.node.is_empty() {
            self.node.clone_from(&other.node);
        }
        self.create_index = self.create_index.max(other.create_index);
    }

    /// Its TTL; `None` if it has none, or if the list does not say it.
    pub(crate) fn ttl(&self) -> Option<Duration> {
        self.ttl.as_ref()?.duration()
    }

    /// Whether it ends when its node fails.
    pub(crate) fn rests_on_its_node(&self) -> bool {
        self.all_checks().any(|check| check == SERF_HEALTH)
    }

    /// Whether the lists have all checks that it rests on.
    pub(crate) const fn has_all_checks(&self) -> bool {
        let has_both = self.node_checks.is_some() && self.service_checks.is_some();
        has_both || self.checks.is_some()
    }

    /// Whether it may be on a node: it is, or no list has its node.
    pub(crate) fn may_be_on(&self, node: &str) -> bool {
        self.node.is_empty() || self.node == node
    }

    /// The checks whose failure ends it.
    pub(crate) fn all_checks(&self) -> impl Iterator<Item = &str> {
        let services = self.service_checks.iter().flatten().map(|check| &check.id);
        let nodes = self.node_checks.iter().chain(&self.checks).flatten();
        nodes.chain(services).map(String::as_str)
    }
}

/// A key, as `/v1/kv/?recurse` returns it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(from = "KeyMembers")]
pub(crate) struct KeyEntry {
    pub(crate) key: String,
    pub(crate) lock_index: u64,
    /// A contender of a semaphore refuses a document with other flags than its own.
    pub(crate) flags: u64,
    pub(crate) value: Option<String>,
    pub(crate) session: Option<String>,
    /// Whether the entry says which session holds the key, or that none does.
    pub(crate) is_holder_known: bool,
    /// Whether it has a member for the session, even if that says that there is none.
    pub(crate) has_session_member: bool,
    pub(crate) create_index: u64,
    pub(crate) modify_index: u64,
    /// Of Consul Enterprise.
    pub(crate) namespace: Option<String>,
}

/// The members of a key. Consul leaves out the session of one that nobody holds, and nothing else.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct KeyMembers {
    key: String,
    lock_index: Option<u64>,
    flags: Option<u64>,
    value: Option<String>,
    #[serde(default, deserialize_with = "is_present")]
    session: Option<Option<String>>,
    create_index: Option<u64>,
    modify_index: Option<u64>,
    namespace: Option<String>,
}

impl From<KeyMembers> for KeyEntry {
    fn from(members: KeyMembers) -> Self {
        let indexes = [members.lock_index, members.flags, members.create_index];
        let is_whole = members.modify_index.is_some() && indexes.iter().all(Option::is_some);
        Self {
            key: members.key,
            lock_index: members.lock_index.unwrap_or_default(),
            flags: members.flags.unwrap_or_default(),
            value: members.value,
            is_holder_known: is_whole || members.session.is_some(),
            has_session_member: members.session.is_some(),
            session: members.session.flatten().filter(|session| !session.is_empty()),
            create_index: members.create_index.unwrap_or_default(),
            modify_index: members.modify_index.unwrap_or_default(),
            namespace: members.namespace,
        }
    }
}

/// A node, as `/v1/catalog/nodes` returns it, or that of a registration.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Node {
    pub(crate) node: String,
    #[serde(default, rename = "ID")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) address: String,
    #[serde(default)]
    pub(crate) datacenter: String,
    #[serde(default)]
    pub(crate) tagged_addresses: Pairs,
    #[serde(default, alias = "NodeMeta")]
    pub(crate) meta: Pairs,
    #[serde(default)]
    pub(crate) create_index: u64,
    #[serde(default)]
    pub(crate) modify_index: u64,
}

/// A check, as `/v1/health/state/any` returns it.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Check {
    pub(crate) node: String,
    #[serde(rename = "CheckID")]
    pub(crate) check_id: String,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) notes: String,
    #[serde(default)]
    pub(crate) output: String,
    #[serde(default, rename = "ServiceID", deserialize_with = "nonempty")]
    pub(crate) service_id: Option<String>,
    #[serde(default)]
    pub(crate) service_name: String,
    #[serde(default)]
    pub(crate) service_tags: Option<Vec<Arc<str>>>,
    #[serde(default, rename = "Type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) create_index: u64,
    #[serde(default)]
    pub(crate) modify_index: u64,
}

/// A list that was recognized.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum List {
    Sessions(Vec<Session>),
    Keys(Vec<KeyEntry>),
    /// `consul kv export`, which has neither sessions nor indexes.
    Export(usize),
    Nodes(Vec<Node>),
    Checks(Vec<Check>),
    /// The instances of a service, which are of some nodes only.
    Service(usize),
    /// `/v1/agent/self`.
    Agent(Node),
    /// An entry of a decoded snapshot that decides nothing about a lock.
    OtherEntry,
    /// An entry of a decoded snapshot whose session or key is empty.
    BlankEntry,
    /// An empty list, which does not say of what.
    Empty,
}

/// Tells which list a JSON text is. `None` if it is none of them; an error if it is one with a
/// member of another type than Consul's.
pub(crate) fn recognize(json: &RawValue) -> Result<Option<List>, serde_json::Error> {
    if !json.get().starts_with('[') {
        return recognize_object(json);
    }
    let items: Vec<&RawValue> = serde_json::from_str(json.get())?;
    let Some(first) = items.first() else { return Ok(Some(List::Empty)) };
    let Ok(members) = members(first) else { return Ok(None) };
    let has = |name: &str| members.contains_key(name);
    Ok(Some(if has("CheckID") {
        List::Checks(all(&items)?)
    } else if is_session(&members) {
        List::Sessions(all(&items)?)
    } else if is_key(&members) {
        List::Keys(all(&items)?)
    } else if has("key") && has("value") {
        List::Export(items.len())
    } else if has("Node") && has("Checks") {
        let instances: Vec<Instance> = all(&items)?;
        List::Checks(instances.into_iter().flat_map(|instance| instance.checks).collect())
    } else if has("Node") && has("ServiceName") {
        List::Service(items.len())
    } else if has("Node") && has("Address") {
        List::Nodes(all(&items)?)
    } else {
        return Ok(None);
    }))
}

fn recognize_object(json: &RawValue) -> Result<Option<List>, serde_json::Error> {
    let Ok(members) = members(json) else { return Ok(None) };
    if let (Some(data), Some(kind)) = (members.get("Data"), members.get("Type")) {
        return snapshot_entry(data, kind).map(Some);
    }
    if let Some(config) = members.get("Config") {
        let config: AgentConfig = serde_json::from_str(config.get())?;
        let (node, datacenter) = (config.node_name, config.datacenter);
        return Ok(Some(List::Agent(Node { node, datacenter, ..Node::default() })));
    }
    // One session or key in place of a list of one.
    if is_session(&members) {
        return Ok(Some(List::Sessions([serde_json::from_str(json.get())?].into())));
    }
    if is_key(&members) {
        return Ok(Some(List::Keys([serde_json::from_str(json.get())?].into())));
    }
    Ok(None)
}

type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Whether an object has members that only a session has, although others may have been dropped.
fn is_session(members: &Members<'_>) -> bool {
    let has = |name: &&str| members.contains_key(*name);
    has(&"ID") && ["Behavior", "TTL", "LockDelay"].iter().any(has)
}

fn is_key(members: &Members<'_>) -> bool {
    members.contains_key("Key")
        && ["LockIndex", "Session"].iter().any(|it| members.contains_key(*it))
}

/// An entry of `consul snapshot decode`. Consul 1.22 decodes sessions and keys into requests, all
/// of whose members are empty.
fn snapshot_entry(data: &RawValue, kind: &RawValue) -> Result<List, serde_json::Error> {
    #[derive(Deserialize)]
    struct SessionEntry {
        #[serde(rename = "Session")]
        session: Option<Session>,
        #[serde(flatten)]
        own: Option<Session>,
    }
    #[derive(Deserialize)]
    struct KeyDirEntry {
        #[serde(rename = "DirEnt")]
        entry: Option<KeyEntry>,
        #[serde(flatten)]
        own: Option<KeyEntry>,
    }
    #[derive(Deserialize)]
    struct Registration {
        #[serde(rename = "Check")]
        check: Option<Check>,
        #[serde(rename = "Service")]
        service: Option<IgnoredAny>,
        #[serde(flatten)]
        node: Node,
    }
    let kind: String = serde_json::from_str(kind.get())?;
    Ok(match kind.as_str() {
        "Session" => {
            let entry: SessionEntry = serde_json::from_str(data.get())?;
            let session = entry.session.or(entry.own).filter(|session| !session.id.is_empty());
            session.map_or(List::BlankEntry, |session| List::Sessions([session].into()))
        }
        "KVS" => {
            let entry: KeyDirEntry = serde_json::from_str(data.get())?;
            let key = entry.entry.or(entry.own).filter(|entry| !entry.key.is_empty());
            key.map_or(List::BlankEntry, |key| List::Keys([key].into()))
        }
        "Register" => {
            let registration: Registration = serde_json::from_str(data.get())?;
            match registration {
                Registration { check: Some(check), .. } => List::Checks([check].into()),
                Registration { service: Some(_), .. } => List::OtherEntry,
                Registration { node, .. } => List::Nodes([node].into()),
            }
        }
        _ => List::OtherEntry,
    })
}

#[derive(Deserialize)]
struct Instance {
    #[serde(rename = "Checks")]
    checks: Vec<Check>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AgentConfig {
    datacenter: String,
    node_name: String,
}

fn members(json: &RawValue) -> Result<Members<'_>, serde_json::Error> {
    serde_json::from_str(json.get())
}

fn all<T: DeserializeOwned>(items: &[&RawValue]) -> Result<Vec<T>, serde_json::Error> {
    items.iter().map(|item| serde_json::from_str(item.get())).collect()
}

/// A member that is there; its default if it is null.
fn present<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    input: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(input).map(|value| Some(value.unwrap_or_default()))
}

fn nonempty<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let text: Option<String> = Option::deserialize(input)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// A member that is there, even if it is null.
fn is_present<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(input).map(Some)
}

/// A number of nanoseconds. Formatters of JSON write `15000000000.0`.
fn nanos<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Duration>, D::Error> {
    let number: Option<serde_json::Number> = Option::deserialize(input)?;
    let nanos = |number: &serde_json::Number| match number.as_f64() {
        Some(float) if number.as_i64().is_none() => float as i64,
        _ => number.as_i64().unwrap_or_default(),
    };
    Ok(number.map(|number| Duration::from_nanos(nanos(&number).max(0) as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(json: &str) -> Option<List> {
        recognize(serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn a_list_is_told_by_its_members() {
        let session = r#"{"ID":"s","Behavior":"delete","TTL":"1m30s","LockDelay":5000000000,
            "NodeChecks":null,"ServiceChecks":[{"ID":"web","Namespace":""}]}"#;
        let Some(List::Sessions(sessions)) = list(session) else { panic!("a session") };
        assert_eq!(sessions[0].ttl(), Some(Duration::from_secs(90)));
        assert_eq!(sessions[0].lock_delay, Some(Duration::from_secs(5)));
        assert_eq!(sessions[0].all_checks().collect::<Vec<_>>(), ["web"]);
        let key = r#"[{"Key":"k","LockIndex":1,"Value":null,"Session":""}]"#;
        let Some(List::Keys(keys)) = list(key) else { panic!("keys") };
        assert_eq!(keys[0].session, None);
        assert_eq!(list(r#"[{"key":"k","flags":0,"value":""}]"#), Some(List::Export(1)));
        assert_eq!(list("[]"), Some(List::Empty));
        assert_eq!(list("[1]"), None);
        assert_eq!(list(r#"{"a":1}"#), None);
        assert_eq!(list("null"), None);
    }

    #[test]
    fn a_session_of_a_decoded_snapshot_is_read_and_a_blank_one_is_told() {
        let blank = r#"{"Data":{"Session":{"ID":"","Behavior":""}},"Type":"Session"}"#;
        assert_eq!(list(blank), Some(List::BlankEntry));
        let nested = r#"{"Data":{"Session":{"ID":"s","Behavior":""}},"Type":"Session"}"#;
        let flat = r#"{"Data":{"ID":"s","Behavior":"","TTL":""},"Type":"Session"}"#;
        for entry in [nested, flat] {
            assert!(matches!(list(entry), Some(List::Sessions(found)) if found[0].id == "s"));
        }
        assert_eq!(
            list(r#"{"Data":{"Key":"kvs","Value":9},"Type":"Index"}"#),
            Some(List::OtherEntry)
        );
    }

    #[test]
    fn a_ttl_that_is_no_duration_is_an_error() {
        let json = serde_json::from_str(r#"{"ID":"s","Behavior":"","TTL":"soon"}"#).unwrap();
        assert!(recognize(json).is_err());
    }
}
