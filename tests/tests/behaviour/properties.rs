//! Properties of random worlds: invariants and safety rules hold after each act, and neither the
//! number of ticks, nor a replay, nor a dump, nor the target of the compiler makes a difference.

use std::time::Duration;

use lictor_core::engine::{Config, Event};
use lictor_sim::{Act, Checks, EventKind, ProgramEvent, SimEvent, World};
use lictor_tests::checked_world::{CheckedWorld, Occurrences};
use lictor_tests::dice::Dice;
use lictor_tests::random_acts::RandomActs;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SEEDS: u64 = 40;
const ACTS: usize = 400;
/// The checksums of all answers, by seed.
const SUMS: [(u64, u64); 3] =
    [(1, 0xd22e_17d2_5d6c_cec5), (2, 0x0669_c4e5_9564_52d6), (u64::MAX, 0xce4d_688d_e367_f5db)];

#[test]
fn invariants_hold_after_every_act() {
    let mut seen = Occurrences::default();
    for seed in 1..=SEEDS {
        seen = watched(seed, seen);
    }
    let rarest = [
        seen.woken,
        seen.timed_out,
        seen.cancelled,
        seen.delayed,
        seen.failed_txns,
        seen.refused,
        seen.expired,
        seen.reaped,
        seen.crowded,
    ];
    assert!(rarest.iter().all(|times| *times >= 10), "everything occurs: {seen:?}");
}

/// Many small advances of time give the same result as one large advance.
#[test]
fn more_ticks_change_nothing() {
    for (seed, random) in random_kinds() {
        let (world, events) = random_world(seed, random);
        let mut sliced = World::with_config(seed, config());
        let mut dice = Dice::new(seed);
        let mut again = Vec::new();
        for entry in world.journal() {
            if let Act::Advance { to } = entry.act {
                again.extend(sliced_to(&mut sliced, to, &mut dice));
            }
            again.extend(sliced.perform(entry.act.clone()).expect("it is possible"));
        }
        assert!(again == events, "seed={seed}: the events differ");
        assert!(sliced == world, "seed={seed}: the worlds differ");
    }
}

/// A journal is replayed to the same state.
#[test]
fn replaying_a_journal_gives_the_same_world() {
    for (seed, random) in random_kinds() {
        let (world, _) = random_world(seed, random);
        let again = World::replay(seed, config(), world.journal());
        assert!(again.as_ref() == Ok(&world), "seed={seed}: the worlds differ");
    }
}

/// A dump contains everything that the future depends on.
#[test]
fn a_restored_world_continues_as_the_dumped_one() {
    for (seed, whole) in random_kinds() {
        let (mut world, mut random) = (World::with_config(seed, config()), whole.clone());
        for number in 0..ACTS {
            let act = random.next(&world);
            let restored = (number % 20 == 0).then(|| World::restore(&world.dump()));
            let events = world.perform(act.clone());
            random.learn(events.as_deref().unwrap_or_default());
            if let Some(restored) = restored {
                let mut restored = restored.expect("what was just dumped is whole");
                assert!(restored.perform(act) == events, "seed={seed} act={number}");
                world = restored;
            }
        }
        assert!(world == random_world(seed, whole).0, "seed={seed}: the worlds differ");
    }
}

/// Every event but an act has an earlier event as its cause.
#[test]
fn chains_of_causes_end_at_an_act() {
    for (seed, random) in random_kinds() {
        let (_, events) = random_world(seed, random);
        let mut begun_by_itself = 0;
        for (at, event) in events.iter().enumerate() {
            assert_eq!(event.number, at as u64 + 1, "seed={seed}: numbers have no gaps");
            match event.cause {
                Some(cause) => assert!(cause < event.number, "seed={seed}: {event:?}"),
                None => begun_by_itself += usize::from(!is_an_act(&event.kind)),
            }
        }
        assert_eq!(begun_by_itself, 0, "seed={seed}: events without a cause");
    }
}

