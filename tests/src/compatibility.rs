//! The table docs/en/reference/compatibility.md: every endpoint of Consul with the versions that
//! have it, its parameters, and what it does here. It is written from the route table of
//! `lictor-core`, so it cannot claim an endpoint or parameter that is not there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lictor_core::ConsulVersion;
use lictor_core::http::{Endpoint, Parameter, Support, endpoints};

/// The file, from the workspace's root.
pub const FILE: &str = "docs/en/reference/compatibility.md";

/// The endpoints that all versions have: the methods, and the paths after `/v1/` that have them.
const IN_ALL: &[(&str, &[&str])] = &[
    ("PUT", &["acl/bootstrap", "acl/policy", "acl/role", "acl/binding-rule", "acl/auth-method"]),
    ("PUT", &["acl/token"]),
    ("POST", &["acl/login", "acl/logout"]),
    ("GET", &["acl/replication", "acl/policies", "acl/policy/name/", "acl/roles"]),
    ("GET", &["acl/role/name/", "acl/binding-rules", "acl/auth-methods", "acl/tokens"]),
    ("GET", &["acl/token/self"]),
    ("GET,PUT,DELETE", &["acl/policy/", "acl/role/", "acl/binding-rule/", "acl/auth-method/"]),
    ("GET,PUT,DELETE", &["acl/token/"]),
    ("PUT", &["agent/token/", "agent/maintenance", "agent/reload", "agent/join/", "agent/leave"]),
    ("PUT", &["agent/force-leave/", "agent/check/register", "agent/check/deregister/"]),
    ("PUT", &["agent/check/pass/", "agent/check/warn/", "agent/check/fail/"]),
    ("PUT", &["agent/check/update/", "agent/service/register", "agent/service/deregister/"]),
    ("PUT", &["agent/service/maintenance/"]),
    ("GET", &["agent/self", "agent/host", "agent/monitor", "agent/metrics"]),
    ("GET", &["agent/metrics/stream", "agent/services", "agent/service/", "agent/checks"]),
    ("GET", &["agent/members", "agent/health/service/id/", "agent/health/service/name/"]),
    ("GET", &["agent/connect/ca/roots", "agent/connect/ca/leaf/"]),
    ("POST", &["agent/connect/authorize"]),
    ("PUT", &["catalog/register", "catalog/deregister"]),
    ("GET", &["catalog/connect/", "catalog/datacenters", "catalog/nodes", "catalog/services"]),
    ("GET", &["catalog/service/", "catalog/node/", "catalog/node-services/"]),
    ("GET", &["catalog/gateway-services/"]),
    ("GET,DELETE", &["config/"]),
    ("PUT", &["config"]),
    ("GET,PUT", &["connect/ca/configuration"]),
    ("GET", &["connect/ca/roots", "connect/intentions/match", "connect/intentions/check"]),
    ("GET,POST", &["connect/intentions"]),
    ("GET,PUT,DELETE", &["connect/intentions/exact", "connect/intentions/"]),
    ("GET", &["coordinate/datacenters", "coordinate/nodes", "coordinate/node/"]),
    ("PUT", &["coordinate/update"]),
    ("GET,POST", &["discovery-chain/"]),
    ("PUT", &["event/fire/"]),
    ("GET", &["event/list"]),
    ("GET", &["health/node/", "health/checks/", "health/state/", "health/service/"]),
    ("GET", &["health/connect/", "health/ingress/"]),
    ("GET", &["internal/federation-states", "internal/federation-states/mesh-gateways"]),
    ("GET", &["internal/federation-state/", "internal/ui/metrics-proxy/", "internal/ui/nodes"]),
    ("GET", &["internal/ui/node/", "internal/ui/services", "internal/ui/catalog-overview"]),
    ("GET", &["internal/ui/gateway-services-nodes/", "internal/ui/gateway-intentions/"]),
    ("GET", &["internal/ui/service-topology/"]),
    ("POST", &["internal/acl/authorize"]),
    ("GET,PUT,DELETE", &["kv/"]),
    ("GET", &["operator/raft/configuration", "operator/autopilot/health"]),
    ("GET", &["operator/autopilot/state"]),
    ("GET,PUT", &["operator/autopilot/configuration"]),
    ("DELETE", &["operator/raft/peer"]),
    ("GET,POST,PUT,DELETE", &["operator/keyring"]),
    ("POST", &["peering/token", "peering/establish"]),
    ("GET,DELETE", &["peering/"]),
    ("GET", &["peerings"]),
    ("GET,POST", &["query"]),
    ("GET,PUT,DELETE", &["query/"]),
    ("PUT", &["session/create", "session/destroy/", "session/renew/"]),
    ("GET", &["session/info/", "session/node/", "session/list"]),
    ("GET,PUT", &["snapshot"]),
    ("GET", &["status/leader", "status/peers"]),
    ("PUT", &["txn"]),
];

