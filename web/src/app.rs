//! The page: what is where.

use std::rc::Rc;

use any_spawner::Executor;
use leptos_dom::helpers::window;
use lictor_core::id::Key;
use lictor_sandbox::embed::EmbedOptions;
use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::tutorial::ForecastVisibility;
use reactive_graph::owner::Owner;
use web_sys::{Element, HtmlElement};

use crate::desk::Desk;
use crate::keeper::Keeper;
use crate::keys::{self, Reach};
use crate::panels::actors::actors;
use crate::panels::announcer::announcer;
use crate::panels::checks::checks;
use crate::panels::clock::{scrubber, transport};
use crate::panels::compare::comparison;
use crate::panels::console::console;
use crate::panels::console::terminal::Terminal;
use crate::panels::embed::embed;
use crate::panels::events::{ROW, ROW_NARROW, events};
use crate::panels::help::help;
use crate::panels::learn::home;
use crate::panels::lock::lock_card;
use crate::panels::next_up::next_up;
use crate::panels::notices::notices;
use crate::panels::semaphore::semaphore_card;
use crate::panels::sessions::sessions;
use crate::panels::share::share;
use crate::panels::timeline::timeline;
use crate::panels::toolbar::toolbar;
use crate::parts;
use crate::pulse::keep_time;
use crate::runtime::Runtime;
use crate::script;
use crate::settings::settings;
use crate::teacher::{Opening, Teacher};
use crate::ui::{El, Text, crowd, defs, each, el, live, on_window, put, text, word};
use crate::var::Var;

/// Below this width the page has one column and the rows of the tables are three lines high.
const ONE_COLUMN: f64 = 720.0;

/// Puts the whole page into an element; it is kept up to date as long as its owner is there.
pub fn mount(parent: &Element, keeper: Option<Keeper>) -> Owner {
    mounted(|| page(parent, keeper))
}

/// Puts those parts of the page into the document's body that a page around it asks for.
pub fn embed_in(body: &HtmlElement, keeper: Keeper, asked: EmbedOptions) -> Owner {
    mounted(|| frame(body, keeper, asked))
}

fn mounted(put: impl FnOnce()) -> Owner {
    // Only a second page finds the executor set already.
    let _ = Executor::init_wasm_bindgen();
    let owner = Owner::new();
    owner.with(put);
    owner
}

/// What all of a page works with: a sandbox of three clients, paused at 0, or the world that was
/// kept.
struct Works {
    desk: &'static Desk,
    teacher: &'static Teacher,
    terminal: &'static Terminal,
    opening: Opening,
}

impl Works {
    fn new(keeper: Option<Keeper>, reach: Reach) -> Self {
        settings().apply_to_document();
        let runtime = Runtime::new(sandbox());
        let (desk, teacher) = (Desk::new(runtime), Teacher::new(runtime));
        let opening = keeper.map_or(Opening::Fresh, |keeper| teacher.begin(keeper));
        let terminal = Terminal::new(runtime);
        script::open(teacher, terminal);
        keys::listen(desk, reach);
        keep_time(runtime);
        Self { desk, teacher, terminal, opening }
    }
}

fn page(parent: &Element, keeper: Option<Keeper>) {
    let Works { desk, teacher, terminal, opening } = Works::new(keeper, Reach::Page);
    let runtime = desk.runtime;
    let skip = el("a", "skip visually-hidden").attr("href", "#events");
    put(
        parent,
        parts![
            skip.with(word(|words| words.skip_to_events)),
            defs(),
            toolbar(runtime, teacher),
            board(desk, teacher, terminal),
            help(),
            home(teacher),
            share(teacher, opening),
            comparison(runtime),
            notices(),
            checks(runtime),
            announcer(teacher),
        ],
    );
}

fn frame(body: &HtmlElement, keeper: Keeper, asked: EmbedOptions) {
    let Works { desk, teacher, terminal, .. } = Works::new(Some(keeper), Reach::Part);
    asked.language.into_iter().for_each(|language| settings().language.set(language));
    asked.theme.into_iter().for_each(|theme| settings().theme.set(theme));
    body.set_class_name("embed");
    let board = el("main", "").attr("data-foresight", foresight(desk.runtime));
    let board = board.with(embed(desk, (teacher, terminal), &Rc::new(asked)));
    put(body, parts![defs(), announcer(teacher), board, notices()]);
}

/// Whether the styles show what lies ahead.
fn foresight(runtime: &'static Runtime) -> Text {
    text(|| match runtime.foresight.get() {
        ForecastVisibility::Open => "open",
        ForecastVisibility::Closed => "closed",
    })
}

fn board(desk: &'static Desk, teacher: &'static Teacher, terminal: &'static Terminal) -> El {
    let runtime = desk.runtime;
    el("main", "board").attr("data-foresight", foresight(runtime)).with(parts![
        el("h1", "visually-hidden").with(word(|words| words.heading)),
        actors(desk),
        timeline(desk, teacher),
        state(runtime),
        transport(runtime),
        scrubber(runtime),
        next_up(runtime),
        el("div", "bottom").with(events(runtime, row_height())).with(console(desk, terminal)),
    ])
}

/// The cards: semaphores, locks, sessions.
fn state(runtime: &'static Runtime) -> El {
    let mirror = &runtime.mirror;
    let locks = each(|| mirror.locks.keys(), Key::to_string, move |key| lock_card(runtime, key));
    let semaphores = each(
        || mirror.semaphores.keys(),
        Key::to_string,
        move |prefix| semaphore_card(runtime, prefix),
    );
    let nothing = live(|| {
        let is_empty = mirror.locks.is_empty() && mirror.semaphores.is_empty();
        is_empty.then(|| el("p", "card footnote empty-card").with(word(|words| words.no_locks)))
    });
    let cards = parts![nothing, semaphores, locks, sessions(runtime)];
    let count = || mirror.locks.len() + mirror.semaphores.len();
    let section = el("section", "").attr("class", crowd("panel state", count));
    section.attr("tabindex", "0").label(word(|words| words.state)).with(cards)
}

/// The height of a table row, which depends on the width of the window.
fn row_height() -> &'static Var<u32> {
    let height = || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        if width.is_some_and(|width| width < ONE_COLUMN) { ROW_NARROW } else { ROW }
    };
    let current: &Var<_> = Box::leak(Box::new(Var::new(height())));
    on_window("resize", move |_| current.show(height()));
    current
}
