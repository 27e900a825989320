//! A client program: a recipe with its pending calls, its belief, the lease of its lock, and the
//! standing orders of its user.

use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::message::{Failure, Response};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::belief::Belief;
use crate::call_id::CallId;
use crate::interface::{Action, Due, Order, Phase, Stimulus, first_due};
use crate::lease::Lease;
use crate::parts::calls::{Calls, Outstanding};
use crate::parts::session_renewer::SessionRenewer;
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::user_policy::{User, UserPolicy};
use crate::recipe::Recipe;

/// A client program: its recipe, its user's policy, its pending calls, its belief and its lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    recipe: Recipe,
    user: User,
    calls: Calls,
    belief: Belief,
    lease: Lease,
}

/// The most deadlines that one step handles. It bounds a step after a long pause and at the end of
/// virtual time, where deadlines no longer advance.
const DEADLINES_PER_STEP: usize = 64;

impl Program {
    /// A program that waits for its first order. Its calls have no timeout, as in the Go client.
    pub fn new(recipe: Recipe) -> Self {
        Self {
            recipe,
            user: User::default(),
            calls: Calls::default(),
            belief: Belief::Unknown,
            lease: Lease::default(),
        }
    }

    /// Sets its request timeout, which is added to the wait of a blocking read.
    pub fn with_request_timeout(mut self, request_timeout: Duration) -> Self {
        self.calls = Calls::with_request_timeout(request_timeout);
        self
    }

    /// Sets the standing orders of its user.
    pub fn with_policy(mut self, policy: UserPolicy) -> Self {
        self.user = User::new(policy);
        self
    }

    /// Handles one stimulus and appends the actions that follow. Deadlines that are due by then are
    /// handled first, in order.
    pub fn step(&mut self, now: Instant, stimulus: Stimulus, out: &mut Vec<Action>) {
        // If the program was suspended, its lease may have ended unnoticed. It has to end before
        // this stimulus, which may be an answer that extends it.
        self.expire(now, out);
        self.meet_deadlines(now, out);
        match stimulus {
            Stimulus::Tick => {}
            Stimulus::Order(order) => {
                self.user.order_given(order);
                self.take(now, None, StepInput::Order(order), out);
            }
            Stimulus::Reply { call, result } => self.reply(now, call, result, out),
        }
        self.expire(now, out);
    }

    /// Whether its user may act on the lock now, on the clock of its host. What it believes may be
    /// wrong, for example without a network: then this becomes false before another client can
    /// hold the lock, if the session ends by its TTL.
    pub fn may_act(&self, now: Instant) -> bool {
        self.lease.may_act(now)
    }

    /// When its user must stop, unless an answer extends the lease before. `None` while its user
    /// may not act, and if only an answer ends the lease.
    pub fn lease_ends(&self) -> Option<Instant> {
        self.lease.ends()
    }

    /// When [`step`](Self::step) must be called at the latest, and why. `None` if nothing is due
    /// before a reply or an order.
    pub fn next_deadline(&self) -> Option<(Instant, Due)> {
        let (recipe, user) = (self.recipe.next_deadline(), self.user.next_deadline());
        let lease = self.lease.ends().filter(|_| self.recipe.repeats_failures());
        let lease = lease.map(|ends| (ends, Due::LeaseEnds));
        first_due(&[recipe, user, self.calls.next_deadline(), lease])
    }

    /// Its request timeout. `None` if its calls have none.
    pub fn request_timeout(&self) -> Option<Duration> {
        self.calls.request_timeout()
    }

    /// The standing orders of its user.
    pub fn policy(&self) -> UserPolicy {
        self.user.policy()
    }

    /// Its recipe, with options and state.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What it believes about its lock; not the truth.
    pub fn belief(&self) -> &Belief {
        &self.belief
    }

    /// Its phase, which is the state as its user sees it.
    pub fn phase(&self) -> Phase {
        self.recipe.phase()
    }

    /// The name of its state, as docs/en/reference/recipes.md lists them.
    pub fn state(&self) -> &'static str {
        self.recipe.state()
    }

    /// The renewer of its session, if it has one.
    pub fn renewer(&self) -> Option<&SessionRenewer> {
        self.recipe.renewer()
    }

    /// The name of the state of its watch, if it has one.
    pub fn watch_state(&self) -> Option<&'static str> {
        self.recipe.watch_state()
    }

    /// Its pending calls, oldest first.
    pub fn outstanding(&self) -> &[Outstanding] {
        self.calls.outstanding()
    }

    /// Ends the lease if its time is over. With `OnFailure::Repeat`, that ends the hold as well.
    fn expire(&mut self, now: Instant, out: &mut Vec<Action>) {
        if self.lease.expire(now) && self.recipe.repeats_failures() {
            self.take(now, None, StepInput::Due(Due::LeaseEnds), out);
        }
    }

    fn meet_deadlines(&mut self, now: Instant, out: &mut Vec<Action>) {
        for _ in 0..DEADLINES_PER_STEP {
            let due = self.next_deadline().filter(|(at, _)| *at <= now);
            let Some((_, due)) = due else { return };
            match due {
                Due::TimeOut(call) => {
                    out.push(Action::Abandon(call));
                    self.reply(now, call, Err(Failure::TimedOut), out);
                }
                Due::LeaseEnds => self.expire(now, out),
                Due::EndOfWork | Due::StartAgain => self.user_acts(now, due, out),
                Due::Renew
                | Due::WatchAgain
                | Due::TryAgain
                | Due::NextStep
                | Due::Write
                | Due::ChildEnds
                | Due::Kill => {
                    self.take(now, None, StepInput::Due(due), out);
                }
            }
        }
    }

    fn reply(
        &mut self,
        now: Instant,
        call: CallId,
        result: Result<Response, Failure>,
        out: &mut Vec<Action>,
    ) {
        let Some(Outstanding { slot, operation, sent, .. }) = self.calls.close(call) else {
            return;
        };
        if let Ok(response) = &result {
            self.lease.answered(&operation, sent, response);
        }
        self.take(now, Some((call, sent)), StepInput::Reply { slot, result }, out);
    }

    fn user_acts(&mut self, now: Instant, due: Due, out: &mut Vec<Action>) {
        if let Some(order) = self.user.take_order(due) {
            self.take(now, None, StepInput::Order(order), out);
        }
    }

    /// Passes an event to the recipe, and the recipe's new phase to the policy.
    fn take(
        &mut self,
        now: Instant,
        answered: Option<(CallId, Instant)>,
        event: StepInput,
        out: &mut Vec<Action>,
    ) {
        let mut next = Some((answered, event));
        while let Some((answered, event)) = next.take() {
            // Its user must stop before the lock is released.
            if let StepInput::Order(Order::Stop | Order::Destroy) = event {
                self.lease.end();
            }
            let (from, sent) = (answered.map(|it| it.0), answered.map_or(now, |it| it.1));
            let (calls, belief) = (&mut self.calls, &mut self.belief);
            let mut context = StepContext { now, from, sent, confirmed: None, calls, belief, out };
            self.recipe.on(&mut context, event);
            if let Some(within) = context.confirmed {
                self.lease.confirm(sent, within);
            }
            self.lease.follow(matches!(self.belief, Belief::Believes { .. }));
            let order = self.user.phase_changed(now, self.recipe.phase());
            next = order.map(|order| (None, StepInput::Order(order)));
        }
    }
}
