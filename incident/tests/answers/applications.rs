//! The log of an application: lines of usual loggers, the patterns that are proposed for them, and
//! what follows from them for the session and the key.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lictor_incident::{
    EventPattern, Incident, IncidentError, Redactor, SignedDuration, Source, Timestamp, parse_time,
};
use serde_json::{Value, json};

const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
const OTHER: &str = "6cbaf640-2a1c-4d3b-9c43-0d8f0a4f1d11";
const KEY: &str = "jobs/nightly/leader";
/// When the lists were taken.
const TAKEN: &str = "2026-11-20T09:10:40Z";

fn session(id: &str, name: &str) -> Value {
    json!({ "ID": id, "Name": name, "Node": "n1", "LockDelay": 15_000_000_000_u64,
        "Behavior": "release", "TTL": "15s", "NodeChecks": ["serfHealth"], "CreateIndex": 8,
        "ModifyIndex": 8 })
}

/// The sessions of two workers, and the key with the session that holds it.
fn lists(holder: Option<&str>) -> String {
    let sessions = json!([session(HOLDER, "worker-a"), session(OTHER, "worker-b")]);
    let mut key = json!({ "Key": KEY, "LockIndex": 1, "Flags": 0, "Value": null, "CreateIndex": 9,
        "ModifyIndex": 9 });
    if let Some(holder) = holder {
        key["Session"] = holder.into();
    }
    format!("{sessions}\n{}\n", json!([key]))
}

fn read(texts: &[&str]) -> Incident {
    let names = ["lists", "app.log", "other.log"];
    let sources = names.iter().zip(texts).map(|(name, text)| Source::new(name, text.as_bytes()));
    let sources: Vec<_> = sources.collect();
    Incident::read(&sources, parse_time(TAKEN)).unwrap_or_else(|error| panic!("{error}"))
}

/// The summary of the application in the second text, and the patterns for its lines.
fn summary(incident: &Incident) -> (String, Vec<String>) {
    let report = incident.to_json();
    let application = &report["sources"][1]["application"];
    let patterns = application["patterns"].as_array().unwrap().iter();
    let text = application["text"].as_str().unwrap().to_owned();
    (text, patterns.map(|pattern| pattern["pattern"].as_str().unwrap().to_owned()).collect())
}

/// The earliest and the latest moment at which another client can acquire [`KEY`], in seconds after
/// [`TAKEN`].
fn bounds(incident: &Incident) -> [f64; 2] {
    let answer = incident.answer_for(KEY).unwrap();
    let taken = parse_time(TAKEN).unwrap();
    let seconds = |time: Timestamp| time.duration_since(taken).as_secs_f64();
    [answer.earliest, answer.latest].map(|time| seconds(time.unwrap()))
}

