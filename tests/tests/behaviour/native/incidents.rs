//! The importer of incidents against the engine: a random server writes lists and a log, and the
//! importer's earliest and latest times are compared with when a contender gets each key from it.

use std::collections::BTreeSet;
use std::time::Duration;

use lictor_core::Consul;
use lictor_core::http::HttpRequest;
use lictor_incident::{Incident, Source, Timestamp};
use lictor_tests::dice::Dice;

use super::incident_worlds::Contender;

const INCIDENTS: u64 = 500;
const KEYS: [&str; 3] = ["jobs/a", "jobs/b", "jobs/c"];

/// A server, and the log that a Consul would have written meanwhile.
struct Recorder {
    consul: Consul,
    log: Vec<String>,
    /// Every session that was created.
    sessions: Vec<String>,
}

impl Recorder {
    fn new(seed: u64, is_new: bool) -> Self {
        let mut recorder =
            Self { consul: Consul::seeded(seed), log: Vec::new(), sessions: Vec::new() };
        recorder.write("agent.server.serf.lan: serf: EventMemberJoin: n1 127.0.0.1");
        if is_new {
            recorder.write("agent.server.raft: entering candidate state: node=n1 term=2");
        }
        recorder
    }

    fn now(&self) -> Timestamp {
        wall(self.consul.now().as_millis())
    }

    fn write(&mut self, text: &str) {
        let time = self.now();
        self.log.push(format!("{time:.3} [DEBUG] {text}"));
    }

    fn request(&mut self, method: &str, target: &str, body: &str) -> String {
        let request = HttpRequest::new(method, target, body.as_bytes());
        let handle = self.consul.request(&request);
        let answer = self.consul.poll(handle).expect("nothing waits");
        let text = "agent.http: Request finished";
        self.write(&format!("{text}: method={method} url={target} from=127.0.0.1:1 latency=1ms"));
        String::from_utf8_lossy(&answer.body).into_owned()
    }

    fn alive(&mut self) -> BTreeSet<String> {
        let handle = self.consul.request(&HttpRequest::new("GET", "/v1/session/list", b""));
        let answer = self.consul.poll(handle).expect("nothing waits");
        let sessions: Vec<serde_json::Value> = serde_json::from_slice(&answer.body).expect("JSON");
        sessions.iter().map(|session| session["ID"].as_str().expect("text").to_owned()).collect()
    }

    /// Advances the clock. Each session that ends is logged at its time.
    fn advance(&mut self, millis: u64) {
        let end = self.consul.now().as_millis() + millis;
        loop {
            let before = self.alive();
            let next = self.consul.next_deadline().map(|(time, _)| time.as_millis());
            let next = next.filter(|next| *next <= end).unwrap_or(end);
            let span = next.saturating_sub(self.consul.now().as_millis());
            self.consul.advance(Duration::from_millis(span));
            let after = self.alive();
            for ended in before.difference(&after) {
                self.write(&format!("agent.server: Session TTL expired: session={ended}"));
            }
            if self.consul.now().as_millis() >= end && span == 0 {
                return;
            }
        }
    }

