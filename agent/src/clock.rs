//! An agent's time: the machine's, or one that stands still until a test moves it.

use std::time::Duration;

use lictor_core::time::Instant;
use tokio::time;

/// Which time an agent has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    #[default]
    Real,
    Manual,
}

/// The time since an agent began.
pub(crate) enum Clock {
    Real { began: time::Instant },
    Manual { now: Instant },
}

/// The leader wakes at least this often; an idle step changes nothing (E4).
const NAP_MAX: Duration = Duration::from_secs(3600);

impl Clock {
    /// A clock that begins now.
    pub(crate) fn new(pace: Pace) -> Self {
        match pace {
            Pace::Real => Self::Real { began: time::Instant::now() },
            Pace::Manual => Self::Manual { now: Instant::EPOCH },
        }
    }

    pub(crate) fn now(&self) -> Instant {
        match self {
            Self::Real { began } => Instant::EPOCH.after(began.elapsed()),
            Self::Manual { now } => *now,
        }
    }

    /// Lets time come to a moment, where it does not come by itself.
    pub(crate) fn run_to(&mut self, at: Instant) {
        if let Self::Manual { now } = self {
            *now = at.max(*now);
        }
    }

    /// When the machine's time has come for what is due by this clock.
    pub(crate) fn alarm(&self, due: Option<Instant>) -> time::Instant {
        let nap = match (self, due) {
            (Self::Real { .. }, Some(at)) => at.since(self.now()).min(NAP_MAX),
            _ => NAP_MAX,
        };
        time::Instant::now() + nap
    }
}
