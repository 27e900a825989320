//! What happens next if nobody acts: the first deadlines, each a button that runs to it.

use core::time::Duration;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sandbox::view::rows::Deadline;

use crate::components::{Button, Hidden, page_id};
use crate::platform::settings::words;
use crate::state::controller::use_controller;

#[component]
pub fn NextUp() -> impl IntoView {
    let controller = use_controller();
    let deadlines = controller.store.deadlines;
    let items = move || {
        let due = deadlines.get().into_iter();
        due.map(|(at, deadline)| view! { <RunTo at deadline/> }).collect_view()
    };
    view! {
        <section class="panel next" aria-labelledby=page_id("h-next")>
            <div class="next-head">
                <h2 id=page_id("h-next")>{move || words().next_up}</h2>
                <span class="passes push">
                    <Pass seconds=1 test_id="plus-1"/>
                    <Pass seconds=10 test_id="plus-10"/>
                </span>
            </div>
            <Show when=move || !controller.is_veiled() fallback=|| view! { <Hidden/> }>
                <ol data-testid="next-up">{items}</ol>
            </Show>
            <Show when=move || !controller.is_veiled() && deadlines.with(Vec::is_empty)>
                <p class="quiet small">{move || words().next_up_nothing}</p>
            </Show>
        </section>
    }
}

/// The first deadline alone.
#[component]
pub fn Soonest() -> impl IntoView {
    let controller = use_controller();
    let deadlines = controller.store.deadlines;
    let first = move || {
        if controller.is_veiled() {
            return None;
        }
        let due = deadlines.with(|due| due.first().cloned());
        due.map(|(at, deadline)| view! { <RunTo at deadline/> })
    };
    view! { <ol class="soonest push" data-testid="next-up">{first}</ol> }
}

/// A button that lets a fixed span of time pass.
#[component]
fn Pass(seconds: u64, test_id: &'static str) -> impl IntoView {
    let controller = use_controller();
    let pass = move || controller.pass(Duration::from_secs(seconds));
    let disabled = Signal::derive(move || controller.is_veiled());
    view! {
        <Button class="btn btn-pass num" test_id disabled on_press=pass>
            {move || (words().in_span_short)(seconds)}
        </Button>
    }
}

#[component]
fn RunTo(at: Instant, deadline: Deadline) -> impl IntoView {
    let controller = use_controller();
    let name = Memo::new(move |_| (words().deadline)(&deadline));
    let left = move || (words().in_span)(at.since(controller.coarse_now.get()));
    let title = move || format!("{}: {}", (words().run_to)(at), name.get());
    view! {
        <li>
            <Button class="btn" test_id="run-to" title on_press=move || controller.run_to(at)>
                <b class="num">{left}</b>
                <span>{move || name.get()}</span>
            </Button>
        </li>
    }
}
