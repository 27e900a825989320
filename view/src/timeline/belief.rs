//! Draws the belief lane: a solid bar where a client's belief is true, a dashed outline where it is
//! not, and a red band with its length where two clients believe at once.

use lictor_core::time::Instant;
use lictor_sim::record::{BeliefOverlap, BeliefSpan, BeliefTrack, LockTrack};

use super::axis::{Axis, OUTSIDE};
use super::bar::{Bar, BarRow, TimeSpan, bar, bars};
use super::density::{DrawnSpan, drawn_spans};
use super::draw_context::DrawContext;
use super::page_width::fits;
use super::shape::Shape;
use crate::badge;
use crate::format::{self, percent};

/// The rows of two simultaneous beliefs, with the stopwatch between them. Further beliefs are drawn
/// in the lower row.
const ROWS: [BarRow; 2] =
    [BarRow { y: 3, height: 16, baseline: "12.5" }, BarRow { y: 31, height: 16, baseline: "12.5" }];

/// With more overlaps than this, stopwatches that would overlap are left out.
const WATCHES: usize = 12;

/// The shapes of the beliefs about a lock, compared with the truth, which is the server's track of
/// the lock.
pub fn belief(context: &DrawContext, track: &BeliefTrack, truth: Option<&LockTrack>) -> Vec<Shape> {
    let axis = &context.axis;
    let spans = track.overlaps.iter().map(|it| (it.from, it.to)).collect::<Vec<_>>();
    let overlaps = drawn_spans(axis, &spans);
    let span = |drawn: &DrawnSpan| match drawn {
        DrawnSpan::One(index) => spans[*index],
        DrawnSpan::Many(from, to) => (*from, Some(*to)),
    };
    let bands = |class| overlaps.iter().map(move |drawn| band(context, span(drawn), class));
    let mut shapes = bands("both-ground").collect::<Vec<_>>();
    let rows = rows(&track.spans);
    for room in ROWS {
        let in_row = track.spans.iter().zip(&rows).filter(|(_, row)| row.y == room.y);
        let in_row = in_row.map(|(span, _)| span).collect::<Vec<_>>();
        let mut shapes_of = |span| span_shapes(context, span, truth, room);
        shapes.extend(bars(axis, &in_row, |it| (it.from, it.to), room, &mut shapes_of));
    }
    shapes.extend(bands("both"));
    shapes.extend(stopwatches(context, &track.overlaps, &overlaps));
    shapes
}

/// The stopwatches of overlaps that have a band of their own.
fn stopwatches(context: &DrawContext, all: &[BeliefOverlap], overlaps: &[DrawnSpan]) -> Vec<Shape> {
    let (mut shapes, mut last) = (Vec::new(), f64::NEG_INFINITY);
    for drawn in overlaps {
        let DrawnSpan::One(index) = drawn else { continue };
        let share = context.axis.fraction(all[*index].from);
        if overlaps.len() <= WATCHES || share - last > STOPWATCH {
            last = share;
            shapes.extend(stopwatch(context, all[*index]));
        }
    }
    shapes
}

/// The row of each span: the upper one, unless an earlier belief is still open there.
fn rows(spans: &[BeliefSpan]) -> Vec<BarRow> {
    let mut upper_ends = Some(Instant::EPOCH);
    let row = |span: &BeliefSpan| {
        if upper_ends.is_some_and(|end| end <= span.from) {
            upper_ends = span.to;
            ROWS[0]
        } else {
            ROWS[1]
        }
    };
    spans.iter().map(row).collect()
}

/// The shapes of a belief: bars where it is true, dashed outlines where it is not.
fn span_shapes(
    context: &DrawContext,
    belief: &BeliefSpan,
    truth: Option<&LockTrack>,
    room: BarRow,
) -> Vec<Shape> {
    let (mut shapes, mut wrong_from) = (Vec::new(), Some(belief.from));
    for span in true_spans(belief, truth) {
        let before = TimeSpan { from: wrong_from.unwrap_or(span.from), to: Some(span.from) };
        if before.from < span.from {
            shapes.push(outline(context, belief, (before, room)));
        }
        let (session, verb) = (&belief.tag, context.words().believes);
        shapes.extend(bar(context, Bar { session, span, room, verb }));
        wrong_from = span.to;
    }
    let wrong = wrong_from.filter(|from| belief.to.is_none_or(|to| *from < to));
    if let Some(from) = wrong {
        let span = TimeSpan { from, to: belief.to };
        shapes.push(outline(context, belief, (span, room)));
        if let Some(words) = still(context, span, room) {
            shapes.push(words);
        }
    }
    shapes
}

