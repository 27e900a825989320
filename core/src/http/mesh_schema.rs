//! The Go types of the settings of services for the service mesh. Registrations are decoded into
//! those of `structs`, transactions into those of `api`; agents answer in the form of `api`.
//! Members are in the order in which Go writes them.

use super::schema::{GoStruct, GoType, STRING};

/// `map[string]interface{}`.
const ANY_MAP: GoType = GoType::Map("map[string]interface {}", &GoType::Any);

/// The settings of a service as a proxy. Go decodes them with a method that also accepts the names
/// in snake case.
pub(super) const PROXY: GoStruct = GoStruct {
    go_type: concat!(
        r#"struct { DestinationServiceNameSnake string "json:\"destination_service_name\""; "#,
        r#"DestinationServiceIDSnake string "json:\"destination_service_id\""; "#,
        r#"LocalServiceAddressSnake string "json:\"local_service_address\""; "#,
        r#"LocalServicePortSnake int "json:\"local_service_port\""; "#,
        r#"LocalServiceSocketPathSnake string "json:\"local_service_socket_path\""; "#,
        r#"MeshGatewaySnake structs.MeshGatewayConfig "json:\"mesh_gateway\""; "#,
        r#"TransparentProxySnake structs.TransparentProxyConfig "json:\"transparent_proxy\""; "#,
        r#"AccessLogsSnake structs.AccessLogsConfig "json:\"access_logs\""; *structs.Alias }"#,
    ),
    name: "",
    is_strict: true,
    fields: &[
        ("destination_service_name", STRING),
        ("destination_service_id", STRING),
        ("local_service_address", STRING),
        ("local_service_port", GoType::Int),
        ("local_service_socket_path", STRING),
        ("mesh_gateway", GoType::Struct(&structs::MESH_GATEWAY)),
        ("transparent_proxy", GoType::Struct(&structs::TRANSPARENT_PROXY)),
        ("access_logs", GoType::Struct(&structs::ACCESS_LOGS)),
        (
            "Alias",
            GoType::Embedded(&[
                ("TransparentProxy", GoType::Struct(&structs::TRANSPARENT_PROXY)),
                ("AccessLogs", GoType::Struct(&structs::ACCESS_LOGS)),
                ("EnvoyExtensions", GoType::List("[]structs.EnvoyExtension", &structs::EXTENSION)),
                ("DestinationServiceName", STRING),
                ("DestinationServiceID", STRING),
                ("LocalServiceAddress", STRING),
                ("LocalServicePort", GoType::Int),
                ("LocalServiceSocketPath", STRING),
                ("Mode", GoType::Shown(&GoType::Text("structs.ProxyMode"))),
                ("Config", ANY_MAP),
                ("Upstreams", GoType::List("structs.Upstreams", &GoType::Pointer(&UPSTREAM))),
                ("MeshGateway", GoType::Shown(&GoType::Struct(&structs::MESH_GATEWAY))),
                ("Expose", GoType::Shown(&GoType::Struct(&EXPOSE))),
            ]),
        ),
    ],
};

/// A service that a proxy connects to.
const UPSTREAM: GoStruct = GoStruct {
    go_type: concat!(
        r#"struct { DestinationTypeSnake string "json:\"destination_type\""; "#,
        r#"DestinationPartitionSnake string "json:\"destination_partition\""; "#,
        r#"DestinationNamespaceSnake string "json:\"destination_namespace\""; "#,
        r#"DestinationPeerSnake string "json:\"destination_peer\""; "#,
        r#"DestinationNameSnake string "json:\"destination_name\""; "#,
        r#"LocalBindAddressSnake string "json:\"local_bind_address\""; "#,
        r#"LocalBindPortSnake int "json:\"local_bind_port\""; "#,
        r#"LocalBindSocketPathSnake string "json:\"local_bind_socket_path\""; "#,
        r#"LocalBindSocketModeSnake string "json:\"local_bind_socket_mode\""; "#,
        r#"MeshGatewaySnake structs.MeshGatewayConfig "json:\"mesh_gateway\""; *structs.Alias }"#,
    ),
    name: "",
    is_strict: true,
    fields: &[
        ("destination_type", STRING),
        ("destination_partition", STRING),
        ("destination_namespace", STRING),
        ("destination_peer", STRING),
        ("destination_name", STRING),
        ("local_bind_address", STRING),
        ("local_bind_port", GoType::Int),
        ("local_bind_socket_path", STRING),
        ("local_bind_socket_mode", STRING),
        ("mesh_gateway", GoType::Struct(&structs::MESH_GATEWAY)),
        (
            "Alias",
            GoType::Embedded(&[
                ("DestinationType", GoType::Shown(&STRING)),
                ("DestinationPartition", STRING),
                ("DestinationNamespace", STRING),
                ("DestinationPeer", STRING),
                ("DestinationName", GoType::Shown(&STRING)),
                ("Datacenter", GoType::Shown(&STRING)),
                ("LocalBindAddress", STRING),
                ("LocalBindPort", GoType::Int),
                ("LocalBindSocketPath", STRING),
                ("LocalBindSocketMode", STRING),
                ("Config", ANY_MAP),
                ("MeshGateway", GoType::Shown(&GoType::Struct(&structs::MESH_GATEWAY))),
            ]),
        ),
    ],
};

