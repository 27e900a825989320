//! What wakes a read that waits.

use lictor_core::engine::{Config, Effect, Engine, Input};
use lictor_core::http::{self, Agent, HttpRequest};
use lictor_core::id::{NodeName, RequestId};
use lictor_core::time::Instant;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

const ON_N2: &str = r#"{"Node":"n2","NodeChecks":[]}"#;

/// BLK-04, BLK-14: a node without sessions is watched by way of all of them; once it has one, a
/// read that has looked again watches that one alone.
#[test]
fn a_read_watches_what_it_saw_when_it_looked_last() {
    let mut server = Server::new();
    server.put("/v1/catalog/register", r#"{"Node":"n2","Address":"10.0.0.2"}"#);
    let later = server.engine.index().next();
    let watch = server.send("GET", &format!("/v1/session/node/n2?index={later}&wait=60s"), "");
    assert!(!server.answered.contains(&watch), "it waits for what comes later");
    server.put("/v1/session/create", ON_N2);
    server.put("/v1/session/create", "{}");
    server.put("/v1/session/create", "{}");
    assert!(!server.answered.contains(&watch), "sessions of another node wake nobody");
    server.put("/v1/session/create", ON_N2);
    assert!(server.answered.contains(&watch), "one of its own does");
}

/// A server that is talked to over HTTP as values.
struct Server {
    engine: Engine,
    requests: u64,
    answered: Vec<RequestId>,
}

impl Server {
    fn new() -> Self {
        let engine = Engine::new(Config::default(), 1);
        Self { engine, requests: 0, answered: Vec::new() }
    }

    fn put(&mut self, target: &str, body: &str) {
        let id = self.send("PUT", target, body);
        assert!(self.answered.contains(&id), "{target} is answered at once");
    }

    fn send(&mut self, method: &str, target: &str, body: &str) -> RequestId {
        let node = NodeName::from("n1");
        let agent = Agent { node, datacenter: "dc1".into(), pretty: false };
        let mut request = HttpRequest::new(method, target, body.as_bytes());
        request.headers.push(("Content-Length".to_owned(), body.len().to_string()));
        let call = http::decode(&agent, &request).expect("a request that is understood");
        self.requests += 1;
        let id = RequestId(self.requests);
        let input = Input::Request { id, request: call.request };
        let effects = self.engine.step(Instant::EPOCH, input);
        self.answered.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Reply { id, .. } => Some(*id),
            Effect::Event(_) => None,
        }));
        id
    }
}
