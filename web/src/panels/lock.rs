//! A lock card: who holds the key, its indexes, the lock-delay with its cause, and how its
//! LockIndex moved.

use core::time::Duration;
use std::rc::Rc;

use leptos_dom::helpers::{set_timeout, window};
use lictor_core::id::Key;
use lictor_core::json;
use lictor_sandbox::format::{clock, tenths};
use lictor_sandbox::history::LockIndexReset;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::timeline::steps::steps;
use lictor_sandbox::view::rows::{KeyHolder, LockRow, RunningLockDelay};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{
    El, Glyph, Part, button, drawing, el, icon, in_crowd, live, live_if_seen, ring, small_icon,
    small_tag, text, word,
};
use crate::var::Var;

pub fn lock_card(runtime: &'static Runtime, key: &Key) -> Option<El> {
    let row = runtime.mirror.locks.row(key)?;
    let name = key.as_str();
    let card = el("article", "card lock").label(name).test("lock").attr("data-key", name);
    let (card, seen) = in_crowd(card);
    Some(card.with(live_if_seen(&seen, move || row.with(|row| body(runtime, words(), row)))))
}

/// What the card says in figures, by itself.
pub fn lock_figures(runtime: &'static Runtime, key: &Key) -> Option<El> {
    let row = runtime.mirror.locks.row(key)?;
    let name = key.as_str();
    let lock = el("article", "lock").label(name).test("lock").attr("data-key", name);
    Some(lock.with(live(move || row.with(|row| figures(runtime, words(), row)))))
}

fn body(runtime: &'static Runtime, words: &'static Words, row: &LockRow) -> Part {
    let name = row.key.as_str();
    let head = el("div", "card-head").with(parts![
        icon(Glyph::Lock),
        el("h2", "").title(name).with(name),
        indexes(words, row),
    ]);
    let values = row.history.clone();
    let label = word(|words| words.history);
    let drawing = drawing("", Some(label), runtime.now_in_turn(), move || steps(&values));
    let history = el("div", "history").with(parts![
        drawing.attr("viewBox", "0 0 120 32"),
        el("div", "").with(story(words, row)),
        copy_button(words, sequencer(row)),
    ]);
    parts![head, figures(runtime, words, row), history]
}

/// Who holds it, who believes so, and when somebody else can have it.
fn figures(runtime: &'static Runtime, words: &'static Words, row: &LockRow) -> El {
    let holder = el("dd", "").test("holder").with(holder_view(words, row.holder.as_ref()));
    let delay = match &row.delay {
        Some(delay) => running(runtime, words, delay),
        None => not_running(words, row.holder.as_ref()),
    };
    let believers = el("dd", "").test("believers").with(believers_view(words, row));
    el("dl", "figures").with(parts![
        figure(words.holder, holder),
        figure(words.world.believes, believers),
        delay,
        takeover(runtime, words, &row.key),
    ])
}

fn figure(name: &str, value: El) -> El {
    el("div", "figure figure-line").with(el("dt", "").with(name)).with(value)
}

fn indexes(words: &Words, row: &LockRow) -> El {
    let Some((lock_index, modify_index)) = row.indexes else {
        return el("p", "is-danger").with(words.key_deleted);
    };
    let (lock, modify) = words.index_pair;
    let number = |id: &str, number: String| el("b", "num").test(id).with(number);
    el("p", "").with(parts![
        lock,
        " ",
        number("lock-index", lock_index.to_string()),
        ", ",
        modify,
        " ",
        number("modify-index", modify_index.to_string()),
    ])
}

/// The name of a holder, with its badge if it is a session of an actor here.
pub fn holder_view(words: &Words, holder: Option<&KeyHolder>) -> Part {
    let Some(holder) = holder else {
        return el("span", "").with(words.nobody).into();
    };
    let session = &*holder.session;
    match &holder.tag.owner {
        Some(who) => {
            let name = el("span", "").title(session).with(who.name.as_str());
            parts![small_tag(who.badge), name]
        }
        None => el("code", "").title(session).with(&*holder.tag.label).into(),
    }
}

/// Who takes itself for the holder: alone and rightly, or not.
fn believers_view(words: &Words, row: &LockRow) -> Part {
    if row.believers.is_empty() {
        return el("span", "").with(words.nobody).into();
    }
    let holder = row.holder.as_ref().map(|holder| &holder.tag);
    let is_alone = row.believers.len() == 1;
    let named = row.believers.iter().map(|tag| {
        let is_wrong = holder != Some(tag);
        let name = tag.owner.as_ref().map_or(&*tag.label, |who| who.name.as_str());
        let class = if is_wrong { "believer is-danger" } else { "believer" };
        let badge = tag.owner.as_ref().map(|who| small_tag(who.badge));
        let alert = is_wrong.then(|| small_icon(Glyph::Alert));
        // More than one has no room for its name; the badge has it for those who ask.
        let class_of_name = if is_alone { "" } else { "visually-hidden" };
        let name = el("span", class_of_name).with(name);
        el("span", class).title(&*tag.label).with(parts![badge, name, alert])
    });
    named.collect()
}