/// Lines of each logger: acquired, two renewals, and the pattern of the first line.
const LOGGERS: [(&str, &str, &str); 10] = [
    (
        "plain",
        "2026-11-20T09:10:20.000Z INFO worker-a acquired lock jobs/nightly/leader\n\
         2026-11-20T09:10:27.000Z INFO worker-a renewed session SESSION\n\
         2026-11-20T09:10:32.000Z INFO worker-a renewed session SESSION\n",
        "acquired={time} {*} {client} acquired lock {key}",
    ),
    (
        "logback",
        "2026-11-20 09:10:20.000 [main] INFO  jobs.Leader - Lock acquired: jobs/nightly/leader\n\
         2026-11-20 09:10:27.000 [renew-1] DEBUG c.e.jobs.Leader - Session SESSION renewed\n\
         java.io.IOException: a warning with a trace\n\
         \tat java.base/java.lang.Thread.run(Thread.java:1583)\n\
         2026-11-20 09:10:32.000 [renew-1] DEBUG c.e.jobs.Leader - Session SESSION renewed\n",
        "acquired={time} {*} Lock acquired: {key}",
    ),
    (
        "Go's log",
        "2026/11/20 09:10:20 became leader for jobs/nightly/leader\n\
         2026/11/20 09:10:27 renewed session SESSION\n\
         2026/11/20 09:10:32 renewed session SESSION\n",
        "acquired={time} became leader for {key}",
    ),
    (
        "Python's logging",
        "2026-11-20 09:10:20,000 - jobs.leader - INFO - acquired the lock 'jobs/nightly/leader'\n\
         2026-11-20 09:10:27,000 - urllib3.connectionpool - DEBUG - http://localhost:8500 \
         \"PUT /v1/session/renew/SESSION HTTP/1.1\" 200 None\n\
         2026-11-20 09:10:32,000 - urllib3.connectionpool - DEBUG - http://localhost:8500 \
         \"PUT /v1/session/renew/SESSION HTTP/1.1\" 200 None\n",
        "acquired={time} {*} acquired the lock '{key}",
    ),
    (
        "syslog",
        "Nov 20 09:10:20 host-1 worker[812]: leadership acquired for jobs/nightly/leader\n\
         Nov 20 09:10:27 host-1 worker[812]: session SESSION renewed\n\
         Nov 20 09:10:32 host-1 worker[812]: session SESSION renewed\n",
        "acquired={time} {*} leadership acquired for {key}",
    ),
    (
        "pino",
        "{\"level\":30,\"time\":1795165820000,\"pid\":7,\"msg\":\"lock acquired\",\
         \"key\":\"jobs/nightly/leader\"}\n\
         {\"level\":20,\"time\":1795165827000,\"pid\":7,\"msg\":\"session renewed\",\
         \"session\":\"SESSION\"}\n\
         {\"level\":20,\"time\":1795165832000,\"pid\":7,\"msg\":\"session renewed\",\
         \"session\":\"SESSION\"}\n",
        "acquired=\"time\":{time},{*}\"lock acquired\",\"key\":\"{key}",
    ),
    (
        "zap",
        "{\"level\":\"info\",\"ts\":1795165820.0,\"caller\":\"a.go:12\",\"msg\":\"acquired lock\",\
         \"key\":\"jobs/nightly/leader\"}\n\
         {\"level\":\"debug\",\"ts\":1795165827.0,\"caller\":\"a.go:40\",\
         \"msg\":\"renewed session\",\"session\":\"SESSION\"}\n\
         {\"level\":\"debug\",\"ts\":1795165832.0,\"caller\":\"a.go:40\",\
         \"msg\":\"renewed session\",\"session\":\"SESSION\"}\n",
        "acquired=\"ts\":{time},{*}\"acquired lock\",\"key\":\"{key}",
    ),
    (
        "slog as text",
        "time=2026-11-20T09:10:20.000Z level=INFO msg=\"acquired lock\" key=jobs/nightly/leader\n\
         time=2026-11-20T09:10:27.000Z level=INFO msg=\"session renewed\" session=SESSION\n\
         time=2026-11-20T09:10:32.000Z level=INFO msg=\"session renewed\" session=SESSION\n",
        "acquired=time={time} {*}\"acquired lock\" key={key}",
    ),
    (
        "consul-template",
        "2026-11-20T09:10:20.000Z [INFO] (dedup) acquired lock 'jobs/nightly/leader'\n\
         2026-11-20T09:10:27.000Z [DEBUG] (session) renewed session SESSION\n\
         2026-11-20T09:10:32.000Z [DEBUG] (session) renewed session SESSION\n",
        "acquired={time} {*} acquired lock '{key}",
    ),
    (
        "time of the day",
        "09:10:20.000 [main] INFO Leader - got leadership of jobs/nightly/leader\n\
         09:10:27.000 [main] INFO Leader - session SESSION refreshed\n\
         09:10:32.000 [main] INFO Leader - session SESSION refreshed\n",
        "acquired={time} {*} got leadership of {key}",
    ),
];

