//! Requests in the line language, and back: `put app/leader value=a acquire=S1`.
//!
//! Common requests have words of their own; any other request is written as method, target, headers
//! and body. Words are only used if parsing them gives exactly the same request.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lictor_core::http::HttpRequest;
use lictor_core::json::{self, Json};
use serde::{Serialize, Serializer};

use super::Names;
use super::error::WordsError;
use super::tokens::{
    Args, in_words, push_bytes, push_number, push_operand, push_param, quoted_word,
};
use crate::request_form::RequestForm;

/// The members of a new session and their words.
const MEMBERS: [(&str, &str); 6] = [
    ("ttl", "TTL"),
    ("delay", "LockDelay"),
    ("behavior", "Behavior"),
    ("name", "Name"),
    ("node", "Node"),
    ("checks", CHECKS),
];
/// The only member that is a list.
const CHECKS: &str = "NodeChecks";

/// The word for a member of a new session whose value is a text.
pub fn session_word(member: &str) -> Option<&'static str> {
    let found = MEMBERS.iter().find(|(_, name)| *name == member && member != CHECKS);
    found.map(|(word, _)| *word)
}

pub(super) fn request_words(request: &HttpRequest, names: &Names) -> String {
    match common_words(request) {
        Some(words) => names.named(&words, ToOwned::to_owned),
        None => names.named(&raw(request), |name| format!("<{name}>")),
    }
}

/// The words of a common request, if parsing them gives the same request.
fn common_words(request: &HttpRequest) -> Option<String> {
    let words = form_words(&RequestForm::of(request)?)?;
    let tokens = in_words(&words).ok()?;
    let (verb, operands) = tokens.split_first()?;
    let mut args = Args::new(&verb.text, operands);
    let again = request_of(&mut args, &Names::default());
    let is_same = args.finish().is_ok() && again.as_ref() == Some(request);
    is_same.then_some(words)
}

/// Writes a request as method, target, headers and body.
fn raw(request: &HttpRequest) -> String {
    let mut words = quoted_word(&request.method);
    push_operand(&mut words, &request.target);
    for (name, value) in &request.headers {
        push_param(&mut words, "header", &(name.to_owned() + ": " + value));
    }
    if !request.body.is_empty() {
        push_bytes(&mut words, "body", &request.body);
    }
    words
}

fn form_words(form: &RequestForm<'_>) -> Option<String> {
    let nothing: &[u8] = b"";
    let (verb, operand, body) = match *form {
        RequestForm::Create { body } => return session_words(body),
        RequestForm::Renew { session } => ("renew", session, nothing),
        RequestForm::Destroy { session } => ("destroy", session, nothing),
        RequestForm::Get { key } | RequestForm::Watch { key, .. } => ("get", key, nothing),
        RequestForm::Put { key, body }
        | RequestForm::Cas { key, body, .. }
        | RequestForm::Acquire { key, body, .. }
        | RequestForm::Release { key, body, .. } => ("put", key, body),
        RequestForm::Delete { key } | RequestForm::DeleteCas { key, .. } => {
            ("delete", key, nothing)
        }
    };
    let mut words = String::from(verb);
    push_operand(&mut words, operand);
    if !body.is_empty() {
        push_bytes(&mut words, "value", body);
    }
    match *form {
        RequestForm::Watch { index, wait, .. } => {
            push_number(&mut words, "index", index);
            push_param(&mut words, "wait", wait);
        }
        RequestForm::Cas { index, .. } | RequestForm::DeleteCas { index, .. } => {
            push_number(&mut words, "cas", index);
        }
        RequestForm::Acquire { session, .. } => push_param(&mut words, "acquire", session),
        RequestForm::Release { session, .. } => push_param(&mut words, "release", session),
        RequestForm::Create { .. }
        | RequestForm::Renew { .. }
        | RequestForm::Destroy { .. }
        | RequestForm::Get { .. }
        | RequestForm::Put { .. }
        | RequestForm::Delete { .. } => {}
    }
    Some(words)
}

