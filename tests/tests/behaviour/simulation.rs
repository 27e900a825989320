//! Tests random worlds from fixed seeds, natively and in the browser.

use lictor_tests::random_worlds::{Found, run};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SEEDS: u64 = 500;

/// Checks that safety rules hold while faults last (*always*), that liveness rules hold afterwards
/// (*eventually*), and that each event that must occur *sometimes* is in one of the worlds.
#[test]
fn random_worlds_keep_their_rules_under_faults() {
    let mut all = Found::default();
    for seed in 1..=SEEDS {
        match run(seed) {
            Ok(found) => all.add(found),
            Err(failure) => panic!("{failure}"),
        }
    }
    println!("{all:#?}");
    assert_eq!(all.unseen(), [], "the faults are too harmless");
}
