//! Health checks in JSON: the rows of answers, and the `Definition` of a check, decoded from a
//! registration. In a definition empty members are left out, and all spans but the TTL are Go
//! durations. Nothing here runs a check.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use serde::Serialize;

use super::object::Object;
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use super::session::nanos;
use crate::duration;
use crate::id::{CheckId, Index, NodeName};
use crate::json::Json;
use crate::store::catalog::{self, CheckDefinition};
use crate::version::ConsulVersion::V1_22;
use crate::version::VersionRules;

pub(super) const DEFINITION: GoStruct = GoStruct {
    go_type: "struct { Interval interface {}; Timeout interface {}; \
              DeregisterCriticalServiceAfter interface {}; TTL interface {}; *structs.Alias }",
    name: "",
    is_strict: false,
    fields: &[
        ("Interval", GoType::Duration),
        ("Timeout", GoType::Duration),
        ("DeregisterCriticalServiceAfter", GoType::Duration),
        ("TTL", GoType::Duration),
        (
            "Alias",
            GoType::Embedded(&[
                ("HTTP", STRING),
                ("TLSServerName", STRING),
                ("TLSSkipVerify", GoType::Bool),
                ("Header", GoType::Map("map[string][]string", &STRINGS)),
                ("Method", STRING),
                ("Body", STRING),
                ("DisableRedirects", GoType::Bool),
                ("TCP", STRING),
                ("TCPUseTLS", GoType::Since(V1_22, &GoType::Bool)),
                ("UDP", STRING),
                ("H2PING", STRING),
                ("OSService", GoType::Since(V1_22, &STRING)),
                ("H2PingUseTLS", GoType::Bool),
                ("OutputMaxSize", GoType::Uint),
                ("ScriptArgs", STRINGS),
                ("DockerContainerID", STRING),
                ("Shell", STRING),
                ("GRPC", STRING),
                ("GRPCUseTLS", GoType::Bool),
                ("AliasNode", STRING),
                ("AliasService", STRING),
                ("SessionName", GoType::Since(V1_22, &STRING)),
            ]),
        ),
    ],
};

/// The definition of a check in the catalog; `None` if all of it is empty.
pub(super) fn definition(value: &Json, rules: &VersionRules) -> Option<Arc<CheckDefinition>> {
    shared(defined(value, rules))
}

/// The definition of a check that is registered at an agent, where some members have further
/// spellings.
pub(super) fn definition_at_agent(value: &Json, rules: &VersionRules) -> CheckDefinition {
    let (fields, first) = (Object::new(value), defined(value, rules));
    let spellings = ["ScriptArgs", "Args", "script_args"].into_iter();
    let script_args = spellings.map(|name| texts(fields, name)).find(|args| !args.is_empty());
    let container =
        fields.filled("DockerContainerID").or_else(|| fields.filled("docker_container_id"));
    CheckDefinition {
        script_args: script_args.unwrap_or_default(),
        docker_container_id: Arc::from(container.unwrap_or_default()),
        ..first
    }
}

/// All of a definition. Members that the version does not know are left out.
fn defined(value: &Json, rules: &VersionRules) -> CheckDefinition {
    let fields = Object::new(value);
    let newer = if rules.has_newer_members { fields } else { Object::new(&Json::Null) };
    // A span that is no duration counts as none, as the shape of a body is checked before.
    let span = |name| fields.get(name).and_then(|value| nanos(value).ok()).unwrap_or_default();
    CheckDefinition {
        interval: span("Interval"),
        output_max_size: fields.unsigned("OutputMaxSize"),
        timeout: span("Timeout"),
        deregister_critical_service_after: span("DeregisterCriticalServiceAfter"),
        http: fields.shared("HTTP"),
        tls_server_name: fields.shared("TLSServerName"),
        tls_skip_verify: fields.is_set("TLSSkipVerify"),
        header: headers(fields),
        method: fields.shared("Method"),
        body: fields.shared("Body"),
        disable_redirects: fields.is_set("DisableRedirects"),
        tcp: fields.shared("TCP"),
        tcp_use_tls: newer.is_set("TCPUseTLS"),
        udp: fields.shared("UDP"),
        h2ping: fields.shared("H2PING"),
        os_service: newer.shared("OSService"),
        h2ping_use_tls: fields.is_set("H2PingUseTLS"),
        script_args: texts(fields, "ScriptArgs"),
        docker_container_id: fields.shared("DockerContainerID"),
        shell: fields.shared("Shell"),
        grpc: fields.shared("GRPC"),
        grpc_use_tls: fields.is_set("GRPCUseTLS"),
        alias_node: fields.shared("AliasNode"),
        alias_service: fields.shared("AliasService"),
        session_name: newer.shared("SessionName"),
        ttl: span("TTL"),
    }
}