#[test]
fn the_lines_of_usual_loggers_narrow_the_end_of_the_session_by_proposed_patterns() {
    for (logger, lines, expected) in LOGGERS {
        let incident = read(&[&lists(Some(HOLDER)), &lines.replace("SESSION", HOLDER)]);
        let (text, patterns) = summary(&incident);
        assert_eq!(text, "3 lines of an application: acquired 1, renewed 2", "{logger}");
        assert!(patterns.contains(&expected.to_owned()), "{logger}: {patterns:#?}");
        // 27 + 2 x 15 + 15 = 72, 32 s after the lists. A renewal that is not in the log may be
        // as late as the lists.
        assert_eq!(bounds(&incident), [32.0, 45.0], "{logger}");
        let answer = incident.answer_for(KEY).unwrap();
        assert!(answer.mismatches.is_empty(), "{logger}: {:?}", answer.mismatches);
        let reason = &answer.reasons[1];
        assert!(reason.text.contains("at 09:10:27.000 and at 09:10:32.000"), "{}", reason.text);
        assert!(reason.line.as_ref().unwrap().text.contains(HOLDER), "{logger}");
        // The same patterns, set by hand, lead to the same answer.
        let given: Vec<EventPattern> = patterns.iter().map(|text| text.parse().unwrap()).collect();
        let (lists, lines) = (lists(Some(HOLDER)), lines.replace("SESSION", HOLDER));
        let sources = [
            Source::new("lists", lists.as_bytes()),
            Source::new("app.log", lines.as_bytes()).patterns(&given),
        ];
        let again = Incident::read(&sources, parse_time(TAKEN)).unwrap();
        assert_eq!(again.answer_for(KEY).unwrap().sentence, answer.sentence);
    }
}

#[test]
fn one_renewal_alone_says_nothing_about_when_the_server_renewed() {
    let line = format!("2026-11-20T09:10:32Z renewed session {HOLDER}\n");
    for lines in [line.clone(), line.repeat(2)] {
        assert_eq!(bounds(&read(&[&lists(Some(HOLDER)), &lines])), [15.0, 45.0]);
    }
    let failed = format!(
        "2026-11-20T09:10:27Z renewed session {HOLDER}\n\
         2026-11-20T09:10:32Z failed to renew session {HOLDER}\n"
    );
    assert_eq!(bounds(&read(&[&lists(Some(HOLDER)), &failed])), [15.0, 45.0]);
}

#[test]
fn a_renewal_after_the_lists_moves_both_bounds() {
    let lines = format!(
        "2026-11-20T09:10:42Z renewed session {HOLDER}\n\
         2026-11-20T09:10:47Z renewed session {HOLDER}\n"
    );
    // 42 + 45 and 47 + 45, less 40.
    assert_eq!(bounds(&read(&[&lists(Some(HOLDER)), &lines])), [47.0, 52.0]);
}

#[test]
fn the_log_of_every_server_counts_more_than_that_of_a_client() {
    let server = format!(
        "[{{\"Node\":\"n1\",\"Address\":\"127.0.0.1\"}}]\n\
         2026-11-20T09:10:00.000Z [INFO]  agent: a line\n\
         2026-11-20T09:10:31.990Z [DEBUG] agent.http: Request finished: method=PUT \
         url=/v1/session/renew/{HOLDER} from=127.0.0.1:1 latency=1ms\n\
         2026-11-20T09:10:40.000Z [INFO]  agent: a line\n"
    );
    let lines = format!(
        "2026-11-20T09:10:34Z renewed session {HOLDER}\n\
         2026-11-20T09:10:39Z renewed session {HOLDER}\n"
    );
    let [earliest, latest] = bounds(&read(&[&lists(Some(HOLDER)), &lines, &server]));
    assert!((earliest - 36.99).abs() < 0.001 && (latest - 36.99).abs() < 0.001, "{earliest}");
}

#[test]
fn the_renewals_of_a_session_in_a_servers_log_show_the_offset_of_a_clients_clock() {
    let mut server = String::from("2026-11-20T09:09:00.000Z [INFO]  agent: a line\n");
    let mut client = String::from("2026-11-20 10:09:02,000 INFO started\n");
    for (number, fraction) in [10, 60, 35, 95, 20].into_iter().enumerate() {
        let second = 10 + 7 * number;
        let _ = writeln!(
            server,
            "2026-11-20T09:09:{second}.0{fraction}Z [DEBUG] agent.http: Request finished: \
             method=PUT url=/v1/session/renew/{HOLDER} from=127.0.0.1:1 latency=1ms"
        );
        let _ = writeln!(client, "2026-11-20 10:09:{second}.9{fraction} renewed session {HOLDER}");
    }
    server += "2026-11-20T09:10:00.000Z [INFO]  agent: a line\n";
    client += "2026-11-20 10:10:00,000 INFO stopped\n";
    let lists = lists(Some(HOLDER));
    let read = |offset: SignedDuration| {
        let sources = [
            Source::new("lists", lists.as_bytes()),
            Source::new("app.log", client.as_bytes()).clock_offset(offset),
            Source::new("consul.log", server.as_bytes()),
        ];
        Incident::read(&sources, parse_time(TAKEN)).unwrap().sources()[1].proposal.clone()
    };
    let proposal = read(SignedDuration::ZERO).expect("the clocks differ by an hour and 0.9 s");
    assert_eq!(proposal.clock_offset, SignedDuration::from_millis(-3_600_900));
    assert_eq!(
        proposal.sentence,
        "its clock seems to be 3600.9 s ahead of that of consul.log, by 5 renewals that both have"
    );
    assert_eq!(read(proposal.clock_offset), None);
}

