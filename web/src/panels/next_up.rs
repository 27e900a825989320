//! The list "next up": the next events if nobody acts or, in the past, the next recorded ones. Each
//! is a button that runs to it.

use core::time::Duration;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sim::record::{Badge, EventSource};
use lictor_view::rows::Upcoming;
use lictor_view::{badge, card_texts};

use crate::components::{Button, Glyph, Icon, page_id};
use crate::platform::words::{language, row_words, timeline_words, words};
use crate::state::controller::{Controller, CursorPosition, use_controller};
use crate::state::store::NEXT_UP;

#[component]
pub fn NextUp() -> impl IntoView {
    let controller = use_controller();
    let next_up = controller.store.next_up;
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
                <Show when=move || !controller.is_hidden()>
                    <span class="passes push">
                        <Pass seconds=1 test_id="plus-1"/>
                        <Pass seconds=10 test_id="plus-10"/>
                    </span>
                </Show>
            </div>
            <Show when=move || !controller.is_hidden() fallback=hidden>
                <ol data-testid="next-up">
                    {(0..NEXT_UP).map(|place| view! { <RunTo place/> }).collect_view()}
                </ol>
            </Show>
            <Show when=move || !controller.is_hidden() && next_up.with(Vec::is_empty)>
                <p class="quiet small">{nothing}</p>
            </Show>
        </section>
    }
}

/// The note in place of the events, which would give away the answer of an open question.
fn hidden() -> impl IntoView {
    view! {
        <p class="veiled" data-testid="veiled">
            <span><Icon glyph=Glyph::Hidden/>{move || timeline_words().hidden}</span>
        </p>
    }
}

/// The list with its first event only.
#[component]
pub fn Soonest() -> impl IntoView {
    view! {
        <ol class="soonest push" data-testid="next-up">
            <RunTo place=0/>
        </ol>
    }
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

/// The button at a place of the list. Its element stays while the event at that place changes.
#[component]
fn RunTo(place: usize) -> impl IntoView {
    let controller = use_controller();
    let next_up = controller.store.next_up;
    let texts = Memo::new(move |_| {
        if controller.is_hidden() {
            return None;
        }
        next_up.with(|next| {
            let (at, upcoming) = next.get(place)?;
            let now = controller.coarse_now.get();
            Some((*at, card_texts::next_up(language(), (*at, upcoming), now)))
        })
    });
    let is_there = Memo::new(move |_| texts.with(Option::is_some));
    let client = Memo::new(move |_| {
        next_up.with(|next| next.get(place).and_then(|(_, next)| client_of(controller, next)))
    });
    // The element stays, as clients change in each frame of a busy world.
    let look = move || {
        client.get().map_or("next-who".into(), |it| format!("next-who {}", badge::class(it)))
    };
    let letter = move || client.get().map(Badge::letters).unwrap_or_default();
    let text = move |place: usize| {
        texts.with(|texts| texts.as_ref().map_or_else(String::new, |(_, all)| all[place].clone()))
    };
    let at = move || texts.with(|texts| texts.as_ref().map_or(Instant::EPOCH, |(at, _)| *at));
    let title = move || format!("{}{}{}", (words().run_to)(at()), row_words().colon, text(1));
    let button = move || {
        view! {
            <li>
                <Button
                    class="btn"
                    test_id="run-to"
                    title
                    on_press=move || controller.run_to(untrack(at))
                >
                    <b class="num">{move || text(0)}</b>
                    <span data-testid="next-name">
                        <b class=look>{letter}</b>
                        {move || text(2)}
                    </span>
                </Button>
            </li>
        }
    };
    move || is_there.get().then(button)
}

/// The badge of the client that acts in an event, or that the event happens to; `None` if there is
/// no such client.
fn client_of(controller: Controller, upcoming: &Upcoming) -> Option<Badge> {
    match upcoming {
        Upcoming::Recorded(row) => match &row.source {
            EventSource::Actor(actor) => Some(actor.badge),
            EventSource::Server => None,
        },
        Upcoming::Due(deadline) => controller.with_record_at_end(|record| {
            record.actor_tag(deadline.client()?).map(|client| client.badge)
        }),
    }
}
