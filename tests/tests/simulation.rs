//! Tests random worlds from fixed seeds, natively and in the browser.

use lictor_tests::random_worlds::{Found, run};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

const SEEDS: u64 = 500;

/// Checks that safety rules hold while faults last (*always*), that liveness rules hold afterwards
/// (*eventually*), and that each event that must occur *sometimes* is in one of the worlds.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn random_worlds_keep_their_rules_under_faults() {
    let mut all = Found::default();
    (1..=SEEDS).for_each(|seed| all.add(found_in(seed)));
    assert_eq!(all.unseen(), [], "the faults are too harmless");
}

/// The same in a browser, which gets time in between: WebDriver gives up a page that does not
/// answer for 30 s.
#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test]
async fn random_worlds_keep_their_rules_under_faults() {
    let mut all = Found::default();
    for seed in 1..=SEEDS {
        all.add(found_in(seed));
        if seed % 25 == 0 {
            gloo_timers::future::sleep(core::time::Duration::ZERO).await;
        }
    }
    assert_eq!(all.unseen(), [], "the faults are too harmless");
}

fn found_in(seed: u64) -> Found {
    run(seed).unwrap_or_else(|failure| panic!("{failure}"))
}
