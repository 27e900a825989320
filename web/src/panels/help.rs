//! The help: what the page is, its keyboard shortcuts, and the settings of keys and voice.

use leptos::prelude::*;
use lictor_view::language::Language;
use lictor_view::settings::Switch;

use crate::components::Popover;
use crate::platform::settings::settings;
use crate::platform::words::{Word, language, words};
use crate::state::shortcuts::{HELP, HELP_LINES};

#[component]
pub fn Help() -> impl IntoView {
    let rows = HELP_LINES.iter().map(|line| {
        view! {
            <div>
                <dt><kbd>{line.keys}</kbd></dt>
                <dd>{move || (line.meaning)()}</dd>
            </div>
        }
    });
    let settings = settings();
    view! {
        <Popover id=HELP class="help" heading=move || words().help_heading>
            <p>{move || words().help_intro}</p>
            <p>
                <a href=documentation target="_blank" data-testid="documentation">
                    {move || words().documentation}
                </a>
            </p>
            <dl>{rows.collect_view()}</dl>
            <p class="quiet">{move || words().help_keys}</p>
            <SwitchBox
                test_id="single-keys"
                switch=settings.single_keys
                choose=move |switch| settings.choose_single_keys(switch)
                label=|| words().help_single_keys
            />
            <SwitchBox
                test_id="voice"
                switch=settings.voice
                choose=move |switch| settings.choose_voice(switch)
                label=|| words().help_voice
            />
        </Popover>
    }
}

/// The address of the documentation in the language of the page, relative to the page.
fn documentation() -> &'static str {
    match language() {
        Language::English => "docs/index.html",
        Language::Chinese => "docs/zh/index.html",
    }
}

/// A setting that is on or off.
#[component]
fn SwitchBox(
    test_id: &'static str,
    switch: RwSignal<Switch>,
    choose: impl Fn(Switch) + 'static,
    label: Word,
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
            {move || label()}
        </label>
    }
}
