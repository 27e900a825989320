//! The lock of the Go client: RCL-01 to RCL-18, quirks included.

use std::time::Duration;

use lictor_core::message::Failure;
use lictor_recipes::{
    Belief, GaveUp, LOCK_FLAG, Lock, LockLoss, LockOptions, MonitorOptions, OnLoss, Order, Program,
    ProgramError, Recipe, Report, SessionOptions, Tries, UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

const KEY: &str = "test/lock";

fn lock(options: LockOptions) -> Program {
    let lock = Lock::new(options).expect("the options are in order");
    Program::new(Recipe::Lock(Box::new(lock)))
}

fn plain(value: &str) -> Program {
    lock(LockOptions::new(KEY, value.as_bytes()))
}

fn once(wait: Duration) -> LockOptions {
    LockOptions { tries: Tries::Once, wait_time: wait, ..LockOptions::new(KEY, b"") }
}

fn given(session: &str) -> LockOptions {
    let mut options = LockOptions::new(KEY, session.as_bytes());
    options.session = SessionOptions { given: Some(session.into()), ..options.session };
    options
}

fn seconds(seconds: u64) -> Option<Duration> {
    Some(Duration::from_secs(seconds))
}

fn is_lost(report: &Report) -> bool {
    matches!(report, Report::Lost(_))
}

/// RCL-01, RCL-02, RCL-16.
#[test]
fn rcl_01_02_one_holds_and_the_next_follows_without_lock_delay() {
    let mut harness = Harness::new();
    let (one, two) = (harness.start(plain("1")), harness.start(plain("2")));
    harness.run(20);
    let entry = harness.entry(KEY).expect("it is held");
    assert_eq!((entry.flags, &*entry.value), (LOCK_FLAG, &b"1"[..]));
    assert_eq!(LOCK_FLAG, 3_304_740_253_564_472_344);
    let info = harness.ask("GET", "/v1/session/list", "").text();
    assert!(info.contains(r#""Name":"Consul API Lock""#) && info.contains(r#""TTL":"15s""#));
    assert!(info.contains(r#""LockDelay":15000000000,"Behavior":"release""#), "{info}");
    harness.order(one, Order::Stop);
    assert_eq!(harness.client(one).first(|it| *it == Report::Released), seconds(20));
    assert_eq!(harness.client(two).acquired(), seconds(20));
    assert_eq!((harness.sessions(), harness.client(one).believes()), (1, false));
}

/// RCL-03.
#[test]
fn rcl_03_options_that_make_no_sense_are_refused() {
    let refused = |options| Lock::new(options).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(refused(LockOptions::new("", b"")), Err("missing key".into()));
    let mut options = LockOptions::new(KEY, b"");
    options.session.ttl = "15".into();
    let text = "invalid SessionTTL: time: missing unit in duration \"15\"";
    assert_eq!(refused(options), Err(text.into()));
}

/// RCL-04, RCL-05, RCL-14.
#[test]
fn rcl_04_a_handle_is_locked_once_and_unlocked_once() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    for order in [Order::Start, Order::Destroy, Order::Stop, Order::Stop] {
        harness.order(one, order);
    }
    let errors = ["Lock already held", "Lock already held", "Lock not held"];
    assert_eq!(harness.client(one).errors(), errors);
}

/// RCL-05, the requests one by one.
#[test]
fn rcl_05_it_sends_what_the_go_client_sends() {
    let mut harness = Harness::new();
    let holder = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.order(holder, Order::Stop);
    let session = harness.client(two).program.renewer().and_then(|it| it.session()).cloned();
    let session = session.expect("it has made one");
    let flags = "flags=3304740253564472344";
    let sent: Vec<_> = harness.client(two).sent.iter().map(|(_, line)| line.clone()).collect();
    let index = harness.entry(KEY).map(|entry| entry.create_index.0).expect("it is held");
    let held = harness.entry(KEY).map(|entry| entry.modify_index.0).expect("it is held");
    assert_eq!(
        sent,
        [
            "PUT /v1/session/create".to_owned(),
            "GET /v1/kv/test/lock".to_owned(),
            format!("GET /v1/kv/test/lock?index={index}&wait=15000ms"),
            format!("PUT /v1/kv/test/lock?acquire={session}&{flags}"),
            "GET /v1/kv/test/lock?consistent=".to_owned(),
            format!("GET /v1/kv/test/lock?consistent=&index={held}&wait=300000ms"),
        ]
    );
}

/// RCL-05, step d.
#[test]
fn rcl_05_a_key_of_another_use_is_left_alone() {
    let mut harness = Harness::new();
    harness.ask("PUT", "/v1/kv/test/lock?flags=7", "x");
    let one = harness.start(plain(""));
    assert_eq!(harness.client(one).errors(), ["Existing key does not match lock use"]);
    assert_eq!((harness.client(one).state(), harness.sessions()), ("Idle", 0));
}

/// RCL-06.
#[test]
fn rcl_06_two_handles_of_one_session_both_hold_and_one_release_drops_both() {
    let mut harness = Harness::new();
    let session = harness.session("{}");
    let one = harness.start(lock(LockOptions { value: b"1"[..].into(), ..given(&session) }));
    let two = harness.start(lock(LockOptions { value: b"2"[..].into(), ..given(&session) }));
    assert!(harness.client(one).believes() && harness.client(two).believes());
    assert_eq!(harness.entry(KEY).map(|entry| &*entry.value), Some(&b"1"[..]));
    harness.order(two, Order::Stop);
    assert_eq!(harness.client(one).first(|it| *it == Report::Lost(LockLoss::Freed)), seconds(0));
    assert_eq!(harness.sessions(), 1);
}

/// RCL-07, RCL-08.
#[test]
fn rcl_08_a_stop_is_noticed_between_requests_only() {
    let mut harness = Harness::new();
    harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.run(1);
    harness.order(two, Order::Stop);
    assert_eq!(harness.client(two).state(), "Watching");
    harness.run(13);
    assert_eq!(harness.client(two).state(), "Watching");
    harness.run(2);
    let stopped = harness.client(two).first(|it| *it == Report::GaveUp(GaveUp::Stopped));
    assert!(stopped >= seconds(15) && stopped <= Some(Duration::from_millis(15_938)));
    assert_eq!((harness.client(two).errors().len(), harness.sessions()), (0, 1));
}

/// RCL-08: in the Go client the caller gets a lock that it does not want any more.
#[test]
fn rcl_08_a_stop_that_comes_too_late_unlocks_at_once() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.order(two, Order::Stop);
    harness.order(one, Order::Stop);
    let client = harness.client(two);
    assert_eq!((client.acquired(), client.state()), (seconds(0), "Idle"));
    assert_eq!(client.first(|it| *it == Report::Released), seconds(0));
    assert_eq!(harness.sessions(), 0);
}

/// RCL-05, step b; RCL-09.
#[test]
fn rcl_09_a_single_try_ends_with_its_wait_and_may_overshoot() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(lock(once(Duration::from_secs(4))));
    harness.run(6);
    let gave_up = |report: &Report| *report == Report::GaveUp(GaveUp::TimedOut);
    let at = harness.client(two).first(gave_up);
    assert!(at > seconds(4) && at <= Some(Duration::from_millis(4_250)), "{at:?}");
    harness.crash(one);
    harness.run(25);
    // Under lock-delay it sleeps for 5 s, whatever is left of its second.
    let three = harness.start(lock(once(Duration::from_secs(1))));
    let began = harness.now();
    harness.run(6);
    assert_eq!(harness.client(three).first(gave_up), Some(began + Duration::from_secs(5)));
}

/// RCL-10, DLY-04.
#[test]
fn rcl_10_under_lock_delay_it_asks_every_five_seconds() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.run(10);
    let calls = harness.client(two).sent.len();
    harness.destroy_session_of(one);
    harness.run_for(Duration::from_millis(14_900));
    // Freed at 10 s: the acquire and the read after it, again at 15 s and at 20 s.
    let sent = &harness.client(two).sent[calls..];
    let lines: Vec<_> = sent.iter().filter(|(_, line)| line.contains("/kv/")).collect();
    let reads = lines.iter().filter(|(_, line)| line.as_str() == "GET /v1/kv/test/lock").count();
    let tries = lines.iter().filter(|(_, line)| line.contains("acquire=")).count();
    assert_eq!((reads, tries, lines.len()), (5, 3, 8), "{lines:?}");
    assert_eq!(harness.client(two).state(), "BackingOff");
    harness.run(1);
    assert_eq!(harness.client(two).acquired(), seconds(25));
}

/// RCL-08, in the pause under lock-delay.
#[test]
fn rcl_08_a_stop_ends_the_pause_at_once() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.destroy_session_of(one);
    harness.run(1);
    assert_eq!(harness.client(two).state(), "BackingOff");
    harness.order(two, Order::Stop);
    assert_eq!((harness.client(two).state(), harness.sessions()), ("Idle", 0));
}

