//! Bounded runs of the fuzz targets, from the committed corpus and fixed seeds.
#![cfg(not(target_arch = "wasm32"))]

use std::io;

use lictor_core::sim::{Act, JournalEntry};
use lictor_core::time::Instant;
use lictor_tests::fuzz::{SEPARATOR, corpus, dump, http, journal, lived, mutated};
use lictor_tests::steps::Dice;

const RUNS: usize = 20_000;
/// Of a dump, before its content.
const HEAD: usize = 24;

#[test]
fn the_corpus_is_answered() -> io::Result<()> {
    let corpus = corpus()?;
    assert!(corpus.len() > 300, "{} requests", corpus.len());
    corpus.iter().for_each(|text| http(text.as_bytes()));
    http(corpus.join(SEPARATOR).as_bytes());
    Ok(())
}

#[test]
fn no_request_is_too_odd() -> io::Result<()> {
    let (corpus, mut dice) = (corpus()?, Dice::new(11));
    for _ in 0..RUNS {
        let (one, other) = (dice.one_of(&corpus).clone(), dice.one_of(&corpus).clone());
        let input = mutated(&mut dice, one.as_bytes(), other.as_bytes());
        println!("{}", String::from_utf8_lossy(&input));
        http(&input);
    }
    Ok(())
}

#[test]
fn no_stored_journal_is_too_odd() {
    for seed in 1..=20 {
        let entries = lived(seed, 40).journal().to_vec();
        let stored = lictor_core::json::to_text(&entries);
        let mut dice = Dice::new(seed);
        journal(stored.as_bytes());
        for _ in 0..60 {
            let input = mutated(&mut dice, stored.as_bytes(), stored.as_bytes());
            println!("{}", String::from_utf8_lossy(&input));
            journal(&input);
            let input = lictor_core::json::to_text(&shuffled(&mut dice, &entries));
            println!("{input}");
            journal(input.as_bytes());
        }
    }
}

#[test]
fn no_stored_dump_is_too_odd() {
    for seed in 1..=20 {
        let stored = lived(seed, 60).dump();
        let (content, mut dice) = (&stored[HEAD..], Dice::new(seed));
        dump(content);
        for _ in 0..400 {
            let input = mutated(&mut dice, content, content);
            println!("{input:?}");
            dump(&input);
        }
    }
}

/// Acts left out, done twice, done at other times and in another order.
fn shuffled(dice: &mut Dice, journal: &[JournalEntry]) -> Vec<JournalEntry> {
    let mut journal = journal.to_vec();
    for _ in 0..=dice.below(6) {
        let (one, other) = (dice.below(journal.len()), dice.below(journal.len()));
        let at = match dice.below(4) {
            0 => Instant::from_nanos(u64::MAX - dice.below(2) as u64),
            _ => journal[other].at,
        };
        match dice.below(5) {
            0 => drop(journal.remove(one)),
            1 => journal.insert(one, journal[other].clone()),
            2 => journal.swap(one, other),
            3 => journal[one].at = at,
            _ => journal.insert(one, JournalEntry { at, act: Act::Advance { to: at } }),
        }
    }
    journal
}
