//! Events of a server as JavaScript receives them, made from the effects of the engine's steps.

use lictor_core::engine::{Event, Stamped};
use lictor_core::store::Change;
use serde::Serialize;

use super::reason::{DeadlineReason, EndReason, RefusalReason, WakeReason};
use super::record::{EntryRecord, SessionRecord};
use super::{millis, number};

/// Something that happened in a server, in the order in which it happened.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConsulEvent {
    /// The time of the server's clock, in milliseconds.
    pub(crate) at: f64,
    /// The index of the last log entry at that time.
    pub(crate) index: f64,
    #[serde(flatten)]
    pub(crate) what: What,
}

/// What happened.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "ConsulEventKind"))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum What {
    /// A request arrived.
    Requested { request: f64, method: String, target: String },
    /// A request is answered. `reason` says why the answer is `false`, empty or an error; `wake`
    /// why a blocking query is answered now.
    Answered { request: f64, status: u16, reason: Option<RefusalReason>, wake: Option<WakeReason> },
    /// An entry was written to the log; its changes follow.
    Logged,
    /// A key was created or changed. `before` is null for a new one.
    KeyWritten { entry: EntryRecord, before: Option<EntryRecord> },
    /// A key was deleted.
    KeyDeleted { before: EntryRecord },
    /// A session was created.
    SessionCreated { session: SessionRecord },
    /// A session ended. `held` are the keys that it held.
    SessionEnded { session: SessionRecord, reason: EndReason, held: Vec<String> },
    /// The TTL of a session was started or restarted. It ends at `ends`, unless it is renewed.
    SessionRenewed { session: String, ends: f64 },
    /// A key cannot be acquired until `until`, as the session that held it ended.
    LockDelayStarted { key: String, until: f64, session: String, reason: EndReason },
    /// The lock-delay of a key is over.
    LockDelayOver { key: String },
    /// A blocking query waits for an index above `minIndex`, until `until` at the latest.
    QueryWaits { request: f64, min_index: f64, until: f64 },
    /// A blocking query that waited was cancelled, as its signal was aborted.
    QueryCancelled { request: f64 },
    /// A timer fired; what it did follows.
    TimerFired { reason: DeadlineReason },
    /// Another server became the leader: the TTL of every session starts again.
    LeaderChanged,
    /// There is no leader: no session ends before another server has become the leader.
    LeaderLost,
    /// A node was registered or changed.
    NodeWritten { node: String },
    /// A node was removed.
    NodeDeleted { node: String },
    /// A service was registered or changed.
    ServiceWritten { node: String, service: String },
    /// A service was removed.
    ServiceDeleted { node: String, service: String },
    /// A health check was registered or changed. `follows` is the session whose beginning or end
    /// changed it, if one did.
    CheckWritten { node: String, check: String, status: String, follows: Option<String> },
    /// A health check was removed.
    CheckDeleted { node: String, check: String },
    /// A prepared query was stored or changed.
    PreparedQueryWritten { query: String },
    /// A prepared query was deleted.
    PreparedQueryDeleted { query: String },
}

impl ConsulEvent {
    /// The event for an event of the engine. `None` if another event reports it (`Answered` the end
    /// of a blocking query, `Deleted` a tombstone), or if a query continues to wait.
    pub(crate) fn of(stamped: &Stamped) -> Option<Self> {
        let what = match &stamped.event {
            Event::Logged => What::Logged,
            Event::Changed(change) => change_of(change)?,
            Event::Renewed { session, clock } => {
                What::SessionRenewed { session: session.to_string(), ends: millis(clock.ends) }
            }
            Event::DelayArmed(delay) => What::LockDelayStarted {
                key: delay.key.to_string(),
                until: millis(delay.until),
                session: delay.session.to_string(),
                reason: (&delay.cause).into(),
            },
            Event::DelayOver { key } => What::LockDelayOver { key: key.to_string() },
            Event::Parked { id, min_index, until } => What::QueryWaits {
                request: id.0 as f64,
                min_index: number(*min_index),
                until: millis(*until),
            },
            Event::Cancelled { id } => What::QueryCancelled { request: id.0 as f64 },
            Event::Fired(timer) => What::TimerFired { reason: timer.into() },
            Event::LeaderChanged { .. } => What::LeaderChanged,
            Event::LeaderLost { .. } => What::LeaderLost,
            Event::StillParked { .. }
            | Event::Woken { .. }
            | Event::Passed { .. }
            | Event::TimedOut { .. } => return None,
        };
        Some(Self { at: millis(stamped.at), index: number(stamped.index), what })
    }
}

fn change_of(change: &Change) -> Option<What> {
    Some(match change {
        Change::KeyWritten { before, after } => What::KeyWritten {
            entry: (&**after).into(),
            before: before.as_ref().map(|entry| (&**entry).into()),
        },
        Change::KeyDeleted { before } => What::KeyDeleted { before: (&**before).into() },
        Change::Buried { .. } => return None,
        Change::SessionCreated(session) => What::SessionCreated { session: (&**session).into() },
        Change::SessionEnded { session, cause, held } => What::SessionEnded {
            session: (&**session).into(),
            reason: cause.into(),
            held: held.iter().map(ToString::to_string).collect(),
        },
        Change::NodeWritten { after, .. } => What::NodeWritten { node: after.name.to_string() },
        Change::NodeDeleted { before } => What::NodeDeleted { node: before.name.to_string() },
        Change::ServiceWritten { after, .. } => {
            What::ServiceWritten { node: after.node.to_string(), service: after.id.to_string() }
        }
        Change::ServiceDeleted { before } => {
            What::ServiceDeleted { node: before.node.to_string(), service: before.id.to_string() }
        }
        Change::CheckWritten { after, followed, .. } => What::CheckWritten {
            node: after.node.to_string(),
            check: after.id.to_string(),
            status: after.status.as_str().to_owned(),
            follows: followed.map(|session| session.to_string()),
        },
        Change::CheckDeleted { before } => {
            What::CheckDeleted { node: before.node.to_string(), check: before.id.to_string() }
        }
        Change::QueryWritten { after, .. } => {
            What::PreparedQueryWritten { query: after.id.to_string() }
        }
        Change::QueryDeleted { before } => {
            What::PreparedQueryDeleted { query: before.id.to_string() }
        }
    })
}
