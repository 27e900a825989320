//! Reads and writes a request as HTTP: a method and a path, as in `PUT /v1/kv/a?acquire=...`, with
//! the body after it or on the following lines, or with headers and a blank line before the body.
//! Quotes in a body have no meaning; it is sent as it is written.

use lictor_core::http::HttpRequest;

use super::error::{CommandError, ErrorKind, Unclosed};
use super::request::{AnswerParts, RequestTemplate};
use super::text_cursor::{TextCursor, is_blank, is_of_name, starts_a_name};
use super::word::{ADDRESS, Expansion, Part, Word};

const METHODS: [&str; 7] = ["GET", "PUT", "DELETE", "POST", "HEAD", "PATCH", "OPTIONS"];
/// The most headers of a request.
const HEADERS_MAX: usize = 64;
/// Headers about the connection, which the sandbox does not have.
const OF_CONNECTION: [&str; 4] = ["host", "connection", "content-length", "transfer-encoding"];
/// The beginnings of headers after a line without a version, where a body may follow at once.
const KNOWN_HEADERS: [&str; 7] =
    ["host:", "content-", "x-", "accept", "authorization:", "user-agent:", "cache-control:"];
/// What separates the requests of a file for an editor.
const SEPARATOR: &str = "###";

/// A request in this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpLine {
    method: String,
    url: Word,
    headers: Vec<(String, Word)>,
    body: Word,
    awaits: Option<Unclosed>,
}

/// Whether a request of this form starts here.
pub(super) fn is_here(cursor: &TextCursor<'_>) -> bool {
    let mut words = cursor.line().split(is_blank).filter(|word| !word.is_empty());
    let is_method =
        words.next().is_some_and(|word| METHODS.iter().any(|it| it.eq_ignore_ascii_case(word)));
    is_method && words.next().is_some_and(|word| word.contains(['/', '$', '<']))
}

/// Reads a request up to its end. `is_of_file` is whether it is one of a file for an editor, in
/// which a blank line precedes each body.
pub(super) fn read(
    cursor: &mut TextCursor<'_>,
    is_of_file: bool,
) -> Result<HttpLine, CommandError> {
    let method = cursor.take_while(|c| !is_blank(c)).to_ascii_uppercase();
    cursor.skip_blanks();
    let url = address(cursor);
    cursor.skip_blanks();
    let has_version = cursor.line().starts_with("HTTP/");
    if has_version {
        cursor.take_while(|c| c != '\n');
    }
    let has_body = !matches!(method.as_str(), "GET" | "HEAD" | "DELETE");
    let is_line_over = cursor.line().trim().is_empty();
    let headers = if is_line_over { headers(cursor, has_version)? } else { Vec::new() };
    let is_after_blank = has_version || is_of_file || !headers.is_empty();
    let (body, awaits) = if is_line_over && is_after_blank {
        if has_body { (body_after_blank(cursor), None) } else { (Word::default(), None) }
    } else {
        body(cursor, has_body)
    };
    Ok(HttpLine { method, url, headers, body, awaits })
}

