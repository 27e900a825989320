//! An incident: what all sources together show. The lists each have their own scope and moment; the
//! log is in the order of time, with the time for which it has every request.

mod applications;
mod whole_logs;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::address::Address;
use crate::application::{self, Application, ClientEvent};
use crate::beliefs::Beliefs;
use crate::coverage::{Coverage, server_logs};
use crate::listing::{Listing, Scope};
use crate::lists::{Check, KeyEntry, Node, Session};
use crate::log::{LogEvent, Request};
use crate::merge::{self, Alive, SeenKey};
pub(crate) use crate::reading::Observation;
use crate::reading::Reading;
use crate::source::{self, Content, IncidentError, Source, Unused};
use crate::summary::{SourceSummary, summaries};
use crate::time;

/// A log with the requests of an agent: its name, and its first and its last time.
type NamedLog = (Arc<str>, (Timestamp, Timestamp));

/// What was read of an incident.
#[derive(Clone, Debug)]
pub struct Incident {
    /// The lists of sessions and keys, in the order of their moments.
    pub(crate) listings: Vec<Listing>,
    /// The sessions of all lists, each as the last one has it.
    pub(crate) sessions: BTreeMap<String, Session>,
    /// When each session was alive, by the lists.
    pub(crate) alive: BTreeMap<String, Alive>,
    /// What the last list that covers each key says about it.
    pub(crate) keys: BTreeMap<String, SeenKey>,
    /// The nodes by their names; those that only a check names are missing.
    pub(crate) nodes: BTreeMap<String, Node>,
    /// Whether these are all nodes.
    pub(crate) has_all_nodes: bool,
    pub(crate) checks: Vec<Check>,
    /// The agent that was asked.
    pub(crate) agent: Option<Node>,
    /// Where commands ask: where the lists were asked for, if something names it.
    pub(crate) address: Address,
    /// The datacenter of the lists, if something names it.
    pub(crate) datacenter: Option<String>,
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
    /// The places of the lines that can change keys and sessions that they do not name.
    broad: Vec<usize>,
    /// The places of the elections.
    elections: Vec<usize>,
    /// The moment of the newest list of sessions or keys; without one, the end of the log.
    pub(crate) taken: Timestamp,
    /// The moment for which the answers hold.
    pub(crate) now: Timestamp,
    /// When the answers are read, if that matters for the dates in their texts.
    read_at: Option<Timestamp>,
    pub(crate) coverage: Option<Coverage>,
    /// Why the logs do not have every request, although there is one for each node.
    pub(crate) not_whole: Option<String>,
    sources: Vec<SourceSummary>,
    unused: Vec<Unused>,
    remarks: Vec<Unused>,
}

impl Incident {
    /// Reads all sources. `taken` is when the lists were taken that have no `Date` header, and
    /// whose request is in no log; without it, the last line of the log says it, as an assumption.
    ///
    /// # Errors
    ///
    /// Fails if no source has anything of Consul's, if the lists are from several datacenters or
    /// namespaces, and with [`IncidentError::NoTime`] if no source has a time.
    pub fn read(sources: &[Source<'_>], taken: Option<Timestamp>) -> Result<Self, IncidentError> {
        Self::read_sources(sources, taken, None, &mut |_| {})
    }

    /// Reads all sources as [`Incident::read`], but lists of which no source has the time count as
    /// taken `now`, as an assumption. Calls `progress` after about each MiB of a source, and at its
    /// end, with the number of bytes that were read since the last call; not for a shorter source.
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
        let mut plain = alloc::vec![Vec::new(); sources.len()];
        let sources: Vec<Source<'_>> =
            sources.iter().zip(&mut plain).map(|(source, plain)| source.plain(plain)).collect();
        let contents: Vec<Content<'_>> =
            sources.iter().map(|source| source::read(source, taken.or(now), progress)).collect();
        let known = application::known_names(&contents);
        let applications: Vec<Option<Application<'_>>> = sources
            .iter()
            .zip(&contents)
            .map(|(source, content)| application::read(source, content, &known))
            .collect();
        let sources = summaries(&sources, &contents, &applications);
        let mut reading = Reading::new(contents)?;
        for application in applications.iter().flatten() {
            reading.read_any |= application.summary.found() > 0;
            reading.unused.extend(application.unused());
        }
        reading.check_any()?;
        let end_of_log = reading.contents.iter().filter_map(|it| it.span).map(|it| it.1).max();
        let servers = server_logs(&reading.contents);
        let coverage = reading.coverage(&servers);
        let listings = reading.listings(coverage, taken, now)?;
        let newest = listings.iter().map(|listing| listing.moment.latest).max();
        let end = newest.or(taken).or(end_of_log).or(now).ok_or(IncidentError::NoTime)?;
        let named: Vec<NamedLog> = reading.named_logs();
        let mut incident = Self::of(reading, listings, end, coverage);
        incident.sources = sources;
        incident.check_coverage();
        incident.narrow_moments();
        let is_covered = |coverage: &Coverage| incident.listings.is_empty() || coverage.has(end);
        let covered = incident.coverage.filter(is_covered).map(|coverage| coverage.to);
        let of_log_alone = end_of_log.filter(|_| incident.listings.is_empty());
        incident.now = [covered, of_log_alone].into_iter().flatten().fold(end, Timestamp::max);
        let now = incident.now;
        incident.sources.iter_mut().for_each(|source| source.describe(now));
        Ok(incident.with_applications(&applications, &named))
    }

