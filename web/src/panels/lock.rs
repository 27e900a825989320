//! The card of a lock: its holder and the clients that believe they hold it, its indexes, the
//! lock-delay with its cause, the latest `false`, and the history of its LockIndex.

use core::time::Duration;

use gloo_timers::future::sleep;
use leptos::html::Article;
use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_core::json;
use lictor_sim::record::{LockIndexReset, SessionTag};
use lictor_view::card_texts;
use lictor_view::format::between;
use lictor_view::rows::takeover::TakeoverRow;
use lictor_view::rows::{KeyHolder, LockRow, RunningLockDelay};
use lictor_view::timeline::steps::steps;
use wasm_bindgen_futures::spawn_local;

use crate::components::crowd::while_in_view;
use crate::components::{ActorBadge, Button, Drawing, Glyph, Hidden, Icon, Ring, in_view};
use crate::panels::cures::Cures;
use crate::platform::clipboard::copy;
use crate::platform::words::{language, row_words, words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

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
    view! {
        <article class="lock" aria-label=label data-testid="lock" data-key=name>
            <Figures key row/>
        </article>
    }
}

/// The holder, the clients that believe they hold the lock, the lock-delay, and when another client
/// can have it.
#[component]
fn Figures(key: Key, row: Memo<LockRow>) -> impl IntoView {
    let (refused_key, renewed_key, cured_key) = (key.clone(), key.clone(), key.clone());
    let holder = Memo::new(move |_| row.with(|row| row.holder.clone()));
    let controller = use_controller();
    // A question may ask for how long, or whether at all, a lock-delay closes the key.
    let delay =
        Memo::new(
            move |_| {
                if controller.is_hidden() { None } else { row.with(|row| row.delay.clone()) }
            },
        );
    let believers = Memo::new(move |_| row.with(|row| row.believers.clone()));
    let delay = move || delay.get().map(|delay| view! { <LockDelay delay/> });
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
            {delay}
            <Takeover key row/>
        </dl>
        <Renewal key=renewed_key row/>
        <Refused key=refused_key row/>
        <Cures key=cured_key/>
    }
}