/// The periods in which the believed session really holds the lock.
fn true_spans(belief: &BeliefSpan, truth: Option<&LockTrack>) -> Vec<TimeSpan> {
    let tenures = truth.map_or(&[][..], |track| &track.tenures).iter();
    let meets = |from: Instant, to: Option<Instant>| {
        to.is_none_or(|to| to > belief.from) && belief.to.is_none_or(|to| from < to)
    };
    tenures
        .filter(|tenure| tenure.session == belief.tag && meets(tenure.from, tenure.to))
        .map(|tenure| TimeSpan {
            from: tenure.from.max(belief.from),
            to: tenure.to.map_or(belief.to, |to| Some(belief.to.map_or(to, |it| it.min(to)))),
        })
        .collect()
}

fn outline(context: &DrawContext, belief: &BeliefSpan, (span, room): (TimeSpan, BarRow)) -> Shape {
    let axis = &context.axis;
    let class = badge::class_of(&belief.tag);
    let span = (span.from, span.to.unwrap_or(context.until));
    let outline = axis.rect(format!("wrong {class}"), span, (room.y, room.height));
    outline.attr("rx", "2").attr("data-testid", "wrong-belief")
}

/// The label on a wrong belief. `None` if it has no room.
fn still(context: &DrawContext, span: TimeSpan, room: BarRow) -> Option<Shape> {
    let (axis, words) = (&context.axis, context.words().still_believes);
    let TimeSpan { from, to } = span;
    let end = to.unwrap_or(context.until);
    let has_room = fits(words, axis.share(from, end));
    let baseline = if room.y == ROWS[0].y { "15.5" } else { "43.5" };
    (has_room && axis.shows(from, to.unwrap_or(axis.end())))
        .then(|| Shape::words("opt", (10, baseline), words).beside(axis.x(from)))
}

fn band(context: &DrawContext, (from, to): (Instant, Option<Instant>), class: &str) -> Shape {
    let span = (from, to.unwrap_or(context.until));
    context.axis.rect(class, span, (1, 48)).attr("rx", "2")
}

/// The width of a stopwatch's plate, as a share of the axis on a wide page.
const STOPWATCH: f64 = 0.18;

#[derive(Clone)]
struct Stopwatch {
    axis: Axis,
    overlap: BeliefOverlap,
    /// The units after a number of milliseconds and of seconds.
    units: [&'static str; 2],
    /// The width of its plate, as a share of the axis.
    width: f64,
}

/// The shapes of the length of an overlap: on a plate in the middle of its visible part, if that is
/// as wide as the plate, else as a text after its end. The length of an open overlap grows with the
/// time; before the overlap begins, the shapes are outside of the drawing.
fn stopwatch(context: &DrawContext, overlap: BeliefOverlap) -> [Shape; 2] {
    let units = [context.row_words().millisecond, context.row_words().second];
    let width = STOPWATCH * context.page.letter();
    let watch = Stopwatch { axis: context.axis.clone(), overlap, units, width };
    [plate(&watch), words_outside(&watch)]
}

fn plate(watch: &Stopwatch) -> Shape {
    let plate = Shape::rect("both-plate").attr("x", "-48").attr("y", "17");
    let plate = plate.attr("width", "96").attr("height", "16").attr("rx", "2");
    let hand = Shape::path("both-icon", "M-39 25.4v-1.9M-40.2 20.4h2.4");
    let face = Shape::new("circle", "both-icon").attr("cx", "-39").attr("cy", "25.4");
    let face = face.attr("r", "3.4");
    let text = Shape::words("both-text", (6, "29.5"), "").say(watch.clone(), Stopwatch::length);
    let place = Shape::moving(watch.clone(), Stopwatch::plate_x);
    place.attr("data-testid", "two-believers").holding(vec![plate, face, hand, text])
}

fn words_outside(watch: &Stopwatch) -> Shape {
    let text = Shape::words("both-text is-outside halo", (6, "29.5"), "");
    let text = text.say(watch.clone(), Stopwatch::length);
    let place = Shape::moving(watch.clone(), Stopwatch::words_x);
    place.attr("data-testid", "two-believers-outside").holding(vec![text])
}

impl Stopwatch {
    fn length(&self, now: Instant) -> String {
        format::length((self.overlap.from, self.until(now)), self.units)
    }

