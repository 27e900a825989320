//! The list of events with its routine folded: a run of joins and starts is one row, and so is one
//! of renewals within the TTL and repeated tries. A reader can unfold it.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use lictor_core::error::Reason;
use lictor_core::time::Instant;
use lictor_recipes::Order;
use lictor_sim::record::{
    Badge, CHUNK, ChunkedLog, EventCall, EventResult, EventRow, EventSource, Note, ServerCall,
};

/// How many rows are read between two checks of the time.
const STEP: usize = 256;

/// Whether all rows were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadProgress {
    Done,
    Unfinished,
}

/// A row of the folded list, by the numbers of its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldedRow {
    Event(usize),
    Fold(Fold),
}

/// A run of routine events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The number of its first event.
    pub first: usize,
    pub counts: FoldCounts,
    pub is_of_one_client: bool,
    /// Whether its events follow it in the list.
    pub is_open: bool,
}

/// How many events of each kind a run has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FoldCounts {
    /// Clients that joined, and programs that were added or started.
    pub starts: u32,
    /// Renewals of sessions within their TTL.
    pub renewals: u32,
    /// Requests that were answered with `false` as the last one of their client was.
    pub tries: u32,
}

/// The kinds of routine.
#[derive(Clone, Copy)]
enum Routine {
    Start,
    Renewal,
    Try,
}

/// Events of one chunk of the log that follow each other: routine ones, or a single other one. The
/// oldest chunks of a log are dropped, so that no run is dropped in part.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    /// All are 0 for an event that is not routine.
    counts: FoldCounts,
    /// The client of all events; `None` for several.
    source: Option<Badge>,
}

/// A request that was answered with `false`: its method, its target and the reason.
type FailedTry = (String, String, Reason);

/// The runs of a list, as far as it was read.
#[derive(Debug, Default)]
pub struct EventFolds {
    runs: Vec<Run>,
    /// How many rows were read or dropped.
    read: usize,
    /// The first events of the runs that a reader has unfolded.
    open: BTreeSet<usize>,
    /// The event that is not to be hidden in a fold.
    shown: Option<usize>,
    /// The last write of each client, if it was answered with `false`.
    failed: HashMap<Badge, FailedTry>,
    /// When the TTL of each session last began, by its label.
    renewed: HashMap<Arc<str>, Instant>,
}

impl Fold {
    /// The number of its last event.
    pub fn last(&self) -> usize {
        self.first + self.counts.sum() - 1
    }
}

impl FoldCounts {
    fn sum(self) -> usize {
        (self.starts + self.renewals + self.tries) as usize
    }

    fn count(&mut self, routine: Routine) {
        match routine {
            Routine::Start => self.starts += 1,
            Routine::Renewal => self.renewals += 1,
            Routine::Try => self.tries += 1,
        }
    }
}

impl Run {
    fn len(&self) -> usize {
        self.counts.sum().max(1)
    }

    fn is_fold(&self) -> bool {
        self.len() > 1
    }

    /// Adds an event that follows the last one, if it is of the same routine.
    fn extend(&mut self, number: usize, routine: Routine, source: Option<Badge>) -> bool {
        let is_start = matches!(routine, Routine::Start);
        let is_same = self.counts.sum() > 0 && is_start == (self.counts.starts > 0);
        if !is_same || (number - 1).is_multiple_of(CHUNK) {
            return false;
        }
        self.counts.count(routine);
        self.source = self.source.filter(|it| Some(*it) == source);
        true
    }
}

impl EventFolds {
    /// Reads the rows that are new, in portions until `has_time` returns false.
    pub fn scan(
        &mut self,
        rows: &ChunkedLog<Arc<EventRow>>,
        has_time: &dyn Fn() -> bool,
    ) -> ReadProgress {
        let gone = self.runs.partition_point(|run| run.first <= rows.first());
        self.runs.drain(..gone);
        self.open = self.open.split_off(&(rows.first() + 1));
        self.read = self.read.max(rows.first());
        while self.read < rows.len() {
            let until = rows.len().min(self.read + STEP);
            (self.read..until).filter_map(|place| rows.get(place)).for_each(|row| self.add(row));
            self.read = until;
            if !has_time() && until < rows.len() {
                return ReadProgress::Unfinished;
            }
        }
        ReadProgress::Done
    }

    /// Removes all rows, and continues another list. The runs that a reader has unfolded stay so.
    pub fn follow(&mut self, past: &Self) {
        let (failed, renewed) = (past.failed.clone(), past.renewed.clone());
        let open = std::mem::take(&mut self.open);
        *self = Self { read: past.read, open, failed, renewed, ..Self::default() };
    }

