//! The naive shell client: right as long as nothing goes wrong.

use std::time::Duration;

use lictor_core::id::Key;
use lictor_core::message::SessionDraft;
use lictor_recipes::{Naive, Order, Program, Recipe, Report, UserPolicy};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::stand::{Network, Stand};

fn naive() -> Program {
    Program::new(Recipe::Naive(Naive::new(Key::from("job"), b"x")))
}

/// With a session that has no TTL.
fn endless() -> Program {
    let mut naive = Naive::new(Key::from("job"), b"x");
    naive.session = SessionDraft::named("");
    Program::new(Recipe::Naive(naive))
}

#[test]
fn it_tries_each_second_until_it_is_told_true() {
    let mut stand = Stand::new();
    let one = stand.start(naive());
    let two = stand.start(naive());
    assert!(stand.client(one).believes() && !stand.client(two).believes());
    stand.run_for(Duration::from_millis(2_500));
    assert_eq!(stand.client(two).sent.len(), 4);
    stand.order(one, Order::Stop);
    stand.run(1);
    assert_eq!(stand.client(two).acquired(), Some(Duration::from_secs(3)));
}

#[test]
fn it_goes_on_believing_when_its_session_has_ended() {
    let mut stand = Stand::new();
    let one = stand.start(naive());
    let two = stand.start(endless());
    stand.run(36);
    assert!(stand.client(one).believes() && stand.client(two).believes());
    // Twice the TTL, and the lock-delay.
    assert_eq!(stand.client(two).acquired(), Some(Duration::from_secs(35)));
}

#[test]
fn a_session_that_ends_while_it_waits_is_tried_for_ever() {
    let mut stand = Stand::new();
    stand.ask("PUT", "/v1/kv/job", "");
    let holder = stand.start(endless());
    let waiter = stand.start(naive());
    stand.run(25);
    stand.order(holder, Order::Stop);
    stand.run(25);
    assert_eq!((stand.now(), stand.client(waiter).acquired()), (Duration::from_secs(50), None));
    assert_eq!(stand.client(waiter).sent.len(), 52);
}

#[test]
fn an_error_reads_like_false() {
    for network in [Network::Answers(500), Network::Refuses] {
        let mut stand = Stand::new();
        let one = stand.start(naive());
        let two = stand.start(naive());
        stand.order(one, Order::Stop);
        stand.set_network(two, network);
        stand.run(3);
        assert_eq!(stand.client(two).state(), "Pausing");
        stand.set_network(two, Network::Works);
        stand.run(1);
        assert!(stand.client(two).believes(), "{network:?}");
    }
}

#[test]
fn who_is_never_answered_waits_as_long_as_its_patience() {
    for (network, outcome) in [(Network::IsSilent, false), (Network::LosesAnswers, true)] {
        let mut stand = Stand::new();
        let one = stand.start(naive());
        let two = stand.start(naive().with_patience(Duration::from_secs(4)));
        stand.set_network(two, network);
        stand.order(one, Order::Stop);
        stand.run(4);
        assert_eq!(stand.client(two).state(), "Acquiring");
        stand.run(1);
        assert_eq!(stand.client(two).state(), "Pausing");
        let holder = stand.entry("job").and_then(|entry| entry.holder());
        assert_eq!((holder.is_some(), stand.client(two).believes()), (outcome, false));
        let is_one = |report: &Report| matches!(report, Report::SessionCreated(_));
        assert_eq!(stand.client(two).count(is_one), 1);
    }
}

#[test]
fn what_it_leaves_behind_ends_by_its_ttl_only() {
    let mut stand = Stand::new();
    let habit = UserPolicy { hold: Some(Duration::from_secs(2)), ..UserPolicy::default() };
    let one = stand.start(naive().with_habit(habit));
    stand.run(3);
    assert_eq!(stand.client(one).first(|it| *it == Report::Released), Some(Duration::from_secs(2)));
    assert_eq!((stand.sessions(), stand.client(one).state()), (1, "Idle"));
    stand.run(20);
    assert_eq!(stand.sessions(), 0);
}
