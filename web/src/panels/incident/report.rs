//! The answers of an incident: for each key a line with its state and a sentence; then the picture,
//! what is missing, the reasons of each answer, when the lists were taken, what the end of each
//! session does, and, closed at first, what was observed, what was not used, and what the world
//! assumes.

use std::collections::HashMap;

use leptos::html::Details;
use leptos::prelude::*;
use lictor_incident::Missing;

use super::picture::ObservedPicture;
use crate::components::{Button, CopyButton, focus};
use crate::platform::words::words;
use crate::state::incident_reader::{Asked, IncidentReader, IncidentReport, KeyAnswer, TakenList};
use crate::state::live_reader::LiveReader;

/// The test id of the first sentence.
pub const ANSWER: &str = "incident-answer-1";
/// The id of the answers among the lists with a limit.
const ANSWERS: &str = "incident-answers";
/// How many items of a list are shown at first, and how many more a press shows.
const FIRST: usize = 20;
const MORE: usize = 100;

/// How many items of each list are shown, for those of which the reader wanted more.
type Limits = RwSignal<HashMap<&'static str, usize>>;

#[component]
pub fn Report() -> impl IntoView {
    let reader = expect_context::<IncidentReader>();
    provide_context(OpenParts::default());
    provide_context(Limits::default());
    // The first sentence takes the focus, so that it is read out.
    let live = expect_context::<LiveReader>();
    Effect::new(move |had: Option<bool>| {
        let has = reader.report.with(Option::is_some);
        // A cluster that is followed has new answers at any time.
        let is_followed = live.is_on.get_untracked() && had == Some(true);
        if has && !is_followed {
            request_animation_frame(|| drop(focus(ANSWER)));
        }
        has
    });
    view! {
        {move || reader.report.get().map(|report| answers(&report))}
        <ObservedPicture/>
        {move || reader.report.get().map(|report| grounds(&report))}
    }
}

/// The line and the sentence of each key.
fn answers(report: &IncidentReport) -> impl IntoView + use<> {
    let has_keys = report.has_key_list();
    let no_answer = report.answers.is_empty().then(|| {
        view! {
            <article class="incident-answer">
                <p class="incident-headline" tabindex="-1" data-testid=ANSWER>
                    {move || (words().incident.no_answer)(has_keys)}
                </p>
            </article>
        }
    });
    let answers = report.answers.iter().cloned().enumerate().take(limit(ANSWERS));
    let answers = answers.map(|(index, answer)| view! { <Answer index answer/> }).collect_view();
    view! { {no_answer} {answers} {more(ANSWERS, report.answers.len())} }
}

