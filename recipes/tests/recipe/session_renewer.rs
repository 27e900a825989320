//! The session renewer (RCL-19 to RCL-22): when it renews, what ends it, and how it destroys its
//! session.

use std::time::Duration;

use lictor_core::message::{Failure, SessionDraft};
use lictor_recipes::{
    Lock, LockOptions, OnLoss, Order, Program, ProgramError, Recipe, Report, SessionOptions,
    UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

fn lock(session: SessionOptions) -> Program {
    let options = LockOptions::new("k", b"").with_session(session);
    let lock = Lock::new(options).expect("the options are in order");
    let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
    Program::new(Recipe::Lock(Box::new(lock))).with_policy(policy)
}

fn ttl(ttl: &str) -> SessionOptions {
    SessionOptions::named("renewer").with_ttl(ttl)
}

fn drafted(draft: SessionDraft) -> SessionOptions {
    ttl("15s").with_draft(draft)
}

/// When the session was renewed, in milliseconds.
fn renewals(harness: &Harness, client: usize) -> Vec<u128> {
    let sent = harness.client(client).sent.iter().filter(|(_, line)| line.contains("/renew/"));
    sent.map(|(at, _)| at.as_millis()).collect()
}

fn stopped(harness: &Harness, client: usize) -> Vec<String> {
    let reports = harness.client(client).reports.iter().filter_map(|(_, report)| match report {
        Report::RenewerStopped(why) => Some(why.to_string()),
        _ => None,
    });
    reports.collect()
}

#[test]
fn the_session_is_renewed_at_half_its_ttl() {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("20s")));
    harness.run(35);
    assert_eq!(renewals(&harness, one), [10_000, 20_000, 30_000]);
}

/// The server may have another TTL than was asked for; the answer counts (RCL-19).
#[test]
fn the_ttl_is_read_again_from_each_answer() {
    let mut harness = Harness::new();
    let draft = SessionDraft { ttl: "30s".into(), ..SessionDraft::named("") };
    let one = harness.start(lock(drafted(draft)));
    harness.run(40);
    assert_eq!(renewals(&harness, one), [7_500, 22_500, 37_500]);
}

#[test]
fn a_failed_renewal_is_repeated_each_second_until_the_ttl_has_passed() {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("10s")));
    harness.run(1);
    harness.set_network(one, Network::Answers(500));
    harness.run(20);
    assert_eq!(renewals(&harness, one), [5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000]);
    assert_eq!(stopped(&harness, one), ["Unexpected response code: 500 (no)"]);
}

#[test]
fn one_successful_renewal_continues_the_schedule() {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("10s")));
    harness.set_network(one, Network::Refuses);
    harness.run_for(Duration::from_millis(7_500));
    harness.set_network(one, Network::Works);
    harness.run(10);
    assert_eq!(renewals(&harness, one), [5_000, 6_000, 7_000, 8_000, 13_000]);
}

#[test]
fn renewals_stop_when_the_session_no_longer_exists() {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("10s")));
    harness.run(1);
    harness.destroy_session_of(one);
    harness.run(30);
    assert_eq!(stopped(&harness, one), [ProgramError::SessionExpired.to_string()]);
    assert_eq!(renewals(&harness, one), [5_000]);
}

#[test]
fn a_release_destroys_the_session() {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("10s")));
    harness.run(12);
    harness.order(one, Order::Stop);
    assert_eq!(harness.sessions(), 0);
    harness.run(30);
    assert_eq!(renewals(&harness, one), [5_000, 10_000]);
}

/// Its first renewal stops the renewer (RCL-20).
#[test]
fn a_session_without_ttl_leaks_after_its_first_renewal() {
    let mut harness = Harness::new();
    let one = harness.start(lock(drafted(SessionDraft::named("mine"))));
    harness.run(5);
    harness.order(one, Order::Stop);
    assert_eq!(harness.sessions(), 0, "before the first renewal it is destroyed");
    harness.order(one, Order::Start);
    harness.run(20);
    assert_eq!(renewals(&harness, one), [12_500]);
    assert_eq!(stopped(&harness, one), [ProgramError::NoTtl.to_string()]);
    harness.order(one, Order::Stop);
    harness.run(600);
    assert_eq!(harness.sessions(), 1);
    assert!(harness.client(one).errors().is_empty());
}

