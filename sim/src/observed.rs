//! What was observed of a real cluster before the beginning of a world. It is not simulated, and
//! nothing in the world follows from it.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

/// The most observed events of a world, so that links to it stay short.
pub const OBSERVED_MAX: usize = 200;

/// The last events that were observed before the beginning of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedPast {
    /// How many were observed before these.
    #[serde(default)]
    pub before: u64,
    /// At most [`OBSERVED_MAX`], in the order of time.
    pub events: Vec<ObservedEvent>,
}

/// Something that was observed, or the beginning of a time of which nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservedEvent {
    /// How long before the beginning of the world it was.
    #[serde(with = "nanoseconds")]
    pub ago: Duration,
    /// What happened, in a sentence.
    pub text: String,
    /// Whether it is unknown what happened.
    #[serde(default, rename = "gap", skip_serializing_if = "core::ops::Not::not")]
    pub is_gap: bool,
}

/// Why events cannot be what was observed before the beginning of a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObservedError {
    /// There are more of them than a world keeps.
    #[error("{0} observed events are more than {OBSERVED_MAX}")]
    TooMany(usize),
    /// This one, counted from 1, is before the one that it follows.
    #[error("observed event {0} goes back in time")]
    BackInTime(usize),
    /// This one, counted from 1, does not say what happened.
    #[error("observed event {0} has no text")]
    NoText(usize),
}

impl ObservedPast {
    /// Whether nothing was observed.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.before == 0
    }

    /// Itself, if a world can begin after it.
    pub(crate) fn checked(self) -> Result<Self, ObservedError> {
        if self.events.len() > OBSERVED_MAX {
            return Err(ObservedError::TooMany(self.events.len()));
        }
        let mut earlier = Duration::MAX;
        for (number, event) in (1..).zip(&self.events) {
            if event.ago > earlier {
                return Err(ObservedError::BackInTime(number));
            }
            if event.text.trim().is_empty() {
                return Err(ObservedError::NoText(number));
            }
            earlier = event.ago;
        }
        Ok(self)
    }
}

/// A span as its number of nanoseconds.
mod nanoseconds {
    use core::time::Duration;

    use lictor_core::time::nanos;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(nanos(*span))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}
