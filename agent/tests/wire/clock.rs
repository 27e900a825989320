//! The control of time over HTTP: a manual clock stands still until a test advances it, and what a
//! server in real time refuses.

use serde_json::{Value, json};

use crate::server::{AgentProcess, command};

const MANUAL: [&str; 2] = ["--clock", "manual"];
const SECOND: u64 = 1_000_000_000;

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn advance(server: &AgentProcess, by: &str) -> Value {
    read(&server.ok("PUT", &format!("/lictor/clock?advance={by}"), ""))
}

#[test]
fn a_session_ends_when_its_time_has_passed() {
    let server = AgentProcess::start(&MANUAL);
    let session = server.session(r#"{"TTL":"10s","LockDelay":"15s"}"#);
    let lock = format!("/v1/kv/db/leader?acquire={session}");
    assert_eq!(server.ok("PUT", &lock, "web-1"), "true");
    let ends = format!("session {session} ends: not renewed for twice its TTL");
    let reading = advance(&server, "19.999s");
    let next = json!({ "At": 20 * SECOND, "Why": ends });
    assert_eq!(reading, json!({ "Now": 19_999_000_000_u64, "Next": next, "Waiting": 0 }));
    assert!(server.ok("GET", "/v1/kv/db/leader", "").contains(&session));
    let reading = advance(&server, "next");
    assert_eq!(reading["Now"], json!(20 * SECOND));
    assert_eq!(reading["Next"]["Why"], json!("the lock-delay of db/leader is over"));
    let other = server.session("");
    let lock = format!("/v1/kv/db/leader?acquire={other}");
    assert_eq!(server.ok("PUT", &lock, "web-2"), "false");
    assert_eq!(advance(&server, "next")["Now"], json!(35 * SECOND));
    assert_eq!(server.ok("PUT", &lock, "web-2"), "true");
}

#[test]
fn blocking_queries_are_answered_before_the_request_that_advanced_time() {
    let server = AgentProcess::start(&MANUAL);
    server.ok("PUT", "/v1/kv/a", "1");
    let index = server.get("/v1/kv/a").index();
    let mut watcher = server.connect();
    watcher.ask("GET", &format!("/v1/kv/a?index={index}&wait=16s"));
    while read(&server.ok("GET", "/lictor/clock", ""))["Waiting"] != 1 {}
    // The jitter of BLK-03 adds a sixteenth at most.
    let reading = advance(&server, "17s");
    assert_eq!(reading, json!({ "Now": 17 * SECOND, "Next": null, "Waiting": 0 }));
    assert_eq!(watcher.answer().index(), index);
}

#[test]
fn time_stands_still_and_never_goes_back() {
    let server = AgentProcess::start(&MANUAL);
    server.session(r#"{"TTL":"10s"}"#);
    assert_eq!(advance(&server, "7s")["Now"], json!(7 * SECOND));
    for wrong in ["advance=-1s", "advance=5", "advance=soon", "advance=", "", "to=next"] {
        let refused = server.put(&format!("/lictor/clock?{wrong}"), b"");
        assert_eq!(refused.status, 400, "{wrong}: {refused:?}");
        assert!(!refused.body.is_empty());
    }
    assert_eq!(server.call("POST", "/lictor/clock", b"").status, 405);
    assert_eq!(read(&server.get("/lictor/clock").body)["Now"], json!(7 * SECOND));
    // Time saturates at its maximum.
    let far = "2562047h";
    for _ in 0..4 {
        advance(&server, far);
    }
    assert_eq!(server.ok("GET", "/v1/session/list", ""), "[]");
}

#[test]
fn a_failover_restarts_every_ttl_and_keeps_lock_delays() {
    let server = AgentProcess::start(&MANUAL);
    let session = server.session(r#"{"TTL":"10s"}"#);
    advance(&server, "19s");
    let reading = read(&server.ok("PUT", "/lictor/failover", ""));
    assert_eq!(reading["Next"]["At"], json!(39 * SECOND), "{reading}");
    assert!(server.ok("GET", &format!("/v1/session/info/{session}"), "").contains("10s"));
    server.ok("PUT", &format!("/v1/kv/lock?acquire={session}"), "");
    server.ok("PUT", &format!("/v1/session/destroy/{session}"), "");
    let reading = read(&server.ok("PUT", "/lictor/failover", ""));
    assert_eq!(reading["Next"]["Why"], json!("the lock-delay of lock is over"), "{reading}");
    assert_eq!(reading["Next"]["At"], json!(34 * SECOND), "{reading}");
}

#[test]
fn the_same_seed_gives_the_same_ids() {
    let session = |seed: &str| AgentProcess::start(&["--seed", seed]).session("");
    assert_eq!(session("7"), session("7"));
    assert_ne!(session("7"), session("8"));
}

#[test]
fn a_session_that_expires_ends_as_by_its_ttl() {
    let server = AgentProcess::start(&[]);
    let session = server.session(r#"{"TTL":"30s","LockDelay":"15s","Behavior":"delete"}"#);
    let lock = format!("/v1/kv/db/leader?acquire={session}");
    assert_eq!(server.ok("PUT", &lock, "web-1"), "true");
    let index = server.get("/v1/kv/db/leader").index();
    let mut watcher = server.connect();
    watcher.ask("GET", &format!("/v1/kv/db/leader?index={index}"));
    assert_eq!(read(&server.ok("GET", "/lictor/clock?waiting=1", ""))["Waiting"], json!(1));
    let reading = read(&server.ok("PUT", &format!("/lictor/expire?session={session}"), ""));
    assert_eq!(reading["Next"]["Why"], json!("the lock-delay of db/leader is over"));
    assert_eq!(watcher.answer().status, 404);
    let other = server.session("");
    let lock = format!("/v1/kv/db/leader?acquire={other}");
    assert_eq!(server.ok("PUT", &lock, "web-2"), "false", "the lock-delay has begun");
    for (session, status, why) in [
        (session.as_str(), 404, format!("there is no session {session}")),
        (&other, 409, format!("session {other} has no TTL")),
        ("web", 400, "session=web is not the id of a session".into()),
    ] {
        let refused = server.put(&format!("/lictor/expire?session={session}"), b"");
        assert_eq!((refused.status, refused.body), (status, why));
    }
    assert!(server.ok("GET", "/v1/session/list", "").contains(&other));
}

#[test]
fn a_test_waits_until_queries_wait() {
    let server = AgentProcess::start(&MANUAL);
    server.ok("PUT", "/v1/kv/a", "1");
    let index = server.get("/v1/kv/a").index();
    let mut test = server.connect();
    test.ask("GET", "/lictor/clock?waiting=2&timeout=20s");
    let mut watchers = [server.connect(), server.connect()];
    watchers[0].ask("GET", &format!("/v1/kv/a?index={index}"));
    assert_eq!(read(&server.ok("GET", "/lictor/clock?waiting=1", ""))["Waiting"], json!(1));
    assert!(!test.has_answer());
    watchers[1].ask("GET", &format!("/v1/kv/b?index={index}"));
    assert_eq!(read(&test.answer().body)["Waiting"], json!(2));
    let late = server.get("/lictor/clock?waiting=3&timeout=10ms");
    assert_eq!((late.status, &*late.body), (408, "2 of 3 blocking queries wait after 10ms"));
}

#[test]
fn a_server_in_real_time_cannot_be_advanced() {
    let server = AgentProcess::start(&[]);
    assert_eq!(read(&server.ok("GET", "/lictor/clock", ""))["Waiting"], json!(0));
    for path in ["/lictor/clock?advance=1s", "/lictor/failover"] {
        let refused = server.put(path, b"");
        let why = "the server was not started with a manual clock";
        assert_eq!((refused.status, &*refused.body), (409, why), "{path}");
    }
    let refused = command(&["--clock", "slow"]).output().expect("it was built");
    assert_eq!(refused.status.code(), Some(2));
    let says = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(says.contains("real or manual"), "{says}");
}
