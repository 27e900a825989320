//! Client programs as state machines with named states, without I/O: what a library or a script
//! does with sessions and locks, step by step on its own clock.
//!
//! A program receives a [`Stimulus`] and returns [`Action`]s. Its [`Belief`] follows from the
//! answers that it has received, and may be wrong. The simulation runs programs in virtual time,
//! and `tests/src/bin/recipes` on a real network. The state tables are in docs/recipes.md.

#![no_std]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod answers;
mod attempts;
mod belief;
mod calls;
mod consul_lock;
mod contender;
mod election;
mod handle;
mod holders;
mod lock;
mod monitor;
mod naive;
mod program_error;
mod report;
mod script;
mod semaphore;
mod session_renewer;
mod step_context;
mod user_policy;
mod watcher;
mod work;
mod writer;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::attempts::Tries;
pub use self::belief::{Belief, Fence, FenceKind, Token, Use};
pub use self::calls::{CallId, CallSlot, Outstanding};
pub use self::consul_lock::{Child, ConsulLock, ConsulLockOptions, ExitCode};
pub use self::election::Candidate;
pub use self::holders::{DocumentError, Style};
pub use self::lock::{LOCK_FLAG, Lock, LockOptions};
pub use self::monitor::MonitorOptions;
pub use self::naive::Naive;
pub use self::program_error::ProgramError;
pub use self::report::{ChildEvent, Ending, GaveUp, LockLoss, News, Report};
pub use self::script::{OWN_SESSION, Script, Step, Task};
pub use self::semaphore::{SEMAPHORE_FLAG, Semaphore, SemaphoreOptions};
pub use self::session_renewer::{SessionOptions, SessionRenewer};
pub use self::user_policy::{OnLoss, UserPolicy};
pub use self::watcher::{IndexReset, Watcher, WatcherOptions, WatcherReports};
pub use self::writer::Writer;

use self::calls::Calls;
use self::step_context::{StepContext, StepInput};
use self::user_policy::User;
use lictor_core::message::{Failure, Operation, Response};
use lictor_core::time::Instant;

/// An order of its user: for a lock, the Go client's `Lock`, `Unlock` and `Destroy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Begins to contend, to write or to watch.
    Start,
    /// Releases what it holds, or gives up.
    Stop,
    /// Removes what a release leaves behind, such as the key (RCL-17, RCS-17).
    Destroy,
}

/// Something that happens to a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stimulus {
    /// An order of its user.
    Order(Order),
    /// The result of a call. The results of abandoned calls are ignored.
    Reply {
        /// The id of the call.
        call: CallId,
        /// The answer, or why there is none.
        result: Result<Response, Failure>,
    },
    /// Time has passed.
    Tick,
}

/// Something that a program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// It sends a request.
    Send {
        /// The id of the call, which the reply repeats.
        call: CallId,
        /// What it asks for.
        operation: Operation,
    },
    /// It no longer waits for the answer to a call, which may still take effect.
    Abandon(CallId),
    /// A write to the guarded resource.
    Use(Use),
    /// A report to its user.
    Report(Report),
}

/// Why a program acts at a deadline of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Due {
    /// The timeout of a call ends.
    TimeOut(CallId),
    /// The session is to be renewed.
    Renew,
    /// The watch is to be tried again after a failure.
    WatchAgain,
    /// The pause before the next try ends.
    TryAgain,
    /// The next step of a script.
    NextStep,
    /// The next write to the guarded resource.
    Write,
    /// The child of `consul lock` ends, by itself or because it was asked to.
    ChildEnds,
    /// The child of `consul lock` is killed (CLI-08).
    Kill,
    /// Its user's policy releases the lock.
    EndOfWork,
    /// Its user's policy starts it again.
    StartAgain,
}

