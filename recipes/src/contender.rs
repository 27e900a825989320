//! The driver of a lock, a slot of a semaphore or a leadership on a real network: a program with
//! its requests as HTTP, its lease, its deadlines and its orders. It does no I/O, and time is an
//! argument.
//!
//! Its caller sends the requests of [`ContenderStep::Send`], passes on their answers, calls
//! [`tick`](Contender::tick) at [`next_deadline`](Contender::next_deadline), and lets its user act
//! only while [`may_act`](Contender::may_act). A caller needs no rule about safety of its own.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::engine::SessionClock;
use lictor_core::http::{HttpRequest, HttpResponse, client};
use lictor_core::message::{Failure, Operation};
use lictor_core::time::Instant;

use crate::belief::Token;
use crate::call_id::CallId;
use crate::interface::{Action, Order, Phase, Stimulus};
use crate::late_writes::{LateStep, LateWrites, may_act_late};
use crate::parts::session_renewer::SessionRenewer;
use crate::program::Program;
use crate::program_error::ProgramError;
use crate::recipe::Recipe;
use crate::report::{GaveUp, LockLoss, Report};

/// A step that the caller of a [`Contender`] has to take or a change that it has to note. Steps are
/// in the order in which they have to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContenderStep {
    /// Send a request, and pass on its answer or failure.
    Send {
        /// The number of the call, which its answer repeats.
        call: CallId,
        /// The request.
        request: HttpRequest,
    },
    /// Stop waiting for the answer to a call. Its connection may be closed.
    Abandon(CallId),
    /// The lock is held, and its user may act from now on. This step occurs at most once.
    Acquired(Token),
    /// The lock was lost without an order to stop, and the user may no longer act. This step
    /// occurs at most once, after `Acquired`. [`Contender::stop`] is still needed: it releases what
    /// is left, such as the session.
    Lost(LockLoss),
    /// The leader has changed: the value of the key; `None` while the key has no holder. Only a
    /// candidate of an election has this step.
    Leader(Option<Arc<[u8]>>),
    /// Nothing is left to do. This is the last step, also after an order to stop.
    Ended(Outcome),
}

/// How a contender ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was ordered to stop, and holds nothing any more.
    Released,
    /// The lock was not free within the wait time of a single try.
    NotAcquired,
    /// It failed before it held the lock.
    Failed(ProgramError),
    /// It lost the lock before [`ContenderStep::Acquired`], so its user never held it.
    Lost(LockLoss),
    /// It was ordered to stop, and could not release the key or destroy its session.
    NotReleased {
        /// The error of the request that failed.
        error: ProgramError,
        /// Until when the key may stay locked.
        until: LockedUntil,
    },
}

/// Until when a key may stay locked that was not released. A new leader of Consul restarts all
/// TTLs, and so may add one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockedUntil {
    /// The key is free; only the session is left, until it ends by its TTL.
    Free,
    /// Until this time at the latest: by then the session has ended, and the lock-delay after it.
    Time(Instant),
    /// Until the session, which is the caller's, ends or releases the key.
    CallersSession,
}

/// How long a late write is waited for if calls have no timeout.
const LATE_DEFAULT: Duration = Duration::from_secs(10);

/// A request without an answer is sent again, as its connection may be dead: first after this part
/// of its timeout, then after pauses that double.
const RESEND_DIVISOR: u32 = 8;

/// A lock, a slot of a semaphore or a leadership, from its first request to its last one.
#[derive(Clone, Debug)]
pub struct Contender {
    program: Program,
    /// Whether the token gets indexes by a read after the acquire; those of semaphores do not.
    has_indexes: bool,
    progress: Progress,
    /// The outcome as far as it is certain; `None` without an error, a timeout or an early loss.
    outcome: Option<Outcome>,
    /// Whether the key was released.
    is_released: bool,
    /// Whether no attempt to destroy its own session has failed.
    is_destroyed: bool,
    /// How many requests were sent.
    sent: u64,
    transmissions: Vec<Transmission>,
    late: LateWrites,
}

/// A request that was sent for a call of the program, perhaps not for the first time.
#[derive(Clone, Debug)]
struct Transmission {
    id: CallId,
    call: CallId,
    /// The write, if it may take effect late, in a later hold of the same session.
    late: Option<Operation>,
    /// When the call is sent once more, and the pause before that. `None` if it is not, or if a
    /// later transmission of the call exists.
    again: Option<(Instant, Duration)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    NotStarted,
    Contending,
    Held,
    Lost,
    Stopping,
    Ended,
}

