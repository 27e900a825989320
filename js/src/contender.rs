//! A client program on a real network: a recipe, its requests as HTTP, and the rule by which its
//! user stops in time.
//!
//! Its user may act only while its lease runs: until one TTL after the last create or renewal of
//! its session that succeeded was *sent*. The server ends no session sooner, and keeps the key
//! closed during the lock-delay after that. So a client that loses its network stops before another
//! client can begin. A loss that the watch reports ends the lease at once.

use std::time::Duration;

use lictor_core::http::{self, HttpRequest, HttpResponse};
use lictor_core::message::{Answer, Failure, Operation, Response};
use lictor_core::time::Instant;
use lictor_recipes::{
    Action, CallId, GaveUp, LockLoss, Order, Phase, Program, ProgramError, Recipe, Report,
    Stimulus, Token,
};

/// What its user has to do, or learns.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// Send a request.
    Send {
        /// The number of the call, which its answer repeats.
        call: CallId,
        /// The request.
        request: HttpRequest,
    },
    /// No longer wait for the answer to a call.
    Abandon(CallId),
    /// It holds the lock. The indexes of its token follow.
    Acquired(Token),
    /// It holds the lock, and these are the indexes.
    TokenKnown(Token),
    /// The lock is lost.
    Lost(LockLoss),
    /// The lease has run out without a renewal: the lock may be lost.
    LeaseEnded,
    /// The lock is released.
    Released,
    /// It ended without the lock.
    GaveUp(GaveUp),
    /// It ended by an error.
    Failed(ProgramError),
    /// Another leader was seen; none if there is none.
    Leader(Option<Vec<u8>>),
}

/// A program with its lease.
#[derive(Debug)]
pub struct Contender {
    program: Program,
    /// How long after a renewal its user may act; none without a TTL, or for a session that its
    /// user renews.
    ttl: Option<Duration>,
    lease_ends: Option<Instant>,
    is_holding: bool,
}

impl Contender {
    /// A contender that waits for its first order.
    pub fn new(recipe: Recipe, ttl: Option<Duration>, request_timeout: Duration) -> Self {
        let program = Program::new(recipe).with_request_timeout(request_timeout);
        Self { program, ttl, lease_ends: None, is_holding: false }
    }

    /// An order of its user.
    pub fn order(&mut self, now: Instant, order: Order) -> Vec<Step> {
        self.step(now, Stimulus::Order(order))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Instant) -> Vec<Step> {
        self.step(now, Stimulus::Tick)
    }

    /// The answer to a call; none if there was no connection. Answers to other calls than those
    /// that it waits for are ignored.
    pub fn answered(
        &mut self,
        now: Instant,
        call: CallId,
        response: Option<&HttpResponse>,
    ) -> Vec<Step> {
        let Some(pending) = self.program.outstanding().iter().find(|it| it.call == call) else {
            return Vec::new();
        };
        let result = match response {
            Some(response) => http::client::decode(&pending.operation, response),
            None => Err(Failure::Unreachable),
        };
        if let (Some(ttl), Ok(response)) = (self.ttl, &result)
            && is_lease(&pending.operation, response)
        {
            self.lease_ends = Some(pending.sent.plus(ttl));
        }
        self.step(now, Stimulus::Reply { call, result })
    }

    /// When it must be stepped next at the latest.
    pub fn next_deadline(&self) -> Option<Instant> {
        let own = self.program.next_deadline().map(|(at, _)| at);
        let lease = self.lease_ends.filter(|_| self.is_holding);
        own.into_iter().chain(lease).min()
    }

    /// Whether its user may act now. False if it has not been stepped in time.
    pub fn may_act(&self, now: Instant) -> bool {
        self.is_holding && self.lease_ends.is_none_or(|ends| now < ends)
    }

    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.program.phase() == Phase::Idle && self.program.outstanding().is_empty()
    }

    fn step(&mut self, now: Instant, stimulus: Stimulus) -> Vec<Step> {
        let mut steps = Vec::new();
        // The lease counts first: a program that was suspended learns what it missed only later.
        if self.is_holding && !self.may_act(now) {
            self.is_holding = false;
            steps.push(Step::LeaseEnded);
        }
        let mut actions = Vec::new();
        self.program.step(now, stimulus, &mut actions);
        for action in actions {
            self.follow(now, action, &mut steps);
        }
        steps
    }

    fn follow(&mut self, now: Instant, action: Action, steps: &mut Vec<Step>) {
        match action {
            Action::Send { call, operation } => match http::client::encode(&operation) {
                Ok(request) => steps.push(Step::Send { call, request }),
                Err(failure) => {
                    let reply = Stimulus::Reply { call, result: Err(failure) };
                    steps.extend(self.step(now, reply));
                }
            },
            Action::Abandon(call) => steps.push(Step::Abandon(call)),
            Action::Use(_) => {}
            Action::Report(report) => self.report(now, report, steps),
        }
    }

    fn report(&mut self, now: Instant, report: Report, steps: &mut Vec<Step>) {
        match report {
            Report::Acquired { token } => {
                self.is_holding = true;
                if self.may_act(now) {
                    steps.push(Step::Acquired(token));
                } else {
                    self.is_holding = false;
                    steps.extend([Step::Acquired(token), Step::LeaseEnded]);
                }
            }
            Report::TokenKnown(token) => steps.push(Step::TokenKnown(token)),
            Report::Lost(loss) => {
                self.is_holding = false;
                steps.push(Step::Lost(loss));
            }
            Report::Released => {
                self.is_holding = false;
                steps.push(Step::Released);
            }
            Report::GaveUp(why) => steps.push(Step::GaveUp(why)),
            Report::Failed(error) => steps.push(Step::Failed(error)),
            Report::Leader(value) => {
                steps.push(Step::Leader(value.map(|value| value.to_vec())));
            }
            // A session that is not renewed any more ends the lease by its time.
            _ => {}
        }
    }
}

/// Whether an answer means that the session lives for a TTL from when its request was sent.
fn is_lease(operation: &Operation, response: &Response) -> bool {
    match operation {
        Operation::CreateSession(_) => matches!(response.answer, Answer::Created(_)),
        Operation::RenewSession(_) => matches!(response.answer, Answer::Renewed(_)),
        _ => false,
    }
}
