//! Random client programs, for the lives of worlds.

use std::time::Duration;

use lictor_core::id::{ActorName, Key, ProgramName, ResourceName};
use lictor_core::recipe::{
    FenceKind, Habit, Naive, OnLoss, Order, Program, Recipe, Script, Step, Task,
};
use lictor_core::sim::{Act, World};

use crate::steps::Dice;

const FENCES: [FenceKind; 6] = [
    FenceKind::None,
    FenceKind::Session,
    FenceKind::LockIndex,
    FenceKind::ModifyIndex,
    FenceKind::Triple,
    FenceKind::CheckSession,
];

/// A new program, an order to one that is there, or a new resource.
pub fn stage_direction(dice: &mut Dice, world: &World) -> Act {
    let names: Vec<ProgramName> = world.programs().map(|(name, _)| name.clone()).collect();
    if dice.below(12) == 0 {
        let resource = ResourceName::from(format!("r{}", dice.below(4)));
        return Act::Guard { resource, asks: *dice.one_of(&FENCES) };
    }
    if names.is_empty() || (names.len() < 8 && dice.below(3) == 0) {
        return spawn(dice, world, names.len());
    }
    let order = *dice.one_of(&[Order::Start, Order::Start, Order::Stop, Order::Destroy]);
    Act::Order { program: dice.one_of(&names).clone(), order }
}

fn spawn(dice: &mut Dice, world: &World, number: usize) -> Act {
    let resource = ResourceName::from(format!("r{}", dice.below(4)));
    let resource = world.resource(resource.as_str()).map(|_| resource);
    let actor = match world.actors() {
        [] => ActorName::from("nobody"),
        actors => dice.one_of(actors).name.clone(),
    };
    let program = ProgramName::from(format!("p{number}"));
    let of = Box::new(program_of(dice, &["lead", "db"]));
    Act::Spawn { actor, program, of, resource }
}

/// A program that wants one of the keys, with any habits of its user.
pub fn program_of(dice: &mut Dice, keys: &[&str]) -> Program {
    let key = Key::from(*dice.one_of(keys));
    let program = Program::new(recipe(dice, key)).with_habit(habit(dice));
    match dice.below(3) {
        0 => program,
        _ => program.with_patience(Duration::from_secs(1 + dice.below(9) as u64)),
    }
}

fn recipe(dice: &mut Dice, key: Key) -> Recipe {
    match dice.below(4) {
        0 => {
            let task = match dice.below(3) {
                0 => Task::DestroyHolder(key),
                1 => Task::ForceRelease(key),
                _ => Task::Edit { key, value: b"edited".as_slice().into() },
            };
            let after = Duration::from_millis(dice.below(9_000) as u64);
            Recipe::Script(Script::new(vec![Step { after, task }]))
        }
        _ => Recipe::Naive(Naive::new(key, b"naive")),
    }
}

fn habit(dice: &mut Dice) -> Habit {
    let span = |dice: &mut Dice| Duration::from_millis(500 + dice.below(20_000) as u64);
    let hold = (dice.below(3) > 0).then(|| span(dice));
    let again = (dice.below(3) > 0).then(|| span(dice));
    let on_loss = *dice.one_of(&[OnLoss::Unlock, OnLoss::Unlock, OnLoss::StandStill]);
    Habit { hold, on_loss, again }
}