impl Contender {
    /// A contender that has not started.
    pub fn new(program: Program) -> Self {
        let has_indexes = !matches!(program.recipe(), Recipe::Semaphore(_));
        Self {
            program,
            has_indexes,
            progress: Progress::NotStarted,
            outcome: None,
            is_released: false,
            is_destroyed: true,
            sent: 0,
            transmissions: Vec::new(),
            late: LateWrites::default(),
        }
    }

    /// Begins to contend. Only the first call has an effect.
    pub fn start(&mut self, now: Instant) -> Vec<ContenderStep> {
        if self.progress != Progress::NotStarted {
            return Vec::new();
        }
        self.progress = Progress::Contending;
        self.step(now, Stimulus::Order(Order::Start))
    }

    /// Ends the wait for the lock, or releases it. Its user may not act from now on. Only the first
    /// call has an effect.
    pub fn stop(&mut self, now: Instant) -> Vec<ContenderStep> {
        match self.progress {
            Progress::Stopping | Progress::Ended => return Vec::new(),
            Progress::NotStarted => {
                self.progress = Progress::Ended;
                return Vec::from([ContenderStep::Ended(Outcome::Released)]);
            }
            Progress::Contending | Progress::Held | Progress::Lost => {}
        }
        self.progress = Progress::Stopping;
        self.begin_ending(now);
        self.step(now, Stimulus::Order(Order::Stop))
    }

    /// Carries out what is due at this time.
    pub fn tick(&mut self, now: Instant) -> Vec<ContenderStep> {
        self.step(now, Stimulus::Tick)
    }

    /// Handles the answer to a call. Answers to calls that it does not wait for are ignored.
    pub fn answered(
        &mut self,
        now: Instant,
        call: CallId,
        response: &HttpResponse,
    ) -> Vec<ContenderStep> {
        if self.late.ended(now, call, Some(response)) {
            return self.tick(now);
        }
        let Some(call) = self.close(call) else { return Vec::new() };
        let pending = self.program.outstanding().iter().find(|it| it.call == call);
        let Some(pending) = pending else { return Vec::new() };
        let result = client::decode(&pending.operation, response);
        if matches!(pending.operation, Operation::DestroySession { .. }) && result.is_ok() {
            self.session_destroyed(now);
        }
        self.step(now, Stimulus::Reply { call, result })
    }

    /// Handles the failure of a call: there was no connection, or it broke before an answer.
    pub fn unreachable(&mut self, now: Instant, call: CallId) -> Vec<ContenderStep> {
        if self.late.ended(now, call, None) {
            return self.tick(now);
        }
        let Some(call) = self.close(call) else { return Vec::new() };
        // The request may still be answered over another connection.
        if self.transmissions.iter().any(|it| it.call == call) {
            return self.tick(now);
        }
        self.step(now, Stimulus::Reply { call, result: Err(Failure::Unreachable) })
    }

    /// When [`tick`](Self::tick) must be called at the latest. `None` if nothing is due before an
    /// answer or an order.
    pub fn next_deadline(&self) -> Option<Instant> {
        if self.progress == Progress::Ended {
            return None;
        }
        let own = self.program.next_deadline().map(|(at, _)| at);
        let again = self.transmissions.iter().filter_map(|it| Some(it.again?.0));
        let others = again.chain(self.program.lease_ends()).chain(self.late.next_deadline());
        own.into_iter().chain(others).min()
    }

    /// Whether its user may act now. This compares the time, so the result is also correct if
    /// [`tick`](Self::tick) was not called in time.
    pub fn may_act(&self, now: Instant) -> bool {
        self.progress == Progress::Held && self.program.may_act(now)
    }

    /// The program that it drives.
    pub fn program(&self) -> &Program {
        &self.program
    }

