//! The command `consul lock`: takes a lock or a semaphore slot, runs a child process under it, and
//! releases it (CLI-01 to CLI-05, CLI-08 to CLI-10). The child is simulated by a few options. When
//! the lock is lost, the child continues to work until it ends or is killed.

mod lock_or_semaphore;

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::time::{Instant, nanos};
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use self::lock_or_semaphore::LockOrSemaphore;
use crate::belief::{Belief, Fence, Token, Use};
use crate::holders::{COORDINATION, joined};
use crate::interface::{Action, Due, Order, Phase, first_due};
use crate::lock::{Lock, LockOptions};
use crate::parts::attempts::Tries;
use crate::parts::calls::CallSlot;
use crate::parts::monitor::MonitorOptions;
use crate::parts::session_renewer::SessionRenewer;
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::work::Work;
use crate::program_error::ProgramError;
use crate::report::{ChildEvent, Ending, Report};
use crate::semaphore::{Semaphore, SemaphoreOptions};

/// The time between SIGTERM and SIGKILL (CLI-08).
const GRACE: Duration = Duration::from_secs(5);

/// The pause between retries of the watch (CLI-05).
const MONITOR_RETRY_TIME: Duration = Duration::from_secs(1);

/// The options of `consul lock`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConsulLockOptions {
    /// The prefix under which the lock or the semaphore is (CLI-01).
    pub prefix: Arc<str>,
    /// The command that runs under the lock.
    pub child: Child,
    /// `-n`: how many clients may hold a slot at once; 1 makes a lock.
    pub holders: i64,
    /// `-name`: the name of the session; `None` for the default.
    pub name: Option<Arc<str>>,
    /// `-timeout`: how long to wait for the lock, in nanoseconds; 0 for no limit.
    pub timeout: i64,
    /// `-monitor-retry`: how many failures in a row the watch survives.
    pub monitor_retry: i64,
    /// How the exit code follows from that of the command.
    pub exit_code: ExitCode,
}

/// The child process that runs under the lock, as a simulation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Child {
    /// The command line, which appears in the name of the session.
    pub command: Arc<str>,
    /// How long it runs until it ends by itself. `None` if it does not.
    pub runs: Option<Duration>,
    /// With which result it ends by itself.
    pub ends: Ending,
    /// How long it takes to end after SIGTERM. `None` if it ignores the signal.
    pub stop_time: Option<Duration>,
    /// The interval between its writes to the guarded resource. `None` if it never writes. The
    /// writes have no fencing token.
    pub writes_every: Option<Duration>,
}

impl Child {
    /// A command that runs until it receives SIGTERM, and then ends at once.
    pub fn new(command: &str) -> Self {
        Self {
            command: command.into(),
            runs: None,
            ends: Ending::Success,
            stop_time: Some(Duration::ZERO),
            writes_every: None,
        }
    }
}

setters! {
    Child:
    with_runs(runs: impl Into<Option<Duration>>),
    with_ends(ends: Ending),
    with_stop_time(stop_time: impl Into<Option<Duration>>),
    with_writes_every(writes_every: impl Into<Option<Duration>>),
}

/// How the command's exit code depends on its child (CLI-10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExitCode {
    /// It does not: the exit code is 0 if the child ran.
    Nothing,
    /// `-child-exit-code`: the exit code is 2 if the child failed.
    OfTheChild,
}

/// `consul lock`: takes a lock, or a slot of a semaphore, and runs a command under it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsulLock {
    child: Child,
    exit_code: ExitCode,
    /// The lock, or the slot of a semaphore, under which the child runs.
    lock: LockOrSemaphore,
    work: Work,
    /// The token under which the child was started. It stays the same after a loss, which the child
    /// does not notice.
    token: Option<Token>,
    /// The exit code of the command.
    code: u8,
    state: ConsulLockState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum ConsulLockState {
    Idle,
    Acquiring,
    Running { ends: Option<Instant> },
    Terminating { ends: Option<Instant>, kill: Instant },
    Releasing,
    Cleaning,
    Exited,
}

