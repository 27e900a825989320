//! Follows a key with one blocking read after the other, and takes no lock. It reports either every
//! answer, which shows how many wake-ups bring no change (BLK-10, BLK-12), or the leader of an
//! election.

use alloc::sync::Arc;
use core::time::Duration;

use lictor_core::id::{Index, Key};
use lictor_core::message::{Failure, Response, Wait};
use lictor_core::store::{Entry, Query};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::interface::{Due, Order, Phase};
use crate::parts::answers;
use crate::parts::calls::CallSlot;
use crate::parts::step_context::{StepContext, StepInput};
use crate::program_error::ProgramError;
use crate::report::{News, Report};

/// The pause between a failure and the next attempt.
const RETRY: Duration = Duration::from_secs(1);
/// The shortest pause between polls, so that the number of polls at one time is finite.
const PAUSE_MIN: Duration = Duration::from_millis(1);

/// The options of a watcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WatcherOptions {
    /// The key that it reads.
    pub key: Key,
    /// How long a read waits for a change; without it each read is answered at once.
    pub wait: Option<Duration>,
    /// The pause between an answer and the next read.
    pub pause: Duration,
    /// What it does if the index of an answer is below the one before.
    pub index_reset: IndexReset,
    /// Which answers it reports.
    pub reports: WatcherReports,
}

/// Whether a watcher resets its index when that of an answer falls, as clients should (BLK-17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum IndexReset {
    /// It resets the index to 0, and never sends an index below 1.
    OnDecrease,
    /// It sends the index that it received.
    Never,
}

/// Which answers a watcher reports to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum WatcherReports {
    /// Each answer, whether or not something has changed.
    Answers,
    /// The leader, whenever it changes: the value of the key while it is held.
    Leaders,
}

/// Reads one key again and again, each time with the index of the last answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watcher {
    options: WatcherOptions,
    seen: Index,
    last: Option<LastAnswer>,
    last_leader: LastLeader,
    state: WatcherState,
}

/// The last answer: the ModifyIndex of the entry, or that it does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LastAnswer(Option<Index>);

/// The leader that was last reported. The outer option is `None` before the first report, the inner
/// one while the key has no holder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LastLeader(Option<Option<Arc<[u8]>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
enum WatcherState {
    Idle,
    Polling,
    Pausing { until: Instant },
}

impl WatcherOptions {
    /// The defaults: reads that wait for five minutes, as by the server's default, and an index
    /// that is reset when it falls (BLK-17).
    pub fn new(key: &str) -> Self {
        Self {
            key: key.into(),
            wait: Some(Duration::from_secs(300)),
            pause: Duration::ZERO,
            index_reset: IndexReset::OnDecrease,
            reports: WatcherReports::Answers,
        }
    }
}

setters! {
    WatcherOptions:
    with_wait(wait: impl Into<Option<Duration>>),
    with_pause(pause: Duration),
    with_index_reset(index_reset: IndexReset),
    with_reports(reports: WatcherReports),
}

impl Watcher {
    /// A watcher that has not started.
    pub fn new(options: WatcherOptions) -> Self {
        Self {
            options,
            seen: Index::ZERO,
            last: None,
            last_leader: LastLeader::default(),
            state: WatcherState::Idle,
        }
    }

    /// Its options.
    pub fn options(&self) -> &WatcherOptions {
        &self.options
    }

    pub(super) fn state(&self) -> &'static str {
        (&self.state).into()
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state {
            WatcherState::Idle => Phase::Idle,
            WatcherState::Polling | WatcherState::Pausing { .. } => Phase::Busy,
        }
    }

    pub(super) fn next_deadline(&self) -> Option<(Instant, Due)> {
        match self.state {
            WatcherState::Pausing { until } => Some((until, Due::TryAgain)),
            WatcherState::Idle | WatcherState::Polling => None,
        }
    }

    pub(super) fn on(&mut self, context: &mut StepContext, event: StepInput) {
        match (self.state, event) {
            (WatcherState::Idle, StepInput::Order(Order::Start)) => {
                (self.seen, self.last) = (Index::ZERO, None);
                self.last_leader.forget();
                self.poll(context);
            }
            (WatcherState::Polling, StepInput::Reply { result, .. }) => {
                self.answered(context, result);
            }
            (WatcherState::Pausing { .. }, StepInput::Due(Due::TryAgain)) => self.poll(context),
            (
                WatcherState::Polling | WatcherState::Pausing { .. },
                StepInput::Order(Order::Stop),
            ) => {
                context.abandon(CallSlot::Main);
                self.state = WatcherState::Idle;
            }
            (WatcherState::Polling | WatcherState::Pausing { .. }, StepInput::Order(_)) => {
                context.fail(ProgramError::Busy);
            }
            (WatcherState::Idle, StepInput::Order(Order::Stop | Order::Destroy)) => {}
            (_, StepInput::Reply { .. } | StepInput::Due(_)) => {}
        }
    }

    fn poll(&mut self, context: &mut StepContext) {
        let min_index = self.seen;
        // A read with the index 0 is answered at once.
        let wait = match self.options.wait {
            Some(timeout) if min_index > Index::ZERO => Some(Wait { min_index, timeout }),
            _ => None,
        };
        context.read(Query::Key(self.options.key.clone()), wait);
        self.state = WatcherState::Polling;
    }

    fn answered(&mut self, context: &mut StepContext, result: Result<Response, Failure>) {
        match answers::entry(result) {
            Ok((index, entry)) => {
                self.report(context, index, entry.as_deref());
                self.remember(index);
                self.pause(context);
            }
            Err(failure) => {
                context.fail(ProgramError::Call(failure));
                self.state = WatcherState::Pausing { until: context.now.plus(RETRY) };
            }
        }
    }

    fn report(&mut self, context: &mut StepContext, index: Index, entry: Option<&Entry>) {
        let now = LastAnswer(entry.map(|entry| entry.modify_index));
        let news = match self.last.replace(now) {
            None => News::First,
            Some(last) if last == now => News::Nothing,
            Some(_) => News::Changed,
        };
        match self.options.reports {
            WatcherReports::Answers => context.report(Report::Polled { index, news }),
            WatcherReports::Leaders => self.last_leader.report_holder(context, entry),
        }
    }

    /// Stores the index for the next read, and resets it if it has fallen (BLK-17).
    fn remember(&mut self, index: Index) {
        self.seen = match self.options.index_reset {
            IndexReset::Never => index,
            IndexReset::OnDecrease if index < self.seen => Index::ZERO,
            IndexReset::OnDecrease => index.at_least_one(),
        };
    }

    fn pause(&mut self, context: &mut StepContext) {
        let pause = match self.options.wait {
            Some(_) => self.options.pause,
            None => self.options.pause.max(PAUSE_MIN),
        };
        if pause.is_zero() {
            return self.poll(context);
        }
        self.state = WatcherState::Pausing { until: context.now.plus(pause) };
    }
}

impl LastLeader {
    /// Reports the leader that a read of the key shows, if it differs from the last one. The
    /// leader is the value of the key while it is held.
    pub(super) fn report_holder(&mut self, context: &mut StepContext, entry: Option<&Entry>) {
        let held = entry.filter(|entry| entry.hold.is_some());
        self.report(context, held.map(|entry| entry.value.clone()));
    }

    /// Reports this leader, if it differs from the last one.
    pub(super) fn report(&mut self, context: &mut StepContext, leader: Option<Arc<[u8]>>) {
        if self.0.as_ref() != Some(&leader) {
            self.0 = Some(leader.clone());
            context.report(Report::Leader(leader));
        }
    }

    /// Reports the next leader in any case.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}
