//! What the sources contain, before their lists have moments: one cluster's, or an error.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::address::Address;
use crate::answer_head::AnswerHead;
use crate::clusters;
use crate::coverage::{Coverage, ServerLog, coverage};
use crate::listing::{Entries, Listing, Scope};
use crate::lists::{Check, List, Node};
use crate::log::{self, LogEvent, LogLine, Request};
use crate::moment::{Moment, MomentSource, REST_OF_SECOND, ROUNDED, Staleness};
use crate::request::{ListRequest, Target};
use crate::source::{Content, Evidence, IncidentError, ShownList, Unused};
use crate::time::{after, before};

/// A line of a log about a lock.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) time: Timestamp,
    pub(crate) event: LogEvent,
    pub(crate) line: Arc<Evidence>,
}

/// What the sources contain.
pub(crate) struct Reading<'a> {
    pub(crate) contents: Vec<Content<'a>>,
    /// The lists of sessions and keys.
    lists: Vec<(ShownList, Entries)>,
    pub(crate) nodes: BTreeMap<String, Node>,
    pub(crate) has_all_nodes: bool,
    pub(crate) checks: Vec<Check>,
    pub(crate) agent: Option<Node>,
    pub(crate) datacenter: Option<String>,
    /// Where the lists were asked for; `None` if nothing says it, or if they differ in it.
    pub(crate) address: Option<Address>,
    has_blank_entries: bool,
    /// The place of the first list of all nodes.
    all_nodes: Option<String>,
    pub(crate) read_any: bool,
    pub(crate) unused: Vec<Unused>,
    pub(crate) remarks: Vec<Unused>,
}

/// Whether the answer to a request can have such a list.
const fn lists(target: &Target, list: &List) -> bool {
    match list {
        List::Sessions(_) => {
            matches!(target, Target::Sessions | Target::SessionsOfNode(_) | Target::Session(_))
        }
        List::Keys(_) => matches!(target, Target::Keys(_) | Target::Key(_)),
        _ => true,
    }
}

impl<'a> Reading<'a> {
    pub(crate) fn new(mut contents: Vec<Content<'a>>) -> Result<Self, IncidentError> {
        let mut reading = Self {
            contents: Vec::new(),
            lists: Vec::new(),
            nodes: BTreeMap::new(),
            has_all_nodes: false,
            checks: Vec::new(),
            agent: None,
            datacenter: None,
            address: None,
            has_blank_entries: false,
            all_nodes: None,
            read_any: false,
            unused: Vec::new(),
            remarks: Vec::new(),
        };
        let (mut datacenters, mut namespaces) = (Names::default(), Names::default());
        let mut other_nodes = None;
        let mut addresses = BTreeSet::new();
        for content in &mut contents {
            reading.warn_of_zone(content);
            for mut shown in core::mem::take(&mut content.lists) {
                // The answer to the request before it was not read: this list is of another one.
                shown.request.take_if(|request| {
                    !request.is_filtered && !lists(&request.target, &shown.list)
                });
                note_place(&shown, &mut datacenters, &mut namespaces);
                addresses.extend(shown.address.clone());
                other_nodes = other_nodes.or_else(|| reading.other_nodes(&shown));
                reading.add(shown);
            }
            reading.unused.append(&mut content.unused);
            reading.remarks.append(&mut content.remarks);
        }
        if datacenters.0.len() > 1 {
            return Err(IncidentError::Datacenters(datacenters.texts()));
        }
        if namespaces.0.len() > 1 {
            return Err(IncidentError::Namespaces(namespaces.texts()));
        }
        if let Some(error) = other_nodes {
            return Err(error);
        }
        reading.datacenter = datacenters.0.into_keys().next();
        reading.address = addresses.pop_first().filter(|_| addresses.is_empty());
        reading.keep_logs(contents, namespaces.0.into_keys().next().as_deref())?;
        Ok(reading)
    }

