//! The client's side of Consul's HTTP: [`encode`] writes the request for an [`Operation`] as the Go
//! client does (RCL-21 to RCL-23), so that client programs work with a real Consul too; [`decode`]
//! reads the answer, which has neither reasons nor the index at which a lock was acquired.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::answers::{ServiceCheckRow, rows};
use super::limits::WAIT_DEFAULT;
use super::path;
use super::types::{HttpRequest, HttpResponse};
use crate::id::{CheckId, Index, Key, NodeName, SessionId, SessionRef};
use crate::json::{self, JsonError};
use crate::message::{
    Answer, Consistency, Failure, LOCK_DELAY_DEFAULT, Operation, Response, SERF_HEALTH,
    SessionDraft, TxnKind, Wait,
};
use crate::store::session::ServiceCheck;
use crate::store::txn::{TxnError, TxnOp, TxnOutcome, TxnResult, TxnVerb};
use crate::store::{Behavior, Entry, Found, Hold, KvVerb, Query, Session, SessionTtl, Write};
use crate::time::nanos;

/// The request for an operation. Fails with [`Failure::Unsendable`] where the Go client itself
/// refuses (RCL-23), and for operations that client programs do not use.
pub fn encode(operation: &Operation) -> Result<HttpRequest, Failure> {
    match operation {
        Operation::CreateSession(draft) => {
            Ok(HttpRequest::new("PUT", "/v1/session/create", &session(draft)))
        }
        Operation::DestroySession(id) => Ok(put(&target("session/destroy/", id.as_str()))),
        Operation::RenewSession(id) => Ok(put(&target("session/renew/", id.as_str()))),
        Operation::Kv { key, verb } => kv(key, verb),
        Operation::Txn(ops) => txn(ops),
        Operation::Read { query, wait, consistency } => read(query, *wait, *consistency),
        Operation::Register(_)
        | Operation::Deregister(_)
        | Operation::CreateQuery(_)
        | Operation::UpdateQuery { .. }
        | Operation::DeleteQuery(_)
        | Operation::Agent(_)
        | Operation::Server(_) => Err(unsendable("no client program asks for this")),
    }
}

/// Reads the answer to an operation. Fails with the status and text of an error answer, or if the
/// body is not what the operation returns.
pub fn decode(operation: &Operation, response: &HttpResponse) -> Result<Response, Failure> {
    let number = response.header("x-consul-index").and_then(|text| text.parse().ok());
    let index = Index(number.unwrap_or_default());
    let read = match (operation, response.status) {
        (Operation::Txn(ops), 200 | 409) => outcome(ops, response),
        (Operation::Read { query, .. }, 200 | 404) => found(query, response),
        (_, 200) => written(operation, response),
        (_, code) => return Err(Failure::Status { code, text: response.text() }),
    };
    let answer = read.map_err(|error| Failure::Unreadable(error.to_string()))?;
    Ok(Response { index, answer, reason: None })
}

fn put(target: &str) -> HttpRequest {
    HttpRequest::new("PUT", target, b"")
}

/// A path under `/v1/` that ends in a name, which is percent-encoded.
fn target(group: &str, name: &str) -> String {
    format!("/v1/{group}{}", path::path_escaped(name))
}

fn unsendable(what: impl Display) -> Failure {
    Failure::Unsendable(what.to_string())
}

/// A target with those parameters that have a value. They have to be sorted by name, as Go sorts
/// them.
fn with_params(target: String, params: &[(&str, Option<String>)]) -> String {
    let mut line = target;
    let mut sign = '?';
    for (name, value) in params {
        let Some(value) = value else { continue };
        line.push(sign);
        line.push_str(name);
        line.push('=');
        line.push_str(&path::query_escaped(value));
        sign = '&';
    }
    line
}

/// A parameter that is left out when it is 0, the server's default.
fn filled(number: u64) -> Option<String> {
    (number != 0).then(|| number.to_string())
}

