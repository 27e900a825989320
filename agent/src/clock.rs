//! The clock of a server: real time, or a manual clock that only a test advances.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use lictor_core::time::Instant;
use tokio::time;

/// The kind of clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClockMode {
    #[default]
    Real,
    Manual,
}

/// The time since a server started. Copies of a manual clock are advanced together.
#[derive(Clone, Debug)]
pub(crate) enum ServerClock {
    Real {
        started: time::Instant,
        /// The date of the start.
        date: Arc<Mutex<Timestamp>>,
        zone: TimeZone,
    },
    /// The time in nanoseconds.
    Manual(Arc<AtomicU64>),
}

/// The longest sleep of the engine between two steps; an idle step changes nothing.
const SLEEP_MAX: Duration = Duration::from_secs(3600);

/// The difference from the system's clock above which that clock was set, or the machine has slept.
/// A smaller difference is ignored, so that a time keeps its date until then.
const SKEW_MAX: SignedDuration = SignedDuration::from_millis(10);

impl ServerClock {
    /// A clock that starts now.
    pub(crate) fn new(mode: ClockMode) -> Self {
        match mode {
            ClockMode::Real => {
                // A machine that does not tell its time zone has UTC for Go as well.
                let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
                let date = Arc::new(Mutex::new(Timestamp::now()));
                Self::Real { started: time::Instant::now(), date, zone }
            }
            ClockMode::Manual => Self::Manual(Arc::default()),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Self::Real { started, .. } => Instant::EPOCH.plus(started.elapsed()),
            Self::Manual(nanos) => Instant::from_nanos(nanos.load(Ordering::Acquire)),
        }
    }

    /// Moves a manual clock forward; real time passes by itself.
    pub(crate) fn advance_to(&self, time: Instant) {
        if let Self::Manual(nanos) = self {
            nanos.fetch_max(time.as_nanos(), Ordering::AcqRel);
        }
    }

    /// The time at which to wake for a deadline of this clock, at most [`SLEEP_MAX`] from now.
    pub(crate) fn alarm(&self, due: Option<Instant>) -> time::Instant {
        let span = match (self, due) {
            (Self::Real { .. }, Some(at)) => at.since(self.now()).min(SLEEP_MAX),
            _ => SLEEP_MAX,
        };
        time::Instant::now() + span
    }

    /// The date of a time of this clock, in the zone of the machine. A large difference from the
    /// system's clock moves the dates of all times. A manual clock starts with the year 1970 in
    /// UTC, so that its dates are the same in every run.
    pub(crate) fn date(&self, at: Instant) -> Zoned {
        match self {
            Self::Real { started, date, zone } => {
                let mut start = date.lock().unwrap_or_else(PoisonError::into_inner);
                let current = later(*start, started.elapsed());
                let skew = Timestamp::now().duration_since(current);
                if skew.abs() > SKEW_MAX {
                    *start = start.saturating_add(skew).unwrap_or(*start);
                }
                later(*start, at.since(Instant::EPOCH)).to_zoned(zone.clone())
            }
            Self::Manual(_) => {
                later(Timestamp::UNIX_EPOCH, at.since(Instant::EPOCH)).to_zoned(TimeZone::UTC)
            }
        }
    }

    /// The date of an event that happens now and was due at a time of this clock. With a manual
    /// clock, which only jumps, it is the date of that time.
    pub(crate) fn date_of_event(&self, at: Instant) -> Zoned {
        match self {
            Self::Real { zone, .. } => Timestamp::now().to_zoned(zone.clone()),
            Self::Manual(_) => self.date(at),
        }
    }
}

fn later(date: Timestamp, span: Duration) -> Timestamp {
    date.saturating_add(span).unwrap_or(Timestamp::MAX)
}
