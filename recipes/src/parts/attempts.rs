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
    /// How long the latest read may have waited.
    latest: Duration,
}

impl Attempts {
    pub(crate) fn new(tries: Tries, wait_time: Duration) -> Self {
        Self { tries, wait_time, started: Instant::EPOCH, count: 0, latest: wait_time }
    }

    pub(crate) fn tries(&self) -> Tries {
        self.tries
    }

    pub(crate) fn wait_time(&self) -> Duration {
        self.wait_time
    }

    pub(crate) fn begin(&mut self, now: Instant) {
        (self.started, self.count) = (now, 0);
    }

    /// How long the next read may wait. `None` if the time of a single try is over. A remaining
    /// time of zero is over, because the server would replace a wait of zero by its default.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Duration> {
        self.count += 1;
        let is_whole = self.tries == Tries::Forever || self.count == 1;
        let spent = if is_whole { Duration::ZERO } else { now.since(self.started) };
        let left = self.wait_time.checked_sub(spent);
        self.latest = left.filter(|left| is_whole || !left.is_zero())?;
        Some(self.latest)
    }

    /// The wait that is sent with the read after a refused acquire, which is answered at once: that
    /// of the read before (RCL-05, step h).
    pub(crate) fn latest(&self) -> Duration {
        self.latest
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
}
