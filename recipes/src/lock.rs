//! The Go client's lock (RCL-05 to RCL-18), with its quirks: it contends, waits, backs off under
//! lock-delay, holds, watches and releases.
//!
//! Until it is unlocked, the handle counts as held and its session is renewed, even after it has
//! noticed the loss of the lock (RCL-14).

use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Failure, Response, Wait};
use lictor_core::store::{KvVerb, Query, Write};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::belief::Token;
use crate::interface::{Due, Phase, first_due};
use crate::parts::answers;
use crate::parts::attempts::{Attempts, Tries};
use crate::parts::contending::{CommonState, Contending, Judgement};
use crate::parts::handle::{HandlePhase, LockHandle};
use crate::parts::monitor::{MonitorOptions, RetriedFailures};
use crate::parts::session_renewer::{SessionOptions, SessionRenewer};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss, Report};

/// The Go client marks the keys of its locks with these Flags (RCL-01).
pub const LOCK_FLAG: u64 = 0x2ddc_cbc0_58a5_0c18;

/// The pause between two attempts under lock-delay (RCL-02).
const RETRY: Duration = Duration::from_secs(5);

/// The options of a lock (RCL-03).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockOptions {
    /// The key of the lock.
    pub key: Key,
    /// The value that the holder writes to it.
    pub value: Arc<[u8]>,
    /// The session that holds it.
    pub session: SessionOptions,
    /// How the lock is watched while it is held.
    pub monitor: MonitorOptions,
    /// How long one read waits for the lock, and how long a single try lasts.
    pub wait_time: Duration,
    /// Whether it waits for its turn.
    pub tries: Tries,
    /// What it does if a request fails.
    pub on_failure: OnFailure,
}

/// The lock of HashiCorp's Go client: one key, held by one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    key: Key,
    value: Arc<[u8]>,
    handle: LockHandle,
    state: LockState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum LockState {
    Idle,
    CreatingSession,
    /// Reads the key, or waits until it changes.
    Watching,
    Acquiring,
    /// Reads the key to find out why the acquire was refused.
    Rereading,
    /// Waits before the next attempt.
    BackingOff {
        until: Instant,
    },
    Holding,
    Lost,
    Releasing,
    /// Reads the key before it is removed.
    Inspecting,
    /// Deletes the key.
    Removing,
    /// Waits until its session is destroyed, with `OnFailure::Repeat`.
    Destroying,
}

impl LockOptions {
    /// The Go client's defaults for a key and a value (RCL-02).
    pub fn new(key: &str, value: &[u8]) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            session: SessionOptions::named("Consul API Lock"),
            monitor: MonitorOptions::default(),
            wait_time: Duration::from_secs(15),
            tries: Tries::Forever,
            on_failure: OnFailure::AsInGo,
        }
    }
}

setters! {
    LockOptions:
    with_value(value: impl Into<Arc<[u8]>>),
    with_session(session: SessionOptions),
    with_monitor(monitor: MonitorOptions),
    with_wait_time(wait_time: Duration),
    with_tries(tries: Tries),
    with_on_failure(on_failure: OnFailure),
}

impl Lock {
    /// A lock that has not started. Fails without a key, if the TTL is not a duration (RCL-03), and
    /// with `OnFailure::Repeat` without a TTL.
    pub fn new(options: LockOptions) -> Result<Self, ProgramError> {
        let LockOptions { key, value, session, monitor, wait_time, tries, on_failure } = options;
        if key.is_empty() {
            return Err(ProgramError::MissingKey);
        }
        let watched = Query::Key(key.clone());
        let retried = RetriedFailures::ServerErrorsAndNetwork;
        let attempts = Attempts::new(tries, wait_time);
        let handle =
            LockHandle::new(&session, "release", monitor, watched, retried, attempts, on_failure)?;
        Ok(Self { key, value, handle, state: LockState::Idle })
    }

    /// The options of this lock, with a session draft reduced to its name, TTL and lock-delay.
    pub fn options(&self) -> LockOptions {
        LockOptions {
            key: self.key.clone(),
            value: self.value.clone(),
            session: self.handle.renewer.options(),
            monitor: self.handle.monitor.options(),
            wait_time: self.handle.attempts.wait_time(),
            tries: self.handle.attempts.tries(),
            on_failure: self.handle.on_failure(),
        }
    }

    /// The key of the lock.
    pub fn key(&self) -> &Key {
        &self.key
    }

