//! Adds the rows of the event list that are about requests and about the server: when a request is
//! answered, fails or is given up by its caller, when a blocking query begins to wait, when a
//! client joins, when a session ends without a request to destroy it, and when a lock-delay or the
//! TTL of a check is over. It also records the result of each acquire.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::engine::{Timer, Wake};
use lictor_core::error::{Cause, Reason};
use lictor_core::http::BadRequest;
use lictor_core::id::{ActorName, Index, Key, SessionId, SessionRef};
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{Found, KvVerb};
use lictor_core::time::Instant;

use super::Record;
use super::event_row::{
    EventCall, EventResult, EventRow, EventSource, ExplainedReason, Note, ServerCall,
};
use super::lock::{AcquireAttempt, AttemptResult, Tenure};
use super::row_keys::RowKey;
use super::session::{KeyFate, SessionEnd, SessionTrack};
use super::tags::ActorTag;
use crate::call::{Call, CallFailure, CallStage, Effects, Outcome, Problem, Verdict};

/// The length of a session's id as a text.
const ID_LENGTH: usize = 36;

impl Record {
    pub(super) fn joined(&mut self, at: Instant, name: &ActorName) {
        let actor = self.add_actor(name);
        self.mark_actor_row(name);
        let call = EventCall::Server(ServerCall::Joined);
        self.push(at, EventSource::Actor(actor), call, (EventResult::Joined, Note::OwnNode));
    }

    pub(super) fn add_actor(&mut self, name: &ActorName) -> ActorTag {
        let actor = ActorTag { name: name.clone(), badge: self.next_badge() };
        self.actors.push(actor.clone());
        self.session_counts.push(0);
        actor
    }

    pub(super) fn parked(
        &mut self,
        at: Instant,
        call: &Arc<Call>,
        min_index: Index,
        until: Instant,
    ) {
        self.parked.insert(call.id, call.clone());
        let end = (EventResult::Waits, Note::Parked { min_index, until });
        self.push_call(at, (call, None), end);
    }

    pub(super) fn answered(&mut self, at: Instant, call: &Arc<Call>, outcome: &Outcome) {
        self.mark_actor_row(&call.actor);
        self.note_known_end(call, outcome);
        self.request_ended(at, call, Some(outcome.response.status));
        let reply = EventResult::from(outcome);
        match reply {
            EventResult::True => self.record_attempt(at, call, AttemptResult::Yes),
            EventResult::False => self.push_attempt(at, call, call.key(), AttemptResult::No),
            _ => self.record_attempt(at, call, AttemptResult::No),
        }
        let note = self.note_of(at, call, outcome);
        self.parked.remove(&call.id);
        self.explain(at, call, &reply, &note);
        self.push_call(at, (call, outcome.effects.logged), (reply, note));
    }

    /// The caller stops waiting, or gets an error in place of an answer.
    pub(super) fn given_up(
        &mut self,
        at: Instant,
        (call, logged): (&Arc<Call>, Option<Index>),
        end: (EventResult, Note),
    ) {
        self.mark_actor_row(&call.actor);
        self.request_ended(at, call, None);
        self.parked.remove(&call.id);
        self.push_call(at, (call, logged), end);
    }

    /// The caller gets an error in place of an answer.
    pub(super) fn failed(
        &mut self,
        at: Instant,
        (call, logged): (&Arc<Call>, Option<Index>),
        (stage, failure): (CallStage, Option<&CallFailure>),
    ) {
        let error = failure.map(|failure| call.failure_text(failure).into());
        if error.is_some() {
            self.record_attempt(at, call, AttemptResult::Unknown);
        }
        let is_read = matches!(call.operation(), Some(Operation::Read { .. }));
        let stage = Some(stage).filter(|_| error.is_none() || !is_read);
        self.given_up(at, (call, logged), (EventResult::Failed, Note::Broken { stage, error }));
    }

