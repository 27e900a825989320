//! Time: the buttons that let it pass, and the line on which it is read. Time cannot be taken back
//! here.

use core::time::Duration;

use leptos::prelude::*;

use crate::pacer::{Pace, RunMode};
use crate::panels::actors::SHEET;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::clock;
use crate::timeline::axis::Axis;
use crate::timeline::marks;
use crate::ui::{Drawing, Glyph, Icon, holds, live, text};

#[component]
pub fn Transport(runtime: Runtime) -> impl IntoView {
    let settings = use_settings();
    let is_running = move || runtime.pace.get() == Pace::Running;
    let can_go = move || {
        runtime.mode.get() == RunMode::Play || runtime.mirror.deadlines.with(|due| !due.is_empty())
    };
    let title = text(move || {
        let words = settings.words();
        match (runtime.mode.get(), can_go()) {
            (RunMode::Play, _) => words.play_hint,
            (RunMode::Step, true) => words.step_hint,
            (RunMode::Step, false) => words.nothing_due,
        }
    });
    let label =
        text(move || if is_running() { settings.words().pause } else { settings.words().run });
    let icon = live(move || {
        let glyph = if is_running() { Glyph::Pause } else { Glyph::Play };
        view! { <Icon glyph/> }
    });
    view! {
        <section class="panel transport" aria-label=word(|words| words.run)>
            <button
                class="btn btn-main"
                type="button"
                disabled=holds(move || !can_go())
                title=title
                on:click=move |_| runtime.go()
                data-testid="run"
            >
                {icon} <span>{label}</span>
            </button>
            <button
                class="btn btn-icon"
                type="button"
                disabled=holds(move || runtime.mirror.deadlines.with(Vec::is_empty))
                aria-label=word(|words| words.next_event)
                title=word(|words| words.next_event)
                on:click=move |_| runtime.step()
                data-testid="next-event"
            >
                <Icon glyph=Glyph::Next/>
            </button>
            <PassButton runtime seconds=1 class="btn btn-pass num" test_id="plus-1"/>
            <PassButton runtime seconds=10 class="btn btn-pass num long-pass" test_id="plus-10"/>
            <button
                class="btn btn-line narrow-only"
                type="button"
                popovertarget=SHEET
                data-testid="open-actors"
            >
                <Icon glyph=Glyph::Sheet/> {word(|words| words.actions)}
            </button>
        </section>
    }
}

#[component]
fn PassButton(
    runtime: Runtime,
    seconds: u64,
    class: &'static str,
    test_id: &'static str,
) -> impl IntoView {
    let settings = use_settings();
    let span = Duration::from_secs(seconds);
    view! {
        <button
            class=class
            type="button"
            on:click=move |_| runtime.pass(span)
            data-testid=test_id
        >
            {text(move || (settings.words().in_span_short)(seconds))}
        </button>
    }
}

/// The line of time: what happened, the thumb at now, what is due.
#[component]
pub fn Scrubber(runtime: Runtime, axis: Signal<Axis>) -> impl IntoView {
    let settings = use_settings();
    let now_text = text(move || format!("{} s", clock(runtime.coarse_now.get())));
    let events = text(move || (settings.words().events_so_far)(runtime.mirror.events.get()));
    let draw = move || {
        runtime.mirror.events.track();
        let due = runtime.mirror.deadlines.get().into_iter().map(|(at, _)| at);
        let marks = runtime.with_record(marks::marks);
        marks::line(axis.get(), &marks, &due.collect::<Vec<_>>())
    };
    view! {
        <section class="panel scrub" aria-label=word(|words| words.clock_label_now)>
            <p class="clock-read">
                <b class="num" data-testid="now">{now_text}</b>
                <span class="num">{events}</span>
            </p>
            <Drawing draw=Box::new(draw) now=runtime.now class="track" label=now_text/>
        </section>
    }
}
