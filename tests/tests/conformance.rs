//! The engine answers as Consul did: every vector, natively and in the browser.
//!
//! Under wasm-bindgen's runner the same test runs in a real browser. A module there has no files,
//! so the vectors are part of it.

use lictor_tests::VECTORS;
use lictor_tests::replay::replay;
use lictor_tests::server::Direct;
use lictor_tests::vector::Vector;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

#[test]
fn what_consul_answered_is_answered_again() {
    let mut problems = Vec::new();
    for (name, text) in VECTORS {
        problems.extend(problems_of(text).into_iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(!VECTORS.is_empty(), "there are vectors to hold the engine against");
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// A difference from an optional vector does not count.
fn problems_of(text: &str) -> Vec<String> {
    let vector = match Vector::parse(text) {
        Ok(vector) => vector,
        Err(problem) => return vec![problem.to_string()],
    };
    let differences = replay(&vector, &mut Direct::new(&vector.config));
    let counts = if vector.optional { Vec::new() } else { differences };
    let described =
        counts.into_iter().map(|it| format!("{it}, after {}", vector.describe(it.step)));
    described.collect()
}
