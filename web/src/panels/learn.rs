//! The list of stories, in the order of teaching, and the way to an empty sandbox.

use leptos::prelude::*;
use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::tutorial::{QuestionMark, THEMES, Theme, title};
use lictor_sim::scenario::SCENARIOS;

use crate::components::{Button, Closer, Glyph, Icon, Opener, Popover, focus};
use crate::panels::story::STORY;
use crate::platform::settings::{settings, words};
use crate::state::tutorial::Tutorial;

/// The id of the panel.
pub const HOME: &str = "home";

/// The button that opens the list; it names the open story.
#[component]
pub fn HomeButton() -> impl IntoView {
    let tutorial = expect_context::<Tutorial>();
    let name = move || match tutorial.reading.get() {
        Some(reading) => {
            let number = reading.story.scenario.number;
            format!("{number} {}", title(number, settings().language.get()))
        }
        None => words().sandbox.to_owned(),
    };
    view! {
        <Opener id=HOME class="btn btn-line w-world" title=move || words().learn.heading>
            <b data-testid="world-name">{name}</b>
            <Icon glyph=Glyph::Down/>
        </Opener>
    }
}

#[component]
pub fn Home() -> impl IntoView {
    let themes = THEMES.iter().map(|(theme, numbers)| {
        view! { <Stories theme=*theme numbers/> }
    });
    view! {
        <Popover id=HOME class="home" heading=move || words().learn.heading>
            <p class="quiet">{move || words().learn.intro}</p>
            <ScoreLine/>
            {themes.collect_view()}
            <EmptySandbox/>
        </Popover>
    }
}

/// The stories of a theme.
#[component]
fn Stories(theme: Theme, numbers: &'static [u32]) -> impl IntoView {
    let items = numbers.iter().map(|&number| view! { <StoryItem number/> });
    view! {
        <div class="theme">
            <h3>{move || (words().learn.theme)(theme)}</h3>
            <ol>{items.collect_view()}</ol>
        </div>
    }
}

/// How many questions were answered, and the buttons to go on and to forget that.
#[component]
fn ScoreLine() -> impl IntoView {
    let tutorial = expect_context::<Tutorial>();
    let scores = tutorial.scores;
    let says = move || {
        let (answered, right) = scores.with(|it| (it.answered(), it.guessed_right()));
        (words().learn.scores)(answered, SCENARIOS.len(), right)
    };
    let forget = move || {
        (scores.with(|scores| scores.answered() > 0)).then(|| {
            view! {
                <Button
                    class="btn btn-small"
                    test_id="forget-scores"
                    title=move || words().learn.stays_here
                    heir="home-close"
                    on_press=move || tutorial.forget_scores()
                >
                    {move || words().learn.forget}
                </Button>
            }
        })
    };
    view! { <p class="score-line"><span data-testid="scores">{says}</span> {forget}</p> }
}

#[component]
fn StoryItem(number: u32) -> impl IntoView {
    let tutorial = expect_context::<Tutorial>();
    let mark = Memo::new(move |_| tutorial.scores.with(|scores| scores.mark(number)));
    let says = move || match mark.get() {
        QuestionMark::Open => "",
        mark => (words().learn.mark)(mark),
    };
    let open = move |_| {
        tutorial.open_question(number);
        // The list, which closes, returns the focus to the button that opened it.
        request_animation_frame(|| drop(focus(STORY)));
    };
    view! {
        <li>
            <Closer id=HOME class="story" test_id=format!("story-{number}") on:click=open>
                <span class="num">{number.to_string()}</span>
                <span>{move || title(number, settings().language.get())}</span>
                <small class="quiet push">{says}</small>
            </Closer>
        </li>
    }
}

#[component]
fn EmptySandbox() -> impl IntoView {
    let tutorial = expect_context::<Tutorial>();
    view! {
        <div class="theme">
            <Closer
                id=HOME
                class="story"
                test_id="story-none"
                on:click=move |_| tutorial.close(sandbox())
            >
                <b>{move || words().learn.sandbox}</b>
                <span class="quiet">{move || words().learn.sandbox_text}</span>
            </Closer>
        </div>
    }
}
