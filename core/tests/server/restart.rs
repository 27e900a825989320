//! What a server keeps over a restart, and what it does not (IDX-12).

use core::time::Duration;

use lictor_core::engine::{Config, Effect, Engine, Input, Snapshot, SnapshotRecord};
use lictor_core::http::{self, Agent, HttpRequest, HttpResponse};
use lictor_core::id::{NodeName, RequestId};
use lictor_core::time::Instant;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A server that is used over HTTP as values and can be restarted.
struct DurableServer {
    engine: Engine,
    now: Instant,
}

impl DurableServer {
    fn new() -> Self {
        let mut engine = Engine::new(Config::default(), 1);
        engine.keep_records();
        Self { engine, now: Instant::EPOCH }
    }

    /// A new server with the state that survives a restart.
    fn restarted(&self) -> Self {
        let engine = Engine::restart(Config::default(), 2, self.engine.snapshot());
        Self { engine, now: Instant::EPOCH }
    }

    fn wait(&mut self, seconds: u64) {
        self.now = self.now.plus(Duration::from_secs(seconds));
        let _ = self.engine.step(self.now, Input::Tick);
    }

    fn ask(&mut self, method: &str, target: &str, body: &str) -> HttpResponse {
        let node = NodeName::from("n1");
        let agent = Agent { node, ..Agent::of(&Config::default()) };
        let request = HttpRequest::new(method, target, body.as_bytes());
        let call = http::decode(&agent, &request).expect("a request that is understood");
        let input = Input::Request { id: RequestId(1), request: call.request };
        let effects = self.engine.step(self.now, input);
        let reply = effects.iter().find_map(|effect| match effect {
            Effect::Reply { result, .. } => Some(http::encode(&agent, &call.format, result)),
            Effect::Event(_) | Effect::Rejected { .. } => None,
        });
        reply.expect("an answer at once")
    }

    fn text(&mut self, method: &str, target: &str, body: &str) -> String {
        self.ask(method, target, body).text()
    }

    fn session(&mut self, body: &str) -> String {
        let created = self.text("PUT", "/v1/session/create", body);
        created.split('"').nth(3).expect("an id").into()
    }

    fn sessions(&self) -> usize {
        self.engine.store().sessions().len()
    }
}

