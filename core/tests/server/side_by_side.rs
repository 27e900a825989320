//! Requests with wrong or unusual parts, beside the answers that a real Consul gave to them:
//! status, headers and text. The recorded exchanges in tests/vectors cover the rules.

use core::time::Duration;

use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

const REGISTER: &str = "/v1/catalog/register";
const REGISTER_SERVICE: &str = "/v1/agent/service/register";
const REGISTER_CHECK: &str = "/v1/agent/check/register";

#[test]
fn a_read_of_another_datacenter_has_the_headers_of_a_read() {
    let mut consul = Consul::seeded(1);
    for target in [
        "session/list?dc=dc9",
        "session/info/abc?dc=dc9",
        "catalog/nodes?dc=dc9",
        "catalog/node/n1?dc=dc9",
        "catalog/services?dc=dc9",
        "catalog/service/web?dc=dc9",
        "catalog/node-services/n1?dc=dc9",
        "health/node/n1?dc=dc9",
        "health/checks/web?dc=dc9",
        "health/state/any?dc=dc9",
        "query?dc=dc9",
        "query/abc?dc=dc9",
        "query/abc/execute?dc=dc9",
    ] {
        let answer = ask(&mut consul, "GET", &format!("/v1/{target}"), "");
        assert_eq!((answer.status, &*answer.text()), (500, "No path to datacenter"), "{target}");
        assert_eq!(answer.header("X-Consul-Index"), Some("1"), "{target}");
        assert_eq!(answer.header("X-Consul-KnownLeader"), Some("false"), "{target}");
        assert_eq!(answer.header("X-Consul-Query-Backend"), Some("blocking-query"), "{target}");
    }
    for target in ["kv/a?dc=dc9", "kv/a?recurse&dc=dc9", "health/service/web?dc=dc9"] {
        let answer = ask(&mut consul, "GET", &format!("/v1/{target}"), "");
        assert_eq!((answer.status, &*answer.text()), (500, "No path to datacenter"), "{target}");
        assert_eq!(answer.header("X-Consul-Index"), None, "{target}");
    }
    assert_eq!(get(&mut consul, "/v1/catalog/datacenters?dc=dc9"), r#"200 ["dc1"]"#);
    assert_eq!(get(&mut consul, "/v1/event/list?dc=dc9"), "200 []");
}

#[test]
fn in_1_13_an_invalid_passing_is_refused_with_the_headers_of_the_read_that_may_have_waited() {
    let mut consul = Consul::with_config(Config::of(ConsulVersion::V1_13), 1);
    let answer = ask(&mut consul, "GET", "/v1/health/service/web?passing=x&stale", "");
    assert_eq!((answer.status, &*answer.text()), (400, "Invalid value for ?passing"));
    assert_eq!(answer.header("X-Consul-KnownLeader"), Some("true"));
    assert_eq!(answer.header("X-Consul-Effective-Consistency"), Some("stale"));
    assert_eq!(answer.header("Content-Type"), Some("text/plain; charset=utf-8"));
    let index = answer.header("X-Consul-Index").expect("an index").to_owned();
    let target = format!("/v1/health/service/web?passing=x&wait=2s&index={index}");
    let handle = consul.request(&HttpRequest::new("GET", &target, b""));
    assert!(consul.poll(handle).is_none(), "it waits like any other read");
    consul.advance(Duration::from_secs(3));
    assert_eq!(consul.poll(handle).expect("answered").status, 400);
}

#[test]
fn a_transaction_gets_a_node_by_a_well_formed_beginning_of_an_id_only() {
    let mut consul = Consul::seeded(1);
    for (id, fault) in [
        ("abc", "UUID (without hyphens) must be even length"),
        ("xyz", "UUID (without hyphens) must be even length"),
        ("zz", "invalid UUID: encoding/hex: invalid byte: U+007A 'z'"),
        (
            "40e4a748-2192-161a-0510-9bf59fe950b5x",
            "Invalid UUID length. UUID have 36 characters; got 37",
        ),
        ("-------", r#"UUID should have maximum of 4 \"-\"; got 7"#),
    ] {
        let node = format!(r#"{{"ID":"{id}","Node":"n1"}}"#);
        let body = format!(r#"[{{"Node":{{"Verb":"get","Node":{node}}}}}]"#);
        let answer = put(&mut consul, "/v1/txn", &body);
        let what = format!(r#""What":"node lookup by ID failed: index error: {fault}""#);
        assert!(answer.starts_with("409 ") && answer.contains(&what), "{answer}");
    }
    let unknown = r#"[{"Node":{"Verb":"get","Node":{"ID":"abcd","Node":"n1"}}}]"#;
    let answer = put(&mut consul, "/v1/txn", unknown);
    assert!(answer.contains(r#""What":"node \"n1\" doesn't exist""#), "{answer}");
}

#[test]
fn a_transaction_takes_the_fields_of_a_check_that_clients_know() {
    let mut consul = Consul::seeded(1);
    let set = |check: &str| format!(r#"[{{"Check":{{"Verb":"set","Check":{check}}}}}]"#);
    let typed = set(r#"{"Node":"n1","CheckID":"c","Type":"http","ExposedPort":5}"#);
    let answer = put(&mut consul, "/v1/txn", &typed);
    assert!(
        answer.contains(r#""Type":"http","Interval":"","Timeout":"","ExposedPort":5"#),
        "{answer}"
    );
    for (check, refused) in [
        (r#"{"Node":"n1","CheckID":"c","Interval":"1s"}"#, r#"json: unknown field "Interval""#),
        (
            r#"{"Node":"n1","CheckID":"c","Definition":{"TCP":"x:1","Interval":"abc"}}"#,
            r#"time: invalid duration "abc""#,
        ),
    ] {
        let refused = format!("400 Failed to parse body: {refused}");
        assert_eq!(put(&mut consul, "/v1/txn", &set(check)), refused);
    }
    let ns = put(&mut consul, "/v1/txn?ns=x", r#"[{"KV":{"Verb":"set","Key":"a"}}]"#);
    assert!(ns.starts_with("200 "), "transactions read no namespace: {ns}");
}

#[test]
fn a_registration_refuses_namespaces_and_spans_that_are_none() {
    let mut consul = Consul::seeded(1);
    for (rest, refused) in [
        (
            r#""Service":{"Service":"w","Namespace":"x"}"#,
            r#"json: unknown field "Namespace" - Namespaces are a Consul Enterprise feature"#,
        ),
        (r#""Service":{"Service":"w","Partition":"x"}"#, r#"json: unknown field "Partition""#),
        (r#""Service":{"Service":"w","Name":"x"}"#, r#"json: unknown field "Name""#),
        (
            r#""Namespace":"x""#,
            r#"json: unknown field "Namespace" - Namespaces are a Consul Enterprise feature"#,
        ),
        (
            r#""Check":{"Name":"c","Definition":{"TCP":"x:1","Interval":"abc"}}"#,
            r#"time: invalid duration "abc""#,
        ),
    ] {
        let body = format!(r#"{{"Node":"n1","Address":"127.0.0.1",{rest}}}"#);
        let refused = format!("400 Request decode failed: {refused}");
        assert_eq!(put(&mut consul, REGISTER, &body), refused);
    }
    let definition = r#""Check":{"Name":"c","Definition":{"TCP":"x:1","Interval":10}}"#;
    put(&mut consul, REGISTER, &format!(r#"{{"Node":"n1","Address":"1",{definition}}}"#));
    let checks = get(&mut consul, "/v1/health/node/n1");
    assert!(checks.contains(r#""Interval":"10ns""#), "a number counts nanoseconds: {checks}");
}

#[test]
fn a_service_without_a_port_shows_none_in_the_catalog_and_0_at_its_agent() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER_SERVICE, r#"{"Name":"web"}"#);
    for target in ["/v1/catalog/node/n1", "/v1/health/service/web"] {
        let answer = get(&mut consul, target);
        let service = answer.split(r#""Service":"web""#).nth(1).expect("the service");
        let service = service.split("Weights").next().unwrap_or_default();
        assert!(!service.contains("Port"), "{service}");
    }
    let own = get(&mut consul, "/v1/agent/service/web");
    assert!(own.contains(r#""Port":0"#), "{own}");
}

/// What is wrong in a service, and the refusal.
const REFUSED_SERVICES: &[(&str, &str)] = &[
    (r#""Namespace":"q""#, r#"Request decode failed: json: unknown field "Namespace""#),
    (r#""CreateIndex":1"#, r#"Request decode failed: json: unknown field "CreateIndex""#),
    (
        r#""Meta":{"":"1"}"#,
        "Invalid Service Meta: Couldn't load metadata pair ('', '1'): Key cannot be blank",
    ),
    (
        r#""Meta":{"a b":"1"}"#,
        "Invalid Service Meta: Couldn't load metadata pair ('a b', '1'): \
         Key contains invalid characters",
    ),
    (
        r#""Meta":{"consul-x":"1"}"#,
        "Invalid Service Meta: Couldn't load metadata pair ('consul-x', '1'): \
         Key prefix 'consul-' is reserved for internal use",
    ),
    (r#""Weights":{"Warning":1}"#, "Invalid Weights: Passing must be greater than 0"),
    (
        r#""Weights":{"Passing":1,"Warning":-1}"#,
        "Invalid Weights: Warning must be greater or equal than 0",
    ),
    (r#""Weights":{"Passing":70000}"#, "Invalid Weights: DNS Weight must be between 0 and 65535"),
    (r#""Check":{"TTL":"1s","Nope":1}"#, r#"Request decode failed: json: unknown field "Nope""#),
    (
        r#""Check":{"TTL":"1s","Timeout":"x"}"#,
        r#"Request decode failed: time: invalid duration "x""#,
    ),
    (
        r#""Check":{"TTL":"1s","OutputMaxSize":-1}"#,
        "Invalid check: MaxOutputMaxSize must be positive",
    ),
    (r#""Check":{"Notes":"x"}"#, "Invalid check: TTL must be > 0 for TTL checks"),
];

#[test]
fn an_agent_refuses_what_a_real_one_refuses_in_a_service() {
    let mut consul = Consul::seeded(1);
    for (part, refused) in REFUSED_SERVICES {
        let body = format!(r#"{{"Name":"x",{part}}}"#);
        assert_eq!(put(&mut consul, REGISTER_SERVICE, &body), format!("400 {refused}"));
    }
    let pairs: Vec<_> = (0..65).map(|at| format!(r#""k{at}":"""#)).collect();
    let body = format!(r#"{{"Name":"x","Meta":{{{}}}}}"#, pairs.join(","));
    let refused =
        "400 Invalid Service Meta: Node metadata cannot contain more than 64 key/value pairs";
    assert_eq!(put(&mut consul, REGISTER_SERVICE, &body), refused);
    for part in [
        r#""Check":{}"#,
        r#""Check":null,"Checks":null"#,
        r#""Token":"t""#,
        r#""tagged_addresses":{"lan":{"address":"1.2.3.4"}},"enable_tag_override":true"#,
    ] {
        let body = format!(r#"{{"Name":"x",{part}}}"#);
        assert_eq!(put(&mut consul, REGISTER_SERVICE, &body), "200 ", "{part}");
    }
    let own = get(&mut consul, "/v1/agent/service/x");
    assert!(own.contains("1.2.3.4") && own.contains(r#""EnableTagOverride":true"#), "{own}");
    let unknown = "404 Unknown service ID \"consul\". Ensure that the service ID is passed, \
                   not the service name.";
    assert_eq!(put(&mut consul, "/v1/agent/service/deregister/consul", ""), unknown);
}

/// As in Consul, a check that is registered alone shows `0s` for the spans that it does not have.
#[test]
fn the_checks_of_an_agent_have_no_indexes_and_show_the_spans_of_their_registration() {
    let mut consul = Consul::seeded(1);
    let check = r#"{"CheckID":"two","HTTP":"http://x","Interval":"1h","Timeout":"1s"}"#;
    put(&mut consul, REGISTER_SERVICE, &format!(r#"{{"Name":"web","Check":{check}}}"#));
    put(&mut consul, REGISTER_CHECK, r#"{"Name":"alone","TTL":"15s"}"#);
    let checks = get(&mut consul, "/v1/agent/checks");
    assert!(checks.contains(r#""Interval":"1h0m0s","Timeout":"1s""#), "{checks}");
    assert!(checks.contains(r#""Interval":"0s","Timeout":"0s""#), "{checks}");
    assert_eq!(checks.matches(r#""CreateIndex":0,"ModifyIndex":0"#).count(), 2, "{checks}");
    for (body, refused) in [
        (r#"{"Name":"a","TTL":"1s","Nope":1}"#, r#"json: unknown field "Nope""#),
        (r#"{"Name":"a","TTL":"1s","CheckID":"a"}"#, r#"json: unknown field "CheckID""#),
    ] {
        let refused = format!("400 Request decode failed: {refused}");
        assert_eq!(put(&mut consul, REGISTER_CHECK, body), refused);
    }
}

#[test]
fn an_agent_answers_requests_without_a_name_and_of_partitions_like_a_real_one() {
    let mut consul = Consul::seeded(1);
    for (target, answer) in [
        ("/v1/agent/health/service/id/", "500 Missing serviceID"),
        ("/v1/agent/health/service/name/", "500 Missing service Name"),
        (
            "/v1/agent/members?partition=x",
            "400 Invalid query parameter: \"partition\" - Partitions are a Consul Enterprise \
             feature",
        ),
    ] {
        assert_eq!(get(&mut consul, target), answer);
    }
    let odd = "/v1/agent/service/register?replace-existing-checks=x";
    assert_eq!(put(&mut consul, odd, r#"{"Name":"x"}"#), "200 ");
    let options = ask(&mut consul, "OPTIONS", "/v1/query/x?pretty", "");
    assert_eq!((options.status, &*options.text()), (200, "{}\n"));
}

#[test]
fn maintenance_without_a_reason_has_the_notes_of_a_real_agent() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER_SERVICE, r#"{"Name":"web"}"#);
    for (target, kind) in [("maintenance", "node"), ("service/maintenance/web", "service")] {
        put(&mut consul, &format!("/v1/agent/{target}?enable=true"), "");
        let notes = format!(
            "Maintenance mode is enabled for this {kind}, but no reason was provided. This is a \
             default message."
        );
        let checks = get(&mut consul, "/v1/agent/checks");
        assert!(checks.contains(&notes), "{checks}");
    }
}

#[test]
fn the_limit_of_an_execution_is_a_number() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER_SERVICE, r#"{"Name":"web","Port":80}"#);
    let mut create = |body: &str| {
        let answer = ask(&mut consul, "POST", "/v1/query", body);
        format!("{} {}", answer.status, answer.text())
    };
    assert!(create(r#"{"Name":"q","Service":{"Service":"web"}}"#).starts_with("200 "));
    for (limit, what) in [("x", "invalid syntax"), ("99999999999999999999", "value out of range")] {
        let refused = format!("500 Bad limit: strconv.Atoi: parsing \"{limit}\": {what}");
        let target = format!("/v1/query/q/execute?limit={limit}");
        assert_eq!(get(&mut consul, &target), refused);
    }
    let executed = get(&mut consul, "/v1/query/q/execute");
    assert!(executed.contains(r#""ServiceTags":null"#), "{executed}");
}

#[test]
fn an_event_that_gossip_cannot_carry_is_not_fired() {
    // 1.22 refuses all of these payloads by their size, before it encodes them.
    let mut consul = Consul::with_config(Config::of(ConsulVersion::V1_13), 1);
    for (target, longest) in [
        ("big", 410),
        ("e", 414),
        ("aaaaaaaaaaaaaaaaaaaa", 374),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 333),
        ("big?node=n1", 404),
        ("big?service=web&tag=abc", 396),
    ] {
        let target = format!("/v1/event/fire/{target}");
        assert_eq!(ask(&mut consul, "PUT", &target, &"x".repeat(longest)).status, 200, "{target}");
        let refused = "500 error broadcasting event: encoded user event exceeds configured limit \
                       of 512 bytes after encoding";
        assert_eq!(put(&mut consul, &target, &"x".repeat(longest + 1)), refused);
    }
    let refused = "500 error broadcasting event: user event exceeds configured limit of 512 bytes \
                   before encoding";
    assert_eq!(put(&mut consul, "/v1/event/fire/big", &"x".repeat(441)), refused);
}

#[test]
fn an_undecodable_value_is_named_by_the_go_type_that_consul_decodes_it_into() {
    let mut consul = Consul::seeded(1);
    for (target, body, field) in [
        (REGISTER_CHECK, r#"{"Name":5}"#, ".Alias.Name of type string"),
        (REGISTER_CHECK, r#"{"args":5}"#, ".args of type []string"),
        (REGISTER_CHECK, r#"{"ServiceID":5}"#, ".Alias.ServiceID of type string"),
        (REGISTER_SERVICE, r#"{"Port":5.5}"#, ".Alias.Port of type int"),
        (REGISTER_SERVICE, r#"{"enable_tag_override":5}"#, ".enable_tag_override of type bool"),
        (REGISTER_SERVICE, r#"{"Check":{"Name":5}}"#, ".Alias.Check.Alias.Name of type string"),
        (REGISTER_SERVICE, r#"{"Check":{"ServiceID":5}}"#, ".Alias.Check.ServiceID of type string"),
        (
            REGISTER_SERVICE,
            r#"{"Weights":{"Passing":""}}"#,
            "Weights.Alias.Weights.Passing of type int",
        ),
        (
            REGISTER_SERVICE,
            r#"{"TaggedAddresses":{"lan":{"Port":""}}}"#,
            "ServiceAddress.Alias.TaggedAddresses.Port of type int",
        ),
        (
            REGISTER,
            r#"{"Check":{"Definition":{"HTTP":5}}}"#,
            "HealthCheck.Check.Definition.Alias.HTTP of type string",
        ),
        ("/v1/catalog/deregister", r#"{"Node":5}"#, ".Alias.Node of type string"),
        ("/v1/catalog/deregister", r#"{"Address":5}"#, ".Address of type string"),
    ] {
        let answer = put(&mut consul, target, body);
        let refused = format!("into Go struct field {field}");
        assert!(answer.starts_with("400 Request decode failed: json: "), "{body}: {answer}");
        assert!(answer.ends_with(&refused), "{body}: {answer}");
    }
    let whole = put(&mut consul, REGISTER_SERVICE, "[]");
    let go_type = r#"struct { EnableTagOverrideSnake bool "json:\"enable_tag_override\""; "#;
    assert!(whole.contains(go_type), "{whole}");
}

#[test]
fn weights_that_dns_cannot_have_are_refused_by_an_agent_and_replaced_in_the_catalog() {
    let mut consul = Consul::seeded(1);
    for weights in ["{}", r#"{"Passing":0,"Warning":0}"#] {
        let body = format!(r#"{{"Name":"x","Weights":{weights}}}"#);
        let refused = "400 Invalid Weights: Passing must be greater than 0";
        assert_eq!(put(&mut consul, REGISTER_SERVICE, &body), refused);
    }
    for (weights, stored) in [
        (r#"{"Passing":-1,"Warning":2}"#, r#"{"Passing":1,"Warning":1}"#),
        (r#"{"Passing":2,"Warning":-1}"#, r#"{"Passing":1,"Warning":1}"#),
        (r#"{"Passing":70000}"#, r#"{"Passing":1,"Warning":1}"#),
        (r#"{"Passing":5}"#, r#"{"Passing":5,"Warning":0}"#),
    ] {
        let service = format!(r#"{{"Service":"w","Weights":{weights}}}"#);
        let body = format!(r#"{{"Node":"x","Address":"1.1.1.1","Service":{service}}}"#);
        put(&mut consul, REGISTER, &body);
        let listed = get(&mut consul, "/v1/catalog/service/w");
        assert!(listed.contains(&format!(r#""ServiceWeights":{stored}"#)), "{weights}: {listed}");
    }
}

/// Of several errors in one request a client sees the first that Consul looks for.
#[test]
fn the_first_of_several_errors_is_that_of_a_real_agent() {
    let mut consul = Consul::seeded(1);
    let ns = "Invalid query parameter: \"ns\" - Namespaces are a Consul Enterprise feature";
    let partition =
        "Invalid query parameter: \"partition\" - Partitions are a Consul Enterprise feature";
    for (method, target, refused) in [
        ("GET", "/v1/catalog/services?ns=x&index=abc", ns),
        ("GET", "/v1/catalog/service/?ns=x&index=abc", ns),
        ("GET", "/v1/catalog/service/?index=abc", "Invalid index"),
        ("GET", "/v1/catalog/node/?index=abc", "Invalid index"),
        ("GET", "/v1/health/state/?wait=abc", "Invalid wait time"),
        ("GET", "/v1/catalog/nodes?ns=x&partition=y&index=abc", partition),
        ("GET", "/v1/session/list?ns=x&index=abc", "Invalid index"),
        ("GET", "/v1/session/info/?ns=x", ns),
        ("PUT", "/v1/session/renew/?ns=x&index=abc", "Invalid index"),
        ("GET", "/v1/kv/a?partition=x&index=abc", "Invalid index"),
        ("PUT", "/v1/kv/a?ns=x&index=abc", "Invalid index"),
        ("PUT", "/v1/kv/a?ns=x&cas=1&acquire=2", ns),
        ("GET", "/v1/agent/health/service/id/?ns=x", "Missing serviceID"),
        ("PUT", "/v1/agent/check/update/a?ns=x", "Request decode failed: EOF"),
        ("PUT", "/v1/agent/service/maintenance/a?ns=x", "Missing value for enable"),
        ("PUT", "/v1/agent/service/maintenance/a?ns=x&enable=true", ns),
    ] {
        assert_eq!(ask(&mut consul, method, target, "").text(), refused, "{target}");
    }
    assert_eq!(ask(&mut consul, "GET", "/v1/catalog/nodes?ns=x", "").status, 200, "not read");
    let events = ask(&mut consul, "GET", "/v1/event/list?stale&consistent&max_stale=x", "");
    assert_eq!(events.status, 200, "events have no consistency");
}

#[test]
fn reads_check_the_ages_in_cache_control() {
    let mut consul = Consul::seeded(1);
    let mut read = |target: &str, header: &str| {
        let mut request = HttpRequest::new("GET", target, b"");
        request.headers.push(("Cache-Control".into(), header.into()));
        let handle = consul.request(&request);
        let answer = consul.poll(handle).expect("it is answered at once");
        format!("{} {}", answer.status, answer.text())
    };
    for header in ["max-age=abc", "MAX-AGE=", "foo, stale-if-error=x", "max-age=\"5\""] {
        let refused = "400 Invalid Cache-Control header.";
        assert_eq!(read("/v1/kv/a?index=abc", header), refused, "{header}");
    }
    for header in ["max-age=-5", "no-cache", "max-age=5, stale-if-error=10", "must-revalidate"] {
        assert_eq!(read("/v1/kv/a", header), "404 ", "{header}");
    }
    let conflict = "400 Cannot specify ?stale with ?consistent, conflicting semantics.";
    assert_eq!(read("/v1/kv/a?stale&consistent", "max-age=x"), conflict);
}

#[test]
fn a_bound_of_staleness_makes_a_read_stale() {
    let mut consul = Consul::seeded(1);
    for (part, level) in [("max_stale=5s", "stale"), ("max_stale=0s", "leader")] {
        let answer = ask(&mut consul, "GET", &format!("/v1/catalog/nodes?{part}"), "");
        assert_eq!(answer.header("X-Consul-Effective-Consistency"), Some(level), "{part}");
    }
}

#[test]
fn the_case_of_the_id_of_a_service_matters_to_its_agent() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER_SERVICE, r#"{"Name":"web"}"#);
    for target in ["service/deregister/WEB", "service/maintenance/WEB?enable=true"] {
        let answer = ask(&mut consul, "PUT", &format!("/v1/agent/{target}"), "");
        assert_eq!(answer.status, 404, "{target}: {}", answer.text());
    }
    let check = r#"{"Name":"c","TTL":"9s","ServiceID":"WEB"}"#;
    assert_eq!(put(&mut consul, REGISTER_CHECK, check), r#"404 ServiceID "WEB" does not exist"#);
    assert!(get(&mut consul, "/v1/agent/service/web").starts_with("200 "));
}

#[test]
fn an_agent_knows_the_name_of_a_service_as_name_only() {
    let mut consul = Consul::seeded(1);
    let refused = r#"400 Request decode failed: json: unknown field "Service""#;
    assert_eq!(put(&mut consul, REGISTER_SERVICE, r#"{"Service":"web"}"#), refused);
}

#[test]
fn of_a_long_output_of_a_check_the_beginning_is_kept() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, REGISTER_CHECK, r#"{"Name":"c","TTL":"9s"}"#);
    let output = "x".repeat(5_000);
    let body = format!(r#"{{"Status":"passing","Output":"{output}"}}"#);
    put(&mut consul, "/v1/agent/check/update/c", &body);
    let checks = get(&mut consul, "/v1/agent/checks");
    let kept = format!(r#""{} ... (captured 4096 of 5000 bytes)""#, &output[..4_096]);
    assert!(checks.contains(&kept), "{checks}");
}

#[test]
fn a_malformed_escape_in_a_path_is_refused_before_any_endpoint() {
    let mut consul = Consul::seeded(1);
    let answer = ask(&mut consul, "GET", "/v1/catalog/node/n%zz", "");
    assert_eq!((answer.status, &*answer.text()), (400, "400 Bad Request"));
    assert_eq!(answer.header("X-Consul-Default-ACL-Policy"), None);
}

#[test]
fn the_service_of_a_server_has_the_metadata_of_a_real_one() {
    let mut consul = Consul::seeded(1);
    let listed = get(&mut consul, "/v1/catalog/service/consul");
    for pair in [
        r#""ServiceMeta":{"non_voter":"false","raft_version":"3","read_replica":"false","#,
        r#""serf_protocol_current":"2","serf_protocol_max":"5","serf_protocol_min":"1","#,
        r#""version":"1.22.7"}"#,
    ] {
        assert!(listed.contains(pair), "{listed}");
    }
}
