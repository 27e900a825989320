//! The worlds that were saved under a name in this browser: the form that saves the present one,
//! and a row for each saved one, which opens, renames and deletes it.

use leptos::ev::{Custom, SubmitEvent};
use leptos::html::Input;
use leptos::prelude::*;
use leptos_use::use_event_listener;
use lictor_desk::lessons::title;
use lictor_desk::share::world_name::{NAME_MAX, free_name, world_name};
use lictor_desk::share::world_summary::WorldSummary;
use lictor_view::format::kilobytes;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, KeyboardEvent};

use crate::components::{Button, Closer, Glyph, Icon, IconButton, focus, page_id};
use crate::platform::settings::settings;
use crate::platform::words::{language, saved_world_words, words};
use crate::platform::world_store::{SavedWorld, WorldStore};
use crate::state::controller::Controller;
use crate::state::lesson_reader::LessonReader;

/// The id of the panel around the list.
pub(super) const WORLDS: &str = "worlds";
/// The id and the test id of the field for the name of the present world.
const NAME: &str = "world-name";
/// The test id of the field that searches the list.
const FIND: &str = "worlds-find";
/// The length above which a list has a field that searches it.
const SHORT_MAX: usize = 8;
/// The event by which the store reports that another tab has changed the saved worlds.
const CHANGED: &str = "lictor-saved-worlds";

/// The list of saved worlds. A cheap copy: all copies share the list.
#[derive(Clone, Copy)]
struct SavedWorlds {
    controller: Controller,
    list: RwSignal<Vec<SavedWorld>>,
}

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowState {
    Shown,
    Renaming,
    Deleted,
}

impl SavedWorlds {
    /// Changes the saved worlds, and reads their list again.
    fn change(self, change: impl AsyncFnOnce(WorldStore) + 'static) {
        let Some(world_store) = self.controller.world_store() else { return };
        spawn_local(async move {
            change(world_store.clone()).await;
            self.list.set(saved_worlds(&world_store).await);
        });
    }
}

async fn saved_worlds(world_store: &WorldStore) -> Vec<SavedWorld> {
    serde_wasm_bindgen::from_value(world_store.saved_worlds().await).unwrap_or_default()
}

/// A free name for the saved world with an id or, without one, for a new world: the name itself,
/// or with a number if another world has it.
async fn name_for(world_store: &WorldStore, id: Option<&str>, name: &str) -> String {
    let all = saved_worlds(world_store).await;
    let others = all.iter().filter(|other| Some(other.id.as_str()) != id);
    free_name(name, &others.map(|other| other.name.as_str()).collect::<Vec<_>>())
}

async fn rename(world_store: &WorldStore, id: &str, name: &str) {
    let name = name_for(world_store, Some(id), name).await;
    world_store.rename_saved(id, &name).await;
}

/// Whether the name or the description of a world contains a text, whatever its case.
fn is_found(name: &str, description: &str, text: &str) -> bool {
    let text = text.trim().to_lowercase();
    [name, description].iter().any(|it| it.to_lowercase().contains(&text))
}

#[component]
pub fn SavedWorldList(is_open: RwSignal<bool>) -> impl IntoView {
    let controller = expect_context::<LessonReader>().controller;
    let saved = SavedWorlds { controller, list: RwSignal::new(Vec::new()) };
    Effect::new(move |_| {
        if is_open.get() {
            saved.change(async |_| {});
        }
    });
    let _ = use_event_listener(window(), Custom::<Event>::new(CHANGED), move |_| {
        if is_open.get_untracked() {
            saved.change(async |_| {});
        }
    });
    let is_empty = Memo::new(move |_| saved.list.with(Vec::is_empty));
    view! {
        <SaveForm saved is_open/>
        <Show when=move || is_empty.get() fallback=move || view! { <Rows saved/> }>
            <p data-testid="nothing-saved">{move || saved_world_words().nothing_saved}</p>
        </Show>
    }
}