    pub(super) fn value(&self) -> &Arc<[u8]> {
        &self.value
    }

    /// The state machine that creates and renews its session.
    pub fn renewer(&self) -> &SessionRenewer {
        &self.handle.renewer
    }

    pub(super) fn repeats_failures(&self) -> bool {
        self.handle.on_failure() == OnFailure::Repeat
    }

    pub(super) fn monitor_state(&self) -> &'static str {
        self.handle.monitor.state()
    }

    pub(super) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        self.stage().phase()
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let own = match self.state {
            LockState::BackingOff { until } => Some((until, Due::TryAgain)),
            _ => None,
        };
        first_due(&[own, self.handle.next_deadline()])
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        let Some(result) = self.on_common(context, event) else { return };
        match self.state {
            LockState::Watching => self.was_read(context, result),
            LockState::Acquiring => self.acquired(context, result),
            LockState::Rereading => self.was_reread(context, result),
            LockState::Releasing => self.released(context, result),
            LockState::Inspecting => self.inspected(context, result),
            LockState::Removing => self.removed(context, result),
            LockState::Idle
            | LockState::CreatingSession
            | LockState::BackingOff { .. }
            | LockState::Holding
            | LockState::Lost
            | LockState::Destroying => {}
        }
    }

    /// Reads the key, with a wait if it has an index, unless the time of a single try is over.
    fn watch(&mut self, context: &mut StepContext) {
        match self.handle.next_wait(context.now) {
            Ok(wait) => {
                self.read(context, Some(wait));
                self.state = LockState::Watching;
            }
            Err(reason) => self.give_up(context, reason),
        }
    }

    fn read(&self, context: &mut StepContext, wait: Option<Wait>) {
        context.read(Query::Key(self.key.clone()), wait);
    }

    /// Handles the read before an acquire (RCL-05, steps d to g). If its own session already holds
    /// the key, it holds the lock without a write (RCL-06).
    fn was_read(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let (index, entry) = match answers::entry(result) {
            Ok(read) => read,
            Err(failure) => return self.trouble(context, ProgramError::ReadLock(failure)),
        };
        match entry.as_ref().map(|entry| (entry.flags, entry.holder())) {
            Some((flags, _)) if flags != LOCK_FLAG => {
                self.fail(context, ProgramError::LockConflict);
            }
            Some((_, Some(holder))) if Some(holder) == self.handle.session.as_ref() => {
                self.held(context);
            }
            Some((_, Some(_))) => {
                let is_new = index > self.handle.seen;
                self.handle.seen = index;
                if self.handle.pause_without_news(context, is_new) {
                    return self.rest(context);
                }
                self.watch(context);
            }
            None | Some((_, None)) => self.acquire(context),
        }
    }

    fn acquire(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        if let Some(upkeep) = &mut self.handle.upkeep {
            upkeep.has_tried = true;
        }
        self.put(context, KvVerb::Acquire { write: self.write(), session });
        self.state = LockState::Acquiring;
    }

    fn acquired(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.held(context),
            Ok(false) if self.repeats() && self.handle.is_stopping => {
                self.give_up(context, GaveUp::Stopped);
            }
            Ok(false) => {
                self.handle.seen = Index::ZERO;
                let timeout = self.handle.attempts.latest();
                self.read(context, Some(Wait { min_index: Index::ZERO, timeout }));
                self.state = LockState::Rereading;
            }
            Err(failure) => self.trouble(context, ProgramError::AcquireLock(failure)),
        }
    }

    /// Handles the read after a refused acquire. A key that has no holder and cannot be acquired is
    /// assumed to be under lock-delay (RCL-05, step h; RCL-10).
    fn was_reread(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::entry(result) {
            Ok((index, Some(entry))) if entry.hold.is_some() => {
                self.handle.seen = index;
                self.watch(context);
            }
            Ok(_) if self.handle.is_stopping => self.give_up(context, GaveUp::Stopped),
            Ok(_) if self.handle.pause_without_news(context, false) => self.rest(context),
            Ok(_) => self.state = LockState::BackingOff { until: context.now.plus(RETRY) },
            Err(failure) => self.trouble(context, ProgramError::ReadLock(failure)),
        }
    }

    fn held(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        self.hold(context, Token::new(self.key.clone(), session));
    }

    /// Handles the answer to a release: `false` counts as success (RCL-15). The session ends after
    /// it (RCL-16).
    fn released(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => context.report(Report::Released),
            Ok(false) => context.report(Report::ReleasedNothing),
            Err(failure) => {
                return self.release_failed(context, ProgramError::ReleaseLock(failure));
            }
        }
        self.end_session(context);
    }

    /// Deletes the key if it is a lock that no session holds (RCL-17).
    fn inspected(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        self.state = LockState::Idle;
        match answers::entry(result) {
            Ok((_, None)) => context.report(Report::Destroyed),
            Ok((_, Some(entry))) if entry.flags != LOCK_FLAG => {
                context.fail(ProgramError::LockConflict);
            }
            Ok((_, Some(entry))) if entry.hold.is_some() => context.fail(ProgramError::LockInUse),
            Ok((_, Some(entry))) => {
                self.put(context, KvVerb::DeleteCas { expected: entry.modify_index });
                self.state = LockState::Removing;
            }
            Err(failure) => context.fail(ProgramError::ReadLock(failure)),
        }
    }

    fn removed(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => context.report(Report::Destroyed),
            Ok(false) => context.fail(ProgramError::LockInUse),
            Err(failure) => context.fail(ProgramError::RemoveLock(failure)),
        }
        self.state = LockState::Idle;
    }

    fn put(&self, context: &mut StepContext, verb: KvVerb) {
        context.write(self.key.clone(), verb);
    }

    /// The value and the Flags of every write; the release marks the key with the Flags as well.
    fn write(&self) -> Write {
        Write { value: self.value.clone(), flags: LOCK_FLAG }
    }
}

