//! The lock of the Go client, with every quirk: contend, wait, back off under lock-delay, hold,
//! watch, give back (RCL-05 to RCL-18).
//!
//! The handle counts as held until it is unlocked, even after it has noticed a loss, and until then
//! its session is kept alive (RCL-14).

use alloc::sync::Arc;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::calls::Line;
use super::desk::{Desk, Event};
use super::keeper::{Keeper, SessionOptions};
use super::monitor::{Monitor, MonitorOptions, RidesOut};
use super::patience::{Attempts, Tries};
use super::{Due, GaveUp, Loss, Order, Phase, Report, Token, Trouble, answers};
use crate::id::{Index, Key, SessionRef};
use crate::message::{Consistency, Failure, Operation, Response, Wait};
use crate::store::{KvVerb, Query, Write};
use crate::time::Instant;

/// RCL-01: marks the keys of this recipe.
pub const LOCK_FLAG: u64 = 0x2ddc_cbc0_58a5_0c18;

/// RCL-02: between two tries under lock-delay.
const RETRY: Duration = Duration::from_secs(5);

/// RCL-03.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockOptions {
    pub key: Key,
    pub value: Arc<[u8]>,
    pub session: SessionOptions,
    pub monitor: MonitorOptions,
    /// How long one read waits, and how long a single try lasts.
    pub wait_time: Duration,
    pub tries: Tries,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    key: Key,
    value: Arc<[u8]>,
    keeper: Keeper,
    monitor: Monitor,
    attempts: Attempts,
    /// The session that contends or holds.
    session: Option<SessionRef>,
    /// What the next read waits to see changed; 0 for nothing.
    seen: Index,
    /// The user has asked it to stop, which it notices between requests only (RCL-08).
    is_stopping: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Idle,
    CreatingSession,
    Watching,
    Acquiring,
    /// Looks why an acquire was refused.
    Rereading,
    BackingOff {
        until: Instant,
    },
    Holding,
    Lost,
    Releasing,
    /// Reads the key that it is to remove.
    Inspecting,
    Removing,
}

impl LockOptions {
    /// RCL-02.
    pub fn new(key: &str, value: &[u8]) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            session: SessionOptions::named("Consul API Lock"),
            monitor: MonitorOptions::default(),
            wait_time: Duration::from_secs(15),
            tries: Tries::Forever,
        }
    }
}

impl Lock {
    /// RCL-03: fails without a key, and for a TTL that is no duration.
    pub fn new(options: LockOptions) -> Result<Self, Trouble> {
        let LockOptions { key, value, session, monitor, wait_time, tries } = options;
        if key.is_empty() {
            return Err(Trouble::MissingKey);
        }
        let watched = Query::Key(key.clone());
        Ok(Self {
            keeper: Keeper::new(&session, "release")?,
            monitor: Monitor::new(monitor, RidesOut::ServerErrorsAndNetwork, watched),
            attempts: Attempts::new(tries, wait_time),
            key,
            value,
            session: None,
            seen: Index::ZERO,
            is_stopping: false,
            state: State::Idle,
        })
    }

    /// What it was made with.
    pub fn options(&self) -> LockOptions {
        LockOptions {
            key: self.key.clone(),
            value: self.value.clone(),
            session: self.keeper.options(),
            monitor: self.monitor.options(),
            wait_time: self.attempts.wait_time(),
            tries: self.attempts.tries(),
        }
    }

    pub fn key(&self) -> &Key {
        &self.key
    }

    pub(super) fn value(&self) -> &Arc<[u8]> {
        &self.value
    }

