//! An entry of the console: a command of a client, and its answer. It has a button that cancels a
//! waiting query, and one that goes from a refusal to the time at which its reason ends.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::error::Reason;
use lictor_core::id::RequestId;
use lictor_core::time::Instant;
use lictor_desk::console::{
    AnswerParts, AnswerView, BodyView, Entry, EntryState, MethodSource, Note, ReceivedAnswer,
};
use lictor_sim::Problem;
use lictor_sim::record::ExplainedReason;
use lictor_view::format::{between, tenths};
use lictor_view::rows::Tense;

use super::prompt::INPUT;
use crate::components::{ActorBadge, Button, Glyph, Icon};
use crate::platform::words::{console_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::terminal::{Form, in_form};

#[component]
pub fn EntryView(entry: Entry, form: RwSignal<Form>) -> impl IntoView {
    let controller = use_controller();
    let entry = Arc::new(entry);
    let actor = controller.with_record(|record| record.actor_tag(&entry.actor).cloned());
    actor.map(|actor| {
        let (at, outcome) = (entry.at, outcome(&entry));
        let notes = entry.notes.iter().map(|note| note_line(note.clone())).collect_view();
        let command = {
            let entry = entry.clone();
            move || in_form(&entry, form.get())
        };
        let status = move || status(&entry).unwrap_or_default();
        let name = actor.name.to_string();
        let sent_by = {
            let name = name.clone();
            move || (console_words().asked)(&name, at)
        };
        view! {
            <span class="entry" data-testid="console-entry" data-actor=name>
                <span class="meta">
                    <ActorBadge badge=Some(actor.badge)/>
                    {sent_by}
                    <span class="push" data-testid="console-status">{status}</span>
                </span>
                <span class="line" data-testid="console-command">
                    <span class="ps" aria-hidden="true">"$ "</span>
                    {command}
                </span>
                {outcome}
                {notes}
            </span>
        }
    })
}

/// The state of a command in one line; `None` while it is sent, or if its content shows the state.
fn status(entry: &Entry) -> Option<String> {
    let words = console_words();
    match &entry.progress {
        EntryState::Kept { name, .. } => Some((words.kept)(name)),
        EntryState::Cancelled { at } => Some((words.cancelled)(*at)),
        EntryState::Failed { at } => Some((words.failed)(*at)),
        EntryState::Answered(answered) => {
            let AnswerView { status, phrase, index, .. } = &answered.view;
            let line = (words.status)(*status, phrase, index.as_deref());
            let is_later = answered.at > entry.at;
            let later = is_later.then(|| format!("{} · ", (words.answered)(answered.at)));
            Some(later.unwrap_or_default() + &line)
        }
        EntryState::Help
        | EntryState::Printed(_)
        | EntryState::Started(_)
        | EntryState::Sending
        | EntryState::Waiting { .. } => None,
    }
}

/// The content below a command; `None` if there is none.
fn outcome(entry: &Entry) -> Option<AnyView> {
    match &entry.progress {
        EntryState::Kept { value, .. } => Some(answer(value).into_any()),
        EntryState::Help => Some(view! { <Help/> }.into_any()),
        EntryState::Printed(text) => Some(answer(text).into_any()),
        EntryState::Started(program) => {
            Some(answer(&(console_words().started)(program)).into_any())
        }
        EntryState::Sending | EntryState::Cancelled { .. } | EntryState::Failed { .. } => None,
        EntryState::Waiting { id, since } => {
            Some(view! { <Pending id=*id since=*since/> }.into_any())
        }
        EntryState::Answered(answered) => Some(answer_lines(answered, entry).into_any()),
    }
}

fn answer(text: &str) -> impl IntoView + use<> {
    view! { <span class="answer" data-testid="console-answer">{text.to_owned()}</span> }
}

#[component]
fn Help() -> impl IntoView {
    let lines = move || {
        let lines = console_words().help.iter().map(|&(form, text)| {
            view! { <span class="help-line"><b>{form}</b><span>{text}</span></span> }
        });
        lines.collect_view()
    };
    view! { <span class="console-help" data-testid="console-help">{lines}</span> }
}

/// A blocking query that waits: the time that it has waited, and the button that cancels it.
#[component]
fn Pending(id: RequestId, since: Instant) -> impl IntoView {
    let controller = use_controller();
    let waited =
        move || (console_words().pending)(&tenths(between(since, controller.coarse_now.get())));
    view! {
        <span class="pending" data-testid="console-pending">
            <span class="num">{waited}</span>
            <Button
                class="btn btn-small btn-line"
                test_id="console-cancel"
                focus_fallback=INPUT
                on_press=move || controller.cancel(id)
            >
                {move || console_words().cancel}
            </Button>
        </span>
    }
}

fn answer_lines(answered: &ReceivedAnswer, entry: &Entry) -> impl IntoView + use<> {
    let view = &answered.view;
    let headers = (entry.sending.shown == AnswerParts::Headers).then(|| headers(view));
    let is_post = view.status == 405 && entry.sending.origin == MethodSource::FromBody;
    let hint = is_post.then(|| {
        view! {
            <span class="note" data-testid="console-hint">
                {move || console_words().body_makes_post}
            </span>
        }
    });
    let redirected = entry.redirected.clone().map(|it| {
        let text = move || (console_words().redirected)(it.method.as_deref(), it.has_lost_body);
        view! { <span class="note" data-testid="console-redirected">{text}</span> }
    });
    let why = match (&answered.why, &answered.problem) {
        (Some(why), _) => Some(view! { <WhyRefused why=why.clone()/> }.into_any()),
        (None, Some(problem)) => meaning(problem.clone()),
        (None, None) => None,
    };
    let decoded = view.decoded.iter().map(decoded).collect_view();
    (headers, body(&view.body), decoded, hint, redirected, why)
}

/// The sentence for a part of the line that was not carried out.
pub fn note_line(note: Note) -> impl IntoView {
    let text = move || console_words().note_text(&note);
    view! { <span class="note" data-testid="console-note">{text}</span> }
}

fn headers(view: &AnswerView) -> impl IntoView + use<> {
    let lines = view.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
    let text = lines.collect::<String>();
    view! { <span class="note headers" data-testid="console-headers">{text}</span> }
}

fn body(body: &BodyView) -> Option<AnyView> {
    match body {
        BodyView::Empty => None,
        BodyView::Pretty(text) | BodyView::Text(text) => Some(answer(text).into_any()),
        BodyView::Bytes { length } => {
            let length = *length;
            let text = move || (console_words().bytes)(length);
            Some(view! { <span class="note" data-testid="console-answer">{text}</span> }.into_any())
        }
    }
}

fn decoded((key, value): &(String, String)) -> impl IntoView + use<> {
    let (key, value) = (key.clone(), value.clone());
    let label = move || (console_words().decoded)(&key);
    view! {
        <span class="decoded" data-testid="console-decoded">
            <span class="quiet">{label}</span>
            " "
            {value}
        </span>
    }
}

/// The reason of a refusal, and for a lock-delay the button that goes to its end.
#[component]
fn WhyRefused(why: ExplainedReason) -> impl IntoView {
    let end = match &why.reason {
        Reason::LockDelay { until, .. } => Some(*until),
        _ => None,
    };
    view! {
        <span class="reason" data-testid="console-reason">
            <Icon glyph=Glyph::Why/>
            <span>{move || (row_words().why)(&why, Tense::Present)}</span>
            {end.map(|end| view! { <RunTo end/> })}
        </span>
    }
}

/// The meaning of an error, if Consul's own text does not explain it.
fn meaning(problem: Problem) -> Option<AnyView> {
    row_words().refusals.meaning(&problem)?;
    let text = move || row_words().refusals.meaning(&problem);
    let view = view! {
        <span class="reason" data-testid="console-reason">
            <Icon glyph=Glyph::Why/>
            <span>{text}</span>
        </span>
    };
    Some(view.into_any())
}

/// The button that lets time pass up to a time ahead.
#[component]
fn RunTo(end: Instant) -> impl IntoView {
    let controller = use_controller();
    let is_ahead = Memo::new(move |_| controller.now.get() < end);
    view! {
        <Show when=move || is_ahead.get()>
            <Button
                class="btn btn-small"
                test_id="console-run-to"
                focus_fallback=INPUT
                on_press=move || controller.pass_to(end)
            >
                {move || (words().run_to)(end)}
            </Button>
        </Show>
    }
}
