//! The overview under the lanes: all of the timeline, and the part of it that they show, which can
//! be moved here.

use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};

use lictor_core::time::Instant;
use lictor_sandbox::timeline::axis::Axis;
use lictor_sandbox::timeline::overview::{Overview, window};

use crate::panels::hand::held;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, drawing, el, text, word};
use crate::var::Var;

/// More than any timeline is long, in lengths of what is shown.
const TO_THE_END: f64 = 1e9;

pub fn overview(runtime: &'static Runtime) -> El {
    let marks = Var::worked_out(|| {
        runtime.mirror.overview.track();
        runtime.mirror.branch.track();
        let whole = runtime.axis.get().whole();
        runtime.with_ahead(|ahead| Overview::of(ahead.record, &whole))
    });
    let name = el("div", "lane-name").with(el("span", "").with(word(|words| words.view.overview)));
    let marks = drawing("", None, &runtime.now, move || marks.with(Overview::shapes));
    let window = drawing("", None, &runtime.now, || window(&runtime.axis.get()));
    el("div", "lane overview").with(name).with(strip(runtime).with(marks).with(window))
}

/// The strip as a slider, whose value is where the part begins.
fn strip(runtime: &'static Runtime) -> El {
    let millis = |pick: fn(&Axis) -> Instant| {
        text(move || pick(&runtime.axis.get()).as_millis().to_string())
    };
    let said = text(|| runtime.axis.get().said(words()));
    let strip = el("div", "strip").attr("role", "slider").attr("tabindex", "0").test("overview");
    let strip = strip.label(word(|words| words.view.overview_label)).attr("aria-valuemin", "0");
    let strip = strip.attr("aria-valuemax", millis(|axis| axis.whole().end()));
    let strip = strip.attr("aria-valuenow", millis(Axis::start));
    let strip = strip.attr("aria-valuetext", said).on("keydown", |event| press(runtime, event));
    strip
        .on("pointerdown", |event| pull(runtime, event))
        .on("pointermove", |event| pull(runtime, event))
}

/// The part comes to where the pointer is, while it is down.
fn pull(runtime: &Runtime, event: &Event) {
    let Some(place) = held(event) else { return };
    let axis = runtime.axis.now();
    let here = axis.fraction(axis.whole().at(place));
    runtime.show_part((here - 0.5, here + 0.5));
}

fn press(runtime: &Runtime, event: &Event) {
    let key: &KeyboardEvent = event.unchecked_ref();
    let by = match key.key().as_str() {
        "ArrowLeft" => -0.1,
        "ArrowRight" => 0.1,
        "PageUp" => -0.9,
        "PageDown" => 0.9,
        "Home" => -TO_THE_END,
        "End" => TO_THE_END,
        _ => return,
    };
    event.prevent_default();
    runtime.pan(by);
}
