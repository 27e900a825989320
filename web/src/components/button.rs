//! Buttons that keep their place, their text and the focus while they are disabled: they then have
//! `aria-disabled` instead of `disabled`, and ignore clicks.

use core::time::Duration;

use gloo_timers::future::sleep;
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use wasm_bindgen_futures::spawn_local;

use super::{Glyph, Icon};
use crate::platform::clipboard::copy;
use crate::platform::words::{Word, share_words, words};

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

/// A button that shows only an icon. Its label is also its title.
#[component]
pub fn IconButton(
    glyph: Glyph,
    #[prop(into)] test_id: TextProp,
    #[prop(into)] label: TextProp,
    #[prop(default = "btn btn-icon")] class: &'static str,
    #[prop(optional, into)] disabled: Signal<bool>,
    #[prop(optional)] focus_fallback: Option<&'static str>,
    on_press: impl Fn() + 'static,
) -> impl IntoView {
    let title = label.clone();
    view! {
        <Button class test_id label title disabled nostrip:focus_fallback on_press>
            <Icon glyph/>
        </Button>
    }
}

/// A button that copies a text, and shows for a while that it was copied. It is disabled while
/// there is no text.
#[component]
pub fn CopyButton(
    class: &'static str,
    #[prop(into)] test_id: TextProp,
    #[prop(into)] text: Signal<Option<String>>,
    /// The accessible name of a button with an icon in place of a text.
    #[prop(optional)]
    label: Option<Word>,
    #[prop(optional, into)] title: Option<TextProp>,
) -> impl IntoView {
    const SHOWN_FOR: Duration = Duration::from_secs(2);
    let is_copied = RwSignal::new(false);
    let press = move || {
        let Some(text) = text.get_untracked() else { return };
        // If the browser refuses, the text can be selected and copied by hand.
        spawn_local(async move {
            if copy(&text).await {
                is_copied.try_set(true);
                sleep(SHOWN_FOR).await;
                is_copied.try_set(false);
            }
        });
    };
    let name = move |name: Word| if is_copied.get() { words().copied } else { name() };
    let icon = move || if is_copied.get() { Glyph::Check } else { Glyph::Copy };
    let content = move || match label {
        Some(_) => view! { <Icon glyph=icon()/> }.into_any(),
        None => name(|| share_words().copy).into_any(),
    };
    view! {
        <Button
            class
            test_id
            nostrip:label=label.map(|label| TextProp::from(move || name(label)))
            nostrip:title
            disabled=Signal::derive(move || text.with(Option::is_none))
            on_press=press
        >
            {content}
        </Button>
    }
}
