//! Bars of holders and believers, in the hue and pattern of the session's owner, with as much of
//! its name as fits. The lock, belief and semaphore lanes use it.

use lictor_core::time::Instant;

use super::axis::Axis;
use super::draw_context::DrawContext;
use super::shape::Shape;
use crate::history::SessionTag;

/// Bars shorter than this fraction of the axis have no label.
pub(super) const ROOM_FOR_NAME: f64 = 0.135;
/// The approximate width of a letter, as a share of the axis.
pub(super) const LETTER: f64 = 0.012;

/// The row of a bar in its lane, in pixels.
#[derive(Clone, Copy)]
pub(super) struct BarRow {
    pub(super) y: u32,
    pub(super) height: u32,
    /// The baseline of the label, from `y`.
    pub(super) baseline: &'static str,
}

/// The start and end of a bar; without an end, as far as the forecast reaches.
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

/// A bar in the hue and pattern of a session's owner, with as much of its name as has room.
pub(super) fn bar(scene: &DrawContext, bar: Bar<'_>) -> Vec<Shape> {
    let Bar { session, span, room, verb } = bar;
    let axis = &scene.axis;
    let to = span.to.unwrap_or(scene.until);
    let place = |shape: Shape| {
        let shape = shape.attr("x", axis.x(span.from)).attr("y", room.y.to_string());
        shape.attr("height", room.height.to_string()).attr("width", axis.width(span.from, to))
    };
    let class = session.owner.as_ref().map_or("a8", |who| who.badge.class());
    let pattern = session.owner.as_ref().and_then(|who| who.badge.pattern());
    let mut shapes = vec![place(Shape::rect(format!("bar {class}")).attr("rx", "2"))];
    if let Some(paint) = pattern {
        shapes.push(place(Shape::rect("ink").attr("fill", paint).attr("rx", "2")));
    }
    shapes.push(place(Shape::rect(format!("bar-edge {class}")).attr("rx", "2")));
    let share = axis.fraction(to).min(1.0) - axis.fraction(span.from).max(0.0);
    if let Some(name) = name(session, verb, share) {
        let words = Shape::words("", (6, &room.y.to_string()), name);
        let words = words.follow("class", move |now| words_class(class, span.from, now));
        shapes.push(words.beside(axis.x(span.from)).attr("dy", room.baseline));
    }
    shapes
}

/// The words on a bar that now has reached are on its hue; those on one ahead are on the veil.
fn words_class(hue: &str, from: Instant, now: Instant) -> String {
    if from < now { format!("bar-text {hue}") } else { format!("bar-text-ahead {hue}") }
}

/// The veil over the bars of a lane that lie ahead; edges, marks and words stay above it. While a
/// question is open, `grid::over` hides all of what lies ahead.
pub(super) fn veiled(axis: &Axis, shapes: Vec<Shape>) -> Vec<Shape> {
    let is_fill = |shape: &Shape| {
        let class = shape.attribute("class", Instant::EPOCH).unwrap_or_default();
        matches!(class.split(' ').next(), Some("bar" | "ink" | "many"))
    };
    let (mut fills, rest): (Vec<_>, Vec<_>) = shapes.into_iter().partition(is_fill);
    if !fills.is_empty() {
        let veil = Shape::rect("veil").attr("y", "0").attr("height", "100%");
        fills.push(veil.follow("x", axis.x_of_now()).follow("width", axis.width_ahead()));
    }
    fills.extend(rest);
    fills
}

/// A bar for several spans that are too short to draw one by one.
pub(super) fn many(axis: &Axis, (from, to): (Instant, Instant), room: BarRow) -> Shape {
    let bar = Shape::rect("many").attr("x", axis.x(from)).attr("width", axis.width(from, to));
    bar.attr("y", room.y.to_string()).attr("height", room.height.to_string())
}

/// The label of a bar with this share of the axis.
fn name(session: &SessionTag, verb: &str, share: f64) -> Option<String> {
    let short = &session.label;
    let names = match &session.owner {
        Some(who) => {
            let named = format!("{short} {}", who.name);
            let letter = who.badge.letter().to_string();
            vec![format!("{named} {verb}"), named, short.to_string(), letter]
        }
        None => vec![short.to_string()],
    };
    // A Chinese character is as wide as two letters, and takes three bytes.
    let fits = |name: &String| share > LETTER * (name.len() + 1) as f64;
    names.into_iter().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::badge::Badge;
    use crate::history::ActorTag;

    #[test]
    fn a_label_is_shortened_to_the_room_of_its_bar() {
        let owner = ActorTag { name: "web-1".into(), badge: Badge(0) };
        let session = SessionTag { label: "A2".into(), owner: Some(owner) };
        let said = [0.2, 0.11, 0.05, 0.025, 0.01].map(|share| name(&session, "holds", share));
        let expected = [Some("A2 web-1 holds"), Some("A2 web-1"), Some("A2"), Some("A"), None];
        assert_eq!(said.each_ref().map(Option::as_deref), expected);
        assert_eq!(name(&SessionTag { label: "3f2a".into(), owner: None }, "holds", 0.04), None);
    }
}
