//! The entry of a key in the key/value store, and the writes that a request can make: each writes
//! or deletes one entry, except [`KvVerb::DeleteTree`], which deletes all entries under a prefix.

use alloc::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{Index, Key, SessionRef};

/// One key with its value and lock (GET-01).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// Any bytes.
    pub value: Arc<[u8]>,
    /// Opaque to the server; clients mark lock and semaphore keys with it (RCL-01, RCS-01).
    pub flags: u64,
    /// The LockIndex: how often a session has taken the free key since the entry was created. A
    /// write or a check-and-set without a session sets it to 0 (LCK-02, KV-04).
    pub lock_index: u64,
    /// The lock on it; `None` if it is free.
    pub hold: Option<Hold>,
    /// The index of the log entry that created it.
    pub create_index: Index,
    /// The index of the log entry that changed it last.
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
    /// Any bytes.
    pub value: Arc<[u8]>,
    /// Opaque to the server.
    pub flags: u64,
}

/// What a request does to the key that it names. For [`DeleteTree`](Self::DeleteTree) that key is a
/// prefix, and any number of entries are deleted; the others change at most one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KvVerb {
    /// Writes the entry even if a session holds it (KV-04).
    Set(Write),
    /// Check-and-set: writes the entry if it has the expected index, even if a session holds it
    /// (KV-12).
    Cas {
        /// What is written.
        write: Write,
        /// The `ModifyIndex` that the entry must have; 0 if it must not exist.
        expected: Index,
    },
    /// Writes the entry and locks it, if it is free or the session's own (LCK-01).
    Acquire {
        /// What is written.
        write: Write,
        /// The session that is to hold it.
        session: SessionRef,
    },
    /// Writes the entry and unlocks it, if the session holds it (LCK-12).
    Release {
        /// What is written.
        write: Write,
        /// The session that holds it.
        session: SessionRef,
    },
    /// Deletes the entry even if a session holds it.
    Delete,
    /// Deletes the entry if it has the expected index, even if a session holds it.
    DeleteCas {
        /// The `ModifyIndex` that the entry must have.
        expected: Index,
    },
    /// Deletes all entries whose keys begin with the key of the request, also those that a session
    /// holds.
    DeleteTree,
}

impl Entry {
    /// The session that holds the key, as it was spelt.
    pub fn holder(&self) -> Option<&SessionRef> {
        self.hold.as_ref().map(|hold| &hold.session)
    }

    /// Whether writing this over `other` would change nothing (KV-07, KV-08).
    pub(super) fn same_content(&self, other: &Self) -> bool {
        self.lock_index == other.lock_index
            && self.flags == other.flags
            && self.holder() == other.holder()
            && self.value == other.value
    }
}
