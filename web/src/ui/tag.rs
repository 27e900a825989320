//! The badge of an actor: its letter on its hue and pattern, so that colour never speaks alone.

use super::{El, decoration, el, svg};
use crate::parts;

/// An actor's place in the world, from which letter, hue and pattern follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Badge(pub u16);

/// How a badge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagLook {
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
pub fn tag(badge: Badge, look: TagLook) -> El {
    let size = match look {
        TagLook::Normal => "tag",
        TagLook::Small => "tag tag-s",
        TagLook::Gone => "tag tag-s gone",
    };
    let drawing = match look {
        TagLook::Gone => gone().into(),
        TagLook::Normal | TagLook::Small => {
            parts![cover("fill"), badge.pattern().map(|paint| cover("").attr("fill", paint)),]
        }
    };
    el("span", &format!("{size} {}", badge.class()))
        .with(decoration("").with(drawing))
        .with(el("b", "").with(badge.letter().to_string()))
}

/// The small badge of an actor.
pub fn small_tag(badge: Badge) -> El {
    tag(badge, TagLook::Small)
}

fn cover(class: &str) -> El {
    svg("rect", class).attr("width", "100%").attr("height", "100%")
}

fn gone() -> El {
    let rect = svg("rect", "dead").attr("x", "1").attr("y", "1");
    rect.attr("width", "14").attr("height", "14").attr("rx", "3")
}

const SERVER_LETTER: &str = "S";

/// The badge of the server.
pub fn server_tag() -> El {
    el("span", "tag tag-s tag-server").with(el("b", "").with(SERVER_LETTER))
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
