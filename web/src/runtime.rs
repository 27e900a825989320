//! Owns the world, and is the only one to call it. Everything that a person or a program does comes
//! in here as an act, goes to the world, and comes back as moments, which are folded into the
//! record and shown through the mirror.

mod show;
mod travel;
mod view;

use core::time::Duration;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use leptos_dom::helpers::window;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::time::Instant;
use lictor_sandbox::badge::Badge;
use lictor_sandbox::branch_diff::{BranchDiff, compare};
use lictor_sandbox::history::{ActorTag, EventRow, History, RowKey};
use lictor_sandbox::pacer::{Pacer, RunMode, RunState, Speed};
use lictor_sandbox::request_log::{Exchange, ExchangeId, RequestIds};
use lictor_sandbox::time_travel::{Forecast, TimeTravel};
use lictor_sandbox::timeline::axis::{Axis, Extent};
use lictor_sandbox::timeline::lane_id::LaneId;
use lictor_sandbox::timeline::scale::Scale;
use lictor_sandbox::tutorial::ForecastVisibility;
use lictor_sandbox::view::rows::{ActorRow, BranchList};
use lictor_sandbox::view::{WorldView, branches};
use lictor_sim::timeline::{BranchId, Timeline};
use lictor_sim::{Act, EventKind, SimEvent, TakeoverSearch, World};
use reactive_graph::graph::untrack;

use self::show::{DRAWN, coarse};
use crate::keeper::Keeper;
use crate::mirror::Mirror;
use crate::reflect::{self, TAKEOVERS};
use crate::var::Var;

/// For so long at most a frame lets time pass, and for so long it looks ahead; where more happens
/// than that, time falls behind.
const AT_ONCE: Duration = Duration::from_millis(4);
/// The same in a frame that shows nothing.
const ALONE: Duration = Duration::from_millis(9);
/// Time passes by such pieces.
const PIECE: Duration = Duration::from_millis(20);

/// Of a world that is opened, the requests of so many of its last moments are told in the console.
const TOLD_AGAIN: u64 = 1_000;

/// The page's world with all that is shown of it.
pub struct Runtime {
    inner: RefCell<Inner>,
    keeper: OnceCell<Keeper>,
    /// How many worlds that were replaced can be put back.
    pub before: Var<u32>,
    /// Which world it is, counted.
    pub world: Var<u32>,
    pub mirror: Mirror,
    /// Virtual time at the cursor, once per frame.
    pub now: Var<Instant>,
    /// The same for drawings, which take turns in following it where time falls behind.
    drawn_now: [Var<Instant>; DRAWN],
    /// How many drawings follow it.
    drawings: Cell<usize>,
    /// Virtual time in tenths of a second, for text.
    pub coarse_now: Var<Instant>,
    /// Where the visible past begins; the beginning where nothing was folded away.
    pub begin: Var<Instant>,
    /// Where the cursor stands on its branch.
    pub place: Var<Place>,
    pub branches: Var<BranchList>,
    pub foresight: Var<ForecastVisibility>,
    /// What part of time the timeline is to show, and which it shows.
    pub extent: Var<Extent>,
    pub axis: Var<Axis>,
    pub pace: Var<RunState>,
    pub speed: Var<Speed>,
    pub mode: Var<RunMode>,
    /// The actor whose requests the console and the keys send.
    pub selected: Var<Badge>,
    /// The seed of the world's chance.
    pub seed: Var<u64>,
    /// How far time goes in a second, where it falls behind.
    pub reached: Var<Option<Duration>>,
    /// Whether it does.
    is_behind: Cell<bool>,
}

/// Where the cursor stands on its branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At its end: whatever happens next happens for the first time.
    End,
    /// In its past, which ends there.
    Past { end: Instant },
}

struct Inner {
    past: TimeTravel,
    numbers: RequestIds,
    pacer: Pacer,
    /// What happened in a frame that showed nothing of it, and is shown with the next.
    unshown: Option<Vec<SimEvent>>,
    /// What was touched and is not shown yet.
    late: Vec<RowKey>,
    /// Lanes that are drawn and have changed since.
    late_lanes: Vec<LaneId>,
    /// For how many locks it was worked out when they change hands, since something happened, and
    /// how far that has come for the next one.
    takeovers: usize,
    takeover: Option<(Key, TakeoverSearch)>,
    /// Counts the frames in which time fell behind.
    turns: usize,
}

