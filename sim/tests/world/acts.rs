//! Acts that a world refuses, where the error has the reason and nothing changes; reads that change
//! nothing; and the words of acts with unusual names.

use std::time::Duration;

use lictor_core::id::{ActorName, ProgramName, RequestId, ResourceName};
use lictor_core::time::Instant;
use lictor_sim::journal::{Log, LoggedTimeline};
use lictor_sim::timeline::{SeekTarget, Timeline};
use lictor_sim::trace::{Names, act_of, words_of};
use lictor_sim::{Act, ActError, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn act(line: &str) -> Act {
    let (actor, words) = line.split_once(' ').expect("an actor and what it does");
    act_of(actor, words, &Names::default()).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// The clients `a`, which runs, `paused` and `down`, with a program and a resource.
const SETTING: [&str; 7] = [
    "a joins",
    "paused joins",
    "down joins",
    "server guards disk asks=session",
    "a spawns p naive lead",
    "paused pauses",
    "down crashes",
];

fn refused() -> Vec<(&'static str, ActError)> {
    let (paused, down) = (ActorName::from("paused"), ActorName::from("down"));
    vec![
        ("a joins", ActError::NameTaken(ActorName::from("a"))),
        ("b get k", ActError::UnknownActor(ActorName::from("b"))),
        ("b pauses", ActError::UnknownActor(ActorName::from("b"))),
        ("b links loss=1", ActError::UnknownActor(ActorName::from("b"))),
        ("paused get k", ActError::Paused(paused)),
        ("down get k", ActError::Down(down)),
        ("server cancels 99", ActError::UnknownCall(RequestId(99))),
        ("a mends pauses", ActError::NothingWrong),
        ("a spawns p naive lead", ActError::ProgramTaken(ProgramName::from("p"))),
        ("a spawns q naive lead uses=tape", ActError::UnknownResource(ResourceName::from("tape"))),
        ("server orders q start", ActError::UnknownProgram(ProgramName::from("q"))),
        ("server guards disk asks=session", ActError::ResourceTaken(ResourceName::from("disk"))),
    ]
}

#[test]
fn a_refused_act_is_an_error_and_changes_nothing() {
    let mut world = World::new(1);
    for line in SETTING {
        world.perform(act(line)).expect(line);
    }
    let before = world.clone();
    for (line, error) in refused() {
        assert_eq!(world.perform(act(line)), Err(error), "{line}");
        assert!(world == before, "{line}: the world and its journal stay");
    }
}

#[test]
fn a_refused_act_in_the_past_begins_no_branch_and_writes_no_line() {
    let mut timeline = LoggedTimeline::begin(Timeline::new(World::new(1)));
    for line in SETTING {
        timeline.perform(act(line)).expect(line);
    }
    timeline.advance_to(Instant::EPOCH.plus(Duration::from_secs(60)));
    timeline.seek(SeekTarget::Time(Instant::EPOCH));
    timeline.take_lines();
    let (world, position) = (timeline.world().clone(), timeline.position());
    for (line, error) in refused() {
        assert_eq!(timeline.perform(act(line)), Err(error), "{line}");
        assert!((timeline.world(), timeline.position()) == (&world, position), "{line}");
        assert_eq!(timeline.branches().count(), 1, "{line}");
        assert_eq!(timeline.take_lines(), "", "{line}");
    }
}

#[test]
fn a_look_answers_every_read_at_once_and_changes_nothing() {
    let mut world = World::new(1);
    for line in ["a joins", "a put k value=1"] {
        drop(world.perform(act(line)).expect("it is possible"));
    }
    drop(world.advance_to(Instant::from_millis(5_000)));
    let before = world.clone();
    for target in [
        "/v1/status/leader",
        "/v1/status/peers",
        "/v1/agent/self",
        "/v1/agent/checks",
        "/v1/catalog/datacenters",
        "/v1/catalog/nodes",
        "/v1/session/list",
        "/v1/event/list",
        "/v1/kv/k?index=1000&wait=60s",
    ] {
        let answer = world.read_now(target).unwrap_or_else(|| panic!("{target} has an answer"));
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    }
    assert_eq!(world, before);
}

#[test]
fn a_name_that_looks_like_a_parameter_is_quoted() {
    let mut timeline = LoggedTimeline::begin(Timeline::new(World::new(1)));
    let lines =
        ["a joins", "server guards \"a=b\" asks=session", "a spawns p naive \"ttl=5\" ttl=5s"];
    for line in lines {
        let act = act(line);
        let written = words_of(&act, &Names::default());
        assert!(line.ends_with(&written), "{written}");
        timeline.perform(act).expect(line);
    }
    let read = Log::read::<()>(&timeline.take_lines()).expect("it was just written");
    assert_eq!(read.world(), timeline.world());
}