/// The exit code of a set-up, acquire, release or clean-up that failed (CLI-10).
const FAILED: u8 = 1;
/// The exit code with `-child-exit-code` if the child failed (CLI-10).
const CHILD_FAILED: u8 = 2;

impl ConsulLockOptions {
    /// The defaults: one holder, no timeout, three retries of the watch (CLI-02, CLI-04, CLI-05).
    pub fn new(prefix: &str, child: Child) -> Self {
        Self {
            prefix: prefix.into(),
            child,
            holders: 1,
            name: None,
            timeout: 0,
            monitor_retry: 3,
            exit_code: ExitCode::Nothing,
        }
    }

    /// Sets [`name`](Self::name).
    pub fn with_name(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

setters! {
    ConsulLockOptions:
    with_holders(holders: i64),
    with_timeout(timeout: i64),
    with_monitor_retry(monitor_retry: i64),
    with_exit_code(exit_code: ExitCode),
}

impl ConsulLock {
    /// A command that has not started. Fails where the real one exits with 1 before it sends a
    /// request (CLI-01, CLI-02, CLI-04, CLI-05).
    pub fn new(options: ConsulLockOptions) -> Result<Self, ProgramError> {
        let prefix = options.prefix.strip_prefix('/').unwrap_or(&options.prefix);
        if prefix.is_empty() || options.child.command.is_empty() {
            return Err(ProgramError::PrefixAndChild);
        }
        if options.holders <= 0 {
            return Err(ProgramError::HoldersNotPositive);
        }
        let timeout = u64::try_from(options.timeout).map_err(|_| ProgramError::TimeoutNegative)?;
        let retries =
            u32::try_from(options.monitor_retry).map_err(|_| ProgramError::MonitorRetryNegative)?;
        let monitor =
            MonitorOptions::default().with_retries(retries).with_retry_time(MONITOR_RETRY_TIME);
        let name = options.name.unwrap_or_else(|| name_of(&options.child.command, prefix).into());
        let lock = lock_or_semaphore(prefix, options.holders, timeout, (monitor, &name))?;
        let work = Work::new(options.child.writes_every);
        let (child, exit_code) = (options.child, options.exit_code);
        Ok(Self {
            child,
            exit_code,
            lock,
            work,
            token: None,
            code: 0,
            state: ConsulLockState::Idle,
        })
    }

    /// The options of this command. `name` is `None` if the session has the default name.
    pub fn options(&self) -> ConsulLockOptions {
        let (prefix, holders, monitor, session, once) = match &self.lock {
            LockOrSemaphore::Lock(lock) => {
                let LockOptions { key, session, monitor, wait_time, tries, .. } = lock.options();
                let folder = key.as_str().strip_suffix(COORDINATION).unwrap_or_default();
                let prefix = folder.strip_suffix('/').unwrap_or(folder);
                (Arc::from(prefix), 1, monitor, session, (tries, wait_time))
            }
            LockOrSemaphore::Semaphore(semaphore) => {
                let options = semaphore.options();
                let SemaphoreOptions { prefix, limit, monitor, session, .. } = options;
                let prefix = Arc::from(prefix.as_str());
                (prefix, limit, monitor, session, (options.tries, options.wait_time))
            }
        };
        let named = name_of(&self.child.command, &prefix);
        ConsulLockOptions {
            name: Some(session.name).filter(|name| **name != *named),
            prefix,
            child: self.child.clone(),
            holders,
            timeout: match once {
                (Tries::Once, wait) => i64::try_from(nanos(wait)).unwrap_or(i64::MAX),
                (Tries::Forever, _) => 0,
            },
            monitor_retry: monitor.retries.into(),
            exit_code: self.exit_code,
        }
    }

    pub(super) fn renewer(&self) -> &SessionRenewer {
        self.lock.renewer()
    }

    pub(super) fn monitor_state(&self) -> &'static str {
        self.lock.monitor_state()
    }

    pub(super) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state {
            ConsulLockState::Idle | ConsulLockState::Exited => Phase::Idle,
            ConsulLockState::Running { .. } => Phase::Holding,
            ConsulLockState::Acquiring
            | ConsulLockState::Terminating { .. }
            | ConsulLockState::Releasing
            | ConsulLockState::Cleaning => Phase::Busy,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let (ends, kill) = match self.state {
            ConsulLockState::Running { ends } => (ends, None),
            ConsulLockState::Terminating { ends, kill } => (ends, Some(kill)),
            ConsulLockState::Idle
            | ConsulLockState::Acquiring
            | ConsulLockState::Releasing
            | ConsulLockState::Cleaning
            | ConsulLockState::Exited => (None, None),
        };
        first_due(&[
            ends.map(|at| (at, Due::ChildEnds)),
            kill.map(|at| (at, Due::Kill)),
            self.work.next_deadline(),
            self.lock.next_deadline(),
        ])
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match (self.state, event) {
            (ConsulLockState::Idle | ConsulLockState::Exited, StepInput::Order(Order::Start)) => {
                self.code = 0;
                self.state = ConsulLockState::Acquiring;
                self.pass(context, StepInput::Order(Order::Start));
            }
            (ConsulLockState::Running { ends }, StepInput::Order(Order::Stop)) => {
                self.terminate(context, ends);
            }
            (ConsulLockState::Acquiring, StepInput::Order(Order::Stop)) => {
                self.pass(context, StepInput::Order(Order::Stop));
            }
            (_, StepInput::Order(Order::Stop)) => {}
            (_, StepInput::Order(Order::Start | Order::Destroy)) => {
                context.fail(ProgramError::Busy);
            }
            (ConsulLockState::Running { .. }, StepInput::Due(Due::ChildEnds)) => {
                self.ended(context);
            }
            (ConsulLockState::Terminating { .. }, StepInput::Due(Due::ChildEnds)) => {
                self.stopped(context);
            }
            (ConsulLockState::Terminating { .. }, StepInput::Due(Due::Kill)) => {
                context.report(Report::Child(ChildEvent::Killed));
                self.release(context);
            }
            (
                ConsulLockState::Running { .. } | ConsulLockState::Terminating { .. },
                StepInput::Due(Due::Write),
            ) => {
                let number = self.work.write(context.now);
                let token = self.token.clone();
                context.out.push(Action::Use(Use { number, fence: Fence::None, token }));
            }
            (_, other) => self.pass(context, other),
        }
    }

    /// Passes an event to the lock and reacts to its new phase.
    fn pass(&mut self, context: &mut StepContext, event: StepInput) {
        let before = context.out.len();
        self.lock.on(context, event);
        let failure = context.out.iter().skip(before).find_map(failure_in);
        let was_released = matches!(&*context.belief, Belief::LetGo { .. });
        match (self.state, self.lock.phase()) {
            (ConsulLockState::Acquiring, Phase::Holding) => self.run(context),
            // The order to stop came when the acquire was already sent, and the lock was released.
            (ConsulLockState::Acquiring, Phase::Idle) if was_released => {
                self.released(context, failure);
            }
            (ConsulLockState::Acquiring, Phase::Idle) => self.exit(context, FAILED),
            (ConsulLockState::Running { ends }, Phase::Lost) => self.terminate(context, ends),
            (ConsulLockState::Releasing, Phase::Idle) => self.released(context, failure),
            (ConsulLockState::Cleaning, Phase::Idle) => self.cleaned(context, failure),
            (_, Phase::Idle | Phase::Busy | Phase::Holding | Phase::Lost) => {}
        }
    }

    fn run(&mut self, context: &mut StepContext) {
        context.report(Report::Child(ChildEvent::Started));
        self.work.begin(context.now);
        self.token = context.belief.token().cloned();
        self.state =
            ConsulLockState::Running { ends: self.child.runs.map(|runs| context.now.plus(runs)) };
    }

    fn ended(&mut self, context: &mut StepContext) {
        context.report(Report::Child(ChildEvent::Ended(self.child.ends)));
        if self.child.ends == Ending::Failure && self.exit_code == ExitCode::OfTheChild {
            self.code = CHILD_FAILED;
        }
        self.release(context);
    }

    /// Sends SIGTERM, and SIGKILL later (CLI-08). The child continues to work until it has ended.
    fn terminate(&mut self, context: &mut StepContext, ends: Option<Instant>) {
        context.report(Report::Child(ChildEvent::Asked));
        let stops = self.child.stop_time.map(|span| context.now.plus(span));
        let ends = [ends, stops].into_iter().flatten().min();
        self.state = ConsulLockState::Terminating { ends, kill: context.now.plus(GRACE) };
    }

    /// Handles the end of the child after SIGTERM. Its exit code is ignored (CLI-10).
    fn stopped(&mut self, context: &mut StepContext) {
        context.report(Report::Child(ChildEvent::Ended(Ending::Failure)));
        self.release(context);
    }

    fn release(&mut self, context: &mut StepContext) {
        self.work.end();
        self.state = ConsulLockState::Releasing;
        self.pass(context, StepInput::Order(Order::Stop));
    }

    /// Removes the key or the document after the release, as `consul lock` does (CLI-09).
    fn released(&mut self, context: &mut StepContext, failure: Option<Obstacle>) {
        if failure.is_some() {
            return self.exit(context, FAILED);
        }
        self.state = ConsulLockState::Cleaning;
        self.pass(context, StepInput::Order(Order::Destroy));
    }

    /// Exits after the clean-up. That another client uses the lock is no error (CLI-09).
    fn cleaned(&mut self, context: &mut StepContext, failure: Option<Obstacle>) {
        match failure {
            None | Some(Obstacle::InUse) => self.exit(context, self.code),
            Some(Obstacle::Other) => self.exit(context, FAILED),
        }
    }

    fn exit(&mut self, context: &mut StepContext, code: u8) {
        // With its process, the goroutine ends that waits for the answer to a renewal.
        context.abandon_all(CallSlot::FormerRenewal);
        context.report(Report::Exited(code));
        self.state = ConsulLockState::Exited;
    }
}

/// The lock or the semaphore (CLI-02, CLI-04). The lock is at the semaphore's coordination key, so
/// that the two exclude each other (RCS-19).
fn lock_or_semaphore(
    prefix: &str,
    holders: i64,
    timeout: u64,
    (monitor, name): (MonitorOptions, &str),
) -> Result<LockOrSemaphore, ProgramError> {
    let tries = if timeout > 0 { Tries::Once } else { Tries::Forever };
    let once = (timeout > 0).then(|| Duration::from_nanos(timeout));
    if holders == 1 {
        let mut options = LockOptions::new(&lock_key(prefix), b"");
        options.wait_time = once.unwrap_or(options.wait_time);
        options.session.name = name.into();
        return Ok(LockOrSemaphore::Lock(Lock::new(LockOptions { monitor, tries, ..options })?));
    }
    let mut options = SemaphoreOptions::new(prefix, holders);
    options.wait_time = once.unwrap_or(options.wait_time);
    options.session.name = name.into();
    let options = SemaphoreOptions { monitor, tries, ..options };
    Ok(LockOrSemaphore::Semaphore(Semaphore::new(options)?))
}

/// The default name of the session (CLI-03).
fn name_of(command: &str, prefix: &str) -> String {
    format!("Consul lock for '{command}' at '{prefix}'")
}

fn lock_key(prefix: &str) -> String {
    joined(prefix, COORDINATION)
}

/// Why a release or a clean-up has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Obstacle {
    /// Another client uses the lock.
    InUse,
    Other,
}

fn failure_in(action: &Action) -> Option<Obstacle> {
    match action {
        Action::Report(Report::Failed(ProgramError::LockInUse | ProgramError::SemaphoreInUse)) => {
            Some(Obstacle::InUse)
        }
        Action::Report(Report::Failed(_)) => Some(Obstacle::Other),
        Action::Report(_) | Action::Send { .. } | Action::Abandon(_) | Action::Use(_) => None,
    }
}
