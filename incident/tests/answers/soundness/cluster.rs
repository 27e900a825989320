//! Carries out the steps of a world on the engine: what each server answers and logs, and what is
//! true at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use lictor_core::Consul;
use lictor_core::engine::{Timer, applied_lock_delay};
use lictor_core::error::Error;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::{Index, SessionId};

use crate::soundness::clock::{Millis, written};
use crate::soundness::history::History;
use crate::soundness::world::{Act, Ask, Draft, KEYS, Number, Question, SEMAPHORE, Step, World};

/// The flags of a semaphore's document, as Consul's client writes it.
const SEMAPHORE_FLAGS: u64 = 16_210_313_421_097_356_768;

/// The answer to a question.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    /// When the answer came.
    pub(crate) at: Millis,
    /// The moment of its content, which is earlier if the answer is stale.
    pub(crate) moment: Millis,
    pub(crate) question: Question,
    pub(crate) target: String,
    pub(crate) response: HttpResponse,
}

/// A line of the log of a node.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) at: Millis,
    pub(crate) level: &'static str,
    pub(crate) module: &'static str,
    pub(crate) message: String,
    /// The step that it shows.
    pub(crate) step: Option<usize>,
}

/// The cluster at a moment, with its past.
pub(crate) struct Cluster {
    consul: Consul,
    /// Whether its logs are written, and questions answered.
    has_logs: bool,
    /// The index at which the holders were noted.
    noted: Index,
    nodes: usize,
    leader: usize,
    term: u64,
    sessions: Vec<SessionId>,
    contenders: BTreeSet<String>,
    holders: BTreeMap<&'static str, Option<SessionId>>,
    /// Since when another client can acquire a key that nobody holds.
    open_since: BTreeMap<&'static str, Millis>,
    /// The keys with the sessions that have held them.
    ever_held: BTreeSet<(&'static str, SessionId)>,
    /// The key, the session and the time of each acquire that was granted.
    pub(crate) granted: Vec<(String, String, Millis)>,
    pub(crate) history: History,
    pub(crate) logs: Vec<Vec<Line>>,
    pub(crate) answered: Vec<Answered>,
}

pub(crate) fn node_name(node: usize) -> String {
    format!("n{}", node + 1)
}

/// Until when a world goes on as it does. After that nobody acts, except as a log shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Until {
    /// The moment of the answer about a key.
    pub(crate) moment: Millis,
    /// A later list of sessions shows what has happened to these until then.
    pub(crate) sessions: Millis,
    /// The timers of the server run until then.
    pub(crate) end: Millis,
}

impl Until {
    pub(crate) const fn moment(moment: Millis) -> Self {
        Self { moment, sessions: moment, end: moment }
    }
}

impl World {
    pub(crate) fn new(nodes: usize, seed: u64, steps: Vec<Step>) -> Self {
        let mut cluster = Cluster::around(Consul::seeded(seed), nodes, false);
        for node in 0..nodes {
            cluster.set_check("serfHealth", node, "passing");
            cluster.set_check("web", node, "passing");
        }
        Self { nodes, beginning: cluster.consul, steps }
    }

    /// Carries out the steps until a moment, and those after it that a log shows. Nobody reads its
    /// logs.
    pub(crate) fn run(&self, until: Until, shown: &BTreeSet<usize>) -> Cluster {
        let mut cluster = Cluster::new(self, false);
        for (place, step) in self.steps.iter().enumerate() {
            let is_listed = step.at <= until.sessions && step.act.is_of_sessions();
            if step.at <= until.moment || is_listed || shown.contains(&place) {
                cluster.advance_to(step.at);
                cluster.perform(place, step);
                cluster.note_holders(step.at);
            }
        }
        cluster.advance_to(until.end);
        cluster
    }

    /// Carries out all steps, with the logs and the answers to questions. An answer that is not
    /// shown, by its place among all, is left empty.
    pub(crate) fn run_all(&self, is_shown: impl Fn(usize) -> bool) -> Cluster {
        let mut cluster = Cluster::new(self, true);
        for (place, step) in self.steps.iter().enumerate() {
            cluster.advance_to(step.at);
            match &step.act {
                Act::Ask(ask) => {
                    let is_shown = is_shown(cluster.answered.len());
                    cluster.answer(place, step, ask, is_shown);
                }
                _ => cluster.perform(place, step),
            }
            cluster.note_holders(step.at);
        }
        cluster
    }
}

