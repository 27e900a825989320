//! Tests of the record with small worlds that are really played.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use lictor_core::error::{Cause, Reason};
use lictor_core::http::{BadRequest, HttpRequest};
use lictor_core::id::{ActorName, Index, Key, SessionId};
use lictor_core::time::Instant;

use super::{
    ActorTag, AttemptResult, BeliefOverlap, CauseStep, EventCall, EventResult, ExchangeState,
    KeyFate, Note, ReadState, Record,
};
use crate::act::Act;
use crate::call::Problem;
use crate::fold::Fold;
use crate::trace::trace_of;
use crate::world::World;
use crate::{CallStage, Cut, CutDirection, CutMode, Fault, Plan};

const LEADER: &str = "db/leader";

/// A world with its record, driven by requests.
struct TestWorld {
    world: World,
    record: Record,
}

impl TestWorld {
    fn new() -> Self {
        let mut played = Self { world: World::new(42), record: Record::default() };
        for name in ["web-1", "web-2", "web-3"] {
            played.join(name);
        }
        played
    }

    fn join(&mut self, name: &str) {
        let joined = self.world.perform(Act::Join { actor: ActorName::from(name) });
        let events = joined.expect("it is possible");
        events.iter().for_each(|event| self.record.fold(event));
    }

    fn call(&mut self, actor: &str, method: &str, target: &str, body: &str) {
        let request = HttpRequest::new(method, target, body.as_bytes());
        let events = self
            .world
            .perform(Act::Request { actor: ActorName::from(actor), request })
            .expect("it is possible");
        events.iter().for_each(|event| self.record.fold(event));
    }

    fn session(&mut self, actor: &str, body: &str) -> SessionId {
        self.call(actor, "PUT", "/v1/session/create", body);
        let session = self.record.session_of(&ActorName::from(actor));
        session.expect("it was created").session.id
    }

    /// Registers the check `work`, which follows the sessions of a name on the actor's node.
    fn follow_sessions(&mut self, actor: &str, name: &str) {
        let body = format!(
            r#"{{"Node": "{actor}", "SkipNodeUpdate": true, "Check": {{"CheckID": "work",
                "Type": "session", "Definition": {{"SessionName": "{name}"}}}}}}"#
        );
        self.call(actor, "PUT", "/v1/catalog/register", &body);
    }

    fn acquire(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/kv/{LEADER}?acquire={session}"), actor);
    }

    fn destroy(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/session/destroy/{session}"), "");
    }

    fn advance_to(&mut self, millis: u64) {
        let events = self.world.advance_to(Instant::from_millis(millis));
        events.iter().for_each(|event| self.record.fold(event));
    }

    fn last(&self) -> (EventResult, Note) {
        let row = self.record.events().last().expect("something happened");
        (row.reply.clone(), row.note.clone())
    }
}

#[test]
fn the_27th_client_owns_its_sessions_and_has_letters_of_its_own() {
    let mut played = TestWorld::new();
    (4..=27).for_each(|number| played.join(&format!("web-{number}")));
    let labels = ["web-26", "web-27", "web-27"].map(|client| {
        let session = played.session(client, "");
        let tag = &played.record.session(session).expect("it exists").tag;
        assert_eq!(tag.owner.as_ref().map(|owner| owner.name.as_str()), Some(client));
        tag.label.to_string()
    });
    assert_eq!(labels, ["Z", "AA", "AA2"]);
}

#[test]
fn a_refusal_in_a_lock_delay_is_explained_by_its_chain() {
    let mut played = TestWorld::new();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.advance_to(1_000);
    played.destroy("web-1", one);
    played.advance_to(2_000);
    played.acquire("web-2", two);
    let explanation = played.record.explanation().expect("something was refused");
    assert_eq!(explanation.key, Some(Key::from(LEADER)));
    let kinds: Vec<_> = explanation.chain.iter().map(step_name).collect();
    assert_eq!(kinds, ["held 0", "ended 1000", "delayed 1000 until 16000", "got 2000"]);
    assert!(explanation.chain.is_sorted_by_key(CauseStep::at), "it goes forward in time");
}

#[test]
fn an_explanation_names_its_call_and_its_time_after_a_later_success() {
    let mut played = TestWorld::new();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.advance_to(2_000);
    played.acquire("web-2", two);
    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "");
    played.advance_to(3_000);
    played.acquire("web-2", two);
    assert_eq!(played.last().0, EventResult::True);
    let explanation = played.record.explanation().expect("something was refused");
    assert_eq!(
        (explanation.at.as_millis(), explanation.reply.clone()),
        (2_000, EventResult::False)
    );
    let row = played.record.events().iter().find(|row| row.event == explanation.event);
    let call = row.map(|row| (&row.call, &row.reply));
    let Some((EventCall::Http { sessions, .. }, EventResult::False)) = call else {
        panic!("{call:?}");
    };
    assert_eq!(*sessions, [(two, "B".into())], "the request names its session");
}

