//! Owns the simulated world of a page. Every act of a person or a script is performed here on the
//! timeline, and its events change the rows of the store.

use core::time::Duration;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::ConsulVersion;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key, RequestId, SessionId};
use lictor_core::time::Instant;
use lictor_desk::lessons::LessonAxis;
use lictor_sim::record::{ActorTag, Badge, EventRow, Exchange, Record};
use lictor_sim::timeline::{BranchId, SeekTarget, Timeline};
use lictor_sim::{Act, ActError, EventKind, ObservedEvent, SimEvent, TakeoverSearch, World};
use lictor_view::format::shown;
use lictor_view::pacer::{Pacer, RunMode, RunState, Speed};
use lictor_view::rows::ForecastVisibility;
use lictor_view::rows::{ActorRow, BranchList};
use lictor_view::rows::{SessionFuture, WorldView, branches, session_future};
use lictor_view::time_travel::{Forecast, TimeTravel};
use lictor_view::timeline::axis::{Axis, Extent};
use lictor_view::timeline::scale::Scale;

use super::load::{Load, now_on_wall_clock};
use super::rows::TAKEOVERS;
use super::store::Store;
use crate::platform::world_store::WorldStore;
use crate::signals::SetIfChanged;

/// The world of a page and the state of its view. A cheap copy: all copies share both.
#[derive(Clone, Copy)]
pub struct Controller {
    inner: StoredValue<Inner, LocalStorage>,
    pub store: Store,
    /// The number of worlds that were opened before the present one.
    pub world: RwSignal<u32>,
    /// Virtual time at the cursor, once per update of the rows.
    pub now: RwSignal<Instant>,
    /// The time of the lanes and the scrubber, which are updated after the rows.
    pub lanes_now: RwSignal<Instant>,
    /// Virtual time as texts show it, in coarser steps than `now`.
    pub coarse_now: RwSignal<Instant>,
    /// The beginning of the visible past; later than 0 once old events are no longer kept.
    pub begin: RwSignal<Instant>,
    pub cursor: RwSignal<CursorPosition>,
    /// The number of acts before the cursor.
    pub acts: RwSignal<usize>,
    pub branches: RwSignal<BranchList>,
    pub forecast_visibility: RwSignal<ForecastVisibility>,
    /// The axis of the open lesson; `None` without a lesson.
    pub lesson_axis: RwSignal<Option<LessonAxis>>,
    /// The history without the fix, while the lesson runs with it.
    pub former: StoredValue<Option<Arc<Record>>>,
    /// The part of time that the reader chose for the timeline.
    pub extent: RwSignal<Extent>,
    /// The axis of the timeline.
    pub axis: RwSignal<Axis>,
    pub pace: RwSignal<RunState>,
    pub speed: RwSignal<Speed>,
    pub mode: RwSignal<RunMode>,
    /// The actor whose requests the console and the shortcuts send.
    pub selected: RwSignal<Badge>,
    /// The seed of the world's random numbers.
    pub seed: RwSignal<u64>,
    /// The version of Consul that the world's server answers as.
    pub version: RwSignal<ConsulVersion>,
    /// The virtual time that passes in a second, if that is less than the chosen speed.
    pub reached: RwSignal<Option<Duration>>,
}

/// The position of the cursor on its branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorPosition {
    /// At the end: the next event happens for the first time.
    End,
    /// In the past of a branch that ends at `end`.
    Past { end: Instant },
}

/// The rows that a sync compares with the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The rows that events touched since the last sync.
    Changes,
    /// All rows: the cursor moved.
    Everything,
}

/// The parts of a running page, each of which is updated in a frame of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The rows of objects, and the time.
    Rows,
    /// The lists of events.
    Lists,
    Lanes,
}

/// The changes since the lanes were last updated.
#[derive(Clone, Copy, Debug)]
pub(super) struct StaleLanes {
    /// Virtual time at the last update.
    pub(super) was: Instant,
    pub(super) has_events: bool,
    /// The time of the world at which the forecast was last extended for them.
    pub(super) seen_ahead: Option<Instant>,
}

