//! The strip under the timeline: why the latest answer was `false`, with what led to it. Before
//! anything has happened it says what to do first.

use leptos::prelude::*;

use crate::deeds::Deed;
use crate::desk::Desk;
use crate::rows::{ChainStep, Explanation, Note, Reply};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::{Words, clock};
use crate::ui::{Badge, Glyph, Icon, live, text};

#[component]
pub fn WhyStrip(runtime: Runtime, desk: Desk) -> impl IntoView {
    let settings = use_settings();
    let is_fresh =
        Memo::new(move |_| runtime.mirror.sessions.is_empty() && runtime.mirror.keys.is_empty());
    let body = live(move || match runtime.mirror.explanation.get() {
        Some(explanation) => explained(settings.words(), &explanation).into_any(),
        None if is_fresh.get() => view! { <Start runtime desk/> }.into_any(),
        None => view! {
            <p>
                <b>{word(|words| words.quiet_heading)}</b> " "
                {word(|words| words.quiet_text)}
            </p>
        }
        .into_any(),
    });
    view! { <div class="why" data-testid="why">{body}</div> }
}

#[component]
fn Start(runtime: Runtime, desk: Desk) -> impl IntoView {
    let settings = use_settings();
    let first = Badge(0);
    let label = text(move || {
        let name = runtime.mirror.actors.row(&first).map(|row| row.get().who.name.to_string());
        let key = desk.wishes.with(|wishes| wishes.key.clone());
        (settings.words().start_button)(&name.unwrap_or_default(), &key)
    });
    let start = move |_| {
        desk.carry_out(runtime, first, Deed::CreateSession);
        desk.carry_out(runtime, first, Deed::Acquire);
    };
    view! {
        <div class="start">
            <p>
                <b>{word(|words| words.start_heading)}</b> " "
                {word(|words| words.start_text)}
            </p>
            <button class="btn btn-main" type="button" on:click=start data-testid="start">
                <Icon glyph=Glyph::Play/> <span>{label}</span>
            </button>
        </div>
    }
}

fn explained(words: &'static Words, explanation: &Explanation) -> impl IntoView + use<> {
    let question = match explanation.reply {
        Reply::False => words.why_false,
        _ => words.why_error,
    };
    let key = match &explanation.note {
        Note::Why(_) => explanation.key.as_ref().map(|key| {
            view! { <code>{key.to_string()}</code> ": " }
        }),
        _ => None,
    };
    let sentence = (words.note)(&explanation.note);
    let chain: Vec<_> = explanation.chain.iter().map(|step| chain_item(words, step)).collect();
    view! {
        <div><h3>{question}</h3> " " <p data-testid="why-sentence">{key} {sentence}</p></div>
        <ol class="chain" aria-label=words.chain_label data-testid="chain">{chain}</ol>
    }
}

fn chain_item(words: &Words, step: &ChainStep) -> impl IntoView + use<> {
    let moment = |at| format!("{} s", clock(at));
    let (when, what, end) = match step {
        ChainStep::Held { at, label } => (moment(*at), (words.chain_held)(label), None),
        ChainStep::Ended { at, label, cause } => {
            (moment(*at), (words.chain_ended)(label, cause), None)
        }
        ChainStep::LockDelay { until, span } => {
            ((words.chain_until)(*until), (words.chain_lock_delay)(*span), None)
        }
        ChainStep::Got { at, actor, reply } => {
            let got = (words.chain_got)(actor.as_str());
            (moment(*at), got, Some((words.reply)(reply)))
        }
    };
    view! {
        <li>
            <span class="when num">{when}</span>
            <span>{what} {end.map(|end| view! { <b>{end}</b> })}</span>
        </li>
    }
}
