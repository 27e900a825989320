//! Requests under `/v1/kv/`.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use super::route::{Parts, content_length, parse_uint};
use super::{BadRequest, View};
use crate::id::{Index, Key, SessionRef};
use crate::message::Operation;
use crate::store::{KvVerb, Query, Write};

/// The longest value, and the longest body of a transaction (KV-24, TXN-03, LIM-01).
pub(super) const VALUE_MAX: usize = 512 * 1024;

/// The order of checks is that of KV-26.
pub(super) fn read(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let wait = parts.admit_read()?;
    match parts.request.method.as_str() {
        "GET" => get(parts, |query| parts.reading(query, wait)),
        "PUT" => put(parts),
        _ => delete(parts),
    }
}

/// GET-05, GET-07: `keys` wins over `recurse`, and both over `raw`.
fn get(parts: &Parts, read: impl Fn(Query) -> Operation) -> Result<(Operation, View), BadRequest> {
    let key = Key::from(parts.rest.as_str());
    if parts.params.has("keys") {
        let view = if key.is_empty() { View::KeysOfAll } else { View::Json };
        let separator = separator(parts);
        return Ok((read(Query::Keys { prefix: key, separator }), view));
    }
    if parts.params.has("recurse") {
        return Ok((read(Query::Tree(key)), View::Json));
    }
    let view = if parts.params.has("raw") { View::Raw } else { View::Json };
    Ok((read(Query::Key(named(key)?)), view))
}

/// GET-10: an old misspelling still counts.
fn separator(parts: &Parts) -> Option<String> {
    let params = &parts.params;
    params.first("separator").or_else(|| params.first("seperator")).map(String::from)
}

/// LCK-19: acquire, release and check-and-set exclude each other.
fn put(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let key = named(Key::from(parts.rest.as_str()))?;
    let params = &parts.params;
    let verbs = ["cas", "acquire", "release"];
    if verbs.iter().filter(|verb| params.has(verb)).count() > 1 {
        return Err(conflict(parts));
    }
    let flags = params.first("flags").map_or(Ok(0), parse_uint)?;
    let expected = params.first("cas").map(parse_uint).transpose()?;
    admit_size(parts)?;
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
    Ok((Operation::Kv { key, verb }, View::Json))
}

fn delete(parts: &Parts) -> Result<(Operation, View), BadRequest> {
    let key = Key::from(parts.rest.as_str());
    let params = &parts.params;
    let key = if params.has("recurse") { key } else { named(key)? };
    let verb = match (params.has("recurse"), params.first("cas")) {
        (true, Some(_)) => return Err(conflict(parts)),
        (true, None) => KvVerb::DeleteTree,
        (false, Some(expected)) => KvVerb::DeleteCas { expected: Index(parse_uint(expected)?) },
        (false, None) => KvVerb::Delete,
    };
    Ok((Operation::Kv { key, verb }, View::Json))
}

/// KV-20.
fn named(key: Key) -> Result<Key, BadRequest> {
    if key.is_empty() { Err(BadRequest::bad("Missing key name")) } else { Ok(key) }
}

/// KV-21.
fn conflict(parts: &Parts) -> BadRequest {
    BadRequest::Invalid(format!("Conflicting flags: {}", parts.params.sorted()))
}

/// KV-24, KV-25: a body without a declared length is not limited here.
fn admit_size(parts: &Parts) -> Result<(), BadRequest> {
    match content_length(parts.request) {
        Some(length) if length > VALUE_MAX => {
            Err(too_large(&format!("({length} bytes)"), "kv_max_value_size"))
        }
        _ => Ok(()),
    }
}

pub(super) fn too_large(length: &str, setting: &str) -> BadRequest {
    BadRequest::TooLarge(format!(
        "Request body{length} too large, max size: {VALUE_MAX} bytes. \
         See https://www.consul.io/docs/agent/config/config-files#{setting}."
    ))
}
