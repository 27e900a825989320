//! Conformance: the engine gives the recorded answers of Consul to every vector, natively and in a
//! browser.
//!
//! wasm-bindgen's test runner runs the same test in Chromium. WebAssembly reads no files, so the
//! vectors are compiled in.

use lictor_tests::VECTORS;
use lictor_tests::replay::replay;
use lictor_tests::server::EngineServer;
use lictor_tests::vector::{Vector, VectorStep};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

#[test]
fn every_vector_gets_the_recorded_answers() {
    let mut problems = Vec::new();
    for (name, text) in VECTORS {
        problems.extend(problems_of(text).into_iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(!VECTORS.is_empty(), "there are vectors");
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn vectors_are_named_after_their_files_and_their_steps_are_in_order() {
    assert!(VECTORS.is_sorted());
    for (name, text) in VECTORS {
        let vector = Vector::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(vector.name, *name);
        assert!(!vector.title.is_empty(), "{name} has no title");
        let times = vector.steps.iter().filter_map(VectorStep::at);
        assert!(times.is_sorted(), "{name}: a step is earlier than the one before it");
    }
}

/// A difference from an optional vector does not count.
fn problems_of(text: &str) -> Vec<String> {
    let vector = match Vector::parse(text) {
        Ok(vector) => vector,
        Err(problem) => return vec![problem.to_string()],
    };
    let differences = replay(&vector, &mut EngineServer::new(&vector.config));
    let counts = if vector.optional { Vec::new() } else { differences };
    let described =
        counts.into_iter().map(|it| format!("{it}, after {}", vector.describe(it.step)));
    described.collect()
}
