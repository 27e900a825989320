//! The event list: one row for each answer, each wait, and each thing that the server did by
//! itself.

use std::rc::Rc;
use std::sync::Arc;

use lictor_core::engine::Timer;
use lictor_core::error::{Cause, Reason};
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Index, Key, RequestId, SessionId};
use lictor_core::time::Instant;
use lictor_sim::{Caller, Outcome, Problem, Verdict};

use super::lock::{Granted, Try};
use super::{
    Call, CallTrack, Did, End, EventRow, Note, Record, Reply, ServerCall, Source, Touch, Who, Why,
};
use crate::requests;

impl Record {
    pub(super) fn joined(&mut self, at: Instant, actor: &ActorName) {
        let who = self.enlist(actor);
        self.touch_actor(actor);
        let call = Call::Server(ServerCall::Joined);
        self.push(at, Source::Actor(who), call, (Reply::Joined, Note::OwnNode));
    }

    pub(super) fn enlist(&mut self, actor: &ActorName) -> Who {
        let who = Who { name: actor.clone(), badge: self.next_badge() };
        self.actors.push(who.clone());
        self.made.push(0);
        who
    }

    pub(super) fn sent(
        &mut self,
        id: RequestId,
        (actor, caller): (&ActorName, &Caller),
        request: &Arc<HttpRequest>,
    ) {
        let Some(who) = self.who(actor).cloned() else { return };
        let lock = requests::lock_call(request);
        let (caller, request, did) = (caller.clone(), request.clone(), Did::Nothing);
        let track = CallTrack { who, caller, request, lock, logged: None, did };
        self.calls.insert(id, track);
        self.current = Some(id);
        self.touch_actor(actor);
    }

    pub(super) fn parked(&mut self, at: Instant, id: RequestId, min_index: Index, until: Instant) {
        if self.current == Some(id) {
            self.current = None;
        }
        let Some(track) = self.calls.get(&id).cloned() else { return };
        self.push_call(at, &track, (Reply::Waits, Note::Parked { min_index, until }));
    }

    pub(super) fn answered(
        &mut self,
        at: Instant,
        id: RequestId,
        response: &HttpResponse,
        outcome: &Outcome,
    ) {
        let Some(track) = self.calls.remove(&id) else { return };
        if self.current == Some(id) {
            self.current = None;
        }
        self.touch_actor(&track.who.name);
        let reply = reply_of(response, outcome.verdict);
        let granted = if reply == Reply::True { Granted::Yes } else { Granted::No };
        self.tried(at, &track, granted);
        if track.caller == Caller::Person {
            self.told(at, &track, &reply, response);
        }
        let note = self.note_of(at, &track, outcome);
        self.explain(at, &track, &reply, &note);
        self.push_call(at, &track, (reply, note));
    }

    pub(super) fn cancelled(&mut self, at: Instant, id: RequestId) {
        let Some(track) = self.calls.remove(&id) else { return };
        self.touch_actor(&track.who.name);
        self.push_call(at, &track, (Reply::Cancelled, Note::Nothing));
    }

    pub(super) fn delay_over(&mut self, at: Instant, key: &Key) {
        let call = Call::Server(ServerCall::LockDelayOver { key: self.key_name(key) });
        self.push(at, Source::Server, call, (Reply::Ended, Note::LockDelayOver));
    }

    pub(super) fn fired(&mut self, at: Instant, timer: &Timer) {
        let Timer::CheckTtl(_, check) = timer else { return };
        let call = Call::Server(ServerCall::CheckLapsed { check: check.as_str().to_owned() });
        self.push(at, Source::Server, call, (Reply::Ended, Note::Nothing));
    }

    /// A session that its owner destroyed is told by the call that did it; any other end is a row.
    pub(super) fn end_told(&mut self, id: SessionId) {
        let Some((label, end)) = self
            .sessions
            .get(&id)
            .and_then(|track| Some((track.tag.label.clone(), track.ended.clone()?)))
        else {
            return;
        };
        if end.cause == Cause::Requested {
            return self.note_current(|call| call.did = Did::Ended(id));
        }
        let freed = self.freed(&end);
        let note = Note::SessionEnded { cause: end.cause, freed };
        let call = Call::Server(ServerCall::SessionEnded { label });
        self.push(end.at, Source::Server, call, (Reply::Ended, note));
    }

