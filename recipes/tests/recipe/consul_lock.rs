//! The recipe `consul_lock` acts like the command `consul lock` (CLI-01 to CLI-10).

use std::time::Duration;

use lictor_recipes::{
    Child, ChildEvent, ConsulLock, ConsulLockOptions, Ending, ExitCode, Fence, Order, Program,
    Recipe, Report, UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

const KEY: &str = "jobs/.lock";

/// A child that runs for this many seconds.
fn child(seconds: u64) -> Child {
    let runs = Duration::from_secs(seconds);
    Child::new("backup").with_runs(runs).with_stop_time(Duration::from_secs(1))
}

fn options(child: Child) -> ConsulLockOptions {
    ConsulLockOptions::new("/jobs", child)
}

fn command(options: ConsulLockOptions) -> Program {
    let command = ConsulLock::new(options).expect("the options are in order");
    Program::new(Recipe::ConsulLock(Box::new(command)))
}

/// The events of the child with their times in seconds, and the exit code.
fn reports_of(harness: &Harness, client: usize) -> Vec<(u64, String)> {
    let reports = harness.client(client).reports.iter().filter_map(|(at, report)| match report {
        Report::Child(event) => Some((at.as_millis() / 1000, format!("{event:?}"))),
        Report::Exited(code) => Some((at.as_millis() / 1000, format!("exit {code}"))),
        _ => None,
    });
    reports.collect()
}

fn reports(events: &[(u64, &str)]) -> Vec<(u64, String)> {
    events.iter().map(|(at, what)| (*at, (*what).to_owned())).collect()
}

/// The command exits with 1 before it sends anything (CLI-01, CLI-02, CLI-04, CLI-05).
#[test]
fn contradictory_options_are_refused() {
    let nothing = Child::new("").with_runs(Duration::from_secs(1));
    let plain = options(child(1));
    for (options, text) in [
        (ConsulLockOptions::new("/", child(1)), "Key prefix and child command must be specified"),
        (options(nothing), "Key prefix and child command must be specified"),
        (plain.clone().with_holders(0), "Lock holder limit must be positive"),
        (plain.clone().with_timeout(-1), "Timeout must be positive"),
        (plain.with_monitor_retry(-1), "Number for MonitorRetry must be >= 0"),
    ] {
        let refused = ConsulLock::new(options).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some(text));
    }
}

