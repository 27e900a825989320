//! A world whose every event is checked against the invariants of the store and of the engine. A
//! copy of the entries and sessions of the store is built from the reported changes alone and must
//! stay equal to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_core::engine::{Event, SessionClock, Timer};
use lictor_core::error::Cause;
use lictor_core::id::{Index, Key, RequestId, SessionId, SessionRef};
use lictor_core::message::Operation;
use lictor_core::store::{Behavior, Change, Entry, Hold, KvVerb, Store};
use lictor_core::time::Instant;
use lictor_sim::{Act, Call, EventKind, Outcome, SimEvent, Verdict, World};

/// A world with the state of its checks.
#[derive(Clone)]
pub struct CheckedWorld {
    pub world: World,
    shadow: Shadow,
    last: LastState,
    /// The index of each of [`PREFIXES`] after the last act, unless it may have decreased since.
    prefixes: BTreeMap<&'static str, Index>,
    clocks: BTreeMap<SessionId, SessionClock>,
    open: BTreeMap<RequestId, Option<OpenQuery>>,
    pub seen: Occurrences,
}

/// The number of occurrences of each kind of event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Occurrences {
    pub woken: usize,
    pub timed_out: usize,
    pub cancelled: usize,
    pub delayed: usize,
    pub failed_txns: usize,
    pub refused: usize,
    pub expired: usize,
    pub reaped: usize,
    pub crowded: usize,
}

/// A copy of the entries and session ids of the store, built from the reported changes.
#[derive(Clone, Default)]
struct Shadow {
    entries: BTreeMap<Key, Arc<Entry>>,
    sessions: BTreeSet<SessionId>,
    /// The keys that an ended session still has to release or delete, and at which index.
    due: Vec<(Key, Behavior, Index)>,
}

/// The index of the log and those of the tables after the last act, in the order of [`tables`].
#[derive(Clone, Copy, Default)]
struct LastState {
    index: Index,
    tables: [Index; 6],
}

/// A parked query, and what has happened to it.
#[derive(Clone, Copy)]
struct OpenQuery {
    min_index: Index,
    until: Instant,
    woken: bool,
    /// Whether it was evaluated again and kept waiting.
    run_again: bool,
}

/// The prefixes whose index is followed.
const PREFIXES: [&str; 5] = ["", "db", "db/", "lead", "none"];

impl CheckedWorld {
    pub fn new(world: World) -> Self {
        let mut watched = Self {
            last: LastState { index: world.index(), tables: tables(world.store()) },
            world,
            shadow: Shadow::default(),
            prefixes: BTreeMap::new(),
            clocks: BTreeMap::new(),
            open: BTreeMap::new(),
            seen: Occurrences::default(),
        };
        watched.prefixes = watched.prefix_indexes();
        watched
    }

    /// Performs an act and checks all events that follow; a refused act has none. Panics with the
    /// name of a broken rule.
    pub fn perform(&mut self, act: Act) -> Vec<SimEvent> {
        let before = self.world.clone();
        let sim_events = self.world.perform(act).unwrap_or_default();
        for sim_event in &sim_events {
            self.follow(sim_event);
        }
        self.unchanged_unless_reported(&before, &sim_events);
        self.state();
        sim_events
    }

    /// Checks one event. Panics with the name of a broken rule.
    fn follow(&mut self, sim_event: &SimEvent) {
        match &sim_event.kind {
            EventKind::Sent(call) => {
                assert!(self.open.insert(call.id, None).is_none(), "a request is sent once");
            }
            EventKind::Answered { call, outcome } => {
                let open = self.open.remove(&call.id);
                let parked = open.expect("an answered query was open");
                if let Some(parked) = parked {
                    answered(parked, sim_event.at, (call, outcome));
                }
                self.seen.crowded += usize::from(outcome.response.status == 429);
                self.seen.refused += usize::from(outcome.verdict() == Verdict::Error);
                self.seen.failed_txns += usize::from(outcome.response.status == 409);
            }
            EventKind::Cancelled { call, .. } => {
                self.seen.cancelled += 1;
                assert!(self.open.remove(&call.id).is_some(), "a cancelled query was open");
            }
            EventKind::Server { index, event, .. } => self.event(sim_event.at, *index, event),
            EventKind::Joined { .. }
            | EventKind::Travel(_)
            | EventKind::Failed(_)
            | EventKind::Mended(_)
            | EventKind::Program { .. }
            | EventKind::Used(_) => {}
        }
    }

