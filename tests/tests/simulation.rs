//! The swarm of worlds, from fixed seeds: natively and in the browser. `./dev soak` lives through
//! many more.

use core::ops::RangeInclusive;

use lictor_tests::swarm::{Seen, add, live, unseen};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

#[cfg(not(target_arch = "wasm32"))]
const SEEDS: RangeInclusive<u64> = 1..=500;
/// A part of the same batch: one in which all occurs.
#[cfg(target_arch = "wasm32")]
const SEEDS: RangeInclusive<u64> = 281..=400;

/// Safety while faults last (*always*), liveness after (*eventually*); and over the batch all that
/// must occur *sometimes* occurs.
#[test]
fn worlds_hold_their_rules_under_faults() {
    let mut seen = Seen::new();
    for seed in SEEDS {
        match live(seed) {
            Ok(found) => add(&mut seen, found),
            Err(failure) => panic!("{failure}"),
        }
    }
    println!("{seen:#?}");
    assert_eq!(unseen(&seen), [], "the faults are too harmless");
}
