//! Finds and replaces the ids of sessions and prepared queries in the texts of requests. The server
//! draws ids at random, so links, rebased branches and the line language store which event created
//! an id in place of the id.

use alloc::string::ToString;
use alloc::vec::Vec;

use lictor_core::engine::Event;
use lictor_core::id::SessionId;
use lictor_core::store::Change;

use crate::event::{EventKind, SimEvent};

/// The length of an id's text.
pub(crate) const LENGTH: usize = 36;

/// The ids in a text with their offsets, in lower case as the server writes them. Ids of prepared
/// queries have the same form.
pub(crate) fn ids_in(text: &[u8]) -> impl Iterator<Item = (usize, SessionId)> {
    let mut at = 0;
    core::iter::from_fn(move || {
        while let Some(window) = text.get(at..at + LENGTH) {
            let found = id_of(window).map(|id| (at, id));
            at += if found.is_some() { LENGTH } else { 1 };
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

/// The text with each id replaced by its counterpart, if it has one.
pub(crate) fn with_ids(text: &[u8], other: impl Fn(SessionId) -> Option<SessionId>) -> Vec<u8> {
    let mut replaced = Vec::from(text);
    for (at, id) in ids_in(text) {
        if let Some(id) = other(id) {
            replaced[at..at + LENGTH].copy_from_slice(id.to_string().as_bytes());
        }
    }
    replaced
}

/// The ids that the server created, in order.
pub(crate) fn made(events: &[SimEvent]) -> Vec<SessionId> {
    let made = events.iter().filter_map(|event| match &event.kind {
        EventKind::Server { event: Event::Changed(change), .. } => match change {
            Change::SessionCreated(session) => Some(session.id),
            Change::QueryWritten { before: None, after } => SessionId::parse(&after.id.to_string()),
            _ => None,
        },
        _ => None,
    });
    made.collect()
}

fn id_of(window: &[u8]) -> Option<SessionId> {
    // Most windows fail here, without the cost of parsing.
    if window[8] != b'-' || window.iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    SessionId::parse(core::str::from_utf8(window).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "adf4238a-882b-9ddc-4a9d-5b6758e4159e";
    const OTHER: &str = "00000000-1111-2222-3333-444444444444";

    #[test]
    fn ids_are_found_anywhere_in_a_text() {
        let text = alloc::format!("/v1/kv/a?acquire={ONE}&x={}{OTHER}", ONE.to_uppercase());
        let offsets: Vec<usize> = ids_in(text.as_bytes()).map(|(at, _)| at).collect();
        assert_eq!(offsets, [17, 56 + 36]);
        assert_eq!(ids_in(&ONE.as_bytes()[1..]).count(), 0);
    }

    #[test]
    fn ids_are_replaced_by_their_counterparts() {
        let [one, other] = [ONE, OTHER].map(|text| SessionId::parse(text).expect("an id"));
        let text = alloc::format!("a {ONE} {OTHER}");
        let replaced = with_ids(text.as_bytes(), |id| (id == one).then_some(other));
        assert_eq!(replaced, alloc::format!("a {OTHER} {OTHER}").as_bytes());
    }
}
