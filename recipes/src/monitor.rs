//! Watches that something is still held: consistent reads, one after the other, each waiting for
//! news (RCL-11). A failure is ridden out with retries, of which there are none by default
//! (RCL-12).

use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::Due;
use super::calls::CallSlot;
use super::step_context::StepContext;
use lictor_core::id::Index;
use lictor_core::message::{Consistency, Failure, Operation, Response, Wait};
use lictor_core::store::Query;
use lictor_core::time::Instant;

/// The server's default wait (BLK-03).
const WAIT: Duration = Duration::from_secs(300);

/// RCL-02.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MonitorOptions {
    pub retries: u32,
    pub retry_time: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Monitor {
    options: MonitorOptions,
    rides_out: RidesOut,
    query: Query,
    seen: Index,
    left: u32,
    state: State,
}

/// Which failures are tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RidesOut {
    /// RCL-12.
    ServerErrorsAndNetwork,
    /// RCS-15.
    ServerErrors,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Off,
    Polling,
    Pausing { until: Instant },
}

impl Default for MonitorOptions {
    fn default() -> Self {
        Self { retries: 0, retry_time: Duration::from_secs(2) }
    }
}

impl Monitor {
    pub(super) fn new(options: MonitorOptions, rides_out: RidesOut, query: Query) -> Self {
        Self { options, rides_out, query, seen: Index::ZERO, left: 0, state: State::Off }
    }

    pub(super) fn options(&self) -> MonitorOptions {
        self.options
    }

    pub(super) fn state(&self) -> &'static str {
        match self.state {
            State::Off => "Off",
            State::Polling => "Polling",
            State::Pausing { .. } => "Pausing",
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self.state {
            State::Pausing { until } => Some((until, Due::WatchAgain)),
            State::Off | State::Polling => None,
        }
    }

    pub(super) fn begin(&mut self, context: &mut StepContext) {
        self.go_on(context, Index::ZERO);
    }

    /// What was read is in order: waits for what comes after it.
    pub(super) fn go_on(&mut self, context: &mut StepContext, seen: Index) {
        self.left = self.options.retries;
        self.seen = seen;
        self.poll(context);
    }

    pub(super) fn poll(&mut self, context: &mut StepContext) {
        let wait =
            (self.seen > Index::ZERO).then_some(Wait { min_index: self.seen, timeout: WAIT });
        let (query, consistency) = (self.query.clone(), Consistency::Consistent);
        context.send(CallSlot::Monitor, Operation::Read { query, wait, consistency });
        self.state = State::Polling;
    }

    /// An answer to look at; nothing where a failure is to be ridden out.
    pub(super) fn answered(
        &mut self,
        context: &StepContext,
        result: Result<Response, Failure>,
    ) -> Option<Result<Response, Failure>> {
        let is_passing = result.as_ref().is_err_and(|failure| self.is_passing(failure));
        if !is_passing || self.left == 0 {
            self.state = State::Off;
            return Some(result);
        }
        self.left -= 1;
        self.seen = Index::ZERO;
        self.state = State::Pausing { until: context.now.after(self.options.retry_time) };
        None
    }

    pub(super) fn end(&mut self, context: &mut StepContext) {
        context.abandon(CallSlot::Monitor);
        self.state = State::Off;
    }

    fn is_passing(&self, failure: &Failure) -> bool {
        match failure {
            Failure::Status { code, .. } => *code == 500,
            Failure::Unreachable | Failure::TimedOut => {
                self.rides_out == RidesOut::ServerErrorsAndNetwork
            }
            Failure::Unreadable(_) | Failure::Unsendable(_) => false,
        }
    }
}
