//! The lanes of the timeline: their names as elements, the drawings of those near the view on one
//! canvas, and the picture of all lanes for a file.

use std::collections::HashMap;

use leptos::html::Canvas;
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::timeline::draw_context::DrawContext;
use lictor_view::timeline::lane_id::LaneId;
use lictor_view::timeline::lane_window::{LaneWindow, PaintedLane};
use lictor_view::timeline::page_width::PageWidth;
use lictor_view::timeline::picture::{PictureSize, SvgPicture};
use lictor_view::timeline::shape::Shape;

use crate::components::crowd::{in_viewport, while_in_view};
use crate::components::drawing::{marks, use_page_width, use_painter, use_width};
use crate::components::painter::ABOVE;
use crate::components::{ActorBadge, Scroll};
use crate::platform::look::look;
use crate::platform::words::language;
use crate::state::controller::{Controller, use_controller};
use crate::state::open_panels::OpenPanels;
use crate::state::store::{Row, RowId, Version};

/// The custom property of the styles with the room around the drawing of a lane, in pixels.
const ROOM: &str = "--lane-room";

type ListedLane = Row<LaneId, Version>;
/// The shapes of the lanes in the document.
type Drawings = RwSignal<HashMap<RowId, Memo<Vec<Shape>>>>;

/// The canvas of a picture, and what is painted on it besides the lanes.
#[derive(Clone, Copy)]
pub struct PictureCanvas {
    pub canvas: NodeRef<Canvas>,
    /// Virtual time, for shapes that follow it.
    pub now: Signal<Instant>,
    /// The shapes under the lanes.
    pub under: Memo<Vec<Shape>>,
    /// The shapes over the lanes.
    pub over: Memo<Vec<Shape>>,
}

/// The lanes of which `is_wanted` is true, below the axis.
#[component]
pub fn Lanes(
    scroll: Signal<Scroll>,
    is_wanted: impl Fn(&LaneId) -> bool + Send + Sync + 'static,
    picture: PictureCanvas,
    /// The axis.
    children: Children,
) -> impl IntoView {
    let controller = use_controller();
    let room = use_room();
    let is_on_paper = use_context::<OpenPanels>().map(|open| open.is_on_paper);
    let wanted = Memo::new(move |_| {
        let (lanes, is_hidden) = (controller.store.lanes.list(), controller.is_hidden());
        let is_shown =
            |lane: &&ListedLane| is_wanted(&lane.key) && !(is_hidden && lane.key.is_ahead());
        lanes.iter().filter(is_shown).cloned().collect::<Vec<_>>()
    });
    let window = Memo::new(move |_| {
        let heights = wanted
            .with(|lanes| lanes.iter().map(|lane| height(controller, lane)).collect::<Vec<_>>());
        let is_printed = is_on_paper.is_some_and(|it| it.get());
        let seen = |Scroll { top, height }| [top, top + height];
        LaneWindow::new(&heights, room.get(), (!is_printed).then(|| seen(scroll.get())))
    });
    let listed = Memo::new(move |_| {
        wanted.with(|lanes| lanes[window.with(|it| it.listed.clone())].to_vec())
    });
    let painted = Memo::new(move |_| {
        let on_canvas = |lane: &PaintedLane| wanted.with(|lanes| (lanes[lane.index].id, *lane));
        window.with(|window| window.painted.iter().map(on_canvas).collect::<Vec<_>>())
    });
    let drawings = Drawings::default();
    let page = use_page_width(picture.canvas);
    let lane = move |lane: ListedLane| {
        let is_painted =
            Memo::new(move |_| painted.with(|it| it.iter().any(|(id, _)| *id == lane.id)));
        view! { <Lane lane page is_painted=is_painted.into() drawings/> }
    };
    view! {
        <LaneCanvas picture window painted drawings/>
        {children()}
        <Space height=Signal::derive(move || window.with(|it| it.above))/>
        <For each=move || listed.get() key=|lane| lane.id children=lane/>
        <Space height=Signal::derive(move || window.with(|it| it.below))/>
    }
}

/// The height of the drawing of a lane. Subscribes.
fn height(controller: Controller, lane: &ListedLane) -> u32 {
    if let LaneId::Slots(_) = lane.key {
        lane.signal.track();
    }
    controller.with_forecast(|ahead| lane.key.height(ahead.record))
}

/// The room around the drawing of a lane, in pixels: a tall page has more.
fn use_room() -> Memo<f64> {
    let look = look();
    Memo::new(move |_| {
        look.track();
        let root = document().document_element();
        let style = root.and_then(|root| window().get_computed_style(&root).ok()?);
        let room = style.and_then(|style| style.get_property_value(ROOM).ok());
        room.and_then(|room| room.trim().trim_end_matches("px").parse().ok()).unwrap_or(0.0)
    })
}