    pub(super) fn tried(&mut self, at: Instant, track: &CallTrack, granted: Granted) {
        let Some(lock) = track.lock.as_ref().filter(|lock| lock.is_acquire()) else {
            return;
        };
        if let Some(known) = self.locks.get_mut(&lock.key) {
            Rc::make_mut(known).tries.push(Try { at, who: track.who.clone(), granted });
            self.touched.insert(Touch::Key(lock.key.clone()));
        }
    }

    fn note_of(&self, at: Instant, track: &CallTrack, outcome: &Outcome) -> Note {
        if let Some(reason) = &outcome.reason {
            return Note::Why(self.why(at, reason));
        }
        if let Some(problem) = &outcome.problem {
            return Note::Consul(Problem::text(problem));
        }
        match &track.did {
            Did::Nothing => self.lock_note(track),
            Did::Woke => outcome.index.map_or(Note::Nothing, |index| Note::Woken { index }),
            Did::TimedOut => Note::WaitOver,
            Did::Created(id) => self.sessions.get(id).map_or(Note::Nothing, |session| {
                Note::Created { label: session.tag.label.clone() }
            }),
            Did::Renewed(clock) => Note::TimerBack { ends: clock.ends },
            Did::Ended(id) => self.end_note(*id),
        }
    }

    fn lock_note(&self, track: &CallTrack) -> Note {
        let acquired = track.lock.as_ref().filter(|lock| lock.is_acquire());
        let tenure = acquired.and_then(|lock| self.locks.get(&lock.key)?.tenures.last());
        tenure.map_or(Note::Nothing, |tenure| Note::LockIndex(tenure.lock_index))
    }

    fn freed(&self, end: &End) -> Vec<String> {
        end.freed.iter().map(|key| self.key_name(key)).collect()
    }

    fn end_note(&self, id: SessionId) -> Note {
        let end = self.sessions.get(&id).and_then(|track| track.ended.clone());
        end.map_or(Note::Nothing, |end| Note::SessionEnded {
            freed: self.freed(&end),
            cause: end.cause,
        })
    }

    /// A reason with the names that its sentence needs.
    pub fn why(&self, at: Instant, reason: &Reason) -> Why {
        let tag = match reason {
            Reason::HeldBy { holder, .. } => Some(self.tag_of(holder)),
            Reason::LockDelay { session, .. } | Reason::SessionEnded { session, .. } => {
                Some(self.tag(&session.to_string()))
            }
            Reason::NotHeld
            | Reason::KeyMissing
            | Reason::IndexDiffers { .. }
            | Reason::SessionUnknown
            | Reason::TransactionFailed { .. } => None,
        };
        let (session, owner) = tag.map_or_else(|| ("".into(), None), |tag| (tag.label, tag.owner));
        Why { reason: reason.clone(), at, session, owner }
    }

    pub(super) fn push_call(&mut self, at: Instant, track: &CallTrack, end: (Reply, Note)) {
        let short = requests::short(&track.request, |session| {
            let known = SessionId::parse(session).and_then(|id| self.sessions.get(&id));
            known.map(|session| session.tag.label.to_string())
        });
        let call = Call::Http { short, request: track.request.clone() };
        self.push_row(at, track.logged, (Source::Actor(track.who.clone()), call), end);
    }

    pub(super) fn push(&mut self, at: Instant, source: Source, call: Call, end: (Reply, Note)) {
        let index = match &source {
            Source::Server => self.log.last().filter(|dot| dot.at == at).map(|dot| dot.index),
            Source::Actor(_) => None,
        };
        self.push_row(at, index, (source, call), end);
    }

    fn push_row(
        &mut self,
        at: Instant,
        index: Option<Index>,
        (source, call): (Source, Call),
        (reply, note): (Reply, Note),
    ) {
        let (number, moment) = (self.events.len() + 1, self.moments);
        let row = EventRow { number, moment, at, index, source, call, reply, note };
        self.events.push(Rc::new(row));
    }
}

/// The answer in one word.
pub fn reply_of(response: &HttpResponse, verdict: Verdict) -> Reply {
    match verdict {
        Verdict::True => Reply::True,
        Verdict::False => Reply::False,
        Verdict::Ok => Reply::Ok,
        Verdict::Missing => Reply::NotFound,
        Verdict::Error => Reply::Refused(response.status),
    }
}
