// A test that reproduces a world of Lictor, written by `lictor-agent export rust`. It sends what
// reached the server of that world, in the same order and after the same times, and asserts the
// answers; times count from the beginning of the world. s1, s2 and so on are the sessions in the
// order in which they are created. Indexes and the names of nodes are not compared, nor are
// objects and lists in answers that are not about keys, sessions or transactions. What happens
// between clients and the server (a cut, a lost answer, a paused process) is only in comments. A
// blocking query is sent without waiting when its answer is due, and one without an answer is left
// out, as are requests about a client's own agent.
//
// It needs the crates lictor-core, serde_json and base64 as dev-dependencies.
#![allow(dead_code)]

use core::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::Consul;
use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use serde_json::Value;

/// The status and the body of an answer.
type Answer = (u16, String);

fn let_pass(consul: &mut Consul, span: Duration) {
    consul.advance(span);
}

fn send(
    consul: &mut Consul,
    (method, target): (&str, &str),
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> Answer {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let request = HttpRequest {
        headers: headers.collect(),
        ..HttpRequest::new(method, target, body.as_ref())
    };
    let sent = consul.request(&request);
    let answer = consul.poll(sent).expect("no request waits");
    (answer.status, answer.text().trim_end_matches('\n').to_owned())
}

#[track_caller]
fn expect_text(answer: &Answer, status: u16, text: &str) {
    assert_eq!((answer.0, answer.1.as_str()), (status, text));
}

#[track_caller]
fn expect_json(answer: &Answer, status: u16, value: Value) {
    let found = serde_json::from_str(&answer.1).unwrap_or(Value::Null);
    assert_eq!((answer.0, tidy(found)), (status, tidy(value)), "{}", answer.1);
}

/// The id of a new session.
#[track_caller]
fn created(answer: &Answer) -> String {
    let found: Value = serde_json::from_str(&answer.1).unwrap_or(Value::Null);
    let id = found["ID"].as_str().filter(|_| answer.0 == 200);
    id.unwrap_or_else(|| panic!("no id: {answer:?}")).to_owned()
}

fn modify_index(consul: &mut Consul, target: &str) -> u64 {
    let answer = send(consul, ("GET", target), &[], "");
    let found: Value = serde_json::from_str(&answer.1).expect("the key exists");
    found[0]["ModifyIndex"].as_u64().expect("an index")
}

/// The value without what differs from server to server, its lists in one order.
fn tidy(value: Value) -> Value {
    match value {
        Value::Array(values) => {
            let mut values: Vec<Value> = values.into_iter().map(tidy).collect();
            values.sort_by_key(Value::to_string);
            values.into()
        }
        Value::Object(members) => {
            let is_same = |name: &str| !["CreateIndex", "ModifyIndex", "Node"].contains(&name);
            let members = members.into_iter().filter(|(name, _)| is_same(name));
            let mut members: Vec<_> = members.map(|(name, value)| (name, tidy(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(members.into_iter().collect())
        }
        value => value,
    }
}

fn b64(text: impl AsRef<[u8]>) -> String {
    STANDARD.encode(text)
}

#[test]
fn the_server_gives_the_answers_of_the_world() {
    let config = Config::default();
    let mut consul = Consul::with_config(config, 1);
    // 0.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/kv/odd/it%27s%20%22q%22%20%24x%20%7By%7D"), &[], "it\'s \"q\" \\n `x` $HOME ${b} {c} %d\n\t#; é 锁 \u{2028} \u{feff} end");
    expect_text(&answer, 200, "true");
    // 0.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/odd/it%27s%20%22q%22%20%24x%20%7By%7D"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 0, "Key": "odd/it\'s \"q\" $x {y}", "LockIndex": 0, "Value": b64("it\'s \"q\" \\n `x` $HOME ${b} {c} %d\n\t#; é 锁 \u{2028} \u{feff} end")}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 1.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/kv/odd/bytes?flags=3304740253564472344"), &[], b"\x00\x01\xff\'\"\\$");
    expect_text(&answer, 200, "true");
    // 1.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/odd/?recurse"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 0, "Key": "odd/it\'s \"q\" $x {y}", "LockIndex": 0, "Value": b64("it\'s \"q\" \\n `x` $HOME ${b} {c} %d\n\t#; é 锁 \u{2028} \u{feff} end")}, {"Flags": 3304740253564472344_u64, "Key": "odd/bytes", "LockIndex": 0, "Value": "AAH/JyJcJA=="}]));
    // 1.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/odd/?keys"), &[], "");
    expect_json(&answer, 200, serde_json::json!(["odd/bytes", "odd/it\'s \"q\" $x {y}"]));
    // 1.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/odd/it%27s%20%22q%22%20%24x%20%7By%7D?raw"), &[("X-Consul-Token", "it\'s \"secret\" $1")], "");
    expect_text(&answer, 200, "it\'s \"q\" \\n `x` $HOME ${b} {c} %d\n\t#; é 锁 \u{2028} \u{feff} end");
    let_pass(&mut consul, Duration::from_secs(1));
    // 2.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/kv/plain"), &[], "one");
    expect_text(&answer, 200, "true");
    let i11 = modify_index(&mut consul, "/v1/kv/plain");
    let_pass(&mut consul, Duration::from_nanos(2000000001));
    // 4.000000001s web "1"
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/plain?cas={i11}")), &[], "two");
    expect_text(&answer, 200, "true");
    let i12 = modify_index(&mut consul, "/v1/kv/plain");
    // 4.000000001s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/plain"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 0, "Key": "plain", "LockIndex": 0, "Value": b64("two")}]));
    let_pass(&mut consul, Duration::from_nanos(999999999));
    // 5.000s web "1"
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/plain?cas={i11}")), &[], "three");
    expect_text(&answer, 200, "false");
    // 5.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/txn"), &[], format!("[{{\"KV\":{{\"Verb\":\"cas\", \"Key\":\"plain\", \"Value\":\"Zm91cg==\", \"Index\":{i12}}}}}, {{\"KV\":{{\"Verb\":\"get\", \"Key\":\"plain\"}}}}]"));
    expect_json(&answer, 200, serde_json::json!({"Errors": null, "Results": [{"KV": {"Flags": 0, "Key": "plain", "LockIndex": 0, "Value": b64("four")}}, {"KV": {"Flags": 0, "Key": "plain", "LockIndex": 0, "Value": null}}]}));
    let_pass(&mut consul, Duration::from_secs(1));
    // 6.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/txn"), &[], format!("[{{\"KV\":{{\"Verb\":\"check-index\", \"Key\":\"plain\", \"Index\":{i12}}}}}]"));
    assert_eq!(answer.0, 409, "{}", answer.1);
    // 6.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\": \"it\'s \\\"q\\\" \\\\n `x` $HOME ${b} {c} %d\\n\\t#; \\u00e9 \\u9501 \\u2028 \\ufeff end\", \"TTL\": \"1s\"}");
    expect_text(&answer, 500, "Invalid Session TTL \'1000000000\', must be between [10s=24h0m0s]");
    // 6.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\": \"it\'s \\\"q\\\" \\\\n `x` $HOME ${b} {c} %d\\n\\t#; é 锁 \u{2028} \u{feff} end\", \"TTL\": \"10s\"}");
    let s1 = created(&answer);
    // 6.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/session/list"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s1, "LockDelay": 15000000000_u64, "Name": "it\'s \"q\" \\n `x` $HOME ${b} {c} %d\n\t#; é 锁 \u{2028} \u{feff} end", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "10s"}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 7.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/kv/plain?acquire=it\'s%20none"), &[], "x");
    expect_text(&answer, 500, "raft apply failed: invalid session \"it\'s none\"");
    // 7.000s web "1"
    let answer = send(&mut consul, ("DELETE", "/v1/kv/odd?recurse"), &[], "");
    expect_text(&answer, 200, "true");
    let_pass(&mut consul, Duration::from_secs(1));
    // 8.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/odd/?recurse"), &[], "");
    expect_text(&answer, 404, "");
    let_pass(&mut consul, Duration::from_secs(1));
    // 9.000s web "1"
    let answer = send(&mut consul, ("PUT", "/v1/txn"), &[], "[{\"KV\":{\"Verb\":\"set\", \"Key\":\"gone\", \"Value\":\"YQ==\"}}, {\"KV\":{\"Verb\":\"set\", \"Key\":\"one\", \"Value\":\"YQ==\"}}, {\"KV\":{\"Verb\":\"set\", \"Key\":\"two\", \"Value\":\"Yg==\"}}, {\"KV\":{\"Verb\":\"delete\", \"Key\":\"gone\"}}]");
    expect_json(&answer, 200, serde_json::json!({"Errors": null, "Results": [{"KV": {"Flags": 0, "Key": "gone", "LockIndex": 0, "Value": null}}, {"KV": {"Flags": 0, "Key": "one", "LockIndex": 0, "Value": null}}, {"KV": {"Flags": 0, "Key": "two", "LockIndex": 0, "Value": null}}]}));
    let i18 = modify_index(&mut consul, "/v1/kv/one");
    // 9.000s web "1"
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/two?cas={i18}")), &[], "c");
    expect_text(&answer, 200, "true");
    // 9.000s web "1"
    let answer = send(&mut consul, ("GET", "//v1/kv/two"), &[], "");
    expect_text(&answer, 301, "<a href=\"/v1/kv/two\">Moved Permanently</a>.");
    // 9.000s web "1"
    let answer = send(&mut consul, ("GET", "/v1/kv/two"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 0, "Key": "two", "LockIndex": 0, "Value": b64("c")}]));
}