    /// Keeps the logs of the datacenter of the lists, and their lines about it.
    fn keep_logs(
        &mut self,
        mut contents: Vec<Content<'a>>,
        namespace: Option<&str>,
    ) -> Result<(), IncidentError> {
        let mut of_logs = Names::default();
        for content in &contents {
            if let Some(datacenter) = content.datacenter.clone() {
                of_logs.add(datacenter, &content.name, 1);
            }
        }
        if self.datacenter.is_none() && of_logs.0.len() > 1 {
            return Err(IncidentError::Datacenters(of_logs.texts()));
        }
        let own = self.datacenter.clone().or_else(|| of_logs.0.into_keys().next());
        for content in &mut contents {
            if let (Some(own), Some(other)) = (&own, &content.datacenter)
                && own != other
            {
                let reason = format!("the log of the datacenter {other}: the lists are of {own}");
                let place = Unused { source: content.name.clone(), line: 1, reason };
                self.unused.push(place);
                content.log.clear();
                content.covered.clear();
                continue;
            }
            let is_own = |line: &LogLine| {
                let Some(request) = &line.request else { return true };
                let datacenter = request.parameter("dc");
                let is_of = own.is_none() || datacenter.is_none() || datacenter == own;
                let named = request.parameter("ns");
                let is_in = namespace.is_none() || named.is_none() || named.as_deref() == namespace;
                is_of && is_in
            };
            content.log.retain(|(line, _)| is_own(line));
            for (line, _) in &mut content.log {
                let names =
                    |name| line.request.as_ref().is_some_and(|it| it.parameter(name).is_some());
                let is_unplaced =
                    own.is_none() && names("dc") || namespace.is_none() && names("ns");
                line.event = match line.event.take() {
                    Some(LogEvent::Request(request)) if is_unplaced => {
                        Some(LogEvent::Unplaced(request))
                    }
                    event => event,
                };
            }
        }
        self.datacenter = own;
        self.contents = contents;
        Ok(())
    }

    fn add(&mut self, mut shown: ShownList) {
        self.read_any = true;
        let is_part = shown.head.is_filtered_by_acls
            || shown.request.as_ref().is_some_and(|request| request.is_filtered);
        match core::mem::replace(&mut shown.list, List::OtherEntry) {
            List::Sessions(sessions) => self.lists.push((shown, Entries::Sessions(sessions))),
            List::Keys(mut keys) => {
                if shown.request.as_ref().is_some_and(|request| request.is_filtered) {
                    // The program that the list went through may have dropped the session.
                    keys.iter_mut().for_each(|it| it.is_holder_known &= it.has_session_member);
                }
                self.lists.push((shown, Entries::Keys(keys)));
            }
            List::Export(count) => self.refuse(
                shown.line,
                format!(
                    "an export of {count} keys: it has values, but neither sessions nor indexes; \
                     `curl 'http://127.0.0.1:8500/v1/kv/?recurse'` has them"
                ),
            ),
            List::Service(count) => self.refuse(
                shown.line,
                format!(
                    "{count} instances of a service: they are not all nodes; \
                     `curl http://127.0.0.1:8500/v1/catalog/nodes` has these"
                ),
            ),
            List::Nodes(nodes) => {
                let is_asked = shown.request.as_ref().is_none_or(|it| it.target == Target::Nodes);
                if is_asked && !is_part && !shown.is_object {
                    self.has_all_nodes = true;
                    self.all_nodes.get_or_insert_with(|| name_of_nodes(&shown.line));
                }
                self.nodes.extend(nodes.into_iter().map(|node| (node.node.clone(), node)));
            }
            List::Checks(checks) => self.checks.extend(checks),
            List::Agent(agent) => self.agent = Some(agent),
            List::BlankEntry if !self.has_blank_entries => {
                self.has_blank_entries = true;
                let reason = "`consul snapshot decode` of this version writes sessions and keys \
                              without their members: add /v1/session/list and /v1/kv/?recurse";
                self.refuse(shown.line, reason.into());
            }
            // The first two are entries of a snapshot. Reading the source has reported an empty
            // list of unknown kind.
            List::BlankEntry | List::OtherEntry | List::Empty => {}
        }
    }

