//! Runs the example's `acquire` against a Consul in memory, in a browser. The clock is virtual, so
//! 35 seconds pass at once.

use std::time::Duration;

use lictor_core::Consul;
use lictor_core::http::HttpRequest;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use wasm_example::acquire;

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_lock_is_free_after_twice_the_ttl_and_the_lock_delay() {
    let mut consul = Consul::seeded(1);
    let ttl = Duration::from_secs(10);
    let crashed = consul.session().ttl(ttl).create().expect("it is valid").to_string();
    let next = consul.session().create().expect("it is valid").to_string();
    let acquire = |consul: &mut Consul, session: &str| {
        let mut send = |request: &HttpRequest| {
            let handle = consul.request(request);
            consul.poll(handle).expect("a write is answered at once")
        };
        acquire(&mut send, "db/leader", session)
    };
    assert!(acquire(&mut consul, &crashed));
    consul.advance(2 * ttl);
    assert!(!acquire(&mut consul, &next), "the lock-delay has begun");
    consul.advance(Duration::from_secs(15));
    assert!(acquire(&mut consul, &next));
}
