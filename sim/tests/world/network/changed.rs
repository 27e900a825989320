//! A cut that is replaced by another one, and the times at which a connection sends its request
//! again.

use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{EventKind, ProgramEvent, Repetition, Segment, SimEvent, World};

/// When the network is cut: the lock was taken at 0, and renewed at 7.5 s.
const CUT: u64 = 14_000;

/// A client of Go holds a lock, and its network is cut 6.5 s after a renewal.
fn cut_world(cut: &str) -> World {
    let mut world = World::new(1);
    for (actor, words) in
        [("a", "joins"), ("a", "spawns one lock k ttl=15s"), ("server", "orders one start")]
    {
        act(&mut world, actor, words);
    }
    world.advance_to(Instant::from_millis(CUT));
    act(&mut world, "a", cut);
    world
}

fn act(world: &mut World, actor: &str, words: &str) -> Vec<SimEvent> {
    let act = act_of(actor, words, &Names::default()).expect(words);
    world.perform(act).expect(words)
}

fn wait_until(world: &mut World, millis: u64) -> Vec<SimEvent> {
    world.advance_to(Instant::from_millis(CUT + millis))
}

/// When the program knows that it has lost its lock, in seconds after the cut.
fn loss(events: &[SimEvent]) -> Option<u64> {
    let is_loss = |event: &&SimEvent| {
        matches!(&event.kind, EventKind::Program { event: ProgramEvent::Believes(belief), .. }
            if !matches!(belief, Belief::Believes { .. }))
    };
    events.iter().find(is_loss).map(|event| event.at.as_millis().saturating_sub(CUT) / 1_000)
}

#[test]
fn probes_stay_unanswered_while_one_cut_replaces_another() {
    let mut unchanged = cut_world("cut mode=drop");
    let mut events = wait_until(&mut unchanged, 250_000);
    let expected = loss(&events);
    assert!(expected.is_some_and(|at| (180..=200).contains(&at)), "{expected:?}");

    let mut changed = cut_world("cut mode=drop");
    events = wait_until(&mut changed, 100_000);
    events.extend(act(&mut changed, "a", "cut way=from-server mode=drop"));
    events.extend(wait_until(&mut changed, 250_000));
    assert_eq!(loss(&events), expected);
}

#[test]
fn what_a_router_held_back_is_sent_again_in_the_cut_that_replaces_it() {
    for mode in ["host-unreachable", "no-neighbour"] {
        let mut world = cut_world(&format!("cut mode={mode}"));
        wait_until(&mut world, 3_000);
        assert_eq!(world.repetitions().count(), 0, "{mode}: its timers do not back off");
        act(&mut world, "a", "cut mode=drop for=2s");
        wait_until(&mut world, 4_000);
        assert!(world.repetitions().count() > 0, "{mode}: the renewal is on a schedule now");
        wait_until(&mut world, 12_000);
        assert_eq!(world.repetitions().count(), 0, "{mode}: it has arrived");
    }
}

/// The retransmissions of row A-20 of the record.
#[test]
fn a_connection_says_when_it_sends_its_request_again() {
    let mut world = cut_world("cut mode=drop for=20s");
    assert_eq!(world.repetitions().count(), 0, "the renewal is sent 1 s later");
    for (now, next, number) in [(5_000, 7_800, 5), (8_000, 14_500, 6), (16_000, 27_800, 7)] {
        wait_until(&mut world, now);
        let Repetition { at, call, segment, since, number: sent } =
            world.repetitions().next().expect("the renewal is not acknowledged");
        assert!(call.request.target.contains("renew"));
        assert_eq!((segment, sent), (Segment::Request, number));
        assert!(since.as_millis().abs_diff(CUT + 1_000) <= 10, "{since:?}");
        assert!(at.as_millis().abs_diff(CUT + next) <= 300, "{at:?} for {next}");
    }
    wait_until(&mut world, 60_000);
    assert_eq!(world.repetitions().count(), 0, "it was answered");
}
