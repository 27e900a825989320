//! Tells a story: turns its pages, waits for a guess, switches the fix on and off, and lets the
//! reader go. The world of the story is lived page by page, so that nothing is seen too early; what
//! the reader does in it begins a branch, and the story goes on where it was left.

use std::rc::Rc;

use lictor_core::sim::World;
use lictor_core::sim::scenario::Variant;
use lictor_core::sim::timeline::{BranchId, Target, Timeline};

use crate::learn::{Page, Story, told};
use crate::runtime::{Foresight, Runtime};
use crate::settings::settings;
use crate::var::Var;

/// The story that is told, and how far.
pub struct Teacher {
    pub runtime: &'static Runtime,
    pub reading: Var<Option<Reading>>,
}

/// A story at one of its pages.
#[derive(Clone)]
pub struct Reading {
    pub story: Rc<Story>,
    pub page: usize,
    /// The choice that was taken, by its place.
    pub guess: Option<usize>,
    /// The last page that was lived.
    lived: Option<usize>,
    branch: BranchId,
}

impl Teacher {
    /// Nobody reads yet. It stays as long as the page.
    pub fn new(runtime: &'static Runtime) -> &'static Self {
        Box::leak(Box::new(Self { runtime, reading: Var::new(None) }))
    }

    /// Opens a story at its first page. The scenarios come with the page and are tested; one that
    /// cannot be played is not opened.
    pub fn open(&self, number: u32, variant: Variant) {
        let Ok(story) = Story::read(number, variant) else { return };
        let story = Rc::new(story);
        self.runtime.load(Timeline::new(World::new(story.scenario.seed)));
        let branch = self.runtime.with_timeline(Timeline::current);
        let reading = Reading { story, page: 0, guess: None, lived: None, branch };
        self.show(reading, 0);
    }

    /// Closes the story, and begins another world.
    pub fn close(&self, sandbox: Timeline) {
        self.reading.set(None);
        self.runtime.foresee(Foresight::Open);
        self.runtime.load(sandbox);
    }

    pub fn next(&self) {
        if let Some(reading) = self.reading.now() {
            let page = reading.page + 1;
            self.show(reading, page);
        }
    }

    pub fn back(&self) {
        if let Some(reading) = self.reading.now() {
            let page = reading.page.saturating_sub(1);
            self.show(reading, page);
        }
    }

    /// Takes one of the choices.
    pub fn guess(&self, choice: usize) {
        self.reading.update(|reading| {
            if let Some(reading) = reading {
                reading.guess = Some(choice);
            }
        });
        self.runtime.foresee(Foresight::Open);
    }

    /// The same story with its fix, or without it.
    pub fn tell(&self, variant: Variant) {
        let number = self.reading.peek(|reading| Some(reading.as_ref()?.story.scenario.number));
        if let Some(number) = number {
            self.open(number, variant);
        }
    }

    fn show(&self, mut reading: Reading, page: usize) {
        let story = reading.story.clone();
        let Some(shown) = story.pages.get(page) else { return };
        let name = told(&shown.chapter, settings().language.now());
        let lived = reading.lived.and_then(|lived| story.pages.get(lived));
        let is_lived = reading.lived.is_some_and(|lived| page <= lived);
        reading.branch = self.runtime.follow(reading.branch, |past| {
            if is_lived {
                return past.seek(Target::Position(shown.position));
            }
            if let Some(lived) = lived {
                past.seek(Target::Position(lived.position));
            }
            past.do_up_to(&story.script, shown.position, name);
        });
        reading.page = page;
        reading.lived = reading.lived.max(Some(page));
        self.runtime.foresee(foresight(shown, &reading));
        self.reading.set(Some(reading));
    }
}

/// While a question is open, what lies ahead is not shown.
fn foresight(page: &Page, reading: &Reading) -> Foresight {
    let is_open = page.question.is_some() && reading.guess.is_none();
    if is_open { Foresight::Closed } else { Foresight::Open }
}
