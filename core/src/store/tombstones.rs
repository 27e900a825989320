//! Tombstones: the index at which a key, or all keys under a prefix, were deleted, so that the
//! index of a list does not fall when keys are deleted (IDX-03). They stay until they are reaped.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::Bound;

use serde::{Deserialize, Serialize};

use crate::id::{Index, Key};

/// At most one tombstone for each key or deleted prefix (IDX-07), found by prefix and by age.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tombstones {
    by_key: BTreeMap<Key, Index>,
    by_age: BTreeSet<(Index, Key)>,
    index: Index,
}

impl Tombstones {
    pub(super) fn table_index(&self) -> Index {
        self.index
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The index of the newest tombstone whose key starts with the prefix (IDX-03).
    pub(super) fn highest_under(&self, prefix: &str) -> Option<Index> {
        self.newest_under(prefix).map(|(index, _)| index)
    }

    /// The index and the key of the newest tombstone whose key starts with the prefix.
    pub(super) fn newest_under(&self, prefix: &str) -> Option<(Index, &Key)> {
        self.by_key
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(key, _)| key.as_str().starts_with(prefix))
            .map(|(key, index)| (*index, key))
            .max()
    }

    pub(super) fn of_key(&self, key: &str) -> Option<Index> {
        self.by_key.get(key).copied()
    }

    pub(super) fn newest(&self) -> Option<Index> {
        self.by_age.last().map(|(index, _)| *index)
    }

    /// Sets the tombstone of a key and returns the index of an earlier one.
    pub(super) fn bury(&mut self, key: &Key, at: Index) -> Option<Index> {
        let before = self.by_key.get(key).copied();
        self.restore(key, Some(at));
        self.index = at;
        before
    }

    /// Sets or removes one tombstone, without moving the table index.
    pub(super) fn restore(&mut self, key: &Key, mark: Option<Index>) {
        if let Some(old) = self.by_key.remove(key) {
            self.by_age.remove(&(old, key.clone()));
        }
        if let Some(mark) = mark {
            self.by_key.insert(key.clone(), mark);
            self.by_age.insert((mark, key.clone()));
        }
    }

    /// The invariant of the lookup by age, if it is violated.
    pub(super) fn invariant_violation(&self) -> Option<&'static str> {
        let is_same = self.by_age.len() == self.by_key.len()
            && self.by_age.iter().all(|(index, key)| self.by_key.get(key) == Some(index));
        (!is_same).then_some("a tombstone is not found by its age")
    }

    pub(super) fn rewind(&mut self, index: Index) {
        self.index = index;
    }

    /// Deletes the tombstones up to an index; the table index stays (IDX-08).
    pub(super) fn reap(&mut self, up_to: Index) {
        while let Some((index, _)) = self.by_age.first() {
            if *index > up_to {
                return;
            }
            if let Some((_, key)) = self.by_age.pop_first() {
                self.by_key.remove(&key);
            }
        }
    }
}
