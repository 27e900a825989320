//! What can be done about a key that cannot be locked, each with its command and its consequence.
//! It is computed only while it is open, as each consequence is that of a simulated branch.

use leptos::html::Details;
use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_view::rows::cures::{cures, is_closed};

use crate::platform::words::{row_words, words};
use crate::state::controller::use_controller;

#[component]
pub fn Cures(key: Key) -> impl IntoView {
    let controller = use_controller();
    let details = NodeRef::<Details>::new();
    let is_open = RwSignal::new(false);
    let closed_key = key.clone();
    let is_closed = Memo::new(move |_| {
        controller.store.reached.track();
        controller.store.branch.track();
        controller.with_view(|view| is_closed(view.world, &closed_key))
    });
    let found = Memo::new(move |_| {
        controller.store.reached.track();
        controller.store.branch.track();
        // While a question is open, its answer may be a consequence.
        if !is_open.get() || controller.is_hidden() {
            return Vec::new();
        }
        controller.with_view(|view| cures(view.world, view.record, &key))
    });
    let items = move || {
        let now = controller.coarse_now.get();
        let items = found.get().into_iter().map(|cure| {
            let command = cure.command.clone();
            let command = command.map(|command| view! { <code>{command}</code> });
            view! {
                <li class="cure">
                    {command}
                    <p>{(row_words().cure)(&cure, now)}</p>
                </li>
            }
        });
        items.collect_view()
    };
    view! {
        <details
            class="cures small"
            data-testid="cures"
            node_ref=details
            hidden=move || controller.is_hidden() || !is_closed.get()
            on:toggle=move |_| is_open.set(details.get_untracked().is_some_and(|it| it.open()))
        >
            <summary>{move || words().cures}</summary>
            <ul>{items}</ul>
        </details>
    }
}
