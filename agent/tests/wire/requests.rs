//! Requests and answers byte by byte, as clients send and get them.

use crate::server::AgentProcess;

#[test]
fn a_session_takes_a_lock_and_gives_it_back() {
    let server = AgentProcess::start(&[]);
    let session = server.session(r#"{"Name":"web","TTL":"30s"}"#);
    let lock = format!("/v1/kv/app/leader?acquire={session}");
    assert_eq!(server.ok("PUT", &lock, "here"), "true");
    let read = server.get("/v1/kv/app/leader");
    assert!(read.body.contains(&session), "{read:?}");
    assert_eq!(read.header("X-Consul-KnownLeader"), Some("true"));
    let other = server.session("");
    assert_eq!(server.ok("PUT", &format!("/v1/kv/app/leader?acquire={other}"), ""), "false");
    assert_eq!(server.ok("PUT", &format!("/v1/session/destroy/{session}"), ""), "true");
    assert!(!server.ok("GET", "/v1/kv/app/leader", "").contains("Session"));
}

#[test]
fn values_are_any_bytes_and_keys_any_text() {
    let server = AgentProcess::start(&[]);
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(server.put("/v1/kv/a%20b%2Fc/%C3%A9", &bytes).body, "true");
    let mut raw = server.connect();
    raw.ask("GET", "/v1/kv/?keys");
    assert_eq!(raw.answer().body, r#"["a b/c/é"]"#);
    let stored = server.ok("GET", "/v1/kv/a%20b/c/%C3%A9", "");
    assert!(stored.contains("AAECAwQF"), "{stored}");
}

#[test]
fn names_of_headers_are_written_as_go_does() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.ask("GET", "/v1/kv/none");
    let answer = raw.answer();
    assert_eq!(answer.status, 404);
    let names: Vec<_> = answer.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"X-Consul-Knownleader"), "{names:?}");
    assert!(!names.contains(&"Content-Type"), "{names:?}");
    assert!(answer.header("Date").is_some());
}

#[test]
fn an_answer_to_head_counts_the_text_that_it_leaves_out() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.ask("HEAD", "/v1/kv/a");
    let answer = raw.answer_without_body();
    assert_eq!((answer.status, answer.header("Content-Length")), (405, Some("23")));
    raw.ask("GET", "/v1/status/leader");
    assert_eq!(raw.answer().body, r#""127.0.0.1:8300""#);
}

#[test]
fn methods_reach_the_engine_as_they_are() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    for (method, status) in [("get", 405), ("POST", 405), ("BREW", 405), ("OPTIONS", 200)] {
        raw.ask(method, "/v1/kv/a");
        let answer = raw.answer();
        assert_eq!(answer.status, status, "{method}");
        assert_eq!(answer.header("Allow"), Some("OPTIONS,GET,PUT,DELETE"), "{method}");
    }
}

#[test]
fn paths_that_are_not_clean_are_redirected() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.ask("GET", "/v1/kv//a?raw");
    let answer = raw.answer();
    assert_eq!((answer.status, answer.header("Location")), (301, Some("/v1/kv/a?raw")));
    assert_eq!(answer.body, "<a href=\"/v1/kv/a?raw\">Moved Permanently</a>.\n\n");
    raw.ask("PUT", "/v1/kv/a/../b");
    assert_eq!(raw.answer().body, "");
}

#[test]
fn a_target_may_hold_characters_that_a_client_should_escape() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.ask("PUT", "/v1/kv/a&{\"d\"}|^<`>#é");
    assert_eq!(raw.answer().body, "true");
    raw.ask("GET", "/v1/kv/?keys");
    assert_eq!(raw.answer().body, r#"["a\u0026{\"d\"}|^\u003c`\u003e#é"]"#);
    raw.ask("GET", "/v1/agent/services?filter=Service==\"web\"");
    assert_eq!(raw.answer().status, 200);
}

/// Sends bytes on a connection of their own, and gives the whole answer, if the agent closes the
/// connection after it.
fn last_answer(server: &AgentProcess, bytes: &str) -> String {
    let mut raw = server.connect();
    raw.send(bytes);
    raw.rest()
}