    fn event(&mut self, at: Instant, index: Index, event: &Event) {
        match event {
            Event::Logged => {
                assert_eq!(index, self.last.index.next(), "each log entry has the next index");
                self.last.index = index;
                assert!(self.shadow.due.is_empty(), "a session ends in one log entry");
            }
            Event::Changed(change) => {
                assert_eq!(index, self.last.index, "a change belongs to the latest entry");
                if let Change::SessionEnded { session, cause: Cause::TtlExpired, .. } = change {
                    let clock = self.clocks[&session.id];
                    assert_eq!(at, clock.ends, "a session expires at the end of its TTL clock");
                    assert_eq!(
                        at,
                        clock.renewed.plus(clock.ttl * 2),
                        "a session expires after twice its TTL"
                    );
                    self.seen.expired += 1;
                }
                if let Change::Buried { key, .. } = change {
                    let above = key.as_str();
                    self.prefixes.retain(|it, _| !it.starts_with(above) || *it == above);
                }
                self.shadow.take(index, change);
            }
            Event::Renewed { session, clock } => {
                self.clocks.insert(*session, *clock);
            }
            Event::LeaderLost { clocks } => self.clocks.extend(clocks.iter().copied()),
            Event::LeaderChanged { clocks } => {
                for (id, ttl) in clocks {
                    let ends = at.plus(*ttl * 2);
                    self.clocks.insert(*id, SessionClock { renewed: at, ttl: *ttl, ends });
                }
            }
            Event::Parked { id, min_index, until } => {
                let (min_index, until) = (*min_index, *until);
                let parked = OpenQuery { min_index, until, woken: false, run_again: false };
                self.open.insert(*id, Some(parked));
            }
            Event::Woken { id, .. } => {
                let parked = self.open.get_mut(id).and_then(Option::as_mut);
                parked.expect("only what waits is woken").woken = true;
                self.seen.woken += 1;
            }
            Event::StillParked { id } => {
                let parked = self.open.get_mut(id).and_then(Option::as_mut);
                parked.expect("only what waits looks again").run_again = true;
            }
            Event::TimedOut { .. } => self.seen.timed_out += 1,
            Event::Fired(Timer::Reap) => {
                self.seen.reaped += 1;
                self.prefixes.clear();
            }
            Event::Fired(_)
            | Event::DelayArmed(_)
            | Event::DelayOver { .. }
            | Event::Passed { .. }
            | Event::Cancelled { .. } => {}
        }
    }

    /// A request that failed changed nothing, and every change was reported as an event.
    fn unchanged_unless_reported(&mut self, before: &World, sim_events: &[SimEvent]) {
        let event = |sim_event: &SimEvent| match &sim_event.kind {
            EventKind::Server { event, .. } => Some(event.clone()),
            _ => None,
        };
        let events: Vec<Event> = sim_events.iter().filter_map(event).collect();
        let is_reported = events
            .iter()
            .any(|event| matches!(event, Event::Changed(_) | Event::Fired(Timer::Reap)));
        let is_same = before.store() == self.world.store();
        assert!(is_reported || is_same, "a change of the store is reported");
        let Some(EventKind::Sent(call)) = sim_events.first().map(|it| &it.kind) else { return };
        let answer = sim_events.iter().find_map(|sim_event| match &sim_event.kind {
            EventKind::Answered { call: answered, outcome } if answered.id == call.id => {
                Some(outcome)
            }
            _ => None,
        });
        let Some(answer) = answer else { return };
        if answer.response.status >= 400 || answer.verdict() == Verdict::False {
            let (target, status) = (&call.request.target, answer.response.status);
            assert!(is_same, "{target} was answered {status} and changed something");
        }
        match call.operation() {
            Some(Operation::Kv { key, verb: KvVerb::Acquire { .. } })
                if before.lock_delay(key.as_str()).is_some() =>
            {
                self.seen.delayed += 1;
                let verdict = answer.verdict();
                assert_eq!(verdict, Verdict::False, "an acquire during a lock-delay fails");
                let is_logged = before.index() != self.world.index();
                assert!(!is_logged, "an acquire during a lock-delay is not logged");
            }
            Some(Operation::Kv { verb: KvVerb::Set(_) | KvVerb::Cas { .. }, .. }) => {
                seen_no_new_holder(&events);
            }
            _ => {}
        }
    }

