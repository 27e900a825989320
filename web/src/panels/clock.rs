//! The clock of the page: the buttons that move through time, and the slider that shows the cursor
//! and moves it.

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::format::clock;
use lictor_view::pacer::{RunMode, RunState};
use lictor_view::timeline::marks;
use web_sys::PointerEvent;

use crate::components::{Button, Drawing, Glyph, Icon, IconButton, use_one_column};
use crate::panels::timeline_gestures::dragged_to;
use crate::platform::words::{language, lesson_words, row_words, words};
use crate::state::controller::{Controller, CursorPosition, use_controller};

/// The buttons that move by an event, and between them the one that runs time.
#[component]
pub fn TimeButtons() -> impl IntoView {
    let controller = use_controller();
    let is_stuck = Memo::new(move |_| {
        !is_past(controller) && (controller.is_hidden() || !has_deadline(controller))
    });
    view! {
        <IconButton
            glyph=Glyph::Previous
            test_id="previous-event"
            label=move || words().past.previous
            disabled=is_first(controller)
            on_press=move || controller.step_back()
        />
        <RunButton/>
        <IconButton
            glyph=Glyph::Next
            test_id="next-event"
            label=move || words().next_event
            disabled=is_stuck
            on_press=move || controller.step()
        />
    }
}

/// The buttons that move to the first and to the last event.
#[component]
pub fn EndButtons() -> impl IntoView {
    let controller = use_controller();
    view! {
        <IconButton
            glyph=Glyph::First
            test_id="first-event"
            label=move || words().past.first
            disabled=is_first(controller)
            on_press=move || controller.to_first()
        />
        <IconButton
            glyph=Glyph::Last
            test_id="last-event"
            label=move || words().past.last
            disabled=Memo::new(move |_| !is_past(controller))
            on_press=move || controller.to_last()
        />
    }
}

fn is_first(controller: Controller) -> Memo<bool> {
    Memo::new(move |_| controller.store.reached.get() == 0)
}

fn is_past(controller: Controller) -> bool {
    matches!(controller.cursor.get(), CursorPosition::Past { .. })
}

/// Whether an event will happen without an act.
fn has_deadline(controller: Controller) -> bool {
    !controller.store.next_up.with(Vec::is_empty)
}

#[component]
fn RunButton() -> impl IntoView {
    let controller = use_controller();
    let is_running = Memo::new(move |_| controller.pace.get() == RunState::Running);
    let can_run = Memo::new(move |_| {
        let may_advance = controller.mode.get() == RunMode::Play || has_deadline(controller);
        is_past(controller) || (may_advance && !controller.is_hidden())
    });
    let title = move || match (controller.mode.get(), can_run.get()) {
        _ if controller.is_hidden() => lesson_words().guess_first,
        (RunMode::Play, _) => words().play_hint,
        (RunMode::Step, true) => words().step_hint,
        (RunMode::Step, false) => words().nothing_due,
    };
    let is_waiting = Memo::new(move |_| controller.is_hidden() && !can_run.get());
    let label = move || {
        if is_waiting.get() {
            lesson_words().guess_first
        } else if is_running.get() {
            words().pause
        } else {
            words().run
        }
    };
    let icon = move || {
        let glyph = if is_running.get() { Glyph::Pause } else { Glyph::Play };
        view! { <Icon glyph/> }
    };
    view! {
        <Button
            class="btn btn-main"
            test_id="run"
            disabled=Signal::derive(move || !can_run.get())
            title
            on_press=move || controller.go()
        >
            {move || (!is_waiting.get()).then(icon)}
            <span>{label}</span>
        </Button>
    }
}

/// The time at the cursor, and the slider with the events so far and the next ones.
#[component]
pub fn Scrubber() -> impl IntoView {
    let is_narrow = use_one_column();
    view! {
        <section class="panel scrub" aria-label=move || words().clock_label_now>
            <Show when=move || is_narrow.get()><Reading/></Show>
            <Slider/>
        </section>
    }
}

/// The time at the cursor, and how many events have happened.
#[component]
pub fn Reading() -> impl IntoView {
    let controller = use_controller();
    let events = move || {
        let store = controller.store;
        let (reached, all) = (store.reached.get(), store.events.get());
        if reached == all {
            (words().events_so_far)(all)
        } else {
            (words().past.of_events)(reached, all)
        }
    };
    view! {
        <p class="clock-read">
            <b class="num" data-testid="now">
                {move || format!("{}{}", clock(controller.coarse_now.get()), row_words().second)}
            </b>
            <span class="num" data-testid="events-reached">{events}</span>
        </p>
    }
}

/// The slider of time. It has no keys of its own: the shortcuts of the page move the cursor, and
/// arrow keys move it by events.
#[component]
fn Slider() -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let draw = move || {
        store.marks.track();
        let end = match controller.cursor.get() {
            CursorPosition::End => None,
            CursorPosition::Past { end } => Some(end),
        };
        let due = store.next_up.with(|next| next.iter().map(|(at, _)| *at).collect());
        let is_shown = end.is_none() && !controller.is_hidden();
        let due = if is_shown { due } else { Vec::new() };
        let hidden_from =
            controller.is_hidden().then(|| end.unwrap_or(controller.coarse_now.get()));
        let forks = controller.branches.with(|branches| marks::forks(branches, language()));
        let scrubber = marks::Scrubber { forks, due, end, hidden_from };
        let axis = controller.axis.get();
        controller.with_record_at_end(|record| scrubber.shapes(&axis, record.marks()))
    };
    let millis = |at: Instant| at.as_millis().to_string();
    let end = move || match controller.cursor.get() {
        CursorPosition::End => millis(controller.coarse_now.get()),
        CursorPosition::Past { end } => millis(end),
    };
    let drag = move |event: PointerEvent| {
        if let Some(share) = dragged_to(&event) {
            controller.seek(controller.axis.with_untracked(|axis| axis.at(share)));
        }
    };
    view! {
        <div
            class="slider"
            role="slider"
            tabindex="0"
            data-testid="scrubber"
            aria-label=move || words().past.scrubber
            aria-valuemin="0"
            aria-valuemax=end
            aria-valuenow=move || millis(controller.coarse_now.get())
            aria-valuetext=move || sentence(controller)
            on:pointerdown=drag
            on:pointermove=drag
        >
            <Drawing class="track" now=controller.lanes_now draw/>
        </div>
    }
}

/// The position of the cursor in a sentence.
fn sentence(controller: Controller) -> String {
    let (reached, all) = (controller.store.reached.get(), controller.store.events.get());
    let at = clock(controller.coarse_now.get());
    let latest = controller.event(reached);
    let latest = latest.map_or_else(String::new, |row| {
        row_words().description(&row, controller.forecast_visibility.get())
    });
    (words().past.place)(&at, (reached, all), &latest)
}