    fn step(&mut self, now: Instant, stimulus: Stimulus) -> Vec<ContenderStep> {
        let mut steps = Vec::new();
        if self.progress == Progress::Ended {
            return steps;
        }
        self.drive(now, stimulus, &mut steps);
        self.abandon_answered(now, &mut steps);
        self.resend(now, &mut steps);
        self.follow_late(now, &mut steps);
        if self.progress == Progress::Held && !self.program.may_act(now) {
            self.lose(now, LockLoss::LeaseEnded, &mut steps);
        }
        let is_idle = self.program.phase() == Phase::Idle && self.program.outstanding().is_empty();
        if is_idle && self.late.is_empty() && self.progress != Progress::Ended {
            self.progress = Progress::Ended;
            steps.push(ContenderStep::Ended(self.outcome()));
        }
        steps
    }

    fn outcome(&mut self) -> Outcome {
        match self.outcome.take() {
            None if self.late.is_unsettled() => {
                let error = ProgramError::ReleaseLock(Failure::TimedOut);
                Outcome::NotReleased { error, until: LockedUntil::CallersSession }
            }
            outcome => outcome.unwrap_or(Outcome::Released),
        }
    }

    fn drive(&mut self, now: Instant, stimulus: Stimulus, steps: &mut Vec<ContenderStep>) {
        let mut actions = Vec::new();
        self.program.step(now, stimulus, &mut actions);
        for action in actions {
            match action {
                Action::Send { call, operation } => match client::encode(&operation) {
                    Ok(request) => {
                        let timeout = self.program.request_timeout();
                        let pause = timeout.filter(|_| is_resent(&operation));
                        let pause = pause.map(|it| it / RESEND_DIVISOR);
                        self.transmit(now, (call, &operation), pause, request, steps);
                    }
                    Err(failure) => {
                        self.drive(now, Stimulus::Reply { call, result: Err(failure) }, steps);
                    }
                },
                // `abandon_answered` abandons its transmissions at the end of the step.
                Action::Abandon(_) => {}
                Action::Use(_) => {}
                Action::Report(report) => self.report(now, report, steps),
            }
        }
    }

    fn report(&mut self, now: Instant, report: Report, steps: &mut Vec<ContenderStep>) {
        match report {
            Report::Acquired { token, .. } if !self.has_indexes => self.hold(now, token, steps),
            Report::TokenKnown(token) => self.hold(now, token, steps),
            Report::Lost(loss) => self.lose(now, loss, steps),
            Report::GaveUp(GaveUp::TimedOut) => {
                self.outcome = Some(Outcome::NotAcquired);
                self.begin_ending(now);
            }
            Report::Released | Report::ReleasedNothing => self.is_released = true,
            Report::Failed(error) => self.failed(now, error),
            Report::Leader(value) => steps.push(ContenderStep::Leader(value)),
            _ => {}
        }
    }

    /// Stores the outcome of an error. The first error is kept; one before the lock was held is the
    /// failure of the attempt.
    fn failed(&mut self, now: Instant, error: ProgramError) {
        self.is_destroyed &= !matches!(error, ProgramError::DestroySession(_));
        let outcome = match (self.outcome.take(), self.progress) {
            (None, Progress::Contending) => Outcome::Failed(error),
            (None, _) => Outcome::NotReleased { error, until: self.locked_until(now) },
            (Some(Outcome::NotReleased { error, .. }), _) => {
                Outcome::NotReleased { error, until: self.locked_until(now) }
            }
            (Some(first), _) => first,
        };
        self.outcome = Some(outcome);
        self.begin_ending(now);
    }

    /// The lock-delay of a key that was not released has begun at the latest now.
    fn session_destroyed(&mut self, now: Instant) {
        let latest = self.locked_until(now);
        if let Some(Outcome::NotReleased { until, .. }) = &mut self.outcome {
            *until = latest;
        }
    }

    /// From now on releases what a late write acquires, for as long as a request may take.
    fn begin_ending(&mut self, now: Instant) {
        self.late.begin_ending(now.plus(self.late_span()));
    }

    fn late_span(&self) -> Duration {
        self.program.request_timeout().unwrap_or(LATE_DEFAULT)
    }

    fn locked_until(&self, now: Instant) -> LockedUntil {
        let terms = self.program.renewer().map(SessionRenewer::terms);
        match terms.flatten() {
            _ if self.is_released => LockedUntil::Free,
            None => LockedUntil::CallersSession,
            // A renewal may have arrived just now.
            Some((ttl, delay)) if !self.is_destroyed => {
                LockedUntil::Time(SessionClock::starting(now, ttl).ends.plus(delay))
            }
            Some((_, delay)) => LockedUntil::Time(now.plus(delay)),
        }
    }

