//! An incident as the beginning of a world, in which time runs on. Where the sources allow several
//! moments for a deadline, the world has the latest one. All that it assumes is listed.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use lictor_core::ConsulVersion;
use lictor_core::engine::{
    ClusterState, Config, Engine, LOCK_DELAY_MAX, LockDelayState, TTL_GRACE,
};
use lictor_core::error::Cause;
use lictor_core::id::{CheckId, Folded, Index, Key, NodeName, ServiceId, SessionId, SessionRef};
use lictor_core::json;
use lictor_core::store::catalog::{CheckStatus, SERF_HEALTH};
use lictor_core::store::session::ServiceCheck;
use lictor_core::store::{
    Behavior, CheckState, Contradiction, EntryState, NodeState, SessionState, SessionTtl,
};
use lictor_core::time::Instant;
use serde::Serialize;
use thiserror::Error;

use crate::answer::{Answer, AnswerKind};
use crate::assumption::Assumption;
use crate::ends::Ended;
use crate::free::last_holder;
use crate::incident::Incident;
use crate::lists::{Check, KeyEntry, Node, Session};
use crate::log::{LogEvent, Request};
use crate::observed::Observed;
use crate::time::{after, seconds};

/// The seed of the random numbers of the world, such as the ids of its later sessions.
const SEED: u64 = 1;
/// The most rows before a world that its log can have.
const OBSERVED_MAX: usize = 200;
/// The most assumptions among them, besides a row with the number of the others.
const ASSUMED_MAX: usize = 20;
/// The last minor version of Consul 1 that counts as 1.13; later ones count as 1.22.
const LAST_OF_1_13: u32 = 17;

/// A world that begins at the moment of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IncidentWorld {
    /// The world as a log file, without clients and acts.
    pub log: String,
    /// The moment at which it begins.
    pub begins: Timestamp,
    /// What it assumes where the sources leave something open, in sentences.
    pub assumptions: Vec<String>,
}

/// Why an incident makes no world.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorldError {
    /// An id is not a UUID, for example because it was replaced before the list was shared.
    #[error("{0:?} is not the id of a session")]
    NotAnId(String),
    /// A value is not base64, as Consul writes it.
    #[error("the value of the key {0:?} is not base64")]
    NotBase64(String),
    /// The records contradict each other, for example because two clusters are mixed.
    #[error(transparent)]
    Contradiction(#[from] Contradiction),
}

/// The first line of a log file: docs/en/reference/formats.md.
#[derive(Serialize)]
struct Head<'a> {
    lictor: &'static str,
    version: u32,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    consul: Option<ConsulVersion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<&'a Config>,
    network: &'static str,
    state: &'a ClusterState,
    observed: ObservedPast,
    acts: usize,
    end: u64,
}

/// What the sources show of the time before the world.
#[derive(Serialize)]
struct ObservedPast {
    before: usize,
    events: Vec<ObservedEvent>,
}

#[derive(Serialize)]
struct ObservedEvent {
    /// In nanoseconds.
    ago: u64,
    text: String,
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    gap: bool,
}

/// What has become of a session of the list at the moment of the incident.
enum Fate {
    /// It ends at this time unless it is renewed; `None` if it has no TTL.
    Lives(Option<Timestamp>),
    Ended(Timestamp, Cause),
}

impl Incident {
    /// The world that begins at the moment for which the answers hold. A deadline that has bounds
    /// is at the latest one. There are no clients, so no session is renewed.
    ///
    /// # Errors
    ///
    /// Fails if an id or a value cannot be read, or if the lists contradict each other.
    pub fn world(&self) -> Result<IncidentWorld, WorldError> {
        let mut builder =
            Builder { incident: self, state: ClusterState::default(), assumed: Vec::new() };
        builder.add_moments();
        builder.add_sessions()?;
        builder.add_keys()?;
        builder.add_delays();
        builder.add_nodes();
        builder.add_checks();
        let config = builder.config();
        let Builder { mut state, assumed, .. } = builder;
        state.index = newest(&state);
        let state = Engine::in_state(config.clone(), SEED, &state)?.cluster_state();
        let is_default = config == Config::of(config.version);
        let head = Head {
            lictor: "log",
            version: 1,
            seed: SEED,
            consul: is_default.then_some(config.version),
            config: (!is_default).then_some(&config),
            network: "tcp",
            state: &state,
            observed: self.observed_past(&assumed),
            acts: 0,
            end: 0,
        };
        let log = json::to_text(&head) + "\n";
        let assumptions =
            assumed.iter().map(|it| it.sentence(&|time| self.write_time(time))).collect();
        Ok(IncidentWorld { log, begins: self.now, assumptions })
    }