#[test]
fn a_refusal_without_a_text_keeps_its_problem() {
    let problem = |played: &TestWorld| match played.last() {
        (EventResult::Refused(_), Note::Problem(problem)) => (*problem).clone(),
        other => panic!("{other:?}"),
    };
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/kv/a%01b", "1");
    let expected = Problem::BadRequest(BadRequest::UnprintablePath);
    assert_eq!(problem(&played), expected);
    let explanation = played.record.explanation().expect("it was refused");
    assert_eq!(explanation.note, Note::Problem(expected.into()));
    played.call("web-1", "GET", "/v1/kv/a?x=%zz", "");
    let undecodable = problem(&played);
    assert!(matches!(undecodable, Problem::BadRequest(BadRequest::UndecodableQuery(_))));
}

#[test]
fn a_redirect_is_not_ok() {
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/kv//a", "1");
    let location = "/v1/kv/a".to_owned();
    assert_eq!(played.last(), (EventResult::Moved, Note::Moved { location }));
    let actor = ActorName::from("web-1");
    let request = HttpRequest::new("PUT", "/v1/kv//a", b"1");
    let events = played.world.perform(Act::Request { actor, request }).expect("it is possible");
    let trace = trace_of(&events);
    assert!(trace.contains("redirect: to /v1/kv/a, nothing was done"), "{trace}");
    assert!(!trace.contains("ok"), "{trace}");
}

fn step_name(step: &CauseStep) -> String {
    match step {
        CauseStep::Held { at, .. } => format!("held {}", at.as_millis()),
        CauseStep::Ended { at, .. } => format!("ended {}", at.as_millis()),
        CauseStep::EndedByCheck { at, label, check } => {
            format!("{label} ended {} by {check}", at.as_millis())
        }
        CauseStep::LockDelay { at, until, .. } => {
            format!("delayed {} until {}", at.as_millis(), until.as_millis())
        }
        CauseStep::LeaderLost { at } => format!("lost {}", at.as_millis()),
        CauseStep::Got { at, .. } => format!("got {}", at.as_millis()),
    }
}

