//! Determinism across platforms: the answers of scripted worlds have committed checksums, natively
//! and in the browser.
//!
//! After an intended change, copy the new checksum from the failing test.

use core::time::Duration;

use lictor_core::engine::{Config, Event};
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::ActorName;
use lictor_core::store::Change;
use lictor_sim::{Act, EventKind, SimEvent, World};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// By seed.
const SUMS: [(u64, u64); 4] = [
    (1, 0xcb09_4ceb_78d6_8f49),
    (2, 0xf8e2_3c50_7aed_ebed),
    (3, 0x0e6d_3d2a_2c2d_916f),
    (u64::MAX, 0x1073_2209_bb6d_d5e5),
];

#[test]
fn scripted_worlds_answer_the_same_everywhere() {
    let found = SUMS.map(|(seed, _)| (seed, ScriptedWorld::new(seed).run().sum));
    assert_eq!(found, SUMS, "by seed: {found:#x?}");
}

#[test]
fn a_journal_done_again_gives_the_same_world() {
    let script = ScriptedWorld::new(7).run();
    let again = World::replay(7, Config::default(), script.world.journal());
    assert!(again.as_ref() == Ok(&script.world), "the worlds differ");
}

#[test]
fn every_kind_of_answer_occurs() {
    let script = ScriptedWorld::new(1).run();
    for (answer, times) in [("true", script.granted), ("false", script.refused)] {
        assert!(times > 20, "`{answer}` was answered {times} times");
    }
    assert!(script.ended > 5, "{} sessions ended", script.ended);
}

const STEPS: usize = 600;
const ACTORS: [&str; 3] = ["web-1", "web-2", "web-3"];
const KEYS: [&str; 3] = ["lead", "db/.lock", "db/slot"];

/// A world with acts that are chosen by a small random generator.
struct ScriptedWorld {
    world: World,
    dice: u64,
    sessions: Vec<String>,
    sum: u64,
    granted: usize,
    refused: usize,
    ended: usize,
}

impl ScriptedWorld {
    fn new(seed: u64) -> Self {
        let world = World::new(seed);
        let sum = 0xcbf2_9ce4_8422_2325;
        Self { world, dice: seed, sessions: Vec::new(), sum, granted: 0, refused: 0, ended: 0 }
    }

    fn run(mut self) -> Self {
        for actor in ACTORS {
            let events = self
                .world
                .perform(Act::Join { actor: ActorName::from(actor) })
                .expect("it is possible");
            self.take(&events);
        }
        for _ in 0..STEPS {
            let events = self.step();
            self.take(&events);
            self.world.check_invariants();
        }
        self
    }

    fn step(&mut self) -> Vec<SimEvent> {
        if self.roll(3) == 0 {
            let span = Duration::from_millis(self.roll(4_000) as u64);
            let to = self.world.now().plus(span);
            return self.world.advance_to(to);
        }
        let key = KEYS[self.roll(KEYS.len())];
        let session = self.session();
        let (method, target, body) = match self.roll(10) {
            0 | 1 => ("PUT", "/v1/session/create".to_owned(), self.draft()),
            2 => ("PUT", format!("/v1/session/destroy/{session}"), ""),
            3 => ("PUT", format!("/v1/session/renew/{session}"), ""),
            4..=6 => ("PUT", format!("/v1/kv/{key}?acquire={session}"), "held"),
            7 => ("PUT", format!("/v1/kv/{key}?release={session}"), "free"),
            8 => ("GET", format!("/v1/kv/db/?recurse&index={}&wait=5s", self.world.index()), ""),
            _ => ("DELETE", format!("/v1/kv/{key}"), ""),
        };
        let mut request = HttpRequest::new(method, &target, body.as_bytes());
        request.headers.push(("Content-Length".to_owned(), body.len().to_string()));
        let actor = ActorName::from(ACTORS[self.roll(ACTORS.len())]);
        self.world.perform(Act::Request { actor, request }).expect("it is possible")
    }

    fn draft(&mut self) -> &'static str {
        match self.roll(3) {
            0 => r#"{"LockDelay": "3s", "Behavior": "delete"}"#,
            1 => r#"{"LockDelay": "0s", "TTL": "10s"}"#,
            _ => r#"{"LockDelay": "2s", "TTL": "12s", "Name": "short"}"#,
        }
    }

    fn session(&mut self) -> String {
        let ended_sessions = self.sessions.len().saturating_sub(6);
        let at = ended_sessions + self.roll(6);
        self.sessions.get(at).cloned().unwrap_or_default()
    }

    fn take(&mut self, events: &[SimEvent]) {
        for event in events {
            match &event.kind {
                EventKind::Answered { outcome, .. } => {
                    self.add(&event.at.as_nanos().to_le_bytes());
                    self.answer(&outcome.response);
                }
                EventKind::Server {
                    event: Event::Changed(Change::SessionEnded { .. }), ..
                } => self.ended += 1,
                _ => {}
            }
        }
    }

    fn answer(&mut self, response: &HttpResponse) {
        self.add(&response.status.to_le_bytes());
        for (name, value) in &response.headers {
            self.add(name.as_bytes());
            self.add(value.as_bytes());
        }
        self.add(&response.body);
        let body = response.text();
        self.granted += usize::from(body == "true");
        self.refused += usize::from(body == "false");
        if let Some(id) = body.strip_prefix(r#"{"ID":""#).and_then(|it| it.strip_suffix(r#""}"#)) {
            self.sessions.push(id.to_owned());
        }
    }

    /// FNV-1a.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.sum = (self.sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn roll(&mut self, sides: usize) -> usize {
        let next = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.dice = next;
        (next >> 33) as usize % sides
    }
}
