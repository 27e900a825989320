//! Controls the open story: its pages, the guess, the fix, and leaving it. The script of a story is
//! played up to the open page only, so that nothing is visible too early; an act of the reader
//! begins a branch, and the story continues on its own. `panels::story` is the view.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::ConsulVersion;
use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::history::History;
use lictor_sandbox::share::{self, ImportError, Imported};
use lictor_sandbox::time_travel::TimeTravel;
use lictor_sandbox::tutorial::{
    ForecastVisibility, Guess, LeftStories, LeftStory, Scores, Story, StoryAxis, StoryProgress,
    in_language,
};
use lictor_sim::World;
use lictor_sim::journal::Log;
use lictor_sim::scenario::Variant;
use lictor_sim::timeline::{Position, Target, Timeline};

use crate::platform::settings::{
    settings, store_scores, store_stories, stored_scores, stored_stories,
};
use crate::platform::world_store::WorldStore;
use crate::state::controller::Controller;

/// The open story and its progress, and the answered questions. A `Copy` handle.
#[derive(Clone, Copy)]
pub struct Tutorial {
    pub controller: Controller,
    pub reading: RwSignal<Option<StoryProgress>>,
    /// Which questions were answered, in this visit or in earlier ones.
    pub scores: RwSignal<Scores>,
    /// The choice that is marked for the guess.
    pub chosen: RwSignal<Option<usize>>,
    /// Whether the reader pressed "Guess" without a choice.
    pub is_choice_missing: RwSignal<bool>,
    /// Where the reader was in the stories that were left, in this visit or in earlier ones.
    left: StoredValue<LeftStories>,
    /// Whether the three ways to begin are offered: in a first visit, until one of them is taken.
    pub is_first_visit: RwSignal<bool>,
}

/// The row of the event list that shows the answer of the open story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub row: usize,
    /// Whether the cursor is where the answer is shown.
    pub is_shown: bool,
}

/// The test id of the story's strip, which has the focus when a story opens.
pub const STORY: &str = "story";

/// The question of a first visit.
const FIRST_QUESTION: u32 = 1;

/// What the page opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// Nothing was saved in this browser.
    FirstVisit,
    /// A fresh sandbox: the saved world cannot be read, or nothing is saved at all.
    Fresh,
    /// What was kept of an earlier visit.
    Kept,
}

impl Tutorial {
    /// No story is open.
    pub fn new(controller: Controller) -> Self {
        Self {
            controller,
            reading: RwSignal::new(None),
            scores: RwSignal::new(stored_scores()),
            chosen: RwSignal::new(None),
            is_choice_missing: RwSignal::new(false),
            left: StoredValue::new(stored_stories()),
            is_first_visit: RwSignal::new(false),
        }
    }

    /// Restores the saved world and story, and saves all changes from now on.
    pub fn begin(self, world_store: WorldStore) -> Opening {
        let kept = world_store.log();
        let read = (!kept.is_empty()).then(|| Log::read(&kept));
        if let Some(Err(why)) = &read {
            world_store.reject(&why.to_string());
        }
        self.controller.save_in(world_store);
        let opening = match read {
            Some(Ok(timeline)) => {
                self.resume(timeline);
                Opening::Kept
            }
            Some(Err(_)) => {
                self.controller.load(fresh());
                Opening::Fresh
            }
            None => {
                self.controller.load(fresh());
                Opening::FirstVisit
            }
        };
        Effect::new(move |_| {
            let story = self.reading.with(|reading| reading.as_ref().map(StoryProgress::to_text));
            self.controller
                .world_store()
                .into_iter()
                .for_each(|it| it.set_story(story.as_deref().unwrap_or("")));
        });
        opening
    }

    /// Restores the world before this one.
    pub fn put_back(self) {
        let Some(world_store) = self.controller.world_store() else { return };
        world_store.restore_replaced();
        // This page wrote it.
        if let Ok(timeline) = Log::read(&world_store.log()) {
            self.resume(timeline);
        }
    }

    /// Shows a saved world, with the story that was open in it.
    fn resume(self, timeline: Timeline) {
        let story = self.controller.world_store().map(|world_store| world_store.story());
        let reading = story.and_then(|story| StoryProgress::from_text(&story));
        self.controller.story_axis.set(reading.as_ref().map(|reading| axis(&reading.story)));
        let former = reading.as_ref().and_then(|reading| former(&reading.story));
        self.controller.former.set_value(former);
        self.controller.resume(timeline);
        let foresight = reading.as_ref().map(StoryProgress::foresight);
        self.controller.set_foresight(foresight.unwrap_or(ForecastVisibility::Open));
        self.reading.set(reading);
    }

