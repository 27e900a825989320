//! The panel with the list of events, which holds the full text of what the drawings show, and the
//! list of keys. Only as many rows as are visible are in the document.

use core::cmp::Ordering;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_desk::share::csv;
use lictor_sim::record::{Badge, EventCall, EventResult, EventRow, EventSource};
use lictor_view::event_folds::Fold;
use lictor_view::format::clock;
use lictor_view::request_text::curl;
use lictor_view::rows::ForecastVisibility;

use crate::components::{
    ActorBadge, Button, ChoiceOption, Glyph, Icon, LongTable, Segments, Slot, page_id,
};
use crate::panels::edit_act::{ActEditor, EditAtCursor, EditButton, EditPanel};
use crate::panels::keys::KeyTable;
use crate::platform::words::{Word, lesson_words, row_words, words};
use crate::state::controller::{Controller, CursorPosition, use_controller};
use crate::state::lesson_reader::{Evidence, LessonReader};
use crate::state::listed::{History, Listed, ListedRow};
use crate::state::shortcuts::FILTER_FIELD;

/// The id of the panel.
pub const EVENTS: &str = "events";

/// The height of a row; below 720 px a row is three lines high.
pub const ROW: u32 = 24;
pub const ROW_NARROW: u32 = 64;

/// From this many events on the columns have room for more digits.
const LONG: usize = 10_000;

/// The number of rows below the line that a list shows which follows its end.
const AHEAD: usize = 3;

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

/// What a row shows: its history, and the row of its list.
type EventSlot = Slot<(History, ListedRow)>;

/// The list that the panel shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Events,
    Keys,
}

#[component]
pub fn Events(
    row_height: RwSignal<u32>,
    /// Whether the page is being printed.
    #[prop(into)]
    is_printed: Signal<bool>,
) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let tab = RwSignal::new(Tab::Events);
    let listed = Listed::new(controller, is_printed);
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
        Tab::Events => view! { <EventTable row_height is_printed listed/> }.into_any(),
        Tab::Keys => {
            let filter = Signal::derive(move || listed.filter());
            view! { <KeyTable row_height is_printed filter/> }.into_any()
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
        ListedRow::Fold(_) | ListedRow::Line => None,
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
fn EventTable(
    row_height: RwSignal<u32>,
    is_printed: Signal<bool>,
    listed: Listed,
) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let lesson_reader = expect_context::<LessonReader>();
    let evidence = Memo::new(move |_| lesson_reader.evidence());
    // The place of this event is in view, and no fold hides it.
    let shown = Memo::new(move |_| match evidence.get() {
        Some(evidence) if evidence.is_shown => Some(evidence.row),
        _ => reached(controller),
    });
    Effect::new(move |_| {
        store.branch.track();
        listed.show(shown.get());
    });
    // A list in which a run was unfolded stays where the reader is; below the line it does anyway.
    let unfolded = RwSignal::new(None);
    let toggle = Callback::new(move |fold: Fold| {
        let has_happened = fold.first <= store.events.get_untracked();
        unfolded.set((has_happened && !fold.is_open).then_some(fold.first));
        listed.toggle(fold.first);
    });
    let in_view = move || {
        let number = shown.get().or(unfolded.get())?;
        Some(listed.count_up_to(number).saturating_sub(1))
    };
    let followed = move || {
        let count = listed.count();
        listed.line().map_or(count, |line| count.min(line + 1 + AHEAD))
    };
    let row = move |item: EventSlot| {
        let kind = Memo::new(move |_| item.with(|item| item.map_or(Kind::Event, Kind::of)));
        move || match kind.get() {
            Kind::Observed => view! { <ObservedLine item/> }.into_any(),
            Kind::Line => view! { <NowLine item/> }.into_any(),
            Kind::Event => view! { <EventLine item toggle evidence/> }.into_any(),
        }
    };
    let nothing = move || {
        (listed.count() == 0).then(|| {
            let is_empty = store.events.get() == 0;
            let text = if is_empty { words().no_events } else { words().no_matches };
            view! { <p class="footnote empty">{text}</p> }
        })
    };
    view! {
        <Beginning/>
        <LongTable
            class="log"
            test_id="events"
            label=move || words().events
            row_height
            columns=&TABLE
            count=Signal::derive(move || listed.count())
            followed=Signal::derive(followed)
            items=move |places| listed.part(places)
            row
            in_view=Signal::derive(in_view)
            is_printed
        />
        {nothing}
    }
}

