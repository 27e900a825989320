//! Conformance: the engine gives the recorded answers of Consul to every vector that is not
//! optional, natively and in a browser. WebAssembly cannot read files, so the vectors are compiled
//! in.

use lictor_core::ConsulVersion;
use lictor_tests::VECTORS;
use lictor_tests::replay::{replay, replay_on_another_version};
use lictor_tests::server::EngineServer;
use lictor_tests::vector::{Malformed, Vector, VectorConfig, VectorStep};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn every_vector_gets_the_recorded_answers() {
    let mut problems = Vec::new();
    for (name, text) in VECTORS {
        let found =
            Vector::parse(text).map_or_else(|why| vec![why.to_string()], |it| problems_of(&it));
        problems.extend(found.into_iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(!VECTORS.is_empty(), "there are vectors");
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// Random mixes of operations on sessions, keys, locks, transactions and the catalog. The answers
/// of versions to them differ only in content types (V22-08), and in texts of V22-07 and V22-14,
/// whose vectors are left out.
#[test]
fn random_sequences_get_the_same_answers_from_every_version() -> Result<(), Malformed> {
    let mut problems = Vec::new();
    let is_touched =
        |text: &str| ["unknown KV verb", "Conflicting flags"].iter().any(|it| text.contains(it));
    let random = VECTORS.iter().filter(|(name, _)| name.starts_with("random-"));
    let random: Vec<_> = random.filter(|(_, text)| !is_touched(text)).collect();
    assert!(random.len() > 90, "most random sequences count for every version: {}", random.len());
    for ((name, text), version) in
        random.into_iter().flat_map(|it| ConsulVersion::ALL.map(|version| (it, version)))
    {
        let vector = Vector::parse(text)?;
        let mut server = EngineServer::new(&VectorConfig { version, ..vector.config.clone() });
        let found = replay_on_another_version(&vector, &mut server);
        problems.extend(found.iter().map(|problem| format!("{name}, {version}: {problem}")));
    }
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
    Ok(())
}

#[test]
fn every_version_has_recorded_vectors() -> Result<(), Malformed> {
    for version in ConsulVersion::ALL {
        let vectors = VECTORS.iter().map(|(_, text)| Vector::parse(text));
        let vectors = vectors.collect::<Result<Vec<_>, _>>()?;
        let of_version = vectors.iter().filter(|vector| vector.config.version == version);
        assert!(of_version.count() > 80, "{version}");
    }
    Ok(())
}

#[test]
fn vectors_are_named_after_their_files_and_their_steps_are_in_order() {
    assert!(VECTORS.is_sorted_by_key(|(name, _)| name));
    for (name, text) in VECTORS {
        let vector = Vector::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(vector.name, *name);
        assert!(!vector.title.is_empty(), "{name} has no title");
        let times = vector.steps.iter().filter_map(VectorStep::at);
        assert!(times.is_sorted(), "{name}: a step is earlier than the one before it");
    }
}

/// The differences of a vector's answers, each with its step. Those of an optional vector do not
/// count.
fn problems_of(vector: &Vector) -> Vec<String> {
    let differences = replay(vector, &mut EngineServer::new(&vector.config));
    let counts = if vector.optional { Vec::new() } else { differences };
    let described =
        counts.into_iter().map(|it| format!("{it}, after {}", vector.describe(it.step)));
    described.collect()
}