    /// Opens a link or the text of a file.
    pub fn receive(self, text: &str) -> Result<(), ImportError> {
        match share::read(text)? {
            Imported::World { timeline, spacing } => {
                settings().spacing.set(spacing.unwrap_or(settings().spacing.get_untracked()));
                self.close(*timeline);
            }
            Imported::Story { story, page } => self.begin_at(story, page),
        }
        Ok(())
    }

    /// Opens a story at its first page. The scenarios come with the page and are tested; one that
    /// cannot be played is not opened.
    pub fn open(self, number: u32, variant: Variant) {
        if let Ok(story) = Story::read(number, variant) {
            self.begin_at(story.into(), 0);
        }
    }

    fn begin_at(self, story: Arc<Story>, page: usize) {
        self.is_first_visit.set(false);
        self.remember_left();
        self.chosen.set(None);
        self.is_choice_missing.set(false);
        self.controller.story_axis.set(Some(axis(&story)));
        self.controller.former.set_value(former(&story));
        self.controller.load(Timeline::new(World::new(story.scenario.seed)));
        let branch = self.controller.with_timeline(Timeline::current);
        let reading = StoryProgress { story, page: 0, guess: None, lived: None, branch };
        self.show(reading, page);
    }

    /// Closes the story, and opens a fresh sandbox of the chosen version of Consul.
    pub fn open_sandbox(self) {
        self.close(fresh());
    }

    /// Chooses the version of Consul of new worlds. If the open world has another one, a fresh
    /// sandbox replaces it.
    pub fn choose_consul(self, version: ConsulVersion) {
        settings().choose_consul(version);
        if self.controller.version.get_untracked() != version {
            self.open_sandbox();
        }
    }

    /// Closes the story, and begins another world.
    pub fn close(self, sandbox: Timeline) {
        self.is_first_visit.set(false);
        self.remember_left();
        self.reading.set(None);
        self.controller.story_axis.set(None);
        self.controller.former.set_value(None);
        self.controller.set_foresight(ForecastVisibility::Open);
        self.controller.load(sandbox);
    }

    /// The open page, if the cursor is at its position on the branch of the story; subscribes.
    pub fn shown_page(self) -> Option<StoryProgress> {
        let reading = self.reading.get()?;
        self.controller.cursor.track();
        self.controller.store.reached.track();
        let page = reading.story.pages.get(reading.page)?.position;
        let (branch, here) =
            self.controller.with_timeline(|timeline| (timeline.current(), timeline.position()));
        let is_told = branch == reading.branch && (here.at, here.acts) == (page.at, page.acts);
        is_told.then_some(reading)
    }

    /// What shows the answer on the branch of the story, once the question is answered; subscribes.
    pub fn evidence(self) -> Option<Evidence> {
        let place = self.reading.get()?.answer()?.answer_place;
        let branch = self.reading.with_untracked(|it| it.as_ref().map(|it| it.branch));
        self.controller.cursor.track();
        self.controller.store.reached.track();
        self.controller.store.branch.track();
        let (current, here) =
            self.controller.with_timeline(|timeline| (timeline.current(), timeline.position()));
        let row = self.controller.with_full_history(|all| place.row(all).map(|row| row.number));
        let row = row.filter(|_| branch == Some(current))?;
        Some(Evidence { row, is_shown: here == place.position })
    }

    pub fn next(self) {
        if let Some(reading) = self.reading.get_untracked() {
            let page = reading.page + 1;
            self.show(reading, page);
        }
    }

    pub fn back(self) {
        if let Some(reading) = self.reading.get_untracked() {
            let page = reading.page.saturating_sub(1);
            self.show(reading, page);
        }
    }

    /// Opens a story at its question, or as it was left.
    pub fn open_question(self, number: u32) {
        let Ok(story) = Story::read(number, Variant::Plain) else { return };
        let asked = story.question().map_or(0, |(page, _)| page);
        let left = self.left.with_value(|left| left.of(&story));
        let left = left.unwrap_or(LeftStory { page: asked, guess: None });
        self.begin_left(story.into(), left);
    }

    fn begin_left(self, story: Arc<Story>, left: LeftStory) {
        let asked = story.question().map_or(0, |(page, _)| page);
        self.begin_at(story, if left.guess.is_some() { asked } else { left.page });
        if let Some(guess) = left.guess {
            self.answer(guess);
            if let Some(reading) = self.reading.get_untracked().filter(|it| it.page != left.page) {
                self.show(reading, left.page);
            }
        }
    }

    /// Remembers where the reader is in the open story, which is about to be left. A story that
    /// runs with its fix is remembered as it was before that.
    fn remember_left(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        if reading.story.variant == Variant::Plain {
            let left = LeftStory { page: reading.page, guess: reading.guess };
            self.left.update_value(|all| all.leave(reading.story.scenario.number, left));
            self.left.with_value(store_stories);
        }
    }

