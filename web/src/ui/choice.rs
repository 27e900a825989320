//! Choices: a list to pick from and a row of buttons of which one is down. Options go by their
//! places, so that both are there once for choices of every kind.

use std::sync::Arc;

use leptos::prelude::*;

use super::{Glyph, Icon, holds, text};

/// One option: its words and the test id of its button.
#[derive(Clone, Copy)]
pub struct Choice {
    pub words: Signal<String>,
    pub test_id: &'static str,
}

/// What can be chosen, what is, and what to do when another option is picked.
#[derive(Clone)]
pub struct Choices {
    pub options: Vec<Choice>,
    pub chosen: Signal<usize>,
    pub on_pick: Callback<usize>,
}

impl Choices {
    /// Options of any kind. `words` names an option, which may read the language.
    pub fn of<T: Copy + PartialEq + Send + Sync + 'static>(
        options: impl IntoIterator<Item = (T, &'static str)>,
        chosen: impl Fn() -> T + Send + Sync + 'static,
        words: impl Fn(T) -> String + Copy + Send + Sync + 'static,
        on_pick: impl Fn(T) + Send + Sync + 'static,
    ) -> Self {
        let options: Arc<[_]> = options.into_iter().collect();
        let choice = |&(option, test_id): &(T, &'static str)| Choice {
            words: text(move || words(option)),
            test_id,
        };
        let known = options.clone();
        let place = move || {
            let chosen = chosen();
            known.iter().position(|(option, _)| *option == chosen).unwrap_or(usize::MAX)
        };
        let chosen = Signal::derive(place);
        let drawn = options.iter().map(choice).collect();
        let pick = move |place: usize| {
            if let Some((option, _)) = options.get(place) {
                on_pick(*option);
            }
        };
        Self { options: drawn, chosen, on_pick: Callback::new(pick) }
    }
}

/// A labelled list to pick from.
#[component]
pub fn Pick(
    #[prop(into)] label: Signal<String>,
    choices: Choices,
    class: &'static str,
    test_id: &'static str,
) -> impl IntoView {
    let Choices { options, chosen, on_pick } = choices;
    let pick = move |event| {
        if let Ok(place) = event_target_value(&event).parse() {
            on_pick.run(place);
        }
    };
    let item = |(place, option): (usize, Choice)| {
        let is_chosen = holds(move || chosen.get() == place);
        view! { <option value=place.to_string() selected=is_chosen>{option.words}</option> }
    };
    let items = options.into_iter().enumerate().map(item).collect_view();
    view! {
        <label class=format!("pick {class}")>
            <span class="visually-hidden">{label}</span>
            <select on:change=pick data-testid=test_id>{items}</select>
            <Icon glyph=Glyph::Down/>
        </label>
    }
}

/// A row of buttons of which one is down.
#[component]
pub fn Segments(
    #[prop(into)] label: Signal<String>,
    choices: Choices,
    class: &'static str,
) -> impl IntoView {
    let Choices { options, chosen, on_pick } = choices;
    let button = |(place, option): (usize, Choice)| {
        let is_down = text(move || (chosen.get() == place).to_string());
        view! {
            <button
                type="button"
                aria-pressed=is_down
                on:click=move |_| on_pick.run(place)
                data-testid=option.test_id
            >
                {option.words}
            </button>
        }
    };
    let buttons = options.into_iter().enumerate().map(button).collect_view();
    view! { <div class=format!("seg {class}") role="group" aria-label=label>{buttons}</div> }
}
