//! Random faults, link properties and repairs. Dice with the same seed give the same ones.

use std::time::Duration;

use lictor_core::id::{ActorName, CheckId};
use lictor_sim::{
    Act, Cut, CutDirection, CutMode, Fault, Jump, LeaderFate, LeaderLoss, Link, Memory, Overtaking,
    Plan, RAFT_MULTIPLIER, Repeats, World,
};

use crate::dice::Dice;

/// An act that injects a fault, changes a link, or repairs something.
pub fn fault_act(dice: &mut Dice, world: &World) -> Act {
    let Some(actor) = any_actor(dice, world) else { return Act::Heal };
    match dice.below(12) {
        0..2 => Act::Link { actor, link: link(dice) },
        2..4 => repair(dice, world),
        4 if dice.below(4) == 0 => Act::Heal,
        _ => Act::Inject { fault: fault(dice, actor), plan: plan(dice) },
    }
}

/// A fault of a client, or rarely one of the servers.
pub fn fault(dice: &mut Dice, actor: ActorName) -> Fault {
    let memory = *dice.one_of(&[Memory::Kept, Memory::Lost]);
    let detection = Duration::from_secs(dice.below(8) as u64);
    let check = CheckId::from(*dice.one_of(&["serfHealth", "ttl", "app"]));
    match dice.below(10) {
        0 => Fault::Pause { actor },
        1 => Fault::Crash { actor, memory },
        2 | 3 => Fault::Cut { actor, cut: cut(dice) },
        4 => Fault::ClockRate { actor, rate: *dice.one_of(&[1, 500, 900, 1_100, 3_000]) },
        5 => Fault::ClockJump { actor, jump: jump(dice) },
        6 => Fault::NodeSilent { actor, detection },
        7 => Fault::NodeRemoved { actor },
        8 => Fault::CheckCritical { actor, check },
        _ if dice.below(8) == 0 => Fault::Failover,
        _ if dice.below(4) == 0 => Fault::LeaderLost(leader_loss(dice)),
        _ => Fault::LostAnswer { actor },
    }
}

fn leader_loss(dice: &mut Dice) -> LeaderLoss {
    let fate = *dice.one_of(&[LeaderFate::Killed, LeaderFate::Cut, LeaderFate::Alone]);
    LeaderLoss { fate, multiplier: *dice.one_of(&[1, RAFT_MULTIPLIER]) }
}

/// All modes but resets by a firewall: after one, a client without probes or time-outs waits for
/// ever, so that no lock changes hands any more.
const CUT_MODES: [CutMode; 7] = [
    CutMode::Reject,
    CutMode::Drop,
    CutMode::Drop,
    CutMode::HostUnreachable,
    CutMode::Prohibited,
    CutMode::InterfaceDown,
    CutMode::NoNeighbour,
];

pub fn cut(dice: &mut Dice) -> Cut {
    let way = *dice.one_of(&[
        CutDirection::Both,
        CutDirection::Both,
        CutDirection::ToServer,
        CutDirection::FromServer,
    ]);
    Cut { way, mode: *dice.one_of(&CUT_MODES) }
}

pub fn link(dice: &mut Dice) -> Link {
    let millis = |dice: &mut Dice| Duration::from_millis(*dice.one_of(&[0, 0, 5, 80, 700]));
    Link {
        latency: millis(dice),
        jitter: millis(dice),
        loss: *dice.one_of(&[0, 0, 50, 300]),
        duplicates: *dice.one_of(&[0, 0, 50, 300]),
        overtaking: *dice.one_of(&[Overtaking::Never, Overtaking::Possible]),
    }
}

fn jump(dice: &mut Dice) -> Jump {
    let span = Duration::from_millis(dice.below(40_000) as u64);
    if dice.below(2) == 0 { Jump::Ahead(span) } else { Jump::Back(span) }
}

fn plan(dice: &mut Dice) -> Plan {
    let mut span = || Duration::from_millis(dice.below(30_000) as u64);
    let (after, lasts, every, jitter) = (span(), span(), span(), span());
    match dice.below(5) {
        0 => Plan::NOW,
        1 => Plan { repeats: Some(Repeats { times: 3, every, jitter }), ..Plan::lasting(lasts) },
        2 => Plan { lasts: Some(lasts), ..Plan::later(after) },
        _ => Plan::lasting(lasts),
    }
}

fn repair(dice: &mut Dice, world: &World) -> Act {
    match world.active_faults() {
        [] => Act::Heal,
        active => Act::Repair { fault: dice.one_of(active).fault.clone() },
    }
}

fn any_actor(dice: &mut Dice, world: &World) -> Option<ActorName> {
    let actors = world.actors();
    (!actors.is_empty()).then(|| dice.one_of(actors).name.clone())
}
