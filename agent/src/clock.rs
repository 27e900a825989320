//! The clock of a server: real time, or a manual clock that only a test advances.
//!
//! The engine task asks it for the time of each input and sleeps until its next alarm.

use std::time::Duration;

use lictor_core::time::Instant;
use tokio::time;

/// The kind of clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClockMode {
    #[default]
    Real,
    Manual,
}

/// The time since a server started.
pub(crate) enum ServerClock {
    Real { started: time::Instant },
    Manual { now: Instant },
}

/// The engine is stepped at least this often; an idle step changes nothing.
const SLEEP_MAX: Duration = Duration::from_secs(3600);

impl ServerClock {
    /// A clock that starts now.
    pub(crate) fn new(mode: ClockMode) -> Self {
        match mode {
            ClockMode::Real => Self::Real { started: time::Instant::now() },
            ClockMode::Manual => Self::Manual { now: Instant::EPOCH },
        }
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Self::Real { started } => Instant::EPOCH.after(started.elapsed()),
            Self::Manual { now } => *now,
        }
    }

    /// Moves a manual clock forward; real time passes by itself.
    pub(crate) fn advance_to(&mut self, at: Instant) {
        if let Self::Manual { now } = self {
            *now = at.max(*now);
        }
    }

    /// The time to wake at for a deadline of this clock.
    pub(crate) fn alarm(&self, due: Option<Instant>) -> time::Instant {
        let span = match (self, due) {
            (Self::Real { .. }, Some(at)) => at.since(self.now()).min(SLEEP_MAX),
            _ => SLEEP_MAX,
        };
        time::Instant::now() + span
    }
}