impl Cluster {
    fn new(world: &World, has_logs: bool) -> Self {
        let mut cluster = Self::around(world.beginning.clone(), world.nodes, has_logs);
        cluster.log_election(0, None);
        for node in 0..world.nodes {
            let member = format!("member joined, marking health alive: member={}", node_name(node));
            cluster.log(0, "INFO", "agent.server", member, None);
        }
        cluster
    }

    fn around(consul: Consul, nodes: usize, has_logs: bool) -> Self {
        Self {
            consul,
            has_logs,
            noted: Index::ZERO,
            nodes,
            leader: 0,
            term: 2,
            sessions: Vec::new(),
            contenders: BTreeSet::new(),
            holders: BTreeMap::new(),
            open_since: BTreeMap::new(),
            ever_held: BTreeSet::new(),
            granted: Vec::new(),
            history: History::default(),
            logs: vec![Vec::new(); nodes],
            answered: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> Millis {
        self.consul.now().as_millis()
    }

    fn advance_to(&mut self, time: Millis) {
        while let Some((at, timer)) = self.consul.next_deadline() {
            if at.as_millis() > time {
                break;
            }
            let expired = match timer {
                Timer::SessionTtl(session) => Some(*session),
                _ => None,
            };
            let lives = expired.is_some_and(|session| self.lives(session));
            self.consul.advance_to_next();
            if let (Some(session), true) = (expired, lives) {
                let text = format!("Session TTL expired: session={session}");
                self.log(self.leader, "DEBUG", "agent.server", text, None);
            }
            self.note_holders(at.as_millis());
        }
        let rest = time.saturating_sub(self.now());
        self.consul.advance(Duration::from_millis(rest));
    }

    /// Whether this session has ever held the key.
    pub(crate) fn has_held(&self, key: &'static str, id: &str) -> bool {
        SessionId::parse(id).is_some_and(|id| self.ever_held.contains(&(key, id)))
    }

    /// Notes which keys have been released, and from when on they can be acquired.
    fn note_holders(&mut self, now: Millis) {
        // Without a write, nothing has changed.
        let index = self.consul.engine().index();
        if index == self.noted {
            return;
        }
        self.noted = index;
        self.history.note(&self.consul, &self.sessions, now);
        for key in KEYS {
            let holder = self.holder(key);
            let before = self.holders.get(key).copied().flatten();
            if before == holder {
                continue;
            }
            self.holders.insert(key, holder);
            self.ever_held.extend(holder.map(|holder| (key, holder)));
            if before.is_some() && holder.is_none() {
                let delay = self.consul.engine().lock_delay(key);
                let until = delay.map_or(now, |delay| delay.until.as_millis());
                self.open_since.insert(key, until);
            }
        }
    }

    fn perform(&mut self, place: usize, step: &Step) {
        let node = step.node;
        match &step.act {
            Act::Create(draft) => self.create(place, node, draft),
            Act::Delete(key) => {
                let result = self.consul.delete(key);
                self.requested(place, node, "DELETE", format_args!("/v1/kv/{key}"), &result);
            }
            Act::Write(key) => {
                let result = self.consul.put(key, self.now().to_string());
                self.requested(place, node, "PUT", format_args!("/v1/kv/{key}"), &result);
            }
            Act::Fail(check, failed) => self.fail(place, check, *failed),
            Act::Elect(leader) => {
                self.consul.fail_over();
                self.term += 1;
                self.log_election(*leader, Some(place));
            }
            Act::Chat => {
                self.log(node, "DEBUG", "agent", "Node info in sync".into(), Some(place));
            }
            // Only a run with all logs answers.
            Act::Ask(_) => {}
            act => {
                let id = act.session().and_then(|number| self.sessions.get(number).copied());
                if let Some(id) = id {
                    self.perform_by(id, place, node, act);
                }
            }
        }
    }

    /// Performs what a session does, or what is done to it.
    fn perform_by(&mut self, id: SessionId, place: usize, node: usize, act: &Act) {
        match act {
            Act::Renew(_) => {
                let result = self.consul.renew(id);
                let target = format_args!("/v1/session/renew/{id}");
                self.requested(place, node, "PUT", target, &result);
            }
            Act::Destroy(_) => {
                let result = self.consul.destroy(id);
                let target = format_args!("/v1/session/destroy/{id}");
                self.requested(place, node, "PUT", target, &result);
            }
            Act::Acquire(key, _) => self.acquire(place, node, key, id),
            Act::Release(key, _) => self.release(place, node, key, id),
            Act::Enter(_) => {
                self.acquire(place, node, &format!("sem/{id}"), id);
                if self.lives(id) && self.truth_of_semaphore().holder.is_none() {
                    self.contenders = [id.to_string()].into();
                    self.write_document(place, node);
                }
            }
            Act::Leave(_) => {
                self.release(place, node, &format!("sem/{id}"), id);
                self.contenders.remove(&id.to_string());
                self.write_document(place, node);
            }
            Act::RenewInVain(_) => self.refused(place, node, &format!("/v1/session/renew/{id}")),
            Act::DestroyInVain(_) => {
                self.refused(place, node, &format!("/v1/session/destroy/{id}"));
            }
            Act::Elsewhere(what, _) => {
                let join = if what.contains('?') { '&' } else { '?' };
                let target = format!("/v1/{}{join}dc=dc2", what.replace("ID", &id.to_string()));
                self.finished(place, node, "PUT", &target);
            }
            _ => unreachable!("{act:?} is not about a session"),
        }
    }

    fn release(&mut self, place: usize, node: usize, key: &str, id: SessionId) {
        let result = self.consul.release(key, "", id);
        self.requested(place, node, "PUT", format_args!("/v1/kv/{key}?release={id}"), &result);
    }

    fn create(&mut self, place: usize, node: usize, draft: &Draft) {
        let checks = if draft.rests_on_web { r#""serfHealth","web""# } else { r#""serfHealth""# };
        let name = format!("worker-{}", self.sessions.len());
        let Draft { ttl, delay, behavior, .. } = draft;
        let host = node_name(draft.node);
        let body = format!(
            r#"{{"Name":"{name}","Node":"{host}","TTL":"{ttl}","LockDelay":"{delay}",
                "Behavior":"{behavior}","NodeChecks":[{checks}]}}"#
        );
        let response = self.send("PUT", "/v1/session/create", &body);
        let text = String::from_utf8(response.body).unwrap();
        if response.status != 200 {
            return self.failed(place, node, "PUT", "/v1/session/create", &text);
        }
        let id = text.split('"').find_map(SessionId::parse).expect("the id of a session");
        self.sessions.push(id);
        self.finished(place, node, "PUT", "/v1/session/create");
    }

    fn acquire(&mut self, place: usize, node: usize, key: &str, id: SessionId) {
        if let Some(delay) = self.consul.engine().lock_delay(key).filter(|_| self.has_logs) {
            let until = written(delay.until.as_millis()).replace('T', " ").replace('Z', "");
            let text = format!(
                "Rejecting lock of key due to lock-delay: key={key} \
                 expire_time=\"{until} +0000 UTC m=+24.42\""
            );
            self.log(self.leader, "WARN", "agent.server.kvs", text, None);
        }
        let result = self.consul.acquire(key, "", id);
        if result.as_ref().is_ok_and(lictor_core::Written::is_true) {
            self.granted.push((key.into(), id.to_string(), self.now()));
        }
        self.requested(place, node, "PUT", format_args!("/v1/kv/{key}?acquire={id}"), &result);
    }

    fn write_document(&mut self, place: usize, node: usize) {
        let holders: Vec<_> = self.contenders.iter().map(|id| format!("\"{id}\":true")).collect();
        let document = format!(r#"{{"Limit":1,"Holders":{{{}}}}}"#, holders.join(","));
        let target = format!("/v1/kv/{SEMAPHORE}?flags={SEMAPHORE_FLAGS}");
        self.send("PUT", &target, &document);
        self.finished(place, node, "PUT", &target);
    }

    fn fail(&mut self, place: usize, check: &'static str, node: usize) {
        self.set_check(check, node, "critical");
        if check == "serfHealth" {
            let text = format!(
                "member failed, marking health critical: member={} partition=default",
                node_name(node)
            );
            return self.log(self.leader, "INFO", "agent.server", text, Some(place));
        }
        self.finished(place, node, "PUT", &format!("/v1/agent/check/fail/{check}"));
    }

    fn set_check(&mut self, check: &str, node: usize, status: &str) {
        let (name, number) = (node_name(node), node + 1);
        let body = format!(
            r#"{{"Node":"{name}","Address":"10.0.0.{number}","Check":{{"Node":"{name}",
                "CheckID":"{check}","Name":"{check}","Status":"{status}"}}}}"#
        );
        let response = self.send("PUT", "/v1/catalog/register", &body);
        assert_eq!(response.status, 200, "{body}");
    }

    fn answer(&mut self, place: usize, step: &Step, ask: &Ask, is_shown: bool) {
        let id = |number: &Number| {
            self.sessions.get(*number).map_or("none".into(), SessionId::to_string)
        };
        let mut target = match &ask.question {
            Question::Sessions => "/v1/session/list".into(),
            Question::SessionsOfNode(node) => format!("/v1/session/node/{}", node_name(*node)),
            Question::Session(number) => format!("/v1/session/info/{}", id(number)),
            Question::Keys(prefix) => format!("/v1/kv/{prefix}?recurse"),
            Question::Key(key) => format!("/v1/kv/{key}"),
            Question::Nodes => "/v1/catalog/nodes".into(),
            Question::Checks => "/v1/health/state/any".into(),
        };
        if ask.age.is_some() {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str("stale");
        }
        let mut response = if is_shown {
            self.send("GET", &target, "")
        } else {
            HttpResponse { status: 200, headers: Vec::new(), body: Vec::new() }
        };
        if let Some(age) = ask.age {
            for (name, value) in &mut response.headers {
                match name.to_ascii_lowercase().as_str() {
                    "x-consul-knownleader" => *value = "false".into(),
                    "x-consul-lastcontact" => *value = age.to_string(),
                    _ => {}
                }
            }
        }
        let at = step.at + ask.age.unwrap_or_default();
        let question = ask.question.clone();
        self.answered.push(Answered {
            at,
            moment: step.at,
            question,
            target: target.clone(),
            response,
        });
        let message = Self::finished_text("GET", &target);
        let (level, module) = ("DEBUG", "agent.http");
        self.logs[step.node].push(Line { at, level, module, message, step: Some(place) });
    }

    fn send(&mut self, method: &str, target: &str, body: &str) -> HttpResponse {
        let handle = self.consul.request(&HttpRequest::new(method, target, body.as_bytes()));
        self.consul.poll(handle).expect("no request waits")
    }

    /// Logs a request with its result. An answer `false` is no error.
    fn requested<T>(
        &mut self,
        place: usize,
        node: usize,
        method: &str,
        target: fmt::Arguments<'_>,
        result: &Result<T, Error>,
    ) {
        if !self.has_logs {
            return;
        }
        match result {
            Ok(_) => self.finished(place, node, method, &target.to_string()),
            Err(error) => {
                self.failed(place, node, method, &target.to_string(), &error.to_string());
            }
        }
    }

    fn refused(&mut self, place: usize, node: usize, target: &str) {
        self.failed(place, node, "PUT", target, "No cluster leader");
    }

    fn failed(&mut self, place: usize, node: usize, method: &str, target: &str, error: &str) {
        let error = error.replace('"', "\\\"");
        let text = format!(
            "Request error: method={method} url={target} from=127.0.0.1:34284 error=\"{error}\""
        );
        self.log(node, "ERROR", "agent.http", text, Some(place));
        self.finished(place, node, method, target);
    }

    fn finished(&mut self, place: usize, node: usize, method: &str, target: &str) {
        let text = Self::finished_text(method, target);
        self.log(node, "DEBUG", "agent.http", text, Some(place));
    }

    fn finished_text(method: &str, target: &str) -> String {
        format!("Request finished: method={method} url={target} from=127.0.0.1:34284 latency=191µs")
    }

    fn log_election(&mut self, leader: usize, place: Option<usize>) {
        self.leader = leader;
        let candidate = format!(
            "entering candidate state: node=\"Node at 10.0.0.{}:8300 [Candidate]\" term={}",
            leader + 1,
            self.term
        );
        self.log(leader, "INFO", "agent.server.raft", candidate, place);
        let votes =
            format!("calculated votes needed: needed={} term={}", self.nodes / 2 + 1, self.term);
        self.log(leader, "DEBUG", "agent.server.raft", votes, place);
        self.log(leader, "INFO", "agent.server", "cluster leadership acquired".into(), place);
        for node in 0..self.nodes {
            let text = format!("New leader elected: payload={}", node_name(leader));
            self.log(node, "INFO", "agent.server", text, place);
        }
    }

    fn log(
        &mut self,
        node: usize,
        level: &'static str,
        module: &'static str,
        message: String,
        step: Option<usize>,
    ) {
        let at = self.now();
        if self.has_logs {
            self.logs[node].push(Line { at, level, module, message, step });
        }
    }
}

