//! Time: the buttons that let it pass, and the line on which it is read. Time cannot be taken back
//! here.

use core::time::Duration;

use crate::pacer::{Pace, RunMode};
use crate::panels::actors::SHEET;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::text::clock;
use crate::timeline::marks;
use crate::ui::{El, Glyph, button, drawing, el, icon, live, text, word};

pub fn transport(runtime: &'static Runtime) -> El {
    let next = button("btn btn-icon", "next-event", || runtime.step())
        .disabled(|| runtime.mirror.deadlines.with(Vec::is_empty))
        .label(word(|words| words.next_event))
        .title(word(|words| words.next_event));
    let sheet = el("button", "btn btn-line narrow-only").attr("type", "button");
    let sheet = sheet.attr("popovertarget", SHEET).test("open-actors");
    el("section", "panel transport").label(word(|words| words.run)).with(parts![
        run_button(runtime),
        next.with(icon(Glyph::Next)),
        pass_button(runtime, 1, "btn btn-pass num", "plus-1"),
        pass_button(runtime, 10, "btn btn-pass num long-pass", "plus-10"),
        sheet.with(icon(Glyph::Sheet)).with(word(|words| words.actions)),
    ])
}

fn run_button(runtime: &'static Runtime) -> El {
    let is_running = || runtime.pace.get() == Pace::Running;
    let can_go = || {
        runtime.mode.get() == RunMode::Play || runtime.mirror.deadlines.with(|due| !due.is_empty())
    };
    let title = text(move || match (runtime.mode.get(), can_go()) {
        (RunMode::Play, _) => words().play_hint,
        (RunMode::Step, true) => words().step_hint,
        (RunMode::Step, false) => words().nothing_due,
    });
    let label = text(move || if is_running() { words().pause } else { words().run });
    button("btn btn-main", "run", || runtime.go())
        .disabled(move || !can_go())
        .title(title)
        .with(live(move || icon(if is_running() { Glyph::Pause } else { Glyph::Play })))
        .with(el("span", "").with(label))
}

fn pass_button(runtime: &'static Runtime, seconds: u64, class: &str, test_id: &str) -> El {
    let label = text(move || (words().in_span_short)(seconds));
    button(class, test_id, move || runtime.pass(Duration::from_secs(seconds))).with(label)
}

/// The line of time: what happened, the thumb at now, what is due.
pub fn scrubber(runtime: &'static Runtime) -> El {
    let now = text(|| format!("{} s", clock(runtime.coarse_now.get())));
    let events = text(|| (words().events_so_far)(runtime.mirror.events.get()));
    let draw = || {
        runtime.mirror.events.track();
        let due = runtime.mirror.deadlines.get().into_iter().map(|(at, _)| at);
        let marks = runtime.with_record(marks::marks);
        marks::line(runtime.axis.get(), &marks, &due.collect::<Vec<_>>())
    };
    let read = el("p", "clock-read")
        .with(el("b", "num").test("now").with(now.clone()))
        .with(el("span", "num").with(events));
    el("section", "panel scrub")
        .label(word(|words| words.clock_label_now))
        .with(read)
        .with(drawing("track", Some(now), &runtime.now, draw))
}