    /// The number of rows of the list.
    pub fn len(&self) -> usize {
        self.runs.len() + self.open_runs().map(|(_, run)| run.len()).sum::<usize>()
    }

    /// Whether the list has no row.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The number of events in the list.
    pub fn events(&self) -> usize {
        self.runs.first().map_or(0, |first| self.read + 1 - first.first)
    }

    /// The number of the last event in the list.
    pub fn last(&self) -> usize {
        self.read
    }

    /// The row at a place of the list.
    pub fn row(&self, place: usize) -> Option<FoldedRow> {
        let mut before = 0;
        for (index, run) in self.open_runs() {
            let head = index + before;
            if place <= head {
                break;
            }
            if place <= head + run.len() {
                return Some(FoldedRow::Event(run.first + place - head - 1));
            }
            before += run.len();
        }
        let run = self.runs.get(place - before)?;
        if !run.is_fold() {
            return Some(FoldedRow::Event(run.first));
        }
        Some(FoldedRow::Fold(Fold {
            first: run.first,
            counts: run.counts,
            is_of_one_client: run.source.is_some(),
            is_open: self.open_runs().any(|(_, open)| open.first == run.first),
        }))
    }

    /// The number of rows up to the one that shows the event with this number.
    pub fn count_up_to(&self, number: usize) -> usize {
        let runs = self.runs.partition_point(|run| run.first <= number);
        let open = self.open_runs().take_while(|(index, _)| *index < runs);
        let shown = |(_, run): (usize, &Run)| run.len().min(number + 1 - run.first);
        runs + open.map(shown).sum::<usize>()
    }

    /// Unfolds the run of this event, or folds it again.
    pub fn toggle(&mut self, number: usize) {
        let Some(run) = self.run_of(number) else { return };
        let is_shown = self.shown.and_then(|shown| self.run_of(shown)) == Some(run);
        if self.open.remove(&run) || is_shown {
            self.shown = self.shown.filter(|_| !is_shown);
        } else {
            self.open.insert(run);
        }
    }

    /// Keeps the run of an event unfolded until it is toggled, or another event is to be shown.
    pub fn show(&mut self, number: Option<usize>) {
        self.shown = number;
    }

    /// The first event of the run of several events with this one.
    fn run_of(&self, number: usize) -> Option<usize> {
        let end = self.runs.partition_point(|run| run.first <= number);
        self.runs[..end].last().filter(|run| run.is_fold()).map(|run| run.first)
    }

    /// The runs that are unfolded, with their places among all runs.
    fn open_runs(&self) -> impl Iterator<Item = (usize, &Run)> {
        let shown = self.shown.and_then(|number| self.run_of(number));
        let shown = shown.filter(|run| !self.open.contains(run));
        let mut open: Vec<usize> = self.open.iter().copied().chain(shown).collect();
        open.sort_unstable();
        open.into_iter().filter_map(|first| {
            let index = self.runs.binary_search_by_key(&first, |run| run.first).ok()?;
            Some((index, &self.runs[index]))
        })
    }

    fn add(&mut self, row: &EventRow) {
        let source = match &row.source {
            EventSource::Server => None,
            EventSource::Actor(actor) => Some(actor.badge),
        };
        let routine = self.routine(row, source);
        let last = self.runs.last_mut();
        let is_added = last.zip(routine).is_some_and(|(last, routine)| {
            debug_assert_eq!(last.first + last.len(), row.number, "rows follow each other");
            last.extend(row.number, routine, source)
        });
        if !is_added {
            let mut counts = FoldCounts::default();
            routine.into_iter().for_each(|routine| counts.count(routine));
            self.runs.push(Run { first: row.number, counts, source });
        }
    }

