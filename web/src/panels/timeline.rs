//! The panel of the timeline: the lanes under one axis, and below them the overview while they show
//! a part of it. The shapes of a lane are computed again when the record, the axis or the language
//! has changed, and only while the lane is in view. Between such changes a frame sets only the
//! values that depend on the time.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use leptos_use::use_resize_observer;
use lictor_core::time::Instant;
use lictor_desk::open_panels::OpenPanel;
use lictor_view::format::{clock, shown};
use lictor_view::pacer::RunState;
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;
use lictor_view::timeline::axis_labels::labels;
use lictor_view::timeline::grid;
use lictor_view::timeline::lane_id::{KeyLane, LaneId};
use lictor_view::timeline::shape::Shape;

use crate::components::{Drawing, Scroll, page_id, use_axis_width, use_one_column};
use crate::panels::lanes::{Lanes, PictureCanvas};
use crate::panels::lesson::guess_lane::GuessPins;
use crate::panels::overview::Overview;
use crate::panels::timeline_gestures::use_gestures;
use crate::panels::why::Beginning;
use crate::platform::settings::settings;
use crate::platform::words::{language, timeline_words, words};
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, use_controller};
use crate::state::lesson_reader::LessonReader;
use crate::state::open_panels::OpenPanels;

/// The id of the group of lanes.
pub const PICTURE: &str = "picture";

#[component]
pub fn Timeline() -> impl IntoView {
    let controller = use_controller();
    let lesson_reader = expect_context::<LessonReader>();
    let open = expect_context::<OpenPanels>();
    let are_all_shown = Memo::new(move |_| open.is_open(OpenPanel::Details));
    // A lesson on a narrow page has room for what its question is about.
    let is_narrow = use_one_column();
    let has_room = move |lane: &LaneId| {
        !(lane.is_ahead() && is_narrow.get() && lesson_reader.reading.with(Option::is_some))
    };
    let is_wanted = move |lane: &LaneId| {
        let is_listed = are_all_shown.get() || is_in_short(lesson_reader, lane) && has_room(lane);
        is_listed && is_possible(lesson_reader, lane)
    };
    let is_part = Memo::new(move |_| controller.extent.get() != Extent::Whole);
    view! {
        <section class="panel timeline" aria-label=move || timeline_words().timeline>
            <LanesView is_wanted/>
            <Show when=move || is_part.get()>
                <Overview/>
            </Show>
            <Beginning/>
        </section>
    }
}

/// Whether a lane can have anything to show: the one of former values only in a lesson with its
/// fix. Subscribes.
fn is_possible(lesson_reader: LessonReader, lane: &LaneId) -> bool {
    !matches!(lane, LaneId::Key(_, KeyLane::Former)) || lesson_reader.has_fix()
}

/// Whether a lane is shown without the details: in a lesson, those that it is about; in a sandbox,
/// the ones of locks, semaphores and sessions. Subscribes.
fn is_in_short(lesson_reader: LessonReader, lane: &LaneId) -> bool {
    lesson_reader.reading.with(|reading| match reading {
        Some(reading) => lane.belongs_to(&reading.lesson.scenario),
        None => !lane.is_detail(),
    })
}

/// The lanes of which `is_wanted` is true, under their axis.
#[component]
pub fn LanesView(is_wanted: impl Fn(&LaneId) -> bool + Send + Sync + 'static) -> impl IntoView {
    let controller = use_controller();
    let (list, canvas) = (NodeRef::<Div>::new(), NodeRef::<Canvas>::new());
    let width = use_axis_width(canvas);
    let now = visible_now(controller, width);
    let under = move || {
        let begin = controller.begin.get();
        controller.axis.with(|axis| grid::background(axis, begin))
    };
    let picture = PictureCanvas {
        canvas,
        now,
        under: Memo::new_with_compare(move |_| under(), |_, _| true),
        over: Memo::new_with_compare(move |_| above_lanes(controller), |_, _| true),
    };
    let scroll = RwSignal::new(Scroll::default());
    use_gestures(controller, list, canvas);
    let measure = move || {
        if let Some(list) = list.get_untracked() {
            scroll.set_if_changed(Scroll::of(&list));
        }
    };
    use_resize_observer(list, move |_, _| measure());
    view! {
        <div
            node_ref=list
            id=page_id(PICTURE)
            class="lanes-scroll"
            tabindex="0"
            role="group"
            aria-label=move || words().lanes
            on:scroll=move |_| measure()
        >
            <div class="lanes" data-testid="lanes">
                <Lanes scroll=scroll.into() is_wanted picture>
                    <AxisLane width now/>
                </Lanes>
                <GuessPins width/>
                <Show when=move || controller.is_hidden()>
                    <p class="visually-hidden">{move || timeline_words().hidden}</p>
                </Show>
            </div>
        </div>
    }
}

/// The time of the lanes; while it runs, in steps that a person sees: a pixel of the axis, or a
/// tenth of a second.
fn visible_now(controller: Controller, width: Signal<f64>) -> Signal<Instant> {
    let now = Memo::new(move |last: Option<&Instant>| {
        let (now, width) =
            (controller.lanes_now.get(), width.get() * window().device_pixel_ratio());
        let seen = |at: Instant| {
            let place = controller.axis.with(|axis| axis.fraction(at) * width);
            (shown(at), place.round() as i64)
        };
        let is_running = controller.pace.get() == RunState::Running;
        last.copied().filter(|last| is_running && seen(*last) == seen(now)).unwrap_or(now)
    });
    now.into()
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

#[component]
fn AxisLane(width: Signal<f64>, now: Signal<Instant>) -> impl IntoView {
    let controller = use_controller();
    let name = move || match settings().spacing.get() {
        Spacing::Time => words().time,
        Spacing::Order => words().view.order,
    };
    view! {
        <div class="lane lane-axis">
            <div class="lane-name"><span>{name}</span></div>
            <Drawing
                label=move || (words().axis_label)(&clock(controller.coarse_now.get()))
                now
                draw=move || {
                    let width = width.get();
                    controller.axis.with(|axis| labels(axis, width, language()))
                }
            />
        </div>
    }
}