/// The body that creates a session: only what differs from the server's defaults (RCL-21).
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct SessionBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'a NodeName>,
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_delay: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    behavior: Option<&'a str>,
    #[serde(rename = "TTL", skip_serializing_if = "str::is_empty")]
    ttl: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<&'a [CheckId]>,
    /// `Some(None)` is `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_checks: Option<Option<&'a [CheckId]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_checks: Option<Vec<ServiceCheckRow<'a>>>,
}

fn session(draft: &SessionDraft) -> Vec<u8> {
    let is_default = |ids: &[CheckId]| matches!(ids, [id] if id.as_str() == SERF_HEALTH);
    let node_checks = match draft.node_checks.as_deref() {
        Some(ids) if is_default(ids) || ids.is_empty() && draft.checks.is_some() => None,
        given => Some(given),
    };
    json::to_go_bytes(&SessionBody {
        node: draft.node.as_ref(),
        name: &draft.name,
        lock_delay: (draft.lock_delay != LOCK_DELAY_DEFAULT).then(|| lock_delay(draft.lock_delay)),
        behavior: Some(&*draft.behavior).filter(|behavior| *behavior != "release"),
        ttl: &draft.ttl,
        checks: draft.checks.as_deref(),
        node_checks,
        service_checks: draft.service_checks.as_deref().map(rows),
    })
}

/// A lock-delay as whole milliseconds, at least one if it is positive (RCL-21).
fn lock_delay(nanos: i64) -> String {
    match nanos {
        1..1_000_000 => "1ms".into(),
        _ => format!("{}ms", nanos / 1_000_000),
    }
}

/// A write or deletion of one key. A leading slash is refused in writes and stripped in deletions,
/// as in reads (RCL-23).
fn kv(key: &Key, verb: &KvVerb) -> Result<HttpRequest, Failure> {
    let key = key.as_str();
    let (write, params) = match verb {
        KvVerb::Set(write) => (write, ("flags", None)),
        KvVerb::Cas { write, expected } => (write, ("cas", Some(expected.to_string()))),
        KvVerb::Acquire { write, session } => (write, ("acquire", Some(session.to_string()))),
        KvVerb::Release { write, session } => (write, ("release", Some(session.to_string()))),
        KvVerb::Delete => return Ok(delete(key, &[])),
        KvVerb::DeleteCas { expected } => {
            return Ok(delete(key, &[("cas", Some(expected.to_string()))]));
        }
        KvVerb::DeleteTree => return Ok(delete(key, &[("recurse", Some(String::new()))])),
    };
    if key.starts_with('/') {
        return Err(unsendable(format!("Invalid key. Key must not begin with a '/': {key}")));
    }
    let mut params = Vec::from([params, ("flags", filled(write.flags))]);
    params.sort_by_key(|(name, _)| *name);
    let target = with_params(target("kv/", key), &params);
    Ok(HttpRequest::new("PUT", &target, &write.value))
}

fn delete(key: &str, params: &[(&str, Option<String>)]) -> HttpRequest {
    let target = target("kv/", key.strip_prefix('/').unwrap_or(key));
    HttpRequest::new("DELETE", &with_params(target, params), b"")
}