/// Takes the place of lanes that are not in the document.
#[component]
fn Space(height: Signal<f64>) -> impl IntoView {
    view! {
        <div class="space">
            <svg aria-hidden="true" width="1" height=move || height.get().to_string()></svg>
        </div>
    }
}

/// Shows the part of the picture that is near the view.
#[component]
fn LaneCanvas(
    picture: PictureCanvas,
    window: Memo<LaneWindow>,
    painted: Memo<Vec<(RowId, PaintedLane)>>,
    drawings: Drawings,
) -> impl IntoView {
    let PictureCanvas { canvas, now, under, over } = picture;
    let width = use_width(canvas);
    let is_seen = in_viewport(canvas);
    use_painter(canvas, move |painter| {
        let (Some(width), true) = (width.get(), is_seen.get()) else { return };
        let (now, [top, height, all]) =
            (now.get(), window.with(|it| [it.top, it.height, it.whole]));
        let whole = [-top, all];
        painter.clear([width, height + 2.0 * ABOVE]);
        under.with(|shapes| painter.paint(shapes, now, whole));
        for (id, lane) in painted.get() {
            let place = [lane.top - top, lane.height];
            // The shapes of a lane that has left the document meanwhile are disposed.
            if let Some(shapes) = drawings.with(|drawings| drawings.get(&id).copied()) {
                shapes.try_with(|shapes| painter.paint(shapes, now, place));
            }
        }
        over.with(|shapes| painter.paint(shapes, now, whole));
    });
    let place = move |of: fn(&LaneWindow) -> f64| move || window.with(|it| format!("{}px", of(it)));
    view! {
        <canvas
            class="lane-canvas"
            role="presentation"
            style:top=place(|it| it.top)
            style:height=place(|it| it.height + 2.0 * ABOVE)
            data-marks=move || under.with(|under| over.with(|over| marks(under.iter().chain(over))))
            node_ref=canvas
        ></canvas>
    }
}

/// The name of a lane, and the label of its drawing.
#[component]
fn Lane(
    lane: ListedLane,
    page: Memo<PageWidth>,
    is_painted: Signal<bool>,
    drawings: Drawings,
) -> impl IntoView {
    let controller = use_controller();
    let shapes = use_shapes(lane.clone(), page, drawings);
    let drawn = {
        let lane = lane.clone();
        Memo::new(move |_| height(controller, &lane))
    };
    let Row { key: id, signal: version, .. } = lane;
    let class = id.class();
    let seen = while_in_view(is_painted, move || version.get());
    // Reads the memo: `track` alone would not compute it, so that it would have no sources.
    let follow = move || {
        seen.get();
    };
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
    let marks = move || is_painted.get().then(|| shapes.with(|shapes| marks(shapes))).flatten();
    let label = move || {
        follow();
        controller.store.reached.track();
        controller.with_record(|record| id.with_value(|id| id.label(language(), record)))
    };
    let title = Memo::new(move |_| {
        follow();
        controller.with_forecast(|ahead| id.with_value(|id| id.title(language(), ahead.record)))
    });
    let name = move || title.with(|[name, _]| name.clone());
    let parts = move || title.with(|[name, _]| parts(name));
    let height = move || format!("{}px", drawn.get());
    view! {
        <div class=class style=("--drawn", height) data-testid=test_id>
            <div class="lane-name">
                {badge.map(|actor| view! { <ActorBadge badge=Some(actor.badge)/> })}
                <span title=name>
                    <b>{parts}</b>
                    <small>{move || title.with(|[_, below]| below.clone())}</small>
                </span>
            </div>
            <div class="lane-drawing" role="img" aria-label=label data-marks=marks></div>
        </div>
    }
}

/// The shapes of a lane, added to the drawings while it is in the document. Those of lanes that are
/// not painted are not computed.
fn use_shapes(lane: ListedLane, page: Memo<PageWidth>, drawings: Drawings) -> Memo<Vec<Shape>> {
    let controller = use_controller();
    let Row { key, id, signal: version } = lane;
    let shapes = Memo::new_with_compare(
        move |_| {
            version.track();
            let (axis, page) = (controller.axis.get(), page.get());
            controller.with_forecast(|ahead| {
                let (former, until) = (controller.former.get_value(), ahead.until);
                let context = DrawContext { language: language(), axis, page, until, former };
                key.shapes(&context, ahead.record)
            })
        },
        |_, _| true,
    );
    drawings.update(|drawings| {
        drawings.insert(id, shapes);
    });
    // All drawings may be disposed already.
    on_cleanup(move || {
        let _ = drawings.try_update(|drawings| drawings.remove(&id));
    });
    shapes
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
        let (page, until) = (PictureSize::FILE.page, ahead.until);
        let context = DrawContext { language, axis: axis.clone(), page, until, former };
        let lanes = lanes.iter().map(|lane| lane.drawn(&context, ahead.record)).collect();
        SvgPicture { language, axis: &axis, now, is_hidden, begin, lanes }.text()
    })
}