/// Says where the list begins, if earlier events were left out.
#[component]
fn Beginning() -> impl IntoView {
    let controller = use_controller();
    let begin = move || match controller.begin.get() {
        Instant::EPOCH => String::new(),
        begin => (words().past.begins)(&clock(begin)),
    };
    let observed = move || {
        controller.store.branch.track();
        let left_out = controller.with_timeline(|timeline| {
            let observed = timeline.observed();
            (!observed.is_empty()).then_some(observed.before)
        });
        left_out.map(words().past.observed)
    };
    view! {
        <p class="footnote remark" data-testid="observed-note">{observed}</p>
        <p class="footnote remark">{begin}</p>
    }
}

/// The number of the event at the cursor; `None` while the cursor is at the end of the branch.
fn reached(controller: Controller) -> Option<usize> {
    let reached = controller.store.reached.get();
    let is_past = matches!(controller.cursor.get(), CursorPosition::Past { .. });
    is_past.then_some(reached)
}

/// The line below which the events are that follow if nobody acts.
#[component]
fn NowLine(item: EventSlot) -> impl IntoView {
    let controller = use_controller();
    let text = move || (words().from_here_on)(&clock(controller.coarse_now.get()));
    view! {
        <tr role="row" class="from-here" aria-rowindex=move || row_index(item)>
            <td role="cell" colspan="7" data-testid="from-here-on">{text}</td>
            <td role="cell" class="c-ix"></td>
        </tr>
    }
}

/// The row of an event that was observed before the world. The cursor cannot go there.
#[component]
fn ObservedLine(item: EventSlot) -> impl IntoView {
    let controller = use_controller();
    let event = Memo::new(move |_| match item.get() {
        Some((_, (_, ListedRow::Observed(place)))) => controller.observed(place),
        _ => None,
    });
    let cells = Memo::new(move |_| {
        event.with(|event| event.as_ref().map(|event| row_words().observed_cells(event)))
    });
    let cell = move |column: usize| move || cell(cells, column);
    let is_gap = move || event.with(|event| event.as_ref().is_some_and(|event| event.is_gap));
    view! {
        <tr
            role="row"
            aria-rowindex=move || row_index(item)
            class=move || if is_gap() { "observed gap" } else { "observed" }
            data-testid="observed-row"
        >
            <td class="c-no" role="cell"></td>
            <td class="c-t num" role="cell">{cell(1)}</td>
            <td class="c-ix num" role="cell">{cell(2)}</td>
            <td class="c-who" role="cell">{cell(3)}</td>
            <td class="c-call" role="cell" colspan="4" title=cell(4)>{cell(4)}</td>
        </tr>
    }
}

/// The kinds of rows that have other elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Observed,
    Line,
    Event,
}

impl Kind {
    fn of((_, (_, row)): (usize, (History, ListedRow))) -> Self {
        match row {
            ListedRow::Observed(_) => Self::Observed,
            ListedRow::Line => Self::Line,
            ListedRow::Event(_) | ListedRow::Fold(_) => Self::Event,
        }
    }
}

/// What the row of an event or of a run of events shows.
#[derive(Clone, Copy)]
struct Line {
    fold: Memo<Option<Fold>>,
    /// The event, or the first one of the run.
    first: Memo<Option<Arc<EventRow>>>,
    /// The event; `None` for a run.
    event: Memo<Option<Arc<EventRow>>>,
    cells: Memo<Option<[String; 7]>>,
    /// Whether it follows only if nobody acts.
    is_ahead: Memo<bool>,
}

