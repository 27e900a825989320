//! A test in bash with curl and jq, against a real agent or one with a manual clock.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::language::{self, Language, SendWords};
use crate::steps::Test;
use crate::template::{Json, Part, Template};

struct Bash;

pub(crate) const NEEDS: &str = "It needs curl and jq, and `lictor-agent --clock manual`, or a \
                                Consul that has none of its keys, at CONSUL_HTTP_ADDR.";

const BEGIN: &str = r#"set -euo pipefail

agent=${CONSUL_HTTP_ADDR:-127.0.0.1:8500}

fail() { # WHY
  echo "$0: line ${BASH_LINENO[1]}: $1" >&2
  exit 1
}

# Sets status and body to those of the answer.
send() { # METHOD TARGET BODY [HEADER]...
  local content=$3
  exchange "$1" "$2" "${@:4}" < <(printf %s "$content")
}

send_base64() { # METHOD TARGET BODY [HEADER]...
  local content=$3
  exchange "$1" "$2" "${@:4}" < <(printf %s "$content" | base64 -d)
}

exchange() { # METHOD TARGET [HEADER]...
  local header answer options=(-sS -g --path-as-is --max-time 30)
  options+=(-X "$1" -H Content-Type: --data-binary @-)
  for header in "${@:3}"; do options+=(-H "$header"); done
  answer=$(curl "${options[@]}" -w '\n%{http_code}' "$agent$2" | tr -d '\0')
  status=${answer##*$'\n'}
  body=$(printf %s "${answer%$'\n'*}")
}

# The agent's manual clock advances; without one, time passes.
let_pass() { # SECONDS
  curl -sf -o /dev/null -X PUT "$agent/lictor/clock?advance=${1}s" || sleep "$1"
}

fail_over() {
  curl -sf -o /dev/null -X PUT "$agent/lictor/failover" ||
    fail "another leader needs lictor-agent --clock manual"
}

expect_status() { # STATUS
  [ "$status" = "$1" ] || fail "$status $body, not $1"
}

expect_text() { # STATUS BODY
  [ "$status $body" = "$1 $2" ] || fail "$status $body, not $1 $2"
}

expect_json() { # STATUS JSON
  [ "$status" = "$1" ] || fail "$status $body, not $1"
  [ "$(tidy "$body")" = "$(tidy "$2")" ] || fail "$(tidy "$body"), not $(tidy "$2")"
}

# The value without what differs from server to server, its lists in one order.
tidy() { # JSON
  jq -cS 'def tidy: if type == "array" then map(tidy) | sort
    elif type == "object" then del(.CreateIndex, .ModifyIndex, .Node) | map_values(tidy)
    else . end; tidy' <<<"$1"
}

# Gives a variable the id of a new session.
created() { # VARIABLE
  [ "$status" = 200 ] || fail "$status $body"
  printf -v "$1" %s "$(jq -er .ID <<<"$body")"
}

modify_index() { # VARIABLE TARGET
  send GET "$2" ''
  printf -v "$1" %s "$(jq -er '.[0].ModifyIndex' <<<"$body")"
}

b64() { printf %s "$1" | base64 | tr -d '\n'; }

"#;

/// Writes the test as a script.
pub(crate) fn write(test: &Test) -> String {
    let flags = flags(test);
    let run = format!(
        "It needs curl and jq, and an agent without these keys at CONSUL_HTTP_ADDR \
         (127.0.0.1:8500). With a real agent it takes as long as the world; an answer at the very \
         moment of an end may then come too early. `lictor-agent --clock manual{flags}` takes no \
         time."
    );
    let mut text = String::from("#!/usr/bin/env bash\n");
    text.push_str(&language::head::<Bash>(test, "bash", &run));
    text.push_str(BEGIN);
    text.push_str(&language::statements(&Bash, test));
    text + "echo 'The server gives the answers of the world.'\n"
}

impl Bash {
    /// Appends a JSON value as it is written between single quotes: for each variable the quotes
    /// are interrupted.
    fn json_text(&self, value: &Json, text: &mut String) {
        let quoted = |text: &str| inside_quotes(&serde_json::Value::from(text).to_string());
        match value {
            Json::Null => text.push_str("null"),
            Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => text.push_str(number),
            Json::Text(template) => {
                text.push('"');
                for part in &template.0 {
                    match part {
                        Part::Text(part) => {
                            let quoted = quoted(part);
                            text.push_str(&quoted[1..quoted.len() - 1]);
                        }
                        Part::Variable(variable) => {
                            text.push_str(&format!("'\"${}\"'", variable.name()));
                        }
                    }
                }
                text.push('"');
            }
            Json::Base64(template) => {
                let value = language::template(self, template);
                text.push_str(&format!("\"'\"$(b64 {value})\"'\""));
            }
            Json::List(list) => self.json_parts(('[', ']'), list, text, |value, text| {
                self.json_text(value, text);
            }),
            Json::Object(members) => {
                self.json_parts(('{', '}'), members, text, |(name, value), text| {
                    text.push_str(&format!("{}: ", quoted(name)));
                    self.json_text(value, text);
                });
            }
        }
    }

    fn json_parts<T>(
        &self,
        (open, close): (char, char),
        parts: &[T],
        text: &mut String,
        write: impl Fn(&T, &mut String),
    ) {
        text.push(open);
        for (number, part) in parts.iter().enumerate() {
            text.push_str(if number > 0 { ", " } else { "" });
            write(part, text);
        }
        text.push(close);
    }
}

/// What follows `--clock manual` in the command that starts the agent of a test.
pub(crate) fn flags(test: &Test) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let word = |flag: &String| {
        if flag.chars().all(is_plain) { format!(" {flag}") } else { format!(" {}", quoted(flag)) }
    };
    test.agent_flags().iter().map(word).collect()
}

