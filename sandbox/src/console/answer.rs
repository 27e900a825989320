//! An answer as the console shows it: status line, index, and the body with indentation. Values
//! stay in base64, as they are on the wire, with the decoded text beside them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::http::HttpResponse;
use lictor_core::json::{Json, first_value};

use super::known_keys::header;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerView {
    pub status: u16,
    /// The words of the status line; none for a status without common words.
    pub phrase: &'static str,
    /// X-Consul-Index.
    pub index: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: BodyView,
    /// The decoded values of the body that are text, by key.
    pub decoded: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyView {
    Empty,
    /// JSON, with each member on a line of its own.
    Pretty(String),
    Text(String),
    Bytes {
        length: usize,
    },
}

impl From<&HttpResponse> for AnswerView {
    fn from(response: &HttpResponse) -> Self {
        let mut decoded = Vec::new();
        if let Ok(answer) = first_value(&response.body) {
            collect_values(&answer, &mut decoded);
        }
        Self {
            status: response.status,
            phrase: phrase(response.status),
            index: header(response, "X-Consul-Index").map(Into::into),
            headers: response.headers.clone(),
            body: body(&response.body),
            decoded,
        }
    }
}

fn body(bytes: &[u8]) -> BodyView {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return BodyView::Bytes { length: bytes.len() };
    };
    if text.is_empty() {
        BodyView::Empty
    } else if first_value(bytes).is_ok_and(|value| is_whole(&value, text)) {
        BodyView::Pretty(indented(text.trim()))
    } else {
        BodyView::Text(text.into())
    }
}

/// The parser stops after the first value; only a body that is one value is JSON. A raw value such
/// as `12 apples` is text.
fn is_whole(value: &Json, text: &str) -> bool {
    let text = text.trim();
    match value {
        Json::Array(_) => text.ends_with(']'),
        Json::Object(_) => text.ends_with('}'),
        Json::Text(_) => text.len() > 1 && text.ends_with('"'),
        _ => !text.contains(char::is_whitespace),
    }
}

/// The longest JSON text that stays on one line.
const LINE: usize = 60;

#[derive(Clone, Copy)]
enum Layout {
    Line,
    Lines,
}

impl Layout {
    /// The indentation before a member or before a closing bracket.
    fn gap(self, lines: &mut String, depth: usize) {
        match self {
            Self::Lines => {
                lines.push('\n');
                lines.extend(core::iter::repeat_n("  ", depth));
            }
            Self::Line if lines.ends_with(',') => lines.push(' '),
            Self::Line => {}
        }
    }
}

/// The keys and values of entries at any depth, in lists and in transactions.
fn collect_values(json: &Json, decoded: &mut Vec<(String, String)>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| collect_values(item, decoded)),
        Json::Object(members) => {
            decoded.extend(decoded_value(json));
            members.iter().for_each(|(_, member)| collect_values(member, decoded));
        }
        _ => {}
    }
}

fn decoded_value(entry: &Json) -> Option<(String, String)> {
    let key = entry.member("Key")?.as_text()?;
    let value = STANDARD.decode(entry.member("Value")?.as_text()?).ok()?;
    let text = String::from_utf8(value).ok().filter(|text| !text.is_empty())?;
    Some((key.into(), text))
}

/// Puts each member of a JSON text on its own line, unless all of it fits on one. The text itself
/// is kept as it was sent: the order of members, the spelling of numbers, the escapes.
fn indented(json: &str) -> String {
    let mut lines = String::with_capacity(json.len() * 2);
    let (mut depth, mut is_text, mut is_escaped) = (0usize, false, false);
    let layout = if json.len() <= LINE { Layout::Line } else { Layout::Lines };
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if is_text {
            is_text = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            lines.push(c);
            continue;
        }
        match c {
            '{' | '[' => {
                lines.push(c);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                match rest.next_if(|c| matches!(c, '}' | ']')) {
                    Some(close) => lines.push(close),
                    None => {
                        depth += 1;
                        layout.gap(&mut lines, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                layout.gap(&mut lines, depth);
                lines.push(c);
            }
            ',' => {
                lines.push(c);
                layout.gap(&mut lines, depth);
            }
            ':' => lines.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => {
                is_text = c == '"';
                lines.push(c);
            }
        }
    }
    lines
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        307 => "Temporary Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Request Entity Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(status: u16, body: &[u8]) -> AnswerView {
        let headers = vec![("X-Consul-Index".into(), "12".into())];
        AnswerView::from(&HttpResponse { status, headers, body: body.to_vec() })
    }

    #[test]
    fn json_is_indented_and_otherwise_unchanged() {
        let sent =
            br#"[{"Key":"a{,\"","Flags":18446744073709551615,"A":[],"O":{ },"T":"\u003c"},1.0]"#;
        let expected = "[\n  {\n    \"Key\": \"a{,\\\"\",\n    \
                        \"Flags\": 18446744073709551615,\n    \"A\": [],\n    \
                        \"O\": {},\n    \"T\": \"\\u003c\"\n  },\n  1.0\n]";
        assert_eq!(view(200, sent).body, BodyView::Pretty(expected.into()));
        let short = BodyView::Pretty("{\"ID\": \"7\", \"L\": [1, 2]}".into());
        assert_eq!(view(200, b"{\"ID\":\"7\",\"L\":[1,2]}").body, short);
        assert_eq!(view(200, b"true").body, BodyView::Pretty("true".into()));
    }

    #[test]
    fn other_bodies_are_text_or_counted() {
        assert_eq!(view(404, b"").body, BodyView::Empty);
        assert_eq!(view(200, b"12 apples").body, BodyView::Text("12 apples".into()));
        assert_eq!(view(200, b"{\"a\":1} tail").body, BodyView::Text("{\"a\":1} tail".into()));
        assert_eq!(view(200, &[0xff, 0xfe]).body, BodyView::Bytes { length: 2 });
    }

    #[test]
    fn values_that_are_text_are_decoded() {
        let sent = br#"{"Results":[{"KV":{"Key":"a","Value":"d2ViLTE="}},
            {"KV":{"Key":"b","Value":"//4="}},{"KV":{"Key":"c","Value":null}}]}"#;
        let view = view(200, sent);
        assert_eq!(view.decoded, [("a".into(), "web-1".into())]);
        assert_eq!((view.phrase, view.index.as_deref()), ("OK", Some("12")));
    }
}