#[test]
fn a_request_that_go_refuses_gets_its_answer_and_its_connection_is_closed() {
    let server = AgentProcess::start(&[]);
    let bad = "400 Bad Request";
    for (request, line, body) in [
        ("GET /v1/kv/a b HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        ("GET v1/kv/a HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        ("GET /v1/kv/%zz HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        ("GET /v1/kv/\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        ("G@T /v1/kv/a HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        ("GET /v1/kv/a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", bad, bad),
        ("GET /v1/kv/a HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nhi", bad, bad),
        ("\r\nGET /v1/kv/a HTTP/1.1\r\nHost: a\r\n\r\n", bad, bad),
        // Without waiting for more of the head.
        ("nonsense\r\n", bad, bad),
        (
            "GET /v1/kv/a HTTP/1.1\r\n\r\n",
            "400 Bad Request: missing required Host header",
            "400 Bad Request: missing required Host header",
        ),
        (
            "GET /v1/kv/a HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "400 Bad Request: malformed Host header",
            "400 Bad Request: malformed Host header",
        ),
        (
            "GET /v1/kv/a HTTP/1.1\r\nHost: a\r\nX-A : b\r\n\r\n",
            "400 Bad Request: invalid header name",
            "400 Bad Request: invalid header name",
        ),
        (
            "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "501 Not Implemented",
            "Unsupported transfer encoding",
        ),
        (
            "GET /v1/kv/a HTTP/3.0\r\nHost: a\r\n\r\n",
            "505 HTTP Version Not Supported: unsupported protocol version",
            "505 HTTP Version Not Supported: unsupported protocol version",
        ),
        (
            "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 2\r\n\r\nhi",
            "417 Expectation Failed",
            "",
        ),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", bad, ""),
    ] {
        let answer = last_answer(&server, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {line}\r\n")), "{request:?}: {answer}");
        assert!(answer.contains("\r\nConnection: close\r\n"), "{request:?}: {answer}");
        assert!(answer.ends_with(&format!("\r\n\r\n{body}")), "{request:?}: {answer}");
    }
    assert_eq!(server.ok("GET", "/v1/kv/?keys", ""), "[]");
}

#[test]
fn a_head_that_is_cut_off_or_too_long_is_refused() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send("GET /v1/kv/a HTTP/1.1\r\nHost: a\r\n");
    raw.end();
    assert_eq!((raw.answer().status, raw.is_closed()), (400, true));
    let mut raw = server.connect();
    raw.send(format!("GET /v1/kv/{} HTTP/1.1\r\nHost: a\r\nX: ", "x".repeat(500_000)));
    raw.send("x".repeat(600_000));
    let answer = raw.answer();
    assert_eq!((answer.status, answer.header("Connection")), (431, Some("close")));
    assert_eq!(answer.body, "431 Request Header Fields Too Large");
}

#[test]
fn a_head_is_read_as_go_reads_it() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    for head in [
        "GET /v1/kv/a HTTP/1.1\nHost: localhost\n\n",
        "GET /v1/kv/a HTTP/1.1\r\nHost:\r\nX-A: b\r\n c\r\n\r\n",
        "GET /v1/kv/a HTTP/1.2\r\nHost: consul\r\n\r\n",
        "GET /v1/kv/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ] {
        raw.send(head);
        assert_eq!(raw.answer().status, 404, "{head:?}");
    }
    raw.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = raw.answer();
    assert_eq!((answer.status, answer.header("Content-Length")), (200, Some("0")));
    raw.ask("CONNECT", "127.0.0.1:80");
    let answer = raw.answer();
    assert_eq!((answer.status, answer.header("Location")), (301, Some("/")));
    let many: String = (0..500).map(|at| format!("X-{at}: a\r\n")).collect();
    raw.send(format!("GET /v1/kv/a HTTP/1.1\r\nHost: a\r\n{many}\r\n"));
    assert_eq!(raw.answer().status, 404);
}

#[test]
fn requests_may_follow_each_other_before_their_answers() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    let put = "PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n\
               2;a=b\r\nhi\r\n0\r\nX: 1\r\n\r\n";
    let get = "GET /v1/kv/a?raw HTTP/1.1\r\nHost: a\r\n\r\n";
    let requests = format!("{get}{put}{get}{put}{get}");
    // However the bytes arrive.
    for size in [1, 7, requests.len()] {
        server.ok("DELETE", "/v1/kv/a", "");
        for part in requests.as_bytes().chunks(size) {
            raw.send(part);
        }
        let bodies = [(); 5].map(|()| raw.answer().body);
        assert_eq!(bodies, ["", "true", "hi", "true", "hi"], "{size}");
    }
}

#[test]
fn a_chunk_that_is_malformed_is_refused() {
    let server = AgentProcess::start(&[]);
    for chunk in ["xyz\r\n", "2\nhi\r\n0\r\n\r\n", "2\r\nhi!\r\n0\r\n\r\n"] {
        let mut raw = server.connect();
        raw.send("PUT /v1/kv/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        raw.send(chunk);
        let answer = raw.answer();
        assert_eq!((answer.status, answer.header("Connection")), (400, Some("close")));
        assert!(answer.body.contains("chunk"), "{}", answer.body);
        assert!(raw.is_closed(), "{chunk:?}");
    }
    assert_eq!(server.ok("GET", "/v1/kv/?keys", ""), "[]");
}

#[test]
fn a_client_that_closes_its_sending_side_still_gets_its_answer() {
    let server = AgentProcess::start(&[]);
    for _ in 0..10 {
        let mut raw = server.connect();
        raw.ask("GET", "/v1/kv/?keys");
        raw.end();
        assert_eq!(raw.answer().body, "[]");
        assert!(raw.is_closed());
    }
}

#[test]
fn a_request_for_a_foreign_host_is_refused_on_a_loopback_address() {
    let server = AgentProcess::start(&["--allow-host", "consul.example.com"]);
    for (host, status) in [
        ("evil.example:8500", 403),
        ("consul.example.com:8500", 404),
        ("consul:8500", 404),
        ("consul.service.consul", 404),
        ("localhost", 404),
        ("[::1]:8500", 404),
    ] {
        let mut raw = server.connect();
        raw.send(format!("GET /v1/kv/a HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        let answer = raw.answer();
        assert_eq!(answer.status, status, "{host}: {answer:?}");
        assert_eq!(answer.body.contains("evil.example"), status == 403, "{answer:?}");
    }
}

#[test]
fn a_request_with_a_length_and_in_chunks_is_refused_and_its_connection_closed() {
    let server = AgentProcess::start(&[]);
    let chunks = "2\r\nab\r\n0\r\n\r\n";
    let (length, chunked) = ("Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n");
    for headers in [[length, chunked].concat(), [chunked, length].concat()] {
        let mut raw = server.connect();
        let put = format!("PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n{chunks}");
        raw.send(format!("{put}PUT /v1/kv/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        let answer = raw.answer();
        assert_eq!((answer.status, answer.header("Connection")), (400, Some("close")));
        assert!(raw.try_answer().is_err(), "{headers}");
        assert_eq!(server.ok("GET", "/v1/kv/?keys", ""), "[]");
    }
}

#[test]
fn a_target_may_be_a_whole_url() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.ask("GET", &format!("http://{}/v1/kv/?keys", server.address));
    assert_eq!(raw.answer().body, "[]");
}

#[test]
fn a_session_that_is_sent_in_chunks_is_not_read() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send(
        "PUT /v1/session/create HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    raw.send("f\r\n{\"Name\":\"never\"\r\n0\r\n\r\n");
    assert_eq!(raw.answer().status, 200);
    raw.ask("GET", "/v1/session/list");
    assert!(!raw.answer().body.contains("never"));
}

#[test]
fn dev_mode_indents() {
    let server = AgentProcess::start(&["agent", "-dev", "-node=web"]);
    let [unasked, asked] = ["", "?pretty"]
        .map(|query| server.ok("GET", &format!("/v1/catalog/datacenters{query}"), ""));
    assert_eq!([unasked.as_str(), asked.as_str()], ["[\n    \"dc1\"\n]", "[\n    \"dc1\"\n]\n"]);
    assert!(server.ok("GET", "/v1/agent/self", "").contains("\"NodeName\": \"web\""));
}

#[test]
fn pages_of_other_origins_may_call_only_if_their_origin_is_allowed() {
    let closed = AgentProcess::start(&[]);
    assert_eq!(closed.get("/v1/kv/a").header("Access-Control-Allow-Origin"), None);
    let server = AgentProcess::start(&["--allow-origin", "http://localhost:8080"]);
    let mut raw = server.connect();
    raw.send(
        "OPTIONS /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:8080\r\n\
         Access-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-a\r\n\r\n",
    );
    let preflight = raw.answer();
    assert_eq!(preflight.status, 200);
    let methods = preflight.header("Access-Control-Allow-Methods");
    assert!(methods.is_some_and(|methods| methods.contains("PUT")), "{preflight:?}");
    assert_eq!(preflight.header("Access-Control-Allow-Headers"), Some("x-a"));
    raw.ask("GET", "/v1/kv/a");
    let answer = raw.answer();
    let allowed = answer.header("Access-Control-Allow-Origin");
    assert_eq!(allowed, Some("http://localhost:8080"));
    let exposed = answer.header("Access-Control-Expose-Headers");
    assert!(exposed.is_some_and(|headers| headers.contains("X-Consul-Index")), "{answer:?}");
}