/// What a proxy makes reachable without the mesh.
const EXPOSE: GoStruct = GoStruct {
    go_type: "structs.ExposeConfig",
    name: "ExposeConfig",
    is_strict: true,
    fields: &[
        ("Checks", GoType::Bool),
        ("Paths", GoType::List("[]structs.ExposePath", &GoType::Pointer(&EXPOSED_PATH))),
    ],
};

const EXPOSED_PATH: GoStruct = GoStruct {
    go_type: concat!(
        r#"struct { ListenerPortSnake int "json:\"listener_port\""; "#,
        r#"LocalPathPortSnake int "json:\"local_path_port\""; "#,
        r#"ParsedFromCheckSnake bool "json:\"parsed_from_check\""; *structs.Alias }"#,
    ),
    name: "",
    is_strict: true,
    fields: &[
        ("listener_port", GoType::Int),
        ("local_path_port", GoType::Int),
        ("parsed_from_check", GoType::Bool),
        (
            "Alias",
            GoType::Embedded(&[
                ("ListenerPort", GoType::Int),
                ("Path", STRING),
                ("LocalPathPort", GoType::Int),
                ("Protocol", STRING),
                ("ParsedFromCheck", GoType::Bool),
            ]),
        ),
    ],
};

/// How a service takes part in the mesh. Unlike in the others, unknown members are accepted.
pub(super) const CONNECT: GoStruct = GoStruct {
    go_type: concat!(
        r#"struct { SidecarServiceSnake *structs.ServiceDefinition "json:\"sidecar_service\""; "#,
        "*structs.Alias }",
    ),
    name: "",
    is_strict: false,
    fields: &[
        ("sidecar_service", GoType::Unchecked),
        (
            "Alias",
            GoType::Embedded(&[("Native", GoType::Bool), ("SidecarService", GoType::Unchecked)]),
        ),
    ],
};

/// Where a node or a service runs.
pub(super) const LOCALITY: GoStruct = GoStruct {
    go_type: "structs.Locality",
    name: "Locality",
    is_strict: true,
    fields: &[("Region", STRING), ("Zone", STRING)],
};

/// Where a node or a service runs, in transactions and in the answers of agents.
pub(super) const API_LOCALITY: GoStruct = GoStruct {
    go_type: "api.Locality",
    name: "Locality",
    is_strict: true,
    fields: &[("Region", GoType::Shown(&STRING)), ("Zone", GoType::Shown(&STRING))],
};

/// The settings of a service as a proxy in transactions and in the answers of agents.
pub(super) const API_PROXY: GoStruct = GoStruct {
    go_type: "api.AgentServiceConnectProxyConfig",
    name: "AgentServiceConnectProxyConfig",
    is_strict: true,
    fields: &[
        ("EnvoyExtensions", GoType::List("[]api.EnvoyExtension", &api::EXTENSION)),
        ("DestinationServiceName", STRING),
        ("DestinationServiceID", STRING),
        ("LocalServiceAddress", STRING),
        ("LocalServicePort", GoType::Int),
        ("LocalServiceSocketPath", STRING),
        ("Mode", GoType::Text("api.ProxyMode")),
        ("TransparentProxy", GoType::Struct(&api::TRANSPARENT_PROXY)),
        ("Config", ANY_MAP),
        ("Upstreams", GoType::List("[]api.Upstream", &GoType::Struct(&API_UPSTREAM))),
        ("MeshGateway", GoType::Shown(&GoType::Struct(&api::MESH_GATEWAY))),
        ("Expose", GoType::Shown(&GoType::Struct(&API_EXPOSE))),
        ("AccessLogs", GoType::Struct(&api::ACCESS_LOGS)),
    ],
};

