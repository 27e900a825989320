//! The Go client's lock (RCL-05 to RCL-18): it contends, waits, backs off under lock-delay, holds,
//! watches and releases, with every quirk of the original.
//!
//! Until it is unlocked, the handle counts as held and its session is renewed, even after it has
//! noticed the loss of the lock (RCL-14). `semaphore` is the other recipe of the Go client.

use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use crate::belief::Token;
use crate::interface::{Due, Order, Phase, first_due};
use crate::parts::answers;
use crate::parts::attempts::{Attempts, Tries};
use crate::parts::calls::CallSlot;
use crate::parts::handle::{HandlePhase, LockHandle, OrderEffect, SessionNews};
use crate::parts::monitor::{MonitorOptions, RetriedFailures};
use crate::parts::session_renewer::{SessionOptions, SessionRenewer};
use crate::parts::step_context::{StepContext, StepInput};
use crate::parts::upkeep::OnFailure;
use crate::program_error::ProgramError;
use crate::report::{GaveUp, LockLoss, Report};
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Failure, Response, Wait};
use lictor_core::store::{KvVerb, Query, Write};
use lictor_core::time::Instant;

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
    /// How long one read waits, and how long a single try lasts.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum LockState {
    Idle,
    CreatingSession,
    Watching,
    Acquiring,
    /// Reads the key to learn why the acquire was refused.
    Rereading,
    BackingOff {
        until: Instant,
    },
    Holding,
    Lost,
    Releasing,
    /// Reads the key before it is removed.
    Inspecting,
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

    /// Sets [`value`](Self::value).
    pub fn with_value(self, value: impl Into<Arc<[u8]>>) -> Self {
        Self { value: value.into(), ..self }
    }

    /// Sets [`session`](Self::session).
    pub fn with_session(self, session: SessionOptions) -> Self {
        Self { session, ..self }
    }

    /// Sets [`monitor`](Self::monitor).
    pub fn with_monitor(self, monitor: MonitorOptions) -> Self {
        Self { monitor, ..self }
    }

    /// Sets [`wait_time`](Self::wait_time).
    pub fn with_wait_time(self, wait_time: Duration) -> Self {
        Self { wait_time, ..self }
    }

    /// Sets [`tries`](Self::tries).
    pub fn with_tries(self, tries: Tries) -> Self {
        Self { tries, ..self }
    }

    /// Sets [`on_failure`](Self::on_failure).
    pub fn with_on_failure(self, on_failure: OnFailure) -> Self {
        Self { on_failure, ..self }
    }
}

impl Lock {
    /// Fails without a key, if the TTL is not a duration (RCL-03), and with `OnFailure::Repeat`
    /// without a TTL.
    pub fn new(options: LockOptions) -> Result<Self, ProgramError> {
        let LockOptions { key, value, session, monitor, wait_time, tries, on_failure } = options;
        if key.is_empty() {
            return Err(ProgramError::MissingKey);
        }
        let watched = Query::Key(key.clone());
        let monitor = (monitor, watched, RetriedFailures::ServerErrorsAndNetwork);
        let attempts = Attempts::new(tries, wait_time);
        let handle = LockHandle::new((&session, "release"), monitor, attempts, on_failure)?;
        Ok(Self { key, value, handle, state: LockState::Idle })
    }

    /// The options that it was created with.
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

