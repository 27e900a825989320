//! The key/value table: plain writes, check-and-set, locks, deletion. Every write updates the index
//! of held keys and the list of changes. Whether a session exists is not checked here.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::ops::Bound;

use serde::{Deserialize, Serialize};

use super::change::{Change, Changes};
use super::kv::{Entry, Hold, Write};
use super::session::Behavior;
use super::tombstones::Tombstones;
use crate::error::Reason;
use crate::id::{Index, Key, SessionId, SessionRef};

/// All entries, and which session holds which of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kv {
    entries: BTreeMap<Key, Arc<Entry>>,
    held: BTreeSet<(SessionId, Key)>,
    /// The last effective change of any entry (IDX-11).
    index: Index,
    tombstones: Tombstones,
}

impl Kv {
    /// The entry of a key.
    pub fn get(&self, key: &str) -> Option<&Arc<Entry>> {
        self.entries.get(key)
    }

    /// The entries whose key starts with the bytes of `prefix`, in key order (GET-06, GET-11).
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Entry>> {
        self.entries
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .map(|(_, entry)| entry)
            .take_while(move |entry| entry.key.as_str().starts_with(prefix))
    }

    /// The keys that a session holds, in key order; any number of them (LCK-15).
    pub fn held_by(&self, session: SessionId) -> impl Iterator<Item = &Key> {
        let from = (session, Key::from(""));
        self.held.range(from..).take_while(move |held| held.0 == session).map(|held| &held.1)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of entries and tombstones.
    pub(super) fn rows(&self) -> usize {
        self.len() + self.tombstones.len()
    }

    /// The bytes of all keys and values.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|(key, entry)| key.as_str().len() + entry.value.len()).sum()
    }

    /// The index of the table as readers see it: the last change or deletion (IDX-02).
    pub fn table_index(&self) -> Index {
        self.index.max(self.tombstones.table_index())
    }

    /// The index of a list, which counts what was deleted under the prefix (IDX-03 to IDX-05). A
    /// tombstone above the prefix does not count (IDX-10), and once tombstones are reaped the index
    /// may go back (IDX-09).
    pub fn prefix_index(&self, prefix: &str) -> Index {
        if prefix.is_empty() {
            return self.table_index();
        }
        let newest = self.with_prefix(prefix).map(|entry| entry.modify_index).max();
        newest.max(self.tombstones.highest_under(prefix)).unwrap_or_else(|| self.table_index())
    }

    /// The index of the tombstone at exactly this key.
    pub fn tombstone(&self, key: &str) -> Option<Index> {
        self.tombstones.of_key(key)
    }

    /// The newest tombstone at a key that starts with the prefix.
    pub fn newest_tombstone_under(&self, prefix: &str) -> Option<(Index, &Key)> {
        self.tombstones.newest_under(prefix)
    }

    /// The newest tombstone.
    pub fn newest_tombstone(&self) -> Option<Index> {
        self.tombstones.newest()
    }

    /// Writes value and flags (KV-01 to KV-06, KV-10). The lock is kept, but its count restarts.
    /// Any caller may write a locked key (LCK-17).
    pub(super) fn set(&mut self, changes: &mut Changes, key: &Key, write: &Write) {
        let set = self.put(changes, key, &|before| {
            let hold = before.and_then(|entry| entry.hold.clone());
            Ok(written(key, write, 0, hold))
        });
        set.expect("a plain write is never refused");
    }

    /// Check-and-set: index 0 expects that the key does not exist, any other that it was last
    /// changed at that index (KV-11). A lock does not matter (KV-12), the same content counts as
    /// written (KV-13), and an index from before a deletion never matches, as indexes only grow
    /// (KV-14).
    pub(super) fn cas(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        write: &Write,
        expected: Index,
    ) -> Result<(), Reason> {
        self.put(changes, key, &|before| {
            match before.map(|entry| entry.modify_index) {
                None if expected != Index::ZERO => return Err(Reason::KeyMissing),
                Some(actual) if expected != actual => {
                    return Err(Reason::IndexDiffers { expected, actual });
                }
                _ => {}
            }
            let hold = before.and_then(|entry| entry.hold.clone());
            Ok(written(key, write, 0, hold))
        })
    }

