//! The help: what the page is and which keys it knows.

use leptos::prelude::*;

use crate::keys::HELP;
use crate::settings::{SingleKeys, use_settings, word};
use crate::text::Words;
use crate::ui::{Glyph, Icon, holds};

type Word = fn(&Words) -> &'static str;

/// Each key with what it does, in the order of the help.
const KEYS: [(&str, Word); 11] = [
    ("Space", |words| words.key_run),
    ("→", |words| words.key_next),
    ("Shift →", |words| words.key_second),
    ("1–9", |words| words.key_actor),
    ("A", |words| words.key_acquire),
    ("R", |words| words.key_release),
    ("W", |words| words.key_renew),
    ("D", |words| words.key_destroy),
    ("H", |words| words.key_health),
    ("/", |words| words.key_filter),
    ("?", |words| words.key_help),
];

#[component]
pub fn Help() -> impl IntoView {
    let settings = use_settings();
    let rows = KEYS.map(|(key, says)| {
        view! { <div><dt><kbd>{key}</kbd></dt><dd>{word(says)}</dd></div> }
    });
    let toggle = move |event| {
        let keys = if event_target_checked(&event) { SingleKeys::On } else { SingleKeys::Off };
        settings.choose_single_keys(keys);
    };
    view! {
        <section class="help" id=HELP popover aria-labelledby="h-help" data-testid="help">
            <div class="head">
                <h2 id="h-help">{word(|words| words.help_heading)}</h2>
                <button
                    class="btn btn-icon btn-small push"
                    type="button"
                    popovertarget=HELP
                    popovertargetaction="hide"
                    aria-label=word(|words| words.close)
                    data-testid="help-close"
                >
                    <Icon glyph=Glyph::Cross/>
                </button>
            </div>
            <p>{word(|words| words.help_intro)}</p>
            <dl>{rows.into_iter().collect_view()}</dl>
            <p class="quiet">{word(|words| words.help_keys)}</p>
            <label class="single-keys">
                <input
                    type="checkbox"
                    prop:checked=holds(move || settings.single_keys.get() == SingleKeys::On)
                    on:change=toggle
                    data-testid="single-keys"
                />
                {word(|words| words.help_single_keys)}
            </label>
        </section>
    }
}
