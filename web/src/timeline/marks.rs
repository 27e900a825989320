//! The marks on the line of time: what a person would want to find again.

use lictor_core::time::Instant;

use super::axis::Axis;
use super::shape::Shape;
use crate::record::Record;

/// The height of the line in its drawing, in pixels.
const Y: u32 = 42;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    LockDelay,
    Acquired,
    SessionEnded,
}

/// One mark; most have no length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub kind: MarkKind,
    pub from: Instant,
    pub to: Instant,
}

/// All marks, delays first so that what happened in them lies above.
pub fn marks(record: &Record) -> Vec<Mark> {
    let locks = || record.locks().map(|(_, track)| track);
    let delays = locks().flat_map(|track| &track.delays).map(|delay| Mark {
        kind: MarkKind::LockDelay,
        from: delay.armed_at,
        to: delay.until,
    });
    let acquired = locks().flat_map(|track| &track.tenures);
    let acquired = acquired.map(|tenure| point(MarkKind::Acquired, tenure.from));
    let ends = record.sessions().filter_map(|track| track.ended.as_ref());
    let ends = ends.map(|end| point(MarkKind::SessionEnded, end.at));
    delays.chain(acquired).chain(ends).collect()
}

fn point(kind: MarkKind, at: Instant) -> Mark {
    Mark { kind, from: at, to: at }
}

/// The line with its marks, the thumb at now and what is due.
pub fn line(axis: Axis, marks: &[Mark], due: &[Instant]) -> Vec<Shape> {
    let across = |class: &str| Shape::new("line", class).attr("y1", "42").attr("y2", "42");
    let next = across("track-next").follow("x1", move |now| axis.x(now)).attr("x2", "100%");
    let past = across("track-past").attr("x1", "0").follow("x2", move |now| axis.x(now));
    let mut shapes = vec![next, past];
    let shown = marks.iter().filter(|mark| axis.shows(mark.from, mark.to));
    shapes.extend(shown.map(|mark| shape(&axis, mark)));
    let due = due.iter().filter(|at| axis.shows(**at, **at));
    shapes.extend(due.map(|at| Shape::circle("mk later", axis.x(*at), Y, "4")));
    let thumb = [Shape::path("now-line", "M0 0v34"), Shape::circle("thumb", "0".into(), Y, "7")];
    shapes.push(Shape::moving(move |now| axis.x(now)).holding(thumb));
    shapes
}

fn shape(axis: &Axis, mark: &Mark) -> Shape {
    let x = axis.x(mark.from);
    match mark.kind {
        MarkKind::Acquired => Shape::circle("mk", x, Y, "4.5"),
        MarkKind::SessionEnded => Shape::place(x).holding([Shape::path("mk", "M-3.5 37h7v10h-7z")]),
        MarkKind::LockDelay => {
            let width = axis.width(mark.from, mark.to);
            let bar = Shape::rect("mk-delay").attr("x", x).attr("width", width);
            bar.attr("y", "39").attr("height", "6").attr("rx", "1")
        }
    }
}
