//! Reads and writes the short form of a request: a method and a path, as in
//! `PUT /v1/kv/a?acquire=...`, with the body after it or on the following lines. Quotes in a body
//! have no meaning; it is sent as it is written.

use lictor_core::http::HttpRequest;

use super::assignment::{self, AssignedFrom};
use super::command::{AnswerParts, RequestTemplate};
use super::error::{CommandError, Unclosed};
use super::placeholders::{NameForm, Placeholders};
use super::shell::ADDRESS;
use super::text_cursor::{TextCursor, is_blank};
use super::token::Token;

const METHODS: [&str; 7] = ["GET", "PUT", "DELETE", "POST", "HEAD", "PATCH", "OPTIONS"];

/// Whether a command of this form starts here.
pub(super) fn is_here(cursor: &TextCursor<'_>) -> bool {
    let mut words = cursor.line().split(is_blank).filter(|word| !word.is_empty());
    let is_method =
        words.next().is_some_and(|word| METHODS.iter().any(|it| it.eq_ignore_ascii_case(word)));
    is_method && words.next().is_some_and(|word| word.contains(['/', '$', '<']))
}

/// Reads a command of this form up to its end.
pub(super) fn read(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
) -> Result<RequestTemplate, CommandError> {
    let method = cursor.take_while(|c| !is_blank(c)).to_ascii_uppercase();
    cursor.skip_blanks();
    let url = address(cursor, placeholders)?;
    cursor.skip_blanks();
    if cursor.line().starts_with("HTTP/1") {
        cursor.take_while(|c| c != '\n');
    }
    let lines = if matches!(method.as_str(), "GET" | "HEAD" | "DELETE") {
        Lines::OfOpenJson
    } else {
        Lines::All
    };
    let (body, awaits) = body(cursor, placeholders, lines)?;
    let shown = if method == "HEAD" { AnswerParts::Headers } else { AnswerParts::Body };
    Ok(RequestTemplate { body, shown, awaits, ..RequestTemplate::new(&method, url) })
}

/// A request in this form, without its headers.
pub fn http_text(request: &HttpRequest) -> String {
    let line = format!("{} {}", request.method, request.target);
    let body = String::from_utf8_lossy(&request.body);
    let gap = if body.contains('\n') { "\n" } else { " " };
    if body.is_empty() { line } else { format!("{line}{gap}{body}") }
}

/// The lines after the first one that belong to the body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// Up to the end of JSON that the first line begins.
    OfOpenJson,
    /// The same and, if the first line has no body, all up to a blank line or the next command.
    All,
}

/// Reads the address. Quotes around it are removed, as people add them for a shell.
fn address(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
) -> Result<Token, CommandError> {
    let start = cursor.at();
    let quote = cursor.peek().filter(|c| matches!(c, '"' | '\''));
    if quote.is_some() {
        cursor.step();
    }
    let text = masked(cursor, placeholders, |c| Some(c) == quote || is_blank(c) || c == '\n')?;
    let span = start..cursor.at();
    if quote.is_some() && cursor.peek() == quote {
        cursor.step();
    }
    Ok(Token { text, span })
}

/// Reads the body, and what it seems to lack: closing brackets or, at the end of the input, the
/// line after a backslash. It is sent unchanged: the server refuses a malformed body.
fn body(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    lines: Lines,
) -> Result<(String, Option<Unclosed>), CommandError> {
    let awaits_line = (cursor.line().trim_end() == "\\").then_some(Unclosed::Line);
    if awaits_line.is_some() {
        cursor.step();
        cursor.skip_blanks();
    }
    let mut brackets = Brackets::default();
    let mut body = line(cursor, placeholders, &mut brackets)?;
    let takes_lines = lines == Lines::All && body.is_empty();
    loop {
        let is_open = brackets.are_open();
        let mut ahead = cursor.clone();
        let is_last = !ahead.eat("\n");
        let belongs = is_open || takes_lines && !ahead.line().trim().is_empty();
        if is_last || !belongs || starts_a_command(&ahead) {
            let unclosed = match awaits_line {
                _ if is_open => Some(Unclosed::Bracket),
                Some(line) if is_last && body.is_empty() => Some(line),
                _ => None,
            };
            return Ok((body, unclosed));
        }
        *cursor = ahead;
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&line(cursor, placeholders, &mut brackets)?);
    }
}

fn starts_a_command(cursor: &TextCursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.skip_blanks();
    if ahead.rest().starts_with("$ ") {
        return true;
    }
    let is_curl = ahead.rest().strip_prefix("curl").is_some_and(|rest| rest.starts_with(is_blank));
    // `name=value` may be a line of a body, so only an assignment of an answer is a command.
    let assigns_answer = assignment::assignment(&mut ahead.clone())
        .is_some_and(|it| it.source != AssignedFrom::Value);
    is_curl || assigns_answer || is_here(&ahead)
}

/// The rest of a line without the blanks at its end.
fn line(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    brackets: &mut Brackets,
) -> Result<String, CommandError> {
    brackets.take(cursor.line());
    let mut text = masked(cursor, placeholders, |c| c == '\n')?;
    text.truncate(text.trim_end_matches(is_blank).len());
    Ok(text)
}

