//! Tests of the transcript, with the requests of a timeline.

use core::time::Duration;

use lictor_core::ConsulVersion;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use lictor_sim::Act;
use lictor_sim::record::Exchange;
use lictor_sim::timeline::SeekTarget;

use super::test_world::Fixture;
use super::transcript::ENTRIES_MAX;
use super::*;

const CREATE: &str = "s1=$(curl -X PUT /v1/session/create)";

impl Fixture {
    /// A world with one client.
    fn of_one() -> Self {
        Self::new(&["web-1"])
    }

    /// Runs an input, a second after the one before.
    fn run(&mut self, input: &str) -> NextStep {
        self.pass(Duration::from_secs(1));
        self.enter("web-1", input)
    }

    fn seek(&mut self, milliseconds: u64) {
        self.past.seek(SeekTarget::Time(Instant::from_millis(milliseconds)));
        self.show();
    }

    fn undo(&mut self) {
        assert!(self.past.undo(), "there is an act");
        self.show();
    }

    fn last(&self) -> &Entry {
        self.transcript.entries().last().expect("an entry")
    }

    fn texts(&self) -> Vec<&str> {
        self.transcript.entries().iter().map(|entry| entry.text.as_str()).collect()
    }

    /// What was sent, in order.
    fn sent(&self) -> Vec<String> {
        let target = |exchange: &Exchange| exchange.call.request.target.clone();
        self.past.record().exchanges().map(target).collect()
    }
}

/// The body of an answer.
fn body(entry: &Entry) -> &BodyView {
    let EntryState::Answered(answered) = &entry.progress else { panic!("{:?}", entry.progress) };
    &answered.view.body
}

#[test]
fn a_reload_shows_commands_as_they_were_typed() {
    let mut console = Fixture::of_one();
    for input in
        ["consul kv put a one", CREATE, "curl /v1/kv/a | jq -r .[0].Key", "consul kv get a"]
    {
        console.run(input);
    }
    let texts = console.texts().into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (session, saved) = (console.value("s1"), console.transcript.saved().to_text());
    console.transcript.begin(SavedConsole::from_text(&saved));
    console.show();
    assert_eq!(console.texts(), texts);
    assert_eq!(console.value("s1"), session);
    let bodies = console.transcript.entries().iter().map(body).collect::<Vec<_>>();
    let text = |text: &str| BodyView::Text(text.into());
    assert_eq!(*bodies[0], text("Success! Data written to: a"));
    assert_eq!([bodies[2], bodies[3]], [&text("a"), &text("one")]);
    // On another branch, another request has the same number, so it must not get that text.
    console.undo();
    let (actor, request) = (ActorName::from("web-1"), HttpRequest::new("GET", "/v1/kv/b", b""));
    console.past.perform(Act::Request { actor, request }).expect("it is possible");
    console.show();
    assert!(console.last().text.starts_with("curl "), "{}", console.last().text);
    // Without a saved console, the texts are made from the requests.
    console.transcript.begin(SavedConsole::from_text(""));
    console.show();
    assert!(console.texts().iter().all(|text| text.starts_with("curl ")));
}

#[test]
fn a_name_without_a_value_stops_the_rest_of_the_input_and_returns_it() {
    let mut console = Fixture::of_one();
    let next = console.run("GET /v1/kv/a\nGET /v1/kv/<x>\nGET /v1/kv/b\n");
    let NextStep::Stop(rejected) = next else { panic!("{next:?}") };
    assert_eq!(rejected.text, "GET /v1/kv/<x>\nGET /v1/kv/b");
    assert_eq!(&rejected.text[rejected.errors[0].span.clone()], "<x>");
    assert_eq!(rejected.errors[0].kind, ErrorKind::NoValue("x".into()));
    assert_eq!(rejected.filled("x", "77"), "GET /v1/kv/77\nGET /v1/kv/b");
    assert_eq!(console.sent().len(), 1);
    let now = console.world().now();
    assert_eq!(console.transcript.next(now, ConsulVersion::default()), NextStep::Nothing);
}

