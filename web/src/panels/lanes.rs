//! The lanes of the timeline, each a name and a drawing, and the picture of all lanes for a file.
//! Of many lanes only those near the view are in the document.

use leptos::html::Div;
use leptos::prelude::*;
use lictor_view::timeline::draw_context::DrawContext;
use lictor_view::timeline::lane_id::LaneId;
use lictor_view::timeline::picture::{Picture, PictureLane};

use crate::components::crowd::{in_viewport, while_in_view};
use crate::components::{ActorBadge, Drawing, Scroll};
use crate::platform::words::language;
use crate::state::controller::{Controller, use_controller};
use crate::state::store::{Row, Version};

/// The number of lanes up to which all are in the document.
const ALL: usize = 72;
/// The height in pixels above and below the view whose lanes are in the document too.
const SPARE: f64 = 240.0;

type ListedLane = Row<LaneId, Version>;

/// The lanes of which `is_wanted` is true.
#[component]
pub fn Lanes(
    scroll: RwSignal<Scroll>,
    is_wanted: impl Fn(&LaneId) -> bool + Send + Sync + 'static,
) -> impl IntoView {
    let controller = use_controller();
    let window = Memo::new(move |_| {
        let (lanes, is_hidden) = (controller.store.lanes.list(), controller.is_hidden());
        let is_shown = |lane: &LaneId| is_wanted(lane) && !(is_hidden && lane.is_ahead());
        let shown = lanes.iter().filter(|lane| is_shown(&lane.key)).cloned().collect();
        window(shown, scroll.get())
    });
    let lane = |lane: ListedLane| view! { <Lane id=lane.key version=lane.signal/> };
    view! {
        <Space height=Signal::derive(move || window.with(|it| it.above))/>
        <For each=move || window.with(|it| it.lanes.clone()) key=|lane| lane.id children=lane/>
        <Space height=Signal::derive(move || window.with(|it| it.below))/>
    }
}

/// The lanes in the document, and the height of those above and below them in pixels.
#[derive(Clone, PartialEq)]
struct LaneWindow {
    lanes: Vec<ListedLane>,
    above: u32,
    below: u32,
}

/// Of many lanes those in view, with some spare ones; of few lanes all.
fn window(mut lanes: Vec<ListedLane>, scroll: Scroll) -> LaneWindow {
    let (mut y, mut above, mut below) = (0, 0, 0);
    if lanes.len() > ALL {
        lanes.retain(|lane| {
            let top = f64::from(y);
            y += lane.key.height();
            if f64::from(y) < scroll.top - SPARE {
                above = y;
                return false;
            }
            let is_seen = top < scroll.top + scroll.height + SPARE;
            below += if is_seen { 0 } else { lane.key.height() };
            is_seen
        });
    }
    LaneWindow { lanes, above, below }
}

/// Takes the place of lanes that are not in the document.
#[component]
fn Space(height: Signal<u32>) -> impl IntoView {
    view! {
        <div class="space">
            <svg aria-hidden="true" width="1" height=move || height.get().to_string()></svg>
        </div>
    }
}

#[component]
fn Lane(id: LaneId, version: ArcRwSignal<Version>) -> impl IntoView {
    let controller = use_controller();
    let lane = NodeRef::<Div>::new();
    let seen = in_viewport(lane);
    // Out of view the lane is not redrawn.
    let version = while_in_view(seen, move || version.get());
    // Reads the memo: `track` alone would not compute it, so that it would have no sources.
    let follow = move || {
        version.get();
    };
    let axis = while_in_view(seen, move || controller.axis.get());
    let now = while_in_view(seen, move || controller.now.get());
    let (test_id, badge) = controller.with_forecast(|ahead| {
        let badge = match &id {
            LaneId::Session(_, id) => ahead.record.tag(&id.to_string()).owner,
            LaneId::Connection((actor, ..)) => ahead.record.actor_tag(actor).cloned(),
            LaneId::Server
            | LaneId::Lock(..)
            | LaneId::Key(..)
            | LaneId::Takeover(_)
            | LaneId::Check(_)
            | LaneId::Slots(_)
            | LaneId::Resource(_) => None,
        };
        (id.test_id(ahead.record), badge)
    });
    let id = StoredValue::new(id);
    let draw = move || {
        follow();
        let axis = axis.get();
        controller.with_forecast(|ahead| {
            let former = controller.former.get_value();
            let context = DrawContext { language: language(), axis, until: ahead.until, former };
            id.with_value(|id| id.shapes(&context, ahead.record))
        })
    };
    let label = move || {
        follow();
        controller.store.reached.track();
        controller.with_record(|record| id.with_value(|id| id.label(language(), record)))
    };
    let class = move || {
        follow();
        controller.with_forecast(|ahead| id.with_value(|id| id.class(ahead.record)))
    };
    let title = Memo::new(move |_| {
        follow();
        controller.with_forecast(|ahead| id.with_value(|id| id.title(language(), ahead.record)))
    });
    let name = move || title.with(|[name, _]| name.clone());
    let parts = move || title.with(|[name, _]| parts(name));
    view! {
        <div node_ref=lane class=class data-testid=test_id>
            <div class="lane-name">
                {badge.map(|actor| view! { <ActorBadge badge=Some(actor.badge)/> })}
                <span title=name>
                    <b>{parts}</b>
                    <small>{move || title.with(|[_, below]| below.clone())}</small>
                </span>
            </div>
            <Drawing label now draw/>
        </div>
    }
}

/// A name in which a line may break after each slash.
fn parts(name: &str) -> impl IntoView + use<> {
    let parts = name.split_inclusive('/').map(str::to_owned);
    parts.map(|part| view! { {part} <wbr/> }).collect_view()
}

/// All lanes as the text of an SVG file.
pub fn picture(controller: Controller) -> String {
    let (language, now) = (language(), controller.now.get_untracked());
    let (axis, begin) = (controller.axis.get_untracked(), controller.begin.get_untracked());
    let is_hidden = controller.forecast_visibility.get_untracked().is_hidden();
    let former = controller.former.get_value();
    let mut lanes = controller.store.lanes.current_keys();
    lanes.retain(|lane| !(is_hidden && lane.is_ahead()));
    controller.with_forecast(|ahead| {
        let context = DrawContext { language, axis: axis.clone(), until: ahead.until, former };
        let lane = |lane: LaneId| PictureLane {
            name: lane.title(language, ahead.record),
            height: lane.height_in_picture(ahead.record),
            shapes: lane.shapes(&context, ahead.record),
        };
        let lanes = lanes.into_iter().map(lane).collect();
        Picture { language, axis: &axis, now, is_hidden, begin, lanes }.text()
    })
}
