//! The badge of an actor: its letter on its hue and pattern, so that colour never speaks alone.

use lictor_sandbox::badge::Badge;

use super::{El, decoration, el, svg};
use crate::parts;

/// How a badge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagLook {
    Normal,
    Small,
    /// Small, in outline: what it stands for has ended.
    Gone,
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