    /// The last events before the world, and what it assumes of its deadlines. The times in their
    /// texts are those of the world.
    fn observed_past(&self, assumed: &[Assumption]) -> ObservedPast {
        let at = |time: Timestamp| match time.duration_since(self.now) {
            span if span.is_negative() => format!("−{}", seconds(span.unsigned_abs())),
            span => seconds(span.unsigned_abs()),
        };
        let assumed: Vec<_> = assumed.iter().filter(|it| it.is_about_time()).collect();
        let (listed, more) = assumed.split_at(assumed.len().min(ASSUMED_MAX));
        let listed = listed.iter().map(|it| format!("assumed: {}", it.sentence(&at)));
        let more = (!more.is_empty()).then(|| format!("{} more assumptions", more.len()));
        let assumed = listed.chain(more).map(|text| ObservedEvent { ago: 0, text, gap: true });
        let assumed: Vec<_> = assumed.collect();
        let (before, observed) = self.observed_with(OBSERVED_MAX - assumed.len(), &at);
        let event = |Observed { time, text, is_gap, .. }| {
            let span = self.now.duration_since(time).max(SignedDuration::ZERO);
            let ago = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
            ObservedEvent { ago, text, gap: is_gap }
        };
        ObservedPast { before, events: observed.into_iter().map(event).chain(assumed).collect() }
    }

    fn fate(&self, session: &Session) -> Fate {
        if let Some(end) = self.end_of(&session.id) {
            return Fate::Ended(end.bounds.latest, cause_of(&end));
        }
        let Some(ttl) = session.ttl() else { return Fate::Lives(None) };
        let latest = self.end_by_ttl(session, ttl, self.now).bounds.latest;
        if latest > self.now {
            Fate::Lives(Some(latest))
        } else {
            Fate::Ended(latest, Cause::TtlExpired)
        }
    }
}

struct Builder<'a> {
    incident: &'a Incident,
    state: ClusterState,
    assumed: Vec<Assumption>,
}

