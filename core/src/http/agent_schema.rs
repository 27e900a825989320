//! The Go types of the bodies under `/v1/agent/`: checks and services as clients register them at
//! an agent. Each has an `UnmarshalJSON` of its own in Consul: it decodes into an unnamed struct,
//! which adds further spellings of some members, and which Go's error texts show.

use super::catalog::{SERVICE_PORT, TAGGED_ADDRESSES, WEIGHTS};
use super::mesh_schema::{CONNECT, LOCALITY, PROXY};
use super::schema::{GoStruct, GoType, STRING, STRINGS};
use crate::version::ConsulVersion::V1_22;

/// The Go type of a check, with the members in which versions and ways to register it differ.
macro_rules! check_type {
    ($($rest:literal),+) => {
        concat!(
            "struct { Interval interface {}; Timeout interface {}; TTL interface {}; ",
            r#"DeregisterCriticalServiceAfter interface {}; Args []string "json:\"args\""; "#,
            r#"ScriptArgsSnake []string "json:\"script_args\""; "#,
            r#"DeregisterCriticalServiceAfterSnake interface {} "#,
            r#""json:\"deregister_critical_service_after\""; "#,
            r#"DockerContainerIDSnake string "json:\"docker_container_id\""; "#,
            r#"TLSServerNameSnake string "json:\"tls_server_name\""; "#,
            r#"TLSSkipVerifySnake bool "json:\"tls_skip_verify\""; "#,
            $($rest,)+
            "*structs.Alias }"
        )
    };
}

/// A check that is registered alone.
pub(super) const CHECK: GoType = GoType::Changed(
    V1_22,
    &GoType::Struct(&lone_check(check_type!(
        r#"GRPCUseTLSSnake bool "json:\"grpc_use_tls\""; "#,
        r#"ServiceIDSnake string "json:\"service_id\""; "#,
        r#"H2PingUseTLSSnake bool "json:\"h2ping_use_tls\""; "#,
        r#"DisableRedirectsSnake bool "json:\"disable_redirects\""; "#
    ))),
    &GoType::Struct(&lone_check(check_type!(
        r#"TCPUseTLSSnake bool "json:\"tcp_use_tls\""; "#,
        r#"GRPCUseTLSSnake bool "json:\"grpc_use_tls\""; "#,
        r#"ServiceIDSnake string "json:\"service_id\""; "#,
        r#"H2PingUseTLSSnake bool "json:\"h2ping_use_tls\""; "#,
        r#"DisableRedirectsSnake bool "json:\"disable_redirects\""; "#
    ))),
);

const fn lone_check(go_type: &'static str) -> GoStruct {
    GoStruct { go_type, name: "", is_strict: true, fields: LONE_CHECK }
}

const LONE_CHECK: &[(&str, GoType)] = &[
    ("Interval", GoType::Duration),
    ("Timeout", GoType::Duration),
    ("TTL", GoType::Duration),
    ("DeregisterCriticalServiceAfter", GoType::Duration),
    ("args", STRINGS),
    ("script_args", STRINGS),
    ("deregister_critical_service_after", GoType::Duration),
    ("docker_container_id", STRING),
    ("tls_server_name", STRING),
    ("tls_skip_verify", GoType::Bool),
    ("tcp_use_tls", GoType::Since(V1_22, &GoType::Bool)),
    ("grpc_use_tls", GoType::Bool),
    ("service_id", STRING),
    ("h2ping_use_tls", GoType::Bool),
    ("disable_redirects", GoType::Bool),
    (
        "Alias",
        GoType::Embedded(&[
            ("ID", GoType::Text("types.CheckID")),
            ("ServiceID", STRING),
            ("Token", STRING),
            ("Name", STRING),
            ("Notes", STRING),
            ("Status", STRING),
            ("ScriptArgs", STRINGS),
            ("HTTP", STRING),
            ("H2PING", STRING),
            ("H2PingUseTLS", GoType::Bool),
            ("Header", GoType::Map("map[string][]string", &STRINGS)),
            ("Method", STRING),
            ("Body", STRING),
            ("DisableRedirects", GoType::Bool),
            ("TCP", STRING),
            ("TCPUseTLS", GoType::Since(V1_22, &GoType::Bool)),
            ("UDP", STRING),
            ("OSService", GoType::Since(V1_22, &STRING)),
            ("AliasNode", STRING),
            ("AliasService", STRING),
            ("DockerContainerID", STRING),
            ("Shell", STRING),
            ("GRPC", STRING),
            ("GRPCUseTLS", GoType::Bool),
            ("TLSServerName", STRING),
            ("TLSSkipVerify", GoType::Bool),
            ("SuccessBeforePassing", GoType::Int),
            ("FailuresBeforeWarning", GoType::Int),
            ("FailuresBeforeCritical", GoType::Int),
            ("OutputMaxSize", GoType::Int),
        ]),
    ),
];

