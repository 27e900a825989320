//! The wait time of an attempt to acquire: how long each read may wait, and when a single try is
//! over (RCL-05, step b; RCL-09, RCS-11).

use core::time::Duration;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

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
    /// The rest of the wait time, as the semaphore counts it.
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

    /// How long the next read may wait. `None` if the time of a single try is over. A remaining
    /// time of zero is over, because the server would replace a wait of zero by its default.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Duration> {
        self.next_of(now, self.wait_time)
    }

    /// The same with the arithmetic of the Go client's semaphore: each time, all of the elapsed
    /// time is subtracted from a wait that was already shortened (RCS-11).
    pub(crate) fn next_shrinking(&mut self, now: Instant) -> Option<Duration> {
        self.left = self.next_of(now, self.left)?;
        Some(self.left)
    }

    /// The rest of the wait time; `None` with [`Tries::Forever`].
    pub(crate) fn left(&self, now: Instant) -> Option<Duration> {
        let left = self.wait_time.saturating_sub(now.since(self.started));
        (self.tries == Tries::Once).then_some(left)
    }

    /// Whether the time of a single try is over.
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
