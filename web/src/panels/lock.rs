//! A lock card: who holds the key, its indexes, the lock-delay with its cause, and how its
//! LockIndex moved.

use core::time::Duration;

use leptos::prelude::*;
use lictor_core::json;
use wasm_bindgen_futures::JsFuture;

use crate::rows::{Delay, Holder, LockRow, Reset};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::{Words, tenths};
use crate::timeline::steps::steps;
use crate::ui::{Drawing, Glyph, Icon, Ring, Tag, TagLook, live, text};

#[component]
pub fn LockCard(runtime: Runtime, row: ArcRwSignal<LockRow>) -> impl IntoView {
    let settings = use_settings();
    let name = row.with_untracked(|row| row.key.to_string());
    let body = live(move || row.with(|row| body(runtime, settings.words(), row)));
    view! {
        <article class="card lock" aria-label=name.clone() data-testid="lock" data-key=name>
            {body}
        </article>
    }
}

fn body(runtime: Runtime, words: &'static Words, row: &LockRow) -> AnyView {
    let name = row.key.to_string();
    let delay = match &row.delay {
        Some(delay) => running(runtime, words, delay),
        None => not_running(words, row.holder.as_ref()),
    };
    let history = row.history.clone();
    view! {
        <div class="card-head">
            <Icon glyph=Glyph::Lock/>
            <h2 title=name>{name.clone()}</h2>
            {indexes(words, row)}
        </div>
        <dl class="figures">
            <div class="figure figure-line">
                <dt>{words.holder}</dt>
                <dd data-testid="holder">{holder_view(words, row.holder.as_ref())}</dd>
            </div>
            {delay}
        </dl>
        <div class="history">
            <Drawing
                draw=Box::new(move || steps(&history))
                now=runtime.now
                class=""
                label=word(|words| words.history)
                view_box="0 0 120 32"
            />
            <div>{story(words, row)}</div>
            <CopyButton words copied=sequencer(row)/>
        </div>
    }
    .into_any()
}

fn indexes(words: &Words, row: &LockRow) -> AnyView {
    let Some((lock_index, modify_index)) = row.indexes else {
        return view! { <p class="is-danger">{words.key_deleted}</p> }.into_any();
    };
    let (lock, modify) = words.index_pair;
    view! {
        <p>
            {lock} " " <b class="num" data-testid="lock-index">{lock_index.to_string()}</b> ", "
            {modify} " " <b class="num" data-testid="modify-index">{modify_index.to_string()}</b>
        </p>
    }
    .into_any()
}

/// The name of a holder, with its badge if it is a session of an actor here.
pub fn holder_view(words: &Words, holder: Option<&Holder>) -> AnyView {
    let Some(holder) = holder else {
        return view! { <span>{words.nobody}</span> }.into_any();
    };
    let title = holder.session.to_string();
    match &holder.tag.owner {
        Some(who) => view! {
            <Tag badge=who.badge look=TagLook::Small/>
            <span title=title>{who.name.to_string()}</span>
        }
        .into_any(),
        None => view! { <code title=title>{holder.tag.label.to_string()}</code> }.into_any(),
    }
}

/// A lock-delay that runs: its ring, the seconds left, and what started it.
fn running(runtime: Runtime, words: &'static Words, delay: &Delay) -> AnyView {
    let whole = delay.until.since(delay.armed_at);
    let until = delay.until;
    let share = move || {
        let left = until.since(runtime.now.get());
        left.as_secs_f64() / whole.as_secs_f64().max(f64::MIN_POSITIVE)
    };
    let left = move || until.since(runtime.coarse_now.get());
    let label = text(move || (words.ring_label)(left(), whole));
    let cause = (words.session_end)(&delay.session, &delay.cause, delay.armed_at);
    view! {
        <div class="figure" data-testid="lock-delay">
            <dt>{words.lock_delay_left}</dt>
            <dd class="with-ring">
                <Ring left=Signal::derive(share) label/>
                <span class="num" data-testid="lock-delay-left">
                    {text(move || format!("{} s", tenths(left())))}
                </span>
            </dd>
            <dd class="note" data-testid="lock-delay-cause">{cause}</dd>
        </div>
    }
    .into_any()
}

/// Without a lock-delay there is only to say whether the key can be had.
fn not_running(words: &Words, holder: Option<&Holder>) -> AnyView {
    let says = if holder.is_none() { words.lock_delay_none } else { words.lock_delay_not_running };
    view! {
        <div class="figure figure-line">
            <dt>{words.lock_delay}</dt>
            <dd class="plain">{says}</dd>
        </div>
    }
    .into_any()
}

fn story(words: &Words, row: &LockRow) -> AnyView {
    let second = match row.reset {
        Some(Reset::Deleted(at)) => ("is-danger", (words.history_reset_deleted)(at)),
        Some(Reset::Written(at)) => ("is-danger", (words.history_reset_written)(at)),
        None => ("quiet", (words.history_count)(row.acquired)),
    };
    view! { <p>{words.history}</p> <p class=second.0>{second.1}</p> }.into_any()
}

/// The sequencer of the holder: key, LockIndex and session, to show to a guarded resource.
fn sequencer(row: &LockRow) -> Option<String> {
    let (lock_index, _) = row.indexes?;
    let session = &row.holder.as_ref()?.session;
    let key = json::to_text(&row.key.as_str());
    Some(format!("{{\"Key\":{key},\"LockIndex\":{lock_index},\"Session\":\"{session}\"}}"))
}

/// Copies a text; for a while the button says that it did.
#[component]
fn CopyButton(words: &'static Words, copied: Option<String>) -> impl IntoView {
    const SAID_FOR: Duration = Duration::from_secs(2);
    let is_copied = RwSignal::new(false);
    let title = copied.clone().unwrap_or_default();
    let is_off = copied.is_none();
    let copy = move |_| {
        // Without permission, or outside a secure page, nothing is copied and nothing is claimed to
        // be.
        if let Some(text) = copied.as_ref().filter(|_| window().is_secure_context()) {
            let promise = window().navigator().clipboard().write_text(text);
            leptos::task::spawn_local(async move {
                if JsFuture::from(promise).await.is_ok() {
                    is_copied.try_set(true);
                    set_timeout(
                        move || {
                            is_copied.try_set(false);
                        },
                        SAID_FOR,
                    );
                }
            });
        }
    };
    let label = text(move || if is_copied.get() { words.copied } else { words.copy_sequencer });
    let icon = live(move || {
        let glyph = if is_copied.get() { Glyph::Check } else { Glyph::Copy };
        view! { <Icon glyph/> }
    });
    view! {
        <button
            class="btn btn-icon btn-line"
            type="button"
            disabled=is_off
            aria-label=label
            title=title
            on:click=copy
            data-testid="copy-sequencer"
        >
            {icon}
        </button>
    }
}
