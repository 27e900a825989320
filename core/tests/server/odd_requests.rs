//! Requests with odd parameters and bodies get the status and the text that a real Consul 1.22.7 or
//! 1.13.9 gave to them.

use lictor_core::http::HttpRequest;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put, server};

const REGISTER: &str = "/v1/catalog/register";
const REGISTER_CHECK: &str = "/v1/agent/check/register";
const REGISTER_SERVICE: &str = "/v1/agent/service/register";

/// Carries out a test against a server of each version.
fn in_each_version(test: impl Fn(&mut Consul, ConsulVersion)) {
    for version in ConsulVersion::ALL {
        test(&mut server(version), version);
    }
}

/// The answer to a request whose body is sent without its length.
fn chunked(consul: &mut Consul, method: &str, target: &str, body: &str) -> String {
    let mut request = HttpRequest::new(method, target, body.as_bytes());
    request.headers.push(("Transfer-Encoding".into(), "chunked".into()));
    let handle = consul.request(&request);
    let answer = consul.poll(handle).expect("it is answered at once");
    format!("{} {}", answer.status, answer.text())
}

#[test]
fn reads_of_facts_check_their_parameters_before_their_datacenter() {
    in_each_version(|consul, _| {
        for path in ["status/leader", "status/peers", "operator/raft/configuration"] {
            for (query, refusal) in [
                ("dc=dc9&index=x", "400 Invalid index"),
                ("dc=dc9&wait=1", "400 Invalid wait time"),
                (
                    "cached&consistent",
                    "400 Cannot specify ?cached with ?consistent, conflicting semantics.",
                ),
                ("max_stale=x", r#"400 Invalid max_stale value "x""#),
                ("dc=dc9", "500 No path to datacenter"),
            ] {
                let target = format!("/v1/{path}?{query}");
                assert_eq!(get(consul, &target), refusal, "{target}");
            }
        }
    });
}

#[test]
fn the_list_of_datacenters_follows_the_refusal_of_its_parameters() {
    in_each_version(|consul, _| {
        let refused = r#"400 Invalid max_stale value "x"["dc1"]"#;
        assert_eq!(get(consul, "/v1/catalog/datacenters?max_stale=x&index=x"), refused);
        let pretty = "400 Cannot specify ?stale with ?consistent, conflicting semantics.\
                      [\n    \"dc1\"\n]\n";
        assert_eq!(get(consul, "/v1/catalog/datacenters?stale&consistent&pretty"), pretty);
    });
}

#[test]
fn a_path_below_which_an_endpoint_begins_is_redirected_although_another_endpoint_matches() {
    in_each_version(|consul, _| {
        for path in ["/v1/agent/service/deregister", "/v1/agent/service/maintenance"] {
            let answer = ask(consul, "GET", path, "");
            let location = format!("{path}/");
            assert_eq!((answer.status, answer.header("Location")), (301, Some(&*location)));
        }
        assert_eq!(ask(consul, "GET", "/v1/query", "").status, 200);
    });
}

#[test]
fn since_1_22_an_invalid_passing_is_refused_before_the_read() {
    let mut consul = server(ConsulVersion::V1_22);
    let answer = ask(&mut consul, "GET", "/v1/health/service/web?passing=x&dc=dc9", "");
    assert_eq!((answer.status, &*answer.text()), (400, "Invalid value for ?passing"));
    assert_eq!(answer.header("X-Consul-Index"), None);
    assert_eq!(get(&mut consul, "/v1/health/service/web?passing=x&index=x"), "400 Invalid index");
}

#[test]
fn a_query_named_execute_can_be_executed() {
    in_each_version(|consul, _| {
        assert_eq!(get(consul, "/v1/query/execute"), "404 Query not found");
        assert_eq!(ask(consul, "DELETE", "/v1/query/explain", "").status, 405);
        let body = r#"{"Name":"execute","Service":{"Service":"web"}}"#;
        assert_eq!(ask(consul, "POST", "/v1/query", body).status, 200);
        assert!(get(consul, "/v1/query/execute").starts_with(r#"200 {"Service":"web""#));
    });
}

#[test]
fn a_new_definition_of_a_query_counts_as_empty_without_its_length() {
    in_each_version(|consul, _| {
        let body = r#"{"Name":"q","Service":{"Service":"web"}}"#;
        let created = ask(consul, "POST", "/v1/query", body).text();
        let target = format!("/v1/query/{}", &created[7..43]);
        let refused = "500 Invalid prepared query: Must be bound to a session";
        assert_eq!(chunked(consul, "PUT", &target, body), refused);
        assert_eq!(put(consul, &target, body), "200 ");
    });
}

#[test]
fn the_payload_of_an_event_is_limited_in_1_22_and_needs_a_length() {
    let mut newer = server(ConsulVersion::V1_22);
    let large = "413 Event payload too large, received 301 bytes, max size: 300 bytes. \
                 User events should be kept small for efficient gossip propagation.";
    assert_eq!(put(&mut newer, "/v1/event/fire/e?dc=dc9&tag=a", &"x".repeat(301)), large);
    assert_eq!(ask(&mut newer, "PUT", "/v1/event/fire/e", &"x".repeat(300)).status, 200);
    let unknown = "400 Event payload size must be greater than zero";
    assert_eq!(chunked(&mut newer, "PUT", "/v1/event/fire/e", "x"), unknown);
    let mut older = server(ConsulVersion::V1_13);
    let ignored = chunked(&mut older, "PUT", "/v1/event/fire/e", "x");
    assert!(ignored.contains(r#""Payload":null"#), "{ignored}");
}

#[test]
fn a_node_that_does_not_exist_has_the_index_of_the_last_removal_of_a_node() {
    in_each_version(|consul, _| {
        let index = |consul: &mut Consul| {
            let answer = ask(consul, "GET", "/v1/catalog/node/none", "");
            answer.header("X-Consul-Index").expect("a read has an index").to_owned()
        };
        put(consul, REGISTER, r#"{"Node":"n2","Address":"10.0.0.2"}"#);
        assert_eq!(index(consul), "1");
        put(consul, "/v1/catalog/deregister", r#"{"Node":"n2"}"#);
        assert_eq!(index(consul), consul.engine().index().to_string());
    });
}

#[test]
fn the_catalog_checks_the_metadata_of_services_and_keeps_nothing_of_a_faulty_one() {
    in_each_version(|consul, _| {
        for (meta, fault) in [
            (r#"{"":"y"}"#, "Couldn't load metadata pair ('', 'y'): Key cannot be blank"),
            (
                r#"{"a b":"y"}"#,
                "Couldn't load metadata pair ('a b', 'y'): Key contains invalid characters",
            ),
            (
                r#"{"consul-a":"y"}"#,
                "Couldn't load metadata pair ('consul-a', 'y'): Key prefix 'consul-' is reserved \
                 for internal use",
            ),
        ] {
            let service = format!(r#"{{"ID":"Id","Service":"m","Meta":{meta}}}"#);
            let text = format!("Invalid Service Meta for node n2 and serviceID Id: {fault}");
            let body = format!(r#"{{"Node":"n2","Address":"10.0.0.2","Service":{service}}}"#);
            let refused = format!("500 failed inserting service: {text}");
            assert_eq!(put(consul, REGISTER, &body), refused);
            let body =
                format!(r#"[{{"Service":{{"Verb":"set","Node":"n2","Service":{service}}}}}]"#);
            assert!(put(consul, "/v1/txn", &body).contains(&format!(r#""What":"{text}""#)));
        }
        assert_eq!(get(consul, "/v1/catalog/node/n2"), "200 null");
    });
}

#[test]
fn a_service_needs_a_name_since_1_22() {
    in_each_version(|consul, version| {
        let required = "service name (Service.Service) is required; both Service ID (Service.ID) \
                        and Service Name cannot be empty";
        let is_required = version == ConsulVersion::V1_22;
        let answer = put(consul, REGISTER, r#"{"Node":"n2","Address":"x","Service":{}}"#);
        let expected = if is_required { format!("500 {required}") } else { "200 true".into() };
        assert_eq!(answer, expected);
        let body = r#"[{"Service":{"Verb":"set","Node":"n1","Service":{}}}]"#;
        assert_eq!(put(consul, "/v1/txn", body).contains(required), is_required);
        let nameless = r#"{"Node":"n2","Address":"x","Service":{"ID":"x"}}"#;
        let refused = "500 Must provide service name (Service.Service) when service ID is provided";
        assert_eq!(put(consul, REGISTER, nameless), refused);
    });
}

#[test]
fn the_server_has_no_list_of_tags_where_answers_show_whether_there_is_one() {
    in_each_version(|consul, _| {
        let body = r#"[{"Service":{"Verb":"get","Node":"n1","Service":{"ID":"consul"}}}]"#;
        assert!(put(consul, "/v1/txn", body).contains(r#""Service":"consul","Tags":null"#));
        let listed = get(consul, "/v1/catalog/service/consul");
        assert!(listed.contains(r#""ServiceTags":[]"#), "{listed}");
    });
}

#[test]
fn an_empty_check_of_a_service_counts_as_none_but_not_in_a_list() {
    in_each_version(|consul, _| {
        let register = |consul: &mut Consul, checks: &str| {
            put(consul, REGISTER_SERVICE, &format!(r#"{{"Name":"web",{checks}}}"#))
        };
        for check in [
            "{}",
            r#"{"TTL":"0s"}"#,
            r#"{"TTL":true}"#,
            r#"{"TTL":[]}"#,
            r#"{"Interval":"0s","ScriptArgs":[]}"#,
            r#"{"ServiceID":"x"}"#,
        ] {
            assert_eq!(register(consul, &format!(r#""Check":{check}"#)), "200 ", "{check}");
            let refused = "400 Invalid check: TTL must be > 0 for TTL checks";
            assert_eq!(register(consul, &format!(r#""Checks":[{check}]"#)), refused, "{check}");
        }
        for check in [r#"{"TTL":"-1s"}"#, r#"{"Header":{}}"#, r#"{"Notes":"x"}"#] {
            let refused = "400 Invalid check: TTL must be > 0 for TTL checks";
            assert_eq!(register(consul, &format!(r#""Check":{check}"#)), refused, "{check}");
        }
    });
}

#[test]
fn an_empty_text_is_no_duration() {
    in_each_version(|consul, _| {
        let refused = r#"400 Request decode failed: time: invalid duration """#;
        for (target, body) in [
            (REGISTER_CHECK, r#"{"Name":"c","TTL":"10s","Timeout":""}"#),
            (REGISTER_SERVICE, r#"{"Name":"web","Check":{"TTL":""}}"#),
            (REGISTER, r#"{"Node":"n2","Address":"x","Check":{"Definition":{"Interval":""}}}"#),
        ] {
            assert_eq!(put(consul, target, body), refused);
        }
    });
}

#[test]
fn a_check_warns_before_it_is_critical() {
    in_each_version(|consul, _| {
        let refused = "400 Invalid check: FailuresBeforeWarning can't be higher than \
                       FailuresBeforeCritical";
        for (warning, critical, answer) in
            [(0, 0, "200 "), (1, 1, "200 "), (-2, -1, "200 "), (1, 0, refused), (0, -1, refused)]
        {
            let failures =
                format!(r#""FailuresBeforeWarning":{warning},"FailuresBeforeCritical":{critical}"#);
            let body = format!(r#"{{"Name":"c","TTL":"1h",{failures}}}"#);
            assert_eq!(put(consul, REGISTER_CHECK, &body), answer, "{warning}, {critical}");
        }
    });
}

#[test]
fn checks_of_services_of_the_system_exist_since_1_22_and_not_on_linux() {
    let body = r#"{"Name":"c","OSService":"x","Interval":"1h"}"#;
    let mut newer = server(ConsulVersion::V1_22);
    assert_eq!(put(&mut newer, REGISTER_CHECK, body), "500 not implemented");
    let unknown = r#"{"Name":"c","OSService":"x","Interval":"1h","ServiceID":"none"}"#;
    assert_eq!(put(&mut newer, REGISTER_CHECK, unknown), r#"404 ServiceID "none" does not exist"#);
    let unknown = r#"400 Request decode failed: json: unknown field "OSService""#;
    assert_eq!(put(&mut server(ConsulVersion::V1_13), REGISTER_CHECK, body), unknown);
}

#[test]
fn the_health_of_a_service_shows_empty_definitions_with_the_members_of_the_version() {
    in_each_version(|consul, version| {
        put(consul, REGISTER_SERVICE, r#"{"Name":"web","Check":{"TTL":"1h"}}"#);
        let health = get(consul, "/v1/agent/health/service/id/web");
        let is_newer = version == ConsulVersion::V1_22;
        for member in [r#""TCPUseTLS":false,"UDP":"""#, r#""OSService":"","GRPCUseTLS":false"#] {
            assert_eq!(health.contains(member), is_newer, "{health}");
        }
    });
}

#[test]
fn an_agent_checks_the_family_of_tagged_addresses() {
    in_each_version(|consul, _| {
        for (name, address, family) in [
            ("lan_ipv4", "::1", Some("ipv4")),
            ("wan_ipv4", "web.example", Some("ipv4")),
            ("lan_ipv4", "01.2.3.4", Some("ipv4")),
            ("lan_ipv6", "1.2.3.4", Some("ipv6")),
            ("lan_ipv6", "::ffff:1.2.3.4", Some("ipv6")),
            ("lan_ipv4", "::ffff:1.2.3.4", None),
            ("wan_ipv6", "web.example", None),
            ("lan", "web.example", None),
        ] {
            let body = format!(
                r#"{{"Name":"web","TaggedAddresses":{{"{name}":{{"Address":"{address}"}}}}}}"#
            );
            let answer = family.map_or("200 ".into(), |family| {
                format!(r#"500 Service tagged address "{name}" must be a valid {family} address"#)
            });
            assert_eq!(put(consul, REGISTER_SERVICE, &body), answer, "{body}");
        }
    });
}

#[test]
fn a_value_of_a_wrong_type_is_named_by_the_go_type_of_its_version() {
    in_each_version(|consul, version| {
        let is_newer = version == ConsulVersion::V1_22;
        let embedded = if is_newer { "RaftIndex." } else { "" };
        for (target, body, value, field, go_type) in [
            (
                "/v1/session/create",
                r#"{"CreateIndex":[]}"#,
                "array",
                format!(".Alias.{embedded}CreateIndex"),
                "uint64",
            ),
            (
                REGISTER,
                r#"{"Service":{"ModifyIndex":""}}"#,
                "string",
                format!("NodeService.Service.{embedded}ModifyIndex"),
                "uint64",
            ),
            (
                REGISTER,
                r#"{"Check":{"Definition":{"OutputMaxSize":-1}}}"#,
                "number -1",
                "HealthCheck.Check.Definition.Alias.OutputMaxSize".into(),
                "uint",
            ),
        ] {
            let refused = wrong_type("Request decode failed", value, &field, go_type);
            assert_eq!(put(consul, target, body), refused, "{version}");
        }
        let answer = put(consul, REGISTER_CHECK, "[]");
        assert_eq!(answer.contains("TCPUseTLSSnake bool"), is_newer, "{answer}");
    });
}

#[test]
fn a_transaction_names_the_types_of_the_client_library() {
    in_each_version(|consul, _| {
        for (op, value, field, go_type) in [
            (r#"{"Node":{"Node":{"ID":1}}}"#, "number", "Node.Node.Node.ID", "string"),
            (
                r#"{"Service":{"Service":{"Weights":""}}}"#,
                "string",
                "AgentService.Service.Service.Weights",
                "api.AgentWeights",
            ),
            (
                r#"{"Service":{"Service":{"TaggedAddresses":{"a":{"Port":""}}}}}"#,
                "string",
                "ServiceAddress.Service.Service.TaggedAddresses.Port",
                "int",
            ),
            (
                r#"{"Check":{"Check":{"Definition":{"HTTP":1}}}}"#,
                "number",
                "HealthCheck.Check.Check.Definition.Alias.HTTP",
                "string",
            ),
            (
                r#"{"KV":{"Verb":"set","Key":"a","Value":[256]}}"#,
                "number 256",
                "KVTxnOp.KV.Value",
                "uint8",
            ),
        ] {
            let refused = wrong_type("Failed to parse body", value, field, go_type);
            assert_eq!(put(consul, "/v1/txn", &format!("[{op}]")), refused);
        }
    });
}

/// The refusal of a value that a field does not take.
fn wrong_type(begin: &str, value: &str, field: &str, go_type: &str) -> String {
    let what = format!("json: cannot unmarshal {value} into Go struct field {field}");
    format!("400 {begin}: {what} of type {go_type}")
}

#[test]
fn a_transaction_takes_a_value_as_a_list_and_a_span_under_its_second_name() {
    in_each_version(|consul, _| {
        let set = r#"{"KV":{"Verb":"set","Key":"a","Value":[104,105,null]}}"#;
        let get = r#"{"KV":{"Verb":"get","Key":"a"}}"#;
        let answer = put(consul, "/v1/txn", &format!("[{set},{get}]"));
        assert!(answer.contains(r#""Value":"aGkA""#), "{answer}");
        let definition = r#"{"Interval":"1s","IntervalDuration":"5s"}"#;
        let check = format!(r#"{{"Node":"n1","CheckID":"c","Definition":{definition}}}"#);
        let body = format!(r#"[{{"Check":{{"Verb":"set","Check":{check}}}}}]"#);
        let answer = put(consul, "/v1/txn", &body);
        assert!(answer.contains(r#""Definition":{"Interval":"5s"}"#), "{answer}");
    });
}

#[test]
fn a_wrong_method_path_parameter_or_body_is_refused_in_the_words_of_consul() {
    in_each_version(|consul, _| {
        for (method, target, body, refusal) in [
            ("GET", "/v1/session/create", "", "405 method GET not allowed"),
            ("GET", "/nope", "", "404 Invalid URL path: "),
            ("PUT", "/v1/kv/a?cas=x", "", r#"strconv.ParseUint: parsing "x": invalid syntax"#),
            ("PUT", "/v1/session/create", "{", "400 Request decode failed: unexpected EOF"),
        ] {
            let answer = ask(consul, method, target, body);
            let answer = format!("{} {}", answer.status, answer.text());
            assert!(answer.contains(refusal), "{method} {target}: {answer}");
        }
    });
}
