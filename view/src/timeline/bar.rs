//! Draws the bars of holders and believers, in the hue and pattern of the session's owner, with the
//! longest of its names that fits.

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::record::SessionTag;

use super::axis::Axis;
use super::density::{DrawnSpan, drawn_spans};
use super::draw_context::DrawContext;
use super::page_width::{PageWidth, fits};
use super::shape::Shape;
use crate::badge;

/// The vertical place of a bar in its lane, in pixels.
#[derive(Clone, Copy)]
pub(super) struct BarRow {
    pub(super) y: u32,
    pub(super) height: u32,
    /// The distance of the label's baseline from `y`.
    pub(super) baseline: &'static str,
}

/// The start and end of a bar. One without an end ends with the forecast.
#[derive(Clone, Copy)]
pub(super) struct TimeSpan {
    pub(super) from: Instant,
    pub(super) to: Option<Instant>,
}

/// A bar for a session, with a verb: holds, believes.
#[derive(Clone, Copy)]
pub(super) struct Bar<'a> {
    pub(super) session: &'a SessionTag,
    pub(super) span: TimeSpan,
    pub(super) room: BarRow,
    pub(super) verb: &'static str,
}

/// The shapes of a bar and of its labels.
pub(super) fn bar(context: &DrawContext, bar: Bar<'_>) -> Vec<Shape> {
    let Bar { session, span, room, verb } = bar;
    let axis = &context.axis;
    let to = span.to.unwrap_or(context.until);
    let rect =
        |class: String| axis.rect(class, (span.from, to), (room.y, room.height)).attr("rx", "2");
    let class = badge::class_of(session);
    let pattern = session.owner.as_ref().and_then(|owner| badge::pattern(owner.badge));
    let mut shapes = vec![rect(format!("bar {class}"))];
    if let Some(paint) = pattern {
        shapes.push(rect("ink".to_owned()).attr("fill", paint));
    }
    shapes.push(rect(format!("bar-edge {class}")));
    let label = BarLabel {
        axis: axis.clone(),
        folds: axis.folds(),
        from: span.from,
        to,
        hue: class,
        names: names(session, verb),
        page: context.page,
    };
    shapes.extend(label.shape(room));
    shapes
}

/// The label of a bar. Its name is on the part before now, or on the part after it if a longer one
/// fits there, and never crosses a fold of the axis.
struct BarLabel {
    axis: Axis,
    folds: Vec<(Instant, Instant)>,
    from: Instant,
    to: Instant,
    hue: &'static str,
    /// From the longest to the shortest.
    names: Vec<String>,
    page: PageWidth,
}

/// The place of a label at a time.
struct LabelPlace<'a> {
    /// The time at which it begins.
    at: Instant,
    /// Whether it is on the part after now.
    is_ahead: bool,
    /// The longest name that fits. `None` if none does.
    name: Option<&'a str>,
}

impl BarLabel {
    /// The place of the label at a present time.
    fn at(&self, now: Instant) -> LabelPlace<'_> {
        let letter = self.page.letter();
        let fitting = |from: Instant, to: Instant| {
            let share = self.axis.share(from, to);
            self.names.iter().find(|name| fits(name, share / letter)).map(String::as_str)
        };
        let now = now.max(self.from).min(self.to);
        let length = |name: Option<&str>| name.map_or(0, str::len);
        let mut best = LabelPlace { at: self.from, is_ahead: now == self.from, name: None };
        for (begin, end, is_ahead) in [(self.from, now, false), (now, self.to, true)] {
            for (from, to) in self.between_folds(begin, end) {
                let name = fitting(from, to);
                if length(name) > length(best.name) {
                    best = LabelPlace { at: from, is_ahead, name };
                }
            }
        }
        best
    }

    /// The parts of a span that no fold covers.
    fn between_folds(&self, begin: Instant, end: Instant) -> Vec<(Instant, Instant)> {
        let mut parts = Vec::new();
        let mut from = begin;
        for (fold, until) in &self.folds {
            if *until > from && *fold < end {
                parts.push((from, (*fold).max(from)));
                from = *until;
            }
        }
        parts.push((from, end.max(from)));
        parts
    }

    /// The label as a shape that follows the time. `None` if no name fits on the whole bar.
    fn shape(self, room: BarRow) -> Option<Shape> {
        self.at(self.from).name?;
        let label = Arc::new(self);
        Some(
            Shape::bare("text")
                .attr("dx", "6")
                .attr("y", room.y.to_string())
                .attr("dy", room.baseline)
                .follow("x", label.clone(), |label, now| label.axis.x(label.at(now).at))
                .follow("class", label.clone(), |label, now| label.class(now))
                .say(label, |label, now| label.at(now).name.unwrap_or_default().to_owned()),
        )
    }

    fn class(&self, now: Instant) -> String {
        let kind = if self.at(now).is_ahead { "bar-text-ahead" } else { "bar-text" };
        format!("{kind} {}", self.hue)
    }
}

