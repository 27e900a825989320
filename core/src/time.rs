//! Virtual time in nanoseconds since the start of a world. Nothing in the core reads a clock: a
//! function that depends on the time takes it as an argument.

use core::fmt;
use core::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in virtual time, in nanoseconds since the epoch of the world.
#[derive(
    Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
)]
pub struct Instant(u64);

impl Instant {
    /// The start of the world.
    pub const EPOCH: Self = Self(0);

    /// The time at this number of nanoseconds after the epoch.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The time at this number of milliseconds after the epoch, or the latest time if that is less.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Nanoseconds since the epoch.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The time `span` later, or the largest time if that would overflow.
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(nanos(span)))
    }

    /// The time `span` earlier, or the epoch if that would be before it.
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(span)))
    }

    /// The duration since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The first multiple of `step` strictly after this time.
    pub fn next_multiple(self, step: Duration) -> Self {
        let step = nanos(step).max(1);
        Self((self.0 / step).saturating_add(1).saturating_mul(step))
    }
}

impl fmt::Display for Instant {
    /// Seconds, with as many decimals as the time has, at least three: `12.345s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, mut decimals) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let mut places = 9;
        while places > 3 && decimals.is_multiple_of(10) {
            (decimals, places) = (decimals / 10, places - 1);
        }
        write!(f, "{seconds}.{decimals:0places$}s")
    }
}

/// The nanoseconds of a duration, at most `u64::MAX` (584 years).
pub fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_at_both_ends() {
        let end = Instant::from_nanos(u64::MAX);
        assert_eq!(end.plus(Duration::MAX), end);
        assert_eq!(Instant::EPOCH.since(end), Duration::ZERO);
        assert_eq!(Instant::from_millis(u64::MAX), end);
        for span in [Duration::from_nanos(u64::MAX - 1), Duration::from_nanos(u64::MAX)] {
            assert_eq!(u128::from(nanos(span)), span.as_nanos());
            assert_eq!(nanos(span + Duration::from_nanos(2)), u64::MAX);
        }
    }

    #[test]
    fn a_time_is_written_with_the_decimals_that_it_has() {
        for (nanos, text) in [
            (0, "0.000s"),
            (12_300_000_000, "12.300s"),
            (12_345_600_000, "12.3456s"),
            (1, "0.000000001s"),
            (u64::MAX, "18446744073.709551615s"),
        ] {
            assert_eq!(alloc::format!("{}", Instant::from_nanos(nanos)), text);
        }
    }

    #[test]
    fn the_next_multiple_is_strictly_later() {
        let step = Duration::from_secs(30);
        let at = Instant::from_millis(30_000);
        assert_eq!(at.next_multiple(step), Instant::from_millis(60_000));
        assert_eq!(Instant::EPOCH.next_multiple(step), at);
    }
}