    /// Acquires the lock of a key, or writes it again as its holder (LCK-01 to LCK-04, LCK-06,
    /// LCK-07). The caller has checked that the session exists.
    pub(super) fn acquire(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        write: &Write,
        session: &SessionRef,
    ) -> Result<(), Reason> {
        let since = changes.at;
        self.put(changes, key, &|before| {
            let count = before.map_or(0, |entry| entry.lock_index);
            match before.and_then(|entry| entry.hold.as_ref()) {
                None => {
                    let hold = Hold { session: session.clone(), since };
                    Ok(written(key, write, count + 1, Some(hold)))
                }
                Some(hold) if hold.session == *session => {
                    Ok(written(key, write, count, Some(hold.clone())))
                }
                Some(hold) => Err(held_by(hold)),
            }
        })
    }

    /// Releases the lock of a key. Only its holder can, in the spelling in which it acquired
    /// (LCK-10 to LCK-14), whether or not its session still exists (LCK-13). Value and flags are
    /// written (LCK-11).
    pub(super) fn release(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        write: &Write,
        session: &SessionRef,
    ) -> Result<(), Reason> {
        self.put(changes, key, &|before| {
            let entry = before.ok_or(Reason::KeyMissing)?;
            let hold = entry.hold.as_ref().ok_or(Reason::NotHeld)?;
            if hold.session != *session {
                return Err(held_by(hold));
            }
            Ok(written(key, write, entry.lock_index, None))
        })
    }

    /// Deletes a key; a missing one changes nothing (KV-15). Its lock ends without a lock-delay,
    /// and its session continues (KV-19).
    pub(super) fn delete(&mut self, changes: &mut Changes, key: &Key) {
        if self.entries.contains_key(key) {
            self.remove(changes, key);
            self.bury(changes, key.clone());
        }
    }

    /// Deletes a key if it was last changed at the expected index. A missing key counts as deleted,
    /// whatever index is expected (KV-16).
    pub(super) fn delete_cas(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        expected: Index,
    ) -> Result<(), Reason> {
        match self.entries.get(key).map(|entry| entry.modify_index) {
            Some(actual) if actual != expected => Err(Reason::IndexDiffers { expected, actual }),
            _ => {
                self.delete(changes, key);
                Ok(())
            }
        }
    }

    /// Deletes all keys that start with the bytes of `prefix`, with one tombstone at the prefix, or
    /// with none if the prefix is empty (KV-17, KV-18).
    pub(super) fn delete_tree(&mut self, changes: &mut Changes, prefix: &Key) {
        let doomed: Vec<Key> =
            self.with_prefix(prefix.as_str()).map(|entry| entry.key.clone()).collect();
        for key in &doomed {
            self.remove(changes, key);
        }
        if !doomed.is_empty() && !prefix.is_empty() {
            self.bury(changes, prefix.clone());
        }
    }

    /// Releases or deletes a key whose session ends (DST-03, DST-04).
    pub(super) fn let_go(&mut self, changes: &mut Changes, key: &Key, behavior: Behavior) {
        match behavior {
            Behavior::Delete => self.delete(changes, key),
            Behavior::Release => {
                let freed = self.put(changes, key, &|before| {
                    let held = before.ok_or(Reason::KeyMissing)?;
                    Ok(Entry { hold: None, ..held.clone() })
                });
                freed.expect("the held-by index names entries");
            }
        }
    }

    /// Deletes the tombstones up to an index (IDX-08).
    pub(super) fn reap(&mut self, up_to: Index) {
        self.tombstones.reap(up_to);
    }

    /// Undoes a change of this table, as part of a failed transaction.
    pub(super) fn undo(&mut self, change: &Change) {
        match change {
            Change::KeyWritten { before: Some(entry), .. }
            | Change::KeyDeleted { before: entry } => {
                self.place(entry);
            }
            Change::KeyWritten { before: None, after } => {
                self.take(&after.key);
            }
            Change::Buried { key, before } => self.tombstones.restore(key, *before),
            _ => {}
        }
    }

    /// The indexes of the two tables, for [`Kv::rewind`].
    pub(super) fn mark(&self) -> (Index, Index) {
        (self.index, self.tombstones.table_index())
    }

    pub(super) fn rewind(&mut self, (index, tombstones): (Index, Index)) {
        self.index = index;
        self.tombstones.rewind(tombstones);
    }