    /// The kind of routine of a row, if it is one.
    fn routine(&mut self, row: &EventRow, source: Option<Badge>) -> Option<Routine> {
        match (&row.call, &row.reply, &row.note) {
            (_, EventResult::Joined | EventResult::Added, _)
            | (_, EventResult::Ordered(Order::Start), _) => Some(Routine::Start),
            (EventCall::Server(ServerCall::SessionEnded { label }), ..) => {
                self.renewed.remove(label);
                None
            }
            (EventCall::Http { sessions, .. }, _, Note::SessionEnded { .. }) => {
                let (_, label) = sessions.first()?;
                self.renewed.remove(label);
                None
            }
            (_, _, Note::Created { label }) => {
                self.renewed.insert(label.clone(), row.at);
                None
            }
            (EventCall::Http { sessions, .. }, EventResult::Ok, Note::Renewed { expires }) => {
                // A session ends after twice its TTL (TTL-01).
                let ttl = expires.since(row.at) / 2;
                let (_, label) = sessions.first()?;
                let last = self.renewed.insert(label.clone(), row.at)?;
                (row.at.since(last) <= ttl).then_some(Routine::Renewal)
            }
            (EventCall::Http { call, .. }, EventResult::False, Note::Reason(explained)) => {
                let (method, target) = (call.request.method.clone(), call.request.target.clone());
                let failed = (method, target, explained.reason.clone());
                let last = self.failed.insert(source?, failed.clone());
                (last == Some(failed)).then_some(Routine::Try)
            }
            (EventCall::Http { .. }, EventResult::True, _) => {
                self.failed.remove(&source?);
                None
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::rows::words;
    use crate::test_world::{LEADER, TestWorld, joins};
    use lictor_core::id::SessionId;

    fn folds(played: &TestWorld) -> EventFolds {
        let mut folds = EventFolds::default();
        assert_eq!(folds.scan(played.record.events(), &|| true), ReadProgress::Done);
        assert_eq!(folds.events(), played.record.events().len());
        folds
    }

    /// The list: the number of an event, or the first and last one of a fold with its text.
    fn list(played: &TestWorld, folds: &EventFolds) -> Vec<String> {
        let row = |place| match folds.row(place).expect("a place of the list") {
            FoldedRow::Event(number) => number.to_string(),
            FoldedRow::Fold(fold) => {
                let [first, last] = [fold.first, fold.last()]
                    .map(|it| played.record.events().get(it - 1).expect("an event"));
                let cells = words(Language::English).fold_cells(&fold, first, last);
                let client = if fold.is_of_one_client { &*cells[3] } else { "several" };
                format!("{}-{} {client}: {}", fold.first, fold.last(), cells[4])
            }
        };
        assert_eq!(folds.row(folds.len()), None);
        (0..folds.len()).map(row).collect()
    }

    fn renew(played: &mut TestWorld, session: SessionId, at: [u64; 3]) {
        for at in at {
            played.advance_to(1_000 * at);
            played.call("web-1", "PUT", &format!("/v1/session/renew/{session}"), "");
        }
    }

    #[test]
    fn joins_timely_renewals_and_repeated_tries_are_folded() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", r#"{"TTL": "20s"}"#);
        let two = played.session("web-2", "");
        played.acquire("web-1", one);
        played.acquire("web-2", two);
        played.acquire("web-2", two);
        renew(&mut played, one, [5, 10, 15]);
        played.acquire("web-2", two);
        played.call("web-2", "GET", &format!("/v1/kv/{LEADER}"), "");
        renew(&mut played, one, [20, 25, 30]);
        let expected = [
            "1-3 several: 3 joins and starts",
            "4",
            "5",
            "6",
            "7",
            "8-12 several: 3 renewals, 2 repeated tries",
            "13",
            "14-16 web-1: 3 renewals",
        ];
        assert_eq!(list(&played, &folds(&played)), expected);
    }

    #[test]
    fn a_late_renewal_and_a_try_with_another_reason_have_rows_of_their_own() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", r#"{"TTL": "10s"}"#);
        let two = played.session("web-2", "");
        renew(&mut played, one, [5, 10, 15]);
        played.acquire("web-1", one);
        played.acquire("web-2", two);
        renew(&mut played, one, [26, 36, 46]);
        played.destroy("web-1", one);
        let destroyed = played.record.events().len();
        played.acquire("web-2", two);
        played.acquire("web-2", two);
        let list = list(&played, &folds(&played));
        assert_eq!(list[3..6], ["6-8 web-1: 3 renewals", "9", "10"]);
        assert_eq!(list[6..8], ["11", "12-13 web-1: 2 renewals"], "the first one came after 11 s");
        let [first_try, second_try] = [1, 2].map(|it| (destroyed + it).to_string());
        assert!(list.ends_with(&[first_try, second_try]), "{list:?}");
    }

    #[test]
    fn a_list_that_follows_another_one_begins_a_run_of_its_own() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", r#"{"TTL": "20s"}"#);
        renew(&mut played, one, [5, 10, 15]);
        let past = folds(&played);
        renew(&mut played, one, [20, 25, 30]);
        let mut ahead = EventFolds::default();
        ahead.follow(&past);
        assert!(ahead.is_empty());
        assert_eq!(ahead.scan(played.record.events(), &|| true), ReadProgress::Done);
        assert_eq!(list(&played, &ahead), ["8-10 web-1: 3 renewals"]);
        assert_eq!(list(&played, &folds(&played))[2..], ["5-10 web-1: 6 renewals"]);
        ahead.toggle(9);
        assert_eq!((ahead.len(), ahead.count_up_to(9)), (4, 3));
        ahead.follow(&past);
        ahead.scan(played.record.events(), &|| true);
        assert_eq!(ahead.len(), 4, "the run is still unfolded");
    }

