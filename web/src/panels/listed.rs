//! Which rows of the event list are listed: all that are known, or those that match what is looked
//! for.

use core::time::Duration;
use lictor_sandbox::event_filter::{EventSearch, SearchProgress, matches};
use std::cell::{Cell, RefCell};

use crate::runtime::{Runtime, for_a_while};
use crate::settings::{settings, words};
use crate::ui::{Window, after_effects, effect};
use crate::var::Var;

/// For so long a frame searches.
const AT_ONCE: Duration = Duration::from_millis(4);

pub struct Listed {
    runtime: &'static Runtime,
    filter: Var<String>,
    search: RefCell<EventSearch>,
    /// How many searches there were, and how often this one went on.
    searches: Cell<u64>,
    parts: Var<u64>,
    shown: Var<Shown>,
}

/// What tells one list from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// From one number to another.
    All { first: usize, last: usize },
    /// What the search of this number has found, by how many and the last one.
    Found { search: u64, count: usize, last: Option<usize> },
}

impl Listed {
    /// The list of a page, followed for as long as it is there.
    pub fn new(runtime: &'static Runtime) -> &'static Self {
        let listed: &Self = Box::leak(Box::new(Self {
            runtime,
            filter: Var::new(String::new()),
            search: RefCell::default(),
            searches: Cell::new(0),
            parts: Var::new(0),
            shown: Var::new(Shown::All { first: 1, last: 0 }),
        }));
        effect(|| {
            listed.filter.track();
            settings().language.track();
            runtime.mirror.branch.track();
            listed.search.take();
            listed.searches.set(listed.searches.get() + 1);
            listed.parts.update(|count| *count += 1);
        });
        effect(|| {
            runtime.mirror.events.track();
            listed.parts.track();
            let has_time = for_a_while(AT_ONCE);
            if listed.look(&has_time) == SearchProgress::Unfinished {
                after_effects(|| listed.parts.update(|count| *count += 1));
            }
        });
        listed
    }

    pub fn look_for(&self, wanted: String) {
        self.filter.set(wanted);
    }

    /// What is looked for, followed.
    pub fn wanted(&self) -> String {
        self.filter.get()
    }

    /// How many rows are listed, followed.
    pub fn count(&self) -> usize {
        match self.shown.get() {
            Shown::All { first, last } => (last + 1).saturating_sub(first),
            Shown::Found { count, .. } => count,
        }
    }

    /// The numbers of a part of them, followed.
    pub fn part(&self, window: Window) -> Vec<usize> {
        match self.shown.get() {
            Shown::All { first, .. } => {
                (first + window.from..first + window.to.min(self.count())).collect()
            }
            Shown::Found { .. } => window.of(self.search.borrow().found()).to_vec(),
        }
    }

    /// How many of them are up to a number, followed.
    pub fn count_up_to(&self, number: usize) -> usize {
        match self.shown.get() {
            Shown::All { first, .. } => (number + 1).saturating_sub(first),
            Shown::Found { .. } => self.search.borrow().count_up_to(number),
        }
    }

    /// All of their numbers, now.
    pub fn all(&self) -> Vec<usize> {
        self.look(&|| true);
        self.part(Window { from: 0, to: self.count() })
    }

    /// Lists what is known, or searches on.
    fn look(&self, has_time: &dyn Fn() -> bool) -> SearchProgress {
        let wanted = self.filter.now();
        self.runtime.with_whole(|record| {
            let rows = record.events();
            if wanted.is_empty() {
                self.shown.show(Shown::All { first: 1 + rows.first(), last: rows.len() });
                return SearchProgress::Done;
            }
            let search = &mut *self.search.borrow_mut();
            let progress = search.scan(rows, &|row| matches(words(), row, &wanted), has_time);
            let (count, last) = (search.found().len(), search.found().last().copied());
            self.shown.show(Shown::Found { search: self.searches.get(), count, last });
            progress
        })
    }
}