/// The earliest moment at which somebody who waits can have the lock, with its terms.
fn takeover(runtime: &'static Runtime, words: &'static Words, key: &Key) -> Part {
    let takeovers = &runtime.mirror.takeovers;
    let key = key.clone();
    live(move || {
        takeovers.keys();
        let found = takeovers.row(&key)?.get();
        let left = text(move || (words.in_span)(found.at.since(runtime.coarse_now.get())));
        let (session, delay, retry) = words.world.takeover_terms;
        let terms = [
            (session, found.terms.session),
            (delay, found.terms.delay),
            (retry, found.terms.retry),
        ];
        let (mut named, mut figures) = (Vec::new(), Vec::new());
        for (name, span) in terms {
            named.push(format!("{name} {} s", tenths(span)));
            figures.push(tenths(span));
        }
        let at = el("dd", "with-ring").with(parts![
            el("span", "num").test("takeover-at").with(format!("{} s", clock(found.at))),
            el("small", "num").with(left),
        ]);
        Some(el("div", "figure").test("takeover").with(parts![
                el("dt", "").with(words.world.takeover),
                at,
                el("dd", "note num")
                    .test("takeover-terms")
                    .title(named.join(" + "))
                    .with(format!("{} {retry}", figures.join(" + "))),
            ]))
    })
}

/// A lock-delay that runs: its ring, the seconds left, and what started it.
fn running(runtime: &'static Runtime, words: &'static Words, delay: &RunningLockDelay) -> El {
    let (from, until) = (delay.armed_at, delay.until);
    let left = move || until.since(runtime.coarse_now.get());
    let label = text(move || (words.ring_label)(left(), until.since(from)));
    let ring = ring(label, runtime.now_in_turn(), (from, until));
    let left = text(move || format!("{} s", tenths(left())));
    let cause = (words.session_end)(&delay.session, &delay.cause, from);
    el("div", "figure").test("lock-delay").with(parts![
        el("dt", "").with(words.lock_delay_left),
        el("dd", "with-ring").with(ring).with(el("span", "num").test("lock-delay-left").with(left)),
        el("dd", "note").test("lock-delay-cause").with(cause),
    ])
}

/// Without a lock-delay there is only to say whether the key can be had.
fn not_running(words: &Words, holder: Option<&KeyHolder>) -> El {
    let says = if holder.is_none() { words.lock_delay_none } else { words.lock_delay_not_running };
    figure(words.lock_delay, el("dd", "plain").with(says))
}

fn story(words: &Words, row: &LockRow) -> Part {
    let (class, second) = match row.reset {
        Some(LockIndexReset::Deleted(at)) => ("is-danger", (words.history_reset_deleted)(at)),
        Some(LockIndexReset::Written(at)) => ("is-danger", (words.history_reset_written)(at)),
        None => ("quiet", (words.history_count)(row.acquired)),
    };
    parts![el("p", "").with(words.history), el("p", class).with(second)]
}

/// The sequencer of the holder: key, LockIndex and session, to show to a guarded resource.
fn sequencer(row: &LockRow) -> Option<String> {
    let (lock_index, _) = row.indexes?;
    let session = &row.holder.as_ref()?.session;
    let key = json::quoted(row.key.as_str());
    Some(format!("{{\"Key\":{key},\"LockIndex\":{lock_index},\"Session\":\"{session}\"}}"))
}

/// Copies a text; for a while the button says that it did.
fn copy_button(words: &'static Words, copied: Option<String>) -> El {
    let is_copied = Rc::new(Var::new(false));
    let (named, drawn) = (is_copied.clone(), is_copied.clone());
    let label = text(move || if named.get() { words.copied } else { words.copy_sequencer });
    let icon = live(move || icon(if drawn.get() { Glyph::Check } else { Glyph::Copy }));
    let title = copied.clone().unwrap_or_default();
    let is_off = copied.is_none();
    let copy = move || {
        // Outside a secure page there is no clipboard.
        if let Some(text) = copied.as_ref().filter(|_| window().is_secure_context()) {
            spawn_local(write(text.clone(), is_copied.clone()));
        }
    };
    button("btn btn-icon btn-line", "copy-sequencer", copy)
        .attr("aria-disabled", is_off.then_some("true"))
        .label(label)
        .title(title)
        .with(icon)
}

/// Writes to the clipboard. Without permission nothing is copied and nothing is claimed to be.
async fn write(text: String, is_copied: Rc<Var<bool>>) {
    const SAID_FOR: Duration = Duration::from_secs(2);
    let promise = window().navigator().clipboard().write_text(&text);
    if JsFuture::from(promise).await.is_ok() {
        is_copied.set(true);
        set_timeout(move || is_copied.set(false), SAID_FOR);
    }
}
