//! The panel of the open lesson: its source, the text of the current page, the question or the
//! verdict on the guess, the switch of the fix, and the buttons for the next step.

pub mod guess_lane;
pub mod question;
pub mod steps;
pub mod verdict;

use leptos::prelude::*;
use lictor_desk::lessons::{LessonProgress, Page, SentencePart, in_language, key_mentions};
use lictor_desk::open_panels::OpenPanel;
use lictor_sim::scenario::{SCENARIOS, Variant};

use self::question::Choices;
use self::steps::{MainButton, OtherSteps};
use self::verdict::{outcome, verdict};
use crate::components::{Button, page_id, use_one_column};
use crate::panels::learn::HOME;
use crate::panels::status_bar::PanelButton;
use crate::platform::words::{language, lesson_words, words};
use crate::state::dispatch::Dispatch;
use crate::state::lesson_reader::{LESSON, LessonReader};

/// What the main button of the last page does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It leaves the lesson.
    Leave,
    /// It goes to the first page.
    Again,
}

#[component]
pub fn Lesson(ending: Ending) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    move || lesson_reader.reading.get().map(|reading| strip(lesson_reader, &reading, ending))
}

/// The text of the open page for screen readers; subscribes. The strip itself is no live region,
/// because it is added to the document together with its text.
pub fn spoken(lesson_reader: LessonReader) -> Option<String> {
    lesson_reader.reading.get()?.spoken(language())
}

/// A sentence in which these keys are elements of code.
fn keyed_text(text: &str, keys: &[String]) -> impl IntoView + use<> {
    let parts = key_mentions(text, keys).into_iter().map(|part| match part {
        SentencePart::Words(words) => view! { {words} }.into_any(),
        SentencePart::Key(key) => view! { <code class="key">{key}</code> }.into_any(),
    });
    parts.collect_view()
}

fn strip(
    lesson_reader: LessonReader,
    reading: &LessonProgress,
    ending: Ending,
) -> Option<impl IntoView + use<>> {
    let page = reading.lesson.pages.get(reading.page)?;
    let language = language();
    let answer = reading.answer().filter(|_| page.question.is_some());
    let is_fixed = reading.lesson.variant == Variant::Fixed;
    let number = reading.lesson.scenario.number;
    let fixed = if is_fixed && reading.lesson.is_last(reading.page) {
        outcome(number, lesson_reader.guess_without_fix(number))
    } else {
        None
    };
    // A verdict or the outcome of the fix replaces the text of the page.
    let text = page.text.as_ref().filter(|_| answer.is_none() && fixed.is_none());
    let text = text.map(|text| in_language(text, language).to_owned());
    let dispatch = expect_context::<Dispatch>();
    let with_keys = move |text: &str| {
        let text = text.to_owned();
        move || keyed_text(&text, &dispatch.known_keys())
    };
    let text = text.map(|text| view! { <p data-testid="story-says">{with_keys(&text)}</p> });
    let question = page.question.as_ref().map(|question| {
        let text = in_language(&question.text, language).to_owned();
        let rest = match &answer {
            Some(answer) => verdict(question, answer).into_any(),
            None => view! { <Choices question=question.clone()/> }.into_any(),
        };
        let class = if answer.is_some() { "where" } else { "asked" };
        view! {
            <p class=class data-testid="story-question">{with_keys(&text)}</p>
            {rest}
        }
    });
    let is_narrow = use_one_column();
    // A narrow page has the main button in the bar at its foot.
    let has_main = Memo::new(move |_| ending == Ending::Again || !is_narrow.get());
    let knows_answer = reading.guess.is_some() || reading.lesson.variant == Variant::Fixed;
    Some(view! {
        <section
            class="story-strip"
            id=page_id(LESSON)
            data-testid=LESSON
            tabindex="-1"
            aria-label=in_language(&reading.lesson.scenario.title, language).to_owned()
        >
            <div class="story-text">
                {head(page, reading)}
                {text}
                {question}
                {fixed}
                <Changed/>
            </div>
            <div class="story-ways">
                {knows_answer.then(|| fix(lesson_reader, reading))}
                // The main button is the last one to the eye, and the first one by the Tab key.
                <span>
                    <Show when=move || has_main.get()><MainButton/></Show>
                    <OtherSteps reading=reading.clone() ending/>
                </span>
                {(ending == Ending::Leave).then(|| act_button(lesson_reader, knows_answer))}
                {steps::next_title(reading)}
            </div>
        </section>
    })
}

