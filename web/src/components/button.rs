//! A button that keeps its place, its text and the focus while it is disabled: it then has
//! `aria-disabled` instead of `disabled`, and ignores clicks.

use leptos::prelude::*;
use leptos::text_prop::TextProp;

#[component]
pub fn Button(
    #[prop(into)] class: String,
    #[prop(into)] test_id: TextProp,
    on_press: impl Fn() + 'static,
    #[prop(optional, into)] disabled: Signal<bool>,
    /// The accessible name, if the content is only an icon.
    #[prop(optional, into)]
    label: Option<TextProp>,
    #[prop(optional, into)] title: Option<TextProp>,
    /// Whether the button is pressed; without it, the button is not a switch.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    /// The test id of the element that gets the focus if this one is removed while it has it.
    #[prop(optional)]
    focus_fallback: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    let press = move |_| {
        if !disabled.get_untracked() {
            on_press();
        }
    };
    view! {
        <button
            type="button"
            class=class
            data-testid=move || test_id.get()
            aria-disabled=move || disabled.get().then_some("true")
            aria-label=label.map(|label| move || label.get())
            aria-pressed=pressed.map(|pressed| move || pressed.get().to_string())
            title=title.map(|title| move || title.get())
            data-focus-fallback=focus_fallback
            on:click=press
        >
            {children()}
        </button>
    }
}
