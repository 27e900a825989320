//! The acts on a world, to be stored and sent: a [`Log`] contains a timeline with all its branches
//! as a JSON Lines file, and a [`Journal`] one branch, for files and for [links](Journal::to_link).
//!
//! Reading either refuses damaged files and acts that the world refuses.
//! docs/en/reference/formats.md has the grammar.

mod link;
mod log;
mod records;
mod saved_text;
mod symbols;

use alloc::boxed::Box;
use alloc::vec::Vec;

pub use self::link::LinkError;
pub use self::log::{Log, LogError, LogLineError, LoggedTimeline};
pub use self::records::RecordError;
pub use self::saved_text::{LessonLink, SavedText, WorldLink, link_to_cursor};

use lictor_core::engine::{ClusterState, Config};
use lictor_core::store::Contradiction;
use lictor_core::time::Instant;

use crate::act::{Act, ActError, JournalEntry};
use crate::fold::Fold;
use crate::observed::ObservedPast;
use crate::tcp::Network;
use crate::timeline::Timeline;
use crate::world::{END, World};

/// The largest number of events that the acts of a journal, a link or a log may cause, however long
/// it says that it lasts.
const EVENTS_MAX: u64 = 1_000_000;

/// The beginning of a world, and the acts since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// How the world begins.
    pub start: Start,
    /// What was observed before it begins.
    pub observed: ObservedPast,
    /// In order of time. Waits between them are not recorded.
    pub entries: Vec<JournalEntry>,
    /// The time of its end.
    pub end: Instant,
}

/// The beginning of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A new world.
    Fresh {
        /// The seed of all random numbers.
        seed: u64,
        /// The configuration of the server.
        config: Config,
        /// How messages travel.
        network: Network,
    },
    /// A world whose earlier acts are no longer known, or whose server begins in the state of a
    /// running cluster.
    Snapshot(Box<World>),
}

/// What a world is made from that does not begin with a dump.
struct Origin<'a> {
    seed: u64,
    config: &'a Config,
    network: Network,
    /// The state of a cluster in which the server begins; `None` if the server is new.
    state: Option<Box<ClusterState>>,
}

/// Why the acts of a journal or a log cannot be performed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// The time of this act, counted from 1, is before that of the act before it.
    #[error("act {0} goes back in time")]
    BackInTime(usize),
    /// The world refuses an act.
    #[error("act {number}: {error}")]
    Act {
        /// Which act, counted from 1.
        number: usize,
        /// Why it is refused.
        error: ActError,
    },
    /// The acts cause more events than a reader computes.
    #[error(transparent)]
    TooManyEvents(#[from] TooManyEvents),
}

/// A journal or a log causes more events than a reader computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {EVENTS_MAX} events follow from it")]
pub struct TooManyEvents;

/// The number of events that the rest of a journal may cause.
#[derive(Clone, Copy, Debug)]
struct EventBudget(u64);

impl Start {
    /// The world before the first act.
    pub fn world(&self) -> World {
        match self {
            Self::Fresh { seed, config, network } => {
                World::with_network(*seed, config.clone(), *network)
            }
            Self::Snapshot(world) => World::clone(world),
        }
    }

    /// A world whose server begins in a state, or is new without one.
    fn in_state(
        seed: u64,
        config: Config,
        network: Network,
        state: Option<&ClusterState>,
    ) -> Result<Self, Contradiction> {
        let Some(state) = state else { return Ok(Self::Fresh { seed, config, network }) };
        let world = World::in_state(seed, config, network, state)?;
        Ok(Self::Snapshot(Box::new(world)))
    }

    /// What the world is made from; the world itself if its past is no longer known.
    fn origin(&self) -> Result<Origin<'_>, &World> {
        match self {
            Self::Fresh { seed, config, network } => {
                Ok(Origin { seed: *seed, config, network: *network, state: None })
            }
            Self::Snapshot(world) => match world.initial_state() {
                None => Err(world),
                Some(state) => Ok(Origin {
                    seed: world.seed(),
                    config: world.config(),
                    network: world.network(),
                    state: Some(Box::new(state)),
                }),
            },
        }
    }

    /// A seed if the world can be made from it, otherwise a snapshot.
    fn of(world: &World) -> Self {
        let config = world.config().clone();
        if world.is_untouched() && world.initial_state().is_none() {
            Self::Fresh { seed: world.seed(), config, network: world.network() }
        } else {
            Self::Snapshot(Box::new(world.clone()))
        }
    }
}

impl Journal {
    /// The acts on the branch of a timeline's cursor.
    pub fn of<F: Fold>(timeline: &Timeline<F>) -> Self {
        let branch = timeline.here();
        Self {
            start: Start::of(branch.beginning()),
            observed: timeline.observed().clone(),
            entries: branch.acts().map(|(_, entry)| entry.clone()).collect(),
            end: branch.end().at,
        }
    }

    /// Performs all acts again, from the beginning.
    ///
    /// # Errors
    ///
    /// Fails if an act goes back in time or is refused, and if the acts cause more than a million
    /// events.
    pub fn play<F: Fold>(&self) -> Result<Timeline<F>, PlayError> {
        self.play_within(&mut EventBudget(EVENTS_MAX))
    }

    fn play_within<F: Fold>(&self, budget: &mut EventBudget) -> Result<Timeline<F>, PlayError> {
        let timeline = Timeline::recorded(self.start.world());
        let mut timeline = timeline.after(self.observed.clone());
        for (number, entry) in (1..).zip(&self.entries) {
            if entry.at < timeline.world().now() {
                return Err(PlayError::BackInTime(number));
            }
            budget.advance_to(&mut timeline, entry.at)?;
            if let Act::Advance { to } = entry.act {
                budget.advance_to(&mut timeline, to)?;
                continue;
            }
            let events = timeline.perform(entry.act.clone());
            budget.spend(events.map_err(|error| PlayError::Act { number, error })?.len())?;
        }
        budget.advance_to(&mut timeline, self.end)?;
        Ok(timeline)
    }
}

impl EventBudget {
    fn spend(&mut self, events: usize) -> Result<(), TooManyEvents> {
        self.0 = self.0.checked_sub(events as u64).ok_or(TooManyEvents)?;
        Ok(())
    }

    /// Lets time pass in small pieces, so that it stops soon after the budget is spent.
    fn advance_to<F: Fold>(
        &mut self,
        timeline: &mut Timeline<F>,
        to: Instant,
    ) -> Result<(), TooManyEvents> {
        let to = to.min(END);
        while timeline.world().now() < to {
            let due = timeline.world().next_deadline().map(|(at, _)| at);
            let events = timeline.advance_to(due.map_or(to, |at| at.min(to)));
            self.spend(events.len())?;
        }
        Ok(())
    }
}
