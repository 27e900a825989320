//! Random acts in a world: clients join, call endpoints of sessions, keys, transactions, the
//! catalog, checks and prepared queries, wait and cancel, the leader changes, and optionally faults
//! and programs run. The same seed gives the same acts.

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, RequestId};
use lictor_sim::{Act, EventKind, SimEvent, World};

use crate::dice::Dice;
use crate::random_faults::fault_act;
use crate::random_programs::program_act;

const ACTORS: [&str; 3] = ["web-1", "web-2", "web-3"];
const KEYS: [&str; 5] = ["lead", "db/.lock", "db/slot", "db", "a&b"];
const CHECKS: [&str; 3] = ["serfHealth", "ttl", "disk"];

/// Chooses the next act, and remembers the ids in answers.
#[derive(Clone, Debug)]
pub struct RandomActs {
    dice: Dice,
    content: ActContent,
    sessions: Vec<String>,
    queries: Vec<String>,
}

/// The kinds of acts that are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActContent {
    Requests,
    /// Requests and faults.
    Faults,
    /// Requests, faults and programs.
    Programs,
}

impl RandomActs {
    pub fn new(seed: u64) -> Self {
        let (sessions, queries) = (Vec::new(), Vec::new());
        Self { dice: Dice::new(seed), content: ActContent::Requests, sessions, queries }
    }

    /// Acts with bad links and faults.
    pub fn with_faults(seed: u64) -> Self {
        Self { content: ActContent::Faults, ..Self::new(seed) }
    }

    /// Acts with faults and client programs.
    pub fn with_programs(seed: u64) -> Self {
        Self { content: ActContent::Programs, ..Self::new(seed) }
    }

    /// The next act in a world; it may be one that the world refuses.
    pub fn next(&mut self, world: &World) -> Act {
        if let Some(name) = ACTORS.get(world.actors().len()) {
            return Act::Join { actor: ActorName::from(*name) };
        }
        if self.content != ActContent::Requests && self.dice.below(6) == 0 {
            return fault_act(&mut self.dice, world);
        }
        if self.content == ActContent::Programs && self.dice.below(6) == 0 {
            return program_act(&mut self.dice, world);
        }
        match self.dice.below(60) {
            0..14 => self.pause(world),
            14 if self.dice.below(4) == 0 => Act::Failover,
            15..17 => self.cancel(world),
            _ => {
                let actor = ActorName::from(*self.dice.one_of(&ACTORS));
                Act::Request { actor, request: self.request(world) }
            }
        }
    }

    /// Remembers the ids of sessions and prepared queries in answers, for later acts.
    pub fn learn(&mut self, events: &[SimEvent]) {
        for event in events {
            if let EventKind::Answered { call, outcome } = &event.kind
                && let Some(id) = id_in(&outcome.response)
            {
                let is_query = call.request.target.starts_with("/v1/query");
                if is_query { &mut self.queries } else { &mut self.sessions }.push(id);
            }
        }
    }

    fn pause(&mut self, world: &World) -> Act {
        let millis = match self.dice.below(40) {
            0 => 1_000_000,
            1..4 => self.dice.below(70_000),
            _ => self.dice.below(4_000),
        };
        let span = std::time::Duration::from_millis(millis as u64);
        Act::Advance { to: world.now().plus(span) }
    }

    fn cancel(&mut self, world: &World) -> Act {
        let waiting: Vec<RequestId> = world.pending().map(|(id, _)| id).collect();
        let id = if waiting.is_empty() { RequestId(1) } else { *self.dice.one_of(&waiting) };
        Act::Cancel { id }
    }

    fn request(&mut self, world: &World) -> HttpRequest {
        let (method, target, body) = match self.dice.below(20) {
            0..3 => ("PUT", "/v1/session/create".to_owned(), self.draft()),
            3..5 => self.on_session(),
            5..11 => self.on_key(world),
            11..13 => ("PUT", "/v1/txn".to_owned(), self.txn(world)),
            13..15 => self.on_catalog(),
            15 => self.on_query(),
            _ => self.read(world),
        };
        let mut request = HttpRequest::new(method, &target, body.as_bytes());
        if method == "PUT" {
            request.headers.push(("Content-Length".to_owned(), body.len().to_string()));
        }
        request
    }