    #[test]
    fn an_unfolded_run_is_followed_by_its_events() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", r#"{"TTL": "20s"}"#);
        renew(&mut played, one, [5, 10, 15]);
        played.acquire("web-1", one);
        let mut folds = folds(&played);
        let place = |folds: &EventFolds, number| folds.count_up_to(number) - 1;
        assert_eq!([1, 3, 4, 6, 8].map(|it| place(&folds, it)), [0, 0, 1, 2, 3]);
        folds.toggle(6);
        let expected =
            ["1-3 several: 3 joins and starts", "4", "5-7 web-1: 3 renewals", "5", "6", "7", "8"];
        assert_eq!(list(&played, &folds), expected);
        assert_eq!([5, 6, 7, 8].map(|it| place(&folds, it)), [3, 4, 5, 6]);
        [1, 7].into_iter().for_each(|it| folds.toggle(it));
        assert_eq!(folds.len(), 7);
        folds.toggle(2);
        assert_eq!(folds.len(), 4);
        folds.toggle(8);
        assert_eq!(folds.len(), 4, "an event of its own has nothing to unfold");
    }

    #[test]
    fn the_run_of_the_shown_event_is_unfolded_until_another_one_is_shown() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", r#"{"TTL": "20s"}"#);
        renew(&mut played, one, [5, 10, 15]);
        let mut folds = folds(&played);
        let mut rows_with = |shown: Option<usize>| {
            folds.show(shown);
            folds.len()
        };
        assert_eq!([Some(4), Some(6), Some(2), None].map(&mut rows_with), [3, 6, 6, 3]);
        assert_eq!(rows_with(Some(6)), 6);
        folds.toggle(5);
        assert_eq!(folds.len(), 3, "a reader can fold it");
        folds.toggle(5);
        assert_eq!(folds.len(), 6);
    }

    #[test]
    fn a_success_between_two_equal_failures_and_another_method_make_no_repeated_try() {
        let mut played = TestWorld::of_three();
        let one = played.session("web-1", "");
        let release = format!("/v1/kv/{LEADER}?release={one}");
        for target in [&release, &release, &format!("/v1/kv/{LEADER}?acquire={one}"), &release] {
            played.call("web-1", "PUT", target, "");
        }
        played.call("web-1", "PUT", &release, "");
        for method in ["PUT", "DELETE", "DELETE"] {
            played.call("web-1", method, &format!("/v1/kv/{LEADER}?cas=1"), "");
        }
        let list = list(&played, &folds(&played));
        assert_eq!(list[1..], ["4", "5", "6", "7", "8", "9", "10", "11", "12"]);
    }

    #[test]
    fn a_run_ends_with_its_chunk_and_is_dropped_with_it() {
        let mut rows = joins(600);
        let mut folds = EventFolds::default();
        while folds.scan(&rows, &|| false) == ReadProgress::Unfinished {}
        let shown = |folds: &EventFolds| -> Vec<_> {
            let rows = (0..folds.len()).filter_map(|it| folds.row(it));
            let numbers = rows.map(|row| match row {
                FoldedRow::Event(number) => [number; 2],
                FoldedRow::Fold(fold) => [fold.first, fold.last()],
            });
            numbers.collect()
        };
        let expected = [[1, 256], [257, 512], [513, 600]];
        assert_eq!(shown(&folds), expected);
        [1, 600].into_iter().for_each(|number| folds.toggle(number));
        rows.forget(|row| row.number <= 300);
        rows.drop_forgotten(600);
        assert_eq!(rows.first(), 256);
        folds.scan(&rows, &|| true);
        assert_eq!((folds.events(), folds.len()), (344, 2 + 88));
        assert_eq!(shown(&folds)[..3], [[257, 512], [513, 600], [513, 513]]);
        assert_eq!([256, 257, 513, 600].map(|it| folds.count_up_to(it)), [0, 1, 3, 90]);
    }
}
