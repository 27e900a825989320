//! The panel of the open story: its source, the text of the current page, and the buttons to the
//! next and the previous page. `question` has the choices of an open question; `verdict` shows the
//! answer after the guess. `state::tutorial` controls the story.

pub mod guess_lane;
pub mod question;
pub mod verdict;

use leptos::prelude::*;
use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::tutorial::{Page, StoryProgress, in_language, next_after, title};
use lictor_sim::scenario::{SCENARIOS, Variant};

use self::question::{AnswerButtons, Choices};
use self::verdict::verdict;
use crate::components::{Button, Glyph, Icon};
use crate::platform::settings::{settings, words};
use crate::state::tutorial::Tutorial;

/// The test id of the strip.
pub const STORY: &str = "story";

/// Where the last page leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Out of the story.
    Leave,
    /// To its beginning.
    Again,
}

#[component]
pub fn Story(ending: Ending) -> impl IntoView {
    let tutorial = expect_context::<Tutorial>();
    move || tutorial.reading.get().map(|reading| strip(tutorial, &reading, ending))
}

/// What the open page says to those who hear it; subscribes. The strip itself is not announced,
/// because it is put into the document together with its text.
pub fn spoken(tutorial: Tutorial) -> Option<String> {
    tutorial.reading.get()?.spoken(settings().language.get())
}

fn strip(
    tutorial: Tutorial,
    reading: &StoryProgress,
    ending: Ending,
) -> Option<impl IntoView + use<>> {
    let page = reading.story.pages.get(reading.page)?;
    let language = settings().language.get();
    let answer = reading.answer().filter(|_| page.question.is_some());
    let says = page.says.as_ref().filter(|_| answer.is_none());
    let says = says.map(|text| in_language(text, language).to_owned());
    let says = says.map(|says| view! { <p data-testid="story-says">{says}</p> });
    let question = page.question.as_ref().map(|question| {
        let text = in_language(&question.text, language).to_owned();
        let rest = match &answer {
            Some(answer) => verdict(question, answer).into_any(),
            None => view! { <Choices question=question.clone()/> }.into_any(),
        };
        let class = if answer.is_some() { "where" } else { "asked" };
        view! {
            <p class=class data-testid="story-question">{text}</p>
            {rest}
        }
    });
    let is_first = reading.page == 0;
    let ways = if page.question.is_some() && answer.is_none() {
        view! { <AnswerButtons/> }.into_any()
    } else {
        ways_on(tutorial, page, reading, ending).into_any()
    };
    let knows_answer = reading.guess.is_some() || reading.story.variant == Variant::Fixed;
    Some(view! {
        <section
            class="story-strip"
            data-testid=STORY
            tabindex="-1"
            aria-label=in_language(&reading.story.scenario.title, language).to_owned()
        >
            <div class="story-text">
                {head(page, reading)}
                {says}
                {question}
            </div>
            <div class="story-ways">
                {knows_answer.then(|| fix(tutorial, reading))}
                <span>
                    <Button
                        class="btn btn-icon"
                        test_id="story-back"
                        label=words().learn.back
                        title=words().learn.back
                        disabled=Signal::stored(is_first)
                        on_press=move || tutorial.back()
                    >
                        <Icon glyph=Glyph::Previous/>
                    </Button>
                    {ways}
                </span>
            </div>
        </section>
    })
}

/// The chapter and the page; and where the story comes from: the number of its question, its theme,
/// and the issue in which people met it.
fn head(page: &Page, reading: &StoryProgress) -> impl IntoView + use<> {
    let words = words();
    let story = &reading.story;
    let heading = if story.is_last(reading.page) {
        words.learn.lesson.to_owned()
    } else {
        in_language(&page.chapter, settings().language.get()).to_owned()
    };
    let of = (words.learn.page)(reading.page + 1, story.pages.len());
    let number = (words.learn.question_of)(story.scenario.number, SCENARIOS.len() as u32);
    let theme = story.theme().map(|theme| format!(" · {} · ", (words.learn.theme)(theme)));
    let source = story.scenario.source.clone();
    let source = story.source_url().map(|url| {
        view! { <a href=url target="_blank" rel="noreferrer"><code>{source}</code></a> }
    });
    view! {
        <div class="story-head where">
            <span data-testid="story-origin">{number}{theme}{source}</span>
            <h2 data-testid="story-chapter">{heading}</h2>
            <span class="num" data-testid="story-page">{of}</span>
        </div>
    }
}

/// The same story with what would have helped, as a switch.
fn fix(tutorial: Tutorial, reading: &StoryProgress) -> impl IntoView + use<> {
    let is_fixed = reading.story.variant == Variant::Fixed;
    let other = if is_fixed { Variant::Plain } else { Variant::Fixed };
    let says = in_language(&reading.story.scenario.fix, settings().language.get()).to_owned();
    let test_id = if is_fixed { "story-fixed" } else { "story-helps" };
    view! {
        <span class="fix">
            <span class="small">{words().learn.helped} ": " <b data-testid=test_id>{says}</b></span>
            <Button
                class="btn btn-small btn-line"
                test_id="story-fix"
                pressed=Signal::stored(is_fixed)
                on_press=move || tutorial.tell(other)
            >
                {words().learn.fix}
            </Button>
        </span>
    }
}

/// The ways on: to the next page, and at the end to the next question and out of the story.
fn ways_on(
    tutorial: Tutorial,
    page: &Page,
    reading: &StoryProgress,
    ending: Ending,
) -> impl IntoView + use<> {
    let variant = reading.story.variant;
    let is_last = reading.story.is_last(reading.page);
    let next = (page.question.is_some() || is_last)
        .then(|| next_question(tutorial, reading.story.scenario.number));
    let class = if next.is_some() { "btn btn-line" } else { "btn btn-main" };
    let on = match (is_last, ending) {
        (false, _) => view! {
            <Button
                class
                test_id="story-next"
                heir="story-close"
                on_press=move || tutorial.next()
            >
                <span>{move || words().learn.next}</span>
            </Button>
        }
        .into_any(),
        (true, Ending::Leave) => view! {
            <Button
                class="btn btn-line"
                test_id="story-close"
                heir="home-button"
                on_press=move || tutorial.close(sandbox())
            >
                {move || words().learn.close}
            </Button>
        }
        .into_any(),
        (true, Ending::Again) => view! {
            <Button
                class="btn btn-line"
                test_id="story-close"
                heir="story-next"
                on_press=move || tutorial.tell(variant)
            >
                {move || words().learn.again}
            </Button>
        }
        .into_any(),
    };
    view! { {next} {on} }
}

/// The button to the next question, if there is one.
fn next_question(tutorial: Tutorial, number: u32) -> Option<impl IntoView + use<>> {
    let next = next_after(number)?;
    let name = move || {
        let language = settings().language.get();
        let of = SCENARIOS.len() as u32;
        (words().learn.next_title)(next, of, &title(next, language))
    };
    Some(view! {
        <Button
            class="btn btn-main"
            test_id="next-question"
            title=name
            heir="story-guess"
            on_press=move || tutorial.open_question(next)
        >
            {move || words().learn.next_question}
        </Button>
    })
}
