//! `GET /v1/agent/monitor`: the log as a stream. The lines were recorded from Consul 1.22.7; with a
//! manual clock their dates and expiry times are exact.

use serde_json::{Value, json};

use crate::raw::Raw;
use crate::server::AgentProcess;

const MANUAL: [&str; 4] = ["--clock", "manual", "--log-level", "err"];

/// A reader of the log, at its first line.
fn monitor(server: &AgentProcess, query: &str) -> Raw {
    let mut reader = server.connect();
    reader.ask("GET", &format!("/v1/agent/monitor{query}"));
    let head = reader.answer();
    assert_eq!((head.status, head.header("Transfer-Encoding")), (200, Some("chunked")));
    assert_eq!(head.header("Content-Type"), None, "as Consul");
    reader
}

/// The next line that contains this text.
fn line_with(reader: &mut Raw, part: &str) -> String {
    loop {
        let line = reader.streamed_line().unwrap_or_else(|| panic!("no line says {part}"));
        if line.contains(part) {
            return line;
        }
    }
}

/// The lines before one that contains `end`, without those about HTTP requests and of the module
/// `lictor`.
fn lines_until(reader: &mut Raw, end: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let line = reader.streamed_line().unwrap_or_else(|| panic!("no {end} in {lines:#?}"));
        if line.contains(end) {
            return lines;
        }
        if !line.contains("] agent.http: ") && !line.contains("] lictor: ") {
            lines.push(line);
        }
    }
}

fn advance(server: &AgentProcess, by: &str) {
    server.ok("PUT", &format!("/lictor/clock?advance={by}"), "");
}

fn lock(server: &AgentProcess, key: &str, session: &str) -> String {
    server.ok("PUT", &format!("/v1/kv/{key}?acquire={session}"), "")
}

