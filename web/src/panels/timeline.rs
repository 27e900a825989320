//! The panel of the timeline: the state of a key, the buttons that choose the lanes and the visible
//! part, the lanes under one axis, and below them the overview and the explanation of the latest
//! refusal. The shapes of a lane are computed again when the record, the axis or the language has
//! changed, and only while the lane is in view. Between such changes a frame sets only the values
//! that depend on the time.

use leptos::html::Div;
use leptos::{ev, prelude::*, svg};
use leptos_use::use_event_listener;
use lictor_view::format::clock;
use lictor_view::pacer::RunState;
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;
use lictor_view::timeline::axis_labels::labels;
use lictor_view::timeline::grid;
use lictor_view::timeline::lane_id::{KeyLane, LaneId};
use lictor_view::timeline::shape::Shape;

use crate::components::{
    Button, ChoiceOption, Drawing, Glyph, Icon, Scroll, Segments, page_id, use_width,
};
use crate::panels::lanes::Lanes;
use crate::panels::legend::Legend;
use crate::panels::lesson::guess_lane::GuessPins;
use crate::panels::overview::Overview;
use crate::panels::state_line::StateLine;
use crate::panels::timeline_gestures::use_gestures;
use crate::panels::why::WhyStrip;
use crate::platform::settings::settings;
use crate::platform::words::{Word, language, timeline_words, words};
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, use_controller};
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn Timeline() -> impl IntoView {
    let controller = use_controller();
    let lesson_reader = expect_context::<LessonReader>();
    let spacings = vec![
        ChoiceOption::new(Spacing::Time, || words().time, "axis-time"),
        ChoiceOption::new(Spacing::Order, || words().view.order, "axis-order"),
    ];
    let has_lesson = Memo::new(move |_| lesson_reader.reading.with(Option::is_some));
    let are_all_shown = RwSignal::new(false);
    let are_connections_shown = RwSignal::new(true);
    let is_on_paper = use_paper();
    let are_all_wanted = move || are_all_shown.get() || is_on_paper.get();
    let is_wanted = move |lane: &LaneId| {
        let is_listed = are_all_wanted() || is_in_lesson(lesson_reader, lane);
        let is_folded = matches!(lane, LaneId::Connection(_)) && !are_connections_shown.get();
        is_listed && !is_folded && is_possible(lesson_reader, lane)
    };
    // The axis of a lesson shows all of it.
    let extents = StoredValue::new(vec![
        ChoiceOption::new(Extent::Whole, || words().extent_whole, "axis-whole"),
        ChoiceOption::new(Extent::Recent, || words().extent_recent, "axis-recent"),
    ]);
    view! {
        <section class="panel timeline" aria-labelledby=page_id("h-timeline")>
            // A lesson has its question or its answer there.
            <Show when=move || !has_lesson.get()>
                <StateLine/>
            </Show>
            <div class="head">
                <h2 id=page_id("h-timeline")>{move || timeline_words().timeline}</h2>
                <Segments
                    class="seg-small"
                    label=move || words().view.axis
                    options=spacings
                    chosen=settings().spacing
                    on_pick=move |spacing| controller.set_spacing(spacing)
                />
                <Show when=move || !has_lesson.get() || controller.extent.get() != Extent::Whole>
                    <Segments
                        class="seg-small"
                        label=move || words().extent
                        options=extents.get_value()
                        chosen=controller.extent
                        on_pick=move |extent| controller.set_extent(extent)
                    />
                    <ZoomButtons/>
                </Show>
                <MoreLanes are_all_shown/>
                <Connections are_shown=are_connections_shown/>
                <Legend/>
            </div>
            <LanesView is_wanted/>
            <Show when=move || !has_lesson.get()>
                <Overview/>
                <WhyStrip/>
            </Show>
        </section>
    }
}

/// Whether the page is being printed: then all lanes are shown, as paper has no button for them.
fn use_paper() -> RwSignal<bool> {
    let is_on_paper = RwSignal::new(false);
    let _ = use_event_listener(window(), ev::beforeprint, move |_| is_on_paper.set(true));
    let _ = use_event_listener(window(), ev::afterprint, move |_| is_on_paper.set(false));
    is_on_paper
}

/// Whether a lane can have anything to show: the one of former values only in a lesson with its
/// fix. Subscribes.
fn is_possible(lesson_reader: LessonReader, lane: &LaneId) -> bool {
    !matches!(lane, LaneId::Key(_, KeyLane::Former)) || lesson_reader.has_fix()
}

/// Whether the open lesson shows a lane; without a lesson each one is shown. Subscribes.
fn is_in_lesson(lesson_reader: LessonReader, lane: &LaneId) -> bool {
    lesson_reader.reading.with(|reading| {
        reading.as_ref().is_none_or(|reading| lane.belongs_to(&reading.lesson.scenario))
    })
}

