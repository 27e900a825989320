//! Draws the overview strip: the whole timeline in 240 columns. A column is higher the more events
//! it has, and is marked if it has ended sessions, overlapping beliefs or rejected writes. Events
//! and ended sessions are found by one binary search for each column.

use lictor_core::time::Instant;
use lictor_sim::record::{BeliefOverlap, ChunkedLog, EventResult, Record, WriteMark};

use super::axis::Axis;
use super::shape::Shape;

/// The number of columns; events in the same column share a mark.
const COLUMNS: f64 = 240.0;
/// A column with this many events has full height.
const FULL: usize = 7;

/// The strip as outlines: the numbers of events from its bottom, ends of sessions over its height,
/// overlapping beliefs at its top, and rejected writes at its bottom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    busy: String,
    ended: String,
    both: String,
    rejected: String,
}

impl Overview {
    /// The strip of a record. A belief that has not ended is drawn up to `until`.
    pub fn of(record: &Record, until: Instant, whole: &Axis) -> Self {
        let columns = Columns(whole);
        Self {
            busy: columns.outline(
                record.events(),
                |row| row.at,
                |count| 2 * count.min(FULL) as u32,
            ),
            ended: columns.outline(&record.marks().ended, |at| *at, |_| 16),
            both: record
                .beliefs_about_locks()
                .map(|track| columns.both(&track.overlaps, until))
                .collect(),
            rejected: record.resources().map(|(_, it)| columns.rejected(&it.writes)).collect(),
        }
    }

    pub fn shapes(&self) -> Vec<Shape> {
        let mark = |class: &str, d: &String| Shape::path(class, d.clone());
        let marks = vec![
            mark("seen-both", &self.both),
            mark("seen-busy", &self.busy),
            mark("seen-ended", &self.ended),
            mark("seen-rejected", &self.rejected),
        ];
        let strip = Shape::new("svg", "").attr("viewBox", "0 0 240 16");
        vec![strip.attr("preserveAspectRatio", "none").holding(marks)]
    }
}

/// The columns of the strip.
struct Columns<'a>(&'a Axis);

impl Columns<'_> {
    /// The column of a time.
    fn column(&self, at: Instant) -> u32 {
        (self.0.fraction(at) * COLUMNS).clamp(0.0, COLUMNS - 1.0) as u32
    }

    /// The time at which the column after this one begins.
    fn end(&self, column: u32) -> Instant {
        self.0.at(f64::from(column + 1) / COLUMNS)
    }

    /// The columns that have entries of a log, as an outline: each as high as `height` returns for
    /// the number of its entries.
    fn outline<T: Clone>(
        &self,
        log: &ChunkedLog<T>,
        at: fn(&T) -> Instant,
        height: fn(usize) -> u32,
    ) -> String {
        let (mut outline, mut done) = (String::new(), log.first());
        while let Some(entry) = log.get(done) {
            let column = self.column(at(entry));
            let next = self.end(column);
            let until = log.partition_point(|entry| at(entry) < next).max(done + 1);
            let height = height(until - done);
            outline += &block((column, 16 - height), (1, height));
            done = until;
        }
        outline
    }

    fn both(&self, overlaps: &[BeliefOverlap], until: Instant) -> String {
        let band = |double: &BeliefOverlap| {
            let from = self.column(double.from);
            let to = self.column(double.to.unwrap_or(until));
            block((from, 0), (1 + to.saturating_sub(from), 4))
        };
        overlaps.iter().map(band).collect()
    }

    fn rejected(&self, writes: &[WriteMark]) -> String {
        let rejected = writes.iter().filter(|write| write.reply == EventResult::Rejected);
        let mut columns = rejected.map(|write| self.column(write.at)).collect::<Vec<_>>();
        columns.dedup();
        columns.into_iter().map(|column| block((column, 12), (1, 4))).collect()
    }
}

/// A rectangle as a part of an outline.
fn block((x, y): (u32, u32), (width, height): (u32, u32)) -> String {
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

/// The window of the strip: the part that the lanes show, and the cursor.
pub fn window(axis: &Axis) -> Vec<Shape> {
    let whole = axis.whole();
    let (from, to) = (axis.start(), axis.end());
    let seen = Shape::rect("seen").attr("x", whole.x(from)).attr("width", whole.width(from, to));
    let here = Shape::line("now-line", ("0".into(), "0".into()), ("0", "100%"));
    let here = Shape::moving(whole, Axis::x).holding(vec![here]);
    vec![seen.attr("height", "100%").attr("rx", "2"), here]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fresh_world::sandbox;
    use crate::time_travel::TimeTravel;
    use crate::timeline::axis::Extent;
    use crate::timeline::scale::Scale;
    use lictor_core::ConsulVersion;
    use lictor_sim::record::ActorTag;
    use lictor_sim::record::Badge;
    use std::sync::Arc;

    fn axis(extent: Extent) -> Axis {
        let end = Instant::from_millis(100_000);
        Axis::new(&Arc::new(Scale::plain(end)), extent.around(end))
    }

    fn part(from: u64, to: u64) -> Axis {
        axis(Extent::Part { from: Instant::from_millis(from), to: Instant::from_millis(to) })
    }

    #[test]
    fn events_in_one_column_share_a_mark() {
        let past = TimeTravel::new(sandbox(ConsulVersion::default()));
        let overview = Overview::of(past.record_at_end(), past.end(), &part(0, 100_000));
        assert_eq!(overview.busy, "M0 10h1v6h-1z");
        assert_eq!((overview.ended.as_str(), overview.both.as_str()), ("", ""));
    }

    #[test]
    fn a_rejected_write_has_a_mark_and_an_accepted_one_has_none() {
        let write = |(seconds, reply): (u64, EventResult)| WriteMark {
            at: Instant::from_millis(seconds * 1000),
            actor: ActorTag { name: "web-1".into(), badge: Badge(0) },
            number: seconds,
            reply,
        };
        let (yes, no) = (EventResult::Accepted, EventResult::Rejected);
        let writes = [(10, yes), (25, no.clone()), (25, no.clone()), (50, no)].map(write);
        let axis = part(0, 100_000);
        assert_eq!(Columns(&axis).rejected(&writes), "M60 12h1v4h-1zM120 12h1v4h-1z");
    }

    #[test]
    fn the_window_has_the_position_of_the_axis() {
        let shapes = window(&part(25_000, 50_000));
        let read = |name: &str| shapes[0].attribute(name, Instant::EPOCH).expect("it has it");
        assert_eq!((read("x").as_str(), read("width").as_str()), ("25.000%", "25.000%"));
    }
}
