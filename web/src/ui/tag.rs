//! The badge of an actor: its letter on its hue and pattern, so that colour never speaks alone.

use leptos::prelude::*;

/// An actor's place in the world, from which letter, hue and pattern follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Badge(pub u16);

/// How a badge is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TagLook {
    #[default]
    Normal,
    Small,
    /// Small, in outline: what it stands for has ended.
    Gone,
}

impl Badge {
    /// A to Z; beyond that letters repeat, and the name beside the badge tells them apart.
    pub fn letter(self) -> char {
        char::from(b'A' + (self.0 % 26) as u8)
    }

    /// The class that sets the hue: eight of them, in turn.
    pub fn class(self) -> &'static str {
        const CLASSES: [&str; 8] = ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"];
        CLASSES[usize::from(self.0 % 8)]
    }

    /// The paint of the pattern: plain, stripes, dots, bars, in turn.
    pub fn pattern(self) -> Option<&'static str> {
        const PAINTS: [Option<&str>; 4] =
            [None, Some("url(#p-stripe)"), Some("url(#p-dot)"), Some("url(#p-bar)")];
        PAINTS[usize::from(self.0 % 4)]
    }
}

/// The badge of one actor.
#[component]
pub fn Tag(badge: Badge, #[prop(optional)] look: TagLook) -> impl IntoView {
    let size = match look {
        TagLook::Normal => "tag",
        TagLook::Small => "tag tag-s",
        TagLook::Gone => "tag tag-s gone",
    };
    let drawing = match look {
        TagLook::Gone => {
            view! { <rect class="dead" x="1" y="1" width="14" height="14" rx="3"/> }.into_any()
        }
        TagLook::Normal | TagLook::Small => view! {
            <rect class="fill" width="100%" height="100%"/>
            {badge.pattern().map(|paint| view! { <rect width="100%" height="100%" fill=paint/> })}
        }
        .into_any(),
    };
    view! {
        <span class=format!("{size} {}", badge.class())>
            <svg aria-hidden="true">{drawing}</svg>
            <b>{badge.letter().to_string()}</b>
        </span>
    }
}

const SERVER_LETTER: &str = "S";

/// The badge of the server.
#[component]
pub fn ServerTag() -> impl IntoView {
    view! { <span class="tag tag-s tag-server"><b>{SERVER_LETTER}</b></span> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_hue_and_in_pattern() {
        for place in 0..30 {
            let (one, next) = (Badge(place), Badge(place + 1));
            assert_ne!(one.class(), next.class());
            assert_ne!(one.pattern(), next.pattern());
        }
    }

    #[test]
    fn letters_start_again_after_z() {
        assert_eq!((Badge(25).letter(), Badge(26).letter()), ('Z', 'A'));
    }
}