impl Line {
    fn new(controller: Controller, item: EventSlot) -> Self {
        let is_ahead = Memo::new(move |_| {
            item.with(|item| item.is_some_and(|(_, ((_, forecast), _))| forecast.is_some()))
        });
        let fold = Memo::new(move |_| match item.get() {
            Some((_, (_, ListedRow::Fold(fold)))) => Some(fold),
            _ => None,
        });
        let first = Memo::new(move |_| match item.get()? {
            (_, (_, ListedRow::Event(number))) => controller.event(number),
            (_, (_, ListedRow::Fold(fold))) => controller.event(fold.first),
            (_, (_, ListedRow::Observed(_) | ListedRow::Line)) => None,
        });
        let event = Memo::new(move |_| first.get().filter(|_| fold.get().is_none()));
        let cells = Memo::new(move |_| {
            let first = first.get()?;
            Some(match fold.get() {
                Some(fold) => {
                    let last = controller.event(fold.last())?;
                    row_words().fold_cells(&fold, &first, &last)
                }
                None => cells(&first, controller.forecast_visibility.get()),
            })
        });
        Self { fold, first, event, cells, is_ahead }
    }

    /// Unfolds a run, or goes to the event.
    fn press(self, controller: Controller, toggle: Callback<Fold>) {
        match (self.fold.get_untracked(), self.event.get_untracked()) {
            (Some(fold), _) => toggle.run(fold),
            (None, Some(row)) if self.is_ahead.get_untracked() => controller.run_to(row.at),
            (None, Some(row)) => controller.to_event(&row),
            (None, None) => {}
        }
    }

    /// The kind of the row for tests; subscribes.
    fn test_id(self) -> &'static str {
        match (self.is_ahead.get(), self.fold.get()) {
            (true, _) => "ahead-row",
            (false, Some(_)) => "fold-row",
            (false, None) => "event-row",
        }
    }

    /// The numbers of the first and the last event that only this row shows; subscribes.
    fn numbers(self) -> [usize; 2] {
        match self.fold.get() {
            Some(fold) if !fold.is_open => [fold.first, fold.last()],
            Some(fold) => [fold.first, fold.first - 1],
            None => [self.event.with(|row| row.as_ref().map_or(0, |row| row.number)); 2],
        }
    }

    /// The badge of the client of all events; subscribes.
    fn badge(self) -> Option<Badge> {
        let is_of_one = self.fold.get().is_none_or(|fold| fold.is_of_one_client);
        match &self.first.get().filter(|_| is_of_one)?.source {
            EventSource::Server => None,
            EventSource::Actor(actor) => Some(actor.badge),
        }
    }
}

/// The row of an event, which may show the answer of a question, or of a run of events.
#[component]
fn EventLine(
    item: EventSlot,
    toggle: Callback<Fold>,
    evidence: Memo<Option<Evidence>>,
) -> impl IntoView {
    let controller = use_controller();
    let line = Line::new(controller, item);
    let Line { fold, event, cells, .. } = line;
    let number = Memo::new(move |_| event.with(|row| row.as_ref().map_or(0, |row| row.number)));
    let is_evidence = Memo::new(move |_| evidence.get().is_some_and(|it| it.row == number.get()));
    let class = move || {
        let answer = if is_evidence.get() { "answer " } else { "" };
        let folded = match fold.get() {
            None => "",
            Some(fold) if fold.is_of_one_client => "routine ",
            Some(_) => "routine several ",
        };
        format!("{answer}{folded}{}", side(line.numbers(), controller.store.reached.get()))
    };
    let cell = move |column: usize| move || cell(cells, column);
    let badge = Signal::derive(move || line.badge());
    let title = move || match event.get() {
        Some(event) => call_title(&event.call),
        None => cell(4)(),
    };
    let mark = Memo::new(move |_| event.with(|row| row.as_ref().and_then(|row| mark(&row.reply))));
    let is_bad = move || event.with(|row| row.as_ref().is_some_and(|row| is_bad(&row.reply)));
    view! {
        <tr
            role="row"
            aria-rowindex=move || row_index(item)
            class=class
            data-testid=move || line.test_id()
            on:click=move |_| line.press(controller, toggle)
        >
            <td class="c-no num" role="cell">
                {cell(0)}
            </td>
            <td class="c-t num" role="cell">{cell(1)}</td>
            <td class="c-ix num" role="cell">{cell(2)}</td>
            <td class="c-who" role="cell"><span class="who"><ActorBadge badge/>{cell(3)}</span></td>
            <td class="c-call" role="cell">
                <FoldButton fold/>
                <code title=title>{cell(4)}</code>
            </td>
            <td class="c-res" role="cell">
                <span class=move || if is_bad() { "res is-danger" } else { "res" }>
                    <svg aria-hidden="true" hidden=move || mark.get().is_none()>
                        <path
                            class=move || mark.get().map(|(class, _)| class)
                            d=move || mark.get().map(|(_, path)| path)
                        />
                    </svg>
                    {cell(5)}
                </span>
            </td>
            <td class="c-why" role="cell" title=cell(6) data-testid="event-why">
                {move || is_evidence.get().then(answer_tag)}
                {cell(6)}
            </td>
            <td class="c-edit" role="cell"><EditButton row=event/></td>
        </tr>
    }
}

