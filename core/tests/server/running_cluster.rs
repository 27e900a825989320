//! A server that begins in the state of a running cluster, and states that are refused.

use core::time::Duration;

use lictor_core::engine::{ClusterState, Config, LockDelayState};
use lictor_core::error::Cause;
use lictor_core::id::{Index, Key, NodeName, SessionId, SessionRef};
use lictor_core::store::Contradiction;
use lictor_core::time::Instant;
use lictor_core::{Consul, ConsulVersion};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_fresh_server_is_the_one_in_its_own_state() {
    for version in ConsulVersion::ALL {
        let fresh = Consul::with_config(Config::of(version), 3);
        let state = fresh.engine().cluster_state();
        let same = Consul::in_state(Config::of(version), 3, &state).expect("it is its own");
        assert_eq!(same.engine(), fresh.engine());
    }
}

/// A session that ends after 12 s and holds `lead`; `b` is delayed for 3 s.
fn state() -> ClusterState {
    let mut consul = Consul::seeded(1);
    let session = consul.session().name("web").ttl(Duration::from_secs(10)).create().unwrap();
    assert!(consul.acquire("lead", "1", session).unwrap().is_true());
    consul.advance(Duration::from_secs(8));
    let mut state = consul.engine().cluster_state();
    state.lock_delays.push(LockDelayState {
        key: Key::from("b"),
        until: Instant::from_millis(3_000),
        index: state.index,
        session,
        cause: Cause::Unknown,
    });
    state
}

#[test]
fn sessions_end_and_keys_are_free_when_the_state_says() {
    let mut consul = Consul::in_state(Config::default(), 1, &state()).unwrap();
    let next = consul.session().create().unwrap();
    assert!(!consul.acquire("b", "2", next).unwrap().is_true());
    consul.advance(Duration::from_millis(2_999));
    assert!(!consul.acquire("b", "2", next).unwrap().is_true());
    consul.advance(Duration::from_millis(1));
    assert!(consul.acquire("b", "2", next).unwrap().is_true());
    consul.advance(Duration::from_millis(8_999));
    assert!(consul.get("lead").unwrap().unwrap().holder().is_some());
    consul.advance(Duration::from_millis(1));
    assert!(consul.get("lead").unwrap().unwrap().holder().is_none());
    consul.advance(Duration::from_millis(14_999));
    assert!(!consul.acquire("lead", "2", next).unwrap().is_true());
    consul.advance(Duration::from_millis(1));
    assert!(consul.acquire("lead", "2", next).unwrap().is_true());
}

/// Why a server does not begin in the state after this change; empty if it does.
fn refused(change: impl Fn(&mut ClusterState)) -> String {
    let mut state = state();
    change(&mut state);
    let refused = Consul::in_state(Config::default(), 1, &state);
    refused.err().map(|error: Contradiction| error.to_string()).unwrap_or_default()
}

#[test]
fn a_record_that_names_a_missing_one_is_refused() {
    assert_eq!(refused(|_| ()), "");
    let id = state().sessions[0].id;
    let other = SessionId::from_bytes([7; 16]);
    let missing = "of which there is no record";
    for holder in [SessionRef::from(other), SessionRef::from("none")] {
        let error = format!("key lead names session {holder}, {missing}");
        assert_eq!(refused(|state| state.keys[0].session = Some(holder.clone())), error);
    }
    let error = format!("session {id} names node n9, {missing}");
    assert_eq!(refused(|state| state.sessions[0].node = NodeName::from("n9")), error);
    let error = format!("check serfHealth names node n1, {missing}");
    assert_eq!(refused(|state| state.nodes.clear()), error);
    let error = format!("the server names node n1, {missing}");
    assert_eq!(refused(|state| *state = ClusterState::default()), error);
}

#[test]
fn a_record_that_occurs_twice_is_refused() {
    let twice = |name: &str| format!("there are two records of {name}");
    let id = state().sessions[0].id;
    let error = twice(&format!("session {id}"));
    assert_eq!(refused(|state| state.sessions.extend_from_within(..)), error);
    assert_eq!(refused(|state| state.keys.extend_from_within(..)), twice("key lead"));
    assert_eq!(refused(|state| state.nodes.extend_from_within(..)), twice("node n1"));
    assert_eq!(refused(|state| state.checks.extend_from_within(..)), twice("check serfHealth"));
    let error = twice("the lock-delay of key b");
    assert_eq!(refused(|state| state.lock_delays.extend_from_within(..)), error);
}

#[test]
fn impossible_indexes_are_refused() {
    let error = "the indexes of key lead are 8 and 8, and the log ends at 7";
    assert_eq!(refused(|state| state.index = Index(7)), error);
    let error = "the indexes of key lead are 9 and 8, and the log ends at 8";
    assert_eq!(refused(|state| state.keys[0].create_index = Index(9)), error);
    let error = "the log has a number that is out of range";
    assert_eq!(refused(|state| state.index = Index(u64::MAX)), error);
    let error = "key lead has a number that is out of range";
    assert_eq!(refused(|state| state.keys[0].lock_index = u64::MAX), error);
}

#[test]
fn impossible_deadlines_are_refused() {
    let id = state().sessions[0].id;
    for (millis, text) in [(20_001, "20.001s"), (0, "0.000s")] {
        let ends = Some(Instant::from_millis(millis));
        let error =
            format!("the deadline of session {id} is {text}, which is not within the next 20 s");
        assert_eq!(refused(|state| state.sessions[0].ends = ends), error);
    }
    let until = Instant::from_millis(60_001);
    let error = "the deadline of the lock-delay of key b is 60.001s, which is not within the next \
                 60 s";
    assert_eq!(refused(|state| state.lock_delays[0].until = until), error);
}
