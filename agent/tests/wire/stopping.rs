//! Starting and stopping the program.

use std::time::{Duration, Instant};

use crate::server::AgentProcess;

#[test]
fn it_starts_within_100_ms() {
    let start = |_| {
        let began = Instant::now();
        drop(AgentProcess::start(&[]));
        began.elapsed()
    };
    let best = (0..10).map(start).min().expect("ten starts");
    assert!(best < Duration::from_millis(100), "{best:?}");
}

#[test]
fn signals_stop_it_even_while_queries_wait() {
    for name in ["TERM", "INT"] {
        let mut server = AgentProcess::start(&[]);
        let mut waits = server.connect();
        waits.ask("GET", "/v1/kv/a?index=9");
        assert_eq!(server.get("/v1/kv/a").status, 404);
        server.signal(name);
        let ended = server.wait();
        assert!(ended.success(), "{name}: {ended}");
        assert!(waits.is_closed(), "{name}");
    }
}

#[test]
fn the_port_is_free_again_immediately() {
    let mut first = AgentProcess::start(&[]);
    assert_eq!(first.get("/v1/kv/a").status, 404);
    first.signal("TERM");
    first.wait();
    let address = first.address.clone();
    let second = AgentProcess::start(&["--addr", &address]);
    assert_eq!(second.address, address);
}
