//! The names of clients and sessions for people: a client has its name and badge, a session a short
//! label after its owner, or the start of its id.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;

use lictor_core::id::ActorName;

/// The number of an actor, from which the page takes its letters, hue and pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Badge(pub u16);

/// The name and badge of an actor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActorTag {
    /// The name.
    pub name: ActorName,
    /// The badge.
    pub badge: Badge,
}

/// A session as it is named on the page: `A`, `A2` after its owner, or the start of its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionTag {
    /// The label.
    pub label: Arc<str>,
    /// The client that created it.
    pub owner: Option<ActorTag>,
}

impl Badge {
    /// A to Z, then AA, AB and so on: no two badges have the same letters.
    pub fn letters(self) -> String {
        let mut letters = VecDeque::new();
        let mut left = self.0;
        loop {
            letters.push_front(char::from(b'A' + (left % 26) as u8));
            match (left / 26).checked_sub(1) {
                Some(more) => left = more,
                None => return letters.into_iter().collect(),
            }
        }
    }
}

/// The first eight characters of a session's id, as its label if it has no owner.
pub fn short_id(id: &str) -> &str {
    let end = id.char_indices().nth(8).map_or(id.len(), |(end, _)| end);
    &id[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_badges_have_the_same_letters() {
        let letters = [0, 25, 26, 51, 52, 701, 702].map(|badge| Badge(badge).letters());
        assert_eq!(letters, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn a_text_that_is_no_id_is_cut_between_characters() {
        assert_eq!(short_id("7d2c41e0-1111-2222-3333-444444444444"), "7d2c41e0");
        assert_eq!(short_id("会话"), "会话");
        assert_eq!(short_id("会会会会会会会会会"), "会会会会会会会会");
    }
}
