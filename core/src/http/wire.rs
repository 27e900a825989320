//! Records as they stand in answers: names, order and emptiness of members as Consul prints them.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::id::CheckId;
use crate::json::{Truth, Writer};
use crate::message::Consistency;
use crate::store::catalog::{Check, Node, Pairs, Service};
use crate::store::prepared_query::{Dns, Failover, PreparedQuery, ServiceQuery, Template};
use crate::store::session::ServiceCheck;
use crate::store::txn::TxnError;
use crate::store::{Behavior, Entry, Session};
use alloc::collections::BTreeMap;

/// GET-12.
pub(super) fn entry(json: &mut Writer, entry: &Entry) {
    shown(json, entry, &entry.value);
}

/// TXN-10: how a write shows its entry.
pub(super) fn written_entry(json: &mut Writer, entry: &Entry) {
    shown(json, entry, &[]);
}

/// GET-01. The session is left out of an unlocked key (GET-02), an empty value is `null` (KV-09).
fn shown(json: &mut Writer, entry: &Entry, value: &[u8]) {
    json.open_object();
    json.member("LockIndex").unsigned(entry.lock_index);
    json.member("Key").text(entry.key.as_str());
    json.member("Flags").unsigned(entry.flags);
    match value {
        [] => json.member("Value").null(),
        bytes => json.member("Value").text(&STANDARD.encode(bytes)),
    }
    if let Some(holder) = entry.holder() {
        json.member("Session").text(holder.as_str());
    }
    json.member("CreateIndex").unsigned(entry.create_index.0);
    json.member("ModifyIndex").unsigned(entry.modify_index.0);
    json.close_object();
}

/// SES-27.
pub(super) fn session(json: &mut Writer, session: &Session) {
    json.open_object();
    json.member("ID").text(&session.id.to_string());
    json.member("Name").text(&session.name);
    json.member("Node").text(session.node.as_str());
    json.member("LockDelay").signed(session.lock_delay);
    json.member("Behavior").text(match session.behavior {
        Behavior::Release => "release",
        Behavior::Delete => "delete",
    });
    json.member("TTL").text(&session.ttl);
    list_or_null(json.member("NodeChecks"), &session.node_checks, check_id);
    list_or_null(json.member("ServiceChecks"), &session.service_checks, service_check);
    if session.checks.as_ref().is_some_and(|ids| !ids.is_empty()) {
        list_or_null(json.member("Checks"), &session.checks, check_id);
    }
    json.member("CreateIndex").unsigned(session.create_index.0);
    json.member("ModifyIndex").unsigned(session.create_index.0);
    json.close_object();
}

pub(super) fn check_id(json: &mut Writer, id: &CheckId) {
    json.text(id.as_str());
}

pub(super) fn service_check(json: &mut Writer, check: &ServiceCheck) {
    json.open_object();
    json.member("ID").text(check.id.as_str());
    json.member("Namespace").text(&check.namespace);
    json.close_object();
}

pub(super) fn node(json: &mut Writer, node: &Node, datacenter: &str) {
    json.open_object();
    about_node(json, node, datacenter, "Meta");
    json.member("CreateIndex").unsigned(node.create_index.0);
    json.member("ModifyIndex").unsigned(node.modify_index.0);
    json.close_object();
}

/// What is said of a node, alone or with one of its services.
fn about_node(json: &mut Writer, node: &Node, datacenter: &str, meta: &str) {
    json.member("ID").text(&node.id);
    json.member("Node").text(node.name.as_str());
    json.member("Address").text(&node.address);
    json.member("Datacenter").text(datacenter);
    pairs(json.member("TaggedAddresses"), &node.tagged_addresses);
    pairs(json.member(meta), &node.meta);
}

pub(super) fn service(json: &mut Writer, service: &Service) {
    json.open_object();
    json.member("ID").text(service.id.as_str());
    json.member("Service").text(&service.name);
    texts_or_null(json.member("Tags"), &service.tags);
    json.member("Address").text(&service.address);
    pairs(json.member("Meta"), &service.meta);
    json.member("Port").signed(service.port);
    equal_weights(json.member("Weights"));
    json.member("EnableTagOverride").truth(Truth::No);
    no_proxy(json.member("Proxy"));
    empty(json.member("Connect"));
    json.member("PeerName").text("");
    json.member("CreateIndex").unsigned(service.create_index.0);
    json.member("ModifyIndex").unsigned(service.modify_index.0);
    json.close_object();
}

fn equal_weights(json: &mut Writer) {
    json.open_object();
    json.member("Passing").unsigned(1);
    json.member("Warning").unsigned(1);
    json.close_object();
}