/// The endpoints that only one version has, in the same form.
const IN_ONE: &[(ConsulVersion, &str, &[&str])] = &[
    (ConsulVersion::V1_13, "PUT", &["acl/clone/", "acl/create", "acl/destroy/", "acl/update"]),
    (ConsulVersion::V1_13, "GET", &["acl/info/", "acl/list", "acl/rules/translate/"]),
    (ConsulVersion::V1_13, "POST", &["acl/rules/translate"]),
    (ConsulVersion::V1_22, "GET", &["acl/templated-policies", "acl/templated-policy/name/"]),
    (ConsulVersion::V1_22, "POST", &["acl/templated-policy/preview/"]),
    (ConsulVersion::V1_22, "GET", &["agent/version", "exported-services", "imported-services"]),
    (ConsulVersion::V1_22, "PUT", &["internal/service-virtual-ip"]),
    (ConsulVersion::V1_22, "POST", &["operator/raft/transfer-leader"]),
    (ConsulVersion::V1_22, "GET", &["operator/usage", "operator/utilization"]),
];

/// The reasons for absent endpoints, by path prefix; the longest prefix counts.
const ABSENT: &[(&str, &str)] = &[
    ("acl/", "there are no ACLs"),
    ("acl/clone/", LEGACY_ACL),
    ("acl/create", LEGACY_ACL),
    ("acl/destroy/", LEGACY_ACL),
    ("acl/info/", LEGACY_ACL),
    ("acl/list", LEGACY_ACL),
    ("acl/rules/", LEGACY_ACL),
    ("acl/update", LEGACY_ACL),
    ("agent/token/", "there are no ACLs"),
    ("agent/reload", "the configuration is read once"),
    ("agent/join/", "there is one server and no gossip"),
    ("agent/force-leave/", "there is one server and no gossip"),
    ("agent/host", "it would describe the machine"),
    ("agent/metrics", "no metrics are kept"),
    ("agent/version", "`agent/self` has the version"),
    ("agent/connect/", "the service mesh is out of scope"),
    ("catalog/gateway-services/", "the service mesh is out of scope"),
    ("config", "the service mesh is out of scope"),
    ("connect/", "the service mesh is out of scope"),
    ("coordinate/", "there are no network coordinates"),
    ("discovery-chain/", "the service mesh is out of scope"),
    ("exported-services", "the service mesh is out of scope"),
    ("health/ingress/", "the service mesh is out of scope"),
    ("imported-services", "the service mesh is out of scope"),
    ("internal/", "only Consul's own page uses it"),
    ("internal/service-virtual-ip", "the service mesh is out of scope"),
    ("operator/", "there is one server"),
    ("operator/usage", "nothing is counted"),
    ("operator/utilization", "the free Consul answers 404, too"),
    ("peering", "there is one datacenter"),
    ("snapshot", "`--snapshot FILE` keeps the state instead"),
];

const LEGACY_ACL: &str = "the legacy ACLs, which Consul 1.11 removed; a real 1.13 answers 410";