    /// The invariants of the present state.
    fn state(&mut self) {
        self.world.check_invariants();
        self.shadow.equals(self.world.store());
        self.tables();
        self.prefixes();
        let open: Vec<_> = self.open.keys().copied().collect();
        let pending: Vec<_> = self.world.pending().map(|(id, _)| id).collect();
        assert_eq!(open, pending, "every open query is parked in the engine");
        assert!(self.open.values().all(Option::is_some), "every open query was reported as parked");
        for session in self.world.store().sessions().iter() {
            let clock = self.world.session_clock(session.id);
            let reported = self.clocks.get(&session.id).copied();
            assert_eq!(clock, reported, "the TTL clock equals the reported one");
        }
        let next = self.world.next_deadline().map(|(at, _)| at);
        assert!(next.is_none_or(|at| at > self.world.now()), "no deadline has passed");
    }

    /// The index of a table never decreases, and is never above that of the log.
    fn tables(&mut self) {
        let (now, store) = (tables(self.world.store()), self.world.store());
        assert_eq!(self.world.index(), self.last.index, "every log entry was reported");
        for (table, (old, new)) in self.last.tables.iter().zip(now).enumerate() {
            assert!(
                *old <= new && new <= self.last.index,
                "the index of table {table} went from {old} to {new}"
            );
        }
        let kv = store.kv().with_prefix("").map(|it| (0, it.create_index, it.modify_index));
        let queries = store.queries().iter().map(|it| (2, it.create_index, it.modify_index));
        let catalog = store.catalog();
        let nodes = catalog.nodes().map(|it| (3, it.create_index, it.modify_index));
        let services = catalog.services().map(|it| (4, it.create_index, it.modify_index));
        let checks = catalog.checks().map(|it| (5, it.create_index, it.modify_index));
        for (table, create, modify) in kv.chain(queries).chain(nodes).chain(services).chain(checks)
        {
            assert!(
                create <= modify && modify <= now[table],
                "a record of table {table} has indexes out of order"
            );
        }
        self.last.tables = now;
    }

    /// The index of a prefix never decreases until tombstones are reaped or a tree that contains
    /// the prefix is deleted. Such a deletion leaves one tombstone, at the root of the tree
    /// (IDX-10), so the index of the prefix may be that of an older tombstone, in Consul too.
    fn prefixes(&mut self) {
        let now = self.prefix_indexes();
        for (prefix, old) in &self.prefixes {
            let new = now[prefix];
            assert!(*old <= new, "the index of {prefix:?} went from {old} back to {new}");
        }
        self.prefixes = now;
    }

    fn prefix_indexes(&self) -> BTreeMap<&'static str, Index> {
        let kv = self.world.store().kv();
        PREFIXES.iter().map(|prefix| (*prefix, kv.prefix_index(prefix))).collect()
    }
}

/// A plain write never changes the holder.
fn seen_no_new_holder(events: &[Event]) {
    for event in events {
        if let Event::Changed(Change::KeyWritten { before, after }) = event {
            let held = before.as_ref().and_then(|entry| entry.hold.clone());
            assert_eq!(held, after.hold, "a plain write never changes the holder");
        }
    }
}

/// A blocking query is answered by a change with a newer index, or at its deadline.
fn answered(parked: OpenQuery, at: Instant, (call, outcome): (&Call, &Outcome)) {
    let (request, response) = (&call.request, &outcome.response);
    if !parked.woken {
        assert_eq!(at, parked.until, "a query that was not woken is answered at its deadline");
        return;
    }
    assert!(at <= parked.until, "a query is not answered after its deadline");
    let index = response.header("x-consul-index").and_then(|index| index.parse().ok());
    let index = index.map_or(Index::ZERO, Index);
    // The exceptions: a deleted prepared query (PQ-06), and a record that was missing twice
    // (BLK-13).
    let is_query_gone = response.text() == "Query not found";
    let is_record = ["recurse", "keys", "list"].iter().all(|it| !request.target.contains(it));
    assert!(
        index > parked.min_index || is_query_gone || (is_record && parked.run_again),
        "{} was woken with {index} for {}",
        request.target,
        parked.min_index
    );
}