#[test]
fn a_session_is_proposed_only_where_a_value_can_be_one() {
    for (input, name, is_session) in [
        ("PUT /v1/kv/a?acquire=<owner>", "owner", true),
        ("PUT /v1/session/renew/<x>", "x", true),
        ("PUT /v1/kv/a {\"Holders\": [\"<session 2>\"]}", "session 2", true),
        ("curl -X PUT -d \"$SID\" /v1/kv/a", "SID", true),
        ("curl -X PUT -d @session.json /v1/session/create", "@session.json", false),
        ("consul kv put a - < session", "@session", false),
        ("curl http://$SESSION_HOST/v1/kv/<x>/b", "SESSION_HOST", false),
        ("curl http://$S:8500/v1/kv/<x>/b", "S", false),
        ("curl \"$s/v1/kv/<x>/b\"", "s", false),
        ("curl http://localhost:8500/v1/kv/<prefix>/b", "prefix", false),
        ("curl http://localhost:8500/v1/kv/<key>?index=<index>", "index", false),
    ] {
        // The errors are made here: the host is not sent, so its name never lacks a value.
        let places = read(input).expect(input).remove(0).placeholder_places();
        let (_, span) = places.into_iter().find(|place| place.0 == name).expect(input);
        let error = CommandError { kind: ErrorKind::NoValue(name.into()), span };
        let text = input.to_owned();
        let rejected = RejectedInput { text, errors: vec![error] };
        assert_eq!(rejected.is_session(name), is_session, "{input}");
    }
}

#[test]
fn a_faulty_line_stops_the_whole_input() {
    let mut transcript = Transcript::default();
    let rejected = transcript.submit(&ActorName::from("a"), "GET /a\ncurl |").expect_err("pipe");
    assert_eq!(rejected.errors.len(), 1);
    let next = transcript.next(Instant::EPOCH, ConsulVersion::default());
    assert_eq!(next, NextStep::Nothing);
    assert_eq!(transcript.inputs.older(""), None);
}

#[test]
fn a_blocking_query_lets_the_next_command_run_and_is_answered_later() {
    let mut console = Fixture::of_one();
    console.run("PUT /v1/kv/a 1");
    console.run("GET /v1/kv/a");
    console.run("w=$(curl \"/v1/kv/a?raw&index=<index>\")");
    console.run("GET /v1/kv/b");
    let state =
        |console: &Fixture| console.transcript.entries().get(2).map(|entry| entry.progress.clone());
    assert!(matches!(state(&console), Some(EntryState::Waiting { .. })));
    console.run("PUT /v1/kv/a 2");
    assert!(matches!(state(&console), Some(EntryState::Answered(_))));
    assert_eq!(console.value("w").as_deref(), Some("2"));
    let versions = console.transcript.entries().iter().map(|entry| entry.version);
    assert!(versions.max() <= Some(console.transcript.version()));
    console.run("GET /v1/kv/a");
    console.run("GET /v1/kv/a?index=<index>");
    let EntryState::Waiting { id, .. } = console.last().progress else { panic!("it waits") };
    console.past.perform(Act::Cancel { id }).expect("it is possible");
    console.show();
    let at = console.world().now();
    assert_eq!(console.last().progress, EntryState::Cancelled { at });
}

/// The text of the last entry, and what its request has lost by a redirect.
fn redirected(console: &Fixture, input: &str) -> (String, Option<Redirected>) {
    let last = console.last();
    assert_eq!(console.sent().last().map(String::as_str), Some("/v1/kv/a/b"), "{input}");
    let (BodyView::Text(text) | BodyView::Pretty(text)) = body(last) else {
        return (String::new(), last.redirected.clone());
    };
    (text.clone(), last.redirected.clone())
}

