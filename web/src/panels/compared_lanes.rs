//! The lanes in which two branches differ: those of each branch below its name, all on one axis.

use leptos::html::Canvas;
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::timeline::axis_labels::labels;
use lictor_view::timeline::branch_lanes::{BranchLane, BranchLanes};
use lictor_view::timeline::grid;

use crate::components::{Drawing, use_axis_width};
use crate::platform::words::{language, words};

#[component]
pub fn ComparedLanes(
    /// The names of the branches.
    names: [String; 2],
    lanes: BranchLanes,
    /// The time up to which they are compared.
    until: Instant,
) -> impl IntoView {
    let now = Signal::stored(until);
    let BranchLanes { axis, lanes } = lanes;
    let axis = StoredValue::new(axis);
    let drawing = NodeRef::<Canvas>::new();
    let width = use_axis_width(drawing);
    let lane =
        move |BranchLane { class, height, title: [name, below], label, shapes }: BranchLane| {
            view! {
                <div class=class style=("--drawn", format!("{height}px"))>
                    <div class="lane-name">
                        <span title=name.clone()><b>{name.clone()}</b><small>{below}</small></span>
                    </div>
                    <Drawing label now draw=move || shapes.clone()/>
                </div>
            }
        };
    let branches = names.into_iter().zip(lanes).filter(|(_, lanes)| !lanes.is_empty());
    let branches = branches.map(|(name, lanes)| {
        let lanes = lanes.into_iter().map(lane).collect_view();
        view! { <h3 class="compared-branch">{name}</h3> {lanes} }
    });
    view! {
        <div class="lanes compared-lanes" data-testid="compare-lanes">
            <Drawing
                class="ground"
                now
                draw=move || axis.with_value(|axis| grid::background(axis, Instant::EPOCH))
            />
            <div class="lane lane-axis">
                <div class="lane-name"><span>{move || words().time}</span></div>
                <Drawing
                    node_ref=drawing
                    now
                    draw=move || axis.with_value(|axis| labels(axis, width.get(), language()))
                />
            </div>
            {branches.collect_view()}
            <Drawing
                class="over"
                now
                draw=move || axis.with_value(|axis| grid::overlay(axis, None))
            />
        </div>
    }
}
