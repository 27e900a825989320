//! The requests of people, each with its answer, its wait or its cancellation, derived from the
//! events.

use alloc::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::id::RequestId;
use lictor_core::time::Instant;

use super::Record;
use super::event_row::ExplainedReason;
use super::row_keys::RowKey;
use super::tags::ActorTag;
use crate::call::{Call, Caller, Outcome};
use crate::event::{EventKind, SimEvent, Travel};

/// How many requests of people are kept at most, the latest ones.
pub const EXCHANGES_KEPT: usize = 300;

/// A request with its sender and its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Its sender.
    pub actor: ActorTag,
    /// When it was sent.
    pub sent: Instant,
    /// The number of the event with which it was sent.
    pub event: u64,
    /// The request.
    pub call: Arc<Call>,
    /// Whether and how it was answered.
    pub state: ExchangeState,
}

/// Whether and how a request was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangeState {
    /// It was sent and has no answer yet. The server parks a blocking query at the latest until
    /// this time.
    Waiting {
        /// `None` until the server has parked it.
        until: Option<Instant>,
    },
    /// The answer has arrived.
    Answered {
        /// When it arrived.
        at: Instant,
        /// The answer.
        outcome: Arc<Outcome>,
        /// Why the answer is `false`, missing or an error, where the engine has a reason.
        why: Option<ExplainedReason>,
    },
    /// Its caller stopped waiting.
    Cancelled {
        /// When.
        at: Instant,
    },
    /// Its caller got an error in place of an answer.
    Failed {
        /// When.
        at: Instant,
        /// The error of its HTTP client; `None` if its process has ended.
        text: Option<Arc<str>>,
    },
}

impl Exchange {
    /// Whether its caller still waits.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, ExchangeState::Waiting { .. })
    }

    /// Whether both are the same request, in whatever state: branches number their requests anew.
    pub fn is_same_request(&self, other: &Self) -> bool {
        (self.sent, &self.call) == (other.sent, &other.call)
    }
}

impl Record {
    /// The latest requests of people, in the order in which they were sent.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.values().map(|exchange| &**exchange)
    }

    /// A request of a person, unless it is too old.
    pub fn exchange(&self, id: RequestId) -> Option<&Exchange> {
        self.exchanges.get(&id).map(|exchange| &**exchange)
    }

    pub(super) fn follow_exchanges(&mut self, event: &SimEvent) {
        if let EventKind::Sent(call) = &event.kind {
            self.exchange_sent(event.at, call);
        } else if let Some((id, state)) = self.exchange_state(event)
            && let Some(exchange) = self.exchanges.get_mut(&id)
        {
            Arc::make_mut(exchange).state = state;
            self.changed_rows.insert(RowKey::Exchange(id));
        }
    }

    fn exchange_sent(&mut self, at: Instant, call: &Arc<Call>) {
        if call.caller != Caller::Person {
            return;
        }
        let Some(actor) = self.actor_tag(&call.actor).cloned() else { return };
        let state = ExchangeState::Waiting { until: None };
        let exchange =
            Exchange { actor, sent: at, event: self.event_count, call: call.clone(), state };
        self.exchanges.insert(call.id, Arc::new(exchange));
        self.changed_rows.insert(RowKey::Exchange(call.id));
        if self.exchanges.len() > EXCHANGES_KEPT {
            let oldest = self.exchanges.pop_first();
            self.changed_rows.extend(oldest.map(|(id, _)| RowKey::Exchange(id)));
        }
    }

    /// The state in which an event leaves the request that it belongs to.
    fn exchange_state(&self, event: &SimEvent) -> Option<(RequestId, ExchangeState)> {
        let at = event.at;
        match &event.kind {
            EventKind::Server { event: Event::Parked { until, .. }, call: Some(call), .. } => {
                Some((call.id, ExchangeState::Waiting { until: Some(*until) }))
            }
            EventKind::Answered { call, outcome } => {
                let why = outcome.reason().map(|reason| self.why(at, reason, call));
                let outcome = outcome.clone();
                Some((call.id, ExchangeState::Answered { at, outcome, why }))
            }
            EventKind::Cancelled { call, .. } => Some((call.id, ExchangeState::Cancelled { at })),
            EventKind::Travel(Travel::Broken { call, failure, .. }) => {
                let text = failure.as_ref().map(|failure| call.failure_text(failure).into());
                Some((call.id, ExchangeState::Failed { at, text }))
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
