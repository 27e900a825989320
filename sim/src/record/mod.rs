//! The record of a timeline: what the events of a branch amount to, as tracks over time. It has the
//! rows of the event list, the sessions and their owners, the holders of each lock, the beliefs of
//! clients, the slots of semaphores, and why the latest request was refused.
//!
//! It is derived from the events alone, and unlike the store it includes the past. Where the events
//! before a world are no longer kept, it begins with the state of that world.

mod belief;
mod belief_updates;
mod branch_diff;
mod calls;
mod check;
mod chunked_log;
mod client_events;
mod connection;
mod connection_changes;
mod event_row;
mod exchange;
mod explain;
mod explanation;
mod from_snapshot;
mod key;
mod lock;
mod marks;
mod resource;
mod row_keys;
mod row_updates;
mod semaphore;
mod server_changes;
mod session;
mod session_in_use;
mod tags;

pub use self::belief::{BeliefOverlap, BeliefSpan, BeliefTrack};
pub use self::branch_diff::{BranchDiff, DiffSide, compare};
pub use self::check::{CheckPath, CheckSpan, CheckTrack};
pub use self::chunked_log::{CHUNK, ChunkedLog};
pub use self::connection::{ConnectionPath, ConnectionTrack, RequestUse, TracedRequest};
pub use self::event_row::{
    EventCall, EventResult, EventRow, EventSource, ExplainedReason, Note, ServerCall,
};
pub use self::exchange::{EXCHANGES_KEPT, Exchange, ExchangeState};
pub use self::explanation::{CauseStep, Explanation};
pub use self::key::{KeyRead, KeyTrack, KeyVersion, ReadState};
pub use self::lock::{
    AcquireAttempt, AttemptResult, LockIndexReset, LockIndexStep, LockTrack, Tenure,
};
pub use self::marks::{LogEntryMark, TimelineMarks};
pub use self::resource::{ResourceTrack, WriteMark};
pub use self::row_keys::{RowKey, RowKeys};
pub use self::semaphore::{
    DocumentFormat, DocumentView, PrunedHolder, SemaphoreTrack, SlotSpan, document_prefix,
    parse_contender_key, semaphore_prefix,
};
pub use self::session::{EndCause, KeyFate, SessionEnd, SessionTrack};
pub use self::tags::{ActorTag, Badge, SessionTag, short_id};

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::ConsulVersion;
use lictor_core::error::Cause;
use lictor_core::id::{ActorName, Key, RequestId, ResourceName, SessionId, SessionRef};
use lictor_core::time::Instant;

use crate::call::Call;
use crate::checks::Checks;
use crate::event::{EventKind, SimEvent, Travel};
use crate::fold::Fold;
use crate::trace::Names;
use crate::world::World;

/// The memory in bytes of one entry of a map of the record.
const ROW_BYTES: usize = 80;
/// The memory in bytes of one item of a track.
const ITEM_BYTES: usize = 72;

/// What the events of a branch up to one of them amount to.
#[derive(Clone, Debug, Default)]
pub struct Record {
    actors: Vec<ActorTag>,
    /// How many sessions each actor has created, by badge.
    session_counts: Vec<usize>,
    // A copy of the record shares its tracks until they change.
    sessions: BTreeMap<SessionId, Arc<SessionTrack>>,
    /// The sessions of each actor that have not ended.
    living: BTreeMap<ActorName, Vec<SessionId>>,
    /// The last session of each actor that has ended, until an answer to the actor shows its end.
    unknown_ends: BTreeMap<ActorName, SessionId>,
    locks: BTreeMap<Key, Arc<LockTrack>>,
    semaphores: BTreeMap<Key, Arc<SemaphoreTrack>>,
    keys: BTreeMap<Key, Arc<KeyTrack>>,
    beliefs: BTreeMap<Key, Arc<BeliefTrack>>,
    resources: BTreeMap<ResourceName, Arc<ResourceTrack>>,
    health_checks: BTreeMap<CheckPath, Arc<CheckTrack>>,
    connections: BTreeMap<ConnectionPath, Arc<ConnectionTrack>>,
    /// When the network of each client was cut.
    cuts: BTreeMap<ActorName, Vec<(Instant, Option<Instant>)>>,
    /// The latest requests of people.
    exchanges: BTreeMap<RequestId, Arc<Exchange>>,
    /// The blocking queries that wait.
    parked: BTreeMap<RequestId, Arc<Call>>,
    log: ChunkedLog<LogEntryMark>,
    marks: TimelineMarks,
    events: ChunkedLog<Arc<EventRow>>,
    explanation: Option<Arc<Explanation>>,
    changed_rows: RowKeys,
    /// The number of the latest event that was folded.
    event_count: u64,
    /// Whether that event has no cause, because it is the first event of an act.
    is_uncaused: bool,
    /// The invariants, checked against each event.
    checks: Checks,
    /// Tracks that ended before this time may be dropped.
    begin: Instant,
    /// The version of the server.
    version: ConsulVersion,
}