/// A session is bound to a check that follows another one, whose end ends both.
#[test]
fn a_refusal_leads_through_a_check_to_the_session_that_the_check_follows() {
    let mut played = TestWorld::new();
    played.follow_sessions("web-1", "first");
    let first = played.session("web-1", r#"{"Name": "first"}"#);
    let second = played.session("web-1", r#"{"Name": "second", "NodeChecks": ["work"]}"#);
    let other = played.session("web-2", "");
    played.acquire("web-1", second);
    played.advance_to(1_000);
    played.destroy("web-3", first);
    let ended = played.record.session(second).and_then(|track| track.ended.clone());
    let ended = ended.expect("it ended with the first one");
    assert_eq!(ended.cause.followed.as_deref(), Some("A"));
    played.advance_to(2_000);
    let refused = |played: &TestWorld| {
        let explanation = played.record.explanation().expect("something was refused");
        explanation.chain.iter().map(step_name).collect::<Vec<_>>()
    };
    played.acquire("web-2", other);
    assert_eq!(
        refused(&played),
        ["held 0", "ended 1000", "A2 ended 1000 by work", "delayed 1000 until 16000", "got 2000"]
    );
    played.advance_to(20_000);
    played.acquire("web-1", second);
    assert_eq!(refused(&played), ["ended 1000", "A2 ended 1000 by work", "got 20000"]);
}

#[test]
fn an_actors_second_session_has_a_number() {
    let mut played = TestWorld::new();
    let first = played.session("web-1", "");
    played.destroy("web-1", first);
    assert!(played.record.session_of(&ActorName::from("web-1")).is_none());
    let second = played.session("web-1", "");
    let labels = [first, second].map(|id| played.record.tag(&id.to_string()).label);
    assert_eq!(labels.map(|label| label.to_string()), ["A", "A2"]);
}

#[test]
fn a_failed_check_ends_the_session_in_a_row_of_the_server() {
    let mut played = TestWorld::new();
    let id = played.session("web-1", "");
    played.acquire("web-1", id);
    let body = r#"{"Node": "web-1", "SkipNodeUpdate": true,
        "Check": {"CheckID": "serfHealth", "Status": "critical"}}"#;
    played.call("web-1", "PUT", "/v1/catalog/register", body);
    let told = played.record.events().iter().find_map(|row| match &row.note {
        Note::SessionEnded { cause, freed, .. } => Some((cause.cause.clone(), freed.clone())),
        _ => None,
    });
    let check = "serfHealth".into();
    assert_eq!(told, Some((Cause::CheckCritical(check), vec![LEADER.to_owned()])));
    let marks = played.record.marks();
    let counts = (marks.delays.len(), marks.acquired.len(), marks.ended.len(), marks.faults.len());
    assert_eq!(counts, (1, 1, 1, 0));
}

#[test]
fn the_end_of_a_session_says_whether_its_keys_were_released_or_deleted() {
    for (behavior, fate) in [("release", KeyFate::Released), ("delete", KeyFate::Deleted)] {
        let mut played = TestWorld::new();
        let body = format!(r#"{{"Behavior": "{behavior}"}}"#);
        let id = played.session("web-1", &body);
        played.acquire("web-1", id);
        played.destroy("web-2", id);
        let entry = played.world.store().kv().get(LEADER);
        assert_eq!(entry.is_none(), fate == KeyFate::Deleted);
        let (_, note) = played.last();
        let Note::SessionEnded { freed, fate: told, .. } = note else { panic!("{note:?}") };
        assert_eq!((freed, told), (vec![LEADER.to_owned()], fate));
    }
}

#[test]
fn a_request_that_a_cut_rejects_has_failed_and_was_not_cancelled() {
    let mut played = TestWorld::new();
    let actor = ActorName::from("web-1");
    let cut = Cut { way: CutDirection::Both, mode: CutMode::Reject };
    let act = Act::Inject { fault: Fault::Cut { actor, cut }, plan: Plan::NOW };
    let events = played.world.perform(act).expect("it is possible");
    events.iter().for_each(|event| played.record.fold(event));
    played.call("web-1", "GET", "/v1/kv/a", "");
    let text =
        Arc::<str>::from("curl: (7) Failed to connect to consul port 8500: Connection refused");
    let broken = |stage| Note::Broken { stage, error: Some(text.clone()) };
    assert_eq!(played.last(), (EventResult::Failed, broken(None)));
    let exchange = played.record.exchanges().last().expect("it was sent");
    let failed = ExchangeState::Failed { at: Instant::EPOCH, text: Some(text.clone()) };
    assert_eq!(exchange.state, failed);
    played.call("web-1", "PUT", "/v1/kv/a", "");
    assert_eq!(played.last(), (EventResult::Failed, broken(Some(CallStage::Sent))));
}

#[test]
fn a_plain_write_of_a_held_key_names_its_holder() {
    let mut played = TestWorld::new();
    let id = played.session("web-1", "");
    played.acquire("web-1", id);
    for (actor, holder) in [("web-2", Some("web-1")), ("web-1", None)] {
        played.call(actor, "PUT", &format!("/v1/kv/{LEADER}"), "x");
        let (reply, note) = played.last();
        let named = match &note {
            Note::HeldByOther { owner, .. } => owner.as_ref().map(|owner| owner.name.to_string()),
            _ => None,
        };
        assert_eq!((reply, named.as_deref()), (EventResult::True, holder), "{actor}");
    }
}

#[test]
fn a_client_uses_its_session_until_an_answer_says_that_it_has_ended() {
    let mut played = TestWorld::new();
    let web_1 = ActorName::from("web-1");
    let in_use = |played: &TestWorld| played.record.session_in_use(&web_1);
    let id = played.session("web-1", r#"{"TTL": "10s"}"#);
    played.acquire("web-1", id);
    played.destroy("web-2", id);
    assert_eq!(in_use(&played), Some(id), "it does not know");
    played.call("web-1", "GET", "/v1/session/list", "");
    assert_eq!(in_use(&played), Some(id), "an answer that does not say so");
    assert!(played.record.wrongly_believed_key(&tag_of(&played, "web-1")).is_some());
    played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
    assert_eq!(in_use(&played), None);
    assert_eq!(played.record.wrongly_believed_key(&tag_of(&played, "web-1")), None);
    let other = played.session("web-1", "");
    played.destroy("web-1", other);
    assert_eq!(in_use(&played), None, "it has destroyed it");
    let third = played.session("web-1", r#"{"TTL": "10s"}"#);
    played.advance_to(21_000);
    assert_eq!(in_use(&played), Some(third));
    let newest = played.session("web-1", "");
    assert_eq!(in_use(&played), Some(newest));
}

fn tag_of(played: &TestWorld, actor: &str) -> ActorTag {
    played.record.actor_tag(&ActorName::from(actor)).expect("it joined").clone()
}

/// The holder of the key that the latest request has freed or deleted, the number of further such
/// keys, and what became of them.
fn ended_hold(played: &TestWorld) -> Option<(String, usize, KeyFate)> {
    match played.last() {
        (EventResult::True | EventResult::Ok, Note::HoldEnded { owner, others, fate, .. }) => {
            Some((owner.expect("a client created it").name.to_string(), others, fate))
        }
        _ => None,
    }
}

#[test]
fn a_write_that_ends_the_lock_of_another_client_names_it() {
    let mut played = TestWorld::new();
    let [id, _] = ["web-1", "web-3"].map(|actor| played.session(actor, ""));
    let take = |played: &mut TestWorld, key: &str| {
        played.call("web-1", "PUT", &format!("/v1/kv/{key}?acquire={id}"), "");
    };
    let (leader, all) = (format!("/v1/kv/{LEADER}"), "/v1/kv/db/?recurse");
    let txn = r#"[{"KV":{"Verb":"set","Key":"a","Value":""}},
        {"KV":{"Verb":"delete","Key":"db/leader"}}]"#;
    let release = format!("{leader}?release={id}");
    let unlock = format!(
        r#"[{{"KV":{{"Verb":"unlock","Key":"db/leader","Value":"","Session":"{id}"}}}},
        {{"KV":{{"Verb":"set","Key":"db/leader","Value":""}}}}]"#
    );
    let one = |fate| Some(("web-1".to_owned(), 0, fate));
    for (method, target, body, expected) in [
        ("DELETE", leader.as_str(), "", one(KeyFate::Deleted)),
        ("DELETE", all, "", Some(("web-1".to_owned(), 1, KeyFate::Deleted))),
        ("PUT", "/v1/txn", txn, one(KeyFate::Deleted)),
        ("PUT", &release, "", one(KeyFate::Released)),
        ("PUT", "/v1/txn", &unlock, one(KeyFate::Released)),
    ] {
        for key in [LEADER, "db/other"] {
            take(&mut played, key);
        }
        played.call("web-2", method, target, body);
        assert_eq!(ended_hold(&played), expected, "{method} {target}");
        // Nothing holds the key now.
        played.call("web-3", "DELETE", &leader, "");
        assert_eq!(ended_hold(&played), None, "after {method} {target}");
    }
    take(&mut played, LEADER);
    played.call("web-1", "DELETE", &leader, "");
    assert_eq!(ended_hold(&played), None, "it deletes its own lock");
}

/// A plain write restarts the count of the lock (KV-05).
#[test]
fn an_acquire_after_a_plain_write_of_the_holder_has_lock_index_0() {
    let mut played = TestWorld::new();
    let id = played.session("web-1", "");
    played.acquire("web-1", id);
    assert_eq!(played.last(), (EventResult::True, Note::LockIndex(1)));
    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}"), "x");
    played.acquire("web-1", id);
    assert_eq!(played.last(), (EventResult::True, Note::LockIndex(0)));
}

#[test]
fn a_key_keeps_the_value_and_the_waiting_reads_from_before_the_forgotten_time() {
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/kv/a", "first");
    let index = played.world.index().0;
    played.advance_to(10_000);
    played.call("web-1", "PUT", "/v1/kv/a", "second");
    played.call("web-2", "GET", &format!("/v1/kv/a?index={}&wait=5m", index + 1), "");
    played.advance_to(30_000);
    played.record.forget(Instant::from_millis(20_000));
    played.call("web-1", "GET", "/v1/kv/a", "");
    played.call("web-1", "PUT", "/v1/kv/a", "third");
    let track = played.record.key(&Key::from("a")).expect("it was written");
    let values = track.versions.iter().map(|it| it.entry.as_ref().map(|it| it.value.to_vec()));
    assert_eq!(values.collect::<Vec<_>>(), [Some(b"second".to_vec()), Some(b"third".to_vec())]);
    let states: Vec<_> = track.reads.iter().map(|read| &read.state).collect();
    assert!(matches!(states[..], [ReadState::Woken(..), ReadState::Read(_)]), "{states:?}");
}

#[test]
fn a_refused_write_of_a_lock_is_an_attempt() {
    let mut played = TestWorld::new();
    let id = played.session("web-1", "");
    played.acquire("web-1", id);
    played.call("web-2", "PUT", &format!("/v1/kv/{LEADER}?cas=1"), "x");
    let attempts = &played.record.lock(&Key::from(LEADER)).expect("it is a lock").attempts;
    let granted: Vec<_> = attempts.iter().map(|it| (it.actor.name.as_str(), it.result)).collect();
    assert_eq!(granted, [("web-1", AttemptResult::Yes), ("web-2", AttemptResult::No)]);
}

#[test]
fn a_blocking_query_has_a_row_when_it_waits_and_when_it_wakes() {
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/kv/a", "1");
    let index = played.world.index();
    played.call("web-2", "GET", &format!("/v1/kv/a?index={index}&wait=60s"), "");
    assert_eq!(played.last().0, EventResult::Waits);
    assert_eq!(played.world.pending().count(), 1);
    played.advance_to(3_000);
    played.call("web-1", "PUT", "/v1/kv/a", "2");
    assert!(matches!(played.last(), (EventResult::Ok, Note::Woken { .. })));
    assert_eq!(played.world.pending().count(), 0);
}

#[test]
fn a_blocking_query_whose_index_has_passed_was_not_woken() {
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/kv/a", "1");
    played.call("web-2", "GET", "/v1/kv/a?index=1&wait=60s", "");
    let index = played.world.index();
    let note = Note::IndexPassed { index, min_index: Index(1) };
    assert_eq!(played.last(), (EventResult::Ok, note));
}

#[test]
fn a_request_that_consul_refuses_carries_consuls_text() {
    let mut played = TestWorld::new();
    played.call("web-1", "PUT", "/v1/session/create", r#"{"TTL": "1s"}"#);
    let (reply, note) = played.last();
    assert_eq!(reply, EventResult::Refused(500));
    assert!(
        matches!(note, Note::Problem(problem) if problem.text().contains("Invalid Session TTL")),
        "{reply:?}"
    );
}

#[test]
fn a_client_believes_until_an_answer_shows_another_holder() {
    let mut played = TestWorld::new();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.advance_to(1_000);
    played.destroy("web-3", one);
    played.advance_to(16_000);
    played.acquire("web-2", two);
    let beliefs = played.record.beliefs(&Key::from(LEADER)).expect("two believe");
    assert_eq!(beliefs.believers().count(), 2);
    assert_eq!(beliefs.overlaps, [BeliefOverlap { from: Instant::from_millis(16_000), to: None }]);

    played.advance_to(17_000);
    played.call("web-1", "GET", &format!("/v1/kv/{LEADER}"), "");
    let beliefs = played.record.beliefs(&Key::from(LEADER)).expect("one believes");
    let believers: Vec<_> = beliefs.believers().map(|span| span.tag.label.to_string()).collect();
    assert_eq!(believers, ["B"], "a read tells web-1 the truth");
    assert_eq!(beliefs.overlaps[0].to, Some(Instant::from_millis(17_000)));
}

#[test]
fn the_checks_count_the_overlaps_that_the_belief_lane_draws() {
    let mut played = TestWorld::new();
    let (one, two) = (played.session("web-1", ""), played.session("web-2", ""));
    played.acquire("web-1", one);
    played.destroy("web-3", one);
    played.advance_to(16_000);
    played.acquire("web-2", two);
    played.advance_to(17_000);
    played.call("web-1", "GET", &format!("/v1/kv/{LEADER}"), "");
    let drawn = &played.record.beliefs(&Key::from(LEADER)).expect("two believed").overlaps;
    let drawn = drawn.iter().map(|it| (it.from, it.to)).collect::<Vec<_>>();
    let counted = played.record.checks().overlaps().iter();
    assert_eq!(counted.map(|it| (it.from, it.to)).collect::<Vec<_>>(), drawn);
    assert_eq!(drawn.len(), 1, "two people believed at once");
}

#[test]
fn a_client_that_releases_or_destroys_believes_no_longer() {
    let mut played = TestWorld::new();
    let one = played.session("web-1", "");
    played.acquire("web-1", one);
    played.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "");
    played.acquire("web-1", one);
    played.destroy("web-1", one);
    let beliefs = played.record.beliefs(&Key::from(LEADER)).expect("it believed twice");
    assert_eq!((beliefs.spans.len(), beliefs.believers().count()), (2, 0));
}

#[test]
fn a_failed_transaction_is_an_error_not_false() {
    let mut played = TestWorld::new();
    let body = r#"[{"KV": {"Verb": "cas", "Key": "a", "Index": 1, "Value": ""}}]"#;
    played.call("web-1", "PUT", "/v1/txn", body);
    let (result, note) = played.last();
    assert_eq!(result, EventResult::Refused(409));
    assert!(
        matches!(note, Note::Reason(why) if why.reason == Reason::TransactionFailed { failed: 1 })
    );
}
