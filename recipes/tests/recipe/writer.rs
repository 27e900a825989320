//! The recipe `writer`: its writes to a guarded resource have a fencing token of the chosen kind,
//! or go to Consul in a transaction that checks the lock.

use std::time::Duration;

use lictor_recipes::{
    Fence, FenceKind, LockOptions, OnLoss, Order, Program, Recipe, Report, UserPolicy, Writer,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

fn writer(fence: FenceKind) -> Program {
    let options = LockOptions::new("db", b"");
    let writer = Writer::new(options, fence, Duration::from_secs(2));
    let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
    let writer = writer.expect("the options are in order");
    Program::new(Recipe::Writer(Box::new(writer))).with_policy(policy)
}

#[test]
fn each_write_carries_the_token_of_the_chosen_kind() {
    for kind in [
        FenceKind::None,
        FenceKind::Session,
        FenceKind::LockIndex,
        FenceKind::ModifyIndex,
        FenceKind::Triple,
    ] {
        let mut harness = Harness::new();
        let one = harness.start(writer(kind));
        harness.run(5);
        let entry = harness.entry("db").expect("it is held");
        let (session, lock_index) = (entry.holder().cloned().expect("held"), entry.lock_index);
        let expected = match kind {
            FenceKind::Session => Fence::Session(session),
            FenceKind::LockIndex => Fence::LockIndex(lock_index),
            FenceKind::ModifyIndex => Fence::ModifyIndex(entry.modify_index),
            FenceKind::Triple => Fence::Triple { key: "db".into(), lock_index, session },
            FenceKind::None | FenceKind::CheckSession => Fence::None,
        };
        let uses = &harness.client(one).uses;
        let numbers: Vec<_> = uses.iter().map(|(at, it)| (at.as_millis(), it.number)).collect();
        assert_eq!(numbers, [(0, 1), (2_000, 2), (4_000, 3)]);
        assert!(uses.iter().all(|(_, it)| it.fence == expected), "{uses:?}");
        harness.order(one, Order::Stop);
        harness.run(5);
        assert_eq!(harness.client(one).uses.len(), 3);
    }
}

/// Only a fence at the resource can reject its writes.
#[test]
fn a_holder_without_a_network_keeps_writing_after_it_lost_the_lock() {
    let mut harness = Harness::new();
    let one = harness.start(writer(FenceKind::ModifyIndex));
    let two = harness.start(writer(FenceKind::ModifyIndex));
    harness.set_network(one, Network::IsSilent);
    harness.run(60);
    assert!(harness.client(one).believes() && harness.client(two).believes());
    let token = |client: usize| match harness.client(client).uses.last() {
        Some((_, written)) => match written.fence {
            Fence::ModifyIndex(index) => index,
            _ => panic!("another kind"),
        },
        None => panic!("it has written nothing"),
    };
    assert!(token(one) < token(two));
}

/// Consul itself checks the holder of the key (TXN-29).
#[test]
fn a_write_in_a_checked_transaction_is_refused_after_the_loss() {
    let mut harness = Harness::new();
    let one = harness.start(writer(FenceKind::CheckSession));
    harness.run(1);
    let accepted = Report::Written { number: 1, is_accepted: true };
    assert_eq!(harness.client(one).count(|it| *it == accepted), 1);
    assert_eq!(harness.entry("db-data").map(|entry| &*entry.value), Some(&b"1"[..]));
    // The watch does not notice the loss, but the next write fails.
    harness.lose_answers_at(one, "GET /v1/kv/db");
    harness.ask("PUT", "/v1/kv/db?flags=3304740253564472344", "moves the watch on");
    harness.destroy_session_of(one);
    harness.run(2);
    let refused = Report::Written { number: 2, is_accepted: false };
    assert_eq!(harness.client(one).count(|it| *it == refused), 1);
    assert!(harness.client(one).believes());
}
