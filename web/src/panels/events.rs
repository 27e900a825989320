//! The panel with the list of events, which holds the full text of what the drawings show, and the
//! list of keys. Only the rows in view are in the document.

use core::ops::Range;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_desk::share::csv;
use lictor_sim::ObservedEvent;
use lictor_sim::record::{EventCall, EventResult, EventRow, EventSource};
use lictor_view::format::clock;
use lictor_view::request_text::curl;
use lictor_view::rows::ForecastVisibility;

use crate::components::{
    ActorBadge, Button, ChoiceOption, Glyph, Icon, LongTable, Segments, ServerBadge, TableHead,
    page_id,
};
use crate::panels::edit_act::{ActEditor, EditAtCursor, EditButton, EditPanel};
use crate::panels::keys::KeyTable;
use crate::platform::words::{Word, lesson_words, row_words, words};
use crate::state::controller::{Controller, CursorPosition, use_controller};
use crate::state::lesson_reader::{Evidence, LessonReader};
use crate::state::listed::{Listed, ListedRow};
use crate::state::shortcuts::FILTER_FIELD;

/// The id of the panel.
pub const EVENTS: &str = "events";

/// The height of a row; below 720 px a row is three lines high.
pub const ROW: u32 = 24;
pub const ROW_NARROW: u32 = 64;

/// From this many events on the columns have room for more digits.
const LONG: usize = 10_000;

/// Each column's class and name.
const COLUMNS: [(&str, Word); 7] = [
    ("c-no", || words().column_number),
    ("c-t", || words().column_time),
    ("c-ix", || words().column_index),
    ("c-who", || words().column_actor),
    ("c-call", || words().column_call),
    ("c-res", || words().column_result),
    ("c-why", || words().column_why),
];

/// The columns on the page: those of the saved table, and one for the buttons of acts.
const TABLE: [(&str, Word); 8] = {
    let [number, time, index, actor, call, result, why] = COLUMNS;
    [number, time, index, actor, call, result, why, ("c-edit", || words().past.edit_act)]
};

/// The list that the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Events,
    Keys,
}

#[component]
pub fn Events(row_height: RwSignal<u32>) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let tab = RwSignal::new(Tab::Events);
    let listed = Listed::new(controller);
    provide_context(ActEditor::new(controller));
    let tabs = vec![
        ChoiceOption::new(Tab::Events, || words().events, "tab-events"),
        ChoiceOption::new(Tab::Keys, || words().keys, "tab-keys"),
    ];
    let count = move || match tab.get() {
        Tab::Events => count_text(listed.event_count(), store.events.get()),
        Tab::Keys => store.keys.len().to_string(),
    };
    let is_long = Memo::new(move |_| store.events.get() >= LONG);
    let table = move || match tab.get() {
        Tab::Events => view! { <EventTable row_height listed/> }.into_any(),
        Tab::Keys => {
            let filter = Signal::derive(move || listed.filter());
            view! { <KeyTable row_height filter/> }.into_any()
        }
    };
    view! {
        <section
            class=move || if is_long.get() { "panel events is-long" } else { "panel events" }
            id=page_id(EVENTS)
            aria-label=move || words().events
        >
            <div class="head">
                <Segments
                    class="seg-small"
                    label=move || words().events_or_keys
                    options=tabs
                    chosen=tab
                    on_pick=move |picked| tab.set(picked)
                />
                <span class="quiet num small" data-testid="events-count">{count}</span>
                <Button
                    class="btn btn-icon btn-small"
                    test_id="events-save"
                    label=move || words().save_events
                    title=move || words().save_events
                    disabled=Signal::derive(move || tab.get() == Tab::Keys)
                    on_press=move || save(controller, listed)
                >
                    <Icon glyph=Glyph::Sheet/>
                </Button>
                <EditAtCursor/>
                <FilterField listed/>
            </div>
            {table}
            <EditPanel/>
        </section>
    }
}

/// Saves the listed events as a CSV file.
fn save(controller: Controller, listed: Listed) {
    let Some(world_store) = controller.world_store() else { return };
    let head = COLUMNS.map(|(_, name)| name().to_owned());
    let cells = |row| match row {
        ListedRow::Observed(place) => {
            controller.observed(place).map(|event| row_words().observed_cells(&event))
        }
        ListedRow::Event(number) => controller.event(number).map(|row| row_words().cells(&row)),
    };
    let rows = untrack(|| listed.all()).into_iter();
    let table = csv::table(head, rows.filter_map(cells));
    world_store.save_file(&table, "lictor.csv");
}

