//! A card of a semaphore: its limit, and for each holder whether it is in the `.lock` document, and
//! whether its contender key and its session exist.

use leptos::html::Article;
use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_desk::i18n::Words;
use lictor_sim::record::{DocumentFormat, PrunedHolder};
use lictor_view::rows::{HolderRow, SemaphoreRow};

use crate::components::crowd::while_in_view;
use crate::components::{ActorBadge, BadgeLook, Glyph, Icon, in_view};
use crate::platform::words::{row_words, words};

#[component]
pub fn SemaphoreCard(prefix: Key, row: ArcRwSignal<SemaphoreRow>) -> impl IntoView {
    let card = NodeRef::<Article>::new();
    let row = while_in_view(in_view(card), move || row.get());
    let holders = Memo::new(move |_| row.with(|row| row.holders.clone()));
    let note = Memo::new(move |_| row.with(|row| footnote(words(), row)));
    let name = name_of(&prefix).to_owned();
    let label = name.clone();
    let title = name.clone();
    let prefix = name.clone();
    // Another holder is shown in the elements of the one that had its place.
    let holder = move |place: usize| {
        let row = Memo::new(move |_| holders.with(|holders| holders.get(place).cloned()));
        move || row.get().map(holder_view)
    };
    let list_label = {
        let name = name.clone();
        move || (words().holders)(&name)
    };
    view! {
        <article
            node_ref=card
            class="card semaphore"
            aria-label=label
            data-testid="semaphore"
            data-prefix=prefix
        >
            <div class="card-head">
                <Icon glyph=Glyph::Slots/>
                <h2 title=title>{name}</h2>
                {move || row.with(|row| head(words(), row))}
            </div>
            <ul class="holders" aria-label=list_label>
                <For
                    each=move || 0..holders.with(Vec::len)
                    key=|place| *place
                    children=holder
                />
            </ul>
            <p class="footnote" data-testid="semaphore-note">{move || note.get()}</p>
        </article>
    }
}

/// A prefix as it is shown: the empty one is `/`.
fn name_of(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}

fn head(words: &Words, row: &SemaphoreRow) -> impl IntoView + use<> {
    let live = row.holders.iter().filter(|it| it.is_listed && it.is_live());
    let limit = (words.limit_live)(row.limit, live.count());
    let (class, shape) = match row.shape {
        DocumentFormat::List => ("", words.shape_list),
        DocumentFormat::Map => ("", words.shape_map),
        DocumentFormat::Unreadable => ("is-danger", words.shape_unreadable),
        DocumentFormat::Missing => ("", words.shape_missing),
    };
    let is_odd = matches!(row.shape, DocumentFormat::Unreadable | DocumentFormat::Missing);
    let limit =
        (!is_odd).then(|| view! { <span class="num small" data-testid="limit">{limit}</span> });
    view! { {limit} <p class=class data-testid="shape">{shape}</p> }
}

fn holder_view(row: HolderRow) -> impl IntoView {
    let test_id = if row.is_listed { "semaphore-holder" } else { "semaphore-contender" };
    let owner = row.tag.owner.as_ref();
    let name = owner.map_or(&*row.tag.label, |actor| actor.name.as_str()).to_owned();
    let session = row.session.to_string();
    let (look, name) = if row.is_dead_and_listed() {
        let name = view! { <s class="holder-name dead-name" title=session>{name}</s> };
        (BadgeLook::Ended, name.into_any())
    } else {
        let name = view! { <span class="holder-name" title=session>{name}</span> };
        (BadgeLook::Small, name.into_any())
    };
    view! {
        <li data-testid=test_id data-alive=row.is_live().to_string()>
            {owner.map(|actor| view! { <ActorBadge badge=Some(actor.badge) look/> })}
            {name}
            <span class="badges">
                {presence(row.is_listed, || words().badge_listed, "badge-listed")}
                {presence(row.has_key, || words().badge_key, "badge-key")}
                // A key that does not exist has no session to name.
                {row.has_key
                    .then(|| presence(row.is_attached, || words().badge_session, "badge-session"))}
            </span>
        </li>
    }
}

/// Whether a part of a holder exists. `texts` has the words for one that exists and one that does
/// not.
fn presence(
    is_present: bool,
    texts: fn() -> (&'static str, &'static str),
    test_id: &'static str,
) -> impl IntoView {
    let (class, glyph) =
        if is_present { ("badge", Glyph::Check) } else { ("badge no", Glyph::Cross) };
    let text = move || if is_present { texts().0 } else { texts().1 };
    view! { <span class=class data-testid=test_id><Icon glyph small=true/>{text}</span> }
}

/// What is unusual about the holders; `None` if nothing is.
fn footnote(words: &Words, row: &SemaphoreRow) -> Option<String> {
    let dead = row.holders.iter().filter(|it| it.is_dead_and_listed()).collect::<Vec<_>>();
    if !dead.is_empty() {
        let labels = dead.iter().map(|it| it.tag.label.to_string()).collect::<Vec<_>>();
        return Some((words.dead_holders)(&labels.join(row_words().list)));
    }
    let listed = row.holders.iter().any(|it| it.is_listed);
    match &row.pruned {
        Some(PrunedHolder { label, by, index }) => Some((words.pruned)(label, by, index.0)),
        None if !listed && row.shape != DocumentFormat::Missing => {
            Some(words.nobody_listed.to_owned())
        }
        None => None,
    }
}
