//! Bounded runs of the fuzz targets, with fixed seeds: mutated requests, filters, incidents, worlds
//! and traces are answered, read or refused, and never cause a panic.
use std::time::Duration;
use std::{fs, io};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lictor_core::time::Instant;
use lictor_sim::journal::Journal;
use lictor_sim::timeline::Timeline;
use lictor_sim::trace::TraceWriter;
use lictor_sim::{Act, JournalEntry, ObservedEvent, ObservedPast, World};
use lictor_tests::dice::Dice;
use lictor_tests::fuzz::{
    SEPARATOR, corpus, dump, filter, http, incident, journal, lines, link, mutated, random_world,
    trace_line,
};
use lictor_tests::random_acts::RandomActs;

const RUNS: usize = 20_000;
/// Fewer than `RUNS`, because each has about 20 kB.
const INCIDENTS: usize = 2_000;
/// The bytes of a dump before its content.
const HEAD: usize = 24;
/// The bytes of a link's checksum, after its content.
const SUM: usize = 4;

/// Filters of several kinds of rows.
const FILTERS: [&str; 8] = [
    "not (Node == \"n1\" and Meta.env != production) or `lan` in TaggedAddresses",
    "ServiceMeta[\"a\"] contains b and ServiceTags is not empty and ServicePort == 0",
    "Service.Tags contains \"v1\" or Checks.Status == passing or Node.Meta is empty",
    "Checks.Name not matches \"^(?i)Service '[a-z]+' (check|.{2,5})$\"",
    "not Status == critical and \"x\" not in ServiceTags and ExposedPort != -1",
    "Output matches `[[:alpha:]\\d_]*\\b(a|b)+?\\Q.\\E` or Type == ttl",
    "((((Node == a))))",
    "not not not Meta.none matches \"\\\\x{e9}\\u00e9\"",
];

#[test]
fn requests_of_the_corpus_are_answered() -> io::Result<()> {
    let corpus = corpus()?;
    assert!(corpus.len() > 300, "{} requests", corpus.len());
    corpus.iter().for_each(|text| http(text.as_bytes()));
    http(corpus.join(SEPARATOR).as_bytes());
    Ok(())
}

#[test]
fn mutated_requests_are_answered() -> io::Result<()> {
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
fn mutated_incidents_are_read_or_refused() -> io::Result<()> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../incident/tests/incidents");
    // Lines of applications, too.
    let mut texts = vec![fs::read_to_string(format!("{folder}/../real-logs.txt"))?];
    for recording in fs::read_dir(folder)? {
        let recording = recording?.path();
        let files = ["sessions.json", "keys.json", "nodes.json", "consul.log"];
        let files = files.map(|name| fs::read_to_string(recording.join(name)));
        texts.push(files.into_iter().collect::<io::Result<Vec<_>>>()?.join("\n"));
    }
    let mut dice = Dice::new(17);
    for _ in 0..INCIDENTS {
        let (one, other) = (dice.one_of(&texts).clone(), dice.one_of(&texts).clone());
        incident(&mutated(&mut dice, one.as_bytes(), other.as_bytes()));
    }
    Ok(())
}

#[test]
fn mutated_filters_are_answered() {
    let mut dice = Dice::new(14);
    for _ in 0..RUNS {
        let (one, other) = (*dice.one_of(&FILTERS), *dice.one_of(&FILTERS));
        let input = mutated(&mut dice, one.as_bytes(), other.as_bytes());
        println!("{}", String::from_utf8_lossy(&input));
        filter(&input);
    }
}

#[test]
fn mutated_journals_are_refused_or_replayed() {
    for seed in 1..=20 {
        let entries = random_world(seed, 40).journal().to_vec();
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
fn mutated_dumps_are_refused_or_restored() {
    for seed in 1..=20 {
        let stored = random_world(seed, 60).dump();
        let (content, mut dice) = (&stored[HEAD..], Dice::new(seed));
        dump(content);
        for _ in 0..400 {
            let input = mutated(&mut dice, content, content);
            println!("{input:?}");
            dump(&input);
        }
    }
}

#[test]
fn mutated_journal_lines_and_links_are_refused_or_replayed() {
    for seed in 1..=10 {
        let journal = past(seed);
        let (stored, mut dice) = (journal.to_lines(), Dice::new(seed));
        lines(stored.as_bytes());
        let sent = journal.to_link().expect("it begins with a seed");
        let content = URL_SAFE_NO_PAD.decode(&sent[4..]).expect("just written");
        let content = &content[..content.len() - SUM];
        link(content);
        for _ in 0..100 {
            let input = mutated(&mut dice, stored.as_bytes(), stored.as_bytes());
            println!("{}", String::from_utf8_lossy(&input));
            lines(&input);
            let input = mutated(&mut dice, content, content);
            println!("{input:?}");
            link(&input);
        }
    }
}

#[test]
fn mutated_logs_are_refused_or_replayed() {
    let (log, mut dice) = (include_bytes!("../../../golden/log.jsonl"), Dice::new(13));
    lines(log);
    for _ in 0..RUNS / 10 {
        let input = mutated(&mut dice, log, log);
        println!("{}", String::from_utf8_lossy(&input));
        lines(&input);
    }
}

#[test]
fn mutated_trace_lines_are_refused_or_read() {
    let written: Vec<String> = (1..=10).flat_map(trace).collect();
    let mut dice = Dice::new(12);
    for _ in 0..RUNS {
        let (one, other) = (dice.one_of(&written).clone(), dice.one_of(&written).clone());
        let input = mutated(&mut dice, one.as_bytes(), other.as_bytes());
        println!("{}", String::from_utf8_lossy(&input));
        trace_line(&input);
    }
}

/// Found by cargo-fuzz: the index of a late line must not run into its time.
#[test]
fn a_printed_line_with_a_large_index_and_time_is_read_again() {
    trace_line(b"#12735 795313s  web-1  PUT /v1/kv/a");
}

/// The journal of a short random timeline with faults; every second seed has an observed past.
fn past(seed: u64) -> Journal {
    let (mut timeline, mut random) =
        (Timeline::new(World::new(seed)), RandomActs::with_faults(seed));
    for _ in 0..30 {
        let act = random.next(timeline.world());
        random.learn(&timeline.perform(act).unwrap_or_default());
    }
    let events = (0..seed).map(|number| ObservedEvent {
        ago: Duration::from_millis(1_000 * (seed - number)),
        text: format!("web-{} is renewed", number % 3),
        is_gap: number == 0,
    });
    let events = if seed.is_multiple_of(2) { events.collect() } else { Vec::new() };
    Journal { observed: ObservedPast { before: 0, events }, ..Journal::of(&timeline) }
}

/// The trace of this timeline.
fn trace(seed: u64) -> Vec<String> {
    let timeline = past(seed).play::<()>().expect("its acts were performed before");
    let lines = TraceWriter::default().lines_of(&timeline.here().events(0..u64::MAX));
    lines.iter().map(ToString::to_string).collect()
}

/// A journal in which some acts are left out, repeated, at other times or in another order.
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
