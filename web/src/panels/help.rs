//! The help: what the page is, its keyboard shortcuts, and the settings of keys and voice.

use leptos::prelude::*;
use lictor_view::language::Language;

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
                is_on=settings.has_single_keys
                choose=move |is_on| settings.choose_single_keys(is_on)
                label=|| words().help_single_keys
            />
            <SwitchBox
                test_id="voice"
                is_on=settings.has_voice
                choose=move |is_on| settings.choose_voice(is_on)
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
    is_on: RwSignal<bool>,
    choose: impl Fn(bool) + 'static,
    label: Word,
) -> impl IntoView {
    view! {
        <label class="switch">
            <input
                type="checkbox"
                data-testid=test_id
                checked=move || is_on.get()
                prop:checked=is_on
                on:change=move |event| choose(event_target_checked(&event))
            />
            {move || label()}
        </label>
    }
}
