//! The clock of a client's host, which may run fast or slow and may jump. Programs read no other
//! clock.

use core::time::Duration;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

/// The rate of an accurate clock: the thousandths of a second that it counts in a second.
const CORRECT_RATE: u32 = 1_000;

/// A clock that read `reads` at `set_at` and has run at its own rate since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    set_at: Instant,
    reads: Instant,
    /// Its rate in thousandths of that of an accurate clock.
    rate: u32,
}

/// In which direction a clock jumps, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Jump {
    /// Ahead by this span.
    Ahead(Duration),
    /// Back by this span, at most to the epoch.
    Back(Duration),
}

impl Default for Clock {
    fn default() -> Self {
        Self { set_at: Instant::EPOCH, reads: Instant::EPOCH, rate: CORRECT_RATE }
    }
}

impl Clock {
    /// The time that it shows at a time of the world.
    pub fn read(&self, now: Instant) -> Instant {
        let passed =
            now.since(self.set_at).as_nanos() * u128::from(self.rate) / u128::from(CORRECT_RATE);
        self.reads.plus(span(passed))
    }

    /// The first time of the world at which it shows a time, if it neither jumps nor changes its
    /// rate before.
    pub fn when(&self, shown: Instant) -> Instant {
        let ahead = shown.since(self.reads).as_nanos() * u128::from(CORRECT_RATE);
        self.set_at.plus(span(ahead.div_ceil(u128::from(self.rate.max(1)))))
    }

    /// Its rate in thousandths of that of an accurate clock.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Changes its rate, which is at least 1.
    pub(crate) fn run_at(&mut self, now: Instant, rate: u32) {
        *self = Self { set_at: now, reads: self.read(now), rate: rate.max(1) };
    }

    pub(crate) fn jump(&mut self, now: Instant, jump: Jump) {
        let shown = self.read(now);
        let reads = match jump {
            Jump::Ahead(span) => shown.plus(span),
            Jump::Back(span) => shown.minus(span),
        };
        *self = Self { set_at: now, reads, rate: self.rate };
    }
}

fn span(nanos: u128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_slow_clock_shows_less_and_reaches_a_time_later() {
        let mut clock = Clock::default();
        clock.run_at(Instant::from_millis(1_000), 500);
        assert_eq!(clock.read(Instant::from_millis(3_000)), Instant::from_millis(2_000));
        assert_eq!(clock.when(Instant::from_millis(2_000)), Instant::from_millis(3_000));
    }

    #[test]
    fn a_clock_is_never_early_at_a_due_time() {
        for rate in [1, 3, 333, 999, 1_000, 1_001, 1_777, 90_000] {
            let mut clock = Clock::default();
            clock.run_at(Instant::from_nanos(7), rate);
            for nanos in [8, 1_000, 123_456_789, 987_654_321_987] {
                let shown = Instant::from_nanos(nanos);
                let due = clock.when(shown);
                assert!(clock.read(due) >= shown, "rate={rate} nanos={nanos}");
                let before = Instant::from_nanos(due.as_nanos() - 1);
                assert!(clock.read(before) < shown, "rate={rate} nanos={nanos}");
            }
        }
    }

    #[test]
    fn a_clock_jumps_both_ways() {
        let (mut clock, now) = (Clock::default(), Instant::from_millis(5_000));
        clock.jump(now, Jump::Ahead(SECOND));
        assert_eq!(clock.read(now), Instant::from_millis(6_000));
        clock.jump(now, Jump::Back(3 * SECOND));
        assert_eq!(clock.read(now), Instant::from_millis(3_000));
    }
}