fn session_words(body: &[u8]) -> Option<String> {
    let mut words = String::from("session");
    if body.is_empty() {
        return Some(words);
    }
    let Ok(Json::Object(members)) = json::first_value(body) else { return None };
    for (name, value) in &members {
        let (word, _) = MEMBERS.iter().find(|(_, member)| member == name)?;
        match value {
            Json::Text(text) => push_param(&mut words, word, text),
            Json::Array(checks) => {
                let mut names = Vec::new();
                for check in checks {
                    names.push(check.as_text()?);
                }
                push_param(&mut words, word, &names.join(","));
            }
            _ => return None,
        }
    }
    Some(words)
}

/// The body of a new session, with the members in the order of the words; empty without any.
fn session_body(args: &mut Args<'_>) -> Vec<u8> {
    let mut members = Vec::new();
    while let Some((member, text)) = args.take_one(&MEMBERS) {
        let value = match member {
            CHECKS => {
                SessionMember::List(text.split(',').filter(|check| !check.is_empty()).collect())
            }
            _ => SessionMember::Text(text),
        };
        members.push((member, value));
    }
    if members.is_empty() { Vec::new() } else { json::to_text(&Members(members)).into_bytes() }
}

/// The members of an object in their order.
struct Members<'a>(Vec<(&'static str, SessionMember<'a>)>);

#[derive(Serialize)]
#[serde(untagged)]
enum SessionMember<'a> {
    Text(&'a str),
    List(Vec<&'a str>),
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Parses a request. `None` if the verb is not one of a request, which `args` reports.
pub(super) fn request_of(args: &mut Args<'_>, names: &Names) -> Option<HttpRequest> {
    Some(match args.verb {
        "session" => RequestForm::Create { body: &session_body(args) }.request(),
        "renew" => {
            let session = &names.spelt(args.next("a session"));
            RequestForm::Renew { session }.request()
        }
        "destroy" => {
            let session = &names.spelt(args.next("a session"));
            RequestForm::Destroy { session }.request()
        }
        "get" => get(args).request(),
        "put" => put(args, names),
        "delete" => {
            let key = args.next("a key");
            let form = match args.number("cas") {
                None => RequestForm::Delete { key },
                Some(index) => RequestForm::DeleteCas { key, index },
            };
            form.request()
        }
        method if is_method(method) => sent(args, names),
        verb => {
            args.fail(WordsError::Verb(verb.to_owned()));
            return None;
        }
    })
}

fn is_method(verb: &str) -> bool {
    !verb.is_empty() && verb.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn get<'a>(args: &mut Args<'a>) -> RequestForm<'a> {
    let key = args.next("a key");
    match (args.number("index"), args.take("wait")) {
        (None, None) => RequestForm::Get { key },
        (Some(index), Some(wait)) => RequestForm::Watch { key, index, wait },
        _ => {
            args.fail_missing("both index and wait, or neither");
            RequestForm::Get { key }
        }
    }
}

fn put(args: &mut Args<'_>, names: &Names) -> HttpRequest {
    let key = args.next("a key");
    let body = &args.bytes("value");
    let session = |name: Option<&str>| name.map(|name| names.spelt(name));
    let (acquire, release) = (session(args.take("acquire")), session(args.take("release")));
    let form = match (args.number("cas"), &acquire, &release) {
        (None, None, None) => RequestForm::Put { key, body },
        (Some(index), None, None) => RequestForm::Cas { key, index, body },
        (None, Some(session), None) => RequestForm::Acquire { key, session, body },
        (None, None, Some(session)) => RequestForm::Release { key, session, body },
        _ => {
            args.fail_missing("only one of cas, acquire and release");
            RequestForm::Put { key, body }
        }
    };
    form.request()
}

fn sent(args: &mut Args<'_>, names: &Names) -> HttpRequest {
    let target = names.filled_in(args.next("a target"));
    let mut headers = Vec::new();
    while let Some(header) = args.take("header") {
        let (name, value) = header.split_once(": ").unwrap_or((header, ""));
        headers.push((name.to_owned(), names.filled_in(value)));
    }
    let body = match String::from_utf8(args.bytes("body")) {
        Ok(text) => names.filled_in(&text).into_bytes(),
        Err(bytes) => bytes.into_bytes(),
    };
    HttpRequest { method: args.verb.to_owned(), target, headers, body }
}
