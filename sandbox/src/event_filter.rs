//! A search in the event list. Each row is tested once, and some with each look, so that a long
//! list holds nobody up. Pure.

use std::rc::Rc;

use crate::history::{EventRow, Shelf};
use crate::i18n::Words;

/// So many rows are tested before it is asked whether there is time for more.
const STEP: usize = 64;

/// Whether all rows were tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Done,
    Unfinished,
}

#[derive(Debug, Default)]
pub struct Search {
    /// The numbers of the rows that match, in order.
    found: Vec<usize>,
    /// How many rows were tested or forgotten before.
    tested: usize,
}

impl Search {
    /// Tests rows that were not tested yet, as long as there is time.
    pub fn go_on(
        &mut self,
        rows: &Shelf<Rc<EventRow>>,
        matches: &dyn Fn(&EventRow) -> bool,
        has_time: &dyn Fn() -> bool,
    ) -> Progress {
        self.found.drain(..self.up_to(rows.first()));
        self.tested = self.tested.max(rows.first());
        while self.tested < rows.len() {
            let until = rows.len().min(self.tested + STEP);
            let new = (self.tested..until).filter_map(|place| rows.get(place));
            self.found.extend(new.filter(|row| matches(row)).map(|row| row.number));
            self.tested = until;
            if !has_time() && until < rows.len() {
                return Progress::Unfinished;
            }
        }
        Progress::Done
    }

    pub fn found(&self) -> &[usize] {
        &self.found
    }

    /// How many of them are up to a number.
    pub fn up_to(&self, number: usize) -> usize {
        self.found.partition_point(|it| *it <= number)
    }
}

/// Whether a row has the text in what it says, in the language in which it is shown.
pub fn matches(words: &Words, row: &EventRow, wanted: &str) -> bool {
    let (call, reply, note) =
        (words.call(&row.call), (words.reply)(&row.reply), (words.note)(&row.note));
    row.matches(wanted, &[&call, &reply, &note])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Call, Note, Reply, ServerCall, Source};
    use core::cell::Cell;
    use lictor_core::time::Instant;

    fn row(number: usize) -> Rc<EventRow> {
        Rc::new(EventRow {
            number,
            moment: 0,
            at: Instant::from_millis(number as u64),
            index: None,
            source: Source::Server,
            call: Call::Server(ServerCall::Joined),
            reply: Reply::Joined,
            note: Note::Nothing,
        })
    }

    fn rows(count: usize) -> Shelf<Rc<EventRow>> {
        (1..=count).map(row).collect()
    }

    #[test]
    fn each_row_is_tested_once_however_often_it_is_looked() {
        let (mut search, tests) = (Search::default(), Cell::new(0));
        let third = |row: &EventRow| {
            tests.set(tests.get() + 1);
            row.number.is_multiple_of(3)
        };
        for count in [10, 11, 11, 300] {
            assert_eq!(search.go_on(&rows(count), &third, &|| true), Progress::Done);
            assert_eq!((tests.get(), search.found().len()), (count, count / 3));
        }
        assert_eq!(search.found()[..3], [3, 6, 9]);
        assert_eq!((search.up_to(5), search.up_to(6)), (1, 2));
    }

    #[test]
    fn a_long_list_is_searched_a_part_at_a_time() {
        let (mut search, rows) = (Search::default(), rows(10 * STEP));
        for part in 1..10 {
            assert_eq!(search.go_on(&rows, &|_| true, &|| false), Progress::Unfinished);
            assert_eq!(search.found().len(), part * STEP);
        }
        assert_eq!(search.go_on(&rows, &|_| true, &|| false), Progress::Done);
    }

    #[test]
    fn what_is_forgotten_is_not_found() {
        let (mut search, mut rows) = (Search::default(), rows(2_000));
        search.go_on(&rows, &|_| true, &|| true);
        rows.forget(|row| row.number <= 1_000);
        rows.let_go(usize::MAX);
        search.go_on(&rows, &|_| true, &|| true);
        assert_eq!(search.found().first(), Some(&(rows.first() + 1)));
        assert_eq!(search.found().len(), 2_000 - rows.first());
    }
}
