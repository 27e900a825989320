//! A server that begins in the state of a running cluster: its records, and the deadlines of its
//! leader. A state that contradicts itself is refused.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::own_node::own_service;
use super::server::Engine;
use super::timers::{LOCK_DELAY_MAX, LockDelay, SessionClock, TTL_GRACE, Timer};
use crate::config::Config;
use crate::error::Cause;
use crate::id::{Index, Key, SessionId};
use crate::store::{
    CheckState, Contradiction, EntryState, NodeState, Records, SessionState, Store,
};
use crate::time::Instant;

/// What decides about the locks of a cluster at one moment, as lists. That moment is the epoch of
/// its times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterState {
    /// The last entry of the log.
    pub index: Index,
    /// All nodes, with that of the server itself.
    pub nodes: Vec<NodeState>,
    /// The health checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckState>,
    /// The live sessions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<SessionState>,
    /// The entries of the key/value store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<EntryState>,
    /// The keys that cannot be acquired until a time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lock_delays: Vec<LockDelayState>,
}

/// A key that cannot be acquired until a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockDelayState {
    /// The key.
    pub key: Key,
    /// When it can be acquired again.
    pub until: Instant,
    /// The log entry in which the session that held it ended.
    pub index: Index,
    /// The session that held it.
    pub session: SessionId,
    /// Why that session ended.
    pub cause: Cause,
}

impl Engine {
    /// A server in the state of a running cluster. What the state does not contain is empty: parked
    /// queries, tombstones, prepared queries, user events, how agents run their checks, and why
    /// earlier sessions ended. Its services are those that checks name, and the server's own.
    ///
    /// # Errors
    ///
    /// Fails if the state is impossible, for example if a record occurs twice, is newer than the
    /// log, or names a node or a session that is missing, or if a deadline is out of range.
    pub fn in_state(
        config: Config,
        seed: u64,
        state: &ClusterState,
    ) -> Result<Self, Contradiction> {
        let ClusterState { index, nodes, checks, sessions, keys, lock_delays } = state;
        let records = Records { nodes, checks, sessions, keys };
        let own = own_service(&config);
        let store = Store::restored(config.version, &own, records, *index)?;
        let mut engine = Self::new(config, seed);
        (engine.index, engine.store) = (*index, store);
        engine.start_clocks();
        for session in sessions {
            engine.set_end(session)?;
        }
        for delay in lock_delays {
            engine.set_delay(delay)?;
        }
        Ok(engine)
    }

    /// The state of this server, from which [`Engine::in_state`] makes one whose locks and sessions
    /// behave alike. It has a leader: where there is none now, the TTLs have just begun.
    pub fn cluster_state(&self) -> ClusterState {
        let remaining = |at: Instant| Instant::EPOCH.plus(at.since(self.now));
        let ends = |id| {
            let ttl = self.store.sessions().get(id)?.ttl.duration()?;
            let ends = self.timers.deadlines.get(&Timer::SessionTtl(id))?;
            Some(remaining(ends.min(SessionClock::starting(self.now, ttl).ends)))
        };
        let (nodes, checks, sessions, keys) = self.store.to_lists(ends);
        let delay = |delay: &LockDelay| LockDelayState {
            key: delay.key.clone(),
            until: remaining(delay.until),
            index: delay.index,
            session: delay.session,
            cause: delay.cause.clone(),
        };
        let lock_delays = self.lock_delays().map(delay).collect();
        ClusterState { index: self.index, nodes, checks, sessions, keys, lock_delays }
    }

    fn set_end(&mut self, session: &SessionState) -> Result<(), Contradiction> {
        let Some(ends) = session.ends else { return Ok(()) };
        let twice = session.ttl.duration().unwrap_or_default() * TTL_GRACE;
        is_within(ends, twice, || alloc::format!("session {}", session.id))?;
        self.timers.deadlines.set(Timer::SessionTtl(session.id), ends);
        Ok(())
    }

    fn set_delay(&mut self, delay: &LockDelayState) -> Result<(), Contradiction> {
        let LockDelayState { key, until, index, session, cause } = delay.clone();
        let name = || alloc::format!("the lock-delay of key {key}");
        is_within(until, LOCK_DELAY_MAX, name)?;
        if index > self.index {
            let (create, modify, log) = (index, index, self.index);
            return Err(Contradiction::Indexes { record: name(), create, modify, log });
        }
        self.timers.deadlines.set(Timer::LockDelay(key.clone()), until);
        let name = name();
        let armed_at = Instant::EPOCH;
        let delay = LockDelay { key: key.clone(), armed_at, until, index, session, cause };
        Contradiction::if_replaced(self.timers.delays.insert(key, delay), name)
    }
}

