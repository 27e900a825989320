//! What the sources show, in the order of time: the events of a server's log, what clients wrote,
//! when the lists were taken, and where no log of a server has what happened.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

use crate::application::ClientEvent;
use crate::incident::{Incident, Observation};
use crate::log::{LogEvent, Request};
use crate::source::Evidence;

/// Something that a source shows, or a time of which no source has anything.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observed {
    /// When it happened; of a gap, when it begins.
    pub time: Timestamp,
    /// What happened.
    pub text: String,
    /// Its line. A gap and the moment of the lists may have none.
    pub line: Option<Arc<Evidence>>,
    /// Whether it is unknown what happened.
    pub is_gap: bool,
}

impl Observed {
    /// The time of day in UTC, a question mark for a gap, the text, and the line of the source.
    pub(crate) fn line(&self, incident: &Incident) -> String {
        let (time, mark) = (incident.write_time(self.time), if self.is_gap { "? " } else { "" });
        let place = self.line.as_ref();
        let place = place.map_or_else(String::new, |it| format!(" ({}:{})", it.source, it.line));
        format!("{time} {mark}{}{place}", self.text)
    }
}

/// How the texts write a time.
pub(crate) type At<'a> = &'a dyn Fn(Timestamp) -> String;

/// A leader that fails is not missed sooner, so that lines with less between them are about one
/// election.
pub(crate) const ELECTION_MIN: SignedDuration = SignedDuration::from_millis(100);
/// Shorter times between the logs of servers are no gaps.
const GAP_MIN: SignedDuration = SignedDuration::from_secs(1);

impl Incident {
    /// The last events that the sources show, in the order of time, and the number of those before
    /// them.
    pub fn observed(&self, most: usize) -> (usize, Vec<Observed>) {
        self.observed_with(most, &|time| self.write_time(time))
    }

    /// The lines of logs, in the order of time, that can have changed who holds some keys: those
    /// about the keys, about these sessions and those that asked for the keys, and those about
    /// nodes and leaders. Requests that only read are none, and a renewal is one only after the end
    /// of its session.
    pub fn changes_of(
        &self,
        is_key: &dyn Fn(&str) -> bool,
        sessions: &BTreeSet<String>,
    ) -> Vec<Observed> {
        let asked = self.log.iter().filter(|line| line.event.key().is_some_and(is_key));
        let asked: BTreeSet<&str> = asked.filter_map(|line| line.event.session()).collect();
        let is_session = |id: &str| sessions.contains(id) || asked.contains(id);
        let touches = |line: &&Observation| match &line.event {
            LogEvent::Request(Request::List(_) | Request::Create | Request::Other)
            | LogEvent::EndsSome
            | LogEvent::Reload
            | LogEvent::Member(_) => false,
            LogEvent::Request(Request::Renew(session)) => {
                let end = self.end_of(session).filter(|_| is_session(session));
                end.is_some_and(|end| line.time >= end.bounds.earliest)
            }
            event => match (event.key(), event.session()) {
                (Some(key), _) => is_key(key),
                (None, Some(session)) => is_session(session),
                (None, None) => true,
            },
        };
        let lines = self.without_repetition().filter(touches);
        lines.map(|line| self.of_log(line, &|time| self.write_time(time))).collect()
    }

    /// As [`Incident::observed`], with the times in its texts as `at` writes them.
    pub(crate) fn observed_with(&self, most: usize, at: At<'_>) -> (usize, Vec<Observed>) {
        let (before_all, gaps) = self.gaps(at);
        let log: Vec<&Observation> = self.without_repetition().collect();
        let all = log.len() + self.clients.len() + gaps.len() + self.listings.len() + 1;
        let last = |count: usize| count.saturating_sub(most);
        let logs = log[last(log.len())..].iter().map(|line| self.of_log(line, at));
        let clients = &self.clients[last(self.clients.len())..];
        let clients = clients.iter().map(|event| self.of_client(event));
        let ends = gaps.into_iter().chain(self.taken_events());
        let mut observed: Vec<Observed> =
            [before_all].into_iter().chain(logs).chain(clients).chain(ends).collect();
        observed.sort_by_key(|observed| observed.time);
        observed.drain(..last(observed.len()));
        (all - observed.len(), observed)
    }

    /// The lines of the log. Of several about one election, as each server writes it, the first.
    fn without_repetition(&self) -> impl Iterator<Item = &Observation> {
        self.log.iter().enumerate().filter_map(|(place, line)| {
            let is_election = matches!(line.event, LogEvent::Elected | LogEvent::ElectedNode(_));
            let is_near =
                |other: &&Observation| line.time.duration_since(other.time) < ELECTION_MIN;
            let mut near = self.log[..place].iter().rev().take_while(is_near);
            let is_repeated = is_election && near.any(|other| other.event == line.event);
            (!is_repeated).then_some(line)
        })
    }

