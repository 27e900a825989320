//! What all sources together say: the lists, the log in the order of time, and for which time the
//! log has every request.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::application::{self, Application, ClientEvent};
use crate::beliefs::{self, Beliefs};
use crate::lists::{Check, KeyEntry, List, Node, Session};
use crate::log::{LogEvent, Request};
use crate::pattern::ClientEventKind;
use crate::renewal_clock::Renewals;
use crate::source::{self, Content, Evidence, IncidentError, Source, Unused};
use crate::summary::{ClockProposal, SourceSummary, summaries};

/// A line of a log about a lock.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) time: Timestamp,
    pub(crate) event: LogEvent,
    pub(crate) line: Arc<Evidence>,
}

/// A log with the requests of an agent: its name, and its first and its last time.
type ServerLog = (Arc<str>, (Timestamp, Timestamp));

/// The time of which the logs have every request to the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    pub(crate) from: Timestamp,
    /// Whether the cluster is new: there was nothing before.
    pub(crate) from_birth: bool,
}

/// What was read of an incident.
#[derive(Clone, Debug)]
pub struct Incident {
    /// `None` without a list of sessions.
    pub(crate) sessions: Option<BTreeMap<String, Session>>,
    pub(crate) keys: BTreeMap<String, KeyEntry>,
    /// The nodes by their names; those that only a check names are missing.
    pub(crate) nodes: BTreeMap<String, Node>,
    pub(crate) checks: Vec<Check>,
    /// The agent that was asked.
    pub(crate) agent: Option<Node>,
    /// In the order of time.
    pub(crate) log: Vec<Observation>,
    /// What clients wrote, in the order of time.
    pub(crate) clients: Vec<ClientEvent>,
    /// The places in it of the renewals of each session.
    pub(crate) client_renewals: BTreeMap<String, Vec<usize>>,
    pub(crate) beliefs: Beliefs,
    /// The first and the last time of each log of a server.
    pub(crate) server_spans: Vec<(Timestamp, Timestamp)>,
    /// The places in the log of the lines about each session and about each key.
    by_session: BTreeMap<String, Vec<usize>>,
    by_key: BTreeMap<String, Vec<usize>>,
    /// The place of the last election.
    election: Option<usize>,
    /// When the lists were taken.
    pub(crate) taken: Timestamp,
    /// The later of that and the last line of the log.
    pub(crate) now: Timestamp,
    pub(crate) coverage: Option<Coverage>,
    pub(crate) when: TakenBy,
    sources: Vec<SourceSummary>,
    unused: Vec<Unused>,
}

/// The source of the time at which the lists were taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TakenBy {
    Caller,
    /// The request for the list is in the log.
    Request(Arc<Evidence>),
    /// A `Date` header, in whole seconds.
    Header,
    /// The last line of the log, as there is no other source.
    EndOfLog,
}

