//! Draws the lane of a question: the choices that are times, as pins at their places on the axis.
//! After the guess, the pins mark the right and the guessed choice.

use lictor_core::time::Instant;
use lictor_view::language::Language;
use lictor_view::timeline::axis::Axis;
use lictor_view::timeline::page_width::PageWidth;
use lictor_view::timeline::shape::Shape;

use super::{ChoiceMark, GuessAnswer, Question, in_language, pins};

/// The top, the height and the distance of the rows of pins, in pixels.
const TOP: u32 = 5;
const HEIGHT: u32 = 26;
const ROW: u32 = 28;
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
    pub page: PageWidth,
}

/// A pin with its place.
struct PlacedPin {
    choice: usize,
    at: Instant,
    /// The middle of the pin, as a share of the axis.
    middle: f64,
    row: usize,
}

/// Places the pins in rows so that no two in a row are nearer than their width; only the last row
/// may have pins that overlap. After the guess, the right and the guessed choice are placed first,
/// so that they are in the first row if it has room for both.
fn rows(lane: &GuessLane, axis: &Axis) -> Vec<PlacedPin> {
    let width = share_of_pin(lane.page);
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
        placed.push(PlacedPin { choice, at, middle, row });
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

/// The width of a pin with a gap, as a share of the axis.
fn share_of_pin(page: PageWidth) -> f64 {
    match page {
        PageWidth::Wide => WIDE,
        PageWidth::Narrow => NARROW,
    }
}

/// Half of a pin's width, in pixels.
fn half(page: PageWidth) -> u32 {
    match page {
        PageWidth::Wide => 28,
        PageWidth::Narrow => 23,
    }
}

/// How far to the right of its time the middle of a pin is, in pixels.
fn moved(page: PageWidth, share: f64) -> f64 {
    ((0.5 - before(share)) * f64::from(2 * half(page))).round()
}

impl GuessLane<'_> {
    /// Whether any choice is a time.
    pub fn has_pins(question: &Question) -> bool {
        !pins(question).is_empty()
    }

    /// The class of the lane, which sets its height.
    pub fn class(&self, axis: &Axis) -> String {
        let rows = rows(self, axis).into_iter().map(|pin| pin.row + 1);
        format!("lane lane-guess group rows-{}", rows.max().unwrap_or(1))
    }

    /// The choice whose pin is at a point, in pixels from the corner of an axis of this width.
    pub fn choice_at(&self, axis: &Axis, width: f64, [x, y]: [f64; 2]) -> Option<usize> {
        let is_there = |pin: &&PlacedPin| {
            let share = axis.fraction(pin.at);
            let middle = share * width + moved(self.page, share);
            let top = TOP + ROW * pin.row as u32;
            (x - middle).abs() <= f64::from(half(self.page))
                && (f64::from(top)..=f64::from(top + HEIGHT)).contains(&y)
        };
        rows(self, axis).iter().find(is_there).map(|pin| pin.choice)
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
        let mut pins = rows(self, axis);
        pins.retain(|pin| axis.shows(pin.at, pin.at));
        pins.sort_by_key(|pin| pin.choice);
        shapes.extend(pins.iter().map(|pin| self.pin(axis, pin, language)));
        shapes
    }

    /// The span from the beginning of the question to the right answer; nothing before the guess.
    fn span(&self, axis: &Axis, language: Language) -> Vec<Shape> {
        let right = self.answer.map(|_| &self.question.choices[self.question.answer.choice]);
        let (Some(from), Some(to)) = (self.question.since, right.and_then(|right| right.at)) else {
            return Vec::new();
        };
        let line = Shape::line("guess-span", (axis.x(from), axis.x(to)), ("18", "18"));
        // A narrow page has no room for it beside the pins.
        let name = self.question.span.as_ref().filter(|_| self.page == PageWidth::Wide);
        let name = name.map(|name| {
            let text = in_language(name, language);
            Shape::words("guess-span-text", (8, "13"), text).beside(axis.x(from))
        });
        [Some(line), name].into_iter().flatten().collect()
    }

    fn pin(&self, axis: &Axis, pin: &PlacedPin, language: Language) -> Shape {
        let label = in_language(&self.question.choices[pin.choice].label, language);
        let (state, sign) = match self.answer.map(|answer| answer.marks[pin.choice]) {
            None if self.chosen == Some(pin.choice) => ("chosen", None),
            None => ("open", None),
            Some(ChoiceMark::Right) => ("yes", Some(CHECK)),
            Some(ChoiceMark::Wrong) => ("no", Some(CROSS)),
            Some(ChoiceMark::Plain) => ("plain", None),
        };
        // A narrow pin has no room for a sign.
        let sign = sign.filter(|_| self.page == PageWidth::Wide);
        let half = half(self.page);
        let plate =
            Shape::rect("pin-plate").attr("x", format!("-{half}")).attr("y", TOP.to_string());
        let plate = plate.attr("width", (2 * half).to_string()).attr("height", HEIGHT.to_string());
        let x = if sign.is_some() { 8 } else { 0 };
        let mut parts = vec![plate.attr("rx", "4")];
        parts.extend(sign.map(|sign| Shape::path("pin-sign", sign)));
        parts.push(Shape::words("pin-text", (x, "22.5"), label));
        let right = moved(self.page, axis.fraction(pin.at));
        if right != 0.0 {
            let moved = Shape::new("g", "").attr("transform", format!("translate({right})"));
            let time = Shape::line("guess-since", ("0".into(), "0".into()), ("31", "35"));
            parts = vec![time, moved.holding(parts)];
        }
        let group = Shape::new("g", format!("pin {state}")).holding(parts);
        Shape::place(axis.x(pin.at))
            .attr("y", (ROW * pin.row as u32).to_string())
            .holding(vec![group])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Guess, Lesson};
    use lictor_sim::scenario::{SCENARIOS, Variant};
    use lictor_view::timeline::scale::Scale;
    use std::sync::Arc;

    fn axis(lesson: &Lesson) -> Axis {
        Axis::all(&Arc::new(Scale::plain(lesson.axis().end)))
    }

    /// The lane of an open question on a wide page.
    fn lane(question: &Question) -> GuessLane<'_> {
        GuessLane { question, chosen: None, answer: None, page: PageWidth::Wide }
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
            let lane = lane(question);
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
            let pages = PageWidth::ALL;
            for (answer, page) in answers.iter().flat_map(|it| pages.map(|page| (it, page))) {
                let lane = GuessLane { answer: answer.as_ref(), page, ..lane(question) };
                let (rows, width) = (rows(&lane, &axis), share_of_pin(page));
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
    fn a_pin_is_found_at_each_of_its_points_and_nowhere_else() {
        let lesson = Lesson::play(1, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let (axis, lane) = (axis(&lesson), lane(question));
        let pins = pins(question);
        assert!(!pins.is_empty());
        for pin in rows(&lane, &axis) {
            let middle = [pin.middle * 600.0, 18.0 + 28.0 * pin.row as f64];
            assert_eq!(lane.choice_at(&axis, 600.0, middle), Some(pin.choice));
            assert_eq!(lane.choice_at(&axis, 600.0, [middle[0], 150.0]), None);
        }
        assert_eq!(lane.choice_at(&axis, 600.0, [1.0, 18.0]), None, "before all of them");
    }

    #[test]
    fn after_the_guess_the_marked_pins_are_placed_first() {
        let lesson = Lesson::play(17, Variant::Plain).expect("it was tested");
        let (_, question) = lesson.question().expect("it asks one");
        let axis = axis(&lesson);
        let rows = |answer| -> Vec<_> {
            let page = PageWidth::Narrow;
            let rows = rows(&GuessLane { answer, page, ..lane(question) }, &axis);
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
            let lane = GuessLane { answer, ..lane(question) };
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
            let lane = GuessLane { chosen, answer, ..lane(question) };
            let classes = pin_classes(&lane.shapes(&axis, Language::English));
            let state = |class: &String| class.split(' ').nth(1).map(str::to_owned);
            classes.iter().filter_map(state).collect()
        };
        assert_eq!(states(Some(1), None), ["open", "chosen", "open", "open"]);
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        assert_eq!(states(Some(0), Some(&answer)), ["no", "plain", "yes", "plain"]);
    }
}
