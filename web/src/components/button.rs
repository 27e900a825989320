//! A button that keeps its place, its words and the focus while it is disabled: it has
//! `aria-disabled` then, and ignores clicks.

use leptos::prelude::*;
use leptos::text_prop::TextProp;

#[component]
pub fn Button(
    #[prop(into)] class: String,
    #[prop(into)] test_id: TextProp,
    on_press: impl Fn() + 'static,
    #[prop(optional, into)] disabled: Signal<bool>,
    /// The accessible name, where the content is an icon.
    #[prop(optional, into)]
    label: Option<TextProp>,
    #[prop(optional, into)] title: Option<TextProp>,
    /// Whether the button is down, for one that switches something.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    /// The test id of the element that takes the focus if this one is removed with it.
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