/// The recipe of a program, with its options and its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recipe {
    /// The lock of the Go client.
    Lock(Box<Lock>),
    /// The semaphore of the Go client, or that of Consul's guide.
    Semaphore(Box<Semaphore>),
    /// A candidate in a leader election.
    Candidate(Box<Candidate>),
    /// `consul lock`.
    ConsulLock(Box<ConsulLock>),
    /// A lock under which a resource is written at intervals.
    Writer(Box<Writer>),
    /// Blocking reads of one key, again and again.
    Watcher(Box<Watcher>),
    /// A lock as a shell script takes it, without renewal or watch.
    Naive(Naive),
    /// A list of steps.
    Script(Script),
}

/// The phase of a program, as its user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// It is not started.
    Idle,
    /// It contends for the lock, or ends.
    Busy,
    /// It believes that it holds the lock.
    Holding,
    /// It has noticed that it lost the lock.
    Lost,
}

/// A client program: its recipe, its user's policy, its pending calls and its belief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    recipe: Recipe,
    user: User,
    calls: Calls,
    belief: Belief,
}

/// The most deadlines that one step handles. It bounds a step after a long pause and at the end of
/// virtual time, where deadlines no longer advance.
const DEADLINES_PER_STEP: usize = 64;

impl Program {
    /// A program that waits for its first order. Its calls have no timeout, as in the Go client.
    pub fn new(recipe: Recipe) -> Self {
        Self { recipe, user: User::default(), calls: Calls::default(), belief: Belief::Unknown }
    }

    /// Sets its request timeout, which is added to the wait of a blocking read.
    pub fn with_request_timeout(mut self, request_timeout: Duration) -> Self {
        self.calls = Calls::with_request_timeout(request_timeout);
        self
    }

    /// What its user does without being asked.
    pub fn with_policy(mut self, policy: UserPolicy) -> Self {
        self.user = User::new(policy);
        self
    }

    /// Handles one stimulus. Deadlines that are due by then are handled first, in order.
    pub fn step(&mut self, now: Instant, stimulus: Stimulus, out: &mut Vec<Action>) {
        self.meet_deadlines(now, out);
        match stimulus {
            Stimulus::Tick => {}
            Stimulus::Order(order) => {
                self.user.order_given(order);
                self.take(now, None, StepInput::Order(order), out);
            }
            Stimulus::Reply { call, result } => self.reply(now, call, result, out),
        }
    }

    /// When it must be stepped next at the latest, and why.
    pub fn next_deadline(&self) -> Option<(Instant, Due)> {
        let (recipe, user) = (self.recipe.next_deadline(), self.user.next_deadline());
        first_due(&[recipe, user, self.calls.next_deadline()])
    }

    /// Its request timeout; none if it waits for ever.
    pub fn request_timeout(&self) -> Option<Duration> {
        self.calls.request_timeout()
    }

    /// What its user does without being asked.
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

    /// What its user sees of its state.
    pub fn phase(&self) -> Phase {
        self.recipe.phase()
    }

    /// The name of its state, as docs/recipes.md lists them.
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

