//! Why the latest answer was `false`: its reason, and the chain of what led to it.

use core::time::Duration;
use std::rc::Rc;
use std::sync::Arc;

use lictor_core::error::{Cause, Reason};
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::time::Instant;

use super::{CallTrack, Note, Record, Reply, SessionTag, Why};

/// One step of the chain that led to a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainStep {
    Held { at: Instant, label: Arc<str> },
    Ended { at: Instant, label: Arc<str>, cause: Cause },
    LockDelay { until: Instant, span: Duration },
    Got { at: Instant, actor: ActorName, reply: Reply },
}

/// The latest refusal, with what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub reply: Reply,
    /// What was asked for, if it was about one key.
    pub key: Option<Key>,
    pub note: Note,
    pub chain: Vec<ChainStep>,
}

impl Record {
    pub(super) fn explain(&mut self, at: Instant, track: &CallTrack, reply: &Reply, note: &Note) {
        if !matches!(reply, Reply::False | Reply::Refused(_)) {
            return;
        }
        let mut chain = match note {
            Note::Why(why) => self.chain(track, why),
            _ => Vec::new(),
        };
        let actor = track.who.name.clone();
        chain.push(ChainStep::Got { at, actor, reply: reply.clone() });
        let key = track.lock.as_ref().map(|lock| lock.key.clone());
        let explanation = Explanation { reply: reply.clone(), key, note: note.clone(), chain };
        self.explanation = Some(Rc::new(explanation));
    }

    fn chain(&self, track: &CallTrack, why: &Why) -> Vec<ChainStep> {
        match &why.reason {
            Reason::HeldBy { holder, .. } => {
                self.held(track, &self.tag_of(holder)).into_iter().collect()
            }
            Reason::LockDelay { until, session, cause, .. } => {
                self.delayed(track, *session, cause, *until)
            }
            Reason::SessionEnded { at, cause, .. } => {
                let (at, label) = (*at, why.session.clone());
                vec![ChainStep::Ended { at, label, cause: cause.clone() }]
            }
            Reason::NotHeld
            | Reason::KeyMissing
            | Reason::IndexDiffers { .. }
            | Reason::SessionUnknown
            | Reason::TransactionFailed { .. } => Vec::new(),
        }
    }

    fn delayed(
        &self,
        track: &CallTrack,
        session: SessionId,
        cause: &Cause,
        until: Instant,
    ) -> Vec<ChainStep> {
        let tag = self.tag(&session.to_string());
        let mut chain: Vec<_> = self.held(track, &tag).into_iter().collect();
        let delays = track.lock.as_ref().and_then(|lock| self.lock(&lock.key)).map(|it| &it.delays);
        if let Some(delay) = delays.and_then(|delays| delays.last()) {
            let (at, label) = (delay.armed_at, tag.label);
            chain.push(ChainStep::Ended { at, label, cause: cause.clone() });
            chain.push(ChainStep::LockDelay { until, span: until.since(delay.armed_at) });
        }
        chain
    }

    /// When the session last took the key that the call is about.
    fn held(&self, track: &CallTrack, tag: &SessionTag) -> Option<ChainStep> {
        let lock = self.lock(&track.lock.as_ref()?.key)?;
        let its = lock.tenures.iter().rev().find(|tenure| tenure.session == *tag)?;
        Some(ChainStep::Held { at: its.from, label: tag.label.clone() })
    }
}