#[test]
fn what_a_client_believes_and_the_server_contradicts_is_named() {
    let acquired = "2026-11-20T09:10:20Z worker-a acquired lock jobs/nightly/leader\n";
    let lost = "2026-11-20T09:10:30Z worker-a lost lock jobs/nightly/leader\n";
    let mismatches = |holder: Option<&str>, lines: &str| {
        let answer = read(&[&lists(holder), lines]).answer_for(KEY).unwrap();
        answer.mismatches.into_iter().map(|reason| reason.text).collect::<Vec<_>>()
    };
    assert_eq!(
        mismatches(Some(OTHER), acquired),
        ["But worker-a logged \"acquired\" at 09:10:20.000 and neither \"lost\" nor \"released\" \
             after it; the server has jobs/nightly/leader with session 6cbaf640 (worker-b)"]
    );
    assert_eq!(
        mismatches(None, acquired),
        ["But worker-a logged \"acquired\" at 09:10:20.000 and neither \"lost\" nor \"released\" \
             after it; nobody holds jobs/nightly/leader"]
    );
    let both = format!("{acquired}{lost}");
    assert_eq!(
        mismatches(Some(HOLDER), &both),
        ["But worker-a logged \"lost\" at 09:10:30.000; its session 4154283e (worker-a) still \
             holds jobs/nightly/leader"]
    );
    assert_eq!(mismatches(Some(HOLDER), acquired), [""; 0]);
    assert_eq!(mismatches(Some(OTHER), &both), [""; 0]);
    // An event after the lists contradicts none of them.
    assert_eq!(mismatches(Some(OTHER), &acquired.replace("09:10:20", "09:10:41")), [""; 0]);
    // The line names only the session, so the client has the name of the text.
    let by_session = format!("2026-11-20T09:10:20Z became leader, session {HOLDER}\n");
    let log = format!(
        "2026-11-20T09:10:19Z [DEBUG] agent.http: Request finished: method=PUT \
         url=/v1/kv/{KEY}?acquire={HOLDER} from=127.0.0.1:1 latency=1ms\n\
         2026-11-20T09:10:39Z [DEBUG] agent.http: Request finished: method=PUT \
         url=/v1/kv/{KEY}?acquire={OTHER} from=127.0.0.1:1 latency=1ms\n"
    );
    let answer = read(&[&lists(Some(OTHER)), &by_session, &log]).answer_for(KEY).unwrap();
    let text = &answer.mismatches[0].text;
    assert!(
        text.starts_with("But app.log logged") && text.ends_with("asked at 09:10:39.000"),
        "{text}"
    );
}

#[test]
fn what_an_application_did_not_say_or_says_of_unknown_keys_is_listed() {
    let lines = "2026-11-20T09:10:20Z acquired lock jobs/other/leader\n\
                 2026-11-20T09:10:20Z GET /health 200\n\
                 2026-11-20T09:10:21 GET /health 200\n\
                 \tat Thread.java:1583\n";
    let incident = read(&[&lists(None), lines]);
    let unused: Vec<_> = incident.unused().iter().map(|it| (it.line, it.reason.as_str())).collect();
    let [(2, unmatched), (4, without_time), (1, unknown)] = unused[..] else {
        panic!("{unused:?}");
    };
    assert_eq!(unmatched, "2 lines of an application that no pattern matches");
    assert_eq!(without_time, "1 line without a time, such as those of a stack trace");
    assert!(unknown.starts_with("the key jobs/other/leader is neither"), "{unknown}");
    let nothing = read(&[&lists(None), "2026-11-20T09:10:20Z GET /health 200\n"]);
    assert!(nothing.unused()[0].reason.contains("\"acquired lock\""), "{:?}", nothing.unused());
    // Alone, such a text is refused.
    let source = [Source::new("access.log", b"2026-11-20T09:10:20Z GET /health 200\n")];
    let error = Incident::read(&source, None).expect_err("nothing of Consul");
    assert!(
        matches!(error, IncidentError::NothingRead(_)) && error.to_string().contains("pattern")
    );
}

