//! The list of worlds and the button that opens it: the worlds that were saved under a name, and
//! those that a lesson, a link, a file or a fresh sandbox has replaced in this tab. Each can be
//! opened again.

use leptos::prelude::*;
use lictor_desk::lessons::title;
use lictor_desk::share::world_name::world_name;
use lictor_desk::share::world_summary::WorldSummary;

use crate::components::{Closer, Glyph, Icon, Opener, Popover};
use crate::panels::saved_worlds::{SavedWorldList, WORLDS};
use crate::platform::words::{language, lesson_words, saved_world_words};
use crate::state::lesson_reader::LessonReader;
use crate::state::world_session::ReplacedWorld;

/// The button that opens the list.
#[component]
pub fn WorldsButton() -> impl IntoView {
    view! {
        <Opener id=WORLDS class="btn menu-item">
            <Icon glyph=Glyph::Restore/>
            {move || saved_world_words().worlds}
        </Opener>
    }
}

#[component]
pub fn Worlds() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let session = lesson_reader.session;
    let is_open = RwSignal::new(false);
    let can_save = move || {
        is_open.get() && session.controller.world_store().is_some_and(|store| store.can_save())
    };
    let rows = move || {
        let worlds = if is_open.get() { session.replaced() } else { Vec::new() };
        worlds.into_iter().map(|world| view! { <WorldRow world/> }).collect_view()
    };
    view! {
        <Popover
            id=WORLDS
            class="help versions worlds"
            heading=move || saved_world_words().worlds
            is_open
        >
            <Show when=can_save>
                <p>{move || saved_world_words().worlds_text}</p>
                <SavedWorldList is_open/>
            </Show>
            <h3>{move || saved_world_words().earlier}</h3>
            <p>{move || saved_world_words().earlier_text}</p>
            <ul>
                {rows}
                <li>
                    <Closer
                        id=WORLDS
                        class="version-choice"
                        test_id="world-fresh"
                        on:click=move |_| session.open_sandbox()
                    >
                        <b>{move || saved_world_words().fresh}</b>
                        <small>{move || lesson_words().fresh_sandbox}</small>
                    </Closer>
                </li>
            </ul>
        </Popover>
    }
}

#[component]
fn WorldRow(world: ReplacedWorld) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let (index, is_dropped_next) = (world.index, world.is_dropped_next);
    let summary = WorldSummary::new(&world.timeline, world.lesson.as_ref());
    let number = summary.question;
    let name = move || match number {
        Some(number) => {
            let title = title(number, language());
            (saved_world_words().of_question)(number, &title)
        }
        None => world_name(language(), world.timeline.record_at_end()),
    };
    let description = move || (saved_world_words().describes)(&summary);
    let warning = is_dropped_next.then(|| {
        view! { <small class="is-warn">{move || saved_world_words().dropped_next}</small> }
    });
    view! {
        <li>
            <Closer
                id=WORLDS
                class="version-choice"
                test_id=format!("world-{}", index + 1)
                on:click=move |_| lesson_reader.session.restore_replaced(index)
            >
                <b>{name}</b>
                <small>{description}</small>
                {warning}
            </Closer>
        </li>
    }
}