impl Incident {
    /// Reads all sources. `taken` is when the lists were taken; without it, the log, a `Date`
    /// header or the last line of the log says it.
    ///
    /// # Errors
    ///
    /// Fails if no source has anything of Consul's, if the lists are from several datacenters, and
    /// with [`IncidentError::NoTime`] if no source has the time at which the lists were taken.
    pub fn read(sources: &[Source<'_>], taken: Option<Timestamp>) -> Result<Self, IncidentError> {
        Self::read_sources(sources, taken, None, &mut |_| {})
    }

    /// Reads all sources as [`Incident::read`], but if no source has the time at which the lists
    /// were taken, they count as taken `now`. Calls `progress` after about each MiB of a
    /// source, and at its end, with the number of bytes that were read since the last call; not
    /// for a shorter source.
    ///
    /// # Errors
    ///
    /// As [`Incident::read`], except for [`IncidentError::NoTime`].
    pub fn read_now(
        sources: &[Source<'_>],
        taken: Option<Timestamp>,
        now: Timestamp,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, IncidentError> {
        Self::read_sources(sources, taken, Some(now), progress)
    }

    fn read_sources(
        sources: &[Source<'_>],
        taken: Option<Timestamp>,
        now: Option<Timestamp>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Self, IncidentError> {
        let contents: Vec<Content<'_>> =
            sources.iter().map(|source| source::read(source, progress)).collect();
        let known = application::known_names(&contents);
        let applications: Vec<Option<Application<'_>>> = sources
            .iter()
            .zip(&contents)
            .map(|(source, content)| application::read(source, content, &known))
            .collect();
        let sources = summaries(sources, &contents, &applications);
        let spans: Vec<_> = contents.iter().filter_map(|content| content.span).collect();
        let end_of_log = spans.iter().map(|(_, last)| *last).max();
        let date = contents.iter().filter_map(|content| content.date).max();
        let mut facts = Facts::default();
        let (mut logs, mut unused) = (Vec::new(), Vec::new());
        for (content, application) in contents.into_iter().zip(&applications) {
            if let (true, Some((first, last))) = (content.has_requests, content.span) {
                logs.push((content.name.clone(), (first, last)));
            }
            facts.warn_of_zone(&content);
            content.lists.into_iter().for_each(|(list, evidence)| facts.add(list, evidence));
            facts.log.extend(content.log.into_iter().filter_map(|(line, evidence)| {
                Some(Observation { time: line.time, event: line.event?, line: evidence })
            }));
            unused.extend(content.unused);
            if let Some(application) = application {
                facts.read_any |= application.summary.found() > 0;
                unused.extend(application.unused());
            }
        }
        unused.append(&mut facts.unused);
        if !facts.read_any && facts.log.is_empty() && end_of_log.is_none() {
            return Err(IncidentError::NothingRead(unused));
        }
        if facts.datacenters.len() > 1 {
            return Err(IncidentError::Datacenters(facts.datacenters.into_iter().collect()));
        }
        facts.log.sort_by_key(|observation| observation.time);
        let (taken, when) = facts.time_taken(taken, date, end_of_log, now)?;
        let coverage = facts.coverage(&logs);
        let is_election = |observation: &Observation| observation.event == LogEvent::Elected;
        let incident = Self {
            clients: Vec::new(),
            client_renewals: BTreeMap::new(),
            beliefs: Beliefs::default(),
            server_spans: spans,
            by_session: index(&facts.log, LogEvent::session),
            by_key: index(&facts.log, LogEvent::key),
            election: facts.log.iter().rposition(is_election),
            sessions: facts.sessions,
            keys: facts.keys,
            nodes: facts.nodes,
            checks: facts.checks,
            agent: facts.agent,
            log: facts.log,
            taken,
            now: end_of_log.map_or(taken, |end| end.max(taken)),
            coverage,
            when,
            sources,
            unused,
        };
        Ok(incident.with_applications(&applications, &logs))
    }

    /// Adds what the applications in the sources wrote. `logs` have the requests of an agent.
    fn with_applications(
        mut self,
        applications: &[Option<Application<'_>>],
        logs: &[ServerLog],
    ) -> Self {
        for application in applications.iter().flatten() {
            self.clients.extend(application.events(self.taken));
        }
        self.clients.sort_by_key(|event| event.time);
        self.propose_offsets(applications, logs);
        self.client_renewals = beliefs::renewals(&self.clients);
        let is_key = |key: &str| self.keys.contains_key(key) || self.by_key.contains_key(key);
        let key_of = |session: &str| self.only_key_of(session);
        let unknown =
            application::unknown_names(&self.clients, is_key, |session| key_of(session).is_some());
        self.beliefs = beliefs::beliefs(&self.clients, key_of);
        self.unused.extend(unknown);
        self
    }

    /// Proposes an offset for the clock of an application from the renewals of sessions that a log
    /// of a server has, too.
    fn propose_offsets(&mut self, applications: &[Option<Application<'_>>], logs: &[ServerLog]) {
        for (place, application) in applications.iter().enumerate() {
            let Some(application) = application else { continue };
            let Some(span) = application.span(self.taken) else { continue };
            let name = application.source();
            let renewals = self.clients.iter().filter_map(|event| {
                let is_renewal = event.kind == ClientEventKind::Renewed;
                let is_own = is_renewal && Arc::ptr_eq(&event.line.source, name);
                Some((event.session.as_deref().filter(|_| is_own)?, event.time))
            });
            let renewals = Renewals::new(renewals, span);
            let others = logs.iter().filter(|(other, _)| !Arc::ptr_eq(other, name));
            let others = others.map(|(other, span)| (&**other, self.renewals_of(other, *span)));
            let offset = self.sources[place].clock_offset;
            let proposal = ClockProposal::by_renewals(offset, &renewals, others);
            if let Some(source) = self.sources.get_mut(place) {
                source.proposal = source.proposal.take().or(proposal);
            }
        }
    }

    /// The renewals in a log of a server. One that follows the end of its session has failed.
    fn renewals_of(&self, name: &Arc<str>, span: (Timestamp, Timestamp)) -> Renewals<'_> {
        let mut ended = BTreeSet::new();
        let mut renewals = Vec::new();
        for observation in &self.log {
            match &observation.event {
                LogEvent::Expired(session) | LogEvent::Request(Request::Destroy(session)) => {
                    ended.insert(session.as_str());
                }
                LogEvent::Request(Request::Renew(session))
                    if Arc::ptr_eq(&observation.line.source, name)
                        && !ended.contains(session.as_str()) =>
                {
                    renewals.push((session.as_str(), observation.time));
                }
                _ => {}
            }
        }
        Renewals::new(renewals.into_iter(), span)
    }

    /// The key that a session holds or has asked for; `None` if it is not exactly one.
    fn only_key_of(&self, session: &str) -> Option<String> {
        let asked = self.lines_of_session(session).filter_map(|line| line.event.key());
        let held = self.keys.values().filter(|key| key.session.as_deref() == Some(session));
        let mut keys = asked.chain(held.map(|key| key.key.as_str()));
        let key = keys.next()?;
        keys.all(|other| other == key).then(|| key.into())
    }

    /// What each source holds, in the order in which they were passed.
    pub fn sources(&self) -> &[SourceSummary] {
        &self.sources
    }

    /// What was not used of the sources, and why.
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// The moment for which the answers hold: when the lists were taken, or the last line of the
    /// log if that is later.
    pub fn as_of(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.as_ref()?.get(id)
    }

    /// The lines about a session, in order.
    pub(crate) fn lines_of_session(
        &self,
        id: &str,
    ) -> impl DoubleEndedIterator<Item = &Observation> {
        self.by_session.get(id).into_iter().flatten().map(|place| &self.log[*place])
    }

    /// The lines about a key, in order.
    pub(crate) fn lines_of_key(&self, key: &str) -> impl DoubleEndedIterator<Item = &Observation> {
        self.by_key.get(key).into_iter().flatten().map(|place| &self.log[*place])
    }

    /// The acquires of a key with the session of each, in order.
    pub(crate) fn acquires(
        &self,
        key: &str,
    ) -> impl DoubleEndedIterator<Item = (&str, &Observation)> {
        self.lines_of_key(key).filter_map(|observation| match &observation.event {
            LogEvent::Request(Request::Acquire { session, .. }) => {
                Some((session.as_str(), observation))
            }
            _ => None,
        })
    }

    /// The keys that the log names.
    pub(crate) fn keys_of_log(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// The first line about each session.
    pub(crate) fn first_lines(&self) -> impl Iterator<Item = (&str, &Observation)> {
        self.by_session
            .iter()
            .filter_map(|(session, places)| Some((session.as_str(), &self.log[*places.first()?])))
    }

    /// Whether a transaction may have locked or released keys.
    pub(crate) fn has_transactions(&self) -> bool {
        self.log.iter().any(|observation| observation.event == LogEvent::Transaction)
    }

    pub(crate) fn last_election(&self) -> Option<&Observation> {
        self.election.map(|place| &self.log[place])
    }

    /// The last line in which a session ends. For a session in the list, only a line after the time
    /// of the list counts.
    pub(crate) fn end_of(&self, session: &str) -> Option<&Observation> {
        let is_listed = self.session(session).is_some();
        let is_end = |observation: &&Observation| {
            matches!(
                observation.event,
                LogEvent::Expired(_) | LogEvent::Request(Request::Destroy(_))
            )
        };
        let end = self.lines_of_session(session).rfind(is_end)?;
        // A listed session has outlived an earlier destroy, which has failed.
        (!is_listed || end.time > self.taken).then_some(end)
    }
}

/// The places of the lines about each session, or about each key.
fn index(
    log: &[Observation],
    name: impl Fn(&LogEvent) -> Option<&str>,
) -> BTreeMap<String, Vec<usize>> {
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, observation) in log.iter().enumerate() {
        let Some(name) = name(&observation.event) else { continue };
        match places.get_mut(name) {
            Some(places) => places.push(place),
            None => drop(places.insert(name.into(), [place].into())),
        }
    }
    places
}

/// What the sources contain, while they are read.
#[derive(Default)]
struct Facts {
    sessions: Option<BTreeMap<String, Session>>,
    keys: BTreeMap<String, KeyEntry>,
    nodes: BTreeMap<String, Node>,
    agent: Option<Node>,
    datacenters: BTreeSet<String>,
    checks: Vec<Check>,
    log: Vec<Observation>,
    /// Whether there is a list of nodes. Lists of checks may name only some of the nodes.
    has_nodes: bool,
    has_keys: bool,
    has_blank_entries: bool,
    read_any: bool,
    unused: Vec<Unused>,
}

impl Facts {
    fn add(&mut self, list: List, evidence: Evidence) {
        self.read_any = true;
        match list {
            List::Sessions(sessions) => {
                let known = self.sessions.get_or_insert_default();
                known.extend(sessions.into_iter().map(|session| (session.id.clone(), session)));
            }
            List::Keys(keys) => {
                self.has_keys = true;
                self.keys.extend(keys.into_iter().map(|entry| (entry.key.clone(), entry)));
            }
            List::Export(count) => self.refuse(
                evidence,
                alloc::format!(
                    "an export of {count} keys: it has values, but neither sessions nor indexes; \
                     `curl 'http://127.0.0.1:8500/v1/kv/?recurse'` has them"
                ),
            ),
            List::Nodes(nodes) => {
                self.has_nodes = true;
                for node in nodes {
                    let datacenter = Some(&node.datacenter).filter(|name| !name.is_empty());
                    self.datacenters.extend(datacenter.cloned());
                    self.nodes.insert(node.node.clone(), node);
                }
            }
            List::Checks(checks) => self.checks.extend(checks),
            List::Agent(agent) => {
                self.datacenters.insert(agent.datacenter.clone());
                self.agent = Some(agent);
            }
            List::BlankEntry if !self.has_blank_entries => {
                self.has_blank_entries = true;
                let reason = "`consul snapshot decode` of this version writes sessions and keys \
                              without their members: add /v1/session/list and /v1/kv/?recurse";
                self.refuse(evidence, reason.into());
            }
            // The first two are entries of a snapshot. Reading the source has reported an empty
            // list of unknown kind.
            List::BlankEntry | List::OtherEntry | List::Empty => {}
        }
    }

    fn refuse(&mut self, evidence: Evidence, reason: String) {
        let Evidence { source, line, .. } = evidence;
        self.unused.push(Unused { source, line, reason });
    }

    fn warn_of_zone(&mut self, content: &Content<'_>) {
        if let (true, Some((_, line))) = (content.lacks_zone, content.log.first()) {
            let reason = "the times of this log have no zone and count as UTC: if they are \
                          others, correct its clock by an offset";
            self.refuse(Evidence::clone(line), reason.into());
        }
    }

    fn time_taken(
        &self,
        taken: Option<Timestamp>,
        date: Option<Timestamp>,
        end_of_log: Option<Timestamp>,
        now: Option<Timestamp>,
    ) -> Result<(Timestamp, TakenBy), IncidentError> {
        if let Some(taken) = taken {
            return Ok((taken, TakenBy::Caller));
        }
        let is_list = |event: &LogEvent| match event {
            LogEvent::Request(Request::ListSessions) => self.sessions.is_some(),
            LogEvent::Request(Request::ListKeys) => self.has_keys && self.sessions.is_none(),
            _ => false,
        };
        if let Some(request) = self.log.iter().rev().find(|line| is_list(&line.event)) {
            return Ok((request.time, TakenBy::Request(request.line.clone())));
        }
        let header = date.map(|date| (date, TakenBy::Header));
        let end = || end_of_log.map(|end| (end, TakenBy::EndOfLog));
        let now = || now.map(|now| (now, TakenBy::Caller));
        header.or_else(end).or_else(now).ok_or(IncidentError::NoTime)
    }

    /// Every request is in the logs if there is one for each node. All nodes are known from a list
    /// of them, or from a log that begins with the cluster.
    fn coverage(&self, logs: &[ServerLog]) -> Option<Coverage> {
        let members = self.log.iter().filter_map(|observation| match &observation.event {
            LogEvent::Member(node) => Some(node.as_str()),
            _ => None,
        });
        let checked = self.checks.iter().map(|check| check.node.as_str());
        let listed = self.nodes.keys().map(String::as_str);
        let nodes: BTreeSet<&str> = listed.chain(checked).chain(members).collect();
        let from = logs.iter().map(|(_, (first, _))| *first).max()?;
        let from_birth = self
            .log
            .iter()
            .any(|observation| matches!(observation.event, LogEvent::Candidate(term) if term <= 2));
        let is_complete = !nodes.is_empty() && nodes.len() <= logs.len();
        (is_complete && (self.has_nodes || from_birth)).then_some(Coverage { from, from_birth })
    }
}
