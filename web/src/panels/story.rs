//! The story that is open: what is said here, the question before the world answers it, and the
//! ways on and back. It stands above the lanes, so that text and picture are read together.

use leptos::prelude::*;
use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::tutorial::{ChoiceMark, Guess, Page, Question, StoryProgress, in_language};
use lictor_sim::scenario::Variant;

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
    let of = (words().learn.page)(reading.page + 1, reading.story.pages.len());
    let heading = match reading.story.is_last(reading.page) {
        true => words().learn.lesson.to_owned(),
        false => in_language(&page.chapter, language).to_owned(),
    };
    let says = page.says.as_ref().map(|text| in_language(text, language).to_owned());
    let says = says.map(|says| view! { <p data-testid="story-says">{says}</p> });
    let question = page.question.as_ref().map(|it| question(tutorial, it, reading));
    Some(view! {
        <section
            class="story-strip"
            data-testid=STORY
            tabindex="-1"
            aria-label=in_language(&reading.story.scenario.title, language).to_owned()
        >
            <div class="story-text">
                <div class="story-head">
                    <h3 data-testid="story-chapter">{heading}</h3>
                    <span class="quiet num" data-testid="story-page">{of}</span>
                    {fix(tutorial, reading)}
                </div>
                {says}
                {question}
            </div>
            {ways(tutorial, page, reading, ending)}
        </section>
    })
}

/// The fix as a switch.
fn fix(tutorial: Tutorial, reading: &StoryProgress) -> impl IntoView + use<> {
    let is_fixed = reading.story.variant == Variant::Fixed;
    let other = if is_fixed { Variant::Plain } else { Variant::Fixed };
    let says = in_language(&reading.story.scenario.fix, settings().language.get()).to_owned();
    let title = says.clone();
    let says =
        is_fixed.then(|| view! { <span class="quiet" data-testid="story-fixed">{says}</span> });
    view! {
        <span class="fix push">
            {says}
            <Button
                class="btn btn-small btn-line"
                test_id="story-fix"
                pressed=Signal::stored(is_fixed)
                title
                on_press=move || tutorial.tell(other)
            >
                {words().learn.fix}
            </Button>
        </span>
    }
}

fn question(
    tutorial: Tutorial,
    question: &Question,
    reading: &StoryProgress,
) -> impl IntoView + use<> {
    let language = settings().language.get();
    let answer = reading.answer();
    let choices = question.choices.iter().enumerate().map(|(place, choice)| {
        let mark = answer.as_ref().map(|answer| answer.marks[place]);
        let is_right = mark == Some(ChoiceMark::Right);
        let is_guess = reading.guess == Some(Guess::Choice(place));
        let label = in_language(&choice.label, language).to_owned();
        view! {
            <Button
                class=if is_right { "btn btn-small is-right" } else { "btn btn-small" }
                test_id=format!("choice-{}", place + 1)
                pressed=Signal::stored(is_guess)
                on_press=move || tutorial.guess(place)
            >
                {label}
            </Button>
        }
    });
    let choices = choices.collect_view();
    let verdict = answer.as_ref().map(|answer| {
        let says = (words().learn.verdict)(answer);
        view! { <b data-testid="story-verdict" role="status">{says}</b> }
    });
    let text = in_language(&question.text, language).to_owned();
    view! {
        <div class="question">
            <span data-testid="story-question">{text}</span>
            <span class="choices" role="group">{choices}</span>
            {verdict}
        </div>
    }
}

fn ways(
    tutorial: Tutorial,
    page: &Page,
    reading: &StoryProgress,
    ending: Ending,
) -> impl IntoView + use<> {
    let words = words();
    let is_first = reading.page == 0;
    let variant = reading.story.variant;
    let see = if page.question.is_some() { words.learn.see } else { words.learn.next };
    let on = match (reading.story.is_last(reading.page), ending) {
        (false, _) => view! {
            <Button
                class="btn btn-main"
                test_id="story-next"
                heir="story-close"
                on_press=move || tutorial.next()
            >
                <span>{see}</span>
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
                {words.learn.close}
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
                {words.learn.again}
            </Button>
        }
        .into_any(),
    };
    view! {
        <div class="story-ways">
            <Button
                class="btn btn-icon"
                test_id="story-back"
                label=words.learn.back
                title=words.learn.back
                disabled=Signal::stored(is_first)
                on_press=move || tutorial.back()
            >
                <Icon glyph=Glyph::Previous/>
            </Button>
            {on}
        </div>
    }
}
