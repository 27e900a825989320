//! Collects the keys of the rows that folded events change, until they are taken.

use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::store::Entry;

use super::Record;
use super::row_keys::{RowKey, RowKeys};
use super::semaphore::semaphore_prefix;

impl Record {
    /// Takes the keys of the rows that changed since the last call.
    pub fn take_changed_rows(&mut self) -> RowKeys {
        core::mem::take(&mut self.changed_rows)
    }

    pub(super) fn mark_key_row(&mut self, key: &Key) {
        self.changed_rows.insert(RowKey::Key(key.clone()));
        self.changed_rows.extend(semaphore_prefix(key).map(RowKey::Semaphore));
    }

    /// The keys that a session holds are shown on its row and on its owner's.
    pub(super) fn mark_holder_rows(&mut self, before: Option<&Entry>, after: Option<&Entry>) {
        for entry in [before, after] {
            if let Some(id) = entry.and_then(|entry| entry.holder()?.id()) {
                self.mark_session_row(id);
            }
        }
    }

    pub(super) fn mark_session_row(&mut self, id: SessionId) {
        self.changed_rows.insert(RowKey::Session(id));
        if let Some(who) = self.sessions.get(&id).and_then(|track| track.tag.owner.as_ref()) {
            self.changed_rows.insert(RowKey::Actor(who.name.clone()));
        }
    }

    pub(super) fn mark_actor_row(&mut self, name: &ActorName) {
        self.changed_rows.insert(RowKey::Actor(name.clone()));
    }

    pub(super) fn mark_all_actor_rows(&mut self) {
        self.changed_rows.extend(self.actors.iter().map(|who| RowKey::Actor(who.name.clone())));
    }
}
