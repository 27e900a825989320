//! Texts that lack something without a sign of it: an answer does not count on what they lack.

use lictor_incident::{AnswerKind, Incident, SignedDuration, Source, Timestamp, parse_time};
use serde_json::json;

use crate::bounds::{HOLDER, free_key, held_key, nodes, request, session};

const TAKEN: &str = "2026-11-26T09:10:40Z";

fn read(texts: &[&str]) -> Incident {
    let sources: Vec<_> = texts.iter().map(|text| Source::new("pasted", text.as_bytes())).collect();
    Incident::read(&sources, parse_time(TAKEN)).unwrap_or_else(|error| panic!("{error}"))
}

/// A line of a log.
fn line(time: &str, level: &str, text: &str) -> String {
    format!("2026-11-26T{time}Z [{level}] {text}\n")
}

/// A request with its answer, as `curl -i` prints them.
fn answered(path: &str, time: &str, list: &str) -> String {
    format!(
        "$ curl -si 'http://127.0.0.1:8500{path}'\nHTTP/1.1 200 OK\n\
         Date: Thu, 26 Nov 2026 {time} GMT\n\n{list}\n"
    )
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

#[test]
fn a_list_of_keys_is_no_answer_to_a_request_for_sessions() {
    let sessions = answered("/v1/session/list", "09:10:35", &session(&json!({})));
    let keys = json!([free_key("k")]).to_string();
    let keys = answered("/v1/session/list", "09:10:52", &keys);
    assert!(!read(&[&sessions, &keys]).has_ended(HOLDER));
}

#[test]
fn what_follows_a_list_that_was_cut_is_another_answer() {
    let sessions = answered("/v1/session/list", "09:10:35", &session(&json!({})));
    let other = json!({
        "ID": "a2c75e79-a57f-48e7-bba7-39588f7b9858", "CreateIndex": 20, "ModifyIndex": 20,
    });
    let other = session(&other);
    let other = answered("/v1/session/node/n2", "09:10:52", &other);
    let (_, head_and_list) = other.split_once('\n').expect("a line with the request");
    for cut in ["", "[{\"ID\":\"41\n", "[{\"ID\":\n"] {
        let text = format!("$ curl -s 'http://127.0.0.1:8500/v1/session/list'\n{cut}");
        let incident = read(&[&sessions, &(text + head_and_list)]);
        assert_eq!(incident.has_ended(HOLDER), cut.is_empty(), "{cut:?}");
    }
}

#[test]
fn a_key_that_lost_its_holder_without_a_line_shows_that_lines_are_missing() {
    let url = "/v1/kv/?recurse";
    let renewal = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let lists = [
        answered("/v1/session/list", "09:10:40", &session(&json!({}))),
        answered(url, "09:10:30", &held_key()),
        answered(url, "09:10:40", &json!([free_key("k")]).to_string()),
    ];
    let kind = |change: &str| {
        let log = [
            line("09:09:00.000", "DEBUG", &request("GET", "/v1/kv/other")),
            line("09:10:25.000", "DEBUG", &renewal),
            line("09:10:30.500", "DEBUG", &request("GET", url)),
            change.to_owned(),
            line("09:10:40.100", "DEBUG", &request("GET", "/v1/session/list")),
            line("09:10:40.200", "DEBUG", &request("GET", url)),
            line("09:10:41.500", "DEBUG", &request("GET", "/v1/kv/other")),
        ];
        let [sessions, before, after] = &lists;
        let incident = read(&[sessions, before, after, &nodes(1), &log.concat()]);
        let answer = incident.answer_for("k").expect("the key is listed");
        let reasons: Vec<_> = answer.reasons.into_iter().map(|reason| reason.text).collect();
        (answer.kind, reasons.concat().contains("lines are missing"))
    };
    let release = request("PUT", &format!("/v1/kv/k?release={HOLDER}"));
    let release = line("09:10:35.000", "DEBUG", &release);
    assert_eq!(kind(&release), (AnswerKind::Free, false));
    assert_eq!(kind(""), (AnswerKind::MaybeDelayed, true));
}

#[test]
fn the_end_of_a_session_that_has_released_a_key_delays_nobody() {
    let id = "a2c75e79-a57f-48e7-bba7-39588f7b9858";
    let log = [
        line("09:10:40.100", "DEBUG", &request("GET", "/v1/kv/?recurse")),
        line("09:10:42.000", "DEBUG", &request("PUT", &format!("/v1/kv/k?release={HOLDER}"))),
        line(
            "09:10:50.000",
            "DEBUG",
            &format!("agent.server: Session TTL expired: session={HOLDER}"),
        ),
        line("09:10:55.000", "DEBUG", &request("PUT", &format!("/v1/kv/k?acquire={id}"))),
    ];
    let keys = answered("/v1/kv/?recurse", "09:10:40", &held_key());
    let incident = read(&[&keys, &session(&json!({})), &nodes(1), &log.concat()]);
    let answer = incident.answer_for("k").expect("the key is listed");
    assert_eq!((answer.kind, answer.likely.as_deref()), (AnswerKind::Unknown, Some(id)));
}

#[test]
fn an_acquire_after_the_end_of_a_lock_delay_may_have_been_true() {
    let refused = "agent.server.kvs: Rejecting lock of key due to lock-delay: key=k \
                   expire_time=\"2026-11-26 09:10:55 +0000 UTC m=+24.4\"";
    let acquire = request("PUT", &format!("/v1/kv/k?acquire={HOLDER}"));
    let kind = |asked_at: &str, clock_offset: i64| {
        let log = [
            line("09:10:45.000", "WARN", refused),
            line("09:10:45.001", "DEBUG", &acquire),
            line(asked_at, "DEBUG", &acquire),
        ];
        let (log, sessions) = (log.concat(), session(&json!({})));
        let log = Source::new("log", log.as_bytes());
        let log = log.clock_offset(SignedDuration::from_secs(clock_offset));
        let incident =
            Incident::read(&[Source::new("s", sessions.as_bytes()), log], parse_time(TAKEN));
        let answer = incident.expect("a list").answer_for("k").expect("the log names the key");
        (answer.kind, answer.latest)
    };
    let delayed_until = |time: &str| (AnswerKind::Delayed, parse_time(time));
    assert_eq!(kind("09:10:54.000", 0), delayed_until("2026-11-26T09:10:55Z"));
    assert_eq!(kind("09:10:56.000", 0), (AnswerKind::Unknown, None));
    // The clock that is behind has written the end of the lock-delay, too.
    assert_eq!(kind("09:10:54.000", 10), delayed_until("2026-11-26T09:11:05Z"));
}

#[test]
fn a_log_with_lines_of_one_key_only_does_not_have_every_request() {
    let url = "/v1/kv/k";
    let acquire = request("PUT", &format!("{url}?acquire={HOLDER}"));
    let lacks_requests = |other: &str| {
        let log = [
            line("09:09:35.000", "DEBUG", &request("GET", url)),
            line("09:10:31.000", "DEBUG", &acquire),
            other.to_owned(),
            line("09:10:40.100", "DEBUG", &request("GET", url)),
            line("09:10:41.500", "DEBUG", &request("GET", url)),
        ];
        let keys = answered(url, "09:10:40", &json!([free_key("k")]).to_string());
        let incident = read(&[&keys, &nodes(1), &log.concat()]);
        let answer = incident.answer_for("k").expect("the key is listed");
        answer.reasons.into_iter().any(|reason| reason.text.contains("do not have all requests"))
    };
    assert!(lacks_requests(""), "as `grep` picks them");
    assert!(!lacks_requests(&line("09:10:35.000", "DEBUG", "agent: Node info in sync")));
}

#[test]
fn colours_of_a_terminal_hide_no_request() {
    let renewal = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let colour =
        |text: &str| text.replace("session", "\u{1b}[01;31m\u{1b}[Ksession\u{1b}[m\u{1b}[K");
    let latest = |colour: &dyn Fn(&str) -> String| {
        let log = [
            line("09:09:30.000", "DEBUG", &request("GET", "/v1/kv/other")),
            line("09:10:35.000", "DEBUG", &renewal),
            line("09:10:40.100", "DEBUG", &request("GET", "/v1/session/list")),
            line("09:10:40.200", "DEBUG", &request("GET", "/v1/kv/?recurse")),
            line("09:10:41.500", "DEBUG", "agent: Node info in sync"),
        ];
        let incident =
            read(&[&colour(&session(&json!({}))), &held_key(), &nodes(1), &colour(&log.concat())]);
        incident.answer_for("k").expect("the key is listed").latest
    };
    assert!(latest(&str::to_owned).is_some());
    assert_eq!(latest(&colour), latest(&str::to_owned));
}
