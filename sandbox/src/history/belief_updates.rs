//! Starts and ends the beliefs of clients that they hold a lock. A program reports its own belief;
//! the belief of a person follows only from the answers to their own requests. `calls` and
//! `client_events` call these functions; `belief` stores the spans.

use std::sync::Arc;

use lictor_core::http::AnswerKind;
use lictor_core::id::{ActorName, Key, ProgramName, SessionId, SessionRef};
use lictor_core::message::{Answer, Operation, Response};
use lictor_core::store::{Found, KvVerb, Query};
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use lictor_sim::{Call, Outcome};

use super::belief::{BeliefSpan, BeliefTrack, Believer, StopsBelieving};
use super::fold::History;
use super::semaphore::parse_contender_key;
use super::tags::ActorTag;

impl History {
    /// A program's belief changes.
    pub(super) fn program_belief_changed(
        &mut self,
        at: Instant,
        program: &ProgramName,
        belief: &Belief,
    ) {
        let believer = Believer::Program(program.clone());
        match belief {
            Belief::Believes { token, .. } => {
                self.start_believing(at, believer, &token.key, &token.session);
            }
            Belief::Unknown
            | Belief::Contending { .. }
            | Belief::KnowsLost { .. }
            | Belief::LetGo { .. } => self.stop_believing(at, &|span| span.believer == believer),
        }
    }

    /// Ends all beliefs of a crashed host: those of its programs and of its user.
    pub(super) fn clear_beliefs_of(&mut self, at: Instant, actor: &ActorName) {
        let is_its =
            |span: &BeliefSpan| span.tag.owner.as_ref().is_some_and(|who| who.name == *actor);
        self.stop_believing(at, &is_its);
    }

    /// Updates a person's belief from an answer to their own request.
    pub(super) fn update_person_belief(&mut self, at: Instant, call: &Call, outcome: &Outcome) {
        let person = Believer::Person(call.actor.clone());
        if let Some(id) = outcome.effects.ended {
            let ended = SessionRef::from(id);
            return self
                .stop_believing(at, &|span| span.believer == person && span.session == ended);
        }
        let Ok(decoded) = &call.decoded else { return };
        match (&decoded.request.operation, &outcome.answer) {
            (Operation::RenewSession(session), Err(_)) if outcome.response.status == 404 => {
                self.stop_believing(at, &|span| {
                    span.believer == person && span.session == *session
                });
            }
            (
                Operation::Kv { key, verb: KvVerb::Acquire { session, .. } },
                Ok(Response { answer: Answer::Flag(true), .. }),
            ) => self.start_believing(at, person, key, session),
            (
                Operation::Kv {
                    key,
                    verb: KvVerb::Acquire { session, .. } | KvVerb::Release { session, .. },
                },
                Ok(_),
            ) => self.stop_believing_key(at, key, &|span| {
                span.believer == person && span.session == *session
            }),
            (
                Operation::Read { query: Query::Key(key), .. },
                Ok(Response { answer: Answer::Found(Found::Entry(entry)), .. }),
            ) if decoded.format.kind != AnswerKind::RawValue => {
                let holder = entry.as_ref().and_then(|entry| entry.holder());
                self.stop_believing_key(at, key, &|span| {
                    span.believer == person && Some(&span.session) != holder
                });
            }
            _ => {}
        }
    }

    /// A key that a client believes it holds, but does not hold.
    pub fn wrongly_believed_key(&self, who: &ActorTag) -> Option<&Key> {
        let is_wrong = |(key, track): &(&Key, &BeliefTrack)| {
            let is_its = |span: &&BeliefSpan| span.tag.owner.as_ref() == Some(who);
            track.believers().filter(is_its).any(|span| !self.is_true(key, span))
        };
        self.beliefs.iter().map(|(key, track)| (key, &**track)).find(is_wrong).map(|(key, _)| key)
    }

    /// Whether a believer really holds the key. A belief about a key without a lock is about a
    /// semaphore's slot, which is held while the session lives.
    fn is_true(&self, key: &Key, span: &BeliefSpan) -> bool {
        let Some(lock) = self.locks.get(key) else {
            let session = SessionId::parse(span.session.as_str()).and_then(|id| self.session(id));
            return session.is_some_and(|track| track.ended.is_none());
        };
        let holder = lock.tenures.last().filter(|tenure| tenure.to.is_none());
        holder.is_some_and(|tenure| tenure.session == span.tag)
    }

    fn start_believing(
        &mut self,
        at: Instant,
        believer: Believer,
        key: &Key,
        session: &SessionRef,
    ) {
        // Contender keys are left out: several clients hold slots at once.
        if parse_contender_key(key.as_str()).is_some() {
            return;
        }
        let tag = self.tag_of(session);
        let span = BeliefSpan { believer, session: session.clone(), tag, from: at, to: None };
        Arc::make_mut(self.beliefs.entry(key.clone()).or_default()).begin(span, self.begin);
        self.mark_key_row(key);
    }

    fn stop_believing(&mut self, at: Instant, stops: StopsBelieving<'_>) {
        for key in self.beliefs.keys().cloned().collect::<Vec<_>>() {
            self.stop_believing_key(at, &key, stops);
        }
    }

    fn stop_believing_key(&mut self, at: Instant, key: &Key, stops: StopsBelieving<'_>) {
        let is_there = self.beliefs.get(key).is_some_and(|track| track.believers().any(stops));
        if is_there
            && self.beliefs.get_mut(key).is_some_and(|track| Arc::make_mut(track).end(at, stops))
        {
            self.mark_key_row(key);
        }
    }
}
