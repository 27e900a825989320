//! The log of the program, on its error output.

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
fn each_request_is_a_line_at_debug() {
    let log = AgentProcess::log_of(&["--log-level", "debug"], calls);
    let line = |part: &str| {
        let mut lines = log.lines().filter(|line| line.contains(part));
        let line = lines.next().unwrap_or_else(|| panic!("no line has {part}: {log}"));
        assert_eq!(lines.count(), 0, "{log}");
        line
    };
    let put = line("[DEBUG] agent.http: Request finished: method=PUT url=/v1/kv/a from=127.0.0.1:");
    assert!(put.contains(" latency="), "{put}");
    let refused = line("[ERROR] agent.http: Request error: method=PUT url=/v1/kv/a?cas=x from=");
    let error = " error=\"strconv.ParseUint: parsing \\\"x\\\": invalid syntax\"";
    assert!(refused.ends_with(error), "{refused}");
    assert!(!log.contains("/v1/unknown"), "Consul does not log it: {log}");
}

#[test]
fn reasons_that_consul_does_not_have_are_lines_of_their_own() {
    let log = AgentProcess::log_of(&["--log-level", "debug"], calls);
    let reasons: Vec<_> =
        log.lines().filter(|line| line.contains("[DEBUG] lictor: Reason of the answer")).collect();
    let [held, changed] = &reasons[..] else { panic!("two reasons: {log}") };
    assert!(held.contains(" url=/v1/kv/lock?acquire="), "{held}");
    assert!(held.contains(" status=200 reason=\"held by "), "{held}");
    assert!(
        changed.ends_with(" url=/v1/kv/a?index=1 status=200 reason=\"a has changed\""),
        "{log}"
    );
}

#[test]
fn above_debug_there_are_refusals_start_and_stop() {
    let log = AgentProcess::log_of(&["--log-level", "info"], calls);
    let says = log.lines().map(|line| line.split_once(' ').expect("a date").1);
    let says: Vec<_> = says.map(|line| line.split("127.0.0.1").next().unwrap_or(line)).collect();
    let expected = [
        "[INFO]  agent: Starting server: address=",
        "[INFO]  agent: Consul agent running!",
        "[INFO]  agent.server: cluster leadership acquired",
        "[INFO]  agent.server: New leader elected: payload=n1",
        "[INFO]  agent: Synced node info",
        "[ERROR] agent.http: Request error: method=PUT url=/v1/kv/a?cas=x from=",
        "[INFO]  agent: Requesting shutdown",
        "[INFO]  agent: Stopping server: address=",
    ];
    assert_eq!(says, expected);
    assert_eq!(AgentProcess::log_of(&["--log-level", "warn"], |_| {}), "");
}

#[test]
fn the_log_can_be_json() {
    let log = AgentProcess::log_of(&["--log-level", "debug", "--log-json"], calls);
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let put = lines.iter().find(|line| line["url"] == "/v1/kv/a").expect("a line");
    assert_eq!((&put["@level"], &put["@module"]), (&"debug".into(), &"agent.http".into()), "{put}");
    assert_eq!((&put["@message"], &put["method"]), (&"Request finished".into(), &"PUT".into()));
    let reason = lines.iter().find(|line| line["@module"] == "lictor").expect("a reason");
    assert_eq!(reason["status"], 200, "{reason}");
}
