//! Random worlds are exported as tests, and the tests assert the answers of their servers: all of
//! them without faults, and nearly all with faults and programs.

use lictor_export::{ExportError, Format, export};
use lictor_sim::World;
use lictor_sim::journal::Journal;
use lictor_sim::timeline::Timeline;
use lictor_tests::random_acts::RandomActs;

const ACTS: usize = 120;
/// The largest number of requests without an asserted answer that a failure shows for each world.
const EXAMPLES: usize = 3;

/// How many requests a test sends, and how many answers it does not assert.
#[derive(Debug, Default)]
struct Count {
    sent: usize,
    not_asserted: usize,
    /// Some requests whose answers are not asserted, after the seeds of their worlds.
    examples: Vec<String>,
}

impl Count {
    fn add(&mut self, seed: u64, mut acts: RandomActs) {
        let mut timeline: Timeline = Timeline::new(World::new(seed));
        for _ in 0..ACTS {
            let act = acts.next(timeline.world());
            // Random acts are sometimes impossible.
            if let Ok(events) = timeline.perform(act) {
                acts.learn(&events);
            }
        }
        let text = match export(&Journal::of(&timeline).to_lines(), Format::Python) {
            Ok(text) => text,
            Err(ExportError::NothingToAssert) => return,
            Err(error) => panic!("{seed}: {error}"),
        };
        let lines: Vec<&str> = text.lines().collect();
        let not_asserted = lines.windows(2).filter(|pair| pair[1].contains("# Not asserted"));
        let example = |pair: &[&str]| format!("{seed}: {}", pair[0].trim());
        self.examples.extend(not_asserted.map(example).take(EXAMPLES));
        self.sent += text.matches("    answer = send(").count();
        self.not_asserted += text.matches("# Not asserted").count();
    }
}

#[test]
fn every_answer_to_requests_without_faults_is_asserted() {
    let mut count = Count::default();
    (0..30).for_each(|seed| count.add(seed, RandomActs::new(seed)));
    assert!(count.sent > 1_000 && count.not_asserted == 0, "{count:#?}");
}

#[test]
fn nearly_every_answer_in_a_world_with_faults_and_programs_is_asserted() {
    let mut count = Count::default();
    (0..30).for_each(|seed| count.add(seed, RandomActs::with_faults(seed)));
    (0..30).for_each(|seed| count.add(seed, RandomActs::with_programs(seed)));
    assert!(count.sent > 2_000 && count.not_asserted * 1_000 < count.sent, "{count:#?}");
}
