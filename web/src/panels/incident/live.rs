//! What a page shows of a cluster that is followed, beside the answers: what is followed, whether
//! the cluster answers, and the last lines of the program that follows it.

use leptos::prelude::*;

use super::live_words;
use super::report::Command;
use crate::state::incident_reader::Followed;
use crate::state::live_reader::{
    Change, LiveFailure, LiveReader, SmallerPrefix, Snapshot, TooMany,
};

/// Serves a page that follows a cluster.
const COMMAND: &str = "lictor-agent incident --live 127.0.0.1:8500 --key jobs/leader --page";

/// What is followed, and whether it answers.
#[component]
pub fn LiveStatus() -> impl IntoView {
    let live = expect_context::<LiveReader>();
    let latest = move || live.latest.get();
    let is_old = move || {
        live.failure.get().is_some() || latest().is_some_and(|latest| latest.stale.is_some())
    };
    let text = move || match (live.failure.get(), latest()) {
        (Some(LiveFailure::NoProgram), _) => live_words().no_program.to_owned(),
        (Some(LiveFailure::Gone), _) => live_words().gone.to_owned(),
        (Some(LiveFailure::Busy), _) => (live_words().refused)("too many pages follow it already"),
        (Some(LiveFailure::Refused(reason)), _) => (live_words().refused)(&reason),
        (None, Some(latest)) => status(&latest),
        (None, None) => live_words().asks.to_owned(),
    };
    let answered = move || {
        let answered = latest()?.answered_at.clone()?;
        Some((live_words().answered)(&answered))
    };
    let has_no_program = move || live.failure.get() == Some(LiveFailure::NoProgram);
    let too_many = move || latest()?.too_many.as_ref().map(too_many);
    // The time changes too often to be read out.
    view! {
        <p role="status" data-testid="live-status" class:is-warn=is_old>{text}</p>
        <p data-testid="live-answered">{answered}</p>
        <Show when=has_no_program><Command test_id="live-command" text=COMMAND.to_owned()/></Show>
        {too_many}
    }
}

fn status(latest: &Snapshot) -> String {
    let words = live_words();
    if let Some(stale) = &latest.stale {
        return (words.stale)(stale.since.as_deref(), &stale.reason);
    }
    if !latest.has_answer() {
        return words.waits.to_owned();
    }
    let what = match &latest.wanted {
        Followed::Key(key) => key.clone(),
        Followed::Prefix(prefix) => (words.prefix)(prefix),
    };
    (words.follows)(&what, &latest.address, latest.has_log)
}

fn too_many(too_many: &TooMany) -> impl IntoView + use<> {
    let TooMany { keys, sessions, prefixes } = too_many;
    let (keys, sessions) = (*keys, *sessions);
    let smaller = |SmallerPrefix { prefix, keys, sessions }: SmallerPrefix| {
        view! { <li>{move || (live_words().smaller)(&prefix, keys, sessions)}</li> }
    };
    view! {
        <p data-testid="live-too-many">{move || (live_words().too_many)(keys, sessions)}</p>
        <ul>{prefixes.iter().cloned().map(smaller).collect_view()}</ul>
    }
}

/// The last lines of the program.
#[component]
pub fn LiveLines() -> impl IntoView {
    let live = expect_context::<LiveReader>();
    let lines = Memo::new(move |_| {
        let lines = live.latest.get().map(|latest| latest.lines.clone()).unwrap_or_default();
        lines.into_iter().rev().collect::<Vec<_>>()
    });
    let line = |Change { time, change, text }: Change| {
        view! { <li><span class="quiet num">{time}</span>" "<b>{change}</b>" "{text}</li> }
    };
    view! {
        <Show when=move || lines.with(|lines| !lines.is_empty())>
            <section class="incident-part" data-testid="live-lines">
                <h3>{move || live_words().lines}</h3>
                <ul>{move || lines.get().into_iter().map(line).collect_view()}</ul>
            </section>
        </Show>
    }
}