impl Fold for Record {
    fn beginning(world: &World) -> Self {
        Self::of_world(world)
    }

    fn fold(&mut self, sim_event: &SimEvent) {
        let at = sim_event.at;
        let is_next = self.event_count == 0 || self.event_count + 1 == sim_event.number;
        debug_assert!(is_next, "events are folded in order, each once");
        self.event_count = sim_event.number;
        self.is_uncaused = sim_event.cause.is_none();
        let changed_beliefs = self.checks.follow_beliefs(sim_event);
        self.checks.follow_rules(sim_event);
        self.follow_keys(sim_event);
        if let Some((change, keys)) = changed_beliefs {
            self.change_beliefs(at, change, &keys);
        }
        match &sim_event.kind {
            EventKind::Joined { actor } => self.joined(at, actor),
            EventKind::Sent(call) => {
                self.mark_actor_row(&call.actor);
                self.request_sent(at, call);
            }
            EventKind::Answered { call, outcome } => self.answered(at, call, outcome),
            EventKind::Cancelled { call, logged, .. } => {
                self.given_up(at, (call, *logged), (EventResult::Cancelled, Note::Nothing));
            }
            EventKind::Travel(Travel::Broken { call, stage, logged, failure }) => {
                self.failed(at, (call, *logged), (*stage, failure.as_ref()));
            }
            EventKind::Travel(travel) => self.message_travelled(at, travel),
            EventKind::Failed(trouble) => {
                self.fault_changed(at, &trouble.fault, EventResult::Fault);
            }
            EventKind::Mended(trouble) => {
                self.fault_changed(at, &trouble.fault, EventResult::Mended);
            }
            EventKind::Used(used) => self.resource_written(at, used),
            EventKind::Program { program, actor, event } => {
                self.mark_actor_row(actor);
                self.program_event(at, (program, actor), event);
            }
            EventKind::Server { index, event, call } => {
                self.server(at, *index, event, call.as_ref());
            }
        }
        self.follow_exchanges(sim_event);
    }

    fn forget(&mut self, begin: Instant) {
        self.begin = begin;
        self.events.forget(|row| row.at < begin);
        self.log.forget(|dot| dot.at < begin);
        self.marks.forget(begin);
        self.sessions.retain(|_, track| track.ended.as_ref().is_none_or(|end| end.at >= begin));
        self.health_checks.retain(|_, track| {
            track.spans.last().is_some_and(|span| span.to.is_none_or(|to| to >= begin))
        });
        for track in self.connections.values_mut() {
            Arc::make_mut(track).forget(begin);
        }
        self.connections.retain(|_, track| !track.requests.is_empty());
        self.cuts.values_mut().for_each(|cuts| {
            cuts.retain(|(_, end)| end.is_none_or(|end| end >= begin));
        });
    }

    fn drop_forgotten(&mut self) {
        self.events.drop_forgotten(usize::MAX);
        self.log.drop_forgotten(usize::MAX);
        self.marks.drop_forgotten();
    }