    pub(super) fn delay_over(&mut self, at: Instant, key: &Key) {
        let call = EventCall::Server(ServerCall::LockDelayOver { key: self.key_name(key) });
        self.push(at, EventSource::Server, call, (EventResult::Ended, Note::LockDelayOver));
    }

    pub(super) fn fired(&mut self, at: Instant, timer: &Timer) {
        let Timer::CheckTtl(_, check) = timer else { return };
        let call = EventCall::Server(ServerCall::CheckLapsed { check: check.as_str().to_owned() });
        self.push(at, EventSource::Server, call, (EventResult::Ended, Note::Nothing));
    }

    /// A session that a request destroyed is reported on that request's row; any other end gets a
    /// row of its own.
    pub(super) fn add_session_end_row(&mut self, id: SessionId) {
        let Some(track) = self.sessions.get(&id) else { return };
        let Some(end) = track.ended.as_ref().filter(|it| it.cause.cause != Cause::Requested) else {
            return;
        };
        let (at, note) = (end.at, self.end_note(track, end));
        let call = EventCall::Server(ServerCall::SessionEnded { label: track.tag.label.clone() });
        self.push(at, EventSource::Server, call, (EventResult::Ended, note));
    }

    /// Records the answer to a request to acquire a lock.
    pub(super) fn record_attempt(&mut self, at: Instant, call: &Call, result: AttemptResult) {
        self.push_attempt(at, call, acquire_of(call).map(|(key, _)| key), result);
    }

    fn push_attempt(&mut self, at: Instant, call: &Call, key: Option<&Key>, result: AttemptResult) {
        let Some(key) = key else { return };
        let Some(actor) = self.actor_tag(&call.actor).cloned() else { return };
        if let Some(known) = self.locks.get_mut(key) {
            Arc::make_mut(known).attempts.push(AcquireAttempt { at, actor, result });
            self.changed_rows.insert(RowKey::Key(key.clone()));
        }
    }

    fn note_of(&self, at: Instant, call: &Call, outcome: &Outcome) -> Note {
        if let Some(reason) = outcome.reason() {
            return Note::Reason(self.why(at, reason, call));
        }
        match outcome.problem() {
            Some(Problem::BadRequest(BadRequest::Moved { location, .. })) => {
                return Note::Moved { location: location.clone() };
            }
            Some(problem) => return Note::Problem(Arc::new(problem.clone())),
            None => {}
        }
        match (&outcome.wake, &outcome.answer) {
            (Some(Wake::TimeUp), _) => return Note::WaitOver,
            (Some(_), _) => {
                let Some(index) = outcome.index() else { return Note::Nothing };
                return match call.operation().and_then(Operation::blocking_wait) {
                    Some(wait) if !self.parked.contains_key(&call.id) => {
                        Note::IndexPassed { index, min_index: wait.min_index }
                    }
                    _ => Note::Woken { index },
                };
            }
            (None, Ok(Response { answer: Answer::Found(Found::Entry(Some(entry))), .. })) => {
                return Note::Found(entry.clone());
            }
            (None, Ok(Response { answer: Answer::Created(id), .. })) => {
                return self.session(*id).map_or(Note::Nothing, |session| Note::Created {
                    label: session.tag.label.clone(),
                });
            }
            _ => {}
        }
        match outcome.effects {
            Effects { ended: Some(id), .. } => {
                let track = self.sessions.get(&id);
                let ended = track.and_then(|track| Some((track, track.ended.as_ref()?)));
                ended.map_or(Note::Nothing, |(track, end)| self.end_note(track, end))
            }
            Effects { clock: Some(clock), .. } => Note::Renewed { expires: clock.ends },
            Effects { logged, .. } if outcome.verdict() == Verdict::True => {
                self.write_note(call, logged)
            }
            _ => Note::Nothing,
        }
    }

