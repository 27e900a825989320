//! Tests of the timeline, natively and in the browser: a seek gives the world of that time,
//! branches keep the old future, and journals are unchanged after a file, a link or a trace.

mod checks;
mod formats;
#[cfg(not(target_arch = "wasm32"))]
mod limits;
mod log;
mod observed;
mod running_cluster;
mod scenarios;
mod visits;

use lictor_sim::timeline::{Limits, Timeline};
use lictor_sim::{SimEvent, World};
use lictor_tests::random_acts::RandomActs;

/// The number of random timelines of a test; fewer in the browser, where a test program has a time
/// limit.
const SEEDS: u64 = if cfg!(target_arch = "wasm32") { 2 } else { 6 };
const ACTS: usize = 150;

/// A timeline after random acts with faults and programs, and its events.
fn random_timeline(seed: u64, limits: Limits) -> (Timeline, Vec<SimEvent>) {
    let mut timeline = Timeline::with_limits(World::new(seed), limits);
    let mut random = RandomActs::with_programs(seed);
    let events = perform_random(&mut timeline, &mut random, ACTS);
    (timeline, events)
}

/// Performs random acts, and returns their events.
fn perform_random(timeline: &mut Timeline, random: &mut RandomActs, acts: usize) -> Vec<SimEvent> {
    let mut all = Vec::new();
    for _ in 0..acts {
        let act = random.next(timeline.world());
        let events = timeline.perform(act).unwrap_or_default();
        random.learn(&events);
        all.extend(events);
    }
    all
}