    /// An overestimate if there are many copies, because these share the tracks that do not change.
    fn weight(&self) -> usize {
        let tracks = self.sessions.len()
            + self.living.len()
            + self.unknown_ends.len()
            + self.locks.len()
            + self.semaphores.len()
            + self.keys.len()
            + self.beliefs.len()
            + self.resources.len()
            + self.health_checks.len()
            + self.connections.len()
            + self.exchanges.len();
        let locks: usize = self.locks.values().map(|track| track.items()).sum();
        let sessions: usize = self.sessions.values().map(|track| track.items()).sum();
        let reads = |track: &Arc<KeyTrack>| track.versions.len() + track.reads.len();
        let keys: usize = self.keys.values().map(reads).sum();
        let beliefs: usize = self.beliefs.values().map(|track| track.spans.len()).sum();
        let slots: usize = self.semaphores.values().map(|track| track.spans.len()).sum();
        let writes: usize = self.resources.values().map(|track| track.writes.len()).sum();
        let requests: usize = self.connections.values().map(|track| track.items()).sum();
        let items = locks + sessions + keys + beliefs + slots + writes + requests;
        let logs = self.events.weight() + self.log.weight() + self.marks.weight();
        (tracks + self.checks.rows()) * ROW_BYTES + items * ITEM_BYTES + logs
    }
}

impl Record {
    /// The invariants, checked against each event.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// The number of events of the world so far, also of those before this record began.
    pub fn event_count(&self) -> u64 {
        self.event_count
    }

    /// The actors in the order in which they joined.
    pub fn actors(&self) -> &[ActorTag] {
        &self.actors
    }

    /// The name and badge of an actor.
    pub fn actor_tag(&self, name: &ActorName) -> Option<&ActorTag> {
        self.actors.iter().find(|who| who.name == *name)
    }

    /// The rows of the event list, in order.
    pub fn events(&self) -> &ChunkedLog<Arc<EventRow>> {
        &self.events
    }

    /// The row of the latest act that has one. It is not always the last row of an act: the row of
    /// a request is added at its end, and can follow the rows of later acts.
    pub fn latest_act(&self) -> Option<&Arc<EventRow>> {
        let mut latest: Option<&Arc<EventRow>> = None;
        for row in self.events.iter().rev() {
            let act = latest.and_then(|latest| latest.act);
            if act.is_some_and(|act| act > row.event) {
                break;
            }
            if row.act > act {
                latest = Some(row);
            }
        }
        latest
    }

    /// The marks on the scrubber.
    pub fn marks(&self) -> &TimelineMarks {
        &self.marks
    }

    /// The entries of the server's log, in order.
    pub fn log(&self) -> &ChunkedLog<LogEntryMark> {
        &self.log
    }

    /// The track of a session.
    pub fn session(&self, id: SessionId) -> Option<&SessionTrack> {
        self.sessions.get(&id).map(|track| &**track)
    }

