//! The core's client programs in real time, over real HTTP: several of each, none of which holds
//! what another one does.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor_recipes::{
    Candidate, Lock, LockOptions, Order, Program, Recipe, Report, Semaphore, SemaphoreOptions,
    SessionOptions, Tells, UserPolicy, Watcher, WatcherOptions,
};
use lictor_tests::real_time::{ProgramReport, Runner, program, report_text};

use crate::server::{LONG, Server};

const TTL: &str = "1s";

fn server() -> Server {
    Server::start(&["--session-ttl-min", TTL])
}

/// Who was granted something, how often, and every line that was told.
#[derive(Default)]
struct Story {
    acquired: BTreeMap<String, usize>,
    leaders: Vec<Option<String>>,
    lines: Vec<String>,
    failed: usize,
}

impl Story {
    fn listen(&mut self, told: &ProgramReport) {
        self.lines.push(report_text::line(told));
        match told.report {
            Report::Acquired { .. } => *self.acquired.entry(told.name.into()).or_default() += 1,
            Report::Failed(_) | Report::Lost(_) => self.failed += 1,
            Report::Leader(leader) if told.name == "follower" => {
                let name = |value: &std::sync::Arc<[u8]>| String::from_utf8_lossy(value).into();
                self.leaders.push(leader.as_ref().map(name));
            }
            _ => {}
        }
    }
}

/// Lets them hold in turn until each has held twice, and then end.
fn play(runner: &mut Runner, names: usize) -> Story {
    let mut story = Story::default();
    runner.order_all(Order::Start, &mut |told| story.listen(told));
    let mut rounds = 0;
    let has_held_twice = |story: &Story| {
        story.acquired.len() == names && story.acquired.values().all(|times| *times >= 2)
    };
    while !has_held_twice(&story) && rounds < 100 {
        runner.run(Duration::from_millis(100), &mut |told| story.listen(told));
        rounds += 1;
    }
    assert!(has_held_twice(&story), "{}", story.lines.join("\n"));
    let has_ended = runner.end(LONG, &mut |told| story.listen(told));
    assert!(has_ended && story.failed == 0, "{}", story.lines.join("\n"));
    story
}

/// In turn, each for a tenth of a second; who was just served lets the others go first.
fn in_turn(program: Program) -> Program {
    let span = |millis| Some(Duration::from_millis(millis));
    program.with_policy(UserPolicy { hold: span(100), again: span(400), ..UserPolicy::default() })
}

fn session() -> SessionOptions {
    SessionOptions { ttl: TTL.into(), ..SessionOptions::named("recipes") }
}

fn lock(key: &str, name: &str) -> LockOptions {
    let wait_time = Duration::from_secs(1);
    LockOptions { session: session(), wait_time, ..LockOptions::new(key, name.as_bytes()) }
}

#[test]
fn locks_are_held_by_one_at_a_time() {
    let server = server();
    let mut runner = Runner::new(&server.address);
    for name in ["one", "two", "three"] {
        let made = program(Lock::new(lock("recipes/lock", name)), Recipe::Lock);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let story = play(&mut runner, 3);
    assert_eq!(runner.most_at_once(), 1, "{}", story.lines.join("\n"));
    assert_eq!(server.ok("GET", "/v1/session/list", ""), "[]");
}

#[test]
fn semaphores_are_held_by_as_many_as_their_limit() {
    let server = server();
    let mut runner = Runner::new(&server.address);
    for name in ["one", "two", "three"] {
        let wait_time = Duration::from_secs(1);
        let plain = SemaphoreOptions::new("recipes/slots", 2);
        let options = SemaphoreOptions { session: session(), wait_time, ..plain };
        let made = program(Semaphore::new(options), Recipe::Semaphore);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let story = play(&mut runner, 3);
    assert!(runner.most_at_once() <= 2, "{}", story.lines.join("\n"));
    assert_eq!(server.ok("GET", "/v1/kv/recipes/slots?keys", ""), r#"["recipes/slots/.lock"]"#);
}

#[test]
fn an_election_has_one_leader_whom_all_see() {
    let server = server();
    let mut runner = Runner::new(&server.address);
    let watch = WatcherOptions { tells: Tells::Leaders, ..WatcherOptions::new("recipes/leader") };
    runner.add("follower", Program::new(Recipe::Watcher(Box::new(Watcher::new(watch)))));
    for name in ["one", "two"] {
        let made = program(Candidate::new(lock("recipes/leader", name)), Recipe::Candidate);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let story = play(&mut runner, 2);
    assert_eq!(runner.most_at_once(), 1, "{}", story.lines.join("\n"));
    for name in ["one", "two"] {
        let is_seen = story.leaders.iter().any(|leader| leader.as_deref() == Some(name));
        assert!(is_seen, "{}", story.lines.join("\n"));
    }
}

/// Sessions of one second live for as long as they are renewed.
#[test]
fn a_lock_outlives_its_ttl_many_times() {
    let server = server();
    let mut runner = Runner::new(&server.address);
    let made = program(Lock::new(lock("recipes/kept", "one")), Recipe::Lock);
    let one = runner.add("one", made.expect("the options are in order"));
    let mut story = Story::default();
    runner.order(one, Order::Start, &mut |told| story.listen(told));
    runner.run(Duration::from_millis(3_500), &mut |told| story.listen(told));
    assert_eq!(runner.program(one).state(), "Holding", "{}", story.lines.join("\n"));
    assert!(runner.end(LONG, &mut |told| story.listen(told)), "{}", story.lines.join("\n"));
}
