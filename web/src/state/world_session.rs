//! The open world of a page: a saved one, a fresh sandbox, one from a link or a file, or that of a
//! lesson.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::ConsulVersion;
use lictor_desk::lessons::{Lesson, LessonAxis, LessonBookmark, LessonBookmarks, LessonProgress};
use lictor_sim::World;
use lictor_sim::journal::Log;
use lictor_sim::record::Record;
use lictor_sim::scenario::Variant;
use lictor_sim::timeline::Timeline;
use lictor_view::fresh_world::sandbox;
use lictor_view::rows::ForecastVisibility;
use lictor_view::time_travel::TimeTravel;

use crate::platform::settings::{settings, store_begun, store_lessons, stored_lessons};
use crate::platform::world_store::WorldStore;
use crate::state::controller::Controller;

/// The open world with its lesson, and the worlds and lessons that were left. A cheap copy: all
/// copies share them.
#[derive(Clone, Copy)]
pub struct WorldSession {
    pub controller: Controller,
    /// The progress of the lesson that the world belongs to; `None` in a sandbox.
    pub(super) reading: RwSignal<Option<LessonProgress>>,
    /// The page and the guess in each lesson that was left, in this visit or in earlier ones.
    pub(super) bookmarks: StoredValue<LessonBookmarks>,
    /// Whether the choices of a first visit are shown, which is until the reader opens another
    /// world or answers the question.
    pub is_first_visit: RwSignal<bool>,
    /// The number of new worlds without a lesson that were opened.
    pub(super) opened: RwSignal<u32>,
}

/// A world to open.
pub(super) enum OpenedWorld {
    /// A world to be saved from now on; the one that it replaces can be restored.
    New(Timeline<Record>),
    /// A world that this browser has saved already.
    Saved(Timeline<Record>),
}

/// A world that can be opened again.
pub struct ReplacedWorld {
    /// Its index in the list.
    pub index: u32,
    /// The progress of the lesson that it belongs to; `None` for a sandbox.
    pub lesson: Option<LessonProgress>,
    pub timeline: Timeline<Record>,
    /// Whether the list is full, so that the next replaced world drops it.
    pub is_dropped_next: bool,
}

/// The state in which a page opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing was saved in this browser.
    FirstVisit,
    /// With a fresh sandbox: the saved world cannot be read, or the page saves nothing.
    Fresh,
    /// With the world of an earlier visit.
    Kept,
}

impl WorldSession {
    pub fn new(controller: Controller) -> Self {
        Self {
            controller,
            reading: RwSignal::new(None),
            bookmarks: StoredValue::new(stored_lessons()),
            is_first_visit: RwSignal::new(false),
            opened: RwSignal::new(0),
        }
    }

    /// Restores the saved world and lesson, and saves all changes from now on.
    pub fn start_page(self, world_store: WorldStore) -> Opening {
        let kept = world_store.log();
        let read = (!kept.is_empty()).then(|| Log::read(&kept));
        if let Some(Err(error)) = &read {
            world_store.reject(&error.to_string());
        }
        self.controller.save_in(world_store);
        let opening = match read {
            Some(Ok(timeline)) => {
                self.open_saved(timeline);
                Opening::Kept
            }
            Some(Err(_)) => {
                self.open_sandbox();
                Opening::Fresh
            }
            None => {
                self.open_sandbox();
                Opening::FirstVisit
            }
        };
        Effect::new(move |_| {
            let lesson = self.reading.with(|reading| reading.as_ref().map(LessonProgress::to_text));
            if let Some(world_store) = self.controller.world_store() {
                world_store.set_lesson(lesson.as_deref().unwrap_or(""));
            }
        });
        opening
    }

    /// The worlds that can be opened again, the latest replaced one first.
    pub fn replaced(self) -> Vec<ReplacedWorld> {
        let Some(world_store) = self.controller.world_store() else { return Vec::new() };
        let (count, is_full) = (world_store.replaced_count(), world_store.is_replaced_full());
        let worlds = (0..count).filter_map(|index| {
            // This page wrote the log, so it can be read; one that cannot is left out.
            let timeline = Log::read(&world_store.replaced_log(index)).ok()?;
            let lesson = LessonProgress::from_text(&world_store.replaced_story(index));
            let is_dropped_next = is_full && index + 1 == count;
            Some(ReplacedWorld { index, lesson, timeline, is_dropped_next })
        });
        worlds.collect()
    }

    /// Opens a world that was saved under a name, by its id; a fresh sandbox if it cannot be read.
    /// Does nothing if there is no such world.
    pub async fn open_saved_world(self, id: &str) {
        let Some(world_store) = self.controller.world_store() else { return };
        self.forget_unchanged_lesson();
        if !world_store.open_saved(id).await.is_truthy() {
            return;
        }
        match Log::read(&world_store.log()) {
            Ok(timeline) => self.open_saved(timeline),
            Err(error) => {
                world_store.reject(&error.to_string());
                self.open_sandbox();
            }
        }
    }

    /// Opens a world that was replaced.
    pub fn restore_replaced(self, index: u32) {
        let Some(world_store) = self.controller.world_store() else { return };
        self.forget_unchanged_lesson();
        world_store.restore_replaced(index);
        if let Ok(timeline) = Log::read(&world_store.log()) {
            self.open_saved(timeline);
        }
    }

