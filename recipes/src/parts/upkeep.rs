//! What a lock or a semaphore of [`OnFailure::Repeat`] does beyond the Go client while it contends,
//! holds and ends: it renews its session and reads its key at half of the TTL, repeats what may
//! succeed later, and ends within a bounded time.

use core::time::Duration;

use lictor_core::id::SessionRef;
use lictor_core::message::{Consistency, Failure, Operation, Response};
use lictor_core::store::Query;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::interface::Due;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::StepContext;

/// What a lock or a semaphore does if a request fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OnFailure {
    /// What the Go client does: most failures end the attempt or the hold.
    #[default]
    AsInGo,
    /// A failure that may pass is repeated: no connection, no answer, 408, 429 and 5xx. The hold
    /// ends when neither a renewal nor a read of the key has succeeded for a TTL, or when a renewal
    /// is answered with 404.
    Repeat,
}

/// The first pause before a failed request is repeated; it doubles with each failure in a row.
const BACKOFF_MIN: Duration = Duration::from_millis(100);
/// How many times the pause doubles at most.
const DOUBLINGS_MAX: u32 = 5;
/// The time for the last requests if calls have no timeout.
const ENDING_DEFAULT: Duration = Duration::from_secs(10);

/// The upkeep of a hold, and of the attempt before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Upkeep {
    /// The TTL of the session; with a session of the caller, how long a read of the key counts.
    ttl: Duration,
    /// The read that shows whether the lock is still held.
    checked: Query,
    state: UpkeepState,
    /// The time until which the session certainly exists, counted from the moment its create or
    /// renewal was sent; `None` for a session of the caller, which is not renewed.
    alive_until: Option<Instant>,
    /// How many times in a row the main request has failed.
    failures: u32,
    /// When the main request is repeated. `None` if no pause runs.
    pause: Option<Instant>,
    /// Whether a request was sent that may have acquired the lock.
    pub(crate) has_tried: bool,
    /// The time from which the requests that end the hold are not repeated; `None` before the end.
    ends_by: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum UpkeepState {
    Off,
    Resting {
        until: Instant,
    },
    /// A renewal and a read, each repeated until it succeeds.
    Round(Round),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Round {
    began: Instant,
    /// When the requests that have failed are repeated.
    again: Instant,
    pause: Duration,
    is_renewed: bool,
    is_checked: bool,
}

/// Whether a later attempt may succeed where this one failed.
pub(crate) fn may_pass(failure: &Failure) -> bool {
    match failure {
        Failure::Unreachable | Failure::Network(_) | Failure::TimedOut => true,
        Failure::Status { code, .. } => matches!(code, 408 | 429 | 500..=599),
        Failure::Unreadable(_) | Failure::Unsendable(_) => false,
    }
}

/// The pause after this number of failures in a row.
pub(crate) fn backoff(failures: u32) -> Duration {
    BACKOFF_MIN * 2_u32.pow(failures.min(DOUBLINGS_MAX))
}

impl Upkeep {
    pub(crate) fn new(ttl: Duration, checked: Query) -> Self {
        Self {
            ttl,
            checked,
            state: UpkeepState::Off,
            alive_until: None,
            failures: 0,
            pause: None,
            has_tried: false,
            ends_by: None,
        }
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let round = match self.state {
            UpkeepState::Off => None,
            UpkeepState::Resting { until } => Some((until, Due::Renew)),
            UpkeepState::Round(round) => Some((round.again, Due::Renew)),
        };
        round.into_iter().chain(self.pause.map(|until| (until, Due::TryAgain))).min()
    }

    /// Begins an attempt without memory of an earlier one.
    pub(crate) fn begin(&mut self) {
        *self = Self::new(self.ttl, self.checked.clone());
    }

    /// Starts the renewals of a session that the answered request created. The TTL is counted from
    /// when the request was sent, as the server cannot have begun to count before.
    pub(crate) fn created(&mut self, context: &StepContext) {
        self.alive_until = Some(context.sent.plus(self.ttl));
        self.rest(context.sent);
    }

    /// Starts the reads of the key: the answered request has shown that the lock is held.
    pub(crate) fn held(&mut self, context: &mut StepContext) {
        context.confirm(self.ttl);
        if self.state == UpkeepState::Off {
            self.rest(context.sent);
        }
    }

    /// Renews the session and reads the key, as far as the present round has not done so. Returns
    /// false if the session may have ended before.
    pub(crate) fn renew(
        &mut self,
        context: &mut StepContext,
        session: &SessionRef,
        is_holding: bool,
    ) -> bool {
        let now = context.now;
        if self.alive_until.is_some_and(|until| now >= until) {
            self.state = UpkeepState::Off;
            return false;
        }
        let mut round = match self.state {
            UpkeepState::Off => return true,
            UpkeepState::Resting { .. } => Round {
                began: now,
                again: now,
                pause: self.ttl / 20,
                is_renewed: self.alive_until.is_none(),
                is_checked: !is_holding,
            },
            UpkeepState::Round(round) => Round { pause: self.ttl / 10, ..round },
        };
        let is_first = matches!(self.state, UpkeepState::Resting { .. });
        round.again = now.plus(round.pause);
        if !round.is_renewed && context.is_free(CallSlot::Renewer) {
            context.send(CallSlot::Renewer, Operation::RenewSession(session.clone()));
        }
        // The read follows the answer to the renewal; if that is late, both are sent at the time of
        // the first repetition.
        if round.is_renewed || !is_first {
            self.check(context, round);
        }
        self.finish(round);
        true
    }

    fn check(&self, context: &mut StepContext, round: Round) {
        if !round.is_checked && context.is_free(CallSlot::Check) {
            let (query, consistency) = (self.checked.clone(), Consistency::Consistent);
            context.send(CallSlot::Check, Operation::Read { query, wait: None, consistency });
        }
    }

    /// Handles the answer to a renewal. Returns false if the session does not exist any more.
    pub(crate) fn renewed(
        &mut self,
        context: &mut StepContext,
        result: &Result<Response, Failure>,
    ) -> bool {
        match result {
            Ok(_) => {
                self.alive_until = Some(context.sent.plus(self.ttl));
                self.advance(|round| round.is_renewed = true);
            }
            Err(failure) if failure.is_not_found() => return false,
            Err(_) => {}
        }
        if let UpkeepState::Round(round) = self.state {
            self.check(context, round);
        }
        true
    }

    /// Handles a read that shows that the lock is still held. It completes the present round only
    /// if it was sent in it: an older read, such as one of the watch, may show an older state.
    pub(crate) fn checked(&mut self, context: &mut StepContext) {
        context.confirm(self.ttl);
        let sent = context.sent;
        self.advance(|round| round.is_checked |= sent >= round.began);
    }

    /// Ends renewals and reads.
    pub(crate) fn stop(&mut self, context: &mut StepContext) {
        context.abandon(CallSlot::Renewer);
        context.abandon(CallSlot::Check);
        self.state = UpkeepState::Off;
    }

    /// Ends the reads of the key and bounds the time in which the requests that end the hold are
    /// repeated.
    pub(crate) fn begin_ending(&mut self, context: &mut StepContext) {
        context.abandon(CallSlot::Check);
        self.advance(|round| round.is_checked = true);
        let span = context.calls.request_timeout().unwrap_or(ENDING_DEFAULT);
        self.ends_by.get_or_insert(context.now.plus(span));
        (self.failures, self.pause) = (0, None);
    }

    /// Schedules the main request again after a failure. Returns false if it is not repeated: the
    /// failure is final, or the next attempt would be after the time for the end.
    pub(crate) fn pause_after(&mut self, now: Instant, failure: &Failure) -> bool {
        let until = now.plus(backoff(self.failures));
        let is_in_time = self.ends_by.is_none_or(|end| until < end);
        if !may_pass(failure) || !is_in_time {
            return false;
        }
        self.failures += 1;
        self.pause = Some(until);
        true
    }

    /// Schedules the main request again at this time.
    pub(crate) fn pause_until(&mut self, until: Instant) {
        self.pause = Some(until);
    }

    /// Ends the pause and returns when it would have ended. `None` if none runs.
    pub(crate) fn take_pause(&mut self) -> Option<Instant> {
        self.pause.take()
    }

    /// Starts the pauses from the shortest again, as the main request has succeeded.
    pub(crate) fn recovered(&mut self) {
        self.failures = 0;
    }

    fn advance(&mut self, change: impl FnOnce(&mut Round)) {
        if let UpkeepState::Round(mut round) = self.state {
            change(&mut round);
            self.finish(round);
        }
    }

    /// Rests after a round in which all has succeeded.
    fn finish(&mut self, round: Round) {
        self.state = UpkeepState::Round(round);
        if round.is_renewed && round.is_checked {
            self.rest(round.began);
        }
    }

    fn rest(&mut self, since: Instant) {
        self.state = UpkeepState::Resting { until: since.plus(self.ttl / 2) };
    }
}