    /// The tracks of all sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionTrack> {
        self.sessions.values().map(|track| &**track)
    }

    /// The track of a health check. The check of a node itself has one once it was in doubt.
    pub fn health_check(&self, path: &CheckPath) -> Option<&CheckTrack> {
        self.health_checks.get(path).map(|track| &**track).filter(|track| track.is_shown())
    }

    /// The tracks of all health checks, except for those of nodes that were never in doubt.
    pub fn health_checks(&self) -> impl Iterator<Item = &CheckTrack> {
        self.health_checks.values().map(|track| &**track).filter(|track| track.is_shown())
    }

    /// The track of a lock.
    pub fn lock(&self, key: &Key) -> Option<&LockTrack> {
        self.locks.get(key).map(|track| &**track)
    }

    /// The tracks of all locks.
    pub fn locks(&self) -> impl Iterator<Item = (&Key, &LockTrack)> {
        self.locks.iter().map(|(key, track)| (key, &**track))
    }

    /// A key that clients read; `None` for any other key.
    pub fn key(&self, key: &Key) -> Option<&KeyTrack> {
        self.keys.get(key).map(|track| &**track).filter(|track| track.was_read)
    }

    /// The keys that clients read.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(|(_, track)| track.was_read).map(|(key, _)| key)
    }

    /// The beliefs about a key; `None` if no client ever believed that it held the key.
    pub fn beliefs(&self, key: &Key) -> Option<&BeliefTrack> {
        self.beliefs.get(key).map(|track| &**track)
    }

    /// The beliefs about locks. Semaphores are left out: they have as many holders as slots.
    pub fn beliefs_about_locks(&self) -> impl Iterator<Item = &BeliefTrack> {
        let of_locks = self.beliefs.iter().filter(|(key, _)| self.locks.contains_key(*key));
        of_locks.map(|(_, track)| &**track)
    }

    /// How often two clients believed at once that they held a lock.
    pub fn overlap_count(&self) -> usize {
        self.beliefs_about_locks().map(BeliefTrack::overlap_count).sum()
    }

    /// The guarded resources that were written to.
    pub fn resources(&self) -> impl Iterator<Item = (&ResourceName, &ResourceTrack)> {
        self.resources.iter().map(|(name, track)| (name, &**track))
    }

    /// The track of a guarded resource.
    pub fn resource(&self, name: &ResourceName) -> Option<&ResourceTrack> {
        self.resources.get(name).map(|track| &**track)
    }

    /// The track of a semaphore, by its prefix.
    pub fn semaphore(&self, prefix: &Key) -> Option<&SemaphoreTrack> {
        self.semaphores.get(prefix).map(|track| &**track)
    }

    /// The tracks of all semaphores.
    pub fn semaphores(&self) -> impl Iterator<Item = (&Key, &SemaphoreTrack)> {
        self.semaphores.iter().map(|(prefix, track)| (prefix, &**track))
    }

    /// The latest refusal with the events that led to it.
    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        self.explanation.as_ref()
    }

    /// The newest session of an actor that has not ended.
    pub fn session_of(&self, actor: &ActorName) -> Option<&SessionTrack> {
        let key = |track: &&SessionTrack| (track.created, track.session.create_index);
        self.sessions_of(actor).max_by_key(key)
    }

    /// The live sessions of a client.
    pub fn sessions_of(&self, actor: &ActorName) -> impl Iterator<Item = &SessionTrack> {
        let living = self.living.get(actor).into_iter().flatten();
        living.filter_map(|id| self.session(*id))
    }

    /// The label of a session, given in any spelling of its id.
    pub fn tag(&self, session: &str) -> SessionTag {
        let known = SessionId::parse(session).and_then(|id| self.sessions.get(&id));
        known.map_or_else(
            || SessionTag { label: short_id(session).into(), owner: None },
            |track| track.tag.clone(),
        )
    }

    /// A key as the page names it: a contender key has its session's label in place of its id.
    pub fn key_name(&self, key: &Key) -> String {
        match parse_contender_key(key.as_str()) {
            Some((prefix, session)) => format!("{prefix}{}", self.tag(session).label),
            None => key.to_string(),
        }
    }

    /// The labels of all sessions, for the line language.
    pub fn session_names(&self) -> Names {
        let mut names = Names::default();
        for track in self.sessions() {
            names.call(track.session.id, track.tag.label.to_string());
        }
        names
    }

    /// Why a session ended, with the label of the session that its check followed.
    pub fn end_cause(&self, cause: &Cause) -> EndCause {
        let followed = match cause {
            Cause::FollowedSessionEnded { session, .. } => {
                Some(self.tag(&session.to_string()).label)
            }
            Cause::Requested
            | Cause::TtlExpired
            | Cause::CheckCritical(_)
            | Cause::CheckRemoved(_)
            | Cause::NodeRemoved
            | Cause::Unknown => None,
        };
        EndCause { cause: cause.clone(), followed }
    }

    /// The label of a session as a request names it.
    pub fn tag_of(&self, session: &SessionRef) -> SessionTag {
        self.tag(session.as_str())
    }

    /// The label of a new session: the letter of its owner, with a number from its second session
    /// on. Without an owner, it is the short id.
    fn next_tag(&mut self, owner: Option<ActorTag>, id: &str) -> SessionTag {
        let Some(who) = owner else {
            return SessionTag { label: short_id(id).into(), owner: None };
        };
        let letters = who.badge.letters();
        let label = match self.session_counts.get_mut(usize::from(who.badge.0)) {
            Some(count) => {
                *count += 1;
                if *count > 1 { format!("{letters}{count}") } else { letters }
            }
            None => letters,
        };
        SessionTag { label: label.into(), owner: Some(who) }
    }

    fn next_badge(&self) -> Badge {
        Badge(u16::try_from(self.actors.len()).unwrap_or(u16::MAX))
    }
}

#[cfg(test)]
mod tests;
