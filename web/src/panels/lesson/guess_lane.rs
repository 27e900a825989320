//! The lane "your guess" below the lanes of a lesson, with a pin for each choice of its question
//! that is a time. A pressed pin marks its choice. The choices are also in a list, for the keyboard
//! and for assistive technology.

use leptos::prelude::*;
use lictor_desk::lessons::guess_lane::{CHOICE, GuessLane};
use lictor_desk::lessons::{GuessAnswer, Question};
use lictor_view::format::clock;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

use crate::components::Drawing;
use crate::platform::words::{language, lesson_words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

/// A question that was reached, and the answer to its guess if there is one.
type ReachedQuestion = (Question, Option<GuessAnswer>);

#[component]
pub fn GuessPins() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let reached = Memo::new(move |_| reached_question(lesson_reader));
    move || reached.get().map(|reached| lane(lesson_reader, reached))
}

/// The question of the open lesson, once its page is reached, if any of its choices is a time.
fn reached_question(lesson_reader: LessonReader) -> Option<ReachedQuestion> {
    lesson_reader.reading.with(|reading| {
        let reading = reading.as_ref()?;
        let (page, question) = reading.lesson.question()?;
        let is_reached =
            reading.last_played_page.is_some_and(|last_played_page| last_played_page >= page);
        (is_reached && GuessLane::has_pins(question)).then(|| (question.clone(), reading.answer()))
    })
}

fn lane(lesson_reader: LessonReader, reached: ReachedQuestion) -> impl IntoView {
    let controller = use_controller();
    let since = reached.0.since;
    let is_open = reached.1.is_none();
    let reached = StoredValue::new(reached);
    let class = move || {
        reached.with_value(|(question, answer)| {
            let lane = GuessLane { question, chosen: None, answer: answer.as_ref() };
            controller.axis.with(|axis| lane.class(axis))
        })
    };
    let shapes = move || {
        let language = language();
        reached.with_value(|(question, answer)| {
            let chosen = lesson_reader.chosen.get();
            let lane = GuessLane { question, chosen, answer: answer.as_ref() };
            controller.axis.with(|axis| lane.shapes(axis, language))
        })
    };
    let press = move |event: MouseEvent| {
        if let Some(choice) = pressed(&event)
            && is_open
        {
            event.stop_propagation();
            lesson_reader.chosen.set(Some(choice));
        }
    };
    let below = move || since.map(|at| (lesson_words().counted_from)(&clock(at)));
    view! {
        <div class=class data-testid="lane-guess" aria-hidden="true" on:click=press>
            <div class="lane-name">
                <span>{move || lesson_words().your_guess}<small>{below}</small></span>
            </div>
            <Drawing now=controller.now draw=shapes/>
        </div>
    }
}

/// The choice whose pin was pressed.
fn pressed(event: &MouseEvent) -> Option<usize> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(&format!("[{CHOICE}]")).ok()??.get_attribute(CHOICE)?.parse().ok()
}