/// The button that shows and folds the lanes that the open lesson does not need.
#[component]
fn MoreLanes(are_all_shown: RwSignal<bool>) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let lanes = use_controller().store.lanes;
    let folded = Memo::new(move |_| {
        let all = lanes.list();
        let possible = all.iter().filter(|lane| is_possible(lesson_reader, &lane.key));
        possible.filter(|lane| !is_in_lesson(lesson_reader, &lane.key)).count()
    });
    view! {
        <Show when=move || folded.get() != 0>
            <Button
                class="btn btn-small btn-line"
                test_id="more-lanes"
                title=move || words().view.more_lanes_hint
                pressed=Signal::from(are_all_shown)
                on_press=move || are_all_shown.update(|it| *it = !*it)
            >
                {move || (words().view.more_lanes)(folded.get())}
            </Button>
        </Show>
    }
}

/// The button that shows and folds the lanes of connections, which there are only after a cut.
#[component]
fn Connections(are_shown: RwSignal<bool>) -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let lanes = use_controller().store.lanes;
    let is_there = Memo::new(move |_| {
        let all = lanes.list();
        let mut connections = all.iter().filter(|lane| matches!(lane.key, LaneId::Connection(_)));
        connections.any(|lane| is_in_lesson(lesson_reader, &lane.key))
    });
    view! {
        <Show when=move || is_there.get()>
            <Button
                class="btn btn-small btn-line"
                test_id="connections"
                title=move || words().view.connections_hint
                pressed=Signal::from(are_shown)
                on_press=move || are_shown.update(|it| *it = !*it)
            >
                {move || words().view.connections}
            </Button>
        </Show>
    }
}

/// The lanes of which `is_wanted` is true, under their axis.
#[component]
pub fn LanesView(is_wanted: impl Fn(&LaneId) -> bool + Send + Sync + 'static) -> impl IntoView {
    let controller = use_controller();
    let (list, ground) = (NodeRef::<Div>::new(), NodeRef::<svg::Svg>::new());
    let scroll = RwSignal::new(Scroll::default());
    use_gestures(controller, list, ground);
    let measure = move |_| {
        if let Some(list) = list.get_untracked() {
            scroll.set_if_changed(Scroll::of(&list));
        }
    };
    view! {
        <div
            node_ref=list
            class="lanes-scroll"
            tabindex="0"
            role="group"
            aria-label=move || words().lanes
            on:scroll=measure
        >
            <div class="lanes" data-testid="lanes">
                <Drawing
                    class="ground"
                    node_ref=ground
                    now=controller.now
                    draw=move || {
                        let begin = controller.begin.get();
                        controller.axis.with(|axis| grid::background(axis, begin))
                    }
                />
                <AxisLane/>
                <Lanes scroll is_wanted/>
                <GuessPins/>
                <Show when=move || controller.is_hidden()>
                    <p class="visually-hidden">{move || timeline_words().hidden}</p>
                </Show>
                <Drawing class="over" now=controller.now draw=move || above_lanes(controller)/>
            </div>
        </div>
    }
}

/// The line of now, and what lies ahead of it: hidden, or not computed yet.
fn above_lanes(controller: Controller) -> Vec<Shape> {
    let until = controller.store.forecast_until.get();
    let is_paused = controller.pace.get() == RunState::Paused;
    let is_hidden = controller.is_hidden();
    controller.axis.with(|axis| {
        let hidden = is_hidden.then(|| (timeline_words().hidden, timeline_words().hidden_short));
        let mut shapes = grid::overlay(axis, hidden);
        if is_paused && !is_hidden {
            shapes.extend(grid::not_computed(axis, until, language()));
        }
        shapes
    })
}

/// The buttons that zoom as the wheel does.
#[component]
fn ZoomButtons() -> impl IntoView {
    let controller = use_controller();
    let is_whole = Signal::derive(move || controller.extent.get() == Extent::Whole);
    view! {
        <span class="zooms">
            <ZoomButton
                glyph=Glyph::Minus
                test_id="zoom-out"
                times=2.0
                label=|| words().view.zoom_out
                disabled=is_whole
            />
            <ZoomButton
                glyph=Glyph::Plus
                test_id="zoom-in"
                times=0.5
                label=|| words().view.zoom_in
            />
        </span>
    }
}

#[component]
fn ZoomButton(
    glyph: Glyph,
    test_id: &'static str,
    times: f64,
    label: Word,
    #[prop(optional)] disabled: Signal<bool>,
) -> impl IntoView {
    let controller = use_controller();
    let text = move || label();
    view! {
        <Button
            class="btn btn-icon btn-small"
            test_id
            label=text
            title=text
            disabled
            on_press=move || controller.zoom_here(times)
        >
            <Icon glyph/>
        </Button>
    }
}

#[component]
fn AxisLane() -> impl IntoView {
    let controller = use_controller();
    let drawing = NodeRef::<svg::Svg>::new();
    let width = use_width(drawing);
    let name = move || match settings().spacing.get() {
        Spacing::Time => words().time,
        Spacing::Order => words().view.order,
    };
    view! {
        <div class="lane lane-axis">
            <div class="lane-name"><span>{name}</span></div>
            <Drawing
                label=move || (words().axis_label)(&clock(controller.coarse_now.get()))
                node_ref=drawing
                now=controller.now
                draw=move || {
                    let width = width.get();
                    controller.axis.with(|axis| labels(axis, width, language()))
                }
            />
        </div>
    }
}
