//! Draws the scrubber, the line on which the user moves the cursor through time: the marks of
//! acquires, session ends, lock-delays and faults, the forks of other branches, deadlines, and the
//! thumb at the cursor.

use lictor_core::time::Instant;
use lictor_sim::record::TimelineMarks;

use super::axis::Axis;
use super::density::{DensityFilter, times};
use super::shape::Shape;
use crate::language::Language;
use crate::rows;
use crate::rows::BranchList;

/// The y coordinate of the line, in pixels.
const Y: u32 = 42;

/// Another branch, with the time at which it and the shown branch part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkMark {
    pub from: Instant,
    pub end: Instant,
    pub name: String,
}

/// The largest number of other branches that are drawn.
const FORKS_DRAWN: usize = 2;
/// The longest name that is drawn, in characters; a longer one is cut.
const NAME_LENGTH: usize = 30;

/// The forks of the latest other branches: those that forked off the shown branch, and the branch
/// that the shown one forked off.
pub fn forks(branches: &BranchList, language: Language) -> Vec<ForkMark> {
    let current = branches.all.iter().find(|row| row.id == branches.current);
    let origin = current.and_then(|row| row.from);
    let others = branches.all.iter().rev().filter(|row| row.id != branches.current);
    let forks = others.filter_map(|row| {
        let origin = origin.filter(|(parent, _)| *parent == row.id);
        let (_, from) = origin.or(row.from)?;
        let name = (rows::words(language).branch_name)(&row.title);
        Some(ForkMark { from, end: row.end, name })
    });
    forks.take(FORKS_DRAWN).collect()
}

/// What the scrubber shows in addition to the marks of a record.
pub struct Scrubber {
    pub forks: Vec<ForkMark>,
    /// The deadlines after the cursor.
    pub due: Vec<Instant>,
    /// The end of the branch, if it is after the cursor.
    pub end: Option<Instant>,
    /// The time at which lock-delays that last longer are cut off, so that their ends stay hidden;
    /// `None` unless a question hides the future.
    pub hidden_from: Option<Instant>,
}

impl Scrubber {
    /// The line with the marks of a record and everything else, from back to front.
    pub fn shapes(&self, axis: &Axis, marks: &TimelineMarks) -> Vec<Shape> {
        let across = |class: &str| Shape::new("line", class).attr("y1", "42").attr("y2", "42");
        let next = across("track-next").follow("x1", axis.clone(), Axis::x).attr("x2", "100%");
        let past = across("track-past").attr("x1", "0").follow("x2", axis.clone(), Axis::x);
        let mut shapes = Vec::new();
        for (row, fork) in (0..).zip(&self.forks) {
            shapes.extend(fork_shapes(axis, row, fork));
        }
        shapes.push(next);
        if let Some(end) = self.end {
            let passed = across("track-lived").follow("x1", axis.clone(), Axis::x);
            shapes.push(passed.attr("x2", axis.x(end)));
        }
        shapes.push(past);
        self.mark_shapes(axis, marks, &mut shapes);
        for at in self.due.iter().filter(|at| axis.shows(**at, **at)) {
            shapes.push(Shape::circle("mk later", axis.x(*at), Y, "4"));
        }
        let thumb =
            vec![Shape::path("now-line", "M0 0v34"), Shape::circle("thumb", "0".into(), Y, "7")];
        shapes.push(Shape::moving(axis.clone(), Axis::x).holding(thumb));
        shapes
    }

    /// The marks of the record. Lock-delays are drawn first, so that they cover no other mark, and
    /// faults last.
    fn mark_shapes(&self, axis: &Axis, marks: &TimelineMarks, shapes: &mut Vec<Shape>) {
        let until = |to: Instant| self.hidden_from.map_or(to, |from| to.min(from));
        let delays = || marks.delays.iter().map(|(from, to)| (*from, until(*to)));
        let mut density = DensityFilter::of(axis, &mut delays().map(|(from, to)| (from, Some(to))));
        for (from, to) in delays().filter(|(from, to)| density.shows(*from, Some(*to))) {
            shapes.push(axis.rect("mk-delay", (from, to), (39, 6)).attr("rx", "1"));
        }
        for at in times(axis, &marks.acquired) {
            shapes.push(Shape::circle("mk", axis.x(at), Y, "4.5"));
        }
        for at in times(axis, &marks.ended) {
            shapes.push(outlined(axis, at, "M-3.5 37h7v10h-7z"));
        }
        for at in times(axis, &marks.faults) {
            shapes.push(outlined(axis, at, "M0 36l6 6-6 6-6-6z"));
        }
    }
}

/// A branch above the line: its fork, its length and its name.
fn fork_shapes(axis: &Axis, row: u32, fork: &ForkMark) -> Vec<Shape> {
    let y = 18 + 10 * row;
    let curve = format!("M0 42C2 {y} 2 {y} 10 {y}");
    let level = y.to_string();
    let line = Shape::line("fork", (axis.x(fork.from), axis.x(fork.end)), (&level, &level));
    let end = Shape::circle("fork-end", axis.x(fork.end), y, "3");
    // The lines are closer than their names are high, so only the latest branch has its name.
    let mut parts = vec![Shape::path("fork", curve)];
    if row == 0 {
        parts.push(fork_name(axis, y, fork));
    }
    let bend = Shape::place(axis.x(fork.from)).holding(parts);
    vec![line.attr("transform", "translate(10)"), end, bend]
}

/// The name of a branch, on the side that has room for it.
fn fork_name(axis: &Axis, y: u32, fork: &ForkMark) -> Shape {
    let (class, dx) = match axis.fraction(fork.from) {
        0.0..0.6 => ("fork-name opt", "14"),
        _ => ("fork-name opt is-before", "-4"),
    };
    let name = match fork.name.char_indices().nth(NAME_LENGTH) {
        Some((end, _)) => format!("{}…", fork.name[..end].trim_end()),
        None => fork.name.clone(),
    };
    Shape::words(class, (0, "0"), name).attr("dx", dx).attr("dy", (y - 4).to_string())
}

/// A mark of an instant with an outline.
fn outlined(axis: &Axis, at: Instant, d: &str) -> Shape {
    Shape::place(axis.x(at)).holding(vec![Shape::path("mk", d)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::scale::Scale;
    use std::sync::Arc;

    #[test]
    fn a_lock_delay_is_cut_off_where_the_future_is_hidden() {
        let at = |seconds: u64| Instant::from_millis(seconds * 1000);
        let axis = Axis::all(&Arc::new(Scale::plain(at(100))));
        let delays = std::iter::once((at(20), at(35))).collect();
        let marks = TimelineMarks { delays, ..TimelineMarks::default() };
        let width = |hidden_from| {
            let scrubber = Scrubber { forks: Vec::new(), due: Vec::new(), end: None, hidden_from };
            let shapes = scrubber.shapes(&axis, &marks);
            let is_delay =
                |shape: &&Shape| shape.value("class", at(25)).as_deref() == Some("mk-delay");
            shapes.iter().find(is_delay).and_then(|shape| shape.attribute("width", at(25)))
        };
        assert_eq!(width(None).as_deref(), Some("15.000%"));
        assert_eq!(width(Some(at(25))).as_deref(), Some("5.000%"));
    }
}