/// A check that is registered with its service.
const SERVICE_CHECK: GoType = GoType::Changed(
    V1_22,
    &GoType::Struct(&service_check(check_type!(
        r#"GRPCUseTLSSnake bool "json:\"grpc_use_tls\""; "#,
        r#"H2PingUseTLSSnake bool "json:\"h2ping_use_tls\""; "#,
        r#"ServiceID string "json:\"ServiceID\""; "#,
        r#"ServiceIDSnake string "json:\"service_id\""; "#
    ))),
    &GoType::Struct(&service_check(check_type!(
        r#"TCPUseTLSSnake bool "json:\"tcp_use_tls\""; "#,
        r#"GRPCUseTLSSnake bool "json:\"grpc_use_tls\""; "#,
        r#"H2PingUseTLSSnake bool "json:\"h2ping_use_tls\""; "#,
        r#"ServiceID string "json:\"ServiceID\""; "#,
        r#"ServiceIDSnake string "json:\"service_id\""; "#
    ))),
);

const fn service_check(go_type: &'static str) -> GoStruct {
    GoStruct { go_type, name: "", is_strict: true, fields: CHECK_OF_SERVICE }
}

const CHECK_OF_SERVICE: &[(&str, GoType)] = &[
    ("Interval", GoType::Duration),
    ("Timeout", GoType::Duration),
    ("TTL", GoType::Duration),
    ("DeregisterCriticalServiceAfter", GoType::Duration),
    ("args", STRINGS),
    ("script_args", STRINGS),
    ("deregister_critical_service_after", GoType::Duration),
    ("docker_container_id", STRING),
    ("tls_server_name", STRING),
    ("tls_skip_verify", GoType::Bool),
    ("tcp_use_tls", GoType::Since(V1_22, &GoType::Bool)),
    ("grpc_use_tls", GoType::Bool),
    ("h2ping_use_tls", GoType::Bool),
    ("ServiceID", STRING),
    ("service_id", STRING),
    (
        "Alias",
        GoType::Embedded(&[
            ("CheckID", GoType::Text("types.CheckID")),
            ("ProxyHTTP", STRING),
            ("ProxyGRPC", STRING),
            ("Name", STRING),
            ("Notes", STRING),
            ("Status", STRING),
            ("ScriptArgs", STRINGS),
            ("HTTP", STRING),
            ("H2PING", STRING),
            ("H2PingUseTLS", GoType::Bool),
            ("Header", GoType::Map("map[string][]string", &STRINGS)),
            ("Method", STRING),
            ("Body", STRING),
            ("DisableRedirects", GoType::Bool),
            ("TCP", STRING),
            ("TCPUseTLS", GoType::Since(V1_22, &GoType::Bool)),
            ("UDP", STRING),
            ("OSService", GoType::Since(V1_22, &STRING)),
            ("AliasNode", STRING),
            ("AliasService", STRING),
            ("DockerContainerID", STRING),
            ("Shell", STRING),
            ("GRPC", STRING),
            ("GRPCUseTLS", GoType::Bool),
            ("TLSServerName", STRING),
            ("TLSSkipVerify", GoType::Bool),
            ("SuccessBeforePassing", GoType::Int),
            ("FailuresBeforeWarning", GoType::Int),
            ("FailuresBeforeCritical", GoType::Int),
            ("OutputMaxSize", GoType::Int),
        ]),
    ),
];

/// A change of a check's status.
pub(super) const CHECK_UPDATE: GoType = GoType::Struct(&GoStruct {
    go_type: "agent.checkUpdate",
    name: "checkUpdate",
    is_strict: true,
    fields: &[("Status", STRING), ("Output", STRING)],
});

/// A service with its checks.
pub(super) const SERVICE: GoType = GoType::Struct(&GoStruct {
    go_type: concat!(
        r#"struct { EnableTagOverrideSnake bool "json:\"enable_tag_override\""; "#,
        "TaggedAddressesSnake map[string]structs.ServiceAddress ",
        r#""json:\"tagged_addresses\""; *structs.Alias }"#,
    ),
    name: "",
    is_strict: true,
    fields: &[
        ("enable_tag_override", GoType::Bool),
        ("tagged_addresses", TAGGED_ADDRESSES),
        (
            "Alias",
            GoType::Embedded(&[
                ("Kind", GoType::Text("structs.ServiceKind")),
                ("ID", STRING),
                ("Name", STRING),
                ("Tags", STRINGS),
                ("Address", STRING),
                ("TaggedAddresses", TAGGED_ADDRESSES),
                ("Meta", GoType::Pairs),
                ("Port", GoType::Int),
                ("SocketPath", STRING),
                ("Weights", GoType::Struct(&WEIGHTS)),
                ("EnableTagOverride", GoType::Bool),
                ("Proxy", GoType::Struct(&PROXY)),
                ("Connect", GoType::Struct(&CONNECT)),
                (
                    "Ports",
                    GoType::Since(V1_22, &GoType::List("structs.ServicePorts", &SERVICE_PORT)),
                ),
                ("Locality", GoType::Since(V1_22, &GoType::Struct(&LOCALITY))),
                ("Token", STRING),
                ("Check", SERVICE_CHECK),
                ("Checks", GoType::List("structs.CheckTypes", &SERVICE_CHECK)),
            ]),
        ),
    ],
});