/// What is true of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Truth {
    pub(crate) holder: Option<String>,
    /// From when on another client can acquire it if nobody acts, which may be in the past. `None`:
    /// never.
    pub(crate) open_from: Option<Millis>,
}

impl Cluster {
    fn holder(&self, key: &str) -> Option<SessionId> {
        let entry = self.consul.engine().store().kv().get(key)?;
        entry.holder().and_then(|holder| SessionId::parse(holder.as_str()))
    }

    fn lives(&self, session: SessionId) -> bool {
        self.consul.engine().store().sessions().get(session).is_some()
    }

    /// Whether a session with this id, or with an id that begins so, lives.
    pub(crate) fn lives_by_name(&self, id: &str) -> bool {
        let mut live = self.consul.engine().store().sessions().iter();
        live.any(|session| session.id.to_string().starts_with(id))
    }

    /// The keys that a session holds.
    pub(crate) fn held_by(&self, id: &str) -> Vec<String> {
        let kv = self.consul.engine().store().kv();
        let is_held = |id: SessionId| kv.held_by(id).map(|key| key.as_str().into()).collect();
        SessionId::parse(id).map(is_held).unwrap_or_default()
    }

    /// The TTL and the applied lock-delay of a session that lives.
    pub(crate) fn limits(&self, id: &str) -> Option<(Option<Duration>, Duration)> {
        let session = self.consul.engine().store().sessions().get(SessionId::parse(id)?)?;
        Some((session.ttl.duration(), applied_lock_delay(session.lock_delay)))
    }

