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
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\":\"Consul API Semaphore\",\"Behavior\":\"delete\",\"TTL\":\"15s\"}");
    let s1 = created(&answer);
    // 0.000s web-1
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/jobs/{s1}?acquire={s1}&flags=16210313421097356768")), &[], "");
    expect_text(&answer, 200, "true");
    // 0.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?recurse=&wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}]));
    // 0.000s web-1
    let answer = send(&mut consul, ("PUT", "/v1/kv/jobs/.lock?cas=0&flags=16210313421097356768"), &[], format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true}}}}"));
    expect_text(&answer, 200, "true");
    let i12 = modify_index(&mut consul, "/v1/kv/jobs/.lock");
    // 0.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 1.000s web-2
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\":\"Consul API Semaphore\",\"Behavior\":\"delete\",\"TTL\":\"15s\"}");
    let s2 = created(&answer);
    // 1.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/jobs/{s2}?acquire={s2}&flags=16210313421097356768")), &[], "");
    expect_text(&answer, 200, "true");
    // 1.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true}}}}"))}]));
    // 1.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?recurse=&wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true}}}}"))}]));
    // 1.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/jobs/.lock?cas={i12}&flags=16210313421097356768")), &[], format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"));
    expect_text(&answer, 200, "true");
    let i15 = modify_index(&mut consul, "/v1/kv/jobs/.lock");
    // 1.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    // 1.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_secs(4));
    // 5.000s web-3
    let answer = send(&mut consul, ("PUT", "/v1/session/create"), &[], "{\"Name\":\"Consul API Semaphore\",\"Behavior\":\"delete\",\"TTL\":\"15s\"}");
    let s3 = created(&answer);
    let_pass(&mut consul, Duration::from_secs(2));
    // 7.000s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/jobs/{s3}?acquire={s3}&flags=16210313421097356768")), &[], "");
    expect_text(&answer, 200, "true");
    // 7.000s web-1
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    // 7.000s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_millis(500));
    // 7.500s web-1
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s1}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s1, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 8.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(500));
    // 9.000s web-3
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?recurse=&wait=15000ms"), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 10.000s web-1: crashes memory=lost
    // 10.000s web-1: GET /v1/kv/jobs?consistent=&index=17&recurse= -> broken, it waited
    let_pass(&mut consul, Duration::from_secs(6));
    // 16.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(500));
    // 16.500s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(7));
    // 23.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(2500));
    // 26.000s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_nanos(491301573));
    // 26.491301573s web-3
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s1}"), "LockIndex": 1, "Session": s1, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_nanos(4508698427));
    // 31.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(4500));
    // 35.500s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(2));
    // 37.500s server: S1 ends: not renewed for twice its TTL, deletes jobs/S1
    // 37.500s server: jobs/S1 cannot be locked until 52.500s
    // 37.500s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    // 37.500s web-3
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s1}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 38.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 39.500s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/kv/jobs/.lock?cas={i15}&flags=16210313421097356768")), &[], format!("{{\"Limit\":2,\"Holders\":{{\"{s3}\":true,\"{s2}\":true}}}}"));
    expect_text(&answer, 200, "true");
    // 39.500s web-2
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s3}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_secs(2));
    // 41.500s web-3
    let answer = send(&mut consul, ("GET", "/v1/kv/jobs?consistent=&recurse="), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s2}"), "LockIndex": 1, "Session": s2, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": format!("jobs/{s3}"), "LockIndex": 1, "Session": s3, "Value": null}, {"Flags": 16210313421097356768_u64, "Key": "jobs/.lock", "LockIndex": 0, "Value": b64(format!("{{\"Limit\":2,\"Holders\":{{\"{s3}\":true,\"{s2}\":true}}}}"))}]));
    let_pass(&mut consul, Duration::from_millis(3500));
    // 45.000s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 46.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(6500));
    // 52.500s server: jobs/S1 can be locked again
    let_pass(&mut consul, Duration::from_secs(1));
    // 53.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(1));
    // 54.500s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(6500));
    // 61.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(3));
    // 64.000s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(4500));
    // 68.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(5));
    // 73.500s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(2500));
    // 76.000s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_secs(7));
    // 83.000s web-3
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s3}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s3, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
    let_pass(&mut consul, Duration::from_millis(500));
    // 83.500s web-2
    let answer = send(&mut consul, ("PUT", &format!("/v1/session/renew/{s2}")), &[], "");
    expect_json(&answer, 200, serde_json::json!([{"Behavior": "delete", "ID": s2, "LockDelay": 15000000000_u64, "Name": "Consul API Semaphore", "NodeChecks": ["serfHealth"], "ServiceChecks": null, "TTL": "15s"}]));
}
