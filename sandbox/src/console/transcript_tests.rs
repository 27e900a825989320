//! Tests of the transcript, with a server that has ready answers.

use std::sync::Arc;

use lictor_core::ConsulVersion;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::ActorName;
use lictor_core::time::Instant;

use super::transcript::MOST;
use super::*;
use crate::request_ids::ExchangeId;

const NOW: Instant = Instant::EPOCH;

fn answer(body: &str) -> HttpResponse {
    HttpResponse { status: 200, headers: vec![], body: body.into() }
}

/// A transcript whose requests are carried out by a server with ready answers.
struct ConsoleHarness {
    transcript: Transcript,
    actor: ActorName,
    ids: u64,
    sent: Vec<String>,
}

impl ConsoleHarness {
    fn new() -> Self {
        let actor = ActorName::from("web-1");
        Self { transcript: Transcript::default(), actor, ids: 0, sent: vec![] }
    }

    /// Runs an input, with one answer for each request; a request without one is parked.
    fn run(&mut self, input: &str, answers: &[&str]) -> NextStep {
        self.transcript.submit(&self.actor.clone(), input).expect("it is well formed");
        let mut answers = answers.iter();
        loop {
            match self.transcript.next(NOW, ConsulVersion::default()) {
                NextStep::Send { actor, request } => {
                    let id = self.send(&actor, &request);
                    match answers.next() {
                        Some(body) => self.transcript.answered(NOW, id, &answer(body), None),
                        None => self.transcript.parked(NOW, id),
                    }
                }
                other => return other,
            }
        }
    }

    fn send(&mut self, actor: &ActorName, request: &HttpRequest) -> ExchangeId {
        self.ids += 1;
        let body = String::from_utf8_lossy(&request.body);
        self.sent.push(format!("{} {} {body}", request.method, request.target));
        let request = Arc::new(request.clone());
        self.transcript.sent(NOW, ExchangeId(self.ids), actor, &request);
        ExchangeId(self.ids)
    }

    fn last(&self) -> &Entry {
        self.transcript.entries().last().expect("an entry")
    }
}

#[test]
fn commands_run_in_order_and_answers_fill_the_next() {
    let mut console = ConsoleHarness::new();
    let input = "lock=a/.lock\ns1=$(curl -X PUT /v1/session/create)\n\
                 PUT /v1/kv/<lock>?acquire=$s1 {\"Holders\": [\"<session>\"]}";
    assert_eq!(console.run(input, &["{\"ID\":\"77\"}", "true"]), NextStep::Nothing);
    assert_eq!(console.sent[1], "PUT /v1/kv/a/.lock?acquire=77 {\"Holders\": [\"77\"]}");
    assert_eq!(console.transcript.entries().len(), 3);
    let EntryState::Answered(answered) = &console.last().progress else { panic!("not answered") };
    assert_eq!(answered.view.body, BodyView::Pretty("true".into()));
}

#[test]
fn a_name_without_a_value_stops_what_follows_and_gives_it_back() {
    let mut console = ConsoleHarness::new();
    let next = console.run("GET /a\nGET /v1/kv/<x>\nGET /b\n", &["[]"]);
    let NextStep::Stop(rejected) = next else { panic!("{next:?}") };
    assert_eq!(rejected.text, "GET /v1/kv/<x>\nGET /b");
    assert_eq!(&rejected.text[rejected.errors[0].span.clone()], "<x>");
    assert_eq!(rejected.errors[0].kind, ErrorKind::NoValue("x".into()));
    assert_eq!(rejected.filled("x", "77"), "GET /v1/kv/77\nGET /b");
    assert_eq!(console.sent.len(), 1);
    assert_eq!(console.transcript.next(NOW, ConsulVersion::default()), NextStep::Nothing);
}

#[test]
fn a_faulty_line_stops_the_whole_input() {
    let mut transcript = Transcript::default();
    let rejected = transcript.submit(&ActorName::from("a"), "GET /a\ncurl |").expect_err("pipe");
    assert_eq!(rejected.errors.len(), 1);
    assert_eq!(transcript.next(NOW, ConsulVersion::default()), NextStep::Nothing);
    assert_eq!(transcript.inputs.older(""), None);
}

#[test]
fn a_blocking_query_lets_the_next_command_run_and_is_answered_later() {
    let mut console = ConsoleHarness::new();
    console.run("w=$(curl /v1/kv/a?index=1)", &[]);
    console.run("GET /b", &["[]"]);
    let waiting = EntryState::Waiting { id: ExchangeId(1), since: NOW };
    assert_eq!(console.transcript.entry(1).map(|entry| &entry.progress), Some(&waiting));
    let later = Instant::from_millis(5_000);
    console.transcript.answered(later, ExchangeId(1), &answer("[1]"), None);
    assert_eq!(console.transcript.variables().value("web-1", "w").as_deref(), Some("[1]"));
    let versions = console.transcript.entries().iter().map(|entry| entry.version);
    assert_eq!(versions.max(), Some(console.transcript.version()));
    console.run("GET /v1/kv/a?index=2", &[]);
    console.transcript.cancelled(later, ExchangeId(3));
    assert_eq!(console.last().progress, EntryState::Cancelled { at: later });
}

#[test]
fn requests_of_buttons_are_shown_as_the_commands_that_make_them() {
    let mut console = ConsoleHarness::new();
    let request = HttpRequest {
        method: "PUT".into(),
        target: "/v1/session/create".into(),
        headers: vec![],
        body: vec![],
    };
    let id = console.send(&ActorName::from("b"), &request);
    console.transcript.answered(NOW, id, &answer("{\"ID\":\"5\"}"), None);
    assert_eq!(console.last().text, "curl -X PUT http://localhost:8500/v1/session/create");
    assert_eq!(console.transcript.variables().value("b", "session").as_deref(), Some("5"));
}

#[test]
fn old_entries_make_room() {
    let mut console = ConsoleHarness::new();
    for _ in 0..MOST + 5 {
        console.run("help", &[]);
    }
    assert_eq!(console.transcript.entries().len(), MOST);
    assert_eq!(console.transcript.entry(5), None);
}