#[test]
fn an_application_is_turned_off_or_read_by_another_pattern() {
    let lists = lists(None);
    let lines = "2026-11-20 10:10:20 [42] I HOLD jobs/nightly/leader NOW\n\
                 2026-11-20 10:10:21 [42] acquired lock jobs/nightly/leader\n";
    let read = |patterns: &[EventPattern]| {
        let app = Source::new("app.log", lines.as_bytes()).patterns(patterns);
        let app = app.clock_offset(SignedDuration::from_hours(-1));
        Incident::read(&[Source::new("lists", lists.as_bytes()), app], parse_time(TAKEN)).unwrap()
    };
    let off = read(&[]);
    assert!(off.answer_for(KEY).unwrap().mismatches.is_empty());
    assert_eq!(off.unused()[0].reason, "2 lines of an application: it is turned off");
    let given = read(&["acquired={time} {*} I HOLD {key} NOW".parse().unwrap()]);
    let mismatch = &given.answer_for(KEY).unwrap().mismatches[0];
    assert!(mismatch.text.starts_with("But app.log logged \"acquired\" at 09:10:20"));
    assert!(given.unused().iter().any(|it| it.reason.contains("have no zone")));
}

#[test]
fn times_without_a_year_need_no_other_and_are_those_nearest_to_the_lists() {
    let lines = format!(
        "Dec 31 23:59:50 host app: renewed session {HOLDER}\n\
         Dec 31 23:59:55 host app: renewed session {HOLDER}\n"
    );
    let lists = lists(Some(HOLDER));
    let sources = [Source::new("lists", lists.as_bytes()), Source::new("syslog", lines.as_bytes())];
    let taken = parse_time("2027-01-01T00:00:05Z");
    let incident = Incident::read(&sources, taken).unwrap();
    let answer = incident.answer_for(KEY).unwrap();
    assert_eq!(answer.earliest, parse_time("2027-01-01T00:00:35Z"));
    assert!(incident.unused().iter().any(|it| it.reason.contains("no year")));
    assert_eq!(Incident::read(&sources, None).unwrap_err(), IncidentError::NoTime);
}

#[test]
fn patterns_find_the_same_in_a_redacted_text() {
    let lines = format!(
        "2026-11-20T09:10:27Z 10.1.2.3 token=secret renewed session {HOLDER}\n\
         2026-11-20T09:10:32Z 10.1.2.3 token=secret renewed session {HOLDER}\n"
    );
    let redacted = Redactor::default().redact(&lines);
    let incident = read(&[&lists(Some(HOLDER)), &redacted]);
    assert_eq!(bounds(&incident), [32.0, 45.0]);
    let report = incident.to_json().to_string() + &incident.report(None);
    assert!(!report.contains("secret") && !report.contains("10.1.2.3"), "{report}");
}

