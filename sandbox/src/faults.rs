//! The acts of the fault buttons of a host. It is pure: each function returns acts for the
//! simulation, and performs none.

use lictor_core::id::ActorName;
use lictor_sim::{Act, Condition, Cut, CutMode, Fault, Memory, Plan, Way};

use crate::view::rows::HostState;

/// A fault that a button of the page ends, and of which all but the cut begin with it, too.
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

/// Half of real time, in thousandths.
const SLOW: u32 = 500;
const RIGHT: u32 = 1_000;

impl FaultKind {
    /// Whether the fault is active at a host.
    pub fn is_on(self, state: &HostState) -> bool {
        match self {
            Self::Pause => state.condition == Condition::Paused,
            Self::Crash => state.condition == Condition::Down,
            Self::Cut => state.cut.is_some(),
            Self::SlowClock => state.clock_rate != RIGHT,
        }
    }

    /// Starts the fault, or repairs it if it is active.
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
            Self::Cut => Fault::Cut { actor, cut: Cut { way: Way::Both, mode: CutMode::Drop } },
            Self::SlowClock => Fault::ClockRate { actor, rate: SLOW },
        }
    }
}

impl Obstacle {
    /// None if the host can send and is answered.
    pub fn of(state: &HostState) -> Option<Self> {
        match (state.condition, state.cut) {
            (Condition::Down, _) => Some(Self::Crash),
            (Condition::Paused, _) => Some(Self::Pause),
            (Condition::Up, cut) => cut.map(Self::Cut),
        }
    }

    /// The button that ends it.
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
    use crate::fresh_world::sandbox;
    use lictor_core::ConsulVersion;
    use lictor_sim::World;

    fn state(world: &World) -> HostState {
        crate::view::host(world, world.actor("web-1").expect("it joined"))
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
