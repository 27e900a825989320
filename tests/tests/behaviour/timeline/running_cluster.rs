//! Tests worlds that begin in the state of a running cluster: they are written and read as logs and
//! links, their sessions and delays end in time, and impossible states are refused.

use std::time::Duration;

use lictor_core::engine::{ClusterState, Config, LockDelayState};
use lictor_core::error::Cause;
use lictor_core::id::{Index, Key};
use lictor_core::json;
use lictor_core::time::Instant;
use lictor_sim::journal::{Journal, Log, LogError};
use lictor_sim::record::Record;
use lictor_sim::timeline::{Limits, SeekTarget, Timeline};
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{Act, Network, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::{SEEDS, random_timeline};

fn act(timeline: &mut Timeline<impl lictor_sim::Fold>, actor: &str, words: &str) {
    let act: Act = act_of(actor, words, &Names::default()).expect(words);
    timeline.perform(act).expect(words);
}

/// A state in which `web-1` has held `db/leader` with a TTL of 10 s for 5 s, and `jobs` is delayed
/// for another 3 s.
fn state() -> ClusterState {
    let mut timeline = Timeline::new(World::new(1));
    act(&mut timeline, "web-1", "joins");
    act(&mut timeline, "web-1", "session ttl=10s name=web-1");
    let session = timeline.world().store().sessions().iter().next().expect("it was created").id;
    act(&mut timeline, "web-1", &format!("put db/leader value=a acquire={session}"));
    timeline.advance_to(Instant::from_millis(5_000));
    let mut state = timeline.world().cluster_state();
    state.lock_delays.push(LockDelayState {
        key: Key::from("jobs"),
        until: Instant::from_millis(3_000),
        index: state.index,
        session,
        cause: Cause::Unknown,
    });
    state
}

/// The log of a new world in a state.
fn log_in(state: &ClusterState) -> String {
    let world = World::in_state(7, Config::default(), Network::Tcp, state);
    Journal::of(&Timeline::<()>::new(world.expect("it is possible"))).to_lines()
}

fn read(text: &str) -> Timeline<Record> {
    Log::read(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_log_and_a_link_in_a_state_are_written_as_they_were_read() {
    for seed in 1..=SEEDS {
        let (random, _) = random_timeline(seed, Limits::default());
        let state = random.world().cluster_state();
        let text = log_in(&state);
        let mut timeline = read(&text);
        assert_eq!(timeline.world().cluster_state(), state, "seed={seed}");
        assert_eq!(Journal::of(&timeline).to_lines(), text, "seed={seed}");
        act(&mut timeline, "new", "joins");
        for session in state.sessions.iter().take(2) {
            act(&mut timeline, "new", &format!("put k acquire={}", session.id));
        }
        timeline.advance_to(Instant::from_millis(90_000));
        let journal = Journal::of(&timeline);
        let copy = read(&journal.to_lines());
        assert!(copy.world() == timeline.world(), "seed={seed}");
        let link = journal.to_link().expect("it has a beginning");
        assert_eq!(Journal::from_link(&link).as_ref(), Ok(&journal), "seed={seed}");
        copy.world().check_invariants();
    }
}

#[test]
fn sessions_end_and_delays_pass_when_the_state_says() {
    let mut timeline = read(&log_in(&state()));
    let jobs = timeline.world().lock_delay("jobs").cloned().expect("it is delayed");
    assert_eq!(timeline.record().delay_began(&jobs), None, "before the world began");
    let events = timeline.advance_to(Instant::from_millis(15_000));
    let times: Vec<_> = events.iter().map(|event| event.at.as_millis()).collect();
    assert_eq!((times.first(), times.last()), (Some(&3_000), Some(&15_000)), "{events:?}");
    let key = Key::from("db/leader");
    assert_eq!(
        timeline.world().lock_delay("db/leader").map(|it| it.until.as_millis()),
        Some(30_000)
    );
    let delay = timeline.world().lock_delay("db/leader").cloned().expect("it is delayed");
    let began = timeline.record().delay_began(&delay);
    assert_eq!(began, Some(Instant::from_millis(15_000)));
    let lock = timeline.record().lock(&key).expect("it was held at the beginning");
    assert_eq!(lock.history.len(), 1, "{lock:?}");
    timeline.seek(SeekTarget::Time(Instant::EPOCH));
    assert!(timeline.world().store().kv().get("db/leader").expect("it exists").hold.is_some());
}

#[test]
fn the_past_of_a_state_is_kept_when_old_events_are_dropped() {
    let world = read(&log_in(&state())).world().clone();
    let limits = Limits { events: 60, ..Limits::default() };
    let mut timeline: Timeline = Timeline::with_limits(world, limits);
    act(&mut timeline, "a", "joins");
    for _ in 0..200 {
        act(&mut timeline, "a", "put x value=1");
        act(&mut timeline, "a", "put x value=2");
    }
    timeline.advance_to(timeline.world().now().plus(Duration::from_secs(1)));
    let copy = read(&Journal::of(&timeline).to_lines());
    assert!(copy.world() == timeline.world());
}

#[test]
fn an_impossible_state_is_refused_with_its_line_and_reason() {
    let refused = |change: &dyn Fn(&mut ClusterState)| {
        let mut state = state();
        change(&mut state);
        let (possible, changed) = (json::to_text(&self::state()), json::to_text(&state));
        let text = format!("\n{}", log_in(&self::state()).replace(&possible, &changed));
        let error = Log::read::<()>(&text).expect_err("it is impossible");
        assert!(matches!(error, LogError::Line { line: 2, .. }), "{error:?}");
        error.to_string()
    };
    let error = refused(&|state| state.index = Index(3));
    assert!(error.starts_with("line 2: the state that it begins in: the indexes of"), "{error}");
    let error = refused(&|state| state.sessions.clear());
    assert!(error.contains("key db/leader names session"), "{error}");
    let text = log_in(&state());
    for (from, to, expected) in [
        (r#""keys":"#, r#""kees":"#, "line 1: unknown field `kees`"),
        (r#""value":"YQ==""#, r#""value":"?""#, "line 1: the value is not base64"),
        (r#""ttl":"10s""#, r#""ttl":"soon""#, "line 1: "),
        (r#""cause":"unknown""#, r#""cause":"bored""#, "line 1: unknown variant `bored`"),
        (r#""seed":7,"#, "", "line 1: a log begins with either a seed or a world"),
    ] {
        let damaged = text.replace(from, to);
        assert_ne!(damaged, text, "{from}");
        let error = Log::read::<()>(&damaged).expect_err(from).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
