//! Faults as plain types: what fails, when, and for how long.

use core::time::Duration;

use lictor_core::id::{ActorName, CheckId};
use serde::{Deserialize, Serialize};

use crate::clock::Jump;
use crate::link::Cut;

/// A fault. Most faults last until they are repaired; of two of the same kind at the same place the
/// later one replaces the earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// A client is paused, as in a long garbage collection: time passes without it, and messages to
    /// it wait.
    Pause {
        /// The client.
        actor: ActorName,
    },
    /// A client's programs end at once and its connections break. The repair starts the programs
    /// again.
    Crash {
        /// The client.
        actor: ActorName,
        /// What its programs remember when they start again.
        memory: Memory,
    },
    /// Messages between a client and the server are dropped or rejected. Its node stays healthy.
    Cut {
        /// The client.
        actor: ActorName,
        /// In which direction, and what the client notices.
        cut: Cut,
    },
    /// A client's clock runs at another rate.
    ClockRate {
        /// The client.
        actor: ActorName,
        /// The rate in thousandths of that of an accurate clock.
        rate: u32,
    },
    /// A client's clock jumps once; the repair corrects it.
    ClockJump {
        /// The client.
        actor: ActorName,
        /// In which direction, and how far.
        jump: Jump,
    },
    /// Gossip no longer reaches a client's node; `serfHealth` becomes critical when gossip has
    /// noticed.
    NodeSilent {
        /// The client.
        actor: ActorName,
        /// How long gossip takes to notice.
        detection: Duration,
    },
    /// A client's node is deregistered; the repair registers it again.
    NodeRemoved {
        /// The client.
        actor: ActorName,
    },
    /// A check of a client's node becomes critical; the repair makes it pass.
    CheckCritical {
        /// The client.
        actor: ActorName,
        /// The check, which is created if the node does not have it.
        check: CheckId,
    },
    /// The next answer to a client is lost, whatever the request did.
    LostAnswer {
        /// The client.
        actor: ActorName,
    },
    /// Another server becomes leader at once, as when the leader passes its role on; nothing has to
    /// be repaired.
    Failover,
    /// The leader is lost. The election of another one ends the fault; that of the only server
    /// ([`LeaderFate::Alone`]) ends when the server runs again.
    LeaderLost(LeaderLoss),
}

/// How the servers lose their leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaderLoss {
    /// What happens to it.
    pub fate: LeaderFate,
    /// The servers' `raft_multiplier`, from 1 to 10: how long they wait for their leader.
    pub multiplier: u8,
}

/// What happens to a leader that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeaderFate {
    /// Its process is killed, so that its connections break.
    Killed,
    /// Its network is cut: requests that are passed on to it wait.
    Cut,
    /// It is the only server, and its process is killed. It runs again when the fault ends, and
    /// elects itself after that.
    Alone,
    /// It runs again, and has not elected itself.
    Restarted,
}

/// Consul's default for `raft_multiplier`.
pub const RAFT_MULTIPLIER: u8 = 5;
/// For how long the only server is down unless another span is given.
pub const SERVER_DOWN: Duration = Duration::from_secs(10);

impl LeaderLoss {
    /// A killed leader of servers with the default configuration.
    pub const KILLED: Self = Self { fate: LeaderFate::Killed, multiplier: RAFT_MULTIPLIER };
}

/// What a program remembers when it is started again after a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// Everything; only its calls have failed.
    Kept,
    /// Only its orders.
    Lost,
}

/// When a fault happens, and for how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// From the time of the act.
    pub after: Duration,
    /// `None` for a fault that lasts until it is repaired or ends by itself.
    pub lasts: Option<Duration>,
    /// `None` for a fault that happens once.
    pub repeats: Option<Repeats>,
}

/// The schedule of the later times of a repeated fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeats {
    /// How often it happens again.
    pub times: u16,
    /// The interval between two beginnings, at least a millisecond.
    pub every: Duration,
    /// A random duration below this is added to each interval.
    pub jitter: Duration,
}

/// A fault that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFault {
    /// The event with which it began.
    pub number: u64,
    /// What fails.
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
    /// The client that it affects; `None` if it is the server.
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
            Self::Failover | Self::LeaderLost(_) => None,
        }
    }

    /// Whether the other fault replaces this one, or its repair ends it. The two faults of a clock
    /// count as one kind.
    pub fn is_like(&self, other: &Self) -> bool {
        let same_kind = match (self, other) {
            (Self::CheckCritical { check, .. }, Self::CheckCritical { check: it, .. }) => {
                check.folded() == it.folded()
            }
            (one, other) => one.kind() == other.kind(),
        };
        same_kind && self.actor() == other.actor()
    }

    /// Whether it ends at the time when it happens.
    pub(crate) fn is_over_at_once(&self) -> bool {
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
            Self::LeaderLost(_) => 9,
        }
    }
}
