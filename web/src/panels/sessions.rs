//! The card of the sessions: each with its clock from 0 to twice its TTL, the keys that it holds,
//! and how it ended.

use core::time::Duration;

use leptos::html::{Article, Li};
use leptos::prelude::*;
use lictor_core::engine::SessionClock;
use lictor_core::time::Instant;
use lictor_sim::record::short_id;
use lictor_view::card_texts::{self, SessionClockText};
use lictor_view::format::between;
use lictor_view::rows::SessionFuture;
use lictor_view::rows::SessionRow;

use crate::components::crowd::{in_viewport, is_crowd, while_in_view};
use crate::components::{ActorBadge, BadgeLook, TtlBar, crowd_class, in_view, page_id};
use crate::platform::words::{language, lesson_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::open_panels::OpenPanels;
use crate::state::store::{Row, SessionSortKey};

/// The largest number of ended sessions on the card.
const ENDED_MAX: usize = 4;
/// The largest number of living sessions on the card.
const LIVING_MAX: usize = 60;

type SessionListRow = Row<SessionSortKey, SessionRow>;

#[component]
pub fn Sessions() -> impl IntoView {
    let controller = use_controller();
    let sessions = controller.store.sessions;
    let card = NodeRef::<Article>::new();
    let rows = while_in_view(in_view(card), move || rows_on_card(&sessions.list()));
    view! {
        <article
            node_ref=card
            class="card"
            aria-labelledby=page_id("h-sessions")
            data-testid="sessions"
        >
            <div class="card-head">
                <h2 class="plain" id=page_id("h-sessions")>{move || words().sessions}</h2>
                <p>{move || (!controller.is_hidden()).then(|| words().sessions_scale)}</p>
            </div>
            <ol class=move || crowd_class("sessions", sessions.len())>
                <For
                    each=move || rows.get()
                    key=|row| row.id
                    children=|row| view! { <SessionLine sort_key=row.key row=row.signal/> }
                />
            </ol>
            <Show when=move || sessions.is_empty()>
                <p class="footnote">{move || words().no_sessions}</p>
            </Show>
        </article>
    }
}

/// The rows on the card: living sessions, then the few that ended last.
fn rows_on_card(rows: &[SessionListRow]) -> Vec<SessionListRow> {
    let lives = |row: &&SessionListRow| matches!(row.key, SessionSortKey::Living(..));
    let living = rows.iter().filter(lives).take(LIVING_MAX);
    let ended = rows.iter().filter(|row| !lives(row)).take(ENDED_MAX);
    living.chain(ended).cloned().collect()
}

/// A line of the card. In a long list it is empty while it is out of view, except on paper.
#[component]
fn SessionLine(sort_key: SessionSortKey, row: ArcRwSignal<SessionRow>) -> impl IntoView {
    let sessions = use_controller().store.sessions;
    let is_on_paper = use_context::<OpenPanels>().map(|open| open.is_on_paper);
    let line = NodeRef::<Li>::new();
    let is_seen = in_viewport(line);
    let is_shown = Memo::new(move |_| {
        let is_printed = is_on_paper.is_some_and(|is_on_paper| is_on_paper.get());
        is_seen.get() || is_printed || !is_crowd(sessions.len())
    });
    let label = row.with_untracked(|row| row.tag.label.to_string());
    let class = match sort_key {
        SessionSortKey::Living(..) => "session",
        SessionSortKey::Ended(..) => "session gone-row",
    };
    view! {
        <li node_ref=line class=class data-testid=format!("session-{label}")>
            {move || is_shown.get().then(|| view! { <Session row=row.clone()/> })}
        </li>
    }
}

#[component]
fn Session(row: ArcRwSignal<SessionRow>) -> impl IntoView {
    let controller = use_controller();
    let session = row.with_untracked(|row| row.id);
    let id = session.to_string();
    let row = Memo::new(move |_| row.get());
    let future = Memo::new(move |_| {
        controller.store.future.track();
        controller.session_future(session)
    });
    let tag = Memo::new(move |_| row.with(|row| (row.tag.clone(), row.ended.is_some())));
    let ended = Memo::new(move |_| row.with(|row| row.ended.clone()));
    let clock = Memo::new(move |_| row.with(|row| row.clock));
    let since = Memo::new(move |_| row.with(|row| (row.renewed, row.created)));
    let holds = Memo::new(move |_| row.with(|row| row.holds.clone()));
    let badge = move || {
        let (tag, is_ended) = tag.get();
        let look = if is_ended { BadgeLook::Ended } else { BadgeLook::Small };
        match tag.owner {
            Some(actor) => view! { <ActorBadge badge=Some(actor.badge) look/> }.into_any(),
            None => view! { <span class="tag tag-s"></span> }.into_any(),
        }
    };
    let clock = move || match (ended.get(), clock.get()) {
        (Some((at, cause)), _) => view! {
            <p data-testid="session-end">{(row_words().ended_at)(at, &cause)}</p>
        }
        .into_any(),
        (None, Some(clock)) if controller.is_hidden() => {
            let (renewed, created) = since.get();
            view! { <HiddenClock ttl=clock.ttl renewed created/> }.into_any()
        }
        (None, Some(clock)) => view! { <Clock clock future/> }.into_any(),
        (None, None) => untimed(row).into_any(),
    };
    let holds = move || {
        let holds = holds.get();
        // While a question is open the keys are left out, so that the sessions fit into the card;
        // the card of the lock has them.
        (!holds.is_empty() && !controller.is_hidden()).then(|| {
            let text = (words().holds_list)(&holds.join(row_words().list));
            view! { <p class="holds" title=holds.join("\n") data-testid="session-holds">{text}</p> }
        })
    };
    let short = short_id(&id).to_string();
    view! {
        {badge}
        <code title=id data-testid="session-id">{short}</code>
        {clock}
        {holds}
    }
}

/// What a session without a TTL has in place of a clock.
fn untimed(row: Memo<SessionRow>) -> impl IntoView {
    let visibility = use_controller().forecast_visibility;
    let text = move || row.with(|row| (words().no_ttl)(&row.checks, visibility.get()));
    view! { <p class="untimed" data-testid="session-clock">{text}</p> }
}

/// The bar and the sentence of a session with a TTL.
#[component]
fn Clock(clock: SessionClock, future: Memo<Option<SessionFuture>>) -> impl IntoView {
    let controller = use_controller();
    view! {
        <TtlBar now=controller.now ttl=clock.ttl end=clock.ends/>
        <p data-testid="session-clock">
            {move || sentence(clock, future.get(), controller.coarse_now.get())}
        </p>
    }
}

/// The time since the last renewal, or else the creation, as a bar that is as long as on the
/// timeline, and in a sentence; without the end of the session, which would answer a question.
#[component]
fn HiddenClock(ttl: Duration, renewed: Option<Instant>, created: Instant) -> impl IntoView {
    let controller = use_controller();
    let since = renewed.unwrap_or(created);
    let text = move || {
        let ago = between(since, controller.coarse_now.get());
        let words = lesson_words();
        if renewed.is_some() { (words.renewed_ago)(ttl, ago) } else { (words.made_ago)(ttl, ago) }
    };
    let elapsed = move || controller.axis.with(|axis| axis.width(since, controller.now.get()));
    view! {
        <svg class="clock" aria-hidden="true">
            <rect class="hiding-ground" x="0" y="1" height="12" width="100%"/>
            <rect class="hiding hiding-edge" x="0" y="1" height="12" width="100%"/>
            <rect class="clock-safe" x="0" y="1" height="12" width=elapsed/>
        </svg>
        <p data-testid="session-clock">{text}</p>
    }
}

fn sentence(
    clock: SessionClock,
    future: Option<SessionFuture>,
    now: Instant,
) -> impl IntoView + use<> {
    let text = card_texts::session_clock(language(), &clock, future.as_ref(), now);
    let SessionClockText { over, rest } = text;
    (over.map(|over| view! { <b class="is-warn">{over}</b> }), rest)
}
