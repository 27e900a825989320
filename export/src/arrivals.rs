//! What reached the server of a world, in order: requests of clients, changes of the catalog by the
//! world or an agent, and changes of the leader. They are listed as they happened at the server,
//! even if no client knows it: a request whose answer was lost, or one that arrived twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::error::Reason;
use lictor_core::id::{Key, RequestId};
use lictor_core::message::Operation;
use lictor_core::store::{Change, Entry};
use lictor_core::time::Instant;
use lictor_sim::trace::TraceWriter;
use lictor_sim::{Call, EventKind, Outcome, SimEvent, Travel};

/// Something that the server received, or that a reader should know at this place.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The number of the event that shows it.
    pub(crate) number: u64,
    pub(crate) at: Instant,
    pub(crate) kind: ArrivalKind,
}

#[derive(Debug)]
pub(crate) enum ArrivalKind {
    /// A request, with its answer if the events contain it. A query that waited is placed at the
    /// time of its answer. A copy of a request has no answer.
    Call { call: Arc<Call>, is_copy: bool, outcome: Option<Arc<Outcome>> },
    /// The changes of one log entry in the catalog that no request of a client made. `is_join` is
    /// whether they register a client that joins.
    Catalog { changes: Vec<Change>, is_join: bool },
    /// Another server became leader, or the leader was lost. Both restart every TTL, as no session
    /// ends without a leader.
    Failover,
    /// A log entry has written this key, which exists after it with this `ModifyIndex`. Other keys
    /// that the entry wrote have the same one.
    Written { key: Key, index: u64 },
    /// The server created an id.
    Created { id: String },
    /// A line of the trace.
    Note(String),
}

/// A log entry while its changes are collected.
struct LogEntry {
    number: u64,
    /// The number of the event of its last change.
    end: u64,
    at: Instant,
    /// Whether no request of a client to the server made it: it is the world's or an agent's.
    is_own: bool,
    is_join: bool,
    changes: Vec<Change>,
}

#[derive(Default)]
struct Collector {
    arrivals: Vec<Arrival>,
    /// The answers of calls.
    outcomes: BTreeMap<RequestId, Arc<Outcome>>,
    /// Whether the servers have no leader. Requests that arrive then are refused, or carried out
    /// once there is one.
    is_leaderless: bool,
    /// The calls whose arrival is in `arrivals`.
    arrived: BTreeSet<RequestId>,
    /// The positions in `arrivals` of the queries that wait.
    waiting: BTreeMap<RequestId, Vec<usize>>,
    entry: Option<LogEntry>,
    /// The call whose copy the server carries out now, and whether that has made a log entry.
    copy: Option<(RequestId, bool)>,
    /// When a client joined; `None` once another event than its registration has followed.
    joined: Option<Instant>,
    names: TraceWriter,
}

/// The arrivals at the server in these events, in their order. Queries that were never answered are
/// left out.
pub(crate) fn arrivals(events: &[SimEvent]) -> Vec<Arrival> {
    let mut collector = Collector::default();
    for event in events {
        collector.follow(event);
        if let Some(text) = collector.note(event) {
            collector.push(event, ArrivalKind::Note(text));
        }
    }
    collector.end_entry();
    let Collector { mut arrivals, outcomes, waiting, .. } = collector;
    let unanswered: BTreeSet<usize> = waiting.into_values().flatten().collect();
    let mut position = 0..;
    arrivals.retain(|_| position.next().is_none_or(|index| !unanswered.contains(&index)));
    for arrival in &mut arrivals {
        if let ArrivalKind::Call { call, is_copy: false, outcome } = &mut arrival.kind {
            *outcome = outcomes.get(&call.id).filter(|outcome| !is_leaderless(outcome)).cloned();
        }
    }
    arrivals.sort_by_key(|arrival| arrival.number);
    arrivals
}

impl Collector {
    fn push(&mut self, event: &SimEvent, kind: ArrivalKind) {
        self.arrivals.push(Arrival { number: event.number, at: event.at, kind });
    }

    fn follow(&mut self, event: &SimEvent) {
        if !matches!(event.kind, EventKind::Server { .. }) {
            self.end_entry();
            self.copy = None;
        }
        match &event.kind {
            EventKind::Joined { .. } => self.joined = Some(event.at),
            EventKind::Server { event: server, call, .. } => {
                if let Some(call) = call.as_ref().filter(|call| !self.is_of_copy(server, call)) {
                    self.arrives(event, call);
                }
                self.server(event, server, call.as_ref());
                return;
            }
            EventKind::Answered { call, outcome }
            | EventKind::Travel(Travel::AnswerLost { call, outcome, .. }) => {
                self.outcomes.entry(call.id).or_insert_with(|| outcome.clone());
                if !is_leaderless(outcome) {
                    self.arrives(event, call);
                }
            }
            EventKind::Travel(Travel::Arrived { .. }) if self.is_leaderless => {}
            EventKind::Travel(Travel::Arrived { id, call }) => {
                self.copy = (*id != call.id).then_some((call.id, false));
                let is_copy = *id != call.id || !self.arrived.insert(*id);
                self.push(event, ArrivalKind::Call { call: call.clone(), is_copy, outcome: None });
            }
            _ => {}
        }
        if !matches!(event.kind, EventKind::Joined { .. }) {
            self.joined = None;
        }
    }

