//! The log of the program: one line for each request, with its reason.

use serde_json::Value;

use crate::server::AgentProcess;

fn calls(server: &AgentProcess) {
    server.ok("PUT", "/v1/kv/a", "1");
    let (one, two) = (server.session(""), server.session(""));
    server.ok("PUT", &format!("/v1/kv/lock?acquire={one}"), "");
    server.ok("PUT", &format!("/v1/kv/lock?acquire={two}"), "");
    server.ok("GET", "/v1/kv/a?index=1", "");
    server.put("/v1/kv/a?cas=x", b"");
    server.get("/v1/unknown");
}

#[test]
fn each_request_is_a_line_at_debug_with_its_reason() {
    let log = AgentProcess::log_of(&["--log-level", "debug"], calls);
    let line = |part: &str| {
        let mut lines = log.lines().filter(|line| line.contains(part));
        let line = lines.next().unwrap_or_else(|| panic!("no line has {part}: {log}"));
        assert_eq!(lines.count(), 0, "{log}");
        line
    };
    let put = line("method=PUT target=\"/v1/kv/a\" status=200");
    assert!(put.contains("DEBUG") && put.contains("took="), "{put}");
    assert!(line("held by").contains("/v1/kv/lock?acquire="), "{log}");
    assert!(line("a has changed").contains("/v1/kv/a?index=1"), "{log}");
    assert!(line("/v1/unknown").contains("status=404"), "{log}");
    let wrong = line("/v1/kv/a?cas=x");
    assert!(wrong.contains("status=500") && !wrong.ends_with("reason=\"\""), "{wrong}");
}

#[test]
fn requests_are_not_logged_above_debug() {
    assert_eq!(AgentProcess::log_of(&["--log-level", "info"], calls), "");
}

#[test]
fn the_log_can_be_json() {
    let log = AgentProcess::log_of(&["--log-level", "debug", "--log-json"], calls);
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let put = lines.iter().find(|line| line["target"] == "/v1/kv/a").expect("a line");
    assert_eq!((&put["level"], &put["method"]), (&"DEBUG".into(), &"PUT".into()), "{put}");
    assert_eq!(put["status"], 200, "{put}");
}
