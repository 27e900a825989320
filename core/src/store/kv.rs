//! The key/value table: plain writes, check-and-set, locks, deletion. Every write goes through
//! `Kv::put` or `Kv::remove`, which keep the held-by index and the change list.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;
use core::ops::Bound;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::graveyard::Graveyard;
use super::session::Behavior;
use crate::error::Reason;
use crate::id::{Index, Key, SessionId, SessionRef};
use alloc::collections::{BTreeMap, BTreeSet};

/// One key with its value and lock (GET-01).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub key: Key,
    pub value: Arc<[u8]>,
    /// Opaque to the server; clients mark lock and semaphore keys with it (RCL-01, RCS-01).
    pub flags: u64,
    /// How often the key was acquired since it was created or plainly written (LCK-02, KV-04).
    pub lock_index: u64,
    pub hold: Option<Hold>,
    pub create_index: Index,
    pub modify_index: Index,
}

/// A held lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// The holder, in the spelling with which it acquired the lock (LCK-16).
    pub session: SessionRef,
    /// The index at which it acquired the lock.
    pub since: Index,
}

/// What a write puts into an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    pub value: Arc<[u8]>,
    pub flags: u64,
}

/// All entries, and which session holds which of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kv {
    entries: BTreeMap<Key, Arc<Entry>>,
    held: BTreeSet<(SessionId, Key)>,
    /// The last effective change of any entry (IDX-11).
    index: Index,
    graveyard: Graveyard,
}

impl Entry {
    /// The session that holds the key, as it was spelt.
    pub fn holder(&self) -> Option<&SessionRef> {
        self.hold.as_ref().map(|hold| &hold.session)
    }

    /// KV-07, KV-08: whether writing this over `other` would change anything.
    fn same_content(&self, other: &Self) -> bool {
        self.lock_index == other.lock_index
            && self.flags == other.flags
            && self.holder() == other.holder()
            && self.value == other.value
    }
}

impl Kv {
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

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many entries and tombstones there are.
    pub(super) fn rows(&self) -> usize {
        self.len() + self.graveyard.len()
    }

