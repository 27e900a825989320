//! The typed blocking queries of a `Consul`: when one is answered, with what, and how often.

use core::time::Duration;

use lictor_core::Consul;
use lictor_core::engine::{Config, Wake};
use lictor_core::error::Error;
use lictor_core::id::{Index, Key};
use lictor_core::store::{Found, Query};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const WAIT: Duration = Duration::from_secs(60);

fn put(consul: &mut Consul, key: &str, value: &str) -> Index {
    consul.put(key, value).expect("the key is valid").index
}

#[test]
fn a_watch_without_an_index_is_answered_at_once_and_only_once() {
    let mut consul = Consul::seeded(1);
    let written = put(&mut consul, "a", "1");
    let watch = consul.watch_key("a", Index::ZERO, WAIT);
    let answer = consul.poll_watch(&watch).expect("it does not wait").expect("a read succeeds");
    assert_eq!((answer.index, answer.wake), (written, None));
    assert_eq!(answer.data.map(|entry| entry.value.to_vec()), Some(b"1".to_vec()));
    assert_eq!(consul.poll_watch(&watch), None, "the answer was taken");
}

#[test]
fn a_watch_of_a_prefix_is_answered_by_a_change_below_it_only() {
    let mut consul = Consul::seeded(1);
    let index = put(&mut consul, "a/1", "");
    let watch = consul.watch_prefix("a/", index, WAIT);
    put(&mut consul, "b", "");
    assert_eq!(consul.poll_watch(&watch), None, "another key has changed");
    let index = put(&mut consul, "a/2", "");
    let answer = consul.poll_watch(&watch).expect("a key is new").expect("a read succeeds");
    let keys: Vec<&str> = answer.data.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!((answer.index, keys), (index, vec!["a/1", "a/2"]));
    assert_eq!(answer.wake, Some(Wake::Changed { key: Some(Key::from("a/2")) }));
}

#[test]
fn a_watch_that_sees_no_change_is_answered_by_the_end_of_its_wait() {
    let mut consul = Consul::seeded(1);
    let index = put(&mut consul, "a", "1");
    let watch = consul.watch_key("a", index, WAIT);
    consul.advance(WAIT - Duration::from_millis(1));
    assert_eq!(consul.poll_watch(&watch), None, "it waits in full");
    consul.advance(Duration::from_millis(1) + WAIT / 16);
    let answer = consul.poll_watch(&watch).expect("its wait has ended").expect("a read succeeds");
    assert_eq!((answer.index, answer.wake), (index, Some(Wake::TimeUp)));
}

#[test]
fn a_wait_of_zero_is_five_minutes_and_no_wait_is_longer_than_ten() {
    for (wait, minutes) in [(0, 5), (3_600, 10)] {
        let mut consul = Consul::seeded(1);
        let index = put(&mut consul, "a", "1");
        let watch = consul.watch_key("a", index, Duration::from_secs(wait));
        consul.advance(Duration::from_secs(minutes * 60) - Duration::from_millis(1));
        assert_eq!(consul.poll_watch(&watch), None, "{minutes} minutes have not passed");
        consul.advance(Duration::from_secs(minutes * 60 / 16 + 1));
        assert!(consul.poll_watch(&watch).is_some(), "{minutes} minutes have passed");
    }
}

#[test]
fn a_watch_of_the_sessions_sees_one_end() {
    let mut consul = Consul::seeded(1);
    let session = consul.session().create().expect("it is created");
    let index = consul.engine().index();
    let watch = consul.watch(Query::Sessions, index, WAIT);
    let one = consul.watch_session(session, index, WAIT);
    consul.destroy(session).expect("it is destroyed");
    let answer = consul.poll_watch(&watch).expect("it has ended").expect("a read succeeds");
    assert_eq!(answer.data, Found::Sessions(Vec::new()));
    let answer = consul.poll_watch(&one).expect("it has ended").expect("a read succeeds");
    assert_eq!(answer.data, None);
}

#[test]
fn a_cancelled_watch_makes_room_for_another() {
    let mut config = Config::default();
    config.parked_max = 1;
    let mut consul = Consul::with_config(config, 1);
    let index = put(&mut consul, "a", "1");
    let first = consul.watch_key("a", index, WAIT);
    let second = consul.watch_key("a", index, WAIT);
    let refused = consul.poll_watch(&second).expect("it may not wait");
    assert_eq!(refused.expect_err("one may wait"), Error::TooManyParked { limit: 1 });
    consul.cancel_watch(&first);
    let third = consul.watch_key("a", index, WAIT);
    put(&mut consul, "a", "2");
    assert!(consul.poll_watch(&third).expect("the key has changed").is_ok());
}
