//! The labels of the axis. From the highest rank to the lowest these are the *plate*, which has the
//! time of the cursor, the lengths of *folds* (idle times, which the axis shortens), the word
//! "ahead" beside the plate, and the times of ticks. No label is cut at an edge of the axis, and no
//! two overlap: of two that would, the length of a fold is moved beside the plate if it has room
//! there, and any other label of the lower rank is left out. In a still picture, which has only the
//! plate and ticks, the plate may cover a tick.

use core::time::Duration;
use std::sync::Arc;

use lictor_core::time::Instant;

use super::axis::{Axis, OUTSIDE};
use super::shape::Shape;
use super::words::words;
use crate::format::{clock, percent};
use crate::language::Language;
use crate::rows;

/// The width of an ASCII letter in pixels, in the widest font of the page and in its largest size.
const LETTER: f64 = 8.7;
/// The width of a point or a blank.
const NARROW_LETTER: f64 = 4.8;
/// The width of a Chinese character.
const WIDE_LETTER: f64 = 14.0;
/// The width of bold text, as on the plate at now, divided by that of normal text.
const BOLD: f64 = 1.1;
/// The room on both sides of a text on a plate, in pixels.
const MARGIN: f64 = 5.0;
/// The room between two labels, in pixels.
const GAP: f64 = 4.0;
/// Differences below this come from rounding.
const ROUNDING: f64 = 0.01;
/// Half of the smallest width of the plate at now. Only long times need a wider one.
const LABEL_WIDTH: f64 = 27.0;
/// A label may extend this far beyond the right end of the axis.
const EDGE: f64 = 8.0;
/// A shorter axis has no word for the time ahead, so that there is room for times.
const ROOM_FOR_AHEAD: f64 = 448.0;

/// The labels of a still picture: the times of all ticks that have room beside each other, and the
/// plate at now, which may cover one of them.
pub fn still_labels(axis: &Axis, width: f64, language: Language) -> Vec<Shape> {
    let room = Arc::new(LabelRoom::new(axis, width, language));
    let tick = |tick: Tick| {
        let label = Shape::words("axis-text", (0, "16"), tick.text);
        Shape::place(room.x(tick.span)).holding(vec![label])
    };
    let mut shapes: Vec<_> = room.ticks().into_iter().map(tick).collect();
    shapes.push(room.plate());
    shapes
}

/// The labels on an axis that is this many pixels wide.
pub fn labels(axis: &Axis, width: f64, language: Language) -> Vec<Shape> {
    let room = Arc::new(LabelRoom::new(axis, width, language));
    let ticks = room.ticks().into_iter().map(|tick| room.tick_label(tick));
    let mut shapes: Vec<_> = ticks.collect();
    shapes.extend([room.ahead_label(), room.plate()]);
    shapes.extend((0..room.folds.len()).map(|fold| room.fold_label(fold)));
    shapes
}

/// The place of a label: its left and right end in pixels of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LabelSpan {
    left: f64,
    right: f64,
}

impl LabelSpan {
    fn around(middle: f64, half: f64) -> Self {
        Self { left: middle - half, right: middle + half }
    }

    fn middle(self) -> f64 {
        self.left.midpoint(self.right)
    }

    fn overlaps(self, other: Self) -> bool {
        let gap = GAP - ROUNDING;
        self.left < other.right + gap && other.left < self.right + gap
    }
}

/// The places of the labels on an axis of a certain width.
struct LabelRoom {
    axis: Axis,
    width: f64,
    ahead: &'static str,
    second: &'static str,
    folds: Vec<(Instant, Instant)>,
}

/// The labels that depend on now: the plate at now, the word for the time ahead, the lengths of
/// folds.
#[derive(Clone, Copy)]
enum MovingLabel {
    Plate,
    Ahead,
    Fold(usize),
}

/// The time of a tick with its place.
struct Tick {
    text: String,
    span: LabelSpan,
}

impl LabelRoom {
    fn new(axis: &Axis, width: f64, language: Language) -> Self {
        let (axis, folds) = (axis.clone(), axis.folds());
        Self {
            axis,
            width,
            ahead: words(language).ahead,
            second: rows::words(language).second,
            folds,
        }
    }

    /// The place of a label around a position of the axis, moved inwards at the ends.
    fn place(&self, share: f64, half: f64) -> LabelSpan {
        let last = (self.width + EDGE - half).max(half);
        LabelSpan::around((share * self.width).clamp(half, last), half)
    }

    /// The position of a label as an attribute.
    fn x(&self, span: LabelSpan) -> String {
        percent(span.middle() / self.width.max(1.0))
    }

    /// The place of the plate at now, while now is on the axis. At the start it extends to the left
    /// of the axis.
    fn plate_span(&self, now: Instant) -> Option<LabelSpan> {
        let half = plate_half(now, self.second);
        let middle = (self.axis.fraction(now) * self.width).min(self.width + EDGE - half);
        self.axis.shows(now, now).then(|| LabelSpan::around(middle, half))
    }