    fn create(&mut self, dice: &mut Dice) {
        let ttl = [10, 15, 40][dice.below(3)];
        let delay = [0, 5, 15, 60][dice.below(4)];
        let behavior = if dice.below(3) == 0 { "delete" } else { "release" };
        let ttl = if dice.below(6) == 0 { String::new() } else { format!(r#""TTL":"{ttl}s","#) };
        let body = format!(r#"{{{ttl}"LockDelay":"{delay}s","Behavior":"{behavior}"}}"#);
        let created = self.request("PUT", "/v1/session/create", &body);
        let created: serde_json::Value = serde_json::from_str(&created).expect("JSON");
        self.sessions.push(created["ID"].as_str().expect("an id").to_owned());
    }

    fn acquire(&mut self, key: &str, session: &str) {
        let delay = self.consul.engine().lock_delay(key).map(|delay| delay.until.as_millis());
        if let Some(until) = delay {
            self.write(&format!(
                "agent.server.kvs: Rejecting lock of key due to lock-delay: key={key} \
                 expire_time=\"{}\"",
                format!("{:.9}", wall(until)).replace('T', " ").replace('Z', " +0000 UTC m=+1.5"),
            ));
        }
        self.request("PUT", &format!("/v1/kv/{key}?acquire={session}"), "");
    }

    fn act(&mut self, dice: &mut Dice) {
        if self.sessions.is_empty() || dice.below(6) == 0 {
            return self.create(dice);
        }
        let session = dice.one_of(&self.sessions).clone();
        let key = *dice.one_of(&KEYS);
        match dice.below(8) {
            0..=2 => self.acquire(key, &session),
            3..=4 => drop(self.request("PUT", &format!("/v1/session/renew/{session}"), "")),
            5 => drop(self.request("PUT", &format!("/v1/kv/{key}?release={session}"), "")),
            6 => drop(self.request("PUT", &format!("/v1/session/destroy/{session}"), "")),
            _ => self.advance(1 + dice.below(9_000) as u64),
        }
        self.advance(1 + dice.below(400) as u64);
    }
}

/// The date of a time of the server's clock.
fn wall(millis: u64) -> Timestamp {
    const BEGIN: i64 = 1_795_680_000_000;
    Timestamp::from_millisecond(BEGIN + millis as i64).expect("a time of these years")
}

/// Whether a contender that waits until this moment can take the key.
fn is_free(server: &Consul, key: &str, moment: Timestamp) -> bool {
    let mut server = server.clone();
    let contender = server.session().create().expect("a session");
    let now = wall(server.now().as_millis());
    let millis = moment.as_millisecond() - now.as_millisecond();
    server.advance(Duration::from_millis(millis.max(0) as u64));
    server.acquire(key, "mine", contender).expect("an answer").is_true()
}

#[test]
fn a_contender_gets_each_key_within_the_bounds_and_no_earlier() {
    let (mut exact, mut bounded) = (0, 0);
    for seed in 1..=INCIDENTS {
        let mut dice = Dice::new(seed);
        let is_new = dice.below(2) == 0;
        let mut recorder = Recorder::new(seed, is_new);
        for _ in 0..10 + dice.below(40) {
            recorder.act(&mut dice);
        }
        let sessions = recorder.request("GET", "/v1/session/list", "");
        let keys = recorder.request("GET", "/v1/kv/?recurse", "");
        let keys = if keys.is_empty() { "[]".to_owned() } else { keys };
        // All of the log, its end, or nothing of it.
        let from = [0, dice.below(recorder.log.len()), recorder.log.len()][dice.below(3)];
        let nodes = r#"[{"Node":"n1","Address":"127.0.0.1"}]"#;
        let log = recorder.log[from..].join("\n");
        let sources = [
            Source::new("sessions.json", sessions.as_bytes()),
            Source::new("keys.json", keys.as_bytes()),
            Source::new("nodes.json", nodes.as_bytes()),
            Source::new("log", log.as_bytes()),
        ];
        let taken = log.is_empty().then(|| recorder.now());
        let incident = Incident::read(&sources, taken).expect("lists of Consul");
        let contender = Contender::of(&incident);
        for answer in incident.answers() {
            let context = || {
                let log = recorder.log[from..].join("\n");
                format!("seed {seed}: {answer:#?}\n{sessions}\n{keys}\n{log}")
            };
            let server = &recorder.consul;
            match answer.earliest {
                Some(earliest) if earliest > recorder.now() => {
                    let before = wall_before(earliest);
                    assert!(!is_free(server, &answer.key, before), "too late: {}", context());
                }
                Some(_) => {}
                None => {
                    let later = wall(recorder.consul.now().as_millis() + 86_400_000);
                    assert!(!is_free(server, &answer.key, later), "not never: {}", context());
                }
            }
            if let Some(latest) = answer.latest {
                assert!(is_free(server, &answer.key, latest), "too early: {}", context());
                // The world of the incident has the latest moment.
                assert!(contender.gets(&answer.key, latest), "not in the world: {}", context());
                let is_later = latest > incident.as_of();
                let before = is_later && contender.gets(&answer.key, wall_before(latest));
                assert!(!before, "earlier in the world: {}", context());
            }
            if answer.earliest == answer.latest {
                exact += 1;
            } else {
                bounded += 1;
            }
        }
    }
    println!("{exact} exact answers, {bounded} bounds");
    assert!(exact > 100 && bounded > 100, "{exact} exact answers, {bounded} bounds");
}

/// The time a millisecond earlier.
fn wall_before(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond() - 1).expect("a time of these years")
}
