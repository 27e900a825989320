//! The rows that the event list shows: what was observed before the world, and its events; all that
//! are kept, or those that match the filter. A search of a long list takes several frames.

use core::ops::Range;
use core::time::Duration;

use leptos::prelude::*;
use lictor_view::event_filter::{EventSearch, SearchProgress, matches};

use crate::platform::settings::settings;
use crate::platform::words::language;
use crate::signals::SetIfChanged;
use crate::state::controller::Controller;
use crate::state::load::for_a_while;

/// The longest search in one frame.
const AT_ONCE: Duration = Duration::from_millis(4);

/// The list of a page. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
pub struct Listed {
    controller: Controller,
    filter: RwSignal<String>,
    search: StoredValue<EventSearch, LocalStorage>,
    /// The number of searches so far.
    searches: StoredValue<u64>,
    /// Changes when the current search is to be continued.
    parts: RwSignal<u64>,
    content: RwSignal<Content>,
    /// The places of the listed events among those that were observed before the world.
    observed: Memo<Vec<usize>>,
}

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListedRow {
    /// An event that was observed before the world, by its place.
    Observed(usize),
    /// An event of the world, by its number.
    Event(usize),
}

/// Identifies a list, so that equal lists do not notify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// All rows, from one number to another.
    All { first: usize, last: usize },
    /// The matches of the search of this number, by their count and the last one.
    Found { search: u64, count: usize, last: Option<usize> },
}

impl Listed {
    /// The list of a page, which follows the world until the current owner is disposed.
    pub fn new(controller: Controller) -> Self {
        let filter = RwSignal::new(String::new());
        let listed = Self {
            controller,
            filter,
            search: StoredValue::new_local(EventSearch::default()),
            searches: StoredValue::new(0),
            parts: RwSignal::new(0),
            content: RwSignal::new(Content::All { first: 1, last: 0 }),
            observed: Memo::new(move |_| {
                controller.store.branch.track();
                filter.with(|filter| observed(controller, filter))
            }),
        };
        Effect::new(move |_| {
            listed.filter.track();
            settings().language.track();
            controller.store.branch.track();
            listed.search.set_value(EventSearch::default());
            listed.searches.update_value(|count| *count += 1);
            listed.parts.update(|count| *count += 1);
        });
        Effect::new(move |_| {
            controller.store.events.track();
            listed.parts.track();
            let has_time = for_a_while(AT_ONCE);
            if listed.search(&has_time) == SearchProgress::Unfinished {
                request_animation_frame(move || listed.parts.update(|count| *count += 1));
            }
        });
        listed
    }

    pub fn set_filter(self, filter: String) {
        self.filter.set(filter);
    }

    /// The text of the filter; subscribes.
    pub fn filter(self) -> String {
        self.filter.get()
    }

    /// The number of listed rows; subscribes.
    pub fn count(self) -> usize {
        self.observed.with(Vec::len) + self.event_count()
    }

    /// The number of listed events of the world; subscribes.
    pub fn event_count(self) -> usize {
        match self.content.get() {
            Content::All { first, last } => (last + 1).saturating_sub(first),
            Content::Found { count, .. } => count,
        }
    }

    /// The rows at these places of the list; subscribes.
    pub fn part(self, places: Range<usize>) -> Vec<ListedRow> {
        self.observed.with(|observed| {
            let rest = |place: usize| place.saturating_sub(observed.len());
            let events = self.events(rest(places.start)..rest(places.end));
            let first = observed.iter().skip(places.start).take(places.len());
            let first = first.map(|place| ListedRow::Observed(*place));
            first.chain(events.into_iter().map(ListedRow::Event)).collect()
        })
    }

    /// The numbers of the events at these places among the listed ones; subscribes.
    fn events(self, places: Range<usize>) -> Vec<usize> {
        match self.content.get() {
            Content::All { first, .. } => {
                (first + places.start..first + places.end.min(self.event_count())).collect()
            }
            Content::Found { .. } => self.search.with_value(|search| {
                let found = search.found();
                found.get(places.start..places.end.min(found.len())).unwrap_or_default().to_vec()
            }),
        }
    }

    /// The number of listed rows up to the event with a number; subscribes.
    pub fn count_up_to(self, number: usize) -> usize {
        let events = match self.content.get() {
            Content::All { first, .. } => (number + 1).saturating_sub(first),
            Content::Found { .. } => self.search.with_value(|search| search.count_up_to(number)),
        };
        self.observed.with(Vec::len) + events
    }

    /// Completes the search, and returns all listed rows.
    pub fn all(self) -> Vec<ListedRow> {
        self.search(&|| true);
        self.part(0..self.count())
    }

    /// Lists all rows, or continues the search.
    fn search(self, has_time: &dyn Fn() -> bool) -> SearchProgress {
        let filter = self.filter.get_untracked();
        self.controller.with_record_at_end(|record| {
            let rows = record.events();
            if filter.is_empty() {
                let all = Content::All { first: 1 + rows.first(), last: rows.len() };
                self.content.set_if_changed(all);
                return SearchProgress::Done;
            }
            let (progress, count, last) = self
                .search
                .try_update_value(|search| {
                    let language = language();
                    let is_match = |row: &_| matches(language, row, &filter);
                    let progress = search.scan(rows, &is_match, has_time);
                    (progress, search.found().len(), search.found().last().copied())
                })
                .unwrap_or((SearchProgress::Done, 0, None));
            self.content.set_if_changed(Content::Found {
                search: self.searches.get_value(),
                count,
                last,
            });
            progress
        })
    }
}

/// The places of the observed events that contain the text of a filter; case is ignored.
fn observed(controller: Controller, filter: &str) -> Vec<usize> {
    let filter = filter.to_lowercase();
    controller.with_timeline(|timeline| {
        let events = timeline.observed().events.iter().enumerate();
        let found = events.filter(|(_, event)| event.text.to_lowercase().contains(&filter));
        found.map(|(place, _)| place).collect()
    })
}