#[test]
fn expired_sessions_and_refused_locks_are_reported_as_in_consul() {
    let server = AgentProcess::start(&MANUAL);
    let mut reader = monitor(&server, "?loglevel=debug");
    let first = server.session(r#"{"TTL":"10s","LockDelay":"15s"}"#);
    let second = server.session("");
    assert_eq!(lock(&server, "k/1", &first), "true");
    assert_eq!(lock(&server, "with%20space%22q", &first), "true");
    assert_eq!(lock(&server, "k/1", &second), "false", "it is held, which is no line");
    advance(&server, "20.5s");
    assert_eq!(lock(&server, "k/1", &second), "false");
    assert_eq!(lock(&server, "with%20space%22q", &second), "false");
    let lock = |key| json!({"KV": {"Verb": "lock", "Key": key, "Session": &second}});
    let txn = json!([lock("k/1"), lock("free")]).to_string();
    assert_eq!(server.put("/v1/txn", txn.as_bytes()).status, 409);
    advance(&server, "15s");
    server.get("/v1/kv/end");
    let warning = "Rejecting lock of key due to lock-delay";
    let expires = "expire_time=\"1970-01-01 00:00:35 +0000 UTC m=+35.000000000\"";
    assert_eq!(
        lines_until(&mut reader, "/v1/kv/end"),
        [
            format!(
                "1970-01-01T00:00:20.000Z [DEBUG] agent.server: Session TTL expired: \
                 session={first}"
            ),
            format!(
                "1970-01-01T00:00:20.500Z [WARN]  agent.server.kvs: {warning}: key=k/1 {expires}"
            ),
            format!(
                "1970-01-01T00:00:20.500Z [WARN]  agent.server.kvs: {warning}: \
                 key=\"with space\\\"q\" {expires}"
            ),
            format!(
                "1970-01-01T00:00:20.500Z [WARN]  agent.server.txn: {warning}: key=k/1 {expires}"
            ),
        ]
    );
}

#[test]
fn real_time_has_dates_of_the_calendar() {
    let server = AgentProcess::start_with(&[], |command| {
        command.env("TZ", "UTC");
    });
    let mut reader = monitor(&server, "?loglevel=warn&logjson");
    let session = server.session("");
    lock(&server, "k", &session);
    server.ok("PUT", &format!("/v1/session/destroy/{session}"), "");
    lock(&server, "k", &server.session(""));
    lock(&server, "k", &server.session(""));
    let mut next = || -> Value {
        serde_json::from_str(&reader.streamed_line().expect("a line")).expect("JSON")
    };
    let (line, again) = (next(), next());
    assert_eq!(line["@module"], "agent.server.kvs");
    let text = |name: &str| line[name].as_str().expect("text").to_owned();
    let (date, expires) = (text("@timestamp"), text("expire_time"));
    // In this century, such as 2026-11-25T00:30:36.132340Z and 2026-11-25 00:30:51.12507372 +0000.
    assert!(date.starts_with("20") && date.ends_with('Z') && date.len() == 27, "{date}");
    assert!(expires.starts_with("20") && expires.contains(" +0000 UTC m=+15."), "{expires}");
    assert_eq!(again["expire_time"], line["expire_time"], "the delay did not change");
}

#[test]
fn lines_can_be_json() {
    let server = AgentProcess::start(&MANUAL);
    let mut reader = monitor(&server, "?logjson=false&loglevel=DEBUG");
    let session = server.session(r#"{"TTL":"10s"}"#);
    let create = line_with(&mut reader, "/v1/session/create");
    let create: Value = serde_json::from_str(&create).expect("JSON");
    assert_eq!((&create["method"], &create["@level"]), (&"PUT".into(), &"debug".into()));
    advance(&server, "20s");
    let expired = format!(
        "{{\"@level\":\"debug\",\"@message\":\"Session TTL expired\",\
         \"@module\":\"agent.server\",\"@timestamp\":\"1970-01-01T00:00:20.000000Z\",\
         \"session\":\"{session}\"}}"
    );
    assert_eq!(line_with(&mut reader, "expired"), expired);
}

#[test]
fn what_the_agent_does_with_checks_and_services_is_reported_as_in_consul() {
    let server = AgentProcess::start(&MANUAL);
    let mut reader = monitor(&server, "?loglevel=debug");
    let put = |path: &str, body: &str| server.ok("PUT", &format!("/v1/agent/{path}"), body);
    put("check/register", r#"{"Name":"t","TTL":"20s"}"#);
    put("check/pass/t", "");
    put("check/pass/t?note=again", "");
    put("maintenance?enable=true", "");
    put("maintenance?enable=true", "");
    put("maintenance?enable=false", "");
    put("service/register", r#"{"Name":"s","Checks":[{"TTL":"30s"}]}"#);
    put("service/maintenance/s?enable=true", "");
    put("service/maintenance/s?enable=false", "");
    advance(&server, "25s");
    put("service/deregister/s", "");
    put("check/deregister/t", "");
    // The catalog is not the agent's.
    server.ok("PUT", "/v1/catalog/register", r#"{"Node":"x","Address":"a","Check":{"Name":"c"}}"#);
    server.ok("PUT", "/v1/event/fire/deploy", "");
    let mut lines = lines_until(&mut reader, "/v1/event/fire/deploy");
    let event = lines.pop().expect("the agent's line about the event");
    assert!(event.contains("[DEBUG] agent: new event: event_name=deploy event_id="), "{event}");
    let lines = lines.iter().map(|line| line.split_once(' ').expect("a date").1);
    let expected = [
        "[INFO]  agent: Synced check: check=t",
        "[DEBUG] agent: Check status updated: check=t status=passing",
        "[INFO]  agent: Synced check: check=t",
        "[DEBUG] agent: Check status updated: check=t status=passing",
        "[INFO]  agent: Node entered maintenance mode",
        "[INFO]  agent: Synced check: check=_node_maintenance",
        "[DEBUG] agent: removed check: check=_node_maintenance",
        "[INFO]  agent: Node left maintenance mode",
        "[INFO]  agent: Deregistered check: check=_node_maintenance",
        "[INFO]  agent: Synced service: service=s",
        "[INFO]  agent: Service entered maintenance mode: service=s",
        "[INFO]  agent: Synced check: check=_service_maintenance:s",
        "[DEBUG] agent: removed check: check=_service_maintenance:s",
        "[INFO]  agent: Service left maintenance mode: service=s",
        "[INFO]  agent: Deregistered check: check=_service_maintenance:s",
        "[WARN]  agent: Check missed TTL, is now critical: check=t",
        "[INFO]  agent: Synced check: check=t",
        "[DEBUG] agent: removed check: check=service:s",
        "[DEBUG] agent: removed service: service=s",
        "[INFO]  agent: Deregistered service: service=s",
        "[DEBUG] agent: removed check: check=t",
        "[INFO]  agent: Deregistered check: check=t",
        "[DEBUG] agent.server: User event: event=deploy",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn refused_requests_are_errors_and_tokens_are_hidden() {
    let server = AgentProcess::start(&MANUAL);
    let mut reader = monitor(&server, "");
    for (method, path) in [
        ("GET", "/v1/kv/a?token=secret&raw"),
        ("PUT", "/v1/session/renew/x"),
        ("GET", "/v1/agent/service/x"),
        ("GET", "/v1/health/service/x?passing=x"),
        ("POST", "/v1/kv/a"),
        ("GET", "/v1/kv/a?x=%4"),
        // Consul does not call these errors.
        ("GET", "/v1/kv/a?index=x"),
        ("GET", "/v1/kv/a?stale&consistent"),
        ("GET", "/v1/agent/health/service/id/x"),
        ("GET", "/v1/nothing?token=secret"),
        ("OPTIONS", "/v1/kv/a"),
        ("GET", "/v1/kv/"),
    ] {
        server.call(method, path, b"");
    }
    let says = "This request used the token query parameter which is deprecated and will be \
                removed in a future Consul version";
    let request = |method: &str, url: &str, error: &str| {
        format!("[ERROR] agent.http: Request error: method={method} url={url} error=\"{error}\"")
    };
    let expected = [
        format!("[WARN]  agent.http: {says}: logUrl=\"/v1/kv/a?token=<hidden>&raw\""),
        request("PUT", "/v1/session/renew/x", "Session id 'x' not found"),
        request("GET", "/v1/agent/service/x", "unknown service ID: x"),
        request("GET", "/v1/health/service/x?passing=x", "Invalid value for ?passing"),
        request("POST", "/v1/kv/a", "method POST not allowed"),
        "[ERROR] agent.http: Failed to decode query: error=\"invalid URL escape \\\"%4\\\"\""
            .into(),
        request("GET", "/v1/kv/", "Missing key name"),
    ];
    for expected in expected {
        let line = reader.streamed_line().expect("a line");
        let (date, says) = line.split_once(' ').expect("a date");
        let words = says.split(' ').filter(|word| !word.starts_with("from="));
        assert_eq!(words.collect::<Vec<_>>().join(" "), expected, "{date}");
    }
}

#[test]
fn consul_1_13_does_not_warn_of_tokens() {
    let server = AgentProcess::start(&["--consul-version", "1.13"]);
    let mut reader = monitor(&server, "?loglevel=debug");
    server.get("/v1/kv/a?token=secret");
    let line = reader.streamed_line().expect("a line");
    assert!(line.contains(" url=/v1/kv/a?token=<hidden> "), "{line}");
}

#[test]
fn levels_methods_and_paths_are_refused_as_in_consul() {
    let server = AgentProcess::start(&[]);
    for level in ["bogus", "off", "warning", "%20info", "%3Cb%3E"] {
        let refused = server.get(&format!("/v1/agent/monitor?loglevel={level}"));
        let level = level.replace("%20", " ").replace("%3C", "<").replace("%3E", ">");
        let text = format!("Unknown log level: {level}");
        assert_eq!((refused.status, &*refused.body), (400, &*text));
    }
    for method in ["PUT", "POST", "DELETE"] {
        let refused = server.call(method, "/v1/agent/monitor", b"");
        let text = format!("method {method} not allowed");
        assert_eq!((refused.status, &*refused.body), (405, &*text));
        assert_eq!(refused.header("Allow"), Some("OPTIONS,GET"));
    }
    assert_eq!(
        server.call("OPTIONS", "/v1/agent/monitor", b"").header("Allow"),
        Some("OPTIONS,GET")
    );
    assert_eq!(server.get("/v1/agent/monitor/").status, 404);
}

#[test]
fn each_reader_has_its_own_level_and_form() {
    let server = AgentProcess::start(&MANUAL);
    let mut debug = monitor(&server, "?loglevel=debug");
    let mut info = monitor(&server, "?loglevel=&logjson");
    let mut error = monitor(&server, "?loglevel=err");
    server.get("/v1/kv/a");
    server.ok("PUT", "/lictor/failover", "");
    server.put("/v1/kv/", b"");
    let request = line_with(&mut debug, "agent.http");
    assert!(request.contains("[DEBUG] agent.http: Request finished: method=GET url=/v1/kv/a"));
    let info = [info.streamed_line(), info.streamed_line()].map(|line| line.expect("a line"));
    assert!(info[0].contains("\"@message\":\"cluster leadership acquired\""), "{info:?}");
    assert!(info[1].contains("\"@message\":\"New leader elected\""), "{info:?}");
    let error = error.streamed_line().expect("a line");
    assert!(error.contains("[ERROR] agent.http: Request error: method=PUT url=/v1/kv/"), "{error}");
}

#[test]
fn the_stream_ends_when_the_agent_stops() {
    let mut server = AgentProcess::start(&[]);
    let mut reader = monitor(&server, "");
    server.signal("TERM");
    let lines: Vec<_> = std::iter::from_fn(|| reader.streamed_line()).collect();
    let [shutdown, stopping] = &lines[..] else { panic!("two lines: {lines:?}") };
    assert!(shutdown.ends_with(" [INFO]  agent: Requesting shutdown"), "{shutdown}");
    assert!(stopping.contains(" [INFO]  agent: Stopping server: address=127.0.0.1:"), "{stopping}");
    assert!(reader.is_closed());
    assert!(server.wait().success());
}

#[test]
fn a_reader_that_disconnects_ends_its_request() {
    let server = AgentProcess::start(&MANUAL);
    let mut stays = monitor(&server, "?loglevel=debug");
    drop(monitor(&server, "?loglevel=trace"));
    let line = line_with(&mut stays, "/v1/agent/monitor");
    let finished = "[DEBUG] agent.http: Request finished: method=GET \
                    url=/v1/agent/monitor?loglevel=trace from=127.0.0.1:";
    assert!(line.contains(finished), "{line}");
}

/// Consul keeps 512 lines for a reader that does not read, and reports to the others how many it
/// has lost.
#[test]
fn a_slow_reader_loses_lines_and_delays_nobody() {
    let server = AgentProcess::start(&MANUAL);
    let slow = monitor(&server, "?loglevel=debug");
    let mut reader = monitor(&server, "?loglevel=warn");
    // More than the buffers of both ends of its connection hold.
    let long = "x".repeat(60_000);
    for _ in 0..800 {
        assert_eq!(server.get(&format!("/v1/kv/{long}?index=x")).status, 400);
    }
    drop(slow);
    let line = reader.streamed_line().expect("a line");
    let (_, count) = line
        .split_once(" [WARN]  agent: Dropped logs during monitor request: dropped_count=")
        .unwrap_or_else(|| panic!("not {line}"));
    let dropped: u32 = count.parse().expect("a number");
    assert!((1..800).contains(&dropped), "{dropped}");
}
