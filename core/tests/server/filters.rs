//! Filters of lists (`?filter=`), over HTTP as values: filters/observed.txt has expressions with
//! the answers of a Consul 1.22.7 to them. Other tests here concern the order of errors, blocking
//! reads, and expressions that are nested too deeply.

use core::time::Duration;

use lictor_core::Consul;
use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use lictor_core::json::{self, Json};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::common::{ask, get, put};

/// Blocks of an endpoint, a filter and an answer, of which the rows are named (FLT-01 to FLT-07).
/// In a filter, `␊` is a line feed and `␉` a tab.
const OBSERVED: &str = include_str!("filters/observed.txt");

const REGISTRATIONS: [&str; 4] = [
    r#"{"Node":"bar","Address":"10.0.0.2","ID":"3ca0ee2a-895f-9dd2-9d7f-a95268d500fd",
        "NodeMeta":{"os":"linux","a b":"x","":"empty"},
        "Service":{"Service":"redis","ID":"redis1","Tags":["v1","Primary"],
            "Meta":{"version":"1","env":"prod"},"Port":6379,"Weights":{"Passing":2,"Warning":1},
            "TaggedAddresses":{"lan":{"Address":"1.2.3.4","Port":80}}},
        "Checks":[
            {"Name":"up","Status":"passing","ServiceID":"redis1","Output":"all well\nline 2"},
            {"Name":"node","Status":"warning","Notes":"n"}]}"#,
    r#"{"Node":"baz","Address":"10.0.0.3","NodeMeta":{"os":"windows"},
        "TaggedAddresses":{"wan":"9.9.9.9"},
        "Service":{"Service":"redis","ID":"redis2","Tags":["v2"],"Meta":{"version":"2"},
            "Address":"7.7.7.7","EnableTagOverride":true},
        "Checks":[
            {"CheckID":"c2","Name":"é ü","Status":"critical","ServiceID":"redis2","Type":"tcp",
                "Definition":{"TCP":"x:1","Interval":"5s"}},
            {"CheckID":"c3","Status":"maintenance?"}]}"#,
    r#"{"Node":"qux","Address":"<&>","Service":{"Service":"web","ID":"web1","Port":8080}}"#,
    r#"{"Node":"qux","Address":"<&>",
        "Service":{"Service":"redis","ID":"redis3","Port":-1,"Tags":[""]}}"#,
];

const OWN_SERVICES: [&str; 2] = [
    r#"{"Name":"foo","Tags":["bar","baz"],"Port":8000,"Meta":{"k":"v"},"Check":{"TTL":"1500s"}}"#,
    r#"{"Name":"foo","ID":"foo2","Port":1,"Address":"10.1.1.1","Checks":[
        {"TTL":"1500s","Status":"passing"},
        {"CheckID":"http","Name":"h","HTTP":"http://127.0.0.1:1/","Interval":"3600s",
            "Timeout":"5s"}]}"#,
];

/// A server with the records of an agent's own node, and those above.
fn server() -> Consul {
    let segment = ("consul-network-segment".into(), "".into());
    let mut config = Config::default();
    config.node_id = "a0cad7ad-e853-9ae5-526d-74d6566adde9".into();
    config.node_meta = Some([segment].into_iter().collect());
    let mut consul = Consul::with_config(config, 1);
    for body in REGISTRATIONS {
        assert_eq!(put(&mut consul, "/v1/catalog/register", body), "200 true");
    }
    for body in OWN_SERVICES {
        assert_eq!(put(&mut consul, "/v1/agent/service/register", body), "200 ");
    }
    consul
}

fn target(endpoint: &str, filter: &str) -> String {
    let sign = if endpoint.contains('?') { '&' } else { '?' };
    format!("/v1/{endpoint}{sign}filter={}", utf8_percent_encode(filter, NON_ALPHANUMERIC))
}

/// The status of an answer, and its text or the names of its rows.
fn summary(consul: &mut Consul, endpoint: &str, filter: &str) -> String {
    let answer = ask(consul, "GET", &target(endpoint, filter), "");
    let text = answer.text();
    let (200, Ok(body)) = (answer.status, json::first_value(&answer.body)) else {
        return format!("{} {text}", answer.status);
    };
    let rows = body.member("Services").unwrap_or(&body);
    let names = match rows {
        Json::Null => "null".into(),
        Json::Object(members) => joined(members.iter().map(|(name, _)| name.as_str())),
        list => joined(list.items().iter().map(name)),
    };
    format!("200 {names}").trim_end().into()
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(" ")
}

/// The name or id by which a row differs from the others of its list.
fn name(row: &Json) -> &str {
    let service = row.member("Service").and_then(|of| of.member("ID")).and_then(Json::as_text);
    let has_id = row.member("Service").is_some();
    let own = ["CheckID", "ServiceID", "ID", "Node", "Name"].into_iter().find_map(|name| {
        let text = row.member(name).and_then(Json::as_text).filter(|text| !text.is_empty())?;
        (name != "ID" || has_id).then_some(text)
    });
    service.or(own).unwrap_or_default()
}