/// The button of the clients and their acts. The page of a first visit has nothing but its
/// question.
fn act_button(lesson_reader: LessonReader, knows_answer: bool) -> Option<impl IntoView + use<>> {
    let is_first_visit = lesson_reader.session.is_first_visit.get_untracked();
    let button = || view! { <PanelButton panel=OpenPanel::Act text=|| words().act_here/> };
    (knows_answer || !is_first_visit).then(button)
}

/// A note that the reader has acted in the lesson, with a button that plays it again without these
/// acts. The verdict on the guess is that of the lesson without them.
#[component]
fn Changed() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_changed = Memo::new(move |_| lesson_reader.is_changed());
    view! {
        <Show when=move || is_changed.get()>
            <p class="story-changed" role="status">
                {move || lesson_words().changed}
                " "
                <Button
                    class="btn btn-small btn-line"
                    test_id="story-restore"
                    focus_fallback=LESSON
                    on_press=move || lesson_reader.restore_lesson()
                >
                    {move || lesson_words().put_lesson_back}
                </Button>
            </p>
        </Show>
    }
}

/// The chapter, the number of the page, and the source of the lesson: the number of its question,
/// its topic, and the issue in which the problem was reported.
fn head(page: &Page, reading: &LessonProgress) -> impl IntoView + use<> {
    let words = lesson_words();
    let lesson = &reading.lesson;
    let heading = if lesson.is_last(reading.page) {
        words.lesson.to_owned()
    } else {
        in_language(&page.chapter, language()).to_owned()
    };
    let page_number = (words.page)(reading.page + 1, lesson.pages.len());
    let number = (words.question_of)(lesson.scenario.number, SCENARIOS.len() as u32);
    let topic = lesson.topic().map(|topic| {
        let topic = (words.topic)(topic);
        view! {
            <span class="of-theme">
                " · "
                <button type="button" class="link" popovertarget=page_id(HOME)>{topic}</button>
            </span>
            " · "
        }
    });
    let source = lesson.scenario.source.clone();
    let source = lesson.source_url().map(|url| {
        view! { <a href=url target="_blank" rel="noreferrer"><code>{source}</code></a> }
    });
    view! {
        <div class="story-head where">
            <span data-testid="story-origin">{number}{topic}{source}</span>
            <h2 data-testid="story-chapter">{heading}</h2>
            <span class="num" data-testid="story-page">{page_number}</span>
        </div>
    }
}

/// The switch of the fix. While it is on, the lesson runs with the fix.
fn fix(lesson_reader: LessonReader, reading: &LessonProgress) -> impl IntoView + use<> {
    let is_fixed = reading.lesson.variant == Variant::Fixed;
    let label = in_language(&reading.lesson.scenario.fix, language()).to_owned();
    let test_id = if is_fixed { "story-fixed" } else { "story-helps" };
    view! {
        <div class="fix">
            <span class="small">{lesson_words().helped}</span>
            <button
                type="button"
                class="fix-switch"
                role="switch"
                data-testid="story-fix"
                aria-checked=is_fixed.to_string()
                on:click=move |_| lesson_reader.switch_fix()
            >
                <svg aria-hidden="true" width="36" height="20">
                    <rect x=".5" y=".5" width="35" height="19" rx="9.5"/>
                    <circle cx=if is_fixed { "26" } else { "10" } cy="10" r="6.5"/>
                </svg>
                <b data-testid=test_id>{label}</b>
            </button>
        </div>
    }
}
