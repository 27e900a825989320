//! Tests timelines: visits of the past, branches, forecasts, changes of past acts, and chains of
//! causes.

use std::time::Duration;

use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use lictor_sim::scenario::{SCENARIOS, Scenario, Variant};
use lictor_sim::timeline::{
    Limits, Position, Revised, Revision, RevisionError, SeekTarget, Timeline,
};
use lictor_sim::trace::trace_of;
use lictor_sim::{Act, ActError, EventKind, JournalEntry, SimEvent, Verdict, World};
use lictor_tests::dice::Dice;
use lictor_tests::random_acts::RandomActs;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{ACTS, SEEDS, perform_random, random_timeline};

/// Seeks from random positions to random others, where the world must be the one of the first time.
#[test]
fn every_visit_gives_the_world_of_that_time() {
    for seed in 1..=SEEDS {
        let mut timeline = Timeline::new(World::new(seed));
        let mut random = RandomActs::with_faults(seed);
        let mut stages: Vec<(Position, World)> = Vec::new();
        for _ in 0..ACTS {
            perform_random(&mut timeline, &mut random, 1);
            stages.push((timeline.position(), timeline.world().clone()));
        }
        let mut dice = Dice::new(seed);
        for _ in 0..200 {
            let (position, world) = dice.one_of(&stages);
            let found = timeline.seek(SeekTarget::Position(*position));
            assert_eq!(found, *position, "seed={seed}");
            assert!(timeline.world() == world, "seed={seed}: at {position:?}");
        }
    }
}

#[test]
fn every_seek_target_is_reached() {
    let (mut timeline, events) = random_timeline(3, Limits::default());
    let end = timeline.here().end();
    let mut dice = Dice::new(3);
    for _ in 0..100 {
        let event = dice.one_of(&events);
        let position = timeline.seek(SeekTarget::SimEvent(event.number));
        assert_eq!(position.at, event.at, "time stands where the event is");
        assert!(position.event_number >= event.number, "it has happened");
        let position = timeline.seek(SeekTarget::Time(event.at));
        let until = events.iter().rev().find(|other| other.at <= event.at);
        assert_eq!(Some(position.event_number), until.map(|last| last.number), "all of that time");
        let acts = dice.below(end.acts);
        assert_eq!(timeline.seek(SeekTarget::Acts(acts)).acts, acts);
    }
    assert_eq!(timeline.seek(SeekTarget::Time(Instant::from_nanos(u64::MAX))), end);
    assert_eq!(timeline.seek(SeekTarget::SimEvent(u64::MAX)), end);
    assert_eq!(timeline.seek(SeekTarget::Acts(0)), Position::default());
    assert_eq!(timeline.seek(SeekTarget::Time(Instant::EPOCH)).at, Instant::EPOCH);
}

#[test]
fn past_events_can_be_listed_again() {
    for seed in 1..=SEEDS {
        let (mut timeline, events) = random_timeline(seed, Limits::default());
        let count = events.len() as u64;
        assert_eq!(timeline.here().events(1..count + 1), events, "seed={seed}");
        let some = timeline.here().events(count / 3..count / 2);
        assert_eq!(some, events[count as usize / 3 - 1..count as usize / 2 - 1], "seed={seed}");
        timeline.seek(SeekTarget::SimEvent(count / 2));
        let from = timeline.position().event_number as usize;
        let again = timeline.advance_to(timeline.here().end().at);
        assert_eq!(again, events[from..], "seed={seed}: it happens again as it did");
        assert!(timeline.is_at_end());
    }
}

/// Limits on checkpoints and events do not change what is still visible.
#[test]
fn a_small_budget_only_shortens_the_history() {
    let limits = Limits { events: 40, checkpoint_bytes: 1 << 16, ..Limits::default() };
    for seed in 1..=SEEDS {
        let (mut narrow, events) = random_timeline(seed, limits.clone());
        let (mut wide, _) = random_timeline(seed, Limits::default());
        let (begin, end) = (narrow.here().begin(), narrow.here().end());
        assert!(begin.event_number > 0, "seed={seed}: something was folded away");
        // The history begins at a checkpoint: at most 256 events before the 40 are kept.
        assert!((40..=40 + 256).contains(&(end.events - begin.events)), "{begin:?} to {end:?}");
        assert_eq!(narrow.seek(SeekTarget::Acts(0)), begin, "nothing before is visible");
        for number in (begin.event_number + 1..=end.event_number).step_by(97) {
            narrow.seek(SeekTarget::SimEvent(number));
            wide.seek(SeekTarget::SimEvent(number));
            assert!(narrow.world() == wide.world(), "seed={seed} event={number}");
        }
        let visible = narrow.here().events(0..u64::MAX);
        assert_eq!(visible, events[begin.event_number as usize..], "seed={seed}");
    }
}

