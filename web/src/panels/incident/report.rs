//! The answers of an incident: a sentence for each key with its reasons, what the end of each
//! session does, and, closed at first, what was observed, what was not used, and what the world
//! assumes.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::{Button, focus};
use crate::platform::clipboard::copy;
use crate::platform::words::{share_words, words};
use crate::state::incident_reader::{
    FailedAcquire, IncidentReader, IncidentReport, KeyAnswer, UnusedLine,
};

/// The test id of the first sentence.
pub const ANSWER: &str = "incident-answer-1";

#[component]
pub fn Report() -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    // The first sentence takes the focus, so that it is read out.
    Effect::new(move |_| {
        if reader.report.with(Option::is_some) {
            request_animation_frame(|| drop(focus(ANSWER)));
        }
    });
    move || reader.report.get().map(|report| of(&report))
}

fn of(report: &IncidentReport) -> impl IntoView + use<> {
    let answers = report.answers.iter().cloned().enumerate();
    let answers = answers.map(|(index, answer)| view! { <Answer index answer/> }).collect_view();
    let effects: Vec<String> = report.effects.iter().map(|it| it.sentence.clone()).collect();
    let has_effects = !effects.is_empty();
    let unused: Vec<String> = report.unused.iter().map(text_of_unused).collect();
    let unused_count = unused.len();
    let assumptions = report.assumptions.clone();
    let assumption_count = assumptions.len();
    view! {
        {answers}
        {has_effects
            .then(|| view! {
                <section class="incident-part" data-testid="incident-effects">
                    <h3>{move || words().incident.if_destroyed}</h3>
                    {list(effects)}
                </section>
            })}
        {details(
            "incident-observed",
            Signal::derive(|| words().incident.observed.to_owned()),
            report.observed.clone(),
            false,
        )}
        {details(
            "incident-unused",
            Signal::derive(move || (words().incident.not_used)(unused_count)),
            unused,
            false,
        )}
        {details(
            "incident-assumptions",
            Signal::derive(move || (words().incident.assumes)(assumption_count)),
            assumptions,
            true,
        )}
    }
}

#[component]
fn Answer(index: usize, answer: KeyAnswer) -> impl IntoView {
    let KeyAnswer { sentence, reasons, asked, commands } = answer;
    let asked = asked.into_iter().map(|FailedAcquire { name, times, last }| {
        view! { <li>{move || (words().incident.asked)(&name, times, &last)}</li> }
    });
    let commands = commands.into_iter().enumerate().map(|(at, text)| {
        view! { <Command test_id=format!("incident-command-{}-{}", index + 1, at + 1) text/> }
    });
    view! {
        <article class="incident-answer">
            <p tabindex="-1" data-testid=format!("incident-answer-{}", index + 1)>{sentence}</p>
            {list(reasons)}
            <ul>{asked.collect_view()}</ul>
            {commands.collect_view()}
        </article>
    }
}

/// A command of a shell, to copy: it changes the real cluster, and is not sent from here.
#[component]
fn Command(test_id: String, text: String) -> impl IntoView {
    let is_copied = RwSignal::new(false);
    let command = StoredValue::new(text.clone());
    let press = move || {
        let text = command.get_value();
        spawn_local(async move { is_copied.set(copy(&text).await) });
    };
    let label = move || {
        if is_copied.get() { words().copied } else { share_words().copy }
    };
    view! {
        <p class="incident-command">
            <code>{text}</code>
            <Button class="btn btn-small btn-line" test_id on_press=press>{label}</Button>
        </p>
    }
}

fn text_of_unused(unused: &UnusedLine) -> String {
    format!("{}:{}: {}", unused.source, unused.line, unused.reason)
}

fn list(texts: Vec<String>) -> impl IntoView {
    let items = texts.into_iter().map(|text| view! { <li>{text}</li> });
    view! { <ul>{items.collect_view()}</ul> }
}

/// A closed list under a heading; nothing if it is empty.
fn details(
    test_id: &'static str,
    heading: Signal<String>,
    texts: Vec<String>,
    is_open: bool,
) -> Option<impl IntoView> {
    (!texts.is_empty()).then(|| {
        view! {
            <details class="incident-part" data-testid=test_id open=is_open>
                <summary>{move || heading.get()}</summary>
                {list(texts)}
            </details>
        }
    })
}
