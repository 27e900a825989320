//! The requests that repeat changes of the catalog which a world or an agent made without a request
//! of a client.

use lictor_core::store::Change;
use lictor_core::store::catalog::{Check, Node, Service};
use serde_json::{Map, Value, json};

const REGISTER: &str = "/v1/catalog/register";
const DEREGISTER: &str = "/v1/catalog/deregister";

/// The requests for the changes of one log entry: the target and the body of each `PUT`.
pub(crate) fn requests(changes: &[Change]) -> Vec<(&'static str, String)> {
    // The last removal is that of the whole: a node is removed after its services and checks. One
    // request for it removes all.
    let removed = changes.iter().rev().find_map(|change| match change {
        Change::NodeDeleted { before } => Some(json!({"Node": before.name.as_str()})),
        Change::ServiceDeleted { before } => {
            Some(json!({"Node": before.node.as_str(), "ServiceID": before.id.as_str()}))
        }
        Change::CheckDeleted { before } => {
            Some(json!({"Node": before.node.as_str(), "CheckID": before.id.as_str()}))
        }
        _ => None,
    });
    if let Some(body) = removed {
        return vec![(DEREGISTER, body.to_string())];
    }
    let mut requests: Vec<(&str, String)> = Vec::new();
    let mut node = None;
    let mut checks = Vec::new();
    for change in changes {
        match change {
            Change::NodeWritten { after, .. } => node = Some(after),
            Change::CheckWritten { after, followed: None, .. } => checks.push(check(after)),
            Change::ServiceWritten { after, .. } => {
                let body = on_node(after.node.as_str(), None, ("Service", service(after)));
                requests.push((REGISTER, body));
            }
            _ => {}
        }
    }
    let name = node.map(|node| node.name.as_str()).or_else(|| changes.iter().find_map(node_of));
    if let Some(name) = name.filter(|_| node.is_some() || !checks.is_empty()) {
        let body = on_node(name, node.map(|node| &**node), ("Checks", Value::Array(checks)));
        requests.insert(0, (REGISTER, body));
    }
    requests
}

fn node_of(change: &Change) -> Option<&str> {
    match change {
        Change::CheckWritten { after, .. } => Some(after.node.as_str()),
        _ => None,
    }
}

/// The body of a registration. Without a record of the node, the registration does not change it.
fn on_node(name: &str, node: Option<&Node>, (member, value): (&str, Value)) -> String {
    let mut body = Map::new();
    body.insert("Node".into(), name.into());
    match node {
        Some(node) => {
            body.insert("Address".into(), (*node.address).into());
            if let Some(meta) = &node.meta {
                body.insert("NodeMeta".into(), pairs(meta));
            }
        }
        None => {
            body.insert("SkipNodeUpdate".into(), true.into());
        }
    }
    body.insert(member.into(), value);
    Value::Object(body).to_string()
}

fn pairs<'a, T: AsRef<str> + 'a>(pairs: impl IntoIterator<Item = (&'a T, &'a T)>) -> Value {
    let pair = |(name, value): (&T, &T)| (name.as_ref().to_owned(), value.as_ref().into());
    Value::Object(pairs.into_iter().map(pair).collect())
}

fn check(check: &Check) -> Value {
    let members = [
        ("Node", check.node.as_str()),
        ("CheckID", check.id.as_str()),
        ("Name", &check.name),
        ("Status", check.status.as_str()),
        ("Notes", &check.notes),
        ("Output", &check.output),
        ("ServiceID", check.service.as_ref().map_or("", |service| service.as_str())),
        ("Type", &check.kind),
    ];
    let filled = members.into_iter().filter(|(_, value)| !value.is_empty());
    let mut body: Map<_, _> = filled.map(|(name, value)| (name.into(), value.into())).collect();
    if let Some(definition) = &check.definition
        && !definition.session_name.is_empty()
    {
        body.insert("Definition".into(), json!({"SessionName": &*definition.session_name}));
    }
    Value::Object(body)
}

fn service(service: &Service) -> Value {
    let tags: Vec<&str> = service.tags.iter().flatten().map(|tag| &**tag).collect();
    let mut body = Map::new();
    body.insert("ID".into(), service.id.as_str().into());
    body.insert("Service".into(), (*service.name).into());
    body.insert("Tags".into(), tags.into());
    body.insert("Port".into(), service.port.into());
    if !service.address.is_empty() {
        body.insert("Address".into(), (*service.address).into());
    }
    if let Some(meta) = &service.meta {
        body.insert("Meta".into(), pairs(meta));
    }
    Value::Object(body)
}
