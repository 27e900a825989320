//! Writes a test in a programming language: the statements in their order, expressions for texts
//! and JSON, and the comment at its head. The trait `Language` supplies what differs between
//! languages.

use std::time::Duration;

use crate::steps::{Answer, Body, RequestStep, Step, Test};
use crate::template::{Json, Part, Template, Variable};

/// The width at which comments are wrapped, without their indentation.
const COLUMNS: usize = 99;

/// A language in which a test can be written.
pub(crate) trait Language {
    /// What precedes a line of a comment.
    const COMMENT: &'static str;
    /// What precedes a statement.
    const INDENT: &'static str;
    /// The operator that joins texts.
    const PLUS: &'static str = " + ";
    /// The words for no value, true and false.
    const WORDS: [&'static str; 3];

    /// A text as a literal.
    fn quoted(&self, text: &str) -> String;

    /// Bytes as an expression of the type of bodies.
    fn bytes(&self, bytes: &[u8]) -> String;

    /// A text with variables, of which there is at least one, as an expression.
    fn joined(&self, template: &Template) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => self.quoted(text),
            Part::Variable(variable) => variable.name(),
        };
        template.0.iter().map(part).collect::<Vec<_>>().join(Self::PLUS)
    }

    /// The base64 of an expression.
    fn base64(&self, text: &str) -> String {
        format!("b64({text})")
    }

    /// A number of JSON, which has its digits as text, as an expression.
    fn number(&self, number: &str) -> String {
        number.into()
    }

    /// Expressions as an expression for a list.
    fn list(&self, items: &[String]) -> String {
        format!("[{}]", items.join(", "))
    }

    fn object(&self, members: &[String]) -> String {
        format!("{{{}}}", members.join(", "))
    }

    /// JSON as an expression.
    fn value(&self, value: &Json) -> String
    where
        Self: Sized,
    {
        json(self, value)
    }

    /// A statement that sends a request and keeps its answer for the assertions after it.
    fn send(&self, request: &SendWords) -> String;

    /// A statement that gives a variable the value of a new id; without a variable it asserts that
    /// there is an id.
    fn created(&self, variable: Option<&str>) -> String;

    /// A statement that gives a variable the value of another one in upper case.
    fn upper(&self, variable: &str, id: &str) -> String;

    /// A statement that asserts the status of the answer.
    fn status(&self, status: u16) -> String;

    /// A statement that asserts the status and the text of the answer; `text` is an expression.
    fn text(&self, status: u16, text: &str) -> String;

    /// A statement that asserts the status and the JSON of the answer; `json` is an expression.
    fn json(&self, status: u16, json: &str) -> String;

    /// A statement that gives a variable the `ModifyIndex` of a key.
    fn read_index(&self, variable: &str, target: &str) -> String;

    /// A statement that lets time pass.
    fn pass(&self, span: Duration) -> String;

    /// A statement that makes another server the leader.
    fn fail_over(&self) -> String;
}

/// A request as expressions.
pub(crate) struct SendWords {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) body: String,
    /// Whether the body is an expression for bytes.
    pub(crate) is_binary: bool,
    /// Names and values.
    pub(crate) headers: Vec<(String, String)>,
}

/// The statements of a test.
pub(crate) fn statements<L: Language>(language: &L, test: &Test) -> String {
    let mut lines: Vec<String> = Vec::new();
    for step in &test.steps {
        match step {
            Step::Pass(span) => lines.push(language.pass(*span)),
            Step::Note(text) => lines.extend(comment(L::COMMENT, text)),
            Step::Failover => lines.push(language.fail_over()),
            Step::ReadIndex { target, index } => {
                let variable = Variable::Index(*index);
                if test.uses(variable) {
                    let target = template(language, target);
                    lines.push(language.read_index(&variable.name(), &target));
                }
            }
            Step::Request(request) => {
                lines.extend(comment(L::COMMENT, &format!("{} {}", request.at, request.sender)));
                lines.extend(exchange(language, test, request));
            }
        }
    }
    let indented = |line: String| {
        if line.is_empty() { "\n".to_owned() } else { format!("{}{line}\n", L::INDENT) }
    };
    lines.into_iter().map(indented).collect()
}

