//! The panel for sharing: links to the world and the lesson, files to save, and fields that open
//! the links and files of others. Links are also opened from the address, and files that are
//! dropped on the page.

use gloo_timers::callback::Timeout;
use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use lictor_desk::share::{self, IMPORT_MAX, ImportError, LINK_COMFORTABLE, is_link};
use lictor_sim::journal::LinkError;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, Element, File, HtmlElement, HtmlInputElement};

use crate::components::{Button, Glyph, Icon, Opener, PageIds, Popover, focus};
use crate::panels::lanes::picture;
use crate::platform::clipboard::copy;
use crate::platform::settings::settings;
use crate::platform::words::{Word, share_words};
use crate::platform::world_store::WorldStore;
use crate::state::controller::CursorPosition;
use crate::state::guide_reader::GuideReader;
use crate::state::incident_reader::IncidentReader;
use crate::state::lesson_reader::LessonReader;
use crate::state::live_reader::LiveReader;
use crate::state::terminal::Terminal;
use crate::state::world_session::Opening;

/// The id of the panel.
pub const SHARE: &str = "share";
/// The test id of its button.
const BUTTON: &str = "share-button";
/// The name of the file in which the timeline is saved.
const PICTURE: &str = "lictor.svg";

/// The reason why the last attempt to open something failed; `None` if it succeeded.
type Problem = RwSignal<Option<ImportError>>;

#[component]
pub fn ShareButton() -> impl IntoView {
    view! {
        <Opener id=SHARE class="btn menu-item">
            <Icon glyph=Glyph::Share/>
            {move || share_words().share}
        </Opener>
    }
}

#[component]
pub fn Share(opening: Opening) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let problem: Problem = RwSignal::new(None);
    let is_open = RwSignal::new(false);
    listen(lesson_reader, opening, problem);
    view! {
        <Popover
            id=SHARE
            class="help share"
            heading=move || share_words().heading
            is_open
        >
            <Links is_open/>
            <h3>{move || share_words().save}</h3>
            <SaveButtons/>
            <h3>{move || share_words().open}</h3>
            <OpenFields problem/>
        </Popover>
    }
}

/// The address of the page, without its query and fragment; empty for a page from a disk, whose
/// path is of no use to others.
fn page_address() -> String {
    let address = window().location().href().unwrap_or_default();
    if !address.starts_with("http") {
        return String::new();
    }
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The address of the page with a link to the open lesson or, if the cursor is not at its page, to
/// the current world; without a link if the world has none.
pub fn address_of(lesson_reader: LessonReader) -> String {
    untrack(|| Some(page_address() + &link_of(lesson_reader)?)).unwrap_or_else(page_address)
}

/// The link of the open lesson's page or, if the cursor is not there, of the current world; `None`
/// if the world has no link.
fn link_of(lesson_reader: LessonReader) -> Option<String> {
    match lesson_reader.shown_page() {
        Some(reading) => Some(share::lesson_link(&reading.lesson, reading.page)),
        None => world_link(lesson_reader).ok(),
    }
}

/// The link of the current world; subscribes.
fn world_link(lesson_reader: LessonReader) -> Result<String, LinkError> {
    let controller = lesson_reader.controller;
    controller.store.events.track();
    controller.branches.track();
    if controller.cursor.get() != CursorPosition::End {
        controller.coarse_now.track();
    }
    let spacing = settings().spacing.get();
    controller.with_timeline(|timeline| share::link(timeline, spacing))
}

/// The address with the link of the open lesson's page; subscribes.
fn lesson_of(lesson_reader: LessonReader) -> Option<String> {
    let reading = lesson_reader.reading.get()?;
    Some(page_address() + &share::lesson_link(&reading.lesson, reading.page))
}

/// The links of the world and of the lesson's page, and the HTML tag for a document. Links of the
/// world are made only while the panel is open, because they are computed from the whole past.
#[component]
fn Links(is_open: RwSignal<bool>) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let link = move || {
        let link = is_open.get().then(|| world_link(lesson_reader))?;
        Some(match link {
            Ok(link) => view! { <LinkField link=page_address() + &link/> }.into_any(),
            Err(error) => {
                let text = (share_words().no_link)(&error);
                view! { <p class="is-danger" data-testid="share-no-link">{text}</p> }.into_any()
            }
        })
    };
    let lesson = move || {
        lesson_of(lesson_reader).map(|link| {
            view! {
                <h3>{share_words().lesson}</h3>
                <CopyField name="story" label=|| share_words().lesson text=link/>
            }
        })
    };
    // A page from a disk has no address that others could load it from.
    let tag = move || {
        let page = page_address();
        if !is_open.get() || !page.starts_with("http") {
            return None;
        }
        let tag = share::tag(&page, &link_of(lesson_reader)?);
        Some(view! {
            <h3>{share_words().embed_html}</h3>
            <CopyField name="tag" label=|| share_words().embed_html text=tag/>
        })
    };
    view! {
        <h3>{move || share_words().link}</h3>
        {link}
        {lesson}
        {tag}
    }
}

