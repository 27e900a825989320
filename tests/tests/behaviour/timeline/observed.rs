//! Tests worlds with an observed past: logs, links and branches keep it, and an impossible one is
//! refused.

use std::time::Duration;

use lictor_core::time::Instant;
use lictor_sim::journal::{Journal, LinkError, Log, LogError, LoggedTimeline};
use lictor_sim::timeline::{BranchId, Limits, SeekTarget, Timeline};
use lictor_sim::{OBSERVED_MAX, ObservedError, ObservedEvent, ObservedPast, World};
use lictor_tests::random_acts::RandomActs;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{SEEDS, random_timeline};

const HEAD: &str = concat!(
    r#"{"lictor":"log","version":1,"seed":7,"consul":"1.22","network":"tcp","#,
    r#""observed":{"before":3,"events":[{"ago":9000000001,"text":"no log","gap":true},"#,
    r#"{"ago":4400000000,"text":"web-1 is renewed"},{"ago":0,"text":"web-1 is renewed"}]},"#,
    r#""acts":0,"end":0}"#,
);

fn event(ago: Duration, text: &str) -> ObservedEvent {
    ObservedEvent { ago, text: text.to_owned(), is_gap: false }
}

fn past(events: Vec<ObservedEvent>) -> ObservedPast {
    ObservedPast { before: 0, events }
}

fn observed() -> ObservedPast {
    let gap = event(Duration::from_nanos(9_000_000_001), "no log");
    let renewal = |ago| event(Duration::from_millis(ago), "web-1 is renewed");
    let events = vec![ObservedEvent { is_gap: true, ..gap }, renewal(4_400), renewal(0)];
    ObservedPast { before: 3, events }
}

/// A world with nothing but an observed past.
fn empty_after(observed: ObservedPast) -> Journal {
    Journal { observed, ..Journal::of(&Timeline::<()>::new(World::new(7))) }
}

#[test]
fn a_log_and_a_link_keep_what_was_observed() {
    assert_eq!(empty_after(observed()).to_lines(), format!("{HEAD}\n"));
    let read = Log::read::<()>(HEAD).expect("it is possible");
    assert_eq!(read.observed(), &observed());
    for seed in 1..=SEEDS {
        let (timeline, _) = random_timeline(seed, Limits::default());
        let journal = Journal { observed: observed(), ..Journal::of(&timeline) };
        let read = Log::read::<()>(&journal.to_lines()).expect("just written");
        assert_eq!(Journal::of(&read), journal, "seed={seed}");
        assert!(read.world() == timeline.world(), "it changes nothing, seed={seed}");
        let link = journal.to_link().expect("it is fresh");
        assert_eq!(Journal::from_link(&link).as_ref(), Ok(&journal), "seed={seed}");
    }
}

#[test]
fn branches_and_a_past_without_its_beginning_keep_what_was_observed() {
    let limits = Limits { events: 60, ..Limits::default() };
    let (timeline, _) = random_timeline(1, limits);
    let journal = Journal { observed: observed(), ..Journal::of(&timeline) };
    let timeline = Log::read::<()>(&journal.to_lines()).expect("just written");
    let mut logged = LoggedTimeline::begin(timeline);
    let mut text = logged.take_lines();
    logged.advance_to(logged.world().now().plus(Duration::from_secs(1)));
    logged.fork("other".to_owned());
    logged.seek(SeekTarget::Time(Instant::EPOCH));
    logged.switch(BranchId::FIRST);
    text += &logged.take_lines();
    let read = Log::read::<()>(&text).expect("just written");
    assert_eq!((read.branches().count(), read.observed()), (2, &observed()));
    assert_eq!(Journal::of(&read).observed, observed());
}

#[test]
fn a_link_with_as_many_observed_events_as_possible_is_short() {
    let renewal = |number: usize| {
        let ago = Duration::from_millis(3_333 * (OBSERVED_MAX - number) as u64);
        event(ago, &format!("session 6cbaf640 (worker-{}) is renewed", number % 5))
    };
    let observed = past((0..OBSERVED_MAX).map(renewal).collect());
    let link = empty_after(observed).to_link().expect("it is fresh");
    assert!(link.len() < 2_500, "{} characters", link.len());
}

#[test]
fn what_cannot_have_been_observed_before_a_world_is_refused() {
    let second = Duration::from_secs(1);
    let many = vec![event(second, "a"); OBSERVED_MAX + 1];
    for (events, reason, text) in [
        (many, ObservedError::TooMany(201), "201 observed events are more than 200"),
        (
            vec![event(second, "a"), event(2 * second, "b")],
            ObservedError::BackInTime(2),
            "observed event 2 goes back in time",
        ),
        (vec![event(second, " ")], ObservedError::NoText(1), "observed event 1 has no text"),
    ] {
        let journal = empty_after(past(events));
        let error = Log::read::<()>(&journal.to_lines()).expect_err(text);
        assert_eq!(error.to_string(), format!("line 1: {text}"));
        let link = journal.to_link().expect("it is fresh");
        assert_eq!(Journal::from_link(&link), Err(LinkError::Observed(reason)));
    }
    for (from, to, expected) in [
        ("\"ago\":0", "\"ago\":-1", "line 1: invalid value: integer `-1`, expected u64"),
        ("\"gap\":true", "\"gab\":true", "line 1: unknown field `gab`"),
        ("\"ago\":0,", "", "line 1: missing field `ago`"),
        ("\"before\":3,\"events\":", "\"before\":", "line 1: invalid type: sequence"),
    ] {
        let damaged = HEAD.replacen(from, to, 1);
        let error = Log::read::<()>(&damaged).expect_err(from);
        assert!(matches!(error, LogError::Line { line: 1, .. }), "{error:?}");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

/// As a page saves a world: its log grows with each act.
#[test]
fn a_log_that_grows_keeps_what_was_observed() {
    let mut logged = LoggedTimeline::resume(Log::read::<()>(HEAD).expect("it is possible"));
    let mut text = format!("{HEAD}\n");
    let mut random = RandomActs::with_programs(1);
    for _ in 0..20 {
        let act = random.next(logged.world());
        random.learn(&logged.perform(act).unwrap_or_default());
        text += &logged.take_lines();
    }
    let read = Log::read::<()>(&text).expect("just written");
    assert_eq!(read.observed(), &observed());
    assert!(read.world() == logged.world());
}