fn read(
    query: &Query,
    wait: Option<Wait>,
    consistency: Consistency,
) -> Result<HttpRequest, Failure> {
    let key = |key: &Key| target("kv/", key.as_str().strip_prefix('/').unwrap_or(key.as_str()));
    let mark = || Some(String::new());
    let is = |wanted| if consistency == wanted { mark() } else { None };
    let (mut keys, mut recurse, mut separator) = (None, None, None);
    let target = match query {
        Query::Key(name) => key(name),
        Query::Tree(prefix) => {
            recurse = mark();
            key(prefix)
        }
        Query::Keys { prefix, separator: cut } => {
            (keys, separator) = (mark(), cut.clone());
            key(prefix)
        }
        Query::Session(id) => target("session/info/", id.as_str()),
        Query::Sessions => "/v1/session/list".into(),
        Query::SessionsOfNode(node) => target("session/node/", node.as_str()),
        Query::Nodes
        | Query::Node(_)
        | Query::Services
        | Query::Service(_)
        | Query::ChecksOfNode(_)
        | Query::ChecksOfService(_)
        | Query::ChecksInState(_)
        | Query::PreparedQueries
        | Query::PreparedQuery(_)
        | Query::ServiceHealth(_)
        | Query::Mesh(_)
        | Query::MeshHealth(_)
        | Query::Filtered { .. }
        | Query::Execute { .. }
        | Query::Explain(_)
        | Query::UserEvents(_)
        | Query::CaRoots
        | Query::OwnService { .. } => return Err(unsendable("no client program asks for this")),
    };
    let index = wait.map(|wait| wait.min_index).filter(|index| *index > Index::ZERO);
    let params = [
        ("consistent", is(Consistency::Consistent)),
        ("index", index.map(|index| index.to_string())),
        ("keys", keys),
        ("recurse", recurse),
        ("separator", separator),
        ("stale", is(Consistency::Stale)),
        // The server waits for its default without being asked, as for clients that set no wait.
        ("wait", wait.filter(|wait| wait.timeout != WAIT_DEFAULT).map(milliseconds)),
    ];
    Ok(HttpRequest::new("GET", &with_params(target, &params), b""))
}

/// The wait in milliseconds, at least one: zero would ask for the server's default.
fn milliseconds(wait: Wait) -> String {
    let millis = nanos(wait.timeout) / 1_000_000;
    format!("{}ms", millis.max(1))
}

/// One operation of a transaction on a key (TXN-05).
#[derive(Serialize)]
struct TxnOpBody<'a> {
    #[serde(rename = "KV")]
    kv: KvOpBody<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct KvOpBody<'a> {
    verb: &'a str,
    key: &'a Key,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<Index>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionRef>,
}

fn txn(ops: &[TxnOp]) -> Result<HttpRequest, Failure> {
    let mut bodies = Vec::with_capacity(ops.len());
    for op in ops {
        let TxnOp::Kv { key, verb } = op else {
            return Err(unsendable("no client program writes to the catalog"));
        };
        bodies.push(TxnOpBody { kv: KvOpBody::new(key, verb) });
    }
    Ok(HttpRequest::new("PUT", "/v1/txn", &json::to_go_bytes(&bodies)))
}

impl<'a> KvOpBody<'a> {
    fn new(key: &'a Key, verb: &'a TxnVerb) -> Self {
        let mut body = Self {
            verb: verb_name(verb),
            key,
            value: None,
            flags: None,
            index: None,
            session: None,
        };
        match verb {
            TxnVerb::Write(verb) => body.set_write(verb),
            TxnVerb::CheckIndex(index) => body.index = Some(*index),
            TxnVerb::CheckSession(session) => body.session = Some(session),
            TxnVerb::GetOrEmpty { flags, session, index } => {
                (body.flags, body.index) = (Some(*flags), Some(*index));
                body.session = Some(session);
            }
            TxnVerb::Get | TxnVerb::GetTree | TxnVerb::CheckNotExists | TxnVerb::Unknown(_) => {}
        }
        body
    }

    fn set_write(&mut self, verb: &'a KvVerb) {
        match verb {
            KvVerb::Set(write) => self.set_value(write),
            KvVerb::Cas { write, expected } => {
                self.set_value(write);
                self.index = Some(*expected);
            }
            KvVerb::Acquire { write, session } | KvVerb::Release { write, session } => {
                self.set_value(write);
                self.session = Some(session);
            }
            KvVerb::DeleteCas { expected } => self.index = Some(*expected),
            KvVerb::Delete | KvVerb::DeleteTree => {}
        }
    }

    fn set_value(&mut self, write: &Write) {
        self.value = Some(STANDARD.encode(&write.value));
        self.flags = Some(write.flags);
    }
}

