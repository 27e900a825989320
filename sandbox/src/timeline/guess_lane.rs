//! The lane of a question: its choices that are times, as pins at their places on the axis. The
//! page chooses an answer when a pin is pressed; after the guess the pins show which was right.

use lictor_core::time::Instant;

use super::axis::Axis;
use super::shape::Shape;
use crate::language::Language;
use crate::tutorial::{ChoiceMark, GuessAnswer, Question, in_language, pins};

/// The attribute of a pin that has the number of its choice, counted from 0.
pub const CHOICE: &str = "data-choice";
/// Half of a pin's width in pixels, and its share of the axis with a gap: on the reference page and
/// on a narrow one.
const HALF: u32 = 28;
const WIDE: f64 = 0.108;
const NARROW: f64 = 0.2;
/// The most rows of pins.
const ROWS: usize = 4;
const CHECK: &str = "M-21 14l4 4 7-8";
const CROSS: &str = "M-21 10l8 8M-13 10l-8 8";

/// What the lane shows.
pub struct GuessLane<'a> {
    pub question: &'a Question,
    /// The choice that is marked for the guess.
    pub chosen: Option<usize>,
    /// What the page says to the guess; none while the question is open.
    pub answer: Option<&'a GuessAnswer>,
}

/// The rows of pins that lie too near to each other for one row, on a wide and on a narrow page.
fn rows(axis: &Axis, pins: &[(usize, Instant)], width: f64) -> Vec<usize> {
    let mut ends = [f64::NEG_INFINITY; ROWS];
    let row = |(_, at): &(usize, Instant)| {
        let place = axis.fraction(*at);
        let row = ends.iter().position(|end| *end <= place).unwrap_or(ROWS - 1);
        ends[row] = place + width;
        row
    };
    pins.iter().map(row).collect()
}

impl GuessLane<'_> {
    /// Whether any choice is a time.
    pub fn has_pins(question: &Question) -> bool {
        !pins(question).is_empty()
    }

    /// The class of the lane, which sets its height.
    pub fn class(question: &Question, axis: &Axis) -> String {
        let pins = pins(question);
        let count = |width| rows(axis, &pins, width).into_iter().max().unwrap_or(0) + 1;
        format!("lane lane-guess group wide-{} narrow-{}", count(WIDE), count(NARROW))
    }

    pub fn shapes(&self, axis: &Axis, language: Language) -> Vec<Shape> {
        let line = Shape::line("guess-line", ("0".into(), "100%".into()), ("18", "18"));
        let mut shapes = vec![line];
        if let Some(since) = self.question.since {
            let x = axis.x(since);
            shapes.push(Shape::line("guess-since", (x.clone(), x), ("6", "30")));
        }
        let now = Shape::new("line", "now-line").attr("y1", "0").attr("y2", "100%");
        let now = now.follow("x1", axis.x_of_visible_now());
        shapes.push(now.follow("x2", axis.x_of_visible_now()));
        let pins = pins(self.question);
        let (wide, narrow) = (rows(axis, &pins, WIDE), rows(axis, &pins, NARROW));
        for ((place, at), (wide, narrow)) in pins.into_iter().zip(wide.into_iter().zip(narrow)) {
            if axis.shows(at, at) {
                let rows = format!("wide-{wide} narrow-{narrow}");
                let pin = self.pin(place, &rows, language);
                shapes.push(Shape::place(axis.x(at)).holding(vec![pin]));
            }
        }
        shapes
    }

    fn pin(&self, place: usize, rows: &str, language: Language) -> Shape {
        let label = in_language(&self.question.choices[place].label, language);
        let (state, sign) = match self.answer.map(|answer| answer.marks[place]) {
            None if self.chosen == Some(place) => ("chosen", None),
            None => ("open", None),
            Some(ChoiceMark::Right) => ("yes", Some(CHECK)),
            Some(ChoiceMark::Wrong) => ("no", Some(CROSS)),
            Some(ChoiceMark::Plain) => ("plain", None),
        };
        let plate = Shape::rect("pin-plate").attr("x", format!("-{HALF}")).attr("y", "5");
        let plate = plate.attr("width", (2 * HALF).to_string()).attr("height", "26");
        let x = if sign.is_some() { 8 } else { 0 };
        let mut parts = vec![plate.attr("rx", "4")];
        parts.extend(sign.map(|sign| Shape::path("pin-sign", sign)));
        parts.push(Shape::words("pin-text", (x, "22.5"), label));
        let pin = Shape::new("g", format!("pin {state} {rows}")).attr(CHOICE, place.to_string());
        pin.attr("data-testid", format!("pin-{}", place + 1)).holding(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::scale::Scale;
    use crate::tutorial::{Guess, Story};
    use lictor_sim::scenario::{SCENARIOS, Variant};
    use std::sync::Arc;

    fn axis(story: &Story) -> Axis {
        Axis::all(&Arc::new(Scale::plain(story.axis().end)))
    }

    fn pin_classes(shapes: &[Shape]) -> Vec<String> {
        let all = shapes.iter().flat_map(|shape| &shape.children);
        all.filter_map(|shape| shape.attribute("class", Instant::EPOCH)).collect()
    }

    #[test]
    fn each_choice_that_is_a_time_has_a_pin_on_the_axis() {
        for number in 1..=SCENARIOS.len() as u32 {
            let story = Story::read(number, Variant::Plain).expect("it was tested");
            let (_, question) = story.question().expect("it asks one");
            let axis = axis(&story);
            let lane = GuessLane { question, chosen: None, answer: None };
            let shapes = lane.shapes(&axis, Language::English);
            assert_eq!(pin_classes(&shapes).len(), pins(question).len(), "{number}");
            for (_, at) in pins(question) {
                assert!((0.0..0.97).contains(&axis.fraction(at)), "{number}: {at} is at an edge");
            }
        }
    }

    #[test]
    fn pins_that_would_overlap_are_in_different_rows() {
        let story = Story::read(18, Variant::Plain).expect("it was tested");
        let (_, question) = story.question().expect("it asks one");
        let axis = axis(&story);
        for width in [WIDE, NARROW] {
            let pins = pins(question);
            let rows = rows(&axis, &pins, width);
            for (one, (_, at)) in pins.iter().enumerate() {
                for (other, (_, later)) in pins.iter().enumerate().skip(one + 1) {
                    let apart = axis.fraction(*later) - axis.fraction(*at);
                    assert!(apart >= width || rows[one] != rows[other]);
                }
            }
        }
    }

    #[test]
    fn pins_are_marked_by_the_choice_and_then_by_the_answer() {
        let story = Story::read(1, Variant::Plain).expect("it was tested");
        let (_, question) = story.question().expect("it asks one");
        let axis = axis(&story);
        let states = |chosen, answer| -> Vec<String> {
            let lane = GuessLane { question, chosen, answer };
            let classes = pin_classes(&lane.shapes(&axis, Language::English));
            let state = |class: &String| class.split(' ').nth(1).map(str::to_owned);
            classes.iter().filter_map(state).collect()
        };
        assert_eq!(states(Some(1), None), ["open", "chosen", "open", "open"]);
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        assert_eq!(states(Some(0), Some(&answer)), ["no", "plain", "yes", "plain"]);
    }
}