#[component]
fn FilterField(listed: Listed) -> impl IntoView {
    view! {
        <label class="find push">
            <Icon glyph=Glyph::Find small=true/>
            <span class="visually-hidden">{move || words().filter}</span>
            <input
                type="text"
                spellcheck="false"
                autocomplete="off"
                data-testid=FILTER_FIELD
                placeholder=move || words().filter_hint
                on:input=move |event| listed.set_filter(event_target_value(&event))
            />
            <kbd>"/"</kbd>
        </label>
    }
}

fn count_text(shown: usize, all: usize) -> String {
    if shown == all { all.to_string() } else { (words().of_all)(shown, all) }
}

#[component]
fn EventTable(row_height: RwSignal<u32>, listed: Listed) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    // The branch is part of a row's key, so that rows of another branch are rendered again.
    let items = move |places: Range<usize>| {
        let branch = store.branch.get();
        listed.part(places).into_iter().map(|row| (branch, row)).collect()
    };
    let lesson_reader = expect_context::<LessonReader>();
    let evidence = Memo::new(move |_| lesson_reader.evidence());
    let row = move |(_, row)| match row {
        ListedRow::Observed(place) => {
            let event = controller.observed(place);
            event.map(|event| view! { <ObservedLine place event/> }.into_any())
        }
        ListedRow::Event(number) => {
            controller.event(number).map(|row| view! { <EventLine row evidence/> }.into_any())
        }
    };
    let nothing = move || {
        (listed.count() == 0).then(|| {
            let is_empty = store.events.get() == 0;
            let text = if is_empty { words().no_events } else { words().no_matches };
            view! { <p class="footnote empty">{text}</p> }
        })
    };
    let begin = move || match controller.begin.get() {
        Instant::EPOCH => String::new(),
        begin => (words().past.begins)(&clock(begin)),
    };
    let observed = move || {
        store.branch.track();
        let left_out = controller.with_timeline(|timeline| {
            let observed = timeline.observed();
            (!observed.is_empty()).then_some(observed.before)
        });
        left_out.map(words().past.observed)
    };
    view! {
        <p class="footnote remark" data-testid="observed-note">{observed}</p>
        <p class="footnote remark">{begin}</p>
        <LongTable
            class="log"
            test_id="events"
            label=move || words().events
            row_height
            head=view! { <TableHead columns=&TABLE/> }.into_any()
            count=Signal::derive(move || listed.count())
            items
            key=|item: &(u64, ListedRow)| *item
            row
            in_view=Signal::derive(move || match evidence.get() {
                Some(evidence) if evidence.is_shown => {
                    Some(listed.count_up_to(evidence.row).saturating_sub(1))
                }
                _ => reached(controller, listed),
            })
        />
        {nothing}
    }
}

/// The place in the list of the row at the cursor; `None` while the cursor is at the end of the
/// branch.
fn reached(controller: Controller, listed: Listed) -> Option<usize> {
    let reached = controller.store.reached.get();
    let is_past = matches!(controller.cursor.get(), CursorPosition::Past { .. });
    is_past.then(|| listed.count_up_to(reached).saturating_sub(1))
}

/// The row of an event that was observed before the world. The cursor cannot go there.
#[component]
fn ObservedLine(place: usize, event: ObservedEvent) -> impl IntoView {
    let class = if event.is_gap { "observed gap" } else { "observed" };
    let cells = move || {
        let [_, t, index, source, text, ..] = row_words().observed_cells(&event);
        let title = text.clone();
        view! {
            <td class="c-no" role="cell"></td>
            <td class="c-t num" role="cell">{t}</td>
            <td class="c-ix num" role="cell">{index}</td>
            <td class="c-who" role="cell">{source}</td>
            <td class="c-call" role="cell" colspan="4" title=title>{text}</td>
        }
    };
    view! {
        <tr
            role="row"
            aria-rowindex=(place + 1).to_string()
            class=class
            data-testid="observed-row"
        >
            {cells}
        </tr>
    }
}

