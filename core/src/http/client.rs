//! The other direction: what a client sends for an [`Operation`], and what it reads from the
//! answer.
//!
//! Requests look as the Go client writes them (RCL-21 to RCL-23), so that a program of [`recipe`]
//! speaks to a real Consul as well. What an answer does not carry is not made up: reasons stay
//! unknown, and so does the index at which a lock was acquired.
//!
//! [`recipe`]: crate::recipe

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::fields::{DecodeError, Fields};
use super::{HttpRequest, HttpResponse, body, path, wire};
use crate::id::{CheckId, Index, Key, SessionId, SessionRef};
use crate::json::{self, Json, Writer};
use crate::message::{
    Answer, Consistency, Failure, LOCK_DELAY_DEFAULT, Operation, Response, SERF_HEALTH,
    SessionDraft, TxnKind, Wait,
};
use crate::store::txn::{TxnError, TxnOp, TxnOutcome, TxnResult, TxnVerb};
use crate::store::{Behavior, Entry, Found, Hold, KvVerb, Query, Session, Write};
use crate::time::nanos;

/// The request that carries an operation to an agent. Fails, with nothing sent, where the client
/// itself refuses (RCL-23), and for what only agents and operators' tools ask.
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

/// Reads the answer to an operation.
pub fn decode(operation: &Operation, response: &HttpResponse) -> Result<Response, Failure> {
    let index = response.header("x-consul-index").and_then(|text| text.parse().ok());
    let index = Index(index.unwrap_or_default());
    let answer = match (operation, response.status) {
        (Operation::Txn(ops), 200 | 409) => outcome(ops, response),
        (Operation::Read { query, .. }, 200 | 404) => found(query, response),
        (_, 200) => written(operation, response),
        (_, code) => return Err(Failure::Status { code, text: response.text() }),
    };
    let answer = answer.map_err(Failure::Unreadable)?;
    Ok(Response { index, answer, reason: None })
}

fn put(target: &str) -> HttpRequest {
    HttpRequest::new("PUT", target, b"")
}

/// A path under `/v1/` that ends in something of any spelling.
fn target(family: &str, name: &str) -> String {
    format!("/v1/{family}{}", path::escaped(name))
}

fn unsendable(what: impl Display) -> Failure {
    Failure::Unsendable(what.to_string())
}

/// Parameters in the order of their names, as Go writes them.
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

/// A number that is left out where it is 0, as the server takes that for the same.
fn filled(number: u64) -> Option<String> {
    (number != 0).then(|| number.to_string())
}

/// RCL-21: only what is not the server's default is sent, and a lock-delay as whole milliseconds,
/// at least one.
fn session(draft: &SessionDraft) -> Vec<u8> {
    let mut json = Writer::go();
    json.open_object();
    if let Some(node) = &draft.node {
        json.member("Node").text(node.as_str());
    }
    if !draft.name.is_empty() {
        json.member("Name").text(&draft.name);
    }
    if draft.lock_delay != LOCK_DELAY_DEFAULT {
        json.member("LockDelay").text(&lock_delay(draft.lock_delay));
    }
    if &*draft.behavior != "release" {
        json.member("Behavior").text(&draft.behavior);
    }
    if !draft.ttl.is_empty() {
        json.member("TTL").text(&draft.ttl);
    }
    if let Some(checks) = &draft.checks {
        check_ids(json.member("Checks"), checks);
    }
    let is_default = |ids: &[CheckId]| matches!(ids, [id] if id.as_str() == SERF_HEALTH);
    match &draft.node_checks {
        Some(ids) if is_default(ids) || ids.is_empty() && draft.checks.is_some() => {}
        Some(ids) => check_ids(json.member("NodeChecks"), ids),
        None => json.member("NodeChecks").null(),
    }
    if let Some(checks) = &draft.service_checks {
        json.member("ServiceChecks").list(checks, wire::service_check);
    }
    json.close_object();
    json.into_bytes()
}

fn lock_delay(nanos: i64) -> String {
    match nanos {
        1..1_000_000 => "1ms".into(),
        _ => format!("{}ms", nanos / 1_000_000),
    }
}

fn check_ids(json: &mut Writer, ids: &[CheckId]) {
    json.list(ids, wire::check_id);
}

