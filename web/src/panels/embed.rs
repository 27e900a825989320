//! The page in a page of somebody else: the parts that it asks for, one below the other, under a
//! line that says what is shown and leads to the whole page.

use std::rc::Rc;

use leptos_dom::helpers::window;
use lictor_sandbox::embed::{EmbedOptions, PagePart};
use lictor_sandbox::share::is_link;

use crate::desk::Desk;
use crate::panels::actors::{actors, sheet_button};
use crate::panels::clock::{reading, ways};
use crate::panels::console::console;
use crate::panels::console::terminal::Terminal;
use crate::panels::lock::lock_figures;
use crate::panels::next_up::soonest;
use crate::panels::semaphore::semaphore_card;
use crate::panels::share::address_of;
use crate::panels::story::{Ending, story};
use crate::panels::timeline::lanes_view;
use crate::panels::toolbar::sign;
use crate::panels::why::why_strip;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{El, Glyph, Part, el, icon, live, text, word};

pub fn embed(
    desk: &'static Desk,
    (teacher, terminal): (&'static Teacher, &'static Terminal),
    asked: &Rc<EmbedOptions>,
) -> Part {
    let runtime = desk.runtime;
    let shown = |piece: PagePart, part: &dyn Fn() -> Part| {
        if asked.shows(piece) { part() } else { Part::Nothing }
    };
    let lanes = asked.clone();
    let troubles = troubles(teacher, asked);
    parts![
        head(teacher),
        troubles,
        story(teacher, Ending::Again),
        shown(PagePart::Lanes, &|| {
            let lanes = lanes.clone();
            lanes_view(runtime, move |lane| lanes.has_lane(lane)).into()
        }),
        shown(PagePart::Why, &|| why_strip(desk).into()),
        shown(PagePart::Facts, &|| facts(runtime)),
        time(runtime, asked),
        shown(PagePart::Console, &|| console(desk, terminal).into()),
        shown(PagePart::Clients, &|| actors(desk).into()),
    ]
}

/// What is shown, where in time it is, and the way to the whole page.
fn head(teacher: &'static Teacher) -> El {
    let name = text(|| match teacher.reading.get() {
        Some(reading) => reading.story.title(settings().language.get()).to_owned(),
        None => words().sandbox.to_owned(),
    });
    let whole = el("a", "btn push").attr("target", "_blank").test("open-whole");
    let whole = whole.attr("href", address_of(teacher)).title(word(|words| words.share.whole));
    // What has happened by then goes along, whichever way it is opened.
    let whole = ["pointerdown", "click"].iter().fold(whole, |whole, event| {
        let link = whole.node().clone();
        whole.on(event, move |_| drop(link.set_attribute("href", &address_of(teacher))))
    });
    let label = el("span", "").with(word(|words| words.share.whole));
    el("header", "embed-head").with(parts![
        el("span", "brand").with(sign()),
        el("h1", "visually-hidden").with(word(|words| words.heading)),
        el("h2", "").test("world-name").with(name),
        reading(teacher.runtime),
        whole.with(icon(Glyph::Share)).with(label),
    ])
}

/// Opens what the address has, and says what of it, and of what is asked for, cannot be read.
fn troubles(teacher: &'static Teacher, asked: &EmbedOptions) -> Part {
    let fragment = window().location().hash().unwrap_or_default();
    let is_there = is_link(&fragment) || fragment.len() > 1;
    let unopened = is_there.then(|| teacher.receive(&fragment).err()).flatten();
    let unknown = asked.unknown.join(" ");
    let trouble = |says: Box<dyn Fn() -> String>| {
        el("p", "is-danger trouble").attr("role", "alert").test("open-trouble").with(text(says))
    };
    parts![
        unopened.map(|why| trouble(Box::new(move || (words().share.trouble)(&why)))),
        (!unknown.is_empty()).then(|| trouble(Box::new(move || (words().share.unknown)(&unknown)))),
    ]
}

/// The first lock in figures; where there is none, the first semaphore.
fn facts(runtime: &'static Runtime) -> Part {
    let mirror = &runtime.mirror;
    live(move || {
        let lock = mirror.locks.keys().first().and_then(|key| lock_figures(runtime, key));
        let semaphore = || semaphore_card(runtime, mirror.semaphores.keys().first()?);
        let facts = lock.or_else(semaphore)?;
        Some(el("section", "facts").label(word(|words| words.state)).with(facts))
    })
}

/// The buttons: of time, and the one that opens what the clients can do.
fn time(runtime: &'static Runtime, asked: &EmbedOptions) -> Option<El> {
    let has_time = asked.shows(PagePart::Time);
    let clients = asked.shows(PagePart::Clients).then(|| sheet_button("btn btn-line"));
    (has_time || clients.is_some()).then(|| {
        let section = el("section", "embed-time").label(word(|words| words.run));
        let ways = if has_time { ways(runtime) } else { Part::Nothing };
        section.with(ways).with(clients).with(has_time.then(|| soonest(runtime)))
    })
}
