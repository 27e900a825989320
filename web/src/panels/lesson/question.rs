//! The choices of a lesson's question. A click only marks a choice; the Enter key also makes the
//! marked one the guess.

use leptos::html::Fieldset;
use leptos::prelude::*;
use lictor_desk::lessons::{Guess, Question, in_language};
use web_sys::KeyboardEvent;

use super::verdict::VERDICT;
use crate::components::focus;
use crate::platform::words::{language, lesson_words, row_words};
use crate::state::lesson_reader::LessonReader;

/// The test id of the first choice, to which a guess without a choice moves the focus.
pub(super) const FIRST_CHOICE: &str = "choice-1";

/// The choices of an open question.
#[component]
pub fn Choices(question: Question) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let chosen = lesson_reader.chosen;
    let is_counted = question.since.is_some();
    let group = NodeRef::<Fieldset>::new();
    let choices = question.choices.into_iter().enumerate().map(|(index, choice)| {
        let counted_at = if is_counted { choice.at } else { None };
        let at = counted_at.map(|at| move || (row_words().takeover_at)(at));
        let label = move || in_language(&choice.label, language()).to_owned();
        view! {
            <label class="guess" class:is-chosen=move || chosen.get() == Some(index)>
                <input
                    type="radio"
                    name="guess"
                    data-testid=format!("choice-{}", index + 1)
                    prop:checked=move || chosen.get() == Some(index)
                    on:change=move |_| chosen.set(Some(index))
                />
                <b>{label}</b>
                {at.map(|at| view! { <small class="num">{at}</small> })}
            </label>
        }
    });
    let press = move |event: KeyboardEvent| {
        let choice = chosen.get_untracked().filter(|_| event.key() == "Enter");
        if let Some(choice) = choice {
            event.prevent_default();
            lesson_reader.answer(Guess::Choice(choice));
            request_animation_frame(|| drop(focus(VERDICT)));
        }
    };
    view! {
        <fieldset node_ref=group class="guesses" on:keydown=press>
            <legend class="visually-hidden">{move || lesson_words().choices}</legend>
            {choices.collect_view()}
        </fieldset>
        <Show when=move || lesson_reader.is_choice_missing.get() && chosen.get().is_none()>
            <p class="small is-warn" role="alert" data-testid="choose-first">
                {move || lesson_words().choose_first}
            </p>
        </Show>
    }
}
