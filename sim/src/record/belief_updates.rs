//! Records when clients begin and cease to believe that they hold a lock, from the belief changes
//! of each event.

use alloc::sync::Arc;

use lictor_core::id::{Key, SessionId};
use lictor_core::time::Instant;

use super::Record;
use super::belief::{BeliefSpan, BeliefTrack};
use super::semaphore::parse_contender_key;
use super::tags::ActorTag;
use crate::belief::{BeliefChange, BeliefEnd, HeldBelief};

impl Record {
    /// Ends and begins the beliefs that an event changes; `keys` are those whose believers it has
    /// changed.
    pub(super) fn change_beliefs(&mut self, at: Instant, change: BeliefChange, keys: &[Key]) {
        if let Some(ends) = &change.ends {
            keys.iter().for_each(|key| self.stop_believing(at, key, ends));
        }
        if let Some(held) = change.begins {
            self.start_believing(at, held);
        }
        for key in keys {
            let are_too_many = self.checks.are_too_many(key);
            if let Some(track) = self.beliefs.get_mut(key)
                && track.overlaps_now() != are_too_many
            {
                Arc::make_mut(track).set_overlap(at, are_too_many);
            }
        }
    }

    /// A key that a client believes it holds, but does not hold.
    pub fn wrongly_believed_key(&self, actor: &ActorTag) -> Option<&Key> {
        let is_wrong = |(key, track): &(&Key, &BeliefTrack)| {
            let is_its = |span: &&BeliefSpan| span.tag.owner.as_ref() == Some(actor);
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

    fn start_believing(&mut self, at: Instant, held: HeldBelief) {
        let HeldBelief { believer, key, session } = held;
        // Contender keys are left out: several clients hold slots at once.
        if parse_contender_key(key.as_str()).is_some() {
            return;
        }
        let tag = self.tag_of(&session);
        let span = BeliefSpan { believer, session, tag, from: at, to: None };
        Arc::make_mut(self.beliefs.entry(key.clone()).or_default()).begin(span, self.begin);
        self.mark_key_row(&key);
    }

    fn stop_believing(&mut self, at: Instant, key: &Key, ends: &BeliefEnd) {
        let stops = |span: &BeliefSpan| ends.includes(&span.believer, key, &span.session);
        if let Some(track) = self.beliefs.get_mut(key)
            && track.believers().any(stops)
        {
            Arc::make_mut(track).end(at, &stops);
            self.mark_key_row(key);
        }
    }
}
