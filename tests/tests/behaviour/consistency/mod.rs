//! No two displays of the page contradict each other. Worlds with random clients, programs, faults,
//! edits and branches are visited at random cursors, where all texts and drawings of the view model
//! are compared with each other and with the world, in each language.
//!
//! `LICTOR_WORLDS=FROM-TO` chooses the seeds; a failure prints the seed.

mod countdowns;
mod drawings;
mod future;
mod names;
mod page;
mod random_past;
mod sentences;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use self::page::Page;
use self::random_past::RandomPast;

/// The number of worlds of a run.
const WORLDS: u64 = 2_000;
/// The number of cursors of a world that are checked.
const CURSORS: usize = 8;

/// After this many contradictions no other world is checked.
const FAILURES: usize = 10;

/// The contradictions that were found.
#[derive(Default)]
pub(crate) struct Contradictions(Vec<String>);

impl Contradictions {
    /// Adds a contradiction, with its description, unless the displays agree.
    pub(crate) fn check(&mut self, agrees: bool, description: impl FnOnce() -> String) {
        if !agrees {
            self.0.push(description());
        }
    }
}

#[test]
fn all_displays_of_random_worlds_agree() {
    let (first, last) = seeds();
    let (next, found) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while found.lock().expect("no thread panics").len() < FAILURES {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > last {
                        return;
                    }
                    let contradictions = contradictions(seed);
                    found.lock().expect("no thread panics").extend(contradictions);
                }
            });
        }
    });
    let found = found.into_inner().expect("no thread panics");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The seeds of the worlds, which the environment may choose.
fn seeds() -> (u64, u64) {
    let Ok(chosen) = std::env::var("LICTOR_WORLDS") else { return (1, WORLDS) };
    let (first, last) = chosen.split_once('-').unwrap_or((&chosen, &chosen));
    let read = |text: &str| text.parse().expect("LICTOR_WORLDS is a seed, or FROM-TO");
    (read(first), read(last))
}

/// Some contradictions at the first cursor of a world that has any.
fn contradictions(seed: u64) -> Vec<String> {
    let mut random = RandomPast::new(seed);
    for cursor in 0..CURSORS {
        random.go_on();
        let page = Page::of(&mut random.past);
        let mut found = Contradictions::default();
        countdowns::check(&page, &mut found);
        future::check(&page, &mut found);
        drawings::check(&page, &mut random.dice, &mut found);
        names::check(&page, &mut found);
        sentences::check(&page, &mut found);
        if !found.0.is_empty() {
            let place = format!("seed {seed}, cursor {cursor}, {}", page.now);
            let at_place = |it: String| format!("{place}: {it}");
            return found.0.into_iter().take(FAILURES / 3).map(at_place).collect();
        }
    }
    Vec::new()
}
