//! The record and the rows read off it, on stories played in a real world.

use lictor_core::error::Cause;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::sim::trace::{Names, act_of};
use lictor_core::sim::{Act, World};
use lictor_core::time::Instant;

use super::{Granted, Record, TwoBelieve};
use crate::glance::Glance;
use crate::rows::{ChainStep, Deadline, Note, Presence, Reply, Reset, Shape};
use crate::timeline::zones::{ZoneKind, zones};

const LEADER: &str = "db/leader";

/// A world with its record, driven by calls.
struct Story {
    world: World,
    record: Record,
}

impl Story {
    fn new() -> Self {
        let mut story = Self { world: World::new(42), record: Record::default() };
        for name in ["web-1", "web-2", "web-3"] {
            let moments = story.world.perform(Act::Join { actor: ActorName::from(name) });
            moments.iter().for_each(|moment| story.record.fold(moment));
        }
        story
    }

    fn call(&mut self, actor: &str, method: &str, target: &str, body: &str) {
        let request = HttpRequest::new(method, target, body.as_bytes());
        let moments = self.world.perform(Act::Request { actor: ActorName::from(actor), request });
        moments.iter().for_each(|moment| self.record.fold(moment));
    }

    fn session(&mut self, actor: &str, body: &str) -> SessionId {
        self.call(actor, "PUT", "/v1/session/create", body);
        let session = self.record.session_of(&ActorName::from(actor));
        session.expect("it was created").session.id
    }

    fn acquire(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/kv/{LEADER}?acquire={session}"), actor);
    }

    fn destroy(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/session/destroy/{session}"), "");
    }

    fn advance(&mut self, millis: u64) {
        let moments = self.world.advance(Instant::from_millis(millis));
        moments.iter().for_each(|moment| self.record.fold(moment));
    }

    fn act(&mut self, actor: &str, words: &str) {
        let act = act_of(actor, words, &Names::default()).expect("it is well formed");
        self.world.perform(act).iter().for_each(|moment| self.record.fold(moment));
    }

    fn glance(&self) -> Glance<'_> {
        Glance { world: &self.world, record: &self.record }
    }

    fn last(&self) -> (Reply, Note) {
        let row = self.record.events().last().expect("something happened");
        (row.reply.clone(), row.note.clone())
    }
}

#[test]
fn the_leader_election_story_is_on_the_lock_card() {
    let mut story = Story::new();
    let (one, two) = (story.session("web-1", ""), story.session("web-2", ""));
    story.acquire("web-1", one);
    assert_eq!(story.last(), (Reply::True, Note::LockIndex(1)));
    story.acquire("web-2", two);
    let (reply, note) = story.last();
    let Note::Why(why) = note else { panic!("a refusal has its reason: {note:?}") };
    assert_eq!((reply, &*why.session), (Reply::False, "A"));

    story.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "web-1");
    story.acquire("web-2", two);
    let row = story.glance().lock(&Key::from(LEADER)).expect("a lock card");
    assert_eq!(row.holder.expect("held").tag.label.as_ref(), "B");
    assert_eq!((row.acquired, row.delay), (2, None), "a clean release starts no delay");

    story.destroy("web-2", two);
    let row = story.glance().lock(&Key::from(LEADER)).expect("a lock card");
    let delay = row.delay.expect("a lock-delay runs");
    assert_eq!((row.holder, &*delay.session, delay.cause), (None, "B", Cause::Requested));
    assert_eq!(delay.until, Instant::from_millis(15_000));

    story.advance(15_000);
    story.acquire("web-1", one);
    assert_eq!(story.last(), (Reply::True, Note::LockIndex(3)));
    let track = story.record.lock(&Key::from(LEADER)).expect("a track");
    let granted: Vec<_> = track.tries.iter().map(|it| it.granted).collect();
    assert_eq!(granted, [Granted::Yes, Granted::No, Granted::Yes, Granted::Yes]);
}

#[test]
fn a_refusal_in_a_lock_delay_is_explained_by_its_chain() {
    let mut story = Story::new();
    let (one, two) = (story.session("web-1", ""), story.session("web-2", ""));
    story.acquire("web-1", one);
    story.advance(1_000);
    story.destroy("web-1", one);
    story.advance(2_000);
    story.acquire("web-2", two);
    let explanation = story.record.explanation().expect("something was refused");
    assert_eq!(explanation.key, Some(Key::from(LEADER)));
    let kinds: Vec<_> = explanation.chain.iter().map(step_name).collect();
    assert_eq!(kinds, ["held 0", "ended 1000", "until 16000", "got 2000"]);
}

