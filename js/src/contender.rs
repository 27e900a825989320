//! A client program on a real network: a recipe with its requests as HTTP, and its lease, the rule
//! by which its user stops in time.

use std::time::Duration;

use lictor_core::http::{self, HttpRequest, HttpResponse};
use lictor_core::message::Failure;
use lictor_core::time::Instant;
use lictor_recipes::{
    Action, CallId, GaveUp, Lease, LockLoss, Order, Phase, Program, ProgramError, Recipe, Report,
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
    lease: Lease,
}

impl Contender {
    /// A contender that waits for its first order. It has no TTL if its session has none, or if its
    /// user renews the session.
    pub fn new(recipe: Recipe, ttl: Option<Duration>, request_timeout: Duration) -> Self {
        let program = Program::new(recipe).with_request_timeout(request_timeout);
        Self { program, lease: Lease::new(ttl) }
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
        if let Ok(response) = &result {
            self.lease.answered(&pending.operation, pending.sent, response);
        }
        self.step(now, Stimulus::Reply { call, result })
    }

    /// When it must be stepped next at the latest.
    pub fn next_deadline(&self) -> Option<Instant> {
        let own = self.program.next_deadline().map(|(at, _)| at);
        own.into_iter().chain(self.lease.next_deadline()).min()
    }

    /// Whether its user may act now. False if it has not been stepped in time.
    pub fn may_act(&self, now: Instant) -> bool {
        self.lease.may_act(now)
    }

    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.program.phase() == Phase::Idle && self.program.outstanding().is_empty()
    }

    fn step(&mut self, now: Instant, stimulus: Stimulus) -> Vec<Step> {
        let mut steps = Vec::new();
        // The lease counts first: a program that was suspended learns what it missed only later.
        if self.lease.expire(now) {
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
        self.lease.reported(&report);
        match report {
            Report::Acquired { token } => {
                steps.push(Step::Acquired(token));
                if self.lease.expire(now) {
                    steps.push(Step::LeaseEnded);
                }
            }
            Report::TokenKnown(token) => steps.push(Step::TokenKnown(token)),
            Report::Lost(loss) => steps.push(Step::Lost(loss)),
            Report::Released | Report::ReleasedNothing => steps.push(Step::Released),
            Report::GaveUp(why) => steps.push(Step::GaveUp(why)),
            Report::Failed(error) => steps.push(Step::Failed(error)),
            Report::Leader(value) => {
                steps.push(Step::Leader(value.map(|value| value.to_vec())));
            }
            _ => {}
        }
    }
}