    fn meet_deadlines(&mut self, now: Instant, out: &mut Vec<Action>) {
        for _ in 0..DEADLINES_PER_STEP {
            let due = self.next_deadline().filter(|(at, _)| *at <= now);
            let Some((_, due)) = due else { return };
            match due {
                Due::TimeOut(call) => {
                    out.push(Action::Abandon(call));
                    self.reply(now, call, Err(Failure::TimedOut), out);
                }
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
        if let Some(slot) = self.calls.close(call) {
            self.take(now, Some(call), StepInput::Reply { slot, result }, out);
        }
    }

    fn user_acts(&mut self, now: Instant, due: Due, out: &mut Vec<Action>) {
        if let Some(order) = self.user.on(due) {
            self.take(now, None, StepInput::Order(order), out);
        }
    }

    /// Passes an event to the recipe, and the recipe's new phase to the policy.
    fn take(
        &mut self,
        now: Instant,
        from: Option<CallId>,
        event: StepInput,
        out: &mut Vec<Action>,
    ) {
        let mut next = Some((from, event));
        while let Some((from, event)) = next.take() {
            let calls = &mut self.calls;
            let mut context = StepContext { now, from, calls, belief: &mut self.belief, out };
            self.recipe.on(&mut context, event);
            let order = self.user.sees(now, self.recipe.phase());
            next = order.map(|order| (None, StepInput::Order(order)));
        }
    }
}

/// The earliest of several deadlines.
fn first_due(parts: &[Option<(Instant, Due)>]) -> Option<(Instant, Due)> {
    let mut first = None;
    for due in parts.iter().flatten() {
        if first.is_none_or(|first| *due < first) {
            first = Some(*due);
        }
    }
    first
}

impl Recipe {
    fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match self {
            Self::Lock(lock) => lock.on(context, event),
            Self::Semaphore(semaphore) => semaphore.on(context, event),
            Self::Candidate(candidate) => candidate.on(context, event),
            Self::ConsulLock(command) => command.on(context, event),
            Self::Writer(writer) => writer.on(context, event),
            Self::Watcher(watcher) => watcher.on(context, event),
            Self::Naive(naive) => naive.on(context, event),
            Self::Script(script) => script.on(context, event),
        }
    }

    fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self {
            Self::Lock(lock) => lock.next_deadline(),
            Self::Semaphore(semaphore) => semaphore.next_deadline(),
            Self::Candidate(candidate) => candidate.lock().next_deadline(),
            Self::ConsulLock(command) => command.next_deadline(),
            Self::Writer(writer) => writer.next_deadline(),
            Self::Watcher(watcher) => watcher.next_deadline(),
            Self::Naive(naive) => naive.next_deadline(),
            Self::Script(script) => script.next_deadline(),
        }
    }

    fn phase(&self) -> Phase {
        match self {
            Self::Lock(lock) => lock.phase(),
            Self::Semaphore(semaphore) => semaphore.phase(),
            Self::Candidate(candidate) => candidate.lock().phase(),
            Self::ConsulLock(command) => command.phase(),
            Self::Writer(writer) => writer.lock().phase(),
            Self::Watcher(watcher) => watcher.phase(),
            Self::Naive(naive) => naive.phase(),
            Self::Script(script) => script.phase(),
        }
    }

    fn state(&self) -> &'static str {
        match self {
            Self::Lock(lock) => lock.state(),
            Self::Semaphore(semaphore) => semaphore.state(),
            Self::Candidate(candidate) => candidate.lock().state(),
            Self::ConsulLock(command) => command.state(),
            Self::Writer(writer) => writer.lock().state(),
            Self::Watcher(watcher) => watcher.state(),
            Self::Naive(naive) => naive.state(),
            Self::Script(script) => script.state(),
        }
    }
    fn renewer(&self) -> Option<&SessionRenewer> {
        match self {
            Self::Lock(lock) => Some(lock.renewer()),
            Self::Semaphore(semaphore) => Some(semaphore.renewer()),
            Self::Candidate(candidate) => Some(candidate.lock().renewer()),
            Self::ConsulLock(command) => Some(command.renewer()),
            Self::Writer(writer) => Some(writer.lock().renewer()),
            Self::Watcher(_) | Self::Naive(_) | Self::Script(_) => None,
        }
    }

    fn watch_state(&self) -> Option<&'static str> {
        match self {
            Self::Lock(lock) => Some(lock.monitor_state()),
            Self::Semaphore(semaphore) => Some(semaphore.monitor_state()),
            Self::Candidate(candidate) => Some(candidate.lock().monitor_state()),
            Self::ConsulLock(command) => Some(command.monitor_state()),
            Self::Writer(writer) => Some(writer.lock().monitor_state()),
            Self::Watcher(_) | Self::Naive(_) | Self::Script(_) => None,
        }
    }
}