    /// What creates and renews its session.
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
        match self.state {
            LockState::Idle => "Idle",
            LockState::CreatingSession => "CreatingSession",
            LockState::Watching => "Watching",
            LockState::Acquiring => "Acquiring",
            LockState::Rereading => "Rereading",
            LockState::BackingOff { .. } => "BackingOff",
            LockState::Holding => "Holding",
            LockState::Lost => "Lost",
            LockState::Releasing => "Releasing",
            LockState::Inspecting => "Inspecting",
            LockState::Removing => "Removing",
            LockState::Destroying => "Destroying",
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.stage().phase()
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

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let own = match self.state {
            LockState::BackingOff { until } => Some((until, Due::TryAgain)),
            _ => None,
        };
        first_due(&[own, self.handle.next_deadline()])
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        if let (StepInput::Reply { slot: CallSlot::Main, result: Ok(_) }, Some(upkeep)) =
            (&event, &mut self.handle.upkeep)
        {
            upkeep.recovered();
        }
        match (self.state, event) {
            (_, StepInput::Reply { slot: CallSlot::SessionDestroy, .. }) => {}
            (_, StepInput::Reply { slot: CallSlot::Renewer, result }) => {
                let news = self.handle.session_answered(context, result);
                self.on_session(context, news);
            }
            (state, StepInput::Due(Due::Renew)) => {
                let news = self.handle.renew(context, state == LockState::Holding);
                self.on_session(context, news);
            }
            (LockState::Holding, StepInput::Due(Due::LeaseEnds)) => {
                self.lose(context, LockLoss::LeaseEnded);
            }
            (LockState::Holding, StepInput::Reply { slot: CallSlot::Check, result }) => {
                self.checked(context, result);
            }
            (_, StepInput::Reply { slot: CallSlot::Check, .. }) => {}
            (LockState::Watching, StepInput::Reply { result, .. }) => self.looked(context, result),
            (LockState::Acquiring, StepInput::Reply { result, .. }) => self.tried(context, result),
            (LockState::Rereading, StepInput::Reply { result, .. }) => {
                self.looked_again(context, result);
            }
            (LockState::BackingOff { .. }, StepInput::Due(Due::TryAgain)) => self.look(context),
            (LockState::Holding, StepInput::Reply { result, .. }) => self.watched(context, result),
            (LockState::Holding, StepInput::Due(Due::WatchAgain)) => {
                self.handle.monitor.poll(context);
            }
            (LockState::Releasing, StepInput::Reply { result, .. }) => {
                self.released(context, result);
            }
            (LockState::Releasing, StepInput::Due(Due::TryAgain)) => self.send_release(context),
            (LockState::Destroying, StepInput::Due(Due::TryAgain)) => self.end_session(context),
            (LockState::Destroying, StepInput::Reply { result, .. }) => {
                if self.handle.destroyed(context, result) {
                    self.state = LockState::Idle;
                }
            }
            (LockState::Inspecting, StepInput::Reply { result, .. }) => {
                self.inspected(context, result);
            }
            (LockState::Removing, StepInput::Reply { result, .. }) => self.removed(context, result),
            (_, StepInput::Order(order)) => self.on_order(context, order),
            (_, StepInput::Reply { .. } | StepInput::Due(_)) => {}
        }
    }

    fn on_order(&mut self, context: &mut StepContext, order: Order) {
        match self.stage().task(order) {
            OrderEffect::Begin => self.begin(context),
            OrderEffect::StopTrying if self.repeats_failures() => self.stop_trying(context),
            OrderEffect::StopTrying if matches!(self.state, LockState::BackingOff { .. }) => {
                self.give_up(context, GaveUp::Stopped);
            }
            OrderEffect::StopTrying => self.handle.is_stopping = true,
            OrderEffect::Release => self.release(context),
            OrderEffect::Inspect => {
                self.read(context, None);
                self.state = LockState::Inspecting;
            }
            OrderEffect::Held => context.fail(ProgramError::LockHeld),
            OrderEffect::NotHeld => context.fail(ProgramError::LockNotHeld),
            OrderEffect::Busy => context.fail(ProgramError::Busy),
        }
    }

    fn begin(&mut self, context: &mut StepContext) {
        match self.handle.begin(context) {
            Some(session) => self.contend(context, session),
            None => self.state = LockState::CreatingSession,
        }
    }

    fn on_session(&mut self, context: &mut StepContext, news: SessionNews) {
        match (news, self.stage()) {
            (SessionNews::Created(created), _) => self.session_created(context, created),
            (SessionNews::Gone, HandlePhase::Holding) => {
                self.lose(context, LockLoss::SessionEnded);
            }
            (SessionNews::Gone, HandlePhase::Trying) => {
                self.fail(context, ProgramError::SessionExpired);
            }
            (SessionNews::Nothing | SessionNews::Gone, _) => {}
        }
    }

