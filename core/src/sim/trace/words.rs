//! What clients do, in words, and back: `put app/leader value=a acquire=S1`.
//!
//! The common requests have words of their own; any other one is written as it is sent. Words that
//! would not make exactly the same act again are not used.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::cast::{guard_of, guard_words, order_of, order_words, spawn_of, spawn_words};
use super::faults::{fault_act, fault_words, is_fault, link_of, link_words, plan_words};
use super::given::{Given, in_words, quoted};
use super::{Names, SERVER};
use crate::gather::Join;
use crate::http::HttpRequest;
use crate::id::{ActorName, RequestId};
use crate::json::{self, Json, Writer};
use crate::sim::Act;
use crate::sim::journal::form::Form;

/// The members of a new session and their words.
const MEMBERS: [(&str, &str); 6] = [
    ("ttl", "TTL"),
    ("delay", "LockDelay"),
    ("behavior", "Behavior"),
    ("name", "Name"),
    ("node", "Node"),
    (CHECKS, "NodeChecks"),
];
/// The only member that is a list.
const CHECKS: &str = "checks";

/// Why words say nothing that can be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("a quote is not closed")]
    Quote,
    #[error("nobody can do {0:?}")]
    Verb(String),
    #[error("{verb:?} needs {what}")]
    Missing { verb: String, what: &'static str },
    #[error("{0:?} does not belong here")]
    Extra(String),
    #[error("{name}={text:?} is no {kind}")]
    Value { name: String, text: String, kind: &'static str },
    #[error("no program for {key:?}: {trouble}")]
    Program { key: String, trouble: String },
}

/// An act in words.
pub fn words_of(act: &Act, names: &Names) -> String {
    match act {
        Act::Join { .. } => "joins".into(),
        Act::Cancel { id } => format!("cancels {id}"),
        Act::Failover => "fails-over".into(),
        Act::Advance { to } => format!("waits until={}", to.as_nanos()),
        Act::Request { request, .. } => request_words(request, names),
        Act::Link { link, .. } => link_words(link),
        Act::Inject { fault, plan } => format!("{}{}", fault_words(fault), plan_words(plan)),
        Act::Repair { fault } => format!("mends {}", fault_words(fault)),
        Act::Heal => "heals".into(),
        Act::Spawn { program, of, resource, .. } => spawn_words(program, of, resource.as_ref()),
        Act::Order { program, order } => order_words(program, *order),
        Act::Guard { resource, asks } => guard_words(resource, *asks),
    }
}

pub(super) fn request_words(request: &HttpRequest, names: &Names) -> String {
    match common_words(request) {
        Some(words) => names.named(&words, ToOwned::to_owned),
        None => names.named(&raw(request), |name| format!("<{name}>")),
    }
}

/// Who does it: a client, or nobody of them.
pub fn actor_of(act: &Act) -> &str {
    let actor = match act {
        Act::Join { actor }
        | Act::Request { actor, .. }
        | Act::Link { actor, .. }
        | Act::Spawn { actor, .. } => Some(actor),
        Act::Inject { fault, .. } | Act::Repair { fault } => fault.actor(),
        Act::Cancel { .. }
        | Act::Failover
        | Act::Advance { .. }
        | Act::Heal
        | Act::Order { .. }
        | Act::Guard { .. } => None,
    };
    actor.map_or(SERVER, ActorName::as_str)
}

/// What words say that an actor does.
pub fn act_of(actor: &str, what: &str, names: &Names) -> Result<Act, WordsError> {
    let words = in_words(what)?;
    let mut words = words.iter().map(|word| word.text.as_str());
    let verb = words.next().unwrap_or_default();
    let mut given = Given::new(verb, words);
    let name = || ActorName::from(actor);
    let act = match verb {
        "joins" => Act::Join { actor: name() },
        "cancels" => Act::Cancel { id: RequestId(given.first_number("the number of a call")?) },
        "fails-over" => Act::Failover,
        "heals" => Act::Heal,
        "spawns" => spawn_of(name(), &mut given, names)?,
        "orders" => order_of(&mut given)?,
        "guards" => guard_of(&mut given)?,
        "links" => Act::Link { actor: name(), link: link_of(&mut given)? },
        "mends" => {
            let verb = given.first("what is to be mended")?;
            Act::Repair { fault: fault_act(&verb, actor, &mut given)? }
        }
        verb if is_fault(verb) => {
            let fault = fault_act(verb, actor, &mut given)?;
            Act::Inject { fault, plan: given.plan()? }
        }
        _ => Act::Request { actor: name(), request: request_of(&mut given, names)? },
    };
    given.used_up().map(|()| act)
}

/// The words of a request that has some: they make it again.
fn common_words(request: &HttpRequest) -> Option<String> {
    let words = form_words(&Form::of(request)?)?;
    let again = act_of("", &words, &Names::default()).ok()?;
    let is_same = matches!(again, Act::Request { request: again, .. } if again == *request);
    is_same.then_some(words)
}

/// As it is sent: method, target, headers, body.
fn raw(request: &HttpRequest) -> String {
    let mut words = format!("{} {}", quoted(&request.method), quoted(&request.target));
    for (name, value) in &request.headers {
        words.push_str(&format!(" header={}", quoted(&format!("{name}: {value}"))));
    }
    if !request.body.is_empty() {
        words.push_str(&parameter("body", &request.body));
    }
    words
}

fn form_words(form: &Form<'_>) -> Option<String> {
    let with = |verb: &str, key: &str, body: &[u8]| {
        let value = if body.is_empty() { String::new() } else { parameter("value", body) };
        format!("{verb} {}{value}", quoted(key))
    };
    Some(match *form {
        Form::Create { body } => session_words(body)?,
        Form::Renew { session } => with("renew", session, b""),
        Form::Destroy { session } => with("destroy", session, b""),
        Form::Get { key } => with("get", key, b""),
        Form::Watch { key, index, wait } => {
            format!("{} index={index} wait={}", with("get", key, b""), quoted(wait))
        }
        Form::Put { key, body } => with("put", key, body),
        Form::Cas { key, index, body } => format!("{} cas={index}", with("put", key, body)),
        Form::Acquire { key, session, body } => {
            format!("{} acquire={}", with("put", key, body), quoted(session))
        }
        Form::Release { key, session, body } => {
            format!("{} release={}", with("put", key, body), quoted(session))
        }
        Form::Delete { key } => with("delete", key, b""),
        Form::DeleteCas { key, index } => format!("{} cas={index}", with("delete", key, b"")),
    })
}

/// Bytes that are no text are written in hexadecimal digits.
pub(super) fn parameter(name: &str, bytes: &[u8]) -> String {
    match core::str::from_utf8(bytes) {
        Ok(text) => format!(" {name}={}", quoted(text)),
        Err(_) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!(" {name}-hex={digits}")
        }
    }
}

