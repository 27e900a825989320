//! A semaphore card: the `.lock` document beside the contender keys, and which holders are only on
//! paper.
use lictor_core::id::Key;
use lictor_sandbox::history::{DocumentFormat, PrunedHolder};
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::{HolderRow, Presence, SemaphoreRow};

use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, Glyph, Part, TagLook, el, icon, in_crowd, live_if_seen, small_icon, tag};

pub fn semaphore_card(runtime: &Runtime, prefix: &Key) -> Option<El> {
    let row = runtime.mirror.semaphores.row(prefix)?;
    let name = shown(prefix);
    let card = el("article", "card semaphore").label(name).test("semaphore");
    let (card, seen) = in_crowd(card);
    let body = live_if_seen(&seen, move || row.with(|row| body(words(), row)));
    Some(card.attr("data-prefix", name).with(body))
}

/// A prefix as it is shown: the root has a name, too.
fn shown(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}

fn body(words: &Words, row: &SemaphoreRow) -> Part {
    let name = shown(&row.prefix);
    let heading = el("h2", "").title(name).with(name);
    let items = row.holders.iter().map(|holder| holder_item(words, holder));
    parts![
        el("div", "card-head").with(icon(Glyph::Slots)).with(heading).with(head(words, row)),
        el("ul", "holders").label((words.holders)(name)).with(items.collect::<Part>()),
        el("p", "footnote").test("semaphore-note").with(footnote(words, row)),
    ]
}

fn head(words: &Words, row: &SemaphoreRow) -> Part {
    let live = row.holders.iter().filter(|it| it.listed == Presence::Present && it.is_live());
    let limit = (words.limit_live)(row.limit, live.count());
    let (class, shape) = match row.shape {
        DocumentFormat::List => ("", words.shape_list),
        DocumentFormat::Map => ("", words.shape_map),
        DocumentFormat::Unreadable => ("is-danger", words.shape_unreadable),
        DocumentFormat::Missing => ("", words.shape_missing),
    };
    let is_odd = matches!(row.shape, DocumentFormat::Unreadable | DocumentFormat::Missing);
    let numbers = (!is_odd).then(|| el("span", "num small").test("limit").with(limit));
    parts![numbers, el("p", class).test("shape").with(shape)]
}

fn holder_item(words: &Words, row: &HolderRow) -> El {
    let test_id = match row.listed {
        Presence::Present => "semaphore-holder",
        Presence::Missing => "semaphore-contender",
    };
    let (look, name) = if row.is_dead_and_listed() {
        (TagLook::Gone, el("s", "holder-name dead-name"))
    } else {
        (TagLook::Small, el("span", "holder-name"))
    };
    let owner = row.tag.owner.as_ref();
    let called = owner.map_or(&*row.tag.label, |who| who.name.as_str());
    let badges = parts![
        badge(row.listed, words.badge_listed, "badge-listed"),
        badge(row.key, words.badge_key, "badge-key"),
        badge(row.attached, words.badge_session, "badge-session"),
    ];
    let item = el("li", "").test(test_id).attr("data-alive", row.is_live().to_string());
    item.with(parts![
        owner.map(|who| tag(who.badge, look)),
        name.title(&*row.session).with(called),
        el("span", "badges").with(badges),
    ])
}

fn badge(presence: Presence, (there, missing): (&str, &str), test_id: &str) -> El {
    let (class, glyph, words) = match presence {
        Presence::Present => ("badge", Glyph::Check, there),
        Presence::Missing => ("badge no", Glyph::Cross, missing),
    };
    el("span", class).test(test_id).with(small_icon(glyph)).with(words)
}

fn footnote(words: &Words, row: &SemaphoreRow) -> Option<String> {
    let dead = row.holders.iter().filter(|it| it.is_dead_and_listed()).collect::<Vec<_>>();
    if !dead.is_empty() {
        let labels = dead.iter().map(|it| it.tag.label.to_string()).collect::<Vec<_>>();
        return Some((words.dead_holders)(&labels.join(", ")));
    }
    let listed = row.holders.iter().any(|it| it.listed == Presence::Present);
    match &row.pruned {
        Some(PrunedHolder { label, by, index }) => Some((words.pruned)(label, by, index.0)),
        None if !listed && row.shape != DocumentFormat::Missing => {
            Some(words.nobody_listed.to_owned())
        }
        None => None,
    }
}