    fn draft(&mut self) -> String {
        let ttl = *self.dice.one_of(&["", "10s", "12s", "60s", "5s"]);
        let delay = *self.dice.one_of(&["0s", "2s", "15s", "90s"]);
        let behavior = *self.dice.one_of(&["release", "delete"]);
        let node = *self.dice.one_of(&["", ACTORS[0], "WEB-2", "n9"]);
        let node = if node.is_empty() { String::new() } else { format!(r#""Node":"{node}","#) };
        let checks = *self.dice.one_of(&["", r#","NodeChecks":[]"#, r#","NodeChecks":["ttl"]"#]);
        format!(r#"{{{node}"TTL":"{ttl}","LockDelay":"{delay}","Behavior":"{behavior}"{checks}}}"#)
    }

    fn on_session(&mut self) -> (&'static str, String, String) {
        let session = self.session();
        let verb = *self.dice.one_of(&["destroy", "renew", "renew"]);
        ("PUT", format!("/v1/session/{verb}/{session}"), String::new())
    }

    fn on_key(&mut self, world: &World) -> (&'static str, String, String) {
        let (key, session) = (*self.dice.one_of(&KEYS), self.session());
        let index = self.modify_index(world, key);
        let (method, query) = match self.dice.below(14) {
            0..5 => ("PUT", format!("acquire={session}&flags={}", self.dice.below(2))),
            5 | 6 => ("PUT", format!("release={session}")),
            7 | 8 => ("PUT", String::new()),
            9 => ("PUT", format!("cas={index}")),
            10 => ("DELETE", format!("cas={index}")),
            11 => ("DELETE", "recurse".to_owned()),
            _ => ("DELETE", String::new()),
        };
        let body = *self.dice.one_of(&["", "x", "y"]);
        (method, format!("/v1/kv/{}?{query}", key.replace('&', "%26")), body.to_owned())
    }

    fn txn(&mut self, world: &World) -> String {
        let count = 1 + self.dice.below(4);
        let ops: Vec<String> = (0..count).map(|_| self.op(world)).collect();
        format!("[{}]", ops.join(","))
    }

    fn op(&mut self, world: &World) -> String {
        let (key, session) = (*self.dice.one_of(&KEYS), self.session());
        let index = self.modify_index(world, key);
        let verb = *self.dice.one_of(&[
            "set",
            "cas",
            "lock",
            "unlock",
            "delete",
            "delete-cas",
            "delete-tree",
            "get",
            "get-tree",
            "check-index",
            "check-session",
            "check-not-exists",
            "set",
            "lock",
        ]);
        let (actor, check) = (*self.dice.one_of(&ACTORS), *self.dice.one_of(&CHECKS));
        match self.dice.below(14) {
            0 => format!(r#"{{"Node":{{"Verb":"delete","Node":{{"Node":"{actor}"}}}}}}"#),
            1 | 2 => format!(
                r#"{{"Check":{{"Verb":"set","Check":{{"Node":"{actor}","CheckID":"{check}",
                    "Status":"critical"}}}}}}"#
            ),
            _ => format!(
                r#"{{"KV":{{"Verb":"{verb}","Key":"{key}","Value":"eA==","Index":{index},
                    "Session":"{session}"}}}}"#
            ),
        }
    }

    fn on_catalog(&mut self) -> (&'static str, String, String) {
        let (actor, check) = (*self.dice.one_of(&ACTORS), *self.dice.one_of(&CHECKS));
        let status = *self.dice.one_of(&["passing", "passing", "passing", "warning", "critical"]);
        let register = |rest: &str| {
            let body = format!(r#"{{"Node":"{actor}","Address":"10.0.0.1"{rest}}}"#);
            ("PUT", "/v1/catalog/register".to_owned(), body)
        };
        let deregister = |rest: &str| {
            let body = format!(r#"{{"Node":"{actor}"{rest}}}"#);
            ("PUT", "/v1/catalog/deregister".to_owned(), body)
        };
        let agent = |target: String, body: &str| ("PUT", target, body.to_owned());
        match self.dice.below(12) {
            0..4 => register(&format!(
                r#","Check":{{"CheckID":"{check}","Name":"{check}","Status":"{status}"}}"#
            )),
            4 => register(r#","Service":{"Service":"db","Tags":["v1"]}"#),
            5 => register(
                r#","Service":{"Service":"new"},"Check":{"CheckID":"x","ServiceID":"none"}"#,
            ),
            6 => deregister(&format!(r#","CheckID":"{check}""#)),
            7 => deregister(r#","ServiceID":"db""#),
            8 if self.dice.below(3) == 0 => deregister(""),
            9 => agent(
                "/v1/agent/check/register".to_owned(),
                r#"{"Name":"ttl","TTL":"8s","Status":"passing"}"#,
            ),
            10 => agent(format!("/v1/agent/check/fail/{check}"), ""),
            _ => agent(format!("/v1/agent/check/pass/{check}?note=ok"), ""),
        }
    }

    fn on_query(&mut self) -> (&'static str, String, String) {
        let (query, session) = (self.query(), self.session());
        let name = *self.dice.one_of(&["", "one", "two"]);
        let body =
            format!(r#"{{"Name":"{name}","Session":"{session}","Service":{{"Service":"db"}}}}"#);
        match self.dice.below(4) {
            0 | 1 => ("POST", "/v1/query".to_owned(), body),
            2 => ("PUT", format!("/v1/query/{query}"), body),
            _ => ("DELETE", format!("/v1/query/{query}"), String::new()),
        }
    }

    fn read(&mut self, world: &World) -> (&'static str, String, String) {
        let (key, session, query) = (*self.dice.one_of(&KEYS), self.session(), self.query());
        let key = key.replace('&', "%26");
        let path = match self.dice.below(16) {
            0..4 => format!("kv/{key}?x"),
            4..6 => format!("kv/{key}?recurse"),
            6 => "kv/db?keys&separator=/".to_owned(),
            7 => "kv/?recurse".to_owned(),
            8 => format!("session/info/{session}?x"),
            9 => "session/list?x".to_owned(),
            10 => "session/node/web-1?x".to_owned(),
            11 => format!("query/{query}?x"),
            12 => "query?x".to_owned(),
            13 => "catalog/nodes?x".to_owned(),
            14 => "health/state/any?x".to_owned(),
            _ => "health/node/web-1?x".to_owned(),
        };
        let ahead = self.dice.below(3) as u64;
        let wait = *self.dice.one_of(&["", "", "&wait=2s", "&wait=30s", "&wait=1ms"]);
        let waits = match self.dice.below(3) {
            0 => String::new(),
            _ => format!("&index={}{wait}", world.index().0.saturating_sub(1) + ahead),
        };
        ("GET", format!("/v1/{path}{waits}"), String::new())
    }

    /// The id of a session: usually one of the latest, else one that never existed.
    fn session(&mut self) -> String {
        let recent = self.sessions.len().saturating_sub(8);
        let found = self.sessions.get(recent + self.dice.below(9));
        let unknown = "adf4238a-882b-9ddc-4a9d-5b6758e4159e".to_owned();
        let session = found.cloned().unwrap_or(unknown);
        if self.dice.below(12) == 0 { session.to_uppercase() } else { session }
    }

    fn query(&mut self) -> String {
        let recent = self.queries.len().saturating_sub(4);
        let found = self.queries.get(recent + self.dice.below(5)).cloned();
        found.unwrap_or_else(|| "c0ffee00-882b-9ddc-4a9d-5b6758e4159e".to_owned())
    }

    /// Usually the present index of the key, else a wrong one.
    fn modify_index(&mut self, world: &World, key: &str) -> u64 {
        let entry = world.store().kv().get(key);
        let index = entry.map_or(0, |entry| entry.modify_index.0);
        if self.dice.below(4) == 0 { index + 1 } else { index }
    }
}

fn id_in(response: &HttpResponse) -> Option<String> {
    let text = response.text();
    Some(text.strip_prefix(r#"{"ID":""#)?.strip_suffix(r#""}"#)?.to_owned())
}
