//! The driver of a lock, a slot of a semaphore or a leadership on a real network: a program with
//! its requests as HTTP, its lease, its deadlines and its orders. It does no I/O, and time is an
//! argument.
//!
//! Its caller sends the requests of [`ContenderStep::Send`], passes on their answers, calls
//! [`tick`](Contender::tick) at [`next_deadline`](Contender::next_deadline), and lets its user act
//! only while [`may_act`](Contender::may_act). All rules about safety are in here and in
//! [`Program`], which the simulation runs under faults.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::belief::Token;
use crate::call_id::CallId;
use crate::interface::{Action, Order, Phase, Stimulus};
use crate::program::Program;
use crate::program_error::ProgramError;
use crate::recipe::Recipe;
use crate::report::{GaveUp, LockLoss, Report};
use lictor_core::http::{HttpRequest, HttpResponse, client};
use lictor_core::message::Failure;
use lictor_core::time::Instant;

/// What the caller of a [`Contender`] has to do or learns, in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContenderStep {
    /// Send a request, and pass on its answer or failure.
    Send {
        /// The number of the call, which its answer repeats.
        call: CallId,
        /// The request.
        request: HttpRequest,
    },
    /// No longer wait for the answer to a call. Its connection may be closed.
    Abandon(CallId),
    /// The lock is held, and its user may act from now on. At most once.
    Acquired(Token),
    /// The user may no longer act, without an order to stop. At most once, after `Acquired`. An
    /// order to stop is still needed: it gives back what is left.
    Lost(LockLoss),
    /// Another leader was seen; none if there is none. Only a candidate sees leaders.
    Leader(Option<Arc<[u8]>>),
    /// Nothing is left to do. The last step, also after an order to stop.
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
    /// It lost the lock before it knew the token, so that its user never held it.
    Lost(LockLoss),
    /// It was ordered to stop, and does not know whether the lock was given back.
    NotReleased(ProgramError),
}

/// A lock, a slot of a semaphore or a leadership, from its first request to its last one.
#[derive(Clone, Debug)]
pub struct Contender {
    program: Program,
    /// Whether the token has indexes, which come with the first read.
    has_indexes: bool,
    progress: Progress,
    outcome: Option<Outcome>,
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
        Self { program, has_indexes, progress: Progress::NotStarted, outcome: None }
    }

    /// Begins to contend. Only the first call has an effect.
    pub fn start(&mut self, now: Instant) -> Vec<ContenderStep> {
        if self.progress != Progress::NotStarted {
            return Vec::new();
        }
        self.progress = Progress::Contending;
        self.step(now, Stimulus::Order(Order::Start))
    }

    /// Ends the wait for the lock, or gives it back. Its user may not act from now on. Only the
    /// first call has an effect.
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
        self.step(now, Stimulus::Order(Order::Stop))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Instant) -> Vec<ContenderStep> {
        self.step(now, Stimulus::Tick)
    }

    /// A call was answered. Answers to calls that it does not wait for are ignored.
    pub fn answered(
        &mut self,
        now: Instant,
        call: CallId,
        response: &HttpResponse,
    ) -> Vec<ContenderStep> {
        let Some(pending) = self.program.outstanding().iter().find(|it| it.call == call) else {
            return Vec::new();
        };
        let result = client::decode(&pending.operation, response);
        self.step(now, Stimulus::Reply { call, result })
    }

    /// A call has no answer: there was no connection, or it broke.
    pub fn unreachable(&mut self, now: Instant, call: CallId) -> Vec<ContenderStep> {
        self.step(now, Stimulus::Reply { call, result: Err(Failure::Unreachable) })
    }

    /// When it must be stepped next at the latest.
    pub fn next_deadline(&self) -> Option<Instant> {
        if self.progress == Progress::Ended {
            return None;
        }
        let own = self.program.next_deadline().map(|(at, _)| at);
        own.into_iter().chain(self.program.lease_ends()).min()
    }

    /// Whether its user may act now. This compares the time, so it is also right if no step was
    /// made in time.
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
        if self.progress == Progress::Held && !self.program.may_act(now) {
            self.lose(now, LockLoss::LeaseEnded, &mut steps);
        }
        let is_idle = self.program.phase() == Phase::Idle && self.program.outstanding().is_empty();
        if is_idle && self.progress != Progress::Ended {
            self.progress = Progress::Ended;
            steps.push(ContenderStep::Ended(self.outcome.take().unwrap_or(Outcome::Released)));
        }
        steps
    }

    fn drive(&mut self, now: Instant, stimulus: Stimulus, steps: &mut Vec<ContenderStep>) {
        let mut actions = Vec::new();
        self.program.step(now, stimulus, &mut actions);
        for action in actions {
            match action {
                Action::Send { call, operation } => match client::encode(&operation) {
                    Ok(request) => steps.push(ContenderStep::Send { call, request }),
                    Err(failure) => {
                        self.drive(now, Stimulus::Reply { call, result: Err(failure) }, steps);
                    }
                },
                Action::Abandon(call) => steps.push(ContenderStep::Abandon(call)),
                Action::Use(_) => {}
                Action::Report(report) => self.report(now, report, steps),
            }
        }
    }

    fn report(&mut self, now: Instant, report: Report, steps: &mut Vec<ContenderStep>) {
        match report {
            Report::Acquired { token } if !self.has_indexes => self.hold(now, token, steps),
            Report::TokenKnown(token) => self.hold(now, token, steps),
            Report::Lost(loss) => self.lose(now, loss, steps),
            Report::GaveUp(GaveUp::TimedOut) => self.outcome = Some(Outcome::NotAcquired),
            Report::Failed(error) => {
                self.outcome = Some(match self.progress {
                    Progress::Contending => Outcome::Failed(error),
                    _ => Outcome::NotReleased(error),
                });
            }
            Report::Leader(value) => steps.push(ContenderStep::Leader(value)),
            _ => {}
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
