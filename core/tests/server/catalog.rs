//! Registrations, agents' checks and prepared queries over HTTP as values: what is stored, what is
//! refused, and in which words.

use core::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input};
use lictor_core::http::{self, Agent, HttpRequest, HttpResponse};
use lictor_core::id::{NodeName, RequestId};
use lictor_core::time::Instant;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const REGISTER: &str = "/v1/catalog/register";
const UUID: &str = "40e4a748-2192-161a-0510-9bf59fe950b5";

#[test]
fn an_unknown_node_is_registered_even_with_skip_node_update() {
    let mut server = CatalogServer::new();
    let body = r#"{"Node":"n2","SkipNodeUpdate":true,"Check":{"Name":"c","Status":"passing"}}"#;
    assert_eq!(server.put(REGISTER, body), "200 true");
    server.put(REGISTER, r#"{"Node":"n2","SkipNodeUpdate":true,"Address":"10.0.0.2"}"#);
    let node = server.get("/v1/catalog/node/n2");
    assert!(node.contains(r#""Node":"n2","Address":"","#), "{node}");
}

#[test]
fn the_single_check_of_a_registration_comes_after_the_list() {
    let mut server = CatalogServer::new();
    let body = r#"{"Node":"n2","Address":"10.0.0.2","Check":{"Name":"c","Status":"passing"},
        "Checks":[{"Name":"c","Status":"critical"}]}"#;
    server.put(REGISTER, body);
    assert!(server.get("/v1/health/node/n2").contains(r#""Status":"passing""#));
}

/// Only an agent refuses statuses that it does not know (CAT-03).
#[test]
fn an_unknown_status_is_stored_as_it_was_sent_and_ends_no_session() {
    let mut server = CatalogServer::new();
    let check = |status: &str| {
        let check = format!(r#"{{"CheckID":"c","Name":"c","Status":"{status}"}}"#);
        format!(r#"{{"Node":"n1","Address":"127.0.0.1","Check":{check}}}"#)
    };
    server.put(REGISTER, &check("passing"));
    server.put("/v1/session/create", r#"{"NodeChecks":["c"]}"#);
    assert_eq!(server.put(REGISTER, &check("Critical")), "200 true");
    assert!(server.get("/v1/health/state/Critical").contains(r#""Status":"Critical""#));
    assert!(server.get("/v1/health/state/critical").contains(r#""Status":"Critical""#));
    assert_ne!(server.get("/v1/session/list"), "200 []");
}

/// The records of the old name are removed in the same log entry (CAT-05).
#[test]
fn a_node_that_is_renamed_by_its_id_loses_its_sessions() {
    let mut server = CatalogServer::new();
    server.put(REGISTER, &named("r1", "10.0.0.1"));
    server.put("/v1/session/create", r#"{"Node":"r1","NodeChecks":[]}"#);
    assert_eq!(server.put(REGISTER, &named("r2", "10.0.0.1")), "200 true");
    let index = server.engine.index();
    assert_eq!(server.get("/v1/session/list"), "200 []");
    let list = server.ask("GET", "/v1/session/list", "");
    assert_eq!(list.header("X-Consul-Index"), Some(&*index.to_string()));
    let nodes = server.get("/v1/catalog/nodes");
    assert!(nodes.contains(r#""Node":"r2""#) && !nodes.contains(r#""Node":"r1""#), "{nodes}");
}

#[test]
fn a_rename_to_the_name_of_a_live_node_is_refused() {
    let mut server = CatalogServer::new();
    assert_eq!(server.put(REGISTER, &named("r1", "10.0.0.1")), "200 true");
    let refused = format!(
        "500 failed inserting node: Error while renaming Node ID: \"{UUID}\" (10.0.0.7): \
         Node name n1 is reserved by node  with name n1 (127.0.0.1)"
    );
    assert_eq!(server.put(REGISTER, &named("n1", "10.0.0.7")), refused);
    assert!(server.get("/v1/catalog/nodes").contains(r#""Node":"r1""#), "nothing was done");
}

#[test]
fn a_node_id_that_is_no_uuid_is_refused() {
    let mut server = CatalogServer::new();
    let spaced = UUID.replace('-', " ");
    let odd = UUID.replace('e', "z");
    let invisible = UUID.replace('e', "\\u0001");
    for (id, fault) in [
        ("short", "uuid string is wrong length"),
        (&spaced, "uuid is improperly formatted"),
        (&odd, "encoding/hex: invalid byte: U+007A 'z'"),
        (&invisible, "encoding/hex: invalid byte: U+0001"),
    ] {
        let body = named("n2", "10.0.0.2").replace(UUID, id);
        assert_eq!(server.put(REGISTER, &body), format!("500 Bad node ID: {fault}"));
    }
}

#[test]
fn a_check_of_an_unknown_service_is_refused_before_the_log_except_in_a_transaction() {
    let mut server = CatalogServer::new();
    let index = server.engine.index();
    let check = r#""Check":{"Node":"n1","CheckID":"c","ServiceID":"none"}"#;
    let body = format!(r#"{{"Node":"n1","Address":"127.0.0.1",{check}}}"#);
    let refused = "500 Unknown service ID 'none' for check ID 'c'";
    assert_eq!(server.put(REGISTER, &body), refused);
    assert_eq!(server.engine.index(), index);
    let body = format!(r#"[{{"Check":{{"Verb":"set",{check}}}}}]"#);
    assert!(server.put("/v1/txn", &body).contains("Missing service registration"));
}

#[test]
fn a_service_without_a_name_or_with_a_wildcard_address_is_refused() {
    let mut server = CatalogServer::new();
    for (service, refused) in [
        (
            r#"{"ID":"web"}"#,
            "Must provide service name (Service.Service) when service ID is provided",
        ),
        (r#"{"Service":"web","Address":"0.0.0.0"}"#, "Invalid service address"),
        (r#"{"Service":"web","Address":"::"}"#, "Invalid service address"),
    ] {
        let body = format!(r#"{{"Node":"n1","Address":"127.0.0.1","Service":{service}}}"#);
        assert_eq!(server.put(REGISTER, &body), format!("500 {refused}"));
    }
}

#[test]
fn a_check_without_an_id_is_refused() {
    let mut server = CatalogServer::new();
    let body = r#"{"Node":"n1","Address":"127.0.0.1","Check":{"Status":"passing"}}"#;
    let refused = "failed health check lookup: \
                   index error: object is missing a value for this index";
    let inserting = r#"500 failed inserting check on node "n1""#;
    assert_eq!(server.put(REGISTER, body), format!("{inserting}: {refused}"));
    let set = server.put("/v1/txn", r#"[{"Check":{"Verb":"set","Check":{"Node":"n1"}}}]"#);
    assert!(set.starts_with("409 ") && set.contains(refused), "{set}");
}

/// The texts are those of a Consul 1.13.9.
#[test]
fn an_operation_without_a_node_or_an_id_fails_by_its_verb() {
    const NODE: &str = r#"{"Node":{"Verb":"VERB","Node":{"Node":"","ModifyIndex":1}}}"#;
    const SERVICE: &str =
        r#"{"Service":{"Verb":"VERB","Node":"","Service":{"Service":"s","ModifyIndex":1}}}"#;
    const CHECK: &str = r#"{"Check":{"Verb":"VERB","Check":{"CheckID":"c","ModifyIndex":1}}}"#;
    const NAMELESS: &str = r#"{"Check":{"Verb":"VERB","Check":{"Node":"n1"}}}"#;
    let no_value = "index error: object is missing a value for this index";
    let lookup = format!("failed check lookup: {no_value}");
    let to_delete = format!("check lookup failed: {no_value}");
    let to_delete_cas = format!("check lookup failed: {lookup}");
    let mut server = CatalogServer::new();
    for (op, verb, fails) in [
        (NODE, "get", r#"node \"\" doesn't exist"#),
        (NODE, "set", "Must provide node"),
        (NODE, "cas", "Must provide node"),
        (NODE, "delete", "Must provide node"),
        (NODE, "delete-cas", "Must provide node"),
        (NODE, "zap", "unknown node operation: zap"),
        (SERVICE, "get", r#"service \"\" on node \"\" doesn't exist"#),
        (SERVICE, "set", "Missing node registration"),
        (SERVICE, "cas", r#"failed to set service \"s\" on node \"\", index is stale"#),
        (SERVICE, "delete", ""),
        (SERVICE, "delete-cas", r#"failed to delete service \"s\" on node \"\", index is stale"#),
        (SERVICE, "zap", "unknown service operation: zap"),
        (CHECK, "set", &format!("failed health check lookup: {no_value}")),
        (CHECK, "get", &lookup),
        (CHECK, "cas", &lookup),
        (CHECK, "delete", &to_delete),
        (CHECK, "delete-cas", &to_delete_cas),
        (CHECK, "zap", "unknown check operation: zap"),
        (NAMELESS, "get", &lookup),
        (NAMELESS, "delete", &to_delete),
        (NAMELESS, "delete-cas", &to_delete_cas),
    ] {
        let answer = server.put("/v1/txn", &format!("[{}]", op.replace("VERB", verb)));
        let expected = match fails {
            "" => r#"200 {"Results":[],"Errors":null}"#.into(),
            what => format!(r#"409 {{"Results":null,"Errors":[{{"OpIndex":0,"What":"{what}"}}]"#),
        };
        assert!(answer.starts_with(&expected), "{op} {verb}: {answer}");
    }
}

#[test]
fn a_get_finds_a_node_by_its_id_and_takes_no_name_for_the_id_of_a_service() {
    let mut server = CatalogServer::new();
    server.put(REGISTER, &named("web", "10.0.0.7"));
    let get = format!(r#"[{{"Node":{{"Verb":"get","Node":{{"ID":"{UUID}"}}}}}}]"#);
    let found = server.put("/v1/txn", &get);
    assert!(found.starts_with("200 ") && found.contains(r#""Node":"web""#), "{found}");
    let get = r#"[{"Service":{"Verb":"get","Node":"web","Service":{"Service":"s"}}}]"#;
    let missing = server.put("/v1/txn", get);
    assert!(missing.contains(r#"service \"\" on node \"web\" doesn't exist"#), "{missing}");
}

#[test]
fn a_check_of_a_registration_has_the_type_of_its_definition() {
    let mut server = CatalogServer::new();
    for (definition, kind) in [
        (r#"{"HTTP":"http://x","Interval":"10s"}"#, "http"),
        (r#"{"HTTP":"http://x"}"#, ""),
        (r#"{"TCP":"x:1","Interval":"10s"}"#, "tcp"),
        (r#"{"AliasNode":"n2"}"#, "alias"),
        (r#"{"ScriptArgs":["true"]}"#, "script"),
        (r#"{"TTL":"10s"}"#, "ttl"),
    ] {
        let check = format!(r#"{{"CheckID":"c","Definition":{definition}}}"#);
        let body = format!(r#"{{"Node":"n1","Address":"127.0.0.1","Check":{check}}}"#);
        assert_eq!(server.put(REGISTER, &body), "200 true");
        let listed = server.get("/v1/health/state/critical");
        assert!(listed.contains(&format!(r#""Type":"{kind}""#)), "{definition}: {listed}");
    }
}

#[test]
fn the_datacenter_of_a_registration_is_read_from_its_body() {
    let mut server = CatalogServer::new();
    let body = r#"{"Datacenter":"dc9","Node":"n2","Address":"10.0.0.2"}"#;
    for call in [REGISTER, "/v1/catalog/deregister"] {
        assert_eq!(server.put(call, body), "500 No path to datacenter");
        let target = format!("{call}?dc=dc9");
        assert_eq!(server.put(&target, &body.replace("dc9", "dc1")), "200 true");
    }
    assert!(server.get("/v1/agent/checks?dc=dc9").starts_with("200 "));
}

#[test]
fn another_letter_case_of_a_node_changes_nothing() {
    let mut server = CatalogServer::new();
    let body = r#"{"Node":"n2","Address":"10.0.0.2","Check":{"Name":"c","Status":"passing"}}"#;
    server.put(REGISTER, body);
    let before = server.get("/v1/health/node/n2");
    server.put(REGISTER, &body.replace("n2", "N2"));
    assert_eq!(server.get("/v1/health/node/n2"), before);
}

#[test]
fn an_agent_check_needs_a_ttl_and_an_existing_service() {
    let mut server = CatalogServer::new();
    let missing = "400 Invalid check: TTL must be > 0 for TTL checks";
    let both = "400 Invalid check: Interval and TTL cannot both be specified";
    for (part, answer) in [
        ("", missing),
        (r#","TTL":"0s""#, missing),
        (r#","TTL":"-1s""#, missing),
        (r#","TTL":"1s","Interval":"1s""#, both),
        (r#","TTL":"1s","ServiceID":"nosuch""#, r#"404 ServiceID "nosuch" does not exist"#),
        (r#","HTTP":"http://x","Interval":"1s""#, "200 "),
    ] {
        let body = format!(r#"{{"Name":"c"{part}}}"#);
        assert_eq!(server.put("/v1/agent/check/register", &body), answer, "{body}");
    }
    let update = server.put("/v1/agent/check/update/c", r#"{"Status":"passing","Foo":1}"#);
    assert_eq!(update, r#"400 Request decode failed: json: unknown field "Foo""#);
}

#[test]
fn a_check_that_is_registered_again_keeps_its_status() {
    let mut server = CatalogServer::new();
    let body = r#"{"Name":"c","TTL":"9s"}"#;
    server.put("/v1/agent/check/register", body);
    server.put("/v1/agent/check/pass/c?note=fine", "");
    server.put("/v1/agent/check/register", body);
    let checks = server.get("/v1/agent/checks");
    assert!(checks.contains(r#""Status":"passing","Notes":"","Output":"fine""#), "{checks}");
    assert!(server.put("/v1/agent/check/pass/C", "").starts_with("404 "), "ids have a case");
    server.now = server.now.plus(Duration::from_secs(10));
    let lapsed = r#""Output":"TTL expired (last output before timeout follows): fine""#;
    assert!(server.get("/v1/agent/checks").contains(lapsed));
}

/// Repeating either changes nothing (CAT-11).
#[test]
fn maintenance_begins_once_and_ends_once() {
    let mut server = CatalogServer::new();
    server.put("/v1/agent/service/register", r#"{"Name":"web"}"#);
    for (target, id) in [
        ("/v1/agent/maintenance", "_node_maintenance"),
        ("/v1/agent/service/maintenance/web", "_service_maintenance:web"),
    ] {
        server.put(&format!("{target}?enable=true&reason=first"), "");
        server.put(&format!("{target}?enable=true&reason=second"), "");
        let checks = server.get("/v1/health/state/critical");
        assert!(checks.contains(id) && checks.contains("first"), "{checks}");
        for answer in ["200 ", "200 "] {
            assert_eq!(server.put(&format!("{target}?enable=false"), ""), answer);
            assert_eq!(server.get("/v1/health/state/critical"), "200 []");
        }
        let unclear = r#"400 Invalid value for enable: """#;
        assert_eq!(server.put(&format!("{target}?enable="), ""), unclear);
    }
    let unknown = server.put("/v1/agent/service/maintenance/none?enable=true", "");
    assert!(unknown.starts_with(r#"404 Unknown service ID "none"."#), "{unknown}");
}

/// Checks without ids of their own are named after the service (CAT-09).
#[test]
fn the_checks_of_a_service_are_registered_with_it() {
    let mut server = CatalogServer::new();
    let one = r#"{"Name":"web","Check":{"TTL":"9s","Status":"passing"}}"#;
    assert_eq!(server.put("/v1/agent/service/register", one), "200 ");
    let two = r#"{"Name":"db","ID":"db1","Checks":[{"TTL":"9s"},{"TTL":"9s"}]}"#;
    assert_eq!(server.put("/v1/agent/service/register", two), "200 ");
    let checks = server.get("/v1/agent/checks");
    for id in ["service:web", "service:db1:1", "service:db1:2"] {
        assert!(checks.contains(&format!(r#""{id}":{{"Node":"n1""#)), "{checks}");
    }
    assert!(checks.contains(r#""Name":"Service 'web' check","Status":"passing""#), "{checks}");
    server.put("/v1/session/create", r#"{"NodeChecks":["service:web"]}"#);
    server.now = server.now.plus(Duration::from_secs(9));
    assert_eq!(server.get("/v1/session/list"), "200 []", "it lapses like any other");
}

#[test]
fn query_names_ignore_case_and_cannot_be_ids() {
    let mut server = CatalogServer::new();
    let id = server.define(r#"{"Name":"Alpha","Service":{"Service":"web"}}"#);
    let id = &id[id.len() - 38..id.len() - 2];
    assert!(server.get("/v1/query/aLPHA/execute").starts_with(r#"200 {"Service":"web""#));
    for (name, taken) in [("alpha", "name"), (id, "ID")] {
        let body = format!(r#"{{"Name":"{name}","Session":"x","Service":{{"Service":"web"}}}}"#);
        let refused = format!("raft apply failed: name '{name}' aliases an existing query {taken}");
        assert_eq!(server.define(&body), format!("500 {refused}"));
    }
}

#[test]
fn executing_and_explaining_a_query_never_waits_and_repeats_the_consistency() {
    let mut server = CatalogServer::new();
    server.define(r#"{"Name":"a","Service":{"Service":"web"}}"#);
    for (asked, level) in [("wait=9s", "leader"), ("stale", "stale"), ("consistent", "consistent")]
    {
        for verb in ["execute", "explain"] {
            let answer = server.get(&format!("/v1/query/a/{verb}?index=99&{asked}"));
            let end = format!(
                r#","Index":1,"LastContact":0,"KnownLeader":true,"ConsistencyLevel":"{level}","#
            );
            assert!(answer.contains(&end), "{answer}");
        }
    }
}

#[test]
fn executing_and_explaining_a_query_accept_only_get() {
    let mut server = CatalogServer::new();
    for method in ["PUT", "DELETE", "POST"] {
        let answer = server.ask(method, "/v1/query/a/execute", "");
        assert_eq!(shown(&answer), format!("405 method {method} not allowed"));
        assert_eq!(answer.header("Allow"), Some("GET"));
    }
    let options = server.ask("OPTIONS", "/v1/query/a/explain", "");
    assert_eq!(options.header("Allow"), Some("OPTIONS,GET"));
}

#[test]
fn invalid_query_definitions_are_refused() {
    let mut server = CatalogServer::new();
    for (part, refused) in [
        (r#""DNS":{"TTL":"abc"}"#, r#"Bad DNS TTL 'abc': time: invalid duration "abc""#),
        (r#""DNS":{"TTL":"-1s"}"#, "DNS TTL '-1000000000', must be >=0"),
    ] {
        let body = format!(r#"{{"Name":"a","Service":{{"Service":"web"}},{part}}}"#);
        assert_eq!(server.define(&body), format!("500 Invalid prepared query: {refused}"));
    }
    let body = r#"{"Name":"a","Service":{"Service":"web","Failover":{"NearestN":-1}}}"#;
    let refused = "500 Invalid prepared query: Bad NearestN '-1', must be >= 0";
    assert_eq!(server.define(body), refused);
    assert_eq!(server.define(""), "400 Request decode failed: EOF");
}

#[test]
fn ids_of_queries_are_uuids_and_printed_as_they_were_sent() {
    let mut server = CatalogServer::new();
    let odd = UUID.replace('e', "z");
    for (id, fault) in [
        ("short", "UUID must be 36 characters"),
        (&odd, "Invalid UUID: encoding/hex: invalid byte: U+007A 'z'"),
    ] {
        let fault = format!("failed prepared query lookup: index error: {fault}");
        let target = format!("/v1/query/{id}");
        let read = server.ask("GET", &target, "");
        assert_eq!(shown(&read), format!("500 {fault}"));
        assert_eq!(read.header("X-Consul-KnownLeader"), Some("false"));
        let refused = format!("500 Prepared Query lookup failed: {fault}");
        assert_eq!(server.put(&target, ""), refused);
    }
    let upper = UUID.to_uppercase();
    let unknown = format!("500 Cannot modify non-existent prepared query: '{upper}'");
    assert_eq!(server.put(&format!("/v1/query/{upper}"), ""), unknown);
}

/// A check that the catalog stores later under the same id is not the agent's.
#[test]
fn checks_of_a_service_that_the_agent_deregisters_no_longer_expire() {
    let service = r#"{"Name":"web","Check":{"CheckID":"c1","TTL":"10s","Status":"passing"}}"#;
    let mut server = CatalogServer::new();
    server.put("/v1/agent/service/register", service);
    assert!(server.engine.next_deadline().is_some());
    assert_eq!(server.put("/v1/agent/service/deregister/web", ""), "200 ");
    assert_eq!(server.engine.next_deadline(), None);
    let body = r#"{"Node":"n1","Address":"127.0.0.1","Check":{"CheckID":"c1","Status":"passing"}}"#;
    server.put(REGISTER, body);
    server.put("/v1/session/create", r#"{"NodeChecks":["c1"]}"#);
    server.now = server.now.plus(Duration::from_secs(60));
    assert!(server.get("/v1/session/list").contains("c1"), "the session lives");
    assert_eq!(server.get("/v1/health/state/critical"), "200 []");
    let unknown = server.put("/v1/agent/check/pass/c1", "");
    assert!(unknown.starts_with("404 Unknown check ID"), "{unknown}");
}

/// CAT-09: a deregistration through the catalog does not reach the agent.
#[test]
fn a_check_that_is_removed_from_the_catalog_keeps_its_ttl_at_the_agent() {
    let mut server = CatalogServer::new();
    server.put("/v1/agent/check/register", r#"{"ID":"c","Name":"c","TTL":"10s"}"#);
    let due = server.engine.next_deadline().map(|(at, timer)| (at, timer.clone()));
    let removed = server.put("/v1/catalog/deregister", r#"{"Node":"n1","CheckID":"c"}"#);
    assert_eq!(removed, "200 true");
    assert_eq!(server.engine.next_deadline().map(|(at, timer)| (at, timer.clone())), due);
    let unknown = server.put("/v1/agent/check/pass/c", "");
    assert!(unknown.starts_with("404 Unknown check ID"), "{unknown}");
    let body = r#"{"Node":"n1","Address":"127.0.0.1","Check":{"CheckID":"c","Status":"passing"}}"#;
    server.put(REGISTER, body);
    server.now = server.now.plus(Duration::from_secs(10));
    let critical = server.get("/v1/health/state/critical");
    assert!(critical.contains("TTL expired"), "{critical}");
}

#[test]
fn the_check_of_maintenance_that_ends_no_longer_expires() {
    let mut server = CatalogServer::new();
    let check = r#"{"ID":"_node_maintenance","Name":"c","TTL":"10s"}"#;
    server.put("/v1/agent/check/register", check);
    server.put("/v1/agent/maintenance?enable=false", "");
    assert_eq!(server.engine.next_deadline(), None);
}

fn named(name: &str, address: &str) -> String {
    format!(r#"{{"ID":"{UUID}","Node":"{name}","Address":"{address}"}}"#)
}

/// A server that is used over HTTP as values.
struct CatalogServer {
    engine: Engine,
    now: Instant,
}

impl CatalogServer {
    fn new() -> Self {
        Self { engine: Engine::new(Config::default(), 1), now: Instant::EPOCH }
    }

    fn get(&mut self, target: &str) -> String {
        shown(&self.ask("GET", target, ""))
    }

    fn put(&mut self, target: &str, body: &str) -> String {
        shown(&self.ask("PUT", target, body))
    }

    fn define(&mut self, body: &str) -> String {
        shown(&self.ask("POST", "/v1/query", body))
    }

    fn ask(&mut self, method: &str, target: &str, body: &str) -> HttpResponse {
        let node = NodeName::from("n1");
        let agent = Agent { node, ..Agent::of(&Config::default()) };
        let mut request = HttpRequest::new(method, target, body.as_bytes());
        request.headers.push(("Content-Length".to_owned(), body.len().to_string()));
        let call = match http::decode(&agent, &request) {
            Ok(call) => call,
            Err(refused) => return refused.response(&agent, method),
        };
        let input = Input::Request { id: RequestId(1), request: call.request };
        let effects = self.engine.step(self.now, input);
        let answer = effects.iter().find_map(|effect| match effect {
            Effect::Reply { id: RequestId(1), result, .. } => Some(result),
            _ => None,
        });
        http::encode(&agent, &call.format, answer.expect("it is answered at once"))
    }
}

/// Status and body.
fn shown(response: &HttpResponse) -> String {
    format!("{} {}", response.status, response.text())
}
