//! What a program believes about the lock that it contends for, and the fencing tokens that it
//! sends to the resource that the lock guards. A belief may be wrong: only the orders, answers,
//! errors, timeouts and clock of the program change it.

use core::fmt;

use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::call_id::CallId;

/// What a program believes, since when on its own clock, and from which answer. The truth is what
/// the store contains; the two may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Belief {
    /// It has not tried, or does not know the outcome of its last attempt.
    Unknown,
    /// It contends for the lock and does not believe that it holds it.
    Contending {
        /// When it began, on its own clock.
        since: Instant,
    },
    /// It believes that it is the holder.
    Believes {
        /// Since when it believes so, on its own clock.
        since: Instant,
        /// The call whose answer it believes.
        from: CallId,
        /// The token of its lock.
        token: Token,
    },
    /// It has noticed that it is no longer the holder, by an answer, by an error, or by its own
    /// clock.
    KnowsLost {
        /// When it noticed, on its own clock.
        since: Instant,
        /// The call whose result showed it. `None` if it was its own clock.
        from: Option<CallId>,
    },
    /// It has released the lock.
    LetGo {
        /// When it released the lock, on its own clock.
        since: Instant,
        /// The call that released it. `None` if it sent none.
        from: Option<CallId>,
    },
}

/// The lock that a holder believes to hold: Consul's *sequencer* (key, LockIndex, session) and the
/// entry's ModifyIndex. The answer to an acquire is only `true`, so the indexes are `None` until a
/// read has returned them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Token {
    /// The key of the lock.
    pub key: Key,
    /// The session that holds it.
    pub session: SessionRef,
    /// How many times the key was acquired; a plain write or a deletion resets it (KV-04).
    pub lock_index: Option<u64>,
    /// The index of the acquire, or of a later write to the key while it is held.
    pub modify_index: Option<Index>,
}

/// How a client fences its writes: the kind of token that it sends to the guarded resource, or a
/// transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FenceKind {
    /// It sends no token.
    None,
    /// The session: it tells holders apart, and does not order them.
    Session,
    /// The LockIndex: it grows with each acquire until the key is written plainly or deleted.
    LockIndex,
    /// The ModifyIndex that was read while the lock was held: it only grows.
    ModifyIndex,
    /// Key, LockIndex and session: Consul's *sequencer*.
    Triple,
    /// The resource is a key of Consul itself, written in a transaction that checks the holder
    /// (TXN-29).
    CheckSession,
}

/// The fencing token of one write, of the chosen kind. [`FenceKind::CheckSession`] has
/// [`None`](Self::None), as Consul itself checks the holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fence {
    /// No token.
    None,
    /// The session that holds the lock.
    Session(SessionRef),
    /// How often the key was acquired.
    LockIndex(u64),
    /// The ModifyIndex of the key.
    ModifyIndex(Index),
    /// The sequencer.
    Triple {
        /// The key of the lock.
        key: Key,
        /// How often it was acquired.
        lock_index: u64,
        /// The session that holds it.
        session: SessionRef,
    },
}

/// One write to the guarded resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The number of the write among those of one program, from 1.
    pub number: u64,
    /// The fencing token that it sends.
    pub fence: Fence,
    /// The token of the lock, if the program believes that it holds one when it writes.
    pub token: Option<Token>,
}

impl Belief {
    /// The token of the lock, if it believes that it holds one.
    pub fn token(&self) -> Option<&Token> {
        match self {
            Self::Believes { token, .. } => Some(token),
            Self::Unknown
            | Self::Contending { .. }
            | Self::KnowsLost { .. }
            | Self::LetGo { .. } => None,
        }
    }
}

impl Token {
    /// The token after an acquire, before a read has completed it.
    pub fn new(key: Key, session: SessionRef) -> Self {
        Self { key, session, lock_index: None, modify_index: None }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", self.key, self.session)?;
        if let Some(lock_index) = self.lock_index {
            write!(f, ", LockIndex {lock_index}")?;
        }
        if let Some(modify_index) = self.modify_index {
            write!(f, ", ModifyIndex {modify_index}")?;
        }
        Ok(())
    }
}
