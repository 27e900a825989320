//! The clock of a host for a [`Contender`](crate::Contender), from its monotonic clock and its wall
//! clock: the one that runs ahead counts. A monotonic clock may stop while the machine sleeps, and
//! a wall clock may be set back. The time of this clock never goes back.

use core::time::Duration;

use lictor_core::time::Instant;

/// How far one clock may lag behind the other before the present readings become the new base. If
/// each reading were the base of the next, the resolution of the clocks would add up.
const TOLERANCE: Duration = Duration::from_millis(100);

/// Reads two clocks as one.
#[derive(Clone, Debug, Default)]
pub struct HostClock {
    /// The readings since which both clocks are compared; `None` before the first one.
    base: Option<Reading>,
    /// The last time that was read.
    now: Instant,
}

/// The readings of both clocks at a time of this clock.
#[derive(Clone, Copy, Debug)]
struct Reading {
    monotonic: Duration,
    wall: Duration,
    at: Instant,
}

impl HostClock {
    /// A clock that shows [`Instant::EPOCH`] at its first reading.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time at these readings of the clocks, each of which counts from any beginning of its
    /// own.
    pub fn read(&mut self, monotonic: Duration, wall: Duration) -> Instant {
        let here = Reading { monotonic, wall, at: self.now };
        let base = *self.base.get_or_insert(here);
        let by_monotonic = base.at.plus(monotonic.saturating_sub(base.monotonic));
        let by_wall = base.at.plus(wall.saturating_sub(base.wall));
        self.now = self.now.max(by_monotonic).max(by_wall);
        let is_before_base = monotonic < base.monotonic || wall < base.wall;
        if is_before_base || self.now.since(by_monotonic.min(by_wall)) > TOLERANCE {
            self.base = Some(Reading { at: self.now, ..here });
        }
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// The times in milliseconds at these readings of the monotonic clock and the wall clock.
    fn reads(readings: &[(u64, u64)]) -> Vec<u64> {
        let mut clock = HostClock::new();
        let millis = Duration::from_millis;
        let read = |(one, two): &(u64, u64)| clock.read(millis(*one), millis(*two)).as_millis();
        readings.iter().map(read).collect()
    }

    #[test]
    fn the_clock_that_runs_ahead_counts() {
        assert_eq!(reads(&[(500, 9_000), (600, 9_100), (1_500, 10_000)]), [0, 100, 1_000]);
        // The machine sleeps for 20 s, in which the monotonic clock does not run.
        assert_eq!(reads(&[(0, 0), (10, 20_010), (1_010, 21_010)]), [0, 20_010, 21_010]);
    }

    #[test]
    fn a_clock_that_goes_back_is_ignored_and_counts_again_from_there() {
        // The wall clock is set back by an hour, and the machine sleeps for 20 s after that.
        let hour = 3_600_000;
        let set_back = [(0, hour), (1_000, 1_000), (1_010, 21_010), (2_010, 22_010)];
        assert_eq!(reads(&set_back), [0, 1_000, 21_010, 22_010]);
        // The monotonic clock begins again, as with fake timers.
        assert_eq!(reads(&[(5_000, 0), (0, 1_000), (2_000, 1_000)]), [0, 1_000, 3_000]);
        // Both go back: the time stays the same, and continues from there.
        assert_eq!(reads(&[(5_000, 5_000), (0, 0), (70, 70)]), [0, 0, 70]);
    }

    #[test]
    fn the_resolution_of_the_clocks_does_not_add_up() {
        let readings: Vec<_> = (0..100_000).map(|tenth| (tenth / 10, (tenth + 7) / 10)).collect();
        assert_eq!(reads(&readings).last(), Some(&10_000));
    }
}