/// The differences of implemented endpoints.
const DIFFERS: &[(&str, &str)] = &[
    ("agent/self", "`DebugConfig` is empty; `xDS` and the section `runtime` of `Stats` are absent"),
    ("agent/members", "the one server; hosts of the catalog are no members"),
    ("agent/leave", "stops the server, and leaves no cluster"),
    (
        "agent/monitor",
        "`lictor-agent` streams its log, whose lines are in agent.md; the engine alone has none, \
         and answers 500, `Streaming not supported`",
    ),
    (
        "agent/services",
        "services that clients put on the agent's node in the catalog are its own; the virtual \
         addresses of the mesh are not shown",
    ),
    ("agent/connect/ca/roots", "as `connect/ca/roots`"),
    (
        "connect/ca/roots",
        "one fixed root with the trust domain of HashiCorp's own tests; nothing is issued from it",
    ),
    (
        "agent/check/register",
        "TTL and alias checks run; others keep their state, and the log says so; \
         `OutputMaxSize` has no effect: 4,096 bytes of an output are kept",
    ),
    (
        "agent/service/register",
        "checks as above, whose `TTL` must be text; a refused check leaves a service that is \
         registered already as it was; `Proxy` and `Connect` are kept, but \
         `SidecarService` is refused",
    ),
    (
        "agent/service/",
        "`ContentHash` counts the settings of a proxy in another way; it changes when they do",
    ),
    ("catalog/register", "`Kind`, `Proxy` and `Connect` of a service are kept; nothing is proxied"),
    ("catalog/connect/", "without gateways, which only configuration entries link to services"),
    ("health/connect/", "as `catalog/connect/`"),
    (
        "txn",
        "a node is got by its whole id, not by its beginning; its `Datacenter` is always that of \
         the server",
    ),
    (
        "catalog/node/",
        "found by name, not by the beginning of its id; its index is that of all nodes and \
         services, so that a blocking read also returns when another node changes",
    ),
    ("catalog/node-services/", "as `catalog/node/`"),
    ("agent/health/service/id/", "checks are in the order of their ids, not in a random one"),
    ("agent/health/service/name/", "as `agent/health/service/id/`"),
    (
        "health/service/",
        "blocking reads and `cached` are answered like others, not from the streaming cache",
    ),
    ("kv/", "bytes of a key that are not UTF-8 become U+FFFD, so that such keys may become one"),
    (
        "query/",
        "executed in the order of the catalog, without `Near` and without failover to other \
         datacenters and peers, of which there are none; templates have no operators",
    ),
    ("session/create", "`Namespace` in the body has no effect"),
];

/// The members of bodies that are accepted and have no effect: the endpoint, their names, and the
/// reason. A test of `lictor-core` compares the document with the types of bodies.
const UNREAD_MEMBERS: &[(&str, &str, &str)] = &[
    (
        "agent/check/register",
        "Body DisableRedirects DockerContainerID GRPCUseTLS H2PingUseTLS Header Method \
         Shell TCPUseTLS TLSServerName TLSSkipVerify disable_redirects docker_container_id \
         grpc_use_tls h2ping_use_tls tcp_use_tls tls_server_name tls_skip_verify",
        "how an agent carries out a check; none of these is carried out here",
    ),
    (
        "agent/check/register",
        "DeregisterCriticalServiceAfter deregister_critical_service_after",
        "a service stays however long its check is critical",
    ),
    (
        "agent/check/register",
        "FailuresBeforeCritical OutputMaxSize SuccessBeforePassing",
        "only the form is checked; a report counts at once",
    ),
    ("agent/check/register", "Token", "there are no ACLs"),
    (
        "agent/service/register",
        "Check.Body Check.DisableRedirects Check.DockerContainerID Check.GRPCUseTLS \
         Check.H2PingUseTLS Check.Header Check.Method Check.ProxyGRPC Check.ProxyHTTP \
         Check.Shell Check.TCPUseTLS Check.TLSServerName Check.TLSSkipVerify \
         Check.docker_container_id Check.grpc_use_tls Check.h2ping_use_tls \
         Check.tcp_use_tls Check.tls_server_name Check.tls_skip_verify",
        "how an agent carries out a check; none of these is carried out here",
    ),
    (
        "agent/service/register",
        "Check.DeregisterCriticalServiceAfter Check.deregister_critical_service_after",
        "a service stays however long its check is critical",
    ),
    (
        "agent/service/register",
        "Check.FailuresBeforeCritical Check.OutputMaxSize Check.SuccessBeforePassing",
        "only the form is checked; a report counts at once",
    ),
    (
        "agent/service/register",
        "Check.ServiceID Check.service_id",
        "as in Consul: the check is of the service that it comes with",
    ),
    ("agent/service/register", "Token", "there are no ACLs"),
    ("catalog/deregister", "Address", "as in Consul"),
    ("catalog/deregister", "Token", "there are no ACLs"),
    (
        "catalog/register",
        "Check.CreateIndex Check.ModifyIndex CreateIndex ModifyIndex Service.CreateIndex \
         Service.ModifyIndex",
        "as in Consul: indexes are those of the log",
    ),
    (
        "catalog/register",
        "Service.Connect.SidecarService Service.Connect.sidecar_service",
        "as in Consul",
    ),
    ("catalog/register", "Token", "there are no ACLs"),
    ("query", "CreateIndex ModifyIndex", "as in Consul"),
    ("session/create", "CreateIndex ID ModifyIndex", "as in Consul"),
    (
        "txn",
        "Check.Check.CreateIndex Node.Node.CreateIndex Service.Service.CreateIndex",
        "as in Consul",
    ),
    (
        "txn",
        "Check.Check.Namespace Check.Check.Partition KV.Namespace KV.Partition \
         Node.Node.Partition Service.Service.Namespace Service.Service.Partition",
        "as in the free Consul",
    ),
    ("txn", "Check.Check.Definition.SessionName Check.Check.Definition.UDP", "as in Consul"),
    (
        "txn",
        "Check.Check.Type Service.Service.TaggedAddresses",
        "as in Consul 1.13; 1.22 keeps them",
    ),
    ("txn", "Node.Node.Datacenter Service.Service.Datacenter", "there is one datacenter"),
    ("txn", "Node.Node.Locality", "as in Consul"),
    (
        "txn",
        "Service.Service.Connect Service.Service.ContentHash Service.Service.Locality \
         Service.Service.PeerName Service.Service.Ports Service.Service.Proxy.AccessLogs \
         Service.Service.Proxy.Config Service.Service.Proxy.EnvoyExtensions \
         Service.Service.Proxy.Expose Service.Service.Proxy.Mode \
         Service.Service.Proxy.Upstreams Service.Service.SocketPath",
        "as in Consul",
    ),
];

