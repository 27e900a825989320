//! The reasons of `lictor-core` as unions of JavaScript: why a request was refused, a session ended
//! or a blocking query was answered, and what happens at a deadline.

use lictor_core::engine::{Timer, Wake};
use lictor_core::error::{Cause, Reason};
use serde::Serialize;

use super::{millis, number};

/// Why a session ended.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum EndReason {
    /// A client destroyed it.
    Destroyed,
    /// It was not renewed for twice its TTL.
    TtlExpired,
    /// One of its checks became critical.
    CheckCritical { check: String },
    /// One of its checks was removed.
    CheckRemoved { check: String },
    /// Its node was removed from the catalog.
    NodeRemoved,
    /// One of its checks became critical, as the session that the check follows ended.
    FollowedSessionEnded { check: String, session: String },
    /// It ended before what is known of the cluster.
    Unknown,
}

/// Why an answer is `false`, empty or an error. Consul's answers do not contain it.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum RefusalReason {
    /// Another session has held the key since the index.
    HeldBy { holder: String, since: f64 },
    /// The key cannot be acquired before `until`, as `session`, which held it, ended.
    LockDelay { until: f64, armed: f64, session: String, cause: EndReason },
    /// The key is not locked, so there is nothing to release.
    NotHeld,
    /// The key does not exist.
    KeyMissing,
    /// Check-and-set expected another ModifyIndex; an expected 0 means that the key must not exist.
    IndexDiffers { expected: f64, actual: f64 },
    /// The session ended.
    SessionEnded { session: String, at: f64, index: f64, cause: EndReason },
    /// No session has this id; it never existed, or ended long ago.
    SessionUnknown,
    /// Some operations of a transaction failed, so none was applied.
    TransactionFailed { failed: u32 },
    /// The server did not reach a leader, which was lost at this time.
    NoLeader { since: f64 },
}

/// Why a blocking query is answered.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum WakeReason {
    /// What it reads has changed; for a read of keys, this key.
    Changed { key: Option<String> },
    /// A key that it read was deleted.
    Deleted { key: String },
    /// This key was written, but the query reads only the names of keys, and they are the same.
    SameKeys { key: String },
    /// Nothing matches the query, so any write answers it.
    NoMatch,
    /// Another row of the table that it reads has changed.
    OtherRow,
    /// Its waiting time is over.
    TimeUp,
}

/// What happens at a deadline.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum DeadlineReason {
    /// The session was not renewed for twice its TTL and ends.
    SessionTtl { session: String },
    /// The lock-delay of the key is over.
    LockDelay { key: String },
    /// The waiting time of the blocking query is over.
    BlockingQuery { request: f64 },
    /// An agent's check was not updated within its TTL.
    CheckTtl { node: String, check: String },
    /// Old tombstones are deleted.
    Tombstones,
}

impl From<&Cause> for EndReason {
    fn from(cause: &Cause) -> Self {
        match cause {
            Cause::Requested => Self::Destroyed,
            Cause::TtlExpired => Self::TtlExpired,
            Cause::CheckCritical(check) => Self::CheckCritical { check: check.to_string() },
            Cause::CheckRemoved(check) => Self::CheckRemoved { check: check.to_string() },
            Cause::NodeRemoved => Self::NodeRemoved,
            Cause::Unknown => Self::Unknown,
            Cause::FollowedSessionEnded { check, session } => Self::FollowedSessionEnded {
                check: check.to_string(),
                session: session.to_string(),
            },
        }
    }
}

impl From<&Reason> for RefusalReason {
    fn from(reason: &Reason) -> Self {
        match reason {
            Reason::HeldBy { holder, since } => {
                Self::HeldBy { holder: holder.to_string(), since: number(*since) }
            }
            Reason::LockDelay { until, armed, session, cause } => Self::LockDelay {
                until: millis(*until),
                armed: number(*armed),
                session: session.to_string(),
                cause: cause.into(),
            },
            Reason::NotHeld => Self::NotHeld,
            Reason::KeyMissing => Self::KeyMissing,
            Reason::IndexDiffers { expected, actual } => {
                Self::IndexDiffers { expected: number(*expected), actual: number(*actual) }
            }
            Reason::SessionEnded { session, at, index, cause } => Self::SessionEnded {
                session: session.to_string(),
                at: millis(*at),
                index: number(*index),
                cause: cause.into(),
            },
            Reason::SessionUnknown => Self::SessionUnknown,
            Reason::TransactionFailed { failed } => {
                Self::TransactionFailed { failed: u32::try_from(*failed).unwrap_or(u32::MAX) }
            }
            Reason::NoLeader { since, .. } => Self::NoLeader { since: millis(*since) },
        }
    }
}

impl From<&Wake> for WakeReason {
    fn from(wake: &Wake) -> Self {
        match wake {
            Wake::Changed { key } => Self::Changed { key: key.as_ref().map(ToString::to_string) },
            Wake::Deleted { key } => Self::Deleted { key: key.to_string() },
            Wake::SameKeys { key } => Self::SameKeys { key: key.to_string() },
            Wake::NoMatch => Self::NoMatch,
            Wake::OtherRow => Self::OtherRow,
            Wake::TimeUp => Self::TimeUp,
        }
    }
}

impl From<&Timer> for DeadlineReason {
    fn from(timer: &Timer) -> Self {
        match timer {
            Timer::SessionTtl(session) => Self::SessionTtl { session: session.to_string() },
            Timer::LockDelay(key) => Self::LockDelay { key: key.to_string() },
            Timer::Parked(request) => Self::BlockingQuery { request: request.0 as f64 },
            Timer::CheckTtl(node, check) => {
                Self::CheckTtl { node: node.as_str().into(), check: check.as_str().into() }
            }
            Timer::Reap => Self::Tombstones,
        }
    }
}