fn verb_name(verb: &TxnVerb) -> &str {
    match verb {
        TxnVerb::Write(KvVerb::Set(_)) => "set",
        TxnVerb::Write(KvVerb::Cas { .. }) => "cas",
        TxnVerb::Write(KvVerb::Acquire { .. }) => "lock",
        TxnVerb::Write(KvVerb::Release { .. }) => "unlock",
        TxnVerb::Write(KvVerb::Delete) => "delete",
        TxnVerb::Write(KvVerb::DeleteCas { .. }) => "delete-cas",
        TxnVerb::Write(KvVerb::DeleteTree) => "delete-tree",
        TxnVerb::Get => "get",
        TxnVerb::GetOrEmpty { .. } => "get-or-empty",
        TxnVerb::GetTree => "get-tree",
        TxnVerb::CheckIndex(_) => "check-index",
        TxnVerb::CheckSession(_) => "check-session",
        TxnVerb::CheckNotExists => "check-not-exists",
        TxnVerb::Unknown(name) => name,
    }
}

/// Why an answer cannot be read.
#[derive(Debug, Error)]
enum AnswerError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("a value is not base64: {0}")]
    Base64(base64::DecodeError),
    #[error("the answer has no session")]
    NoSession,
    #[error("a result is not an entry")]
    NoEntry,
}

#[derive(Deserialize)]
struct CreatedAnswer {
    #[serde(rename = "ID")]
    id: SessionId,
}

/// An entry as Consul writes it (GET-01).
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EntryAnswer {
    #[serde(default)]
    lock_index: u64,
    key: Key,
    #[serde(default)]
    flags: u64,
    value: Option<String>,
    session: Option<SessionRef>,
    #[serde(default)]
    create_index: Index,
    #[serde(default)]
    modify_index: Index,
}

