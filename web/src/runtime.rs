//! Owns the world, and is the only one to call it. Everything that a person or a program does comes
//! in here as an act, goes to the world, and comes back as moments, which are folded into the
//! record and shown through the mirror. It is plain data in one stored value; copies of it are
//! handles.

use core::time::Duration;

use leptos::prelude::*;
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
use crate::ui::Badge;

/// The text of a countdown changes this often; its drawing with every frame.
const COARSE: Duration = Duration::from_millis(100);

/// The page's handle to its world.
#[derive(Clone, Copy)]
pub struct Runtime {
    inner: StoredValue<Inner>,
    pub mirror: Mirror,
    /// Virtual time, once per frame.
    pub now: Signal<Instant>,
    /// Virtual time in tenths of a second, for text.
    pub coarse_now: Signal<Instant>,
    pub pace: Signal<Pace>,
    pub speed: Signal<Speed>,
    pub mode: RwSignal<RunMode>,
    /// The actor whose requests the console and the keys send.
    pub selected: RwSignal<Badge>,
    /// The seed of the world's chance.
    pub seed: u64,
    set_now: WriteSignal<Instant>,
    set_pace: WriteSignal<Pace>,
    set_speed: WriteSignal<Speed>,
}

struct Inner {
    world: World,
    record: Record,
    pacer: Pacer,
}

impl Runtime {
    /// A world of its own, with nobody in it, paused at 0.
    pub fn new(seed: u64) -> Self {
        let inner =
            Inner { world: World::new(seed), record: Record::default(), pacer: Pacer::default() };
        let (now, set_now) = signal(inner.world.now());
        let (pace, set_pace) = signal(Pace::Paused);
        let (speed, set_speed) = signal(Speed::NORMAL);
        let coarse_now = Memo::new(move |_| coarse(now.get()));
        Self {
            inner: StoredValue::new(inner),
            mirror: Mirror::default(),
            now: now.into(),
            coarse_now: coarse_now.into(),
            pace: pace.into(),
            speed: speed.into(),
            mode: RwSignal::new(RunMode::Step),
            selected: RwSignal::new(Badge(0)),
            seed,
            set_now,
            set_pace,
            set_speed,
        }
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

    /// A request and what became of it; the signal changes when the answer comes.
    pub fn exchange(&self, id: RequestId) -> Option<ArcRwSignal<Exchange>> {
        self.mirror.exchanges.row(&id)
    }

    /// Lets virtual time go on to a moment; nothing happens if that is past.
    pub fn run_to(&self, at: Instant) {
        let moments = self.inner.try_update_value(|inner| inner.world.advance(at));
        self.show(&moments.unwrap_or_default());
        let (wall, now) = (wall_clock(), self.now.get_untracked());
        self.inner.update_value(|inner| inner.pacer.jumped(wall, now));
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
        self.run_to(self.now.get_untracked().after(span));
    }

    pub fn run(&self) {
        let (wall, now) = (wall_clock(), self.now.get_untracked());
        self.inner.update_value(|inner| inner.pacer.run(wall, now));
        self.set_pace.set(Pace::Running);
    }

    pub fn pause(&self) {
        self.tick();
        self.inner.update_value(|inner| inner.pacer.pause());
        self.set_pace.set(Pace::Paused);
    }

    /// What the main button does: a step, or run and pause.
    pub fn go(&self) {
        match (self.mode.get_untracked(), self.pace.get_untracked()) {
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
        let (wall, now) = (wall_clock(), self.now.get_untracked());
        self.inner.update_value(|inner| inner.pacer.set_speed(speed, wall, now));
        self.set_speed.set(speed);
    }

    /// Catches up with the wall clock; called once per frame, and now and then while the page is
    /// hidden.
    pub fn tick(&self) {
        let now = self.now.get_untracked();
        let due = self.inner.with_value(|inner| inner.pacer.due(wall_clock(), now));
        if due > now {
            let moments = self.inner.try_update_value(|inner| inner.world.advance(due));
            self.show(&moments.unwrap_or_default());
        }
    }

    /// The actor that is selected, tracked.
    pub fn selected_actor(&self) -> Option<ActorRow> {
        self.mirror.actors.keys();
        self.mirror.actors.row(&self.selected.get()).map(|row| row.get())
    }

    /// The session of the selected actor, tracked.
    pub fn selected_session(&self) -> Option<SessionId> {
        self.selected_actor()?.session.map(|(id, _)| id)
    }

    /// One row of the event list, by its number from 1.
    pub fn event(&self, number: usize) -> Option<EventRow> {
        let place = number.checked_sub(1)?;
        self.with_record(|record| record.events().get(place).cloned())
    }

    pub fn with_record<T>(&self, read: impl FnOnce(&Record) -> T) -> T {
        let (mut read, mut found) = (Some(read), None);
        self.look(&mut |inner| found = read.take().map(|read| read(&inner.record)));
        found.expect("the look is taken once")
    }

    pub fn with_world<T>(&self, read: impl FnOnce(&World) -> T) -> T {
        let (mut read, mut found) = (Some(read), None);
        self.look(&mut |inner| found = read.take().map(|read| read(&inner.world)));
        found.expect("the look is taken once")
    }

    /// The one way in for readers: the code behind a stored value is there once, not for each
    /// reader.
    fn look(&self, read: &mut dyn FnMut(&Inner)) {
        self.inner.with_value(|inner| read(inner));
    }

    fn dispatch(&self, act: Act) -> Vec<Moment> {
        self.tick();
        let moments = self.inner.try_update_value(|inner| inner.world.perform(act));
        let moments = moments.unwrap_or_default();
        self.show(&moments);
        moments
    }

    /// Folds moments into the record and brings the mirror up to date with what they touched.
    fn show(&self, moments: &[Moment]) {
        for moment in moments {
            self.inner.update_value(|inner| inner.record.fold(moment));
            self.with_record(|record| reflect::exchange(&self.mirror, record, moment));
        }
        let touched = self.inner.try_update_value(|inner| inner.record.take_touched());
        self.inner.with_value(|inner| {
            let glance = Glance { world: &inner.world, record: &inner.record };
            reflect::touched(&self.mirror, glance, &touched.unwrap_or_default());
            let now = inner.world.now();
            if self.now.get_untracked() != now {
                self.set_now.set(now);
            }
        });
        self.mirror.publish();
    }
}

/// Keeps virtual time going for as long as the page is there: with every frame, and once a second
/// while the page is hidden and has no frames.
pub fn keep_time(runtime: Runtime) {
    fn frame(runtime: Runtime) {
        if !runtime.inner.is_disposed() {
            runtime.tick();
            request_animation_frame(move || frame(runtime));
        }
    }
    frame(runtime);
    let hidden = set_interval_with_handle(move || runtime.tick(), Duration::from_secs(1));
    if let Ok(handle) = hidden {
        on_cleanup(move || handle.clear());
    }
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