#[test]
fn acting_in_the_past_begins_a_branch_and_the_old_future_stays() {
    for seed in 1..=SEEDS {
        let (mut timeline, events) = random_timeline(seed, Limits::default());
        let (main, old) = (timeline.current(), timeline.world().clone());
        let middle = timeline.seek(SeekTarget::SimEvent(events.len() as u64 / 2));
        let act = Act::Join { actor: ActorName::from("late") };
        timeline.perform(act.clone()).expect("it is possible");
        assert_ne!(timeline.current(), main);
        assert_eq!(timeline.here().name, "joins");
        assert_eq!(timeline.here().parent().map(|fork| (fork.from, fork.at)), Some((main, middle)));
        perform_random(&mut timeline, &mut RandomActs::with_faults(seed + 1), 40);
        let (branch, new) = (timeline.current(), timeline.world().clone());
        let taken = ActError::NameTaken(ActorName::from("late"));
        assert_eq!(timeline.perform(act), Err(taken), "seed={seed}");
        assert_eq!(timeline.current(), branch);
        timeline.switch(main).expect("main is there");
        timeline.seek(SeekTarget::Time(Instant::from_nanos(u64::MAX)));
        assert!(*timeline.world() == old, "seed={seed}: the old future");
        timeline.switch(branch).expect("the branch is there");
        timeline.seek(SeekTarget::Time(Instant::from_nanos(u64::MAX)));
        assert!(*timeline.world() == new, "seed={seed}: the new one");
    }
}

#[test]
fn a_branch_with_the_same_acts_has_the_same_events_and_world() {
    for seed in 1..=SEEDS {
        let (mut timeline, _) = random_timeline(seed, Limits::default());
        let (main, end) = (timeline.current(), timeline.here().end());
        let rest: Vec<_> = timeline.here().acts().skip(end.acts / 2).collect();
        let rest: Vec<_> = rest.into_iter().map(|(_, entry)| entry.clone()).collect();
        timeline.seek(SeekTarget::Acts(end.acts / 2));
        timeline.fork("again".to_owned());
        for entry in rest {
            timeline.advance_to(entry.at);
            timeline.perform(entry.act).expect("it is possible");
        }
        timeline.advance_to(end.at);
        let events = [main, timeline.current()]
            .map(|id| timeline.branch(id).map(|branch| branch.events(0..u64::MAX)));
        assert_eq!(events[0], events[1], "seed={seed}");
        let worlds =
            [main, timeline.current()].map(|id| timeline.visit(id, SeekTarget::Time(end.at)));
        assert!(worlds[0] == worlds[1], "seed={seed}");
    }
}

#[test]
fn the_oldest_branches_are_dropped() {
    let mut timeline =
        Timeline::with_limits(World::new(1), Limits { branches: 3, ..Limits::default() });
    for number in 0..5 {
        timeline.fork(format!("branch {number}"));
    }
    let names: Vec<_> = timeline.branches().map(|(_, branch)| branch.name.clone()).collect();
    assert_eq!(names, ["branch 2", "branch 3", "branch 4"]);
}