#[test]
fn the_events_of_all_texts_are_in_the_order_of_time_and_gaps_are_unknown() {
    let server = format!(
        "2026-11-20T09:10:10.000Z [DEBUG] agent.http: Request finished: method=PUT \
         url=/v1/session/renew/{HOLDER} from=127.0.0.1:1 latency=1ms\n"
    );
    let lines = "2026-11-20T09:10:20Z acquired lock jobs/nightly/leader\n";
    let incident = read(&[&lists(Some(HOLDER)), lines, &server]);
    let (before, observed) = incident.observed(10);
    let texts: Vec<_> = observed.iter().map(|it| (it.is_gap, it.text.as_str())).collect();
    assert_eq!(
        (before, &texts[..]),
        (
            0,
            &[
                (true, "what happened before is unknown"),
                (false, "a renewal of session 4154283e (worker-a)"),
                (true, "until 09:10:40.000 no log of a server: what happened is unknown"),
                (false, "app.log logs \"acquired\" jobs/nightly/leader"),
                (false, "the list of sessions (lists:1): of this moment"),
                (false, "the list of keys (lists:2): of this moment"),
            ][..]
        )
    );
    assert_eq!(incident.observed(2).0, 4);
    let text = incident.events_text(3);
    let lines: Vec<&str> = text.lines().skip(2).map(str::trim_start).collect();
    assert_eq!(
        lines,
        [
            "3 more before",
            "09:10:20.000 app.log logs \"acquired\" jobs/nightly/leader (app.log:1)",
            "09:10:40.000 the list of sessions (lists:1): of this moment",
            "09:10:40.000 the list of keys (lists:2): of this moment",
        ]
    );
    // The report has the same lines.
    let all = incident.events_text(usize::MAX);
    let all: Vec<&str> = all.lines().skip(2).map(str::trim_start).collect();
    assert_eq!(incident.to_json()["observed"]["lines"], json!(all));
    assert!(all[2].starts_with("09:10:10.000 ? until 09:10:40.000 no log"), "{all:?}");
}

/// The time in which this number of lines of an application is read.
fn reading_time(count: usize) -> Duration {
    let mut lines = String::new();
    for number in 0..count {
        let (minute, second) = (number / 60 % 60, number % 60);
        let text = match number % 4 {
            0 => format!("renewed session {HOLDER}"),
            1 => "GET /health HTTP/1.1 200 12ms user=alice".to_owned(),
            2 => format!("failed to acquire lock {KEY}: attempt {number}"),
            _ => format!("request {number} took {number} ms"),
        };
        let _ = writeln!(
            lines,
            "2026-11-20T09:{minute:02}:{second:02}.{:03}Z INFO [w-{}] {text}",
            number % 1000,
            number % 16
        );
    }
    let begin = Instant::now();
    let incident = read(&[&lists(Some(HOLDER)), &lines]);
    let time = begin.elapsed();
    let renewed = count / 4;
    let expected = format!("{count} lines of an application: renewed {renewed}");
    assert_eq!(summary(&incident).0, expected);
    time
}

/// Twenty times the lines may take sixty times as long, because other programs use the machine.
#[test]
fn the_time_grows_with_the_number_of_lines() {
    let (few, many) = (reading_time(8_000), reading_time(160_000));
    assert!(many < few * 60, "8,000 lines: {few:?}, 160,000 lines: {many:?}");
}

/// The pieces of random lines.
const PIECES: [&str; 34] = [
    "2026-11-20T09:10:31Z",
    "1795165831123",
    "Nov 20 09:10:31",
    "09:10:31",
    "11/08/2026 9:10:31 PM",
    "Nov 20, 2026 @ 9:10:31\u{202f}AM",
    "Nov 20, 2026 9:10:31 AM a b\nINFO: ",
    "20.11.2026 09:10:31,5",
    "\n",
    " am the ",
    "acquired",
    "lock",
    "lost",
    "leader",
    "session",
    "renewed",
    "by",
    "key=",
    "\"lock\":\"",
    HOLDER,
    "jobs/a",
    "/v1/",
    "/session/renew/",
    "HTTP/1.1\" 200",
    " ",
    ": ",
    "{",
    "}",
    "\"",
    "é",
    "=",
    "not ",
    ".",
    "worker-a",
];

#[test]
fn lines_of_any_pieces_are_read_and_each_proposed_pattern_can_be_written_again() {
    let mut state = 1_u64;
    let mut patterns = 0;
    for _ in 0..20_000 {
        let mut line = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            line.push_str(PIECES[(state >> 33) as usize % PIECES.len()]);
        }
        let source = [Source::new("app.log", line.as_bytes())];
        let Ok(incident) = Incident::read(&source, parse_time(TAKEN)) else { continue };
        let Some(application) = &incident.sources()[0].application else { continue };
        for (pattern, count) in &application.patterns {
            let again: EventPattern =
                pattern.to_string().parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(&again, pattern, "{line}");
            patterns += count;
        }
    }
    assert!(patterns > 100, "{patterns}");
}