pub(super) struct Inner {
    pub(super) past: TimeTravel,
    pub(super) pacer: Pacer,
    pub(super) load: Load,
    pub(super) world_store: Option<WorldStore>,
    /// Whether anything has happened since the last sync.
    pub(super) has_events: bool,
    /// The part that the next frame updates.
    pub(super) next_part: Part,
    /// Present while the rows are newer than the lanes.
    pub(super) stale_lanes: Option<StaleLanes>,
    /// The number of locks whose next takeover was searched for since the last change.
    pub(super) takeovers: usize,
    /// The lock whose next takeover is being searched for, and the search.
    pub(super) takeover: Option<(Key, TakeoverSearch)>,
}

/// The controller of this page. Panics outside of its components.
pub fn use_controller() -> Controller {
    expect_context()
}

impl Controller {
    /// The controller of a paused world with its past, which lives as long as the current owner.
    pub fn new(timeline: Timeline<Record>) -> Self {
        let (seed, version) = (timeline.world().seed(), timeline.world().config().version);
        let past = TimeTravel::new(timeline);
        let (now, branches) = (past.world().now(), branches(past.timeline(), past.record()));
        let axis = Axis::new(&Arc::new(Scale::plain(now)), (now, now));
        let inner = Inner {
            past,
            pacer: Pacer::default(),
            load: Load::default(),
            world_store: None,
            has_events: false,
            next_part: Part::Rows,
            stale_lanes: None,
            takeovers: TAKEOVERS,
            takeover: None,
        };
        let controller = Self {
            inner: StoredValue::new_local(inner),
            store: Store::default(),
            world: RwSignal::new(0),
            now: RwSignal::new(now),
            lanes_now: RwSignal::new(now),
            coarse_now: RwSignal::new(shown(now)),
            begin: RwSignal::new(Instant::EPOCH),
            cursor: RwSignal::new(CursorPosition::End),
            acts: RwSignal::new(0),
            branches: RwSignal::new(branches),
            forecast_visibility: RwSignal::new(ForecastVisibility::Open),
            lesson_axis: RwSignal::new(None),
            former: StoredValue::new(None),
            extent: RwSignal::new(Extent::Whole),
            axis: RwSignal::new(axis),
            pace: RwSignal::new(RunState::Paused),
            speed: RwSignal::new(Speed::NORMAL),
            mode: RwSignal::new(RunMode::Step),
            selected: RwSignal::new(Badge(0)),
            seed: RwSignal::new(seed),
            version: RwSignal::new(version),
            reached: RwSignal::new(None),
        };
        controller.sync(Scope::Everything);
        controller
    }

    pub(super) fn read<T>(self, read: impl FnOnce(&Inner) -> T) -> T {
        self.inner.with_value(read)
    }

    pub(super) fn update<T>(self, update: impl FnOnce(&mut Inner) -> T) -> T {
        // The root component creates the controller, so the controller outlives all other parts.
        self.inner.try_update_value(update).expect("the page is mounted")
    }

    /// Whether the page of this controller is still mounted.
    pub fn is_mounted(self) -> bool {
        !self.inner.is_disposed()
    }

    /// Makes every later act be saved, so that the world survives a reload.
    pub fn save_in(self, world_store: WorldStore) {
        self.update(|inner| inner.world_store = Some(world_store));
    }

    pub fn world_store(self) -> Option<WorldStore> {
        self.read(|inner| inner.world_store.clone())
    }

    /// Replaces the world; the old one can be restored.
    pub fn load(self, timeline: Timeline<Record>) {
        self.pause();
        let mut past = TimeTravel::new(timeline);
        let log = past.take_log();
        if let Some(world_store) = self.world_store() {
            world_store.replace(&log);
        }
        self.replace(past);
    }

    /// Replaces the world by one that is saved already.
    pub fn resume(self, timeline: Timeline<Record>) {
        self.pause();
        self.replace(TimeTravel::resume(timeline));
    }

    fn replace(self, past: TimeTravel) {
        self.seed.set_if_changed(past.world().seed());
        self.version.set_if_changed(past.world().config().version);
        self.update(|inner| {
            inner.past = past;
            inner.has_events = false;
        });
        self.store.clear();
        self.world.update(|count| *count += 1);
        self.selected.set_if_changed(Badge(0));
        self.extent.set_if_changed(Extent::Whole);
        self.leave_branch();
    }

