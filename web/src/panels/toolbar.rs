//! The bar at the top: what this is, how time runs, and the reader's settings.

use leptos::prelude::*;

use crate::keys::HELP;
use crate::pacer::{RunMode, Speed};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::Language;
use crate::ui::{Choices, Glyph, Icon, Pick, Segments, text};

const MODES: [(RunMode, &str); 2] = [(RunMode::Step, "mode-step"), (RunMode::Play, "mode-play")];

/// The release of Consul whose behaviour the server has; the same in every language.
const PROFILE: &str = "Consul 1.13";

#[component]
pub fn Toolbar(runtime: Runtime) -> impl IntoView {
    let settings = use_settings();
    let mode_words = move |mode| match mode {
        RunMode::Step => settings.words().step.to_owned(),
        RunMode::Play => settings.words().play.to_owned(),
    };
    let modes = Choices::of(
        MODES,
        move || runtime.mode.get(),
        mode_words,
        move |mode| runtime.set_mode(mode),
    );
    let speeds = Choices::of(
        Speed::ALL.map(|speed| (speed, "")),
        move || runtime.speed.get(),
        Speed::label,
        move |speed| runtime.set_speed(speed),
    );
    view! {
        <header class="toolbar">
            <span class="brand">
                <svg viewBox="0 0 20 20" aria-hidden="true">
                    <rect class="truth" x="1" y="4" width="11" height="5" rx="1"/>
                    <rect class="belief" x="5.75" y="11.75" width="12.5" height="4" rx="1"/>
                </svg>
                <span>"Lictor"</span>
            </span>
            <span class="rule opt-mid"></span>
            <b class="world-name">{word(|words| words.sandbox)}</b>
            <span class="profile opt-narrow">{PROFILE}</span>
            <span class="seed opt-wide">
                {word(|words| words.seed)}
                " "
                <output data-testid="seed">{runtime.seed.to_string()}</output>
            </span>
            <span class="rule opt-mid"></span>
            <Segments label=word(|words| words.run_mode) choices=modes class=""/>
            <Pick label=word(|words| words.speed) choices=speeds class="w-speed" test_id="speed"/>
            <span class="push settings">
                <LanguageButton/>
                <ThemeButton/>
                <button
                    class="btn btn-icon"
                    type="button"
                    popovertarget=HELP
                    aria-label=word(|words| words.help)
                    title=word(|words| words.help)
                    data-testid="help-button"
                >
                    <b>"?"</b>
                </button>
            </span>
        </header>
    }
}

#[component]
fn LanguageButton() -> impl IntoView {
    let settings = use_settings();
    let label = text(move || {
        let language = settings.language.get();
        (language.words().language)(language.name())
    });
    let switch = move |_| {
        let next = match settings.language.get_untracked() {
            Language::English => Language::Chinese,
            Language::Chinese => Language::English,
        };
        settings.choose_language(next);
    };
    view! {
        <button
            class="btn btn-icon"
            type="button"
            aria-label=label
            title=label
            on:click=switch
            data-testid="language"
        >
            <Icon glyph=Glyph::Globe/>
        </button>
    }
}

#[component]
fn ThemeButton() -> impl IntoView {
    let settings = use_settings();
    let label = text(move || {
        let words = settings.words();
        (words.theme)(settings.theme.get().name(words))
    });
    let switch = move |_| settings.choose_theme(settings.theme.get_untracked().next());
    view! {
        <button
            class="btn btn-icon"
            type="button"
            aria-label=label
            title=label
            on:click=switch
            data-testid="theme"
        >
            <Icon glyph=Glyph::Theme/>
        </button>
    }
}
