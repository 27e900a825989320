//! Time: the buttons that move through it, and the line on which it is read and picked.

use lictor_sandbox::format::clock;
use lictor_sandbox::i18n::Word;
use lictor_sandbox::pacer::{RunMode, RunState};
use lictor_sandbox::timeline::marks;
use web_sys::Event;

use crate::panels::actors::sheet_button;
use crate::panels::hand::held;
use crate::parts;
use crate::runtime::{Place, Runtime};
use crate::settings::words;
use crate::ui::{El, Glyph, Part, Text, button, drawing, el, icon, live, text, word};

pub fn transport(runtime: &'static Runtime) -> El {
    let section = el("section", "panel transport").label(word(|words| words.run));
    section.with(ways(runtime)).with(sheet_button("btn btn-line narrow-only"))
}

/// The buttons that move through time.
pub fn ways(runtime: &'static Runtime) -> Part {
    let is_past = || matches!(runtime.place.get(), Place::Past { .. });
    let is_first = || runtime.mirror.reached.get() == 0;
    let can_go = move || is_past() || can_run(runtime);
    parts![
        end(Glyph::First, "first-event", |words| words.past.first, || runtime.to_first())
            .disabled(is_first),
        step(
            Glyph::Previous,
            "previous-event",
            |words| words.past.previous,
            || {
                runtime.step_back();
            }
        )
        .disabled(is_first),
        run_button(runtime),
        step(Glyph::Next, "next-event", |words| words.next_event, || runtime.step())
            .disabled(move || !can_go()),
        end(Glyph::Last, "last-event", |words| words.past.last, || runtime.to_last())
            .disabled(move || !is_past()),
    ]
}

fn step(glyph: Glyph, test_id: &str, says: Word, act: impl Fn() + 'static) -> El {
    button("btn btn-icon", test_id, act).label(word(says)).title(word(says)).with(icon(glyph))
}

/// A step to one of the ends, for which a narrow page has no room.
fn end(glyph: Glyph, test_id: &str, says: Word, act: impl Fn() + 'static) -> El {
    step(glyph, test_id, says, act).attr("class", "btn btn-icon ends")
}

/// Whether anything falls due.
fn can_run(runtime: &Runtime) -> bool {
    !runtime.mirror.deadlines.with(Vec::is_empty)
}

fn run_button(runtime: &'static Runtime) -> El {
    let is_running = || runtime.pace.get() == RunState::Running;
    let can_go = || {
        runtime.mode.get() == RunMode::Play
            || matches!(runtime.place.get(), Place::Past { .. })
            || can_run(runtime)
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

/// The line of time: what happened, the thumb at the cursor, what is due.
pub fn scrubber(runtime: &'static Runtime) -> El {
    el("section", "panel scrub")
        .label(word(|words| words.clock_label_now))
        .with(reading(runtime))
        .with(slider(runtime))
}

/// What time it is, and how many events have happened.
pub fn reading(runtime: &'static Runtime) -> El {
    let now = text(|| format!("{} s", clock(runtime.coarse_now.get())));
    let events = text(|| {
        let (reached, all) = (runtime.mirror.reached.get(), runtime.mirror.events.get());
        if reached == all {
            (words().events_so_far)(all)
        } else {
            (words().past.of_events)(reached, all)
        }
    });
    el("p", "clock-read")
        .with(el("b", "num").test("now").with(now))
        .with(el("span", "num").test("events-reached").with(events))
}

/// The line as a slider. The page's keys move it: arrows go by events.
fn slider(runtime: &'static Runtime) -> El {
    let draw = || {
        runtime.mirror.marks.track();
        let end = match runtime.place.get() {
            Place::End => None,
            Place::Past { end } => Some(end),
        };
        let due = runtime.mirror.deadlines.with(|due| due.iter().map(|(at, _)| *at).collect());
        let due = if end.is_none() { due } else { Vec::new() };
        let line = marks::Scrubber { forks: runtime.branches.with(marks::forks), due, end };
        runtime.with_whole(|record| line.shapes(&runtime.axis.get(), record.marks()))
    };
    let millis = |at: lictor_core::time::Instant| at.as_millis().to_string();
    let end = text(move || match runtime.place.get() {
        Place::End => millis(runtime.coarse_now.get()),
        Place::Past { end } => millis(end),
    });
    let at = text(move || millis(runtime.coarse_now.get()));
    let line = el("div", "slider").attr("role", "slider").attr("tabindex", "0").test("scrubber");
    let line = line.label(word(|words| words.past.scrubber)).attr("aria-valuemin", "0");
    let line = line.attr("aria-valuemax", end).attr("aria-valuenow", at);
    let line = line.attr("aria-valuetext", said(runtime));
    let drawn = drawing("track", None, &runtime.now, draw);
    line.with(drawn).on("pointerdown", drag(runtime)).on("pointermove", drag(runtime))
}

/// Where the cursor is, in a sentence.
fn said(runtime: &'static Runtime) -> Text {
    text(|| {
        let (reached, all) = (runtime.mirror.reached.get(), runtime.mirror.events.get());
        let at = clock(runtime.coarse_now.get());
        let latest = runtime.event(reached);
        let latest = latest.map_or_else(String::new, |row| words().said(&row));
        (words().past.place)(&at, (reached, all), &latest)
    })
}

/// Goes to where the pointer is, while it is down.
fn drag(runtime: &'static Runtime) -> impl Fn(&Event) + 'static {
    move |event| {
        held(event).into_iter().for_each(|place| runtime.seek(runtime.axis.now().at(place)));
    }
}
