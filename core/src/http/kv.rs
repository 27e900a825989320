//! Requests under `/v1/kv/`: reading, writing and deleting keys, with Consul's check-and-set,
//! acquire and release parameters. Requests with conflicting parameters, without a key or with a
//! value that is too long are refused here; the engine decides whether a lock is granted.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;

use super::bad_request::BadRequest;
use super::key_name::{self, KeyFault};
use super::limits::admit_value_size;
use super::parts::{Decoded, RequestParts, parse_uint};
use super::types::AnswerKind;
use crate::id::{Index, Key, SessionRef};
use crate::message::Operation;
use crate::store::{KvVerb, Query, Write};

/// Cleans and checks the name of the key, before anything but the parameters of a read. A faulty
/// name is refused, or returned for a warning if the agent serves it (V22-01 to V22-03).
pub(super) fn admit_name(parts: &mut RequestParts) -> Result<Option<KeyFault>, BadRequest> {
    if !parts.agent.rules().checks_key_names {
        return Ok(None);
    }
    parts.rest = key_name::cleaned(&parts.rest);
    match key_name::fault(&parts.rest) {
        Some(fault) if !parts.agent.disable_kv_key_validation => {
            Err(BadRequest::Failed(fault.to_string()))
        }
        fault => Ok(fault),
    }
}

/// Checks in Consul's order (KV-26).
pub(super) fn decode(parts: &RequestParts) -> Decoded {
    let wait = parts.admit_read()?;
    match parts.request.method.as_str() {
        "GET" => get(parts, |query| parts.read_operation(query, wait)),
        "PUT" => put(parts),
        _ => delete(parts),
    }
}

/// A read: the parameter `keys` has priority over `recurse`, and both over `raw` (GET-05, GET-07).
fn get(parts: &RequestParts, read: impl Fn(Query) -> Operation) -> Decoded {
    let key = Key::from(parts.rest.as_str());
    if parts.params.has("keys") {
        let kind = if key.is_empty() { AnswerKind::AllKeys } else { AnswerKind::Json };
        let separator = separator(parts);
        return Ok((read(Query::Keys { prefix: key, separator }), kind));
    }
    if parts.params.has("recurse") {
        return Ok((read(Query::Tree(key)), AnswerKind::Json));
    }
    let kind = if parts.params.has("raw") { AnswerKind::RawValue } else { AnswerKind::Json };
    Ok((read(Query::Key(named(key)?)), kind))
}

/// The separator of a list of keys; Consul's old misspelling counts too (GET-10).
fn separator(parts: &RequestParts) -> Option<String> {
    let params = &parts.params;
    params.first("separator").or_else(|| params.first("seperator")).map(String::from)
}

/// A write: set, check-and-set, acquire or release, of which a request has at most one (LCK-19).
fn put(parts: &RequestParts) -> Decoded {
    let key = named(Key::from(parts.rest.as_str()))?;
    let params = &parts.params;
    let verbs = ["cas", "acquire", "release"];
    if verbs.iter().filter(|verb| params.has(verb)).count() > 1 {
        return Err(conflict(parts));
    }
    let flags = params.first("flags").map_or(Ok(0), parse_uint)?;
    let expected = params.first("cas").map(parse_uint).transpose()?;
    admit_value_size(parts.agent.rules(), parts.request)?;
    let write = Write { value: Arc::from(parts.request.body.as_slice()), flags };
    let session = |name| params.first(name).map(SessionRef::from);
    let verb = if let Some(expected) = expected {
        KvVerb::Cas { write, expected: Index(expected) }
    } else if let Some(session) = session("acquire") {
        KvVerb::Acquire { write, session }
    } else if let Some(session) = session("release") {
        KvVerb::Release { write, session }
    } else {
        KvVerb::Set(write)
    };
    Ok((Operation::Kv { key, verb }, AnswerKind::Json))
}

fn delete(parts: &RequestParts) -> Decoded {
    let key = Key::from(parts.rest.as_str());
    let params = &parts.params;
    let key = if params.has("recurse") { key } else { named(key)? };
    let verb = match (params.has("recurse"), params.first("cas")) {
        (true, Some(_)) => return Err(conflict(parts)),
        (true, None) => KvVerb::DeleteTree,
        (false, Some(expected)) => KvVerb::DeleteCas { expected: Index(parse_uint(expected)?) },
        (false, None) => KvVerb::Delete,
    };
    Ok((Operation::Kv { key, verb }, AnswerKind::Json))
}

/// A key that is not empty (KV-20).
fn named(key: Key) -> Result<Key, BadRequest> {
    if key.is_empty() { Err(BadRequest::bad("Missing key name")) } else { Ok(key) }
}

/// Refuses parameters that exclude each other (KV-21).
fn conflict(parts: &RequestParts) -> BadRequest {
    let end = parts.agent.rules().conflict_end;
    BadRequest::Invalid(format!("Conflicting flags: {}{end}", parts.params.sorted()))
}
