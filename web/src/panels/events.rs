//! The event list: the full text of what the drawings show. Only the rows in view are in the
//! document.

use std::sync::Arc;

use leptos::prelude::*;

use crate::call::curl;
use crate::keys::FILTER_FIELD;
use crate::panels::keys::{KeyTable, keys_count};
use crate::rows::{Call, EventRow, Reply, Source};
use crate::runtime::Runtime;
use crate::settings::{Settings, use_settings, word};
use crate::text::Words;
use crate::ui::{
    Choices, Glyph, Icon, IconSize, Segments, ServerTag, Tag, TagLook, WindowList, live, text,
};

/// The height of a row; below 720 px a row is three lines high.
pub const ROW: u32 = 24;
pub const ROW_NARROW: u32 = 64;

/// What the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Events,
    Keys,
}

const TABS: [(Tab, &str); 2] = [(Tab::Events, "tab-events"), (Tab::Keys, "tab-keys")];

#[component]
pub fn Events(runtime: Runtime, #[prop(into)] row_height: Signal<u32>) -> impl IntoView {
    let settings = use_settings();
    let tab = RwSignal::new(Tab::Events);
    let filter = RwSignal::new(String::new());
    let numbers = Memo::new(move |_| numbers(runtime, settings, &filter.get()));
    let tab_words = move |tab| match tab {
        Tab::Events => settings.words().events.to_owned(),
        Tab::Keys => settings.words().keys.to_owned(),
    };
    let choices = Choices::of(TABS, move || tab.get(), tab_words, move |picked| tab.set(picked));
    let count = text(move || match tab.get() {
        Tab::Events => count_text(
            settings.words(),
            numbers.with(|them| them.len()),
            runtime.mirror.events.get(),
        ),
        Tab::Keys => keys_count(runtime),
    });
    let body = live(move || match tab.get() {
        Tab::Events => view! { <EventTable runtime row_height numbers/> }.into_any(),
        Tab::Keys => view! { <KeyTable runtime row_height filter/> }.into_any(),
    });
    view! {
        <section class="panel events" id="events" aria-label=word(|words| words.events)>
            <div class="head">
                <Segments label=word(|words| words.events_or_keys) choices class="seg-small"/>
                <span class="quiet num small" data-testid="events-count">{count}</span>
                <label class="find push">
                    <Icon glyph=Glyph::Find size=IconSize::Small/>
                    <span class="visually-hidden">{word(|words| words.filter)}</span>
                    <input
                        type="text"
                        spellcheck="false"
                        autocomplete="off"
                        placeholder=word(|words| words.filter_hint)
                        on:input=move |event| filter.set(event_target_value(&event))
                        data-testid=FILTER_FIELD
                    />
                    <kbd>"/"</kbd>
                </label>
            </div>
            {body}
        </section>
    }
}

fn count_text(words: &Words, shown: usize, all: usize) -> String {
    if shown == all { all.to_string() } else { (words.of_all)(shown, all) }
}

/// The numbers of the rows that match, in order.
fn numbers(runtime: Runtime, settings: Settings, wanted: &str) -> Arc<[usize]> {
    let count = runtime.mirror.events.get();
    if wanted.is_empty() {
        return (1..=count).collect();
    }
    let words = settings.words();
    runtime.with_record(|record| {
        let hits = record.events().iter().filter(|row| {
            let (call, reply, note) =
                (call_text(words, &row.call), (words.reply)(&row.reply), (words.note)(&row.note));
            row.matches(wanted, &[&call, &reply, &note])
        });
        hits.map(|row| row.number).collect()
    })
}