/// The rows, and above a long list the field that searches it.
#[component]
fn Rows(saved: SavedWorlds) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let is_long = Memo::new(move |_| saved.list.with(|list| list.len() > SHORT_MAX));
    let searched = Signal::derive(move || if is_long.get() { typed.get() } else { String::new() });
    let is_none_found = move || {
        let is_found =
            |world: &SavedWorld| is_found(&world.name, &description(world), &searched.get());
        !saved.list.with(|list| list.iter().any(is_found))
    };
    let field = move || {
        view! {
            <label class="find saved-find">
                <Icon glyph=Glyph::Find small=true/>
                <span class="visually-hidden">{move || saved_world_words().find}</span>
                <input
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    data-testid=FIND
                    placeholder=move || saved_world_words().find
                    prop:value=typed
                    on:input=move |event| typed.set(event_target_value(&event))
                />
            </label>
        }
    };
    view! {
        <Show when=move || is_long.get()>{field()}</Show>
        <p class="footnote" role="status" data-testid="no-world-found">
            {move || is_none_found().then(|| saved_world_words().none_found)}
        </p>
        <ul class="saved-worlds">
            <For
                each=move || saved.list.get()
                key=|world| (world.id.clone(), world.name.clone())
                let:world
            >
                <SavedRow saved world searched/>
            </For>
        </ul>
    }
}

/// The description of a saved world: its clients, events, time and keys, when it was saved, and its
/// size.
fn description(world: &SavedWorld) -> String {
    let summary = WorldSummary::from_text(&world.summary);
    let about = summary.as_ref().map(saved_world_words().describes);
    let when = world.saved_at(language());
    about.into_iter().chain([when, kilobytes(world.size)]).collect::<Vec<_>>().join(" · ")
}

/// The form that saves the present world.
#[component]
fn SaveForm(saved: SavedWorlds, is_open: RwSignal<bool>) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let field = NodeRef::<Input>::new();
    let proposal = move || if is_open.get() { present_name(lesson_reader) } else { String::new() };
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let name = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        let name = if name.trim().is_empty() { present_name(lesson_reader) } else { name };
        let summary = lesson_reader.reading.with_untracked(|reading| {
            lesson_reader.controller.with_timeline(|it| WorldSummary::new(it, reading.as_ref()))
        });
        saved.change(async move |world_store| {
            let name = name_for(&world_store, None, name.trim()).await;
            world_store.save_world(&name, &summary.to_text()).await;
        });
    };
    view! {
        <form class="save-world" on:submit=save>
            <label for=page_id(NAME)>{move || saved_world_words().save_as}</label>
            <input
                node_ref=field
                id=page_id(NAME)
                type="text"
                autocomplete="off"
                maxlength=NAME_MAX.to_string()
                data-testid=NAME
                prop:value=proposal
            />
            <button type="submit" class="btn btn-main" data-testid="world-save">
                {move || saved_world_words().save_world}
            </button>
        </form>
    }
}

/// A name for the present world: the title of its question, or its clients and what happened.
fn present_name(lesson_reader: LessonReader) -> String {
    if let Some(number) = untrack(|| lesson_reader.number()) {
        return title(number, settings().language.get_untracked()).to_owned();
    }
    lesson_reader.controller.with_record_at_end(|record| world_name(language(), record))
}

#[component]
fn SavedRow(saved: SavedWorlds, world: SavedWorld, searched: Signal<String>) -> impl IntoView {
    let state = RwSignal::new(RowState::Shown);
    let name = world.name.clone();
    let about = {
        let world = world.clone();
        Memo::new(move |_| description(&world))
    };
    let is_hidden =
        Memo::new(move |_| about.with(|about| !is_found(&name, about, &searched.get())));
    let world = StoredValue::new(world);
    let content = move || match state.get() {
        RowState::Shown => view! { <ShownRow saved world about state/> }.into_any(),
        RowState::Renaming => view! { <RenameForm saved world state/> }.into_any(),
        RowState::Deleted => view! { <DeletedRow saved world state/> }.into_any(),
    };
    view! { <li data-testid="saved-world" hidden=move || is_hidden.get()>{content}</li> }
}