/// RCL-11, RCL-13.
#[test]
fn rcl_11_it_notices_a_loss_by_the_holder_alone() {
    for (method, target, loss) in [
        ("DELETE", "/v1/kv/test/lock", Some(LockLoss::KeyMissing)),
        ("PUT", "/v1/kv/test/lock?flags=3304740253564472344", None),
        ("PUT", "/v1/kv/test/lock", None),
    ] {
        let mut harness = Harness::new();
        let one = harness.start(plain(""));
        harness.run(3);
        harness.ask(method, target, "other");
        assert_eq!(harness.client(one).first(is_lost).is_some(), loss.is_some(), "{target}");
        if let Some(loss) = loss {
            assert_eq!(
                harness.client(one).first(|it| *it == Report::Lost(loss.clone())),
                seconds(3)
            );
        }
    }
}

/// RCL-13: edited flags stop the next contender.
#[test]
fn rcl_13_flags_that_were_edited_do_not_end_the_hold_but_stop_the_next() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.ask("PUT", "/v1/kv/test/lock", "edited");
    assert!(harness.client(one).believes());
    assert_eq!(harness.client(two).errors(), ["Existing key does not match lock use"]);
    // The holder's own flag comes back with its release.
    harness.order(one, Order::Stop);
    assert_eq!(harness.entry(KEY).map(|entry| entry.flags), Some(LOCK_FLAG));
}

