//! The recipe `lock` acts like the lock of the Go client, quirks included (RCL-01 to RCL-18).

use std::time::Duration;

use lictor_core::message::Failure;
use lictor_recipes::{
    Belief, GaveUp, LOCK_FLAG, Lock, LockLoss, LockOptions, MonitorOptions, OnLoss, Order, Program,
    ProgramError, Recipe, Report, Tries, UserPolicy,
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
    LockOptions::new(KEY, b"").with_tries(Tries::Once).with_wait_time(wait)
}

fn with_session(session: &str) -> LockOptions {
    let mut options = LockOptions::new(KEY, session.as_bytes());
    options.session = options.session.with_existing(session);
    options
}

fn seconds(seconds: u64) -> Option<Duration> {
    Some(Duration::from_secs(seconds))
}

fn is_lost(report: &Report) -> bool {
    matches!(report, Report::Lost(_))
}

/// Keys carry the Flags of locks, and sessions have the Go client's defaults (RCL-01, RCL-02,
/// RCL-16).
#[test]
fn a_release_hands_the_lock_over_without_lock_delay() {
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

/// The options are checked when the lock is created (RCL-03).
#[test]
fn a_missing_key_and_an_invalid_ttl_are_refused() {
    let refused = |options| Lock::new(options).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(refused(LockOptions::new("", b"")), Err("missing key".into()));
    let mut options = LockOptions::new(KEY, b"");
    options.session.ttl = "15".into();
    let text = "invalid SessionTTL: time: missing unit in duration \"15\"";
    assert_eq!(refused(options), Err(text.into()));
}

/// A handle is locked once and unlocked once (RCL-04, RCL-05, RCL-14).
#[test]
fn a_second_lock_or_unlock_of_a_handle_fails() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    for order in [Order::Start, Order::Destroy, Order::Stop, Order::Stop] {
        harness.order(one, order);
    }
    let errors = ["Lock already held", "Lock already held", "Lock not held"];
    assert_eq!(harness.client(one).errors(), errors);
}

/// The requests one by one (RCL-05).
#[test]
fn the_lock_sends_the_requests_of_the_go_client() {
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
            "GET /v1/kv/test/lock?wait=15000ms".to_owned(),
            format!("GET /v1/kv/test/lock?index={index}&wait=15000ms"),
            format!("PUT /v1/kv/test/lock?acquire={session}&{flags}"),
            "GET /v1/kv/test/lock?consistent=".to_owned(),
            format!("GET /v1/kv/test/lock?consistent=&index={held}"),
        ]
    );
}

/// The key is read before it is acquired (RCL-05, step d).
#[test]
fn a_key_with_other_flags_is_not_acquired() {
    let mut harness = Harness::new();
    harness.ask("PUT", "/v1/kv/test/lock?flags=7", "x");
    let one = harness.start(plain(""));
    assert_eq!(harness.client(one).errors(), ["Existing key does not match lock use"]);
    assert_eq!((harness.client(one).state(), harness.sessions()), ("Idle", 0));
}

/// A handle whose own session already holds the key holds it without a write (RCL-06).
#[test]
fn two_handles_of_one_session_both_hold_and_one_release_ends_both() {
    let mut harness = Harness::new();
    let session = harness.session("{}");
    let one = harness.start(lock(with_session(&session).with_value(*b"1")));
    let two = harness.start(lock(with_session(&session).with_value(*b"2")));
    assert!(harness.client(one).believes() && harness.client(two).believes());
    assert_eq!(harness.entry(KEY).map(|entry| &*entry.value), Some(&b"1"[..]));
    harness.order(two, Order::Stop);
    assert_eq!(harness.client(one).first(|it| *it == Report::Lost(LockLoss::Freed)), seconds(0));
    assert_eq!(harness.sessions(), 1);
}

/// An attempt that was stopped ends without the lock and without an error (RCL-07, RCL-08).
#[test]
fn a_stop_is_noticed_only_between_requests() {
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

/// In the Go client the caller gets a lock that it no longer wants (RCL-08).
#[test]
fn a_stop_during_the_acquire_unlocks_at_once() {
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

/// `LockTryOnce` shortens the wait of its reads, but not the pause under lock-delay (RCL-05, step
/// b; RCL-09).
#[test]
fn a_single_try_ends_after_its_wait_or_later() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(lock(once(Duration::from_secs(4))));
    harness.run(6);
    let gave_up = |report: &Report| *report == Report::GaveUp(GaveUp::TimedOut);
    let at = harness.client(two).first(gave_up);
    assert!(at > seconds(4) && at <= Some(Duration::from_millis(4_250)), "{at:?}");
    harness.crash(one);
    harness.run(25);
    // Under lock-delay it sleeps for 5 s, even if less of its wait is left.
    let three = harness.start(lock(once(Duration::from_secs(1))));
    let began = harness.now();
    harness.run(6);
    assert_eq!(harness.client(three).first(gave_up), Some(began + Duration::from_secs(5)));
}

/// The Go client does not know how long a lock-delay lasts (RCL-10, DLY-04).
#[test]
fn under_lock_delay_the_acquire_is_repeated_every_five_seconds() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.run(10);
    let calls = harness.client(two).sent.len();
    harness.destroy_session_of(one);
    harness.run_for(Duration::from_millis(14_900));
    // Freed at 10 s: an acquire, which is refused, and a read that shows no holder. The same at 15
    // s and at 20 s, each after a read of the key.
    let sent = &harness.client(two).sent[calls..];
    let lines: Vec<_> = sent.iter().filter(|(_, line)| line.contains("/kv/")).collect();
    let reads = lines
        .iter()
        .filter(|(_, line)| line.as_str() == "GET /v1/kv/test/lock?wait=15000ms")
        .count();
    let tries = lines.iter().filter(|(_, line)| line.contains("acquire=")).count();
    assert_eq!((reads, tries, lines.len()), (5, 3, 8), "{lines:?}");
    assert_eq!(harness.client(two).state(), "BackingOff");
    harness.run(1);
    assert_eq!(harness.client(two).acquired(), seconds(25));
}

