//! The buttons that lead on from a page of a lesson: the main one, which is in the bar at the foot
//! of a narrow page, and the quieter ones beside it.

use leptos::prelude::*;
use lictor_desk::lessons::{Guess, LessonProgress, next_after, title};
use lictor_sim::scenario::SCENARIOS;

use super::Ending;
use super::question::FIRST_CHOICE;
use super::verdict::VERDICT;
use crate::components::{Button, Glyph, Icon, IconButton, Opener, focus};
use crate::panels::learn::HOME;
use crate::platform::words::{language, lesson_words};
use crate::state::lesson_reader::{LESSON, LessonReader};

/// The action of the main button.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MainStep {
    Guess,
    NextPage,
    NextQuestion(u32),
    /// After the last question.
    AllQuestions,
}

/// The action of the main button on the open page; `None` if the lesson has no such page.
fn main_step(reading: &LessonProgress) -> Option<MainStep> {
    let page = reading.lesson.pages.get(reading.page)?;
    let is_asked = page.question.is_some();
    Some(match next_after(reading.lesson.scenario.number) {
        _ if is_asked && reading.guess.is_none() => MainStep::Guess,
        _ if !is_asked && !reading.lesson.is_last(reading.page) => MainStep::NextPage,
        Some(number) => MainStep::NextQuestion(number),
        None => MainStep::AllQuestions,
    })
}

/// The main button of the open lesson.
#[component]
pub fn MainButton() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let main = Memo::new(move |_| lesson_reader.reading.with(|it| it.as_ref().and_then(main_step)));
    let button = move |step| match step {
        MainStep::Guess => view! { <GuessButton/> }.into_any(),
        MainStep::NextPage => view! {
            <Button
                class="btn btn-main"
                test_id="story-next"
                focus_fallback="story-close"
                on_press=move || lesson_reader.next()
            >
                <span>{move || lesson_words().next}</span>
            </Button>
        }
        .into_any(),
        MainStep::NextQuestion(number) => view! {
            <Button
                class="btn btn-main"
                test_id="next-question"
                focus_fallback=LESSON
                on_press=move || lesson_reader.open_question(number)
            >
                {move || lesson_words().next_question}
                <Icon glyph=Glyph::Next/>
            </Button>
        }
        .into_any(),
        MainStep::AllQuestions => view! {
            <Opener id=HOME class="btn btn-main" test_id="to-all-questions">
                {move || (lesson_words().all_questions)(SCENARIOS.len())}
            </Opener>
        }
        .into_any(),
    };
    move || main.get().map(button)
}

/// Answers with the choice that is marked; without one, shows that it is missing and moves the
/// focus to the choices.
#[component]
fn GuessButton() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let guess = move || match lesson_reader.chosen.get_untracked() {
        Some(choice) => lesson_reader.answer(Guess::Choice(choice)),
        None => {
            lesson_reader.is_choice_missing.set(true);
            focus(FIRST_CHOICE);
        }
    };
    view! {
        <Button class="btn btn-main" test_id="story-guess" focus_fallback=VERDICT on_press=guess>
            {move || lesson_words().guess}
        </Button>
    }
}

/// The quieter buttons, in the order of the Tab key, and shown from right to left: one that skips
/// the guess, goes to the next page or leaves the lesson, and one that goes back.
#[component]
pub fn OtherSteps(reading: LessonProgress, ending: Ending) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_first = reading.page == 0;
    let is_last = reading.lesson.is_last(reading.page);
    let second = match main_step(&reading) {
        Some(MainStep::Guess) => Some(skip(lesson_reader).into_any()),
        Some(MainStep::NextPage) | None => None,
        Some(_) if is_last => Some(leave(lesson_reader, &reading, ending).into_any()),
        Some(_) => Some(next(lesson_reader).into_any()),
    };
    view! {
        {second}
        <IconButton
            glyph=Glyph::Previous
            test_id="story-back"
            label=move || lesson_words().back
            disabled=Signal::stored(is_first)
            on_press=move || lesson_reader.back()
        />
    }
}

fn skip(lesson_reader: LessonReader) -> impl IntoView {
    view! {
        <Button
            class="btn btn-quiet"
            test_id="story-skip"
            focus_fallback=VERDICT
            on_press=move || lesson_reader.answer(Guess::Skipped)
        >
            {move || lesson_words().skip}
        </Button>
    }
}

fn next(lesson_reader: LessonReader) -> impl IntoView {
    view! {
        <IconButton
            glyph=Glyph::Next
            test_id="story-next"
            label=move || lesson_words().next_page
            focus_fallback="story-close"
            on_press=move || lesson_reader.next()
        />
    }
}

/// The button at the end of a lesson: it leaves the lesson or, in an embedding page, which has only
/// this lesson, opens its beginning again.
fn leave(
    lesson_reader: LessonReader,
    reading: &LessonProgress,
    ending: Ending,
) -> impl IntoView + use<> {
    let (number, variant) = (reading.lesson.scenario.number, reading.lesson.variant);
    let press = move || match ending {
        Ending::Leave => lesson_reader.session.return_to_sandbox(),
        Ending::Again => lesson_reader.open(number, variant),
    };
    let label = move || match ending {
        Ending::Leave => lesson_words().close,
        Ending::Again => lesson_words().again,
    };
    let focus_fallback = match ending {
        Ending::Leave => "home-button",
        Ending::Again => "story-next",
    };
    view! {
        <Button class="btn btn-line" test_id="story-close" focus_fallback on_press=press>
            {label}
        </Button>
    }
}

/// The number and the title of the next question, while the main button leads to it.
pub fn next_title(reading: &LessonProgress) -> Option<impl IntoView + use<>> {
    let Some(MainStep::NextQuestion(number)) = main_step(reading) else { return None };
    let title = title(number, language());
    let text = (lesson_words().next_title)(number, SCENARIOS.len() as u32, &title);
    Some(view! { <p class="small next-title">{text}</p> })
}
