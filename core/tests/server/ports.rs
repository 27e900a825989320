//! Services with several named ports, which Consul has since 1.22 (V22-20): how they are checked,
//! listed and compared. The expected answers are those of a Consul 1.22.7.

use lictor_core::engine::Config;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

const AT_AGENT: &str = "/v1/agent/service/register";
const AT_CATALOG: &str = "/v1/catalog/register";

const TWO: &str =
    r#""Ports":[{"Name":"http","Port":80,"Default":true},{"Name":"admin","Port":81}]"#;
const SHOWN: &str =
    r#"[{"Name":"http","Port":80,"Default":true},{"Name":"admin","Port":81,"Default":false}]"#;

fn in_catalog(service: &str) -> String {
    format!(r#"{{"Node":"e","Address":"10.0.0.1","Service":{service}}}"#)
}

#[test]
fn a_service_has_the_default_one_of_its_ports_where_clients_know_only_one() {
    let mut consul = Consul::seeded(1);
    let registered = format!(r#"{{"Name":"mp","Address":"10.0.0.1",{TWO}}}"#);
    assert_eq!(put(&mut consul, AT_AGENT, &registered), "200 ");
    let in_list = format!(r#""Port":80,"Ports":{SHOWN}"#);
    for target in ["/v1/agent/service/mp", "/v1/agent/services", "/v1/health/service/mp"] {
        let answer = get(&mut consul, target);
        assert!(answer.contains(&in_list), "{target}: {answer}");
    }
    let own = get(&mut consul, "/v1/agent/service/mp");
    assert!(own.contains(r#""lan_ipv4":{"Address":"10.0.0.1","Port":80}"#), "{own}");
    let listed = get(&mut consul, "/v1/catalog/service/mp");
    assert!(listed.contains(&format!(r#""ServicePort":80,"ServicePorts":{SHOWN}"#)), "{listed}");
    let of_node = get(&mut consul, "/v1/catalog/node/n1");
    assert!(of_node.contains(&format!(r#""Meta":null,"Ports":{SHOWN}"#)), "{of_node}");
}

#[test]
fn the_content_hash_of_a_service_counts_its_ports_as_a_real_agent_does() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, AT_AGENT, &format!(r#"{{"Name":"h",{TWO}}}"#));
    let answer = ask(&mut consul, "GET", "/v1/agent/service/h", "");
    assert_eq!(answer.header("X-Consul-ContentHash"), Some("1948af95c1820ebf"));
}

#[test]
fn ports_that_contradict_themselves_are_refused() {
    let mut consul = Consul::seeded(1);
    let one = r#"{"Name":"a","Port":80,"Default":true}"#;
    for (members, fault) in [
        (format!(r#""Port":80,"Ports":[{one}]"#), "Cannot set both Port and Ports"),
        (
            r#""Ports":[{"Name":"a","Port":80}]"#.into(),
            "One of the Ports must be marked as Default",
        ),
        (
            format!(r#""Ports":[{one},{{"Name":"a","Port":81}}]"#),
            r#"Ports.Name "a" has to be unique"#,
        ),
        (r#""Ports":[{"Name":" ","Port":80,"Default":true}]"#.into(), "Ports.Name cannot be empty"),
        (
            format!(r#""Ports":[{one},{{"Name":"b","Port":81,"Default":true}}]"#),
            "Only one port can be marked as default",
        ),
        (
            r#""Ports":[{"Name":"a","Port":0,"Default":true}]"#.into(),
            "Ports.Port must be greater than zero",
        ),
        (
            format!(r#""Kind":"mesh-gateway","Port":1,"Ports":[{one}]"#),
            "Ports cannot be set for a mesh-gateway\n\t* Cannot set both Port and Ports",
        ),
    ] {
        let count = fault.matches('*').count() + 1;
        let errors = if count == 1 { "error" } else { "errors" };
        let fault = format!("{count} {errors} occurred:\n\t* {fault}\n\n");
        let at_agent = put(&mut consul, AT_AGENT, &format!(r#"{{"Name":"x",{members}}}"#));
        assert_eq!(at_agent, format!("400 Validation failed: {fault}"));
        let body = in_catalog(&format!(r#"{{"Service":"x",{members}}}"#));
        assert_eq!(put(&mut consul, AT_CATALOG, &body), format!("500 {fault}"));
    }
    let sidecar = format!(r#"{{"Name":"x","Ports":[{one}],"Connect":{{"SidecarService":{{}}}}}}"#);
    let refused = "400 MultiPort cannot be used with Consul Connect.";
    assert_eq!(put(&mut consul, AT_AGENT, &sidecar), refused);
}

#[test]
fn an_empty_list_of_ports_is_none_but_shown() {
    let mut consul = Consul::seeded(1);
    assert_eq!(put(&mut consul, AT_AGENT, r#"{"Name":"x","Port":1,"Ports":[]}"#), "200 ");
    let own = get(&mut consul, "/v1/agent/service/x");
    assert!(!own.contains("Ports"), "{own}");
    let body = in_catalog(r#"{"Service":"y","Ports":[]}"#);
    assert_eq!(put(&mut consul, AT_CATALOG, &body), "200 true");
    let listed = get(&mut consul, "/v1/catalog/service/y");
    assert!(listed.contains(r#""ServicePort":0,"ServicePorts":[]"#), "{listed}");
}

/// Consul's own HTTP interface drops them there.
#[test]
fn a_transaction_takes_ports_and_keeps_none() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, AT_CATALOG, r#"{"Node":"e","Address":"10.0.0.1"}"#);
    let service = format!(r#"{{"ID":"tx","Service":"tx",{TWO}}}"#);
    let body = format!(r#"[{{"Service":{{"Verb":"set","Node":"e","Service":{service}}}}}]"#);
    let answer = put(&mut consul, "/v1/txn", &body);
    assert!(answer.starts_with(r#"200 {"Results":[{"Service":{"ID":"tx""#), "{answer}");
    let listed = get(&mut consul, "/v1/catalog/service/tx");
    assert!(listed.contains(r#""ServicePort":0,"ServicePorts":null"#), "{listed}");
}

#[test]
fn another_order_or_another_default_port_is_no_change() {
    let mut consul = Consul::seeded(1);
    let index = |consul: &mut Consul, ports: &str| {
        let body = in_catalog(&format!(r#"{{"Service":"x","Ports":[{ports}]}}"#));
        assert_eq!(put(consul, AT_CATALOG, &body), "200 true");
        let listed = get(consul, "/v1/catalog/service/x");
        let (_, index) = listed.rsplit_once(r#""ModifyIndex":"#).expect("an index");
        index.to_owned()
    };
    let a = r#"{"Name":"a","Port":1,"Default":true},{"Name":"b","Port":2}"#;
    let b = r#"{"Name":"b","Port":2,"Default":true},{"Name":"a","Port":1}"#;
    let c = r#"{"Name":"b","Port":3,"Default":true},{"Name":"a","Port":1}"#;
    let first = index(&mut consul, a);
    assert_eq!(index(&mut consul, b), first);
    assert_ne!(index(&mut consul, c), first);
}

#[test]
fn older_versions_know_no_ports() {
    let mut consul = Consul::with_config(Config::of(ConsulVersion::V1_13), 1);
    let unknown = "400 Request decode failed: json: unknown field \"Ports\"";
    for (target, body) in [
        (AT_AGENT, format!(r#"{{"Name":"x",{TWO}}}"#)),
        (AT_CATALOG, in_catalog(&format!(r#"{{"Service":"x",{TWO}}}"#))),
    ] {
        assert_eq!(put(&mut consul, target, &body), unknown);
    }
}