/// No request is pending in this pause, so the stop is noticed at once (RCL-08).
#[test]
fn a_stop_ends_the_pause_under_lock_delay() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.destroy_session_of(one);
    harness.run(1);
    assert_eq!(harness.client(two).state(), "BackingOff");
    harness.order(two, Order::Stop);
    assert_eq!((harness.client(two).state(), harness.sessions()), ("Idle", 0));
}

/// Other changes of the key do not end the hold (RCL-11, RCL-13).
#[test]
fn the_watch_reports_a_loss_only_if_the_holder_changes() {
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

/// The holder does not look at Flags, a contender does (RCL-13).
#[test]
fn edited_flags_do_not_end_the_hold_but_fail_the_next_contender() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.ask("PUT", "/v1/kv/test/lock", "edited");
    assert!(harness.client(one).believes());
    assert_eq!(harness.client(two).errors(), ["Existing key does not match lock use"]);
    // The release of the holder writes the flag again.
    harness.order(one, Order::Stop);
    assert_eq!(harness.entry(KEY).map(|entry| entry.flags), Some(LOCK_FLAG));
}

/// By default the watch is not retried (RCL-12).
#[test]
fn without_retries_any_error_of_the_watch_is_a_loss() {
    for network in [Network::Refuses, Network::Answers(500), Network::Answers(429)] {
        let mut harness = Harness::new();
        let one = harness.start(plain(""));
        harness.set_network(one, network);
        harness.ask("PUT", "/v1/kv/test/lock", "wakes the watch");
        assert!(harness.client(one).first(is_lost).is_some(), "{network:?}");
    }
}

/// Each success restores the number of retries (RCL-12).
#[test]
fn retries_of_the_watch_bridge_short_outages() {
    let retrying = || {
        let monitor = MonitorOptions::default().with_retries(3);
        let options = LockOptions::new(KEY, b"").with_monitor(monitor);
        lock(options).with_policy(UserPolicy::default().with_on_loss(OnLoss::StandStill))
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

/// Until then the session is renewed, so nobody else can take the lock (RCL-14).
#[test]
fn a_lost_lock_counts_as_held_until_it_is_unlocked() {
    let mut harness = Harness::new();
    let policy = UserPolicy::default().with_on_loss(OnLoss::LockAgain);
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

/// The answer `false` to a release counts as success (RCL-15).
#[test]
fn unlocking_a_lost_lock_succeeds() {
    let mut harness = Harness::new();
    let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
    let one = harness.start(plain("").with_policy(policy));
    harness.ask("DELETE", "/v1/kv/test/lock", "");
    assert!(harness.client(one).first(is_lost).is_some());
    harness.order(one, Order::Stop);
    assert!(harness.client(one).errors().is_empty());
    assert_eq!(harness.client(one).count(|it| *it == Report::ReleasedNothing), 1);
    assert_eq!(harness.sessions(), 0);
}

/// Nobody destroys the session of a crashed client (RCL-16).
#[test]
fn after_a_crash_the_key_is_locked_for_twice_the_ttl_and_the_lock_delay() {
    let mut harness = Harness::new();
    let one = harness.start(plain(""));
    let two = harness.start(plain(""));
    harness.crash(one);
    harness.run(60);
    assert_eq!(harness.client(two).acquired(), seconds(45));
}

/// A key that a session holds, or that is no lock, is not deleted (RCL-17, RCL-18).
#[test]
fn destroy_removes_only_an_unused_key() {
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

/// The texts are those of the Go client (RCL-04).
#[test]
fn errors_name_the_operation_that_failed() {
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

/// Its outcome is unknown to the client, and so is the holder.
#[test]
fn an_acquire_without_an_answer_may_have_taken_the_lock() {
    let mut harness = Harness::new();
    let session = harness.session("{}");
    let one =
        harness.add(lock(with_session(&session)).with_request_timeout(Duration::from_secs(2)));
    harness.lose_answers_at(one, "PUT /v1/kv/");
    harness.order(one, Order::Start);
    harness.run(3);
    let client = harness.client(one);
    assert_eq!(client.program.belief(), &Belief::Unknown);
    assert_eq!(client.errors(), ["failed to acquire lock: no answer came in time"]);
    assert!(harness.entry(KEY).is_some_and(|entry| entry.hold.is_some()));
}

/// The indexes of the token are those of the entry.
#[test]
fn the_first_read_under_the_hold_completes_the_token() {
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
fn the_user_policy_releases_the_lock_and_starts_again() {
    let mut harness = Harness::new();
    let policy = UserPolicy::default().with_hold(seconds(5)).with_again(seconds(2));
    let one = harness.start(plain("").with_policy(policy));
    harness.run(20);
    assert_eq!(harness.client(one).count(|it| *it == Report::Released), 3);
    harness.order(one, Order::Stop);
    harness.run(20);
    assert_eq!(harness.client(one).state(), "Idle");
}
