//! What the buttons can do to a client's host, and the programs that can run on it. Pure: each is
//! one act of the world.
use lictor_core::id::ActorName;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{Act, Condition, Cut, CutMode, Fault, Memory, Plan, Way};

use crate::actions::ActionForm;
use crate::view::rows::{Ails, LinkState};

/// A fault with a button of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Pause,
    Crash,
    Cut,
    SlowClock,
}

/// At half the right rate.
const SLOW: u32 = 500;
const RIGHT: u32 = 1_000;

impl FaultKind {
    pub const ALL: [Self; 4] = [Self::Pause, Self::Crash, Self::Cut, Self::SlowClock];

    /// Whether a host has it.
    pub fn is_on(self, ails: &Ails) -> bool {
        match self {
            Self::Pause => ails.condition == Condition::Paused,
            Self::Crash => ails.condition == Condition::Down,
            Self::Cut => ails.link == LinkState::Cut,
            Self::SlowClock => ails.clock_rate != RIGHT,
        }
    }

    /// Begins it, or ends it where it is on.
    pub fn toggled(self, actor: &ActorName, ails: &Ails) -> Act {
        let fault = self.fault(actor.clone());
        if self.is_on(ails) {
            Act::Repair { fault }
        } else {
            Act::Inject { fault, plan: Plan::NOW }
        }
    }

    fn fault(self, actor: ActorName) -> Fault {
        match self {
            Self::Pause => Fault::Pause { actor },
            Self::Crash => Fault::Crash { actor, memory: Memory::Lost },
            Self::Cut => Fault::Cut { actor, cut: Cut { way: Way::Both, manner: CutMode::Drop } },
            Self::SlowClock => Fault::ClockRate { actor, rate: SLOW },
        }
    }
}

/// The kinds of programs that can be started, by their words.
pub const KINDS: [&str; 7] =
    ["lock", "semaphore", "candidate", "consul-lock", "writer", "watcher", "naive"];

/// The words of a program as the form would have it: what differs from its plain options.
pub fn program_words(kind: &str, actor: &str, wishes: &ActionForm) -> String {
    let key = match (kind, wishes.key.split_once('/')) {
        ("semaphore" | "consul-lock", Some((folder, _))) => folder,
        _ => wishes.key.as_str(),
    };
    let mut words = vec![if key.is_empty() { "db/leader".to_owned() } else { key.to_owned() }];
    if kind == "semaphore" {
        words.push("limit=2".into());
    }
    if !matches!(kind, "consul-lock" | "watcher") {
        words.push(format!("value={actor}"));
    }
    if matches!(kind, "lock" | "semaphore" | "candidate" | "writer") {
        words.extend(wishes.ttl.map(|ttl| format!("ttl={ttl}")));
        words.extend(wishes.lock_delay.map(|delay| format!("delay={delay}")));
    }
    words.join(" ")
}

/// The act that brings a program to a host; an error says what is wrong with its words.
pub fn spawned(actor: &ActorName, program: &str, words: &str) -> Result<Act, String> {
    let words = format!("spawns {program} {words}");
    act_of(actor.as_str(), &words, &Names::default()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_sim::World;

    fn world() -> World {
        let mut world = World::new(1);
        world.perform(Act::Join { actor: ActorName::from("web-1") });
        world
    }

    fn ails(world: &World) -> Ails {
        let actor = world.actor("web-1").expect("it joined");
        let link = if actor.cut.is_some() { LinkState::Cut } else { LinkState::Whole };
        Ails { condition: actor.condition, link, clock_rate: actor.clock.rate() }
    }

    #[test]
    fn each_mishap_is_on_after_its_button_and_off_after_the_next() {
        for mishap in FaultKind::ALL {
            let (mut world, actor) = (world(), ActorName::from("web-1"));
            for is_on in [true, false] {
                let act = mishap.toggled(&actor, &ails(&world));
                assert_eq!(world.check_act(&act), Ok(()), "{mishap:?}");
                world.perform(act);
                assert_eq!(mishap.is_on(&ails(&world)), is_on, "{mishap:?}");
            }
        }
    }

    #[test]
    fn the_form_makes_words_for_every_kind_of_program() {
        for kind in KINDS {
            let (mut world, actor) = (world(), ActorName::from("web-1"));
            let words = format!("{kind} {}", program_words(kind, "web-1", &ActionForm::default()));
            let act = spawned(&actor, "p", &words).unwrap_or_else(|why| panic!("{words}: {why}"));
            assert_eq!(world.check_act(&act), Ok(()), "{words}");
            world.perform(act);
            assert_eq!(world.programs().count(), 1, "{words}");
        }
    }

    #[test]
    fn words_that_make_no_program_are_an_error() {
        let actor = ActorName::from("web-1");
        for words in ["", "lock", "lock a ttl=x", "juggler a", "lock a nonsense=1", "lock \"a"] {
            assert!(spawned(&actor, "p", words).is_err(), "{words}");
        }
    }
}
