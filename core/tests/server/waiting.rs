//! Blocking queries: what wakes them, and the order of the answers.

use lictor_core::engine::{Config, Effect, Engine, Event, Input, InputError, Stamped, Wake};
use lictor_core::http::{self, Agent, HttpRequest};
use lictor_core::id::{Index, Key, NodeName, RequestId};
use lictor_core::message::Response;
use lictor_core::time::Instant;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const ON_N2: &str = r#"{"Node":"n2","NodeChecks":[]}"#;

/// A read of the sessions of a node that has none watches all sessions. Once the node has one, the
/// read, evaluated again, watches only the sessions of the node (BLK-04, BLK-14).
#[test]
fn a_read_watches_the_rows_of_its_last_evaluation() {
    let mut server = WaitingServer::new();
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

/// Test harnesses such as HashiCorp's `sdk/testutil` wait for this before they send requests.
#[test]
fn a_new_server_reports_an_index_of_at_least_2() {
    let mut server = WaitingServer::new();
    let nodes = server.read("/v1/catalog/nodes");
    assert!(nodes.index >= Index(2), "{}", nodes.index);
    assert_eq!(nodes.index, server.engine.index());
    assert_eq!(
        server.read("/v1/kv/?recurse").index,
        Index(1),
        "an empty table reports 1 (HTTP-12)"
    );
}

#[test]
fn a_writer_is_answered_before_the_queries_that_its_write_wakes() {
    let mut server = WaitingServer::new();
    let next = server.engine.index().next();
    let watches = ["a", "a/b"].map(|key| format!("/v1/kv/{key}?index={next}&wait=60s"));
    let parked = watches.map(|target| server.send("GET", &target, ""));
    server.put("/v1/kv/c", "any other write");
    let body = r#"[{"KV":{"Verb":"set","Key":"a"}},{"KV":{"Verb":"set","Key":"a/b"}}]"#;
    let writer = server.send("PUT", "/v1/txn", body);
    let order = server.effects.iter().filter_map(|effect| match effect {
        Effect::Reply { id, .. } => Some(("reply", *id)),
        Effect::Event(Stamped { event: Event::Woken { id, .. }, .. }) => Some(("woken", *id)),
        _ => None,
    });
    let [one, other] = parked;
    let expected =
        [("reply", writer), ("woken", one), ("reply", one), ("woken", other), ("reply", other)];
    assert_eq!(order.collect::<Vec<_>>(), expected);
}

#[test]
fn the_answer_to_a_blocking_query_says_why_it_is_given_now() {
    let mut server = WaitingServer::new();
    server.put("/v1/kv/a", "one");
    assert_eq!(server.wakes(), [None], "a write");
    let changed = Some(Wake::Changed { key: Some(Key::from("a")) });
    let index = server.engine.index();
    server.read("/v1/kv/a");
    assert_eq!(server.wakes(), [None], "a read that does not wait");
    server.read("/v1/kv/a?index=1&wait=60s");
    assert_eq!(
        server.wakes(),
        std::slice::from_ref(&changed),
        "the index was already above its own"
    );
    server.send("GET", &format!("/v1/kv/a?index={index}&wait=60s"), "");
    server.put("/v1/kv/a", "two");
    assert_eq!(server.wakes(), [None, changed]);
    server.send("GET", &format!("/v1/kv/b?index={}&wait=10s", index.next()), "");
    server.effects = server.engine.step(Instant::from_millis(60_000), Input::Tick);
    assert_eq!(server.wakes(), [Some(Wake::TimeUp)]);
}

#[test]
fn a_request_with_the_id_of_a_parked_query_is_rejected() {
    let mut server = WaitingServer::new();
    let next = server.engine.index().next();
    let parked = server.send("GET", &format!("/v1/kv/k?index={next}&wait=60s"), "");
    let index = server.engine.index();
    for (method, target) in [("GET", "/v1/kv/other?index=9999"), ("PUT", "/v1/kv/other")] {
        server.requests = parked.0 - 1;
        assert_eq!(server.send(method, target, ""), parked);
        let error = InputError::RequestIdInUse(parked);
        assert_eq!(server.effects, [Effect::Rejected { id: parked, error }]);
    }
    assert_eq!(server.engine.index(), index, "the write was not carried out");
    server.requests = parked.0;
    server.put("/v1/kv/other", "");
    server.put("/v1/kv/k", "");
    assert!(server.answered.contains(&parked), "the first request still gets its answer");
}

/// The TTL of a session ends, then the lock-delay that it leaves, then the wait of a query.
#[test]
fn a_late_step_has_the_effects_of_timely_ones() {
    let mut late = WaitingServer::new();
    late.put("/v1/session/create", r#"{"TTL":"10s"}"#);
    let session = late.engine.store().sessions().iter().next().expect("it was just made").id;
    late.put(&format!("/v1/kv/k?acquire={session}"), "");
    let index = late.engine.index();
    late.send("GET", &format!("/v1/kv/k?index={index}&wait=60s"), "");
    late.send("GET", "/v1/kv/other?index=9999&wait=60s", "");
    let mut timely = late.engine.clone();
    let end = Instant::from_millis(100_000);
    let mut effects = Vec::new();
    while let Some((at, _)) = timely.next_deadline().filter(|(at, _)| *at < end) {
        effects.extend(timely.step(at, Input::Tick));
    }
    effects.extend(timely.step(end, Input::Tick));
    assert_eq!(late.engine.step(end, Input::Tick), effects);
    assert_eq!(late.engine, timely);
    let answers = effects.iter().filter(|effect| matches!(effect, Effect::Reply { .. }));
    assert_eq!(answers.count(), 2);
}

/// A server that is used over HTTP as values.
struct WaitingServer {
    engine: Engine,
    requests: u64,
    answered: Vec<RequestId>,
    /// The effects of the last request.
    effects: Vec<Effect>,
}

impl WaitingServer {
    fn new() -> Self {
        let engine = Engine::new(Config::default(), 1);
        Self { engine, requests: 0, answered: Vec::new(), effects: Vec::new() }
    }

    fn put(&mut self, target: &str, body: &str) {
        let id = self.send("PUT", target, body);
        assert!(self.answered.contains(&id), "{target} is answered at once");
    }

    fn read(&mut self, target: &str) -> Response {
        let id = self.send("GET", target, "");
        let reply = self.effects.iter().find_map(|effect| match effect {
            Effect::Reply { id: of, result: Ok(response), .. } if *of == id => {
                Some(response.clone())
            }
            _ => None,
        });
        reply.expect("an answer at once")
    }

    /// The wake of each answer in the effects; `None` for the answer to a request that is not a
    /// blocking query.
    fn wakes(&self) -> Vec<Option<Wake>> {
        let wake = |effect: &Effect| match effect {
            Effect::Reply { wake, .. } => Some(wake.clone()),
            Effect::Event(_) | Effect::Rejected { .. } => None,
        };
        self.effects.iter().filter_map(wake).collect()
    }

    fn send(&mut self, method: &str, target: &str, body: &str) -> RequestId {
        let node = NodeName::from("n1");
        let agent = Agent { node, ..Agent::of(&Config::default()) };
        let mut request = HttpRequest::new(method, target, body.as_bytes());
        request.headers.push(("Content-Length".to_owned(), body.len().to_string()));
        let call = http::decode(&agent, &request).expect("a request that is understood");
        self.requests += 1;
        let id = RequestId(self.requests);
        let input = Input::Request { id, request: call.request };
        self.effects = self.engine.step(Instant::EPOCH, input);
        self.answered.extend(self.effects.iter().filter_map(|effect| match effect {
            Effect::Reply { id, .. } => Some(*id),
            Effect::Event(_) | Effect::Rejected { .. } => None,
        }));
        id
    }
}
