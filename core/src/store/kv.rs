//! Entries of the key/value store, and the writes to one key. kv_table.rs stores and changes them.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{Index, Key, SessionRef};

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

/// What a write does to one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KvVerb {
    Set(Write),
    Cas { write: Write, expected: Index },
    Acquire { write: Write, session: SessionRef },
    Release { write: Write, session: SessionRef },
    Delete,
    DeleteCas { expected: Index },
    DeleteTree,
}

impl Entry {
    /// The session that holds the key, as it was spelt.
    pub fn holder(&self) -> Option<&SessionRef> {
        self.hold.as_ref().map(|hold| &hold.session)
    }

    /// Whether writing this over `other` would change anything (KV-07, KV-08).
    pub(super) fn same_content(&self, other: &Self) -> bool {
        self.lock_index == other.lock_index
            && self.flags == other.flags
            && self.holder() == other.holder()
            && self.value == other.value
    }
}
