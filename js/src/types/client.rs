//! What a client program tells JavaScript: the requests that it sends, and what its user learns.

use lictor_recipes::{ProgramError, Token};
use serde::Serialize;

use super::record::Bytes;
use crate::contender::Step;

/// The fencing token of a lock: what a guarded resource compares.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockFence {
    pub(crate) key: String,
    pub(crate) session: String,
    /// How often the key was acquired; a plain write or a deletion resets it.
    pub(crate) lock_index: Option<u64>,
    /// The log entry of the acquire, or of a later write while the lock is held; it only grows.
    pub(crate) modify_index: Option<u64>,
}

/// Something that a client program does.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum ClientStep {
    Send { call: f64, method: String, target: String, body: Bytes },
    Abandon { call: f64 },
    Acquired { fence: LockFence },
    TokenKnown { fence: LockFence },
    Lost { text: String },
    LeaseEnded,
    Released,
    GaveUp,
    Failed { text: String, is_conflict: bool },
    Leader { value: Option<Bytes> },
}

impl From<Token> for LockFence {
    fn from(token: Token) -> Self {
        Self {
            key: token.key.to_string(),
            session: token.session.to_string(),
            lock_index: token.lock_index,
            modify_index: token.modify_index.map(|index| index.0),
        }
    }
}

impl From<Step> for ClientStep {
    fn from(step: Step) -> Self {
        match step {
            Step::Send { call, request } => Self::Send {
                call: call.0 as f64,
                method: request.method,
                target: request.target,
                body: Bytes(request.body),
            },
            Step::Abandon(call) => Self::Abandon { call: call.0 as f64 },
            Step::Acquired(token) => Self::Acquired { fence: token.into() },
            Step::TokenKnown(token) => Self::TokenKnown { fence: token.into() },
            Step::Lost(loss) => Self::Lost { text: lost(&loss) },
            Step::LeaseEnded => Self::LeaseEnded,
            Step::Released => Self::Released,
            Step::GaveUp(_) => Self::GaveUp,
            Step::Failed(error) => Self::Failed {
                is_conflict: matches!(
                    error,
                    ProgramError::LockConflict
                        | ProgramError::SemaphoreConflict
                        | ProgramError::LimitConflict { .. }
                ),
                text: error.to_string(),
            },
            Step::Leader(value) => Self::Leader { value: value.map(Bytes) },
        }
    }
}

fn lost(loss: &lictor_recipes::LockLoss) -> String {
    use lictor_recipes::LockLoss;
    match loss {
        LockLoss::KeyMissing => "the key does not exist any more".to_owned(),
        LockLoss::Freed => "nobody holds the key any more".to_owned(),
        LockLoss::HeldBy(session) => format!("session {session} holds the key"),
        LockLoss::NotAHolder => "the semaphore does not list this session any more".to_owned(),
        LockLoss::WatchFailed(failure) => format!("the watch of the key failed: {failure}"),
        LockLoss::Undecodable(error) => format!("the semaphore cannot be read: {error}"),
    }
}
