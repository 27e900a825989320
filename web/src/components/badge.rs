//! The badges of the server and of the actors. An actor's has its letter on its hue and pattern, so
//! that colour is never the only difference.

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
pub fn ActorBadge(badge: Badge, #[prop(optional)] look: BadgeLook) -> impl IntoView {
    let size = match look {
        BadgeLook::Normal => "tag",
        BadgeLook::Small => "tag tag-s",
        BadgeLook::Ended => "tag tag-s gone",
    };
    let drawing = if look == BadgeLook::Ended {
        view! { <rect class="dead" x="1" y="1" width="14" height="14" rx="3"/> }.into_any()
    } else {
        let pattern = badge::pattern(badge).map(|paint| {
            view! { <rect width="100%" height="100%" fill=paint/> }
        });
        view! { <rect class="fill" width="100%" height="100%"/> {pattern} }.into_any()
    };
    view! {
        <span class=format!("{size} {}", badge::class(badge))>
            <svg aria-hidden="true">{drawing}</svg>
            <b>{badge.letters()}</b>
        </span>
    }
}

#[component]
pub fn ServerBadge() -> impl IntoView {
    view! { <span class="tag tag-s tag-server"><b>"S"</b></span> }
}