    /// Leaves the lesson for the sandbox before it; for a fresh one if there was none.
    pub fn return_to_sandbox(self) {
        if self.reading.with_untracked(Option::is_none) {
            return;
        }
        let earlier = self.controller.world_store().and_then(|world_store| {
            let mut all = 0..world_store.replaced_count();
            all.find(|index| world_store.replaced_story(*index).is_empty())
        });
        match earlier {
            Some(index) => self.restore_replaced(index),
            None => self.open_sandbox(),
        }
    }

    /// Opens a world that this browser has saved, with the lesson that was open in it.
    fn open_saved(self, timeline: Timeline<Record>) {
        let lesson = self.controller.world_store().map(|world_store| world_store.lesson());
        let reading = lesson.and_then(|lesson| LessonProgress::from_text(&lesson));
        self.load(OpenedWorld::Saved(timeline), reading);
    }

    /// Opens a fresh sandbox of the version of Consul that the reader has chosen.
    pub fn open_sandbox(self) {
        self.open(fresh());
    }

    /// Opens a world that belongs to no lesson.
    pub fn open(self, timeline: Timeline<Record>) {
        self.load(OpenedWorld::New(timeline), None);
        self.opened.update(|count| *count += 1);
    }

    /// Chooses the version of Consul of new worlds. If the open world has another one, a fresh
    /// sandbox replaces it.
    pub fn choose_consul(self, version: ConsulVersion) {
        settings().choose_consul(version);
        if self.controller.version.get_untracked() != version {
            self.open_sandbox();
        }
    }

    /// Leaves the open lesson, if there is one, and opens a world with the progress of its lesson.
    /// Every opening of a world goes through here.
    pub(super) fn load(self, world: OpenedWorld, reading: Option<LessonProgress>) {
        self.end_first_visit();
        self.remember_lesson();
        let lesson = reading.as_ref().map(|reading| &reading.lesson);
        self.controller.lesson_axis.set(lesson.map(|lesson| axis(lesson)));
        self.controller.former.set_value(lesson.and_then(|lesson| former(lesson)));
        match world {
            OpenedWorld::New(timeline) => {
                self.forget_unchanged_lesson();
                self.controller.load(timeline);
            }
            OpenedWorld::Saved(timeline) => self.controller.resume(timeline),
        }
        let forecast_visibility = reading.as_ref().map(LessonProgress::forecast_visibility);
        self.controller
            .set_forecast_visibility(forecast_visibility.unwrap_or(ForecastVisibility::Open));
        self.reading.set(reading);
    }

    /// Stops offering the choices of a first visit, in this visit and in later ones.
    pub(super) fn end_first_visit(self) {
        if self.is_first_visit.get_untracked() {
            self.is_first_visit.set(false);
            store_begun();
        }
    }

    /// Whether the reader has acted in the open lesson, or is on a branch of their own; subscribes.
    pub(super) fn is_lesson_changed(self) -> bool {
        let Some(reading) = self.reading.get() else { return false };
        self.controller.store.events.track();
        self.controller.branches.track();
        let last_page = reading
            .last_played_page
            .and_then(|last_played_page| reading.lesson.pages.get(last_played_page));
        self.controller.with_timeline(|timeline| {
            let is_other = timeline.current() != reading.branch;
            is_other
                || last_page.is_some_and(|page| timeline.here().end().acts != page.position.acts)
        })
    }

    /// Keeps an open lesson without acts of the reader out of the replaced worlds: the list of
    /// questions opens it where it was left.
    fn forget_unchanged_lesson(self) {
        let is_unchanged =
            self.reading.with_untracked(Option::is_some) && !untrack(|| self.is_lesson_changed());
        if let Some(world_store) = self.controller.world_store().filter(|_| is_unchanged) {
            world_store.set_unchanged();
        }
    }

    /// Remembers the page and the guess of the open lesson, which is about to be left. A lesson
    /// that runs with its fix is remembered as it was before that.
    fn remember_lesson(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        if reading.lesson.variant == Variant::Plain {
            let bookmark = LessonBookmark { page: reading.page, guess: reading.guess };
            self.bookmarks.update_value(|all| all.set(reading.lesson.scenario.number, bookmark));
            self.bookmarks.with_value(store_lessons);
        }
    }
}

/// A fresh sandbox of the version of Consul that the reader has chosen.
pub fn fresh() -> Timeline<Record> {
    sandbox(settings().consul.get_untracked())
}

/// The time axis of a lesson, with and without its fix.
fn axis(lesson: &Lesson) -> LessonAxis {
    let variants =
        [Variant::Plain, Variant::Fixed].map(|it| Lesson::play(lesson.scenario.number, it));
    variants.iter().flatten().map(Lesson::axis).fold(lesson.axis(), LessonAxis::max)
}

/// The history of a lesson without its fix, if the lesson runs with the fix.
fn former(lesson: &Lesson) -> Option<Arc<Record>> {
    if lesson.variant != Variant::Fixed {
        return None;
    }
    let plain = Lesson::play(lesson.scenario.number, Variant::Plain).ok()?;
    let mut past = TimeTravel::new(Timeline::recorded(World::new(plain.scenario.seed)));
    past.play_script(&plain.script, plain.pages.last()?.position, "");
    Some(Arc::new(past.record_at_end().clone()))
}