    /// A new client, on a node of its own.
    pub fn join(self, name: &str) {
        self.perform(Act::Join { actor: ActorName::from(name) });
    }

    /// Performs an act at the cursor; in the past, on a new branch. Does nothing if the act is not
    /// possible, as a control may be pressed after its act has become impossible.
    pub fn perform(self, act: Act) {
        drop(self.try_perform(act));
    }

    /// Sends a request as an actor, at the time of the cursor. The answer, now or later, is in
    /// [`Controller::exchange`]. `None` if there is no such actor or it cannot send now.
    pub fn send(self, actor: &ActorName, request: HttpRequest) -> Option<Exchange> {
        self.with_record(|record| record.actor_tag(actor).map(|_| ()))?;
        let events = self.try_perform(Act::Request { actor: actor.clone(), request }).ok()?;
        let sent = events.iter().find_map(|event| match &event.kind {
            EventKind::Sent(call) => Some(call.id),
            _ => None,
        });
        self.with_record(|record| record.exchange(sent?).cloned())
    }

    /// Stops waiting for an answer.
    pub fn cancel(self, id: RequestId) {
        self.perform(Act::Cancel { id });
    }

    /// A request with its state, which changes when the answer comes. `None` if it was not sent
    /// before the cursor. Subscribes.
    pub fn exchange(self, request: &Exchange) -> Option<ArcRwSignal<Exchange>> {
        self.store.exchanges.track();
        let row = self.store.exchanges.row(&request.call.id)?;
        row.with(|exchange| exchange.is_same_request(request)).then_some(row)
    }

    /// The records of the current branch and of another one, both up to the end of the shorter one,
    /// and that end. `None` if there is no such branch.
    pub fn records_to_compare(self, other: BranchId) -> Option<([Record; 2], Instant)> {
        self.read(|inner| {
            let timeline = inner.past.timeline();
            let end = timeline.branch(other)?.end().at.min(inner.past.end());
            let record = |id| timeline.record_of(id, SeekTarget::Time(end));
            Some(([record(timeline.current())?, record(other)?], end))
        })
    }

    /// Shows or hides the forecast.
    pub fn set_forecast_visibility(self, forecast_visibility: ForecastVisibility) {
        self.forecast_visibility.set_if_changed(forecast_visibility);
        self.sync(Scope::Changes);
    }

    /// Whether the next event would happen for the first time.
    pub fn is_at_end(self) -> bool {
        self.cursor.get_untracked() == CursorPosition::End
    }

    /// Whether the forecast is hidden, because a question is open; subscribes.
    pub fn is_hidden(self) -> bool {
        self.forecast_visibility.get().is_hidden()
    }

    /// Lets virtual time pass by a span, as [`Controller::pass_to`].
    pub fn pass(self, span: Duration) {
        self.pass_to(self.now.get_untracked().plus(span));
    }

    pub fn run(self) {
        self.update(|inner| inner.pacer.run(now_on_wall_clock(), inner.past.world().now()));
        self.pace.set(RunState::Running);
    }

    pub fn pause(self) {
        if self.pace.get_untracked() == RunState::Running {
            self.catch_up();
            self.update(|inner| inner.pacer.pause());
            self.reached.set_if_changed(None);
            self.pace.set(RunState::Paused);
            self.sync(Scope::Changes);
        }
    }

    /// Carries out the main button: a step, or the start or stop of the run.
    pub fn go(self) {
        match (self.mode.get_untracked(), self.pace.get_untracked()) {
            (RunMode::Step, RunState::Paused) => self.step(),
            (RunMode::Play, RunState::Paused) => self.run(),
            (_, RunState::Running) => self.pause(),
        }
    }

    pub fn set_mode(self, mode: RunMode) {
        if mode == RunMode::Step {
            self.pause();
        }
        self.mode.set(mode);
    }

    pub fn set_speed(self, speed: Speed) {
        self.update(|inner| {
            let now = inner.past.world().now();
            inner.pacer.set_speed(speed, now_on_wall_clock(), now);
        });
        self.speed.set(speed);
    }

