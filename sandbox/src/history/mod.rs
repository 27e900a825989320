//! What the page remembers of the world: who did what, which session was whose, who held what from
//! when to when. Pure: it folds moments one by one and can be asked. The store forgets what ended;
//! this does not.

mod belief;
mod chunked_log;
mod event_row;
mod events;
mod explain;
mod from_snapshot;
mod lock;
mod marks;
mod session;
mod slots;
mod touch;
mod world;

use std::rc::Rc;
use std::sync::Arc;

use lictor_core::engine::{Event, SessionClock};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Index, Key, RequestId, ResourceName, SessionId, SessionRef};
use lictor_core::store::{Change, Entry};
use lictor_core::time::Instant;
use lictor_sim::{Caller, Checks, EventKind, SimEvent, Travel};
use std::collections::BTreeMap;

pub use belief::{BeliefSpan, BeliefTrack, Believer, TwoBelieve};
pub use chunked_log::Shelf;
pub use event_row::{
    Call, EventRow, LostHalf, Note, Reply, ServerCall, SessionTag, Source, Who, Why,
};
pub use events::reply_of;
pub use explain::{ChainStep, Explanation};
pub use lock::{Granted, HistoryStep, LockTrack, Reset, Tenure, Try};
pub use marks::Marks;
pub use session::{End, SessionTrack};
pub use slots::{
    Document, Pruned, Shape, SlotSpan, SlotsTrack, contender_of, document_prefix, semaphore_of,
};
pub use touch::{Touch, Touched};
pub use world::{ResourceTrack, WriteMark};

use crate::badge::Badge;
use crate::format::short_id;
use crate::requests::LockCall;

/// One entry of the server's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogDot {
    pub at: Instant,
    pub index: Index,
}

/// The memory of the page.
#[derive(Clone, Debug, Default)]
pub struct Record {
    actors: Vec<Who>,
    /// How many sessions each of them made, by their badges.
    made: Vec<usize>,
    // A copy of the record shares its tracks until they change.
    sessions: BTreeMap<SessionId, Rc<SessionTrack>>,
    /// Those of each actor that live.
    living: BTreeMap<ActorName, Vec<SessionId>>,
    locks: BTreeMap<Key, Rc<LockTrack>>,
    semaphores: BTreeMap<Key, Rc<SlotsTrack>>,
    beliefs: BTreeMap<Key, Rc<BeliefTrack>>,
    resources: BTreeMap<ResourceName, Rc<ResourceTrack>>,
    log: Shelf<LogDot>,
    marks: Marks,
    events: Shelf<Rc<EventRow>>,
    calls: BTreeMap<RequestId, CallTrack>,
    /// The request that is being carried out: what the server does meanwhile is its doing.
    current: Option<RequestId>,
    explanation: Option<Rc<Explanation>>,
    touched: Touched,
    /// The number of the latest moment.
    moments: u64,
    /// Whether all went as it must.
    checks: Checks,
    /// What was over before is no longer known.
    begin: Instant,
}

/// Forgets the first of a list, as long as they are old.
fn forget<T>(list: &mut Vec<T>, is_old: &dyn Fn(&T) -> bool) -> usize {
    let old = list.iter().take_while(|item| is_old(item)).count();
    list.drain(..old);
    old
}

/// A request that was sent and not yet answered.
#[derive(Clone, Debug)]
struct CallTrack {
    who: Who,
    caller: Caller,
    request: Arc<HttpRequest>,
    lock: Option<LockCall>,
    /// The log entry that it made, if any.
    logged: Option<Index>,
    /// What it did to sessions, for its row in the event list.
    did: Did,
}

/// What a request did that its answer does not say.
#[derive(Clone, Debug)]
enum Did {
    Nothing,
    Created(SessionId),
    Ended(SessionId),
    Renewed(SessionClock),
    Woke,
    TimedOut,
}

