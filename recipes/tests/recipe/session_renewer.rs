//! The keeper of a session: RCL-19, RCL-20, RCL-22.

use std::time::Duration;

use lictor_core::message::SessionDraft;
use lictor_recipes::{
    Lock, LockOptions, OnLoss, Order, Program, ProgramError, Recipe, Report, SessionOptions,
    UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::stand::{Network, Stand};

fn lock(session: SessionOptions) -> Program {
    let options = LockOptions { session, ..LockOptions::new("k", b"") };
    let lock = Lock::new(options).expect("the options are in order");
    let habit = UserPolicy { on_loss: OnLoss::StandStill, ..UserPolicy::default() };
    Program::new(Recipe::Lock(Box::new(lock))).with_habit(habit)
}

fn ttl(ttl: &str) -> SessionOptions {
    SessionOptions { ttl: ttl.into(), ..SessionOptions::named("keeper") }
}

fn drafted(draft: SessionDraft) -> SessionOptions {
    SessionOptions { draft: Some(Box::new(draft)), ..ttl("15s") }
}

/// When the session was renewed, in milliseconds.
fn renewals(stand: &Stand, client: usize) -> Vec<u128> {
    let sent = stand.client(client).sent.iter().filter(|(_, line)| line.contains("/renew/"));
    sent.map(|(at, _)| at.as_millis()).collect()
}

fn stopped(stand: &Stand, client: usize) -> Vec<String> {
    let reports = stand.client(client).reports.iter().filter_map(|(_, report)| match report {
        Report::KeeperStopped(why) => Some(why.to_string()),
        _ => None,
    });
    reports.collect()
}

#[test]
fn rcl_19_it_renews_at_half_the_ttl() {
    let mut stand = Stand::new();
    let one = stand.start(lock(ttl("20s")));
    stand.run(35);
    assert_eq!(renewals(&stand, one), [10_000, 20_000, 30_000]);
}

/// The server may change the TTL: what counts is the answer.
#[test]
fn rcl_19_the_ttl_is_read_again_from_each_answer() {
    let mut stand = Stand::new();
    let draft = SessionDraft { ttl: "30s".into(), ..SessionDraft::named("") };
    let one = stand.start(lock(drafted(draft)));
    stand.run(40);
    assert_eq!(renewals(&stand, one), [7_500, 22_500, 37_500]);
}

#[test]
fn rcl_19_a_failure_is_tried_again_each_second_until_the_ttl_is_over() {
    let mut stand = Stand::new();
    let one = stand.start(lock(ttl("10s")));
    stand.run(1);
    stand.set_network(one, Network::Answers(500));
    stand.run(20);
    assert_eq!(renewals(&stand, one), [5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000]);
    assert_eq!(stopped(&stand, one), ["Unexpected response code: 500 (no)"]);
}

#[test]
fn rcl_19_one_success_is_enough() {
    let mut stand = Stand::new();
    let one = stand.start(lock(ttl("10s")));
    stand.set_network(one, Network::Refuses);
    stand.run_for(Duration::from_millis(7_500));
    stand.set_network(one, Network::Works);
    stand.run(10);
    assert_eq!(renewals(&stand, one), [5_000, 6_000, 7_000, 8_000, 13_000]);
}

#[test]
fn rcl_19_a_session_that_is_gone_is_not_renewed() {
    let mut stand = Stand::new();
    let one = stand.start(lock(ttl("10s")));
    stand.run(1);
    stand.destroy_session_of(one);
    stand.run(30);
    assert_eq!(stopped(&stand, one), [ProgramError::SessionExpired.to_string()]);
    assert_eq!(renewals(&stand, one), [5_000]);
}

#[test]
fn rcl_19_in_the_end_the_session_is_destroyed() {
    let mut stand = Stand::new();
    let one = stand.start(lock(ttl("10s")));
    stand.run(12);
    stand.order(one, Order::Stop);
    assert_eq!(stand.sessions(), 0);
    stand.run(30);
    assert_eq!(renewals(&stand, one), [5_000, 10_000]);
}

#[test]
fn rcl_20_a_session_without_ttl_leaks() {
    let mut stand = Stand::new();
    let one = stand.start(lock(drafted(SessionDraft::named("mine"))));
    stand.run(5);
    stand.order(one, Order::Stop);
    assert_eq!(stand.sessions(), 0, "before the first renewal it is destroyed");
    stand.order(one, Order::Start);
    stand.run(20);
    assert_eq!(renewals(&stand, one), [12_500]);
    assert_eq!(stopped(&stand, one), [ProgramError::NoTtl.to_string()]);
    stand.order(one, Order::Stop);
    stand.run(600);
    assert_eq!(stand.sessions(), 1);
    assert!(stand.client(one).troubles().is_empty());
}

#[test]
fn rcl_21_a_lock_delay_of_zero_cannot_be_asked_for() {
    for (delay, expected) in [(0, 15_000_000_000_u64), (1, 1_000_000), (2_000, 2_000_000_000)] {
        let mut stand = Stand::new();
        let lock_delay = Duration::from_millis(delay);
        stand.start(lock(SessionOptions { lock_delay, ..ttl("10s") }));
        let list = stand.ask("GET", "/v1/session/list", "").text();
        assert!(list.contains(&format!("\"LockDelay\":{expected},")), "{delay}: {list}");
    }
}

#[test]
fn rcl_22_a_session_can_be_without_checks() {
    let mut stand = Stand::new();
    let none = Some(Vec::new());
    let draft = SessionDraft { checks: none.clone(), node_checks: none, ..SessionDraft::named("") };
    stand.start(lock(drafted(draft)));
    let list = stand.ask("GET", "/v1/session/list", "").text();
    assert!(list.contains("\"NodeChecks\":[]"), "{list}");
}

#[test]
fn a_session_of_the_caller_is_neither_renewed_nor_destroyed() {
    let mut stand = Stand::new();
    let session = stand.session(r#"{"TTL": "10s"}"#);
    let given = Some(session.as_str().into());
    let one = stand.start(lock(SessionOptions { given, ..ttl("15s") }));
    stand.run(9);
    stand.order(one, Order::Stop);
    assert_eq!((stand.sessions(), renewals(&stand, one)), (1, Vec::new()));
}
