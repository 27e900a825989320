//! The acts of the fault buttons of a host and of the server. No function here performs an act.

use core::time::Duration;

use lictor_core::id::ActorName;
use lictor_sim::{
    Act, Condition, Cut, CutDirection, CutMode, Fault, LeaderFate, LeaderLoss, Memory, Plan,
    RAFT_MULTIPLIER,
};
use lictor_view::rows::HostState;

/// A fault with a button on the page. The button starts the fault and ends it, but a cut is started
/// with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Pause,
    Crash,
    Cut,
    SlowClock,
}

/// The fault that keeps a host from the server's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    Crash,
    Pause,
    Cut(Cut),
}

/// How the server's button makes the servers lose their leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailoverForm {
    pub kind: FailoverKind,
    /// The servers' `raft_multiplier`.
    pub multiplier: u8,
    /// How long the election or the absence of the only server lasts. `None` for a random length.
    pub lasts: Option<Duration>,
}

/// What happens to the leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailoverKind {
    /// An election follows.
    Lost(LeaderFate),
    /// Another server is the leader at once.
    AtOnce,
}

/// Half of real time, in thousandths.
const SLOW: u32 = 500;
/// Real time, in thousandths.
const CORRECT_RATE: u32 = 1_000;

impl FaultKind {
    /// Whether the fault is active at a host.
    pub fn is_on(self, state: &HostState) -> bool {
        match self {
            Self::Pause => state.condition == Condition::Paused,
            Self::Crash => state.condition == Condition::Down,
            Self::Cut => state.cut.is_some(),
            Self::SlowClock => state.clock_rate != CORRECT_RATE,
        }
    }

    /// The act that starts the fault, or repairs it if it is active.
    pub fn toggle_act(self, actor: &ActorName, state: &HostState) -> Act {
        let fault = self.fault(actor.clone());
        if self.is_on(state) {
            Act::Repair { fault }
        } else {
            Act::Inject { fault, plan: Plan::NOW }
        }
    }

    fn fault(self, actor: ActorName) -> Fault {
        match self {
            Self::Pause => Fault::Pause { actor },
            Self::Crash => Fault::Crash { actor, memory: Memory::Lost },
            Self::Cut => {
                Fault::Cut { actor, cut: Cut { way: CutDirection::Both, mode: CutMode::Drop } }
            }
            Self::SlowClock => Fault::ClockRate { actor, rate: SLOW },
        }
    }
}

impl FailoverKind {
    pub const ALL: [Self; 4] = [
        Self::Lost(LeaderFate::Killed),
        Self::Lost(LeaderFate::Cut),
        Self::Lost(LeaderFate::Alone),
        Self::AtOnce,
    ];
}

impl Default for FailoverForm {
    fn default() -> Self {
        let kind = FailoverKind::Lost(LeaderFate::Killed);
        Self { kind, multiplier: RAFT_MULTIPLIER, lasts: None }
    }
}

impl FailoverForm {
    /// The values of `raft_multiplier` with recorded elections.
    pub const MULTIPLIERS: [u8; 2] = [1, RAFT_MULTIPLIER];
    /// The choices for `lasts`, in seconds.
    pub const LENGTHS: [u64; 6] = [1, 2, 5, 10, 20, 60];

    pub fn act(self) -> Act {
        match self.kind {
            FailoverKind::AtOnce => Act::Inject { fault: Fault::Failover, plan: Plan::NOW },
            FailoverKind::Lost(fate) => {
                let fault = Fault::LeaderLost(LeaderLoss { fate, multiplier: self.multiplier });
                Act::Inject { fault, plan: Plan { lasts: self.lasts, ..Plan::NOW } }
            }
        }
    }
}

impl Obstacle {
    /// The obstacle at a host. `None` if the host is up and its network is not cut.
    pub fn of(state: &HostState) -> Option<Self> {
        match (state.condition, state.cut) {
            (Condition::Down, _) => Some(Self::Crash),
            (Condition::Paused, _) => Some(Self::Pause),
            (Condition::Up, cut) => cut.map(Self::Cut),
        }
    }

    /// The fault whose button ends it.
    pub fn kind(self) -> FaultKind {
        match self {
            Self::Crash => FaultKind::Crash,
            Self::Pause => FaultKind::Pause,
            Self::Cut(_) => FaultKind::Cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::ConsulVersion;
    use lictor_sim::World;
    use lictor_sim::trace::{Names, words_of};
    use lictor_view::fresh_world::sandbox;

    fn state(world: &World) -> HostState {
        lictor_view::rows::host(world, world.actor("web-1").expect("it joined"))
    }

    #[test]
    fn the_act_has_the_options_of_the_failover_form() {
        let at_once = FailoverForm { kind: FailoverKind::AtOnce, ..FailoverForm::default() };
        let cut = FailoverForm {
            kind: FailoverKind::Lost(LeaderFate::Cut),
            multiplier: 1,
            lasts: Some(Duration::from_secs(2)),
        };
        let words = |form: FailoverForm| words_of(&form.act(), &Names::default());
        assert_eq!(words(FailoverForm::default()), "leader-killed");
        assert_eq!(words(cut), "leader-cut multiplier=1 for=2s");
        assert_eq!(words(at_once), "leader-lost");
        for kind in FailoverKind::ALL {
            let mut timeline = sandbox(ConsulVersion::default());
            let act = FailoverForm { kind, ..FailoverForm::default() }.act();
            timeline.perform(act).expect("it is possible");
        }
    }

    #[test]
    fn a_fault_button_starts_its_fault_and_then_repairs_it() {
        let actor = ActorName::from("web-1");
        for kind in [FaultKind::Pause, FaultKind::Crash, FaultKind::Cut, FaultKind::SlowClock] {
            let mut timeline = sandbox(ConsulVersion::default());
            for is_on in [true, false] {
                let act = kind.toggle_act(&actor, &state(timeline.world()));
                assert_eq!(timeline.world().check_act(&act), Ok(()), "{kind:?}");
                timeline.perform(act).expect("it is possible");
                assert_eq!(kind.is_on(&state(timeline.world())), is_on, "{kind:?}");
            }
        }
    }
}
