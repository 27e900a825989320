//! The event list: the full text of what the drawings show. Only the rows in view are in the
//! document.

use std::rc::Rc;
use std::sync::Arc;

use leptos_dom::helpers::event_target_value;
use lictor_core::time::Instant;
use lictor_sandbox::format::clock;
use lictor_sandbox::history::{EventCall, EventResult, EventRow, EventSource};
use lictor_sandbox::i18n::{SERVER, Word, Words};
use lictor_sandbox::request_text::curl;
use lictor_sandbox::share::csv;

use crate::keys::FILTER_FIELD;
use crate::panels::keys::{key_table, keys_count};
use crate::panels::listed::Listed;
use crate::parts;
use crate::runtime::{Place, Runtime};
use crate::settings::words;
use crate::ui::{
    Choices, El, Glyph, Item, Part, Rows, TableLook, Window, button, decoration, el, icon, live,
    segments, server_tag, small_icon, small_tag, svg, text, window_list, word,
};
use crate::var::Var;

/// The height of a row; below 720 px a row is three lines high.
pub const ROW: u32 = 24;
pub const ROW_NARROW: u32 = 64;

/// The columns of a list of so many events have room for more digits.
const LONG: usize = 10_000;

/// Each column's class and name.
const COLUMNS: [(&str, Word); 7] = [
    ("c-no", |words| words.column_number),
    ("c-t", |words| words.column_time),
    ("c-ix", |words| words.column_index),
    ("c-who", |words| words.column_actor),
    ("c-call", |words| words.column_call),
    ("c-res", |words| words.column_result),
    ("c-why", |words| words.column_why),
];

/// What the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Events,
    Keys,
}

pub fn events(runtime: &'static Runtime, row_height: &'static Var<u32>) -> El {
    let tab = Rc::new(Var::new(Tab::Events));
    let listed = Listed::new(runtime);
    let shown = tab.clone();
    let count = text(move || match shown.get() {
        Tab::Events => count_text(listed.count(), runtime.mirror.events.get()),
        Tab::Keys => keys_count(runtime),
    });
    let shown = tab.clone();
    let save = save_button(runtime, listed).disabled(move || shown.get() == Tab::Keys);
    let shown = tab.clone();
    let body = live(move || match shown.get() {
        Tab::Events => event_table(runtime, row_height, listed),
        Tab::Keys => key_table(runtime, row_height, || listed.wanted()),
    });
    let head = el("div", "head").with(parts![
        segments("seg-small", word(|words| words.events_or_keys), tabs(tab)),
        el("span", "quiet num small").test("events-count").with(count),
        save,
        filter_field(listed),
    ]);
    let class = text(|| match runtime.mirror.events.get() {
        ..LONG => "panel events",
        _ => "panel events is-long",
    });
    let panel = el("section", "").attr("class", class).attr("id", "events");
    panel.label(word(|words| words.events)).with(head).with(body)
}

/// Gives the events that are listed to the reader as a file.
fn save_button(runtime: &'static Runtime, listed: &'static Listed) -> El {
    let save = move || {
        let head = COLUMNS.map(|(_, name)| name(words()).to_owned());
        let rows = listed.all().into_iter().filter_map(|number| runtime.event(number));
        let table = csv::table(head, rows.map(|row| words().cells(&row)));
        runtime.keeper().into_iter().for_each(|keeper| keeper.give(&table, "lictor.csv"));
    };
    let label = word(|words| words.save_events);
    let button = button("btn btn-icon btn-small", "events-save", save);
    button.label(label.clone()).title(label).with(icon(Glyph::Sheet))
}

fn tabs(tab: Rc<Var<Tab>>) -> Choices {
    let options = [
        (Tab::Events, word(|words| words.events), "tab-events"),
        (Tab::Keys, word(|words| words.keys), "tab-keys"),
    ];
    let shown = tab.clone();
    Choices::of(options, move || shown.get(), move |picked| tab.set(picked))
}

fn filter_field(listed: &'static Listed) -> El {
    let input = el("input", "").attr("type", "text").attr("spellcheck", "false");
    let input = input.attr("autocomplete", "off").test(FILTER_FIELD);
    let input = input.attr("placeholder", word(|words| words.filter_hint));
    el("label", "find push").with(parts![
        small_icon(Glyph::Find),
        el("span", "visually-hidden").with(word(|words| words.filter)),
        input.on("input", |event| listed.look_for(event_target_value(event))),
        el("kbd", "").with("/"),
    ])
}

fn count_text(shown: usize, all: usize) -> String {
    if shown == all { all.to_string() } else { (words().of_all)(shown, all) }
}