fn step_name(step: &ChainStep) -> String {
    match step {
        ChainStep::Held { at, .. } => format!("held {}", at.as_millis()),
        ChainStep::Ended { at, .. } => format!("ended {}", at.as_millis()),
        ChainStep::LockDelay { until, .. } => format!("until {}", until.as_millis()),
        ChainStep::Got { at, .. } => format!("got {}", at.as_millis()),
    }
}

#[test]
fn an_actors_second_session_has_a_number() {
    let mut story = Story::new();
    let first = story.session("web-1", "");
    story.destroy("web-1", first);
    assert!(story.record.session_of(&ActorName::from("web-1")).is_none());
    let second = story.session("web-1", "");
    let labels = [first, second].map(|id| story.record.tag(&id.to_string()).label);
    assert_eq!(labels.map(|label| label.to_string()), ["A", "A2"]);
}

#[test]
fn a_session_goes_through_its_zones_and_ends_at_twice_its_ttl() {
    let mut story = Story::new();
    let id = story.session("web-1", r#"{"TTL": "10s"}"#);
    story.advance(4_000);
    story.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
    let due = story.glance().deadlines(3);
    assert_eq!(due, [(Instant::from_millis(24_000), Deadline::SessionEnds { label: "A".into() })]);
    story.advance(30_000);
    let track = story.record.session(id).expect("it is remembered");
    let stretches: Vec<_> = zones(track)
        .iter()
        .map(|zone| (zone.kind, zone.from.as_millis(), zone.to.map(Instant::as_millis)))
        .collect();
    assert_eq!(
        stretches,
        [(ZoneKind::Guaranteed, 0, Some(14_000)), (ZoneKind::Grace, 14_000, Some(24_000))]
    );
    let row = story.glance().session(id).expect("a row");
    assert_eq!(row.ended, Some((Instant::from_millis(24_000), Cause::TtlExpired)));
    assert_eq!(story.last().0, Reply::Ended);
}

#[test]
fn a_failed_check_ends_the_session_and_is_told_by_the_server() {
    let mut story = Story::new();
    let id = story.session("web-1", "");
    story.acquire("web-1", id);
    let body = r#"{"Node": "web-1", "SkipNodeUpdate": true,
        "Check": {"CheckID": "serfHealth", "Status": "critical"}}"#;
    story.call("web-1", "PUT", "/v1/catalog/register", body);
    let told = story.record.events().iter().find_map(|row| match &row.note {
        Note::SessionEnded { cause, freed } => Some((cause.clone(), freed.clone())),
        _ => None,
    });
    let check = "serfHealth".into();
    assert_eq!(told, Some((Cause::CheckCritical(check), vec![LEADER.to_owned()])));
    let marks = story.record.marks();
    let counts = (marks.delays.len(), marks.acquired.len(), marks.ended.len(), marks.faults.len());
    assert_eq!(counts, (1, 1, 1, 0));
}

