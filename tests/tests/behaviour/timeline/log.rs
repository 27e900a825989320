//! Tests logs: a log that is written while a timeline grows restores the timeline with its branches
//! and its cursor.

use std::time::Duration;

use lictor_core::time::Instant;
use lictor_sim::World;
use lictor_sim::journal::{Log, LogError, LogLineError, LoggedTimeline};
use lictor_sim::timeline::{BranchId, SeekTarget, Timeline};
use lictor_tests::dice::Dice;
use lictor_tests::random_acts::RandomActs;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::SEEDS;

/// A timeline with its log so far, and the source of random acts and seeks.
struct LoggedWorld {
    timeline: LoggedTimeline,
    lines: String,
    random: RandomActs,
    dice: Dice,
}

impl LoggedWorld {
    fn new(seed: u64) -> Self {
        let timeline = LoggedTimeline::begin(Timeline::new(World::new(seed)));
        let (random, dice) = (RandomActs::with_programs(seed), Dice::new(seed));
        Self { timeline, lines: String::new(), random, dice }
    }

    fn perform_random(&mut self, steps: usize) {
        for _ in 0..steps {
            match self.dice.below(20) {
                0 => self.wander(),
                1 => self.fork(),
                2..=5 => self.wait(),
                _ => self.act(),
            }
            self.lines += &self.timeline.take_lines();
        }
    }

    fn act(&mut self) {
        let act = self.random.next(self.timeline.world());
        self.random.learn(&self.timeline.perform(act).unwrap_or_default());
    }

    fn wait(&mut self) {
        let span = Duration::from_millis(self.dice.below(9_000) as u64);
        self.timeline.advance_to(self.timeline.world().now().plus(span));
    }

    /// Seeks a random time of a random branch.
    fn wander(&mut self) {
        let branches: Vec<_> = self.timeline.branches().map(|(id, _)| id).collect();
        self.timeline.switch(*self.dice.one_of(&branches));
        let end = self.timeline.here().end().at.as_millis() as usize;
        let time = Instant::from_millis(self.dice.below(end + 1) as u64);
        self.timeline.seek(SeekTarget::Time(time));
    }

    fn fork(&mut self) {
        self.timeline.fork("another <try>".into());
    }

    /// The whole log, with the position of the cursor.
    fn text(&self) -> String {
        self.lines.clone() + &self.timeline.position_line()
    }
}

/// A timeline as a text: its cursor and, of each branch, the name, the fork, the end and the number
/// of acts.
fn seen(timeline: &Timeline) -> String {
    let mut seen = format!("{:?} {:?}\n", timeline.current(), timeline.position());
    for (id, branch) in timeline.branches() {
        let acts = branch.acts().count();
        seen +=
            &format!("{id:?} {} {:?} {:?} {acts}\n", branch.name, branch.parent(), branch.end());
    }
    seen
}

#[test]
fn a_log_restores_all_branches_and_the_cursor() {
    for seed in 1..=SEEDS {
        let mut kept = LoggedWorld::new(seed);
        kept.perform_random(200);
        let read = Log::read::<()>(&kept.text()).expect("just written");
        assert_eq!(seen(&read), seen(&kept.timeline), "seed={seed}");
        assert!(read.world() == kept.timeline.world(), "seed={seed}");
    }
}

#[test]
fn a_restored_log_can_be_continued() {
    for seed in 1..=SEEDS {
        let mut kept = LoggedWorld::new(seed);
        kept.perform_random(100);
        kept.timeline = LoggedTimeline::resume(Log::read(&kept.text()).expect("just written"));
        kept.lines = kept.text();
        kept.perform_random(100);
        let read = Log::read::<()>(&kept.text()).expect("just written");
        assert_eq!(seen(&read), seen(&kept.timeline), "seed={seed}");
    }
}

#[test]
fn damaged_logs_are_refused_with_a_reason() {
    let mut kept = LoggedWorld::new(3);
    kept.perform_random(40);
    let text = kept.text();
    let last = text.lines().count() + 1;
    let wrong = |added: &str| match Log::read::<()>(&format!("{text}{added}")) {
        Err(LogError::Line { line, error }) if line == last => error,
        other => panic!("{added}: {other:?}"),
    };
    assert_eq!(wrong(r#"{"branch":99,"at":0,"acts":0}"#), LogLineError::NoSuchBranch);
    assert!(wrong(r#"{"branch":0,"at":0}"#).to_string().starts_with("missing field `acts`"));
    assert!(wrong(r#"{"fork":1}"#).to_string().starts_with("invalid type: integer `1`"));
    assert_eq!(wrong(r#"{"at":0,"actor":"new","does":"joins"}"#), LogLineError::BackInTime);
    for (number, _) in text.lines().enumerate() {
        let shortened: Vec<_> = text.lines().take(number).collect();
        // A log can be read after each of its lines, as a page may end at any time.
        assert_eq!(Log::read::<()>(&shortened.join("\n")).is_ok(), number > 0, "{number}");
    }
}

#[test]
fn a_branch_keeps_its_number() {
    let mut kept = LoggedWorld::new(5);
    kept.perform_random(100);
    for (id, _) in kept.timeline.branches() {
        assert_eq!(BranchId::new(id.number()), id);
    }
}

#[test]
fn a_log_with_three_branches_is_read() {
    let read =
        Log::read::<()>(include_str!("../../../golden/log.jsonl")).expect("it is well-formed");
    let branches: Vec<_> = read
        .branches()
        .map(|(_, branch)| (branch.name.as_str(), branch.acts().count(), branch.end().at))
        .collect();
    let at = |seconds: u64| Instant::from_millis(seconds * 1000);
    let expected = [("main", 2, at(9)), ("pauses", 2, at(7)), ("what if", 3, at(6))];
    assert_eq!(branches, expected);
    assert_eq!((read.current(), read.world().now()), (BranchId::new(1), at(7)));
}
