//! The version of Consul: the button with that of the open world, and the panel that chooses it. A
//! choice counts for all new worlds. A world keeps its version, so the choice of another one opens
//! a fresh world.

use leptos::prelude::*;
use lictor_core::ConsulVersion;

use crate::components::{Closer, Glyph, Icon, Opener, Popover};
use crate::platform::settings::settings;
use crate::platform::words::{saved_world_words, words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

/// The id of the panel.
pub const VERSION: &str = "version";

/// Shows the version of the open world, and opens the panel.
#[component]
pub fn VersionButton() -> impl IntoView {
    let version = use_controller().version;
    view! {
        <Opener id=VERSION class="btn menu-item" title=move || words().version.hint>
            <Icon glyph=Glyph::Down/>
            {move || (words().version.name)(version.get())}
        </Opener>
    }
}

#[component]
pub fn Version() -> impl IntoView {
    let explanation = move || (words().version.explanation)(saved_world_words().earlier);
    let choices = ConsulVersion::ALL.into_iter().rev();
    let choices = choices.map(|version| view! { <VersionChoice version/> }).collect_view();
    view! {
        <Popover id=VERSION class="help versions" heading=move || words().version.heading>
            <p>{explanation}</p>
            <ul>{choices}</ul>
        </Popover>
    }
}

/// A version, and whether the open world and new worlds have it.
#[component]
fn VersionChoice(version: ConsulVersion) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let open = lesson_reader.controller.version;
    let is_open = move || open.get() == version;
    let is_new = move || settings().consul.get() == version;
    let marks = move || {
        let words = &words().version;
        let marks = [(is_open(), words.this_world), (is_new(), words.new_worlds)];
        let marks = marks.into_iter().filter(|(has_it, _)| *has_it);
        marks.map(|(_, mark)| view! { <span class="badge">{mark}</span> }).collect_view()
    };
    view! {
        <li>
            <Closer
                id=VERSION
                class="version-choice"
                test_id=format!("version-{}", version.name())
                pressed=Signal::derive(is_open)
                on:click=move |_| lesson_reader.session.choose_consul(version)
            >
                <b>{move || (words().version.name)(version)}</b>
                <span class="badges">{marks}</span>
                <small>{move || (words().version.describes)(version)}</small>
            </Closer>
        </li>
    }
}
