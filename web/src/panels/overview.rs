//! The overview below the lanes: the whole timeline, and in it a window for the visible part, which
//! can be moved by pointer and keyboard.

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::timeline::axis::Axis;
use lictor_view::timeline::overview::{Overview as Marks, window};
use web_sys::{KeyboardEvent, PointerEvent};

use crate::components::Drawing;
use crate::panels::timeline_gestures::dragged_to;
use crate::platform::words::{language, words};
use crate::state::controller::{Controller, use_controller};

/// A distance in lengths of the visible part that is longer than any timeline.
const TO_THE_END: f64 = 1e9;

#[component]
pub fn Overview() -> impl IntoView {
    let controller = use_controller();
    let marks = Memo::new(move |_| {
        controller.store.overview.track();
        controller.store.branch.track();
        let whole = controller.axis.with(Axis::whole);
        controller.with_forecast(|ahead| Marks::of(ahead.record, ahead.until, &whole))
    });
    view! {
        <div class="lane overview">
            <div class="lane-name"><span>{move || words().view.overview}</span></div>
            <Strip>
                <Drawing now=controller.now draw=move || marks.with(Marks::shapes)/>
                <Drawing now=controller.now draw=move || controller.axis.with(window)/>
            </Strip>
        </div>
    }
}

/// The strip as a slider, whose value is the beginning of the visible part.
#[component]
fn Strip(children: Children) -> impl IntoView {
    let controller = use_controller();
    let millis = move |pick: fn(&Axis) -> Instant| {
        move || controller.axis.with(pick).as_millis().to_string()
    };
    let drag = move |event: PointerEvent| drag(controller, &event);
    view! {
        <div
            class="strip"
            role="slider"
            tabindex="0"
            data-testid="overview"
            aria-label=move || words().view.overview_label
            aria-valuemin="0"
            aria-valuemax=millis(|axis| axis.whole().end())
            aria-valuenow=millis(Axis::start)
            aria-valuetext=move || controller.axis.with(|axis| axis.description(language()))
            on:keydown=move |event| press(controller, &event)
            on:pointerdown=drag
            on:pointermove=drag
        >
            {children()}
        </div>
    }
}

/// Moves the visible part to the pointer, while that is pressed.
fn drag(controller: Controller, event: &PointerEvent) {
    let Some(share) = dragged_to(event) else { return };
    let here = controller.axis.with_untracked(|axis| axis.fraction(axis.whole().at(share)));
    controller.show_part((here - 0.5, here + 0.5));
}

fn press(controller: Controller, event: &KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowLeft" => -0.1,
        "ArrowRight" => 0.1,
        "PageUp" => -0.9,
        "PageDown" => 0.9,
        "Home" => -TO_THE_END,
        "End" => TO_THE_END,
        _ => return,
    };
    event.prevent_default();
    controller.pan(by);
}