    /// Writes the entry that `make` returns for the present one, unless it is the same (KV-07).
    fn put(
        &mut self,
        changes: &mut Changes,
        key: &Key,
        make: &dyn Fn(Option<&Entry>) -> Result<Entry, Reason>,
    ) -> Result<(), Reason> {
        let (before, after) = match self.entries.get_mut(key.as_str()) {
            Some(entry) => {
                let create_index = entry.create_index;
                let after = Entry { create_index, modify_index: changes.at, ..make(Some(entry))? };
                if entry.same_content(&after) {
                    return Ok(());
                }
                let after = Arc::new(after);
                (Some(mem::replace(entry, after.clone())), after)
            }
            None => {
                let after = Arc::new(Entry {
                    create_index: changes.at,
                    modify_index: changes.at,
                    ..make(None)?
                });
                self.entries.insert(key.clone(), after.clone());
                (None, after)
            }
        };
        self.relink(key, before.as_deref(), Some(&after));
        self.index = changes.at;
        changes.push(Change::KeyWritten { before, after });
        Ok(())
    }

    fn remove(&mut self, changes: &mut Changes, key: &Key) {
        if let Some(before) = self.take(key) {
            self.index = changes.at;
            changes.push(Change::KeyDeleted { before });
        }
    }

    fn bury(&mut self, changes: &mut Changes, key: Key) {
        let before = self.tombstones.bury(&key, changes.at);
        changes.push(Change::Buried { key, before });
    }

    /// Puts an entry in place with its own indexes, and returns one that had its key.
    pub(super) fn restore(&mut self, entry: &Arc<Entry>) -> Option<Arc<Entry>> {
        let replaced = self.take(&entry.key);
        self.index = self.index.max(entry.modify_index);
        self.place(entry);
        replaced
    }

    /// Puts an entry back as it was.
    fn place(&mut self, entry: &Arc<Entry>) {
        let before = self.entries.insert(entry.key.clone(), entry.clone());
        self.relink(&entry.key, before.as_deref(), Some(entry));
    }

    /// Removes an entry, and its lock with it (DST-06).
    fn take(&mut self, key: &Key) -> Option<Arc<Entry>> {
        let before = self.entries.remove(key)?;
        self.relink(key, Some(&before), None);
        Some(before)
    }

    /// Keeps the held-by index in step with an entry that changed.
    fn relink(&mut self, key: &Key, before: Option<&Entry>, after: Option<&Entry>) {
        let holder = |entry: &Entry| entry.holder().and_then(SessionRef::id);
        let (was, is) = (before.and_then(holder), after.and_then(holder));
        if was == is {
            return;
        }
        if let Some(id) = was {
            let was_held = self.held.remove(&(id, key.clone()));
            debug_assert!(was_held, "a held key is found by its holder");
        }
        if let Some(id) = is {
            let is_new = self.held.insert((id, key.clone()));
            debug_assert!(is_new, "a key that was free is not found by a holder");
        }
    }

    /// The first invariant that the table violates; `None` if it violates none.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let held = |entry: &Arc<Entry>| Some((entry.holder()?.id()?, entry.key.clone()));
        let in_order = |entry: &Arc<Entry>| {
            entry.create_index <= entry.modify_index && entry.modify_index <= self.index
        };
        if !self.entries.iter().all(|(key, entry)| *key == entry.key) {
            return Some("an entry is stored under another key");
        }
        if !self.entries.values().all(in_order) {
            return Some("an entry is newer than its table or older than itself");
        }
        let mut holds = self.entries.values().filter_map(held);
        if holds.clone().count() != self.held.len() || !holds.all(|it| self.held.contains(&it)) {
            return Some("the held-by index differs from the entries");
        }
        self.tombstones.invariant_violation()
    }

    /// The holder of each held key.
    pub(super) fn holders(&self) -> impl Iterator<Item = SessionId> {
        self.held.iter().map(|(holder, _)| *holder)
    }
}

/// An entry as a write asks for it, without its indexes.
fn written(key: &Key, write: &Write, lock_index: u64, hold: Option<Hold>) -> Entry {
    Entry {
        key: key.clone(),
        value: write.value.clone(),
        flags: write.flags,
        lock_index,
        hold,
        create_index: Index::ZERO,
        modify_index: Index::ZERO,
    }
}

fn held_by(hold: &Hold) -> Reason {
    Reason::HeldBy { holder: hold.session.clone(), since: hold.since }
}
