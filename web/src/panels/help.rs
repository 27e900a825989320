//! The help: what the page is, and its keyboard shortcuts.

use leptos::prelude::*;
use lictor_sandbox::i18n::Word;
use lictor_sandbox::settings::Switch;

use crate::components::Popover;
use crate::platform::settings::{settings, words};
use crate::state::shortcuts::HELP;

/// Each key with its meaning, in the order of the help.
const KEYS: [(&str, Word); 23] = [
    ("Space", |words| words.key_run),
    ("→", |words| words.key_next),
    ("←", |words| words.past.key_previous),
    ("Shift → ←", |words| words.key_second),
    ("PgUp PgDn", |words| words.past.key_tenth),
    ("Home End", |words| words.past.key_ends),
    ("+ −", |words| words.view.key_zoom),
    ("0", |words| words.view.key_all),
    ("T", |words| words.view.key_axis),
    ("N P", |words| words.past.key_problem),
    ("1–9", |words| words.key_actor),
    ("A", |words| words.key_acquire),
    ("R", |words| words.key_release),
    ("W", |words| words.key_renew),
    ("D", |words| words.key_destroy),
    ("H", |words| words.key_health),
    ("G", |words| words.world.pause_hint),
    ("X", |words| words.world.cut_hint),
    ("Ctrl Z", |words| words.past.key_undo),
    ("E", |words| words.past.key_edit),
    ("C", |words| words.past.compare),
    ("/", |words| words.key_filter),
    ("?", |words| words.key_help),
];

#[component]
pub fn Help() -> impl IntoView {
    let rows = KEYS.iter().map(|&(key, says)| {
        view! { <div><dt><kbd>{key}</kbd></dt><dd>{move || says(words())}</dd></div> }
    });
    let settings = settings();
    view! {
        <Popover id=HELP class="help" heading=move || words().help_heading>
            <p>{move || words().help_intro}</p>
            <dl>{rows.collect_view()}</dl>
            <p class="quiet">{move || words().help_keys}</p>
            <SwitchBox
                test_id="single-keys"
                switch=settings.single_keys
                choose=move |switch| settings.choose_single_keys(switch)
                says=|words| words.help_single_keys
            />
            <SwitchBox
                test_id="voice"
                switch=settings.voice
                choose=move |switch| settings.choose_voice(switch)
                says=|words| words.help_voice
            />
        </Popover>
    }
}

/// A setting that is on or off.
#[component]
fn SwitchBox(
    test_id: &'static str,
    switch: RwSignal<Switch>,
    choose: impl Fn(Switch) + 'static,
    says: Word,
) -> impl IntoView {
    let is_on = move || switch.get() == Switch::On;
    view! {
        <label class="switch">
            <input
                type="checkbox"
                data-testid=test_id
                checked=is_on
                prop:checked=is_on
                on:change=move |event| {
                    choose(if event_target_checked(&event) { Switch::On } else { Switch::Off });
                }
            />
            {move || says(words())}
        </label>
    }
}
