//! Service discovery, over HTTP as values: services and their health, prepared queries, an agent's
//! services and checks, user events, and what is refused by name.

use core::time::Duration;

use lictor_core::http::{HttpRequest, HttpResponse, Support, endpoints};
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put, server, with_scripts};

const REGISTER: &str = "/v1/catalog/register";

/// Two instances of `web` on nodes in two rooms; the second one has a check that warns.
fn two_instances() -> Consul {
    let mut consul = Consul::seeded(1);
    for (node, room, tag, status) in
        [("n2", "east", "v1", "passing"), ("n3", "west", "V2", "warning")]
    {
        let service = format!(r#"{{"ID":"web-{node}","Service":"web","Tags":["{tag}"]}}"#);
        let check = format!(r#"{{"CheckID":"c","ServiceID":"web-{node}","Status":"{status}"}}"#);
        let body = format!(
            r#"{{"Node":"{node}","Address":"10.0.0.2","NodeMeta":{{"room":"{room}"}},
                "Service":{service},"Check":{check}}}"#
        );
        assert_eq!(put(&mut consul, REGISTER, &body), "200 true");
    }
    consul
}

#[test]
fn the_health_of_a_service_lists_its_instances_with_their_checks() {
    let mut consul = two_instances();
    let node_check = r#"{"Node":"n2","Address":"10.0.0.2","SkipNodeUpdate":true,
        "Check":{"CheckID":"disk","Status":"passing"}}"#;
    put(&mut consul, REGISTER, node_check);
    let all = get(&mut consul, "/v1/health/service/WEB");
    assert_eq!(all.matches(r#""Service":"web""#).count(), 2, "{all}");
    let (node, service) = (all.find(r#""CheckID":"disk""#), all.find(r#""CheckID":"c""#));
    assert!(node.is_some() && node < service, "the checks of the node come first: {all}");
    assert_eq!(get(&mut consul, "/v1/health/service/none"), "200 []");
    assert_eq!(get(&mut consul, "/v1/health/service/"), "400 Missing service name");
}

#[test]
fn instances_are_chosen_by_health_tag_and_metadata_of_their_node() {
    let mut consul = two_instances();
    for (target, found) in [
        ("health/service/web?passing", "n2"),
        ("health/service/web?passing=true", "n2"),
        ("health/service/web?passing=0", "n2 n3"),
        ("health/service/web?tag=v2", "n3"),
        ("health/service/web?tag=v1&tag=v2", ""),
        ("health/service/web?node-meta=room:west", "n3"),
        ("health/service/web?node-meta=room:west&passing", ""),
        ("catalog/service/web?tag=V1", "n2"),
        ("catalog/service/web?node-meta=room:east", "n2"),
        ("catalog/nodes?node-meta=room:east", "n2"),
        ("catalog/nodes?node-meta=room:", ""),
        ("health/checks/web?node-meta=room:west", "n3"),
        ("health/state/any?node-meta=room:west", "n3"),
    ] {
        let answer = get(&mut consul, &format!("/v1/{target}"));
        let nodes = ["n1", "n2", "n3"].into_iter();
        let named: Vec<_> =
            nodes.filter(|node| answer.contains(&format!(r#""Node":"{node}""#))).collect();
        assert_eq!(named.join(" "), found, "{target}: {answer}");
    }
    assert_eq!(
        get(&mut consul, "/v1/catalog/services?node-meta=room:west"),
        r#"200 {"web":["V2"]}"#
    );
    assert_eq!(
        get(&mut consul, "/v1/health/service/web?passing=maybe"),
        "400 Invalid value for ?passing"
    );
}

#[test]
fn a_read_of_a_service_waits_for_that_service_alone() {
    let mut consul = two_instances();
    let at = index(&ask(&mut consul, "GET", "/v1/health/service/web", ""));
    let target = format!("/v1/health/service/web?index={at}&wait=60s");
    let waiting = consul.request(&HttpRequest::new("GET", &target, b""));
    put(&mut consul, REGISTER, r#"{"Node":"n4","Address":"10.0.0.4","Service":{"Service":"db"}}"#);
    assert!(consul.poll(waiting).is_none(), "another service changes nothing");
    put(&mut consul, REGISTER, r#"{"Node":"n2","Address":"10.0.0.9"}"#);
    let woken = consul.poll(waiting).expect("the address of a node is a part of the answer");
    assert!(woken.text().contains("10.0.0.9"), "{}", woken.text());
}

#[test]
fn a_service_that_lost_its_last_instance_has_the_index_of_that_loss() {
    let mut consul = two_instances();
    for node in ["n2", "n3"] {
        let body = format!(r#"{{"Node":"{node}","ServiceID":"web-{node}"}}"#);
        put(&mut consul, "/v1/catalog/deregister", &body);
    }
    let lost = consul.engine().index();
    put(&mut consul, REGISTER, r#"{"Node":"n4","Address":"10.0.0.4","Service":{"Service":"db"}}"#);
    let answer = ask(&mut consul, "GET", "/v1/health/service/web", "");
    assert_eq!((index(&answer), &*answer.text()), (lost.0, "[]"));
}

#[test]
fn everything_that_a_service_and_a_check_are_registered_with_is_returned() {
    let mut consul = Consul::seeded(1);
    let body = r#"{"Node":"n2","Address":"10.0.0.2","Service":{"Service":"web","Port":80,
        "EnableTagOverride":true,"Weights":{"Passing":10,"Warning":2},
        "TaggedAddresses":{"lan":{"Address":"10.0.0.3","Port":81}}},
        "Check":{"CheckID":"c","Status":"passing","Interval":"10s","Timeout":"1s",
        "Definition":{"HTTP":"http://x/","Header":{"a":["b"]},"Method":"GET","TLSSkipVerify":true,
        "Interval":"10s","Timeout":1000000000,"DeregisterCriticalServiceAfter":"1m0s"}}}"#;
    assert_eq!(put(&mut consul, REGISTER, body), "200 true");
    let service = get(&mut consul, "/v1/catalog/node-services/n2");
    let expected = concat!(
        r#""TaggedAddresses":{"lan":{"Address":"10.0.0.3","Port":81}},"Meta":null,"Port":80,"#,
        r#""Weights":{"Passing":10,"Warning":2},"EnableTagOverride":true,"#
    );
    assert!(service.contains(expected), "{service}");
    let by_name = get(&mut consul, "/v1/catalog/service/web");
    let address = r#""ServiceTaggedAddresses":{"lan":{"Address":"10.0.0.3","Port":81}}"#;
    assert!(by_name.contains(address), "{by_name}");
    let check = get(&mut consul, "/v1/health/node/n2");
    let definition = concat!(
        r#""Interval":"10s","Timeout":"1s","ExposedPort":0,"Definition":{"Interval":"10s","#,
        r#""Timeout":"1s","DeregisterCriticalServiceAfter":"1m0s","HTTP":"http://x/","#,
        r#""TLSSkipVerify":true,"Header":{"a":["b"]},"Method":"GET"}"#
    );
    assert!(check.contains(definition), "{check}");
    assert!(check.contains(r#""ServiceTags":[]"#), "{check}");
    let txn = r#"[{"Check":{"Verb":"set","Check":{"Node":"n2","CheckID":"d","Status":"passing",
        "Definition":{"TCP":"x:1","Interval":"5s"}}}}]"#;
    let done = put(&mut consul, "/v1/txn", txn);
    assert!(done.contains(r#""Definition":{"Interval":"5s","TCP":"x:1"}"#), "{done}");
}

#[test]
fn a_node_without_services_has_no_list_of_them() {
    let mut consul = Consul::seeded(1);
    let none = get(&mut consul, "/v1/catalog/node-services/none");
    assert_eq!(none, r#"200 {"Node":null,"Services":null}"#);
    assert_eq!(put(&mut consul, REGISTER, r#"{"Node":"n2","Address":"10.0.0.2"}"#), "200 true");
    let bare = get(&mut consul, "/v1/catalog/node-services/n2");
    assert!(bare.ends_with(r#""Services":null}"#), "{bare}");
    let filtered = get(&mut consul, "/v1/catalog/node-services/n2?filter=Port+==+1");
    assert!(filtered.ends_with(r#""Services":[]}"#), "{filtered}");
    let own = get(&mut consul, "/v1/catalog/node-services/n1");
    assert!(own.contains(r#""Services":[{"ID":"consul","Service":"consul","Tags":[],"#), "{own}");
}

#[test]
fn a_prepared_query_finds_the_instances_that_it_describes() {
    let mut consul = two_instances();
    for (name, service, found) in [
        ("all", r#""Service":"web""#, "n2 n3"),
        ("passing", r#""Service":"web","OnlyPassing":true"#, "n2"),
        ("ignored", r#""Service":"web","OnlyPassing":true,"IgnoreCheckIDs":["c"]"#, "n2 n3"),
        ("tagged", r#""Service":"web","Tags":["v2"]"#, "n3"),
        ("untagged", r#""Service":"web","Tags":["!v2"]"#, "n2"),
        ("east", r#""Service":"web","NodeMeta":{"room":"east"}"#, "n2"),
        ("none", r#""Service":"db""#, ""),
    ] {
        let body = format!(r#"{{"Name":"{name}","Service":{{{service}}}}}"#);
        ask(&mut consul, "POST", "/v1/query", &body);
        let answer = get(&mut consul, &format!("/v1/query/{name}/execute"));
        let nodes = ["n1", "n2", "n3"].into_iter();
        let named: Vec<_> = nodes
            .filter(|node| answer.contains(&format!(r#""Node":"{node}","Address""#)))
            .collect();
        assert_eq!(named.join(" "), found, "{name}: {answer}");
    }
    let one = get(&mut consul, "/v1/query/all/execute?limit=1");
    assert_eq!(one.matches(r#""Service":{"ID""#).count(), 1, "{one}");
}

#[test]
fn an_agent_shows_its_services_and_their_health() {
    let mut consul = Consul::seeded(1);
    assert_eq!(get(&mut consul, "/v1/agent/services"), "200 {}");
    let body = r#"{"Name":"web","ID":"w1","Address":"10.0.0.9","Port":80,
        "Check":{"TTL":"30s","Status":"passing"}}"#;
    assert_eq!(put(&mut consul, "/v1/agent/service/register", body), "200 ");
    let own = concat!(
        r#"{"ID":"w1","Service":"web","Tags":[],"Meta":{},"Port":80,"Address":"10.0.0.9","#,
        r#""TaggedAddresses":{"lan_ipv4":{"Address":"10.0.0.9","Port":80},"#,
        r#""wan_ipv4":{"Address":"10.0.0.9","Port":80}},"Weights":{"Passing":1,"Warning":1},"#,
        r#""EnableTagOverride":false,"Datacenter":"dc1"}"#
    );
    assert_eq!(get(&mut consul, "/v1/agent/services"), format!(r#"200 {{"w1":{own}}}"#));
    let alone = ask(&mut consul, "GET", "/v1/agent/service/w1", "");
    let hash = alone.header("X-Consul-ContentHash").expect("a hash");
    assert!(alone.text().contains(&format!(r#""ContentHash":"{hash}""#)), "{}", alone.text());
    assert_eq!(get(&mut consul, "/v1/agent/service/none"), "404 unknown service ID: none");
    for (verb, code, status) in
        [("pass", 200, "passing"), ("warn", 429, "warning"), ("fail", 503, "critical")]
    {
        put(&mut consul, &format!("/v1/agent/check/{verb}/service:w1"), "");
        for path in ["id/w1", "name/web"] {
            let target = format!("/v1/agent/health/service/{path}");
            let word = get(&mut consul, &format!("{target}?format=text"));
            assert_eq!(word, format!("{code} {status}"));
            let health = get(&mut consul, &target);
            let begin = format!(r#"{{"AggregatedStatus":"{status}","Service":{{"ID":"w1","#);
            assert!(health.starts_with(&code.to_string()) && health.contains(&begin), "{health}");
        }
    }
    put(&mut consul, "/v1/agent/service/maintenance/w1?enable=true", "");
    let maintained = get(&mut consul, "/v1/agent/health/service/id/w1?format=text");
    assert_eq!(maintained, "503 maintenance");
    let unknown = r#"404 {"AggregatedStatus":"critical","Service":null,"Checks":null}"#;
    assert_eq!(get(&mut consul, "/v1/agent/health/service/id/none"), unknown);
    assert_eq!(get(&mut consul, "/v1/agent/health/service/name/none"), "404 []");
}

#[test]
fn a_service_whose_tags_others_may_change_keeps_their_tags_until_it_is_registered_again() {
    let mut consul = Consul::seeded(1);
    let mut tags = |own: &str, theirs: Option<&str>| {
        let service = |tag: &str, name: &str| {
            format!(r#"{{"{name}":"web","Tags":["{tag}"],"EnableTagOverride":true}}"#)
        };
        if let Some(theirs) = theirs {
            let service = service(theirs, "Service");
            let body = format!(r#"{{"Node":"n1","SkipNodeUpdate":true,"Service":{service}}}"#);
            put(&mut consul, REGISTER, &body);
        } else {
            put(&mut consul, "/v1/agent/service/register", &service(own, "Name"));
        }
        let own = get(&mut consul, "/v1/agent/service/web");
        own.split(r#""Tags":["#).nth(1).and_then(|it| it.split(']').next()).map(String::from)
    };
    assert_eq!(tags("mine", None).as_deref(), Some(r#""mine""#));
    assert_eq!(tags("mine", Some("theirs")).as_deref(), Some(r#""theirs""#));
    assert_eq!(tags("mine", None).as_deref(), Some(r#""mine""#));
}

#[test]
fn the_checks_of_a_service_are_removed_if_its_new_registration_replaces_them() {
    let mut consul = Consul::seeded(1);
    let with = |id: &str| format!(r#"{{"Name":"web","Check":{{"CheckID":"{id}","TTL":"9s"}}}}"#);
    put(&mut consul, "/v1/agent/service/register", &with("a"));
    put(&mut consul, "/v1/agent/service/register", &with("b"));
    let both = get(&mut consul, "/v1/agent/checks");
    assert!(both.contains(r#""a":{"#) && both.contains(r#""b":{"#), "{both}");
    put(&mut consul, "/v1/agent/service/register?replace-existing-checks=true", &with("c"));
    let one = get(&mut consul, "/v1/agent/checks");
    assert!(one.starts_with(r#"200 {"c":{"#) && one.matches("CheckID").count() == 1, "{one}");
}

#[test]
fn an_alias_check_follows_the_checks_of_its_service() {
    let mut consul = Consul::seeded(1);
    let alias = r#"{"ID":"alias","Name":"alias","AliasService":"web"}"#;
    assert_eq!(put(&mut consul, "/v1/agent/check/register", alias), "200 ");
    let state = |consul: &mut Consul| {
        let checks = get(consul, "/v1/agent/checks");
        let alias = checks.split(r#""CheckID":"alias""#).nth(1).expect("the alias").to_owned();
        let status = alias.split('"').nth(7).expect("a status").to_owned();
        (status, alias)
    };
    let (status, text) = state(&mut consul);
    assert_eq!(status, "critical");
    assert!(text.contains("Service web could not be found on node n1"), "{text}");
    let service = r#"{"Name":"web","Check":{"CheckID":"w","Name":"w","TTL":"10s"}}"#;
    put(&mut consul, "/v1/agent/service/register", service);
    let session = r#"{"NodeChecks":["alias"]}"#;
    let refused = put(&mut consul, "/v1/session/create", session);
    assert!(refused.contains("Check 'alias' is in critical state"), "{refused}");
    put(&mut consul, "/v1/agent/check/pass/w", "");
    assert_eq!(state(&mut consul).0, "passing");
    assert!(put(&mut consul, "/v1/session/create", session).starts_with("200"));
    consul.advance(Duration::from_secs(10));
    let (status, text) = state(&mut consul);
    assert_eq!(status, "critical");
    assert!(text.contains(r#"Aliased check \"w\" failing: TTL expired"#), "{text}");
    assert_eq!(get(&mut consul, "/v1/session/list"), "200 []", "the session ends with the alias");
}

#[test]
fn an_alias_quotes_the_name_of_a_failing_check_as_go_does() {
    let mut consul = Consul::seeded(1);
    let check = r#"{"ID":"w","Name":"a\u0001\"b","TTL":"10s"}"#;
    assert_eq!(put(&mut consul, "/v1/agent/check/register", check), "200 ");
    let node = r#"{"ID":"alias","Name":"alias","AliasNode":"n1"}"#;
    assert_eq!(put(&mut consul, "/v1/agent/check/register", node), "200 ");
    let checks = get(&mut consul, "/v1/agent/checks");
    assert!(checks.contains(r#"Aliased check \"a\\x01\\\"b\" failing: "#), "{checks}");
}

#[test]
fn aliases_in_a_circle_reach_a_stable_state() {
    let mut consul = Consul::seeded(1);
    for (service, other) in [("a", "b"), ("b", "a")] {
        let check = format!(r#"{{"CheckID":"{service}","AliasService":"{other}"}}"#);
        let body = format!(r#"{{"Name":"{service}","Check":{check}}}"#);
        assert_eq!(put(&mut consul, "/v1/agent/service/register", &body), "200 ");
    }
    let index = consul.engine().index();
    get(&mut consul, "/v1/agent/checks");
    assert!(consul.engine().index().0 <= index.0 + 2, "they do not write forever");
}

#[test]
fn checks_that_an_agent_does_not_run_stay_as_they_were_registered() {
    let mut consul = with_scripts(ConsulVersion::V1_22);
    for (kind, definition) in [
        ("http", r#""HTTP":"http://x/","Interval":"1s""#),
        ("tcp", r#""TCP":"x:1","Interval":"1s""#),
        ("script", r#""ScriptArgs":["true"],"Interval":"1s""#),
        ("docker", r#""ScriptArgs":["true"],"DockerContainerID":"d","Interval":"1s""#),
        ("grpc", r#""GRPC":"x:1","Interval":"1s""#),
    ] {
        let body = format!(r#"{{"Name":"{kind}","Status":"passing",{definition}}}"#);
        assert_eq!(put(&mut consul, "/v1/agent/check/register", &body), "200 ", "{kind}");
        let checks = get(&mut consul, "/v1/agent/checks");
        assert!(checks.contains(&format!(r#""Type":"{kind}","Interval":"1s""#)), "{checks}");
    }
    consul.advance(Duration::from_secs(3600));
    assert_eq!(get(&mut consul, "/v1/health/state/critical"), "200 []");
    for (definition, refused) in [
        (
            r#""HTTP":"x""#,
            "Interval must be > 0 for Script, HTTP, H2PING, TCP, UDP or OSService checks",
        ),
        (r#""TTL":"1s","Interval":"1s""#, "Interval and TTL cannot both be specified"),
        (r#""AliasNode":"n1","TTL":"1s""#, "TTL must be not be set for Alias checks"),
        (r#""Notes":"x""#, "TTL must be > 0 for TTL checks"),
    ] {
        let body = format!(r#"{{"Name":"c",{definition}}}"#);
        let refused = format!("400 Invalid check: {refused}");
        assert_eq!(put(&mut consul, "/v1/agent/check/register", &body), refused);
    }
}

/// CAT-09.
#[test]
fn scripts_are_refused_unless_they_are_enabled() {
    let refused = "500 Scripts are disabled on this agent from remote calls; to enable, configure \
                   'enable_script_checks' to true";
    let script = r#""Args":["true"],"Interval":"1s""#;
    let container = r#""script_args":["true"],"DockerContainerID":"d","Interval":"1s""#;
    for version in ConsulVersion::ALL {
        let (mut consul, mut enabled) = (server(version), with_scripts(version));
        for definition in [script, container] {
            let check = format!(r#"{{"Name":"c",{definition}}}"#);
            let service = format!(r#"{{"Name":"s","Checks":[{{"TTL":"9s"}},{{{definition}}}]}}"#);
            for (target, body) in [("check", check), ("service", service)] {
                let target = format!("/v1/agent/{target}/register");
                assert_eq!(put(&mut consul, &target, &body), refused);
                assert_eq!(put(&mut enabled, &target, &body), "200 ");
            }
            assert_eq!(get(&mut consul, "/v1/agent/checks"), "200 {}", "nothing is registered");
            assert_eq!(get(&mut consul, "/v1/agent/services"), "200 {}", "nothing is registered");
        }
        let unknown = format!(r#"{{"Name":"c","ServiceID":"x",{script}}}"#);
        let missing = r#"404 ServiceID "x" does not exist"#;
        assert_eq!(put(&mut consul, "/v1/agent/check/register", &unknown), missing);
        let invalid = put(&mut consul, "/v1/agent/check/register", r#"{"Name":"c","Args":["a"]}"#);
        assert!(invalid.starts_with("400 Invalid check: Interval must be > 0"), "{invalid}");
    }
}

#[test]
fn events_are_listed_and_wake_the_queries_that_wait_for_them() {
    let mut consul = Consul::seeded(1);
    let empty = ask(&mut consul, "GET", "/v1/event/list", "");
    assert_eq!((index(&empty), &*empty.text()), (1, "[]"));
    assert_eq!(empty.header("X-Consul-KnownLeader"), None);
    let list = "/v1/event/list?name=deploy&index=1&wait=60s";
    let waiting = consul.request(&HttpRequest::new("GET", list, b""));
    put(&mut consul, "/v1/event/fire/other", "");
    assert!(consul.poll(waiting).is_none(), "an event of another name changes nothing");
    let fired = put(&mut consul, "/v1/event/fire/deploy?service=", "v2");
    assert!(fired.contains(r#""Name":"deploy","Payload":"djI=","NodeFilter":"","#), "{fired}");
    assert!(fired.ends_with(r#""Version":1,"LTime":0}"#), "{fired}");
    let woken = consul.poll(waiting).expect("the event wakes it");
    assert!(woken.text().contains(r#""LTime":3"#), "{}", woken.text());
    let again = format!("/v1/event/list?name=deploy&index={}&wait=60s", index(&woken));
    let waiting = consul.request(&HttpRequest::new("GET", &again, b""));
    assert!(consul.poll(waiting).is_none(), "it waits for the next one");
    assert_eq!(get(&mut consul, "/v1/event/list").matches(r#""ID""#).count(), 2);
}

#[test]
fn an_event_for_other_agents_is_not_kept() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, "/v1/event/fire/a?node=elsewhere", "");
    put(&mut consul, "/v1/event/fire/a?service=web", "");
    assert_eq!(get(&mut consul, "/v1/event/list"), "200 []");
    put(&mut consul, "/v1/event/fire/a?node=n1", "");
    assert_ne!(get(&mut consul, "/v1/event/list"), "200 []");
    let tag = put(&mut consul, "/v1/event/fire/a?tag=x", "");
    assert_eq!(tag, "500 Cannot provide tag filter without service filter");
}

#[test]
fn the_filters_of_an_event_are_patterns_of_nodes_and_of_the_ids_and_tags_of_own_services() {
    let mut consul = Consul::seeded(1);
    let own = r#"{"ID":"web-1","Name":"front","Tags":["eu","blue"]}"#;
    put(&mut consul, "/v1/agent/service/register", own);
    for (filter, is_kept) in [
        ("node=%5En%5B0-9%5D$", true),
        ("node=%5En$", false),
        ("service=web", true),
        ("service=front", false),
        ("service=consul", false),
        ("service=%5Eweb-%5Cd$&tag=bl.e", true),
        ("service=web&tag=%5Ered$", false),
        ("node=N1", false),
        ("node=(?i)N1", true),
    ] {
        let name = filter.replace(|c: char| !c.is_ascii_alphanumeric(), "");
        let fired = put(&mut consul, &format!("/v1/event/fire/{name}?{filter}"), "");
        assert!(fired.starts_with("200"), "{fired}");
        let kept = get(&mut consul, &format!("/v1/event/list?name={name}"));
        assert_eq!(kept != "200 []", is_kept, "{filter}");
    }
    for (filter, refused) in [
        ("node=(", "Invalid node filter: error parsing regexp: missing closing ): `(`"),
        ("service=%5B", "Invalid service filter: error parsing regexp: missing closing ]: `[`"),
        ("service=a&tag=%5By", "Invalid tag filter: error parsing regexp: missing closing ]: `[y`"),
    ] {
        let answer = put(&mut consul, &format!("/v1/event/fire/x?{filter}"), "");
        assert_eq!(answer, format!("500 {refused}"));
    }
}

/// For agents this event is an order, which they ignore by default.
#[test]
fn an_order_to_run_a_command_is_fired_and_not_kept() {
    let mut consul = Consul::seeded(1);
    let fired = put(&mut consul, "/v1/event/fire/_rexec", "x");
    assert!(fired.contains(r#""Name":"_rexec""#), "{fired}");
    assert_eq!(get(&mut consul, "/v1/event/list"), "200 []");
    put(&mut consul, "/v1/event/fire/next", "");
    assert!(get(&mut consul, "/v1/event/list").contains(r#""LTime":3"#));
}

#[test]
fn the_members_are_those_of_one_healthy_server() {
    let mut consul = Consul::seeded(1);
    for target in ["/v1/agent/members", "/v1/agent/members?segment=_all"] {
        let members = get(&mut consul, target);
        let begin = r#"200 [{"Name":"n1","Addr":"127.0.0.1","Port":8301,"Tags":{"#;
        assert!(members.starts_with(begin), "{members}");
        assert!(members.contains(r#""Status":1,"ProtocolMin":1,"#), "{members}");
    }
    let wan = get(&mut consul, "/v1/agent/members?wan=1");
    assert!(wan.contains(r#""Name":"n1.dc1","Addr":"127.0.0.1","Port":8302"#), "{wan}");
    let voters = get(&mut consul, "/v1/operator/raft/configuration");
    assert!(voters.contains(r#""Address":"127.0.0.1:8300","Leader":true,"#), "{voters}");
    let itself = get(&mut consul, "/v1/agent/self");
    for part in [r#""Stats":{"agent":{"#, r#""leader":"true""#, r#""Version":"1.22.7""#] {
        assert!(itself.contains(part), "{itself}");
    }
}

#[test]
fn reads_of_the_catalog_report_their_consistency() {
    let mut consul = Consul::seeded(1);
    for (target, level) in [
        ("/v1/catalog/nodes", Some("leader")),
        ("/v1/health/state/any?stale", Some("stale")),
        ("/v1/query?consistent", Some("consistent")),
        ("/v1/health/service/web", Some("leader")),
        ("/v1/kv/?keys", None),
        ("/v1/session/list", None),
    ] {
        let answer = ask(&mut consul, "GET", target, "");
        assert_eq!(answer.header("X-Consul-Effective-Consistency"), level, "{target}");
    }
}

#[test]
fn the_health_of_a_service_of_the_agent_is_named_in_a_header() {
    let mut consul = Consul::seeded(1);
    put(&mut consul, "/v1/agent/service/register", r#"{"Name":"web","Check":{"TTL":"30s"}}"#);
    for (target, status, reason) in [
        ("id/web", 503, "critical"),
        ("name/web", 503, "critical"),
        ("id/none", 404, "ServiceId none not found"),
        ("name/none", 404, "ServiceName none Not Found"),
    ] {
        let path = format!("/v1/agent/health/service/{target}");
        let json = ask(&mut consul, "GET", &path, "");
        assert_eq!((json.status, json.header("X-Consul-Reason")), (status, Some(reason)));
        let text = ask(&mut consul, "GET", &format!("{path}?format=text"), "");
        assert_eq!(
            (text.text().as_str(), text.header("Content-Type")),
            (reason, Some("text/plain"))
        );
    }
}

#[test]
fn an_instance_without_metadata_has_an_empty_object() {
    let mut consul = two_instances();
    let listed = get(&mut consul, "/v1/catalog/service/web");
    assert_eq!(listed.matches(r#""ServiceMeta":{}"#).count(), 2, "{listed}");
}

#[test]
fn refusals_of_endpoints_have_the_acl_policy_header() {
    let mut consul = Consul::seeded(1);
    for (target, policy) in [
        ("/v1/kv/?cas=x", Some("allow")),
        ("/v1/catalog/register", Some("allow")),
        ("/v1/none", None),
        ("/", None),
    ] {
        let answer = ask(&mut consul, "GET", target, "");
        assert_eq!(answer.header("X-Consul-Default-ACL-Policy"), policy, "{target}");
    }
    let root = get(&mut consul, "/");
    assert!(root.starts_with("200 Consul Agent: UI disabled."), "{root}");
}

/// A parameter that would change an answer and is not implemented is refused by its name.
#[test]
fn parameters_that_are_not_implemented_are_refused_by_name() {
    let mut consul = Consul::seeded(1);
    for endpoint in endpoints() {
        for parameter in endpoint.parameters() {
            let Support::Refused(_) = parameter.support else { continue };
            let method = endpoint.methods[0];
            let target = format!("{}x?{}=y&enable=true", endpoint.pattern, parameter.name);
            let target = if endpoint.pattern.ends_with('/') {
                target
            } else {
                target.replacen("x?", "?", 1)
            };
            let answer = ask(&mut consul, method, &target, r#"{"Status":"passing"}"#);
            let named = format!("Invalid query parameter: \"{}\"", parameter.name);
            assert_eq!(answer.status, 400, "{target}: {}", answer.text());
            assert!(answer.text().starts_with(&named), "{target}: {}", answer.text());
        }
    }
    let mut request = HttpRequest::new("GET", "/v1/kv/a", b"");
    request.headers.push(("X-Consul-Namespace".into(), "other".into()));
    let handle = consul.request(&request);
    let refused = consul.poll(handle).expect("refused at once");
    assert_eq!(
        refused.text(),
        "Invalid header: \"X-Consul-Namespace\" - Namespaces are a Consul Enterprise feature"
    );
}

#[test]
fn a_service_that_was_read_is_written_back() {
    let mut consul = two_instances();
    let read = get(&mut consul, "/v1/catalog/node-services/n2");
    let service = read.split(r#""Services":["#).nth(1).expect("a list").trim_end_matches("]}");
    let body = format!(r#"{{"Node":"n2","SkipNodeUpdate":true,"Service":{service}}}"#);
    assert_eq!(put(&mut consul, REGISTER, &body), "200 true", "{body}");
    assert_eq!(get(&mut consul, "/v1/catalog/node-services/n2"), read);
}

fn index(answer: &HttpResponse) -> u64 {
    answer.header("X-Consul-Index").and_then(|text| text.parse().ok()).expect("an index")
}
