//! The history of one semaphore: the periods in which each session was in the Holders list, and the
//! end of the session. A semaphore is a convention of clients: contender keys under a prefix, and a
//! `.lock` document beside them.

use alloc::string::String;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::{Index, Key, SessionId};
use lictor_core::time::Instant;
use lictor_recipes::{COORDINATION, SemaphoreDocument, Style};

use super::tags::SessionTag;

/// How a semaphore document writes its holders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentFormat {
    /// As in the published guide.
    List,
    /// As the Go client writes it (RCS-03).
    Map,
    /// Not a document of a semaphore.
    Unreadable,
    /// There is no document.
    Missing,
}

/// A holder that a check-and-set took off the list after its session had ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedHolder {
    /// The label of the session.
    pub label: Arc<str>,
    /// The client that removed it.
    pub by: Arc<str>,
    /// The log entry.
    pub index: Index,
}

/// A `.lock` document as the page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentView {
    /// How it is written.
    pub shape: DocumentFormat,
    /// How many may hold a slot.
    pub limit: Option<u64>,
    /// The ids of the sessions that hold one.
    pub holders: Vec<String>,
}

/// A period during which a session was in Holders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotSpan {
    /// The id of the session.
    pub holder: String,
    /// Its label.
    pub tag: SessionTag,
    /// The slot in which it is drawn, counted from 0.
    pub slot: usize,
    /// When it took the slot.
    pub from: Instant,
    /// When its session ended.
    pub died: Option<Instant>,
    /// When it was removed; `None` while it is listed.
    pub to: Option<Instant>,
}

/// The history of one semaphore.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SemaphoreTrack {
    /// How many may hold a slot.
    pub limit: Option<u64>,
    /// The holders over time, in the order in which they took their slots.
    pub spans: Vec<SlotSpan>,
    /// The latest ended holder that a contender removed.
    pub pruned: Option<PrunedHolder>,
}

impl SlotSpan {
    /// Whether the session occupies the slot now.
    fn is_held_by(&self, session: SessionId) -> bool {
        self.to.is_none() && SessionId::parse(&self.holder) == Some(session)
    }
}

impl DocumentView {
    /// The document of a key that does not exist.
    pub fn missing() -> Self {
        Self { shape: DocumentFormat::Missing, limit: None, holders: Vec::new() }
    }

    /// The document as clients read it.
    pub fn parse(value: &[u8]) -> Self {
        let Ok(document) = SemaphoreDocument::read(value) else {
            return Self { shape: DocumentFormat::Unreadable, ..Self::missing() };
        };
        let shape = match document.style {
            Style::GoClient => DocumentFormat::Map,
            Style::Guide => DocumentFormat::List,
        };
        let holders = document.holders.iter().map(ToString::to_string).collect();
        Self { shape, limit: u64::try_from(document.limit).ok(), holders }
    }
}

impl SemaphoreTrack {
    /// Records a change of the document and returns the holders that were removed; `tag` returns
    /// the label of a session.
    pub(super) fn follow(
        &mut self,
        at: Instant,
        document: &DocumentView,
        tag: impl Fn(&str) -> SessionTag,
    ) -> Vec<SlotSpan> {
        self.limit = document.limit.or(self.limit);
        let mut gone = Vec::new();
        for span in self.spans.iter_mut().filter(|span| span.to.is_none()) {
            if !document.holders.contains(&span.holder) {
                span.to = Some(at);
                gone.push(span.clone());
            }
        }
        for holder in &document.holders {
            if !self.open().any(|span| span.holder == *holder) {
                let slot = self.free_slot();
                let (holder, tag) = (holder.clone(), tag(holder));
                self.spans.push(SlotSpan { holder, tag, slot, from: at, died: None, to: None });
            }
        }
        gone
    }

    /// Whether a session is in Holders now.
    pub(super) fn lists(&self, session: SessionId) -> bool {
        self.spans.iter().any(|span| span.is_held_by(session))
    }

    /// Records the end of a session. It occupies its slot until a contender removes it.
    pub(super) fn died(&mut self, at: Instant, session: SessionId) {
        if let Some(span) = self.spans.iter_mut().find(|span| span.is_held_by(session)) {
            span.died = Some(at);
        }
    }

    pub(super) fn prune(&mut self, label: &SessionTag, by: &str, index: Index) {
        self.pruned = Some(PrunedHolder { label: label.label.clone(), by: by.into(), index });
    }