    /// The note of a successful write: the locks of other clients that it ended, the LockIndex of
    /// an acquire, or the other client whose lock did not stop a plain write.
    fn write_note(&self, call: &Call, logged: Option<Index>) -> Note {
        if let Some(note) = logged.and_then(|entry| self.ended_holds(call, entry)) {
            return note;
        }
        let Some(Operation::Kv { key, verb }) = call.operation() else { return Note::Nothing };
        let Some(track) = self.lock(key) else { return Note::Nothing };
        let Some(tenure) = track.tenures.last() else { return Note::Nothing };
        let owner = tenure.session.owner.clone();
        match verb {
            KvVerb::Acquire { .. } => Note::LockIndex(track.lock_index),
            KvVerb::Set(_) | KvVerb::Cas { .. }
                if tenure.to.is_none() && is_of_other(tenure, call) =>
            {
                Note::HeldByOther { session: tenure.session.label.clone(), owner }
            }
            _ => Note::Nothing,
        }
    }

    /// The locks of other clients that the log entry of a write has ended.
    fn ended_holds(&self, call: &Call, entry: Index) -> Option<Note> {
        let writes = writes_of(call);
        let mut ended = BTreeMap::new();
        for (key, verb) in &writes {
            let is_tree = matches!(verb, KvVerb::DeleteTree);
            let is_written = |other: &Key| {
                if is_tree { other.as_str().starts_with(key.as_str()) } else { other == *key }
            };
            let tracks = self.locks.range(Key::clone(key)..);
            let tracks = tracks.take_while(|(other, _)| is_written(other));
            ended
                .extend(tracks.filter_map(|(key, track)| Some((key, track.hold_ended_by(entry)?))));
        }
        ended.retain(|_, tenure| is_of_other(tenure, call));
        let (_, first) = ended.first_key_value()?;
        // In a transaction, other operations can follow the one that released a key.
        let is_released = |key: &Key| {
            let is_release = |verb: &KvVerb| matches!(verb, KvVerb::Release { .. });
            writes.iter().any(|(other, verb)| *other == key && is_release(verb))
        };
        let fate = if ended.keys().all(|key| is_released(key)) {
            KeyFate::Released
        } else {
            KeyFate::Deleted
        };
        let (session, owner) = (first.session.label.clone(), first.session.owner.clone());
        Some(Note::HoldEnded { session, owner, others: ended.len() - 1, fate })
    }

    fn end_note(&self, track: &SessionTrack, end: &SessionEnd) -> Note {
        Note::SessionEnded {
            cause: end.cause.clone(),
            freed: end.freed.iter().map(|key| self.key_name(key)).collect(),
            fate: KeyFate::from(track.session.behavior),
        }
    }

    /// A reason with the names that its sentence needs. Where a client is refused because of a
    /// session of its own, the sentence names that session, not the client.
    pub fn why(&self, at: Instant, reason: &Reason, call: &Call) -> ExplainedReason {
        let tag = match reason {
            Reason::HeldBy { holder, .. } => Some(self.tag_of(holder)),
            Reason::LockDelay { session, .. } | Reason::SessionEnded { session, .. } => {
                Some(self.tag(&session.to_string()))
            }
            Reason::NotHeld
            | Reason::KeyMissing
            | Reason::IndexDiffers { .. }
            | Reason::SessionUnknown
            | Reason::TransactionFailed { .. }
            | Reason::NoLeader { .. } => None,
        };
        let ended = match reason {
            Reason::LockDelay { cause, .. } | Reason::SessionEnded { cause, .. } => {
                Some(self.end_cause(cause))
            }
            _ => None,
        };
        let (session, owner) = tag.map_or_else(|| ("".into(), None), |tag| (tag.label, tag.owner));
        let owner = owner.filter(|owner| owner.name != call.actor);
        let is_other_spelling = match (reason, lock_session_of(call)) {
            (Reason::HeldBy { holder, .. }, Some(named)) => {
                holder.id().is_some() && holder.id() == named.id()
            }
            _ => false,
        };
        ExplainedReason { reason: reason.clone(), at, session, owner, ended, is_other_spelling }
    }

