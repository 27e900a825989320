//! The watch of a lock or slot that is held: consistent blocking reads, one after the other
//! (RCL-11). Some failures are retried, none by default (RCL-12). It returns each answer; whether
//! the lock is still held is decided by the recipe.

use core::time::Duration;

use lictor_core::id::Index;
use lictor_core::message::{Consistency, Failure, Operation, Response, Wait};
use lictor_core::store::Query;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::interface::Due;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::StepContext;
use crate::parts::upkeep::{backoff, may_pass};

/// The server's default wait (BLK-03).
const WAIT: Duration = Duration::from_secs(300);

/// The options of the watch (RCL-02).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MonitorOptions {
    /// How many failures in a row the watch survives.
    pub retries: u32,
    /// The pause after such a failure.
    pub retry_time: Duration,
    /// How long one read waits for a change.
    pub wait: Duration,
}

setters! {
    MonitorOptions:
    with_retries(retries: u32),
    with_retry_time(retry_time: Duration),
    with_wait(wait: Duration),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Monitor {
    options: MonitorOptions,
    retried: RetriedFailures,
    query: Query,
    /// The index of the last answer; 0 for a read that does not wait.
    seen: Index,
    /// How many retries are left before a failure ends the watch.
    left: u32,
    /// How many failures in a row were repeated without end.
    failures: u32,
    state: MonitorState,
}

/// Which failures are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RetriedFailures {
    /// Answers with status 500, and errors of the network (RCL-12).
    ServerErrorsAndNetwork,
    /// With `OnFailure::Repeat`: all failures. Those that may pass are repeated without end and use
    /// up no retry.
    All,
}

/// The pause after an answer that came at once and shows nothing new, as from a proxy that does not
/// let reads wait.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum MonitorState {
    Off,
    Polling,
    Pausing { until: Instant },
}

impl Default for MonitorOptions {
    fn default() -> Self {
        Self { retries: 0, retry_time: Duration::from_secs(2), wait: WAIT }
    }
}

impl Monitor {
    pub(crate) fn new(options: MonitorOptions, retried: RetriedFailures, query: Query) -> Self {
        let (seen, left, failures) = (Index::ZERO, 0, 0);
        Self { options, retried, query, seen, left, failures, state: MonitorState::Off }
    }

    pub(crate) fn options(&self) -> MonitorOptions {
        self.options
    }

    pub(crate) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self.state {
            MonitorState::Pausing { until } => Some((until, Due::WatchAgain)),
            MonitorState::Off | MonitorState::Polling => None,
        }
    }

    pub(crate) fn begin(&mut self, context: &mut StepContext) {
        (self.left, self.failures, self.seen) = (self.options.retries, 0, Index::ZERO);
        self.poll(context);
    }

    /// Waits for the next change, as the last answer showed that the lock is still held.
    pub(crate) fn wait_for_change(&mut self, context: &mut StepContext, seen: Index) {
        let is_new = seen > self.seen;
        (self.left, self.failures, self.seen) = (self.options.retries, 0, seen);
        let since = context.now.since(context.sent);
        if self.retried == RetriedFailures::All && !is_new && since < PAUSE {
            self.state = MonitorState::Pausing { until: context.now.plus(PAUSE) };
            return;
        }
        self.poll(context);
    }

    pub(crate) fn poll(&mut self, context: &mut StepContext) {
        let timeout = self.options.wait;
        let wait = (self.seen > Index::ZERO).then_some(Wait { min_index: self.seen, timeout });
        let (query, consistency) = (self.query.clone(), Consistency::Consistent);
        context.send(CallSlot::Monitor, Operation::Read { query, wait, consistency });
        self.state = MonitorState::Polling;
    }

    /// Handles a result. Returns it for the recipe to judge, or `None` if it is a failure that
    /// will be retried.
    pub(crate) fn answered(
        &mut self,
        context: &StepContext,
        result: Result<Response, Failure>,
    ) -> Option<Result<Response, Failure>> {
        if self.retried == RetriedFailures::All && result.as_ref().is_err_and(may_pass) {
            let pause = backoff(self.failures).min(self.options.retry_time);
            self.failures += 1;
            self.seen = Index::ZERO;
            self.state = MonitorState::Pausing { until: context.now.plus(pause) };
            return None;
        }
        let is_retried = result.as_ref().is_err_and(|failure| self.is_retried(failure));
        if !is_retried || self.left == 0 {
            self.state = MonitorState::Off;
            return Some(result);
        }
        self.left -= 1;
        self.seen = Index::ZERO;
        self.state = MonitorState::Pausing { until: context.now.plus(self.options.retry_time) };
        None
    }

    pub(crate) fn end(&mut self, context: &mut StepContext) {
        context.abandon(CallSlot::Monitor);
        self.state = MonitorState::Off;
    }

    fn is_retried(&self, failure: &Failure) -> bool {
        match failure {
            _ if self.retried == RetriedFailures::All => true,
            Failure::Status { code, .. } => *code == 500,
            Failure::Unreachable | Failure::Network(_) | Failure::TimedOut => {
                self.retried == RetriedFailures::ServerErrorsAndNetwork
            }
            Failure::Unreadable(_) | Failure::Unsendable(_) => false,
        }
    }
}
