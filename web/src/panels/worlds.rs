//! The worlds that were replaced by a lesson, a link, a file or a fresh sandbox: a button in the
//! toolbar opens their list, and each can be opened again. `state::world_session` opens them.

use leptos::prelude::*;
use lictor_sandbox::format::clock;
use lictor_sandbox::lessons::title;

use crate::components::{Closer, Glyph, Icon, Opener, Popover};
use crate::platform::settings::{settings, words};
use crate::state::lesson_reader::LessonReader;
use crate::state::world_session::ReplacedWorld;

/// The id of the panel.
const WORLDS: &str = "worlds";
/// How many keys of a world are named.
const KEYS: usize = 3;

/// Opens the list.
#[component]
pub fn WorldsButton() -> impl IntoView {
    let says = move || words().saved_world.earlier;
    view! {
        <Opener id=WORLDS class="btn btn-icon" label=says title=says>
            <Icon glyph=Glyph::Restore/>
        </Opener>
    }
}

#[component]
pub fn Worlds() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let session = lesson_reader.session;
    let is_open = RwSignal::new(false);
    let rows = move || {
        let worlds = if is_open.get() { session.replaced() } else { Vec::new() };
        worlds.into_iter().map(|world| view! { <WorldRow world/> }).collect_view()
    };
    view! {
        <Popover
            id=WORLDS
            class="help versions"
            heading=move || words().saved_world.earlier
            is_open
        >
            <p>{move || words().saved_world.earlier_text}</p>
            <ul>
                {rows}
                <li>
                    <Closer
                        id=WORLDS
                        class="version-choice"
                        test_id="world-fresh".to_owned()
                        on:click=move |_| session.open_sandbox()
                    >
                        <b>{move || words().saved_world.fresh}</b>
                        <small>{move || words().learn.door_sandbox.1}</small>
                    </Closer>
                </li>
            </ul>
        </Popover>
    }
}

#[component]
fn WorldRow(world: ReplacedWorld) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let index = world.index;
    let number = world.lesson.map(|reading| reading.lesson.scenario.number);
    let name = move || match number {
        Some(number) => {
            let title = title(number, settings().language.get());
            (words().saved_world.of_question)(number, &title)
        }
        None => words().learn.tab_sandbox.to_owned(),
    };
    let timeline = world.timeline;
    let (at, events) = (timeline.world().now(), timeline.here().end().event_number);
    let keys = timeline.world().store().kv().with_prefix("").take(KEYS);
    let keys = keys.map(|entry| entry.key.to_string()).collect::<Vec<_>>().join(", ");
    let describes = move || (words().saved_world.describes)(&clock(at), events, &keys);
    view! {
        <li>
            <Closer
                id=WORLDS
                class="version-choice"
                test_id=format!("world-{}", index + 1)
                on:click=move |_| lesson_reader.session.restore_replaced(index)
            >
                <b>{name}</b>
                <small>{describes}</small>
            </Closer>
        </li>
    }
}
