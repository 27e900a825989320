//! Owns the world, and is the only one to call it. Everything that a person or a program does comes
//! in here as an act, goes to the world, and comes back as moments, which are folded into the
//! record and shown through the mirror.

use core::time::Duration;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leptos::prelude::{
    on_cleanup, request_animation_frame, set_interval_with_handle, untrack, window,
};
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, RequestId, SessionId};
use lictor_core::sim::{Act, Happening, Moment, World};
use lictor_core::time::Instant;

use crate::exchange::Exchange;
use crate::glance::Glance;
use crate::mirror::Mirror;
use crate::pacer::{Pace, Pacer, RunMode, Speed};
use crate::record::Record;
use crate::reflect;
use crate::rows::{ActorRow, EventRow};
use crate::timeline::axis::{Axis, Extent};
use crate::ui::Badge;
use crate::var::Var;

/// The text of a countdown changes this often; its drawing with every frame.
const COARSE: Duration = Duration::from_millis(100);

/// The page's world with all that is shown of it.
pub struct Runtime {
    inner: RefCell<Inner>,
    pub mirror: Mirror,
    /// Virtual time, once per frame.
    pub now: Var<Instant>,
    /// Virtual time in tenths of a second, for text.
    pub coarse_now: Var<Instant>,
    /// What part of time the timeline is to show, and which it shows.
    pub extent: Var<Extent>,
    pub axis: Var<Axis>,
    pub pace: Var<Pace>,
    pub speed: Var<Speed>,
    pub mode: Var<RunMode>,
    /// The actor whose requests the console and the keys send.
    pub selected: Var<Badge>,
    /// The seed of the world's chance.
    pub seed: u64,
}

struct Inner {
    world: World,
    record: Record,
    pacer: Pacer,
}

