//! The picture of what the sources of an incident show: its lanes, in real time, on one canvas.

use std::sync::Arc;

use leptos::html::Canvas;
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::timeline::draw_context::DrawnLane;
use lictor_view::timeline::grid;
use lictor_view::timeline::lane_window::{AXIS, LaneWindow, PaintedLane};
use lictor_view::timeline::observed::ObservedLanes;

use crate::components::drawing::{use_page_width, use_painter, use_width};
use crate::components::painter::{ABOVE, LEFT, Painter, RIGHT};
use crate::platform::words::{language, words};
use crate::state::incident_reader::IncidentReader;

/// The room around the drawing of a lane, in pixels; the styles have the same number.
const ROOM: f64 = 4.0;

#[component]
pub fn ObservedPicture() -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    let canvas = NodeRef::<Canvas>::new();
    let page = use_page_width(canvas);
    let lanes = Memo::new_with_compare(
        move |_| {
            let report = reader.report.get()?;
            let lanes = ObservedLanes::new(language(), page.get(), &report.picture);
            (!lanes.lanes.is_empty()).then(|| Arc::new(lanes))
        },
        |_, _| true,
    );
    let has_lanes = Memo::new(move |_| lanes.with(Option::is_some));
    let left_out = move || lanes.with(|lanes| lanes.as_ref()?.left_out.clone());
    let rows = move || {
        let lanes = lanes.get();
        let rows = lanes.iter().flat_map(|lanes| &lanes.lanes).map(row);
        rows.collect_view()
    };
    let painted = move || {
        let height = use_painted_lanes(canvas, lanes);
        let height = move || format!("{}px", height.get());
        view! {
            <canvas
                class="lane-canvas"
                role="presentation"
                style:height=height
                node_ref=canvas
            ></canvas>
        }
    };
    view! {
        <Show when=move || has_lanes.get()>
            <section class="incident-part" data-testid="incident-picture">
                <h3>{move || words().incident.picture}</h3>
                <p class="quiet">{move || words().incident.picture_hint} " " {left_out}</p>
                <div class="lanes observed-lanes">
                    {painted()}
                    <div class="lane lane-axis">
                        <div class="lane-name"><span>"UTC"</span></div>
                    </div>
                    {rows}
                </div>
            </section>
        </Show>
    }
}

/// The name of a lane, and the label of its drawing.
fn row(lane: &DrawnLane) -> impl IntoView + use<> {
    let DrawnLane { class, height, title: [name, below], label, .. } = lane;
    view! {
        <div class=*class style=("--drawn", format!("{height}px"))>
            <div class="lane-name">
                <span title=name.clone()><b>{name.clone()}</b><small>{below.clone()}</small></span>
            </div>
            <div class="lane-drawing" role="img" aria-label=label.clone()></div>
        </div>
    }
}

/// Paints the lanes on a canvas, and returns the height that it has to have.
fn use_painted_lanes(
    canvas: NodeRef<Canvas>,
    lanes: Memo<Option<Arc<ObservedLanes>>>,
) -> Memo<f64> {
    let width = use_width(canvas);
    use_painter(canvas, move |painter| {
        if let (Some(width), Some(lanes)) = (width.get(), lanes.get()) {
            paint(painter, &lanes, width);
        }
    });
    let height = move || lanes.get().map_or(0.0, |lanes| window(&lanes).whole + 2.0 * ABOVE);
    Memo::new(move |_| height())
}

/// Where each lane is; all of them are painted.
fn window(lanes: &ObservedLanes) -> LaneWindow {
    let heights: Vec<u32> = lanes.lanes.iter().map(|lane| lane.height).collect();
    LaneWindow::new(&heights, ROOM, None)
}

fn paint(painter: &mut Painter, lanes: &ObservedLanes, width: f64) {
    let LaneWindow { painted, whole, .. } = window(lanes);
    let (axis, now) = (&lanes.axis, lanes.moment);
    painter.clear([width, whole + 2.0 * ABOVE]);
    painter.paint(&grid::background(axis, Instant::EPOCH), now, [0.0, whole]);
    painter.paint(&lanes.labels(width - LEFT - RIGHT), now, [0.0, AXIS]);
    for PaintedLane { index, top, height } in painted {
        painter.paint(&lanes.lanes[index].shapes, now, [top, height]);
    }
    painter.paint(&grid::overlay(axis, None), now, [0.0, whole]);
}