/// Zero is not sent (RCL-21).
#[test]
fn a_lock_delay_of_zero_becomes_the_default_of_15_s() {
    for (delay, expected) in [(0, 15_000_000_000_u64), (1, 1_000_000), (2_000, 2_000_000_000)] {
        let mut harness = Harness::new();
        let lock_delay = Duration::from_millis(delay);
        harness.start(lock(ttl("10s").with_lock_delay(lock_delay)));
        let list = harness.ask("GET", "/v1/session/list", "").text();
        assert!(list.contains(&format!("\"LockDelay\":{expected},")), "{delay}: {list}");
    }
}

#[test]
fn a_session_can_be_created_without_checks() {
    let mut harness = Harness::new();
    let none = Some(Vec::new());
    let draft = SessionDraft { checks: none.clone(), node_checks: none, ..SessionDraft::named("") };
    harness.start(lock(drafted(draft)));
    let list = harness.ask("GET", "/v1/session/list", "").text();
    assert!(list.contains("\"NodeChecks\":[]"), "{list}");
}

#[test]
fn a_session_of_the_caller_is_neither_renewed_nor_destroyed() {
    let mut harness = Harness::new();
    let session = harness.session(r#"{"TTL": "10s"}"#);
    let one = harness.start(lock(ttl("15s").with_existing(session.as_str())));
    harness.run(9);
    harness.order(one, Order::Stop);
    assert_eq!((harness.sessions(), renewals(&harness, one)), (1, Vec::new()));
}

/// A lock that is released after 16 s, while the renewal of 15 s is pending.
fn released_while_renewing() -> (Harness, usize) {
    let mut harness = Harness::new();
    let one = harness.start(lock(ttl("15s")));
    harness.run(8);
    harness.silence(one, "PUT /v1/session/renew/");
    harness.run(8);
    harness.order(one, Order::Stop);
    assert_eq!(harness.client(one).state(), "Idle");
    (harness, one)
}

fn destroys(harness: &Harness, client: usize) -> usize {
    let sent = &harness.client(client).sent;
    sent.iter().filter(|(_, line)| line.contains("/destroy/")).count()
}

/// The goroutine of the Go client waits inside the renewal, which is not cancelled, and sees only
/// after its answer that it should stop (RCL-19).
#[test]
fn a_release_waits_for_a_pending_renewal_before_the_session_is_destroyed() {
    let (mut harness, one) = released_while_renewing();
    assert_eq!(harness.client(one).program.outstanding().len(), 1, "the renewal is not cancelled");
    harness.run(5);
    assert_eq!((destroys(&harness, one), harness.sessions()), (0, 1));
    harness.answer_renewal(one, Err(Failure::Unreachable));
    assert_eq!((destroys(&harness, one), harness.sessions()), (1, 0));
}

/// The goroutine ends with an error instead (RCL-19).
#[test]
fn a_pending_renewal_that_is_answered_with_404_or_too_late_ends_without_a_destroy() {
    let not_found = Failure::Status { code: 404, text: "Session id 'x' not found".into() };
    for (failure, wait) in [(not_found, 5), (Failure::Unreachable, 7)] {
        let (mut harness, one) = released_while_renewing();
        harness.run(wait);
        harness.answer_renewal(one, Err(failure.clone()));
        harness.run(1);
        assert_eq!((destroys(&harness, one), harness.sessions()), (0, 1), "{failure:?}");
        assert_eq!(harness.client(one).program.outstanding(), [], "{failure:?}");
    }
}

#[test]
fn the_next_attempt_does_not_wait_for_the_renewal_of_the_session_before() {
    let (mut harness, one) = released_while_renewing();
    harness.order(one, Order::Start);
    assert!(harness.client(one).believes(), "it holds the lock through another session");
    harness.run(9);
    harness.answer_renewal(one, Err(Failure::Unreachable));
    assert_eq!(harness.client(one).program.outstanding().len(), 2, "a renewal and the watch");
}
