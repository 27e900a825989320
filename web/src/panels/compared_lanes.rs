//! The lanes in which two branches differ: those of each branch below its name, all on one axis.

use leptos::html::Canvas;
use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sim::record::Record;
use lictor_view::timeline::axis_labels::labels;
use lictor_view::timeline::branch_lanes::BranchLanes;
use lictor_view::timeline::draw_context::DrawnLane;
use lictor_view::timeline::grid;

use crate::components::drawing::use_page_width;
use crate::components::{Drawing, use_axis_width};
use crate::platform::words::{language, words};

#[component]
pub fn ComparedLanes(
    /// The names of the branches.
    names: [String; 2],
    records: [Record; 2],
    /// The time up to which they are compared.
    until: Instant,
) -> impl IntoView {
    let now = Signal::stored(until);
    let drawing = NodeRef::<Canvas>::new();
    let (width, page) = (use_axis_width(drawing), use_page_width(drawing));
    let compared = Memo::new_with_compare(
        move |_| BranchLanes::new(language(), page.get(), records.each_ref(), until),
        |_, _| true,
    );
    let lane =
        move |DrawnLane { class, height, title: [name, below], label, shapes }: &DrawnLane| {
            let shapes = shapes.clone();
            view! {
                <div class=*class style=("--drawn", format!("{height}px"))>
                    <div class="lane-name">
                        <span title=name.clone()>
                            <b>{name.clone()}</b>
                            <small>{below.clone()}</small>
                        </span>
                    </div>
                    <Drawing label=label.clone() now draw=move || shapes.clone()/>
                </div>
            }
        };
    let branches = move || {
        let branch = |(name, lanes): (&String, &Vec<DrawnLane>)| {
            let lanes = lanes.iter().map(lane).collect_view();
            view! { <h3 class="compared-branch">{name.clone()}</h3> {lanes} }
        };
        compared.with(|compared| {
            let branches = names.iter().zip(&compared.lanes).filter(|(_, it)| !it.is_empty());
            branches.map(branch).collect_view()
        })
    };
    let ground = move || compared.with(|it| grid::background(&it.axis, Instant::EPOCH));
    let axis_labels = move || compared.with(|it| labels(&it.axis, width.get(), language()));
    view! {
        <div class="lanes compared-lanes" data-testid="compare-lanes">
            <Drawing class="ground" now draw=ground/>
            <div class="lane lane-axis">
                <div class="lane-name"><span>{move || words().time}</span></div>
                <Drawing node_ref=drawing now draw=axis_labels/>
            </div>
            {branches}
            <Drawing
                class="over"
                now
                draw=move || compared.with(|it| grid::overlay(&it.axis, None))
            />
        </div>
    }
}
