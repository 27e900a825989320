//! Blocking queries in the world: the answer of each names the wake-up that led to it.

use lictor_core::engine::{Event, Wake};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key};
use lictor_sim::{Act, EventKind, SimEvent, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn each_woken_query_names_its_own_wake_and_the_writer_none() {
    let mut world = World::new(1);
    for actor in ["one", "other", "writer"] {
        world.perform(Act::Join { actor: ActorName::from(actor) }).expect("it is possible");
    }
    let watch = format!("/v1/kv/k?index={}&wait=60s", world.index().next());
    for actor in ["one", "other"] {
        ask(&mut world, actor, "GET", &watch);
    }
    ask(&mut world, "writer", "PUT", "/v1/kv/earlier");
    let events = ask(&mut world, "writer", "PUT", "/v1/kv/k");
    let mut answered = Vec::new();
    for event in &events {
        let EventKind::Answered { call, outcome } = &event.kind else { continue };
        let is_woken = |it: &&SimEvent| match &it.kind {
            EventKind::Server { event: Event::Woken { id, .. }, .. } => *id == call.id,
            _ => false,
        };
        let woken = events.iter().find(is_woken).map(|it| it.number);
        let logged = events
            .iter()
            .find(|it| matches!(it.kind, EventKind::Server { event: Event::Logged, .. }));
        assert_eq!(event.cause, woken.or(logged.map(|it| it.number)), "{}", call.actor);
        answered.push((call.actor.to_string(), outcome.wake.clone()));
    }
    let changed = Some(Wake::Changed { key: Some(Key::from("k")) });
    let expected = [("writer", None), ("one", changed.clone()), ("other", changed)];
    assert_eq!(answered, expected.map(|(actor, wake)| (actor.to_owned(), wake)));
}

fn ask(world: &mut World, actor: &str, method: &str, target: &str) -> Vec<SimEvent> {
    let request = HttpRequest::new(method, target, b"");
    world.perform(Act::Request { actor: ActorName::from(actor), request }).expect("it is possible")
}
