//! Properties of random worlds: the invariants hold after each act (`checked_world`), and neither
//! the number of ticks nor a replay makes a difference.

use std::time::Duration;

use lictor_core::engine::{Config, Event};
use lictor_sim::{Act, Checks, EventKind, ProgramEvent, SimEvent, World};
use lictor_tests::checked_world::{CheckedWorld, Seen};
use lictor_tests::dice::Dice;
use lictor_tests::random_acts::RandomActs;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

const SEEDS: u64 = 40;
const ACTS: usize = 400;
/// By seed.
const SUMS: [(u64, u64); 3] =
    [(1, 0x2d84_b3f1_6516_e687), (2, 0xac4d_26fd_dc6a_85c1), (u64::MAX, 0x941b_17e3_b18b_775b)];

#[test]
fn invariants_hold_after_every_act() {
    let mut seen = Seen::default();
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

/// Many small advances of time give the same result as one large advance (E4).
#[test]
fn more_ticks_change_nothing() {
    for (seed, life) in lives() {
        let (world, moments) = lived(seed, life);
        let mut sliced = World::with_config(seed, config());
        let mut dice = Dice::new(seed);
        let mut again = Vec::new();
        for entry in world.journal() {
            if let Act::Advance { to } = entry.act {
                again.extend(sliced_to(&mut sliced, to, &mut dice));
            }
            again.extend(sliced.perform(entry.act.clone()));
        }
        assert!(again == moments, "seed={seed}: the moments differ");
        assert!(sliced == world, "seed={seed}: the worlds differ");
    }
}

/// E5.
#[test]
fn replaying_a_journal_gives_the_same_world() {
    for (seed, life) in lives() {
        let (world, _) = lived(seed, life);
        let again = World::replay(seed, config(), world.journal());
        assert!(again == world, "seed={seed}: the worlds differ");
    }
}

/// E6.
#[test]
fn a_restored_world_continues_as_the_dumped_one() {
    for (seed, whole) in lives() {
        let (mut world, mut life) = (World::with_config(seed, config()), whole.clone());
        for number in 0..ACTS {
            let act = life.next(&world);
            let restored = (number % 20 == 0).then(|| World::restore(&world.dump()));
            let moments = world.perform(act.clone());
            life.learn(&moments);
            if let Some(restored) = restored {
                let mut restored = restored.expect("what was just dumped is whole");
                assert!(restored.perform(act) == moments, "seed={seed} act={number}");
                world = restored;
            }
        }
        assert!(world == lived(seed, whole).0, "seed={seed}: the worlds differ");
    }
}

/// Every moment names one before it as its cause, down to the act that began it.
#[test]
fn chains_of_causes_end_at_an_act() {
    for (seed, life) in lives() {
        let (_, moments) = lived(seed, life);
        let mut begun_by_itself = 0;
        for (at, moment) in moments.iter().enumerate() {
            assert_eq!(moment.number, at as u64 + 1, "seed={seed}: numbers have no gaps");
            match moment.cause {
                Some(cause) => assert!(cause < moment.number, "seed={seed}: {moment:?}"),
                None => begun_by_itself += usize::from(!is_an_act(&moment.kind)),
            }
        }
        assert_eq!(begun_by_itself, 0, "seed={seed}: moments without a cause");
    }
}

/// However bad links and faults are: the safety rules, followed moment by moment.
#[test]
fn random_acts_break_no_rule() {
    for (seed, mut life) in lives() {
        let mut world = World::with_config(seed, config());
        let mut checks = Checks::of(&world);
        for _ in 0..ACTS {
            let moments = world.perform(life.next(&world));
            life.learn(&moments);
            moments.iter().for_each(|moment| checks.follow(moment));
            world.check_invariants();
        }
        assert_eq!(checks.broken(), [], "seed={seed}");
    }
}

/// What is answered, when, and in which words: the same natively and in the browser. A sum that
/// changes on purpose is written anew; the failing test prints what it found.
#[test]
fn random_worlds_are_equal_on_every_target() {
    let found = SUMS.map(|(seed, _)| (seed, sum(&lived(seed, RandomActs::new(seed)).1)));
    assert_eq!(found, SUMS, "by seed: {found:#x?}");
}

/// Whether an act alone leads to this.
fn is_an_act(kind: &EventKind) -> bool {
    match kind {
        EventKind::Joined { .. }
        | EventKind::Sent { .. }
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

/// Few queries may wait, so that the limit is met (E8).
fn config() -> Config {
    Config { parked_max: 3, ..Config::default() }
}

fn watched(seed: u64, seen: Seen) -> Seen {
    let (mut watched, mut life) =
        (CheckedWorld::new(World::with_config(seed, config())), RandomActs::new(seed));
    watched.seen = seen;
    for number in 0..ACTS {
        let act = life.next(&watched.world);
        println!("seed={seed} act={number} {} {act:?}", watched.world.now());
        let moments = watched.perform(act);
        life.learn(&moments);
        assert!(watched.world.parked().count() <= config().parked_max, "E8: few wait");
    }
    watched.seen
}

/// Acts without faults, with faults, or with faults and programs, by seed.
fn lives() -> impl Iterator<Item = (u64, RandomActs)> {
    let kinds = [RandomActs::new, RandomActs::with_faults, RandomActs::with_programs];
    (1..=SEEDS).flat_map(move |seed| kinds.map(|life| (seed, life(seed))))
}

/// A whole life, with all that happened in it.
fn lived(seed: u64, mut life: RandomActs) -> (World, Vec<SimEvent>) {
    let mut world = World::with_config(seed, config());
    let mut all = Vec::new();
    for _ in 0..ACTS {
        let act = life.next(&world);
        let moments = world.perform(act);
        life.learn(&moments);
        all.extend(moments);
    }
    (world, all)
}

/// FNV-1a over all answers.
fn sum(moments: &[SimEvent]) -> u64 {
    let mut sum: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for moment in moments {
        if let EventKind::Answered { response, .. } = &moment.kind {
            add(&moment.at.as_nanos().to_le_bytes());
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

/// Goes near a moment in pieces, some of which end exactly when something falls due.
fn sliced_to(world: &mut World, to: lictor_core::time::Instant, dice: &mut Dice) -> Vec<SimEvent> {
    let mut moments = Vec::new();
    for _ in 0..dice.below(4) {
        let rest = u64::try_from(to.since(world.now()).as_nanos()).unwrap_or(u64::MAX);
        let due = world.next_deadline().map(|(at, _)| at).filter(|at| *at < to);
        let piece = world.now().after(Duration::from_nanos(rest / (2 + dice.below(5) as u64)));
        moments.extend(world.advance(due.filter(|_| dice.below(2) == 0).unwrap_or(piece)));
    }
    moments
}
