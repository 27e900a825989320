//! The card of the health checks that clients have registered: the status of each, since when, and
//! the session that caused it.

use leptos::html::Li;
use leptos::prelude::*;
use lictor_core::store::catalog::CheckStatus;
use lictor_desk::i18n::Words;
use lictor_sim::record::CheckPath;
use lictor_view::rows::HealthCheckRow;

use crate::components::crowd::while_in_view;
use crate::components::{Glyph, Icon, crowd_class, in_view, page_id};
use crate::platform::words::{row_words, timeline_words, words};
use crate::state::controller::use_controller;
use crate::state::store::Row;

/// The card with all checks; nothing while there is none.
#[component]
pub fn HealthChecks() -> impl IntoView {
    let checks = use_controller().store.health_checks;
    let check = |row: Row<CheckPath, HealthCheckRow>| view! { <CheckLine row=row.signal/> };
    view! {
        <Show when=move || !checks.is_empty()>
            <article
                class="card"
                aria-labelledby=page_id("h-health-checks")
                data-testid="health-checks"
            >
                <div class="card-head">
                    <h2 class="plain" id=page_id("h-health-checks")>
                        {move || words().health_checks.heading}
                    </h2>
                </div>
                <ol class=move || crowd_class("health-checks", checks.len())>
                    <For each=move || checks.list().to_vec() key=|row| row.id children=check/>
                </ol>
            </article>
        </Show>
    }
}

#[component]
fn CheckLine(row: ArcRwSignal<HealthCheckRow>) -> impl IntoView {
    let line = NodeRef::<Li>::new();
    let (id, node) = row.with_untracked(|row| (row.id.to_string(), row.node.to_string()));
    let row = while_in_view(in_view(line), move || row.get());
    let status = Memo::new(move |_| row.with(|row| row.status.clone()));
    let test_id = format!("health-check-{id}");
    let about = Memo::new(move |_| row.with(|row| about(words(), row)));
    let since = Memo::new(move |_| row.with(since));
    view! {
        <li node_ref=line data-testid=test_id>
            {move || sign(&status.get())}
            <code title=node>{id}</code>
            <span class="quiet">{move || about.get()}</span>
            <p data-testid="health-check-status">{move || since.get()}</p>
        </li>
    }
}

/// The name of the sessions that a check follows, or its node, in a sentence.
fn about(words: &Words, row: &HealthCheckRow) -> String {
    match &row.follows {
        Some(name) => (words.health_checks.follows)(name),
        None => (timeline_words().check_of_node)(row.node.as_str()),
    }
}

fn since(row: &HealthCheckRow) -> String {
    (row_words().check_since)(&row.status, row.since, row.by.as_deref())
}

/// The sign of a status.
pub fn sign(status: &CheckStatus) -> impl IntoView + use<> {
    let (class, glyph) = match status {
        CheckStatus::Passing => ("is-ok", Glyph::Check),
        CheckStatus::Warning | CheckStatus::Other(_) => ("is-warn", Glyph::Alert),
        CheckStatus::Critical => ("is-danger", Glyph::Alert),
    };
    view! { <span class=class><Icon glyph small=true/></span> }
}