const UNREAD_HEAD: &str = "\
## Members of bodies without effect

Any other member of a body is kept, changes what is done, or is refused by name. A dot leads into an
object, or into those of a list.

| endpoint | members | why |
|---|---|---|";

const HEAD: &str = "\
# Compatibility with Consul

Every HTTP endpoint of Consul 1.22.7 and of 1.13.9 with its parameters, and what it does here. This
file is written from the route table: `cargo run -p lictor-tests --bin compatibility`.

- The second column says which of the two versions have an endpoint; `both` is the usual case. How
  the answers of the two versions differ is in section 19 of [behaviour.md](behaviour.md).
- A path that ends in `/` stands for all paths below it.
- An absent endpoint answers 404, `Invalid URL path: not a recognized HTTP API endpoint`, as
  Consul does for a path that it does not know.
- A parameter that is refused answers 400 and is named in the text. No parameter that would change
  an answer is ignored in silence. The free Consul refuses `ns` and `partition`, too.
- All endpoints accept `pretty`, and `token`, which has no effect as there are no ACLs. `cached`
  has no effect: every answer is fresh.
- Rules with their sources are in [behaviour.md](behaviour.md); differences below HTTP are in
  [agent.md](agent.md).

Everywhere:

- There is one server and one datacenter. Another `dc` answers 500, `No path to datacenter`.
- What an agent registers is in the catalog at once; a real one syncs it a moment later, a new
  output of a check within five minutes, and removes what clients put on its node.
- Of several errors in one request, the answer names the one that Consul names. There are two
  exceptions: `ns` in a read of a key without a name, and `partition` beside `wan` and `segment`.
- The error texts for bodies of a wrong form are Consul's, except for a body that begins with a
  byte that is not UTF-8, and for wrong types in the `Definition` of a check in a transaction.
- There are no pages under `/ui/`: `GET /` answers that the UI is disabled, also with `-dev`.
- `OPTIONS`, paths with unprintable characters, `X-Consul-Default-ACL-Policy` and
  `X-Consul-Effective-Consistency` are as in Consul. There are no `X-Cache` and `Age`, as there is
  no cache.
- Answers are not compressed, and have no `Vary`.
";

const TABLE_HEAD: &str = "\
| endpoint | Consul | here | parameters | differs |
|---|---|---|---|---|";

/// An endpoint of Consul's.
pub struct ConsulEndpoint {
    /// Its path after `/v1/`.
    pub path: &'static str,
    /// Its methods, such as `GET,PUT`.
    pub methods: &'static str,
    /// The only version that has it; `None` if all have it.
    pub only_in: Option<ConsulVersion>,
}