/// What has to be shown again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stale {
    /// What the moments touched.
    Touched,
    /// The same, while time runs.
    Passing,
    /// The same, where time falls behind: a part of it, and another one with the next frame.
    Hurrying,
    /// The same, where something was done then: that comes first.
    Interrupted,
    /// The cursor was moved.
    Everything,
}

impl Runtime {
    /// A world with its past, paused. It stays as long as the page.
    pub fn new(timeline: Timeline) -> &'static Self {
        let seed = timeline.world().seed();
        let past = TimeTravel::new(timeline);
        let (now, branches) = (past.world().now(), branches(past.timeline()));
        let axis = Axis::new(&Arc::new(Scale::plain(now)), (now, now));
        let inner = Inner {
            past,
            numbers: RequestIds::default(),
            pacer: Pacer::default(),
            unshown: None,
            late: Vec::new(),
            late_lanes: Vec::new(),
            takeovers: TAKEOVERS,
            takeover: None,
            turns: 0,
        };
        let runtime: &Self = Box::leak(Box::new(Self {
            inner: RefCell::new(inner),
            keeper: OnceCell::new(),
            before: Var::new(0),
            world: Var::new(0),
            mirror: Mirror::default(),
            now: Var::new(now),
            drawn_now: core::array::from_fn(|_| Var::new(now)),
            drawings: Cell::new(0),
            coarse_now: Var::new(coarse(now)),
            begin: Var::new(Instant::EPOCH),
            place: Var::new(Place::End),
            branches: Var::new(branches),
            foresight: Var::new(ForecastVisibility::Open),
            extent: Var::new(Extent::Whole),
            axis: Var::new(axis),
            pace: Var::new(RunState::Paused),
            speed: Var::new(Speed::NORMAL),
            mode: Var::new(RunMode::Step),
            selected: Var::new(Badge(0)),
            seed: Var::new(seed),
            reached: Var::new(None),
            is_behind: Cell::new(false),
        }));
        runtime.show(&[], Stale::Everything);
        runtime
    }

    /// From now on the world outlives the page.
    pub fn keep_in(&self, keeper: Keeper) {
        // Only a second one is not taken.
        let _ = self.keeper.set(keeper);
    }

    pub fn keeper(&self) -> Option<&Keeper> {
        self.keeper.get()
    }

    /// Puts another world with its past in the place of this one, which can be put back.
    pub fn load(&self, timeline: Timeline) {
        self.pause();
        let mut past = TimeTravel::new(timeline);
        let log = past.take_log();
        if let Some(keeper) = self.keeper() {
            keeper.begin(&log);
        }
        self.replace(past);
    }

    /// The same with a world that is kept already.
    pub fn resume(&self, timeline: Timeline) {
        self.pause();
        self.replace(TimeTravel::resume(timeline));
    }

    fn replace(&self, past: TimeTravel) {
        self.seed.show(past.world().seed());
        let latest = past.full_history().moments().saturating_sub(TOLD_AGAIN);
        {
            let inner = &mut *self.inner.borrow_mut();
            inner.numbers.keep(|_| false);
            inner.past = past;
        }
        self.mirror.exchanges.keep(|_| false);
        self.tell_exchanges(latest);
        self.world.update(|count| *count += 1);
        self.before.show(self.keeper().map_or(0, Keeper::before));
        self.selected.show(Badge(0));
        self.extent.show(Extent::Whole);
        self.leave_branch();
    }

    /// A new client, on a node of its own.
    pub fn join(&self, name: &str) {
        self.dispatch(Act::Join { actor: ActorName::from(name) });
    }

    /// Does something now; in the past, on a new branch.
    pub fn perform(&self, act: Act) {
        self.dispatch(act);
    }

    /// Sends a request as an actor, at this moment. The answer, now or later, is in
    /// [`Runtime::exchange`]. None if there is no such actor.
    pub fn send(&self, actor: &ActorName, request: HttpRequest) -> Option<ExchangeId> {
        self.with_record(|record| record.actor_tag(actor).map(|_| ()))?;
        let moments = self.dispatch(Act::Request { actor: actor.clone(), request });
        let sent = moments.iter().find_map(|moment| match &moment.kind {
            EventKind::Sent { id, .. } => Some(*id),
            _ => None,
        });
        self.inner.borrow().numbers.of(sent?)
    }

    /// Gives up waiting for an answer.
    pub fn cancel(&self, id: ExchangeId) {
        let request = self.inner.borrow().numbers.request(id);
        if let Some(id) = request {
            self.dispatch(Act::Cancel { id });
        }
    }

    /// A request and what became of it; it changes when the answer comes.
    pub fn exchange(&self, id: ExchangeId) -> Option<Rc<Var<Exchange>>> {
        self.mirror.exchanges.row(&id)
    }

    /// How the branch that is shown differs from another one.
    pub fn compare(
        &self,
        other: BranchId,
        is_same: impl Fn(&EventRow, &EventRow) -> bool,
    ) -> Option<BranchDiff> {
        let past = &self.inner.borrow().past;
        let end = past.timeline().branch(other)?.end().at.min(past.end());
        Some(compare([past.full_history(), &past.history_of(other)?], end, is_same))
    }

    /// Whether what lies ahead is shown.
    pub fn foresee(&self, foresight: ForecastVisibility) {
        self.foresight.show(foresight);
        self.look_ahead(Stale::Touched);
        self.show_axis(self.now.now(), Stale::Touched);
        self.draw_lanes(Stale::Touched);
        self.mirror.publish();
    }

    /// Lets time go on by a span.
    pub fn pass(&self, span: Duration) {
        self.run_to(self.now.now().after(span));
    }

    pub fn run(&self) {
        self.inner.borrow_mut().pacer.run(wall_clock(), self.now.now());
        self.pace.set(RunState::Running);
    }

    pub fn pause(&self) {
        if self.pace.now() == RunState::Running {
            self.tick();
            self.inner.borrow_mut().pacer.pause();
            self.reached.show(None);
            self.pace.set(RunState::Paused);
            self.show(&[], Stale::Touched);
        }
    }

    /// What the main button does: a step, or run and pause.
    pub fn go(&self) {
        match (self.mode.now(), self.pace.now()) {
            (RunMode::Step, RunState::Paused) => self.step(),
            (RunMode::Play, RunState::Paused) => self.run(),
            (_, RunState::Running) => self.pause(),
        }
    }

    pub fn set_mode(&self, mode: RunMode) {
        if mode == RunMode::Step {
            self.pause();
        }
        self.mode.set(mode);
    }

    pub fn set_speed(&self, speed: Speed) {
        self.inner.borrow_mut().pacer.set_speed(speed, wall_clock(), self.now.now());
        self.speed.set(speed);
    }

    /// Catches up with the wall clock, as far as a frame has time for it; called once per frame,
    /// and now and then while the page is hidden. Where time falls behind it passes in one frame
    /// and is shown in the next: there is no room for both.
    pub fn tick(&self) {
        if self.inner.borrow().unshown.is_some() {
            self.measure();
            return self.show(&[], Stale::Hurrying);
        }
        let now = self.with_world(World::now);
        let due = self.inner.borrow().pacer.due(wall_clock(), now);
        if due <= now {
            return;
        }
        let moments = self.advance(due);
        if self.is_behind.get() {
            self.inner.borrow_mut().unshown = Some(moments);
            return;
        }
        self.measure();
        self.show(&moments, Stale::Passing);
    }

    /// Lets time pass up to a moment, or as far as there is time for it.
    fn advance(&self, due: Instant) -> Vec<SimEvent> {
        let has_time = for_a_while(if self.is_behind.get() { ALONE } else { AT_ONCE });
        let (past, mut moments) = (&mut self.inner.borrow_mut().past, Vec::new());
        while past.world().now() < due && has_time() {
            let until = past.world().now().after(PIECE).min(due);
            moments.extend(past.advance(until));
        }
        self.is_behind.set(past.world().now() < due);
        moments
    }

    fn measure(&self) {
        let Inner { past, pacer, .. } = &mut *self.inner.borrow_mut();
        if let Some(reached) = pacer.measure(wall_clock(), past.world().now()) {
            self.reached.show(Some(reached).filter(|_| self.is_behind.get()));
        }
    }

    /// The actor that is selected, followed.
    pub fn selected_actor(&self) -> Option<ActorTag> {
        self.selected_row().map(|row| row.with(|row| row.who.clone()))
    }

    /// The session of the selected actor, followed.
    pub fn selected_session(&self) -> Option<SessionId> {
        self.selected_row()?.with(|row| row.session.as_ref().map(|(id, _)| *id))
    }

    /// The actor that is selected now.
    pub fn selected_now(&self) -> Option<ActorTag> {
        untrack(|| self.selected_actor())
    }

    fn selected_row(&self) -> Option<Rc<Var<ActorRow>>> {
        self.mirror.actors.keys();
        self.mirror.actors.row(&self.selected.get())
    }

    /// One row of the event list, by its number from 1.
    pub fn event(&self, number: usize) -> Option<Arc<EventRow>> {
        let place = number.checked_sub(1)?;
        self.with_whole(|record| record.events().get(place).cloned())
    }

    /// What is known at the cursor.
    pub fn with_record<T>(&self, read: impl FnOnce(&History) -> T) -> T {
        read(self.inner.borrow().past.history())
    }

    /// The world at the cursor with what is known there.
    pub fn with_glance<T>(&self, read: impl FnOnce(WorldView<'_>) -> T) -> T {
        let past = &self.inner.borrow().past;
        read(WorldView { world: past.world(), record: past.history() })
    }

    /// What is known at the end of the branch.
    pub fn with_whole<T>(&self, read: impl FnOnce(&History) -> T) -> T {
        read(self.inner.borrow().past.full_history())
    }

    /// What the lanes show.
    pub fn with_ahead<T>(&self, read: impl FnOnce(&Forecast<'_>) -> T) -> T {
        read(&self.inner.borrow().past.forecast())
    }

    pub fn with_world<T>(&self, read: impl FnOnce(&World) -> T) -> T {
        read(self.inner.borrow().past.world())
    }

    pub fn with_timeline<T>(&self, read: impl FnOnce(&Timeline) -> T) -> T {
        read(self.inner.borrow().past.timeline())
    }

    fn dispatch(&self, act: Act) -> Vec<SimEvent> {
        let is_behind = self.is_behind.get() && self.pace.now() == RunState::Running;
        if !is_behind || self.inner.borrow().unshown.is_some() {
            self.tick();
        }
        let branch = self.branches.peek(|branches| branches.current);
        let moments = self.inner.borrow_mut().past.perform(act);
        if self.with_timeline(Timeline::current) != branch {
            self.leave_branch();
        }
        self.show(&moments, if is_behind { Stale::Interrupted } else { Stale::Touched });
        moments
    }

    /// Tells what became of requests after so many moments of the branch.
    fn tell_exchanges(&self, after: u64) {
        let Inner { past, numbers, .. } = &mut *self.inner.borrow_mut();
        let here = past.timeline().here();
        for moment in here.events(after + 1..here.end().event_number + 1) {
            reflect::exchange(&self.mirror, numbers, (past.full_history(), &moment));
        }
    }

    /// What belongs to a branch that is no longer shown is taken away.
    fn leave_branch(&self) {
        {
            let Inner { past, numbers, .. } = &mut *self.inner.borrow_mut();
            let glance = WorldView { world: past.world(), record: past.history() };
            reflect::branched(&self.mirror, numbers, glance);
        }
        self.mirror.branch.update(|count| *count += 1);
        self.show(&[], Stale::Everything);
    }
}

/// Whether a part of a frame's work, which begins now, has time for more.
pub fn for_a_while(span: Duration) -> impl Fn() -> bool {
    let begun = wall_clock();
    move || wall_clock() < begun + span
}

/// What the wall clock says, from the page's start. It never runs backwards.
pub fn wall_clock() -> Duration {
    let millis = window().performance().map_or(0.0, |performance| performance.now());
    Duration::from_nanos((millis * 1e6) as u64)
}