#[test]
fn a_forecast_is_what_happens_without_further_acts() {
    let mut sliced = 0;
    for seed in 1..=SEEDS {
        let (mut timeline, _) = random_timeline(seed, Limits::default());
        let (now, horizon) = (timeline.world().now(), Duration::from_secs(120));
        while !timeline.look_ahead(horizon, 3).is_complete() {
            sliced += 1;
        }
        let forecast: Vec<SimEvent> = timeline.look_ahead(horizon, 0).events().cloned().collect();
        let first = timeline.advance_to(now.plus(horizon / 2));
        let rest: Vec<SimEvent> = timeline.look_ahead(horizon, 0).events().cloned().collect();
        assert_eq!([first.clone(), rest].concat(), forecast, "seed={seed}: what is over is out");
        let second = timeline.advance_to(now.plus(horizon));
        assert_eq!([first, second].concat(), forecast, "seed={seed}");
        timeline.perform(Act::Join { actor: ActorName::from("late") }).expect("it is possible");
        assert_eq!(timeline.look_ahead(horizon, 0).events().len(), 0, "an act begins it anew");
    }
    assert!(sliced > 10, "slices were used {sliced} times");
}

#[test]
fn changing_an_act_changes_what_follows() {
    let mut timeline = guide();
    let main = timeline.current();
    let create =
        HttpRequest::new("PUT", "/v1/session/create", br#"{"LockDelay":"0s","TTL":"10s"}"#);
    let act = Act::Request { actor: ActorName::from("web-1"), request: create };
    let entry = JournalEntry { at: Instant::EPOCH, act };
    let revised = timeline.revise(Revision::Replace(2, entry)).expect("there is such an act");
    assert_eq!(revised.left_out, 0);
    assert_ne!(timeline.current(), main);
    let trace = trace_of(&timeline.here().events(0..u64::MAX));
    assert!(!trace.contains("lock-delay"), "{trace}");
    let before = trace_of(&timeline.branch(main).expect("it stays").events(0..u64::MAX));
    assert!(before.contains("-> false: lock-delay until 35.000s"), "{before}");
}

/// A later act uses the session that is created on its own branch, although that has another id.
#[test]
fn later_acts_refer_to_ids_of_their_own_branch() {
    let mut timeline = guide();
    let before = trace_of(&timeline.here().events(0..u64::MAX));
    assert!(before.contains("S2 = session") || before.contains("-> S2"), "{before}");
    let revised = timeline.revise(Revision::Remove(2)).expect("there is such an act");
    assert_eq!(revised.left_out, 0);
    let trace = trace_of(&timeline.here().events(0..u64::MAX));
    assert!(trace.contains("put lead value=mine acquire=S1  -> true lock=1"), "{trace}");
}

/// The timeline of [`guide`] in which web-2 sends its last request at `to` ms instead of at 25 s.
fn moved(to: u64) -> (Timeline, Revised) {
    let mut timeline = guide();
    timeline.advance_to(Instant::from_millis(60_000));
    let (number, entry) = timeline.here().acts().next_back().expect("there is an act");
    let entry = JournalEntry { at: Instant::from_millis(to), act: entry.act.clone() };
    let revised = timeline.revise(Revision::Replace(number, entry)).expect("it is possible");
    (timeline, revised)
}

#[test]
fn an_act_is_moved_to_another_time() {
    for (to, expected) in [
        (500, "-> error: no such session"),
        (20_000, "-> false: lock-delay until 35.000s"),
        (40_000, "-> true"),
    ] {
        let (timeline, revised) = moved(to);
        let trace = trace_of(&timeline.here().events(0..u64::MAX));
        assert!(trace.contains(expected), "{to}: {trace}");
        assert_eq!(revised.left_out, 0, "{to}");
        assert_eq!(timeline.position().at, Instant::from_millis(60_000));
        let acts: Vec<_> = timeline.here().acts().map(|(_, entry)| entry.at).collect();
        assert_eq!(acts.len(), 7, "{to}");
        assert!(acts.is_sorted() && acts.contains(&Instant::from_millis(to)), "{acts:?}");
    }
}

/// web-1 creates its session later, so that its acquire comes too early. Later acts of web-2 name
/// the session that web-2 has on this branch.
#[test]
fn later_acts_follow_an_act_that_was_moved_behind_them() {
    let mut timeline = guide();
    let act = timeline.here().act(2).expect("web-1 creates its session").act.clone();
    let entry = JournalEntry { at: Instant::from_millis(2_000), act };
    let revised = timeline.revise(Revision::Replace(2, entry)).expect("it is possible");
    assert_eq!(revised.left_out, 0);
    let trace = trace_of(&timeline.here().events(0..u64::MAX));
    assert!(trace.contains("put lead value=mine acquire=S1  -> true lock=1"), "{trace}");
}

#[test]
fn an_act_cannot_be_moved_out_of_its_branch() {
    let mut timeline = guide();
    let (number, entry) = timeline.here().acts().next_back().expect("there is an act");
    let (act, begin, end) = (entry.act.clone(), Instant::EPOCH, timeline.here().end().at);
    let entry = JournalEntry { at: end.plus(Duration::from_millis(1)), act };
    let refused = timeline.revise(Revision::Replace(number, entry));
    assert_eq!(refused, Err(RevisionError::NoSuchTime { begin, end }));
    assert_eq!(timeline.branches().count(), 1);
}

/// A timeline in which two clients contend for one lock, and the session of the holder expires.
fn guide() -> Timeline {
    let mut timeline = Timeline::new(World::new(5));
    for actor in ["web-1", "web-2"] {
        timeline.perform(Act::Join { actor: ActorName::from(actor) }).expect("it is possible");
    }
    let one = session(&mut timeline, "web-1", r#"{"TTL":"10s"}"#);
    send(&mut timeline, "web-1", "PUT", &format!("/v1/kv/lead?acquire={one}"), "held");
    timeline.advance_to(Instant::from_millis(1_000));
    let other = session(&mut timeline, "web-2", r#"{"TTL":"60s"}"#);
    send(&mut timeline, "web-2", "PUT", &format!("/v1/kv/lead?acquire={other}"), "mine");
    timeline.advance_to(Instant::from_millis(25_000));
    send(&mut timeline, "web-2", "PUT", &format!("/v1/kv/lead?acquire={other}"), "mine");
    timeline
}

/// Creates a session, and returns its id.
fn session(timeline: &mut Timeline, actor: &str, draft: &str) -> String {
    let events = send(timeline, actor, "PUT", "/v1/session/create", draft);
    let id = events.iter().find_map(|event| match &event.kind {
        EventKind::Answered { outcome, .. } => Some(outcome.response.text()),
        _ => None,
    });
    id.and_then(|text| text.split('"').nth(3).map(str::to_owned)).expect("it is made")
}

/// Uses scenario 3, in which the lock-delay refuses an acquire although the key is free.
#[test]
fn a_chain_of_causes_leads_back_to_an_act() {
    let events = played(3);
    let refused = events.iter().find(|event| is_refused(event)).expect("one is refused");
    let chain = chain_of_causes(&events, refused.number);
    assert!(chain.len() > 3, "{chain:#?}");
    let first = chain.last().expect("it has links");
    assert_eq!(first.cause, None, "the last one is an act");
    assert!(matches!(first.kind, EventKind::Sent(_) | EventKind::Joined { .. }));
}

/// An event, the event to which the reason of its answer refers or which caused it, the cause of
/// that one, and so on.
fn chain_of_causes(events: &[SimEvent], number: u64) -> Vec<&SimEvent> {
    let mut chain: Vec<&SimEvent> = Vec::new();
    let mut next = Some(number);
    while let Some(number) = next {
        let event = events.iter().find(|event| event.number == number).expect("it has happened");
        let because = match &event.kind {
            EventKind::Answered { outcome, .. } => outcome.because.as_ref(),
            _ => None,
        };
        chain.push(event);
        next = because.map(|because| because.event).or(event.cause);
        assert!(next.is_none_or(|cause| cause < number), "{event:?} has a later cause");
    }
    chain
}

/// All events of a scenario that was played to its end.
fn played(number: usize) -> Vec<SimEvent> {
    let scenario = Scenario::read(SCENARIOS[number - 1]).expect("the scenario is well-formed");
    let timeline = scenario.play(Variant::Plain).expect("the scenario can be played").timeline;
    timeline.here().events(0..u64::MAX)
}

fn send(
    timeline: &mut Timeline,
    actor: &str,
    method: &str,
    target: &str,
    body: &str,
) -> Vec<SimEvent> {
    let request = HttpRequest::new(method, target, body.as_bytes());
    timeline
        .perform(Act::Request { actor: ActorName::from(actor), request })
        .expect("it is possible")
}

fn is_refused(event: &SimEvent) -> bool {
    match &event.kind {
        EventKind::Answered { outcome, .. } => outcome.verdict() == Verdict::False,
        _ => false,
    }
}