/// The statements that send a request and assert its answer.
fn exchange<L: Language>(language: &L, test: &Test, request: &RequestStep) -> Vec<String> {
    let (body, is_binary) = match &request.body {
        Body::Text(text) => (template(language, text), false),
        Body::Bytes(bytes) => (language.bytes(bytes), true),
    };
    let header =
        |(name, value): &(String, Template)| (language.quoted(name), template(language, value));
    let words = SendWords {
        method: language.quoted(&request.method),
        target: template(language, &request.target),
        body,
        is_binary,
        headers: request.headers.iter().map(header).collect(),
    };
    let mut lines = vec![language.send(&words)];
    match &request.answer {
        Answer::Unknown => lines.extend(comment(
            L::COMMENT,
            "Not asserted: the answer in the world depends on more than these requests.",
        )),
        Answer::Status(status) => lines.push(language.status(*status)),
        Answer::Text(status, text) => {
            lines.push(language.text(*status, &template(language, text)));
        }
        Answer::Json(status, value) => lines.push(language.json(*status, &language.value(value))),
        Answer::Created(number) => {
            let variable = Variable::Id(*number);
            let upper = Variable::UpperId(*number);
            let is_used = test.uses(variable) || test.uses(upper);
            let name = is_used.then(|| variable.name());
            lines.push(language.created(name.as_deref()));
            if test.uses(upper) {
                lines.push(language.upper(&upper.name(), &variable.name()));
            }
        }
    }
    lines
}

/// A text as an expression.
pub(crate) fn template<L: Language>(language: &L, template: &Template) -> String {
    match template.0.as_slice() {
        [] => language.quoted(""),
        [Part::Text(text)] => language.quoted(text),
        _ => language.joined(template),
    }
}

/// JSON as an expression.
fn json<L: Language>(language: &L, value: &Json) -> String {
    let [null, yes, no] = L::WORDS;
    match value {
        Json::Null => null.into(),
        Json::Bool(true) => yes.into(),
        Json::Bool(false) => no.into(),
        Json::Number(number) => language.number(number),
        Json::Text(text) => template(language, text),
        Json::Base64(text) => language.base64(&template(language, text)),
        Json::List(list) => {
            let items: Vec<_> = list.iter().map(|value| json(language, value)).collect();
            language.list(&items)
        }
        Json::Object(members) => {
            let member = |(name, value): &(String, Json)| {
                format!("{}: {}", language.quoted(name), json(language, value))
            };
            language.object(&members.iter().map(member).collect::<Vec<_>>())
        }
    }
}

/// A text in double quotes as JSON, Python, JavaScript and Go read it. Invisible characters are
/// escaped, too.
pub(crate) fn double_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            _ if is_invisible(character) => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

