//! A broken rule names the event that broke it, real servers break none, and a blocking query that
//! woke names the reason.

use std::sync::Arc;

use lictor_core::engine::{Event, Timer, Wake};
use lictor_core::id::{Index, Key};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::scenario::{SCENARIOS, Scenario, Variant};
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::{TraceWriter, act_of};
use lictor_sim::{Always, Broken, Checks, EventKind, ProgramEvent, SimEvent, Sometimes, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A timeline on which these acts are performed, each at its second, and its events. An act is an
/// actor and what it does, in the line language.
pub(super) fn told(lines: &[(u64, &str)]) -> (Timeline, Vec<SimEvent>) {
    let mut timeline = Timeline::new(World::new(1));
    let (mut trace, mut all) = (TraceWriter::default(), Vec::new());
    for (second, line) in lines {
        let mut events = timeline.advance_to(Instant::from_millis(second * 1_000));
        let (actor, what) = line.split_once(' ').expect("an actor and what it does");
        let act = act_of(actor, what, &trace.names).unwrap_or_else(|it| panic!("{line}: {it}"));
        events.extend(timeline.perform(act).expect("it is possible"));
        trace.lines_of(&events);
        all.extend(events);
    }
    (timeline, all)
}

/// The server does not enforce the limit: a client can write more holders than it allows.
#[test]
fn a_broken_rule_names_the_write_that_broke_it() {
    let too_many = r#"web-1 put jobs/.lock value="{\"Limit\":1,\"Holders\":[\"a\",\"b\"]}""#;
    let (_, events) = told(&[
        (0, "web-1 joins"),
        (1, r#"web-1 put jobs/.lock value="{\"Limit\":1,\"Holders\":[\"a\"]}""#),
        (2, too_many),
        (3, "web-1 put jobs/.lock value=x"),
        (4, too_many),
        (5, "web-1 put other value=x"),
    ]);
    let mut checks = Checks::of(&World::new(1));
    events.iter().for_each(|event| checks.follow(event));
    let broken: Vec<_> = checks.broken().iter().map(|it| (it.rule, it.at.as_millis())).collect();
    assert_eq!(broken, [(Always::LimitKept, 2_000), (Always::LimitKept, 4_000)]);
    for Broken { event: number, .. } in checks.broken() {
        let event = events.iter().find(|event| event.number == *number).map(|it| &it.kind);
        let Some(EventKind::Server { event: Event::Changed(change), .. }) = event else {
            panic!("{event:?}")
        };
        assert!(matches!(change, Change::KeyWritten { .. }), "{change:?}");
    }
}

#[test]
fn an_overlap_names_the_event_of_the_second_belief() {
    let scenario = Scenario::read(SCENARIOS[14]).expect("it is read");
    let played = scenario.play(Variant::Plain).expect("it goes as it says");
    assert_eq!(played.checks.seen(Sometimes::TwoBelievers), 1);
    let began = played.checks.overlaps()[0].events.0;
    let [event] = &played.timeline.here().events(began..began + 1)[..] else { panic!("{began}") };
    let EventKind::Program { event, .. } = &event.kind else { panic!("{event:?}") };
    assert!(matches!(event, ProgramEvent::Believes(Belief::Believes { .. })), "{event:?}");
}

/// The reasons for which blocking queries woke. Panics if answers and events have different ones.
fn wakes(events: &[SimEvent]) -> Vec<Wake> {
    let wake = |event: &SimEvent| match &event.kind {
        EventKind::Answered { outcome, .. } => outcome.wake.clone(),
        _ => None,
    };
    let carried = |event: &SimEvent| match &event.kind {
        EventKind::Server {
            event: Event::Woken { why, .. } | Event::Passed { why, .. }, ..
        } => Some(why.clone()),
        EventKind::Server { event: Event::TimedOut { .. }, .. } => Some(Wake::TimeUp),
        _ => None,
    };
    let wakes: Vec<Wake> = events.iter().filter_map(wake).collect();
    let carried: Vec<Wake> = events.iter().filter_map(carried).collect();
    assert_eq!(wakes, carried, "the answer has the reason of the wake-up");
    wakes
}

#[test]
fn a_wake_up_names_its_reason() {
    let key = |name: &str| Key::from(name);
    let changed = |name: &str| Wake::Changed { key: Some(key(name)) };
    let list = "a GET /v1/kv/p/?recurse=&index=";
    let keys = "a GET /v1/kv/p/?keys=&index=";
    for (lines, expected) in [
        // BLK-07, BLK-08: its own key.
        (vec!["a put k value=1", "a get k index=8 wait=60s", "a put k value=2"], changed("k")),
        (
            vec!["a put k value=1", "a get k index=8 wait=60s", "a delete k"],
            Wake::Deleted { key: key("k") },
        ),
        // BLK-10: a missing key has the index of its table, which any write raises.
        (vec!["a put other value=1", "a get k index=1 wait=60s"], Wake::NoMatch),
        (
            vec!["a put k value=1", "a delete k", "a get k index=8 wait=60s"],
            Wake::Deleted { key: key("k") },
        ),
        // BLK-11: another key under the prefix.
        (vec!["a put p/1", &format!("{list}8&wait=60s"), "a put p/2"], changed("p/2")),
        (
            vec!["a put p/1", &format!("{keys}8&wait=60s"), "a put p/1 value=x"],
            Wake::SameKeys { key: key("p/1") },
        ),
        // IDX-05: a tombstone under the prefix; IDX-02: nothing under it.
        (
            vec!["a put p/1", "a put p/2", "a delete p/1", &format!("{list}9&wait=60s")],
            Wake::Deleted { key: key("p/1") },
        ),
        (vec!["a put other", &format!("{list}1&wait=60s")], Wake::NoMatch),
        // IDX-04, BLK-14: the index of the whole table.
        (
            vec!["a session", "a session", "a GET /v1/session/info/<S1>?index=8&wait=60s"],
            Wake::OtherRow,
        ),
        (vec!["a put k value=1", "a get k index=8 wait=1s"], Wake::TimeUp),
    ] {
        let lines = [vec!["a joins"], lines].concat();
        let lines: Vec<(u64, &str)> = lines.into_iter().map(|line| (0, line)).collect();
        let (mut timeline, mut events) = told(&lines);
        events.extend(timeline.advance_to(Instant::from_millis(5_000)));
        assert_eq!(wakes(&events), [expected], "{lines:?}");
    }
}

/// The checks after a client has listed a prefix twice and got a lower index the second time.
/// `between` may add events before the second answer.
fn listed_twice(between: impl Fn(&mut Vec<SimEvent>)) -> Checks {
    let list = "a GET /v1/kv/p/?recurse=";
    let (_, mut events) =
        told(&[(0, "a joins"), (1, "a put p/1"), (2, list), (3, "a put p/2"), (4, list)]);
    let last = events.len() - 1;
    let EventKind::Answered { outcome, .. } = &mut events[last].kind else {
        panic!("the list is answered")
    };
    if let Ok(response) = &mut Arc::make_mut(outcome).answer {
        response.index = Index(2);
    }
    let sent = events.len() - 2;
    let mut tail = events.split_off(sent);
    between(&mut events);
    events.append(&mut tail);
    let mut checks = Checks::of(&World::new(1));
    events.iter().for_each(|event| checks.follow(event));
    checks
}

#[test]
fn an_index_of_a_prefix_only_falls_where_tombstones_were_reaped() {
    let checks = listed_twice(|_| {});
    assert_eq!(checks.broken().iter().map(|it| it.rule).collect::<Vec<_>>(), [Always::IndexesGrow]);
    let checks = listed_twice(|events| {
        let mut reaped = events[events.len() - 1].clone();
        let event = Event::Fired(Timer::Reap);
        reaped.kind = EventKind::Server { index: Index(4), event, call: None };
        events.push(reaped);
    });
    assert_eq!(checks.broken(), []);
}

/// The real events when tombstones are reaped or dropped keep the rule (IDX-09, IDX-10).
#[test]
fn reaping_and_recursive_deletion_break_no_rule() {
    let (_, events) = told(&[
        (0, "a joins"),
        (1, "a put p/q/1"),
        (2, "a delete p/q/1"),
        (3, "a put p/q/2"),
        (4, "a GET /v1/kv/p/q/?recurse="),
        (5, "a DELETE /v1/kv/p?recurse="),
        (6, "a GET /v1/kv/p/q/?recurse="),
        (7, "a put p/3"),
        (8, "a put p/4"),
        (9, "a delete p/4"),
        (10, "a GET /v1/kv/p/?recurse="),
        (2_000, "a GET /v1/kv/p/?recurse="),
    ]);
    let mut checks = Checks::of(&World::new(1));
    events.iter().for_each(|event| checks.follow(event));
    assert_eq!(checks.broken(), []);
    let index = |event: &SimEvent| match &event.kind {
        EventKind::Answered { call, outcome } if call.request.method == "GET" => outcome.index(),
        _ => None,
    };
    let indexes: Vec<Index> = events.iter().filter_map(index).collect();
    assert!(indexes[1] < indexes[0] && indexes[3] < indexes[2], "both fell: {indexes:?}");
}
