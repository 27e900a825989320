//! What was done to a world, as it is stored and sent: [`lines`](Journal::to_lines) for files,
//! [`link`](Journal::to_link) for addresses, and a [`Log`] for a past whose branches all are to be
//! kept while they grow. All carry a version, and what an older program wrote is read for good.
//! docs/formats.md has the grammar.

mod config;
mod lines;
mod link;
mod log;
mod members;
mod symbols;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

pub use self::lines::LinesError;
pub use self::link::LinkError;
pub use self::log::{Log, Logged};

use super::timeline::Timeline;
use super::{Act, ActError, END, JournalEntry, World};
use lictor_core::engine::Config;
use lictor_core::time::Instant;

/// So many moments may follow from a journal, however long it says that it lasts; one from which
/// more follow is refused.
const MOMENTS_MAX: u64 = 1_000_000;

/// A world's beginning and what was done since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    pub start: Start,
    /// The name of the scenario that it began with, if it was one.
    pub scenario: Option<String>,
    /// In order of time. That time passes is said by their times, so nobody waits in between.
    pub entries: Vec<JournalEntry>,
    /// How far time has gone.
    pub end: Instant,
}

/// What a journal begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A world in which nothing was done.
    Fresh { seed: u64, config: Config },
    /// A world that has lived: what was done in it before is not known any more.
    Lived(Box<World>),
}

/// Why a journal that could be read is not one of a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    #[error("act {0} goes back in time")]
    BackInTime(usize),
    #[error("act {number}: {why}")]
    ActError { number: usize, why: ActError },
    #[error("more than {MOMENTS_MAX} moments follow from it")]
    TooLong,
}

impl Start {
    pub fn world(&self) -> World {
        match self {
            Self::Fresh { seed, config } => World::with_config(*seed, config.clone()),
            Self::Lived(world) => World::clone(world),
        }
    }

    /// The shortest way to say how a world begins.
    pub(super) fn of(world: &World) -> Self {
        let config = world.engine.config().clone();
        if world.is_untouched() {
            Self::Fresh { seed: world.seed(), config }
        } else {
            Self::Lived(Box::new(world.clone()))
        }
    }
}

impl Journal {
    /// All of it done again.
    pub fn play(&self) -> Result<Timeline, Unplayable> {
        let mut timeline = Timeline::new(self.start.world());
        let last = timeline.world().moments().saturating_add(MOMENTS_MAX);
        for (number, entry) in (1..).zip(&self.entries) {
            if entry.at < timeline.world().now() {
                return Err(Unplayable::BackInTime(number));
            }
            pass(&mut timeline, entry.at, last)?;
            if let Act::Advance { to } = entry.act {
                pass(&mut timeline, to, last)?;
                continue;
            }
            declined(timeline.world(), number, &entry.act)?;
            timeline.perform(entry.act.clone());
        }
        pass(&mut timeline, self.end, last)?;
        Ok(timeline)
    }
}

/// Lets time pass in pieces, so that it can be stopped.
fn pass(timeline: &mut Timeline, to: Instant, last: u64) -> Result<(), Unplayable> {
    let to = to.min(END);
    while timeline.world().now() < to {
        if timeline.world().moments() > last {
            return Err(Unplayable::TooLong);
        }
        let due = timeline.world().next_deadline().map(|(at, _)| at);
        timeline.advance(due.map_or(to, |at| at.min(to)));
    }
    Ok(())
}

/// Whether a world has room for an act of a journal.
fn declined(world: &World, number: usize, act: &Act) -> Result<(), Unplayable> {
    let declined = world.declines(act);
    declined.map_or(Ok(()), |why| Err(Unplayable::ActError { number, why }))
}