    /// The error for a second list of all nodes, if it cannot be of the same cluster as the first.
    fn other_nodes(&self, shown: &ShownList) -> Option<IncidentError> {
        let List::Nodes(nodes) = &shown.list else { return None };
        let first = self.all_nodes.clone().filter(|_| !shown.is_object)?;
        let why = clusters::other_nodes(&self.nodes, nodes)?;
        Some(IncidentError::Clusters { lists: [first, name_of_nodes(&shown.line)], why })
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

    /// Fails if no source has anything of Consul's.
    pub(crate) fn check_any(&mut self) -> Result<(), IncidentError> {
        if self.read_any || self.contents.iter().any(|content| content.span.is_some()) {
            return Ok(());
        }
        let mut reasons = core::mem::take(&mut self.remarks);
        reasons.append(&mut self.unused);
        Err(IncidentError::NothingRead(reasons))
    }

    /// The logs with requests.
    pub(crate) fn named_logs(&self) -> Vec<(Arc<str>, (Timestamp, Timestamp))> {
        let with_requests = self.contents.iter().filter(|content| !content.covered.is_empty());
        with_requests.filter_map(|content| Some((content.name.clone(), content.span?))).collect()
    }

    /// The lines of all logs in the order of time. A line that two files have is one.
    pub(crate) fn log(&mut self) -> Vec<Observation> {
        let mut log: Vec<(usize, Observation)> = Vec::new();
        for (file, content) in self.contents.iter_mut().enumerate() {
            let lines = core::mem::take(&mut content.log).into_iter();
            log.extend(lines.filter_map(|(LogLine { time, event, .. }, line)| {
                Some((file, Observation { time, event: event?, line }))
            }));
        }
        log.sort_by_key(|(_, line)| line.time);
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut time = None;
        log.retain(|(file, line)| {
            if time != Some(line.time) {
                known.clear();
                time = Some(line.time);
            }
            match known.get(&line.line.text) {
                Some(first) => first == file,
                None => known.insert(line.line.text.clone(), *file).is_none(),
            }
        });
        log.into_iter().map(|(_, line)| line).collect()
    }

    /// The time for which the logs have every request. Only a list of nodes has all of them.
    pub(crate) fn coverage(&self, servers: &[ServerLog]) -> Option<Coverage> {
        let lines = || self.contents.iter().flat_map(|content| &content.log);
        if lines().any(|(line, _)| matches!(line.event, Some(LogEvent::Unplaced(_)))) {
            return None;
        }
        let members = lines().filter_map(|(line, _)| match &line.event {
            Some(LogEvent::Member(node)) => Some(node.as_str()),
            _ => None,
        });
        let sessions = self.lists.iter().flat_map(|(_, entries)| entries.sessions());
        let of_sessions = sessions.map(|session| session.node.as_str());
        let of_checks = self.checks.iter().map(|check| check.node.as_str());
        let named = members.chain(of_sessions).chain(of_checks);
        let named: BTreeSet<&str> = named.filter(|node| !node.is_empty()).collect();
        let nodes: BTreeSet<&str> = self.nodes.keys().map(String::as_str).collect();
        self.has_all_nodes.then(|| coverage(servers, &nodes, &named)).flatten()
    }

    /// The lists with their moments, in the order of these.
    pub(crate) fn listings(
        &mut self,
        coverage: Option<Coverage>,
        taken: Option<Timestamp>,
        now: Option<Timestamp>,
    ) -> Result<Vec<Listing>, IncidentError> {
        let lists = core::mem::take(&mut self.lists);
        let lists = lists.into_iter().map(|(shown, entries)| self.dated(shown, entries, coverage));
        let lists: Vec<(Listing, Option<Moment>)> = lists.collect();
        let known = lists.iter().filter_map(|(_, moment)| Some(moment.as_ref()?.latest)).max();
        let end_of_log = self.contents.iter().filter_map(|it| it.span).map(|it| it.1).max();
        let assumed = known
            .map(|known| (known, MomentSource::WithOthers))
            .or_else(|| now.map(|now| (now, MomentSource::Now)))
            .or_else(|| end_of_log.map(|end| (end, MomentSource::EndOfLog)));
        let mut listings = Vec::new();
        for (mut listing, moment) in lists {
            let given = taken.map(|taken| Moment {
                earliest: Some(taken),
                latest: taken,
                source: MomentSource::Caller,
                stale: None,
            });
            listing.moment = match moment.or(given) {
                Some(moment) => moment,
                None => self.assumed(&listing, assumed.clone().ok_or(IncidentError::NoTime)?),
            };
            if let Some(staleness) = staleness(&listing) {
                listing.moment = listing.moment.stale(staleness);
            }
            listings.push(listing);
        }
        listings.sort_by_key(|listing| listing.moment.latest);
        if let Some(lists) = clusters::of_two(&listings) {
            let why = "their indexes or times contradict each other".into();
            return Err(IncidentError::Clusters { lists, why });
        }
        Ok(listings)
    }

    /// An assumed moment. A list with a session is not newer than the end of the session in a log.
    fn assumed(&self, listing: &Listing, (time, source): (Timestamp, MomentSource)) -> Moment {
        let latest = self.first_end(listing).map_or(time, |ended| ended.min(time));
        Moment { earliest: None, latest, source, stale: None }
    }

    /// The first end in the logs of a session that was alive when a list was taken.
    fn first_end(&self, listing: &Listing) -> Option<Timestamp> {
        let ids: BTreeSet<&str> = listing.alive().collect();
        let lines = self.contents.iter().flat_map(|content| &content.log);
        let ends = lines.filter_map(|(line, _)| match line.event.as_ref()? {
            LogEvent::Expired(session) | LogEvent::Request(Request::Destroy(session)) => {
                ids.contains(session.as_str()).then_some(line.time)
            }
            _ => None,
        });
        ends.min()
    }

    /// A list with its scope, and its moment if something says it.
    fn dated(
        &self,
        shown: ShownList,
        entries: Entries,
        coverage: Option<Coverage>,
    ) -> (Listing, Option<Moment>) {
        let ShownList { line, request, head, is_object, .. } = shown;
        // Consul answers with a list. An object alone is a part of one, or of something else.
        let asked = request.as_ref().filter(|_| !is_object);
        let scope = asked.map_or(Scope::Unknown, |request| Scope::of(request, &head));
        let unknown = Moment {
            earliest: None,
            latest: Timestamp::MIN,
            source: MomentSource::Now,
            stale: None,
        };
        let mut listing =
            Listing { entries, scope, moment: unknown, line: Arc::new(line), request, head };
        let header = listing.head.date.map(|date| Moment {
            earliest: Some(date),
            latest: after(date, REST_OF_SECOND),
            source: MomentSource::Header,
            stale: None,
        });
        let requests = self.requests_for(&listing);
        if let (None, Some(coverage), Some(scope)) =
            (&listing.request, coverage, only_scope(&requests, &listing.head))
            && requests.iter().all(|(time, _, _)| coverage.has(*time))
            && !is_object
        {
            listing.scope = scope;
        }
        let of_log = || {
            let times = requests.iter().map(|(time, _, _)| *time);
            let (last, _, line) = requests.iter().max_by_key(|(time, _, _)| *time)?;
            let (earliest, line) = (times.min(), (*line).clone());
            Some(Moment {
                earliest,
                latest: *last,
                source: MomentSource::Request(line),
                stale: None,
            })
        };
        // A log has the time of a request, and its latency, to less than a second.
        let is_tagged = listing.request.as_ref().is_some_and(|request| request.tag.is_some());
        let of_tag = requests.first().filter(|_| is_tagged).and_then(|(time, _, line)| {
            let latency = log::latency(&line.text)?;
            Some(Moment {
                earliest: Some(before(*time, latency)),
                latest: *time,
                source: MomentSource::Request((*line).clone()),
                stale: None,
            })
        });
        let moment = of_tag.or(header).or_else(of_log);
        (listing, moment)
    }

    /// The requests in the logs that can be the one for a list: none after the end of a session in
    /// it, nor at another time than that of its `Date`.
    fn requests_for(&self, listing: &Listing) -> Vec<(Timestamp, &ListRequest, &Arc<Evidence>)> {
        let ended = self.first_end(listing);
        let lines = self.contents.iter().flat_map(|content| &content.log);
        let requests = lines.filter_map(|(line, evidence)| match &line.event {
            Some(LogEvent::Request(Request::List(request))) => Some((line.time, request, evidence)),
            _ => None,
        });
        let date = listing.head.date;
        let [from, to] = [
            date.map(|date| before(date, ROUNDED)),
            date.map(|date| after(date, REST_OF_SECOND + ROUNDED)),
        ];
        let fits = |(time, request, _): &(Timestamp, &ListRequest, _)| {
            listing.can_be_answer_to(request)
                && ended.is_none_or(|ended| *time <= ended)
                && from.is_none_or(|from| from <= *time)
                && to.is_none_or(|to| *time <= to)
        };
        requests.filter(fits).collect()
    }
}

fn name_of_nodes(line: &Evidence) -> String {
    format!("the list of nodes ({}:{})", line.source, line.line)
}

/// A list of a server that had contact with the leader so long before is not the newest state.
const STALE: core::time::Duration = core::time::Duration::from_secs(1);

fn staleness(listing: &Listing) -> Option<Staleness> {
    let age = listing.head.last_contact;
    let is_asked = listing.request.as_ref().is_some_and(|request| request.is_stale);
    if listing.head.has_no_leader || age >= STALE {
        Some(Staleness::LastContact(age))
    } else {
        (is_asked && listing.head.status.is_none()).then_some(Staleness::Unknown)
    }
}

/// The scope of a list that is the answer to one of these requests, if they have the same.
fn only_scope(
    requests: &[(Timestamp, &ListRequest, &Arc<Evidence>)],
    head: &AnswerHead,
) -> Option<Scope> {
    let (_, first, _) = requests.first()?;
    let is_same = requests.iter().all(|(_, request, _)| request.target == first.target);
    is_same.then(|| Scope::of(first, head))
}

/// Names of datacenters or namespaces, each with the place that names it.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn add(&mut self, name: String, source: &str, line: usize) {
        let text = || format!("{name} ({source}:{line})");
        let text = text();
        self.0.entry(name).or_insert(text);
    }

    fn texts(self) -> Vec<String> {
        self.0.into_values().collect()
    }
}