impl Builder<'_> {
    /// A moment as a time of the world, which is after its beginning by `limit` at most.
    fn time(&self, time: Timestamp, limit: Duration) -> Instant {
        let span = time.duration_since(self.incident.now);
        let nanos = u64::try_from(span.as_nanos()).unwrap_or(0);
        Instant::from_nanos(nanos.max(1)).min(Instant::EPOCH.plus(limit))
    }

    fn add_moments(&mut self) {
        for listing in self.incident.listings.iter().filter(|it| it.moment.is_assumed()) {
            let (list, time) = (listing.name(), listing.moment.latest);
            self.assumed.push(Assumption::Taken { list, time });
        }
    }

    fn add_sessions(&mut self) -> Result<(), WorldError> {
        for session in self.incident.sessions.values() {
            let Fate::Lives(end) = self.incident.fate(session) else { continue };
            let members = [
                ("TTL", session.ttl.is_some(), "has none"),
                ("LockDelay", session.lock_delay.is_some(), "has the longest, 60 s"),
                ("checks", session.has_all_checks(), "rests on none but those in the list"),
            ];
            for (member, _, instead) in members.into_iter().filter(|(_, is_there, _)| !is_there) {
                let session = self.incident.name_of(&session.id);
                self.assumed.push(Assumption::Dropped { session, member, instead });
            }
            let twice = session.ttl().unwrap_or_default().saturating_mul(TTL_GRACE);
            let ends = end.map(|end| self.time(end, twice));
            if let (Some(end), Some(ttl)) = (end, session.ttl()) {
                let bounds = self.incident.end_by_ttl(session, ttl, self.incident.now).bounds;
                if bounds.earliest != bounds.latest {
                    self.assumed.push(Assumption::EndsLatest {
                        session: self.incident.name_of(&session.id),
                        earliest: bounds.earliest.max(self.incident.now),
                        latest: end,
                    });
                }
            }
            let mut state = state_of(session, ends)?;
            if session.node.is_empty() {
                state.node = self.own_node();
            }
            self.state.sessions.push(state);
        }
        Ok(())
    }

    fn add_keys(&mut self) -> Result<(), WorldError> {
        for entry in self.incident.entries() {
            let holder = match &entry.session {
                None => None,
                Some(holder) => match self.holder(entry, holder)? {
                    HolderState::Lives => Some(SessionRef::from(holder.as_str())),
                    HolderState::Ended => None,
                    HolderState::DeletesKey => continue,
                },
            };
            let value = entry.value.as_deref().unwrap_or_default();
            let value =
                STANDARD.decode(value).map_err(|_| WorldError::NotBase64(entry.key.clone()))?;
            self.state.keys.push(EntryState {
                key: Key::from(entry.key.as_str()),
                value: Arc::from(value),
                flags: entry.flags,
                lock_index: entry.lock_index,
                session: holder,
                held_since: None,
                create_index: Index(entry.create_index),
                modify_index: Index(entry.modify_index),
            });
        }
        Ok(())
    }

    /// What the end of its holder has done to a key. A holder that is in no list, and whose end is
    /// not in the log, is alive in the world.
    fn holder(&mut self, entry: &KeyEntry, holder: &str) -> Result<HolderState, WorldError> {
        let Some(session) = self.incident.session(holder) else {
            if self.incident.end_of(holder).is_some() {
                return Ok(HolderState::Ended);
            }
            self.add_unlisted(holder)?;
            return Ok(HolderState::Lives);
        };
        let Fate::Ended(at, cause) = self.incident.fate(session) else {
            return Ok(HolderState::Lives);
        };
        if self.incident.end_of(holder).is_none() {
            // No line has its end, and the answer for the key is that of a session that may live.
            let until = after(at, self.incident.delay_of(holder).1);
            let session = self.incident.name_of(holder);
            self.assumed.push(Assumption::HasEnded { session, latest: at });
            self.delay(entry.key.as_str(), until, Some(holder), cause);
        }
        Ok(if session.deletes() { HolderState::DeletesKey } else { HolderState::Ended })
    }

    fn add_unlisted(&mut self, holder: &str) -> Result<(), WorldError> {
        let id = SessionId::parse(holder).ok_or_else(|| WorldError::NotAnId(holder.into()))?;
        if self.state.sessions.iter().any(|session| session.id == id) {
            return Ok(());
        }
        self.assumed.push(Assumption::Unlisted { session: self.incident.name_of(holder) });
        self.state.sessions.push(SessionState {
            id,
            name: Arc::default(),
            node: self.own_node(),
            lock_delay: nanos(LOCK_DELAY_MAX),
            behavior: Behavior::Release,
            ttl: SessionTtl::default(),
            ends: None,
            node_checks: None,
            service_checks: None,
            checks: None,
            create_index: Index::ZERO,
        });
        Ok(())
    }

    /// The lock-delays of keys that nobody holds.
    fn add_delays(&mut self) {
        for answer in self.incident.answers() {
            if answer.kind == AnswerKind::Unknown {
                self.add_delay_of_listed(&answer.key);
                self.assumed.push(Assumption::UnknownHolder { key: answer.key.clone() });
            }
            let Answer { kind: AnswerKind::Delayed | AnswerKind::MaybeDelayed, .. } = answer else {
                continue;
            };
            let Some(until) = answer.latest else { continue };
            if answer.earliest != answer.latest {
                let key = answer.key.clone();
                self.assumed.push(Assumption::DelayedLatest { key, latest: until });
            }
            let entry = self.incident.keys.get(&answer.key).and_then(|seen| seen.entry.as_ref());
            let listed = entry.and_then(|entry| entry.session.as_deref());
            let of_list = listed.map(|session| (session, self.incident.end_of(session)));
            let ended = of_list.or_else(|| last_holder(self.incident, &answer.key));
            let cause = ended.as_ref().and_then(|(_, end)| end.as_ref()).map(cause_of);
            let session = ended.map(|(session, _)| session);
            self.delay(&answer.key, until, session, cause.unwrap_or(Cause::Unknown));
        }
    }

    /// The lock-delay of a key whose listed holder has ended since, if no line says what else
    /// became of it.
    fn add_delay_of_listed(&mut self, key: &str) {
        let entry = self.incident.keys.get(key).and_then(|seen| seen.entry.as_ref());
        let Some(session) = entry.and_then(|entry| entry.session.as_deref()) else { return };
        let Some(end) = self.incident.end_of(session) else { return };
        let until = after(end.bounds.latest, self.incident.delay_of(session).1);
        self.delay(key, until, Some(session), cause_of(&end));
    }

    fn delay(&mut self, key: &str, until: Timestamp, session: Option<&str>, cause: Cause) {
        if until <= self.incident.now {
            return;
        }
        // The end of its holder has changed the key, unless it was changed since.
        let index =
            self.incident.entries().find(|it| it.key == key).map_or(0, |entry| entry.modify_index);
        let session = session.and_then(SessionId::parse);
        self.state.lock_delays.push(LockDelayState {
            key: Key::from(key),
            until: self.time(until, LOCK_DELAY_MAX),
            index: Index(index),
            session: session.unwrap_or(SessionId::from_bytes([0; 16])),
            cause,
        });
    }

    /// The listed nodes, the server's, and those that sessions and checks name.
    fn add_nodes(&mut self) {
        let mut known: BTreeSet<Folded> = BTreeSet::new();
        for node in self.incident.nodes.values() {
            if known.insert(Folded::new(&node.node)) {
                self.state.nodes.push(NodeState {
                    name: NodeName::from(node.node.as_str()),
                    id: Arc::from(node.id.as_str()),
                    address: Arc::from(node.address.as_str()),
                    tagged_addresses: node.tagged_addresses.clone(),
                    meta: node.meta.clone(),
                    create_index: Index(node.create_index),
                    modify_index: Index(node.modify_index),
                });
            }
        }
        let of_sessions = self.state.sessions.iter().map(|session| session.node.clone());
        let of_checks = self.incident.checks.iter();
        let of_checks = of_checks.map(|check| NodeName::from(check.node.as_str()));
        let named: Vec<_> =
            [self.own_node()].into_iter().chain(of_sessions).chain(of_checks).collect();
        for name in named {
            if known.insert(name.folded()) {
                self.assumed.push(Assumption::UnlistedNode { node: name.clone() });
                self.state.nodes.push(NodeState {
                    name,
                    id: Arc::default(),
                    address: Arc::default(),
                    tagged_addresses: None,
                    meta: None,
                    create_index: Index::ZERO,
                    modify_index: Index::ZERO,
                });
            }
        }
    }

    /// The listed checks, and as passing those that only a session names.
    fn add_checks(&mut self) {
        let mut checks: BTreeMap<(Folded, Folded), CheckState> = BTreeMap::new();
        for check in &self.incident.checks {
            let path = (Folded::new(&check.node), Folded::new(&check.check_id));
            checks.insert(path, check_state(check));
        }
        for session in &self.state.sessions {
            let listed =
                session.node_checks.iter().flatten().chain(session.checks.iter().flatten());
            let of_services = session.service_checks.iter().flatten().map(|check| &check.id);
            for id in listed.chain(of_services) {
                let path = (session.node.folded(), id.folded());
                checks.entry(path).or_insert_with(|| passing(&session.node, id));
            }
        }
        self.state.checks = checks.into_values().collect();
    }

    /// The node of the server: that of the agent that was asked if it is listed, else the first
    /// listed node, else that of the first session.
    fn own_node(&self) -> NodeName {
        let incident = self.incident;
        let agent =
            incident.agent.as_ref().filter(|agent| incident.nodes.contains_key(&agent.node));
        let first = agent.map(|agent| &agent.node).or_else(|| incident.nodes.keys().next());
        // A list through `jq` may not have the nodes of its sessions.
        let mut of_sessions = incident.sessions.values().map(|session| &session.node);
        match first.or_else(|| of_sessions.find(|node| !node.is_empty())) {
            Some(node) => NodeName::from(node.as_str()),
            None => Config::default().node,
        }
    }

    fn config(&self) -> Config {
        let node = self.own_node();
        let listed = self.incident.nodes.get(node.as_str());
        let mut config = Config::of(listed.map_or_else(ConsulVersion::default, version_of));
        config.node = node;
        if let Some(Node { id, address, meta, .. }) = listed {
            config.node_id.clone_from(id);
            config.address.clone_from(address);
            config.node_meta.clone_from(meta);
        }
        if let Some(datacenter) = &self.incident.datacenter {
            config.datacenter.clone_from(datacenter);
        }
        config
    }
}

