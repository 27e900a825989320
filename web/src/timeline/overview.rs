//! The overview: all of the timeline in a strip of columns, whatever the lanes show: how much
//! happened, which sessions ended, and where two believed at once. Pure.

use lictor_core::time::Instant;

use super::axis::Axis;
use super::shape::Shape;
use crate::record::Record;

/// How many columns the strip has; what stands in the same one is one mark.
const COLUMNS: f64 = 240.0;
/// A column with so many events is full.
const FULL: usize = 7;

/// What the strip shows, as outlines: events, the ends of sessions, two believers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    busy: String,
    ended: String,
    both: String,
}

impl Overview {
    /// All there is; it takes as long for many events as for few.
    pub fn of(record: &Record, whole: &Axis) -> Self {
        let column = |at: Instant| (whole.share(at) * COLUMNS).clamp(0.0, COLUMNS - 1.0) as u32;
        let behind = |place: u32| whole.at(f64::from(place + 1) / COLUMNS);
        let mut overview = Self::default();
        let events = record.events();
        let mut done = events.first();
        while let Some(row) = events.get(done) {
            let (place, next) = (column(row.at), behind(column(row.at)));
            let until = events.partition_point(|row| row.at < next).max(done + 1);
            let height = 2 * (until - done).min(FULL) as u32;
            overview.busy += &block((place, 16 - height), (1, height));
            done = until;
        }
        let ended = &record.marks().ended;
        let mut done = ended.first();
        while let Some(at) = ended.get(done) {
            let (place, next) = (column(*at), behind(column(*at)));
            overview.ended += &block((place, 0), (1, 16));
            done = ended.partition_point(|at| *at < next).max(done + 1);
        }
        for double in record.beliefs_about_locks().flat_map(|track| &track.doubles) {
            let from = column(double.from);
            let width = 1 + double.to.map_or(COLUMNS as u32, column).saturating_sub(from);
            overview.both += &block((from, 0), (width, 4));
        }
        overview
    }

    pub fn shapes(&self) -> Vec<Shape> {
        let mark = |class: &str, d: &String| Shape::path(class, d.clone());
        let marks = vec![
            mark("seen-both", &self.both),
            mark("seen-busy", &self.busy),
            mark("seen-ended", &self.ended),
        ];
        let strip = Shape::new("svg", "").attr("viewBox", "0 0 240 16");
        vec![strip.attr("preserveAspectRatio", "none").holding(marks)]
    }
}

/// An oblong as a piece of an outline, from its place and its size.
fn block((x, y): (u32, u32), (width, height): (u32, u32)) -> String {
    format!("M{x} {y}h{width}v{height}h-{width}z")
}

/// What of all the lanes show, and the cursor.
pub fn window(axis: &Axis) -> Vec<Shape> {
    let whole = axis.whole();
    let (from, to) = (axis.start(), axis.end());
    let seen = Shape::rect("seen").attr("x", whole.x(from)).attr("width", whole.width(from, to));
    let here = Shape::line("now-line", ("0".into(), "0".into()), ("0", "100%"));
    let here = Shape::moving(whole.x_of_now()).holding(vec![here]);
    vec![seen.attr("height", "100%").attr("rx", "2"), here]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::sandbox;
    use crate::past::Past;
    use crate::timeline::axis::Extent;
    use crate::timeline::scale::Scale;
    use std::rc::Rc;

    fn axis(extent: Extent) -> Axis {
        let end = Instant::from_millis(100_000);
        Axis::new(&Rc::new(Scale::plain(end)), extent.around(end))
    }

    fn part(from: u64, to: u64) -> Axis {
        axis(Extent::Part { from: Instant::from_millis(from), to: Instant::from_millis(to) })
    }

    #[test]
    fn events_that_stand_together_are_one_mark() {
        let past = Past::new(sandbox());
        let overview = Overview::of(past.whole(), &part(0, 100_000));
        assert_eq!(overview.busy, "M0 10h1v6h-1z");
        assert_eq!((overview.ended.as_str(), overview.both.as_str()), ("", ""));
    }

    #[test]
    fn the_window_is_where_the_axis_is() {
        let shapes = window(&part(25_000, 50_000));
        let read = |name: &str| shapes[0].attribute(name, Instant::EPOCH).expect("it has it");
        assert_eq!((read("x").as_str(), read("width").as_str()), ("25.000%", "25.000%"));
    }
}
