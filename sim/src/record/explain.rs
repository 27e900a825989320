//! Finds the events that led to a refusal: who acquired the key, how that session ended, and which
//! lock-delay it left.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::engine::LockDelay;
use lictor_core::error::{Cause, Reason};
use lictor_core::id::SessionId;
use lictor_core::time::Instant;

use super::Record;
use super::event_row::{EventResult, ExplainedReason, Note};
use super::explanation::{CauseStep, Explanation};
use super::row_keys::RowKey;
use super::tags::SessionTag;
use crate::call::Call;

/// The largest number of sessions in a chain of which each ended by the end of the one before.
const ENDS_MAX: usize = 4;

impl Record {
    pub(super) fn explain(
        &mut self,
        at: Instant,
        call: &Arc<Call>,
        reply: &EventResult,
        note: &Note,
    ) {
        if !matches!(reply, EventResult::False | EventResult::Refused(_)) {
            return;
        }
        let mut chain = match note {
            Note::Reason(why) => self.chain(call, why),
            _ => Vec::new(),
        };
        let (actor, request) = (call.actor.clone(), self.event_call(call));
        chain.push(CauseStep::Got { at, actor, call: request, reply: reply.clone() });
        let key = call.key().cloned();
        let event = self.event_count;
        let (reply, note) = (reply.clone(), note.clone());
        if let (Some(key), EventResult::False, Note::Reason(why)) = (&key, &reply, &note)
            && let Some(track) = self.locks.get_mut(key)
        {
            Arc::make_mut(track).refused = Some(why.clone());
            self.changed_rows.insert(RowKey::Key(key.clone()));
        }
        let explanation = Explanation { at, event, reply, key, note, chain };
        self.explanation = Some(Arc::new(explanation));
    }

    fn chain(&self, call: &Call, why: &ExplainedReason) -> Vec<CauseStep> {
        match &why.reason {
            Reason::HeldBy { holder, .. } => {
                self.held(call, &self.tag_of(holder)).into_iter().collect()
            }
            Reason::LockDelay { until, session, cause, .. } => {
                self.delayed(call, *session, cause, *until)
            }
            Reason::SessionEnded { session, at, cause, .. } => self.ended(*session, *at, cause),
            Reason::NoLeader { since, .. } => Vec::from([CauseStep::LeaderLost { at: *since }]),
            Reason::NotHeld
            | Reason::KeyMissing
            | Reason::IndexDiffers { .. }
            | Reason::SessionUnknown
            | Reason::TransactionFailed { .. } => Vec::new(),
        }
    }

    fn delayed(
        &self,
        call: &Call,
        session: SessionId,
        cause: &Cause,
        until: Instant,
    ) -> Vec<CauseStep> {
        let tag = self.tag(&session.to_string());
        let mut chain: Vec<_> = self.held(call, &tag).into_iter().collect();
        let delays = call.key().and_then(|key| self.lock(key)).map(|it| &it.delays);
        let delay = delays.and_then(|delays| delays.last());
        if let Some(at) = delay.and_then(|delay| self.delay_began(delay)) {
            chain.extend(self.ended(session, at, cause));
            chain.push(CauseStep::LockDelay { at, until });
        }
        chain
    }

    /// When a lock-delay began; `None` if that was before the beginning of the world, whose server
    /// then began with what was left of it.
    pub fn delay_began(&self, delay: &LockDelay) -> Option<Instant> {
        let place = self.log.partition_point(|entry| entry.index < delay.index);
        let is_logged = self.log.get(place).is_some_and(|entry| entry.index == delay.index);
        (is_logged || delay.armed_at > Instant::EPOCH).then_some(delay.armed_at)
    }

    /// The end of a session. If a check that follows another session ended it, the end of that one
    /// comes first.
    fn ended(&self, session: SessionId, at: Instant, cause: &Cause) -> Vec<CauseStep> {
        let mut chain = Vec::new();
        let (mut session, mut cause) = (session, cause);
        loop {
            let label = self.tag(&session.to_string()).label;
            let Cause::FollowedSessionEnded { check, session: followed } = cause else {
                chain.push(CauseStep::Ended { at, label, cause: self.end_cause(cause) });
                break;
            };
            chain.push(CauseStep::EndedByCheck { at, label, check: check.clone() });
            let earlier = self.session(*followed).and_then(|track| track.ended.as_ref());
            let Some(end) = earlier else { break };
            if chain.len() >= ENDS_MAX {
                break;
            }
            (session, cause) = (*followed, &end.cause.cause);
        }
        chain.reverse();
        chain
    }

    /// The time at which the session last acquired the key of the call.
    fn held(&self, call: &Call, tag: &SessionTag) -> Option<CauseStep> {
        let lock = self.lock(call.key()?)?;
        let its = lock.tenures.iter().rev().find(|tenure| tenure.session == *tag)?;
        Some(CauseStep::Held { at: its.from, label: tag.label.clone() })
    }
}