/// Control characters, and those that break lines, turn the direction of a text or have no width.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A text as lines of a comment, wrapped at 99 columns. No text can end the comment: invisible
/// characters are replaced, and line breaks are among them.
pub(crate) fn comment(mark: &str, text: &str) -> Vec<String> {
    let replaced = |character: char| if is_invisible(character) { '\u{fffd}' } else { character };
    let text: String = text.chars().map(replaced).collect();
    let mut lines = vec![mark.to_owned()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        if line.len() > mark.len() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            lines.push(format!("{mark} {word}"));
        } else {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines
}

/// The comment at the beginning of a test: what it is, and how to run it. `name` is that of the
/// language in the command.
pub(crate) fn head<L: Language>(test: &Test, name: &str, run: &str) -> String {
    let mut sentences = format!(
        "A test that reproduces a world of Lictor, written by `lictor-agent export {name}`. \
         It sends what reached the server of that world, in the same order and after the same \
         times, and asserts the answers; times count from the beginning of the world. s1, s2 and \
         so on are the sessions in the order in which they are created. Indexes and the names of \
         nodes are not compared, nor are objects and lists in answers that are not about keys, \
         sessions or transactions. What happens between clients and the server (a cut, a lost \
         answer, a paused process) is only in comments. A blocking query is sent without waiting \
         when its answer is due, and one without an answer is left out, as are requests about a \
         client's own agent."
    );
    if test.has_nodes {
        sentences.push_str(
            " The nodes of the clients are registered in the catalog, from which a real Consul \
             removes nodes without an agent after a while.",
        );
    }
    let paragraphs = [sentences.as_str(), run].map(|text| comment(L::COMMENT, text).join("\n"));
    paragraphs.join(&format!("\n{}\n", L::COMMENT)) + "\n"
}

/// A span in seconds, exact and without a unit: `19.75`.
pub(crate) fn seconds(span: Duration) -> String {
    let (whole, nanos) = (span.as_secs(), span.subsec_nanos());
    match nanos {
        0 => whole.to_string(),
        _ => format!("{whole}.{}", format!("{nanos:09}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts made of characters that have a meaning in one of the languages.
    fn odd_texts() -> impl Iterator<Item = String> {
        let parts = [
            "'",
            "\"",
            "\\",
            "$",
            "${x}",
            "`",
            "\n",
            "\r",
            "\t",
            "{",
            "}",
            "%s",
            "#",
            "//",
            "*/",
            "é",
            "锁",
            "\u{2028}",
            "\u{202e}",
            "\u{feff}",
            "\u{7f}",
            "\u{1}",
            "\u{10ffff}",
            "a",
            " ",
        ];
        let mut state = 1_usize;
        let mut next = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 33) % below
        };
        (0..2_000).map(move |_| (0..next(12)).map(|_| parts[next(parts.len())]).collect())
    }

    #[test]
    fn a_text_in_double_quotes_is_read_as_itself() {
        for text in odd_texts() {
            let quoted = double_quoted(&text);
            assert_eq!(serde_json::from_str::<String>(&quoted).ok(), Some(text), "{quoted}");
            assert!(!quoted.contains(is_invisible), "{quoted}");
        }
    }

    #[test]
    fn a_comment_stays_a_comment() {
        for text in odd_texts() {
            for line in comment("//", &text) {
                assert!(line.starts_with("//") && !line.contains(is_invisible), "{line:?}");
            }
        }
        assert_eq!(comment("#", &"word ".repeat(30)).len(), 2);
    }

    #[test]
    fn a_span_in_seconds_is_exact() {
        for (nanos, text) in [(0, "0"), (1, "0.000000001"), (19_750_000_000, "19.75")] {
            assert_eq!(seconds(Duration::from_nanos(nanos)), text);
        }
    }

    #[test]
    fn a_text_for_a_shell_or_for_rust_is_read_as_itself() {
        for text in odd_texts() {
            let shell = crate::bash::quoted(&text);
            let inside = shell.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
            let parts: Vec<&str> = inside.expect("it is in quotes").split("'\\''").collect();
            assert!(parts.iter().all(|part| !part.contains('\'')), "{shell}");
            assert_eq!(parts.join("'"), text);
            // In a literal of Rust, quotes and control characters are escaped.
            let rust = crate::rust::quoted(&text);
            let mut rest = rust[1..rust.len() - 1].chars();
            let mut read = String::new();
            while let Some(character) = rest.next() {
                assert!(character != '"' && !character.is_control(), "{rust}");
                read.push(match character {
                    '\\' => match rest.next().expect("an escape has a character") {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => {
                            let digits: String =
                                rest.by_ref().take_while(|it| *it != '}').collect();
                            let code = u32::from_str_radix(digits.trim_start_matches('{'), 16);
                            code.ok().and_then(char::from_u32).expect("a character")
                        }
                        other => other,
                    },
                    _ => character,
                });
            }
            assert_eq!(read, text);
        }
    }
}