enum HolderState {
    Lives,
    Ended,
    DeletesKey,
}

/// The last entry of the log that a record names.
fn newest(state: &ClusterState) -> Index {
    let nodes = state.nodes.iter().map(|node| node.modify_index);
    let checks = state.checks.iter().map(|check| check.modify_index);
    let sessions = state.sessions.iter().map(|session| session.create_index);
    let keys = state.keys.iter().map(|entry| entry.modify_index);
    let delays = state.lock_delays.iter().map(|delay| delay.index);
    nodes.chain(checks).chain(sessions).chain(keys).chain(delays).max().unwrap_or_default()
}

/// Consul has its version in the metadata of its nodes since 1.15.
fn version_of(node: &Node) -> ConsulVersion {
    let version = node.meta.iter().flatten().find(|(name, _)| &***name == "consul-version");
    let minor = version.and_then(|(_, version)| version.split('.').nth(1)?.parse::<u32>().ok());
    match minor {
        Some(minor) if minor > LAST_OF_1_13 => ConsulVersion::V1_22,
        _ => ConsulVersion::V1_13,
    }
}

fn cause_of(end: &Ended<'_>) -> Cause {
    match end.line.map(|line| &line.event) {
        Some(LogEvent::Expired(_)) => Cause::TtlExpired,
        Some(LogEvent::Request(Request::Destroy(_))) => Cause::Requested,
        _ => Cause::Unknown,
    }
}

fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

fn state_of(session: &Session, ends: Option<Instant>) -> Result<SessionState, WorldError> {
    let ids = |ids: &Option<Vec<String>>| {
        let ids: Vec<_> = ids.iter().flatten().map(|id| CheckId::from(id.as_str())).collect();
        Some(ids).filter(|ids| !ids.is_empty())
    };
    let of_services = session.service_checks.iter().flatten().map(|check| ServiceCheck {
        id: CheckId::from(check.id.as_str()),
        namespace: Arc::default(),
    });
    let of_services: Vec<_> = of_services.collect();
    Ok(SessionState {
        id: SessionId::parse(&session.id).ok_or_else(|| WorldError::NotAnId(session.id.clone()))?,
        name: Arc::from(session.name.as_str()),
        node: NodeName::from(session.node.as_str()),
        lock_delay: nanos(session.lock_delay.unwrap_or(LOCK_DELAY_MAX)),
        behavior: if session.deletes() { Behavior::Delete } else { Behavior::Release },
        ttl: session.ttl.clone().unwrap_or_default(),
        ends,
        node_checks: ids(&session.node_checks),
        service_checks: Some(of_services).filter(|checks| !checks.is_empty()),
        checks: ids(&session.checks),
        create_index: Index(session.create_index),
    })
}

fn check_state(check: &Check) -> CheckState {
    CheckState {
        node: NodeName::from(check.node.as_str()),
        id: CheckId::from(check.check_id.as_str()),
        name: Arc::from(check.name.as_str()),
        status: CheckStatus::from(check.status.as_str()),
        notes: Arc::from(check.notes.as_str()),
        output: Arc::from(check.output.as_str()),
        service: check.service_id.as_deref().map(ServiceId::from),
        service_name: Arc::from(check.service_name.as_str()),
        service_tags: check.service_tags.clone().filter(|tags| !tags.is_empty()),
        kind: Arc::from(check.kind.as_str()),
        session_name: Arc::default(),
        create_index: Index(check.create_index),
        modify_index: Index(check.modify_index),
    }
}

fn passing(node: &NodeName, id: &CheckId) -> CheckState {
    let name = if id.as_str() == SERF_HEALTH { "Serf Health Status" } else { id.as_str() };
    CheckState {
        node: node.clone(),
        id: id.clone(),
        name: Arc::from(name),
        status: CheckStatus::Passing,
        notes: Arc::default(),
        output: Arc::default(),
        service: None,
        service_name: Arc::default(),
        service_tags: None,
        kind: Arc::default(),
        session_name: Arc::default(),
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}