/// A text as one word of the shell, in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", inside_quotes(text))
}

/// A text as it is written between single quotes.
fn inside_quotes(text: &str) -> String {
    text.replace('\'', "'\\''")
}

impl Language for Bash {
    const COMMENT: &'static str = "#";
    const INDENT: &'static str = "";
    const WORDS: [&'static str; 3] = ["null", "true", "false"];

    fn quoted(&self, text: &str) -> String {
        quoted(text)
    }

    fn bytes(&self, bytes: &[u8]) -> String {
        self.quoted(&STANDARD.encode(bytes))
    }

    fn joined(&self, template: &Template) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => self.quoted(text),
            Part::Variable(variable) => format!("\"${}\"", variable.name()),
        };
        template.0.iter().map(part).collect()
    }

    fn value(&self, value: &Json) -> String {
        let mut text = String::new();
        self.json_text(value, &mut text);
        format!("'{text}'")
    }

    fn send(&self, request: &SendWords) -> String {
        let SendWords { method, target, body, is_binary, headers } = request;
        let header = |(name, value): &(String, String)| format!(" {name}': '{value}");
        let headers: String = headers.iter().map(header).collect();
        let send = if *is_binary { "send_base64" } else { "send" };
        format!("{send} {method} {target} {body}{headers}")
    }

    fn created(&self, variable: Option<&str>) -> String {
        format!("created {}", variable.unwrap_or("_id"))
    }

    fn upper(&self, variable: &str, id: &str) -> String {
        format!("{variable}=$(tr a-f A-F <<<\"${id}\")")
    }

    fn status(&self, status: u16) -> String {
        format!("expect_status {status}")
    }

    fn text(&self, status: u16, text: &str) -> String {
        format!("expect_text {status} {text}")
    }

    fn json(&self, status: u16, json: &str) -> String {
        format!("expect_json {status} {json}")
    }

    fn read_index(&self, variable: &str, target: &str) -> String {
        format!("modify_index {variable} {target}")
    }

    fn pass(&self, span: Duration) -> String {
        format!("let_pass {}", language::seconds(span))
    }

    fn fail_over(&self) -> String {
        "fail_over".into()
    }
}