/// The row of an event. The event does not change, but its row depends on the language, on the
/// cursor, on whether the forecast is visible, and on whether it shows the answer of a question.
#[component]
fn EventLine(row: Arc<EventRow>, evidence: Memo<Option<Evidence>>) -> impl IntoView {
    let controller = use_controller();
    let number = row.number;
    let is_evidence = Memo::new(move |_| evidence.get().is_some_and(|it| it.row == number));
    let class = move || {
        let side = match controller.store.reached.get() {
            reached if number > reached => "later",
            reached if number == reached => "here",
            _ => "",
        };
        if is_evidence.get() { format!("answer {side}") } else { side.to_owned() }
    };
    let (goal, act) = (row.clone(), row.clone());
    let edit = row.act.map(|_| view! { <EditButton row=act/> });
    let above = controller.with_timeline(|timeline| timeline.observed().events.len());
    view! {
        <tr
            role="row"
            aria-rowindex=(above + number).to_string()
            class=class
            data-testid="event-row"
            on:click=move |_| controller.to_event(&goal)
        >
            {move || cells(&row, controller.forecast_visibility.get(), is_evidence.get())}
            <td class="c-edit" role="cell">{edit}</td>
        </tr>
    }
}

fn cells(
    row: &EventRow,
    visibility: ForecastVisibility,
    is_evidence: bool,
) -> impl IntoView + use<> {
    let is_bad = matches!(
        row.reply,
        EventResult::Refused(_)
            | EventResult::Fault
            | EventResult::Rejected
            | EventResult::Critical
    );
    let [number, t, index, _, call, reply, _] = row_words().cells(row);
    let note = row_words().note_while(&row.note, visibility);
    let title = note.clone();
    let evidence = is_evidence.then(|| {
        view! {
            <b class="tag-answer">
                <Icon glyph=Glyph::Check small=true/>
                {lesson_words().the_answer}
            </b>
        }
    });
    view! {
        <td class="c-no num" role="cell">{number}</td>
        <td class="c-t num" role="cell">{t}</td>
        <td class="c-ix num" role="cell">{index}</td>
        <td class="c-who" role="cell">{source(&row.source)}</td>
        <td class="c-call" role="cell">
            <code title=call_title(&row.call)>{call}</code>
        </td>
        <td class="c-res" role="cell">
            <span class=if is_bad { "res is-danger" } else { "res" }>
                {mark(&row.reply)}
                {reply}
            </span>
        </td>
        <td class="c-why" role="cell" title=title data-testid="event-why">{evidence}{note}</td>
    }
}

fn source(source: &EventSource) -> impl IntoView + use<> {
    match source {
        EventSource::Server => {
            view! { <span class="who"><ServerBadge/>{row_words().server}</span> }.into_any()
        }
        EventSource::Actor(actor) => {
            let name = actor.name.to_string();
            view! { <span class="who"><ActorBadge badge=actor.badge/>{name}</span> }.into_any()
        }
    }
}

/// A small drawing of the result; `None` for results without one.
fn mark(reply: &EventResult) -> Option<impl IntoView + use<>> {
    let shape = match reply {
        EventResult::True | EventResult::Accepted => {
            view! { <circle class="res-full" cx="5" cy="5" r="4"/> }.into_any()
        }
        EventResult::False => {
            view! { <circle class="res-ring" cx="5" cy="5" r="3.75"/> }.into_any()
        }
        EventResult::Waits | EventResult::NoAnswer | EventResult::SentAgain => {
            view! { <circle class="res-ring waits" cx="5" cy="5" r="3.75"/> }.into_any()
        }
        EventResult::Fault => {
            view! { <path class="res-full" d="M5 .5L9.5 5 5 9.5.5 5z"/> }.into_any()
        }
        EventResult::Refused(_)
        | EventResult::Ended
        | EventResult::Cancelled
        | EventResult::Failed
        | EventResult::Critical
        | EventResult::Rejected => {
            view! { <path class="res-ring" d="M1.5 1.5l7 7M8.5 1.5l-7 7"/> }.into_any()
        }
        EventResult::Ok
        | EventResult::NotFound
        | EventResult::Moved
        | EventResult::Joined
        | EventResult::Mended
        | EventResult::Added
        | EventResult::Passing
        | EventResult::Ordered(_)
        | EventResult::Reported => return None,
    };
    Some(view! { <svg aria-hidden="true">{shape}</svg> })
}

/// The whole call: a request as its curl command, anything else as its text.
fn call_title(call: &EventCall) -> String {
    match call {
        EventCall::Http { call, .. } => curl(&call.request),
        EventCall::Server(_)
        | EventCall::Fault(_)
        | EventCall::Repair(_)
        | EventCall::Write { .. }
        | EventCall::Program(_) => row_words().call(call),
    }
}
