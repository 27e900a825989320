//! Faults as plain types: what goes wrong, when, and for how long. `fault_injection` makes them
//! happen.

use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::clock::Jump;
use super::link::Cut;
use lictor_core::id::{ActorName, CheckId};

/// Something that goes wrong. Most faults last until they are repaired; of two of the same kind at
/// the same place the later one counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A client is paused, as in a long garbage collection: time passes without it, and messages to
    /// it wait.
    Pause { actor: ActorName },
    /// A client's programs end at once and its connections break. It starts anew when repaired.
    Crash { actor: ActorName, memory: Memory },
    /// Messages between a client and the server do not get through. Its node stays healthy.
    Cut { actor: ActorName, cut: Cut },
    /// A client's clock runs at this many thousandths of the right rate.
    ClockRate { actor: ActorName, rate: u32 },
    /// A client's clock jumps, once; repair sets it right.
    ClockJump { actor: ActorName, jump: Jump },
    /// Gossip hears no more of a client's node; `serfHealth` turns critical when it has noticed.
    NodeSilent { actor: ActorName, detection: Duration },
    /// A client's node leaves the catalog; repair registers it again.
    NodeRemoved { actor: ActorName },
    /// A check of a client's node turns critical; repair makes it pass.
    CheckCritical { actor: ActorName, check: CheckId },
    /// The next answer to a client is lost, whatever the request did.
    LostAnswer { actor: ActorName },
    /// Another server becomes leader: over in the same moment.
    Failover,
}

/// What a program that starts again after a crash still knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// As much as before; only its calls have failed.
    Kept,
    /// Nothing but its orders.
    Lost,
}

/// When a fault happens, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// From the act on.
    pub after: Duration,
    /// Until it is repaired, if there is no end.
    pub lasts: Option<Duration>,
    pub repeats: Option<Repeats>,
}

/// A schedule after the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeats {
    pub times: u16,
    /// From beginning to beginning; at least a millisecond.
    pub every: Duration,
    /// Up to this much is added by chance.
    pub jitter: Duration,
}

/// A fault that lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFault {
    /// The moment at which it began.
    pub number: u64,
    pub fault: Fault,
}

impl Plan {
    /// At once, and until it is repaired.
    pub const NOW: Self = Self { after: Duration::ZERO, lasts: None, repeats: None };

    /// At once, for a span.
    pub const fn lasting(span: Duration) -> Self {
        Self { after: Duration::ZERO, lasts: Some(span), repeats: None }
    }

    /// Once, after a span.
    pub const fn later(after: Duration) -> Self {
        Self { after, lasts: None, repeats: None }
    }
}

impl Fault {
    /// The client to whom it happens; none if it is the server.
    pub fn actor(&self) -> Option<&ActorName> {
        match self {
            Self::Pause { actor }
            | Self::Crash { actor, .. }
            | Self::Cut { actor, .. }
            | Self::ClockRate { actor, .. }
            | Self::ClockJump { actor, .. }
            | Self::NodeSilent { actor, .. }
            | Self::NodeRemoved { actor }
            | Self::CheckCritical { actor, .. }
            | Self::LostAnswer { actor } => Some(actor),
            Self::Failover => None,
        }
    }

    /// Whether the other fault takes the place of this one, or its repair ends it. A clock has one
    /// place, however it goes wrong.
    pub fn is_like(&self, other: &Self) -> bool {
        let same_kind = match (self, other) {
            (Self::CheckCritical { check, .. }, Self::CheckCritical { check: it, .. }) => {
                check.folded() == it.folded()
            }
            (one, other) => one.kind() == other.kind(),
        };
        same_kind && self.actor() == other.actor()
    }

    /// Whether it is over as soon as it has happened.
    pub(super) fn is_over_at_once(&self) -> bool {
        matches!(self, Self::Failover)
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Pause { .. } => 0,
            Self::Crash { .. } => 1,
            Self::Cut { .. } => 2,
            Self::ClockRate { .. } | Self::ClockJump { .. } => 3,
            Self::NodeSilent { .. } => 4,
            Self::NodeRemoved { .. } => 5,
            Self::CheckCritical { .. } => 6,
            Self::LostAnswer { .. } => 7,
            Self::Failover => 8,
        }
    }
}