/// Notes the datacenter and the namespace that a list or its request names.
fn note_place(shown: &ShownList, datacenters: &mut Names, namespaces: &mut Names) {
    let (source, line) = (&shown.line.source, shown.line.line);
    let named = shown.request.as_ref();
    datacenters.extend(named.and_then(|it| it.datacenter.clone()), source, line);
    match &shown.list {
        List::Nodes(nodes) => {
            let names = nodes.iter().map(|node| node.datacenter.to_string());
            names.filter(|name| !name.is_empty()).for_each(|it| datacenters.add(it, source, line));
        }
        List::Agent(agent) => datacenters.add(agent.datacenter.clone(), source, line),
        List::Sessions(sessions) => {
            let names = sessions.iter().filter_map(|session| session.namespace.clone());
            names.for_each(|name| namespaces.add(name, source, line));
        }
        List::Keys(keys) => {
            let names = keys.iter().filter_map(|entry| entry.namespace.clone());
            names.for_each(|name| namespaces.add(name, source, line));
        }
        _ => {}
    }
    let is_of_namespace = matches!(shown.list, List::Sessions(_) | List::Keys(_));
    if let Some(request) = named.filter(|_| is_of_namespace) {
        let name = request.namespace.clone().unwrap_or_else(|| "default".into());
        namespaces.add(name, source, line);
    }
}

impl Names {
    fn extend(&mut self, name: Option<String>, source: &str, line: usize) {
        if let Some(name) = name {
            self.add(name, source, line);
        }
    }
}
