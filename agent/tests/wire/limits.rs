//! Limits of size, time and number, and requests that are no HTTP: what is over a limit or broken
//! is refused or disconnected, and other clients are served.

use std::thread;
use std::time::{Duration, Instant};

use crate::raw::LONG;
use crate::server::AgentProcess;

const TOO_LARGE: &str = "Request body(600000 bytes) too large, max size: 524288 bytes. \
    See https://developer.hashicorp.com/docs/agent/config/config-files#kv_max_value_size.";

#[test]
fn a_value_that_is_too_large_is_refused_and_its_connection_is_closed() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send("PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600000\r\n\r\n");
    raw.send(vec![b'x'; 600_000]);
    let answer = raw.rest();
    assert!(answer.starts_with("HTTP/1.1 413 Request Entity Too Large\r\n"), "{answer}");
    assert!(answer.contains("\r\nConnection: close\r\n"), "{answer}");
    assert!(answer.ends_with(TOO_LARGE), "{answer}");
    assert_eq!(server.get("/v1/kv/a").status, 404);
}

#[test]
fn a_length_over_the_limit_is_refused_before_the_body_is_sent() {
    let server = AgentProcess::start(&[]);
    for path in ["/v1/kv/a", "/v1/txn", "/v1/session/create", "/v1/catalog/register"] {
        let mut raw = server.connect();
        raw.send(format!(
            "PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
        ));
        assert_eq!(raw.answer().status, 413, "{path}");
    }
}

#[test]
fn a_client_that_expects_100_continue_is_refused_before_it_sends() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send("PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600000\r\n");
    raw.send("Expect: 100-continue\r\n\r\n");
    assert_eq!(raw.answer().status, 413);
    let mut raw = server.connect();
    raw.send("PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n");
    raw.send("Expect: 100-continue\r\n\r\n");
    assert_eq!(raw.answer().status, 100);
    raw.send("hello");
    assert_eq!(raw.answer().body, "true");
}

#[test]
fn chunks_are_refused_when_they_exceed_the_limit() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send("PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut chunk = b"100000\r\n".to_vec();
    chunk.resize(chunk.len() + 0x10_0000, b'x');
    chunk.extend_from_slice(b"\r\n");
    for _ in 0..33 {
        raw.send(&chunk);
    }
    let answer = raw.answer();
    assert_eq!(answer.status, 413);
    assert_eq!(answer.body, "Request body too large, max size: 33554432 bytes.");
    assert_eq!(server.get("/v1/kv/a").status, 404);
}

#[test]
fn a_broken_request_ends_its_own_connection_only() {
    let mut server = AgentProcess::start(&[]);
    let mut good = server.connect();
    for broken in [
        "\0\0\0\0\r\n\r\n",
        "GET\r\n\r\n",
        "GET /v1/kv/a HTTP/9.9\r\n\r\n",
        "GET /v1/kv/a HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
        "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe",
        "GET /v1/kv/\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let mut bad = server.connect();
        bad.send(broken);
        drop(bad);
        good.ask("GET", "/v1/kv/a");
        assert_eq!(good.answer().status, 404, "{broken:?}");
    }
    let mut long = server.connect();
    // The agent may close the connection before all of it is sent.
    let _ = long.try_send(format!("GET /v1/kv/{} HTTP/1.1\r\n\r\n", "x".repeat(1_000_000)));
    good.ask("GET", "/v1/kv/a");
    assert_eq!(good.answer().status, 404);
    assert!(server.is_alive());
}

#[test]
fn a_client_that_does_not_read_its_answer_is_disconnected() {
    let server = AgentProcess::start(&["--client-timeout", "300ms"]);
    let value = vec![b'x'; 500_000];
    for number in 0..30 {
        assert_eq!(server.put(&format!("/v1/kv/{number}"), &value).body, "true");
    }
    let mut deaf = server.connect();
    deaf.ask("GET", "/v1/kv/?recurse");
    // Three blocking queries that time out pass the time on machines of any speed.
    for _ in 0..3 {
        assert_eq!(server.get("/v1/kv/none?index=99&wait=300ms").status, 404);
    }
    assert!(deaf.try_answer().is_err(), "the rest of the answer is not sent");
    assert_eq!(server.get("/v1/kv/?keys").status, 200);
}

#[test]
fn a_client_that_stops_sending_is_disconnected() {
    let server = AgentProcess::start(&["--client-timeout", "300ms"]);
    let mut slow: Vec<_> = (0..100).map(|_| server.connect()).collect();
    for (at, raw) in slow.iter_mut().enumerate() {
        let part = "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe";
        raw.send(&part[..if at % 2 == 0 { part.len() } else { 20 }]);
    }
    assert_eq!(server.get("/v1/kv/a").status, 404);
    for (at, raw) in slow.iter_mut().enumerate() {
        if at % 2 == 0 {
            assert_eq!(raw.answer().status, 408);
        }
        assert!(raw.is_closed(), "{at}");
    }
}

/// Sends a byte every 20 ms until the server answers or closes the connection. Returns the status
/// of its answer, and how long that took.
fn trickle(server: &AgentProcess, head: &str, byte: &str) -> (Option<u16>, Duration) {
    let mut raw = server.connect();
    raw.send(head);
    let started = Instant::now();
    while raw.try_send(byte).is_ok() && !raw.has_answer() {
        assert!(started.elapsed() < LONG, "the server waits for ever");
        thread::sleep(Duration::from_millis(20));
    }
    (raw.try_answer().ok().map(|answer| answer.status), started.elapsed())
}

#[test]
fn a_head_that_trickles_in_has_a_total_deadline() {
    let server = AgentProcess::start(&["--client-timeout", "400ms"]);
    let (status, took) = trickle(&server, "GET /v1/kv/a HTTP/1.1\r\nX-Slow: ", "x");
    assert_eq!(status, None);
    assert!(took >= Duration::from_millis(300), "{took:?}");
}

#[test]
fn a_body_that_trickles_in_has_a_total_deadline() {
    let server = AgentProcess::start(&["--body-timeout", "400ms"]);
    let head = "PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n";
    let (status, took) = trickle(&server, head, "x");
    assert_eq!(status, Some(408));
    assert!(took >= Duration::from_millis(300), "{took:?}");
    assert_eq!(server.get("/v1/kv/a").status, 404);
}

#[test]
fn a_connection_over_the_limit_is_answered_with_429_and_closed() {
    let server = AgentProcess::start(&["--connections-max", "2"]);
    let mut served: Vec<_> = (0..2).map(|_| server.connect()).collect();
    for raw in &mut served {
        raw.ask("GET", "/v1/kv/a");
        assert_eq!(raw.answer().status, 404);
    }
    let mut refused = server.connect();
    refused.ask("GET", "/v1/kv/a");
    let answer = refused.answer();
    assert_eq!((answer.status, answer.header("Connection")), (429, Some("close")));
    assert_eq!(answer.body, "the server has as many connections as it accepts");
    assert!(refused.is_closed());
    served.pop();
    let started = Instant::now();
    loop {
        let mut raw = server.connect();
        raw.ask("GET", "/v1/kv/a");
        if raw.try_answer().is_ok_and(|answer| answer.status == 404) {
            break;
        }
        assert!(started.elapsed() < LONG, "the place is never free");
    }
}
