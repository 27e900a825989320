//! The recipes in real time, over real HTTP, against a server in the same process: never more of
//! them hold a lock or a slot than may, and all make progress. It is a program of its own, so that
//! no other test takes its processor time.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::time::Duration;

use lictor_agent::Server;
use lictor_recipes::{
    Candidate, Lock, LockOptions, Order, Program, Recipe, Report, Semaphore, SemaphoreOptions,
    SessionOptions, UserPolicy, Watcher, WatcherOptions, WatcherReports,
};
use lictor_tests::real_time::{ProgramReport, Runner, program, report_text};

const TTL: &str = "1s";

/// Longer than anything here should take, even on a busy machine.
const LONG: Duration = Duration::from_secs(30);

fn server() -> Server {
    let server = Server::builder().session_ttl_min(Duration::from_secs(1)).start();
    server.expect("the loopback interface has a free port")
}

/// The reports of the programs: how often each has acquired, which leaders the follower has seen,
/// how many failures there were, and all reports as text.
#[derive(Default)]
struct Reports {
    acquired: BTreeMap<String, usize>,
    leaders: Vec<Option<String>>,
    lines: Vec<String>,
    failed: usize,
}

impl Reports {
    fn record(&mut self, report: &ProgramReport) {
        self.lines.push(report_text::line(report));
        match report.report {
            Report::Acquired { .. } => *self.acquired.entry(report.name.into()).or_default() += 1,
            Report::Failed(_) | Report::Lost(_) => self.failed += 1,
            Report::Leader(leader) if report.name == "follower" => {
                let name = |value: &std::sync::Arc<[u8]>| String::from_utf8_lossy(value).into();
                self.leaders.push(leader.as_ref().map(name));
            }
            _ => {}
        }
    }
}

/// Runs the programs until each has held twice, then stops them.
fn run_until_each_held_twice(runner: &mut Runner, names: usize) -> Reports {
    let mut reports = Reports::default();
    runner.order_all(Order::Start, &mut |report| reports.record(report));
    let mut rounds = 0;
    let has_held_twice = |reports: &Reports| {
        reports.acquired.len() == names && reports.acquired.values().all(|times| *times >= 2)
    };
    while !has_held_twice(&reports) && rounds < 100 {
        runner.run(Duration::from_millis(100), &mut |report| reports.record(report));
        rounds += 1;
    }
    assert!(has_held_twice(&reports), "{}", reports.lines.join("\n"));
    let has_ended = runner.end(LONG, &mut |report| reports.record(report));
    assert!(has_ended && reports.failed == 0, "{}", reports.lines.join("\n"));
    reports
}

/// A program that holds for a tenth of a second, and then pauses so that the others acquire first.
fn in_turn(program: Program) -> Program {
    let span = |millis| Some(Duration::from_millis(millis));
    program.with_policy(UserPolicy::default().with_hold(span(100)).with_again(span(400)))
}

fn session() -> SessionOptions {
    SessionOptions::named("recipes").with_ttl(TTL)
}

fn lock(key: &str, name: &str) -> LockOptions {
    let wait_time = Duration::from_secs(1);
    LockOptions::new(key, name.as_bytes()).with_session(session()).with_wait_time(wait_time)
}

#[test]
fn locks_are_held_by_one_at_a_time() {
    let server = server();
    let mut runner = Runner::new(&server.addr().to_string());
    for name in ["one", "two", "three"] {
        let made = program(Lock::new(lock("recipes/lock", name)), Recipe::Lock);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let reports = run_until_each_held_twice(&mut runner, 3);
    assert_eq!(runner.most_at_once(), 1, "{}", reports.lines.join("\n"));
    let state = server.state().expect("the server runs");
    assert_eq!(state.store().sessions().len(), 0);
}

#[test]
fn semaphores_are_held_by_as_many_as_their_limit() {
    let server = server();
    let mut runner = Runner::new(&server.addr().to_string());
    for name in ["one", "two", "three"] {
        let wait_time = Duration::from_secs(1);
        let plain = SemaphoreOptions::new("recipes/slots", 2);
        let options = plain.with_session(session()).with_wait_time(wait_time);
        let made = program(Semaphore::new(options), Recipe::Semaphore);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let reports = run_until_each_held_twice(&mut runner, 3);
    assert!(runner.most_at_once() <= 2, "{}", reports.lines.join("\n"));
    let state = server.state().expect("the server runs");
    let keys: Vec<_> = state.store().kv().with_prefix("").map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["recipes/slots/.lock"]);
}

#[test]
fn an_election_has_one_leader_and_watchers_see_it() {
    let server = server();
    let mut runner = Runner::new(&server.addr().to_string());
    let watch = WatcherOptions::new("recipes/leader").with_reports(WatcherReports::Leaders);
    runner.add("follower", Program::new(Recipe::Watcher(Box::new(Watcher::new(watch)))));
    for name in ["one", "two"] {
        let made = program(Candidate::new(lock("recipes/leader", name)), Recipe::Candidate);
        runner.add(name, in_turn(made.expect("the options are in order")));
    }
    let reports = run_until_each_held_twice(&mut runner, 2);
    assert_eq!(runner.most_at_once(), 1, "{}", reports.lines.join("\n"));
    for name in ["one", "two"] {
        let is_seen = reports.leaders.iter().any(|leader| leader.as_deref() == Some(name));
        assert!(is_seen, "{}", reports.lines.join("\n"));
    }
}

/// Sessions of one second live for as long as they are renewed.
#[test]
fn a_lock_that_is_renewed_is_kept_for_longer_than_its_ttl() {
    let server = server();
    let mut runner = Runner::new(&server.addr().to_string());
    let made = program(Lock::new(lock("recipes/kept", "one")), Recipe::Lock);
    let one = runner.add("one", made.expect("the options are in order"));
    let mut reports = Reports::default();
    runner.order(one, Order::Start, &mut |report| reports.record(report));
    runner.run(Duration::from_millis(3_500), &mut |report| reports.record(report));
    assert_eq!(runner.program(one).state(), "Holding", "{}", reports.lines.join("\n"));
    assert!(runner.end(LONG, &mut |report| reports.record(report)), "{}", reports.lines.join("\n"));
}