    /// Ends an attempt at once, where the Go client would end it with its next answer (RCL-08).
    /// The answers to two requests are needed: they may create a session, or take the lock.
    fn stop_trying(&mut self, context: &mut StepContext) {
        self.handle.is_stopping = true;
        self.handle.begin_ending(context);
        if !matches!(self.state, LockState::CreatingSession | LockState::Acquiring) {
            context.abandon(CallSlot::Main);
            self.give_up(context, GaveUp::Stopped);
        }
    }

    fn session_created(&mut self, context: &mut StepContext, created: Result<SessionRef, Failure>) {
        match created {
            Ok(session) => self.contend(context, session),
            Err(failure) => self.fail(context, ProgramError::CreateSession(failure)),
        }
    }

    fn contend(&mut self, context: &mut StepContext, session: SessionRef) {
        self.handle.session = Some(session);
        self.handle.attempts.begin(context.now);
        self.look(context);
    }

    fn look(&mut self, context: &mut StepContext) {
        match self.handle.next_wait(context.now, Attempts::next) {
            Ok(wait) => {
                self.read(context, wait);
                self.state = LockState::Watching;
            }
            Err(why) => self.give_up(context, why),
        }
    }

    fn read(&self, context: &mut StepContext, wait: Option<Wait>) {
        context.read(Query::Key(self.key.clone()), wait);
    }

    /// Handles the read before an acquire (RCL-05, steps d to g). If its own session already holds
    /// the key, it holds the lock without a write (RCL-06).
    fn looked(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let (index, entry) = match answers::entry(result) {
            Ok(read) => read,
            Err(failure) => return self.trouble(context, failure, ProgramError::ReadLock),
        };
        match entry.as_ref().map(|entry| (entry.flags, entry.holder())) {
            Some((flags, _)) if flags != LOCK_FLAG => {
                self.fail(context, ProgramError::LockConflict);
            }
            Some((_, Some(holder))) if Some(holder) == self.handle.session.as_ref() => {
                self.hold(context);
            }
            Some((_, Some(_))) => {
                let is_new = index > self.handle.seen;
                self.handle.seen = index;
                if self.handle.pause_without_news(context, is_new) {
                    return self.back_off(context);
                }
                self.look(context);
            }
            None | Some((_, None)) => self.acquire(context),
        }
    }

    /// Reads again after the pause that was begun.
    fn back_off(&mut self, context: &StepContext) {
        let until = self.handle.take_pause().unwrap_or(context.now);
        self.state = LockState::BackingOff { until };
    }

    fn acquire(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        if let Some(upkeep) = &mut self.handle.upkeep {
            upkeep.has_tried = true;
        }
        self.put(context, KvVerb::Acquire { write: self.write(), session });
        self.state = LockState::Acquiring;
    }