fn event_table(
    runtime: &'static Runtime,
    row_height: &'static Var<u32>,
    listed: &'static Listed,
) -> Part {
    let nothing = live(move || {
        (listed.count() == 0).then(|| {
            let is_empty = runtime.mirror.events.get() == 0;
            let text = if is_empty { words().no_events } else { words().no_matches };
            el("p", "footnote empty").with(text)
        })
    });
    let look = TableLook {
        class: "log",
        test_id: "events",
        label: word(|words| words.events),
        row_height,
        head: table_head(&COLUMNS),
    };
    let items = move |window: Window| {
        let branch = runtime.mirror.branch.get();
        let row = |number: usize| {
            let draw = Box::new(move || row(runtime, runtime.event(number)?));
            Item { name: format!("{branch} {number}"), draw }
        };
        listed.part(window).into_iter().map(row).collect()
    };
    let rows = Rows {
        count: Box::new(|| listed.count()),
        items: Box::new(items),
        in_view: Box::new(|| reached(runtime, listed)),
    };
    let begin = text(|| match runtime.begin.get() {
        Instant::EPOCH => String::new(),
        begin => (words().past.begins)(&clock(begin)),
    });
    parts![el("p", "footnote remark").with(begin), window_list(look, rows), nothing]
}

/// The row at the cursor, by its place in the list; none at the end.
fn reached(runtime: &Runtime, listed: &Listed) -> Option<usize> {
    let reached = runtime.mirror.reached.get();
    let is_past = matches!(runtime.place.get(), Place::Past { .. });
    is_past.then(|| listed.count_up_to(reached).saturating_sub(1))
}

/// The head of a table: each column's class and name.
pub fn table_head(columns: &[(&str, Word)]) -> El {
    let cells =
        columns.iter().map(|(class, name)| el("th", class).attr("scope", "col").with(word(*name)));
    el("thead", "").with(el("tr", "").attr("role", "row").with(cells.collect::<Part>()))
}

/// One cell of a table.
pub fn cell(class: &str) -> El {
    el("td", class).attr("role", "cell")
}

/// A row never changes, but for the language that it is written in and its place beside the
/// cursor.
fn row(runtime: &'static Runtime, row: Arc<EventRow>) -> Option<El> {
    let line = el("tr", "").attr("role", "row").attr("aria-rowindex", row.number.to_string());
    let number = row.number;
    let class = text(move || match runtime.mirror.reached.get() {
        reached if number > reached => "later",
        reached if number == reached => "here",
        _ => "",
    });
    let goal = row.clone();
    let line = line.attr("class", class).on("click", move |_| runtime.to_event(&goal));
    Some(line.test("event-row").with(live(move || cells(words(), &row))))
}

fn cells(words: &Words, row: &EventRow) -> Part {
    let is_bad =
        matches!(row.reply, EventResult::Refused(_) | EventResult::Fault | EventResult::Rejected);
    let class = if is_bad { "res is-danger" } else { "res" };
    let [number, t, index, _, call, reply, note] = words.cells(row);
    let result = el("span", class).with(mark(&row.reply)).with(reply);
    parts![
        cell("c-no num").with(number),
        cell("c-t num").with(t),
        cell("c-ix num").with(index),
        cell("c-who").with(source(&row.source)),
        cell("c-call").with(el("code", "").title(call_title(words, &row.call)).with(call)),
        cell("c-res").with(result),
        cell("c-why").title(&note).test("event-why").with(note),
    ]
}

fn source(source: &EventSource) -> El {
    let who = el("span", "who");
    match source {
        EventSource::Server => who.with(server_tag()).with(SERVER),
        EventSource::Actor(actor) => who.with(small_tag(actor.badge)).with(actor.name.as_str()),
    }
}

fn mark(reply: &EventResult) -> Option<El> {
    let dot =
        |class: &str, r: &str| svg("circle", class).attr("cx", "5").attr("cy", "5").attr("r", r);
    let drawing = match reply {
        EventResult::True | EventResult::Accepted => dot("res-full", "4"),
        EventResult::False => dot("res-ring", "3.75"),
        EventResult::Waits | EventResult::NoAnswer => dot("res-ring waits", "3.75"),
        EventResult::Fault => svg("path", "res-full").attr("d", "M5 .5L9.5 5 5 9.5.5 5z"),
        EventResult::Refused(_)
        | EventResult::Ended
        | EventResult::Cancelled
        | EventResult::Rejected => svg("path", "res-ring").attr("d", "M1.5 1.5l7 7M8.5 1.5l-7 7"),
        EventResult::Ok
        | EventResult::NotFound
        | EventResult::Moved
        | EventResult::Joined
        | EventResult::Mended
        | EventResult::Says => return None,
    };
    Some(decoration("").with(drawing))
}

/// The whole call, as the command that makes it.
fn call_title(words: &Words, call: &EventCall) -> String {
    match call {
        EventCall::Http { request, .. } => curl(request),
        EventCall::Server(_)
        | EventCall::Fault(_)
        | EventCall::Write { .. }
        | EventCall::Program(_) => words.call(call),
    }
}