/// The shapes of a lane in the order in which they are drawn, with a translucent veil that pales
/// what the forecast fills after now; edges, marks and names are above it. Bars, patterns and edges
/// of one style follow one another, because the page paints them at once; they do not overlap.
pub(super) fn with_paled_forecast(axis: &Axis, mut shapes: Vec<Shape>) -> Vec<Shape> {
    if shapes.iter().any(|shape| layer(shape) < VEIL) {
        let veil = Shape::rect("veil").attr("y", "0").attr("height", "100%");
        shapes.push(axis.over_ahead(veil));
    }
    shapes.sort_by_key(layer);
    for run in shapes.chunk_by_mut(|one, next| one.kind() == next.kind()) {
        if let Some("bar" | "ink" | "bar-edge") = run.first().and_then(Shape::kind) {
            run.sort_by(|one, other| one.style().cmp(&other.style()));
        }
    }
    shapes
}

/// The layer of the veil, which is above what it pales.
const VEIL: u8 = 3;

/// The layer of a shape; those of a higher one are drawn later.
fn layer(shape: &Shape) -> u8 {
    match shape.kind() {
        Some("both-ground") => 0,
        Some("bar" | "many") => 1,
        Some("ink") => 2,
        Some("veil") => VEIL,
        // The name of a bar, whose class follows the time.
        None if shape.tag == "text" => 5,
        _ => 4,
    }
}

/// The shapes of spans, which `shapes_of` draws one by one, with a bar for each period of spans
/// that are too short for that.
pub(super) fn bars<'a, T>(
    axis: &Axis,
    all: &[&'a T],
    span: fn(&T) -> (Instant, Option<Instant>),
    room: BarRow,
    shapes_of: &mut dyn FnMut(&'a T) -> Vec<Shape>,
) -> Vec<Shape> {
    let spans: Vec<_> = all.iter().map(|it| span(it)).collect();
    let shapes = drawn_spans(axis, &spans).into_iter().flat_map(|drawn| match drawn {
        DrawnSpan::One(index) => shapes_of(all[index]),
        DrawnSpan::Many(from, to) => vec![axis.rect("many", (from, to), (room.y, room.height))],
    });
    shapes.collect()
}

/// The possible labels of a bar, from the longest to the shortest.
fn names(session: &SessionTag, verb: &str) -> Vec<String> {
    let short = &session.label;
    match &session.owner {
        Some(owner) => {
            let named = format!("{short} {}", owner.name);
            let letter = owner.badge.letters();
            vec![format!("{named} {verb}"), named, short.to_string(), letter]
        }
        None => vec![short.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::at;
    use crate::timeline::scale::Scale;
    use lictor_sim::record::ActorTag;
    use lictor_sim::record::Badge;

    /// The label of a bar from 10 to 60 s on an axis of 100 s.
    fn label(folds: Vec<(Instant, Instant)>) -> BarLabel {
        let owner = ActorTag { name: "web-1".into(), badge: Badge(0) };
        let session = SessionTag { label: "A".into(), owner: Some(owner) };
        BarLabel {
            axis: Axis::all(&Arc::new(Scale::plain(at(100)))),
            folds,
            from: at(10),
            to: at(60),
            hue: "a1",
            names: names(&session, "holds"),
            page: PageWidth::Wide,
        }
    }

    #[test]
    fn a_label_is_shortened_to_the_room_of_its_bar() {
        let owner = ActorTag { name: "web-1".into(), badge: Badge(0) };
        let session = SessionTag { label: "A2".into(), owner: Some(owner) };
        let names = names(&session, "holds");
        let fitting = [0.2, 0.11, 0.05, 0.025, 0.01]
            .map(|share| names.iter().find(|name| fits(name, share)).map(String::as_str));
        let expected = [Some("A2 web-1 holds"), Some("A2 web-1"), Some("A2"), Some("A"), None];
        assert_eq!(fitting, expected);
        let unknown = SessionTag { label: "3f2a".into(), owner: None };
        assert!(!self::names(&unknown, "holds").iter().any(|name| fits(name, 0.04)));
    }

    #[test]
    fn a_label_that_does_not_fit_before_now_is_after_it() {
        let label = label(Vec::new());
        let placed = |now| {
            let place = label.at(at(now));
            (place.at.as_millis() / 1000, place.is_ahead, place.name)
        };
        assert_eq!(placed(5), (10, true, Some("A web-1 holds")));
        assert_eq!(placed(12), (12, true, Some("A web-1 holds")));
        assert_eq!(placed(40), (10, false, Some("A web-1 holds")));
        assert_eq!(placed(90), (10, false, Some("A web-1 holds")));
    }

    #[test]
    fn words_are_beside_a_fold_and_not_across_it() {
        let placed = |folds| {
            let label = label(folds);
            let place = label.at(at(60));
            (place.at.as_millis() / 1000, place.name.map(str::to_owned))
        };
        let after = |seconds, name: &str| (seconds, Some(name.to_owned()));
        assert_eq!(placed(vec![(at(40), at(50))]), after(10, "A web-1 holds"));
        assert_eq!(placed(vec![(at(15), at(20))]), after(20, "A web-1 holds"));
        assert_eq!(placed(vec![(at(20), at(55))]), after(10, "A web-1"));
        assert_eq!(placed(vec![(at(5), at(95))]).1, None, "the fold covers the bar");
        assert_eq!(placed(vec![(at(70), at(80))]), after(10, "A web-1 holds"));
    }
}