fn session_words(body: &[u8]) -> Option<String> {
    let mut words = String::from("session");
    if body.is_empty() {
        return Some(words);
    }
    let Ok(Json::Object(members)) = json::first_value(body) else { return None };
    for (name, value) in members {
        let (word, _) = MEMBERS.iter().find(|(_, member)| *member == name)?;
        let text = match value {
            Json::Text(text) => text,
            Json::Array(checks) => {
                let checks: Option<Vec<&str>> = checks.iter().map(Json::as_text).collect();
                checks?.joined(",")
            }
            _ => return None,
        };
        words.push_str(&format!(" {word}={}", quoted(&text)));
    }
    Some(words)
}

fn session_body(given: &mut Given<'_>) -> Vec<u8> {
    let members = given.take_all(|name| MEMBERS.iter().any(|(word, _)| *word == name));
    if members.is_empty() {
        return Vec::new();
    }
    let mut json = Writer::plain();
    json.open_object();
    for (name, text) in members {
        let member = MEMBERS.iter().find(|(word, _)| *word == name).map(|(_, member)| *member);
        json.member(member.unwrap_or_default());
        match name {
            CHECKS => {
                let checks = text.split(',').filter(|check| !check.is_empty());
                json.list(checks, Writer::text);
            }
            _ => json.text(text),
        }
    }
    json.close_object();
    json.into_bytes()
}

pub(super) fn request_of(given: &mut Given<'_>, names: &Names) -> Result<HttpRequest, WordsError> {
    match given.verb {
        "session" => Ok(Form::Create { body: &session_body(given) }.request()),
        "renew" => {
            let session = &names.spelt(&given.first("a session")?);
            Ok(Form::Renew { session }.request())
        }
        "destroy" => {
            let session = &names.spelt(&given.first("a session")?);
            Ok(Form::Destroy { session }.request())
        }
        "get" => get(given),
        "put" => put(given, names),
        "delete" => {
            let key = &given.first("a key")?;
            let form = match given.number("cas")? {
                None => Form::Delete { key },
                Some(index) => Form::DeleteCas { key, index },
            };
            Ok(form.request())
        }
        method if is_method(method) => sent(given, names),
        verb => Err(WordsError::Verb(verb.to_owned())),
    }
}

fn is_method(verb: &str) -> bool {
    !verb.is_empty() && verb.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn get(given: &mut Given<'_>) -> Result<HttpRequest, WordsError> {
    let key = &given.first("a key")?;
    match (given.number("index")?, given.take("wait")) {
        (None, None) => Ok(Form::Get { key }.request()),
        (Some(index), Some(wait)) => Ok(Form::Watch { key, index, wait }.request()),
        _ => Err(given.needs("both index and wait, or neither")),
    }
}

fn put(given: &mut Given<'_>, names: &Names) -> Result<HttpRequest, WordsError> {
    let key = &given.first("a key")?;
    let body = &given.bytes("value")?;
    let session = |name: Option<&str>| name.map(|name| names.spelt(name));
    let (acquire, release) = (session(given.take("acquire")), session(given.take("release")));
    let form = match (given.number("cas")?, &acquire, &release) {
        (None, None, None) => Form::Put { key, body },
        (Some(index), None, None) => Form::Cas { key, index, body },
        (None, Some(session), None) => Form::Acquire { key, session, body },
        (None, None, Some(session)) => Form::Release { key, session, body },
        _ => return Err(given.needs("only one of cas, acquire and release")),
    };
    Ok(form.request())
}

fn sent(given: &mut Given<'_>, names: &Names) -> Result<HttpRequest, WordsError> {
    let target = names.filled_in(&given.first("a target")?);
    let mut headers = Vec::new();
    while let Some(header) = given.take("header") {
        let (name, value) = header.split_once(": ").unwrap_or((header, ""));
        headers.push((name.to_owned(), names.filled_in(value)));
    }
    let body = given.bytes("body")?;
    let body = match String::from_utf8(body) {
        Ok(text) => names.filled_in(&text).into_bytes(),
        Err(bytes) => bytes.into_bytes(),
    };
    Ok(HttpRequest { method: given.verb.to_string(), target, headers, body })
}
