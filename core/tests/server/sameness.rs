//! Which registrations change a record of the catalog, and which leave it with its index and wake
//! no query (CAT-14): a record is registered again and again, each time with one other member. The
//! expected changes are those of a Consul 1.22.7.

use lictor_core::Consul;
use lictor_core::http::HttpRequest;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{get, put};

const REGISTER: &str = "/v1/catalog/register";
const CHECKS: &str = "/v1/health/node/e";

/// Registers something of node `e`.
fn registered(consul: &mut Consul, members: &str) {
    let body = format!(r#"{{"Node":"e","Address":"1.1.1.1",{members}}}"#);
    assert_eq!(put(consul, REGISTER, &body), "200 true", "{body}");
}

/// The last of the numbers under a name in an answer.
fn last(answer: &str, name: &str) -> String {
    let start = answer.rfind(name).unwrap_or_else(|| panic!("{answer}"));
    answer[start + name.len()..].chars().take_while(char::is_ascii_digit).collect()
}

/// Registers records one after the other, and asserts of each whether it has changed the index that
/// a read returns. Each is compared with the one before it, so one that leaves a member out changes
/// that member, too.
fn changes(consul: &mut Consul, read: &str, bodies: &[(&str, bool)]) {
    for (members, expected) in bodies {
        let before = last(&get(consul, read), r#""ModifyIndex":"#);
        registered(consul, members);
        let after = last(&get(consul, read), r#""ModifyIndex":"#);
        assert_eq!(before != after, *expected, "{members}");
    }
}

#[test]
fn a_service_changes_with_each_of_its_members_but_place_and_socket() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#""Service":{"Service":"s","Port":1}"#);
    for (member, expected) in [
        (r#""Port":1"#, false),
        (r#""Weights":{"Passing":2,"Warning":1}"#, true),
        (r#""Weights":{"Passing":1,"Warning":1}"#, true),
        (r#""EnableTagOverride":true"#, true),
        (r#""Meta":{"a":"b"}"#, true),
        (r#""Meta":{}"#, true),
        (r#""Meta":null"#, true),
        (r#""Tags":["x"]"#, true),
        (r#""Tags":[]"#, true),
        (r#""Tags":null"#, true),
        (r#""TaggedAddresses":{"lan":{"Address":"1.2.3.4","Port":1}}"#, true),
        (r#""TaggedAddresses":{}"#, true),
        (r#""SocketPath":"/x""#, true),
        (r#""Locality":{"Region":"r"}"#, false),
        (r#""Address":"9.9.9.9""#, true),
        (r#""Address":"""#, true),
        (r#""Kind":"typical""#, true),
        (r#""Connect":{"Native":true}"#, true),
        (r#""Connect":{}"#, true),
        (r#""Service":"S""#, true),
    ] {
        let members = format!(r#""Service":{{"ID":"s","Service":"s","Port":1,{member}}}"#);
        changes(&mut consul, "/v1/catalog/service/s", &[(&members, expected)]);
    }
}

#[test]
fn a_node_changes_with_each_of_its_members_but_its_place_and_the_case_of_its_name() {
    const UUID: &str = "40e4a748-2192-161a-0510-9bf59fe950b5";
    let mut consul = Consul::seeded(1);
    let (id, upper) = (format!(r#""ID":"{UUID}""#), format!(r#""ID":"{}""#, UUID.to_uppercase()));
    registered(&mut consul, r#""NodeMeta":null"#);
    for (member, expected) in [
        (r#""NodeMeta":{"a":"b"}"#, true),
        (r#""NodeMeta":{}"#, true),
        (r#""NodeMeta":null"#, true),
        (r#""TaggedAddresses":{"lan":"1.1.1.1"}"#, true),
        (r#""TaggedAddresses":{}"#, true),
        (r#""TaggedAddresses":null"#, true),
        (r#""Locality":{"Region":"r"}"#, false),
        (&id, true),
        (r#""ID":"""#, true),
        (&upper, true),
        (r#""Node":"E""#, true),
        (r#""Node":"e""#, false),
        (r#""Address":"2.2.2.2""#, true),
        (r#""SkipNodeUpdate":true"#, false),
        (r#""Datacenter":"dc1""#, true),
    ] {
        changes(&mut consul, "/v1/catalog/nodes?filter=Node+!=+n1", &[(member, expected)]);
    }
}

/// Type, interval, timeout and port of a check are written only with another change.
#[test]
fn a_check_changes_with_what_it_reports_and_not_with_how_it_is_run() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#""Service":{"Service":"s"}"#);
    let check = |members: &str| format!(r#""Check":{{"CheckID":"c",{members}}}"#);
    registered(&mut consul, &check(r#""Definition":{"HTTP":"x"}"#));
    for (member, expected) in [
        (r#""Definition":{"HTTP":"x"}"#, false),
        (r#""Definition":{"HTTP":"y"}"#, true),
        (r#""Definition":{}"#, true),
        (r#""Notes":"n""#, true),
        (r#""Name":"N""#, true),
        (r#""Output":"o""#, true),
        (r#""Status":"critical""#, true),
        (r#""ServiceTags":[]"#, true),
        (r#""ServiceTags":["a"]"#, true),
        (r#""ServiceName":"zz""#, true),
        (r#""ServiceID":"s""#, true),
        (r#""ServiceID":"s","ServiceName":"other","ServiceTags":["b"]"#, false),
    ] {
        changes(&mut consul, CHECKS, &[(&check(member), expected)]);
    }
    let other_case =
        format!(r#"{{"Node":"e","Address":"1.1.1.1",{}}}"#, check(r#""ServiceID":"S""#));
    let refused = "500 Unknown service ID 'S' for check ID 'c'";
    assert_eq!(put(&mut consul, REGISTER, &other_case), refused);
    let run = r#""ServiceID":"s","Type":"http","Interval":"9s","Timeout":"5s","ExposedPort":1"#;
    changes(&mut consul, CHECKS, &[(&check(run), false)]);
    let with_notes = check(&format!(r#"{run},"Notes":"m""#));
    changes(&mut consul, CHECKS, &[(&with_notes, true)]);
    let listed = get(&mut consul, CHECKS);
    let kept = r#""Type":"http","Interval":"9s","Timeout":"5s","ExposedPort":1"#;
    assert!(listed.contains(kept), "{listed}");
}

#[test]
fn the_same_check_wakes_no_query_also_with_another_type() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#""Check":{"CheckID":"k","Status":"passing","Type":"http"}"#);
    let index = last(&get(&mut consul, CHECKS), r#""ModifyIndex":"#);
    let target = format!("{CHECKS}?index={index}&wait=60s");
    let handle = consul.request(&HttpRequest::new("GET", &target, b""));
    registered(&mut consul, r#""Check":{"CheckID":"k","Status":"passing","Type":"tcp"}"#);
    assert!(consul.poll(handle).is_none());
    registered(&mut consul, r#""Check":{"CheckID":"k","Status":"passing","ServiceTags":[]}"#);
    assert!(consul.poll(handle).is_some(), "an empty list differs from none");
}

#[test]
fn a_check_without_a_service_keeps_the_name_and_the_tags_that_it_was_sent_with() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#""Service":{"Service":"web","ID":"w1","Tags":["t"]}"#);
    let free = r#""Check":{"CheckID":"i","ServiceName":"free","ServiceTags":["b"]}"#;
    registered(&mut consul, free);
    let set = |id: &str, members: &str| {
        let check = format!(r#"{{"Node":"e","CheckID":"{id}",{members}}}"#);
        format!(r#"[{{"Check":{{"Verb":"set","Check":{check}}}}}]"#)
    };
    let others = r#""ServiceName":"free","ServiceTags":["a"]"#;
    for (id, members, name) in [
        ("f", others, r#""ServiceID":"","ServiceName":"free","ServiceTags":["a"]"#),
        (
            "h",
            &*format!(r#""ServiceID":"w1",{others}"#),
            r#""ServiceID":"w1","ServiceName":"web","ServiceTags":["t"]"#,
        ),
    ] {
        let answer = put(&mut consul, "/v1/txn", &set(id, members));
        assert!(answer.starts_with("200") && answer.contains(name), "{answer}");
    }
    let listed = get(&mut consul, "/v1/health/checks/free");
    assert_eq!(listed.matches(r#""ServiceName":"free""#).count(), 2, "{listed}");
    assert_eq!(get(&mut consul, "/v1/health/service/free"), "200 []");
}

/// An agent shows how it runs a check now, even if the catalog keeps the earlier record.
#[test]
fn an_agent_shows_the_last_registration_of_its_check() {
    const OWN: &str = "/v1/agent/check/register";
    let mut consul = Consul::seeded(1);
    put(&mut consul, OWN, r#"{"Name":"c","HTTP":"http://x","Interval":"10s","Timeout":"1s"}"#);
    put(&mut consul, OWN, r#"{"Name":"c","TCP":"x:1","Interval":"20s","Timeout":"2s"}"#);
    let own = get(&mut consul, "/v1/agent/checks");
    assert!(own.contains(r#""Type":"tcp","Interval":"20s","Timeout":"2s""#), "{own}");
    let stored = get(&mut consul, "/v1/health/node/n1");
    assert!(stored.contains(r#""Type":"http","Interval":"10s","Timeout":"1s""#), "{stored}");
}

#[test]
fn what_comes_from_a_peer_is_refused_and_is_not_there_to_remove() {
    let mut consul = Consul::seeded(1);
    registered(&mut consul, r#""Service":{"Service":"s"}"#);
    for part in [
        r#""PeerName":"p""#,
        r#""PeerName":"p","Datacenter":"dc9""#,
        r#""Service":{"Service":"s","PeerName":"p"}"#,
        r#""Check":{"Name":"c","PeerName":"p"}"#,
        r#""Checks":[{"Name":"c"},{"Name":"d","PeerName":"p"}]"#,
    ] {
        let body = format!(r#"{{"Node":"e","Address":"1.1.1.1",{part}}}"#);
        let refused = "500 cannot register requests with PeerName in them";
        assert_eq!(put(&mut consul, REGISTER, &body), refused, "{part}");
    }
    for (kind, record) in [("Node", r#""Address":"x""#), ("Check", r#""CheckID":"c""#)] {
        let record = format!(r#"{{"Node":"e",{record},"PeerName":"p"}}"#);
        let body = format!(r#"[{{"{kind}":{{"Verb":"set","{kind}":{record}}}}}]"#);
        let kind = kind.to_lowercase();
        let refused =
            format!("400 Invalid {kind}: \"PeerName\" - this server does not implement it");
        assert_eq!(put(&mut consul, "/v1/txn", &body), refused);
    }
    let body = r#"{"Node":"e","PeerName":"p"}"#;
    assert_eq!(put(&mut consul, "/v1/catalog/deregister", body), "200 true");
    assert!(get(&mut consul, "/v1/catalog/nodes").contains(r#""Node":"e""#));
}
