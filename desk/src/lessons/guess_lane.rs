//! Draws the lane of a question: the choices that are times, as pins at their places on the axis.
//! After the guess, the pins mark the right and the guessed choice.

use lictor_view::language::Language;
use lictor_view::timeline::axis::Axis;
use lictor_view::timeline::shape::Shape;

use super::{ChoiceMark, GuessAnswer, Question, in_language, pins};

/// The attribute of a pin that has the number of its choice, counted from 0.
pub const CHOICE: &str = "data-choice";
/// Half of a pin's width, in pixels.
const HALF: u32 = 28;
/// The width of a pin with a gap, as a share of the axis on a wide page.
const WIDE: f64 = 0.108;
/// The same on a narrow page.
const NARROW: f64 = 0.2;
/// The most rows of pins.
const ROWS: usize = 4;
const CHECK: &str = "M-21 18l4 4 7-8";
const CROSS: &str = "M-21 14l8 8M-13 14l-8 8";

/// The lane of a question in its present state.
pub struct GuessLane<'a> {
    pub question: &'a Question,
    /// The choice that is marked for the guess.
    pub chosen: Option<usize>,
    /// The answer to the guess; `None` while the question is open.
    pub answer: Option<&'a GuessAnswer>,
}

/// A pin with its row on a page of one width.
struct PlacedPin {
    choice: usize,
    /// The middle of the pin, as a share of the axis.
    middle: f64,
    row: usize,
}

/// Places the pins in rows so that no two in a row are nearer than `width`; only the last row may
/// have pins that overlap. After the guess, the right and the guessed choice are placed first, so
/// that they are in the first row if it has room for both.
fn rows(lane: &GuessLane, axis: &Axis, width: f64) -> Vec<PlacedPin> {
    let is_plain =
        |choice: usize| lane.answer.is_some_and(|answer| answer.marks[choice] == ChoiceMark::Plain);
    let all = pins(lane.question).into_iter();
    let (plain, marked): (Vec<_>, Vec<_>) = all.partition(|(choice, _)| is_plain(*choice));
    let mut placed: Vec<PlacedPin> = Vec::new();
    for (choice, at) in marked.into_iter().chain(plain) {
        let share = axis.fraction(at);
        let middle = share + (0.5 - before(share)) * width;
        let is_free = |row: &usize| {
            let mut others = placed.iter().filter(|pin| pin.row == *row);
            others.all(|pin| (pin.middle - middle).abs() >= width)
        };
        let row = (0..ROWS).find(is_free).unwrap_or(ROWS - 1);
        placed.push(PlacedPin { choice, middle, row });
    }
    placed
}

/// The part of a pin that is before its time: half of it, and less or more near an end of the axis,
/// so that the pin does not hang over the axis on the narrowest page.
fn before(share: f64) -> f64 {
    let from_end = (1.0 - share).clamp(0.0, NARROW / 2.0);
    let from_start = share.clamp(0.0, NARROW / 2.0);
    0.5 + (from_start - from_end) / NARROW
}

/// The row of a pin as a part of its class.
fn row_class(pins: &[PlacedPin], choice: usize) -> String {
    let pin = pins.iter().find(|pin| pin.choice == choice);
    pin.map_or_else(String::new, |pin| pin.row.to_string())
}

