//! Why the latest refused request got `false` or an error, and the events that led to it, while the
//! reason holds; and, before there is a session or a key, the button that begins.

use leptos::prelude::*;
use lictor_desk::actions::ActorAction;
use lictor_desk::i18n::Words;
use lictor_sim::record::Badge;
use lictor_sim::record::{CauseStep, EventResult, Explanation, Note};
use lictor_view::format::{between, clock};
use lictor_view::rows::Tense;

use crate::components::{Button, Glyph, Icon};
use crate::platform::words::{row_words, words};
use crate::state::controller::{Controller, use_controller};
use crate::state::dispatch::{Dispatch, NewSession};

#[component]
pub fn WhyStrip() -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let refusal = Memo::new(move |_| {
        store.reached.track();
        store.branch.track();
        controller.with_view(|view| view.refusal().map(|(why, tense)| (why.clone(), tense)))
    });
    move || {
        let (why, tense) = refusal.get()?;
        let body = explained(words(), controller, &why, tense);
        Some(view! { <div class="why" data-testid="why">{body}</div> })
    }
}

/// Before there is a session or a key, a button that begins, or the number of events that are later
/// than the cursor.
#[component]
pub fn Beginning() -> impl IntoView {
    let store = use_controller().store;
    let is_fresh = Memo::new(move |_| store.sessions.is_empty() && store.keys.is_empty());
    let later = Memo::new(move |_| store.events.get().saturating_sub(store.reached.get()));
    move || {
        let body = match (is_fresh.get(), later.get()) {
            (false, _) => return None,
            (true, 0) => view! { <Start/> }.into_any(),
            (true, later) => {
                view! { <p data-testid="beginning">{(words().beginning)(later)}</p> }.into_any()
            }
        };
        Some(view! { <div class="why">{body}</div> })
    }
}

/// What to do first, and a button that does it: it creates a session and acquires a key.
#[component]
fn Start() -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let first = Badge(0);
    let label = move || {
        dispatch.controller.store.actors.track();
        let actor = dispatch.controller.store.actors.row(&first);
        let name = actor.map(|row| row.with(|row| row.actor.name.to_string()));
        let key = dispatch.form.with(|form| form.key.clone());
        (words().start_button)(&name.unwrap_or_default(), &key)
    };
    let clients = move || dispatch.controller.store.actors.len();
    let new_session = NewSession::new(dispatch, move |badge| {
        dispatch.carry_out(badge, ActorAction::Acquire);
    });
    view! {
        <div class="start">
            <p>
                <b>{move || words().start_heading}</b>
                " "
                {move || (words().start_text)(clients())}
            </p>
            <Button
                class="btn btn-main"
                test_id="start"
                focus_fallback="run"
                disabled=new_session.is_waiting
                on_press=move || new_session.create(first)
            >
                <Icon glyph=Glyph::Play/>
                <span>{label}</span>
            </Button>
        </div>
    }
}

fn explained(
    words: &'static Words,
    controller: Controller,
    explanation: &Explanation,
    tense: Option<Tense>,
) -> impl IntoView + use<> {
    let sentence = match (&explanation.note, tense) {
        (Note::Reason(why), Some(tense)) => (row_words().why)(why, tense),
        (note, _) => (row_words().note)(note),
    };
    let question = match explanation.reply {
        EventResult::False => (words.last_false)(explanation.at),
        _ => (words.last_error)(explanation.at),
    };
    let is_reason = matches!(explanation.note, Note::Reason(_));
    let refused_key = if is_reason { explanation.key.as_ref() } else { None };
    let key = refused_key.map(|key| {
        let name = controller.with_record_at_end(|record| record.key_name(key));
        view! { <code title=key.to_string()>{name}</code>": " }
    });
    let steps = explanation.chain.iter().map(|step| chain_item(words, step)).collect_view();
    view! {
        <div>
            <h2>{question}</h2>
            " "
            <p data-testid="why-sentence">{key}{sentence}</p>
        </div>
        <ol class="chain" aria-label=words.chain_label data-testid="chain">{steps}</ol>
    }
}

fn chain_item(words: &Words, step: &CauseStep) -> impl IntoView + use<> {
    let (at, what, end) = match step {
        CauseStep::Held { at, label } => (at, (words.chain_held)(label), None),
        CauseStep::Ended { at, label, cause } => {
            (at, (row_words().chain_ended)(label, cause), None)
        }
        CauseStep::EndedByCheck { at, label, check } => {
            (at, (words.health_checks.chain_ended)(label, check.as_str()), None)
        }
        CauseStep::LockDelay { at, until } => {
            (at, (words.chain_lock_delay)(between(*at, *until), *until), None)
        }
        CauseStep::LeaderLost { at } => (at, words.chain_leader_lost.to_owned(), None),
        CauseStep::Got { at, actor, call, reply } => {
            let request = format!("{}{}", row_words().colon, row_words().call(call));
            (at, actor.to_string(), Some((request, (row_words().reply)(reply))))
        }
    };
    let when = format!("{}{}", clock(*at), row_words().second);
    // A long step is cut off where there is little room.
    let request = end.as_ref().map_or("", |(request, _)| request.as_str());
    let title = format!("{what}{request}");
    let got = words.chain_got;
    let end = end.map(|(request, reply)| {
        view! {
            <span class="call">{request}</span>
            {got}
            <b>{reply}</b>
        }
    });
    view! {
        <li>
            <span class="when num">{when}</span>
            <span title=title>{what}{end}</span>
        </li>
    }
}
