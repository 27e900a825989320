//! One request with what became of it: the unit of the console's transcript.

use std::sync::Arc;

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;

use crate::rows::{Reply, Who, Why};

/// A request, who sent it when, and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub who: Who,
    pub sent: Instant,
    pub request: Arc<HttpRequest>,
    pub state: ExchangeState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExchangeState {
    /// Not answered yet: a blocking query that waits, at the latest until then.
    Waiting {
        until: Option<Instant>,
    },
    Answered {
        at: Instant,
        reply: Reply,
        response: Arc<HttpResponse>,
        /// Why the answer is `false`, missing or an error, where the engine says so.
        why: Option<Why>,
    },
    Cancelled {
        at: Instant,
    },
}

impl Exchange {
    pub fn is_waiting(&self) -> bool {
        matches!(self.state, ExchangeState::Waiting { .. })
    }
}