#[test]
fn a_semaphores_dead_holder_is_listed_until_somebody_prunes_it() {
    let mut story = Story::new();
    let ids = ["web-1", "web-2", "web-3"].map(|actor| (actor, story.session(actor, "")));
    for (actor, id) in ids {
        let target = format!("/v1/kv/jobs/{id}?acquire={id}");
        story.call(actor, "PUT", &target, actor);
    }
    let [(_, a), (_, b), (_, c)] = ids;
    let document = |one: SessionId, two: SessionId| {
        format!(r#"{{"Limit": 2, "Holders": ["{one}", "{two}"]}}"#)
    };
    story.call("web-1", "PUT", "/v1/kv/jobs/.lock?cas=0", &document(a, b));
    let prefix = Key::from("jobs/");
    let row = story.glance().semaphore(&prefix).expect("a card");
    assert_eq!((row.shape, row.limit, row.holders.len()), (Shape::List, Some(2), 3));
    assert_eq!(row.holders[2].listed, Presence::Missing, "the third only contends");

    story.destroy("web-1", a);
    let row = story.glance().semaphore(&prefix).expect("a card");
    assert!(row.holders[0].is_dead_and_listed());
    let index = row.modify_index.expect("there is a document");

    story.call("web-3", "PUT", &format!("/v1/kv/jobs/.lock?cas={index}"), &document(b, c));
    let row = story.glance().semaphore(&prefix).expect("a card");
    let pruned = row.pruned.expect("it says who did it");
    assert_eq!((pruned.label.as_ref(), pruned.by.as_ref()), ("A", "web-3"));
    assert!(row.holders.iter().filter(|it| it.is_live()).count() == 2);
    assert!(story.record.locks().next().is_none(), "contender keys have no lock card");
}

#[test]
fn a_blocking_query_is_told_when_it_waits_and_when_it_wakes() {
    let mut story = Story::new();
    story.call("web-1", "PUT", "/v1/kv/a", "1");
    let index = story.world.index();
    story.call("web-2", "GET", &format!("/v1/kv/a?index={index}&wait=60s"), "");
    assert_eq!(story.last().0, Reply::Waits);
    assert_eq!(story.record.waiting(&ActorName::from("web-2")), 1);
    story.advance(3_000);
    story.call("web-1", "PUT", "/v1/kv/a", "2");
    assert!(matches!(story.last(), (Reply::Ok, Note::Woken { .. })));
    assert_eq!(story.record.waiting(&ActorName::from("web-2")), 0);
}

#[test]
fn a_deleted_key_resets_its_lock_index_and_stays_on_its_card() {
    let mut story = Story::new();
    let id = story.session("web-1", "");
    story.acquire("web-1", id);
    story.call("web-2", "DELETE", &format!("/v1/kv/{LEADER}"), "");
    let row = story.glance().lock(&Key::from(LEADER)).expect("a lock card");
    assert_eq!((row.indexes, row.reset), (None, Some(Reset::Deleted(Instant::EPOCH))));
    story.acquire("web-1", id);
    let row = story.glance().lock(&Key::from(LEADER)).expect("a lock card");
    assert!(row.history.last().is_some_and(|step| step.after_reset && step.lock_index == 1));
}

#[test]
fn a_request_that_consul_refuses_carries_consuls_text() {
    let mut story = Story::new();
    story.call("web-1", "PUT", "/v1/session/create", r#"{"TTL": "1s"}"#);
    let (reply, note) = story.last();
    assert_eq!(reply, Reply::Refused(500));
    assert!(
        matches!(note, Note::Consul(text) if text.contains("Invalid Session TTL")),
        "{reply:?}"
    );
}

#[test]
fn who_is_not_told_goes_on_believing() {
    let mut story = Story::new();
    let (one, two) = (story.session("web-1", ""), story.session("web-2", ""));
    story.acquire("web-1", one);
    story.advance(1_000);
    story.destroy("web-3", one);
    story.advance(16_000);
    story.acquire("web-2", two);
    let beliefs = story.record.beliefs(&Key::from(LEADER)).expect("two believe");
    assert_eq!(beliefs.believers().count(), 2);
    let wrong = |story: &Story, name: &str| {
        let actor = story.world.actor(name).expect("it joined");
        story.glance().actor(actor).and_then(|row| row.misbelieves)
    };
    assert_eq!(wrong(&story, "web-1").as_deref(), Some(LEADER));
    assert_eq!(wrong(&story, "web-2"), None);
    assert_eq!(beliefs.doubles, [TwoBelieve { from: Instant::from_millis(16_000), to: None }]);

    story.advance(17_000);
    story.call("web-1", "GET", &format!("/v1/kv/{LEADER}"), "");
    let beliefs = story.record.beliefs(&Key::from(LEADER)).expect("one believes");
    let believers: Vec<_> = beliefs.believers().map(|span| span.tag.label.to_string()).collect();
    assert_eq!(believers, ["B"], "a read tells web-1 the truth");
    assert_eq!(beliefs.doubles[0].to, Some(Instant::from_millis(17_000)));
}

#[test]
fn who_lets_go_believes_no_longer() {
    let mut story = Story::new();
    let one = story.session("web-1", "");
    story.acquire("web-1", one);
    story.call("web-1", "PUT", &format!("/v1/kv/{LEADER}?release={one}"), "");
    story.acquire("web-1", one);
    story.destroy("web-1", one);
    let beliefs = story.record.beliefs(&Key::from(LEADER)).expect("it believed twice");
    assert_eq!((beliefs.spans.len(), beliefs.believers().count()), (2, 0));
}

#[test]
fn who_holds_a_slot_of_a_semaphore_is_right_until_its_session_ends() {
    let mut story = Story::new();
    for (actor, program) in [("web-1", "one"), ("web-2", "two")] {
        story.act(actor, &format!("spawns {program} semaphore jobs limit=2 ttl=10s"));
        story.act("server", &format!("orders {program} start"));
    }
    let wrong = |story: &Story| {
        ["web-1", "web-2"].map(|actor| {
            let actor = story.world.actor(actor).expect("it joined");
            story.glance().actor(actor).and_then(|row| row.misbelieves)
        })
    };
    story.advance(1_000);
    assert_eq!(
        story.record.beliefs(&Key::from("jobs/.lock")).map(|it| it.believers().count()),
        Some(2)
    );
    assert_eq!((wrong(&story), story.record.overlaps()), ([None, None], 0));
    story.act("web-1", "cut");
    story.advance(60_000);
    assert_eq!(wrong(&story), [Some("jobs/.lock".into()), None]);
}
