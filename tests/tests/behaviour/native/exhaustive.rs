//! The engine agrees with the model after every step of all short sequences, and of long random
//! ones.
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lictor_tests::dice::Dice;
use lictor_tests::model_comparison::ModelComparison;
use lictor_tests::model_steps::{ModelStep, Registered, SessionKind};

const SEEDS: u64 = 60;
const STEPS: usize = 400;

#[test]
fn every_sequence_of_three_steps_agrees_with_the_model() {
    walk(&steps_of_sessions(), &ModelStep::alphabet(), 3);
}

#[test]
#[ignore = "takes minutes: ./dev test --all runs it"]
fn every_sequence_of_four_steps_agrees_with_the_model() {
    walk(&steps_of_sessions(), &ModelStep::alphabet(), 4);
}

#[test]
fn every_sequence_of_three_catalog_steps_agrees_with_the_model() {
    walk(&steps_of_catalog(), &ModelStep::catalog_alphabet(), 3);
}

#[test]
#[ignore = "takes minutes: ./dev test --all runs it"]
fn every_sequence_of_four_catalog_steps_agrees_with_the_model() {
    walk(&steps_of_catalog(), &ModelStep::catalog_alphabet(), 4);
}

/// A world with two sessions.
fn steps_of_sessions() -> ModelComparison {
    let sessions = [SessionKind::Short, SessionKind::Deleting].into_iter().zip(0..);
    after(1, sessions.map(|(kind, client)| ModelStep::Create(client, kind)))
}

/// A world with a registered node, two sessions that depend on the catalog, and a prepared query.
fn steps_of_catalog() -> ModelComparison {
    let steps = [
        ModelStep::Register(Registered::Passing),
        ModelStep::Create(0, SessionKind::Checked),
        ModelStep::Create(1, SessionKind::Guest),
        ModelStep::Define(Some(0)),
    ];
    after(2, steps)
}

/// A world of two clients after these steps.
fn after(seed: u64, steps: impl IntoIterator<Item = ModelStep>) -> ModelComparison {
    let mut root = ModelComparison::new(seed, 2);
    for step in steps {
        assert_eq!(root.step(step), Ok(()));
    }
    root
}

#[test]
fn long_random_sequences_agree_with_the_model() {
    for seed in 1..=SEEDS {
        let (mut pair, mut dice, mut trail) =
            (ModelComparison::new(seed, 3), Dice::new(seed), Vec::new());
        for _ in 0..STEPS {
            let step = ModelStep::any(&mut dice, 3);
            trail.push(step);
            if let Err(fault) = pair.step(step) {
                let recent = &trail[trail.len().saturating_sub(12)..];
                panic!("seed={seed} steps={}: {fault}\nlast steps: {recent:?}", trail.len());
            }
        }
    }
}

/// Walks through all sequences of up to `depth` steps, on all cores. A step is taken once for all
/// sequences that begin with it.
fn walk(root: &ModelComparison, alphabet: &[ModelStep], depth: usize) {
    let (next, walked, fault) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(None));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(first) = alphabet.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut walk = SequenceWalk { alphabet, depth, trail: Vec::new(), walked: 0 };
                    if let Err(found) = walk.step(root, *first) {
                        *fault.lock().expect("no thread panics with it") = Some(found);
                        return;
                    }
                    walked.fetch_add(walk.walked, Ordering::Relaxed);
                }
            });
        }
    });
    let fault = fault.into_inner().expect("no thread panics with it");
    assert!(fault.is_none(), "{}", fault.unwrap_or_default());
    let sequences: usize = (1..=depth).map(|count| alphabet.len().pow(count as u32)).sum();
    assert_eq!(walked.into_inner(), sequences, "all sequences were walked");
    println!("{sequences} sequences of {} steps", alphabet.len());
}

/// The steps from the root to the present place of a walk.
struct SequenceWalk<'a> {
    alphabet: &'a [ModelStep],
    depth: usize,
    trail: Vec<ModelStep>,
    walked: usize,
}

impl SequenceWalk<'_> {
    fn step(&mut self, from: &ModelComparison, step: ModelStep) -> Result<(), String> {
        let mut pair = from.clone();
        self.trail.push(step);
        self.walked += 1;
        pair.step(step).map_err(|fault| format!("after {:?}: {fault}", self.trail))?;
        if self.trail.len() < self.depth {
            for next in self.alphabet {
                self.step(&pair, *next)?;
            }
        }
        self.trail.pop();
        Ok(())
    }
}
