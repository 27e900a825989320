//! Tests of the transcript, with the requests of a timeline.

use core::time::Duration;

use lictor_core::ConsulVersion;
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use lictor_sim::record::Exchange;
use lictor_sim::timeline::{SeekTarget, Timeline};
use lictor_sim::{Act, World};

use super::transcript::MOST;
use super::*;
use crate::time_travel::TimeTravel;

const CREATE: &str = "s1=$(curl -X PUT /v1/session/create)";

/// A transcript of a world with one client.
struct ConsoleHarness {
    transcript: Transcript,
    past: TimeTravel,
    actor: ActorName,
}

impl ConsoleHarness {
    fn new() -> Self {
        let actor = ActorName::from("web-1");
        let mut past = TimeTravel::new(Timeline::recorded(World::new(42)));
        past.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        Self { transcript: Transcript::default(), past, actor }
    }

    /// Runs an input, a second after the one before.
    fn run(&mut self, input: &str) -> NextStep {
        self.past.advance_to(self.past.world().now().plus(Duration::from_secs(1)));
        self.show();
        self.transcript.submit(&self.actor.clone(), input).expect("it is well formed");
        loop {
            match self.transcript.next(self.past.world().now(), ConsulVersion::default()) {
                NextStep::Send { actor, request } => {
                    self.send(actor, request);
                    let sent = self.past.record().exchanges().last().expect("it was sent");
                    self.transcript.sent(sent);
                    self.show();
                }
                other => return other,
            }
        }
    }

    fn send(&mut self, actor: ActorName, request: HttpRequest) {
        self.past.perform(Act::Request { actor, request }).expect("it is possible");
    }

    fn show(&mut self) {
        let now = self.past.world().now();
        self.transcript.show(now, self.past.record().exchanges(), |_| true);
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

    fn value(&self, name: &str) -> Option<String> {
        self.transcript.variables().value("web-1", name)
    }
}

/// The body of an answer.
fn body(entry: &Entry) -> &BodyView {
    let EntryState::Answered(answered) = &entry.progress else { panic!("{:?}", entry.progress) };
    &answered.view.body
}

#[test]
fn commands_run_in_order_and_answers_fill_the_next() {
    let mut console = ConsoleHarness::new();
    let input = format!(
        "lock=a/.lock\n{CREATE}\nPUT /v1/kv/<lock>?acquire=$s1 {{\"Holders\": [\"<session>\"]}}"
    );
    assert_eq!(console.run(&input), NextStep::Nothing);
    let session = console.value("s1").expect("the id of the session");
    assert_eq!(console.sent()[1], format!("/v1/kv/a/.lock?acquire={session}"));
    assert_eq!(console.transcript.entries().len(), 3);
    assert_eq!(*body(console.last()), BodyView::Pretty("true".into()));
}

#[test]
fn a_reload_shows_commands_as_they_were_typed() {
    let mut console = ConsoleHarness::new();
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
    // On another branch another request has the same number.
    console.undo();
    console.send(console.actor.clone(), HttpRequest::new("GET", "/v1/kv/b", b""));
    console.show();
    assert!(console.last().text.starts_with("curl "), "{}", console.last().text);
    // A world that was saved without them.
    console.transcript.begin(SavedConsole::from_text(""));
    console.show();
    assert!(console.texts().iter().all(|text| text.starts_with("curl ")));
}

#[test]
fn a_name_without_a_value_stops_what_follows_and_gives_it_back() {
    let mut console = ConsoleHarness::new();
    let next = console.run("GET /v1/kv/a\nGET /v1/kv/<x>\nGET /v1/kv/b\n");
    let NextStep::Stop(rejected) = next else { panic!("{next:?}") };
    assert_eq!(rejected.text, "GET /v1/kv/<x>\nGET /v1/kv/b");
    assert_eq!(&rejected.text[rejected.errors[0].span.clone()], "<x>");
    assert_eq!(rejected.errors[0].kind, ErrorKind::NoValue("x".into()));
    assert_eq!(rejected.filled("x", "77"), "GET /v1/kv/77\nGET /v1/kv/b");
    assert_eq!(console.sent().len(), 1);
    let now = console.past.world().now();
    assert_eq!(console.transcript.next(now, ConsulVersion::default()), NextStep::Nothing);
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
    let mut console = ConsoleHarness::new();
    console.run("PUT /v1/kv/a 1");
    console.run("GET /v1/kv/a");
    console.run("w=$(curl \"/v1/kv/a?raw&index=<index>\")");
    console.run("GET /v1/kv/b");
    let state = |console: &ConsoleHarness| {
        console.transcript.entries().get(2).map(|entry| entry.progress.clone())
    };
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
    let at = console.past.world().now();
    assert_eq!(console.last().progress, EntryState::Cancelled { at });
}

#[test]
fn requests_of_buttons_are_shown_as_the_commands_that_make_them() {
    let mut console = ConsoleHarness::new();
    let request = HttpRequest::new("PUT", "/v1/session/create", b"");
    console.send(console.actor.clone(), request);
    console.show();
    assert_eq!(console.last().text, "curl -X PUT http://localhost:8500/v1/session/create");
    assert!(console.value("session").is_some());
}

#[test]
fn the_transcript_is_that_of_the_cursor_and_keeps_what_was_typed() {
    let mut console = ConsoleHarness::new();
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
    let mut console = ConsoleHarness::new();
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
    let mut console = ConsoleHarness::new();
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
    let mut console = ConsoleHarness::new();
    console.run("first=1");
    for _ in 0..MOST + 5 {
        console.run("help");
    }
    assert_eq!(console.transcript.entries().len(), MOST);
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
