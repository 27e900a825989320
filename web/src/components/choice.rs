//! Form controls to choose one of several values: a labelled list (`Pick`, `PickField`) and a row
//! of toggle buttons (`Segments`).

use leptos::prelude::*;
use leptos::text_prop::TextProp;

use super::{Glyph, Icon};
use crate::platform::words::Word;

/// One option: its value, its text, and the test id of its button.
#[derive(Clone)]
pub struct ChoiceOption<T> {
    pub value: T,
    pub words: TextProp,
    pub test_id: &'static str,
}

impl<T> ChoiceOption<T> {
    pub fn new(value: T, words: impl Into<TextProp>, test_id: &'static str) -> Self {
        Self { value, words: words.into(), test_id }
    }
}

/// A labelled list to pick from.
#[component]
pub fn Pick<T>(
    #[prop(optional)] class: &'static str,
    test_id: &'static str,
    #[prop(into)] label: TextProp,
    options: Vec<ChoiceOption<T>>,
    #[prop(into)] chosen: Signal<T>,
    /// Whether it has the focus when the panel around it opens.
    #[prop(optional)]
    autofocus: bool,
    on_pick: impl Fn(T) + 'static,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    let values = options.iter().map(|option| option.value.clone()).collect::<Vec<_>>();
    let options =
        options.into_iter().enumerate().map(|(index, ChoiceOption { value, words, .. })| {
            let is_chosen = move || chosen.with(|chosen| *chosen == value);
            view! {
                <option value=index.to_string() selected=is_chosen.clone() prop:selected=is_chosen>
                    {move || words.get()}
                </option>
            }
        });
    let pick = move |event| {
        let index = event_target_value(&event).parse::<usize>().ok();
        if let Some(value) = index.and_then(|index| values.get(index)) {
            on_pick(value.clone());
        }
    };
    view! {
        <label class=format!("pick {class}")>
            <span class="visually-hidden">{move || label.get()}</span>
            <select autofocus=autofocus data-testid=test_id on:change=pick>
                {options.collect_view()}
            </select>
            <Icon glyph=Glyph::Down/>
        </label>
    }
}

/// A list to pick from below its label, which assistive technology reads from the list.
#[component]
pub fn PickField<T>(
    test_id: &'static str,
    label: Word,
    options: Vec<ChoiceOption<T>>,
    #[prop(into)] chosen: Signal<T>,
    on_pick: impl Fn(T) + 'static,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    view! {
        <div class="field">
            <span aria-hidden="true">{move || label()}</span>
            <Pick test_id label=move || label() options chosen on_pick/>
        </div>
    }
}

/// A row of buttons of which one is pressed.
#[component]
pub fn Segments<T>(
    #[prop(optional)] class: &'static str,
    #[prop(into)] label: TextProp,
    options: Vec<ChoiceOption<T>>,
    #[prop(into)] chosen: Signal<T>,
    on_pick: impl Fn(T) + Clone + 'static,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let buttons = options.into_iter().map(|ChoiceOption { value, words, test_id }| {
        let on_pick = on_pick.clone();
        let is_chosen = move || chosen.with(|chosen| *chosen == value);
        view! {
            <button
                type="button"
                data-testid=test_id
                aria-pressed=move || is_chosen().to_string()
                on:click=move |_| on_pick(value)
            >
                {move || words.get()}
            </button>
        }
    });
    view! {
        <div class=format!("seg {class}") role="group" aria-label=move || label.get()>
            {buttons.collect_view()}
        </div>
    }
}
