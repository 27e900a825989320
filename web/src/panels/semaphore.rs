//! A semaphore card: the `.lock` document beside the contender keys, and which holders are only on
//! paper.

use leptos::prelude::*;
use lictor_core::id::Key;

use crate::rows::{HolderRow, Presence, Pruned, SemaphoreRow, Shape};
use crate::settings::use_settings;
use crate::text::Words;
use crate::ui::{Glyph, Icon, IconSize, Tag, TagLook, live};

#[component]
pub fn SemaphoreCard(row: ArcRwSignal<SemaphoreRow>) -> impl IntoView {
    let settings = use_settings();
    let name = row.with_untracked(|row| shown(&row.prefix).to_owned());
    let body = live(move || row.with(|row| body(settings.words(), row)));
    view! {
        <article
            class="card semaphore"
            aria-label=name.clone()
            data-testid="semaphore"
            data-prefix=name
        >
            {body}
        </article>
    }
}

/// A prefix as it is shown: the root has a name, too.
fn shown(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}

fn body(words: &'static Words, row: &SemaphoreRow) -> AnyView {
    let name = shown(&row.prefix).to_owned();
    let label = (words.holders)(&name);
    let note = footnote(words, row);
    view! {
        <div class="card-head">
            <Icon glyph=Glyph::Slots/>
            <h2 title=name>{name.clone()}</h2>
            {head(words, row)}
        </div>
        <ul class="holders" aria-label=label>{holders(words, row)}</ul>
        <p class="footnote" data-testid="semaphore-note">{note}</p>
    }
    .into_any()
}

fn head(words: &'static Words, row: &SemaphoreRow) -> impl IntoView + use<> {
    let live = row.holders.iter().filter(|it| it.listed == Presence::Present && it.is_live());
    let limit = (words.limit_live)(row.limit, live.count());
    let shape = match row.shape {
        Shape::List => words.shape_list,
        Shape::Map => words.shape_map,
        Shape::Unreadable => words.shape_unreadable,
        Shape::Missing => words.shape_missing,
    };
    let is_odd = matches!(row.shape, Shape::Unreadable | Shape::Missing);
    let numbers =
        (!is_odd).then(|| view! { <span class="num small" data-testid="limit">{limit}</span> });
    let is_unreadable = row.shape == Shape::Unreadable;
    view! { {numbers} <p class:is-danger=is_unreadable data-testid="shape">{shape}</p> }
}

fn holders(words: &'static Words, row: &SemaphoreRow) -> Vec<AnyView> {
    row.holders.iter().map(|holder| holder_item(words, holder)).collect()
}

fn holder_item(words: &'static Words, row: &HolderRow) -> AnyView {
    let is_dead = row.is_dead_and_listed();
    let test_id = match row.listed {
        Presence::Present => "semaphore-holder",
        Presence::Missing => "semaphore-contender",
    };
    let name = row
        .tag
        .owner
        .as_ref()
        .map_or_else(|| row.tag.label.to_string(), |who| who.name.to_string());
    let tag = row.tag.owner.as_ref().map(|who| {
        let look = if is_dead { TagLook::Gone } else { TagLook::Small };
        view! { <Tag badge=who.badge look/> }
    });
    let title = row.session.to_string();
    let name = if is_dead {
        view! { <s class="holder-name dead-name" title=title>{name}</s> }.into_any()
    } else {
        view! { <span class="holder-name" title=title>{name}</span> }.into_any()
    };
    let badges = [
        (row.listed, words.badge_listed, "badge-listed"),
        (row.key, words.badge_key, "badge-key"),
        (row.attached, words.badge_session, "badge-session"),
    ];
    let badges = badges.map(|(presence, words, test_id)| badge(presence, words, test_id));
    view! {
        <li data-testid=test_id data-alive=row.is_live().to_string()>
            {tag} {name} <span class="badges">{badges.into_iter().collect_view()}</span>
        </li>
    }
    .into_any()
}

fn badge(
    presence: Presence,
    (there, missing): (&'static str, &'static str),
    test_id: &'static str,
) -> impl IntoView {
    let (class, glyph, words) = match presence {
        Presence::Present => ("badge", Glyph::Check, there),
        Presence::Missing => ("badge no", Glyph::Cross, missing),
    };
    view! {
        <span class=class data-testid=test_id><Icon glyph size=IconSize::Small/>{words}</span>
    }
}

fn footnote(words: &Words, row: &SemaphoreRow) -> Option<String> {
    let dead: Vec<_> = row.holders.iter().filter(|it| it.is_dead_and_listed()).collect();
    if !dead.is_empty() {
        let labels: Vec<_> = dead.iter().map(|it| it.tag.label.to_string()).collect();
        return Some((words.dead_holders)(&labels.join(", ")));
    }
    let listed = row.holders.iter().any(|it| it.listed == Presence::Present);
    match &row.pruned {
        Some(Pruned { label, by, index }) => Some((words.pruned)(label, by, index.0)),
        None if !listed && row.shape != Shape::Missing => Some(words.nobody_listed.to_owned()),
        None => None,
    }
}
