//! The search in the event list. Each row is tested once, in portions, so that a long list does not
//! block a frame.

use std::sync::Arc;

use lictor_sim::record::{ChunkedLog, EventCall, EventRow};

use crate::event_folds::ReadProgress;
use crate::language::Language;
use crate::rows;

/// How many rows are tested between two checks of the time.
const STEP: usize = 64;

/// The rows of a list that match a search, as far as they were tested.
#[derive(Debug, Default)]
pub struct EventSearch {
    /// The numbers of the rows that match, in order.
    found: Vec<usize>,
    /// How many rows were tested or dropped.
    tested: usize,
}

impl EventSearch {
    /// Tests the rows that are new, in portions until `has_time` returns false. `matches` must be
    /// the same function in all calls.
    pub fn scan(
        &mut self,
        rows: &ChunkedLog<Arc<EventRow>>,
        matches: &dyn Fn(&EventRow) -> bool,
        has_time: &dyn Fn() -> bool,
    ) -> ReadProgress {
        self.found.drain(..self.count_up_to(rows.first()));
        self.tested = self.tested.max(rows.first());
        while self.tested < rows.len() {
            let until = rows.len().min(self.tested + STEP);
            let new = (self.tested..until).filter_map(|number| rows.get(number));
            self.found.extend(new.filter(|row| matches(row)).map(|row| row.number));
            self.tested = until;
            if !has_time() && until < rows.len() {
                return ReadProgress::Unfinished;
            }
        }
        ReadProgress::Done
    }

    pub fn found(&self) -> &[usize] {
        &self.found
    }

    /// How many of the found rows have at most this number.
    pub fn count_up_to(&self, number: usize) -> usize {
        self.found.partition_point(|it| *it <= number)
    }
}

/// Whether one of these texts of a row contains the wanted text, whatever the case of its letters:
/// the client or the server, the call, the result and the note, as the list shows them in this
/// language, or the whole target of a request, which the list shortens. The number, the time and
/// the index of a row are not searched.
pub fn matches(language: Language, row: &EventRow, wanted: &str) -> bool {
    let words = rows::words(language);
    let [_, _, _, source, call, reply, note] = words.cells(row);
    let target = match &row.call {
        EventCall::Http { call, .. } => call.request.target.as_str(),
        EventCall::Write { .. }
        | EventCall::Program(_)
        | EventCall::Server(_)
        | EventCall::Fault(_)
        | EventCall::Repair(_) => "",
    };
    let wanted = wanted.to_lowercase();
    let texts = [source.as_str(), target, &call, &reply, &note];
    texts.into_iter().any(|text| text.to_lowercase().contains(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::joins;
    use core::cell::Cell;
    use lictor_sim::record::EventSource;

    #[test]
    fn each_row_is_tested_only_once() {
        let (mut search, tests) = (EventSearch::default(), Cell::new(0));
        let third = |row: &EventRow| {
            tests.set(tests.get() + 1);
            row.number.is_multiple_of(3)
        };
        for count in [10, 11, 11, 300] {
            assert_eq!(search.scan(&joins(count), &third, &|| true), ReadProgress::Done);
            assert_eq!((tests.get(), search.found().len()), (count, count / 3));
        }
        assert_eq!(search.found()[..3], [3, 6, 9]);
        assert_eq!((search.count_up_to(5), search.count_up_to(6)), (1, 2));
    }

    #[test]
    fn a_long_list_is_searched_in_portions() {
        let (mut search, rows) = (EventSearch::default(), joins(10 * STEP));
        for part in 1..10 {
            assert_eq!(search.scan(&rows, &|_| true, &|| false), ReadProgress::Unfinished);
            assert_eq!(search.found().len(), part * STEP);
        }
        assert_eq!(search.scan(&rows, &|_| true, &|| false), ReadProgress::Done);
    }

    #[test]
    fn the_rows_of_the_server_are_found_by_its_name_in_the_shown_language() {
        let of_client = &joins(1).get(0).expect("a row").clone();
        let of_server = EventRow { source: EventSource::Server, ..(**of_client).clone() };
        for (language, name) in [(Language::English, "SERVER"), (Language::Chinese, "服务器")] {
            assert!(matches(language, &of_server, name), "{name}");
            assert!(!matches(language, of_client, name), "{name}");
        }
        assert!(!matches(Language::English, &of_server, "web-1"));
    }

    #[test]
    fn forgotten_rows_are_not_found() {
        let (mut search, mut rows) = (EventSearch::default(), joins(2_000));
        search.scan(&rows, &|_| true, &|| true);
        rows.forget(|row| row.number <= 1_000);
        rows.drop_forgotten(usize::MAX);
        search.scan(&rows, &|_| true, &|| true);
        assert_eq!(search.found().first(), Some(&(rows.first() + 1)));
        assert_eq!(search.found().len(), 2_000 - rows.first());
    }
}
