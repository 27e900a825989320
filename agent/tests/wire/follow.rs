//! `lictor-agent incident --live --follow`: the lines about a cluster that changes. The cluster is
//! an agent, or the Consul that `LICTOR_CONSUL` names.

use std::io::{BufRead as _, BufReader};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;
use serde_json::Value;

use crate::live::{FakeServer, KEY, SESSION, TOKEN, healthy, http};
use crate::raw::LONG;
use crate::server::{AgentProcess, command};

/// The command while it runs, and its lines.
pub(crate) struct Follower {
    process: Child,
    lines: Receiver<String>,
    pub(crate) read: Vec<String>,
}

impl Follower {
    pub(crate) fn start(address: &str, arguments: &[&str]) -> Self {
        let live = ["incident", "--live", address, "--follow", "--json"];
        let mut command = command(&[&live, arguments].concat());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CONSUL_") {
                command.env_remove(name);
            }
        }
        let mut process = command.spawn().expect("it was built");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { process, lines, read: Vec::new() }
    }

    /// The next line.
    fn next(&mut self, until: Instant, wanted: &str) -> Value {
        let rest = until.saturating_duration_since(Instant::now());
        let Ok(line) = self.lines.recv_timeout(rest) else {
            panic!("no line {wanted:?} after {:#?}", self.read);
        };
        let value = serde_json::from_str(&line).expect("each line is an object");
        self.read.push(line);
        value
    }

    /// The next line of this kind.
    pub(crate) fn line(&mut self, kind: &str) -> Value {
        let until = Instant::now() + LONG;
        loop {
            let value = self.next(until, kind);
            if value["change"] == kind {
                return value;
            }
        }
    }

    /// Reads until a line of each of these kinds was read, in any order.
    fn lines_of(&mut self, kinds: &[&str]) {
        let until = Instant::now() + LONG;
        let mut missing = kinds.to_vec();
        while !missing.is_empty() {
            let value = self.next(until, &missing.concat());
            missing.retain(|kind| value["change"] != *kind);
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn now() -> Timestamp {
    SystemTime::now().try_into().expect("a clock after 1970")
}

fn time(value: &Value) -> Timestamp {
    value.as_str().and_then(|text| text.parse().ok()).expect("a time")
}

#[test]
fn each_change_of_a_key_is_a_line_with_bounds() {
    let cluster = AgentProcess::cluster();
    let mut follower = Follower::start(&cluster.address, &["--key", KEY]);
    let absent = follower.line("state");
    assert_eq!(absent["text"], format!("there is no key {KEY}"));
    let first = cluster.session(r#"{"Name": "worker-a", "LockDelay": "1s"}"#);
    let second = cluster.session(r#"{"Name": "worker-b"}"#);
    let before = now();
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={first}"), "hidden-value");
    let acquired = follower.line("acquired");
    assert!(time(&acquired["time"]) < now(), "{acquired}");
    assert_eq!(
        (&acquired["key"], &acquired["answer"]["holder"]),
        (&KEY.into(), &first.clone().into())
    );
    let [from, to] = [0, 1].map(|end| time(&acquired["between"][end]));
    assert!(from <= before && before <= to, "{acquired}");
    cluster.ok("PUT", &format!("/v1/session/destroy/{first}"), "");
    let ended = follower.line("ended");
    let text = ended["text"].as_str().expect("text");
    assert!(text.contains("DELAYED") && text.contains("A client of session"), "{text}");
    let acquire = format!("/v1/kv/{KEY}?acquire={second}");
    while cluster.ok("PUT", &acquire, "").trim() != "true" {
        thread::sleep(Duration::from_millis(50));
    }
    let taken = follower.line("acquired");
    assert_eq!(taken["answer"]["holder"], second.clone());
    assert!(ended["answer"]["latest"].is_null() || time(&ended["answer"]["earliest"]) <= now());
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?release={second}"), "");
    assert!(follower.line("lost")["answer"]["holder"].is_null());
    assert!(!follower.read.concat().contains("hidden"), "{:#?}", follower.read);
}

#[test]
fn another_key_that_the_log_names_hides_nothing_of_a_prefix_and_has_no_line() {
    let cluster = AgentProcess::cluster();
    let former = cluster.session("{}");
    for act in ["acquire", "release"] {
        cluster.ok("PUT", &format!("/v1/kv/{KEY}?{act}={former}"), "");
    }
    let mut follower = Follower::start(&cluster.address, &["--prefix", "jobs/"]);
    // After the first state and the note about the log each change has a line of its own.
    follower.lines_of(&["state", "note"]);
    let read = follower.read.concat();
    assert!(read.contains("the log of the agent is followed"), "{read}");
    let other = cluster.session("{}");
    cluster.ok("PUT", &format!("/v1/kv/other/leader?acquire={other}"), "");
    let holder = cluster.session(r#"{"Name": "worker-a", "TTL": "15s"}"#);
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "");
    assert_eq!(follower.line("acquired")["key"], KEY);
    for _ in 0..3 {
        cluster.ok("PUT", &format!("/v1/session/renew/{holder}"), "");
        thread::sleep(Duration::from_millis(500));
    }
    // Only the log has the renewals.
    let renewals = follower.line("renewals");
    assert!(renewals["text"].as_str().expect("text").contains("(worker-a)"), "{renewals}");
    assert!(!follower.read.concat().contains("other/leader"), "{:#?}", follower.read);
}

#[test]
fn a_holder_that_renews_no_more_is_missed() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"Name": "worker-a", "TTL": "15s"}"#);
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "");
    let mut follower = Follower::start(&cluster.address, &["--key", KEY]);
    let note = follower.line("note");
    let text = note["text"].as_str().expect("text");
    assert!(text.contains("not those to other agents"), "{text}");
    for _ in 0..3 {
        cluster.ok("PUT", &format!("/v1/session/renew/{holder}"), "");
        thread::sleep(Duration::from_millis(500));
    }
    let renewals = follower.line("renewals");
    assert!(renewals["text"].as_str().expect("text").contains("(worker-a) is renewed every"));
    let missed = follower.line("missed");
    let text = missed["text"].as_str().expect("text");
    assert!(text.contains("no renewal of session") && text.contains("HELD"), "{text}");
    cluster.ok("PUT", &format!("/v1/session/renew/{holder}"), "");
    let again = follower.line("renewals");
    assert!(again["text"].as_str().expect("text").contains("renewed again"), "{again}");
}

#[test]
fn a_server_that_is_gone_and_comes_back_empty_is_said() {
    let mut cluster = AgentProcess::start(&[]);
    let address = cluster.address.clone();
    let holder = cluster.session(r#"{"Name": "worker-a"}"#);
    for body in 0..5 {
        let write = format!("/v1/kv/{KEY}?acquire={holder}");
        cluster.ok("PUT", &write, &body.to_string());
    }
    let mut follower = Follower::start(&address, &["--key", KEY]);
    assert_eq!(follower.line("state")["answer"]["holder"], holder);
    cluster.signal("KILL");
    cluster.wait();
    let mut stale = follower.line("stale");
    while !stale["text"].as_str().expect("text").starts_with("no answer: ") {
        stale = follower.line("stale");
    }
    assert!(stale["text"].as_str().expect("text").contains("may be old"), "{stale}");
    let _again = AgentProcess::start(&["--addr", &address]);
    follower.line("index");
    follower.line("again");
    assert_eq!(follower.line("gone")["text"], format!("there is no key {KEY} any more"));
}

#[test]
fn a_log_that_may_not_be_read_is_named_and_no_line_has_the_token() {
    let server = FakeServer::start(|request, _| {
        if request.contains("/v1/agent/monitor") {
            return http("403 Forbidden", "", &format!("Permission denied: {TOKEN}"));
        }
        healthy(request)
    });
    let mut follower = Follower::start(&server.address, &["--key", KEY, "-token", TOKEN]);
    let held = loop {
        let state = follower.line("state");
        if state["answer"]["holder"] == SESSION {
            break state;
        }
    };
    assert_eq!(held["answer"]["kind"], "held");
    let read = follower.read.concat();
    let note = if read.contains("agent:read") { read } else { follower.line("note").to_string() };
    assert!(note.contains("HTTP 403") && note.contains("agent:read"), "{note}");
    // This server answers each blocking query at once.
    thread::sleep(Duration::from_secs(2));
    let asked = server.asked.lock().expect("no test has failed");
    let waiting = asked.iter().filter(|request| request.contains("index=")).count();
    assert!(waiting <= 4 && asked.len() < 40, "{waiting} of {}", asked.len());
    drop(asked);
    assert!(!follower.read.concat().contains(TOKEN), "{:#?}", follower.read);
}

#[test]
fn the_times_of_a_change_contain_one_that_only_the_lists_show() {
    // Another session gets the key after the blocking query has returned, and before the lists.
    const OTHER: &str = "9c2e4d11-0000-4000-8000-000000000001";
    const LAST: &str = "9c2e4d11-0000-4000-8000-000000000002";
    let has_changed = AtomicBool::new(false);
    let server = FakeServer::start(move |request, _| {
        if request.contains("/v1/agent/monitor") {
            return http("403 Forbidden", "", "Permission denied");
        }
        let answer = String::from_utf8(healthy(request)).expect("text");
        let changed = |session: &str, second: &str| {
            let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
            let body =
                body.replace(SESSION, session).replace("ModifyIndex\": 9", "ModifyIndex\": 12");
            let index = "X-Consul-Index: 12\r\nX-Consul-Knownleader: true\r\n";
            let answer = String::from_utf8(http("200 OK", index, &body)).expect("text");
            answer.replace("09:10:41", second).into_bytes()
        };
        if request.contains("index=9") {
            thread::sleep(Duration::from_secs(2));
            has_changed.store(true, Ordering::SeqCst);
            return changed(OTHER, "09:10:43");
        }
        if has_changed.load(Ordering::SeqCst) {
            return changed(LAST, "09:10:46");
        }
        answer.into_bytes()
    });
    let mut follower = Follower::start(&server.address, &["--key", KEY]);
    assert_eq!(follower.line("state")["answer"]["holder"], SESSION);
    let taken = follower.line("taken");
    assert_eq!(taken["answer"]["holder"], LAST);
    let [from, to] = [0, 1].map(|end| time(&taken["between"][end]).to_string());
    assert_eq!(from, "2026-11-26T09:10:41Z");
    assert!(to.starts_with("2026-11-26T09:10:46"), "{taken}");
    // The clock of this server is on another day than that of the follower.
    let text = taken["text"].as_str().expect("text");
    assert!(text.contains(", as of 2026-11-26 09:10:46"), "{taken}");
}

#[test]
fn a_slot_of_a_semaphore_that_becomes_free_is_a_line() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"Name": "slot-1", "TTL": "15s"}"#);
    cluster.ok("PUT", &format!("/v1/kv/pool/{holder}?acquire={holder}"), "");
    let document = format!(r#"{{"Limit": 1, "Holders": {{"{holder}": true}}}}"#);
    cluster.ok("PUT", "/v1/kv/pool/.lock?flags=16210313421097356768", &document);
    let mut follower = Follower::start(&cluster.address, &["--key", "pool/.lock"]);
    let used = follower.line("state");
    assert!(used["text"].as_str().expect("text").contains("CONTENDED pool/.lock"), "{used}");
    cluster.ok("PUT", &format!("/v1/session/destroy/{holder}"), "");
    let free = follower.line("state");
    assert!(free["text"].as_str().expect("text").contains("others can get a slot now"), "{free}");
}
