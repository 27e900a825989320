//! Folds the server's events into the record: keys that are written and deleted, sessions that are
//! created, renewed and ended, lock-delays, checks, blocking queries that wait, and changes of the
//! leader.

use alloc::string::ToString;
use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::engine::{Event, SessionClock};
use lictor_core::id::{Index, Key, SessionId};
use lictor_core::store::catalog::Check;
use lictor_core::store::{Change, Entry};
use lictor_core::time::Instant;

use super::Record;
use super::check::CheckTrack;
use super::chunked_log::forget;
use super::event_row::{EventCall, EventResult, EventRow, EventSource, Note, ServerCall};
use super::marks::LogEntryMark;
use super::row_keys::RowKey;
use super::semaphore::{DocumentView, document_prefix, parse_contender_key};
use super::session::{SessionEnd, SessionTrack};
use crate::call::Call;
use crate::fault::Fault;

impl Record {
    /// Folds an event of the server, with the call that it belongs to.
    pub(super) fn server(
        &mut self,
        at: Instant,
        index: Index,
        event: &Event,
        call: Option<&Arc<Call>>,
    ) {
        match event {
            Event::Logged => self.log.push(LogEntryMark { at, index }),
            Event::Changed(change) => self.changed(at, index, change, call.map(|call| &**call)),
            Event::Renewed { session, clock } => self.renewed(*session, *clock),
            Event::DelayArmed(delay) => {
                if parse_contender_key(delay.key.as_str()).is_none() {
                    let track = self.locks.entry(delay.key.clone()).or_default();
                    Arc::make_mut(track).delays.push(delay.clone());
                    self.marks.delays.push((delay.armed_at, delay.until));
                }
                self.mark_key_row(&delay.key);
            }
            Event::DelayOver { key } => {
                self.mark_key_row(key);
                self.delay_over(at, key);
            }
            Event::Parked { id, min_index, until } => {
                // A copy of a request has a number of its own, and no row.
                if let Some(call) = call.filter(|it| it.id == *id && self.checks.is_open(it.id)) {
                    self.parked(at, call, *min_index, *until);
                }
            }
            Event::LeaderChanged { clocks } => self.leader_changed(at, clocks),
            Event::LeaderLost { clocks } => self.leader_lost(at, clocks),
            Event::Fired(timer) => self.fired(at, timer),
            Event::Woken { .. }
            | Event::TimedOut { .. }
            | Event::Passed { .. }
            | Event::StillParked { .. }
            | Event::Cancelled { .. } => {}
        }
    }

    /// There is no leader, so no session ends before the next one has restarted its clock.
    fn leader_lost(&mut self, at: Instant, clocks: &[(SessionId, SessionClock)]) {
        for (session, clock) in clocks {
            if let Some(track) = self.sessions.get_mut(session) {
                Arc::make_mut(track).leader_lost(at, *clock);
            }
        }
        self.changed_rows.extend(self.sessions.keys().copied().map(RowKey::Session));
    }

    /// Another server leads, and has restarted the clocks of the sessions.
    fn leader_changed(&mut self, at: Instant, clocks: &[(SessionId, Duration)]) {
        for (session, span) in clocks {
            if let Some(track) = self.sessions.get_mut(session) {
                Arc::make_mut(track).restarted(at, *span);
            }
        }
        self.changed_rows.extend(self.sessions.keys().copied().map(RowKey::Session));
        // A fault that changes the leader has a row of its own.
        let is_fault = |row: &Arc<EventRow>| {
            row.at == at
                && matches!(
                    row.call,
                    EventCall::Fault(Fault::Failover) | EventCall::Repair(Fault::LeaderLost(_))
                )
        };
        if self.events.last().is_some_and(is_fault) {
            return;
        }
        self.marks.faults.push(at);
        let call = EventCall::Server(ServerCall::LeaderChanged);
        self.push(at, EventSource::Server, call, (EventResult::Fault, Note::ClocksRestarted));
    }

    fn changed(&mut self, at: Instant, index: Index, change: &Change, call: Option<&Call>) {
        match change {
            Change::KeyWritten { before, after } => {
                self.key_written(at, index, before.as_deref(), after, call);
            }
            Change::KeyDeleted { before } => self.key_deleted(at, index, before, call),
            Change::SessionCreated(session) => {
                let owner = call.and_then(|call| self.actor_tag(&call.actor)).cloned();
                let tag = self.next_tag(owner, &session.id.to_string());
                self.put_session(SessionTrack::new(at, session.clone(), tag));
                self.mark_session_row(session.id);
            }
            Change::SessionEnded { session, cause, held } => {
                let cause = self.end_cause(cause);
                let end = SessionEnd { at, cause, freed: held.clone() };
                self.session_ended(session.id, end);
            }
            // The health of a node is shown with every actor on it, and there are few actors.
            Change::CheckWritten { after, followed, .. } => {
                self.mark_all_actor_rows();
                self.check_written(at, after, *followed);
            }
            Change::CheckDeleted { before } => {
                self.mark_all_actor_rows();
                self.check_removed(at, before);
            }
            Change::NodeWritten { .. }
            | Change::NodeDeleted { .. }
            | Change::ServiceWritten { .. }
            | Change::ServiceDeleted { .. }
            | Change::Buried { .. }
            | Change::QueryWritten { .. }
            | Change::QueryDeleted { .. } => {}
        }
    }

