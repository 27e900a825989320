//! What is remembered of the sessions that ended last.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::id::SessionId;

/// So many at least; of an older one only its absence is known.
const REMEMBERED: usize = 10_000;

/// In the order in which they ended. They are looked for when a request is refused, so a search is
/// cheap enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Recent<T>(Vec<(SessionId, T)>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Recent<T> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The oldest are forgotten many at a time, so that one more costs little in a long life, too.
    pub(crate) fn remember(&mut self, id: SessionId, what: T) {
        if self.0.len() == 2 * REMEMBERED {
            self.0.drain(..REMEMBERED);
        }
        self.0.push((id, what));
    }

    pub(crate) fn get(&self, id: SessionId) -> Option<&T> {
        self.0.iter().rev().find(|(of, _)| *of == id).map(|(_, what)| what)
    }
}