#[component]
fn SaveButtons() -> impl IntoView {
    let controller = expect_context::<LessonReader>().controller;
    let save = move || {
        controller.world_store().inspect(WorldStore::save_log);
    };
    let save_page = move || {
        controller.world_store().inspect(WorldStore::save_page);
    };
    let save_picture = move || {
        controller
            .world_store()
            .inspect(|world_store| world_store.save_file(&picture(controller), PICTURE));
    };
    view! {
        <p class="share-line">
            <Button class="btn btn-line" test_id="share-file" on_press=save>
                {move || share_words().file}
            </Button>
            <Button class="btn btn-line" test_id="share-page" on_press=save_page>
                {move || share_words().page}
            </Button>
            <Button class="btn btn-line" test_id="share-picture" on_press=save_picture>
                {move || share_words().picture}
            </Button>
        </p>
    }
}

#[component]
fn LinkField(link: String) -> impl IntoView {
    let length = link.len();
    let is_long = length > LINK_COMFORTABLE;
    let text = move || {
        if is_long { (share_words().too_long)(length) } else { (share_words().length)(length) }
    };
    view! {
        <CopyField name="link" label=|| share_words().link text=link/>
        <p class=if is_long { "is-warn small" } else { "quiet small" } data-testid="share-length">
            {text}
        </p>
    }
}

/// A text with the button that copies it.
#[component]
fn CopyField(name: &'static str, label: Word, text: String) -> impl IntoView {
    let value = text.clone();
    let press = move || {
        let text = text.clone();
        // If the browser refuses, the text can be copied by hand.
        spawn_local(async move {
            let _ = copy(&text).await;
        });
    };
    view! {
        <p class="share-line">
            <input
                type="text"
                readonly=true
                data-testid=format!("share-{name}")
                value=value
                aria-label=label
                on:focus=move |event| { event_target::<HtmlInputElement>(&event).select() }
            />
            <Button class="btn btn-line" test_id=format!("share-copy-{name}") on_press=press>
                {move || share_words().copy}
            </Button>
        </p>
    }
}

#[component]
fn OpenFields(problem: Problem) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let text = RwSignal::new(String::new());
    let choose = move |event| {
        let files = event_target::<HtmlInputElement>(&event).files();
        if let Some(file) = files.and_then(|files| files.get(0)) {
            open_file(lesson_reader, problem, &file);
        }
    };
    let message = move || {
        problem.get().map(|error| {
            let text = (share_words().import_error)(&error);
            view! { <p class="is-danger" role="alert" data-testid="open-trouble">{text}</p> }
        })
    };
    view! {
        <p class="share-line">
            // A log has lines, which an input would lose.
            <textarea
                rows="1"
                spellcheck="false"
                data-testid="open-text"
                aria-label=move || share_words().paste
                placeholder=move || share_words().paste
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <Button
                class="btn btn-line"
                test_id="open-button"
                on_press=move || open(lesson_reader, problem, &text.get_untracked())
            >
                {move || share_words().open_it}
            </Button>
        </p>
        <p class="share-line">
            <input
                type="file"
                data-testid="open-file"
                aria-label=move || share_words().choose
                on:change=choose
            />
        </p>
        <p class="quiet small">{move || share_words().drop}</p>
        {message}
    }
}

/// Opens a text, or shows why it cannot be opened.
fn open(lesson_reader: LessonReader, problem: Problem, text: &str) {
    problem.set(lesson_reader.receive(text).err());
}

fn open_file(lesson_reader: LessonReader, problem: Problem, file: &File) {
    if file.size() > IMPORT_MAX as f64 {
        return problem.set(Some(ImportError::TooLarge));
    }
    let text = file.text();
    spawn_local(async move {
        let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string());
        match text {
            Some(text) => open(lesson_reader, problem, &text),
            None => problem.set(Some(ImportError::Foreign)),
        }
    });
}

