//! The settings of services for the service mesh, over HTTP as values: kinds, settings of proxies,
//! virtual addresses, the lists of what clients in the mesh reach, and what is refused. The
//! expected answers are those of a Consul 1.22.7, except the refusal of sidecars.

use lictor_core::Consul;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

const NO_PROXY: &str = r#""Proxy":{"Mode":"","MeshGateway":{},"Expose":{}},"Connect":{}"#;

/// Settings in another order than Go's, in both spellings, with zero values.
const SETTINGS: &str = r#"{"Expose":{"Checks":false,"Paths":[{"Path":"/x","ListenerPort":1}]},
    "destination_service_name":"web","LocalServicePort":8080,"Mode":"direct",
    "Config":{"b":1.0,"a":{"z":null,"y":1e21,"x":[1e-7,12345678901234567890]},"b":2.50},
    "Upstreams":[{"DestinationName":"db","LocalBindPort":9000,"Config":{}},
        {"destination_name":"q","DestinationType":"prepared_query","LocalBindSocketPath":"/s"}],
    "MeshGateway":{"Mode":"local"},"TransparentProxy":{},"AccessLogs":{"Enabled":true},
    "EnvoyExtensions":[{"Name":"n"}],"LocalServiceAddress":""}"#;

fn service(consul: &mut Consul, service: &str) -> String {
    let body = format!(r#"{{"Node":"n2","Address":"10.0.0.2","Service":{service}}}"#);
    put(consul, "/v1/catalog/register", &body)
}

fn registered(consul: &mut Consul, body: &str) {
    assert_eq!(service(consul, body), "200 true", "{body}");
}

fn deregistered(consul: &mut Consul, id: &str) {
    let body = format!(r#"{{"Node":"n2","ServiceID":"{id}"}}"#);
    assert_eq!(put(consul, "/v1/catalog/deregister", &body), "200 true");
}

/// What the catalog keeps of a service.
fn listed(consul: &mut Consul, name: &str) -> String {
    get(consul, &format!("/v1/catalog/service/{name}"))
}

fn virtual_address(consul: &mut Consul, name: &str) -> Option<String> {
    let listed = listed(consul, name);
    let (_, rest) = listed.split_once(r#""consul-virtual":{"Address":""#)?;
    rest.split_once('"').map(|(address, _)| address.to_owned())
}

fn proxy(name: &str, of: &str) -> String {
    let settings = format!(r#"{{"DestinationServiceName":"{of}"}}"#);
    format!(r#"{{"Service":"{name}","Kind":"connect-proxy","Port":5,"Proxy":{settings}}}"#)
}

fn native(name: &str) -> String {
    format!(r#"{{"Service":"{name}","Port":5,"Connect":{{"Native":true}}}}"#)
}

/// MSH-01.
#[test]
fn the_settings_of_a_proxy_are_kept_and_shown_as_go_writes_them() {
    let mut consul = Consul::seeded(1);
    let body = format!(
        r#"{{"Service":"web-proxy","Kind":"connect-proxy","SocketPath":"/p","Proxy":{SETTINGS}}}"#
    );
    registered(&mut consul, &body);
    let kept = concat!(
        r#"Proxy":{"AccessLogs":{"Enabled":true},"EnvoyExtensions":[{"Name":"n","#,
        r#""Required":false,"Arguments":null,"ConsulVersion":"","EnvoyVersion":""}],"#,
        r#""DestinationServiceName":"web","LocalServicePort":8080,"Mode":"direct","#,
        r#""Config":{"a":{"x":[1e-7,12345678901234567000],"y":1e+21,"z":null},"b":2.5},"#,
        r#""Upstreams":[{"DestinationType":"","DestinationName":"db","Datacenter":"","#,
        r#""LocalBindPort":9000,"MeshGateway":{}},{"DestinationType":"prepared_query","#,
        r#""DestinationName":"q","Datacenter":"","LocalBindSocketPath":"/s","MeshGateway":{}}],"#,
        r#""MeshGateway":{"Mode":"local"},"#,
        r#""Expose":{"Paths":[{"ListenerPort":1,"Path":"/x"}]}},"#,
    );
    let of_catalog = listed(&mut consul, "web-proxy");
    assert!(
        of_catalog.contains(&format!(r#""Service{kept}"ServiceConnect":{{}}"#)),
        "{of_catalog}"
    );
    assert!(of_catalog.contains(r#""ServiceKind":"connect-proxy""#), "{of_catalog}");
    assert!(of_catalog.contains(r#""ServiceSocketPath":"/p""#), "{of_catalog}");
    let of_health = get(&mut consul, "/v1/health/service/web-proxy");
    assert!(of_health.contains(&format!(r#""{kept}"Connect":{{}}"#)), "{of_health}");
    assert!(of_health.contains(r#""Service":{"Kind":"connect-proxy","ID""#), "{of_health}");
    let pretty = get(&mut consul, "/v1/catalog/service/web-proxy?pretty");
    assert!(pretty.contains("\"x\": [\n                        1e-7,\n"), "{pretty}");
    registered(&mut consul, r#"{"Service":"plain"}"#);
    let plain = get(&mut consul, "/v1/health/service/plain");
    assert!(plain.contains(NO_PROXY) && !plain.contains("Kind"), "{plain}");
}

/// MSH-03.
#[test]
fn an_agent_completes_the_settings_and_shows_them_in_its_own_form() {
    let mut consul = Consul::seeded(1);
    let body = format!(r#"{{"Name":"p","Kind":"connect-proxy","Port":7,"Proxy":{SETTINGS}}}"#);
    assert_eq!(put(&mut consul, "/v1/agent/service/register", &body), "200 ");
    let of_catalog = listed(&mut consul, "p");
    let upstreams = concat!(
        r#""Upstreams":[{"DestinationType":"service","DestinationName":"db","Datacenter":"","#,
        r#""LocalBindPort":9000,"MeshGateway":{"Mode":"local"}},"#,
        r#"{"DestinationType":"prepared_query","DestinationName":"q","Datacenter":"","#,
        r#""LocalBindSocketPath":"/s","MeshGateway":{}}]"#,
    );
    assert!(of_catalog.contains(upstreams), "{of_catalog}");
    assert!(!of_catalog.contains("EnvoyExtensions"), "{of_catalog}");
    let own = get(&mut consul, "/v1/agent/services");
    let settings = concat!(
        r#""Proxy":{"DestinationServiceName":"web","LocalServicePort":8080,"Mode":"direct","#,
        r#""Config":{"a":{"x":[1e-7,12345678901234567000],"y":1e+21,"z":null},"b":2.5},"#,
        r#""Upstreams":[{"DestinationType":"service","DestinationName":"db","#,
        r#""LocalBindPort":9000,"MeshGateway":{"Mode":"local"}},"#,
        r#"{"DestinationType":"prepared_query","DestinationName":"q","#,
        r#""LocalBindSocketPath":"/s","MeshGateway":{}}],"MeshGateway":{"Mode":"local"},"#,
        r#""Expose":{"Paths":[{"ListenerPort":1,"Path":"/x","ParsedFromCheck":false}]},"#,
        r#""AccessLogs":{"Enabled":true}},"Datacenter":"dc1""#,
    );
    assert!(own.contains(settings) && !own.contains("consul-virtual"), "{own}");
    for (body, shown) in [
        (
            r#"{"Name":"g","Kind":"mesh-gateway","Port":7}"#,
            r#""Proxy":{"MeshGateway":{},"Expose":{}}"#,
        ),
        (r#"{"Name":"g","Port":7,"Connect":{"Native":true}}"#, r#""Connect":{"Native":true}"#),
        (r#"{"Name":"g","SocketPath":"/s","Port":1}"#, r#""SocketPath":"/s""#),
        (
            r#"{"Name":"g","Locality":{"Region":"r"},"Port":2}"#,
            r#""Locality":{"Region":"r","Zone":""}"#,
        ),
    ] {
        assert_eq!(put(&mut consul, "/v1/agent/service/register", body), "200 ");
        let own = get(&mut consul, "/v1/agent/service/g");
        assert!(own.contains(shown), "{own}");
    }
}

/// MSH-07.
#[test]
fn a_sidecar_is_refused_by_the_agent_alone() {
    let mut consul = Consul::seeded(1);
    let sidecar = r#"{"Name":"s","Port":7,"Connect":{"SidecarService":{}}}"#;
    let refused = "400 Invalid service: \"SidecarService\" - this server does not implement it";
    assert_eq!(put(&mut consul, "/v1/agent/service/register", sidecar), refused);
    registered(&mut consul, r#"{"Service":"s","Port":7,"Connect":{"SidecarService":{}}}"#);
    assert!(listed(&mut consul, "s").contains(r#""ServiceConnect":{}"#));
}

/// MSH-04.
#[test]
fn a_transaction_takes_only_a_part_of_the_settings() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#"{"Service":"other"}"#);
    let set = |service: &str| {
        format!(r#"[{{"Service":{{"Verb":"set","Node":"n2","Service":{service}}}}}]"#)
    };
    let service = concat!(
        r#"{"Service":"p","Kind":"connect-proxy","Port":7,"Connect":{"Native":true},"#,
        r#""SocketPath":"/s","Locality":{"Region":"r"},"Proxy":{"DestinationServiceName":"web","#,
        r#""Mode":"direct","Config":{"a":1},"MeshGateway":{"Mode":"none"},"#,
        r#""TransparentProxy":{"DialedDirectly":true},"Upstreams":[{"LocalBindPort":5}]}}"#,
    );
    let answer = put(&mut consul, "/v1/txn", &set(service));
    let kept = concat!(
        r#""Proxy":{"TransparentProxy":{"DialedDirectly":true},"#,
        r#""DestinationServiceName":"web","Mode":"","MeshGateway":{"Mode":"none"},"Expose":{}},"#,
        r#""Connect":{}"#,
    );
    assert!(answer.contains(kept) && answer.contains(r#"{"Kind":"connect-proxy""#), "{answer}");
    assert!(!answer.contains("SocketPath") && !answer.contains("Locality"), "{answer}");
    let answer = put(&mut consul, "/v1/txn", &set(r#"{"Service":"p","Kind":"connect-proxy"}"#));
    let refused = concat!(
        r#"409 {"Results":null,"Errors":[{"OpIndex":0,"What":"2 errors occurred:\n\t* "#,
        r#"Port or SocketPath must be set for a connect-proxy\n\t* "#,
        r#"Proxy.DestinationServiceName must be non-empty for Connect proxy services\n\n"}]}"#,
    );
    assert_eq!(answer, refused);
}

/// Registers a service in the catalog and at the agent. Both refuse it with these faults.
fn refuses(members: &str, faults: &[&str]) {
    let mut consul = Consul::seeded(1);
    let errors = if faults.len() == 1 { "error" } else { "errors" };
    let listed: String = faults.iter().map(|fault| format!("\t* {fault}\n")).collect();
    let expected = format!("{} {errors} occurred:\n{listed}\n", faults.len());
    let answer = service(&mut consul, &format!(r#"{{"Service":"x",{members}}}"#));
    assert_eq!(answer, format!("500 {}", expected.replace("TYPE", "")), "{members}");
    let body = format!(r#"{{"Name":"x",{members}}}"#);
    let answer = put(&mut consul, "/v1/agent/service/register", &body);
    let expected = format!("400 Validation failed: {}", expected.replace("TYPE", "service"));
    assert_eq!(answer, expected, "{members}");
}

/// MSH-02.
#[test]
fn a_proxy_that_contradicts_itself_is_refused_with_all_its_faults() {
    refuses(
        r#""Kind":"connect-proxy","Locality":{"Zone":"z"},"Connect":{"Native":true}"#,
        &[
            "zone cannot be set without region",
            "Port or SocketPath must be set for a connect-proxy",
            "Proxy.DestinationServiceName must be non-empty for Connect proxy services",
            "A Proxy cannot also be Connect Native, only typical services",
            "Port or SocketPath must be set for a Connect native service.",
        ],
    );
    refuses(
        r#""Kind":"connect-proxy","SocketPath":"/s","Proxy":{"DestinationServiceName":"*"}"#,
        &["Proxy.DestinationServiceName must not be a wildcard for Connect proxy services"],
    );
    refuses(
        r#""Kind":"connect-proxy","Port":1,"Proxy":{"DestinationServiceName":"w","Expose":
            {"Paths":[{},{"Path":"/a","ListenerPort":1,"Protocol":"X"},
            {"Path":"/a","ListenerPort":1},{"Path":"/b","ListenerPort":70000}]}}"#,
        &[
            "expose.paths: empty path exposed",
            "expose.paths: invalid listener port: 0",
            "protocol 'x' not supported for path: /a, must be in: [http http2]",
            "expose.paths: duplicate listener ports exposed",
            "expose.paths: invalid listener port: 70000",
        ],
    );
}

/// MSH-02.
#[test]
fn upstreams_must_be_complete_and_occur_once() {
    refuses(
        r#""Kind":"connect-proxy","Port":1,"Proxy":{"DestinationServiceName":"w","Upstreams":[
            {},{"DestinationName":"*"},{"DestinationName":"a"},{"DestinationType":"t"},
            {"DestinationName":"a","LocalBindPort":1,"LocalBindSocketPath":"/s"},
            {"DestinationName":"a","DestinationPeer":"p","Datacenter":"d"},
            {"DestinationName":"a","LocalBindPort":1,"DestinationPeer":"p",
                "DestinationPartition":"x"},
            {"DestinationName":"a","LocalBindPort":1},
            {"DestinationName":"a","LocalBindPort":2},
            {"DestinationName":"b","LocalBindPort":1,"LocalBindAddress":"127.0.0.1"},
            {"DestinationName":"c","LocalBindSocketPath":"/s"},
            {"DestinationName":"d","LocalBindSocketPath":"/s"}]}"#,
        &[
            "upstream destination name cannot be empty",
            "upstream destination name cannot be a wildcard",
            "upstream local bind port or local socket path must be defined and nonzero",
            "unknown upstream destination type: \"t\"",
            "only one of upstream local bind port or local socket path can be defined and nonzero",
            "upstream cannot specify both destination peer and datacenter",
            "upstreams must target peers in the same partition as the service",
            "upstreams cannot contain duplicates of [type=\"TYPE\", name=\"a\", \
             partition=\"\", namespace=\"\", peer=\"\", datacenter=\"\"]",
            "upstreams cannot contain duplicates by local bind address and port or unix path; \
             \"127.0.0.1:1\" is specified twice",
            "upstreams cannot contain duplicates by local bind address and port or unix path; \
             \"/s\" is specified twice",
        ],
    );
}

/// MSH-02.
#[test]
fn a_gateway_is_no_proxy_of_a_service() {
    refuses(
        r#""Kind":"terminating-gateway","Proxy":{"DestinationServiceName":"a",
            "DestinationServiceID":"b","LocalServiceAddress":"c","LocalServicePort":1,
            "LocalServiceSocketPath":"d","Upstreams":[{}]}"#,
        &[
            "Port must be non-zero for a terminating-gateway",
            "The Proxy.DestinationServiceName configuration is invalid for a terminating-gateway",
            "The Proxy.DestinationServiceID configuration is invalid for a terminating-gateway",
            "The Proxy.LocalServiceAddress configuration is invalid for a terminating-gateway",
            "The Proxy.LocalServicePort configuration is invalid for a terminating-gateway",
            "The Proxy.LocalServiceSocketPath configuration is invalid for a terminating-gateway",
            "The Proxy.Upstreams configuration is invalid for a terminating-gateway",
        ],
    );
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#"{"Service":"x","Kind":"ingress-gateway"}"#);
    let other_kind =
        r#"{"Service":"x","Kind":"any","Proxy":{"Upstreams":[{}],"Expose":{"Paths":[{}]}}}"#;
    registered(&mut consul, other_kind);
}

#[test]
fn settings_of_a_wrong_form_are_refused_in_the_words_of_go() {
    let mut consul = Consul::seeded(1);
    for (members, of_catalog, of_agent) in [
        (
            r#""Proxy":{"Upstreams":[{"LocalBindPort":"x"}]}"#,
            "string into Go struct field \
             NodeService.Service.Proxy.Alias.Upstreams.Alias.LocalBindPort",
            "string into Go struct field .Alias.Proxy.Alias.Upstreams.Alias.LocalBindPort",
        ),
        (
            r#""Proxy":{"Expose":{"Checks":5}}"#,
            "number into Go struct field NodeService.Service.Proxy.Alias.Expose.Checks",
            "number into Go struct field .Alias.Proxy.Alias.Expose.Checks",
        ),
        (
            r#""Connect":{"Foo":1,"Native":"x"}"#,
            "string into Go struct field NodeService.Service.Connect.Alias.Native",
            "string into Go struct field .Alias.Connect.Alias.Native",
        ),
    ] {
        let begin = "400 Request decode failed: json: cannot unmarshal";
        let answer = service(&mut consul, &format!(r#"{{"Service":"x",{members}}}"#));
        assert!(answer.starts_with(&format!("{begin} {of_catalog} of type ")), "{answer}");
        let body = format!(r#"{{"Name":"x",{members}}}"#);
        let answer = put(&mut consul, "/v1/agent/service/register", &body);
        assert!(answer.starts_with(&format!("{begin} {of_agent} of type ")), "{answer}");
    }
    let unknown = r#"{"Service":"x","Proxy":{"MeshGateway":{"Foo":1}}}"#;
    let refused = "400 Request decode failed: json: unknown field \"Foo\"";
    assert_eq!(service(&mut consul, unknown), refused);
}

/// MSH-06.
#[test]
fn each_service_of_the_mesh_gets_a_virtual_address() {
    let mut consul = Consul::seeded(1);
    let address = |number: u8| Some(format!("240.0.0.{number}"));
    registered(&mut consul, &native("a"));
    registered(&mut consul, r#"{"Service":"b"}"#);
    registered(&mut consul, &proxy("b-proxy", "b"));
    registered(&mut consul, &proxy("c-proxy", "c"));
    registered(&mut consul, &native("C"));
    for (name, number) in [("a", 1), ("b-proxy", 2), ("c-proxy", 3), ("C", 3)] {
        assert_eq!(virtual_address(&mut consul, name), address(number), "{name}");
    }
    assert_eq!(virtual_address(&mut consul, "b"), None);
    let failed = format!(
        r#"[{{"Service":{{"Verb":"set","Node":"n2","Service":{}}}}},{{"KV":{{"Verb":"get"}}}}]"#,
        proxy("d-proxy", "d")
    );
    assert!(put(&mut consul, "/v1/txn", &failed).starts_with("409"));
    deregistered(&mut consul, "b-proxy");
    registered(&mut consul, &native("e"));
    assert_eq!(virtual_address(&mut consul, "e"), address(4), "`b` keeps its address");
    deregistered(&mut consul, "b");
    deregistered(&mut consul, "a");
    registered(&mut consul, &native("f"));
    registered(&mut consul, &native("g"));
    assert_eq!(virtual_address(&mut consul, "f"), address(1), "that of `a`, which was freed last");
    assert_eq!(virtual_address(&mut consul, "g"), address(5), "no other one is used again");
}

/// MSH-05.
#[test]
fn clients_in_the_mesh_reach_proxies_and_native_instances() {
    let mut consul = Consul::seeded(1);
    let found = |consul: &mut Consul, target: &str| {
        let answer = ask(consul, "GET", &format!("/v1/{target}"), "");
        let index = answer.header("X-Consul-Index").expect("an index").to_owned();
        let text = answer.text();
        let ids = ["W", "Wp", "Wn"].into_iter().filter(|id| {
            text.contains(&format!(r#"ServiceID":"{id}""#))
                || text.contains(&format!(r#""ID":"{id}""#))
        });
        (ids.collect::<Vec<_>>().join(" "), index.parse::<u64>().expect("a number"))
    };
    let both = |consul: &mut Consul| {
        (found(consul, "catalog/connect/w"), found(consul, "health/connect/w"))
    };
    let at = |consul: &Consul| consul.engine().index().0;
    registered(&mut consul, r#"{"ID":"W","Service":"W","Port":1}"#);
    let of_w = at(&consul);
    assert_eq!(both(&mut consul).0.0, "");
    registered(&mut consul, &proxy("Wp", "W").replace(r#""Service":"#, r#""ID":"Wp","Service":"#));
    let of_proxy = at(&consul);
    let expected = (("Wp".into(), of_w), ("Wp".into(), of_proxy));
    assert_eq!(both(&mut consul), expected, "the catalog counts changes of the service itself");
    registered(&mut consul, &native("W").replace(r#""Service":"#, r#""ID":"Wn","Service":"#));
    let of_native = at(&consul);
    assert_eq!(both(&mut consul), (("Wp Wn".into(), of_native), ("Wp Wn".into(), of_native)));
    deregistered(&mut consul, "W");
    deregistered(&mut consul, "Wn");
    registered(&mut consul, r#"{"Service":"other"}"#);
    let last = at(&consul);
    assert_eq!(both(&mut consul), (("Wp".into(), last), ("Wp".into(), of_proxy)));
    for target in ["catalog/connect/W?tag=x", "health/connect/W?passing&tag=x"] {
        assert_eq!(found(&mut consul, target).0, "Wp", "tags are not looked at");
    }
    let filtered = "health/connect/W?filter=Service.Kind+!=+%22connect-proxy%22";
    assert_eq!(found(&mut consul, filtered).0, "");
    for missing in ["catalog/connect/", "health/connect/"] {
        assert_eq!(get(&mut consul, &format!("/v1/{missing}")), "400 Missing service name");
    }
}

/// MSH-08.
#[test]
fn a_socket_or_a_place_alone_makes_no_change() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#"{"Service":"x","Port":1}"#);
    let before = listed(&mut consul, "x");
    registered(
        &mut consul,
        r#"{"Service":"x","Port":1,"SocketPath":"/s","Locality":{"Region":"r"}}"#,
    );
    assert_eq!(listed(&mut consul, "x"), before);
    registered(
        &mut consul,
        r#"{"Service":"x","Port":2,"SocketPath":"/s","Locality":{"Region":"r"}}"#,
    );
    let after = listed(&mut consul, "x");
    assert!(after.contains(r#""ServiceSocketPath":"/s""#), "{after}");
    assert!(after.contains(r#""ServiceLocality":{"Region":"r"}"#), "{after}");
    let node = r#"{"Node":"n3","Address":"1","Locality":{"Region":"r","Zone":"z"}}"#;
    assert_eq!(put(&mut consul, "/v1/catalog/register", node), "200 true");
    let moved = r#"{"Node":"n3","Address":"1","Locality":{"Region":"other"}}"#;
    assert_eq!(put(&mut consul, "/v1/catalog/register", moved), "200 true");
    let nodes = get(&mut consul, "/v1/catalog/nodes?filter=Node+==+n3");
    assert!(nodes.contains(r#""Locality":{"Region":"r","Zone":"z"}"#), "{nodes}");
}

/// FLT-05.
#[test]
fn filters_select_by_mesh_settings() {
    let mut consul = Consul::seeded(1);
    let body = format!(r#"{{"Service":"p","Kind":"connect-proxy","Port":5,"Proxy":{SETTINGS}}}"#);
    registered(&mut consul, &body);
    registered(&mut consul, &native("n"));
    let chosen = |consul: &mut Consul, filter: &str| {
        let filter = filter.replace(' ', "%20").replace('"', "%22");
        let answer = get(consul, &format!("/v1/catalog/node-services/n2?filter={filter}"));
        match answer.strip_prefix("500 Failed to create boolean expression evaluator: ") {
            Some(why) => why.to_owned(),
            None => {
                let names = ["p", "n"].into_iter();
                let found = names.filter(|name| answer.contains(&format!(r#""ID":"{name}""#)));
                found.collect()
            }
        }
    };
    for (filter, expected) in [
        ("Kind == \"connect-proxy\"", "p"),
        ("Connect.Native == true", "n"),
        ("Proxy.DestinationServiceName == web", "p"),
        ("Proxy.LocalServicePort != 8080", "n"),
        ("Proxy.Upstreams.DestinationName == db", "p"),
        ("Proxy.Upstreams.DestinationName != db", "p"),
        ("Proxy.Upstreams is empty", "n"),
        ("Proxy.MeshGateway.Mode == \"\"", "n"),
        ("Proxy.AccessLogs.Enabled == true", "p"),
        ("Proxy.Expose.Paths.ListenerPort == 1", "p"),
        ("TaggedAddresses[\"consul-virtual\"].Address == \"240.0.0.2\"", "n"),
        ("Proxy.Config.a == 1", "Selector \"Proxy.Config\" is not valid"),
        ("Proxy.Mode is empty", "Invalid match operator \"Is Empty\" for selector \"Proxy.Mode\""),
        ("Connect.SidecarService is empty", "Selector \"Connect.SidecarService\" is not valid"),
    ] {
        assert_eq!(chosen(&mut consul, filter), expected, "{filter}");
    }
}

#[test]
fn filters_read_settings_that_are_nested_as_deeply_as_a_body_may_be() {
    let mut consul = Consul::seeded(1);
    let deep = ["[".repeat(998), "]".repeat(998)].concat();
    let body = format!(r#"{{"Name":"p","Port":5,"Proxy":{{"Config":{{"a":{deep}}}}}}}"#);
    assert_eq!(put(&mut consul, "/v1/agent/service/register", &body), "200 ");
    let target = "/v1/health/service/p?filter=Service.Port+==+5";
    assert!(get(&mut consul, target).contains(&deep));
    assert_eq!(get(&mut consul, "/v1/health/service/p?filter=Service.Port+==+6"), "200 []");
}