/// RCL-12.
#[test]
fn rcl_12_with_no_retries_any_error_is_a_loss() {
    for network in [Network::Refuses, Network::Answers(500), Network::Answers(429)] {
        let mut harness = Harness::new();
        let one = harness.start(plain(""));
        harness.set_network(one, network);
        harness.ask("PUT", "/v1/kv/test/lock", "wakes the watch");
        assert!(harness.client(one).first(is_lost).is_some(), "{network:?}");
    }
}

/// RCL-12.
#[test]
fn rcl_12_retries_ride_out_what_passes() {
    let retrying = || {
        let monitor = MonitorOptions { retries: 3, ..MonitorOptions::default() };
        let options = LockOptions { monitor, ..LockOptions::new(KEY, b"") };
        lock(options)
            .with_policy(UserPolicy { on_loss: OnLoss::StandStill, ..UserPolicy::default() })
    };
    for (network, seconds_out, is_kept) in [
        (Network::Answers(500), 5, true),
        (Network::Refuses, 5, true),
        (Network::Answers(500), 7, false),
        (Network::Answers(429), 1, false),
    ] {
        let mut harness = Harness::new();
        let one = harness.start(retrying());
        harness.set_network(one, network);
        harness.ask("PUT", "/v1/kv/test/lock", "wakes the watch");
        harness.run(seconds_out);
        harness.set_network(one, Network::Works);
        harness.run(3);
        assert_eq!(harness.client(one).believes(), is_kept, "{network:?} for {seconds_out} s");
        assert_eq!(harness.client(one).first(is_lost).is_none(), is_kept);
        if is_kept {
            // A success restores the count.
            harness.set_network(one, network);
            harness.ask("PUT", "/v1/kv/test/lock", "wakes it once more");
            harness.run(5);
            harness.set_network(one, Network::Works);
            harness.run(3);
            assert!(harness.client(one).believes(), "{network:?}, the second time");
        }
    }
}

/// RCL-14: until it is unlocked, a lost lock is kept from everybody by its own session.
#[test]
fn rcl_14_after_a_loss_the_handle_still_counts_as_held() {
    let mut harness = Harness::new();
    let policy = UserPolicy { on_loss: OnLoss::LockAgain, ..UserPolicy::default() };
    let one = harness.start(plain("").with_policy(policy));
    let two = harness.start(plain(""));
    harness.set_network(one, Network::Refuses);
    harness.ask("PUT", "/v1/kv/test/lock?flags=3304740253564472344", "wakes the watch");
    harness.set_network(one, Network::Works);
    assert_eq!(harness.client(one).errors(), ["Lock already held"]);
    harness.run(300);
    assert_eq!((harness.client(one).state(), harness.client(two).acquired()), ("Lost", None));
    harness.order(one, Order::Stop);
    assert_eq!(harness.client(two).acquired(), seconds(300));
}