#[test]
fn redirects_are_followed_as_the_programs_follow_them() {
    let lost = |method: Option<&str>, has_lost_body| {
        Some(Redirected { method: method.map(str::to_owned), has_lost_body })
    };
    for (input, text, expected) in [
        // Go's client sends GET, and the program treats the answer as that of the write.
        ("consul kv put a//b x", "Success! Data written to: a//b", lost(Some("PUT"), true)),
        ("consul kv delete a//b", "Success! Deleted key: a//b", lost(Some("DELETE"), false)),
        ("consul kv get a//b", "old", lost(None, false)),
        ("curl -s -L /v1/kv/a//b -o /dev/null -w '%{http_code}'", "200", lost(None, false)),
    ] {
        let mut console = Fixture::of_one();
        console.run("PUT /v1/kv/a/b old");
        console.run(input);
        assert_eq!(redirected(&console, input), (text.to_owned(), expected), "{input}");
        let kept = console.world().store().kv().get("a/b").expect("nothing was deleted");
        assert_eq!(&*kept.value, b"old", "{input}");
    }
    let mut console = Fixture::of_one();
    console.run("consul kv put a//b x");
    let missing = "Error! Failed writing data: Unexpected response code: 404 ()";
    assert_eq!(redirected(&console, "404").0, missing);
    // curl keeps the method of -X, and sends the body once.
    console.run("w=$(curl -L -X PUT -d x localhost:8500/v1/kv/a//b)\nGET /v1/kv/a/b");
    assert_eq!(console.value("w").as_deref(), Some("true"));
    let written = console.world().store().kv().get("a/b").expect("it was written");
    assert_eq!(&*written.value, b"", "without the body");
    let entries = console.transcript.entries();
    assert_eq!(entries[entries.len() - 2].redirected, lost(None, true));
    let first = entries[entries.len() - 3].id().expect("a request");
    assert!(console.transcript.redirected_to(first).is_some());
    let count = console.sent().len();
    console.show();
    console.run("curl -X PUT -d x /v1/kv/a//b");
    assert_eq!(console.sent().len(), count + 1, "without -L it is not followed");
}

#[test]
fn a_reload_does_not_follow_a_redirect_again() {
    let mut console = Fixture::of_one();
    console.run("consul kv put a//b x");
    let (sent, saved) = (console.sent().len(), console.transcript.saved().to_text());
    console.transcript.begin(SavedConsole::from_text(&saved));
    console.show();
    assert!(console.last().redirected.is_some());
    assert_eq!(console.run("help"), NextStep::Nothing);
    assert_eq!(console.sent().len(), sent);
}

#[test]
fn errors_that_go_to_dev_null_and_a_status_alone_are_printed_as_in_a_shell() {
    let mut console = Fixture::of_one();
    for (input, printed) in [
        ("consul kv get none 2>/dev/null", ""),
        ("curl -s -o /dev/null -w '%{http_code}' /v1/kv/none", "404"),
        ("consul kv put a '{\"b\": [1]}'", "Success! Data written to: a"),
        ("consul kv get a | jq -c .b", "[1]"),
        ("curl -s /v1/kv/a?raw | jq", "{\n  \"b\": [\n    1\n  ]\n}"),
        (
            "consul kv put -cas a x",
            "Error! Did not write to a: CAS performed with index=0 and key \
                                    already exists.",
        ),
    ] {
        console.run(input);
        assert_eq!(*body(console.last()), BodyView::Text(printed.into()), "{input}");
    }
    console.run("echo '{\"a\": 1}' | jq .a");
    assert_eq!(console.last().progress, EntryState::Printed("1".into()));
}

#[test]
fn the_transcript_is_that_of_the_cursor_and_keeps_what_was_typed() {
    let mut console = Fixture::of_one();
    console.run(CREATE);
    console.run("key=a");
    console.run("consul kv put $key 1");
    let all = console.texts().join("; ");
    console.seek(2_500);
    assert_eq!(console.texts(), [CREATE, "key=a"]);
    assert_eq!(console.value("key").as_deref(), Some("a"));
    console.seek(1_500);
    assert_eq!(console.texts(), [CREATE]);
    assert_eq!(console.value("key"), None);
    assert!(console.value("s1").is_some());
    console.seek(500);
    assert_eq!(console.texts(), [""; 0]);
    assert_eq!(console.value("s1"), None);
    console.seek(10_000);
    assert_eq!(console.texts().join("; "), all);
    assert_eq!(console.transcript.inputs.older("").as_deref(), Some("consul kv put $key 1"));
}