/// The text up to a terminating character, with a slot for each name. After `v1/`, `{name}` is a
/// name, too.
fn masked(
    cursor: &mut TextCursor<'_>,
    placeholders: &mut Placeholders,
    ends: impl Fn(char) -> bool,
) -> Result<String, CommandError> {
    let mut text = String::new();
    let mut is_in_path = false;
    while let Some(c) = cursor.peek().filter(|c| !ends(*c)) {
        let place = cursor.at();
        let form = if c == '$' { NameForm::Shell } else { NameForm::Guide };
        is_in_path |= text.ends_with(ADDRESS);
        let braced = if is_in_path { cursor.braced_name() } else { None };
        if let Some((name, span)) = braced.or_else(|| cursor.name()) {
            text.push(placeholders.name(name, form, span)?);
        } else {
            cursor.step();
            text.push(placeholders.plain(c, place)?);
        }
    }
    Ok(text)
}

/// The brackets and strings of a JSON text that is read piece by piece.
#[derive(Default)]
struct Brackets {
    is_json: Option<bool>,
    depth: i32,
    is_text: bool,
    is_escaped: bool,
}

impl Brackets {
    fn take(&mut self, text: &str) {
        for c in text.chars() {
            if self.is_json.is_none() && !c.is_whitespace() {
                self.is_json = Some(matches!(c, '{' | '['));
            }
            match c {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' => self.is_escaped = self.is_text,
                '"' => self.is_text = !self.is_text,
                '{' | '[' if !self.is_text => self.depth += 1,
                '}' | ']' if !self.is_text => self.depth -= 1,
                _ => {}
            }
        }
    }

    /// Whether the text begins as JSON does and has opened more brackets than it has closed.
    fn are_open(&self) -> bool {
        self.is_json == Some(true) && self.depth > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(text: &str) -> Result<(String, String, String, String), CommandError> {
        let mut placeholders = Placeholders::default();
        let mut cursor = TextCursor::new(text);
        assert!(is_here(&cursor), "{text}");
        let draft = read(&mut cursor, &mut placeholders)?;
        let rest = cursor.rest().to_owned();
        Ok((
            draft.method,
            placeholders.source_text(&draft.url.text),
            placeholders.source_text(&draft.body),
            rest,
        ))
    }

    #[test]
    fn the_body_follows_the_address_or_is_on_the_next_lines() {
        for (text, url, body, rest) in [
            (
                "PUT /v1/kv/a?acquire=<session> it's  mine \n",
                "/v1/kv/a?acquire=<session>",
                "it's  mine",
                "\n",
            ),
            ("PUT /v1/kv/a\none\n two\n\nthree", "/v1/kv/a", "one\n two", "\n\nthree"),
            ("PUT /v1/kv/a\none\ncurl x", "/v1/kv/a", "one", "\ncurl x"),
            ("PUT /v1/kv/a x\ny", "/v1/kv/a", "x", "\ny"),
            ("PUT /v1/kv/a \\\nx", "/v1/kv/a", "x", ""),
            ("PUT /v1/x {\n\n\"a\": \"}\"\n}\ny", "/v1/x", "{\n\n\"a\": \"}\"\n}", "\ny"),
            ("PUT \"/v1/kv/a?x\" HTTP/1.1\r\n", "/v1/kv/a?x", "", "\n"),
            ("PUT /v1/kv/a", "/v1/kv/a", "", ""),
        ] {
            let expected = ("PUT".into(), url.into(), body.into(), rest.into());
            assert_eq!(read_one(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_time_for_a_body_grows_with_its_length() {
        let body = "x".repeat(500_000);
        let read = read_one(&format!("PUT /v1/kv/a {body}"));
        assert!(read.is_ok_and(|(_, _, read, _)| read == body));
    }

    #[test]
    fn a_request_that_was_read_is_written_as_the_same_text() {
        for text in ["GET /v1/kv/a?raw", "PUT /v1/kv/a x y", "PUT /v1/kv/a\none\ntwo"] {
            let (method, target, body, _) = read_one(text).expect("well formed");
            let body = body.into_bytes();
            let request = HttpRequest { method, target, headers: vec![], body };
            assert_eq!(http_text(&request), text);
        }
    }

    #[test]
    fn a_read_has_no_body_lines() {
        let expected = ("GET".into(), "/v1/kv/a?recurse".into(), String::new(), "\nx".into());
        assert_eq!(read_one("get /v1/kv/a?recurse\nx"), Ok(expected));
    }

    #[test]
    fn an_unfinished_body_continues_on_the_next_line() {
        for (text, body, awaits) in [
            ("PUT /v1/x {", "{", Some(Unclosed::Bracket)),
            ("PUT /v1/x {\n\nGET /y", "{\n", Some(Unclosed::Bracket)),
            ("PUT /v1/x \\", "", Some(Unclosed::Line)),
            ("PUT /v1/x {}", "{}", None),
        ] {
            let draft = read(&mut TextCursor::new(text), &mut Placeholders::default())
                .expect("well formed");
            assert_eq!((draft.body.as_str(), draft.awaits), (body, awaits), "{text}");
        }
    }
}