impl Shadow {
    /// Applies a reported change, which has the index of its log entry.
    fn take(&mut self, index: Index, change: &Change) {
        match change {
            Change::KeyWritten { before, after } => {
                assert_eq!(self.entries.get(&after.key), before.as_ref(), "what was before");
                assert_eq!(after.modify_index, index, "all writes of a transaction have one index");
                written(before.as_deref(), after);
                self.settle(&after.key, Behavior::Release, index);
                self.entries.insert(after.key.clone(), after.clone());
            }
            Change::KeyDeleted { before } => {
                self.settle(&before.key, Behavior::Delete, index);
                let removed = self.entries.remove(&before.key);
                assert_eq!(removed.as_ref(), Some(before), "what is deleted was there");
            }
            Change::SessionCreated(session) => {
                assert!(self.sessions.insert(session.id), "a session begins once");
            }
            Change::SessionEnded { session, held, .. } => {
                assert!(self.sessions.remove(&session.id), "a session ends once");
                let holds = self.entries.values().filter(|entry| holder(entry) == Some(session.id));
                let holds: Vec<_> = holds.map(|entry| entry.key.clone()).collect();
                assert_eq!(*held, holds, "a session reports the keys that it holds, in key order");
                let due = held.iter().rev().map(|key| (key.clone(), session.behavior, index));
                self.due.splice(0..0, due);
            }
            _ => {}
        }
    }

    /// The keys of an ended session change in order and at the index of its end.
    fn settle(&mut self, key: &Key, behavior: Behavior, index: Index) {
        if let Some(due) = self.due.pop() {
            assert_eq!(due, (key.clone(), behavior, index), "held keys change in key order");
        }
    }

    fn equals(&self, store: &Store) {
        assert!(self.due.is_empty(), "all held keys were released or deleted");
        let entries = store.kv().with_prefix("");
        assert!(self.entries.values().eq(entries), "the changes account for all entries");
        let sessions = store.sessions().iter().map(|session| &session.id);
        assert!(self.sessions.iter().eq(sessions), "the changes account for all sessions");
        for entry in self.entries.values() {
            let holder = holder(entry);
            assert!(
                holder.is_none_or(|id| self.sessions.contains(&id)),
                "the session of a holder exists"
            );
        }
    }
}

/// How one write may change an entry.
fn written(before: Option<&Entry>, after: &Entry) {
    let Some(before) = before else {
        assert_eq!(after.create_index, after.modify_index, "a new entry");
        assert_eq!(
            after.lock_index,
            u64::from(after.hold.is_some()),
            "a new entry was acquired at most once"
        );
        return;
    };
    let as_before = Entry { modify_index: before.modify_index, ..after.clone() };
    assert_ne!(*before, as_before, "an unchanged record is not written");
    assert_eq!(before.create_index, after.create_index, "a write keeps CreateIndex (KV-02)");
    let grown = before.lock_index + 1;
    match (&before.hold, &after.hold) {
        (None, Some(_)) => assert_eq!(after.lock_index, grown, "an acquire counts once"),
        (Some(_), None) => assert_eq!(after.lock_index, before.lock_index, "kept by a release"),
        (one, other) => {
            assert_eq!(spelt(one), spelt(other), "a lock changes hands only when it is free");
            let is_fine = after.lock_index == before.lock_index || after.lock_index == 0;
            assert!(is_fine, "LockIndex is kept, or reset by a plain write (KV-04)");
        }
    }
}

/// The holding session as the request spelled it.
fn spelt(hold: &Option<Hold>) -> Option<&SessionRef> {
    hold.as_ref().map(|hold| &hold.session)
}

/// The id of the session that holds an entry; `None` also where its id is no UUID.
fn holder(entry: &Entry) -> Option<SessionId> {
    entry.holder().and_then(SessionRef::id)
}

/// The indexes of the tables: entries, sessions, prepared queries, nodes, services and checks.
fn tables(store: &Store) -> [Index; 6] {
    let catalog = store.catalog().indexes();
    [
        store.kv().table_index(),
        store.sessions().table_index(),
        store.queries().table_index(),
        catalog.nodes,
        catalog.services,
        catalog.checks,
    ]
}