#[test]
fn filters_are_answered_as_a_consul_answered_them() {
    let (mut consul, mut count) = (server(), 0);
    for block in OBSERVED.trim_end().split("\n\n") {
        let (asked, expected) = block.split_once('\n').expect("a filter and an answer");
        let (endpoint, filter) = asked.split_once(" ? ").expect("an endpoint and a filter");
        let filter = filter.replace('␊', "\n").replace('␉', "\t");
        assert_eq!(summary(&mut consul, endpoint, &filter), expected, "{asked}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn the_error_of_a_filter_comes_after_those_of_other_parameters() {
    let mut consul = server();
    for (target, expected) in [
        ("catalog/nodes?filter=a+b&index=x", "400 Invalid index"),
        ("catalog/nodes?filter=a+b&dc=dc2", "500 No path to datacenter"),
        ("health/service/?filter=a+b", "400 Missing service name"),
        ("agent/members?filter=a+b&segment=x&wan=1", "400 Cannot provide a segment with wan=true"),
        ("catalog/nodes?filter=Node==bar&filter=a+b", "200 "),
        ("catalog/nodes?filter=&filter=a+b", "200 "),
        ("session/list?filter=a+b", "200 []"),
        ("event/list?filter=a+b", "200 []"),
    ] {
        let found = get(&mut consul, &format!("/v1/{target}"));
        assert!(found.starts_with(expected), "{target}: {found}");
    }
    for target in ["health/state/any", "catalog/node/none", "agent/services"] {
        let answer = ask(&mut consul, "GET", &format!("/v1/{target}?filter=a+b&index=9"), "");
        assert_eq!(answer.status, 500, "{target}: it does not wait");
        let leader = if target.starts_with("agent") { None } else { Some("false") };
        assert_eq!(answer.header("X-Consul-KnownLeader"), leader, "{target}");
    }
    let of_service = ask(&mut consul, "GET", "/v1/health/service/redis?filter=a+b", "");
    assert_eq!((of_service.status, of_service.header("X-Consul-Index")), (500, None));
}

/// FLT-08: Consul's agent checks the filter of its checks when it evaluates it for the first time.
#[test]
fn an_agent_without_checks_accepts_a_filter_with_unknown_names() {
    let mut consul = Consul::seeded(1);
    assert_eq!(summary(&mut consul, "agent/checks", "Foo == 1"), "200");
    assert!(summary(&mut consul, "agent/checks", "a b").starts_with("500 Failed to create"));
    assert!(summary(&mut consul, "agent/services", "Foo == 1").starts_with("500 Failed to create"));
}

/// FLT-01.
#[test]
fn a_filter_changes_neither_the_index_of_a_list_nor_what_it_waits_for() {
    let mut consul = server();
    let index = |consul: &mut Consul, target: &str| {
        let answer = ask(consul, "GET", target, "");
        answer.header("X-Consul-Index").expect("a read has an index").to_owned()
    };
    for (endpoint, filter) in [
        ("catalog/nodes", "Node == none"),
        ("catalog/services", "Node == none"),
        ("catalog/service/redis", "ServiceID == redis1"),
        ("health/service/redis", "Service.ID == redis1"),
        ("health/state/any", "CheckID == up"),
    ] {
        let filtered = target(endpoint, filter);
        let known = index(&mut consul, &filtered);
        assert_eq!(known, index(&mut consul, &format!("/v1/{endpoint}")), "{endpoint}");
        let blocking = format!("{filtered}&index={known}&wait=60s");
        let waiting = consul.request(&HttpRequest::new("GET", &blocking, b""));
        consul.advance(Duration::from_secs(1));
        assert!(consul.poll(waiting).is_none(), "{endpoint}");
        let change = format!(
            r#"{{"Node":"baz","Address":"{known}","Service":{{"Service":"redis","ID":"redis2",
                "Port":{known}}},"Check":{{"CheckID":"c2","Status":"passing","Notes":"{known}"}}}}"#
        );
        assert_eq!(put(&mut consul, "/v1/catalog/register", &change), "200 true");
        let woken = consul.poll(waiting).expect("the change of another row wakes it");
        assert!(!woken.text().contains("baz"), "{endpoint}: {}", woken.text());
    }
}

/// FLT-09: Consul needs four times as long for each level and would not answer the deepest one.
#[test]
fn parentheses_are_nested_up_to_a_limit() {
    let mut consul = server();
    let nested = |depth: usize| "(".repeat(depth) + "Node == bar" + &")".repeat(depth);
    assert_eq!(summary(&mut consul, "catalog/nodes", &nested(32)), "200 bar");
    let refused = "500 Failed to create boolean expression evaluator: \
        Parentheses are nested too deeply";
    for depth in [33, 100_000] {
        assert_eq!(summary(&mut consul, "catalog/nodes", &nested(depth)), refused);
        let open = "not (".repeat(depth);
        assert_eq!(summary(&mut consul, "catalog/nodes", &open), refused);
    }
    let negations = "not ".repeat(100_001) + "Node == bar";
    assert_eq!(summary(&mut consul, "catalog/nodes", &negations), "200 baz n1 qux");
    let alternatives = ["Node == bar"].repeat(20_000).join(" or ");
    assert_eq!(summary(&mut consul, "catalog/nodes", &alternatives), "200 bar");
}
