//! Sharing: the link with its length, the file, and the ways to open what somebody else has sent:
//! by address, by paste, by choosing a file, or by dropping it on the page.

use std::rc::Rc;

use leptos_dom::helpers::{document, event_target_value, set_timeout, window};
use lictor_sandbox::share::{self, IMPORT_MAX, ImportError, LINK_COMFORTABLE, is_link};
use reactive_graph::graph::untrack;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, Event, File, HtmlElement, HtmlInputElement};

use crate::keeper::Keeper;
use crate::panels::lanes::picture;
use crate::parts;
use crate::runtime::Place;
use crate::settings::{settings, words};
use crate::teacher::{Opening, Teacher};
use crate::ui::{
    El, Glyph, Part, button, el, focus, icon, live, on_window, opened, opener, popover, text, word,
};
use crate::var::Var;

/// The id of the panel.
pub const SHARE: &str = "share";
/// The test id of its button.
const BUTTON: &str = "share-button";
/// The file that the timeline is saved in.
const PICTURE: &str = "lictor.svg";
/// What became of the last attempt to open something.
type Trouble = Rc<Var<Option<ImportError>>>;

pub fn share_button() -> El {
    opener(SHARE, "btn btn-line")
        .with(icon(Glyph::Share))
        .with(el("span", "opt-mid").with(word(|words| words.share.share)))
}

pub fn share(teacher: &'static Teacher, opening: Opening) -> El {
    let trouble: Trouble = Rc::new(Var::new(None));
    listen(teacher, opening, &trouble);
    let panel = popover(SHARE, "help share", word(|words| words.share.heading));
    let (panel, is_open) = opened(panel);
    panel.with(parts![
        link_part(teacher, is_open),
        el("h3", "").with(word(|words| words.share.open)),
        open_part(teacher, &trouble),
    ])
}