    fn until(&self, now: Instant) -> Instant {
        self.overlap.to.unwrap_or(now).max(self.overlap.from)
    }

    /// The visible part of the overlap, in shares of the axis; `None` before it begins.
    fn visible(&self, now: Instant) -> Option<(f64, f64)> {
        let until = self.until(now);
        let share = |at: Instant| self.axis.fraction(at).clamp(0.0, 1.0);
        (until > self.overlap.from).then(|| (share(self.overlap.from), share(until)))
    }

    fn plate_x(&self, now: Instant) -> String {
        match self.visible(now) {
            Some((from, to)) if to - from >= self.width => percent(from.midpoint(to)),
            _ => OUTSIDE.to_owned(),
        }
    }

    /// The position of the text after a band that is narrower than the plate, if there is room.
    fn words_x(&self, now: Instant) -> String {
        let has_room =
            |(from, to): &(f64, f64)| to - from < self.width && *to > 0.0 && to + self.width < 1.0;
        let place = self.visible(now).filter(has_room);
        place.map_or_else(|| OUTSIDE.to_owned(), |(_, to)| percent(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{at, belief_track};
    use lictor_core::id::{ActorName, SessionRef};
    use lictor_sim::Believer;
    use lictor_sim::record::{SessionTag, Tenure};

    fn tag(name: &str) -> SessionTag {
        SessionTag { label: name.into(), owner: None }
    }

    fn span(name: &str, from: u64, to: Option<u64>) -> BeliefSpan {
        BeliefSpan {
            believer: Believer::Person(ActorName::from(name)),
            session: SessionRef::from(name),
            tag: tag(name),
            from: at(from),
            to: to.map(at),
        }
    }

    /// A holds from 10 to 30 s and believes it until 50 s; B holds and believes it from 40 s on.
    fn shapes() -> Vec<Shape> {
        let spans = vec![span("A", 10, Some(50)), span("B", 40, None)];
        let mut track = belief_track(spans);
        track.overlaps = vec![BeliefOverlap { from: at(40), to: Some(at(50)) }];
        let tenure = |name, from, to: Option<u64>| Tenure {
            session: tag(name),
            from: at(from),
            to: to.map(at),
            lock_index: 1,
        };
        let tenures = vec![tenure("A", 10, Some(30)), tenure("B", 40, None)];
        let truth = LockTrack { tenures, ..LockTrack::default() };
        belief(&DrawContext::plain(100, 60), &track, Some(&truth))
    }

    #[test]
    fn merged_overlaps_have_no_stopwatch() {
        let double = |number: u64| BeliefOverlap {
            from: Instant::from_millis(number * 100),
            to: Some(Instant::from_millis(number * 100 + 40)),
        };
        let mut track = BeliefTrack::default();
        track.overlaps = (0..600).map(double).collect();
        let shapes = belief(&DrawContext::plain(100, 60), &track, None);
        let texts = Shape::texts(&shapes, at(60));
        assert!(texts.len() > 2 && texts.iter().all(|text| text == "40 ms"), "{texts:?}");
        assert!(all(&shapes, "both", "x").len() > 100, "many have bands, too");
    }

    fn all(shapes: &[Shape], class: &str, attribute: &str) -> Vec<String> {
        Shape::values(shapes, class, attribute, at(60))
    }

    #[test]
    fn a_belief_is_solid_only_where_it_is_true() {
        let shapes = shapes();
        assert_eq!(all(&shapes, "wrong", "x"), ["30.000%"]);
        assert_eq!(all(&shapes, "wrong", "width"), ["20.000%"]);
        assert_eq!(all(&shapes, "bar", "width"), ["20.000%", "20.000%"]);
    }

    #[test]
    fn two_believers_are_drawn_in_two_rows_under_one_band() {
        let shapes = shapes();
        assert_eq!(all(&shapes, "bar", "y"), ["3", "31"]);
        let band = (all(&shapes, "both", "x"), all(&shapes, "both", "width"));
        assert_eq!(band, (vec!["40.000%".into()], vec!["10.000%".into()]));
    }
}
