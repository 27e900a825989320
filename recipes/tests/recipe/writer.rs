//! Writers with tokens.

use std::time::Duration;

use lictor_recipes::{
    Fence, FenceKind, LockOptions, OnLoss, Order, Program, Recipe, Report, UserPolicy, Writer,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::stand::{Network, Stand};

fn writer(fence: FenceKind) -> Program {
    let options = LockOptions::new("db", b"");
    let writer = Writer::new(options, fence, Duration::from_secs(2));
    let habit = UserPolicy { on_loss: OnLoss::StandStill, ..UserPolicy::default() };
    let writer = writer.expect("the options are in order");
    Program::new(Recipe::Writer(Box::new(writer))).with_habit(habit)
}

#[test]
fn each_kind_of_token_is_shown_with_each_write() {
    for kind in [
        FenceKind::None,
        FenceKind::Session,
        FenceKind::LockIndex,
        FenceKind::ModifyIndex,
        FenceKind::Triple,
    ] {
        let mut stand = Stand::new();
        let one = stand.start(writer(kind));
        stand.run(5);
        let entry = stand.entry("db").expect("it is held");
        let (session, lock_index) = (entry.holder().cloned().expect("held"), entry.lock_index);
        let expected = match kind {
            FenceKind::Session => Fence::Session(session),
            FenceKind::LockIndex => Fence::LockIndex(lock_index),
            FenceKind::ModifyIndex => Fence::ModifyIndex(entry.modify_index),
            FenceKind::Triple => Fence::Triple { key: "db".into(), lock_index, session },
            FenceKind::None | FenceKind::CheckSession => Fence::None,
        };
        let uses = &stand.client(one).uses;
        let numbers: Vec<_> = uses.iter().map(|(at, it)| (at.as_millis(), it.number)).collect();
        assert_eq!(numbers, [(0, 1), (2_000, 2), (4_000, 3)]);
        assert!(uses.iter().all(|(_, it)| it.fence == expected), "{uses:?}");
        stand.order(one, Order::Stop);
        stand.run(5);
        assert_eq!(stand.client(one).uses.len(), 3);
    }
}

/// Who does not know better writes on, and a fence of its own time is what stops it.
#[test]
fn who_hears_nothing_goes_on_writing() {
    let mut stand = Stand::new();
    let one = stand.start(writer(FenceKind::ModifyIndex));
    let two = stand.start(writer(FenceKind::ModifyIndex));
    stand.set_network(one, Network::IsSilent);
    stand.run(60);
    assert!(stand.client(one).believes() && stand.client(two).believes());
    let token = |client: usize| match stand.client(client).uses.last() {
        Some((_, written)) => match written.fence {
            Fence::ModifyIndex(index) => index,
            _ => panic!("another kind"),
        },
        None => panic!("it has written nothing"),
    };
    assert!(token(one) < token(two));
}

/// TXN-29.
#[test]
fn txn_29_a_write_that_consul_checks_is_refused_after_the_loss() {
    let mut stand = Stand::new();
    let one = stand.start(writer(FenceKind::CheckSession));
    stand.run(1);
    let accepted = Report::Written { number: 1, is_accepted: true };
    assert_eq!(stand.client(one).count(|it| *it == accepted), 1);
    assert_eq!(stand.entry("db-data").map(|entry| &*entry.value), Some(&b"1"[..]));
    // The watch hears nothing of the loss, the next write does.
    stand.lose_answers_at(one, "GET /v1/kv/db");
    stand.ask("PUT", "/v1/kv/db?flags=3304740253564472344", "moves the watch on");
    stand.destroy_session_of(one);
    stand.run(2);
    let refused = Report::Written { number: 2, is_accepted: false };
    assert_eq!(stand.client(one).count(|it| *it == refused), 1);
    assert!(stand.client(one).believes());
}
