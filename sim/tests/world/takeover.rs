//! The predicted earliest takeover of a lock, compared with the events that follow.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, Key, ProgramName};
use lictor_core::rng::Rng;
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::{Lock, LockOptions, Order, Program, Recipe};
use lictor_sim::{
    Act, EventKind, Fault, HttpClient, Link, Memory, Overtaking, Plan, SimEvent, Takeover, Terms,
    World,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const KEY: &str = "lead";
const SECOND: Duration = Duration::from_secs(1);

/// Users of Consul's client see twice the TTL and 15 s (hashicorp/consul#4508).
#[test]
fn a_takeover_after_a_crash_takes_twice_the_ttl_and_the_lock_delay() {
    for (ttl, after) in [(10, 35), (15, 45), (20, 55), (25, 65)] {
        let mut world = World::new(1);
        for client in ["a", "b"] {
            contend(&mut world, client, (ttl, 15));
        }
        world.perform(Act::Inject { fault: crash("a"), plan: Plan::NOW }).expect("it is possible");
        let takeover = takeover(&world).expect("b waits");
        assert_eq!(takeover.at, Instant::from_millis(after * 1_000), "TTL of {ttl} s");
    }
}

#[test]
fn the_terms_of_a_takeover_add_up() {
    let mut world = World::new(1);
    for client in ["a", "b"] {
        contend(&mut world, client, (10, 12));
    }
    let forward = |seconds: u64| Instant::from_millis(seconds * 1_000);
    world.perform(Act::Inject { fault: crash("a"), plan: Plan::NOW }).expect("it is possible");
    world.advance_to(forward(4));
    let all = Terms { session: 16 * SECOND, delay: 12 * SECOND, retry: 3 * SECOND };
    assert_eq!(takeover(&world).map(|it| it.terms), Some(all));
    world.advance_to(forward(22));
    let rest = Terms { session: Duration::ZERO, delay: 10 * SECOND, retry: 3 * SECOND };
    assert_eq!(takeover(&world).map(|it| it.terms), Some(rest));
    world.advance_to(forward(33));
    let rest = Terms { retry: 2 * SECOND, ..Terms::default() };
    assert_eq!(takeover(&world).map(|it| it.terms), Some(rest));
}

#[test]
fn there_is_no_takeover_without_a_waiting_client_or_an_end_of_the_session() {
    let mut world = World::new(1);
    contend(&mut world, "a", (15, 15));
    assert_eq!(takeover(&world), None, "nobody waits");
    let mut world = World::new(1);
    for client in ["a", "b"] {
        contend(&mut world, client, (0, 15));
    }
    assert_eq!(takeover(&world), None, "a session without a TTL does not end by silence");
}

/// As long as the holder renews, the lock cannot be taken over.
#[test]
fn a_renewal_delays_the_takeover() {
    let mut world = World::new(1);
    for client in ["a", "b"] {
        contend(&mut world, client, (10, 15));
    }
    let mut last = Instant::EPOCH;
    for seconds in 1..100 {
        world.advance_to(Instant::from_millis(seconds * 1_000));
        let at = takeover(&world).expect("b waits").at;
        assert!(at >= last && at > world.now());
        last = at;
    }
}

/// The worlds have all kinds of clients, links and clocks.
#[test]
fn the_prediction_is_exact_if_no_other_client_acts() {
    for seed in 1..=60 {
        let mut rng = Rng::new(seed);
        let mut below = |bound| rng.below(bound);
        let mut world = World::new(seed);
        let times = (10 + below(15), below(20));
        contend(&mut world, "a", times);
        for number in 0..=below(3) {
            let client = format!("b{number}");
            let millis = |number| Duration::from_millis(number);
            let link = Link {
                latency: millis(below(300)),
                jitter: millis(below(200)),
                overtaking: Overtaking::Possible,
                ..Link::default()
            };
            contend(&mut world, &client, times);
            let actor = ActorName::from(client.as_str());
            world.perform(Act::Link { actor: actor.clone(), link }).expect("it is possible");
            let fault = Fault::ClockRate { actor, rate: 700 + below(600) as u32 };
            world.perform(Act::Inject { fault, plan: Plan::NOW }).expect("it is possible");
        }
        world.advance_to(Instant::from_millis(below(60_000)));
        world.perform(Act::Inject { fault: crash("a"), plan: Plan::NOW }).expect("it is possible");
        world.advance(Duration::from_millis(below(9_000)));
        let Takeover { at, session, terms } = takeover(&world).expect("others wait");
        assert_eq!(world.now().plus(terms.session + terms.delay + terms.retry), at);
        let taken = taken(&world.advance_to(at.plus(SECOND)));
        assert_eq!(taken, [(at, session.to_string())], "seed={seed}");
    }
}

fn takeover(world: &World) -> Option<Takeover> {
    world.earliest_takeover(&Key::from(KEY))
}

/// The writes that leave a key held: the time and the session of each.
fn taken(events: &[SimEvent]) -> Vec<(Instant, String)> {
    let taken = |event: &SimEvent| match &event.kind {
        EventKind::Server { event: Event::Changed(Change::KeyWritten { after, .. }), .. } => {
            after.holder().map(|session| (event.at, session.as_str().to_owned()))
        }
        _ => None,
    };
    events.iter().filter_map(taken).collect()
}

/// Adds a client of this name with a program that contends for the lock, and starts it. TTL and
/// lock-delay are in seconds.
fn contend(world: &mut World, client: &str, (ttl, delay): (u64, u64)) {
    let mut options = LockOptions::new(KEY, b"me");
    options.session.ttl = if ttl == 0 { "".into() } else { format!("{ttl}s").into() };
    options.session.lock_delay = Duration::from_secs(delay);
    let lock = Lock::new(options).expect("it has a key");
    let initial = Arc::new(Program::new(Recipe::Lock(Box::new(lock))));
    let (actor, program) = (ActorName::from(client), ProgramName::from(client));
    world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
    world
        .perform(Act::Spawn {
            actor,
            program: program.clone(),
            initial,
            resource: None,
            http: HttpClient::Go,
        })
        .expect("it is possible");
    world.perform(Act::Order { program, order: Order::Start }).expect("it is possible");
}

fn crash(actor: &str) -> Fault {
    Fault::Crash { actor: ActorName::from(actor), memory: Memory::Lost }
}