impl Record {
    pub fn fold(&mut self, moment: &SimEvent) {
        let at = moment.at;
        self.moments = moment.number;
        self.checks.follow(moment);
        match &moment.kind {
            EventKind::Joined { actor } => self.joined(at, actor),
            EventKind::Sent { id, actor, caller, request } => {
                self.sent(*id, (actor, caller), request);
            }
            EventKind::Answered { id, response, outcome, .. } => {
                self.answered(at, *id, response, outcome);
            }
            EventKind::Cancelled { id, .. }
            | EventKind::Travel(Travel::Broken { call: id, .. }) => self.cancelled(at, *id),
            EventKind::Travel(travel) => self.travelled(at, travel),
            EventKind::Failed(trouble) => self.failed(at, &trouble.fault, Reply::Fault),
            EventKind::Mended(trouble) => self.failed(at, &trouble.fault, Reply::Mended),
            EventKind::Used(used) => self.used(at, used),
            EventKind::Program { program, actor, deed } => {
                self.touch_actor(actor);
                self.acted(at, (program, actor), deed);
            }
            EventKind::Server { index, event } => self.server(at, *index, event),
        }
    }

    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Forgets what was over before a moment, the events little by little. A track forgets when it
    /// grows.
    pub fn forget(&mut self, begin: Instant) {
        self.begin = begin;
        self.events.forget(|row| row.at < begin);
        self.log.forget(|dot| dot.at < begin);
        self.marks.forget(begin);
        self.sessions.retain(|_, track| track.ended.as_ref().is_none_or(|end| end.at >= begin));
    }

    /// Lets all events go that are forgotten. In a copy that costs little: others have them, too.
    pub fn let_go(&mut self) {
        self.events.let_go(usize::MAX);
        self.log.let_go(usize::MAX);
        self.marks.let_go();
    }

    /// How many moments were folded.
    pub fn moments(&self) -> u64 {
        self.moments
    }

    /// The actors in the order in which they joined.
    pub fn actors(&self) -> &[Who] {
        &self.actors
    }

    pub fn who(&self, name: &ActorName) -> Option<&Who> {
        self.actors.iter().find(|who| who.name == *name)
    }

    pub fn events(&self) -> &Shelf<Rc<EventRow>> {
        &self.events
    }