/// RCL-15.
#[test]
fn rcl_15_to_unlock_what_is_lost_is_no_error() {
    let mut harness = Harness::new();
    let policy = UserPolicy { on_loss: OnLoss::StandStill, ..UserPolicy::default() };
    let one = harness.start(plain("").with_policy(policy));
    harness.ask("DELETE", "/v1/kv/test/lock", "");
    assert!(harness.client(one).first(is_lost).is_some());
    harness.order(one, Order::Stop);
    assert!(harness.client(one).errors().is_empty());
    assert_eq!(harness.client(one).count(|it| *it == Report::Released), 1);
    assert_eq!(harness.sessions(), 0);
}

/// RCL-16.
#[test]
fn rcl_16_after_a_crash_come_twice_the_ttl_and_the_lock_delay() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.crash(one);
    harness.run(60);
    assert_eq!(harness.client(two).acquired(), seconds(45));
}

/// RCL-17, RCL-18.
#[test]
fn rcl_17_destroy_removes_what_nobody_uses() {
    let mut harness = Harness::new();
    let (one, two) = (harness.start(plain("")), harness.add(plain("")));
    harness.order(two, Order::Destroy);
    harness.order(one, Order::Stop);
    assert!(harness.entry(KEY).is_some());
    harness.order(two, Order::Destroy);
    harness.order(two, Order::Destroy);
    assert_eq!(harness.entry(KEY), None);
    harness.ask("PUT", "/v1/kv/test/lock?flags=1", "");
    harness.order(two, Order::Destroy);
    let errors = ["Lock in use", "Existing key does not match lock use"];
    assert_eq!(harness.client(two).errors(), errors);
    assert_eq!(harness.client(two).count(|it| *it == Report::Destroyed), 2);
}

/// RCL-04.
#[test]
fn rcl_04_failures_say_what_failed() {
    for (step, text) in [
        ("PUT /v1/session/create", "failed to create session: "),
        ("GET /v1/kv/", "failed to read lock: "),
        ("PUT /v1/kv/", "failed to acquire lock: "),
    ] {
        let mut harness = Harness::new();
        let one = harness.add(plain(""));
        harness.fail_at(one, step);
        harness.order(one, Order::Start);
        let expected = format!("{text}Unexpected response code: 500 (no)");
        assert_eq!(harness.client(one).errors(), [expected]);
        assert_eq!((harness.client(one).state(), harness.sessions()), ("Idle", 0));
    }
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    harness.fail_at(one, "PUT /v1/kv/");
    harness.order(one, Order::Stop);
    let failure = Failure::Status { code: 500, text: "no".into() };
    assert_eq!(harness.client(one).errors(), [ProgramError::ReleaseLock(failure).to_string()]);
    assert_eq!(harness.sessions(), 0, "the session's end frees the lock all the same");
}

/// What became of an acquire without an answer is unknown, and so is who holds.
#[test]
fn an_acquire_without_an_answer_may_have_taken_the_lock() {
    let mut harness = Harness::new();
    let session = harness.session("{}");
    let one = harness.add(lock(given(&session)).with_request_timeout(Duration::from_secs(2)));
    harness.lose_answers_at(one, "PUT /v1/kv/");
    harness.order(one, Order::Start);
    harness.run(3);
    let client = harness.client(one);
    assert_eq!(client.program.belief(), &Belief::Unknown);
    assert_eq!(client.errors(), ["failed to acquire lock: no answer came in time"]);
    assert!(harness.entry(KEY).is_some_and(|entry| entry.hold.is_some()));
}

/// The numbers of a token are those of the entry that it holds.
#[test]
fn a_read_under_the_hold_tells_the_numbers_of_the_token() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let entry = harness.entry(KEY).expect("it is held").clone();
    let Belief::Believes { token, .. } = harness.client(one).program.belief() else {
        panic!("it holds")
    };
    assert_eq!(token.lock_index, Some(entry.lock_index));
    assert_eq!(token.modify_index, Some(entry.modify_index));
    assert_eq!(Some(&token.session), entry.holder());
}

#[test]
fn a_user_holds_for_a_while_and_comes_again() {
    let mut harness = Harness::new();
    let policy = UserPolicy { hold: seconds(5), again: seconds(2), ..UserPolicy::default() };
    let one = harness.start(plain("").with_policy(policy));
    harness.run(20);
    assert_eq!(harness.client(one).count(|it| *it == Report::Released), 3);
    harness.order(one, Order::Stop);
    harness.run(20);
    assert_eq!(harness.client(one).state(), "Idle");
}