    /// The selected actor; subscribes.
    pub fn selected_actor(self) -> Option<ActorTag> {
        self.selected_row().map(|row| row.with(|row| row.actor.clone()))
    }

    /// The session that the selected actor uses; subscribes.
    pub fn selected_session(self) -> Option<SessionId> {
        self.selected_row()?.with(|row| row.session_in_use)
    }

    /// The selected actor, without subscribing.
    pub fn selected_now(self) -> Option<ActorTag> {
        untrack(|| self.selected_actor())
    }

    /// The row of the selected actor; subscribes.
    pub fn selected_row(self) -> Option<ArcRwSignal<ActorRow>> {
        self.store.actors.track();
        self.store.actors.row(&self.selected.get())
    }

    /// A row of the event list, by its number from 1, also one of the forecast; `None` if there is
    /// none.
    pub fn event(self, number: usize) -> Option<Arc<EventRow>> {
        let index = number.checked_sub(1)?;
        self.read(|inner| {
            // The forecast may have dropped old rows that the branch still has.
            let [all, ahead] = [inner.past.record_at_end(), inner.past.forecast().record];
            all.events().get(index).or_else(|| ahead.events().get(index)).cloned()
        })
    }

    /// An event that was observed before the world, by its place among those that are kept.
    pub fn observed(self, place: usize) -> Option<ObservedEvent> {
        self.with_timeline(|timeline| timeline.observed().events.get(place).cloned())
    }

    /// The history up to the cursor.
    pub fn with_record<T>(self, read: impl FnOnce(&Record) -> T) -> T {
        self.read(|inner| read(inner.past.record()))
    }

    /// The world and the history at the cursor, from which rows are computed.
    pub fn with_view<T>(self, read: impl FnOnce(WorldView<'_>) -> T) -> T {
        self.read(|inner| {
            read(WorldView { world: inner.past.world(), record: inner.past.record() })
        })
    }

    /// The world and the history at the cursor, and the history with the forecast.
    pub fn with_view_ahead<T>(self, read: impl FnOnce(WorldView<'_>, &Record) -> T) -> T {
        self.read(|inner| {
            let view = WorldView { world: inner.past.world(), record: inner.past.record() };
            read(view, inner.past.forecast().record)
        })
    }

    /// The history up to the end of the branch.
    pub fn with_record_at_end<T>(self, read: impl FnOnce(&Record) -> T) -> T {
        self.read(|inner| read(inner.past.record_at_end()))
    }

    /// The history with the forecast, which the lanes show.
    pub fn with_forecast<T>(self, read: impl FnOnce(&Forecast<'_>) -> T) -> T {
        self.read(|inner| read(&inner.past.forecast()))
    }

    /// The next event of a session, if it is alive and one is known.
    pub fn session_future(self, id: SessionId) -> Option<SessionFuture> {
        self.read(|inner| {
            let (now, ahead) = (inner.past.record().session(id)?, inner.past.forecast());
            session_future(now, ahead.record.session(id))
        })
    }

    pub fn with_world<T>(self, read: impl FnOnce(&World) -> T) -> T {
        self.read(|inner| read(inner.past.world()))
    }

    pub fn with_timeline<T>(self, read: impl FnOnce(&Timeline<Record>) -> T) -> T {
        self.read(|inner| read(inner.past.timeline()))
    }

    /// Performs an act as [`Self::perform`] does, and returns its events. Fails with the reason if
    /// the world refuses it.
    pub fn try_perform(self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        self.catch_up();
        let branch = self.branches.with_untracked(|branches| branches.current);
        let (events, is_other) = self.update(|inner| {
            let events = inner.past.perform(act);
            if let Ok(events) = &events {
                inner.has_events |= !events.is_empty();
            }
            (events, inner.past.timeline().current() != branch)
        });
        if is_other {
            self.leave_branch();
        } else {
            self.sync_without_lanes();
        }
        events
    }

    /// Updates everything after another branch or world is shown.
    pub(super) fn leave_branch(self) {
        self.store.branch.update(|count| *count += 1);
        self.sync(Scope::Everything);
    }
}
