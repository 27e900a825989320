//! What changed in the record since somebody looked, so that only that is shown again.

use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::store::Entry;
use std::collections::BTreeSet;

use super::{Record, semaphore_of};

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    Key(Key),
    Semaphore(Key),
    Session(SessionId),
    Actor(ActorName),
}

/// What changed since the last look.
pub type Touched = BTreeSet<Touch>;

impl Record {
    /// What changed since the last call.
    pub fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }

    /// What has to be looked at although it changed elsewhere.
    pub fn touch(&mut self, touched: Touched) {
        self.touched = touched;
    }

    pub(super) fn touch_key(&mut self, key: &Key) {
        self.touched.insert(Touch::Key(key.clone()));
        self.touched.extend(semaphore_of(key).map(Touch::Semaphore));
    }

    /// What a session holds shows with it and with its owner.
    pub(super) fn touch_holders(&mut self, before: Option<&Entry>, after: Option<&Entry>) {
        for entry in [before, after] {
            if let Some(id) = entry.and_then(|entry| entry.holder()?.id()) {
                self.touch_session(id);
            }
        }
    }

    pub(super) fn touch_session(&mut self, id: SessionId) {
        self.touched.insert(Touch::Session(id));
        if let Some(who) = self.sessions.get(&id).and_then(|track| track.tag.owner.as_ref()) {
            self.touched.insert(Touch::Actor(who.name.clone()));
        }
    }

    pub(super) fn touch_actor(&mut self, name: &ActorName) {
        self.touched.insert(Touch::Actor(name.clone()));
    }

    pub(super) fn touch_actors(&mut self) {
        self.touched.extend(self.actors.iter().map(|who| Touch::Actor(who.name.clone())));
    }
}
