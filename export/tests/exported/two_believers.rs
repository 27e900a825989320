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
    // 0.000s web-1
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\":\"Consul API Lock\",\"TTL\":\"15s\"}");
    let s1 = created(&answer);
    // 0.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_text(&answer, 404, "");
    // 0.000s web-1
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/db/leader?acquire={s1}&flags=3304740253564472344")), &[], "web-1");
    expect_text(&answer, 200, "true");
    // 0.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?consistent="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Session": s1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 1.000s web-2
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\":\"Consul API Lock\",\"TTL\":\"15s\"}");
    let s2 = created(&answer);
    // 1.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Session": s1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_secs(4));
    // 5.000s web-1: cut way=both mode=drop
    let_pass(&mut consul, Duration::from_millis(3500));
    // 8.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 16.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_nanos(515185564));
    // 16.515185564s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Session": s1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_nanos(6984814436));
    // 23.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(6500));
    // 30.000s server: S1 ends: not renewed for twice its TTL, releases db/leader
    // 30.000s server: db/leader cannot be locked until 45.000s
    // 30.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?consistent="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    // 30.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    // 30.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/db/leader?acquire={s2}&flags=3304740253564472344")), &[], "web-2");
    expect_text(&answer, 200, "false");
    // 30.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 31.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(4));
    // 35.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    // 35.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/db/leader?acquire={s2}&flags=3304740253564472344")), &[], "web-2");
    expect_text(&answer, 200, "false");
    // 35.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_millis(2500));
    // 37.500s web-1: renew S1 -> fails, on its way: dial tcp consul:8500: i/o timeout
    let_pass(&mut consul, Duration::from_secs(1));
    // 38.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(1500));
    // 40.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    // 40.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/db/leader?acquire={s2}&flags=3304740253564472344")), &[], "web-2");
    expect_text(&answer, 200, "false");
    // 40.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    let_pass(&mut consul, Duration::from_secs(5));
    // 45.000s server: db/leader can be locked again
    // 45.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 1, "Value": b64("web-1")}]));
    // 45.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/db/leader?acquire={s2}&flags=3304740253564472344")), &[], "web-2");
    expect_text(&answer, 200, "true");
    // 45.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/db/leader?consistent="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 3304740253564472344_u64, "Key": "db/leader", "LockIndex": 2, "Session": s2, "Value": b64("web-2")}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 46.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 53.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 61.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 68.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 76.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 83.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 91.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 98.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 106.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 113.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 121.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 128.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 136.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 143.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 151.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 158.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 166.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 173.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 181.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 188.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 196.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(570));
    // 196.570s web-1: GET /v1/kv/db/leader?consistent=&index=10 -> fails, it was done: dial tcp
    // consul:8500: i/o timeout
    let_pass(&mut consul, Duration::from_millis(6930));
    // 203.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 211.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(7500));
    // 218.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "release", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Lock", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
}