/// A session as Consul writes it (SES-27).
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SessionAnswer {
    #[serde(rename = "ID")]
    id: SessionId,
    #[serde(default)]
    name: Arc<str>,
    node: NodeName,
    #[serde(default)]
    lock_delay: i64,
    #[serde(default)]
    behavior: String,
    #[serde(rename = "TTL", default)]
    ttl: SessionTtl,
    node_checks: Option<Vec<CheckId>>,
    service_checks: Option<Vec<ServiceCheckAnswer>>,
    checks: Option<Vec<CheckId>>,
    #[serde(default)]
    create_index: Index,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ServiceCheckAnswer {
    #[serde(rename = "ID")]
    id: CheckId,
    #[serde(default)]
    namespace: Arc<str>,
}

/// The answer to a transaction (TXN-07 to TXN-10).
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TxnAnswer {
    results: Option<Vec<TxnResultAnswer>>,
    errors: Option<Vec<TxnErrorAnswer>>,
}

#[derive(Deserialize)]
struct TxnResultAnswer {
    #[serde(rename = "KV")]
    kv: Option<EntryAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TxnErrorAnswer {
    #[serde(default)]
    op_index: usize,
    what: String,
}

/// The answer to a write. A boolean is read as "the body contains `true`" (RCL-23).
fn written(operation: &Operation, response: &HttpResponse) -> Result<Answer, AnswerError> {
    match operation {
        Operation::CreateSession(_) => {
            let created: CreatedAnswer = json::from_bytes(&response.body)?;
            Ok(Answer::Created(created.id))
        }
        Operation::RenewSession(_) => {
            let session = list::<SessionAnswer>(response)?.into_iter().next();
            Ok(Answer::Renewed(session.ok_or(AnswerError::NoSession)?.into()))
        }
        _ => Ok(Answer::Flag(response.text().contains("true"))),
    }
}

/// The result of a read; 404 and an empty list mean that nothing was found (GET-03, SES-28).
fn found(query: &Query, response: &HttpResponse) -> Result<Answer, AnswerError> {
    let entries = || list(response)?.into_iter().map(EntryAnswer::entry).collect::<Result<_, _>>();
    let sessions =
        || Ok::<_, AnswerError>(list::<SessionAnswer>(response)?.into_iter().map(Arc::from));
    let found = match query {
        Query::Key(_) => {
            let entries: Vec<_> = entries()?;
            Found::Entry(entries.into_iter().next())
        }
        Query::Tree(_) => Found::Entries(entries()?),
        Query::Keys { .. } => Found::Keys(list(response)?),
        Query::Session(_) => Found::Session(sessions()?.next()),
        _ => Found::Sessions(sessions()?.collect()),
    };
    Ok(Answer::Found(found))
}

/// The items of an answer that is a list; 404 and `null` have none.
fn list<T: DeserializeOwned>(response: &HttpResponse) -> Result<Vec<T>, AnswerError> {
    if response.status == 404 {
        return Ok(Vec::new());
    }
    let items: Option<Vec<T>> = json::from_bytes(&response.body)?;
    Ok(items.unwrap_or_default())
}

impl EntryAnswer {
    /// The answer lacks the index at which the key was acquired. In its place, the entry has the
    /// latest possible one: that of its last change.
    fn entry(self) -> Result<Arc<Entry>, AnswerError> {
        let session = self.session.filter(|session| !session.is_empty());
        let value = STANDARD.decode(self.value.unwrap_or_default());
        Ok(Arc::new(Entry {
            key: self.key,
            value: Arc::from(value.map_err(AnswerError::Base64)?),
            flags: self.flags,
            lock_index: self.lock_index,
            hold: session.map(|session| Hold { session, since: self.modify_index }),
            create_index: self.create_index,
            modify_index: self.modify_index,
        }))
    }
}

impl From<SessionAnswer> for Arc<Session> {
    fn from(session: SessionAnswer) -> Self {
        let check = |it: ServiceCheckAnswer| ServiceCheck { id: it.id, namespace: it.namespace };
        let service_checks = session.service_checks;
        Self::new(Session {
            id: session.id,
            name: session.name,
            node: session.node,
            lock_delay: session.lock_delay,
            behavior: match session.behavior.as_str() {
                "delete" => Behavior::Delete,
                _ => Behavior::Release,
            },
            ttl: session.ttl,
            node_checks: session.node_checks,
            service_checks: service_checks.map(|checks| checks.into_iter().map(check).collect()),
            checks: session.checks,
            create_index: session.create_index,
        })
    }
}

/// The answer to a transaction (TXN-07 to TXN-10).
fn outcome(ops: &[TxnOp], response: &HttpResponse) -> Result<Answer, AnswerError> {
    let answer: TxnAnswer = json::from_bytes(&response.body)?;
    let leader_known = response.header("x-consul-knownleader") != Some("false");
    let kind = match (ops.iter().any(TxnOp::is_write), leader_known) {
        (true, _) => TxnKind::Write,
        (false, true) => TxnKind::Read,
        (false, false) => TxnKind::ReadRefused,
    };
    let outcome: TxnOutcome = if response.status == 200 {
        let results = answer.results.unwrap_or_default().into_iter();
        Ok(results.map(TxnResultAnswer::result).collect::<Result<_, _>>()?)
    } else {
        let error =
            |it: TxnErrorAnswer| TxnError { position: it.op_index, what: it.what, reason: None };
        Err(answer.errors.unwrap_or_default().into_iter().map(error).collect())
    };
    Ok(Answer::Txn { outcome, kind })
}

impl TxnResultAnswer {
    /// A result without a value counts as that of a write; a read of an empty value has the same
    /// form (TXN-10).
    fn result(self) -> Result<TxnResult, AnswerError> {
        let kv = self.kv.ok_or(AnswerError::NoEntry)?;
        let has_value = kv.value.is_some();
        let entry = kv.entry()?;
        Ok(if has_value { TxnResult::Read(entry) } else { TxnResult::Written(entry) })
    }
}

#[cfg(test)]
mod tests;