fn no_proxy(json: &mut Writer) {
    json.open_object();
    json.member("Mode").text("");
    empty(json.member("MeshGateway"));
    empty(json.member("Expose"));
    json.close_object();
}

/// An instance of a service with its node, as `/v1/catalog/service/` lists it.
pub(super) fn instance(json: &mut Writer, node: &Node, service: &Service, datacenter: &str) {
    json.open_object();
    about_node(json, node, datacenter, "NodeMeta");
    json.member("ServiceKind").text("");
    json.member("ServiceID").text(service.id.as_str());
    json.member("ServiceName").text(&service.name);
    texts_or_null(json.member("ServiceTags"), &service.tags);
    json.member("ServiceAddress").text(&service.address);
    equal_weights(json.member("ServiceWeights"));
    pairs(json.member("ServiceMeta"), &service.meta);
    json.member("ServicePort").signed(service.port);
    json.member("ServiceSocketPath").text("");
    json.member("ServiceEnableTagOverride").truth(Truth::No);
    no_proxy(json.member("ServiceProxy"));
    empty(json.member("ServiceConnect"));
    json.member("CreateIndex").unsigned(service.create_index.0);
    json.member("ModifyIndex").unsigned(service.modify_index.0);
    json.close_object();
}

pub(super) fn check(json: &mut Writer, check: &Check) {
    json.open_object();
    json.member("Node").text(check.node.as_str());
    json.member("CheckID").text(check.id.as_str());
    json.member("Name").text(&check.name);
    json.member("Status").text(&check.status);
    json.member("Notes").text(&check.notes);
    json.member("Output").text(&check.output);
    json.member("ServiceID").text(check.service.as_ref().map_or("", |service| service.as_str()));
    json.member("ServiceName").text(&check.service_name);
    texts_or_null(json.member("ServiceTags"), &check.service_tags);
    json.member("Type").text(&check.kind);
    json.member("Interval").text("");
    json.member("Timeout").text("");
    json.member("ExposedPort").unsigned(0);
    empty(json.member("Definition"));
    json.member("CreateIndex").unsigned(check.create_index.0);
    json.member("ModifyIndex").unsigned(check.modify_index.0);
    json.close_object();
}

pub(super) fn query(json: &mut Writer, query: &PreparedQuery) {
    let definition = &query.definition;
    json.open_object();
    json.member("ID").text(&query.id.to_string());
    json.member("Name").text(&definition.name);
    json.member("Session").text(&definition.session);
    json.member("Token").text(&definition.token);
    template(json.member("Template"), &definition.template);
    service_query(json.member("Service"), &definition.service);
    dns(json.member("DNS"), &definition.dns);
    json.member("CreateIndex").unsigned(query.create_index.0);
    json.member("ModifyIndex").unsigned(query.modify_index.0);
    json.close_object();
}

fn template(json: &mut Writer, template: &Template) {
    json.open_object();
    json.member("Type").text(&template.kind);
    json.member("Regexp").text(&template.regexp);
    json.member("RemoveEmptyTags").truth(template.remove_empty_tags.into());
    json.close_object();
}

fn service_query(json: &mut Writer, query: &ServiceQuery) {
    json.open_object();
    json.member("Service").text(&query.service);
    failover(json.member("Failover"), &query.failover);
    json.member("OnlyPassing").truth(query.only_passing.into());
    texts_or_null(json.member("IgnoreCheckIDs"), &query.ignore_check_ids);
    json.member("Near").text(&query.near);
    texts_or_null(json.member("Tags"), &query.tags);
    pairs(json.member("NodeMeta"), &query.node_meta);
    pairs(json.member("ServiceMeta"), &query.service_meta);
    json.member("Connect").truth(query.connect.into());
    json.member("PeerName").text(&query.peer_name);
    json.close_object();
}

fn failover(json: &mut Writer, failover: &Failover) {
    json.open_object();
    json.member("NearestN").signed(failover.nearest_n);
    texts_or_null(json.member("Datacenters"), &failover.datacenters);
    list_or_null(json.member("Targets"), &failover.targets, pairs);
    json.close_object();
}

fn dns(json: &mut Writer, dns: &Dns) {
    json.open_object();
    json.member("TTL").text(&dns.ttl);
    json.close_object();
}

/// The created id of a session or query.
pub(super) fn id(json: &mut Writer, id: &str) {
    json.open_object();
    json.member("ID").text(id);
    json.close_object();
}