#[component]
fn EventTable(
    runtime: Runtime,
    row_height: Signal<u32>,
    numbers: Memo<Arc<[usize]>>,
) -> impl IntoView {
    let settings = use_settings();
    let nothing = live(move || {
        numbers.with(|numbers| numbers.is_empty()).then(|| {
            let words = settings.words();
            let is_empty = runtime.mirror.events.get() == 0;
            let text = if is_empty { words.no_events } else { words.no_matches };
            view! { <p class="footnote empty">{text}</p> }
        })
    });
    let head = view! {
        <thead>
            <tr role="row">
                <th class="c-no" scope="col">{word(|words| words.column_number)}</th>
                <th class="c-t" scope="col">{word(|words| words.column_time)}</th>
                <th class="c-ix" scope="col">{word(|words| words.column_index)}</th>
                <th class="c-who" scope="col">{word(|words| words.column_actor)}</th>
                <th class="c-call" scope="col">{word(|words| words.column_call)}</th>
                <th class="c-res" scope="col">{word(|words| words.column_result)}</th>
                <th class="c-why" scope="col">{word(|words| words.column_why)}</th>
            </tr>
        </thead>
    };
    let row = move |number: usize| {
        runtime.event(number).map(|row| view! { <Row settings row/> }).into_any()
    };
    view! {
        <WindowList
            keys=Signal::derive(move || numbers.get())
            row_height
            label=word(|words| words.events)
            test_id="events"
            class="log"
            head=head.into_any()
            name=usize::to_string
            row
        />
        {nothing}
    }
}

/// A row never changes, so it is written once, in the language of the moment; `live` writes it
/// again when that changes.
#[component]
fn Row(settings: Settings, row: EventRow) -> impl IntoView {
    let number = row.number.to_string();
    let cells = live(move || cells(settings.words(), &row));
    view! { <tr role="row" aria-rowindex=number data-testid="event-row">{cells}</tr> }
}

fn cells(words: &Words, row: &EventRow) -> AnyView {
    let index = row.index.map_or_else(|| "–".to_owned(), |index| index.to_string());
    let class = if matches!(row.reply, Reply::Refused(_)) { "res is-danger" } else { "res" };
    let note = (words.note)(&row.note);
    let millis = row.at.as_millis();
    let t = format!("{}.{:02}", millis / 1000, millis % 1000 / 10);
    view! {
        <td role="cell" class="c-no num">{row.number.to_string()}</td>
        <td role="cell" class="c-t num">{t}</td>
        <td role="cell" class="c-ix num">{index}</td>
        <td role="cell" class="c-who">{source(&row.source)}</td>
        <td role="cell" class="c-call">
            <code title=call_title(words, &row.call)>{call_text(words, &row.call)}</code>
        </td>
        <td role="cell" class="c-res">
            <span class=class>{mark(&row.reply)} {(words.reply)(&row.reply)}</span>
        </td>
        <td role="cell" class="c-why" title=note data-testid="event-why">{note.clone()}</td>
    }
    .into_any()
}

/// The name of the one server.
const SERVER: &str = "s1";

fn source(source: &Source) -> AnyView {
    match source {
        Source::Server => view! { <span class="who"><ServerTag/>{SERVER}</span> }.into_any(),
        Source::Actor(who) => view! {
            <span class="who">
                <Tag badge=who.badge look=TagLook::Small/>{who.name.to_string()}
            </span>
        }
        .into_any(),
    }
}

fn mark(reply: &Reply) -> Option<AnyView> {
    let drawing = match reply {
        Reply::True => view! { <circle class="res-full" cx="5" cy="5" r="4"/> }.into_any(),
        Reply::False => view! { <circle class="res-ring" cx="5" cy="5" r="3.75"/> }.into_any(),
        Reply::Waits => {
            view! { <circle class="res-ring waits" cx="5" cy="5" r="3.75"/> }.into_any()
        }
        Reply::Refused(_) | Reply::Ended | Reply::Cancelled => {
            view! { <path class="res-ring" d="M1.5 1.5l7 7M8.5 1.5l-7 7"/> }.into_any()
        }
        Reply::Ok | Reply::NotFound | Reply::Joined => return None,
    };
    Some(view! { <svg aria-hidden="true">{drawing}</svg> }.into_any())
}

fn call_text(words: &Words, call: &Call) -> String {
    match call {
        Call::Http { short, .. } => short.clone(),
        Call::Server(call) => (words.server_call)(call),
    }
}

/// The whole call, as the command that makes it.
fn call_title(words: &Words, call: &Call) -> String {
    match call {
        Call::Http { request, .. } => curl(request),
        Call::Server(call) => (words.server_call)(call),
    }
}
