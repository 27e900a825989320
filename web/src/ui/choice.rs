//! Choices: a list to pick from and a row of buttons of which one is down.

use leptos::prelude::*;

use super::{Glyph, Icon, holds, text};

/// A labelled list to pick from.
#[component]
pub fn Pick<T, L>(
    #[prop(into)] label: Signal<String>,
    options: &'static [T],
    #[prop(into)] chosen: Signal<T>,
    /// The words of an option.
    words: L,
    #[prop(into)] on_pick: Callback<T>,
    class: &'static str,
    test_id: &'static str,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
    L: Fn(T) -> String + Copy + Send + Sync + 'static,
{
    let pick = move |event| {
        let place = event_target_value(&event).parse::<usize>().ok();
        if let Some(option) = place.and_then(|place| options.get(place)) {
            on_pick.run(*option);
        }
    };
    let items = options.iter().enumerate().map(|(place, &option)| {
        view! {
            <option value=place.to_string() selected=holds(move || chosen.get() == option)>
                {text(move || words(option))}
            </option>
        }
    });
    view! {
        <label class=format!("pick {class}")>
            <span class="visually-hidden">{label}</span>
            <select on:change=pick data-testid=test_id>{items.collect_view()}</select>
            <Icon glyph=Glyph::Down/>
        </label>
    }
}

/// A row of buttons of which one is down.
#[component]
pub fn Segments<T, L>(
    #[prop(into)] label: Signal<String>,
    /// Each option with the test id of its button.
    options: &'static [(T, &'static str)],
    #[prop(into)] chosen: Signal<T>,
    words: L,
    #[prop(into)] on_pick: Callback<T>,
    class: &'static str,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
    L: Fn(T) -> String + Copy + Send + Sync + 'static,
{
    let buttons = options.iter().map(|&(option, test_id)| {
        view! {
            <button
                type="button"
                aria-pressed=text(move || (chosen.get() == option).to_string())
                on:click=move |_| on_pick.run(option)
                data-testid=test_id
            >
                {text(move || words(option))}
            </button>
        }
    });
    view! {
        <div class=format!("seg {class}") role="group" aria-label=label>
            {buttons.collect_view()}
        </div>
    }
}
