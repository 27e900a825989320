//! Attempts to acquire: how often a recipe reads again, and how long each read waits (RCL-05, step
//! b; RCL-09, RCS-11).

use core::time::Duration;

use serde::{Deserialize, Serialize};

use lictor_core::time::Instant;

/// Whether a contender waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Tries {
    /// Waits until it has its turn.
    Forever,
    /// Gives up once its wait time has passed: `LockTryOnce`, `SemaphoreTryOnce`.
    Once,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempts {
    tries: Tries,
    wait_time: Duration,
    started: Instant,
    count: u64,
    /// What is left of the wait time, by the semaphore's count.
    left: Duration,
}

impl Attempts {
    pub(crate) fn new(tries: Tries, wait_time: Duration) -> Self {
        Self { tries, wait_time, started: Instant::EPOCH, count: 0, left: wait_time }
    }

    pub(crate) fn tries(&self) -> Tries {
        self.tries
    }

    pub(crate) fn wait_time(&self) -> Duration {
        self.wait_time
    }

    pub(crate) fn begin(&mut self, now: Instant) {
        (self.started, self.count, self.left) = (now, 0, self.wait_time);
    }

    /// How long the next read may wait; none if the time is up. A remaining time of zero counts as
    /// up, because the server would replace a wait of zero by its default.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Duration> {
        self.next_of(now, self.wait_time)
    }

    /// The same as the semaphore counts it: all of the elapsed time is taken from a wait that was
    /// shortened before (RCS-11).
    pub(crate) fn next_shrinking(&mut self, now: Instant) -> Option<Duration> {
        self.left = self.next_of(now, self.left)?;
        Some(self.left)
    }

    /// What is left of the wait time; none if it tries for ever.
    pub(crate) fn left(&self, now: Instant) -> Option<Duration> {
        let left = self.wait_time.saturating_sub(now.since(self.started));
        (self.tries == Tries::Once).then_some(left)
    }

    /// Whether the time of a single try is up.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.left(now).is_some_and(|left| left.is_zero())
    }

    fn next_of(&mut self, now: Instant, wait: Duration) -> Option<Duration> {
        self.count += 1;
        if self.tries == Tries::Forever || self.count == 1 {
            return Some(wait);
        }
        wait.checked_sub(now.since(self.started)).filter(|left| !left.is_zero())
    }
}
