//! The time of a world, in milliseconds since 09:00, and random choices.

use lictor_core::rng::Rng;
use lictor_incident::Timestamp;

/// A time in milliseconds since the world began, or a duration.
pub(crate) type Millis = u64;

/// 2026-11-26T09:00:00Z.
const BEGINNING: i64 = 1_795_683_600_000;

pub(crate) fn timestamp(time: Millis) -> Timestamp {
    Timestamp::from_millisecond(BEGINNING + time as i64).unwrap()
}

/// The milliseconds of a moment, negative before the world began.
pub(crate) fn millis(time: Timestamp) -> i64 {
    time.as_millisecond() - BEGINNING
}

/// A time as Consul's logs have it.
pub(crate) fn written(time: Millis) -> String {
    shifted(time, 0)
}

/// A time as a log has it whose clock is ahead by some milliseconds.
pub(crate) fn shifted(time: Millis, ahead: i64) -> String {
    let time = time as i64 + 9 * 3_600_000 + ahead;
    let (seconds, millis) = (time / 1000, time % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("2026-11-26T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// The value of a `Date` header.
pub(crate) fn http_date(time: Millis) -> String {
    let time = written(time);
    format!("Thu, 26 Nov 2026 {} GMT", &time[11..19])
}

/// Random choices from a seed.
pub(crate) struct Dice(Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }

    pub(crate) fn between(&mut self, from: Millis, to: Millis) -> Millis {
        from + self.0.below(to.saturating_sub(from).max(1))
    }

    /// True with this probability.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
