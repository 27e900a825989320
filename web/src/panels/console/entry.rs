//! One command with what became of it.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::error::Reason;
use lictor_core::id::RequestId;
use lictor_core::time::Instant;

use super::Form;
use super::terminal::{Terminal, in_form};
use crate::console::{AnswerView, Answered, BodyView, Entry, Origin, Progress, Shown};
use crate::rows::Why;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::{Words, tenths};
use crate::ui::{Glyph, Icon, Tag, TagLook, live, text};

#[component]
pub fn EntryView(terminal: Terminal, form: RwSignal<Form>, number: u64) -> impl IntoView {
    let settings = use_settings();
    let runtime = terminal.runtime;
    let entry = terminal.entry(number)?;
    let (at, actor) = (entry.at, entry.actor.clone());
    let badge = runtime.with_record(|record| record.who(&actor).map(|who| who.badge))?;
    let name = actor.to_string();
    let outcome = outcome(runtime, &entry);
    let entry = Arc::new(entry);
    let command = {
        let entry = entry.clone();
        text(move || in_form(&entry, form.get()))
    };
    let status = text(move || status(settings.words(), &entry).unwrap_or_default());
    let asked = text(move || (settings.words().console.asked)(actor.as_str(), at));
    Some(view! {
        <span class="entry" data-testid="console-entry" data-actor=name>
            <span class="meta">
                <Tag badge look=TagLook::Small/>
                {asked}
                <span class="push" data-testid="console-status">{status}</span>
            </span>
            <span class="line" data-testid="console-command">
                <span class="ps" aria-hidden="true">"$ "</span>
                {command}
            </span>
            {outcome}
        </span>
    })
}

/// How far the command has come, in a line.
fn status(words: &Words, entry: &Entry) -> Option<String> {
    let words = &words.console;
    match &entry.progress {
        Progress::Kept { name, .. } => Some((words.kept)(name)),
        Progress::Cancelled { at } => Some((words.cancelled)(*at)),
        Progress::Answered(answered) => {
            let AnswerView { status, phrase, index, .. } = &answered.view;
            let line = (words.status)(*status, phrase, index.as_deref());
            let is_later = answered.at > entry.at;
            let later = is_later.then(|| format!("{} · ", (words.answered)(answered.at)));
            Some(later.unwrap_or_default() + &line)
        }
        Progress::Help | Progress::Sending | Progress::Waiting { .. } => None,
    }
}

/// What stands below the command.
fn outcome(runtime: Runtime, entry: &Entry) -> AnyView {
    match &entry.progress {
        Progress::Kept { value, .. } => {
            let value = value.clone();
            view! { <span class="answer" data-testid="console-answer">{value}</span> }.into_any()
        }
        Progress::Help => help(),
        Progress::Sending | Progress::Cancelled { .. } => ().into_any(),
        Progress::Waiting { id, since } => {
            let (id, since) = (*id, *since);
            view! { <Pending runtime id since/> }.into_any()
        }
        Progress::Answered(answered) => {
            let (answered, entry) = (answered.clone(), entry.clone());
            view! { <AnswerLines runtime answered entry/> }.into_any()
        }
    }
}

fn help() -> AnyView {
    let settings = use_settings();
    let text = live(move || {
        let lines = settings.words().console.help.map(|(form, text)| {
            view! { <span class="help-line"><b>{form}</b><span>{text}</span></span> }.into_any()
        });
        let lines = lines.into_iter().collect_view();
        view! { <span class="console-help" data-testid="console-help">{lines}</span> }
    });
    text.into_any()
}

/// A blocking query that waits: for how long already, and a way to give it up.
#[component]
fn Pending(runtime: Runtime, id: RequestId, since: Instant) -> impl IntoView {
    let settings = use_settings();
    let waited = text(move || {
        let waited = runtime.coarse_now.get().since(since);
        (settings.words().console.pending)(&tenths(waited))
    });
    view! {
        <span class="pending" data-testid="console-pending">
            <span class="num">{waited}</span>
            <button
                class="btn btn-small btn-line"
                type="button"
                on:click=move |_| runtime.cancel(id)
                data-testid="console-cancel"
            >
                {word(|words| words.console.cancel)}
            </button>
        </span>
    }
}

#[component]
fn AnswerLines(runtime: Runtime, answered: Arc<Answered>, entry: Entry) -> impl IntoView {
    let view = &answered.view;
    let headers = (entry.shown == Shown::Headers).then(|| headers(view));
    let hint = (view.status == 405 && entry.origin == Origin::FromBody).then(|| {
        let text = word(|words| words.console.body_makes_post);
        view! { <span class="note" data-testid="console-hint">{text}</span> }.into_any()
    });
    let body = body(&view.body);
    let decoded = view.decoded.clone().into_iter().map(decoded).collect_view();
    let why = answered.why.clone().map(|why| view! { <ReasonStrip runtime why/> }.into_any());
    view! {
        {headers}
        {body}
        {decoded}
        {hint}
        {why}
    }
}

fn headers(view: &AnswerView) -> AnyView {
    let lines = view.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
    let text = lines.collect::<String>();
    view! { <span class="note headers" data-testid="console-headers">{text}</span> }.into_any()
}

fn body(body: &BodyView) -> Option<AnyView> {
    let text = match body {
        BodyView::Empty => return None,
        BodyView::Pretty(text) | BodyView::Text(text) => text.clone(),
        BodyView::Bytes { length } => {
            let (settings, length) = (use_settings(), *length);
            let text = text(move || (settings.words().console.bytes)(length));
            let view = view! { <span class="note" data-testid="console-answer">{text}</span> };
            return Some(view.into_any());
        }
    };
    Some(view! { <span class="answer" data-testid="console-answer">{text}</span> }.into_any())
}

fn decoded((key, value): (String, String)) -> AnyView {
    let settings = use_settings();
    let label = text(move || (settings.words().console.decoded)(&key));
    view! {
        <span class="decoded" data-testid="console-decoded">
            <span class="quiet">{label}</span>
            " "
            {value}
        </span>
    }
    .into_any()
}

/// Why it was refused, and the way to the moment when the reason is over.
#[component]
fn ReasonStrip(runtime: Runtime, why: Why) -> impl IntoView {
    let settings = use_settings();
    let over = match &why.reason {
        Reason::LockDelay { until, .. } => Some(*until),
        _ => None,
    };
    let run = over.map(|over| {
        let label = text(move || (settings.words().run_to)(over));
        let button = move || {
            view! {
                <button
                    class="btn btn-small"
                    type="button"
                    on:click=move |_| runtime.run_to(over)
                    data-testid="console-run-to"
                >
                    {label}
                </button>
            }
        };
        let is_ahead = Memo::new(move |_| runtime.now.get() < over);
        live(move || is_ahead.get().then(button))
    });
    let sentence = text(move || (settings.words().why)(&why));
    view! {
        <span class="reason" data-testid="console-reason">
            <Icon glyph=Glyph::Why/>
            <span>{sentence}</span>
            {run}
        </span>
    }
}
