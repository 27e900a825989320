//! The JSON of prepared queries: their definitions, and the results of executing and explaining
//! them. Names and order of the members are Consul's, which differ between versions (V22-13).

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::answers::{InstanceJson, QueryMeta};
use crate::id::{Index, QueryId};
use crate::message::Consistency;
use crate::store::Instance;
use crate::store::catalog::Pairs;
use crate::store::prepared_query::{Dns, Failover, PreparedQuery, ServiceQuery, Target, Template};
use crate::version::VersionRules;

/// A prepared query.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct PreparedQueryJson<'a> {
    #[serde(rename = "ID")]
    id: QueryId,
    name: &'a str,
    session: &'a str,
    token: &'a str,
    template: &'a Template,
    service: ServiceQueryJson<'a>,
    #[serde(rename = "DNS")]
    dns: &'a Dns,
    create_index: Index,
    modify_index: Index,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct ServiceQueryJson<'a> {
    service: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sameness_group: Option<&'a str>,
    failover: FailoverJson<'a>,
    only_passing: bool,
    #[serde(rename = "IgnoreCheckIDs")]
    ignore_check_ids: &'a Option<Vec<String>>,
    near: &'a str,
    tags: &'a Option<Vec<String>>,
    node_meta: &'a Pairs,
    service_meta: &'a Pairs,
    connect: bool,
    #[serde(flatten)]
    peer: Peer<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct FailoverJson<'a> {
    nearest_n: i64,
    datacenters: &'a Option<Vec<String>>,
    targets: Option<Vec<TargetJson<'a>>>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct TargetJson<'a> {
    #[serde(flatten)]
    peer: Peer<'a>,
    datacenter: &'a str,
}

/// A peer, under the name that the version has for it.
#[derive(Serialize)]
enum Peer<'a> {
    Peer(&'a str),
    PeerName(&'a str),
}

/// The result of executing a query.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Execution<'a> {
    service: &'a str,
    nodes: Vec<InstanceJson<'a>>,
    #[serde(rename = "DNS")]
    dns: &'a Dns,
    datacenter: &'a str,
    peer_name: &'a str,
    failovers: u8,
    #[serde(flatten)]
    meta: QueryMeta,
}

/// The explanation of a query.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct QueryExplanation<'a> {
    query: PreparedQueryJson<'a>,
    #[serde(flatten)]
    meta: QueryMeta,
}

impl<'a> PreparedQueryJson<'a> {
    pub(super) fn new(query: &'a PreparedQuery, rules: &VersionRules) -> Self {
        let definition = &query.definition;
        Self {
            id: query.id,
            name: &definition.name,
            session: &definition.session,
            token: &definition.token,
            template: &definition.template,
            service: ServiceQueryJson::new(&definition.service, rules),
            dns: &definition.dns,
            create_index: query.create_index,
            modify_index: query.modify_index,
        }
    }
}

impl<'a> ServiceQueryJson<'a> {
    fn new(query: &'a ServiceQuery, rules: &VersionRules) -> Self {
        Self {
            service: &query.service,
            sameness_group: rules.has_newer_members.then_some(&query.sameness_group),
            failover: FailoverJson::new(&query.failover, rules),
            only_passing: query.only_passing,
            ignore_check_ids: &query.ignore_check_ids,
            near: &query.near,
            tags: &query.tags,
            node_meta: &query.node_meta,
            service_meta: &query.service_meta,
            connect: query.connect,
            peer: Peer::new(&query.peer, rules),
        }
    }
}

impl<'a> FailoverJson<'a> {
    fn new(failover: &'a Failover, rules: &VersionRules) -> Self {
        let targets = failover.targets.as_ref().map(|targets| {
            let target = |target: &'a Target| TargetJson {
                peer: Peer::new(&target.peer, rules),
                datacenter: &target.datacenter,
            };
            targets.iter().map(target).collect()
        });
        Self { nearest_n: failover.nearest_n, datacenters: &failover.datacenters, targets }
    }
}

impl<'a> Peer<'a> {
    fn new(name: &'a str, rules: &VersionRules) -> Self {
        if rules.has_newer_members { Self::Peer(name) } else { Self::PeerName(name) }
    }
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        query: &'a PreparedQuery,
        instances: &'a [Instance],
        datacenter: &'a str,
        consistency: Consistency,
    ) -> Self {
        let peer = &query.definition.service.peer;
        let nodes = instances.iter().map(|instance| InstanceJson::executed(instance, datacenter));
        Self {
            service: &query.definition.service.service,
            nodes: nodes.collect(),
            dns: &query.definition.dns,
            datacenter: if peer.is_empty() { datacenter } else { "" },
            peer_name: peer,
            failovers: 0,
            meta: consistency.into(),
        }
    }
}

impl<'a> QueryExplanation<'a> {
    pub(super) fn new(
        query: &'a PreparedQuery,
        consistency: Consistency,
        rules: &VersionRules,
    ) -> Self {
        Self { query: PreparedQueryJson::new(query, rules), meta: consistency.into() }
    }
}