    pub(super) fn key_written(
        &mut self,
        at: Instant,
        index: Index,
        before: Option<&Entry>,
        after: &Entry,
        call: Option<&Call>,
    ) {
        let key = &after.key;
        self.mark_key_row(key);
        self.mark_holder_rows(before, Some(after));
        if parse_contender_key(key.as_str()).is_some() {
            return;
        }
        let was_held = before.is_some_and(|entry| entry.hold.is_some());
        let is_lock = after.hold.is_some() || was_held || self.locks.contains_key(key);
        // `consul lock` holds a key of this name; nobody holds the document of a semaphore.
        if let Some(prefix) = document_prefix(key.as_str()).filter(|_| !is_lock) {
            let document = DocumentView::parse(&after.value);
            self.document_changed(at, index, prefix, &document, call);
        }
        if is_lock {
            let holder = after.holder().map(|session| self.tag_of(session));
            let track = self.locks.entry(key.clone()).or_default();
            let track = Arc::make_mut(track);
            if track.written(at, index, before, after, holder) {
                self.marks.acquired.push(at);
            }
            track.forget(self.begin);
        }
    }

    fn key_deleted(&mut self, at: Instant, index: Index, before: &Entry, call: Option<&Call>) {
        let key = &before.key;
        self.mark_key_row(key);
        self.mark_holder_rows(Some(before), None);
        let is_lock = self.locks.contains_key(key);
        if let Some(prefix) = document_prefix(key.as_str()).filter(|_| !is_lock) {
            self.document_changed(at, index, prefix, &DocumentView::missing(), call);
        }
        if let Some(track) = self.locks.get_mut(key) {
            Arc::make_mut(track).deleted(at, index, before);
        }
    }

    pub(super) fn check_written(
        &mut self,
        at: Instant,
        check: &Arc<Check>,
        followed: Option<SessionId>,
    ) {
        let path = check.path();
        let by = followed.map(|session| self.tag(&session.to_string()).label);
        let new = || Arc::new(CheckTrack::new(check));
        let track = Arc::make_mut(self.health_checks.entry(path.clone()).or_insert_with(new));
        let can_follow = self.version.has_session_checks();
        track.follows = if can_follow { check.followed_name().map(Arc::from) } else { None };
        track.written(at, check, by.clone());
        track.forget(self.begin);
        self.changed_rows.insert(RowKey::Check(path));
        if let Some(label) = by {
            let (reply, note) = if check.is_critical() {
                (EventResult::Critical, Note::FollowedEnded { label })
            } else {
                (EventResult::Passing, Note::FollowedBegan { label })
            };
            let call = ServerCall::CheckChanged { check: check.id.to_string() };
            self.push(at, EventSource::Server, EventCall::Server(call), (reply, note));
        }
    }

    fn check_removed(&mut self, at: Instant, check: &Check) {
        let path = check.path();
        if let Some(track) = self.health_checks.get_mut(&path) {
            Arc::make_mut(track).close(at);
            self.changed_rows.insert(RowKey::Check(path));
        }
    }

    fn document_changed(
        &mut self,
        at: Instant,
        index: Index,
        prefix: &str,
        to: &DocumentView,
        call: Option<&Call>,
    ) {
        let prefix = Key::from(prefix);
        let mut shared = self.semaphores.remove(&prefix).unwrap_or_default();
        let track = Arc::make_mut(&mut shared);
        forget(&mut track.spans, &|span| span.to.is_some_and(|to| to < self.begin));
        let gone = track.follow(at, to, |holder| self.tag(holder));
        if let (Some(dead), Some(call)) = (gone.iter().find(|span| span.died.is_some()), call) {
            track.prune(&dead.tag, call.actor.as_str(), index);
        }
        self.semaphores.insert(prefix.clone(), shared);
        self.changed_rows.insert(RowKey::Semaphore(prefix));
    }

    fn session_ended(&mut self, id: SessionId, end: SessionEnd) {
        for (prefix, track) in self.semaphores.iter_mut().filter(|(_, track)| track.lists(id)) {
            Arc::make_mut(track).died(end.at, id);
            self.changed_rows.insert(RowKey::Semaphore(prefix.clone()));
        }
        if let Some(track) = self.sessions.get_mut(&id) {
            let owner = track.tag.owner.as_ref();
            if let Some(living) = owner.and_then(|who| self.living.get_mut(&who.name)) {
                living.retain(|it| *it != id);
            }
            self.marks.ended.push(end.at);
            Arc::make_mut(track).ended = Some(end);
        }
        self.note_end(id);
        self.mark_session_row(id);
        self.add_session_end_row(id);
    }

    pub(super) fn put_session(&mut self, track: SessionTrack) {
        let id = track.session.id;
        if let Some(who) = &track.tag.owner {
            self.unknown_ends.remove(&who.name);
            self.living.entry(who.name.clone()).or_default().push(id);
        }
        self.sessions.insert(id, Arc::new(track));
    }

    fn renewed(&mut self, session: SessionId, clock: SessionClock) {
        let Some(track) = self.sessions.get_mut(&session) else { return };
        let track = Arc::make_mut(track);
        track.renewed(clock);
        track.forget(self.begin);
        self.changed_rows.insert(RowKey::Session(session));
    }
}
