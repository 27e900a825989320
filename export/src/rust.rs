//! A test in Rust against a `lictor_core::Consul` in the same process, without a network.

use std::time::Duration;

use lictor_core::engine::Config;

use crate::language::{self, Language, SendWords};
use crate::steps::Test;
use crate::template::{Part, Template};

struct Rust;

/// How to run the test.
pub(crate) const RUN: &str =
    "It needs the crates lictor-core, serde_json and base64 as dev-dependencies.";

const BEGIN: &str = r#"#![allow(dead_code)]

use core::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::Consul;
use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use serde_json::Value;

/// The status and the body of an answer.
type Answer = (u16, String);

fn let_pass(consul: &mut Consul, span: Duration) {
    consul.advance(span);
}

fn send(
    consul: &mut Consul,
    (method, target): (&str, &str),
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> Answer {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let request = HttpRequest {
        headers: headers.collect(),
        ..HttpRequest::new(method, target, body.as_ref())
    };
    let sent = consul.request(&request);
    let answer = consul.poll(sent).expect("no request waits");
    (answer.status, answer.text().trim_end_matches('\n').to_owned())
}

#[track_caller]
fn expect_text(answer: &Answer, status: u16, text: &str) {
    assert_eq!((answer.0, answer.1.as_str()), (status, text));
}

#[track_caller]
fn expect_json(answer: &Answer, status: u16, value: Value) {
    let found = serde_json::from_str(&answer.1).unwrap_or(Value::Null);
    assert_eq!((answer.0, tidy(found)), (status, tidy(value)), "{}", answer.1);
}

/// The id of a new session.
#[track_caller]
fn created(answer: &Answer) -> String {
    let found: Value = serde_json::from_str(&answer.1).unwrap_or(Value::Null);
    let id = found["ID"].as_str().filter(|_| answer.0 == 200);
    id.unwrap_or_else(|| panic!("no id: {answer:?}")).to_owned()
}

fn modify_index(consul: &mut Consul, target: &str) -> u64 {
    let answer = send(consul, ("GET", target), &[], "");
    let found: Value = serde_json::from_str(&answer.1).expect("the key exists");
    found[0]["ModifyIndex"].as_u64().expect("an index")
}

/// The value without what differs from server to server, its lists in one order.
fn tidy(value: Value) -> Value {
    match value {
        Value::Array(values) => {
            let mut values: Vec<Value> = values.into_iter().map(tidy).collect();
            values.sort_by_key(Value::to_string);
            values.into()
        }
        Value::Object(members) => {
            let is_same = |name: &str| !["CreateIndex", "ModifyIndex", "Node"].contains(&name);
            let members = members.into_iter().filter(|(name, _)| is_same(name));
            let mut members: Vec<_> = members.map(|(name, value)| (name, tidy(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(members.into_iter().collect())
        }
        value => value,
    }
}

fn b64(text: impl AsRef<[u8]>) -> String {
    STANDARD.encode(text)
}

#[test]
fn the_server_gives_the_answers_of_the_world() {
"#;

/// Writes the test as a file of Rust.
pub(crate) fn write(test: &Test) -> String {
    let mut text = language::head::<Rust>(test, "rust", RUN);
    text.push_str(BEGIN);
    text.push_str(&settings(&test.config));
    text.push_str("    let mut consul = Consul::with_config(config, 1);\n");
    text.push_str(&language::statements(&Rust, test));
    text + "}\n"
}

/// The statements that create the configuration and set what differs from the default.
fn settings(config: &Config) -> String {
    let default = Config::default();
    let mut lines = String::new();
    let mut set = |field: &str, value: String| {
        lines.push_str(&format!("    config.{field} = {value};\n"));
    };
    if config.version != default.version {
        let name = config.version.name().replace('.', "_");
        set("version", format!("lictor_core::ConsulVersion::V{name}"));
    }
    if config.node != default.node {
        set("node", format!("{}.into()", Rust.quoted(config.node.as_str())));
    }
    if config.datacenter != default.datacenter {
        set("datacenter", format!("{}.into()", Rust.quoted(&config.datacenter)));
    }
    if config.session_ttl_min != default.session_ttl_min {
        let nanos = config.session_ttl_min.as_nanos();
        set("session_ttl_min", format!("Duration::from_nanos({nanos})"));
    }
    if config.disable_kv_key_validation {
        set("disable_kv_key_validation", "true".into());
    }
    let mutable = if lines.is_empty() { "" } else { "mut " };
    format!("    let {mutable}config = Config::default();\n{lines}")
}

/// A text as a literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.escape_debug())
}

/// An expression as a reference; a literal is one already.
fn borrowed(expression: &str) -> String {
    let is_literal = expression.starts_with('"') || expression.starts_with("b\"");
    if is_literal { expression.into() } else { format!("&{expression}") }
}

impl Language for Rust {
    const COMMENT: &'static str = "//";
    const INDENT: &'static str = "    ";
    const WORDS: [&'static str; 3] = ["null", "true", "false"];

    fn quoted(&self, text: &str) -> String {
        quoted(text)
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        format!("b\"{}\"", bytes.escape_ascii())
    }

    /// A call of `format!` with the variables in braces; one variable alone is its name.
    fn joined(&self, template: &Template) -> String {
        if let [Part::Variable(variable)] = template.0.as_slice() {
            return variable.name();
        }
        let mut format = String::new();
        for part in &template.0 {
            match part {
                Part::Variable(variable) => format.push_str(&format!("{{{}}}", variable.name())),
                Part::Text(text) => text.chars().for_each(|character| match character {
                    '{' | '}' => format.extend([character, character]),
                    _ => format.extend(character.escape_debug()),
                }),
            }
        }
        format!("format!(\"{format}\")")
    }

    /// In `json!`, a literal without a suffix is an `i32`, so a larger one needs a suffix.
    fn number(&self, number: &str) -> String {
        let is_large = number.parse::<u64>().is_ok_and(|number| number > 0x7fff_ffff);
        if is_large { format!("{number}_u64") } else { number.into() }
    }

    fn send(&self, request: &SendWords) -> String {
        let SendWords { method, target, body, headers, .. } = request;
        let header = |(name, value): &(String, String)| format!("({name}, {})", borrowed(value));
        let headers: Vec<String> = headers.iter().map(header).collect();
        let headers = headers.join(", ");
        let target = borrowed(target);
        let body = if body.starts_with("format!") { body.clone() } else { borrowed(body) };
        format!("let answer = send(&mut consul, ({method}, {target}), &[{headers}], {body});")
    }

    fn created(&self, variable: Option<&str>) -> String {
        match variable {
            Some(variable) => format!("let {variable} = created(&answer);"),
            None => "created(&answer);".into(),
        }
    }

    fn upper(&self, variable: &str, id: &str) -> String {
        format!("let {variable} = {id}.to_uppercase();")
    }

    fn status(&self, status: u16) -> String {
        format!("assert_eq!(answer.0, {status}, \"{{}}\", answer.1);")
    }

    fn text(&self, status: u16, text: &str) -> String {
        format!("expect_text(&answer, {status}, {});", borrowed(text))
    }

    fn json(&self, status: u16, json: &str) -> String {
        format!("expect_json(&answer, {status}, serde_json::json!({json}));")
    }

    fn read_index(&self, variable: &str, target: &str) -> String {
        format!("let {variable} = modify_index(&mut consul, {});", borrowed(target))
    }

    fn pass(&self, span: Duration) -> String {
        let passed = match span.subsec_nanos() {
            0 => format!("from_secs({})", span.as_secs()),
            nanos if nanos % 1_000_000 == 0 => format!("from_millis({})", span.as_millis()),
            _ => format!("from_nanos({})", span.as_nanos()),
        };
        format!("let_pass(&mut consul, Duration::{passed});")
    }

    fn fail_over(&self) -> String {
        "consul.fail_over();".into()
    }
}
