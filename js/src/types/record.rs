//! The records and answers that JavaScript receives: entries, sessions, results of writes, HTTP
//! answers and deadlines.

use lictor_core::http::HttpResponse;
use lictor_core::message::Response;
use lictor_core::store::{Behavior, Entry, Session};
use serde::{Serialize, Serializer};

use super::number;
use super::reason::{DeadlineReason, RefusalReason};

/// Any bytes.
#[derive(Debug, PartialEq)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(type = "Uint8Array"))]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// One key with its value and its lock.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "Entry"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryRecord {
    pub(crate) key: String,
    /// The bytes of the value.
    pub(crate) value: Bytes,
    /// The value as text; bytes that are not UTF-8 read as U+FFFD.
    pub(crate) text: String,
    /// Opaque to the server, and exact: Consul's Go client marks locks with 3304740253564472344,
    /// which a number cannot hold.
    pub(crate) flags: u64,
    /// How often the lock was acquired.
    pub(crate) lock_index: f64,
    /// The session that holds the lock; null if it is free.
    pub(crate) session: Option<String>,
    pub(crate) create_index: f64,
    pub(crate) modify_index: f64,
}

/// A live session.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "Session"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionRecord {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) node: String,
    /// The TTL as it was sent; empty if the session has none.
    pub(crate) ttl: String,
    /// Milliseconds.
    pub(crate) lock_delay: f64,
    #[cfg_attr(test, ts(type = "\"release\" | \"delete\""))]
    pub(crate) behavior: &'static str,
    /// The checks that the session depends on.
    pub(crate) checks: Vec<String>,
    pub(crate) create_index: f64,
}

/// The outcome of a write. `false` is an ordinary answer of Consul, and no error.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteResult {
    /// What Consul answers.
    pub(crate) ok: bool,
    /// The index of the log entry; 0 if the write did not reach the log.
    pub(crate) index: f64,
    /// Why the answer is `false`; null if it is `true`.
    pub(crate) reason: Option<RefusalReason>,
    /// The answer with its reason in words, for messages: `false: held by ... since #12`.
    pub(crate) text: String,
}

/// The next thing that happens without a request.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deadline {
    /// The time of the server's clock, in milliseconds.
    pub(crate) at: f64,
    pub(crate) reason: DeadlineReason,
}

/// The answer to a request that JavaScript sent as HTTP.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct HttpAnswer {
    /// The number of the request.
    pub(crate) request: f64,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

impl From<&Entry> for EntryRecord {
    fn from(entry: &Entry) -> Self {
        Self {
            key: entry.key.to_string(),
            value: Bytes(entry.value.to_vec()),
            text: String::from_utf8_lossy(&entry.value).into_owned(),
            flags: entry.flags,
            lock_index: entry.lock_index as f64,
            session: entry.holder().map(ToString::to_string),
            create_index: number(entry.create_index),
            modify_index: number(entry.modify_index),
        }
    }
}

impl From<&Session> for SessionRecord {
    fn from(session: &Session) -> Self {
        Self {
            id: session.id.to_string(),
            name: session.name.to_string(),
            node: session.node.to_string(),
            ttl: session.ttl.as_str().to_owned(),
            lock_delay: session.lock_delay as f64 / 1e6,
            behavior: match session.behavior {
                Behavior::Release => "release",
                Behavior::Delete => "delete",
            },
            checks: session.enforced_checks().map(ToString::to_string).collect(),
            create_index: number(session.create_index),
        }
    }
}

impl From<&Response> for WriteResult {
    fn from(response: &Response) -> Self {
        let reason = response.reason.as_ref();
        Self {
            ok: reason.is_none(),
            index: number(response.index),
            reason: reason.map(RefusalReason::from),
            text: reason.map_or_else(|| "true".to_owned(), |reason| format!("false: {reason}")),
        }
    }
}

impl HttpAnswer {
    pub(crate) fn new(request: u64, response: HttpResponse) -> Self {
        let HttpResponse { status, headers, body } = response;
        Self { request: request as f64, status, headers, body: Bytes(body) }
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}
