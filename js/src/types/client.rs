//! What a client program tells JavaScript: the requests that it sends, and what its user learns.

use lictor_recipes::{ContenderStep, Outcome, ProgramError, Token};
use serde::Serialize;

use super::record::Bytes;

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

/// What a client program has to do or learns.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum ClientStep {
    Send { call: f64, method: String, target: String, body: Bytes },
    Abandon { call: f64 },
    Acquired { fence: LockFence },
    Lost { text: String },
    Leader { value: Option<Bytes> },
    Ended { outcome: ClientOutcome },
}

/// How a client program ended.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum ClientOutcome {
    Released,
    NotAcquired,
    Failed { text: String, is_conflict: bool },
    Lost { text: String },
    NotReleased { text: String },
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

impl From<ContenderStep> for ClientStep {
    fn from(step: ContenderStep) -> Self {
        match step {
            ContenderStep::Send { call, request } => Self::Send {
                call: call.0 as f64,
                method: request.method,
                target: request.target,
                body: Bytes(request.body),
            },
            ContenderStep::Abandon(call) => Self::Abandon { call: call.0 as f64 },
            ContenderStep::Acquired(token) => Self::Acquired { fence: token.into() },
            ContenderStep::Lost(loss) => Self::Lost { text: loss.to_string() },
            ContenderStep::Leader(value) => {
                Self::Leader { value: value.map(|value| Bytes(value.to_vec())) }
            }
            ContenderStep::Ended(outcome) => Self::Ended { outcome: outcome.into() },
        }
    }
}

impl From<Outcome> for ClientOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Released => Self::Released,
            Outcome::NotAcquired => Self::NotAcquired,
            Outcome::Failed(error) => Self::Failed {
                is_conflict: matches!(
                    error,
                    ProgramError::LockConflict
                        | ProgramError::SemaphoreConflict
                        | ProgramError::LimitConflict { .. }
                ),
                text: error.to_string(),
            },
            Outcome::Lost(loss) => Self::Lost { text: loss.to_string() },
            Outcome::NotReleased(error) => Self::NotReleased { text: error.to_string() },
        }
    }
}