impl GuessLane<'_> {
    /// Whether any choice is a time.
    pub fn has_pins(question: &Question) -> bool {
        !pins(question).is_empty()
    }

    /// The class of the lane, which sets its height.
    pub fn class(&self, axis: &Axis) -> String {
        let count = |width| {
            let rows = rows(self, axis, width).into_iter().map(|pin| pin.row + 1);
            rows.max().unwrap_or(1)
        };
        format!("lane lane-guess group wide-{} narrow-{}", count(WIDE), count(NARROW))
    }

    pub fn shapes(&self, axis: &Axis, language: Language) -> Vec<Shape> {
        let line = Shape::line("guess-line", ("0".into(), "100%".into()), ("18", "18"));
        let mut shapes = vec![line];
        if let Some(since) = self.question.since {
            let x = axis.x(since);
            shapes.push(Shape::line("guess-since", (x.clone(), x), ("6", "30")));
        }
        shapes.extend(self.span(axis, language));
        let now = Shape::new("line", "now-line").attr("y1", "0").attr("y2", "100%");
        shapes.push(axis.at_visible_now(now));
        let [wide, narrow] = [WIDE, NARROW].map(|width| rows(self, axis, width));
        for (index, at) in pins(self.question) {
            if axis.shows(at, at) {
                let [wide, narrow] = [&wide, &narrow].map(|pins| row_class(pins, index));
                let rows = format!("wide-{wide} narrow-{narrow}");
                // To the right of its time, in pixels.
                let right = (0.5 - before(axis.fraction(at))) * f64::from(2 * HALF);
                let pin = self.pin(index, &rows, right.round() as i32, language);
                shapes.push(Shape::place(axis.x(at)).holding(vec![pin]));
            }
        }
        shapes
    }

    /// The span from the beginning of the question to the right answer; nothing before the guess.
    fn span(&self, axis: &Axis, language: Language) -> Vec<Shape> {
        let right = self.answer.map(|_| &self.question.choices[self.question.answer.choice]);
        let (Some(from), Some(to)) = (self.question.since, right.and_then(|right| right.at)) else {
            return Vec::new();
        };
        let line = Shape::line("guess-span", (axis.x(from), axis.x(to)), ("18", "18"));
        let name = self.question.span.as_ref().map(|name| {
            let text = in_language(name, language);
            Shape::words("guess-span-text", (8, "13"), text).beside(axis.x(from))
        });
        [Some(line), name].into_iter().flatten().collect()
    }

    fn pin(&self, index: usize, rows: &str, right: i32, language: Language) -> Shape {
        let label = in_language(&self.question.choices[index].label, language);
        let (state, sign) = match self.answer.map(|answer| answer.marks[index]) {
            None if self.chosen == Some(index) => ("chosen", None),
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
        if right != 0 {
            let moved = Shape::new("g", "").attr("transform", format!("translate({right})"));
            let time = Shape::line("guess-since", ("0".into(), "0".into()), ("31", "35"));
            parts = vec![time, moved.holding(parts)];
        }
        let pin = Shape::new("g", format!("pin {state} {rows}")).attr(CHOICE, index.to_string());
        pin.attr("data-testid", format!("pin-{}", index + 1)).holding(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Guess, Lesson};
    use lictor_core::time::Instant;
    use lictor_sim::scenario::{SCENARIOS, Variant};
    use lictor_view::timeline::scale::Scale;
    use std::sync::Arc;

    fn axis(lesson: &Lesson) -> Axis {
        Axis::all(&Arc::new(Scale::plain(lesson.axis().end)))
    }

    fn pin_classes(shapes: &[Shape]) -> Vec<String> {
        let all = shapes.iter().flat_map(|shape| &shape.children);
        all.filter_map(|shape| shape.attribute("class", Instant::EPOCH)).collect()
    }

    #[test]
    fn each_choice_that_is_a_time_has_a_pin_on_the_axis() {
        for number in 1..=SCENARIOS.len() as u32 {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let (_, question) = lesson.question().expect("it asks one");
            let axis = axis(&lesson);
            let lane = GuessLane { question, chosen: None, answer: None };
            let shapes = lane.shapes(&axis, Language::English);
            assert_eq!(pin_classes(&shapes).len(), pins(question).len(), "{number}");
            for (_, at) in pins(question) {
                assert!((0.0..0.97).contains(&axis.fraction(at)), "{number}: {at} is at an edge");
            }
        }
    }

    /// On each page, before and after each guess.
    #[test]
    fn no_pin_is_missing_overlaps_another_or_hangs_over_the_axis() {
        for number in 1..=SCENARIOS.len() as u32 {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let (_, question) = lesson.question().expect("it asks one");
            let axis = axis(&lesson);
            let guesses = (0..question.choices.len()).map(Guess::Choice);
            let answers = guesses.map(|guess| GuessAnswer::new(question, guess));
            let answers: Vec<_> = answers.map(Some).chain([None]).collect();
            for (answer, width) in answers.iter().flat_map(|it| [(it, WIDE), (it, NARROW)]) {
                let lane = GuessLane { question, chosen: None, answer: answer.as_ref() };
                let rows = rows(&lane, &axis, width);
                assert_eq!(rows.len(), pins(question).len(), "{number}: one is missing");
                for (one, pin) in rows.iter().enumerate() {
                    let ends = [pin.middle - width / 2.0, pin.middle + width / 2.0];
                    let is_inside = ends.iter().all(|end| (-0.001..=1.001).contains(end));
                    assert!(is_inside, "{number}: {} of {width}", pin.middle);
                    for other in rows.iter().skip(one + 1) {
                        let apart = (other.middle - pin.middle).abs();
                        assert!(apart >= width || other.row != pin.row, "{number}");
                    }
                }
            }
        }
    }

    #[test]
    fn after_the_guess_the_marked_pins_are_placed_first() {
        let lesson = Lesson::play(17, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
        let rows = |answer| -> Vec<_> {
            let rows = rows(&GuessLane { question, chosen: None, answer }, &axis, NARROW);
            rows.into_iter().map(|pin| (pin.choice, pin.row)).collect()
        };
        assert_eq!(rows(None), [(0, 0), (1, 1), (2, 2), (3, 0)]);
        let answer = GuessAnswer::new(question, Guess::Choice(1));
        assert_eq!(rows(Some(&answer)), [(1, 0), (3, 0), (0, 1), (2, 2)]);
    }

    #[test]
    fn the_time_to_the_right_answer_is_drawn_after_the_guess() {
        let lesson = Lesson::play(1, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
        let span = |answer| {
            let lane = GuessLane { question, chosen: None, answer };
            let shapes = lane.shapes(&axis, Language::English);
            let has = |shape: &&Shape| {
                let class = shape.attribute("class", Instant::EPOCH);
                class.is_some_and(|class| class.starts_with("guess-span"))
            };
            let x = |shape: &Shape| ["x1", "x2", "x"].map(|it| shape.attribute(it, Instant::EPOCH));
            shapes.iter().filter(has).map(x).collect::<Vec<_>>()
        };
        assert_eq!(span(None), Vec::<[Option<String>; 3]>::new());
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        let [from, to] = [20_000, 60_000].map(|at| Some(axis.x(Instant::from_millis(at))));
        assert_eq!(span(Some(&answer)), [[from.clone(), to, None], [None, None, from]]);
    }

    #[test]
    fn pins_are_marked_by_the_choice_and_then_by_the_answer() {
        let lesson = Lesson::play(1, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
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