/// Shows whether a run of events is unfolded, and unfolds it with the row. Its name is the numbers
/// of the events.
#[component]
fn FoldButton(fold: Memo<Option<Fold>>) -> impl IntoView {
    let label = move || fold.get().map(|fold| format!("{}–{}", fold.first, fold.last()));
    view! {
        <button
            type="button"
            class="unfold"
            hidden=move || fold.get().is_none()
            aria-expanded=move || fold.get().map(|fold| fold.is_open.to_string())
            aria-label=label
        ></button>
    }
}

/// The class of a row by the numbers of its first and its last event and that of the event at the
/// cursor.
fn side([first, last]: [usize; 2], reached: usize) -> &'static str {
    match (first.cmp(&reached), last.cmp(&reached)) {
        (Ordering::Greater, _) => "later",
        (_, Ordering::Less) => "",
        _ => "here",
    }
}

/// The number of a row in the whole table, from 1.
fn row_index(item: EventSlot) -> Option<String> {
    item.get().map(|(place, _)| (place + 1).to_string())
}

/// The text of a row in a column; subscribes.
fn cell(cells: Memo<Option<[String; 7]>>, column: usize) -> String {
    cells.with(|cells| cells.as_ref().map(|cells| cells[column].clone())).unwrap_or_default()
}

/// The texts of a row by column. A hidden forecast is not part of them.
fn cells(row: &EventRow, visibility: ForecastVisibility) -> [String; 7] {
    let [number, t, index, source, call, reply, _] = row_words().cells(row);
    [number, t, index, source, call, reply, row_words().note_while(&row.note, visibility)]
}

fn is_bad(reply: &EventResult) -> bool {
    matches!(
        reply,
        EventResult::Refused(_)
            | EventResult::Fault
            | EventResult::Rejected
            | EventResult::Critical
    )
}

/// Marks the row that shows the answer of a question.
fn answer_tag() -> impl IntoView {
    view! {
        <b class="tag-answer">
            <Icon glyph=Glyph::Check small=true/>
            {move || lesson_words().the_answer}
        </b>
    }
}

/// The class and the path of the drawing of a result; `None` for results without one.
fn mark(reply: &EventResult) -> Option<(&'static str, &'static str)> {
    const RING: &str = "M8.75 5a3.75 3.75 0 1 1-7.5 0 3.75 3.75 0 0 1 7.5 0z";
    match reply {
        EventResult::True | EventResult::Accepted => {
            Some(("res-full", "M9 5a4 4 0 1 1-8 0 4 4 0 0 1 8 0z"))
        }
        EventResult::False => Some(("res-ring", RING)),
        EventResult::Waits | EventResult::NoAnswer | EventResult::SentAgain => {
            Some(("res-ring waits", RING))
        }
        EventResult::Fault => Some(("res-full", "M5 .5L9.5 5 5 9.5.5 5z")),
        EventResult::Refused(_)
        | EventResult::Ended
        | EventResult::Cancelled
        | EventResult::Failed
        | EventResult::Critical
        | EventResult::Rejected => Some(("res-ring", "M1.5 1.5l7 7M8.5 1.5l-7 7")),
        EventResult::Ok
        | EventResult::NotFound
        | EventResult::Moved
        | EventResult::Joined
        | EventResult::Mended
        | EventResult::Added
        | EventResult::Passing
        | EventResult::Ordered(_)
        | EventResult::Reported => None,
    }
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
