//! The page: the root component, the context that all components share, and the layout.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_desk::embed::EmbedOptions;
use lictor_desk::open_panels::OpenPanel;
use lictor_desk::share;
use lictor_view::rows::ForecastVisibility;
use lictor_view::rows::{LockRow, SemaphoreRow};
use web_sys::HtmlElement;

use crate::components::{
    Defs, PageIds, crowd_class, keep_focus, page_id, use_one_column, use_sheet,
};
use crate::panels::actors::Actors;
use crate::panels::address::follow_address;
use crate::panels::announcer::Announcer;
use crate::panels::checks::Checks;
use crate::panels::clock::Scrubber;
use crate::panels::compare::Compare;
use crate::panels::console::Console;
use crate::panels::embed::Embed;
use crate::panels::events::{Events, ROW, ROW_NARROW};
use crate::panels::export::Export;
use crate::panels::guide::Guide;
use crate::panels::guide::prompt::GuidePrompt;
use crate::panels::health_checks::HealthChecks;
use crate::panels::help::Help;
use crate::panels::incident::Incident;
use crate::panels::learn::Home;
use crate::panels::lesson::{Ending, Lesson};
use crate::panels::lock::LockCard;
use crate::panels::notices::Notices;
use crate::panels::semaphore::SemaphoreCard;
use crate::panels::sessions::Sessions;
use crate::panels::share::Share;
use crate::panels::state_line::StateLine;
use crate::panels::status_bar::{PanelButton, StatusBar};
use crate::panels::timeline::{PICTURE, Timeline};
use crate::panels::toolbar::Toolbar;
use crate::panels::transport::Transport;
use crate::panels::version::Version;
use crate::panels::why::WhyStrip;
use crate::panels::worlds::Worlds;
use crate::platform::settings::settings;
use crate::platform::words::{lesson_words, provide_language, words};
use crate::platform::world_store::WorldStore;
use crate::script::Lictor;
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, use_controller};
use crate::state::dispatch::Dispatch;
use crate::state::frame_loop::run_frames;
use crate::state::guide_reader::GuideReader;
use crate::state::incident_reader::IncidentReader;
use crate::state::lesson_reader::{LESSON, LessonReader};
use crate::state::live_reader::LiveReader;
use crate::state::open_panels::OpenPanels;
use crate::state::shortcuts::{self, Reach};
use crate::state::store::Row;
use crate::state::terminal::Terminal;
use crate::state::world_session::{Opening, WorldSession, fresh};

/// Mounts the whole page into an element, and returns its functions for scripts. Dropping the
/// handle unmounts it.
pub fn mount(
    parent: HtmlElement,
    world_store: Option<WorldStore>,
) -> (UnmountHandle<impl Mountable>, Lictor) {
    mount_page(parent, move || {
        let (opening, lictor) = provide_state(world_store, Reach::Page);
        (view! { <App opening/> }, lictor)
    })
}

/// Mounts the parts of the page that an embedding page requests.
pub fn mount_embedded(
    body: HtmlElement,
    world_store: WorldStore,
    options: EmbedOptions,
) -> (UnmountHandle<impl Mountable>, Lictor) {
    body.set_class_name("embed");
    mount_page(body, move || {
        if let Some(version) = options.consul {
            settings().consul.set(version);
        }
        let (_, lictor) = provide_state(Some(world_store), Reach::Part);
        (view! { <Embedded options/> }, lictor)
    })
}

fn mount_page<V: IntoView>(
    parent: HtmlElement,
    page: impl FnOnce() -> (V, Lictor) + 'static,
) -> (UnmountHandle<V::State>, Lictor) {
    let (root, script) = (parent.clone(), Rc::new(Cell::new(None)));
    let created = script.clone();
    let handle = mount_to(parent, move || {
        keep_focus(root.into());
        let (view, lictor) = page();
        created.set(Some(lictor));
        view
    });
    (handle, script.take().expect("mounting has created it"))
}

/// Creates the state that all components of a page share, and provides it as context. The world is
/// the one that was saved, or else a sandbox of three clients, paused at 0.
pub fn provide_state(world_store: Option<WorldStore>, reach: Reach) -> (Opening, Lictor) {
    PageIds::provide();
    provide_language();
    settings().apply_to_document();
    let controller = Controller::new(fresh());
    let session = WorldSession::new(controller);
    let (dispatch, lesson_reader) = (Dispatch::new(controller), LessonReader::new(session));
    let opening = world_store
        .map_or(Opening::Fresh, |world_store| lesson_reader.session.start_page(world_store));
    lesson_reader.provide_options(dispatch.form);
    let terminal = Terminal::new(controller);
    let open = OpenPanels::new(lesson_reader);
    shortcuts::listen(dispatch, open, reach);
    run_frames(controller);
    provide_context(controller);
    provide_context(dispatch);
    provide_context(lesson_reader);
    provide_context(open);
    provide_context(terminal);
    let guide_reader = GuideReader::new(terminal);
    provide_context(guide_reader);
    let incident_reader = IncidentReader::default();
    provide_context(incident_reader);
    provide_context(LiveReader::new(incident_reader));
    (opening, Lictor::new(lesson_reader, guide_reader))
}

