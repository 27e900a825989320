//! What happens next if nobody acts, or in the past what is recorded next: each a button that runs
//! to it.

use core::time::Duration;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sandbox::card_texts;
use lictor_sandbox::view::rows::Upcoming;
use lictor_sim::record::EventSource;

use crate::components::{ActorBadge, Button, Hidden, page_id};
use crate::platform::settings::words;
use crate::state::controller::{CursorPosition, use_controller};

#[component]
pub fn NextUp() -> impl IntoView {
    let controller = use_controller();
    let next_up = controller.store.next_up;
    let items = move || {
        let next = next_up.get().into_iter();
        next.map(|(at, upcoming)| view! { <RunTo at upcoming/> }).collect_view()
    };
    let heading = move || match controller.cursor.get() {
        CursorPosition::End => words().next_up,
        CursorPosition::Past { .. } => words().next_recorded,
    };
    let nothing = move || match controller.cursor.get() {
        CursorPosition::End => words().next_up_nothing,
        CursorPosition::Past { .. } => words().next_up_end,
    };
    view! {
        <section class="panel next" aria-labelledby=page_id("h-next")>
            <div class="next-head">
                <h2 id=page_id("h-next")>{heading}</h2>
                <Show when=move || !controller.is_veiled()>
                    <span class="passes push">
                        <Pass seconds=1 test_id="plus-1"/>
                        <Pass seconds=10 test_id="plus-10"/>
                    </span>
                </Show>
            </div>
            <Show when=move || !controller.is_veiled() fallback=|| view! { <Hidden/> }>
                <ol data-testid="next-up">{items}</ol>
            </Show>
            <Show when=move || !controller.is_veiled() && next_up.with(Vec::is_empty)>
                <p class="quiet small">{nothing}</p>
            </Show>
        </section>
    }
}

/// The first of them alone.
#[component]
pub fn Soonest() -> impl IntoView {
    let controller = use_controller();
    let next_up = controller.store.next_up;
    let first = move || {
        if controller.is_veiled() {
            return None;
        }
        let next = next_up.with(|next| next.first().cloned());
        next.map(|(at, upcoming)| view! { <RunTo at upcoming/> })
    };
    view! { <ol class="soonest push" data-testid="next-up">{first}</ol> }
}

/// A button that lets a fixed span of time pass.
#[component]
fn Pass(seconds: u64, test_id: &'static str) -> impl IntoView {
    let controller = use_controller();
    let pass = move || controller.pass(Duration::from_secs(seconds));
    view! {
        <Button class="btn btn-pass num" test_id on_press=pass>
            {move || (words().in_span_short)(seconds)}
        </Button>
    }
}

#[component]
fn RunTo(at: Instant, upcoming: Upcoming) -> impl IntoView {
    let controller = use_controller();
    let badge = match &upcoming {
        Upcoming::Recorded(row) => match &row.source {
            EventSource::Actor(who) => Some(view! { <ActorBadge badge=who.badge/> }),
            EventSource::Server => None,
        },
        Upcoming::Due(_) => None,
    };
    let texts = Memo::new(move |_| {
        card_texts::next_up(words(), (at, &upcoming), controller.coarse_now.get())
    });
    let [left, name, short] =
        [0, 1, 2].map(|place| move || texts.with(|texts| texts[place].clone()));
    let title = move || format!("{}{}{}", (words().run_to)(at), words().colon, name());
    view! {
        <li>
            <Button class="btn" test_id="run-to" title on_press=move || controller.run_to(at)>
                <b class="num">{left}{badge}</b>
                <span data-testid="next-name">{short}</span>
            </Button>
        </li>
    }
}
