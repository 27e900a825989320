//! A world with its past, after random acts: requests, programs, faults, edits of past acts, undo,
//! seeks and other branches. The same seed gives the same past.

use lictor_core::engine::Config;
use lictor_core::time::Instant;
use lictor_sim::timeline::{BranchId, SeekTarget, Timeline};
use lictor_sim::{Network, World};
use lictor_tests::dice::Dice;
use lictor_tests::random_acts::RandomActs;
use lictor_view::time_travel::TimeTravel;

/// The largest number of acts between two states that are checked.
const ACTS: usize = 9;

/// The largest number of acts of a running cluster before a world begins in its state.
const ACTS_BEFORE: usize = 60;

/// A timeline that grows by random acts, and the numbers that choose them.
pub(crate) struct RandomPast {
    pub(crate) past: TimeTravel,
    pub(crate) dice: Dice,
    random: RandomActs,
}

impl RandomPast {
    pub(crate) fn new(seed: u64) -> Self {
        let past = TimeTravel::new(Timeline::recorded(world(seed)));
        let random = match seed % 3 {
            0 => RandomActs::new(seed),
            1 => RandomActs::with_faults(seed),
            _ => RandomActs::with_programs(seed),
        };
        Self { past, dice: Dice::new(seed ^ 0xd15b1a7), random }
    }

    /// Performs some acts, and then possibly moves the cursor, edits an act, or switches branches.
    pub(crate) fn go_on(&mut self) {
        for _ in 0..1 + self.dice.below(ACTS) {
            let act = self.random.next(self.past.world());
            let events = self.past.perform(act).unwrap_or_default();
            self.random.learn(&events);
        }
        match self.dice.below(12) {
            0..3 => self.seek(),
            3 => self.past.previous_event(),
            4 => drop(self.past.next_event()),
            5 => drop(self.past.undo()),
            6 => drop(self.past.redo()),
            7 => self.edit(),
            8 => self.switch(),
            _ => self.past.seek(SeekTarget::Time(self.past.end())),
        }
    }

    fn seek(&mut self) {
        let end = self.past.end().as_millis();
        let millis = self.dice.below(usize::try_from(end).unwrap_or(usize::MAX).max(1));
        self.past.seek(SeekTarget::Time(Instant::from_millis(millis as u64)));
    }

    /// Removes an act of the past, moves it to another time, or changes a number of it.
    fn edit(&mut self) {
        let rows = self.past.record_at_end().events();
        let row = rows.get(rows.first() + self.dice.below(rows.len().max(1))).cloned();
        let Some(act) = row.and_then(|row| self.past.act_of_row(&row)) else { return };
        match self.dice.below(3) {
            0 => drop(self.past.remove_act(act.number)),
            1 => {
                let end = usize::try_from(self.past.end().as_millis()).unwrap_or(usize::MAX);
                let to = Instant::from_millis(self.dice.below(end.max(1)) as u64);
                drop(self.past.edit_act(act.number, (to, &act.words)));
            }
            _ => {
                let words = act.words.replace("ttl=10s", "ttl=20s");
                let words = words.replace("delay=15s", "delay=3s");
                drop(self.past.edit_act(act.number, (act.at, &words)));
            }
        }
    }

    fn switch(&mut self) {
        let branches: Vec<BranchId> = self.past.timeline().branches().map(|(id, _)| id).collect();
        let branch = *self.dice.one_of(&branches);
        self.past.switch(branch);
    }
}

/// A new world, or one that begins in the state of a running cluster.
fn world(seed: u64) -> World {
    let mut world = World::new(seed);
    if !seed.is_multiple_of(4) {
        return world;
    }
    let (mut dice, mut random) = (Dice::new(seed), RandomActs::with_faults(seed));
    for _ in 0..dice.below(ACTS_BEFORE) {
        let act = random.next(&world);
        random.learn(&world.perform(act).unwrap_or_default());
    }
    let begun = World::in_state(!seed, Config::default(), Network::Tcp, &world.cluster_state());
    begun.expect("the state of a server is possible")
}
