//! The rows that the event list shows: what was observed before the world, and its events; all that
//! are kept, with runs of routine folded, or those that match the filter. While time is paused, a
//! line and the events that follow if nobody acts are below them. Reading a long list takes several
//! frames.

use core::ops::Range;
use core::time::Duration;

use leptos::prelude::*;
use lictor_view::event_filter::{EventSearch, matches};
use lictor_view::event_folds::{EventFolds, Fold, FoldedRow, ReadProgress};
use lictor_view::pacer::RunState;

use crate::platform::settings::settings;
use crate::platform::words::language;
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, CursorPosition};
use crate::state::load::for_a_while;

/// How long one frame reads or searches events at most.
const AT_ONCE: Duration = Duration::from_millis(4);

/// The list of a page. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
pub struct Listed {
    controller: Controller,
    /// Whether the page is being printed: nobody can unfold a row on paper.
    is_printed: Signal<bool>,
    filter: RwSignal<String>,
    search: StoredValue<EventSearch, LocalStorage>,
    folds: StoredValue<EventFolds, LocalStorage>,
    /// The events that follow if nobody acts.
    ahead: StoredValue<EventFolds, LocalStorage>,
    /// The number of the forecast that is listed, if one is.
    forecast: Memo<Option<u64>>,
    /// Counts the changes of what is listed other than new events.
    changes: StoredValue<u64>,
    /// Changes when the events are to be read further.
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
    /// A run of events.
    Fold(Fold),
    /// The line above the events that follow if nobody acts.
    Line,
}

/// The history that a row belongs to: the number of its branch and, below the line, that of the
/// forecast. Another history may have another event with the same number.
pub type History = (u64, Option<u64>);

/// Which events are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selection {
    All,
    /// All, with runs of routine folded.
    Folded,
    /// Those that match the filter.
    Found,
}

/// Identifies a list, so that equal lists do not notify: the changes before it, the numbers of its
/// rows and events, and the last event; then the forecast below the line, and its number of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Content {
    changes: u64,
    rows: usize,
    events: usize,
    last: usize,
    forecast: Option<u64>,
    ahead: usize,
}

