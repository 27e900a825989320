//! Texts that lack something without a sign of it: an answer does not count on what they lack.

use lictor_incident::{Incident, Source, Timestamp, parse_time};
use serde_json::json;

use crate::bounds::{held_key, nodes, request, session};

const TAKEN: &str = "2026-11-26T09:10:40Z";

fn read(texts: &[&str]) -> Incident {
    let sources: Vec<_> = texts.iter().map(|text| Source::new("pasted", text.as_bytes())).collect();
    Incident::read(&sources, parse_time(TAKEN)).unwrap_or_else(|error| panic!("{error}"))
}

/// A line of a log.
fn line(time: &str, level: &str, text: &str) -> String {
    format!("2026-11-26T{time}Z [{level}] {text}\n")
}

#[test]
fn a_log_of_a_new_cluster_has_all_requests_only_if_its_level_was_debug_from_the_beginning() {
    let listed = ["/v1/session/list", "/v1/kv/?recurse"]
        .map(|url| line("09:10:40.000", "DEBUG", &request("GET", url)));
    let lists = [session(&json!({ "TTL": "90s" })), held_key(), nodes(1)];
    let bounds = |votes: &str| {
        let log = [
            line("09:08:00.000", "INFO", "agent.server.raft: entering candidate state: term=2"),
            votes.to_owned(),
            line("09:08:00.000", "INFO", "agent.server: New leader elected: payload=n1"),
            listed.concat(),
        ];
        let incident = read(&[&lists[0], &lists[1], &lists[2], &log.concat()]);
        let answer = incident.answer_for("k").expect("the key is listed");
        let taken = parse_time(TAKEN).expect("a time");
        let seconds = |time: Timestamp| time.duration_since(taken).as_secs();
        [answer.earliest, answer.latest].map(|time| time.map(seconds))
    };
    // The election set the timer at 08:00, 160 s before the lists: 180 - 160 + 15 = 35.
    let votes = "agent.server.raft: calculated votes needed: needed=1 term=2";
    assert_eq!(bounds(&line("09:08:00.000", "DEBUG", votes)), [Some(35), Some(35)]);
    // The session may have been renewed before the level was changed.
    assert_eq!(bounds(""), [Some(35), Some(195)]);
}
