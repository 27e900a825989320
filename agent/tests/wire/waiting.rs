//! Blocking queries, expiry and pipelined requests in real time: what virtual time cannot test.

use std::time::{Duration, Instant};

use crate::raw::Raw;
use crate::server::AgentProcess;

fn watch(server: &AgentProcess, path: &str, index: u64) -> Raw {
    let mut raw = server.connect();
    raw.ask("GET", &format!("{path}?index={index}&wait=60s"));
    raw
}

#[test]
fn five_hundred_watchers_are_woken_by_one_write() {
    let server = AgentProcess::start(&[]);
    server.ok("PUT", "/v1/kv/app/config", "1");
    let index = server.get("/v1/kv/app/config").index();
    let mut watchers: Vec<_> =
        (0..500).map(|_| watch(&server, "/v1/kv/app/config", index)).collect();
    let mut others: Vec<_> = (0..50).map(|_| watch(&server, "/v1/kv/other", index + 9)).collect();
    server.ok("PUT", "/v1/kv/app/config", "2");
    for watcher in &mut watchers {
        let answer = watcher.answer();
        assert!(answer.index() > index);
        assert!(answer.body.contains("\"Value\":\"Mg==\""), "{answer:?}");
    }
    server.ok("PUT", "/v1/kv/app/config", "3");
    // The others still wait, and the server answers other connections.
    drop(others.split_off(25));
    assert_eq!(server.get("/v1/kv/app/config").status, 200);
}

#[test]
fn ten_thousand_queries_wait_without_slowing_writes() {
    let most = rlimit::increase_nofile_limit(u64::MAX).expect("a limit");
    assert!(most > 10_500, "this test needs 10,500 open files, and the system allows {most}");
    let mut server = AgentProcess::start(&[]);
    server.ok("PUT", "/v1/kv/app/config", "1");
    let index = server.get("/v1/kv/app/config").index();
    let mut woken: Vec<_> =
        (0..1_000).map(|_| watch(&server, "/v1/kv/app/config", index)).collect();
    let path = |number| format!("/v1/kv/other/{number}");
    let mut waiting: Vec<_> =
        (0..9_000).map(|number| watch(&server, &path(number), index + 1_000)).collect();
    let began = Instant::now();
    for number in 0..100 {
        server.ok("PUT", "/v1/kv/busy", &format!("{number}"));
    }
    let took = began.elapsed();
    assert!(took < Duration::from_secs(10), "100 writes took {took:?}");
    server.ok("PUT", "/v1/kv/app/config", "2");
    for raw in &mut woken {
        assert!(raw.answer().body.contains("\"Value\":\"Mg==\""));
    }
    server.signal("TERM");
    assert!(server.wait().success());
    assert!(waiting.iter_mut().all(Raw::is_closed));
}

#[test]
fn a_blocking_query_returns_after_its_wait_time() {
    let server = AgentProcess::start(&[]);
    server.ok("PUT", "/v1/kv/a", "1");
    let index = server.get("/v1/kv/a").index();
    let began = Instant::now();
    let answer = server.get(&format!("/v1/kv/a?index={index}&wait=400ms"));
    let took = began.elapsed();
    assert_eq!((answer.status, answer.index()), (200, index));
    assert!(took >= Duration::from_millis(400), "{took:?}");
}

#[test]
fn a_session_that_is_not_renewed_ends_in_real_time() {
    let server = AgentProcess::start(&["--session-ttl-min", "100ms"]);
    let began = Instant::now();
    let session = server.session(r#"{"TTL":"200ms","LockDelay":"0s"}"#);
    server.ok("PUT", &format!("/v1/kv/lock?acquire={session}"), "");
    let index = server.get("/v1/kv/lock").index();
    let freed = watch(&server, "/v1/kv/lock", index).answer();
    let took = began.elapsed();
    assert!(!freed.body.contains("Session"), "{freed:?}");
    assert!(took >= Duration::from_millis(400), "twice the TTL, not {took:?}");
}

#[test]
fn a_client_that_goes_away_frees_its_place_among_the_waiting() {
    let server = AgentProcess::start(&["--parked-max", "1"]);
    let first = watch(&server, "/v1/kv/a", 9);
    let refused = watch(&server, "/v1/kv/b", 9).answer();
    assert_eq!(refused.status, 429);
    drop(first);
    // The end of a client is noticed a little late (stall_timeout.rs).
    let began = Instant::now();
    while server.get("/v1/kv/b?index=9&wait=10ms").status != 404 {
        assert!(began.elapsed() < Duration::from_secs(10), "the place is never free");
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    for number in 0..20 {
        raw.send(format!(
            "PUT /v1/kv/n HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{number:02}"
        ));
        raw.ask("GET", "/v1/kv/n?raw");
    }
    for number in 0..20 {
        assert_eq!(raw.answer().body, "true");
        assert_eq!(raw.answer().body, format!("{number:02}"));
    }
}
