//! The recipe `naive`, a lock as a shell script takes it: it works without faults, and does not
//! notice a loss.

use std::time::Duration;

use lictor_core::id::Key;
use lictor_core::message::SessionDraft;
use lictor_recipes::{Naive, Order, Program, Recipe, Report, UserPolicy};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

fn naive() -> Program {
    Program::new(Recipe::Naive(Naive::new(Key::from("job"), b"x")))
}

/// The script with a session that has no TTL.
fn endless() -> Program {
    let mut naive = Naive::new(Key::from("job"), b"x");
    naive.session = SessionDraft::named("");
    Program::new(Recipe::Naive(naive))
}

#[test]
fn it_tries_each_second_until_the_answer_is_true() {
    let mut harness = Harness::new();
    let one = harness.start(naive());
    let two = harness.start(naive());
    assert!(harness.client(one).believes() && !harness.client(two).believes());
    harness.run_for(Duration::from_millis(2_500));
    assert_eq!(harness.client(two).sent.len(), 4);
    harness.order(one, Order::Stop);
    harness.run(1);
    assert_eq!(harness.client(two).acquired(), Some(Duration::from_secs(3)));
}

#[test]
fn it_still_believes_that_it_holds_after_its_session_has_ended() {
    let mut harness = Harness::new();
    let one = harness.start(naive());
    let two = harness.start(endless());
    harness.run(36);
    assert!(harness.client(one).believes() && harness.client(two).believes());
    // Twice the TTL, and the lock-delay.
    assert_eq!(harness.client(two).acquired(), Some(Duration::from_secs(35)));
}

#[test]
fn it_never_stops_trying_with_a_session_that_ended_while_it_waited() {
    let mut harness = Harness::new();
    harness.ask("PUT", "/v1/kv/job", "");
    let holder = harness.start(endless());
    let waiter = harness.start(naive());
    harness.run(25);
    harness.order(holder, Order::Stop);
    harness.run(25);
    assert_eq!((harness.now(), harness.client(waiter).acquired()), (Duration::from_secs(50), None));
    assert_eq!(harness.client(waiter).sent.len(), 52);
}

#[test]
fn an_error_is_treated_like_false() {
    for network in [Network::Answers(500), Network::Refuses] {
        let mut harness = Harness::new();
        let one = harness.start(naive());
        let two = harness.start(naive());
        harness.order(one, Order::Stop);
        harness.set_network(two, network);
        harness.run(3);
        assert_eq!(harness.client(two).state(), "Pausing");
        harness.set_network(two, Network::Works);
        harness.run(1);
        assert!(harness.client(two).believes(), "{network:?}");
    }
}

#[test]
fn a_call_without_an_answer_is_retried_after_the_request_timeout() {
    for (network, outcome) in [(Network::IsSilent, false), (Network::LosesAnswers, true)] {
        let mut harness = Harness::new();
        let one = harness.start(naive());
        let two = harness.start(naive().with_request_timeout(Duration::from_secs(4)));
        harness.set_network(two, network);
        harness.order(one, Order::Stop);
        harness.run(4);
        assert_eq!(harness.client(two).state(), "Acquiring");
        harness.run(1);
        assert_eq!(harness.client(two).state(), "Pausing");
        let holder = harness.entry("job").and_then(|entry| entry.holder());
        assert_eq!((holder.is_some(), harness.client(two).believes()), (outcome, false));
        let is_one = |report: &Report| matches!(report, Report::SessionCreated(_));
        assert_eq!(harness.client(two).count(is_one), 1);
    }
}

#[test]
fn its_session_ends_only_by_its_ttl() {
    let mut harness = Harness::new();
    let policy = UserPolicy::default().with_hold(Duration::from_secs(2));
    let one = harness.start(naive().with_policy(policy));
    harness.run(3);
    assert_eq!(
        harness.client(one).first(|it| *it == Report::Released),
        Some(Duration::from_secs(2))
    );
    assert_eq!((harness.sessions(), harness.client(one).state()), (1, "Idle"));
    harness.run(20);
    assert_eq!(harness.sessions(), 0);
}