    /// The places of the lengths of the folds: each in the middle of the visible part of its fold,
    /// or beside the plate at now. One that has no room is left out.
    fn fold_spans(&self, now: Instant) -> Vec<Option<LabelSpan>> {
        let plate = self.plate_span(now);
        let mut taken: Vec<_> = plate.into_iter().collect();
        let mut spans = Vec::with_capacity(self.folds.len());
        for (from, to) in &self.folds {
            let from_share = self.axis.fraction(*from).max(0.0);
            let middle = from_share.midpoint(self.axis.fraction(*to).min(1.0));
            let half = text_width(&fold_text(to.since(*from), self.second)) / 2.0 + MARGIN;
            let is_on_axis = |span: &LabelSpan| span.left >= 0.0 && span.right <= self.width + EDGE;
            let mut possible = vec![self.place(middle, half)];
            if let Some(plate) = plate {
                let before = LabelSpan::around(plate.left - GAP - half, half);
                let after = LabelSpan::around(plate.right + GAP + half, half);
                let is_before = middle * self.width < plate.middle();
                let beside = if is_before { [before, after] } else { [after, before] };
                possible.extend(beside.into_iter().filter(is_on_axis));
            }
            let is_free = |span: &LabelSpan| !taken.iter().any(|other| other.overlaps(*span));
            let found = possible.into_iter().find(is_free);
            taken.extend(found);
            spans.push(found);
        }
        spans
    }

    /// The place of the word for the time ahead, after the plate at now.
    fn ahead_span(&self, now: Instant) -> Option<LabelSpan> {
        if self.width < ROOM_FOR_AHEAD {
            return None;
        }
        let plate = self.plate_span(now)?;
        let half = text_width(self.ahead) / 2.0;
        let span = LabelSpan::around(plate.right + GAP + half, half);
        let is_taken = self.fold_spans(now).into_iter().flatten().any(|fold| fold.overlaps(span));
        (!is_taken && span.right <= self.width + EDGE).then_some(span)
    }

    /// The ticks whose times have room beside each other.
    fn ticks(&self) -> Vec<Tick> {
        let mut ticks: Vec<Tick> = Vec::new();
        for at in self.axis.ticks() {
            let text = seconds(at);
            let span = self.place(self.axis.fraction(at), text_width(&text) / 2.0);
            if ticks.last().is_none_or(|last| !last.span.overlaps(span)) {
                ticks.push(Tick { text, span });
            }
        }
        ticks
    }

    /// Whether a label of a higher rank covers the time of a tick.
    fn is_covered(&self, tick: LabelSpan, now: Instant) -> bool {
        let mut higher = self.fold_spans(now);
        higher.extend([self.plate_span(now), self.ahead_span(now)]);
        higher.into_iter().flatten().any(|span| span.overlaps(tick))
    }

    fn tick_label(self: &Arc<Self>, tick: Tick) -> Shape {
        let x = self.x(tick.span);
        let label = Shape::words("axis-text", (0, "16"), "");
        let label = label.say((self.clone(), tick), |(room, tick), now| {
            let is_covered = room.is_covered(tick.span, now);
            if is_covered { String::new() } else { tick.text.clone() }
        });
        Shape::place(x).holding(vec![label])
    }

    fn plate(self: &Arc<Self>) -> Shape {
        let plate = Shape::rect("now-plate")
            .attr("y", "3")
            .attr("height", "18")
            .attr("rx", "3")
            .follow("x", self.second, |second, now| format!("-{}", plate_half(now, second)))
            .follow("width", self.second, |second, now| {
                (2.0 * plate_half(now, second)).to_string()
            });
        let time = Shape::words("now-text", (0, "16"), "")
            .say(self.second, |second, now| now_text(now, second));
        self.label(MovingLabel::Plate, vec![plate, time])
    }

    fn ahead_label(self: &Arc<Self>) -> Shape {
        let words = Shape::words("axis-text", (0, "16"), self.ahead);
        self.label(MovingLabel::Ahead, vec![words])
    }

    fn fold_label(self: &Arc<Self>, fold: usize) -> Shape {
        let (from, to) = self.folds[fold];
        let text = fold_text(to.since(from), self.second);
        let half = text_width(&text) / 2.0 + MARGIN;
        let plate = Shape::rect("fold-plate")
            .attr("data-testid", "fold-length")
            .attr("x", format!("-{half}"))
            .attr("y", "4")
            .attr("width", (2.0 * half).to_string())
            .attr("height", "16");
        let words = Shape::words("axis-text", (0, "16"), text);
        self.label(MovingLabel::Fold(fold), vec![plate.attr("rx", "8"), words])
    }