/// Opens the link in the address, unless the kept world began with it, the link of each later
/// address, and files that are dropped on the page.
fn listen(lesson_reader: LessonReader, opening: Opening, problem: Problem) {
    let ids = PageIds::of_page();
    let open_address = move || {
        let fragment = window().location().hash().unwrap_or_default();
        if is_link(&fragment) {
            open(lesson_reader, problem, &fragment);
            if problem.with_untracked(Option::is_some) {
                show_panel(ids);
            }
        }
    };
    match opening {
        Opening::FirstVisit | Opening::Fresh => open_address(),
        // The saved world began with this address, or the address cannot be opened.
        Opening::Kept => {
            let fragment = window().location().hash().unwrap_or_default();
            if is_link(&fragment) && share::read(&fragment).is_err() {
                open_address();
            }
        }
    }
    let _ = use_event_listener(window(), ev::hashchange, move |_| open_address());
    let _ = use_event_listener(window(), ev::dragover, |event| event.prevent_default());
    let (terminal, guide) = (use_context::<Terminal>(), use_context::<GuideReader>());
    let (incident, live) = (use_context::<IncidentReader>(), use_context::<LiveReader>());
    let _ = use_event_listener(window(), ev::drop, move |event: DragEvent| {
        event.prevent_default();
        let files = event.data_transfer().and_then(|data| data.files());
        let Some(files) = files else { return };
        let mut all = (0..files.length()).filter_map(|index| files.get(index));
        let reader = match target_of(&event) {
            DropTarget::Console => terminal.map(TextReader::Console),
            DropTarget::Guide => guide.map(TextReader::Guide),
            DropTarget::Incident => {
                // What is followed would replace the files.
                if let Some(incident) = incident
                    && !live.is_some_and(|live| live.is_on.get_untracked())
                {
                    incident.add(all.collect());
                }
                return;
            }
            DropTarget::Page => None,
        };
        let Some(file) = all.next() else { return };
        drop_file(lesson_reader, problem, ids, &file, reader);
    });
}

/// The part of the page on which a file was dropped.
enum DropTarget {
    Console,
    Guide,
    Incident,
    Page,
}

/// The panel that takes a file which is neither a link nor a log: a value, commands, or a guide.
#[derive(Clone, Copy)]
enum TextReader {
    Console(Terminal),
    Guide(GuideReader),
}

fn target_of(event: &DragEvent) -> DropTarget {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is_in = |panel: &str| {
        target.as_ref().is_some_and(|target| matches!(target.closest(panel), Ok(Some(_))))
    };
    if is_in("[data-testid=console]") {
        DropTarget::Console
    } else if is_in("[data-testid=guide]") {
        DropTarget::Guide
    } else if is_in("[data-testid=incident]") {
        DropTarget::Incident
    } else {
        DropTarget::Page
    }
}

/// Opens a dropped file, or gives its text to the panel below it.
fn drop_file(
    lesson_reader: LessonReader,
    problem: Problem,
    ids: PageIds,
    file: &File,
    reader: Option<TextReader>,
) {
    let Some(reader) = reader else {
        open_file(lesson_reader, problem, file);
        return show_panel(ids);
    };
    if file.size() > IMPORT_MAX as f64 {
        problem.set(Some(ImportError::TooLarge));
        return show_panel(ids);
    }
    let text = file.text();
    spawn_local(async move {
        let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string());
        let Some(text) = text else { return };
        match (lesson_reader.receive(&text), reader) {
            (Err(ImportError::Foreign), TextReader::Console(terminal)) => terminal.insert(&text),
            (Err(ImportError::Foreign), TextReader::Guide(guide)) => guide.read(&text),
            (received, _) => {
                problem.set(received.err());
                show_panel(ids);
            }
        }
    });
}

/// Shows the panel, once the problem is in the document.
fn show_panel(ids: PageIds) {
    let show = move || {
        // Closing it returns the focus to its button.
        focus(BUTTON);
        let panel = document().get_element_by_id(&ids.of(SHARE));
        let panel = panel.and_then(|it| it.dyn_into::<HtmlElement>().ok());
        // A panel that is open already stays open.
        if let Some(panel) = panel {
            let _ = panel.show_popover();
        }
    };
    Timeout::new(0, show).forget();
}