impl Contending for Lock {
    const HOLDS_SLOT: bool = false;

    fn handle(&mut self) -> &mut LockHandle {
        &mut self.handle
    }

    fn stage(&self) -> HandlePhase {
        match self.state {
            LockState::Idle => HandlePhase::Idle,
            LockState::CreatingSession
            | LockState::Watching
            | LockState::Acquiring
            | LockState::Rereading
            | LockState::BackingOff { .. } => HandlePhase::Trying,
            LockState::Holding => HandlePhase::Holding,
            LockState::Lost => HandlePhase::Lost,
            LockState::Releasing
            | LockState::Inspecting
            | LockState::Removing
            | LockState::Destroying => HandlePhase::Ending,
        }
    }

    fn is_in(&self, state: CommonState) -> bool {
        self.state == state.into()
    }

    fn enter(&mut self, state: CommonState) {
        self.state = state.into();
    }

    fn contend(&mut self, context: &mut StepContext, session: SessionRef) {
        self.handle.session = Some(session);
        self.handle.begin_attempts(context.now);
        self.watch(context);
    }

    fn contend_again(&mut self, context: &mut StepContext) {
        self.watch(context);
    }

    fn rest(&mut self, context: &StepContext) {
        let until = self.handle.take_pause().unwrap_or(context.now);
        self.state = LockState::BackingOff { until };
    }

    fn is_resting(&self) -> bool {
        matches!(self.state, LockState::BackingOff { .. })
    }

    fn may_take(&self) -> bool {
        self.state == LockState::Acquiring
    }

    /// The lock is lost if its session does not hold the key any more. Other changes of the key do
    /// not matter (RCL-11, RCL-13).
    fn judge(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Judgement, Failure> {
        let (index, entry) = answers::entry(result)?;
        let Some(entry) = entry else { return Ok(Err(LockLoss::KeyMissing)) };
        if entry.holder() == self.handle.session.as_ref() {
            context.learn_indexes(&entry);
            self.handle.confirmed(context);
            return Ok(Ok(index));
        }
        Ok(Err(entry.holder().cloned().map_or(LockLoss::Freed, LockLoss::HeldBy)))
    }

    fn give_back(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        self.put(context, KvVerb::Release { write: self.write(), session });
        self.state = LockState::Releasing;
    }

    fn inspect(&mut self, context: &mut StepContext) {
        self.read(context, None);
        self.state = LockState::Inspecting;
    }

    fn order_errors(&self) -> [ProgramError; 2] {
        [ProgramError::LockHeld, ProgramError::LockNotHeld]
    }
}

impl From<CommonState> for LockState {
    fn from(state: CommonState) -> Self {
        match state {
            CommonState::Idle => Self::Idle,
            CommonState::CreatingSession => Self::CreatingSession,
            CommonState::Holding => Self::Holding,
            CommonState::Lost => Self::Lost,
            CommonState::Destroying => Self::Destroying,
        }
    }
}
