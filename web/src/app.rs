//! The page: what is where, and the context that everything shares.

use leptos::prelude::*;
use lictor_core::id::Key;

use crate::desk::Desk;
use crate::keys;
use crate::panels::actors::Actors;
use crate::panels::clock::{Scrubber, Transport};
use crate::panels::console::Console;
use crate::panels::events::{Events, ROW, ROW_NARROW};
use crate::panels::help::Help;
use crate::panels::lock::LockCard;
use crate::panels::next_up::NextUp;
use crate::panels::semaphore::SemaphoreCard;
use crate::panels::sessions::Sessions;
use crate::panels::timeline::Timeline;
use crate::panels::toolbar::Toolbar;
use crate::record::Record;
use crate::rows::{Reply, Source};
use crate::runtime::{Runtime, keep_time};
use crate::settings::{Settings, use_settings, word};
use crate::text::Words;
use crate::timeline::axis::{Axis, Extent};
use crate::ui::{Defs, each, live, text};

/// The seed of a fresh sandbox.
const SEED: u64 = 42;
/// Below this width the page has one column and the rows of the tables are three lines high.
const ONE_COLUMN: f64 = 720.0;

/// The whole page, with a sandbox of three clients, paused at 0.
#[component]
pub fn App() -> impl IntoView {
    let settings = Settings::of_page();
    provide_context(settings);
    let runtime = Runtime::new(SEED);
    for name in ["web-1", "web-2", "web-3"] {
        runtime.join(name);
    }
    provide_context(runtime);
    let desk = Desk::default();
    provide_context(desk);
    keys::listen(runtime, settings, desk);
    keep_time(runtime);
    let extent = RwSignal::new(Extent::Whole);
    let axis = Memo::new(move |_| Axis::around(runtime.coarse_now.get(), extent.get()));
    let row_height = row_height();
    view! {
        <a class="skip visually-hidden" href="#events">{word(|words| words.skip_to_events)}</a>
        <Defs/>
        <Toolbar runtime/>
        <main class="board">
            <h1 class="visually-hidden">{word(|words| words.heading)}</h1>
            <Actors runtime desk/>
            <Timeline runtime desk axis=axis.into() extent/>
            <State runtime/>
            <Transport runtime/>
            <Scrubber runtime axis=axis.into()/>
            <NextUp runtime/>
            <div class="bottom">
                <Events runtime row_height/>
                <Console runtime/>
            </div>
        </main>
        <Help/>
        <Announcer runtime/>
    }
}

/// The cards: semaphores, locks, sessions.
#[component]
fn State(runtime: Runtime) -> impl IntoView {
    let locks = move || runtime.mirror.locks.keys().to_vec();
    let locks = each(locks, Key::to_string, move |key| {
        runtime.mirror.locks.row(&key).map(|row| view! { <LockCard runtime row/> })
    });
    let semaphores = move || runtime.mirror.semaphores.keys().to_vec();
    let semaphores = each(semaphores, Key::to_string, move |prefix| {
        runtime.mirror.semaphores.row(&prefix).map(|row| view! { <SemaphoreCard row/> })
    });
    let nothing = live(move || {
        let is_empty = runtime.mirror.locks.is_empty() && runtime.mirror.semaphores.is_empty();
        is_empty.then(|| {
            view! { <p class="card footnote empty-card">{word(|words| words.no_locks)}</p> }
        })
    });
    view! {
        <section class="panel state" aria-label=word(|words| words.state) tabindex="0">
            {nothing}
            {semaphores}
            {locks}
            <Sessions runtime/>
        </section>
    }
}

/// Says the latest result to those who do not see it: one polite message at a time.
#[component]
fn Announcer(runtime: Runtime) -> impl IntoView {
    let settings = use_settings();
    let message = text(move || {
        runtime.mirror.events.track();
        runtime.with_record(|record| latest(settings.words(), record)).unwrap_or_default()
    });
    view! { <div class="visually-hidden" role="status" aria-live="polite">{message}</div> }
}

fn latest(words: &Words, record: &Record) -> Option<String> {
    let row = record.events().iter().rev().find(|row| row.reply != Reply::Joined)?;
    let who = match &row.source {
        Source::Server => words.server,
        Source::Actor(who) => who.name.as_str(),
    };
    Some(format!("{who}: {}. {}", (words.reply)(&row.reply), (words.note)(&row.note)))
}

/// The height of a table row, which depends on the width of the window.
fn row_height() -> Signal<u32> {
    let height = || {
        let width = window().inner_width().ok().and_then(|width| width.as_f64());
        if width.is_some_and(|width| width < ONE_COLUMN) { ROW_NARROW } else { ROW }
    };
    let current = RwSignal::new(height());
    let resized = window_event_listener(leptos::ev::resize, move |_| current.set(height()));
    on_cleanup(move || resized.remove());
    current.into()
}