    pub fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    pub(super) fn monitor_state(&self) -> &'static str {
        self.monitor.state()
    }

    pub(super) fn state(&self) -> &'static str {
        match self.state {
            State::Idle => "Idle",
            State::CreatingSession => "CreatingSession",
            State::Watching => "Watching",
            State::Acquiring => "Acquiring",
            State::Rereading => "Rereading",
            State::BackingOff { .. } => "BackingOff",
            State::Holding => "Holding",
            State::Lost => "Lost",
            State::Releasing => "Releasing",
            State::Inspecting => "Inspecting",
            State::Removing => "Removing",
        }
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state {
            State::Idle => Phase::Idle,
            State::Holding => Phase::Holding,
            State::Lost => Phase::Lost,
            State::CreatingSession
            | State::Watching
            | State::Acquiring
            | State::Rereading
            | State::BackingOff { .. }
            | State::Releasing
            | State::Inspecting
            | State::Removing => Phase::Busy,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        let own = match self.state {
            State::BackingOff { until } => Some((until, Due::TryAgain)),
            _ => None,
        };
        let parts = [own, self.keeper.next_deadline(), self.monitor.next_deadline()];
        parts.into_iter().flatten().min()
    }

    pub(super) fn on(&mut self, desk: &mut Desk, event: Event) {
        match (self.state, event) {
            (_, Event::Reply { line: Line::Farewell, .. }) => {}
            (_, Event::Reply { line: Line::Keeper, result }) => {
                if let Some(created) = self.keeper.answered(desk, result) {
                    self.session_created(desk, created);
                }
            }
            (_, Event::Due(Due::Renew)) => self.keeper.renew(desk),
            (State::Watching, Event::Reply { result, .. }) => self.looked(desk, result),
            (State::Acquiring, Event::Reply { result, .. }) => self.tried(desk, result),
            (State::Rereading, Event::Reply { result, .. }) => self.looked_again(desk, result),
            (State::BackingOff { .. }, Event::Due(Due::TryAgain)) => self.look(desk),
            (State::Holding, Event::Reply { result, .. }) => self.watched(desk, result),
            (State::Holding, Event::Due(Due::WatchAgain)) => self.monitor.poll(desk),
            (State::Releasing, Event::Reply { result, .. }) => self.released(desk, result),
            (State::Inspecting, Event::Reply { result, .. }) => self.inspected(desk, result),
            (State::Removing, Event::Reply { result, .. }) => self.removed(desk, result),
            (_, Event::Order(order)) => self.told(desk, order),
            (_, Event::Reply { .. } | Event::Due(_)) => {}
        }
    }

    fn told(&mut self, desk: &mut Desk, order: Order) {
        match (self.state, order) {
            (State::Idle, Order::Start) => self.begin(desk),
            (State::Idle, Order::Destroy) => self.inspect(desk),
            (State::Holding | State::Lost, Order::Start | Order::Destroy) => {
                desk.fail(Trouble::LockHeld);
            }
            (State::Holding | State::Lost, Order::Stop) => self.release(desk),
            (State::BackingOff { .. }, Order::Stop) => self.give_up(desk, GaveUp::Stopped),
            (
                State::CreatingSession | State::Watching | State::Acquiring | State::Rereading,
                Order::Stop,
            ) => self.is_stopping = true,
            (State::Idle | State::Releasing | State::Inspecting | State::Removing, Order::Stop) => {
                desk.fail(Trouble::LockNotHeld);
            }
            (
                State::CreatingSession
                | State::Watching
                | State::Acquiring
                | State::Rereading
                | State::BackingOff { .. }
                | State::Releasing
                | State::Inspecting
                | State::Removing,
                Order::Start | Order::Destroy,
            ) => desk.fail(Trouble::Busy),
        }
    }

    /// RCL-05, step 2.
    fn begin(&mut self, desk: &mut Desk) {
        desk.contends();
        (self.is_stopping, self.seen) = (false, Index::ZERO);
        match self.keeper.begin(desk) {
            Some(session) => self.contend(desk, session),
            None => self.state = State::CreatingSession,
        }
    }

    fn session_created(&mut self, desk: &mut Desk, created: Result<SessionRef, Failure>) {
        match created {
            Ok(session) => self.contend(desk, session),
            Err(failure) => self.fail(desk, Trouble::CreateSession(failure)),
        }
    }

    fn contend(&mut self, desk: &mut Desk, session: SessionRef) {
        self.session = Some(session);
        self.attempts.begin(desk.now);
        self.look(desk);
    }

    /// RCL-05, steps a to c.
    fn look(&mut self, desk: &mut Desk) {
        if self.is_stopping {
            return self.give_up(desk, GaveUp::Stopped);
        }
        let Some(timeout) = self.attempts.next(desk.now) else {
            return self.give_up(desk, GaveUp::TimedOut);
        };
        let min_index = self.seen;
        let wait = (min_index > Index::ZERO).then_some(Wait { min_index, timeout });
        self.read(desk, wait);
        self.state = State::Watching;
    }

    fn read(&self, desk: &mut Desk, wait: Option<Wait>) {
        let query = Query::Key(self.key.clone());
        let consistency = Consistency::Default;
        desk.send(Line::Main, Operation::Read { query, wait, consistency });
    }

    /// RCL-05, steps d to g. A key that its own session holds is taken without a write (RCL-06).
    fn looked(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        let (index, entry) = match answers::entry(result) {
            Ok(read) => read,
            Err(failure) => return self.fail(desk, Trouble::ReadLock(failure)),
        };
        match entry.as_ref().map(|entry| (entry.flags, entry.holder())) {
            Some((flags, _)) if flags != LOCK_FLAG => self.fail(desk, Trouble::LockConflict),
            Some((_, Some(holder))) if Some(holder) == self.session.as_ref() => self.hold(desk),
            Some((_, Some(_))) => {
                self.seen = index;
                self.look(desk);
            }
            None | Some((_, None)) => self.acquire(desk),
        }
    }

    fn acquire(&mut self, desk: &mut Desk) {
        let Some(session) = self.session.clone() else { return };
        self.put(desk, KvVerb::Acquire { write: self.write(), session });
        self.state = State::Acquiring;
    }

    fn tried(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => self.hold(desk),
            Ok(false) => {
                self.seen = Index::ZERO;
                self.read(desk, None);
                self.state = State::Rereading;
            }
            Err(failure) => self.fail(desk, Trouble::AcquireLock(failure)),
        }
    }

    /// RCL-05, step h, and RCL-10: a key that nobody holds is taken to be under lock-delay.
    fn looked_again(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        match answers::entry(result) {
            Ok((index, Some(entry))) if entry.hold.is_some() => {
                self.seen = index;
                self.look(desk);
            }
            Ok(_) if self.is_stopping => self.give_up(desk, GaveUp::Stopped),
            Ok(_) => self.state = State::BackingOff { until: desk.now.after(RETRY) },
            Err(failure) => self.fail(desk, Trouble::ReadLock(failure)),
        }
    }

    /// RCL-05, step 4. A stop that came too late to be noticed unlocks at once.
    fn hold(&mut self, desk: &mut Desk) {
        let Some(session) = self.session.clone() else { return };
        desk.believes(Token::new(self.key.clone(), session));
        self.state = State::Holding;
        if self.is_stopping {
            return self.release(desk);
        }
        self.monitor.begin(desk);
    }

    /// RCL-11, RCL-13: only the holder counts, whatever else has changed.
    fn watched(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        let Some(result) = self.monitor.answered(desk, result) else { return };
        let loss = match answers::entry(result) {
            Ok((index, Some(entry))) if entry.holder() == self.session.as_ref() => {
                desk.knows_numbers(&entry);
                return self.monitor.go_on(desk, index);
            }
            Ok((_, Some(entry))) => entry.holder().cloned().map_or(Loss::Freed, Loss::HeldBy),
            Ok((_, None)) => Loss::KeyMissing,
            Err(failure) => Loss::WatchFailed(failure),
        };
        desk.knows_lost(loss);
        self.state = State::Lost;
    }

    /// RCL-14: from now on it is not held, whatever the answer.
    fn release(&mut self, desk: &mut Desk) {
        let Some(session) = self.session.take() else { return };
        self.monitor.end(desk);
        desk.lets_go();
        self.put(desk, KvVerb::Release { write: self.write(), session });
        self.state = State::Releasing;
    }

    /// RCL-15: `false` is as good as `true`. RCL-16: the session ends after the release.
    fn released(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(_) => desk.report(Report::Released),
            Err(failure) => desk.fail(Trouble::ReleaseLock(failure)),
        }
        self.keeper.end(desk);
        self.state = State::Idle;
    }

    fn inspect(&mut self, desk: &mut Desk) {
        self.read(desk, None);
        self.state = State::Inspecting;
    }

    /// RCL-17.
    fn inspected(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        self.state = State::Idle;
        match answers::entry(result) {
            Ok((_, None)) => desk.report(Report::Destroyed),
            Ok((_, Some(entry))) if entry.flags != LOCK_FLAG => desk.fail(Trouble::LockConflict),
            Ok((_, Some(entry))) if entry.hold.is_some() => desk.fail(Trouble::LockInUse),
            Ok((_, Some(entry))) => {
                self.put(desk, KvVerb::DeleteCas { expected: entry.modify_index });
                self.state = State::Removing;
            }
            Err(failure) => desk.fail(Trouble::ReadLock(failure)),
        }
    }

    fn removed(&mut self, desk: &mut Desk, result: Result<Response, Failure>) {
        match answers::flag(result) {
            Ok(true) => desk.report(Report::Destroyed),
            Ok(false) => desk.fail(Trouble::LockInUse),
            Err(failure) => desk.fail(Trouble::RemoveLock(failure)),
        }
        self.state = State::Idle;
    }

    /// RCL-07.
    fn give_up(&mut self, desk: &mut Desk, why: GaveUp) {
        desk.report(Report::GaveUp(why));
        self.leave(desk);
    }

    fn fail(&mut self, desk: &mut Desk, trouble: Trouble) {
        desk.fail(trouble);
        self.leave(desk);
    }

    /// Without the lock a session of its own has no use.
    fn leave(&mut self, desk: &mut Desk) {
        desk.knows_nothing();
        self.session = None;
        self.keeper.end(desk);
        self.state = State::Idle;
    }

    fn put(&self, desk: &mut Desk, verb: KvVerb) {
        desk.send(Line::Main, Operation::Kv { key: self.key.clone(), verb });
    }

    /// The flag marks the key at each write, the release included.
    fn write(&self) -> Write {
        Write { value: self.value.clone(), flags: LOCK_FLAG }
    }
}