/// RCL-23: reads and deletions strip one leading slash, writes refuse it.
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
    params.sort_by(|(one, _), (other, _)| one.cmp(other));
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
        | Query::PreparedQuery(_) => return Err(unsendable("no client program asks for this")),
    };
    let params = [
        ("consistent", is(Consistency::Consistent)),
        ("index", wait.map(|wait| wait.min_index.to_string())),
        ("keys", keys),
        ("recurse", recurse),
        ("separator", separator),
        ("stale", is(Consistency::Stale)),
        ("wait", wait.map(milliseconds)),
    ];
    Ok(HttpRequest::new("GET", &with_params(target, &params), b""))
}

/// How long a wait may last; never no time at all, which would ask for the longest.
fn milliseconds(wait: Wait) -> String {
    let millis = nanos(wait.timeout) / 1_000_000;
    format!("{}ms", millis.max(1))
}

fn txn(ops: &[TxnOp]) -> Result<HttpRequest, Failure> {
    let mut json = Writer::go();
    json.open_list();
    for op in ops {
        let TxnOp::Kv { key, verb } = op else {
            return Err(unsendable("no client program writes to the catalog"));
        };
        json.open_object();
        txn_op(json.member("KV"), key, verb);
        json.close_object();
    }
    json.close_list();
    Ok(HttpRequest::new("PUT", "/v1/txn", &json.into_bytes()))
}

/// TXN-05.
fn txn_op(json: &mut Writer, key: &Key, verb: &TxnVerb) {
    json.open_object();
    json.member("Verb").text(verb_name(verb));
    json.member("Key").text(key.as_str());
    let (write, index, session) = parts_of(verb);
    if let Some(Write { value, flags }) = write {
        json.member("Value").text(&STANDARD.encode(value));
        json.member("Flags").unsigned(*flags);
    }
    if let Some(index) = index {
        json.member("Index").unsigned(index.0);
    }
    if let Some(session) = session {
        json.member("Session").text(session.as_str());
    }
    json.close_object();
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
        TxnVerb::GetTree => "get-tree",
        TxnVerb::CheckIndex(_) => "check-index",
        TxnVerb::CheckSession(_) => "check-session",
        TxnVerb::CheckNotExists => "check-not-exists",
        TxnVerb::Unknown(name) => name,
    }
}

/// What stands beside a verb.
fn parts_of(verb: &TxnVerb) -> (Option<&Write>, Option<Index>, Option<&SessionRef>) {
    match verb {
        TxnVerb::Write(KvVerb::Set(write)) => (Some(write), None, None),
        TxnVerb::Write(KvVerb::Cas { write, expected }) => (Some(write), Some(*expected), None),
        TxnVerb::Write(KvVerb::Acquire { write, session } | KvVerb::Release { write, session }) => {
            (Some(write), None, Some(session))
        }
        TxnVerb::Write(KvVerb::DeleteCas { expected }) => (None, Some(*expected), None),
        TxnVerb::CheckIndex(index) => (None, Some(*index), None),
        TxnVerb::CheckSession(session) => (None, None, Some(session)),
        TxnVerb::Write(KvVerb::Delete | KvVerb::DeleteTree)
        | TxnVerb::Get
        | TxnVerb::GetTree
        | TxnVerb::CheckNotExists
        | TxnVerb::Unknown(_) => (None, None, None),
    }
}

/// The answer to a write. RCL-23: a boolean is read as "the body contains `true`".
fn written(operation: &Operation, response: &HttpResponse) -> Result<Answer, DecodeError> {
    match operation {
        Operation::CreateSession(_) => {
            let value = parsed(response)?;
            let id = Fields::lenient(&value, "session")?.text("ID")?.unwrap_or_default();
            let id = SessionId::parse(id).ok_or_else(|| format!("{id:?} is no session"))?;
            Ok(Answer::Created(id))
        }
        Operation::RenewSession(_) => {
            let value = parsed(response)?;
            let session = items(&value)?.first().map(session_of).transpose()?;
            Ok(Answer::Renewed(session.ok_or("no session")?))
        }
        _ => Ok(Answer::Flag(response.text().contains("true"))),
    }
}

/// What a read found; 404 and an empty list say that there is nothing (GET-03, SES-28).
fn found(query: &Query, response: &HttpResponse) -> Result<Answer, DecodeError> {
    let value = if response.status == 404 { Json::Null } else { parsed(response)? };
    let list = items(&value)?;
    let found = match query {
        Query::Key(_) => Found::Entry(list.first().map(entry_of).transpose()?),
        Query::Tree(_) => Found::Entries(all(list, entry_of)?),
        Query::Keys { .. } => Found::Keys(all(list, |item| {
            item.as_text().map(Key::from).ok_or_else(|| String::from("a key is a text"))
        })?),
        Query::Session(_) => Found::Session(list.first().map(session_of).transpose()?),
        _ => Found::Sessions(all(list, session_of)?),
    };
    Ok(Answer::Found(found))
}

