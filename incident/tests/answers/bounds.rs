//! Answers from incomplete sources: what they do not contain widens the bounds of the time at which
//! a key can be taken.

use std::time::Duration;

use lictor_incident::{
    AnswerKind, Incident, IncidentError, SignedDuration, Source, TakenBy, Timestamp, parse_time,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub(crate) const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const TAKEN: &str = "2026-11-26T09:10:40Z";

pub(crate) fn session(changes: &Value) -> String {
    let mut session = json!({
        "ID": HOLDER, "Name": "worker-a", "Node": "n1", "LockDelay": 15_000_000_000_u64,
        "Behavior": "release", "TTL": "15s", "NodeChecks": ["serfHealth"], "ServiceChecks": null,
        "CreateIndex": 8, "ModifyIndex": 8,
    });
    let changes = changes.as_object().unwrap().clone();
    session.as_object_mut().unwrap().extend(changes);
    json!([session]).to_string()
}

pub(crate) fn held_key() -> String {
    json!([{ "Key": "k", "LockIndex": 1, "Flags": 0, "Value": null, "Session": HOLDER,
        "CreateIndex": 9, "ModifyIndex": 9 }])
    .to_string()
}

pub(crate) fn nodes(count: usize) -> String {
    let node = |number: usize| json!({ "Node": format!("n{number}"), "Address": "127.0.0.1" });
    (1..=count).map(node).collect::<Value>().to_string()
}

/// Lines of a log, each from its time of day and its text, which begins with the module.
fn log(lines: &[(&str, &str)]) -> String {
    lines.iter().map(|(time, text)| format!("2026-11-26T{time}Z [DEBUG] {text}\n")).collect()
}

pub(crate) fn request(method: &str, url: &str) -> String {
    format!("agent.http: Request finished: method={method} url={url} from=127.0.0.1:1 latency=1ms")
}

/// The requests for the lists in a log, at the time at which they were taken.
fn listed() -> [(&'static str, String); 2] {
    ["/v1/session/list", "/v1/kv/?recurse"].map(|url| ("09:10:40.000", request("GET", url)))
}

/// Lines of the log of an agent that answered the requests for the lists.
fn whole_log(lines: &[(&str, &str)]) -> String {
    let listed = listed();
    let mut all: Vec<(&str, &str)> = lines.to_vec();
    all.extend(listed.iter().map(|(time, text)| (*time, text.as_str())));
    all.sort_by_key(|(time, _)| *time);
    log(&all)
}

/// A key that nobody holds.
pub(crate) fn free_key(key: &str) -> Value {
    json!({ "Key": key, "LockIndex": 1, "Flags": 0, "Value": null, "CreateIndex": 9,
        "ModifyIndex": 12 })
}

fn read(texts: &[&str]) -> Result<Incident, IncidentError> {
    let sources: Vec<_> = texts.iter().map(|text| Source::new("pasted", text.as_bytes())).collect();
    Incident::read(&sources, parse_time(TAKEN))
}

/// The earliest and the latest time at which the key can be taken, in seconds after the lists were
/// taken, and the sentence.
fn key(texts: &[&str]) -> (Option<f64>, Option<f64>, String) {
    let answer = read(texts).unwrap().answer_for("k").unwrap();
    let taken = parse_time(TAKEN).unwrap();
    let seconds = |time: Timestamp| time.duration_since(taken).as_secs_f64();
    (answer.earliest.map(seconds), answer.latest.map(seconds), answer.sentence)
}

#[test]
fn a_renewal_in_the_log_of_the_only_agent_is_exact_and_one_of_three_is_a_bound() {
    let renewed = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let log = whole_log(&[("09:10:00.000", "agent: a line"), ("09:10:32.000", &renewed)]);
    let (sessions, keys) = (session(&json!({})), held_key());
    // 32 + 2 x 15 + 15 = 77, which is 37 s after 40.
    let (earliest, latest, _) = key(&[&sessions, &keys, &log, &nodes(1)]);
    assert_eq!((earliest, latest), (Some(37.0), Some(37.0)));
    let (earliest, latest, _) = key(&[&sessions, &keys, &log, &nodes(3)]);
    assert_eq!((earliest, latest), (Some(37.0), Some(45.0)));
}

#[test]
fn an_election_sets_the_timers_anew() {
    let renewed = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let elected = "agent.server: New leader elected: payload=n1";
    let log = whole_log(&[("09:10:32.000", &renewed), ("09:10:35.000", elected)]);
    let (earliest, latest, sentence) = key(&[&session(&json!({})), &held_key(), &log, &nodes(1)]);
    assert_eq!((earliest, latest), (Some(40.0), Some(40.0)));
    assert!(sentence.contains("election"), "{sentence}");
}

#[test]
fn a_session_that_the_log_ends_after_the_list_delays_the_key() {
    for end in [
        format!("agent.server: Session TTL expired: session={HOLDER}"),
        request("PUT", &format!("/v1/session/destroy/{HOLDER}")),
    ] {
        let log = whole_log(&[("09:10:50.000", &end)]);
        let (lists, held) = (session(&json!({})), held_key());
        let (earliest, latest, sentence) = key(&[&lists, &held, &log, &nodes(1)]);
        assert_eq!((earliest, latest), (Some(25.0), Some(25.0)), "{sentence}");
        // By the log of one of two agents another session may hold the key meanwhile.
        let (earliest, latest, sentence) = key(&[&lists, &held, &log, &nodes(2)]);
        assert_eq!((earliest, latest), (Some(10.0), None), "{sentence}");
    }
}

#[test]
fn a_session_without_ttl_does_not_end_by_itself() {
    let (earliest, latest, sentence) = key(&[&session(&json!({ "TTL": "" })), &held_key()]);
    assert_eq!((earliest, latest), (None, None));
    assert!(sentence.contains("no TTL") && sentence.contains("serfHealth"), "{sentence}");
}

#[test]
fn without_a_lock_delay_the_key_is_free_when_the_session_ends() {
    let (earliest, latest, _) = key(&[&session(&json!({ "LockDelay": 0 })), &held_key()]);
    assert_eq!((earliest, latest), (Some(0.0), Some(30.0)));
}

#[test]
fn a_holder_is_of_unknown_length_without_the_session_list() {
    let (earliest, latest, sentence) = key(&[&held_key()]);
    assert_eq!((earliest, latest), (Some(0.0), None));
    assert!(sentence.contains("/v1/session/list"), "{sentence}");
}

#[test]
fn a_holder_that_is_not_in_the_list_may_have_ended_or_not() {
    let other = session(&json!({ "ID": "00000000-0000-0000-0000-000000000000" }));
    let (earliest, latest, sentence) = key(&[&other, &held_key()]);
    assert_eq!((earliest, latest), (Some(0.0), None));
    assert!(sentence.contains("not in the list of sessions"), "{sentence}");
}

#[test]
fn a_create_is_tied_to_the_session_that_no_other_order_allows() {
    let other = "a2c75e79-a57f-48e7-bba7-39588f7b9858";
    let lines = [
        ("09:10:30.000", "agent.server.raft: entering candidate state: node=n1 term=2".to_owned()),
        ("09:10:31.000", request("PUT", "/v1/session/create")),
        ("09:10:32.000", request("PUT", &format!("/v1/kv/k?acquire={other}"))),
        ("09:10:33.000", request("PUT", "/v1/session/create")),
    ];
    let lines: Vec<_> = lines.iter().map(|(time, text)| (*time, text.as_str())).collect();
    let answer = key(&[&session(&json!({})), &held_key(), &whole_log(&lines), &nodes(1)]);
    // The other session needs the first create: 33 + 30 + 15 = 78.
    assert_eq!((answer.0, answer.1), (Some(38.0), Some(38.0)), "{}", answer.2);
}

#[test]
fn the_offset_of_a_clock_moves_what_its_log_says() {
    let end = format!("agent.server: Session TTL expired: session={HOLDER}");
    let listed = ["/v1/session/list", "/v1/kv/?recurse"].map(|url| request("GET", url));
    let lines = [
        ("09:10:37.500", &*listed[0]),
        ("09:10:37.500", &*listed[1]),
        ("09:10:50.000", end.as_str()),
    ];
    let (sessions, keys, log) = (session(&json!({})), held_key(), log(&lines));
    let nodes = nodes(1);
    let offset = Duration::from_millis(2_500).try_into().unwrap();
    let sources = [
        Source::new("sessions", sessions.as_bytes()),
        Source::new("keys", keys.as_bytes()),
        Source::new("log", log.as_bytes()).clock_offset(offset),
        Source::new("nodes", nodes.as_bytes()),
    ];
    let incident = Incident::read(&sources, parse_time(TAKEN)).unwrap();
    let answer = incident.answer_for("k").unwrap();
    assert_eq!(answer.kind, AnswerKind::Delayed);
    assert_eq!(answer.earliest, parse_time("2026-11-26T09:11:07.500Z"));
}

#[test]
fn lists_of_two_datacenters_are_refused() {
    let node = |datacenter: &str| {
        json!([{ "Node": "n1", "Address": "127.0.0.1", "Datacenter": datacenter }]).to_string()
    };
    let error = read(&[&node("dc1"), &node("dc2")]).unwrap_err();
    let named = vec!["dc1 (pasted:1)".into(), "dc2 (pasted:1)".into()];
    assert_eq!(error, IncidentError::Datacenters(named));
}

#[test]
fn a_list_without_a_time_needs_one() {
    let sessions = session(&json!({}));
    let error = Incident::read(&[Source::new("f", sessions.as_bytes())], None).unwrap_err();
    assert_eq!(error, IncidentError::NoTime);
}

#[test]
fn a_full_semaphore_is_free_when_the_first_holder_ends() {
    let value = json!({ "Limit": 1, "Holders": { HOLDER: true } }).to_string();
    let value = base64(value.as_bytes());
    let keys = json!([
        { "Key": "s/.lock", "LockIndex": 0, "Flags": 0, "Value": value, "CreateIndex": 12,
            "ModifyIndex": 13 },
        { "Key": format!("s/{HOLDER}"), "LockIndex": 1, "Value": null, "Session": HOLDER },
    ]);
    let incident = read(&[&session(&json!({})), &keys.to_string()]).unwrap();
    let answer = incident.answer_for("s/.lock").unwrap();
    assert_eq!(answer.kind, AnswerKind::Semaphore);
    assert_eq!(answer.earliest, parse_time(TAKEN));
    assert_eq!(answer.latest, parse_time("2026-11-26T09:11:10Z"));
    // The contender's key is locked, so its session lives, even if a list does not have it.
    let unlisted = read(&["$ curl /v1/session/list\n[]", &keys.to_string()]).unwrap();
    let answer = unlisted.answer_for("s/.lock").unwrap();
    assert_eq!((answer.latest, answer.commands.len()), (None, 0));
}

/// The prefix has characters that a shell and an address escape; the flags are those of Consul's
/// client.
#[test]
fn the_command_that_removes_an_ended_holder_is_one_request_of_a_shell() {
    let value = json!({ "Limit": 1, "Holders": { HOLDER: true } }).to_string();
    let flags = 16_210_313_421_097_356_768_u64;
    let keys = json!([
        { "Key": "it's a/.lock", "LockIndex": 0, "Flags": flags, "Value": base64(value.as_bytes()),
            "CreateIndex": 12, "ModifyIndex": 13 },
        free_key(&format!("it's a/{HOLDER}")),
    ]);
    let keys = format!("$ curl 'localhost:8500/v1/kv/it%27s%20a/?recurse'\n{keys}");
    // A session that lives may lock its key again.
    let living = format!("$ curl localhost:8500/v1/session/list\n{}", session(&json!({})));
    let incident = read(&[&living, &keys]).unwrap();
    let answer = incident.answer_for("it's a/.lock").unwrap();
    assert_eq!((answer.latest, answer.commands.len()), (parse_time(TAKEN), 0));
    // The session may be younger than a list that was taken in the same second.
    let incident = read(&["$ curl localhost:8500/v1/session/list\n[]", &keys]).unwrap();
    assert_eq!(incident.answer_for("it's a/.lock").unwrap().commands.len(), 0);
    let newer = session(&json!({ "ID": "another", "CreateIndex": 14 }));
    let newer = format!("$ curl localhost:8500/v1/session/list\n{newer}");
    let incident = read(&[&newer, &keys]).unwrap();
    let answer = incident.answer_for("it's a/.lock").unwrap();
    assert_eq!(answer.latest, parse_time(TAKEN));
    let words = shell_words::split(&answer.commands[0]).unwrap();
    assert_eq!(words[..4], ["curl", "-X", "PUT", "-d"]);
    assert_eq!(words[4], r#"{"Limit":1,"Holders":{}}"#);
    let address = "http://127.0.0.1:8500/v1/kv/it%27s%20a/.lock?";
    let query = words[5].strip_prefix(address).unwrap_or_else(|| panic!("{}", words[5]));
    let parameters: Vec<&str> = query.split('&').collect();
    assert!(parameters.contains(&"cas=13"), "{query}");
    assert!(parameters.contains(&format!("flags={flags}").as_str()), "{query}");
}

#[test]
fn a_log_without_the_list_of_nodes_does_not_have_every_request() {
    let renewed = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let log = whole_log(&[("09:10:32.000", &renewed)]);
    let check = json!([{ "Node": "n1", "CheckID": "serfHealth", "Status": "passing" }]).to_string();
    let (earliest, latest, _) = key(&[&session(&json!({})), &held_key(), &log, &check]);
    assert_eq!((earliest, latest), (Some(37.0), Some(45.0)));
}

#[test]
fn a_transaction_may_have_locked_a_key_and_removed_a_check() {
    let ended = "agent.server: Session TTL expired: session=other";
    let lines = |last: &str| {
        whole_log(&[
            ("09:10:01.000", "agent.server.raft: entering candidate state: node=n1 term=2"),
            ("09:10:20.000", &request("PUT", "/v1/kv/k?acquire=released")),
            ("09:10:22.000", &request("PUT", "/v1/session/renew/released")),
            ("09:10:25.000", last),
            ("09:10:30.000", ended),
        ])
    };
    let free = json!([free_key("k")]).to_string();
    let lists = session(&json!({ "ID": "released" }));
    let released = lines(&request("PUT", "/v1/kv/k?release=released"));
    let (_, latest, _) = key(&[&lists, &free, &released, &nodes(1)]);
    assert_eq!(latest, Some(0.0));
    let (_, latest, _) = key(&[&lists, &free, &lines(&request("PUT", "/v1/txn")), &nodes(1)]);
    assert_eq!(latest, Some(50.0));
}

#[test]
fn many_keys_that_nobody_locks_are_no_answers() {
    let key = |number: usize| {
        let indexes = r#""CreateIndex":9,"ModifyIndex":9"#;
        format!(r#"{{"Key":"config/{number}","LockIndex":0,"Flags":0,"Value":null,{indexes}}}"#)
    };
    let keys: Vec<String> = (0..100_000).map(key).collect();
    let keys = format!("[{}]", keys.join(","));
    let incident = read(&[&session(&json!({})), &held_key(), &keys]).unwrap();
    assert_eq!(incident.answers().len(), 1);
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn the_progress_of_a_long_log_is_reported_for_each_mebibyte_and_at_its_end() {
    let line = "2026-11-26T09:10:00.000Z [DEBUG] agent: a line\n";
    let text = line.repeat((5 << 19) / line.len());
    let mut steps = Vec::new();
    let sources = [Source::new("log", text.as_bytes())];
    Incident::read_now(&sources, None, Timestamp::UNIX_EPOCH, &mut |bytes| steps.push(bytes))
        .unwrap();
    assert_eq!((steps.len(), steps.iter().sum()), (3, text.len()), "{steps:?}");
    assert!(steps[..2].iter().all(|bytes| (1 << 20..(1 << 20) + line.len()).contains(bytes)));
    // A text of less than a mebibyte reports no progress.
    for short in ["", line] {
        let sources = [Source::new("short", short.as_bytes())];
        let read = Incident::read_now(&sources, None, Timestamp::UNIX_EPOCH, &mut |bytes| {
            panic!("{bytes} bytes of {short:?}")
        });
        assert_eq!(read.is_ok(), !short.is_empty());
    }
}

#[test]
fn each_source_says_what_it_holds_and_a_clock_that_differs_is_named() {
    let expired = format!("agent.server: Session TTL expired: session={HOLDER}");
    let elected = "agent.server: New leader elected: payload=n1";
    let leader = log(&[
        ("09:10:00.000", "agent: a line"),
        ("09:10:05.000", elected),
        ("09:10:30.000", &expired),
        ("09:10:31.000", "agent: a line"),
    ]);
    let behind = log(&[("09:10:03.900", elected), ("09:10:28.900", &expired)]);
    let agrees = log(&[("09:10:04.800", elected)]);
    let texts = [&leader, &behind, &agrees, &session(&json!({})), &held_key()];
    let names = ["leader.log", "behind.log", "agrees.log", "sessions.json", "keys.json"];
    let mut sources: Vec<_> =
        names.iter().zip(texts).map(|(name, text)| Source::new(name, text.as_bytes())).collect();
    let incident = Incident::read(&sources, parse_time(TAKEN)).unwrap();
    let holds: Vec<&str> = incident.sources().iter().map(|source| source.holds.as_str()).collect();
    assert_eq!(holds[0], "4 lines of a log, 09:10:00.000 to 09:10:31.000");
    assert_eq!(holds[3..], ["1 session", "1 key"]);
    let proposals: Vec<_> = incident.sources().iter().map(|it| it.proposal.clone()).collect();
    let proposal = proposals[1].clone().expect("the clocks differ by 1.1 s");
    assert_eq!(proposal.clock_offset, SignedDuration::from_millis(1_100));
    assert_eq!(
        proposal.sentence,
        "its clock seems to be 1.1 s behind that of leader.log, by 2 events that both have"
    );
    assert_eq!(proposals.iter().flatten().count(), 1, "{proposals:?}");
    // With the offset they agree.
    sources[1] = sources[1].clock_offset(proposal.clock_offset);
    let incident = Incident::read(&sources, parse_time(TAKEN)).unwrap();
    assert!(incident.sources().iter().all(|source| source.proposal.is_none()));
}

#[test]
fn lines_about_one_election_are_one_event() {
    let log = "2026-11-26T09:10:36.702Z [INFO]  agent.server: cluster leadership acquired\n\
               2026-11-26T09:10:36.703Z [INFO]  agent.server: New leader elected\n\
               2026-11-26T09:10:41.000Z [INFO]  agent.server: cluster leadership acquired\n";
    let incident = Incident::read(&[Source::new("consul.log", log.as_bytes())], None).unwrap();
    let (before, observed) = incident.observed(10);
    let elections = observed.iter().filter(|event| event.text.contains("is elected"));
    let lines = elections.map(|event| event.line.as_ref().map(|line| line.line));
    assert_eq!((before, lines.collect::<Vec<_>>()), (0, vec![Some(1), Some(3)]));
}

#[test]
fn what_a_new_leader_can_move_is_said_under_the_condition_that_the_leader_stays() {
    let line = |texts: &[&str]| {
        let sources: Vec<Source<'_>> =
            texts.iter().map(|text| Source::new("list.json", text.as_bytes())).collect();
        let incident = Incident::read(&sources, parse_time(TAKEN)).unwrap();
        let answer = incident.answer_for("k").unwrap();
        (incident.headline(&answer), answer.sentence)
    };
    let (headline, sentence) = line(&[&session(&json!({})), &held_key()]);
    assert!(headline.ends_with("(in 45 s), if nobody acts and the leader stays"), "{headline}");
    assert!(sentence.contains("If it is not renewed and the leader stays"), "{sentence}");
    let (headline, sentence) = line(&[&session(&json!({ "TTL": "" })), &held_key()]);
    assert!(!format!("{headline}{sentence}").contains("leader"), "{headline} {sentence}");
    let (headline, _) = line(&[&session(&json!({})), &free_key("k").to_string()]);
    assert!(headline.ends_with("if nobody acts and the leader stays"), "{headline}");
}

/// A key that nobody holds, with a head of 09:10:40.
fn free_with_date() -> String {
    format!(
        "$ curl -si 'http://10.0.0.7:8500/v1/kv/k?consistent'\nHTTP/1.1 200 OK\n\
         Date: Thu, 26 Nov 2026 09:10:40 GMT\nX-Consul-Index: 12\n\n[{}]\n",
        free_key("k")
    )
}

#[test]
fn the_request_of_a_list_in_a_log_says_when_in_the_second_of_its_head_it_was() {
    let acquire = request("PUT", &format!("/v1/kv/k?acquire={HOLDER}"));
    let destroy = request("PUT", &format!("/v1/session/destroy/{HOLDER}"));
    let other = request("GET", "/v1/agent/self");
    let listed = request("GET", "/v1/kv/k?consistent");
    let kind = |lines: &[(&str, &str)], nodes: &str| {
        let incident = read(&[&free_with_date(), nodes, &log(lines)]).unwrap();
        incident.answer_for("k").unwrap().kind
    };
    let lines = [
        ("09:10:30.000", other.as_str()),
        ("09:10:40.100", &acquire),
        ("09:10:40.200", &destroy),
        ("09:10:40.300", &listed),
        ("09:10:40.400", &other),
    ];
    let known = AnswerKind::MaybeDelayed;
    assert_eq!(kind(&lines, &nodes(1)), known);
    // Another agent may have answered, or the request is not the only one that can be it.
    assert_eq!(kind(&lines, &nodes(2)), AnswerKind::Unknown);
    for time in ["09:10:40.050", "09:10:39.900", "09:10:41.100"] {
        let mut more = lines.to_vec();
        more.push((time, &listed));
        more.sort_by_key(|(time, _)| *time);
        assert_eq!(kind(&more, &nodes(1)), AnswerKind::Unknown, "{time}");
    }
    let slow = listed.replace("latency=1ms", "latency=250ms");
    let mut slower = lines;
    slower[3].1 = &slow;
    assert_eq!(kind(&slower, &nodes(1)), AnswerKind::Unknown);
}

#[test]
fn the_report_has_what_says_when_a_list_was_taken() {
    let by = |texts: &[&str]| {
        let json = read(texts).unwrap().report_to_json(None);
        TakenBy::deserialize(&json["lists"][0]["by"]).unwrap()
    };
    let dated = free_with_date();
    let log = log(&[
        ("09:10:30.000", &request("GET", "/v1/agent/self")),
        ("09:10:40.300", &request("GET", "/v1/kv/k?consistent")),
    ]);
    assert_eq!(by(&[&dated]), TakenBy::Header);
    assert_eq!(by(&[&dated, &nodes(1), &log]), TakenBy::HeaderAndLog);
    assert_eq!(by(&[&session(&json!({}))]), TakenBy::Given);
}

#[test]
fn a_command_for_what_is_missing_asks_where_the_lists_were_asked_for() {
    let commands = |texts: &[&str]| {
        let incident = read(texts).unwrap();
        let missing = incident.missing(&incident.answers_about(Some("k")));
        missing.into_iter().map(|missing| missing.command).collect::<Vec<_>>()
    };
    let at = |commands: &[String], base: &str| {
        commands.contains(&format!("curl -si '{base}/v1/session/list'"))
    };
    let one = free_with_date();
    assert!(at(&commands(&[&one]), "http://10.0.0.7:8500"));
    let other = one.replace("10.0.0.7", "10.0.0.8");
    assert!(at(&commands(&[&one, &other]), "http://127.0.0.1:8500"));
}

#[test]
fn a_holder_that_released_the_key_before_has_it_since_a_time_that_the_log_lacks() {
    let acquire = request("PUT", &format!("/v1/kv/k?acquire={HOLDER}"));
    let release = request("PUT", &format!("/v1/kv/k?release={HOLDER}"));
    let since = |lines: &[(&str, &str)]| {
        let incident = read(&[&session(&json!({})), &held_key(), &log(lines)]).unwrap();
        incident.answer_for("k").unwrap().since
    };
    let first = ("09:10:10.000", acquire.as_str());
    let lines = [first, ("09:10:20.000", &release), ("09:10:30.000", &acquire)];
    assert_eq!(since(&lines[..1]), parse_time("2026-11-26T09:10:10Z"));
    assert_eq!(since(&lines[..2]), None);
    assert_eq!(since(&lines), parse_time("2026-11-26T09:10:30Z"));
}

#[test]
fn a_delete_of_the_key_leaves_its_lock_delay() {
    let destroy = request("PUT", &format!("/v1/session/destroy/{HOLDER}"));
    let delete = request("DELETE", "/v1/kv/k");
    let lines = [("09:10:45.000", destroy.as_str()), ("09:10:47.000", &delete)];
    let mut lines = lines.to_vec();
    let other = request("GET", "/v1/agent/self");
    lines.insert(0, ("09:10:20.000", &other));
    let answer = read(&[&session(&json!({})), &held_key(), &nodes(1), &whole_log(&lines)]);
    let answer = answer.unwrap().answer_for("k").unwrap();
    assert_eq!(answer.kind, AnswerKind::Delayed, "{}", answer.sentence);
    assert_eq!(answer.latest, parse_time("2026-11-26T09:11:00Z"));
}

#[test]
fn what_ended_before_another_session_held_the_key_delays_it_no_more() {
    let other = "6cbaf640-a8f4-f7f1-22ce-3de43166da77";
    let list = |time: &str, body: &str| {
        format!(
            "$ curl -si 'http://127.0.0.1:8500/v1/kv/k'\nHTTP/1.1 200 OK\n\
             Date: Thu, 26 Nov 2026 {time} GMT\n\n{body}\n\n"
        )
    };
    let held = held_key().replace(HOLDER, other);
    let destroy = request("PUT", &format!("/v1/session/destroy/{HOLDER}"));
    let release = request("PUT", &format!("/v1/kv/k?release={other}"));
    let listed = request("GET", "/v1/kv/k");
    let lines = [
        ("09:10:00.000", destroy.as_str()),
        ("09:10:20.100", &listed),
        ("09:10:25.000", &release),
        ("09:10:30.100", &listed),
        ("09:10:35.000", &listed),
    ];
    let free = list("09:10:30", &json!([free_key("k")]).to_string());
    let kind = |texts: &[&str]| read(texts).unwrap().answer_for("k").unwrap().kind;
    assert_eq!(kind(&[&free, &nodes(1), &log(&lines)]), AnswerKind::MaybeDelayed);
    let before = list("09:10:20", &held);
    assert_eq!(kind(&[&before, &free, &nodes(1), &log(&lines)]), AnswerKind::Free);
}

#[test]
fn who_asks_when_the_holder_may_have_ended_may_hold_the_key_since_then() {
    let other = "6cbaf640-a8f4-f7f1-22ce-3de43166da77";
    let acquire = request("PUT", &format!("/v1/kv/k?acquire={other}"));
    // The session may end with the lists; its lock-delay of 15 s is over at 55 s.
    let bounds = |lines: &[(&str, &str)], session: &str| {
        let (earliest, latest, sentence) = key(&[session, &held_key(), &whole_log(lines)]);
        assert_eq!(latest.is_none(), sentence.contains("it may hold the key since"), "{sentence}");
        (earliest, latest)
    };
    let holder = session(&json!({}));
    assert_eq!(bounds(&[("09:10:54.999", &acquire)], &holder), (Some(15.0), Some(45.0)));
    assert_eq!(bounds(&[("09:10:55.000", &acquire)], &holder), (Some(15.0), None));
    assert_eq!(bounds(&[("09:10:39.000", &acquire)], &holder), (Some(15.0), Some(45.0)));
    // It has renewed the session itself, or asked again.
    let own = request("PUT", &format!("/v1/kv/k?acquire={HOLDER}"));
    assert_eq!(bounds(&[("09:10:56.000", &own)], &holder), (Some(15.0), Some(45.0)));
    // A check that it rests on may have failed earlier than its TTL lets it end.
    let renewed = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let failed = request("PUT", "/v1/agent/check/fail/web");
    let lines =
        [("09:10:40.000", &*renewed), ("09:10:41.000", &failed), ("09:10:56.000", &acquire)];
    assert_eq!(bounds(&[lines[0], lines[2]], &holder), (Some(45.0), Some(45.0)));
    assert_eq!(bounds(&lines, &holder), (Some(16.0), None));
}

/// A `Date` has whole seconds, so that the session may have acquired a key in the same second after
/// the list.
#[test]
fn a_session_that_holds_no_key_holds_none_in_the_list_of_all_keys() {
    let dated = |target: &str, body: &str| {
        format!(
            "$ curl -si 'http://127.0.0.1:8500{target}'\nHTTP/1.1 200 OK\n\
             Date: Thu, 26 Nov 2026 09:10:40 GMT\n\n{body}\n\n"
        )
    };
    let sessions = dated("/v1/session/list", &session(&json!({})));
    let keys = dated("/v1/kv/?recurse", &json!([free_key("k")]).to_string());
    let json = read(&[&sessions, &keys]).unwrap().report_to_json(None);
    let sentence = json["effects"][0]["sentence"].as_str().unwrap();
    assert!(sentence.ends_with("it holds no key in the list of all keys"), "{sentence}");
}

#[test]
fn a_failed_renewal_without_its_second_line_is_not_a_later_one() {
    let renewed = request("PUT", &format!("/v1/session/renew/{HOLDER}"));
    let failed = renewed.replace("finished", "error") + " error=\"No cluster leader\"";
    let other = request("GET", "/v1/agent/self");
    let latest = |lines: &[(&str, &str)]| {
        key(&[&session(&json!({})), &held_key(), &whole_log(lines), &nodes(1)]).1
    };
    // The level of the log was info until 09:10:10, so that the line of the failed one is missing.
    let lines =
        [("09:10:01.000", failed.as_str()), ("09:10:10.000", &other), ("09:10:30.000", &renewed)];
    assert_eq!(latest(&lines), Some(35.0));
    let lines = [lines[1], ("09:10:30.000", &failed), lines[2]];
    assert_eq!(latest(&lines), Some(15.0));
}

#[test]
fn a_request_at_another_time_than_the_date_of_a_list_does_not_say_what_the_list_is_of() {
    let of_date = |time: &str| {
        let head = format!("HTTP/1.1 200 OK\nDate: Thu, 26 Nov 2026 {time} GMT\n");
        let sessions = format!("{head}\n{}\n", session(&json!({})));
        let log = log(&[
            ("09:10:00.000", &request("GET", "/v1/agent/self")),
            ("09:10:30.100", &request("GET", "/v1/session/list")),
            ("09:10:50.000", &request("GET", "/v1/agent/self")),
        ]);
        let json = read(&[&sessions, &nodes(1), &log]).unwrap().report_to_json(None);
        json["lists"][0]["list"].as_str().unwrap().starts_with("the list of all sessions")
    };
    assert!(of_date("09:10:30"));
    assert!(!of_date("09:10:20"));
}