    /// The number of slots to draw: the limit, but 8 at most, or the largest number used at once if
    /// that is larger; at least one.
    pub fn rows(&self) -> usize {
        let used = self.spans.iter().map(|span| span.slot + 1).max().unwrap_or(0);
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(0);
        used.max(limit.min(8)).max(1)
    }

    fn open(&self) -> impl Iterator<Item = &SlotSpan> {
        self.spans.iter().filter(|span| span.to.is_none())
    }

    fn free_slot(&self) -> usize {
        let is_taken = |slot: &usize| self.open().any(|span| span.slot == *slot);
        (0..).find(|slot| !is_taken(slot)).unwrap_or(0)
    }
}

/// The prefix whose semaphore document this key is: `jobs/` for `jobs/.lock`.
pub fn document_prefix(key: &str) -> Option<&str> {
    let prefix = key.strip_suffix(COORDINATION)?;
    (prefix.is_empty() || prefix.ends_with('/')).then_some(prefix)
}

/// The prefix of the semaphore to which a key belongs, by its name.
pub fn semaphore_prefix(key: &Key) -> Option<Key> {
    let text = key.as_str();
    let prefix = document_prefix(text).or(parse_contender_key(text).map(|(prefix, _)| prefix));
    prefix.map(Key::from)
}

/// The prefix and session of a contender key: one that is named after a session.
pub fn parse_contender_key(key: &str) -> Option<(&str, &str)> {
    let name = key.rsplit('/').next()?;
    SessionId::parse(name)?;
    Some((&key[..key.len() - name.len()], name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::{format, vec};

    const ONE: &str = "11111111-1111-1111-1111-111111111111";
    const TWO: &str = "22222222-2222-2222-2222-222222222222";

    fn tag(holder: &str) -> SessionTag {
        SessionTag { label: holder[..1].into(), owner: None }
    }

    fn list(holders: &[&str]) -> DocumentView {
        let holders = holders.iter().map(|holder| (*holder).to_owned()).collect();
        DocumentView { shape: DocumentFormat::List, limit: Some(2), holders }
    }

    #[test]
    fn both_formats_of_the_document_are_read() {
        let guide = DocumentView::parse(br#"{"Limit": 2, "Holders": ["a", "b"]}"#);
        assert_eq!(
            (guide.shape, guide.limit, guide.holders.len()),
            (DocumentFormat::List, Some(2), 2)
        );
        let client = DocumentView::parse(br#"{"Limit":3,"Holders":{"a":true}}"#);
        assert_eq!(
            (client.shape, client.limit, client.holders),
            (DocumentFormat::Map, Some(3), vec!["a".to_owned()])
        );
    }

    #[test]
    fn an_unreadable_value_is_shown_as_such() {
        for value in ["", "x", "[]", "{}x", r#"{"Holders": 7}"#] {
            assert_eq!(
                DocumentView::parse(value.as_bytes()).shape,
                DocumentFormat::Unreadable,
                "{value}"
            );
        }
    }

    #[test]
    fn a_free_slot_is_used_again() {
        let mut track = SemaphoreTrack::default();
        let at = Instant::from_millis;
        track.follow(at(0), &list(&[ONE, TWO]), tag);
        let gone = track.follow(at(10), &list(&[TWO]), tag);
        assert_eq!(gone.len(), 1);
        track.follow(at(20), &list(&[TWO, "third"]), tag);
        let slots: Vec<_> = track.spans.iter().map(|span| (span.slot, span.to)).collect();
        assert_eq!(slots, [(0, Some(at(10))), (1, None), (0, None)]);
        assert_eq!(track.rows(), 2);
    }

    #[test]
    fn a_holder_stays_until_it_is_removed_from_the_list() {
        let mut track = SemaphoreTrack::default();
        track.follow(Instant::EPOCH, &list(&[ONE]), tag);
        let session = SessionId::parse(ONE).expect("an id");
        track.died(Instant::from_millis(5), session);
        assert_eq!(track.spans[0].died, Some(Instant::from_millis(5)));
        assert_eq!(track.spans[0].to, None);
    }

    #[test]
    fn keys_of_a_semaphore_are_recognised_by_their_names() {
        assert_eq!(document_prefix("jobs/.lock"), Some("jobs/"));
        assert_eq!(document_prefix(".lock"), Some(""));
        assert_eq!(document_prefix("jobs/a.lock"), None);
        let contender = format!("jobs/{ONE}");
        assert_eq!(parse_contender_key(&contender), Some(("jobs/", ONE)));
        assert_eq!(parse_contender_key("jobs/leader"), None);
        assert_eq!(parse_contender_key(ONE), Some(("", ONE)));
    }
}
