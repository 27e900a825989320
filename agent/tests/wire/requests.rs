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
fn a_target_with_bytes_that_must_be_escaped_is_a_bad_request() {
    let server = AgentProcess::start(&[]);
    for byte in ["<", ">", "\\^ ", "\u{1}"] {
        let mut raw = server.connect();
        raw.send(format!("PUT /v1/kv/a{byte} HTTP/1.1\r\nContent-Length: 3\r\n\r\n<v>"));
        assert_eq!(raw.answer().status, 400, "{byte:?}");
        assert!(raw.is_closed(), "{byte:?}");
    }
    assert_eq!(server.ok("GET", "/v1/kv/?keys", ""), "[]");
}

#[test]
fn a_target_may_hold_unescaped_braces_quotes_and_letters() {
    let server = AgentProcess::start(&[]);
    let mut raw = server.connect();
    raw.send("PUT /v1/kv/a&{\"d\"}|^é HTTP/1.1\r\nContent-Length: 3\r\n\r\n<v>");
    assert_eq!(raw.answer().body, "true");
    raw.ask("GET", "/v1/kv/?keys");
    assert_eq!(raw.answer().body, r#"["a\u0026{\"d\"}|^é"]"#);
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
    let server = AgentProcess::start(&["--allow-host", "consul.test"]);
    for (host, status) in [
        ("evil.example:8500", 403),
        ("consul.test:8500", 404),
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