impl Listed {
    /// The list of a page, which follows the world until the current owner is disposed.
    pub fn new(controller: Controller, is_printed: Signal<bool>) -> Self {
        let filter = RwSignal::new(String::new());
        let listed = Self {
            controller,
            is_printed,
            filter,
            search: StoredValue::new_local(EventSearch::default()),
            folds: StoredValue::new_local(EventFolds::default()),
            ahead: StoredValue::new_local(EventFolds::default()),
            forecast: Memo::new(move |_| {
                let is_at_end = controller.cursor.get() == CursorPosition::End;
                let is_shown = is_at_end
                    && controller.pace.get() == RunState::Paused
                    && !controller.is_hidden()
                    && !is_printed.get()
                    && filter.with(String::is_empty);
                is_shown.then(|| controller.store.future.get())
            }),
            changes: StoredValue::new(0),
            parts: RwSignal::new(0),
            content: RwSignal::default(),
            observed: Memo::new(move |_| {
                controller.store.branch.track();
                filter.with(|filter| observed(controller, filter))
            }),
        };
        Effect::new(move |_| {
            controller.store.branch.track();
            listed.folds.set_value(EventFolds::default());
        });
        Effect::new(move |_| {
            listed.filter.track();
            settings().language.track();
            controller.store.branch.track();
            listed.search.set_value(EventSearch::default());
            listed.changed();
        });
        Effect::new(move |_| {
            controller.store.events.track();
            listed.forecast.track();
            listed.parts.track();
            let (is_printed, has_time) = (listed.is_printed.get(), for_a_while(AT_ONCE));
            if listed.read(&|| is_printed || has_time()) == ReadProgress::Unfinished {
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
        self.observed.with(Vec::len) + self.content.get().rows
    }

    /// The number of listed events of the world; subscribes.
    pub fn event_count(self) -> usize {
        self.content.get().events
    }

    /// The rows at these places of the list; subscribes.
    pub fn part(self, places: Range<usize>) -> Vec<(History, ListedRow)> {
        let branch = self.controller.store.branch.get();
        let forecast = self.content.get().forecast;
        self.observed.with(|observed| {
            let rest = |place: usize| place.saturating_sub(observed.len());
            let line = self.line().unwrap_or(usize::MAX);
            let events = self.events(rest(places.start)..rest(places.end));
            let first = observed.iter().skip(places.start).take(places.len());
            let first = first.map(|place| ListedRow::Observed(*place));
            let history = |place: usize| (branch, forecast.filter(|_| place >= line));
            places.map(history).zip(first.chain(events)).collect()
        })
    }

    /// The place of the line above the events that follow if nobody acts; subscribes.
    pub fn line(self) -> Option<usize> {
        let Content { ahead, .. } = self.content.get();
        (ahead > 0).then(|| self.count() - ahead)
    }

    /// The rows at these places among those of the world; subscribes.
    fn events(self, places: Range<usize>) -> Vec<ListedRow> {
        let Content { rows, events, last, ahead, .. } = self.content.get();
        match self.selection() {
            Selection::All => {
                let end = places.end.min(events);
                (places.start..end).map(|it| ListedRow::Event(last + 1 - events + it)).collect()
            }
            Selection::Folded => {
                let row = |row| match row {
                    FoldedRow::Event(number) => ListedRow::Event(number),
                    FoldedRow::Fold(fold) => ListedRow::Fold(fold),
                };
                let line = rows - ahead;
                let row = |place: usize| match place.checked_sub(line) {
                    None => self.folds.with_value(|folds| folds.row(place)).map(row),
                    Some(0) => Some(ListedRow::Line),
                    Some(below) => self.ahead.with_value(|ahead| ahead.row(below - 1)).map(row),
                };
                places.filter(|place| *place < rows).filter_map(row).collect()
            }
            Selection::Found => {
                let found = |search: &EventSearch| {
                    let found = search.found().iter().skip(places.start).take(places.len());
                    found.copied().map(ListedRow::Event).collect()
                };
                self.search.with_value(found)
            }
        }
    }

    /// Which events are listed; subscribes.
    fn selection(self) -> Selection {
        if !self.filter.with(String::is_empty) {
            Selection::Found
        } else if self.is_printed.get() {
            Selection::All
        } else {
            Selection::Folded
        }
    }

    /// The number of listed rows up to that of the event with a number; subscribes.
    pub fn count_up_to(self, number: usize) -> usize {
        let Content { rows, events, last, ahead, .. } = self.content.get();
        let rows = match self.selection() {
            Selection::All => (number + events).saturating_sub(last),
            Selection::Folded if number > last && ahead > 0 => {
                rows - ahead + 1 + self.ahead.with_value(|ahead| ahead.count_up_to(number))
            }
            Selection::Folded => self.folds.with_value(|folds| folds.count_up_to(number)),
            Selection::Found => self.search.with_value(|search| search.count_up_to(number)),
        };
        self.observed.with(Vec::len) + rows
    }

    /// Unfolds the run of an event, or folds it again.
    pub fn toggle(self, number: usize) {
        let is_ahead = number > self.content.get_untracked().last;
        let folds = if is_ahead { self.ahead } else { self.folds };
        folds.update_value(|folds| folds.toggle(number));
        self.changed();
    }

    /// Keeps an event in the list, with its run unfolded, in place of the one before.
    pub fn show(self, number: Option<usize>) {
        self.folds.update_value(|folds| folds.show(number));
        self.changed();
    }

    fn changed(self) {
        self.changes.update_value(|count| *count += 1);
        self.parts.update(|count| *count += 1);
    }

    /// Completes the list, and returns what was observed and all listed events.
    pub fn all(self) -> Vec<ListedRow> {
        self.read(&|| true);
        let observed = self.observed.with(|observed| {
            observed.iter().map(|place| ListedRow::Observed(*place)).collect::<Vec<_>>()
        });
        let Content { events, last, .. } = self.content.get();
        let events = match self.selection() {
            Selection::All | Selection::Folded => {
                (last + 1 - events..=last).map(ListedRow::Event).collect()
            }
            Selection::Found => self.events(0..events),
        };
        [observed, events].concat()
    }

    /// Reads the events that are new, and those of the forecast.
    fn read(self, has_time: &dyn Fn() -> bool) -> ReadProgress {
        let (filter, selection) = (self.filter.get_untracked(), untrack(|| self.selection()));
        let read = self.controller.with_record_at_end(|record| {
            let log = record.events();
            let fold = |folds: &mut EventFolds| {
                let progress = folds.scan(log, has_time);
                (progress, [folds.len(), folds.events(), folds.last()])
            };
            let search = |search: &mut EventSearch| {
                let is_match = |row: &_| matches(language(), row, &filter);
                let progress = search.scan(log, &is_match, has_time);
                let found = search.found();
                (progress, [found.len(), found.len(), found.last().copied().unwrap_or(0)])
            };
            match selection {
                Selection::Found => self.search.try_update_value(search),
                Selection::All | Selection::Folded => self.folds.try_update_value(fold),
            }
        });
        let Some((mut progress, [rows, events, last])) = read else { return ReadProgress::Done };
        let rows = if selection == Selection::All { events } else { rows };
        let forecast = self.forecast.get_untracked();
        let mut ahead = 0;
        if forecast.is_some() && progress == ReadProgress::Done {
            (progress, ahead) = self.read_ahead(forecast, has_time);
        }
        let (changes, rows) = (self.changes.get_value(), rows + ahead);
        self.content.set_if_changed(Content { changes, rows, events, last, forecast, ahead });
        progress
    }

    /// Reads the events of a forecast, and returns the number of rows below the others.
    fn read_ahead(
        self,
        forecast: Option<u64>,
        has_time: &dyn Fn() -> bool,
    ) -> (ReadProgress, usize) {
        let Content { forecast: known, last, .. } = self.content.get_untracked();
        self.folds.with_value(|folds| {
            if last != folds.last() {
                self.ahead.set_value(EventFolds::default());
            }
            if last != folds.last() || known != forecast {
                self.ahead.update_value(|ahead| ahead.follow(folds));
            }
        });
        let scan = |ahead: &mut EventFolds| {
            let progress = self
                .controller
                .with_forecast(|forecast| ahead.scan(forecast.record.events(), has_time));
            (progress, if ahead.is_empty() { 0 } else { 1 + ahead.len() })
        };
        self.ahead.try_update_value(scan).unwrap_or((ReadProgress::Done, 0))
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
