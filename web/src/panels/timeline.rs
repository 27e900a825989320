//! The timeline: lanes under one axis, as SVG with geometry in attributes (x in % of the axis, y in
//! px). A lane is drawn again when its track or the axis changes; with each frame only what ends at
//! now moves.

use leptos::html::Div;
use leptos::prelude::*;

use crate::desk::Desk;
use crate::panels::lanes::{Lane, lane_name};
use crate::panels::why::WhyStrip;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::clock;
use crate::timeline::axis::{Axis, Extent};
use crate::timeline::grid;
use crate::ui::{Choices, Drawing, Segments, after_effects, each, text};

const EXTENTS: [(Extent, &str); 2] =
    [(Extent::Whole, "axis-whole"), (Extent::Minute, "axis-minute")];

#[component]
pub fn Timeline(
    runtime: Runtime,
    desk: Desk,
    axis: Signal<Axis>,
    extent: RwSignal<Extent>,
) -> impl IntoView {
    let settings = use_settings();
    let lanes = move || runtime.mirror.lanes.keys().to_vec();
    let extent_words = move |extent| match extent {
        Extent::Whole => settings.words().extent_whole.to_owned(),
        Extent::Minute => settings.words().extent_minute.to_owned(),
    };
    let choices =
        Choices::of(EXTENTS, move || extent.get(), extent_words, move |picked| extent.set(picked));
    let list = each(lanes, lane_name, move |lane| view! { <Lane runtime axis lane/> });
    let scrolled = NodeRef::<Div>::new();
    Effect::new(move |_| {
        runtime.mirror.events.track();
        let share = axis.get_untracked().share(runtime.now.get_untracked());
        after_effects(move || keep_in_view(scrolled, share));
    });
    view! {
        <section class="panel timeline" aria-labelledby="h-timeline">
            <div class="head">
                <h2 id="h-timeline">{word(|words| words.timeline)}</h2>
                <Segments label=word(|words| words.extent) choices class="seg-small"/>
                <Legend/>
            </div>
            <div
                class="lanes-scroll"
                node_ref=scrolled
                tabindex="0"
                role="group"
                aria-label=word(|words| words.lanes)
            >
                <div class="lanes" data-testid="lanes">
                    <Drawing
                        draw=Box::new(move || grid::ground(axis.get()))
                        now=runtime.now
                        class="ground"
                    />
                    <AxisLane runtime axis/>
                    {list}
                    <Drawing
                        draw=Box::new(move || grid::over(axis.get()))
                        now=runtime.now
                        class="over"
                    />
                </div>
            </div>
            <WhyStrip runtime desk/>
        </section>
    }
}

/// On a narrow page the lanes are wider than their box: when something has happened, now comes
/// into it.
fn keep_in_view(scrolled: NodeRef<Div>, share: f64) {
    let Some(element) = scrolled.get_untracked() else { return };
    let (whole, seen) = (f64::from(element.scroll_width()), f64::from(element.client_width()));
    if whole > seen {
        element.set_scroll_left((share * whole - seen / 2.0) as i32);
    }
}

#[component]
fn Legend() -> impl IntoView {
    view! {
        <ul class="legend push" aria-label=word(|words| words.legend)>
            <li>
                <svg width="8" height="8" aria-hidden="true">
                    <circle class="try yes" cx="4" cy="4" r="3.25"/>
                </svg>
                {word(|words| words.legend_true)}
            </li>
            <li>
                <svg width="8" height="8" aria-hidden="true">
                    <circle class="try" cx="4" cy="4" r="3.25"/>
                </svg>
                {word(|words| words.legend_false)}
            </li>
            <li>
                <svg width="20" height="12" aria-hidden="true">
                    <rect class="delay" x=".5" y=".5" width="19" height="11" rx="2"/>
                </svg>
                {word(|words| words.legend_lock_delay)}
            </li>
            <li class="opt">
                <svg width="20" height="12" aria-hidden="true">
                    <rect class="z-grace" x=".5" y=".5" width="19" height="11"/>
                    <rect class="z-hatch" x=".5" y=".5" width="19" height="11"/>
                </svg>
                {word(|words| words.grace)}
            </li>
        </ul>
    }
}

#[component]
fn AxisLane(runtime: Runtime, axis: Signal<Axis>) -> impl IntoView {
    let settings = use_settings();
    let label = text(move || (settings.words().axis_label)(&clock(runtime.coarse_now.get())));
    let draw = move || grid::labels(axis.get(), settings.words().ahead);
    view! {
        <div class="lane lane-axis">
            <div class="lane-name"><span>{word(|words| words.time)}</span></div>
            <Drawing draw=Box::new(draw) now=runtime.now class="" label/>
        </div>
    }
}