#[test]
fn an_undone_acquire_and_its_answer_are_not_shown() {
    let mut console = Fixture::of_one();
    console.run(CREATE);
    console.run("consul kv put a 1");
    console.run("PUT /v1/kv/a?acquire=$s1");
    assert_eq!(*body(console.last()), BodyView::Pretty("true".into()));
    console.undo();
    assert_eq!(console.last().text, "consul kv put a 1");
    console.run("GET /v1/kv/a?raw");
    assert_eq!(console.texts().len(), 3);
    assert_eq!(console.last().text, "GET /v1/kv/a?raw");
    console.undo();
    console.undo();
    console.undo();
    assert_eq!((console.texts().len(), console.value("s1")), (0, None));
}

#[test]
fn a_query_that_waited_on_another_branch_waits_there_alone() {
    let mut console = Fixture::of_one();
    console.run("PUT /v1/kv/a 1");
    console.run("GET /v1/kv/a?index=100&wait=60s");
    console.run("PUT /v1/kv/b 1");
    console.seek(500);
    console.run("GET /v1/kv/a?raw");
    assert_eq!(console.texts().len(), 2);
    assert!(
        console
            .transcript
            .entries()
            .iter()
            .all(|entry| { matches!(entry.progress, EntryState::Answered(_)) })
    );
}

#[test]
fn old_entries_make_room_and_their_values_stay() {
    let mut console = Fixture::of_one();
    console.run("first=1");
    for _ in 0..ENTRIES_MAX + 5 {
        console.run("help");
    }
    assert_eq!(console.transcript.entries().len(), ENTRIES_MAX);
    assert_eq!(console.value("first").as_deref(), Some("1"));
    console.run(CREATE);
    let session = console.value("session");
    let reads = lictor_sim::record::EXCHANGES_KEPT + 5;
    assert_eq!(console.run(&"GET /v1/kv/a\n".repeat(reads)), NextStep::Nothing);
    let read = console.past.record().event_count();
    assert!(read > 2 * reads as u64, "all of them were sent");
    assert!(!console.texts().contains(&CREATE));
    assert!(session.is_some());
    assert_eq!((console.value("session"), console.value("s1")), (session.clone(), session));
}

#[test]
fn a_variable_gets_no_errors_of_the_programs_of_its_command() {
    const MISSING: &str = "Error! No key exists at: b";
    let cannot_index = "jq: error: Cannot index array with string \"a\"";
    for (command, value, shown) in [
        ("curl /v1/kv/a | jq -r '.[0].Value' | base64 -d", "x", "x"),
        ("curl /v1/kv/a | jq -r '.[0].Key' | base64 -d", "", "base64: invalid input"),
        ("curl /v1/kv/a | jq .a", "", cannot_index),
        ("curl /v1/kv/a | jq .a | base64 -d", "", cannot_index),
        ("consul kv get b", "", MISSING),
        ("consul kv get b | jq .", "", MISSING),
        ("consul kv get b 2>/dev/null", "", ""),
        ("consul kv get b 2>&1", MISSING, MISSING),
    ] {
        let mut console = Fixture::of_one();
        console.run("curl -X PUT -d x /v1/kv/a");
        console.run(&format!("v=$({command})"));
        let EntryState::Answered(answer) = &console.last().progress else { panic!("{command}") };
        assert_eq!(answer.view.body, BodyView::Text(shown.into()), "{command}");
        console.run(&format!("echo \"[$({command})]\""));
        let printed = EntryState::Printed(format!("[{value}]"));
        assert_eq!(console.last().progress, printed, "{command}");
        assert_eq!(console.transcript.variables().value("web-1", "v").as_deref(), Some(value));
    }
}