    /// The bytes of all keys and values.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(|(key, entry)| key.as_str().len() + entry.value.len()).sum()
    }

    /// The index of the table as readers see it: the last change or deletion (IDX-02).
    pub fn table_index(&self) -> Index {
        self.index.max(self.graveyard.table_index())
    }

    /// IDX-03 to IDX-05: the index of a list, counting what was deleted under the prefix. A
    /// tombstone above the prefix does not count (IDX-10), and once they are reaped the index may
    /// go back (IDX-09).
    pub fn prefix_index(&self, prefix: &str) -> Index {
        if prefix.is_empty() {
            return self.table_index();
        }
        let newest = self.with_prefix(prefix).map(|entry| entry.modify_index).max();
        newest.max(self.graveyard.highest_under(prefix)).unwrap_or_else(|| self.table_index())
    }

    /// When a key was last deleted by itself.
    pub fn tombstone(&self, key: &str) -> Option<Index> {
        self.graveyard.of_key(key)
    }

    /// The newest deletion of a key that starts with the prefix.
    pub fn newest_tombstone_under(&self, prefix: &str) -> Option<(Index, &Key)> {
        self.graveyard.newest_under(prefix)
    }

    /// The newest deletion that is not forgotten yet.
    pub fn newest_tombstone(&self) -> Option<Index> {
        self.graveyard.newest()
    }

    /// KV-01 to KV-06, KV-10: the lock stays as it is, but its count starts over; nothing else of
    /// the old entry is kept. Who holds the key does not matter (LCK-17).
    pub(super) fn set(&mut self, at: Index, key: &Key, write: &Write, changes: &mut Vec<Change>) {
        let set = self.put(at, key, changes, &|before| {
            let hold = before.and_then(|entry| entry.hold.clone());
            Ok(written(key, write, 0, hold))
        });
        set.expect("a plain write is never refused");
    }

    /// KV-11: index 0 asks that the key does not exist, any other that it was last changed there.
    /// Locks do not matter (KV-12), content that is there already counts as written (KV-13), and an
    /// index from before a deletion never matches, as indexes only grow (KV-14).
    pub(super) fn cas(
        &mut self,
        at: Index,
        key: &Key,
        (write, expected): (&Write, Index),
        changes: &mut Vec<Change>,
    ) -> Result<(), Reason> {
        self.put(at, key, changes, &|before| {
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

    /// LCK-01 to LCK-04, LCK-06, LCK-07. That the session exists has been tested before.
    pub(super) fn acquire(
        &mut self,
        at: Index,
        key: &Key,
        (write, session): (&Write, &SessionRef),
        changes: &mut Vec<Change>,
    ) -> Result<(), Reason> {
        self.put(at, key, changes, &|before| {
            let count = before.map_or(0, |entry| entry.lock_index);
            match before.and_then(|entry| entry.hold.as_ref()) {
                None => {
                    let hold = Hold { session: session.clone(), since: at };
                    Ok(written(key, write, count + 1, Some(hold)))
                }
                Some(hold) if hold.session == *session => {
                    Ok(written(key, write, count, Some(hold.clone())))
                }
                Some(hold) => Err(held_by(hold)),
            }
        })
    }

    /// LCK-10 to LCK-14: only the holder, spelt as it acquired, releases; its value and flags are
    /// written (LCK-11), and whether its session lives does not matter (LCK-13).
    pub(super) fn release(
        &mut self,
        at: Index,
        key: &Key,
        (write, session): (&Write, &SessionRef),
        changes: &mut Vec<Change>,
    ) -> Result<(), Reason> {
        self.put(at, key, changes, &|before| {
            let entry = before.ok_or(Reason::KeyMissing)?;
            let hold = entry.hold.as_ref().ok_or(Reason::NotHeld)?;
            if hold.session != *session {
                return Err(held_by(hold));
            }
            Ok(written(key, write, entry.lock_index, None))
        })
    }

    /// KV-15: deleting what is not there changes nothing. A lock goes with its key, without a delay
    /// and without its session (KV-19).
    pub(super) fn delete(&mut self, at: Index, key: &Key, changes: &mut Vec<Change>) {
        if self.entries.contains_key(key) {
            self.remove(at, key, changes);
            self.bury(at, key.clone(), changes);
        }
    }

    /// KV-16: a missing key counts as deleted, whatever index is expected.
    pub(super) fn delete_cas(
        &mut self,
        at: Index,
        key: &Key,
        expected: Index,
        changes: &mut Vec<Change>,
    ) -> Result<(), Reason> {
        match self.entries.get(key).map(|entry| entry.modify_index) {
            Some(actual) if actual != expected => Err(Reason::IndexDiffers { expected, actual }),
            _ => {
                self.delete(at, key, changes);
                Ok(())
            }
        }
    }

    /// KV-17, KV-18: by bytes, with one tombstone at the prefix.
    pub(super) fn delete_tree(&mut self, at: Index, prefix: &Key, changes: &mut Vec<Change>) {
        let doomed: Vec<Key> =
            self.with_prefix(prefix.as_str()).map(|entry| entry.key.clone()).collect();
        for key in &doomed {
            self.remove(at, key, changes);
        }
        if !doomed.is_empty() && !prefix.is_empty() {
            self.bury(at, prefix.clone(), changes);
        }
    }

    /// DST-03, DST-04: what the end of its session does to a held key.
    pub(super) fn let_go(
        &mut self,
        at: Index,
        key: &Key,
        behavior: Behavior,
        changes: &mut Vec<Change>,
    ) {
        match behavior {
            Behavior::Delete => self.delete(at, key, changes),
            Behavior::Release => {
                let freed = self.put(at, key, changes, &|before| {
                    let held = before.ok_or(Reason::KeyMissing)?;
                    Ok(Entry { hold: None, ..held.clone() })
                });
                freed.expect("the held-by index names entries");
            }
        }
    }

    /// IDX-08: forgets the tombstones up to an index.
    pub(super) fn reap(&mut self, up_to: Index) {
        self.graveyard.reap(up_to);
    }

    /// Takes back a change of this table, as part of a failed transaction.
    pub(super) fn undo(&mut self, change: &Change) {
        match change {
            Change::KeyWritten { before: Some(entry), .. }
            | Change::KeyDeleted { before: entry } => {
                self.place(entry);
            }
            Change::KeyWritten { before: None, after } => {
                self.take(&after.key);
            }
            Change::Buried { key, before } => self.graveyard.restore(key, *before),
            _ => {}
        }
    }

    /// The indexes of the two tables, for [`Kv::rewind`].
    pub(super) fn mark(&self) -> (Index, Index) {
        (self.index, self.graveyard.table_index())
    }

    pub(super) fn rewind(&mut self, (index, graveyard): (Index, Index)) {
        self.index = index;
        self.graveyard.rewind(graveyard);
    }

    /// Writes what `make` makes of the entry that is there, unless it is the same (KV-07).
    fn put(
        &mut self,
        at: Index,
        key: &Key,
        changes: &mut Vec<Change>,
        make: &dyn Fn(Option<&Entry>) -> Result<Entry, Reason>,
    ) -> Result<(), Reason> {
        let (before, after) = match self.entries.get_mut(key.as_str()) {
            Some(entry) => {
                let create_index = entry.create_index;
                let after = Entry { create_index, modify_index: at, ..make(Some(entry))? };
                if entry.same_content(&after) {
                    return Ok(());
                }
                let after = Arc::new(after);
                (Some(mem::replace(entry, after.clone())), after)
            }
            None => {
                let after = Arc::new(Entry { create_index: at, modify_index: at, ..make(None)? });
                self.entries.insert(key.clone(), after.clone());
                (None, after)
            }
        };
        self.relink(key, before.as_deref(), Some(&after));
        self.index = at;
        changes.push(Change::KeyWritten { before, after });
        Ok(())
    }

    fn remove(&mut self, at: Index, key: &Key, changes: &mut Vec<Change>) {
        if let Some(before) = self.take(key) {
            self.index = at;
            changes.push(Change::KeyDeleted { before });
        }
    }

    fn bury(&mut self, at: Index, key: Key, changes: &mut Vec<Change>) {
        let before = self.graveyard.bury(&key, at);
        changes.push(Change::Buried { key, before });
    }

    /// Puts an entry back as it was.
    fn place(&mut self, entry: &Arc<Entry>) {
        let before = self.entries.insert(entry.key.clone(), entry.clone());
        self.relink(&entry.key, before.as_deref(), Some(entry));
    }

    /// Takes an entry out: a lock that went with its key is nobody's any more (DST-06).
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
            self.held.remove(&(id, key.clone()));
        }
        if let Some(id) = is {
            self.held.insert((id, key.clone()));
        }
    }

    /// What is at odds with itself: S2, and the held-by half of S4.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let held = |entry: &Arc<Entry>| Some((entry.holder()?.id()?, entry.key.clone()));
        let in_order = |entry: &Arc<Entry>| {
            entry.create_index <= entry.modify_index && entry.modify_index <= self.index
        };
        if !self.entries.iter().all(|(key, entry)| *key == entry.key) {
            return Some("an entry stands under another key");
        }
        if !self.entries.values().all(in_order) {
            return Some("S2: an entry is newer than its table or older than itself");
        }
        if self.entries.values().filter_map(held).collect::<BTreeSet<_>>() != self.held {
            return Some("S4: the held-by index is not what a scan gives");
        }
        self.graveyard.invariant_violation()
    }

    /// The sessions that hold something.
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