impl HttpLine {
    /// The request with the values of an expansion.
    pub(super) fn template(&self, expansion: &mut Expansion<'_>) -> RequestTemplate {
        let mut template = RequestTemplate::new(&self.method, expansion.token(&self.url));
        let headers =
            self.headers.iter().map(|(name, value)| (name.clone(), expansion.token(value).text));
        template.headers = headers.filter(|(_, value)| !value.is_empty()).collect();
        template.body = expansion.token(&self.body).text;
        template.awaits = self.awaits;
        if self.method == "HEAD" {
            template.sending.shown = AnswerParts::Headers;
        }
        template
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &Word> {
        let headers = self.headers.iter().map(|(_, value)| value);
        [&self.url].into_iter().chain(headers).chain([&self.body])
    }
}

/// Consumes a line `@name = value` of a file for an editor, and returns the name and the value.
pub(super) fn variable(cursor: &mut TextCursor<'_>) -> Option<(String, Word)> {
    let mut ahead = cursor.clone();
    let is_here = ahead.eat("@");
    let name = ahead.take_while(|c| is_of_name(c) || c == '-').to_owned();
    ahead.skip_blanks();
    if !is_here || !starts_a_name(&name) || !ahead.eat("=") {
        return None;
    }
    ahead.skip_blanks();
    let mut value = word(&mut ahead, |c| c == '\n');
    trim_end(&mut value);
    *cursor = ahead;
    Some((name, value))
}

/// A request in this form, without its headers.
pub fn http_text(request: &HttpRequest) -> String {
    let line = format!("{} {}", request.method, request.target);
    let body = String::from_utf8_lossy(&request.body);
    let gap = if body.contains('\n') { "\n" } else { " " };
    if body.is_empty() { line } else { format!("{line}{gap}{body}") }
}

/// Reads the address. Quotes around it are removed, as people add them for a shell.
fn address(cursor: &mut TextCursor<'_>) -> Word {
    let quote = cursor.peek().filter(|c| matches!(c, '"' | '\''));
    if quote.is_some() {
        cursor.step();
    }
    let text = word(cursor, |c| Some(c) == quote || is_blank(c) || c == '\n');
    if quote.is_some() && cursor.peek() == quote {
        cursor.step();
    }
    text
}

/// Reads the lines of headers below the request line, at the end of which the cursor is. Fails if
/// they are malformed.
fn headers(
    cursor: &mut TextCursor<'_>,
    has_version: bool,
) -> Result<Vec<(String, Word)>, CommandError> {
    let mut ahead = cursor.clone();
    ahead.skip_line();
    let first = ahead.line().to_ascii_lowercase();
    let is_header = has_version && first.contains(':') && !first.starts_with(['{', '[', '"'])
        || KNOWN_HEADERS.iter().any(|known| first.starts_with(known) && first.contains(':'));
    if !is_header {
        return Ok(Vec::new());
    }
    let start = ahead.at();
    let mut block = String::new();
    let mut lines = Vec::new();
    while !ahead.line().trim().is_empty() && !ends_here(&ahead) {
        let line_start = ahead.at();
        block += &format!("{}\r\n", ahead.line().trim_end());
        let value = ahead.line().find(':').map_or(0, |colon| colon + 1);
        lines.push(line_start + value);
        ahead.skip_line();
    }
    block += "\r\n";
    let mut parsed = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let refused = || CommandError::new(ErrorKind::Header, start..ahead.at());
    let Ok(httparse::Status::Complete((_, parsed))) =
        httparse::parse_headers(block.as_bytes(), &mut parsed)
    else {
        return Err(refused());
    };
    let mut headers = Vec::new();
    let mut places = cursor.clone();
    for (header, value_at) in parsed.iter().zip(lines) {
        places.move_to(value_at);
        places.skip_blanks();
        let mut value = word(&mut places, |c| c == '\n' || c == '\r');
        trim_end(&mut value);
        if !OF_CONNECTION.iter().any(|it| it.eq_ignore_ascii_case(header.name)) {
            headers.push((header.name.to_owned(), value));
        }
    }
    // The cursor stays at the end of the last header.
    *cursor = places;
    Ok(headers)
}

/// Reads the body after a blank line: JSON up to its end, or the lines up to the next blank one. An
/// answer that is printed below a request is no body.
fn body_after_blank(cursor: &mut TextCursor<'_>) -> Word {
    let mut ahead = cursor.clone();
    ahead.skip_line();
    if !ahead.line().trim().is_empty() {
        return Word::default();
    }
    while ahead.line().trim().is_empty() && !ahead.rest().is_empty() {
        ahead.skip_line();
    }
    if ahead.rest().is_empty() || ends_here(&ahead) {
        return Word::default();
    }
    *cursor = ahead;
    lines(cursor, |cursor, brackets| {
        let is_over = match brackets.is_json {
            Some(true) => !brackets.are_open(),
            _ => cursor.line().trim().is_empty(),
        };
        !is_over && !ends_here(cursor)
    })
    .0
}

/// Reads the rest of a line, and the lines below it as long as they belong to it.
fn lines(
    cursor: &mut TextCursor<'_>,
    belongs: impl Fn(&TextCursor<'_>, &Brackets) -> bool,
) -> (Word, Brackets) {
    let mut brackets = Brackets::default();
    let mut text = line(cursor, &mut brackets);
    loop {
        let mut ahead = cursor.clone();
        if !ahead.eat("\n") || !belongs(&ahead, &brackets) {
            return (text, brackets);
        }
        *cursor = ahead;
        if !text.parts.is_empty() {
            text.push('\n');
        }
        let line = line(cursor, &mut brackets);
        append(&mut text, line);
    }
}

/// Whether another request, an answer or a comment begins at a line.
fn ends_here(cursor: &TextCursor<'_>) -> bool {
    let line = cursor.line().trim_start();
    line.starts_with(SEPARATOR)
        || line.starts_with("HTTP/")
        || line.starts_with("```")
        || line.starts_with('@') && line.contains('=')
        || starts_a_command(cursor)
}

/// Reads the body, and what it seems to lack: closing brackets or, at the end of the input, the
/// line after a backslash. It is sent unchanged: the server refuses a malformed body. A body that
/// the first line does not begin has all lines up to a blank one, or to the next command.
fn body(cursor: &mut TextCursor<'_>, has_lines: bool) -> (Word, Option<Unclosed>) {
    let awaits_line = (cursor.line().trim_end() == "\\").then_some(Unclosed::Line);
    if awaits_line.is_some() {
        cursor.step();
        cursor.skip_blanks();
    }
    let takes_lines = has_lines && cursor.line().trim().is_empty();
    let (body, brackets) = lines(cursor, |cursor, brackets| {
        let belongs = brackets.are_open() || takes_lines && !cursor.line().trim().is_empty();
        belongs && !starts_a_command(cursor)
    });
    let is_last = cursor.rest().is_empty();
    let unclosed = match awaits_line {
        _ if brackets.are_open() => Some(Unclosed::Bracket),
        Some(line) if is_last && body.parts.is_empty() => Some(line),
        _ => None,
    };
    (body, unclosed)
}

fn append(body: &mut Word, line: Word) {
    body.span.end = line.span.end;
    for part in line.parts {
        match part {
            Part::Text(text) => body.push_text(&text),
            other => body.parts.push(other),
        }
    }
}

fn starts_a_command(cursor: &TextCursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.skip_blanks();
    let rest = ahead.rest();
    if rest.starts_with("$ ") {
        return true;
    }
    let is_curl = rest.strip_prefix("curl").is_some_and(|rest| rest.starts_with(is_blank));
    // `name=value` may be a line of a body, so only an assignment of an answer is a command.
    let name = ahead.line().split(['=', '<']).next().unwrap_or_default();
    let after = ahead.line()[name.len()..].trim_start_matches('"');
    let name = name.trim_start_matches("export ").trim();
    let is_name = name.chars().all(|c| is_of_name(c) || c == '-');
    let assigns = is_name
        && !name.is_empty()
        && ["=$(", "=\"$(", "=`", "<- "].iter().any(|sign| after.starts_with(sign));
    is_curl || assigns || is_here(&ahead)
}

/// The rest of a line without the blanks at its end.
fn line(cursor: &mut TextCursor<'_>, brackets: &mut Brackets) -> Word {
    brackets.take(cursor.line());
    let mut text = word(cursor, |c| c == '\n');
    trim_end(&mut text);
    text
}

fn trim_end(word: &mut Word) {
    if let Some(Part::Text(text)) = word.parts.last_mut() {
        text.truncate(text.trim_end_matches(is_blank).len());
        if text.is_empty() {
            word.parts.pop();
        }
    }
}

/// The text up to a terminating character, with its names. After `v1/`, `{name}` is a name, too.
fn word(cursor: &mut TextCursor<'_>, ends: impl Fn(char) -> bool) -> Word {
    let mut word = Word { parts: Vec::new(), span: cursor.at()..cursor.at() };
    let mut is_in_path = false;
    while let Some(c) = cursor.peek().filter(|c| !ends(*c)) {
        is_in_path |=
            matches!(word.parts.last(), Some(Part::Text(text)) if text.ends_with(ADDRESS));
        if !word.take_name(cursor, is_in_path) {
            cursor.step();
            word.push(c);
        }
    }
    word.span.end = cursor.at();
    word
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

    fn draft(text: &str, is_of_file: bool) -> (RequestTemplate, String) {
        let mut cursor = TextCursor::new(text);
        assert!(is_here(&cursor), "{text}");
        let line = read(&mut cursor, is_of_file).expect("well formed");
        let mut expansion = Expansion::new(&|_| None);
        let mut template = line.template(&mut expansion);
        template.url.text = expansion.source_text(&template.url.text);
        template.body = expansion.source_text(&template.body);
        for (_, value) in &mut template.headers {
            *value = expansion.source_text(value);
        }
        (template, cursor.rest().to_owned())
    }

    fn read_one(text: &str) -> (String, String, String, String) {
        let (draft, rest) = draft(text, false);
        (draft.method, draft.url.text, draft.body, rest)
    }

    #[test]
    fn headers_and_a_body_after_a_blank_line_are_those_of_http() {
        for (text, is_of_file, headers, body, rest) in [
            (
                "PUT /v1/kv/x HTTP/1.1\nHost: localhost:8500\nX-A: {{b}} c\n\none\ntwo\n\nProse.",
                false,
                &[("X-A", "<b> c")][..],
                "one\ntwo",
                "\n\nProse.",
            ),
            ("GET /v1/kv/x HTTP/1.1\r\nHost: a\r\n\r\nProse.", false, &[], "", "\r\n\r\nProse."),
            ("PUT {{host}}/v1/kv/x\n\none\n\n### two", true, &[], "one", "\n\n### two"),
            (
                "PUT /v1/x\nContent-Type: a/b\n\n{\n\n\"a\": 1}\nProse",
                false,
                &[("Content-Type", "a/b")],
                "{\n\n\"a\": 1}",
                "\nProse",
            ),
            ("PUT /v1/kv/x HTTP/1.1\nHost: a\n\nPUT /v1/kv/y", false, &[], "", "\n\nPUT /v1/kv/y"),
            ("PUT /v1/kv/x HTTP/1.1\n\nHTTP/1.1 200 OK", false, &[], "", "\n\nHTTP/1.1 200 OK"),
            ("PUT /v1/kv/x\nlimit: 2\n\nProse", false, &[], "limit: 2", "\n\nProse"),
        ] {
            let (draft, left) = draft(text, is_of_file);
            let found: Vec<(&str, &str)> =
                draft.headers.iter().map(|(name, value)| (&**name, &**value)).collect();
            assert_eq!(
                (found.as_slice(), draft.body.as_str(), left.as_str()),
                (headers, body, rest),
                "{text}"
            );
        }
        let malformed = read(&mut TextCursor::new("PUT /v1/kv/x HTTP/1.1\nA b: c\n\n"), false);
        assert_eq!(malformed.map_err(|error| error.kind), Err(ErrorKind::Header));
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
            ("get /v1/kv/a?recurse\nx", "/v1/kv/a?recurse", "", "\nx"),
        ] {
            let method = if text.starts_with("get") { "GET" } else { "PUT" };
            let expected = (method.into(), url.into(), body.into(), rest.into());
            assert_eq!(read_one(text), expected, "{text}");
        }
    }

    #[test]
    fn a_request_that_was_read_is_written_as_the_same_text() {
        for text in ["GET /v1/kv/a?raw", "PUT /v1/kv/a x y", "PUT /v1/kv/a\none\ntwo"] {
            let (method, target, body, _) = read_one(text);
            let body = body.into_bytes();
            let request = HttpRequest { method, target, headers: vec![], body };
            assert_eq!(http_text(&request), text);
        }
    }

    #[test]
    fn an_unfinished_body_continues_on_the_next_line() {
        for (text, body, awaits) in [
            ("PUT /v1/x {", "{", Some(Unclosed::Bracket)),
            ("PUT /v1/x {\n\nGET /y", "{\n", Some(Unclosed::Bracket)),
            ("PUT /v1/x \\", "", Some(Unclosed::Line)),
            ("PUT /v1/x {}", "{}", None),
        ] {
            let draft = draft(text, false).0;
            assert_eq!((draft.body.as_str(), draft.awaits), (body, awaits), "{text}");
        }
    }
}
