//! What a program believes about the lock that it wants to hold, and the fencing tokens that it
//! shows to the resource that the lock guards. A belief may be wrong; only answers change it.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::CallId;
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::time::Instant;

/// What a program takes for true, since when on its own clock, and from which answer it has it.
/// Truth is what the store says; the two may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Belief {
    /// It has not tried, or does not know what became of its last try.
    Unknown,
    /// It wants the lock and knows that it does not have it.
    Contending { since: Instant },
    /// It takes itself for the holder.
    Believes { since: Instant, from: CallId, token: Token },
    /// It has noticed that it is not the holder any more; by an answer, or by an error or a clock
    /// of its own that it takes for the end.
    KnowsLost { since: Instant, from: Option<CallId> },
    /// It has given the lock back.
    LetGo { since: Instant, from: Option<CallId> },
}

/// What a holder knows of its hold: Consul's *sequencer* with the index of the entry beside it. An
/// acquire answers `true` and no more, so the numbers are known only after a read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub key: Key,
    pub session: SessionRef,
    /// How often the key was acquired; a plain write or a deletion starts it over (KV-04).
    pub lock_index: Option<u64>,
    /// The index of the acquire, or of a later write to the key under the same hold.
    pub modify_index: Option<Index>,
}

/// What a client shows to the guarded resource with each write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FenceKind {
    None,
    Session,
    LockIndex,
    /// The ModifyIndex that a read found under the hold: it only grows.
    ModifyIndex,
    /// Key, LockIndex and session: Consul's *sequencer*.
    Triple,
    /// The resource is a key of Consul itself, written in a transaction that checks the holder
    /// (TXN-29).
    CheckSession,
}

/// A token of the chosen kind. A check-session is none: Consul checks that itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fence {
    None,
    Session(SessionRef),
    LockIndex(u64),
    ModifyIndex(Index),
    Triple { key: Key, lock_index: u64, session: SessionRef },
}

/// One write to the guarded resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Counts the writes of one program.
    pub number: u64,
    pub fence: Fence,
    /// What the program takes itself to hold as it writes, if it does.
    pub token: Option<Token>,
}

impl Belief {
    /// What it takes itself to hold.
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
    /// What an acquire alone tells.
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
