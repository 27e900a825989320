//! What happens next if nobody acts: the first deadlines, each a button that runs to it.

use leptos::prelude::*;
use lictor_core::time::Instant;

use crate::rows::Deadline;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::ui::{live, text};

#[component]
pub fn NextUp(runtime: Runtime) -> impl IntoView {
    let due = move || runtime.mirror.deadlines.get();
    let items = live(move || {
        due().into_iter().map(|(at, deadline)| view! { <Due runtime at deadline/> }).collect_view()
    });
    let nothing = live(move || {
        due().is_empty().then(|| {
            view! { <p class="quiet small">{word(|words| words.next_up_nothing)}</p> }
        })
    });
    view! {
        <section class="panel next" aria-labelledby="h-next">
            <h2 id="h-next">{word(|words| words.next_up)}</h2>
            <ol data-testid="next-up">{items}</ol>
            {nothing}
        </section>
    }
}

#[component]
fn Due(runtime: Runtime, at: Instant, deadline: Deadline) -> impl IntoView {
    let settings = use_settings();
    let left = text(move || (settings.words().in_span)(at.since(runtime.coarse_now.get())));
    let name = Signal::derive(move || (settings.words().deadline)(&deadline));
    let title = text(move || format!("{}: {}", (settings.words().run_to)(at), name.get()));
    view! {
        <li>
            <button
                class="btn"
                type="button"
                title=title
                on:click=move |_| runtime.run_to(at)
                data-testid="run-to"
            >
                <b class="num">{left}</b>
                <span>{name}</span>
            </button>
        </li>
    }
}