/// Refuses a deadline that has passed or is later than a limit.
fn is_within(
    at: Instant,
    limit: Duration,
    record: impl FnOnce() -> String,
) -> Result<(), Contradiction> {
    if at > Instant::EPOCH && at <= Instant::EPOCH.plus(limit) {
        return Ok(());
    }
    Err(Contradiction::Deadline { record: record(), at, limit: limit.as_secs() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Effect, Input};
    use crate::http::{self, Agent, HttpRequest};
    use crate::id::RequestId;
    use crate::json;
    use crate::rng::Rng;
    use alloc::format;

    /// The bodies of sessions that differ in all that decides about their end.
    const SESSIONS: [&str; 4] = [
        r#"{"TTL":"10s","LockDelay":"5s"}"#,
        r#"{"TTL":"1m30s","Behavior":"delete","Name":"etl"}"#,
        r#"{"TTL":"20s","LockDelay":"0s","NodeChecks":[]}"#,
        r#"{"Node":"n2","NodeChecks":["disk"],"Name":"web"}"#,
    ];
    /// What registers a node with a check, makes the check critical, and removes the node.
    const CATALOG: [(&str, &str); 3] = [
        (
            "register",
            r#"{"Node":"n2","Address":"10.0.0.2","NodeMeta":{"a":"b"},
                "Service":{"Service":"web","Tags":["v1"]},"Checks":[
                {"CheckID":"disk","Name":"disk","Status":"passing"},
                {"CheckID":"web","Name":"web","Status":"passing","ServiceID":"web"}]}"#,
        ),
        (
            "register",
            r#"{"Node":"n2","Address":"10.0.0.2","SkipNodeUpdate":true,
                "Check":{"CheckID":"disk","Name":"disk","Status":"critical"}}"#,
        ),
        ("deregister", r#"{"Node":"n2"}"#),
    ];
    const READS: [&str; 5] = [
        "/v1/session/list",
        "/v1/kv/?recurse",
        "/v1/catalog/nodes",
        "/v1/health/state/any",
        "/v1/session/node/n2",
    ];

    /// The request of a random client: method, target and body.
    fn request(rng: &mut Rng, sessions: &[String]) -> (&'static str, String, &'static str) {
        let mut pick = |count: usize| rng.below(count as u64) as usize;
        let key = ["a", "b", "jobs/1", "jobs/2"][pick(4)];
        let session = sessions.get(pick(sessions.len().max(1))).map_or("none", String::as_str);
        match pick(14) {
            0 | 1 => ("PUT", "/v1/session/create".into(), SESSIONS[pick(4)]),
            2 => ("PUT", format!("/v1/session/renew/{session}"), ""),
            3 => ("PUT", format!("/v1/session/destroy/{session}"), ""),
            4..=6 => ("PUT", format!("/v1/kv/{key}?acquire={session}&flags=3"), "held"),
            7 => ("PUT", format!("/v1/kv/{key}?release={session}"), "free"),
            8 => ("PUT", format!("/v1/kv/{key}"), "plain"),
            9 => ("DELETE", format!("/v1/kv/{key}?recurse"), ""),
            10 => ("PUT", format!("/v1/kv/{key}?cas=0"), "new"),
            other => {
                let (call, body) = CATALOG[other - 11];
                ("PUT", format!("/v1/catalog/{call}"), body)
            }
        }
    }

    fn answer(engine: &mut Engine, now: Instant, request: (&str, &str, &str)) -> String {
        let agent = Agent::of(engine.config());
        let request = HttpRequest::new(request.0, request.1, request.2.as_bytes());
        let call = http::decode(&agent, &request).expect("a request that is understood");
        let input = Input::Request { id: RequestId(1), request: call.request };
        let effects = engine.step(now, input);
        let reply = effects.iter().find_map(|effect| match effect {
            Effect::Reply { result, .. } => Some(http::encode(&agent, &call.format, result)),
            Effect::Event(_) | Effect::Rejected { .. } => None,
        });
        let response = reply.expect("an answer at once");
        format!("{} {}", response.status, response.text())
    }

    /// Sends a request, perhaps after a while, to servers at their times, and returns what each
    /// answers and what it has stored then.
    fn step(
        rng: &mut Rng,
        servers: &mut [(Engine, Instant)],
        sessions: &mut Vec<String>,
    ) -> Vec<Vec<String>> {
        let span = Duration::from_millis(rng.below(8_000) * (rng.below(3) / 2));
        let (method, target, body) = request(rng, sessions);
        let mut answers = Vec::new();
        for (engine, now) in servers {
            *now = now.plus(span);
            let reads = READS.map(|target| ("GET", target, ""));
            let asked = [(method, target.as_str(), body)].into_iter().chain(reads);
            let said = asked.map(|request| answer(engine, *now, request)).collect::<Vec<_>>();
            answers.push(said);
        }
        if target == "/v1/session/create" {
            sessions.extend(answers[0][0].split('"').nth(3).map(String::from));
        }
        answers
    }

    #[test]
    fn a_server_in_the_state_of_another_one_answers_as_it_does() {
        for seed in 0..60 {
            let (mut rng, mut sessions) = (Rng::new(seed), Vec::new());
            let engine = Engine::new(Config::default(), seed);
            let mut servers = Vec::from([(engine, Instant::EPOCH)]);
            for _ in 0..40 {
                step(&mut rng, &mut servers, &mut sessions);
            }
            let original = &servers[0].0;
            let text = json::to_text(&original.cluster_state());
            let state: ClusterState = json::from_text(&text).expect("it was just written");
            let mut restored = Engine::in_state(Config::default(), 0, &state).expect(&text);
            assert_eq!(restored.cluster_state(), state);
            assert_eq!(restored.invariant_violation(), None);
            // So that both give new sessions the same ids, whose order decides which ends first.
            restored.rng = original.rng.clone();
            servers.push((restored, Instant::EPOCH));
            for number in 0..60 {
                let answers = step(&mut rng, &mut servers, &mut sessions);
                assert_eq!(answers[0], answers[1], "seed {seed}, step {number}, {text}");
                assert_eq!(servers[0].0.index(), servers[1].0.index(), "seed {seed}");
            }
        }
    }
}