#[component]
fn App(opening: Opening) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let fragment = window().location().hash().unwrap_or_default();
    if share::read(&fragment).is_err() {
        lesson_reader.start_first_visit(opening);
    }
    follow_address();
    view! {
        <Show when=move || lesson_reader.reading.with(Option::is_some)>
            <a class="skip visually-hidden" href=format!("#{}", page_id(LESSON))>
                {move || lesson_words().skip_to_question}
            </a>
        </Show>
        <a class="skip visually-hidden" href=format!("#{}", page_id(PICTURE))>
            {move || words().skip_to_picture}
        </a>
        <Defs/>
        <Toolbar/>
        <Board/>
        <StatusBar/>
        <Help/>
        <Home/>
        <Guide/>
        <Incident/>
        <Share opening/>
        <Export/>
        <Compare/>
        <Version/>
        <Worlds/>
        <Notices/>
        <Checks/>
        <Announcer/>
    }
}

#[component]
fn Embedded(options: EmbedOptions) -> impl IntoView {
    if let Some(language) = options.language {
        settings().language.set(language);
    }
    if let Some(theme) = options.theme {
        settings().theme.set(theme);
    }
    let controller = use_controller();
    view! {
        <Defs/>
        <Announcer/>
        <main data-forecast=move || forecast_visibility(controller)>
            <Embed options=Arc::new(options)/>
        </main>
        <Notices/>
    }
}

/// The attribute by which the styles show or hide the forecast.
fn forecast_visibility(controller: Controller) -> &'static str {
    match controller.forecast_visibility.get() {
        ForecastVisibility::Open => "open",
        ForecastVisibility::Closed => "closed",
    }
}

#[component]
fn Board() -> impl IntoView {
    let controller = use_controller();
    let lesson_reader = expect_context::<LessonReader>();
    let open = expect_context::<OpenPanels>();
    let has_lesson = Memo::new(move |_| lesson_reader.reading.with(Option::is_some));
    let (is_narrow, is_sheet) = (use_one_column(), use_sheet());
    let (guide, incident) = (expect_context::<GuideReader>(), expect_context::<IncidentReader>());
    // The texts of an open panel have no world yet, or one that is opened only in the sandbox.
    let is_unrelated =
        Memo::new(move |_| incident.is_open.get() || guide.is_open.get() && !guide.has_sent());
    let has_act = Memo::new(move |_| {
        let is_beside_text = guide.is_open.get() || incident.is_open.get();
        is_sheet.get() || open.is_open(OpenPanel::Act) && !is_beside_text
    });
    let is_open = move |panel| move || open.is_open(panel);
    view! {
        <main
            class="board"
            class:has-drawer=move || open.has_drawer()
            class:is-unrelated=move || is_unrelated.get()
            data-forecast=move || forecast_visibility(controller)>
            <h1 class="visually-hidden">{move || words().heading}</h1>
            <p class="no-world quiet">{move || words().no_world}</p>
            <Show when=move || lesson_reader.session.is_first_visit.get()>
                <About/>
            </Show>
            <Lesson ending=Ending::Leave/>
            <Show when=move || !has_lesson.get()>
                <div class="line">
                    <StateLine/>
                    <Show when=move || !is_sheet.get()>
                        <PanelButton panel=OpenPanel::Act text=|| words().act_here/>
                    </Show>
                </div>
            </Show>
            // On a narrow page this bar has the lesson's main button, so it follows the lesson.
            <Transport/>
            <Scrubber/>
            <Timeline/>
            <Show when=move || has_act.get()><Actors/></Show>
            <div
                class="bottom"
                class:has-details=is_open(OpenPanel::Details)
                class:has-events=is_open(OpenPanel::Events)
                class:has-console=is_open(OpenPanel::Console)
            >
                <Show when=is_open(OpenPanel::Details)><State/></Show>
                <Show when=is_open(OpenPanel::Events)>
                    <Events row_height=row_height(is_narrow) is_printed=open.is_on_paper/>
                </Show>
                <Show when=is_open(OpenPanel::Console)>
                    <Console><GuidePrompt/></Console>
                </Show>
            </div>
        </main>
    }
}

/// The sentence of a first visit that says what the page is.
#[component]
fn About() -> impl IntoView {
    let controller = use_controller();
    let about = move || (lesson_words().about)(&(words().version.name)(controller.version.get()));
    view! { <p class="about" data-testid="about">{about}</p> }
}

/// The cards of semaphores and locks, the sessions and the health checks.
#[component]
fn State() -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let count = move || store.locks.len() + store.semaphores.len();
    let lock = |row: Row<Key, LockRow>| view! { <LockCard key=row.key row=row.signal/> };
    let semaphore = |row: Row<Key, SemaphoreRow>| {
        view! { <SemaphoreCard prefix=row.key row=row.signal/> }
    };
    view! {
        <section
            class=move || crowd_class("panel state", count())
            tabindex="0"
            aria-label=move || words().state
        >
            <WhyStrip/>
            <Show when=move || count() == 0>
                <p class="card footnote empty-card">{move || words().no_locks}</p>
            </Show>
            <For each=move || store.semaphores.list().to_vec() key=|row| row.id children=semaphore/>
            <For each=move || store.locks.list().to_vec() key=|row| row.id children=lock/>
            <Sessions/>
            <HealthChecks/>
        </section>
    }
}

/// The height of a table row, which depends on the width of the window.
fn row_height(is_narrow: Signal<bool>) -> RwSignal<u32> {
    let height = move || if is_narrow.get_untracked() { ROW_NARROW } else { ROW };
    let current = RwSignal::new(height());
    Effect::new(move |_| {
        is_narrow.track();
        current.set_if_changed(height());
    });
    current
}