    fn of_log(&self, observation: &Observation, at: At<'_>) -> Observed {
        let name = |session: &str| self.name_of(session);
        let text = match &observation.event {
            LogEvent::Request(request) => self.of_request(request),
            LogEvent::Failed(request) => {
                format!("{}: refused with an error", self.of_request(request))
            }
            LogEvent::Unplaced(request) => {
                format!("{}, perhaps in another datacenter or namespace", self.of_request(request))
            }
            LogEvent::Expired(session) => format!("{} ends by its TTL", name(session)),
            LogEvent::LockDelay { key, until } => {
                format!("an acquire of {key} is false: a lock-delay until {}", at(*until))
            }
            LogEvent::Elected => "a leader is elected, each TTL begins anew".into(),
            LogEvent::ElectedNode(node) if self.is_foreign(node) => {
                format!("{node}, which is no node of this cluster, is elected as a leader")
            }
            LogEvent::ElectedNode(node) => {
                format!("{node} is elected as the leader, each TTL begins anew")
            }
            LogEvent::Candidate(term) => format!("an election begins, term {term}"),
            LogEvent::EndsSome => "sessions that rest on a check or a node may end".into(),
            LogEvent::NodeFailed(node) => format!("node {node} failed (serfHealth is critical)"),
            LogEvent::NodeRemoved(node) => format!("node {node} is removed"),
            LogEvent::Reload => "the agent reads its configuration again".into(),
            LogEvent::Transaction => "a transaction".into(),
            LogEvent::Member(node) => format!("{node} is a member of the cluster"),
        };
        let line = Some(observation.line.clone());
        Observed { time: observation.time, text, line, is_gap: false }
    }

    /// A request, of which the log does not have the answer.
    fn of_request(&self, request: &Request) -> String {
        let name = |session: &str| self.name_of(session);
        match request {
            Request::Create => "a session is created".into(),
            Request::Renew(session) => format!("a renewal of {}", name(session)),
            Request::Destroy(session) => format!("a destroy of {}", name(session)),
            Request::Acquire { key, session } => format!("{} asks for {key}", name(session)),
            Request::Release { key, session } => format!("{} releases {key}", name(session)),
            Request::Delete(key) => format!("a delete of {key}"),
            Request::DeleteCas(key) => format!("a delete of {key} by check-and-set"),
            Request::DeleteTree(prefix) => format!("a delete of all keys below {prefix}"),
            Request::List(list) => format!("a request for {}", list.target.name()),
            Request::Other => "a request".into(),
        }
    }

    fn of_client(&self, event: &ClientEvent) -> Observed {
        let session = event.session.as_deref().map(|session| self.name_of(session));
        let about: Vec<String> = event.key.clone().into_iter().chain(session).collect();
        let text = format!("{} logs \"{}\" {}", event.client, event.kind.name(), about.join(", "));
        let line = Some(event.line.clone());
        Observed { time: event.time, text: text.trim().to_string(), line, is_gap: false }
    }

    /// The moments of the lists.
    fn taken_events(&self) -> impl Iterator<Item = Observed> {
        self.listings.iter().map(|listing| {
            let assumed = if listing.moment.is_assumed() { " (assumed)" } else { "" };
            let text = format!("{}: of this moment{assumed}", listing.name());
            Observed { time: listing.moment.latest, text, line: None, is_gap: false }
        })
    }

    /// The times before `now` that no log of a server covers: the one before all logs, and the
    /// others.
    fn gaps(&self, at: At<'_>) -> (Observed, Vec<Observed>) {
        let gap = |time: Timestamp, text: String| Observed { time, text, line: None, is_gap: true };
        let mut spans = self.server_spans.clone();
        spans.sort_unstable();
        let Some((first, _)) = spans.first() else {
            let first = self.clients.first().map_or(self.taken, |event| event.time);
            let text = "no log of a server: what it did is unknown";
            return (gap(first.min(self.taken), text.into()), Vec::new());
        };
        let before_all = gap(*first, "what happened before is unknown".into());
        let (mut gaps, mut known) = (Vec::new(), *first);
        for (from, to) in spans.into_iter().chain([(self.now, self.now)]) {
            if from.duration_since(known) > GAP_MIN {
                let text =
                    format!("until {} no log of a server: what happened is unknown", at(from));
                gaps.push(gap(known, text));
            }
            known = known.max(to);
        }
        (before_all, gaps)
    }
}
