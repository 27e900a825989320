//! A test in Python against a real agent or one with a manual clock; it needs no packages.

use std::time::Duration;

use crate::bash;
use crate::language::{self, Language, SendWords, double_quoted};
use crate::steps::Test;

struct Python;

pub(crate) const NEEDS: &str = "Run it with pytest or python3. It needs `lictor-agent --clock \
                                manual`, or a Consul that has none of its keys, at \
                                CONSUL_HTTP_ADDR.";

const BEGIN: &str = r#"import base64
import http.client
import json
import os
import time

AGENT = os.environ.get("CONSUL_HTTP_ADDR", "127.0.0.1:8500").removeprefix("http://")


def send(method, target, body="", headers=None):
    """The status and the body of the answer."""
    connection = http.client.HTTPConnection(AGENT)
    body = body.encode() if isinstance(body, str) else body
    connection.request(method, target, body, headers or {})
    answer = connection.getresponse()
    text = answer.read().decode(errors="replace").rstrip("\n")
    connection.close()
    return answer.status, text


def let_pass(seconds):
    """The agent's manual clock advances; without one, time passes."""
    if send("PUT", f"/lictor/clock?advance={seconds}s")[0] != 200:
        time.sleep(float(seconds))


def fail_over():
    assert send("PUT", "/lictor/failover")[0] == 200, "it needs lictor-agent --clock manual"


def expect_text(answer, status, text):
    assert answer == (status, text)


def expect_json(answer, status, value):
    assert answer[0] == status, answer
    assert tidy(json.loads(answer[1])) == tidy(value)


def created(answer):
    """The id of a new session."""
    assert answer[0] == 200, answer
    return json.loads(answer[1])["ID"]


def modify_index(target):
    return str(json.loads(send("GET", target)[1])[0]["ModifyIndex"])


def tidy(value):
    """The value without what differs from server to server, its lists in one order."""
    if isinstance(value, list):
        return sorted(map(tidy, value), key=lambda it: json.dumps(it, sort_keys=True))
    if isinstance(value, dict):
        differs = ("CreateIndex", "ModifyIndex", "Node")
        return {name: tidy(it) for name, it in value.items() if name not in differs}
    return value


def b64(text):
    return base64.b64encode(text.encode()).decode()


def test_world():
"#;

const END: &str = r#"

if __name__ == "__main__":
    test_world()
"#;

/// Writes the test as a file of Python.
pub(crate) fn write(test: &Test) -> String {
    let flags = bash::flags(test);
    let run = format!(
        "Run it with pytest or python3 against `lictor-agent --clock manual{flags}`, or in real \
         time against a Consul without these keys, at CONSUL_HTTP_ADDR."
    );
    let mut text = language::head::<Python>(test, "python", &run);
    text.push_str(BEGIN);
    text.push_str(&language::statements(&Python, test));
    text + END
}

impl Language for Python {
    const COMMENT: &'static str = "#";
    const INDENT: &'static str = "    ";
    const WORDS: [&'static str; 3] = ["None", "True", "False"];

    fn quoted(&self, text: &str) -> String {
        double_quoted(text)
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        let bytes: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("b\"{bytes}\"")
    }

    fn send(&self, request: &SendWords) -> String {
        let SendWords { method, target, body, headers, .. } = request;
        let header = |(name, value): &(String, String)| format!("{name}: {value}");
        let headers = match headers.iter().map(header).collect::<Vec<_>>() {
            headers if headers.is_empty() => String::new(),
            headers => format!(", {{{}}}", headers.join(", ")),
        };
        let body =
            if body == "\"\"" && headers.is_empty() { String::new() } else { format!(", {body}") };
        format!("answer = send({method}, {target}{body}{headers})")
    }

    fn created(&self, variable: Option<&str>) -> String {
        match variable {
            Some(variable) => format!("{variable} = created(answer)"),
            None => "created(answer)".into(),
        }
    }

    fn upper(&self, variable: &str, id: &str) -> String {
        format!("{variable} = {id}.upper()")
    }

    fn status(&self, status: u16) -> String {
        format!("assert answer[0] == {status}, answer")
    }

    fn text(&self, status: u16, text: &str) -> String {
        format!("expect_text(answer, {status}, {text})")
    }

    fn json(&self, status: u16, json: &str) -> String {
        format!("expect_json(answer, {status}, {json})")
    }

    fn read_index(&self, variable: &str, target: &str) -> String {
        format!("{variable} = modify_index({target})")
    }

    fn pass(&self, span: Duration) -> String {
        format!("let_pass(\"{}\")", language::seconds(span))
    }

    fn fail_over(&self) -> String {
        "fail_over()".into()
    }
}
