//! The sessions: each with its clock from 0 to twice its TTL, what it holds, and how it ended.

use leptos::prelude::*;
use lictor_core::engine::SessionClock;
use lictor_core::time::Instant;

use crate::mirror::SessionPlace;
use crate::rows::{SessionRow, SessionTag};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::{Words, short_id};
use crate::ui::{Tag, TagLook, TtlBar, Zones, each, live, text};

/// How many ended sessions stay on the card; the timeline and the events know all.
const ENDED_SHOWN: usize = 4;
/// How many living sessions are in the document.
const LIVING_SHOWN: usize = 60;

#[component]
pub fn Sessions(runtime: Runtime) -> impl IntoView {
    let places = move || shown(&runtime.mirror.sessions.keys());
    let items = each(places, place_name, move |place| view! { <Item runtime place/> });
    let nothing = live(move || {
        runtime.mirror.sessions.is_empty().then(|| {
            view! { <p class="footnote">{word(|words| words.no_sessions)}</p> }
        })
    });
    view! {
        <article class="card" aria-labelledby="h-sessions" data-testid="sessions">
            <div class="card-head">
                <h2 id="h-sessions" class="plain">{word(|words| words.sessions)}</h2>
                <p>{word(|words| words.sessions_scale)}</p>
            </div>
            <ol class="sessions">
                {items}
            </ol>
            {nothing}
        </article>
    }
}

/// A name that no other place has: a session that ends moves to another one.
fn place_name(place: &SessionPlace) -> String {
    match place {
        SessionPlace::Living(_, id) => format!("living {id}"),
        SessionPlace::Ended(_, id) => format!("ended {id}"),
    }
}

/// Those that live, then the few that ended last.
fn shown(places: &[SessionPlace]) -> Vec<SessionPlace> {
    let lives = |place: &&SessionPlace| matches!(place, SessionPlace::Living(..));
    let living = places.iter().filter(lives).take(LIVING_SHOWN);
    let ended = places.iter().filter(|place| !lives(place)).take(ENDED_SHOWN);
    living.chain(ended).copied().collect()
}

#[component]
fn Item(runtime: Runtime, place: SessionPlace) -> impl IntoView {
    let settings = use_settings();
    let row = runtime.mirror.sessions.row(&place)?;
    let test_id = row.with_untracked(|row| format!("session-{}", row.tag.label));
    let class = match place {
        SessionPlace::Living(..) => "session",
        SessionPlace::Ended(..) => "session gone-row",
    };
    let body = live(move || row.with(|row| body(runtime, settings.words(), row)));
    Some(view! { <li class=class data-testid=test_id>{body}</li> })
}

fn body(runtime: Runtime, words: &'static Words, row: &SessionRow) -> AnyView {
    let id = row.id.to_string();
    let look = if row.ended.is_some() { TagLook::Gone } else { TagLook::Small };
    let clock = match (&row.ended, row.clock) {
        (Some((at, cause)), _) => {
            let text = (words.ended_at)(*at, cause);
            view! { <p data-testid="session-end">{text}</p> }.into_any()
        }
        (None, Some(clock)) => ticking(runtime, words, clock),
        (None, None) => {
            view! { <p class="untimed" data-testid="session-clock">{words.no_ttl}</p> }.into_any()
        }
    };
    let holds = (!row.holds.is_empty()).then(|| {
        let text = (words.holds_list)(&row.holds.join(", "));
        let title = row.holds.join("\n");
        view! { <p class="holds" title=title data-testid="session-holds">{text}</p> }
    });
    view! {
        {owner(&row.tag, look)}
        <code title=id.clone() data-testid="session-id">{short_id(&id).to_owned()}</code>
        {clock}
        {holds}
    }
    .into_any()
}

fn ticking(runtime: Runtime, words: &'static Words, clock: SessionClock) -> AnyView {
    let whole = clock.ends.since(clock.renewed);
    let zones = move || {
        let gone = runtime.now.get().since(clock.renewed).as_secs_f64();
        Zones::new(gone / whole.as_secs_f64().max(f64::MIN_POSITIVE))
    };
    let label =
        text(move || (words.clock_label)(runtime.coarse_now.get().since(clock.renewed), whole));
    let said = live(move || sentence(words, clock, runtime.coarse_now.get()));
    view! {
        <TtlBar zones=Signal::derive(zones) label/>
        <p data-testid="session-clock">{said}</p>
    }
    .into_any()
}

fn sentence(words: &Words, clock: SessionClock, now: Instant) -> AnyView {
    let (guaranteed_until, ends) = (clock.renewed.after(clock.ttl), clock.ends.since(now));
    if now <= guaranteed_until {
        let left = guaranteed_until.since(now);
        return (words.clock_guaranteed)(left, ends).into_any();
    }
    let (over, then) = words.clock_grace;
    let over = over(now.since(guaranteed_until));
    view! { <b class="is-warn">{over}</b> {then(ends)} }.into_any()
}

fn owner(tag: &SessionTag, look: TagLook) -> AnyView {
    match &tag.owner {
        Some(who) => view! { <Tag badge=who.badge look/> }.into_any(),
        None => view! { <span class="tag tag-s"></span> }.into_any(),
    }
}
