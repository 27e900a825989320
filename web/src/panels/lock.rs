//! The card of a lock: its holder and the clients that believe they hold it, its indexes, a renewal
//! without an answer, what can be done, and the history of its LockIndex.

use leptos::html::Article;
use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_core::json;
use lictor_sim::record::{LockIndexReset, SessionTag};
use lictor_view::rows::{KeyHolder, LockRow};
use lictor_view::timeline::steps::steps;

use crate::components::crowd::while_in_view;
use crate::components::{ActorBadge, CopyButton, Drawing, Glyph, Icon, in_view};
use crate::panels::cures::Cures;
use crate::platform::words::{row_words, words};
use crate::state::controller::use_controller;

#[component]
pub fn LockCard(key: Key, row: ArcRwSignal<LockRow>) -> impl IntoView {
    let card = NodeRef::<Article>::new();
    let row = while_in_view(in_view(card), move || row.get());
    let indexes = Memo::new(move |_| row.with(|row| row.indexes));
    let name = key.to_string();
    let (title, label, data_key) = (name.clone(), name.clone(), name.clone());
    let is_there = Memo::new(move |_| indexes.with(Option::is_some));
    let lock_index = move || indexes.get().map(|(lock_index, _)| lock_index.to_string());
    let modify_index = move || indexes.get().map(|(_, modify_index)| modify_index.to_string());
    let indexes = move || {
        if !is_there.get() {
            return view! { <p class="is-danger">{words().key_deleted}</p> }.into_any();
        }
        let (lock, modify) = words().index_pair;
        view! {
            <p>
                {lock} " "
                <b class="num" data-testid="lock-index">{lock_index}</b> ", "
                {modify} " "
                <b class="num" data-testid="modify-index">{modify_index}</b>
            </p>
        }
        .into_any()
    };
    view! {
        <article
            node_ref=card
            class="card lock"
            aria-label=label
            data-testid="lock"
            data-key=data_key
        >
            <div class="card-head">
                <Icon glyph=Glyph::Lock/>
                <h2 title=title>{name}</h2>
                {indexes}
            </div>
            <Figures key row/>
            <History row/>
        </article>
    }
}

/// The figures of the card without its head and its history, for embedded pages.
#[component]
pub fn LockFigures(key: Key, row: ArcRwSignal<LockRow>) -> impl IntoView {
    let row = Memo::new(move |_| row.get());
    let name = key.to_string();
    let label = name.clone();
    let stuck = key.clone();
    view! {
        <article class="lock" aria-label=label data-testid="lock" data-key=name>
            <Figures key row/>
            <Cures key=stuck/>
        </article>
    }
}

/// The holder, and the clients that believe they hold the lock.
#[component]
fn Figures(key: Key, row: Memo<LockRow>) -> impl IntoView {
    let holder = Memo::new(move |_| row.with(|row| row.holder.clone()));
    let believers = Memo::new(move |_| row.with(|row| row.believers.clone()));
    let believers = move || {
        let holder = holder.get().map(|holder| holder.tag);
        believers_view(&believers.get(), holder.as_ref())
    };
    view! {
        <dl class="figures">
            <div class="figure figure-line">
                <dt>{move || words().holder}</dt>
                <dd data-testid="holder">{move || holder_view(holder.get().as_ref())}</dd>
            </div>
            <div class="figure figure-line">
                <dt>{move || words().world.believes}</dt>
                <dd data-testid="believers">{believers}</dd>
            </div>
        </dl>
        <Renewal key row/>
    }
}

/// The name of a holder and its badge; the label of its session if that is of no client of this
/// world.
pub fn holder_view(holder: Option<&KeyHolder>) -> impl IntoView + use<> {
    let Some(holder) = holder else {
        return view! { <span>{row_words().nobody}</span> }.into_any();
    };
    let session = holder.session.to_string();
    match &holder.tag.owner {
        Some(actor) => view! {
            <ActorBadge badge=Some(actor.badge)/>
            <span title=session>{actor.name.to_string()}</span>
        }
        .into_any(),
        None => view! { <code title=session>{holder.tag.label.to_string()}</code> }.into_any(),
    }
}