    /// The incident, as of the moment of the newest list, without what applications wrote.
    fn of(
        mut reading: Reading<'_>,
        listings: Vec<Listing>,
        taken: Timestamp,
        coverage: Option<Coverage>,
    ) -> Self {
        let log = reading.log();
        let server_spans = reading.contents.iter().filter_map(|content| content.span).collect();
        let places = |is: fn(&LogEvent) -> bool| {
            let found = log.iter().enumerate().filter(move |(_, line)| is(&line.event));
            found.map(|(place, _)| place).collect::<Vec<_>>()
        };
        Self {
            sessions: merge::sessions(&listings),
            alive: merge::alive(&listings),
            keys: merge::keys(&listings),
            nodes: reading.nodes,
            has_all_nodes: reading.has_all_nodes,
            checks: reading.checks,
            agent: reading.agent,
            address: reading.address.unwrap_or_default(),
            datacenter: reading.datacenter,
            clients: Vec::new(),
            client_renewals: BTreeMap::new(),
            beliefs: Beliefs::default(),
            server_spans,
            by_session: index(&log, LogEvent::session),
            by_key: index(&log, LogEvent::key),
            broad: places(LogEvent::is_broad),
            elections: places(|event| {
                matches!(event, LogEvent::Elected | LogEvent::ElectedNode(_))
            }),
            taken,
            now: taken,
            read_at: None,
            coverage,
            not_whole: None,
            sources: Vec::new(),
            unused: reading.unused,
            remarks: reading.remarks,
            listings,
            log,
        }
    }

    /// What each source holds, in the order in which they were passed.
    pub fn sources(&self) -> &[SourceSummary] {
        &self.sources
    }

    /// What was not used of the sources, and why.
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// What the program that collected the lists says about them.
    pub fn remarks(&self) -> &[Unused] {
        &self.remarks
    }

    /// The moment for which the answers hold: that of the newest list, or the end of the logs if
    /// they have every request since then. An answer has a later one if a log changes it.
    pub fn as_of(&self) -> Timestamp {
        self.now
    }

    /// Says when the answers are read, as by a person who follows a cluster. Their texts then have
    /// the date also with a time of the day before the one of this moment.
    pub fn set_read_at(&mut self, time: Timestamp) {
        self.read_at = Some(time);
    }

    /// A time as the texts about a moment have it: with its date if it is not on the day of this
    /// moment, nor on that of the whole report.
    pub(crate) fn clock(&self, time: Timestamp, as_of: Timestamp) -> String {
        time::write(time, &[as_of, self.now, self.read_at.unwrap_or(self.now)])
    }

    /// A time as the texts about all answers together have it.
    pub fn write_time(&self, time: Timestamp) -> String {
        self.clock(time, self.now)
    }

    pub(crate) fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// The lists that have sessions.
    pub(crate) fn session_lists(&self) -> impl DoubleEndedIterator<Item = &Listing> {
        self.listings.iter().filter(|listing| listing.entries.is_sessions())
    }

    /// The lists that have keys.
    pub(crate) fn key_lists(&self) -> impl DoubleEndedIterator<Item = &Listing> {
        self.listings.iter().filter(|listing| listing.entries.is_keys())
    }

    /// Whether a list of keys was shown of which it is known what was asked for. Only such a list
    /// shows also that there is no such key.
    pub fn knows_absent_keys(&self) -> bool {
        let mut scopes = self.key_lists().map(|listing| &listing.scope);
        scopes.any(|scope| matches!(scope, Scope::Keys(_) | Scope::Key(_)))
    }

    /// Whether a list of keys was shown.
    pub fn has_key_list(&self) -> bool {
        self.key_lists().next().is_some()
    }

    /// The list that a key was seen in, or that says that there is no such key.
    pub(crate) fn list_of(&self, seen: &SeenKey) -> &Listing {
        &self.listings[seen.list]
    }

    /// The keys that exist by the last list that covers each.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &KeyEntry> {
        self.keys.values().filter_map(|seen| seen.entry.as_ref())
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

    /// The lines that can change keys and sessions that they do not name, in order.
    pub(crate) fn broad_lines(&self) -> impl DoubleEndedIterator<Item = &Observation> {
        self.broad.iter().map(|place| &self.log[*place])
    }

    /// Whether a transaction may have locked or released keys.
    pub(crate) fn has_transactions(&self) -> bool {
        self.broad_lines().any(|line| line.event == LogEvent::Transaction)
    }

    /// The elections of a leader of this cluster.
    pub(crate) fn elections(&self) -> impl DoubleEndedIterator<Item = &Observation> {
        let elections = self.elections.iter().map(|place| &self.log[*place]);
        elections.filter(|line| match &line.event {
            LogEvent::ElectedNode(node) => !self.is_foreign(node),
            _ => true,
        })
    }

    /// Whether a node is of another cluster: it is not among all nodes of this one.
    pub(crate) fn is_foreign(&self, node: &str) -> bool {
        self.has_all_nodes && !self.nodes.contains_key(node)
    }

    /// The moment for which holds what the last list that covers a key says of it: now, if the logs
    /// have every request since that list, else its own.
    pub(crate) fn as_of_key(&self, seen: &SeenKey) -> Timestamp {
        let listing = self.list_of(seen);
        if self.covers(listing.taken_earliest(), self.now) {
            return self.now;
        }
        listing.moment.latest.min(self.now)
    }

    /// Whether the logs have every request between two times.
    pub(crate) fn covers(&self, from: Timestamp, to: Timestamp) -> bool {
        self.coverage.is_some_and(|coverage| coverage.has(from) && coverage.has(to))
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