    /// When a session ends if nobody acts, if it does; `None` if it does not live.
    pub(crate) fn end_of(&self, id: &str) -> Option<Option<Millis>> {
        let id = SessionId::parse(id).filter(|id| self.lives(*id))?;
        Some(self.consul.engine().session_clock(id).map(|clock| clock.ends.as_millis()))
    }

    /// The ids of all sessions that were created.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = String> {
        self.sessions.iter().map(SessionId::to_string)
    }

    pub(crate) fn truth(&self, key: &str) -> Truth {
        if key == SEMAPHORE {
            return self.truth_of_semaphore();
        }
        let open_since = self.open_since.get(key).copied().unwrap_or_default();
        let Some(holder) = self.holder(key) else {
            return Truth { holder: None, open_from: Some(open_since) };
        };
        let engine = self.consul.engine();
        let session = engine.store().sessions().get(holder).expect("a holder lives");
        let ends = engine.session_clock(holder).map(|clock| clock.ends.as_millis());
        let delay = applied_lock_delay(session.lock_delay).as_millis() as Millis;
        Truth { holder: Some(holder.to_string()), open_from: ends.map(|ends| ends + delay) }
    }

    /// The slot is open if its contender does not hold the contender key any more; a lock-delay
    /// does not matter. Otherwise it is open when the session of the contender has ended.
    fn truth_of_semaphore(&self) -> Truth {
        let holds = |id: &&String| self.held_by(id).contains(&format!("sem/{id}"));
        let Some(holder) = self.contenders.iter().find(holds) else {
            return Truth { holder: None, open_from: Some(0) };
        };
        let id = SessionId::parse(holder).expect("a contender is a session");
        let clock = self.consul.engine().session_clock(id);
        let open_from = clock.map(|clock| clock.ends.as_millis());
        Truth { holder: Some(holder.clone()), open_from }
    }
}
