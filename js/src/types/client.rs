//! The steps of a client program for JavaScript: requests to send, and events to report to its
//! user.

use lictor_core::message::Failure;
use lictor_core::time::Instant;
use lictor_recipes::{ContenderStep, LockedUntil, Outcome, ProgramError, Token};
use serde::Serialize;

use super::record::Bytes;
use super::{millis, number};

/// The fencing token of a lock: what a guarded resource compares.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct LockFence {
    pub(crate) key: String,
    pub(crate) session: String,
    /// How often the key was acquired; a plain write or a deletion resets it.
    pub(crate) lock_index: Option<f64>,
    /// The log entry of the acquire, or of a later write while the lock is held; it only grows.
    pub(crate) modify_index: Option<f64>,
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
    Failed { text: String, is_conflict: bool, status: Option<u16> },
    Lost { text: String },
    NotReleased { text: String, status: Option<u16>, until: KeyLocked },
}

/// Until when a key may stay locked.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum KeyLocked {
    /// It is free; only the session is left.
    Free,
    /// For at most this many milliseconds.
    For { millis: f64 },
    /// Until the session of the caller ends or releases it.
    CallersSession,
}

impl From<Token> for LockFence {
    fn from(token: Token) -> Self {
        Self {
            key: token.key.to_string(),
            session: token.session.to_string(),
            lock_index: token.lock_index.map(|count| count as f64),
            modify_index: token.modify_index.map(number),
        }
    }
}

impl ClientStep {
    pub(crate) fn new(step: ContenderStep, now: Instant) -> Self {
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
            ContenderStep::Ended(outcome) => {
                Self::Ended { outcome: ClientOutcome::new(outcome, now) }
            }
        }
    }
}

impl ClientOutcome {
    fn new(outcome: Outcome, now: Instant) -> Self {
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
                status: status(&error),
                text: error.to_string(),
            },
            Outcome::Lost(loss) => Self::Lost { text: loss.to_string() },
            Outcome::NotReleased { error, until } => Self::NotReleased {
                status: status(&error),
                text: error.to_string(),
                until: match until {
                    LockedUntil::Free => KeyLocked::Free,
                    LockedUntil::Time(until) => {
                        KeyLocked::For { millis: millis(Instant::EPOCH.plus(until.since(now))) }
                    }
                    LockedUntil::CallersSession => KeyLocked::CallersSession,
                },
            },
        }
    }
}

/// The HTTP status of the answer that failed; `None` if there was no answer.
fn status(error: &ProgramError) -> Option<u16> {
    match error.failure() {
        Some(Failure::Status { code, .. }) => Some(*code),
        _ => None,
    }
}