fn all<T>(
    items: &[Json],
    read: fn(&Json) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    items.iter().map(read).collect::<Result<Vec<_>, _>>()
}

fn parsed(response: &HttpResponse) -> Result<Json, DecodeError> {
    json::first_value(&response.body).map_err(|problem| problem.to_string())
}

/// The items of a list; `null` is an empty one.
fn items(value: &Json) -> Result<&[Json], DecodeError> {
    match value {
        Json::Null => Ok(&[]),
        Json::Array(items) => Ok(items),
        other => Err(format!("a list is expected, not a {}", other.kind())),
    }
}

/// GET-01. The index since when the key is held is not told: the last change is the latest that it
/// can be.
fn entry_of(value: &Json) -> Result<Arc<Entry>, DecodeError> {
    let fields = Fields::lenient(value, "entry")?;
    let modify_index = Index(fields.unsigned("ModifyIndex")?);
    let session = fields.text("Session")?.filter(|session| !session.is_empty());
    let encoded = fields.text("Value")?.unwrap_or_default();
    let bytes = STANDARD.decode(encoded).map_err(|error| error.to_string())?;
    Ok(Arc::new(Entry {
        key: Key::from(fields.text("Key")?.unwrap_or_default()),
        value: Arc::from(bytes),
        flags: fields.unsigned("Flags")?,
        lock_index: fields.unsigned("LockIndex")?,
        hold: session.map(|session| Hold { session: session.into(), since: modify_index }),
        create_index: Index(fields.unsigned("CreateIndex")?),
        modify_index,
    }))
}

/// SES-27.
fn session_of(value: &Json) -> Result<Arc<Session>, DecodeError> {
    let fields = Fields::lenient(value, "session")?;
    let id = fields.text("ID")?.unwrap_or_default();
    let behavior = match fields.text("Behavior")?.unwrap_or_default() {
        "delete" => Behavior::Delete,
        _ => Behavior::Release,
    };
    let ids = |name: &str| -> Result<Option<Vec<CheckId>>, DecodeError> {
        Ok(fields.tags(name)?.map(|ids| ids.iter().map(|id| CheckId::from(&**id)).collect()))
    };
    Ok(Arc::new(Session {
        id: SessionId::parse(id).ok_or_else(|| format!("{id:?} is no session"))?,
        name: fields.shared("Name")?,
        node: fields.text("Node")?.unwrap_or_default().into(),
        lock_delay: fields.signed("LockDelay")?,
        behavior,
        ttl: fields.shared("TTL")?,
        node_checks: ids("NodeChecks")?,
        service_checks: body::service_checks(value, &fields)?,
        checks: ids("Checks")?,
        create_index: Index(fields.unsigned("CreateIndex")?),
    }))
}

/// TXN-07 to TXN-10.
fn outcome(ops: &[TxnOp], response: &HttpResponse) -> Result<Answer, DecodeError> {
    let value = parsed(response)?;
    let fields = Fields::lenient(&value, "transaction")?;
    let is_known = response.header("x-consul-knownleader") != Some("false");
    let kind = match (ops.iter().any(TxnOp::is_write), is_known) {
        (true, _) => TxnKind::Write,
        (false, true) => TxnKind::Read,
        (false, false) => TxnKind::ReadRefused,
    };
    let outcome: TxnOutcome = if response.status == 200 {
        Ok(fields.items("Results")?.iter().map(result_of).collect::<Result<Vec<_>, _>>()?)
    } else {
        Err(fields.items("Errors")?.iter().map(error_of).collect::<Result<Vec<_>, _>>()?)
    };
    Ok(Answer::Txn { outcome, kind })
}

/// A write shows its entry without a value, like a read of an empty one (TXN-10).
fn result_of(item: &Json) -> Result<TxnResult, DecodeError> {
    let kv = item.member("KV").ok_or("a result is no entry")?;
    let entry = entry_of(kv)?;
    let is_shown = kv.member("Value").is_some_and(|value| *value != Json::Null);
    Ok(if is_shown { TxnResult::Read(entry) } else { TxnResult::Written(entry) })
}

fn error_of(item: &Json) -> Result<TxnError, DecodeError> {
    let fields = Fields::lenient(item, "error")?;
    let position = usize::try_from(fields.unsigned("OpIndex")?).unwrap_or(usize::MAX);
    Ok(TxnError { position, what: fields.text("What")?.unwrap_or_default().into() })
}

#[cfg(test)]
mod tests;