    /// A request that arrives when it is sent has no event of its own: the first event that it
    /// causes at the server, or its answer, shows it.
    fn arrives(&mut self, event: &SimEvent, call: &Arc<Call>) {
        if self.arrived.insert(call.id) {
            let (call, is_copy, outcome) = (call.clone(), false, None);
            self.push(event, ArrivalKind::Call { call, is_copy, outcome });
        }
    }

    /// Whether an event belongs to the copy of a call, which makes one log entry at most.
    fn is_of_copy(&mut self, server: &Event, call: &Call) -> bool {
        match &mut self.copy {
            Some((id, has_logged)) if *id == call.id => {
                let is_second = *server == Event::Logged && *has_logged;
                *has_logged |= *server == Event::Logged;
                !is_second
            }
            _ => false,
        }
    }

    fn server(&mut self, event: &SimEvent, server: &Event, call: Option<&Arc<Call>>) {
        match server {
            Event::Logged => {
                self.end_entry();
                let is_agents = call.is_some_and(|call| is_agents(call));
                self.entry = Some(LogEntry {
                    number: event.number,
                    end: event.number,
                    at: event.at,
                    is_own: call.is_none() || is_agents,
                    is_join: self.joined == Some(event.at),
                    changes: Vec::new(),
                });
            }
            Event::Changed(change) => {
                self.changed(event, change);
                if let Some(entry) = &mut self.entry {
                    entry.end = event.number;
                    entry.changes.push(change.clone());
                }
            }
            Event::LeaderLost { .. } | Event::LeaderChanged { .. } => {
                self.is_leaderless = matches!(server, Event::LeaderLost { .. });
                self.push(event, ArrivalKind::Failover);
            }
            Event::Parked { id, .. } => {
                let is_it = |arrival: &Arrival| match (&arrival.kind, call) {
                    (ArrivalKind::Call { call: own, .. }, Some(call)) => own.id == call.id,
                    _ => false,
                };
                if let Some(position) = self.arrivals.iter().rposition(is_it) {
                    self.waiting.entry(*id).or_default().push(position);
                }
            }
            Event::Woken { id, .. } | Event::TimedOut { id } => {
                for position in self.waiting.remove(id).into_iter().flatten() {
                    let arrival = &mut self.arrivals[position];
                    (arrival.number, arrival.at) = (event.number, event.at);
                }
            }
            _ => {}
        }
    }

    fn changed(&mut self, event: &SimEvent, change: &Change) {
        let kind = match change {
            Change::SessionCreated(session) => ArrivalKind::Created { id: session.id.to_string() },
            Change::QueryWritten { before: None, after } => {
                ArrivalKind::Created { id: after.id.to_string() }
            }
            _ => return,
        };
        self.push(event, kind);
    }

    /// Adds what the log entry, whose changes are now complete, did to a key and to the catalog.
    fn end_entry(&mut self) {
        let Some(LogEntry { number, end, at, is_own, is_join, changes }) = self.entry.take() else {
            return;
        };
        if let Some(written) = a_written(&changes) {
            let (key, index) = (written.key.clone(), written.modify_index.0);
            self.arrivals.push(Arrival {
                number: end,
                at,
                kind: ArrivalKind::Written { key, index },
            });
        }
        if is_own && changes.iter().any(is_registration) {
            let kind = ArrivalKind::Catalog { changes, is_join };
            self.arrivals.push(Arrival { number, at, kind });
        }
    }

    /// The line of the trace for an event that a reader of the test should know; `None` for
    /// requests, answers and events of little interest.
    fn note(&mut self, event: &SimEvent) -> Option<String> {
        let line = self.names.lines_of(std::slice::from_ref(event)).pop()?;
        let is_of_interest = match &event.kind {
            EventKind::Failed(_) | EventKind::Mended(_) | EventKind::Cancelled { .. } => true,
            EventKind::Travel(travel) => {
                !matches!(travel, Travel::SentAgain { .. } | Travel::Repeated { .. })
            }
            EventKind::Server { event, .. } => !matches!(event, Event::Parked { .. }),
            _ => false,
        };
        is_of_interest.then(|| {
            let outcome = line.outcome.map(|outcome| format!(" -> {outcome}"));
            format!("{} {}: {}{}", line.at, line.actor, line.what, outcome.unwrap_or_default())
        })
    }
}

/// A key that these changes of a log entry wrote and did not delete again.
fn a_written(changes: &[Change]) -> Option<&Entry> {
    let mut written = BTreeMap::new();
    for change in changes {
        match change {
            Change::KeyWritten { after, .. } => drop(written.insert(&after.key, &**after)),
            Change::KeyDeleted { before } => drop(written.remove(&before.key)),
            _ => {}
        }
    }
    written.into_values().next()
}

/// Whether a request was refused because there is no leader.
fn is_leaderless(outcome: &Outcome) -> bool {
    matches!(outcome.reason(), Some(Reason::NoLeader { .. }))
}

/// Whether a request is one to a client's own agent, which registers its effect in the catalog.
fn is_agents(call: &Call) -> bool {
    matches!(call.operation(), Some(Operation::Agent(_)))
}

/// Whether a change is the effect of a request to the catalog, and not of the end of a session.
fn is_registration(change: &Change) -> bool {
    match change {
        Change::NodeWritten { .. }
        | Change::NodeDeleted { .. }
        | Change::ServiceWritten { .. }
        | Change::ServiceDeleted { .. }
        | Change::CheckDeleted { .. } => true,
        Change::CheckWritten { followed, .. } => followed.is_none(),
        _ => false,
    }
}
