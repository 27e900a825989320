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
use web_sys::{DragEvent, Element, File, HtmlInputElement};

use crate::components::{Button, CopyButton, Glyph, Icon, Opener, PageIds, Popover, focus};
use crate::panels::lanes::picture;
use crate::platform::settings::settings;
use crate::platform::words::{Word, share_words};
use crate::platform::world_store::WorldStore;
use crate::state::controller::{Controller, CursorPosition};
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
    let ids = PageIds::of_page();
    let importer = Importer { lesson_reader, problem: RwSignal::new(None), ids };
    let is_open = RwSignal::new(false);
    importer.listen(opening);
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
            <OpenFields importer/>
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

/// A button that saves something as a file: its test id, its text, and what it does.
type SaveText = (&'static str, Word, fn(&WorldStore, Controller));

const SAVES: [SaveText; 3] = [
    ("share-file", || share_words().file, |world_store, _| world_store.save_log()),
    ("share-page", || share_words().page, |world_store, _| world_store.save_page()),
    (
        "share-picture",
        || share_words().picture,
        |world_store, controller| {
            world_store.save_file(&picture(controller), PICTURE);
        },
    ),
];

#[component]
fn SaveButtons() -> impl IntoView {
    let controller = expect_context::<LessonReader>().controller;
    let button = |(test_id, text, save): SaveText| {
        let press = move || {
            if let Some(world_store) = controller.world_store() {
                save(&world_store, controller);
            }
        };
        view! {
            <Button class="btn btn-line" test_id on_press=press>{move || text()}</Button>
        }
    };
    view! { <p class="share-line">{SAVES.map(button).into_iter().collect_view()}</p> }
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
    view! {
        <p class="share-line">
            <input
                type="text"
                readonly=true
                data-testid=format!("share-{name}")
                value=text.clone()
                aria-label=label
                on:focus=move |event| { event_target::<HtmlInputElement>(&event).select() }
            />
            <CopyButton
                class="btn btn-line"
                test_id=format!("share-copy-{name}")
                text=Signal::stored(Some(text))
            />
        </p>
    }
}

#[component]
fn OpenFields(importer: Importer) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let choose = move |event| {
        let files = event_target::<HtmlInputElement>(&event).files();
        if let Some(file) = files.and_then(|files| files.get(0)) {
            spawn_local(async move {
                let _ = importer.open_file(&file, None).await;
            });
        }
    };
    let message = move || {
        importer.problem.get().map(|error| {
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
                on_press=move || importer.open(&text.get_untracked())
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

/// Opens links and files. A cheap copy: all copies share the problem.
#[derive(Clone, Copy)]
struct Importer {
    lesson_reader: LessonReader,
    /// The reason why the last attempt to open something failed; `None` if it succeeded.
    problem: RwSignal<Option<ImportError>>,
    ids: PageIds,
}

/// The panel that takes a file which is neither a link nor a log: a value, commands, or a guide.
#[derive(Clone, Copy)]
enum TextReader {
    Console(Terminal),
    Guide(GuideReader),
}

impl Importer {
    /// Opens a text, or shows why it cannot be opened.
    fn open(self, text: &str) {
        self.problem.set(self.lesson_reader.receive(text).err());
    }

    /// Opens a file. If it is neither a link nor a log, its text goes to the reader, if there is
    /// one. Returns whether the reader has taken it.
    async fn open_file(self, file: &File, reader: Option<TextReader>) -> bool {
        if file.size() > IMPORT_MAX as f64 {
            self.problem.set(Some(ImportError::TooLarge));
            return false;
        }
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
        let received = match &text {
            Some(text) => self.lesson_reader.receive(text),
            None => Err(ImportError::Foreign),
        };
        match (received, reader, text) {
            (Err(ImportError::Foreign), Some(reader), Some(text)) => {
                match reader {
                    TextReader::Console(terminal) => terminal.insert(&text),
                    TextReader::Guide(guide) => guide.read(&text),
                }
                true
            }
            (received, ..) => {
                self.problem.set(received.err());
                false
            }
        }
    }

    /// Opens the link in the address; if that fails, shows why.
    fn open_address(self) {
        let fragment = window().location().hash().unwrap_or_default();
        if is_link(&fragment) {
            self.open(&fragment);
            if self.problem.with_untracked(Option::is_some) {
                show_panel(self.ids);
            }
        }
    }

    /// Opens the link in the address, unless the kept world began with it, the link of each later
    /// address, and files that are dropped on the page.
    fn listen(self, opening: Opening) {
        let is_unreadable = || {
            let fragment = window().location().hash().unwrap_or_default();
            is_link(&fragment) && share::read(&fragment).is_err()
        };
        // The saved world began with this address, or the address cannot be opened.
        if opening != Opening::Kept || is_unreadable() {
            self.open_address();
        }
        let _ = use_event_listener(window(), ev::hashchange, move |_| self.open_address());
        let _ = use_event_listener(window(), ev::dragover, |event| event.prevent_default());
        let (terminal, guide) = (use_context::<Terminal>(), use_context::<GuideReader>());
        let (incident, live) = (use_context::<IncidentReader>(), use_context::<LiveReader>());
        let _ = use_event_listener(window(), ev::drop, move |event: DragEvent| {
            event.prevent_default();
            let files = event.data_transfer().and_then(|data| data.files());
            let Some(files) = files else { return };
            let mut all = (0..files.length()).filter_map(|index| files.get(index));
            if is_in(&event, "[data-testid=incident]") {
                // What is followed would replace the files.
                if let Some(incident) = incident
                    && !live.is_some_and(|live| live.is_on.get_untracked())
                {
                    incident.add(all.collect());
                }
                return;
            }
            let reader = if is_in(&event, "[data-testid=console]") {
                terminal.map(TextReader::Console)
            } else if is_in(&event, "[data-testid=guide]") {
                guide.map(TextReader::Guide)
            } else {
                None
            };
            let Some(file) = all.next() else { return };
            spawn_local(async move {
                if !self.open_file(&file, reader).await {
                    show_panel(self.ids);
                }
            });
        });
    }
}

/// Whether a file was dropped inside of an element.
fn is_in(event: &DragEvent, element: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.closest(element), Ok(Some(_))))
}

/// Shows the panel, once the problem is in the document.
fn show_panel(ids: PageIds) {
    let show = move || {
        // Closing it returns the focus to its button.
        focus(BUTTON);
        // A panel that is open already stays open.
        if let Some(panel) = ids.element(SHARE) {
            let _ = panel.show_popover();
        }
    };
    Timeout::new(0, show).forget();
}
