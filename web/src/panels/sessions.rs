//! The sessions: each with its clock from 0 to twice its TTL, what it holds, and how it ended.

use lictor_core::engine::SessionClock;
use lictor_core::time::Instant;
use lictor_sandbox::format::short_id;
use lictor_sandbox::history::SessionTag;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::SessionRow;

use crate::mirror::SessionPlace;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{
    self, El, Part, TagLook, crowd, each, el, in_crowd, live, live_if_seen, text, ttl_bar, word,
};

/// How many ended sessions stay on the card; the timeline and the events know all.
const ENDED_SHOWN: usize = 4;
/// How many living sessions are in the document.
const LIVING_SHOWN: usize = 60;

pub fn sessions(runtime: &'static Runtime) -> El {
    let (card, seen) = in_crowd(el("article", "card"));
    let items = live_if_seen(&seen, move || {
        let places = || shown(&runtime.mirror.sessions.keys());
        each(places, place_name, move |place| item(runtime, *place))
    });
    let nothing = live(|| {
        let text = || el("p", "footnote").with(word(|words| words.no_sessions));
        runtime.mirror.sessions.is_empty().then(text)
    });
    let head = el("div", "card-head")
        .with(el("h2", "plain").attr("id", "h-sessions").with(word(|words| words.sessions)))
        .with(el("p", "").with(word(|words| words.sessions_scale)));
    let card = card.attr("aria-labelledby", "h-sessions").test("sessions");
    card.with(head)
        .with(
            el("ol", "")
                .attr("class", crowd("sessions", || runtime.mirror.sessions.len()))
                .with(items),
        )
        .with(nothing)
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
    let mut shown = living.copied().collect::<Vec<_>>();
    shown.extend(ended.copied());
    shown
}

fn item(runtime: &'static Runtime, place: SessionPlace) -> Option<El> {
    let row = runtime.mirror.sessions.row(&place)?;
    let class = match place {
        SessionPlace::Living(..) => "session",
        SessionPlace::Ended(..) => "session gone-row",
    };
    let item = el("li", class).test(row.peek(|row| format!("session-{}", row.tag.label)));
    let (item, seen) = in_crowd(item);
    Some(item.with(live_if_seen(&seen, move || row.with(|row| body(runtime, words(), row)))))
}

fn body(runtime: &'static Runtime, words: &'static Words, row: &SessionRow) -> Part {
    let id = row.id.to_string();
    let look = if row.ended.is_some() { TagLook::Gone } else { TagLook::Small };
    let clock = match (&row.ended, row.clock) {
        (Some((at, cause)), _) => {
            el("p", "").test("session-end").with((words.ended_at)(*at, cause)).into()
        }
        (None, Some(clock)) => ticking(runtime, words, clock),
        (None, None) => el("p", "untimed").test("session-clock").with(words.no_ttl).into(),
    };
    let holds = (!row.holds.is_empty()).then(|| {
        let line = el("p", "holds").title(row.holds.join("\n")).test("session-holds");
        line.with((words.holds_list)(&row.holds.join(", ")))
    });
    let short = el("code", "").title(&id).test("session-id").with(short_id(&id));
    parts![owner(&row.tag, look), short, clock, holds]
}

fn ticking(runtime: &'static Runtime, words: &'static Words, clock: SessionClock) -> Part {
    let (start, end) = (clock.renewed, clock.ends);
    let gone = move || runtime.coarse_now.get().since(start);
    let label = text(move || (words.clock_label)(gone(), end.since(start)));
    let said = live(move || sentence(words, clock, runtime.coarse_now.get()));
    let bar = ttl_bar(label, runtime.now_in_turn(), (start, end));
    parts![bar, el("p", "").test("session-clock").with(said)]
}

fn sentence(words: &Words, clock: SessionClock, now: Instant) -> Part {
    let (guaranteed_until, ends) = (clock.renewed.after(clock.ttl), clock.ends.since(now));
    if now <= guaranteed_until {
        return (words.clock_guaranteed)(guaranteed_until.since(now), ends).into();
    }
    let (over, then) = words.clock_grace;
    let over = over(now.since(guaranteed_until));
    parts![el("b", "is-warn").with(over), then(ends)]
}

fn owner(tag: &SessionTag, look: TagLook) -> El {
    match &tag.owner {
        Some(who) => ui::tag(who.badge, look),
        None => el("span", "tag tag-s"),
    }
}
