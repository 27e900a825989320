//! The requests of people, each with its answer, its wait or its cancellation, as the console of a
//! page shows them. `Record` derives their states from the events.

use alloc::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::id::RequestId;
use lictor_core::time::Instant;

use super::Record;
use super::event_row::ExplainedReason;
use super::tags::ActorTag;
use crate::call::{Call, Caller, Outcome};
use crate::event::{EventKind, SimEvent, Travel};

/// A request with its sender and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Its sender.
    pub who: ActorTag,
    /// When it was sent.
    pub sent: Instant,
    /// The request.
    pub call: Arc<Call>,
    /// Whether and how it was answered.
    pub state: ExchangeState,
}

/// Whether and how a request was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangeState {
    /// A blocking query that waits for its answer, at the latest until this time.
    Waiting {
        /// None until the server has parked it.
        until: Option<Instant>,
    },
    /// The answer has arrived.
    Answered {
        /// When it arrived.
        at: Instant,
        /// The answer.
        outcome: Arc<Outcome>,
        /// Why the answer is `false`, missing or an error, where the engine says so.
        why: Option<ExplainedReason>,
    },
    /// Its caller stopped waiting, or got an error in place of an answer.
    Cancelled {
        /// When that happened.
        at: Instant,
    },
}

impl Exchange {
    /// Whether its caller still waits.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, ExchangeState::Waiting { .. })
    }
}

impl Record {
    /// The request that an event sends, if it is a person's.
    pub fn exchange_sent(&self, event: &SimEvent) -> Option<Exchange> {
        let EventKind::Sent(call) = &event.kind else { return None };
        if call.caller != Caller::Person {
            return None;
        }
        let who = self.actor_tag(&call.actor)?.clone();
        let state = ExchangeState::Waiting { until: None };
        Some(Exchange { who, sent: event.at, call: call.clone(), state })
    }

    /// The state in which an event leaves the request that it belongs to.
    pub fn exchange_state(&self, event: &SimEvent) -> Option<(RequestId, ExchangeState)> {
        let at = event.at;
        match &event.kind {
            EventKind::Server { event: Event::Parked { until, .. }, call: Some(call), .. } => {
                Some((call.id, ExchangeState::Waiting { until: Some(*until) }))
            }
            EventKind::Answered { call, outcome } => {
                let why = outcome.reason().map(|reason| self.why(at, reason));
                let outcome = outcome.clone();
                Some((call.id, ExchangeState::Answered { at, outcome, why }))
            }
            EventKind::Cancelled { call, .. } | EventKind::Travel(Travel::Broken { call, .. }) => {
                Some((call.id, ExchangeState::Cancelled { at }))
            }
            EventKind::Sent(_)
            | EventKind::Joined { .. }
            | EventKind::Server { .. }
            | EventKind::Travel(_)
            | EventKind::Failed(_)
            | EventKind::Mended(_)
            | EventKind::Program { .. }
            | EventKind::Used(_) => None,
        }
    }
}