    fn tried(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.hold(context),
            Ok(false) if self.repeats_failures() && self.handle.is_stopping => {
                self.give_up(context, GaveUp::Stopped);
            }
            Ok(false) => {
                self.handle.seen = Index::ZERO;
                self.read(context, None);
                self.state = LockState::Rereading;
            }
            Err(failure) => self.trouble(context, failure, ProgramError::AcquireLock),
        }
    }

    /// Handles the read after a refused acquire. A key that has no holder and cannot be acquired is
    /// assumed to be under lock-delay (RCL-05, step h; RCL-10).
    fn looked_again(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::entry(result) {
            Ok((index, Some(entry))) if entry.hold.is_some() => {
                self.handle.seen = index;
                self.look(context);
            }
            Ok(_) if self.handle.is_stopping => self.give_up(context, GaveUp::Stopped),
            Ok(_) if self.handle.pause_without_news(context, false) => self.back_off(context),
            Ok(_) => self.state = LockState::BackingOff { until: context.now.plus(RETRY) },
            Err(failure) => self.trouble(context, failure, ProgramError::ReadLock),
        }
    }

    /// Holds the lock (RCL-05, step 4). If a stop was ordered too late to be noticed before, it
    /// unlocks at once.
    fn hold(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        context.mark_held(Token::new(self.key.clone(), session));
        self.state = LockState::Holding;
        self.handle.held(context);
        if self.handle.is_stopping {
            return self.release(context);
        }
        self.handle.monitor.begin(context);
    }

    /// Handles an answer to the watch: the lock is lost if the key has another holder. Other
    /// changes of the key do not matter (RCL-11, RCL-13).
    fn watched(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        let Some(result) = self.handle.monitor.answered(context, result) else { return };
        match self.judged(context, result) {
            Ok(Ok(index)) => self.handle.monitor.wait_for_change(context, index),
            Ok(Err(loss)) => self.lose(context, loss),
            Err(failure) => self.lose(context, LockLoss::WatchFailed(failure)),
        }
    }

    /// Handles the answer to a read at half of the TTL. One that failed is repeated.
    fn checked(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        if let Ok(Err(loss)) = self.judged(context, result) {
            self.lose(context, loss);
        }
    }

    /// What an answer with the key shows while the lock is held: the index of the answer, or a
    /// loss.
    fn judged(
        &mut self,
        context: &mut StepContext,
        result: Result<Response, Failure>,
    ) -> Result<Result<Index, LockLoss>, Failure> {
        let (index, entry) = answers::entry(result)?;
        let Some(entry) = entry else { return Ok(Err(LockLoss::KeyMissing)) };
        if entry.holder() == self.handle.session.as_ref() {
            context.learn_indexes(&entry);
            self.handle.confirmed(context);
            return Ok(Ok(index));
        }
        Ok(Err(entry.holder().cloned().map_or(LockLoss::Freed, LockLoss::HeldBy)))
    }

    fn lose(&mut self, context: &mut StepContext, loss: LockLoss) {
        context.mark_lost(loss);
        self.handle.lost(context);
        self.state = LockState::Lost;
    }

    /// Releases the lock. It counts as released at once, whatever the answer will be (RCL-14).
    fn release(&mut self, context: &mut StepContext) {
        self.handle.monitor.end(context);
        self.handle.begin_ending(context);
        context.mark_released();
        self.send_release(context);
    }

    fn send_release(&mut self, context: &mut StepContext) {
        let Some(session) = self.handle.session.clone() else { return };
        self.handle.take_pause();
        self.put(context, KvVerb::Release { write: self.write(), session });
        self.state = LockState::Releasing;
    }

    /// Handles the answer to a release: `false` counts as success (RCL-15). The session ends after
    /// it (RCL-16).
    fn released(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => context.report(Report::Released),
            Ok(false) => context.report(Report::ReleasedNothing),
            Err(failure) if self.handle.pause_after(context.now, &failure) => return,
            Err(failure) => context.fail(ProgramError::ReleaseLock(failure)),
        }
        self.end_session(context);
    }

    /// Ends its session, with `OnFailure::Repeat` once more if that failed.
    fn end_session(&mut self, context: &mut StepContext) {
        self.state = LockState::Idle;
        if !self.repeats_failures() {
            self.handle.end(context);
        } else if self.handle.destroy(context) {
            self.state = LockState::Destroying;
        }
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

    /// Ends an attempt without the lock and without an error (RCL-07).
    fn give_up(&mut self, context: &mut StepContext, why: GaveUp) {
        context.report(Report::GaveUp(why));
        self.leave(context);
    }

    fn fail(&mut self, context: &mut StepContext, error: ProgramError) {
        context.fail(error);
        self.leave(context);
    }

    /// Repeats the attempt after a failure that may pass.
    fn trouble(
        &mut self,
        context: &mut StepContext,
        failure: Failure,
        error: fn(Failure) -> ProgramError,
    ) {
        if !self.handle.is_stopping && self.handle.pause_after(context.now, &failure) {
            self.handle.seen = Index::ZERO;
            return self.back_off(context);
        }
        self.fail(context, error(failure));
    }

    /// Ends an attempt. With `OnFailure::Repeat` it gives back what it may have taken.
    fn leave(&mut self, context: &mut StepContext) {
        context.clear_belief();
        if self.handle.begin_ending(context) {
            return self.send_release(context);
        }
        self.end_session(context);
    }

    fn put(&self, context: &mut StepContext, verb: KvVerb) {
        context.write(self.key.clone(), verb);
    }

    /// Every write marks the key with the lock's Flags, also the release.
    fn write(&self) -> Write {
        Write { value: self.value.clone(), flags: LOCK_FLAG }
    }
}