/// All endpoints of all versions.
pub fn consul() -> impl Iterator<Item = ConsulEndpoint> {
    let in_all = IN_ALL.iter().map(|(methods, paths)| (None, *methods, *paths));
    let in_one = IN_ONE.iter().map(|(version, methods, paths)| (Some(*version), *methods, *paths));
    in_all.chain(in_one).flat_map(|(only_in, methods, paths)| {
        paths.iter().map(move |path| ConsulEndpoint { path, methods, only_in })
    })
}

/// The reason why an endpoint is absent; `None` for one without a reason.
pub fn reason(path: &str) -> Option<&'static str> {
    let fitting = ABSENT.iter().filter(|(begin, _)| path.starts_with(begin));
    fitting.max_by_key(|(begin, _)| begin.len()).map(|(_, why)| *why)
}

/// The endpoints of the route table by their paths after `/v1/`.
pub fn present() -> BTreeMap<&'static str, Endpoint> {
    let named = |endpoint: Endpoint| Some((endpoint.pattern.strip_prefix("/v1/")?, endpoint));
    endpoints().filter_map(named).collect()
}

/// The paths of notes that apply to no endpoint: differences of absent endpoints, and reasons for
/// no path.
pub fn idle_notes() -> Vec<&'static str> {
    let (present, absent) = (present(), |begin: &str| {
        !consul().any(|it| it.path.starts_with(begin) && reason(it.path).is_some())
    });
    let differs = DIFFERS.iter().map(|(path, _)| *path).filter(|path| !present.contains_key(path));
    differs.chain(ABSENT.iter().map(|(begin, _)| *begin).filter(|begin| absent(begin))).collect()
}

/// The whole file.
pub fn document() -> String {
    let present = present();
    let mut endpoints: Vec<_> = consul().collect();
    endpoints.sort_unstable_by_key(|it| it.path);
    let mut text = format!("{HEAD}\n{TABLE_HEAD}\n");
    for ConsulEndpoint { path, methods, only_in } in endpoints {
        let methods = methods.replace(',', ", ");
        let versions = only_in.map_or("both", ConsulVersion::name);
        let row = match present.get(path) {
            Some(endpoint) => {
                let differs = DIFFERS.iter().find(|(it, _)| *it == path).map_or("", |(_, how)| how);
                format!("yes | {} | {differs} |", parameters(endpoint))
            }
            None => format!("no | | {} |", reason(path).unwrap_or_default()),
        };
        writeln!(text, "| {methods} `/v1/{path}` | {versions} | {row}")
            .expect("a String takes all");
    }
    write!(text, "\n{UNREAD_HEAD}\n").expect("a String takes all");
    for (endpoint, names, why) in UNREAD_MEMBERS {
        let names: Vec<_> = names.split(' ').map(|name| format!("`{name}`")).collect();
        writeln!(text, "| `{endpoint}` | {} | {why} |", names.join(" "))
            .expect("a String takes all");
    }
    text
}

/// The parameters of an endpoint, without those that all endpoints have.
fn parameters(endpoint: &Endpoint) -> String {
    let with_support = |wanted: fn(&Support) -> bool| {
        let is_common = |name: &str| matches!(name, "pretty" | "token" | "cached");
        let found = endpoint.parameters().filter(|it| !is_common(it.name) && wanted(&it.support));
        found.collect::<Vec<_>>()
    };
    let names = |list: &[Parameter]| {
        list.iter().map(|it| format!("`{}`", it.name)).collect::<Vec<_>>().join(" ")
    };
    let mut parts = Vec::new();
    let taken = with_support(|support| *support == Support::Yes);
    if !taken.is_empty() {
        parts.push(names(&taken));
    }
    let idle = with_support(|support| matches!(support, Support::NoEffect(_)));
    for group in idle.chunk_by(|a, b| a.support == b.support) {
        if let Support::NoEffect(why) = group[0].support {
            parts.push(format!("without effect: {} ({why})", names(group)));
        }
    }
    let refused = with_support(|support| matches!(support, Support::Refused(_)));
    if !refused.is_empty() {
        parts.push(format!("refused: {}", names(&refused)));
    }
    parts.join("; ")
}
