//! What differs between the versions of Consul that a server can answer as, and what checks that
//! follow sessions do. The recorded exchanges in tests/vectors-1.22 cover the rules; these tests
//! have what a real Consul 1.22.7 answered besides.

use core::time::Duration;

use lictor_core::engine::{Config, Event};
use lictor_core::error::Cause;
use lictor_core::http::HttpRequest;
use lictor_core::id::CheckId;
use lictor_core::store::Change;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put, server, with_scripts};

const REGISTER: &str = "/v1/catalog/register";

/// Registers a check of node `n1`.
fn register(consul: &mut Consul, id: &str, rest: &str) {
    let check =
        format!(r#"{{"Node":"n1","CheckID":"{id}","Name":"{id}","Status":"passing"{rest}}}"#);
    let body = format!(r#"{{"Node":"n1","Address":"127.0.0.1","Check":{check}}}"#);
    assert_eq!(put(consul, REGISTER, &body), "200 true");
}

/// The members of a registration that make a check follow the sessions of a name.
fn following(name: &str) -> String {
    format!(r#","Type":"session","Definition":{{"SessionName":"{name}"}}"#)
}

/// Creates a session and returns its id.
fn session(consul: &mut Consul, body: &str) -> String {
    let answer = put(consul, "/v1/session/create", body);
    let id = answer.strip_prefix(r#"200 {"ID":""#).and_then(|rest| rest.strip_suffix(r#""}"#));
    id.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn destroy(consul: &mut Consul, session: &str) {
    assert_eq!(put(consul, &format!("/v1/session/destroy/{session}"), ""), "200 true");
}

/// Status and output of a check.
fn state(consul: &Consul, id: &str) -> (String, String) {
    let check = consul.engine().store().catalog().checks().find(|check| check.id.as_str() == id);
    let check = check.unwrap_or_else(|| panic!("no check {id}"));
    (check.status.as_str().to_owned(), check.output.to_string())
}

#[test]
fn a_check_follows_the_sessions_of_its_name_to_the_letter() {
    let mut consul = server(ConsulVersion::V1_22);
    register(&mut consul, "exact", &following("x"));
    register(&mut consul, "upper", &following("X"));
    register(&mut consul, "nameless", r#","Type":"session""#);
    register(&mut consul, "typeless", r#","Definition":{"SessionName":"x"}"#);
    register(&mut consul, "Type", r#","Type":"Session","Definition":{"SessionName":"x"}"#);
    let named = session(&mut consul, r#"{"Name":"x"}"#);
    let unnamed = session(&mut consul, "{}");
    for (check, followed) in
        [("exact", Some(&named)), ("nameless", Some(&unnamed)), ("upper", None)]
    {
        let output = followed.map_or(String::new(), |id| format!("Session '{id}' in force"));
        assert_eq!(state(&consul, check), ("passing".to_owned(), output), "{check}");
    }
    destroy(&mut consul, &named);
    let output = format!("Session '{named}' is invalid");
    assert_eq!(state(&consul, "exact"), ("critical".to_owned(), output));
    for check in ["upper", "typeless", "Type"] {
        assert_eq!(state(&consul, check), ("passing".to_owned(), String::new()), "{check}");
    }
}

#[test]
fn a_check_that_is_registered_late_keeps_its_status_until_a_session_begins_or_ends() {
    let mut consul = server(ConsulVersion::V1_22);
    let first = session(&mut consul, r#"{"Name":"y"}"#);
    register(&mut consul, "late", &following("y"));
    assert_eq!(state(&consul, "late").1, "");
    destroy(&mut consul, &first);
    assert_eq!(state(&consul, "late").0, "critical");
}

#[test]
fn a_check_that_follows_a_session_keeps_its_own_indexes_and_wakes_its_watches() {
    let mut consul = server(ConsulVersion::V1_22);
    register(&mut consul, "lead", &following("leader"));
    let before = consul.engine().index();
    let session = session(&mut consul, r#"{"Name":"leader","TTL":"10s"}"#);
    let answer = ask(&mut consul, "GET", "/v1/health/node/n1", "");
    let index = before.next().to_string();
    assert_eq!(answer.header("X-Consul-Index"), Some(index.as_str()));
    let indexes = format!(r#""CreateIndex":{before},"ModifyIndex":{before}"#);
    assert!(answer.text().contains(&indexes), "{}", answer.text());
    consul.advance(Duration::from_secs(20));
    let output = format!("Session '{session}' is invalid");
    assert_eq!(state(&consul, "lead"), ("critical".to_owned(), output));
}

#[test]
fn the_end_of_a_session_runs_through_a_chain_of_any_length_in_one_log_entry() {
    const LENGTH: usize = 4_000;
    let mut consul = server(ConsulVersion::V1_22);
    let first = session(&mut consul, r#"{"Name":"s0","NodeChecks":[]}"#);
    for number in 0..LENGTH {
        register(&mut consul, &format!("c{number}"), &following(&format!("s{number}")));
        let next = number + 1;
        session(&mut consul, &format!(r#"{{"Name":"s{next}","NodeChecks":["c{number}"]}}"#));
    }
    consul.take_events();
    destroy(&mut consul, &first);
    let events = consul.take_events();
    let ended = events.iter().filter_map(|stamped| match &stamped.event {
        Event::Changed(Change::SessionEnded { session, cause, .. }) => Some((session, cause)),
        _ => None,
    });
    let ended: Vec<_> = ended.collect();
    assert_eq!(ended.len(), LENGTH + 1);
    assert_eq!(ended[0].1, &Cause::Requested);
    let (first, second) = (ended[0].0.id, ended[1]);
    let cause = Cause::FollowedSessionEnded { check: CheckId::from("c0"), session: first };
    assert_eq!((&*second.0.name, second.1), ("s1", &cause));
    assert!(events.iter().all(|stamped| stamped.index == consul.engine().index()));
    consul.engine().store().check_invariants();
}

#[test]
fn the_change_of_a_check_names_the_session_that_it_follows() {
    let mut consul = server(ConsulVersion::V1_22);
    register(&mut consul, "lead", &following("leader"));
    consul.take_events();
    let leader = session(&mut consul, r#"{"Name":"leader"}"#);
    let followed = consul.take_events().into_iter().find_map(|stamped| match stamped.event {
        Event::Changed(Change::CheckWritten { followed, .. }) => followed,
        _ => None,
    });
    assert_eq!(followed.map(|id| id.to_string()), Some(leader));
}

#[test]
fn a_transaction_keeps_the_type_of_a_check_but_not_the_name_of_its_sessions() {
    let body = r#"[{"Check":{"Verb":"set","Check":{"Node":"n1","CheckID":"c","Type":"session",
        "Status":"passing","Definition":{"Interval":"5s","TTL":"3s","UDP":"u","TCP":"t"}}}}]"#;
    let kept = r#""Definition":{"Interval":"5s","TCP":"t"}"#;
    for (version, kind) in [(ConsulVersion::V1_13, ""), (ConsulVersion::V1_22, "session")] {
        let mut consul = server(version);
        let answer = put(&mut consul, "/v1/txn", body);
        assert!(answer.contains(&format!(r#""Type":"{kind}""#)), "{version}: {answer}");
        assert!(answer.contains(kept), "{version}: {answer}");
        session(&mut consul, "{}");
        let follows = state(&consul, "c").1.contains("in force");
        assert_eq!(follows, kind == "session", "{version}: a nameless check and session");
    }
}

#[test]
fn in_1_13_no_check_follows_a_session_and_the_name_of_one_is_an_unknown_field() {
    let mut consul = server(ConsulVersion::V1_13);
    register(&mut consul, "lead", r#","Type":"session""#);
    session(&mut consul, "{}");
    assert_eq!(state(&consul, "lead").1, "");
    let critical = r#"{"Node":"n1","Address":"127.0.0.1","Check":{"CheckID":"lead","Name":"lead",
        "Type":"session","Status":"critical"}}"#;
    put(&mut consul, REGISTER, critical);
    let refused = put(&mut consul, "/v1/session/create", r#"{"NodeChecks":["lead"]}"#);
    assert_eq!(refused, "500 apply failed: Check 'lead' is in critical state");
    let named = r#"{"Node":"n1","Check":{"Definition":{"SessionName":"x"}},"Frob":1}"#;
    let unknown = r#"400 Request decode failed: json: unknown field "Frob""#;
    assert_eq!(put(&mut consul, REGISTER, named), unknown, "definitions take unknown fields");
}

#[test]
fn unknown_verbs_are_refused_with_the_other_errors_that_the_leader_finds() {
    let body = r#"[{"KV":{"Verb":"set","Key":"z"}},{"KV":{"Verb":"zip","Key":"z"}},
        {"KV":{"Verb":"zap","Key":""}},{"Node":{"Verb":"zip","Node":{"Node":""}}}]"#;
    let answer = put(&mut server(ConsulVersion::V1_22), "/v1/txn", body);
    let errors = [
        r#"{"OpIndex":1,"What":"unknown KV operation: zip"}"#,
        r#"{"OpIndex":2,"What":"Must provide key"}"#,
        r#"{"OpIndex":3,"What":"unknown node operation: zip"}"#,
    ];
    assert_eq!(answer, format!(r#"409 {{"Results":null,"Errors":[{}]}}"#, errors.join(",")));
    let read = r#"[{"KV":{"Verb":"get","Key":"z"}},{"KV":{"Verb":"zip","Key":"z"}}]"#;
    let answer = put(&mut server(ConsulVersion::V1_13), "/v1/txn", read);
    let both = [
        r#"[{"OpIndex":0,"What":"key \"z\" doesn't exist"},"#,
        r#"{"OpIndex":1,"What":"unknown KV verb \"zip\""}]"#,
    ];
    assert!(answer.contains(&both.concat()), "{answer}");
}

#[test]
fn a_faulty_name_is_refused_after_the_parameters_of_a_read_and_before_all_else() {
    let mut consul = server(ConsulVersion::V1_22);
    let spaces = "500 invalid key name, leading/trailing spaces are not allowed";
    for target in ["/v1/kv/%20x", "/v1/kv/%20x?keys", "/v1/kv/%20x?dc=zz", "/v1/kv/%20x?ns=zz"] {
        assert_eq!(get(&mut consul, target), spaces, "{target}");
    }
    for target in ["/v1/kv/%20x?flags=x", "/v1/kv/%20x?acquire=a&release=b"] {
        assert_eq!(put(&mut consul, target, "v"), spaces, "{target}");
    }
    for (query, refused) in [
        ("wait=zz", "400 Invalid wait time"),
        ("index=zz", "400 Invalid index"),
        ("stale&consistent", "400 Cannot specify ?stale with ?consistent, conflicting semantics."),
    ] {
        assert_eq!(get(&mut consul, &format!("/v1/kv/%20x?{query}")), refused);
    }
    assert_eq!(ask(&mut consul, "POST", "/v1/kv/%20x", "").status, 405);
    assert_eq!(put(&mut server(ConsulVersion::V1_13), "/v1/kv/%20x", "v"), "200 true");
}

#[test]
fn every_answer_about_an_unchecked_name_carries_the_warning() {
    let mut config = Config::default();
    config.disable_kv_key_validation = true;
    let mut consul = Consul::with_config(config, 1);
    let warning = "KV key validation bypassed: invalid key name, path traversal is not allowed. \
                   Consider enabling key validation for security.";
    for (method, target, status) in [
        ("PUT", "/v1/kv/%2e%2e", 200),
        ("GET", "/v1/kv/%2e%2e", 200),
        ("GET", "/v1/kv/%2e%2e/x", 404),
        ("PUT", "/v1/kv/%2e%2e?acquire=", 500),
        ("PUT", "/v1/kv/%2e%2e?acquire=a&cas=1", 400),
        ("GET", "/v1/kv/%2e%2e?ns=zz", 400),
        ("DELETE", "/v1/kv/%2e%2e", 200),
    ] {
        let answer = ask(&mut consul, method, target, "");
        assert_eq!(answer.status, status, "{method} {target}: {}", answer.text());
        assert_eq!(answer.header("X-Consul-KV-Warning"), Some(warning), "{method} {target}");
    }
    assert_eq!(ask(&mut consul, "GET", "/v1/kv/fine", "").header("X-Consul-KV-Warning"), None);
}

#[test]
fn paths_are_routed_as_they_were_sent_and_redirects_escape_them_again() {
    let mut consul = server(ConsulVersion::V1_22);
    put(&mut consul, "/v1/kv/a", "v");
    for (target, status) in [
        ("/%76%31/kv/a", 200),
        ("/v1/kv%2Fa", 404),
        ("/v1%2Fkv/a", 404),
        ("/v1/session/info/%2e%2e/x", 200),
        ("/v1/session/info/a%2Fb", 200),
        ("/v1/kv/%2e%2e/%2e%2e/agent/self", 500),
    ] {
        assert_eq!(ask(&mut consul, "GET", target, "").status, status, "{target}");
    }
    for (target, location) in [
        ("/v1/kv//a%20b", "/v1/kv/a%2520b"),
        ("/v1/kv//a%2Fb?x=%20", "/v1/kv/a%252Fb?x=%20"),
        ("/v1/kv/a\\b//c", "/v1/kv/a%255Cb/c"),
        ("/v1//kv/a%2e%2e", "/v1/kv/a%252e%252e"),
        ("/v1/kv", "/v1/kv/"),
    ] {
        let answer = ask(&mut consul, "GET", target, "");
        assert_eq!((answer.status, answer.header("Location")), (301, Some(location)), "{target}");
    }
    let answer = ask(&mut server(ConsulVersion::V1_13), "GET", "/v1/kv//a%20b", "");
    assert_eq!(answer.header("Location"), Some("/v1/kv/a%20b"));
}

#[test]
fn a_query_shows_the_peer_of_its_version_and_null_for_absent_tags_and_checks() {
    let service = r#"{"Node":"n2","Address":"10.0.0.2","Service":{"Service":"web"}}"#;
    let query =
        r#"{"Name":"q","Service":{"Service":"web","Failover":{"Targets":[{"Datacenter":"dc2"}]}}}"#;
    for (version, peer) in [(ConsulVersion::V1_13, "PeerName"), (ConsulVersion::V1_22, "Peer")] {
        let mut consul = server(version);
        put(&mut consul, REGISTER, service);
        assert_eq!(ask(&mut consul, "POST", "/v1/query", query).status, 200);
        let listed = get(&mut consul, "/v1/query");
        for part in [
            format!(r#""Targets":[{{"{peer}":"","Datacenter":"dc2"}}]"#),
            format!(r#""Connect":false,"{peer}":""}}"#),
        ] {
            assert!(listed.contains(&part), "{listed}");
        }
        let executed = get(&mut consul, "/v1/query/q/execute");
        assert!(executed.contains(r#""Service":"web","Tags":null"#), "{executed}");
        assert!(executed.contains(r#""Checks":null"#), "{executed}");
    }
}

#[test]
fn the_locality_of_a_service_is_kept_since_1_22() {
    let mut consul = server(ConsulVersion::V1_22);
    let service = r#"{"Service":"web","Locality":{"Region":"r"}}"#;
    let body = format!(r#"{{"Node":"n2","Address":"x","Service":{service}}}"#);
    assert_eq!(put(&mut consul, REGISTER, &body), "200 true");
    let listed = get(&mut consul, "/v1/catalog/service/web");
    assert!(listed.contains(r#""ServiceLocality":{"Region":"r"}"#), "{listed}");
    let unknown = "400 Request decode failed: json: unknown field \"Locality\"";
    assert_eq!(put(&mut server(ConsulVersion::V1_13), REGISTER, &body), unknown);
}

/// V22-19.
#[test]
fn a_check_of_a_service_shows_its_timeout_since_1_22() {
    let kinds = [
        (r#""HTTP":"http://x""#, "http"),
        (r#""TCP":"x:1""#, "tcp"),
        (r#""GRPC":"x:1""#, "grpc"),
        (r#""UDP":"x:1""#, "udp"),
        (r#""H2PING":"x:1""#, "h2ping"),
        (r#""Args":["a"]"#, "script"),
        (r#""script_args":["a"],"docker_container_id":"x""#, "docker"),
        (r#""AliasNode":"n1""#, "alias"),
    ];
    for (version, timeout) in [(ConsulVersion::V1_13, "10s"), (ConsulVersion::V1_22, "5s")] {
        for (definition, kind) in kinds {
            let mut consul = with_scripts(version);
            let check = format!(r#"{{{definition},"Interval":"10s","Timeout":"5s"}}"#);
            let body = format!(r#"{{"Name":"s","Checks":[{check},{{"TTL":"9s"}}]}}"#);
            assert_eq!(put(&mut consul, "/v1/agent/service/register", &body), "200 ");
            let checks = get(&mut consul, "/v1/agent/checks");
            let shown = format!(r#""Type":"{kind}","Interval":"10s","Timeout":"{timeout}""#);
            assert!(checks.contains(&shown), "{version}: {checks}");
            let of_ttl = r#""Type":"ttl","Interval":"","Timeout":"""#;
            assert!(checks.contains(of_ttl), "{checks}");
        }
    }
}

#[test]
fn a_check_of_an_os_service_has_its_type_since_1_22() {
    let mut consul = server(ConsulVersion::V1_22);
    let definition = r#"{"Name":"c","Definition":{"OSService":"x","Interval":"1s"}}"#;
    let body = format!(r#"{{"Node":"n2","Address":"x","Check":{definition}}}"#);
    assert_eq!(put(&mut consul, REGISTER, &body), "200 true");
    let checks = get(&mut consul, "/v1/health/node/n2");
    assert!(checks.contains(r#""Type":"os_service""#), "{checks}");
}

#[test]
fn a_server_has_one_root_certificate_where_the_service_mesh_is_enabled() {
    let mut consul = server(ConsulVersion::V1_22);
    let root = ask(&mut consul, "GET", "/v1/connect/ca/roots", "");
    assert_eq!(root.header("X-Consul-Index"), Some("5"));
    let certificate = ask(&mut consul, "GET", "/v1/connect/ca/roots?pem=true", "");
    assert_eq!(certificate.header("Content-Type"), Some("application/pem-certificate-chain"));
    assert_eq!(certificate.header("X-Consul-Index"), None);
    let in_json = certificate.text().replace('\n', "\\n");
    assert!(root.text().contains(&format!(r#""RootCert":"{in_json}","IntermediateCerts":null"#)));
    let own = get(&mut consul, "/v1/agent/connect/ca/roots?pem=true");
    assert_eq!(own, format!("200 {}", root.text()), "an agent answers in JSON");

    let mut enabled = Config::of(ConsulVersion::V1_13);
    enabled.connect = Some(true);
    let same = get(&mut Consul::with_config(enabled, 1), "/v1/connect/ca/roots");
    assert_eq!(same, format!("200 {}", root.text()));
}

#[test]
fn a_server_without_a_service_mesh_refuses_to_list_roots() {
    let mut disabled = Config::of(ConsulVersion::V1_22);
    disabled.connect = Some(false);
    for config in [disabled, Config::of(ConsulVersion::V1_13)] {
        let mut consul = Consul::with_config(config, 1);
        for (target, leader) in
            [("/v1/connect/ca/roots", Some("false")), ("/v1/agent/connect/ca/roots", None)]
        {
            let answer = ask(&mut consul, "GET", target, "");
            let text = "Connect must be enabled in order to use this endpoint";
            assert_eq!((answer.status, &*answer.text()), (500, text));
            assert_eq!(answer.header("X-Consul-KnownLeader"), leader);
            let elsewhere = get(&mut consul, &format!("{target}?dc=dc9"));
            assert_eq!(elsewhere, "500 No path to datacenter");
        }
        let pem = "400 The 'pem' query parameter must be a boolean value";
        assert_eq!(get(&mut consul, "/v1/connect/ca/roots?pem=x&dc=dc9"), pem);
    }
}

#[test]
fn a_blocking_read_of_the_roots_waits_for_its_whole_time() {
    let mut consul = server(ConsulVersion::V1_22);
    let target = "/v1/connect/ca/roots?index=5&wait=10s";
    let read = consul.request(&HttpRequest::new("GET", target, b""));
    put(&mut consul, "/v1/kv/a", "v");
    consul.advance(Duration::from_millis(9_999));
    assert_eq!(consul.poll(read), None);
    consul.advance(Duration::from_secs(1));
    let answer = consul.poll(read).expect("its time is over");
    assert_eq!((answer.status, answer.header("X-Consul-Index")), (200, Some("5")));
}

#[test]
fn the_first_datacenter_that_is_named_counts() {
    let mut consul = server(ConsulVersion::V1_22);
    assert_eq!(get(&mut consul, "/v1/kv/a?datacenter=zz&dc=dc1"), "500 No path to datacenter");
    assert_eq!(get(&mut consul, "/v1/kv/a?dc=zz&datacenter=dc1"), "404 ");
    assert_eq!(get(&mut server(ConsulVersion::V1_13), "/v1/kv/a?datacenter=zz"), "404 ");
}

#[test]
fn a_version_is_read_by_its_name_or_its_release() {
    for version in ConsulVersion::ALL {
        assert_eq!(version.name().parse(), Ok(version));
        assert_eq!(version.release().parse(), Ok(version));
    }
    let error = "2.0".parse::<ConsulVersion>().expect_err("it is unknown").to_string();
    assert_eq!(error, "unknown version of Consul \"2.0\"; the known versions are 1.13, 1.22");
}