/// The address of the page, without what it shows.
fn page_address() -> String {
    let address = window().location().href().unwrap_or_default();
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The address where all of what is on the page now is shown.
pub fn address_of(teacher: &'static Teacher) -> String {
    untrack(|| Some(page_address() + &shown_by(teacher)?)).unwrap_or_else(page_address)
}

/// The link of what is shown: of the story, or of the world where the reader has left that.
fn shown_by(teacher: &'static Teacher) -> Option<String> {
    match teacher.told() {
        Some(reading) => Some(share::story_link(&reading.story, reading.page)),
        None => world_link(teacher).ok(),
    }
}

/// The link of what is on the page now, followed.
fn world_link(teacher: &'static Teacher) -> Result<String, String> {
    let runtime = teacher.runtime;
    runtime.mirror.events.track();
    runtime.branches.track();
    if runtime.place.get() != Place::End {
        runtime.coarse_now.track();
    }
    let spacing = settings().spacing.get();
    runtime.with_timeline(|timeline| share::link(timeline, spacing))
}

/// The link of the page of a story that is read, followed.
fn story_of(teacher: &Teacher) -> Option<String> {
    let reading = teacher.reading.get()?;
    Some(page_address() + &share::story_link(&reading.story, reading.page))
}

/// Whoever does not see the link does not wait for it: it takes a walk through all of the past.
fn link_part(teacher: &'static Teacher, is_open: Rc<Var<bool>>) -> Part {
    let opened = is_open.clone();
    let field = live(move || {
        let link = opened.get().then(|| world_link(teacher));
        link.map(|link| match link {
            Ok(link) => link_field(&(page_address() + &link)),
            Err(why) => parts![el("p", "is-danger").with(why)],
        })
    });
    let save = button("btn btn-line", "share-file", || {
        teacher.runtime.keeper().into_iter().for_each(Keeper::save);
    });
    let save_page = button("btn btn-line", "share-page", || {
        teacher.runtime.keeper().into_iter().for_each(Keeper::save_page);
    });
    let save_picture = button("btn btn-line", "share-picture", || {
        let keeper = teacher.runtime.keeper();
        keeper.inspect(|it| it.give(&picture(teacher.runtime), PICTURE));
    });
    let story = live(move || {
        story_of(teacher).map(|link| {
            let heading = el("h3", "").with(words().share.story);
            parts![heading, copied("story", words().share.story, &link)]
        })
    });
    parts![
        el("h3", "").with(word(|words| words.share.link)),
        field,
        story,
        tag_part(teacher, is_open),
        el("h3", "").with(word(|words| words.share.save)),
        el("p", "share-line").with(parts![
            save.with(word(|words| words.share.file)),
            save_page.with(word(|words| words.share.page)),
            save_picture.with(word(|words| words.share.picture)),
        ]),
    ]
}

/// What a page of documentation has to hold to show the same. A page from a disk has no address
/// that others could load it from.
fn tag_part(teacher: &'static Teacher, is_open: Rc<Var<bool>>) -> Part {
    live(move || {
        let page = Some(page_address()).filter(|page| page.starts_with("http"));
        let page = page.filter(|_| is_open.get())?;
        let shown = shown_by(teacher)?;
        let heading = el("h3", "").with(words().share.tag);
        Some(parts![heading, copied("tag", words().share.tag, &share::tag(&page, &shown))])
    })
}

fn link_field(link: &str) -> Part {
    let length = link.len();
    let class = if length > LINK_COMFORTABLE { "is-warn small" } else { "quiet small" };
    let says = match length > LINK_COMFORTABLE {
        true => (words().share.too_long)(length),
        false => (words().share.length)(length),
    };
    let says = el("p", class).test("share-length").with(says);
    parts![copied("link", words().share.link, link), says]
}

/// A text that is there to be copied.
fn copied(name: &str, label: &str, text: &str) -> El {
    let field = el("input", "").attr("type", "text").attr("readonly", "");
    let field = field.test(format!("share-{name}")).attr("value", text).label(label);
    let field = field.on("focus", |event| {
        let target = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        target.into_iter().for_each(|field| field.select());
    });
    let text = text.to_owned();
    let copy = button("btn btn-line", &format!("share-copy-{name}"), move || {
        // Outside a secure page there is no clipboard; the field can be copied from by hand.
        if window().is_secure_context() {
            let promise = window().navigator().clipboard().write_text(&text);
            spawn_local(async move { drop(JsFuture::from(promise).await) });
        }
    });
    el("p", "share-line").with(field).with(copy.with(word(|words| words.share.copy)))
}

fn open_part(teacher: &'static Teacher, trouble: &Trouble) -> Part {
    let said = Rc::new(Var::new(String::new()));
    let (typed, wanted) = (said.clone(), said.clone());
    // A log has lines, which a field of one line would lose.
    let field = el("textarea", "").attr("rows", "1").attr("spellcheck", "false").test("open-text");
    let field = field.label(word(|words| words.share.paste)).value(text(move || said.get()));
    let field = field.attr("placeholder", word(|words| words.share.paste));
    let field = field.on("input", move |event| typed.set(event_target_value(event)));
    let tried = trouble.clone();
    let open = button("btn btn-line", "open-button", move || {
        open(teacher, &tried, &wanted.now());
    });
    let chosen = trouble.clone();
    let file = el("input", "").attr("type", "file").test("open-file");
    let file = file.label(word(|words| words.share.choose)).on("change", move |event| {
        let target = event.target().and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        let file = target.and_then(|field| field.files()).and_then(|files| files.get(0));
        file.into_iter().for_each(|file| open_file(teacher, &chosen, &file));
    });
    let shown = trouble.clone();
    let problem = live(move || {
        let trouble = shown.get();
        trouble.map(|why| {
            let says = (words().share.trouble)(&why);
            el("p", "is-danger").attr("role", "alert").test("open-trouble").with(says)
        })
    });
    parts![
        el("p", "share-line").with(field).with(open.with(word(|words| words.share.open_it))),
        el("p", "share-line").with(file),
        el("p", "quiet small").with(word(|words| words.share.drop)),
        problem,
    ]
}

/// Opens a text, or says why not.
fn open(teacher: &'static Teacher, trouble: &Trouble, text: &str) {
    trouble.set(teacher.receive(text).err());
}

fn open_file(teacher: &'static Teacher, trouble: &Trouble, file: &File) {
    if file.size() > IMPORT_MAX as f64 {
        return trouble.set(Some(ImportError::TooLarge));
    }
    let (trouble, text) = (trouble.clone(), file.text());
    spawn_local(async move {
        let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string());
        match text {
            Some(text) => open(teacher, &trouble, &text),
            None => trouble.set(Some(ImportError::Foreign)),
        }
    });
}

/// Opens what the address has, now and whenever it changes, and what is dropped on the page.
fn listen(teacher: &'static Teacher, opening: Opening, trouble: &Trouble) {
    let tried = trouble.clone();
    let look = move || {
        let fragment = window().location().hash().unwrap_or_default();
        if is_link(&fragment) {
            open(teacher, &tried, &fragment);
            if tried.now().is_some() {
                show_panel();
            }
        }
    };
    match opening {
        Opening::Fresh => look(),
        // It began with this address, and has gone on.
        Opening::Kept => {}
    }
    on_window("hashchange", move |_| look());
    on_window("dragover", |event| event.prevent_default());
    let dropped = trouble.clone();
    on_window("drop", move |event: Event| {
        event.prevent_default();
        let event: DragEvent = event.unchecked_into();
        let files = event.data_transfer().and_then(|data| data.files());
        if let Some(file) = files.and_then(|files| files.get(0)) {
            open_file(teacher, &dropped, &file);
            show_panel();
        }
    });
}

/// Shows the panel where an error is said, once it is in the document.
fn show_panel() {
    let show = || {
        // Whoever closes it is where it could have been opened.
        focus(BUTTON);
        let panel = document().get_element_by_id(SHARE);
        let panel = panel.and_then(|it| it.dyn_into::<HtmlElement>().ok());
        // A panel that is open already stays open.
        panel.into_iter().for_each(|panel| drop(panel.show_popover()));
    };
    set_timeout(show, core::time::Duration::ZERO);
}
