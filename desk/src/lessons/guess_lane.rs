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
    share: f64,
    row: usize,
}

/// Places the pins in rows so that no two in a row are nearer than `width`; only the last row may
/// have pins that overlap. While the question is open, each pin has a row. After the guess, the
/// right and the guessed choice have one, and the others only where the first row has room.
fn rows(lane: &GuessLane, axis: &Axis, width: f64) -> Vec<PlacedPin> {
    let is_plain =
        |choice: usize| lane.answer.is_some_and(|answer| answer.marks[choice] == ChoiceMark::Plain);
    let all = pins(lane.question).into_iter();
    let (plain, marked): (Vec<_>, Vec<_>) = all.partition(|(choice, _)| is_plain(*choice));
    let mut placed: Vec<PlacedPin> = Vec::new();
    for (choice, at) in marked.into_iter().chain(plain) {
        let share = axis.fraction(at);
        let is_free = |row: &usize| {
            let mut others = placed.iter().filter(|pin| pin.row == *row);
            others.all(|pin| (pin.share - share).abs() >= width)
        };
        let last = if is_plain(choice) { 0 } else { ROWS - 1 };
        match (0..=last).find(is_free) {
            Some(row) => placed.push(PlacedPin { choice, share, row }),
            None if is_plain(choice) => {}
            None => placed.push(PlacedPin { choice, share, row: last }),
        }
    }
    placed
}

/// The row of a pin as a part of its class.
fn row_class(pins: &[PlacedPin], choice: usize) -> String {
    let pin = pins.iter().find(|pin| pin.choice == choice);
    pin.map_or_else(|| "none".to_owned(), |pin| pin.row.to_string())
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
                let pin = self.pin(index, &rows, language);
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

    fn pin(&self, index: usize, rows: &str, language: Language) -> Shape {
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

    #[test]
    fn pins_that_would_overlap_are_in_different_rows() {
        let lesson = Lesson::play(18, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        for (width, answer) in
            [WIDE, NARROW].into_iter().flat_map(|it| [(it, None), (it, Some(&answer))])
        {
            let rows = rows(&GuessLane { question, chosen: None, answer }, &axis, width);
            for (one, pin) in rows.iter().enumerate() {
                for other in rows.iter().skip(one + 1) {
                    let apart = (other.share - pin.share).abs();
                    assert!(apart >= width || other.row != pin.row);
                }
            }
        }
    }

    #[test]
    fn after_the_guess_a_plain_pin_is_left_out_rather_than_in_a_second_row() {
        let lesson = Lesson::play(17, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
        let rows = |answer| -> Vec<_> {
            let rows = rows(&GuessLane { question, chosen: None, answer }, &axis, NARROW);
            rows.into_iter().map(|pin| (pin.choice, pin.row)).collect()
        };
        assert_eq!(rows(None), [(0, 0), (1, 1), (2, 2), (3, 0)]);
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        assert_eq!(rows(Some(&answer)), [(0, 0), (3, 0)]);
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