/// The clients that believe they hold the lock; an alert marks those that are wrong.
fn believers_view(believers: &[SessionTag], holder: Option<&SessionTag>) -> impl IntoView + use<> {
    if believers.is_empty() {
        return view! { <span>{row_words().nobody}</span> }.into_any();
    }
    // Several names have no room; they are hidden, but still there for assistive technology.
    let class_of_name = if believers.len() == 1 { "" } else { "visually-hidden" };
    let named = believers.iter().map(|tag| {
        let is_wrong = holder != Some(tag);
        let name = tag.owner.as_ref().map_or(&*tag.label, |actor| actor.name.as_str()).to_owned();
        view! {
            <span
                class=if is_wrong { "believer is-danger" } else { "believer" }
                title=tag.label.to_string()
            >
                {tag.owner.as_ref().map(|actor| view! { <ActorBadge badge=Some(actor.badge)/> })}
                <span class=class_of_name>{name}</span>
                {is_wrong.then(|| view! { <Icon glyph=Glyph::Alert small=true/> })}
            </span>
        }
    });
    named.collect_view().into_any()
}

/// The holder's renewal while it has no answer: when it is sent again. It is a warning if that is
/// too late.
#[component]
fn Renewal(key: Key, row: Memo<LockRow>) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let renewal = Memo::new(move |_| {
        row.track();
        store.reached.track();
        store.branch.track();
        controller.coarse_now.track();
        let is_hidden = controller.is_hidden();
        controller.with_view(|view| view.unanswered_renewal(&key)).filter(|_| !is_hidden)
    });
    move || {
        renewal.get().map(|renewal| {
            view! {
                <p
                    class="renewal num"
                    class:is-late=renewal.is_late()
                    data-testid="renewal"
                    title=(row_words().renewal_sent)(&renewal)
                >
                    {(row_words().renewal)(&renewal)}
                </p>
            }
        })
    }
}

/// The steps of the LockIndex, the cause of its last reset, and the button that copies the
/// sequencer.
#[component]
fn History(row: Memo<LockRow>) -> impl IntoView {
    let controller = use_controller();
    let values = Memo::new(move |_| row.with(|row| row.history.clone()));
    let reset = Memo::new(move |_| {
        row.with(|row| {
            // A world that begins with a state has the acquires before it in the LockIndex.
            let lock_index = row.indexes.map_or(0, |(lock_index, _)| lock_index as usize);
            (row.reset, row.acquired.max(lock_index))
        })
    });
    let text = move || match reset.get() {
        (Some(LockIndexReset::Deleted(at)), _) => {
            ("is-danger", (words().history_reset_deleted)(at))
        }
        (Some(LockIndexReset::Written(at)), _) => {
            ("is-danger", (words().history_reset_written)(at))
        }
        (None, acquired) => ("quiet", (words().history_count)(acquired)),
    };
    let copied = Memo::new(move |_| row.with(sequencer));
    view! {
        <div class="history" class:is-first=move || values.with(Vec::len) == 1>
            <Drawing
                label=move || words().history
                now=controller.now
                draw=move || values.with(|values| steps(values))
            />
            <div>
                <p>{move || words().history}</p>
                <p class=move || text().0>{move || text().1}</p>
            </div>
            <CopyButton
                class="btn btn-icon btn-line"
                test_id="copy-sequencer"
                text=copied
                label=|| words().copy_sequencer
                title=move || copied.get().unwrap_or_default()
            />
        </div>
    }
}

/// The sequencer of the holder for a guarded resource: key, LockIndex and session as JSON. `None`
/// for a key that is deleted or not held.
fn sequencer(row: &LockRow) -> Option<String> {
    let (lock_index, _) = row.indexes?;
    let session = &row.holder.as_ref()?.session;
    let key = json::quoted(row.key.as_str());
    Some(format!("{{\"Key\":{key},\"LockIndex\":{lock_index},\"Session\":\"{session}\"}}"))
}
