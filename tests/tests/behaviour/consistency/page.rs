//! The view model of the page at one cursor: its rows, the next events, the lanes and their axis,
//! as the page computes them.

use std::sync::Arc;

use lictor_core::engine::SessionClock;
use lictor_core::id::Key;
use lictor_core::time::Instant;
use lictor_sim::World;
use lictor_sim::record::Record;
use lictor_sim::timeline::SeekTarget;
use lictor_view::next_up::next_up;
use lictor_view::rows::headline::Headline;
use lictor_view::rows::{ActorRow, ForecastVisibility, LockRow, SessionRow, Upcoming};
use lictor_view::rows::{SessionFuture, WorldView, session_future};
use lictor_view::time_travel::{Forecast, TimeTravel};
use lictor_view::timeline::axis::{Axis, Extent};
use lictor_view::timeline::horizon::horizon;
use lictor_view::timeline::lane_id::LaneId;
use lictor_view::timeline::scale::Scale;

/// The number of next events that are checked; the page shows three.
const NEXT_UP: usize = 8;

/// What the page shows at a cursor.
pub(crate) struct Page<'a> {
    pub(crate) past: &'a TimeTravel,
    pub(crate) world: &'a World,
    pub(crate) record: &'a Record,
    pub(crate) now: Instant,
    pub(crate) ahead: Forecast<'a>,
    pub(crate) axis: Axis,
    pub(crate) actors: Vec<ActorRow>,
    pub(crate) locks: Vec<LockRow>,
    pub(crate) sessions: Vec<SessionRow>,
    pub(crate) next_up: Vec<(Instant, Upcoming)>,
}

impl<'a> Page<'a> {
    /// The page, after the frames that complete the forecast.
    pub(crate) fn of(past: &'a mut TimeTravel) -> Self {
        let mut until = horizon(past, Extent::Whole);
        loop {
            past.extend_forecast(until, &|| true);
            let further = horizon(past, Extent::Whole);
            if further == until {
                break;
            }
            until = further;
        }
        let past = &*past;
        let (world, record, ahead) = (past.world(), past.record(), past.forecast());
        let view = WorldView { world, record };
        let scale = Arc::new(Scale::folded(ahead.record.events(), past.end(), until));
        Self {
            now: world.now(),
            axis: Axis::all(&scale),
            actors: world.actors().iter().filter_map(|actor| view.actor(actor)).collect(),
            locks: record.locks().filter_map(|(key, _)| view.lock(key)).collect(),
            sessions: record.sessions().filter_map(|it| view.session(it.session.id)).collect(),
            next_up: next_up(past, NEXT_UP),
            past,
            world,
            record,
            ahead,
        }
    }

    /// The line about a lock, after the search for its takeover.
    pub(crate) fn headline(&self, key: &Key) -> Headline {
        let search = self.world.earliest_takeover(key);
        let ahead = (self.ahead.record, ForecastVisibility::Open);
        Headline::of_lock(self.view(), ahead, key, search.as_ref())
    }

    /// The world and the history at the cursor.
    pub(crate) fn view(&self) -> WorldView<'_> {
        WorldView { world: self.world, record: self.record }
    }

    /// The live sessions that have a TTL, each with its clock and its future.
    pub(crate) fn clocks(
        &self,
    ) -> impl Iterator<Item = (&SessionRow, SessionClock, SessionFuture)> {
        let living = self.sessions.iter().filter(|row| row.ended.is_none());
        living.filter_map(|row| Some((row, row.clock?, self.future(row)?)))
    }

    pub(crate) fn future(&self, row: &SessionRow) -> Option<SessionFuture> {
        session_future(self.record.session(row.id)?, self.ahead.record.session(row.id))
    }

    /// The lanes of the page with those that a lesson would fold.
    pub(crate) fn lanes(&self) -> Vec<LaneId> {
        std::iter::once(LaneId::Server).chain(LaneId::all(self.ahead.record)).collect()
    }

    /// The world at a time of the branch or of the forecast. `None` for a later time if the cursor
    /// is not at the end, because the past has no forecast.
    pub(crate) fn world_at(&self, at: Instant) -> Option<World> {
        let timeline = self.past.timeline();
        if at <= self.past.end() {
            return timeline.visit(timeline.current(), SeekTarget::Time(at));
        }
        let mut world = self.world.clone();
        while world.now() < at && timeline.is_at_end() {
            world.advance_to(at);
        }
        timeline.is_at_end().then_some(world)
    }
}