/// The latest `false` of a request for the lock, and its reason; in the past tense once it no
/// longer applies. The latest `false` of all locks is left out while the strip below the lanes
/// shows it.
#[component]
fn Refused(key: Key, row: Memo<LockRow>) -> impl IntoView {
    let controller = use_controller();
    let has_strip = use_context::<LessonReader>()
        .map(|lesson_reader| Memo::new(move |_| lesson_reader.reading.with(Option::is_none)));
    let refused = Memo::new(move |_| {
        let refused = row.with(|row| row.refused.clone())?;
        let is_in_strip = controller.store.explanation.with(|latest| {
            latest.as_ref().is_some_and(|it| it.key.as_ref() == Some(&key) && it.at == refused.0.at)
        });
        let is_shown = is_in_strip && has_strip.is_some_and(|has_strip| has_strip.get());
        (!is_shown).then_some(refused)
    });
    move || {
        refused.get().map(|(why, tense)| {
            let reason = row_words().why_in(tense, &why);
            view! {
                <p class="last-false" data-testid="last-false">
                    <b>{(words().last_false)(why.at)} ": "</b>
                    {reason}
                </p>
            }
        })
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
            <ActorBadge badge=actor.badge/>
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
                {tag.owner.as_ref().map(|actor| view! { <ActorBadge badge=actor.badge/> })}
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

/// The earliest time at which another client can have the lock, and the terms of its sum.
#[component]
fn Takeover(key: Key, row: Memo<LockRow>) -> impl IntoView {
    let controller = use_controller();
    let store = controller.store;
    let takeover = Memo::new(move |_| {
        store.takeovers.track();
        let found = store.takeovers.row(&key).map(|found| found.get());
        // A renewal changes the time, but not the row of the lock.
        row.track();
        store.reached.track();
        store.branch.track();
        controller.coarse_now.track();
        controller.with_world(|world| TakeoverRow::new(world, &key, found.as_ref()))
    });
    let is_hidden = Memo::new(move |_| controller.is_hidden());
    let label = move || {
        let is_held = takeover.with(|takeover| match takeover {
            TakeoverRow::Now => false,
            TakeoverRow::At { is_held, .. } => *is_held,
            TakeoverRow::Never { .. } => true,
        });
        let world = &words().world;
        if is_held { world.takeover_if_dead } else { world.takeover }
    };
    let texts = Memo::new(move |_| {
        let now = controller.coarse_now.get();
        takeover.with(|takeover| card_texts::takeover(language(), takeover, now))
    });
    let figures = move || {
        if is_hidden.get() {
            return view! { <dd class="note"><Hidden/></dd> }.into_any();
        }
        view! {
            <dd class="with-ring">
                <span class="num" data-testid="takeover-in">{move || texts.get().left}</span>
                <small class="num" data-testid="takeover-at">{move || texts.get().at}</small>
            </dd>
            <dd class="note num" data-testid="takeover-terms">{move || texts.get().terms}</dd>
        }
        .into_any()
    };
    view! {
        <div class="figure figure-wide" data-testid="takeover">
            <dt>{label}</dt>
            {figures}
        </div>
    }
}

/// A lock-delay that runs: its ring, the seconds left, and what started it.
#[component]
fn LockDelay(delay: RunningLockDelay) -> impl IntoView {
    let controller = use_controller();
    let (from, until) = (delay.armed_at, delay.until);
    let left = Memo::new(move |_| between(controller.coarse_now.get(), until));
    view! {
        <div class="figure figure-delay" data-testid="lock-delay">
            <dt>{move || words().lock_delay_left}</dt>
            <dd class="with-ring">
                <Ring
                    label=move || (words().ring_label)(left.get(), between(from, until))
                    now=controller.now
                    full=from
                    empty=until
                />
                <span class="num" data-testid="lock-delay-left">
                    {move || {
                        card_texts::lock_delay_left(language(), until, controller.coarse_now.get())
                    }}
                </span>
            </dd>
            <dd class="note" data-testid="lock-delay-cause">
                {move || (row_words().session_end)(&delay.session, &delay.cause, delay.ended_at)}
            </dd>
        </div>
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
    view! {
        <div class="history" class:is-first=move || values.with(Vec::len) == 1>
            <Drawing
                label=move || words().history
                view_box="0 0 120 32"
                now=controller.now
                draw=move || values.with(|values| steps(values))
            />
            <div>
                <p>{move || words().history}</p>
                <p class=move || text().0>{move || text().1}</p>
            </div>
            <CopyButton copied=Memo::new(move |_| row.with(sequencer))/>
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

/// Copies a text, and shows for a while that it was copied.
#[component]
fn CopyButton(copied: Memo<Option<String>>) -> impl IntoView {
    let is_copied = RwSignal::new(false);
    let press = move || {
        if let Some(text) = copied.get_untracked() {
            spawn_local(write(text, is_copied));
        }
    };
    let icon = move || {
        let glyph = if is_copied.get() { Glyph::Check } else { Glyph::Copy };
        view! { <Icon glyph/> }
    };
    view! {
        <Button
            class="btn btn-icon btn-line"
            test_id="copy-sequencer"
            disabled=Signal::derive(move || copied.with(Option::is_none))
            label=move || if is_copied.get() { words().copied } else { words().copy_sequencer }
            title=move || copied.get().unwrap_or_default()
            on_press=press
        >
            {icon}
        </Button>
    }
}

/// Copies a text. If the browser refuses, the button does not change.
async fn write(text: String, is_copied: RwSignal<bool>) {
    const SHOWN_FOR: Duration = Duration::from_secs(2);
    if copy(&text).await {
        is_copied.try_set(true);
        sleep(SHOWN_FOR).await;
        is_copied.try_set(false);
    }
}