    /// Whether the reader has acted in the open story, or is on a branch of their own; subscribes.
    pub fn is_changed(self) -> bool {
        let Some(reading) = self.reading.get() else { return false };
        self.controller.store.events.track();
        self.controller.branches.track();
        let told = reading.lived.and_then(|lived| reading.story.pages.get(lived));
        self.controller.with_timeline(|timeline| {
            let is_other = timeline.current() != reading.branch;
            is_other || told.is_some_and(|page| timeline.here().end().acts != page.position.acts)
        })
    }

    /// Replays the story up to the open page, without the acts of the reader.
    pub fn restore_story(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        let left = LeftStory { page: reading.page, guess: reading.guess };
        let chosen = self.chosen.get_untracked();
        self.begin_left(reading.story, left);
        self.chosen.set(chosen);
    }

    /// Opens the first question, with the ways to begin something else.
    pub fn begin_first_visit(self) {
        self.open_question(FIRST_QUESTION);
        self.is_first_visit.set(true);
        if let Some(world_store) = self.controller.world_store() {
            world_store.set_unchanged();
        }
    }

    /// Answers the question: the story is played to its end, and the cursor goes to the answer.
    pub fn answer(self, guess: Guess) {
        let Some(mut reading) = self.reading.get_untracked() else { return };
        reading.guess = Some(guess);
        let Some(answer) = reading.answer() else { return };
        let story = reading.story.clone();
        self.scores.update(|scores| scores.answer(story.scenario.number, &answer));
        store_scores(&self.scores.get_untracked());
        self.is_first_visit.set(false);
        let Some(end) = story.pages.last().map(|page| page.position) else { return };
        let name = in_language(&story.scenario.title, settings().language.get_untracked());
        reading.branch = self.controller.follow(reading.branch, |past| {
            play_on(past, &reading, end, name);
            past.seek(answer.answer_place.target());
        });
        reading.lived = Some(story.pages.len() - 1);
        self.controller.set_foresight(ForecastVisibility::Open);
        self.reading.set(Some(reading));
    }

    /// Forgets which questions were answered.
    pub fn forget_scores(self) {
        self.left.set_value(LeftStories::default());
        store_stories(&LeftStories::default());
        self.scores.set(Scores::default());
        store_scores(&Scores::default());
    }

    /// Plays the open story with its fix, to its end; or without it again, as it was left.
    pub fn switch_fix(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        let number = reading.story.scenario.number;
        match reading.story.variant {
            Variant::Plain => {
                if let Ok(story) = Story::read(number, Variant::Fixed) {
                    let last = story.pages.len() - 1;
                    self.begin_at(story.into(), last);
                }
            }
            Variant::Fixed => self.open_question(number),
        }
    }

    fn show(self, mut reading: StoryProgress, page: usize) {
        let story = reading.story.clone();
        let Some(shown) = story.pages.get(page) else { return };
        let name = in_language(&shown.chapter, settings().language.get_untracked());
        let was_played = reading.lived.is_some_and(|played| page <= played);
        reading.branch = self.controller.follow(reading.branch, |past| {
            if was_played {
                past.seek(Target::Position(shown.position));
            } else {
                play_on(past, &reading, shown.position, name);
            }
        });
        reading.page = page;
        reading.lived = reading.lived.max(Some(page));
        self.controller.set_foresight(reading.foresight());
        self.reading.set(Some(reading));
    }
}

/// A fresh sandbox of the version of Consul that the reader has chosen.
pub fn fresh() -> Timeline {
    sandbox(settings().consul.get_untracked())
}

/// The time axis of a story, with and without its fix.
fn axis(story: &Story) -> StoryAxis {
    let told = [Variant::Plain, Variant::Fixed].map(|it| Story::read(story.scenario.number, it));
    told.iter().flatten().map(Story::axis).fold(story.axis(), StoryAxis::and)
}

/// The history of a story without its fix, if the story runs with the fix.
fn former(story: &Story) -> Option<Arc<History>> {
    let plain = Story::read(story.scenario.number, Variant::Plain).ok();
    let plain = plain.filter(|_| story.variant == Variant::Fixed)?;
    let mut past = TimeTravel::new(Timeline::new(World::new(plain.scenario.seed)));
    past.play_script(&plain.script, plain.pages.last()?.position, "");
    Some(Arc::new(past.full_history().clone()))
}

/// Plays the script of a story from the last page that was played to a later position; on a new
/// branch with this name, if the reader has acted since.
fn play_on(past: &mut TimeTravel, reading: &StoryProgress, until: Position, name: &str) {
    let story = &reading.story;
    if let Some(last) = reading.lived.and_then(|played| story.pages.get(played)) {
        past.seek(Target::Position(last.position));
    }
    past.play_script(&story.script, until, name);
}
