//! A test in JavaScript for Node's test runner, against a server of the npm package `lictor` in the
//! same process.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::engine::Config;

use crate::language::{self, Language, SendWords, double_quoted};
use crate::steps::Test;

struct JavaScript;

pub(crate) const RUN: &str = "Run it with `node --test`; it needs the package lictor.";

const BEGIN: &str = r#"import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul } from "lictor";

test("the server gives the answers of the world", async () => {
  const consul = await Consul.create(OPTIONS);
  let answer;
  const send = async (method, target, body = "", headers = []) => {
    const sent = { method, target, headers, body: Buffer.from(body) };
    const { status, body: bytes } = await consul.request(sent);
    return [status, Buffer.from(bytes).toString().replace(/\n+$/, "")];
  };
  const tidy = (value) => {
    // Without what differs from server to server, lists and members in one order.
    if (Array.isArray(value)) {
      const key = (it) => JSON.stringify(it);
      return value.map(tidy).sort((one, other) => (key(one) < key(other) ? -1 : 1));
    }
    if (value === null || typeof value !== "object") return value;
    const { CreateIndex, ModifyIndex, Node, ...rest } = value;
    const members = Object.entries(rest).map(([name, it]) => [name, tidy(it)]);
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const expectText = (status, text) => assert.deepEqual(answer, [status, text]);
  const expectJson = (status, value) => {
    assert.equal(answer[0], status, answer[1]);
    assert.deepEqual(tidy(JSON.parse(answer[1])), tidy(value));
  };
  const created = () => {
    assert.equal(answer[0], 200, answer[1]);
    return JSON.parse(answer[1]).ID;
  };
  const modifyIndex = async (target) => JSON.parse((await send("GET", target))[1])[0].ModifyIndex;
  const b64 = (text) => Buffer.from(text).toString("base64");

"#;

/// Writes the test as a module of JavaScript.
pub(crate) fn write(test: &Test) -> String {
    let mut text = language::head::<JavaScript>(test, "javascript", RUN);
    text.push_str(&BEGIN.replace("OPTIONS", &options(&test.config)));
    text.push_str(&language::statements(&JavaScript, test));
    text + "  consul.free();\n});\n"
}

/// The options of the server that differ from the default, as an expression; empty if none does.
fn options(config: &Config) -> String {
    let default = Config::default();
    let mut options = Vec::new();
    if config.version != default.version {
        options.push(format!("version: \"{}\"", config.version.name()));
    }
    if config.node != default.node {
        options.push(format!("node: {}", double_quoted(config.node.as_str())));
    }
    if config.datacenter != default.datacenter {
        options.push(format!("datacenter: {}", double_quoted(&config.datacenter)));
    }
    if config.session_ttl_min != default.session_ttl_min {
        options.push(format!("sessionTtlMin: \"{}s\"", language::seconds(config.session_ttl_min)));
    }
    match options.as_slice() {
        [] => String::new(),
        options => format!("{{ {} }}", options.join(", ")),
    }
}

impl Language for JavaScript {
    const COMMENT: &'static str = "//";
    const INDENT: &'static str = "  ";
    const WORDS: [&'static str; 3] = ["null", "true", "false"];

    fn quoted(&self, text: &str) -> String {
        double_quoted(text)
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        format!("Buffer.from(\"{}\", \"base64\")", STANDARD.encode(bytes))
    }

    fn send(&self, request: &SendWords) -> String {
        let SendWords { method, target, body, headers, .. } = request;
        let header = |(name, value): &(String, String)| format!("[{name}, {value}]");
        let headers = match headers.iter().map(header).collect::<Vec<_>>() {
            headers if headers.is_empty() => String::new(),
            headers => format!(", [{}]", headers.join(", ")),
        };
        let body =
            if body == "\"\"" && headers.is_empty() { String::new() } else { format!(", {body}") };
        format!("answer = await send({method}, {target}{body}{headers});")
    }

    fn created(&self, variable: Option<&str>) -> String {
        match variable {
            Some(variable) => format!("const {variable} = created();"),
            None => "created();".into(),
        }
    }

    fn upper(&self, variable: &str, id: &str) -> String {
        format!("const {variable} = {id}.toUpperCase();")
    }

    fn status(&self, status: u16) -> String {
        format!("assert.equal(answer[0], {status}, answer[1]);")
    }

    fn text(&self, status: u16, text: &str) -> String {
        format!("expectText({status}, {text});")
    }

    fn json(&self, status: u16, json: &str) -> String {
        format!("expectJson({status}, {json});")
    }

    fn read_index(&self, variable: &str, target: &str) -> String {
        format!("const {variable} = await modifyIndex({target});")
    }

    fn pass(&self, span: Duration) -> String {
        format!("consul.advance(\"{}s\");", language::seconds(span))
    }

    fn fail_over(&self) -> String {
        "consul.failOver();".into()
    }
}