/// A node and its services by id.
pub(super) fn node_services(
    json: &mut Writer,
    of: &Node,
    services: &[Arc<Service>],
    datacenter: &str,
) {
    let services = services.iter().map(|service| (service.id.as_str(), service));
    json.open_object();
    node(json.member("Node"), of, datacenter);
    map(json.member("Services"), &services.collect(), |json, of| service(json, of));
    json.close_object();
}

/// The checks of an agent by id.
pub(super) fn checks_by_id(json: &mut Writer, checks: &[Arc<Check>]) {
    let by_id = checks.iter().map(|check| (check.id.as_str(), check)).collect();
    map(json, &by_id, |json, of| check(json, of));
}

/// TXN-08: one error of a transaction.
pub(super) fn txn_error(json: &mut Writer, error: &TxnError) {
    json.open_object();
    json.member("OpIndex").unsigned(error.position as u64);
    json.member("What").text(&error.what);
    json.close_object();
}

/// TXN-09: what is said of the server that was asked to read, as members of the answer itself.
pub(super) enum ReadMeta {
    /// A server has answered.
    Answered { consistency_level: &'static str },
    /// The pre-checks failed, so no server was asked.
    BadRequest,
}

impl ReadMeta {
    pub(super) fn write(&self, json: &mut Writer) {
        let (index, leader_known, consistency_level) = match self {
            Self::Answered { consistency_level } => (1, Truth::Yes, *consistency_level),
            Self::BadRequest => (0, Truth::No, ""),
        };
        json.member("Index").unsigned(index);
        json.member("LastContact").unsigned(0);
        json.member("KnownLeader").truth(leader_known);
        json.member("ConsistencyLevel").text(consistency_level);
        json.member("NotModified").truth(Truth::No);
        json.member("Backend").unsigned(0);
        json.member("ResultsFilteredByACLs").truth(Truth::No);
    }
}

/// The answer to executing a query; no instances are ever found, as that is out of scope.
pub(super) fn execution(
    json: &mut Writer,
    query: &PreparedQuery,
    (datacenter, consistency): (&str, Consistency),
) {
    json.open_object();
    json.member("Service").text(&query.definition.service.service);
    json.member("Nodes").open_list();
    json.close_list();
    dns(json.member("DNS"), &query.definition.dns);
    json.member("Datacenter").text(datacenter);
    json.member("PeerName").text("");
    json.member("Failovers").unsigned(0);
    asked_for(consistency).write(json);
    json.close_object();
}

pub(super) fn explanation(json: &mut Writer, of: &PreparedQuery, consistency: Consistency) {
    json.open_object();
    query(json.member("Query"), of);
    asked_for(consistency).write(json);
    json.close_object();
}

fn asked_for(consistency: Consistency) -> ReadMeta {
    let consistency_level = match consistency {
        Consistency::Default => "leader",
        Consistency::Consistent => "consistent",
        Consistency::Stale => "stale",
    };
    ReadMeta::Answered { consistency_level }
}

/// An agent's account of itself.
pub(super) fn agent(json: &mut Writer, node: &str, datacenter: &str, version: &str) {
    json.open_object();
    json.member("Config").open_object();
    json.member("Datacenter").text(datacenter);
    json.member("NodeName").text(node);
    json.member("Server").truth(Truth::Yes);
    json.member("Version").text(version);
    json.close_object();
    json.member("Member").open_object();
    json.member("Name").text(node);
    json.member("Addr").text("127.0.0.1");
    json.member("Port").unsigned(8301);
    // "Alive" in gossip.
    json.member("Status").unsigned(1);
    json.close_object();
    json.close_object();
}

fn texts_or_null<T: AsRef<str>>(json: &mut Writer, texts: &Option<Vec<T>>) {
    list_or_null(json, texts, |json, text| json.text(text.as_ref()));
}

fn list_or_null<T>(json: &mut Writer, items: &Option<Vec<T>>, write: fn(&mut Writer, &T)) {
    match items {
        None => json.null(),
        Some(items) => json.list(items, write),
    }
}

pub(super) fn map<K: AsRef<str>, V>(
    json: &mut Writer,
    entries: &BTreeMap<K, V>,
    write: fn(&mut Writer, &V),
) {
    json.open_object();
    for (name, value) in entries {
        write(json.member(name.as_ref()), value);
    }
    json.close_object();
}

fn pairs(json: &mut Writer, pairs: &Pairs) {
    match pairs {
        None => json.null(),
        Some(pairs) => map(json, pairs, |json, text| json.text(text)),
    }
}

fn empty(json: &mut Writer) {
    json.open_object();
    json.close_object();
}
