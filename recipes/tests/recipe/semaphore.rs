//! The recipe `semaphore` acts like the semaphores of the Go client and of the published guide,
//! quirks included (RCS-01 to RCS-20).

use std::time::Duration;

use lictor_core::id::Key;
use lictor_recipes::{
    GaveUp, Lock, LockLoss, LockOptions, MonitorOptions, OnLoss, Order, Program, Recipe, Report,
    SEMAPHORE_FLAG, Semaphore, SemaphoreOptions, Style, Tries, UserPolicy,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::harness::{Harness, Network};

const PREFIX: &str = "test/slots";
const DOCUMENT: &str = "test/slots/.lock";

fn semaphore(options: SemaphoreOptions) -> Program {
    let semaphore = Semaphore::new(options).expect("the options are in order");
    let policy = UserPolicy::default().with_on_loss(OnLoss::StandStill);
    Program::new(Recipe::Semaphore(Box::new(semaphore))).with_policy(policy)
}

fn of_limit(limit: i64) -> Program {
    semaphore(SemaphoreOptions::new(PREFIX, limit))
}

fn of_the_guide(limit: i64) -> Program {
    semaphore(SemaphoreOptions::of_the_guide(PREFIX, limit))
}

fn with_session(session: &str, limit: i64) -> Program {
    let mut options = SemaphoreOptions::new(PREFIX, limit);
    options.session = options.session.with_existing(session);
    semaphore(options)
}

fn document(harness: &Harness) -> String {
    let entry = harness.entry(DOCUMENT).expect("there is a document");
    String::from_utf8_lossy(&entry.value).into_owned()
}

fn session_of(harness: &Harness, client: usize) -> String {
    let renewer = harness.client(client).program.renewer();
    renewer.and_then(|renewer| renewer.session()).expect("it has one").to_string()
}

fn seconds(seconds: u64) -> Option<Duration> {
    Some(Duration::from_secs(seconds))
}

fn loss(harness: &Harness, client: usize) -> Option<LockLoss> {
    harness.client(client).reports.iter().find_map(|(_, report)| match report {
        Report::Lost(loss) => Some(loss.clone()),
        _ => None,
    })
}

/// Keys carry the Flags of semaphores, and sessions have the Go client's defaults (RCS-01 to
/// RCS-04, RCS-07).
#[test]
fn as_many_hold_as_the_limit_allows() {
    let mut harness = Harness::new();
    let [one, two, three] = std::array::from_fn(|_| harness.start(of_limit(2)));
    harness.run(20);
    let holds = [one, two, three].map(|client| harness.client(client).believes());
    assert_eq!(holds, [true, true, false]);
    let mut holders = [session_of(&harness, one), session_of(&harness, two)];
    holders.sort();
    let [first, second] = holders;
    let text = format!("{{\"Limit\":2,\"Holders\":{{\"{first}\":true,\"{second}\":true}}}}");
    assert_eq!(document(&harness), text);
    assert_eq!(SEMAPHORE_FLAG, 16_210_313_421_097_356_768);
    for key in [DOCUMENT.to_owned(), format!("{PREFIX}/{first}")] {
        assert_eq!(harness.entry(&key).map(|entry| entry.flags), Some(SEMAPHORE_FLAG), "{key}");
    }
    let list = harness.ask("GET", "/v1/session/list", "").text();
    assert!(list.contains(r#""LockDelay":15000000000,"Behavior":"delete","TTL":"15s""#));
    assert!(list.contains(r#""Name":"Consul API Semaphore""#), "{list}");
    harness.order(one, Order::Stop);
    assert_eq!(harness.client(three).acquired(), seconds(20));
}

/// The options are checked when the semaphore is created (RCS-05).
#[test]
fn a_missing_prefix_a_zero_limit_and_an_invalid_ttl_are_refused() {
    let mut wrong = SemaphoreOptions::new(PREFIX, 1);
    wrong.session.ttl = "x".into();
    for (options, text) in [
        (SemaphoreOptions::new("", 1), "missing prefix"),
        (SemaphoreOptions::new(PREFIX, 0), "semaphore limit must be positive"),
        (SemaphoreOptions::new(PREFIX, -1), "semaphore limit must be positive"),
        (wrong, "invalid SessionTTL: time: invalid duration \"x\""),
    ] {
        let refused = Semaphore::new(options).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some(text));
    }
}

/// A handle is acquired once and released once (RCS-06, RCS-16).
#[test]
fn a_second_acquire_or_release_of_a_handle_fails() {
    let mut harness = Harness::new();
    let one = harness.start(of_limit(1));
    for order in [Order::Start, Order::Destroy, Order::Stop, Order::Stop] {
        harness.order(one, order);
    }
    let errors = ["Semaphore already held", "Semaphore already held", "Semaphore not held"];
    assert_eq!(harness.client(one).errors(), errors);
}

/// The texts are those of the Go client (RCS-06).
#[test]
fn errors_name_the_operation_that_failed() {
    for (step, text) in [
        ("PUT /v1/session/create", "failed to create session: "),
        ("PUT /v1/kv/test/slots/", "failed to make contender entry: "),
        ("GET /v1/kv/test/slots", "failed to read prefix: "),
        ("PUT /v1/kv/test/slots/.lock", "failed to update lock: "),
    ] {
        let mut harness = Harness::new();
        let one = harness.add(of_limit(1));
        harness.fail_at(one, step);
        harness.order(one, Order::Start);
        let expected = format!("{text}Unexpected response code: 500 (no)");
        assert_eq!(harness.client(one).errors(), [expected]);
        assert_eq!((harness.client(one).state(), harness.sessions()), ("Idle", 0));
    }
}

/// The Go client wraps an error that is nil (RCS-08, step 3).
#[test]
fn a_refused_contender_key_fails_with_a_nil_error() {
    let mut harness = Harness::new();
    let (mine, other) = (harness.session("{}"), harness.session("{}"));
    harness.ask("PUT", &format!("/v1/kv/{PREFIX}/{mine}?acquire={other}"), "");
    let one = harness.start(with_session(&mine, 1));
    assert_eq!(harness.client(one).errors(), ["failed to make contender entry: <nil>"]);
}

/// A check-and-set that fails is tried again at once (RCS-08, RCS-14).
#[test]
fn waiting_contenders_race_and_the_losers_keep_waiting() {
    let mut harness = Harness::new();
    let one = harness.start(of_limit(1));
    let others: [_; 4] = std::array::from_fn(|_| harness.start(of_limit(1)));
    harness.run(7);
    harness.order(one, Order::Stop);
    let winners = others.iter().filter(|client| harness.client(**client).believes()).count();
    assert_eq!(winners, 1);
    let states = others.map(|client| harness.client(client).state());
    assert_eq!(states.iter().filter(|state| **state == "Surveying").count(), 3, "{states:?}");
}

/// Only the contender that takes the slot removes the ended holder (RCS-09, RCS-13).
#[test]
fn a_holder_stays_listed_after_its_session_ended_until_its_slot_is_taken() {
    let mut harness = Harness::new();
    let one = harness.start(of_limit(2));
    let two = harness.start(of_limit(2));
    let dead = session_of(&harness, one);
    harness.crash(one);
    harness.run(40);
    assert_eq!(harness.sessions(), 1, "it ended at 30 s");
    assert!(document(&harness).contains(&dead), "nobody wants its slot");
    let three = harness.start(of_limit(2));
    // There is no lock-delay on slots.
    assert_eq!(harness.client(three).acquired(), seconds(40));
    assert!(!document(&harness).contains(&dead));
    let pruned = Report::Pruned(vec![dead.as_str().into()]);
    assert_eq!(harness.client(three).count(|it| *it == pruned), 1);
    assert_eq!(harness.client(two).count(|it| matches!(it, Report::Pruned(_))), 0);
}

/// The key is deleted when its session ends (RCS-10).
#[test]
fn a_contender_that_gives_up_does_not_delete_its_contender_key() {
    let mut harness = Harness::new();
    let mine = harness.session(r#"{"Behavior": "delete"}"#);
    harness.start(of_limit(1));
    let own = harness.start(of_limit(1));
    let session = session_of(&harness, own);
    let callers = harness.start(with_session(&mine, 1));
    for client in [own, callers] {
        harness.order(client, Order::Stop);
    }
    harness.run(17);
    assert_eq!(harness.client(callers).state(), "Idle");
    assert_eq!(harness.entry(&format!("{PREFIX}/{session}")), None);
    assert!(harness.entry(&format!("{PREFIX}/{mine}")).is_some());
}

/// The elapsed time is subtracted from the whole wait (RCS-11).
#[test]
fn a_single_try_lasts_for_its_wait_also_after_several_wake_ups() {
    let mut harness = Harness::new();
    harness.start(of_limit(1));
    let wait_time = Duration::from_secs(10);
    let once = SemaphoreOptions::new(PREFIX, 1).with_tries(Tries::Once).with_wait_time(wait_time);
    let one = harness.start(semaphore(once));
    for _ in 0..3 {
        harness.run(3);
        harness.ask("PUT", &format!("/v1/kv/{PREFIX}/other"), &format!("{:?}", harness.now()));
    }
    harness.run(3);
    let gave_up = |report: &Report| *report == Report::GaveUp(GaveUp::TimedOut);
    let at = harness.client(one).first(gave_up);
    assert!(at >= seconds(10) && at < seconds(11), "{at:?}");
}

/// The Go client compares sessions, not key names (RCS-12).
#[test]
fn a_holder_counts_as_alive_if_any_key_under_the_prefix_has_its_session() {
    let mut harness = Harness::new();
    let mine = harness.session("{}");
    let one = harness.start(with_session(&mine, 1));
    harness.ask("PUT", &format!("/v1/kv/{PREFIX}-of-another?acquire={mine}"), "");
    harness.ask("DELETE", &format!("/v1/kv/{PREFIX}/{mine}"), "");
    let two = harness.start(of_limit(1));
    assert!(harness.client(one).believes() && !harness.client(two).believes());
    harness.ask("DELETE", &format!("/v1/kv/{PREFIX}-of-another"), "");
    assert!(!harness.client(one).believes() && harness.client(two).believes());
}

/// An unreadable document ends a hold and fails new contenders (RCS-03, RCS-15).
#[test]
fn the_go_client_fails_on_a_document_in_the_format_of_the_guide() {
    let mut harness = Harness::new();
    let one = harness.start(of_limit(2));
    let flags = SEMAPHORE_FLAG;
    let list = r#"{"Limit":2,"Holders":["x"]}"#;
    harness.ask("PUT", &format!("/v1/kv/{DOCUMENT}?flags={flags}"), list);
    let text = "json: cannot unmarshal array into Go struct field semaphoreLock.Holders of type \
                map[string]bool";
    let Some(LockLoss::Undecodable(error)) = loss(&harness, one) else { panic!("it holds on") };
    assert_eq!(error.to_string(), text);
    let two = harness.start(of_limit(2));
    assert_eq!(harness.client(two).errors(), [format!("lock decoding failed: {text}")]);
}

/// Neither reads the other's document, in either order (RCS-03).
#[test]
fn the_semaphores_of_the_guide_and_of_the_go_client_exclude_each_other() {
    let mut harness = Harness::new();
    let by_hand = harness.start(of_the_guide(2));
    assert!(harness.client(by_hand).believes());
    let session = session_of(&harness, by_hand);
    assert_eq!(document(&harness), format!("{{\"Limit\":2,\"Holders\":[\"{session}\"]}}"));
    let library = harness.start(of_limit(2));
    let conflict = "Existing key does not match semaphore use";
    assert_eq!(harness.client(library).errors(), [conflict]);

    let mut harness = Harness::new();
    harness.start(of_limit(2));
    let by_hand = harness.start(of_the_guide(2));
    let errors = harness.client(by_hand).errors();
    assert!(errors[0].starts_with("lock decoding failed: "), "{errors:?}");
}

#[test]
fn contenders_of_the_guide_share_a_semaphore() {
    let mut harness = Harness::new();
    let [one, two, three] = std::array::from_fn(|_| harness.start(of_the_guide(2)));
    harness.run(100);
    assert!(harness.client(two).believes() && !harness.client(three).believes());
    assert_eq!(harness.entry(DOCUMENT).map(|entry| entry.flags), Some(0));
    harness.order(one, Order::Stop);
    assert_eq!(harness.client(three).acquired(), seconds(100));
    assert_eq!(harness.sessions(), 2);
}

/// Another status than 500 is a loss (RCS-15).
#[test]
fn retries_of_the_watch_bridge_server_errors_and_a_network_that_fails() {
    let networks =
        [(Network::Answers(500), true), (Network::Refuses, true), (Network::Answers(429), false)];
    for (network, is_kept) in networks {
        let mut harness = Harness::new();
        let monitor = MonitorOptions::default().with_retries(2);
        let options = SemaphoreOptions::new(PREFIX, 1).with_monitor(monitor);
        let one = harness.start(semaphore(options));
        harness.set_network(one, network);
        harness.ask("PUT", &format!("/v1/kv/{PREFIX}/other"), "wakes the watch");
        harness.run(3);
        harness.set_network(one, Network::Works);
        harness.run(3);
        assert_eq!(harness.client(one).believes(), is_kept, "{network:?}");
    }
}

/// A session that is not listed causes no write (RCS-16).
#[test]
fn a_release_removes_its_own_slot_and_contender_key() {
    let mut harness = Harness::new();
    let mine = harness.session("{}");
    let one = harness.start(with_session(&mine, 2));
    let two = harness.start(of_limit(2));
    harness.order(one, Order::Stop);
    let left = session_of(&harness, two);
    assert_eq!(document(&harness), format!("{{\"Limit\":2,\"Holders\":{{\"{left}\":true}}}}"));
    assert_eq!(harness.entry(&format!("{PREFIX}/{mine}")), None);
    harness.ask("DELETE", &format!("/v1/kv/{PREFIX}?recurse"), "");
    harness.order(two, Order::Stop);
    assert!(harness.client(two).errors().is_empty());
    assert_eq!((harness.entry(DOCUMENT), harness.sessions()), (None, 1));
}

/// A document with a live holder is in use (RCS-17).
#[test]
fn destroy_removes_only_a_document_without_live_holders() {
    let mut harness = Harness::new();
    let one = harness.start(of_limit(1));
    let two = harness.add(of_limit(1));
    harness.order(two, Order::Destroy);
    assert_eq!(harness.client(two).errors(), ["Semaphore in use"]);
    harness.crash(one);
    harness.run(31);
    harness.order(two, Order::Destroy);
    harness.order(two, Order::Destroy);
    assert_eq!(harness.entry(DOCUMENT), None);
    assert_eq!(harness.client(two).count(|it| *it == Report::Destroyed), 2);
    harness.ask("PUT", &format!("/v1/kv/{DOCUMENT}"), "x");
    harness.order(two, Order::Destroy);
    let conflict = "Existing key does not match semaphore use".to_owned();
    assert_eq!(harness.client(two).errors().last(), Some(&conflict));
}

/// The first contender sets the limit in the document (RCS-18).
#[test]
fn contenders_with_different_limits_fail() {
    let mut harness = Harness::new();
    harness.start(of_limit(1));
    let two = harness.start(of_limit(2));
    let conflict = "semaphore limit conflict (lock: 1, local: 2)";
    assert_eq!(harness.client(two).errors(), [conflict]);
}

/// Their Flags differ, so each fails on the other's key (RCS-19).
#[test]
fn a_lock_at_the_coordination_key_and_a_semaphore_exclude_each_other() {
    let lock = || {
        let lock = Lock::new(LockOptions::new(DOCUMENT, b"")).expect("the options are in order");
        Program::new(Recipe::Lock(Box::new(lock)))
    };
    let mut harness = Harness::new();
    harness.start(lock());
    let two = harness.start(of_limit(1));
    let conflict = "Existing key does not match semaphore use";
    assert_eq!(harness.client(two).errors(), [conflict]);
    let mut harness = Harness::new();
    harness.start(of_limit(1));
    let two = harness.start(lock());
    assert_eq!(harness.client(two).errors(), ["Existing key does not match lock use"]);
}

/// The watch of each holder finds no document (RCS-20).
#[test]
fn deleting_the_tree_ends_all_holds() {
    let mut harness = Harness::new();
    let clients: [_; 2] = std::array::from_fn(|_| harness.start(of_limit(2)));
    harness.run(2);
    harness.ask("DELETE", &format!("/v1/kv/{PREFIX}/?recurse"), "");
    for client in clients {
        assert_eq!(loss(&harness, client), Some(LockLoss::NotAHolder));
        harness.order(client, Order::Stop);
        assert!(harness.client(client).errors().is_empty());
    }
    assert_eq!(harness.sessions(), 0);
}

/// The prefix is joined with `.lock` as a path, so one slash more makes no difference (RCS-02).
#[test]
fn the_prefix_may_end_in_a_slash() {
    let mut harness = Harness::new();
    let options = SemaphoreOptions::new("test/slots/", 1);
    let one = harness.start(semaphore(options.clone()));
    let two = harness.start(semaphore(options.with_style(Style::GoClient)));
    assert!(harness.client(one).believes() && !harness.client(two).believes());
    assert_eq!(harness.entry(DOCUMENT).map(|entry| entry.key.clone()), Some(Key::from(DOCUMENT)));
}
