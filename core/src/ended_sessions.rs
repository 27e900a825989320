//! A value for each of the sessions that ended last, at least ten thousand, so that a later refusal
//! can say why a session does not exist.

use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Cause, Reason};
use crate::id::{Index, SessionId, SessionRef};
use crate::time::Instant;

/// The smallest number of sessions that are remembered.
const REMEMBERED: usize = 10_000;
/// The number of sessions that are dropped, copied or shared together.
const BUNDLE: usize = 256;

/// A value for each ended session, in the order in which they ended. Clones share all full bundles.
/// Lookups scan, because they only occur when a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedSessions<T> {
    /// All but the last one are full.
    bundles: Vec<Arc<Vec<(SessionId, T)>>>,
}

impl<T> Default for EndedSessions<T> {
    fn default() -> Self {
        Self { bundles: Vec::new() }
    }
}

impl<T> EndedSessions<T> {
    /// How many sessions are remembered.
    pub fn len(&self) -> usize {
        self.bundles.iter().map(|bundle| bundle.len()).sum()
    }

    /// Whether none is remembered.
    pub fn is_empty(&self) -> bool {
        self.bundles.is_empty()
    }

    /// What is remembered of a session; `None` if it has not ended, or ended long ago.
    pub fn get(&self, id: SessionId) -> Option<&T> {
        self.iter().rev().find(|(ended, _)| *ended == id).map(|(_, what)| what)
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &(SessionId, T)> {
        self.bundles.iter().flat_map(|bundle| bundle.iter())
    }
}

impl<T: Clone> EndedSessions<T> {
    /// Adds a session that has just ended, and drops the oldest ones beyond the limit.
    pub fn remember(&mut self, id: SessionId, what: T) {
        match self.bundles.last_mut().filter(|last| last.len() < BUNDLE) {
            Some(last) => Arc::make_mut(last).push((id, what)),
            None => {
                self.bundles.push(Arc::new(Vec::from([(id, what)])));
                let old = self.bundles.len().saturating_sub(REMEMBERED / BUNDLE + 2);
                self.bundles.drain(..old);
            }
        }
    }
}

/// When and why a session ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedSession {
    /// When it ended.
    pub at: Instant,
    /// The log entry that ended it.
    pub index: Index,
    /// Why it ended.
    pub cause: Cause,
}

impl EndedSessions<EndedSession> {
    /// Why the session that a caller names does not exist.
    pub fn reason(&self, session: &SessionRef) -> Reason {
        let end = session.id().and_then(|id| Some((id, self.get(id)?)));
        end.map_or(Reason::SessionUnknown, |(session, end)| Reason::SessionEnded {
            session,
            at: end.at,
            index: end.index,
            cause: end.cause.clone(),
        })
    }
}

impl<T: Serialize> Serialize for EndedSessions<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for item in self.iter() {
            list.serialize_element(item)?;
        }
        list.end()
    }
}

impl<'de, T: Clone + Deserialize<'de>> Deserialize<'de> for EndedSessions<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut ended_sessions = Self::default();
        for (id, what) in Vec::deserialize(deserializer)? {
            ended_sessions.remember(id, what);
        }
        Ok(ended_sessions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> SessionId {
        SessionId::from_bytes((number as u128).to_be_bytes())
    }

    #[test]
    fn at_least_the_last_ten_thousand_are_remembered() {
        let mut ended_sessions = EndedSessions::default();
        for number in 0..35_000 {
            ended_sessions.remember(id(number), number);
            assert!(
                ended_sessions.len() > number.min(REMEMBERED - 1) && ended_sessions.len() < 11_000
            );
        }
        assert_eq!(ended_sessions.get(id(34_999)), Some(&34_999));
        assert_eq!(ended_sessions.get(id(25_000)), Some(&25_000));
        assert_eq!(ended_sessions.get(id(20_000)), None);
    }

    #[test]
    fn a_clone_is_independent() {
        let mut ended_sessions = EndedSessions::default();
        (0..300).for_each(|number| ended_sessions.remember(id(number), number));
        let copy = ended_sessions.clone();
        ended_sessions.remember(id(300), 300);
        assert_eq!((copy.get(id(300)), ended_sessions.get(id(300))), (None, Some(&300)));
        assert_eq!((copy.get(id(299)), copy.len()), (Some(&299), 300));
    }

    #[test]
    fn the_serialized_form_is_a_list() {
        let mut ended_sessions = EndedSessions::default();
        (0..12_345).for_each(|number| ended_sessions.remember(id(number), number as u64));
        let bytes = postcard::to_allocvec(&ended_sessions).expect("it fits");
        let list: Vec<(SessionId, u64)> = postcard::from_bytes(&bytes).expect("a list");
        assert_eq!(list.len(), ended_sessions.len());
        assert_eq!(postcard::from_bytes::<EndedSessions<u64>>(&bytes), Ok(ended_sessions));
    }
}