    /// Sends a request, for the first time or again, under a new number, so that the answers to
    /// both transmissions can be told apart.
    fn transmit(
        &mut self,
        now: Instant,
        (call, operation): (CallId, &Operation),
        pause: Option<Duration>,
        request: HttpRequest,
        steps: &mut Vec<ContenderStep>,
    ) {
        let again = pause.map(|pause| (now.plus(pause), pause));
        let is_callers = self.program.renewer().is_some_and(|renewer| !renewer.is_own());
        let late = (is_callers && may_act_late(operation)).then(|| operation.clone());
        let id = self.next_id();
        self.transmissions.push(Transmission { id, call, late, again });
        steps.push(ContenderStep::Send { call: id, request });
    }

    fn next_id(&mut self) -> CallId {
        self.sent += 1;
        CallId(self.sent)
    }

    /// Removes a transmission that has ended, and returns its call.
    fn close(&mut self, id: CallId) -> Option<CallId> {
        let index = self.transmissions.iter().position(|it| it.id == id)?;
        Some(self.transmissions.remove(index).call)
    }

    /// Abandons the transmissions of calls that the program no longer waits for. Writes that may
    /// take effect late are followed until their answers instead.
    fn abandon_answered(&mut self, now: Instant, steps: &mut Vec<ContenderStep>) {
        let (pending, until) = (self.program.outstanding(), now.plus(self.late_span()));
        let is_pending =
            |it: &mut Transmission| pending.iter().any(|pending| pending.call == it.call);
        for transmission in self.transmissions.extract_if(.., |it| !is_pending(it)) {
            match transmission.late {
                Some(operation) => self.late.wait_for(transmission.id, operation, until),
                None => steps.push(ContenderStep::Abandon(transmission.id)),
            }
        }
    }

    /// Sends the requests that are due because of late writes.
    fn follow_late(&mut self, now: Instant, steps: &mut Vec<ContenderStep>) {
        for step in self.late.due(now) {
            match step {
                LateStep::Abandon(id) => steps.push(ContenderStep::Abandon(id)),
                LateStep::Send(operation) => {
                    if let Ok(request) = client::encode(&operation) {
                        let id = self.next_id();
                        self.late.wait_for(id, operation, now.plus(self.late_span()));
                        steps.push(ContenderStep::Send { call: id, request });
                    }
                }
            }
        }
    }

    /// Sends the requests once more that have had no answer for long.
    fn resend(&mut self, now: Instant, steps: &mut Vec<ContenderStep>) {
        let mut due = Vec::new();
        for transmission in &mut self.transmissions {
            let is_due = transmission.again.is_some_and(|(at, _)| at <= now);
            if let Some((_, pause)) = transmission.again.take_if(|_| is_due) {
                due.push((transmission.call, pause * 2));
            }
        }
        for (call, pause) in due {
            let pending = self.program.outstanding().iter().find(|it| it.call == call);
            let Some(operation) = pending.map(|it| it.operation.clone()) else { continue };
            if let Ok(request) = client::encode(&operation) {
                self.transmit(now, (call, &operation), Some(pause), request, steps);
            }
        }
    }

    fn hold(&mut self, now: Instant, token: Token, steps: &mut Vec<ContenderStep>) {
        if self.progress != Progress::Contending {
            return;
        }
        if !self.program.may_act(now) {
            return self.lose(now, LockLoss::LeaseEnded, steps);
        }
        self.progress = Progress::Held;
        steps.push(ContenderStep::Acquired(token));
    }

    fn lose(&mut self, now: Instant, loss: LockLoss, steps: &mut Vec<ContenderStep>) {
        match self.progress {
            Progress::Contending => {
                self.progress = Progress::Stopping;
                self.outcome = Some(Outcome::Lost(loss));
                self.begin_ending(now);
                self.drive(now, Stimulus::Order(Order::Stop), steps);
            }
            Progress::Held => {
                self.progress = Progress::Lost;
                steps.push(ContenderStep::Lost(loss));
            }
            _ => {}
        }
    }
}

/// Whether a request is sent again. A blocking query is answered late by intention, and each
/// request to create a session creates one more.
fn is_resent(operation: &Operation) -> bool {
    !matches!(operation, Operation::CreateSession(_)) && operation.blocking_wait().is_none()
}