    /// What is marked on the line of time.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    pub fn log(&self) -> &Shelf<LogDot> {
        &self.log
    }

    pub fn session(&self, id: SessionId) -> Option<&SessionTrack> {
        self.sessions.get(&id).map(|track| &**track)
    }

    pub fn sessions(&self) -> impl Iterator<Item = &SessionTrack> {
        self.sessions.values().map(|track| &**track)
    }

    pub fn lock(&self, key: &Key) -> Option<&LockTrack> {
        self.locks.get(key).map(|track| &**track)
    }

    pub fn locks(&self) -> impl Iterator<Item = (&Key, &LockTrack)> {
        self.locks.iter().map(|(key, track)| (key, &**track))
    }

    /// Who believes to hold a key, if anybody ever did.
    pub fn beliefs(&self, key: &Key) -> Option<&BeliefTrack> {
        self.beliefs.get(key).map(|track| &**track)
    }

    /// The beliefs about locks. A semaphore is no lock: it has as many holders as slots.
    pub fn beliefs_about_locks(&self) -> impl Iterator<Item = &BeliefTrack> {
        let of_locks = self.beliefs.iter().filter(|(key, _)| self.locks.contains_key(*key));
        of_locks.map(|(_, track)| &**track)
    }

    /// How often two believed at once to hold a lock.
    pub fn overlaps(&self) -> usize {
        self.beliefs_about_locks().map(BeliefTrack::overlaps).sum()
    }

    /// The guarded resources that were written to.
    pub fn resources(&self) -> impl Iterator<Item = (&ResourceName, &ResourceTrack)> {
        self.resources.iter().map(|(name, track)| (name, &**track))
    }

    pub fn resource(&self, name: &ResourceName) -> Option<&ResourceTrack> {
        self.resources.get(name).map(|track| &**track)
    }

    pub fn semaphore(&self, prefix: &Key) -> Option<&SlotsTrack> {
        self.semaphores.get(prefix).map(|track| &**track)
    }

    pub fn semaphores(&self) -> impl Iterator<Item = (&Key, &SlotsTrack)> {
        self.semaphores.iter().map(|(prefix, track)| (prefix, &**track))
    }

    /// The latest refusal and what led to it.
    pub fn explanation(&self) -> Option<&Rc<Explanation>> {
        self.explanation.as_ref()
    }

    /// Who sent a request that is not answered yet.
    pub fn sender(&self, id: RequestId) -> Option<&Who> {
        self.calls.get(&id).map(|call| &call.who)
    }

    /// How many requests of an actor wait for their answers.
    pub fn waiting(&self, actor: &ActorName) -> usize {
        self.calls.values().filter(|call| call.who.name == *actor).count()
    }

    /// The newest session of an actor that lives.
    pub fn session_of(&self, actor: &ActorName) -> Option<&SessionTrack> {
        let key = |track: &&SessionTrack| (track.created, track.session.create_index);
        self.living.get(actor)?.iter().filter_map(|id| self.session(*id)).max_by_key(key)
    }

    /// What the page calls a session, in whatever spelling it is given.
    pub fn tag(&self, session: &str) -> SessionTag {
        let known = SessionId::parse(session).and_then(|id| self.sessions.get(&id));
        known.map_or_else(
            || SessionTag { label: short_id(session).into(), owner: None },
            |track| track.tag.clone(),
        )
    }

    /// A key as the page names it: a contender key has its session's label in place of its id.
    pub fn key_name(&self, key: &Key) -> String {
        match contender_of(key.as_str()) {
            Some((prefix, session)) => format!("{prefix}{}", self.tag(session).label),
            None => key.to_string(),
        }
    }

    pub fn tag_of(&self, session: &SessionRef) -> SessionTag {
        self.tag(session.as_str())
    }

    fn server(&mut self, at: Instant, index: Index, event: &Event) {
        match event {
            Event::Logged => {
                self.log.push(LogDot { at, index });
                self.note_current(|call| call.logged = Some(index));
            }
            Event::Changed(change) => self.changed(at, index, change),
            Event::Renewed { session, clock } => self.renewed(*session, *clock),
            Event::DelayArmed(delay) => {
                if contender_of(delay.key.as_str()).is_none() {
                    let track = self.locks.entry(delay.key.clone()).or_default();
                    Rc::make_mut(track).delays.push(delay.clone());
                    self.marks.delays.push((delay.armed_at, delay.until));
                }
                self.touch_key(&delay.key);
            }
            Event::DelayOver { key } => {
                self.touch_key(key);
                self.delay_over(at, key);
            }
            Event::Parked { id, min_index, until } => self.parked(at, *id, *min_index, *until),
            Event::Woken { id, .. } => self.note_call(*id, Did::Woke),
            Event::TimedOut { id } => self.note_call(*id, Did::TimedOut),
            Event::LeaderChanged { .. } => {
                self.touched.extend(self.sessions.keys().copied().map(Touch::Session));
            }
            Event::Fired(timer) => self.fired(at, timer),
            Event::Passed { .. } | Event::WokenInVain { .. } | Event::Cancelled { .. } => {}
        }
    }

    fn changed(&mut self, at: Instant, index: Index, change: &Change) {
        match change {
            Change::KeyWritten { before, after } => {
                self.key_written(at, index, before.as_deref(), after);
            }
            Change::KeyDeleted { before } => self.key_deleted(at, index, before),
            Change::SessionCreated(session) => {
                let owner = self.current_call().map(|call| call.who.clone());
                let tag = self.next_tag(owner, &session.id.to_string());
                self.put_session(SessionTrack::new(at, session.clone(), tag));
                self.touch_session(session.id);
                self.note_current(|call| call.did = Did::Created(session.id));
            }
            Change::SessionEnded { session, cause, held } => {
                let end = End { at, cause: cause.clone(), freed: held.clone() };
                self.session_ended(session.id, end);
            }
            // A node's health shows with every actor on it, and there are few actors.
            Change::CheckWritten { .. } | Change::CheckDeleted { .. } => self.touch_actors(),
            Change::NodeWritten { .. }
            | Change::NodeDeleted { .. }
            | Change::ServiceWritten { .. }
            | Change::ServiceDeleted { .. }
            | Change::Buried { .. }
            | Change::QueryWritten { .. }
            | Change::QueryDeleted { .. } => {}
        }
    }

    fn key_written(&mut self, at: Instant, index: Index, before: Option<&Entry>, after: &Entry) {
        let key = &after.key;
        self.touch_key(key);
        self.touch_holders(before, Some(after));
        if let Some(prefix) = document_prefix(key.as_str()) {
            self.document_changed((at, index), prefix, &Document::parse(&after.value));
        }
        if contender_of(key.as_str()).is_some() {
            return;
        }
        let is_lock = after.hold.is_some() || before.is_some_and(|entry| entry.hold.is_some());
        if is_lock || self.locks.contains_key(key) {
            let holder = after.holder().map(|session| self.tag_of(session));
            let track = self.locks.entry(key.clone()).or_default();
            let track = Rc::make_mut(track);
            if track.written(at, (before, after), holder) {
                self.marks.acquired.push(at);
            }
            track.forget(self.begin);
        }
    }

    fn key_deleted(&mut self, at: Instant, index: Index, before: &Entry) {
        let key = &before.key;
        self.touch_key(key);
        self.touch_holders(Some(before), None);
        if let Some(prefix) = document_prefix(key.as_str()) {
            self.document_changed((at, index), prefix, &Document::missing());
        }
        if let Some(track) = self.locks.get_mut(key) {
            Rc::make_mut(track).deleted(at, before);
        }
    }

    fn document_changed(&mut self, (at, index): (Instant, Index), prefix: &str, to: &Document) {
        let prefix = Key::from(prefix);
        let mut shared = self.semaphores.remove(&prefix).unwrap_or_default();
        let track = Rc::make_mut(&mut shared);
        forget(&mut track.spans, &|span| span.to.is_some_and(|to| to < self.begin));
        let gone = track.follow(at, to, |holder| self.tag(holder));
        if let (Some(dead), Some(by)) =
            (gone.iter().find(|span| span.died.is_some()), self.current_name())
        {
            track.prune(&dead.tag, &by, index);
        }
        self.semaphores.insert(prefix.clone(), shared);
        self.touched.insert(Touch::Semaphore(prefix));
    }

    fn session_ended(&mut self, id: SessionId, end: End) {
        for prefix in self.semaphores.keys().cloned().collect::<Vec<_>>() {
            if let Some(slots) = self.semaphores.get_mut(&prefix) {
                Rc::make_mut(slots).died(end.at, id);
            }
            self.touched.insert(Touch::Semaphore(prefix));
        }
        if let Some(track) = self.sessions.get_mut(&id) {
            let owner = track.tag.owner.as_ref();
            if let Some(living) = owner.and_then(|who| self.living.get_mut(&who.name)) {
                living.retain(|it| *it != id);
            }
            self.marks.ended.push(end.at);
            Rc::make_mut(track).ended = Some(end);
        }
        self.touch_session(id);
        self.end_told(id);
    }

    fn put_session(&mut self, track: SessionTrack) {
        let id = track.session.id;
        if let Some(who) = &track.tag.owner {
            match self.living.get_mut(&who.name) {
                Some(living) => living.push(id),
                None => drop(self.living.insert(who.name.clone(), vec![id])),
            }
        }
        self.sessions.insert(id, Rc::new(track));
    }

    fn renewed(&mut self, session: SessionId, clock: SessionClock) {
        let Some(track) = self.sessions.get_mut(&session) else { return };
        let track = Rc::make_mut(track);
        track.renewed(clock);
        track.forget(self.begin);
        let is_renewal = clock.renewed > track.created;
        self.touched.insert(Touch::Session(session));
        if is_renewal {
            self.note_current(|call| call.did = Did::Renewed(clock));
        }
    }

    /// The label of a new session: the letter of its owner, with a number from its second session
    /// on.
    fn next_tag(&mut self, owner: Option<Who>, id: &str) -> SessionTag {
        let Some(who) = owner.filter(|who| who.badge.0 < 26) else {
            return SessionTag { label: short_id(id).into(), owner: None };
        };
        let letter = who.badge.letter();
        let label = match self.made.get_mut(usize::from(who.badge.0)) {
            Some(made) => {
                *made += 1;
                if *made > 1 { format!("{letter}{made}") } else { letter.to_string() }
            }
            None => letter.to_string(),
        };
        SessionTag { label: label.into(), owner: Some(who) }
    }

    fn current_call(&self) -> Option<&CallTrack> {
        self.calls.get(&self.current?)
    }

    fn current_name(&self) -> Option<String> {
        self.current_call().map(|call| call.who.name.to_string())
    }

    fn note_current(&mut self, note: impl FnOnce(&mut CallTrack)) {
        if let Some(call) = self.current.and_then(|id| self.calls.get_mut(&id)) {
            note(call);
        }
    }

    fn note_call(&mut self, id: RequestId, did: Did) {
        if let Some(call) = self.calls.get_mut(&id) {
            call.did = did;
        }
    }

    fn next_badge(&self) -> Badge {
        Badge(u16::try_from(self.actors.len()).unwrap_or(u16::MAX))
    }
}

#[cfg(test)]
pub(crate) mod tests;
