//! The timeline: lanes under one axis, as SVG with geometry in attributes (x in % of the axis, y in
//! px). A lane is drawn again when its track or the axis changes; with each frame only what ends at
//! now moves.

use std::rc::Rc;

use lictor_sandbox::format::clock;
use lictor_sandbox::i18n::Word;
use lictor_sandbox::settings::Spacing;
use lictor_sandbox::timeline::axis::Extent;
use lictor_sandbox::timeline::grid;
use lictor_sandbox::timeline::lane_id::LaneId;
use web_sys::Element;

use crate::desk::Desk;
use crate::panels::hand::handled;
use crate::panels::lanes::drawn_lanes;
use crate::panels::overview::overview;
use crate::panels::story::{Ending, story};
use crate::panels::why::why_strip;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{
    Choices, El, Glyph, Scroll, after_effects, button, decoration, drawing, effect, el, icon,
    segments, svg, text, word,
};
use crate::var::Var;

pub fn timeline(desk: &'static Desk, teacher: &'static Teacher) -> El {
    let runtime = desk.runtime;
    let heading = el("h2", "").attr("id", "h-timeline").with(word(|words| words.timeline));
    let spacings = segments("seg-small", word(|words| words.view.axis), spacings(runtime));
    let extents = segments("seg-small", word(|words| words.extent), extents(runtime));
    el("section", "panel timeline").attr("aria-labelledby", "h-timeline").with(parts![
        el("div", "head").with(parts![heading, spacings, extents, zooms(runtime), legend()]),
        story(teacher, Ending::Leave),
        lanes_view(runtime, |_| true),
        overview(runtime),
        why_strip(desk),
    ])
}

/// Those lanes that are wanted, under their axis.
pub fn lanes_view(runtime: &'static Runtime, is_wanted: impl Fn(&LaneId) -> bool + 'static) -> El {
    let lanes = el("div", "lanes-scroll").attr("tabindex", "0").attr("role", "group");
    let scroll = Rc::new(Var::new(Scroll { top: 0.0, height: 480.0 }));
    let ground = || grid::ground(&runtime.axis.get(), runtime.begin.get());
    let ground = drawing("ground", None, &runtime.now, ground);
    let lanes = handled(runtime, lanes.label(word(|words| words.lanes)), &ground);
    let lanes = lanes.with(el("div", "lanes").test("lanes").with(parts![
        ground,
        axis_lane(runtime),
        drawn_lanes(runtime, scroll.clone(), is_wanted),
        drawing("over", None, &runtime.now, || grid::over(&runtime.axis.get())),
    ]));
    let (scrolled, element) = (lanes.node().clone(), lanes.node().clone());
    let lanes = lanes.on("scroll", move |_| scroll.show(Scroll::of(&element)));
    effect(move || {
        runtime.mirror.events.track();
        let scrolled = scrolled.clone();
        after_effects(move || {
            let share = runtime.axis.now().fraction(runtime.now.now());
            keep_in_view(&scrolled, share);
        });
    });
    lanes
}

fn spacings(runtime: &'static Runtime) -> Choices {
    let options = [
        (Spacing::Time, word(|words| words.time), "axis-time"),
        (Spacing::Order, word(|words| words.view.order), "axis-order"),
    ];
    Choices::of(options, || settings().spacing.get(), |picked| runtime.set_spacing(picked))
}

fn extents(runtime: &'static Runtime) -> Choices {
    let options = [
        (Extent::Whole, word(|words| words.extent_whole), "axis-whole"),
        (Extent::Minute, word(|words| words.extent_minute), "axis-minute"),
    ];
    Choices::of(options, || runtime.extent.get(), |picked| runtime.set_extent(picked))
}

/// What the wheel does, by buttons.
fn zooms(runtime: &'static Runtime) -> El {
    let zoom = |glyph: Glyph, test_id: &str, times: f64, says: Word| {
        let zoom = button("btn btn-icon btn-small", test_id, move || runtime.zoom_here(times));
        zoom.label(word(says)).title(word(says)).with(icon(glyph))
    };
    let out = zoom(Glyph::Minus, "zoom-out", 2.0, |words| words.view.zoom_out);
    let out = out.disabled(|| runtime.extent.get() == Extent::Whole);
    let near = zoom(Glyph::Plus, "zoom-in", 0.5, |words| words.view.zoom_in);
    el("span", "zooms").with(out).with(near)
}

/// On a narrow page the lanes are wider than their box: when something has happened, now comes
/// into it.
fn keep_in_view(scrolled: &Element, share: f64) {
    let (whole, seen) = (f64::from(scrolled.scroll_width()), f64::from(scrolled.client_width()));
    if whole > seen {
        scrolled.set_scroll_left((share * whole - seen / 2.0) as i32);
    }
}

fn legend() -> El {
    let dot = |class: &str| {
        let dot = svg("circle", class).attr("cx", "4").attr("cy", "4").attr("r", "3.25");
        sized("8", "8").with(dot)
    };
    let bar = |class: &str| {
        let bar = svg("rect", class).attr("x", ".5").attr("y", ".5");
        bar.attr("width", "15").attr("height", "11")
    };
    let delay = sized("16", "12").with(bar("delay").attr("rx", "2"));
    let grace = sized("16", "12").with(bar("z-grace")).with(bar("z-hatch"));
    let two = sized("16", "12").with(bar("both-ground")).with(bar("both").attr("rx", "2"));
    let item = |class: &str, sign: El, name: Word| el("li", class).with(sign).with(word(name));
    el("ul", "legend push").label(word(|words| words.legend)).with(parts![
        item("", dot("try yes"), |words| words.legend_true),
        item("", dot("try"), |words| words.legend_false),
        item("", two, |words| words.legend_two_believers),
        item("", delay, |words| words.legend_lock_delay),
        item("opt", grace, |words| words.grace),
    ])
}

fn sized(width: &str, height: &str) -> El {
    decoration("").attr("width", width).attr("height", height)
}

fn axis_lane(runtime: &'static Runtime) -> El {
    let label = text(|| (words().axis_label)(&clock(runtime.coarse_now.get())));
    let draw = || grid::labels(&runtime.axis.get(), words().ahead);
    let name = text(|| match settings().spacing.get() {
        Spacing::Time => words().time,
        Spacing::Order => words().view.order,
    });
    let name = el("span", "").with(name);
    el("div", "lane lane-axis").with(el("div", "lane-name").with(name)).with(drawing(
        "",
        Some(label),
        &runtime.now,
        draw,
    ))
}