#[test]
fn keys_locks_and_indexes_survive_a_restart() {
    let mut before = DurableServer::new();
    let session = before.session(r#"{"Name":"web"}"#);
    before.text("PUT", &format!("/v1/kv/lead?acquire={session}&flags=7"), "v");
    let mut after = before.restarted();
    for target in ["/v1/kv/?recurse", "/v1/session/list", "/v1/catalog/nodes"] {
        assert_eq!(after.ask("GET", target, ""), before.ask("GET", target, ""), "{target}");
    }
    assert_eq!(after.engine.index(), before.engine.index());
    let renewed = after.text("PUT", &format!("/v1/session/renew/{session}"), "");
    assert!(renewed.contains("web"));
}

#[test]
fn sessions_get_their_full_ttl_after_a_restart() {
    let mut before = DurableServer::new();
    before.session(r#"{"TTL":"10s"}"#);
    before.wait(19);
    let mut after = before.restarted();
    after.wait(19);
    assert_eq!(after.sessions(), 1);
    after.wait(1);
    assert_eq!(after.sessions(), 0);
}

#[test]
fn lock_delays_do_not_survive_a_restart() {
    let mut before = DurableServer::new();
    let session = before.session(r#"{"LockDelay":"60s"}"#);
    before.text("PUT", &format!("/v1/kv/lead?acquire={session}"), "");
    before.text("PUT", &format!("/v1/session/destroy/{session}"), "");
    let next = before.session("");
    let acquire = format!("/v1/kv/lead?acquire={next}");
    assert_eq!(before.text("PUT", &acquire, ""), "false");
    assert_eq!(before.restarted().text("PUT", &acquire, ""), "true");
}

#[test]
fn tombstones_survive_a_restart_and_are_reaped_later() {
    let mut before = DurableServer::new();
    before.text("PUT", "/v1/kv/a/1", "");
    before.text("PUT", "/v1/kv/a/2", "");
    before.text("DELETE", "/v1/kv/a/2", "");
    before.text("PUT", "/v1/kv/b", "");
    let mut after = before.restarted();
    let index = |server: &mut DurableServer| {
        let read = server.ask("GET", "/v1/kv/a/?recurse", "");
        read.header("X-Consul-Index").expect("an index").to_owned()
    };
    let deleted = index(&mut before);
    assert_eq!(index(&mut after), deleted);
    after.wait(16 * 60);
    assert_ne!(index(&mut after), deleted, "only the entry is left to give an index");
}

#[test]
fn agent_checks_get_their_full_ttl_after_a_restart() {
    let mut before = DurableServer::new();
    let check = r#"{"ID":"c","Name":"c","TTL":"10s","Status":"passing"}"#;
    before.text("PUT", "/v1/agent/check/register", check);
    before.wait(9);
    let mut after = before.restarted();
    after.wait(9);
    let critical = "/v1/health/state/critical";
    assert_eq!(after.text("GET", critical, ""), "[]");
    after.wait(1);
    assert!(after.text("GET", critical, "").contains("TTL expired"));
    assert_eq!(after.ask("PUT", "/v1/agent/check/pass/c", "").status, 200);
}

#[test]
fn a_node_that_was_made_critical_is_healthy_again() {
    let mut before = DurableServer::new();
    let body = r#"{"Node":"n1","SkipNodeUpdate":true,
        "Check":{"CheckID":"serfHealth","Name":"x","Status":"critical"}}"#;
    before.text("PUT", "/v1/catalog/register", body);
    let mut after = before.restarted();
    assert_eq!(after.text("GET", "/v1/health/state/critical", ""), "[]");
    assert_eq!(after.engine.index(), before.engine.index().next());
}

#[test]
fn redoing_the_records_gives_the_snapshot() {
    let mut server = DurableServer::new();
    let mut kept = server.engine.snapshot();
    let session = server.session(r#"{"TTL":"10s","Behavior":"delete"}"#);
    server.text("PUT", &format!("/v1/kv/a/lead?acquire={session}"), "v");
    server.text("PUT", "/v1/kv/a/b?cas=9", "refused");
    server.text("PUT", "/v1/txn", r#"[{"KV":{"Verb":"set","Key":"t","Value":"dg=="}}]"#);
    server.text("PUT", "/v1/txn", r#"[{"KV":{"Verb":"delete","Key":"t"}},{"KV":{"Verb":"x"}}]"#);
    let check = r#"{"ID":"c","Name":"c","TTL":"10s"}"#;
    server.text("PUT", "/v1/agent/check/register", check);
    redo(&mut kept, server.engine.take_records());
    assert!(kept == server.engine.snapshot(), "halfway");
    server.wait(30);
    server.text("PUT", "/v1/agent/check/deregister/c", "");
    server.wait(20 * 60);
    assert_eq!(server.sessions(), 0, "expiry and reaping were recorded, too");
    redo(&mut kept, server.engine.take_records());
    assert!(kept == server.engine.snapshot(), "at the end");
}

#[test]
fn a_missing_record_is_an_error() {
    let mut server = DurableServer::new();
    let mut kept = server.engine.snapshot();
    server.text("PUT", "/v1/kv/a", "");
    server.text("PUT", "/v1/kv/b", "");
    let mut records = server.engine.take_records();
    records.remove(0);
    assert!(kept.redo(records.remove(0)).is_err());
}

fn redo(kept: &mut Snapshot, records: Vec<SnapshotRecord>) {
    for record in records {
        kept.redo(record).expect("the records follow each other");
    }
}