    /// The known sessions that a request names in its target or its key, with their labels. In the
    /// target an id may be escaped.
    fn sessions_in(&self, call: &Call) -> Vec<(SessionId, Arc<str>)> {
        let texts = [call.request.target.as_str(), call.key().map_or("", Key::as_str)];
        let is_other = |c: char| !c.is_ascii_hexdigit() && c != '-';
        let words = texts.into_iter().flat_map(|text| text.split(is_other));
        let ids = words.filter(|word| word.len() == ID_LENGTH).filter_map(SessionId::parse);
        let known = ids.filter_map(|id| Some((id, self.sessions.get(&id)?.tag.label.clone())));
        known.collect()
    }

    /// A call as the event list names it.
    pub fn event_call(&self, call: &Arc<Call>) -> EventCall {
        EventCall::Http { call: call.clone(), sessions: self.sessions_in(call) }
    }

    /// Adds a row for a call and the log entry that it made.
    pub(super) fn push_call(
        &mut self,
        at: Instant,
        (call, logged): (&Arc<Call>, Option<Index>),
        end: (EventResult, Note),
    ) {
        let Some(actor) = self.actor_tag(&call.actor).cloned() else { return };
        // A cancellation is an act of its own, which is not the request.
        let is_later = matches!(end.0, EventResult::Cancelled | EventResult::SentAgain);
        let exchange = self.exchange(call.id).filter(|_| !is_later);
        let act = exchange.map(|exchange| exchange.event);
        let call = self.event_call(call);
        self.push_row(at, logged, (EventSource::Actor(actor), call, act), end);
    }

    pub(super) fn push(
        &mut self,
        at: Instant,
        source: EventSource,
        call: EventCall,
        end: (EventResult, Note),
    ) {
        let index = match &source {
            EventSource::Server => self.log.last().filter(|dot| dot.at == at).map(|dot| dot.index),
            EventSource::Actor(_) => None,
        };
        let can_be_act =
            matches!(call, EventCall::Fault(_) | EventCall::Repair(_) | EventCall::Program(_));
        let act = (can_be_act && self.is_uncaused).then_some(self.event_count);
        self.push_row(at, index, (source, call, act), end);
    }

    fn push_row(
        &mut self,
        at: Instant,
        index: Option<Index>,
        (source, call, act): (EventSource, EventCall, Option<u64>),
        (reply, note): (EventResult, Note),
    ) {
        let (number, event) = (self.events.len() + 1, self.event_count);
        let row = EventRow { number, event, at, index, source, call, reply, note, act };
        self.events.push(Arc::new(row));
    }
}

/// The writes of keys of a call.
fn writes_of(call: &Call) -> Vec<(&Key, &KvVerb)> {
    match call.operation() {
        Some(Operation::Kv { key, verb }) => Vec::from([(key, verb)]),
        Some(Operation::Txn(ops)) => ops.iter().filter_map(write_of).collect(),
        _ => Vec::new(),
    }
}

fn write_of(op: &TxnOp) -> Option<(&Key, &KvVerb)> {
    match op {
        TxnOp::Kv { key, verb: TxnVerb::Write(verb) } => Some((key, verb)),
        _ => None,
    }
}

/// Whether another client, or an unknown one, created the session.
fn is_of_other(tenure: &Tenure, call: &Call) -> bool {
    tenure.session.owner.as_ref().is_none_or(|owner| owner.name != call.actor)
}

/// The session of a call that acquires or releases a lock.
fn lock_session_of(call: &Call) -> Option<&SessionRef> {
    match call.operation()? {
        Operation::Kv {
            verb: KvVerb::Acquire { session, .. } | KvVerb::Release { session, .. },
            ..
        } => Some(session),
        _ => None,
    }
}

/// The key and the session of a call that acquires a lock.
pub(super) fn acquire_of(call: &Call) -> Option<(&Key, &SessionRef)> {
    match call.operation()? {
        Operation::Kv { key, verb: KvVerb::Acquire { session, .. } } => Some((key, session)),
        _ => None,
    }
}
