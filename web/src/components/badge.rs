//! The badges of the server and of the actors. An actor's has its letter on its hue and pattern,
//! so that colour is never the only difference. A row of a list shows another badge in the same
//! elements.

use leptos::prelude::*;
use lictor_sim::record::Badge;
use lictor_view::badge;

/// The size and style of an actor's badge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadgeLook {
    Normal,
    #[default]
    Small,
    /// Small and in outline: the session has ended.
    Ended,
}

#[component]
pub fn ActorBadge(
    /// `None` for the badge of the server.
    #[prop(into)]
    badge: Signal<Option<Badge>>,
    #[prop(optional)] look: BadgeLook,
) -> impl IntoView {
    let size = match look {
        BadgeLook::Normal => "tag",
        BadgeLook::Small => "tag tag-s",
        BadgeLook::Ended => "tag tag-s gone",
    };
    let class = move || format!("{size} {}", badge.get().map_or("tag-server", badge::class));
    let letters = move || badge.get().map_or_else(|| "S".to_owned(), Badge::letters);
    let drawing = if look == BadgeLook::Ended {
        view! { <rect class="dead" x="1" y="1" width="14" height="14" rx="3"/> }.into_any()
    } else {
        let paint = move || badge.get().and_then(badge::pattern).unwrap_or("none");
        view! {
            <rect class="fill" width="100%" height="100%"/>
            <rect width="100%" height="100%" fill=paint/>
        }
        .into_any()
    };
    view! {
        <span class=class>
            <svg aria-hidden="true">{drawing}</svg>
            <b>{letters}</b>
        </span>
    }
}

#[component]
pub fn ServerBadge() -> impl IntoView {
    let server: Option<Badge> = None;
    view! { <ActorBadge badge=server/> }
}