/// What a transaction keeps of a definition. There, spans have a second name, which counts before
/// the first.
pub(super) fn definition_in_txn(
    value: &Json,
    rules: &VersionRules,
) -> Option<Arc<CheckDefinition>> {
    let all = defined(value, rules);
    let span = |name, first: i64| {
        let second = Object::new(value).get(name).and_then(|value| nanos(value).ok());
        second.unwrap_or(first)
    };
    shared(CheckDefinition {
        interval: span("IntervalDuration", all.interval),
        timeout: span("TimeoutDuration", all.timeout),
        deregister_critical_service_after: span(
            "DeregisterCriticalServiceAfterDuration",
            all.deregister_critical_service_after,
        ),
        http: all.http,
        tls_server_name: all.tls_server_name,
        tls_skip_verify: all.tls_skip_verify,
        header: all.header,
        method: all.method,
        body: all.body,
        tcp: all.tcp,
        tcp_use_tls: all.tcp_use_tls,
        os_service: all.os_service,
        grpc: all.grpc,
        grpc_use_tls: all.grpc_use_tls,
        ..CheckDefinition::default()
    })
}

fn shared(definition: CheckDefinition) -> Option<Arc<CheckDefinition>> {
    (definition != CheckDefinition::default()).then(|| Arc::new(definition))
}

fn headers(fields: Object) -> BTreeMap<Arc<str>, Vec<Arc<str>>> {
    let Some(Json::Object(members)) = fields.get("Header") else { return BTreeMap::new() };
    let header = Object::new(fields.get("Header").unwrap_or(&Json::Null));
    members.iter().map(|(name, _)| (Arc::from(name.as_str()), texts(header, name))).collect()
}

fn texts(fields: Object, name: &str) -> Vec<Arc<str>> {
    let texts: Vec<String> = fields.texts(name).unwrap_or_default();
    texts.into_iter().map(Arc::from).collect()
}

/// A health check.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct CheckJson<'a> {
    node: &'a NodeName,
    #[serde(rename = "CheckID")]
    check_id: &'a CheckId,
    name: &'a str,
    status: &'a str,
    notes: &'a str,
    output: &'a str,
    #[serde(rename = "ServiceID")]
    service_id: &'a str,
    service_name: &'a str,
    service_tags: Option<&'a [Arc<str>]>,
    #[serde(rename = "Type")]
    kind: &'a str,
    interval: &'a str,
    timeout: &'a str,
    exposed_port: i64,
    definition: Definition<'a>,
    create_index: Index,
    modify_index: Index,
}

impl CheckJson<'_> {
    /// The check as all reads but transactions show it, with an empty list for absent tags.
    pub(super) fn listed(check: &Arc<catalog::Check>) -> CheckJson<'_> {
        CheckJson {
            service_tags: Some(check.service_tags.as_deref().unwrap_or_default()),
            ..check.into()
        }
    }

    /// The check as its agent shows it, without indexes.
    pub(super) fn of_agent(check: &Arc<catalog::Check>) -> CheckJson<'_> {
        CheckJson {
            create_index: Index::ZERO,
            modify_index: Index::ZERO,
            ..CheckJson::listed(check)
        }
    }
}

