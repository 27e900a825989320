//! What is drawn under all lanes (the background, with the lines of the grid) and over them (folds,
//! the cover of an open question, the line at now).

use lictor_core::time::Instant;

use super::axis::{Axis, OUTSIDE};
use super::page_width::fits;
use super::shape::Shape;
use super::words::words;
use crate::format::percent;
use crate::language::Language;

/// One wave of the edge of a fold, 24 px high.
const WAVE: &str = "q4 6 0 12q-4 6 0 12";
/// The number of waves in an edge, which are 2,160 px high. Lanes below that have folds without
/// waves.
const WAVES: usize = 90;
/// With now before this share of the axis, the time ahead has room for a text.
const LAST_WITH_TEXT: f64 = 0.62;
const CROSSED_EYE: &str = "M2 14.5C3.6 12 5.6 10.7 8 10.7s4.4 1.3 6 3.8c-1.6 2.5-3.6 3.8-6 3.8S3.6 \
                           17 2 14.5zM3 19.5l10-10";

/// The grid, with the background of the forecast and of the time before the visible events.
pub fn background(axis: &Axis, begin: Instant) -> Vec<Shape> {
    let shade = || Shape::rect("shade").attr("y", "24").attr("height", "100%");
    let forecast = axis.over_ahead(shade());
    let edge = shade().attr("x", "100%").attr("width", "16");
    let gone = shade().attr("width", axis.width(Instant::EPOCH, begin));
    let mut shapes = vec![forecast, edge, gone];
    for at in axis.ticks() {
        shapes.push(Shape::upright("grid-line", axis.x(at), ("24", "100%")));
    }
    shapes
}

/// The part of the axis after `until`, the end of the forecast, in which nothing is drawn on the
/// lanes. No shapes if the forecast reaches to the end of the axis.
pub fn not_computed(axis: &Axis, until: Instant, language: Language) -> Vec<Shape> {
    let share = 1.0 - axis.fraction(until).max(0.0);
    if share <= 0.0 {
        return Vec::new();
    }
    let ground = Shape::rect("not-computed").attr("data-testid", "not-computed");
    let ground = ground.attr("x", axis.x(until)).attr("width", axis.width(until, axis.end()));
    let mut shapes = vec![ground.attr("y", "24").attr("height", "100%")];
    let text = words(language).not_computed;
    if fits(text, share) {
        let text = Shape::words("not-computed-text opt", (6, "38"), text);
        shapes.push(text.beside(axis.x(until)));
    }
    shapes
}

/// The folds, the now line, and a cover over the time ahead if `hidden` is given: the text on the
/// cover, in full and as one word.
pub fn overlay(axis: &Axis, hidden: Option<(&str, &str)>) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (from, to) in axis.folds() {
        let fold = Shape::rect("fold").attr("x", axis.x(from)).attr("width", axis.width(from, to));
        let fold = fold.attr("data-testid", "fold");
        shapes.push(fold.attr("y", "24").attr("height", "100%"));
        for at in [from, to] {
            let wave = Shape::path("fold-edge", format!("M0 24{}", WAVE.repeat(WAVES)));
            shapes.push(Shape::place(axis.x(at)).holding(vec![wave]));
        }
    }
    if let Some((text, word)) = hidden {
        shapes.extend(hiding(axis, text, word));
    }
    let line = Shape::new("line", "now-line").attr("y1", "21").attr("y2", "100%");
    shapes.push(axis.at_visible_now(line));
    shapes
}

/// The `x` of the middle of the time ahead; where the time ahead has no room for a text, one
/// outside of the drawing.
fn middle_ahead(axis: &Axis, now: Instant) -> String {
    let share = axis.fraction(now).clamp(0.0, 1.0);
    if share < LAST_WITH_TEXT { percent(share.midpoint(1.0)) } else { OUTSIDE.to_owned() }
}

/// The cover of the time ahead, with a text where there is room. It has the full text and the one
/// word, of which the style sheet shows one.
fn hiding(axis: &Axis, text: &str, word: &str) -> Vec<Shape> {
    let ground = |class: &str| Shape::rect(class).attr("y", "24").attr("height", "100%");
    let mut shapes = Vec::new();
    for class in ["hiding-ground", "hiding"] {
        let hidden = axis.over_ahead(ground(class));
        shapes.extend([hidden, ground(class).attr("x", "100%").attr("width", "16")]);
    }
    for (class, text, half) in [("hiding-text", text, 104), ("hiding-word", word, 44)] {
        let plate = Shape::rect("hiding-plate").attr("y", "46").attr("height", "28");
        let plate = plate.attr("x", format!("-{half}")).attr("width", (2 * half).to_string());
        let eye = Shape::place(format!("-{}", half - 8)).attr("y", "46");
        let eye = eye.holding(vec![Shape::path("hiding-eye", CROSSED_EYE)]);
        let words = Shape::words("hiding-words", (10, "46"), text).attr("dy", "18.5");
        let notice = Shape::moving(axis.clone(), middle_ahead).holding(vec![
            plate.attr("rx", "4"),
            eye,
            words,
        ]);
        shapes.push(Shape::new("g", class).holding(vec![notice]));
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::scale::Scale;
    use std::sync::Arc;

    #[test]
    fn the_time_before_the_visible_events_has_a_background() {
        let end = Instant::from_millis(100_000);
        let axis = Axis::all(&Arc::new(Scale::plain(end)));
        let backgrounds = |begin| -> Vec<_> {
            let is_background =
                |shape: &Shape| shape.attribute("class", end).as_deref() == Some("shade");
            let shapes = background(&axis, begin);
            let backgrounds = shapes.iter().filter(|shape| is_background(shape));
            backgrounds.filter_map(|shape| shape.attribute("width", end)).collect()
        };
        assert_eq!(backgrounds(Instant::EPOCH), ["0.000%", "16", "0.000%"]);
        assert_eq!(backgrounds(Instant::from_millis(25_000)), ["0.000%", "16", "25.000%"]);
    }
}