    /// A label whose place depends on now, outside of the drawing while it has no room.
    fn label(self: &Arc<Self>, label: MovingLabel, parts: Vec<Shape>) -> Shape {
        let place = Shape::moving((self.clone(), label), |(room, label), now| {
            let span = match label {
                MovingLabel::Plate => room.plate_span(now),
                MovingLabel::Ahead => room.ahead_span(now),
                MovingLabel::Fold(fold) => room.fold_spans(now)[*fold],
            };
            span.map_or(OUTSIDE.to_owned(), |span| room.x(span))
        });
        place.holding(parts)
    }
}

fn plate_half(now: Instant, second: &str) -> f64 {
    (text_width(&now_text(now, second)) * BOLD / 2.0 + MARGIN).max(LABEL_WIDTH).round()
}

fn now_text(now: Instant, second: &str) -> String {
    format!("{}{second}", clock(now))
}

fn fold_text(length: Duration, second: &str) -> String {
    format!("{}{second}", length.as_secs())
}

/// The largest width that a text has in a font of the page, in pixels.
fn text_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        '.' | ' ' => NARROW_LETTER,
        letter if letter.is_ascii() => LETTER,
        _ => WIDE_LETTER,
    };
    text.chars().map(width).sum()
}

/// A time in seconds: with no decimals, one or three.
fn seconds(at: Instant) -> String {
    match at.as_millis() {
        millis if millis % 1000 == 0 => (millis / 1000).to_string(),
        millis if millis % 100 == 0 => clock(at),
        _ => {
            let mut text = at.to_string();
            text.pop();
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{at, rows_at};
    use crate::timeline::scale::Scale;
    use lictor_sim::record::ChunkedLog;

    /// An axis up to an end, with events at these times and the folds between them.
    fn axis(times: &[u64], end: u64) -> Axis {
        let events: ChunkedLog<_> = rows_at(times).into_iter().collect();
        Axis::all(&Arc::new(Scale::folded(&events, at(end), at(end))))
    }

    fn room(axis: &Axis, width: f64) -> Arc<LabelRoom> {
        let folds = axis.folds();
        Arc::new(LabelRoom { axis: axis.clone(), width, ahead: "ahead", second: " s", folds })
    }

    /// The places of all labels at a time.
    fn places(room: &LabelRoom, now: Instant) -> Vec<LabelSpan> {
        let ticks = room.ticks().into_iter().map(|tick| tick.span);
        let mut spans: Vec<_> = ticks.filter(|span| !room.is_covered(*span, now)).collect();
        spans.extend(room.plate_span(now));
        spans.extend(room.ahead_span(now));
        spans.extend(room.fold_spans(now).into_iter().flatten());
        spans
    }

    #[test]
    fn no_label_overlaps_another_or_is_cut() {
        let axes = [
            axis(&[0, 5, 12], 30),
            axis(&[0, 20, 300], 315),
            axis(&[0, 200, 400, 1_000], 1_200),
            axis(&[0, 1_800, 3_600], 7_200),
            Axis::new(&Arc::new(Scale::plain(at(30))), (at(3), Instant::from_millis(3_050))),
        ];
        for (axis, width) in
            axes.iter().flat_map(|axis| [232.0, 440.0, 562.0, 900.0].map(|it| (axis, it)))
        {
            let room = room(axis, width);
            for step in 0..=400 {
                let now = axis.at(f64::from(step) / 400.0);
                let spans = places(&room, now);
                assert!(spans.len() >= 2, "{width} {now} {spans:?}");
                assert!(spans.iter().all(|span| span.right <= width + EDGE), "{width} {now}");
                for (index, span) in spans.iter().enumerate() {
                    let mut others = spans.iter().skip(index + 1);
                    assert!(!others.any(|it| it.overlaps(*span)), "{width} {now} {spans:?}");
                }
            }
        }
    }

    #[test]
    fn the_word_for_the_time_ahead_is_left_out_at_the_end_of_the_axis() {
        let room = room(&axis(&[], 30), 562.0);
        assert!(room.ahead_span(at(20)).is_some());
        assert_eq!(room.ahead_span(at(29)), None);
        assert_eq!(room.plate_span(at(30)).map(|span| span.right), Some(562.0 + EDGE));
    }

    #[test]
    fn the_length_of_a_fold_is_beside_the_plate_at_now() {
        let axis = axis(&[0, 300, 310], 400);
        let (room, middle) = (room(&axis, 562.0), Instant::from_millis(160_000));
        let fold = |now| room.fold_spans(now)[0].map(LabelSpan::middle);
        let (free, moved) = (fold(at(310)), fold(middle));
        assert!(free.is_some() && moved.is_some() && free != moved, "{free:?} {moved:?}");
        assert!((room.axis.fraction(middle) * 562.0 - moved.unwrap_or_default()).abs() < 80.0);
    }

    #[test]
    fn labels_have_the_decimals_that_they_need() {
        let all = [0, 5_000, 12_500, 3_010, 1_001].map(Instant::from_millis).map(seconds);
        assert_eq!(all, ["0", "5", "12.5", "3.010", "1.001"]);
    }
}