/// What the answers rest on, and what is not known.
fn grounds(report: &IncidentReport) -> impl IntoView + use<> {
    let grounds = report.answers.iter().cloned().enumerate().take(limit(ANSWERS));
    let grounds = grounds.map(|(index, answer)| view! { <Grounds index answer/> }).collect_view();
    let effects = report.effects.clone();
    let (unused, assumptions) = (report.unused.len(), report.assumptions.len());
    view! {
        {missing(report.missing.clone())}
        {grounds}
        {lists(report.lists.clone())}
        {(!effects.is_empty())
            .then(|| view! {
                <section class="incident-part" data-testid="incident-effects">
                    <h3>{move || words().incident.if_destroyed}</h3>
                    {first_of("incident-effects", effects)}
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
            Signal::derive(move || (words().incident.not_used)(unused)),
            report.unused.clone(),
            false,
        )}
        {details(
            "incident-assumptions",
            Signal::derive(move || (words().incident.assumes)(assumptions)),
            report.assumptions.clone(),
            true,
        )}
    }
}

#[component]
fn Answer(index: usize, answer: KeyAnswer) -> impl IntoView {
    let KeyAnswer { headline, sentence, .. } = answer;
    let (kind, rest) = headline.split_once(' ').unwrap_or((&headline, ""));
    let (kind, rest) = (kind.to_owned(), rest.to_owned());
    view! {
        <article class="incident-answer">
            <div tabindex="-1" data-testid=format!("incident-answer-{}", index + 1)>
                <p class="incident-headline"><strong>{kind}</strong>" "{rest}</p>
                <p>{sentence}</p>
            </div>
        </article>
    }
}

/// The reasons of an answer, the sessions that have asked for the key, and the commands that would
/// help.
#[component]
fn Grounds(index: usize, answer: KeyAnswer) -> impl IntoView {
    let KeyAnswer { key, reasons, asked, commands, .. } = answer;
    let asked = asked.into_iter().map(|Asked { name, times, last, in_vain }| {
        view! { <li>{move || (words().incident.asked)(&name, times, &last, in_vain)}</li> }
    });
    let commands = commands.into_iter().enumerate().map(|(at, text)| {
        view! { <Command test_id=format!("incident-command-{}-{}", index + 1, at + 1) text/> }
    });
    view! {
        <article class="incident-part incident-grounds">
            <h3>{key}</h3>
            {list(reasons)}
            <ul>{asked.collect_view()}</ul>
            {commands.collect_view()}
        </article>
    }
}

/// What was not shown: what it would show, and how to get it.
fn missing(missing: Vec<Missing>) -> Option<impl IntoView> {
    let items =
        missing.into_iter().enumerate().map(|(at, Missing { what, shows, command, .. })| {
            view! {
                <li>
                    {what}<br/>
                    <span class="quiet">{move || (words().incident.shows)(&shows)}</span>
                    <Command test_id=format!("incident-missing-{}", at + 1) text=command/>
                </li>
            }
        });
    let items = items.collect_view();
    (!items.is_empty()).then(|| {
        view! {
            <section class="incident-part" data-testid="incident-missing">
                <h3>{move || words().incident.missing}</h3>
                <ul>{items}</ul>
            </section>
        }
    })
}

/// When each list was taken, and what says so. If nothing does, this is open.
fn lists(lists: Vec<TakenList>) -> Option<impl IntoView> {
    let has_assumed = lists.iter().any(|list| list.by.is_assumed());
    let item = |TakenList { list, as_of, by }: TakenList| {
        let text = move || (words().incident.taken)(&list, &as_of, by);
        view! { <li class:is-warn=by.is_assumed()>{text}</li> }
    };
    (!lists.is_empty()).then(|| {
        view! {
            <Part
                test_id="incident-lists"
                heading=Signal::derive(|| words().incident.lists.to_owned())
                is_open=has_assumed
            >
                <ul>{lists.into_iter().map(item).collect_view()}</ul>
            </Part>
        }
    })
}

/// A command of a shell, to copy. It is not sent from here.
#[component]
pub fn Command(#[prop(into)] test_id: String, text: String) -> impl IntoView {
    view! {
        <p class="incident-command">
            <code>{text.clone()}</code>
            <CopyButton class="btn btn-small btn-line" test_id text=Signal::stored(Some(text))/>
        </p>
    }
}

/// How many items of a list are shown. Subscribes.
fn limit(id: &'static str) -> usize {
    expect_context::<Limits>().with(|limits| limits.get(id).copied()).unwrap_or(FIRST)
}

/// A button that shows more items of a list; nothing if all are shown. Subscribes.
fn more(id: &'static str, count: usize) -> Option<impl IntoView> {
    let limits = expect_context::<Limits>();
    let rest = count.saturating_sub(limit(id));
    let press = move || limits.update(|limits| *limits.entry(id).or_insert(FIRST) += MORE);
    (rest > 0).then(|| {
        view! {
            <Button
                class="btn btn-small btn-line"
                test_id=format!("{id}-more")
                focus_fallback=ANSWER
                on_press=press
            >
                {move || (words().incident.more)(rest.min(MORE), rest)}
            </Button>
        }
    })
}

/// The first texts of a list, and a button for more of them.
fn first_of(id: &'static str, mut texts: Vec<String>) -> impl IntoView {
    let count = texts.len();
    texts.truncate(limit(id));
    view! { {list(texts)} {more(id, count)} }
}

fn list(texts: Vec<String>) -> impl IntoView {
    let items = texts.into_iter().map(|text| view! { <li>{text}</li> });
    view! { <ul>{items.collect_view()}</ul> }
}

/// The parts that the reader has opened or closed, which stay so in the next report.
type OpenParts = StoredValue<HashMap<&'static str, bool>>;

/// A part of the report under a heading, open at first if `is_open` says so.
#[component]
fn Part(
    test_id: &'static str,
    heading: Signal<String>,
    is_open: bool,
    children: Children,
) -> impl IntoView {
    let parts = expect_context::<OpenParts>();
    let is_open = parts.with_value(|parts| parts.get(test_id).copied()).unwrap_or(is_open);
    let details = NodeRef::<Details>::new();
    // The browser opens or closes it after the click.
    let press = move |_| {
        if let Some(details) = details.get_untracked() {
            parts.update_value(|parts| {
                parts.insert(test_id, !details.open());
            });
        }
    };
    view! {
        <details node_ref=details class="incident-part" data-testid=test_id open=is_open>
            <summary on:click=press>{move || heading.get()}</summary>
            {children()}
        </details>
    }
}

/// A list under a heading; nothing if it is empty.
fn details(
    test_id: &'static str,
    heading: Signal<String>,
    texts: Vec<String>,
    is_open: bool,
) -> Option<impl IntoView> {
    (!texts.is_empty()).then(|| {
        view! {
            <Part test_id heading is_open>{first_of(test_id, texts)}</Part>
        }
    })
}