#[component]
fn ShownRow(
    saved: SavedWorlds,
    world: StoredValue<SavedWorld>,
    about: Memo<String>,
    state: RwSignal<RowState>,
) -> impl IntoView {
    let session = expect_context::<LessonReader>().session;
    let SavedWorld { id, name, .. } = world.get_value();
    let label = move |text: fn() -> fn(&str) -> String| {
        move || world.with_value(|world| text()(&world.name))
    };
    let open = {
        let id = id.clone();
        move |_| {
            let id = id.clone();
            spawn_local(async move { session.open_saved_world(&id).await });
        }
    };
    let delete = move || {
        state.set(RowState::Deleted);
        let Some(world_store) = saved.controller.world_store() else { return };
        let id = id.clone();
        spawn_local(async move { drop(world_store.delete_saved(&id).await) });
    };
    view! {
        <span class="saved-about">
            <b>{name}</b>
            <small>{about}</small>
        </span>
        <Closer
            id=WORLDS
            class="btn btn-line"
            test_id="saved-open"
            label=label(|| saved_world_words().open_saved)
            on:click=open
        >
            {move || saved_world_words().open}
        </Closer>
        <IconButton
            glyph=Glyph::Edit
            test_id="saved-rename"
            label=label(|| saved_world_words().rename)
            on_press=move || state.set(RowState::Renaming)
        />
        <IconButton
            glyph=Glyph::Cross
            test_id="saved-delete"
            label=label(|| saved_world_words().delete)
            on_press=delete
        />
    }
}

#[component]
fn RenameForm(
    saved: SavedWorlds,
    world: StoredValue<SavedWorld>,
    state: RwSignal<RowState>,
) -> impl IntoView {
    let SavedWorld { id, name, .. } = world.get_value();
    let field = NodeRef::<Input>::new();
    request_animation_frame(move || {
        if let Some(field) = field.get_untracked() {
            let _ = field.focus();
            field.select();
        }
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let name = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        let (id, name) = (id.clone(), name.trim().to_owned());
        state.set(RowState::Shown);
        focus(NAME);
        if !name.is_empty() {
            saved.change(async move |world_store| rename(&world_store, &id, &name).await);
        }
    };
    // Esc closes the form and not the panel.
    let press = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            event.stop_propagation();
            state.set(RowState::Shown);
            focus(NAME);
        }
    };
    view! {
        <form class="save-world" on:submit=submit on:keydown=press>
            <input
                node_ref=field
                type="text"
                autocomplete="off"
                maxlength=NAME_MAX.to_string()
                data-testid="saved-name"
                aria-label=move || saved_world_words().new_name
                value=name.clone()
            />
            <Button
                class="btn btn-line"
                test_id="saved-cancel"
                focus_fallback=NAME
                on_press=move || state.set(RowState::Shown)
            >
                {move || saved_world_words().cancel}
            </Button>
            <button type="submit" class="btn btn-main" data-testid="saved-rename-done">
                {move || saved_world_words().rename_it}
            </button>
        </form>
    }
}

/// The row of a deleted world. It can be put back until the list is read again: when the panel
/// opens, when a world is saved, renamed or put back, or when another tab changes the saved worlds.
#[component]
fn DeletedRow(
    saved: SavedWorlds,
    world: StoredValue<SavedWorld>,
    state: RwSignal<RowState>,
) -> impl IntoView {
    let SavedWorld { id, name, .. } = world.get_value();
    let deleted = name.clone();
    let put_back = move || {
        state.set(RowState::Shown);
        let (id, name) = (id.clone(), name.clone());
        saved.change(async move |world_store| {
            world_store.undelete_saved(&id).await;
            rename(&world_store, &id, &name).await;
        });
    };
    view! {
        <span class="saved-about" role="status">
            {move || (saved_world_words().deleted)(&deleted)}
        </span>
        <Button class="btn btn-line" test_id="saved-undo" focus_fallback=NAME on_press=put_back>
            {move || words().past.undo}
        </Button>
    }
}
