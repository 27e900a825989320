//! The list of the questions by topic, with the result of each guess. It covers the page below the
//! toolbar.

use leptos::prelude::*;
use lictor_desk::lessons::{QuestionState, Scores, TOPICS, Topic, preview, source, title};
use lictor_sim::scenario::SCENARIOS;

use crate::components::{Button, Closer, Popover, focus};
use crate::platform::words::{language, lesson_words};
use crate::state::lesson_reader::{LESSON, LessonReader};

/// The id of the panel.
pub const HOME: &str = "home";

/// The topics of each column on a wide page.
const COLUMNS: [&[Topic]; 2] = [
    &[Topic::Free, Topic::Protects, Topic::Slots],
    &[Topic::Ends, Topic::Believes, Topic::Network],
];

#[component]
pub fn Home() -> impl IntoView {
    let is_open = expect_context::<LessonReader>().is_list_open;
    let column = |topics: &'static [Topic]| {
        let topics = topics.iter().map(|topic| view! { <TopicQuestions topic=*topic/> });
        view! { <div>{topics.collect_view()}</div> }
    };
    view! {
        <Popover id=HOME class="home" heading=move || lesson_words().heading is_open>
            <Show when=move || is_open.get()>
                <div class="home-intro">
                    <p>{move || lesson_words().intro}</p>
                    <Progress/>
                </div>
                <div class="home-columns">{COLUMNS.map(column).collect_view()}</div>
                <Foot/>
            </Show>
        </Popover>
    }
}

/// The number of answered questions, and the button to the next open one.
#[component]
fn Progress() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let scores = lesson_reader.scores;
    let next = Memo::new(move |_| scores.with(Scores::next));
    let summary = move || {
        let (answered, right) = scores.with(|it| (it.answered(), it.guessed_right()));
        (lesson_words().scores)(answered, SCENARIOS.len(), right)
    };
    let go_on = move |_| {
        if let Some(number) = next.get_untracked() {
            open(lesson_reader, number);
        }
    };
    let parts = (1..=SCENARIOS.len() as u32).map(|number| {
        let class = move || match scores.with(|scores| scores.mark(number)) {
            QuestionState::Open => "part",
            QuestionState::Next => "part is-next",
            QuestionState::GuessedRight => "part is-right",
            QuestionState::Answered => "part is-answered",
        };
        view! { <span class=class></span> }
    });
    view! {
        <div class="progress">
            <Show when=move || next.get().is_some()>
                <Closer
                    id=HOME
                    class="btn btn-main"
                    test_id="go-on"
                    on:click=go_on
                >
                    {move || next.get().map(lesson_words().go_on)}
                </Closer>
            </Show>
            <p class="parts" aria-hidden="true">{parts.collect_view()}</p>
            <p class="small" data-testid="scores">{summary}</p>
        </div>
    }
}

/// The questions of a topic.
#[component]
fn TopicQuestions(topic: Topic) -> impl IntoView {
    let scores = expect_context::<LessonReader>().scores;
    let numbers = TOPICS.iter().find(|(it, _)| *it == topic).map_or(&[][..], |(_, it)| *it);
    let count = move || {
        let is_answered = |number: &&u32| scores.with(|scores| scores.is_answered(**number));
        (lesson_words().page)(numbers.iter().filter(is_answered).count(), numbers.len())
    };
    let items = numbers.iter().map(|&number| view! { <QuestionItem number/> });
    view! {
        <section class="theme">
            <h3><span>{move || (lesson_words().topic)(topic)}</span> <small>{count}</small></h3>
            <ol>{items.collect_view()}</ol>
        </section>
    }
}

/// Opens a question, and moves the focus to it after the list, as it closes, has returned the focus
/// to the button that opened it.
fn open(lesson_reader: LessonReader, number: u32) {
    lesson_reader.open_question(number);
    request_animation_frame(|| drop(focus(LESSON)));
}

#[component]
fn QuestionItem(number: u32) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let mark = Memo::new(move |_| lesson_reader.scores.with(|scores| scores.mark(number)));
    let class = move || if mark.get() == QuestionState::Next { "story is-next" } else { "story" };
    view! {
        <li class=class>
            <Closer
                id=HOME
                class="story-row"
                test_id=format!("story-{number}")
                on:click=move |_| open(lesson_reader, number)
            >
                {move || view! { <MarkSign mark=mark.get()/> }}
                <span class="num">{number.to_string()}</span>
                <span class="story-title">
                    <b>{move || title(number, language())}</b>
                    <small>{move || preview(number, language())}</small>
                </span>
                <code>{source(number)}</code>
                <span class="visually-hidden">{move || (lesson_words().mark)(mark.get())}</span>
            </Closer>
        </li>
    }
}

/// The sign of a question's result.
#[component]
fn MarkSign(mark: QuestionState) -> impl IntoView {
    let (class, inner) = match mark {
        QuestionState::Open => ("mark-open", ""),
        QuestionState::Next => ("mark-next", "M8 5.5a2.5 2.5 0 1 0 .01 0z"),
        QuestionState::GuessedRight => ("mark-right", "M4.8 8.2l2.2 2.2 4.2-4.6"),
        QuestionState::Answered => ("mark-answered", "M8 2a6 6 0 0 1 0 12z"),
    };
    view! {
        <svg class=format!("mark-sign {class}") width="16" height="16" aria-hidden="true">
            <circle cx="8" cy="8" r="6.25"/>
            <path d=inner/>
        </svg>
    }
}

/// The meaning of the signs, the button of the free sandbox, and where the progress is stored, with
/// the button that deletes it.
#[component]
fn Foot() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    const MARKS: [QuestionState; 4] = [
        QuestionState::Open,
        QuestionState::Next,
        QuestionState::GuessedRight,
        QuestionState::Answered,
    ];
    let marks = MARKS.map(|mark| {
        view! {
            <li><MarkSign mark/> {move || (lesson_words().mark)(mark)}</li>
        }
    });
    let has_scores = Memo::new(move |_| lesson_reader.scores.with(|scores| scores.answered() > 0));
    view! {
        <div class="home-foot">
            <ul>{marks.into_iter().collect_view()}</ul>
            <Closer
                id=HOME
                class="btn btn-small btn-line"
                test_id="story-none"
                title=move || lesson_words().sandbox_text
                on:click=move |_| lesson_reader.session.open_sandbox()
            >
                {move || lesson_words().sandbox}
            </Closer>
            <p>
                {move || lesson_words().stays_here}
                " "
                <Show when=move || has_scores.get()>
                    <Button
                        class="btn btn-small btn-quiet"
                        test_id="forget-scores"
                        focus_fallback="home-close"
                        on_press=move || lesson_reader.forget_scores()
                    >
                        {move || lesson_words().forget}
                    </Button>
                </Show>
            </p>
        </div>
    }
}