impl Runtime {
    /// A world of its own, with nobody in it, paused at 0. It stays as long as the page.
    pub fn new(seed: u64) -> &'static Self {
        let inner =
            Inner { world: World::new(seed), record: Record::default(), pacer: Pacer::default() };
        let now = inner.world.now();
        Box::leak(Box::new(Self {
            inner: RefCell::new(inner),
            mirror: Mirror::default(),
            now: Var::new(now),
            coarse_now: Var::new(coarse(now)),
            extent: Var::new(Extent::Whole),
            axis: Var::new(Axis::around(now, Extent::Whole)),
            pace: Var::new(Pace::Paused),
            speed: Var::new(Speed::NORMAL),
            mode: Var::new(RunMode::Step),
            selected: Var::new(Badge(0)),
            seed,
        }))
    }

    /// A new client, on a node of its own.
    pub fn join(&self, name: &str) {
        self.dispatch(Act::Join { actor: ActorName::from(name) });
    }

    /// Sends a request as an actor, at this moment. The answer, now or later, is in
    /// [`Runtime::exchange`]. None if there is no such actor.
    pub fn send(&self, actor: &ActorName, request: HttpRequest) -> Option<RequestId> {
        self.with_record(|record| record.who(actor).map(|_| ()))?;
        let moments = self.dispatch(Act::Request { actor: actor.clone(), request });
        moments.iter().find_map(|moment| match &moment.happening {
            Happening::Sent { id, .. } => Some(*id),
            _ => None,
        })
    }

    /// Gives up waiting for an answer.
    pub fn cancel(&self, id: RequestId) {
        self.dispatch(Act::Cancel { id });
    }

    /// A request and what became of it; it changes when the answer comes.
    pub fn exchange(&self, id: RequestId) -> Option<Rc<Var<Exchange>>> {
        self.mirror.exchanges.row(&id)
    }

    /// Lets virtual time go on to a moment; nothing happens if that is past.
    pub fn run_to(&self, at: Instant) {
        let moments = self.inner.borrow_mut().world.advance(at);
        self.show(&moments);
        self.inner.borrow_mut().pacer.jumped(wall_clock(), self.now.now());
    }

    /// Goes to the next deadline, if there is one.
    pub fn step(&self) {
        let next = self.with_world(|world| world.next_deadline().map(|(at, _)| at));
        if let Some(at) = next {
            self.run_to(at);
        }
    }

    /// Lets time go on by a span.
    pub fn pass(&self, span: Duration) {
        self.run_to(self.now.now().after(span));
    }

    pub fn run(&self) {
        self.inner.borrow_mut().pacer.run(wall_clock(), self.now.now());
        self.pace.set(Pace::Running);
    }

    pub fn pause(&self) {
        self.tick();
        self.inner.borrow_mut().pacer.pause();
        self.pace.set(Pace::Paused);
    }

    /// What the main button does: a step, or run and pause.
    pub fn go(&self) {
        match (self.mode.now(), self.pace.now()) {
            (RunMode::Step, Pace::Paused) => self.step(),
            (RunMode::Play, Pace::Paused) => self.run(),
            (_, Pace::Running) => self.pause(),
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

    pub fn set_extent(&self, extent: Extent) {
        self.extent.set(extent);
        self.axis.show(Axis::around(self.coarse_now.now(), extent));
    }

    /// Catches up with the wall clock; called once per frame, and now and then while the page is
    /// hidden.
    pub fn tick(&self) {
        let now = self.now.now();
        let due = self.inner.borrow().pacer.due(wall_clock(), now);
        if due > now {
            let moments = self.inner.borrow_mut().world.advance(due);
            self.show(&moments);
        }
    }

    /// The actor that is selected, followed.
    pub fn selected_actor(&self) -> Option<ActorRow> {
        self.mirror.actors.keys();
        self.mirror.actors.row(&self.selected.get()).map(|row| row.get())
    }

    /// The session of the selected actor, followed.
    pub fn selected_session(&self) -> Option<SessionId> {
        self.selected_actor()?.session.map(|(id, _)| id)
    }

    /// The actor that is selected now.
    pub fn selected_now(&self) -> Option<ActorRow> {
        untrack(|| self.selected_actor())
    }

    /// One row of the event list, by its number from 1.
    pub fn event(&self, number: usize) -> Option<EventRow> {
        let place = number.checked_sub(1)?;
        self.with_record(|record| record.events().get(place).cloned())
    }

    pub fn with_record<T>(&self, read: impl FnOnce(&Record) -> T) -> T {
        read(&self.inner.borrow().record)
    }

    pub fn with_world<T>(&self, read: impl FnOnce(&World) -> T) -> T {
        read(&self.inner.borrow().world)
    }

    fn dispatch(&self, act: Act) -> Vec<Moment> {
        self.tick();
        let moments = self.inner.borrow_mut().world.perform(act);
        self.show(&moments);
        moments
    }

    /// Folds moments into the record and brings the mirror up to date with what they touched.
    fn show(&self, moments: &[Moment]) {
        let Inner { world, record, .. } = &mut *self.inner.borrow_mut();
        for moment in moments {
            record.fold(moment);
            reflect::exchange(&self.mirror, record, moment);
        }
        let touched = record.take_touched();
        reflect::touched(&self.mirror, Glance { world, record }, &touched);
        let now = world.now();
        self.now.show(now);
        self.coarse_now.show(coarse(now));
        self.axis.show(Axis::around(coarse(now), self.extent.now()));
        self.mirror.publish();
    }
}

/// Keeps virtual time going for as long as the page is there: with every frame, and once a second
/// while the page is hidden and has no frames.
pub fn keep_time(runtime: &'static Runtime) {
    fn frame(runtime: &'static Runtime, is_there: Arc<AtomicBool>) {
        if is_there.load(Ordering::Relaxed) {
            runtime.tick();
            request_animation_frame(move || frame(runtime, is_there));
        }
    }
    let is_there = Arc::new(AtomicBool::new(true));
    frame(runtime, is_there.clone());
    let hidden = set_interval_with_handle(move || runtime.tick(), Duration::from_secs(1));
    on_cleanup(move || {
        is_there.store(false, Ordering::Relaxed);
        hidden.into_iter().for_each(|handle| handle.clear());
    });
}

/// What the wall clock says, from the page's start. It never runs backwards.
fn wall_clock() -> Duration {
    let millis = window().performance().map_or(0.0, |performance| performance.now());
    Duration::from_nanos((millis * 1e6) as u64)
}

fn coarse(at: Instant) -> Instant {
    let step = COARSE.as_millis() as u64;
    Instant::from_millis(at.as_millis() / step * step)
}