/// Links and faults do not make the server break a safety rule.
#[test]
fn random_acts_break_no_rule() {
    for (seed, mut random) in random_kinds() {
        let mut world = World::with_config(seed, config());
        let mut checks = Checks::of(&world);
        for _ in 0..ACTS {
            let events = world.perform(random.next(&world)).unwrap_or_default();
            random.learn(&events);
            events.iter().for_each(|event| checks.follow(event));
            world.check_invariants();
        }
        assert_eq!(checks.broken(), [], "seed={seed}");
    }
}

/// The answers, their times and their texts are the same natively and in the browser. A failing
/// test prints the new checksums, for a change on purpose.
#[test]
fn random_worlds_are_equal_on_every_target() {
    let found = SUMS.map(|(seed, _)| (seed, sum(&random_world(seed, RandomActs::new(seed)).1)));
    assert_eq!(found, SUMS, "by seed: {found:#x?}");
}

/// Whether only an act can cause this kind of event.
fn is_an_act(kind: &EventKind) -> bool {
    match kind {
        EventKind::Joined { .. }
        | EventKind::Sent(_)
        | EventKind::Cancelled { .. }
        | EventKind::Failed(_)
        | EventKind::Mended(_)
        | EventKind::Server { event: Event::LeaderChanged { .. }, .. } => true,
        EventKind::Program { event: ProgramEvent::Spawned | ProgramEvent::Ordered(_), .. } => true,
        EventKind::Answered { .. }
        | EventKind::Travel(_)
        | EventKind::Program { .. }
        | EventKind::Used(_)
        | EventKind::Server { .. } => false,
    }
}

/// Few queries may wait, so that the limit is met.
fn config() -> Config {
    let mut config = Config::default();
    config.parked_max = 3;
    config
}

/// Checks a random world after each act, and adds what occurred in it.
fn watched(seed: u64, seen: Occurrences) -> Occurrences {
    let (mut watched, mut random) =
        (CheckedWorld::new(World::with_config(seed, config())), RandomActs::new(seed));
    watched.seen = seen;
    for number in 0..ACTS {
        let act = random.next(&watched.world);
        println!("seed={seed} act={number} {} {act:?}", watched.world.now());
        let events = watched.perform(act);
        random.learn(&events);
        assert!(watched.world.parked().count() <= config().parked_max, "E8: few wait");
    }
    watched.seen
}

/// Acts without faults, with faults, or with faults and programs, by seed.
fn random_kinds() -> impl Iterator<Item = (u64, RandomActs)> {
    let kinds = [RandomActs::new, RandomActs::with_faults, RandomActs::with_programs];
    (1..=SEEDS).flat_map(move |seed| kinds.map(|random| (seed, random(seed))))
}

/// A world after random acts, with all its events.
fn random_world(seed: u64, mut random: RandomActs) -> (World, Vec<SimEvent>) {
    let mut world = World::with_config(seed, config());
    let mut all = Vec::new();
    for _ in 0..ACTS {
        let act = random.next(&world);
        let events = world.perform(act).unwrap_or_default();
        random.learn(&events);
        all.extend(events);
    }
    (world, all)
}

/// FNV-1a over all answers.
fn sum(events: &[SimEvent]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for event in events {
        if let EventKind::Answered { outcome, .. } = &event.kind {
            let response = &outcome.response;
            add(&event.at.as_nanos().to_le_bytes());
            add(&response.status.to_le_bytes());
            for (name, value) in &response.headers {
                add(name.as_bytes());
                add(value.as_bytes());
            }
            add(&response.body);
        }
    }
    sum
}

/// Advances to a time in steps, some of which end exactly at a deadline.
fn sliced_to(world: &mut World, to: lictor_core::time::Instant, dice: &mut Dice) -> Vec<SimEvent> {
    let mut events = Vec::new();
    for _ in 0..dice.below(4) {
        let rest = u64::try_from(to.since(world.now()).as_nanos()).unwrap_or(u64::MAX);
        let due = world.next_deadline().map(|(at, _)| at).filter(|at| *at < to);
        let piece = world.now().plus(Duration::from_nanos(rest / (2 + dice.below(5) as u64)));
        let target = match due {
            Some(due) if dice.below(2) == 0 => due,
            _ => piece,
        };
        events.extend(world.advance_to(target));
    }
    events
}
