//! The lane "your guess" below the lanes of a lesson, with a pin for each choice of its question
//! that is a time. A pressed pin marks its choice. The choices are also in a list, for the keyboard
//! and for assistive technology.

use leptos::prelude::*;
use lictor_desk::lessons::guess_lane::GuessLane;
use lictor_desk::lessons::{GuessAnswer, Question};
use lictor_view::format::clock;
use lictor_view::timeline::page_width::PageWidth;
use web_sys::{MouseEvent, PointerEvent};

use crate::components::{Drawing, point_in_drawing};
use crate::platform::words::{language, lesson_words};
use crate::signals::SetIfChanged;
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

/// A question that was reached, and the answer to its guess if there is one.
type ReachedQuestion = (Question, Option<GuessAnswer>);

#[component]
pub fn GuessPins(
    /// The width of the axis in pixels.
    width: Signal<f64>,
) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let reached = Memo::new(move |_| reached_question(lesson_reader));
    move || reached.get().map(|reached| lane(lesson_reader, reached, width))
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

fn lane(
    lesson_reader: LessonReader,
    reached: ReachedQuestion,
    width: Signal<f64>,
) -> impl IntoView {
    let controller = use_controller();
    let since = reached.0.since;
    let is_open = reached.1.is_none();
    let reached = StoredValue::new(reached);
    let page = Memo::new(move |_| PageWidth::of_axis(width.get()));
    let class = move || {
        reached.with_value(|reached| {
            controller.axis.with(|axis| guess_lane(reached, None, page.get()).class(axis))
        })
    };
    let shapes = move || {
        let (language, chosen) = (language(), lesson_reader.chosen.get());
        reached.with_value(|reached| {
            let lane = guess_lane(reached, chosen, page.get());
            controller.axis.with(|axis| lane.shapes(axis, language))
        })
    };
    let pin_at = move |event: &MouseEvent| {
        reached.with_value(|reached| {
            let lane = guess_lane(reached, None, page.get_untracked());
            let axis = controller.axis.read_untracked();
            lane.choice_at(&axis, width.get_untracked(), point_in_drawing(event))
        })
    };
    let is_over_pin = RwSignal::new(false);
    let hover = move |event: PointerEvent| {
        is_over_pin.set_if_changed(is_open && pin_at(&event).is_some());
    };
    let press = move |event: MouseEvent| {
        if let Some(choice) = pin_at(&event)
            && is_open
        {
            event.stop_propagation();
            lesson_reader.chosen.set(Some(choice));
        }
    };
    let below = move || since.map(|at| (lesson_words().counted_from)(&clock(at)));
    view! {
        <div
            class=class
            class:is-over-pin=move || is_over_pin.get()
            data-testid="lane-guess"
            aria-hidden="true"
        >
            <div class="lane-name">
                <span>{move || lesson_words().your_guess}<small>{below}</small></span>
            </div>
            <Drawing now=controller.now draw=shapes on:click=press on:pointermove=hover/>
        </div>
    }
}

fn guess_lane(
    (question, answer): &ReachedQuestion,
    chosen: Option<usize>,
    page: PageWidth,
) -> GuessLane<'_> {
    GuessLane { question, chosen, answer: answer.as_ref(), page }
}