const API_UPSTREAM: GoStruct = GoStruct {
    go_type: "api.Upstream",
    name: "Upstream",
    is_strict: true,
    fields: &[
        ("DestinationType", GoType::Text("api.UpstreamDestType")),
        ("DestinationPartition", STRING),
        ("DestinationNamespace", STRING),
        ("DestinationPeer", STRING),
        ("DestinationName", GoType::Shown(&STRING)),
        ("Datacenter", STRING),
        ("LocalBindAddress", STRING),
        ("LocalBindPort", GoType::Int),
        ("LocalBindSocketPath", STRING),
        ("LocalBindSocketMode", STRING),
        ("Config", ANY_MAP),
        ("MeshGateway", GoType::Shown(&GoType::Struct(&api::MESH_GATEWAY))),
        ("CentrallyConfigured", GoType::Bool),
    ],
};

const API_EXPOSE: GoStruct = GoStruct {
    go_type: "api.ExposeConfig",
    name: "ExposeConfig",
    is_strict: true,
    fields: &[
        ("Checks", GoType::Bool),
        ("Paths", GoType::List("[]api.ExposePath", &GoType::Struct(&API_EXPOSED_PATH))),
    ],
};

const API_EXPOSED_PATH: GoStruct = GoStruct {
    go_type: "api.ExposePath",
    name: "ExposePath",
    is_strict: true,
    fields: &[
        ("ListenerPort", GoType::Int),
        ("Path", STRING),
        ("LocalPathPort", GoType::Int),
        ("Protocol", STRING),
        ("ParsedFromCheck", GoType::Shown(&GoType::Bool)),
    ],
};

/// How a service takes part in the mesh, in transactions.
pub(super) const API_CONNECT: GoStruct = GoStruct {
    go_type: "api.AgentServiceConnect",
    name: "AgentServiceConnect",
    is_strict: true,
    fields: &[("Native", GoType::Bool), ("SidecarService", GoType::Unchecked)],
};

/// Types that are the same in both packages.
macro_rules! types_of {
    ($package:ident) => {
        mod $package {
            use super::super::schema::{GoStruct, GoType, STRING};
            use super::ANY_MAP;

            pub(super) const MESH_GATEWAY: GoStruct = GoStruct {
                go_type: concat!(stringify!($package), ".MeshGatewayConfig"),
                name: "MeshGatewayConfig",
                is_strict: true,
                fields: &[(
                    "Mode",
                    GoType::Text(concat!(stringify!($package), ".MeshGatewayMode")),
                )],
            };

            pub(super) const TRANSPARENT_PROXY: GoStruct = GoStruct {
                go_type: concat!(stringify!($package), ".TransparentProxyConfig"),
                name: "TransparentProxyConfig",
                is_strict: true,
                fields: &[("OutboundListenerPort", GoType::Int), ("DialedDirectly", GoType::Bool)],
            };

            pub(super) const ACCESS_LOGS: GoStruct = GoStruct {
                go_type: concat!(stringify!($package), ".AccessLogsConfig"),
                name: "AccessLogsConfig",
                is_strict: true,
                fields: &[
                    ("Enabled", GoType::Bool),
                    ("DisableListenerLogs", GoType::Bool),
                    ("Type", GoType::Text(concat!(stringify!($package), ".LogSinkType"))),
                    ("Path", STRING),
                    ("JSONFormat", STRING),
                    ("TextFormat", STRING),
                ],
            };

            pub(super) const EXTENSION: GoType = GoType::Struct(&GoStruct {
                go_type: concat!(stringify!($package), ".EnvoyExtension"),
                name: "EnvoyExtension",
                is_strict: true,
                fields: &[
                    ("Name", GoType::Shown(&STRING)),
                    ("Required", GoType::Shown(&GoType::Bool)),
                    ("Arguments", GoType::Shown(&ANY_MAP)),
                    ("ConsulVersion", GoType::Shown(&STRING)),
                    ("EnvoyVersion", GoType::Shown(&STRING)),
                ],
            });
        }
    };
}

types_of!(structs);
types_of!(api);