/// With one holder the command uses a lock, and removes the key at the end (CLI-02, CLI-03, CLI-09,
/// CLI-10).
#[test]
fn children_run_one_after_another_under_a_lock() {
    let mut harness = Harness::new();
    let one = harness.start(command(options(child(5))));
    let two = harness.start(command(options(child(3))));
    let list = harness.ask("GET", "/v1/session/list", "").text();
    assert!(list.contains(r#""Name":"Consul lock for 'backup' at 'jobs'""#), "{list}");
    assert!(harness.entry(KEY).is_some());
    harness.run(10);
    let ended = "Ended(Success)";
    assert_eq!(reports_of(&harness, one), reports(&[(0, "Started"), (5, ended), (5, "exit 0")]));
    assert_eq!(reports_of(&harness, two), reports(&[(5, "Started"), (8, ended), (8, "exit 0")]));
    assert_eq!((harness.entry(KEY), harness.sessions()), (None, 0));
    assert!(harness.client(two).errors().is_empty());
}

/// With `-n` above 1 the command uses a semaphore (CLI-02).
#[test]
fn several_holders_share_a_semaphore() {
    let mut harness = Harness::new();
    let two_of = || command(options(child(5)).with_holders(2));
    let clients: [_; 3] = std::array::from_fn(|_| harness.start(two_of()));
    harness.run(1);
    let running = clients.map(|client| harness.client(client).state() == "Running");
    assert_eq!(running, [true, true, false]);
    // A lock on the same prefix fails with the conflict (RCS-19).
    let other = harness.start(command(options(child(1))));
    assert_eq!(harness.client(other).errors(), ["Existing key does not match lock use"]);
    assert_eq!(reports_of(&harness, other), reports(&[(1, "exit 1")]));
    harness.run(20);
    assert_eq!(reports_of(&harness, clients[2]).last(), reports(&[(10, "exit 0")]).last());
    assert_eq!((harness.entry(KEY), harness.sessions()), (None, 0));
}

/// `-timeout` limits the wait for the lock (CLI-04).
#[test]
fn a_timeout_ends_the_attempt() {
    let mut harness = Harness::new();
    harness.start(command(options(child(60))));
    let once = options(child(1)).with_timeout(4_000_000_000);
    let two = harness.start(command(once));
    harness.run(6);
    assert_eq!(reports_of(&harness, two), reports(&[(4, "exit 1")]));
}

/// `-monitor-retry` retries the watch once a second (CLI-05).
#[test]
fn three_retries_bridge_an_outage_of_three_seconds() {
    let mut harness = Harness::new();
    let one = harness.start(command(options(child(60))));
    harness.set_network(one, Network::Refuses);
    harness.ask("PUT", "/v1/kv/jobs/.lock?flags=3304740253564472344", "wakes the watch");
    harness.run_for(Duration::from_millis(2_500));
    assert_eq!(harness.client(one).state(), "Running");
    harness.run(1);
    assert_eq!(harness.client(one).state(), "Terminating");
}

/// A command whose child was killed because the lock was lost still exits with 0 (CLI-08, CLI-10).
#[test]
fn a_child_is_terminated_and_then_killed_after_the_lock_is_lost() {
    let asked = "Ended(Failure)";
    for (stop_time, events) in [
        (Some(1), vec![(2, "Started"), (9, "Asked"), (10, asked), (10, "exit 0")]),
        (None, vec![(2, "Started"), (9, "Asked"), (14, "Killed"), (14, "exit 0")]),
    ] {
        let mut harness = Harness::new();
        harness.run(2);
        let stubborn = child(60).with_stop_time(stop_time.map(Duration::from_secs));
        let one = harness.start(command(options(stubborn)));
        harness.run(7);
        harness.ask("DELETE", "/v1/kv/jobs/.lock", "");
        harness.run(10);
        assert_eq!(reports_of(&harness, one), reports(&events));
        assert_eq!(harness.sessions(), 0);
    }
}

/// Two children run at once until the first one is killed (CLI-08).
#[test]
fn a_child_that_ignores_sigterm_overlaps_with_the_next_one() {
    let mut harness = Harness::new();
    let writes_every = Some(Duration::from_secs(1));
    let stubborn = child(60).with_stop_time(None).with_writes_every(writes_every);
    let one = harness.start(command(options(stubborn.clone())));
    let two = harness.start(command(options(stubborn)));
    harness.run(3);
    harness.ask("DELETE", "/v1/kv/jobs/.lock", "");
    harness.run(10);
    let last = harness.client(one).uses.last().map(|(at, _)| at.as_millis());
    let first = harness.client(two).uses.first().map(|(at, it)| (at.as_millis(), it.fence.clone()));
    assert_eq!((last, first), (Some(8_000), Some((3_000, Fence::None))));
}

/// The lock is released only after the child has ended (CLI-08).
#[test]
fn a_shutdown_ends_the_child_before_the_lock_is_released() {
    let mut harness = Harness::new();
    let one = harness.start(command(options(child(60))));
    harness.run(3);
    harness.order(one, Order::Stop);
    assert!(harness.entry(KEY).is_some_and(|entry| entry.hold.is_some()));
    harness.run(3);
    let events = [(0, "Started"), (3, "Asked"), (4, "Ended(Failure)"), (4, "exit 0")];
    assert_eq!(reports_of(&harness, one), reports(&events));
}

/// `-child-exit-code` makes the exit code depend on the child (CLI-10).
#[test]
fn the_exit_code_is_that_of_the_child_only_if_requested() {
    for (exit_code, code) in [(ExitCode::Nothing, "exit 0"), (ExitCode::OfTheChild, "exit 2")] {
        let mut harness = Harness::new();
        let failing = child(1).with_ends(Ending::Failure);
        let options = options(failing).with_exit_code(exit_code);
        let one = harness.start(command(options));
        harness.run(2);
        assert_eq!(reports_of(&harness, one).last(), reports(&[(1, code)]).last());
    }
    for (step, at) in [("PUT /v1/session/create", 0), ("PUT /v1/kv/jobs/.lock?flags", 1)] {
        let mut harness = Harness::new();
        let one = harness.add(command(options(child(1))));
        harness.fail_at(one, step);
        harness.order(one, Order::Start);
        if at > 0 {
            harness.fail_at(one, "PUT /v1/kv/");
        }
        harness.run(2);
        assert_eq!(reports_of(&harness, one).last(), reports(&[(at, "exit 1")]).last(), "{step}");
    }
}

#[test]
fn a_supervisor_restarts_the_command() {
    let mut harness = Harness::new();
    let policy = UserPolicy::default().with_again(Duration::from_secs(1));
    let one = harness.start(command(options(child(2))).with_policy(policy));
    harness.run(10);
    let started = Report::Child(ChildEvent::Started);
    assert_eq!(harness.client(one).count(|it| *it == started), 4);
}