impl<'a> From<&'a Arc<catalog::Check>> for CheckJson<'a> {
    fn from(check: &'a Arc<catalog::Check>) -> Self {
        Self {
            node: &check.node,
            check_id: &check.id,
            name: &check.name,
            status: check.status.as_str(),
            notes: &check.notes,
            output: &check.output,
            service_id: check.service.as_ref().map_or("", |service| service.as_str()),
            service_name: &check.service_name,
            service_tags: check.service_tags.as_deref(),
            kind: &check.kind,
            interval: &check.interval,
            timeout: &check.timeout,
            exposed_port: check.exposed_port,
            definition: check.definition.as_deref().map(Definition::from).unwrap_or_default(),
            create_index: check.create_index,
            modify_index: check.modify_index,
        }
    }
}

/// A definition as answers show it.
#[derive(Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Definition<'a> {
    #[serde(skip_serializing_if = "String::is_empty")]
    interval: String,
    #[serde(skip_serializing_if = "is_default")]
    output_max_size: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    timeout: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    deregister_critical_service_after: String,
    #[serde(rename = "HTTP", skip_serializing_if = "str::is_empty")]
    http: &'a str,
    #[serde(rename = "TLSServerName", skip_serializing_if = "str::is_empty")]
    tls_server_name: &'a str,
    #[serde(rename = "TLSSkipVerify", skip_serializing_if = "is_default")]
    tls_skip_verify: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a BTreeMap<Arc<str>, Vec<Arc<str>>>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    method: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    body: &'a str,
    #[serde(skip_serializing_if = "is_default")]
    disable_redirects: bool,
    #[serde(rename = "TCP", skip_serializing_if = "str::is_empty")]
    tcp: &'a str,
    #[serde(rename = "TCPUseTLS", skip_serializing_if = "is_default")]
    tcp_use_tls: bool,
    #[serde(rename = "UDP", skip_serializing_if = "str::is_empty")]
    udp: &'a str,
    #[serde(rename = "H2PING", skip_serializing_if = "str::is_empty")]
    h2ping: &'a str,
    #[serde(rename = "OSService", skip_serializing_if = "str::is_empty")]
    os_service: &'a str,
    #[serde(rename = "H2PingUseTLS", skip_serializing_if = "is_default")]
    h2ping_use_tls: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    script_args: &'a [Arc<str>],
    #[serde(rename = "DockerContainerID", skip_serializing_if = "str::is_empty")]
    docker_container_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    shell: &'a str,
    #[serde(rename = "GRPC", skip_serializing_if = "str::is_empty")]
    grpc: &'a str,
    #[serde(rename = "GRPCUseTLS", skip_serializing_if = "is_default")]
    grpc_use_tls: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    alias_node: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    alias_service: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    session_name: &'a str,
    /// In nanoseconds, unlike the other spans.
    #[serde(rename = "TTL", skip_serializing_if = "is_default")]
    ttl: i64,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl<'a> From<&'a CheckDefinition> for Definition<'a> {
    fn from(definition: &'a CheckDefinition) -> Self {
        Self {
            interval: printed(definition.interval),
            output_max_size: definition.output_max_size,
            timeout: printed(definition.timeout),
            deregister_critical_service_after: printed(
                definition.deregister_critical_service_after,
            ),
            http: &definition.http,
            tls_server_name: &definition.tls_server_name,
            tls_skip_verify: definition.tls_skip_verify,
            header: Some(&definition.header).filter(|header| !header.is_empty()),
            method: &definition.method,
            body: &definition.body,
            disable_redirects: definition.disable_redirects,
            tcp: &definition.tcp,
            tcp_use_tls: definition.tcp_use_tls,
            udp: &definition.udp,
            h2ping: &definition.h2ping,
            os_service: &definition.os_service,
            h2ping_use_tls: definition.h2ping_use_tls,
            script_args: &definition.script_args,
            docker_container_id: &definition.docker_container_id,
            shell: &definition.shell,
            grpc: &definition.grpc,
            grpc_use_tls: definition.grpc_use_tls,
            alias_node: &definition.alias_node,
            alias_service: &definition.alias_service,
            session_name: &definition.session_name,
            ttl: definition.ttl,
        }
    }
}

/// A span of nanoseconds as a Go duration; empty for none.
pub(super) fn printed(nanos: i64) -> String {
    let span = duration::print(Duration::from_nanos(nanos.unsigned_abs()));
    match nanos {
        0 => String::new(),
        1.. => span.to_string(),
        _ => format!("-{span}"),
    }
}
