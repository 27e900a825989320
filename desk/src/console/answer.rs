//! An answer as the console shows it: status line, index, and the body with indentation. Values
//! stay in base64, as they are on the wire, with the decoded text beside them.

use std::sync::Arc;

use lictor_core::json::{Json, first_value};
use lictor_core::message::Answer;
use lictor_core::store::Entry;
use lictor_core::store::txn::TxnResult;
use lictor_sim::{Call, Outcome};

use super::known_keys::header;

/// An answer in the parts that the console shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerView {
    pub status: u16,
    /// The reason phrase of the status line; empty for a status that Consul does not send.
    pub phrase: &'static str,
    /// X-Consul-Index.
    pub index: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: BodyView,
    /// The decoded values of the body that are text, by key.
    pub decoded: Vec<(String, String)>,
}

/// The body of an answer as the console shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyView {
    Empty,
    /// JSON, with each member on a line of its own unless all of it fits on one.
    Pretty(String),
    Text(String),
    /// A body that is no UTF-8, of which only the length in bytes is shown.
    Bytes {
        length: usize,
    },
}

impl AnswerView {
    /// The answer to a call.
    pub fn new(call: &Call, outcome: &Outcome) -> Self {
        let response = &outcome.response;
        Self {
            status: response.status,
            phrase: phrase(response.status),
            index: header(response, "X-Consul-Index").map(Into::into),
            headers: response.headers.clone(),
            body: body(&response.body),
            decoded: decoded_values(call, outcome),
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

/// Whether the text is no more than this value. The parser stops after the first value, and the raw
/// value of a key such as `12 apples` is no JSON.
fn is_whole(value: &Json, text: &str) -> bool {
    let text = text.trim();
    match value {
        Json::Array(_) => text.ends_with(']'),
        Json::Object(_) => text.ends_with('}'),
        Json::Text(_) => text.len() > 1 && text.ends_with('"'),
        _ => !text.contains(char::is_whitespace),
    }
}

/// The length in bytes of the longest JSON text that stays on one line.
const LINE: usize = 60;

/// The keys of the entries whose values the answer shows, with those values that are text.
fn decoded_values(call: &Call, outcome: &Outcome) -> Vec<(String, String)> {
    let read = outcome.answer.as_ref().ok().and_then(|response| match &response.answer {
        Answer::Txn { outcome: Ok(results), .. } => Some(results.iter()),
        _ => None,
    });
    let read_in_txn = read.into_iter().flatten().filter_map(|result| match result {
        TxnResult::Read(entry) => Some(entry),
        _ => None,
    });
    call.entries_in(outcome).iter().chain(read_in_txn).filter_map(decoded_value).collect()
}

fn decoded_value(entry: &Arc<Entry>) -> Option<(String, String)> {
    let text = core::str::from_utf8(&entry.value).ok().filter(|text| !text.is_empty())?;
    Some((entry.key.to_string(), text.into()))
}

/// Puts each member of a JSON text on its own line, unless all of it fits on one. The text itself
/// is kept as it was sent: the order of members, the spelling of numbers, the escapes.
fn indented(json: &str) -> String {
    let mut lines = String::with_capacity(json.len() * 2);
    let (mut depth, mut is_text, mut is_escaped) = (0usize, false, false);
    // Adds the space before a member or a closing bracket.
    let gap = |lines: &mut String, depth| {
        if json.len() > LINE {
            lines.push('\n');
            lines.extend(core::iter::repeat_n("  ", depth));
        } else if lines.ends_with(',') {
            lines.push(' ');
        }
    };
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
                        gap(&mut lines, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                gap(&mut lines, depth);
                lines.push(c);
            }
            ',' => {
                lines.push(c);
                gap(&mut lines, depth);
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
        301 => "Moved Permanently",
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
    use lictor_view::test_world::TestWorld;

    #[test]
    fn json_is_indented_and_otherwise_unchanged() {
        let sent =
            br#"[{"Key":"a{,\"","Flags":18446744073709551615,"A":[],"O":{ },"T":"\u003c"},1.0]"#;
        let expected = "[\n  {\n    \"Key\": \"a{,\\\"\",\n    \
                        \"Flags\": 18446744073709551615,\n    \"A\": [],\n    \
                        \"O\": {},\n    \"T\": \"\\u003c\"\n  },\n  1.0\n]";
        assert_eq!(body(sent), BodyView::Pretty(expected.into()));
        let short = BodyView::Pretty("{\"ID\": \"7\", \"L\": [1, 2]}".into());
        assert_eq!(body(b"{\"ID\":\"7\",\"L\":[1,2]}"), short);
        assert_eq!(body(b"true"), BodyView::Pretty("true".into()));
    }

    #[test]
    fn other_bodies_are_text_or_counted() {
        assert_eq!(body(b""), BodyView::Empty);
        assert_eq!(body(b"12 apples"), BodyView::Text("12 apples".into()));
        assert_eq!(body(b"{\"a\":1} tail"), BodyView::Text("{\"a\":1} tail".into()));
        assert_eq!(body(&[0xff, 0xfe]), BodyView::Bytes { length: 2 });
    }

    #[test]
    fn values_that_are_text_are_decoded() {
        let mut played = TestWorld::of_three();
        let txn = r#"[{"KV": {"Verb": "set", "Key": "a", "Value": "d2ViLTE="}},
            {"KV": {"Verb": "set", "Key": "b", "Value": "//4="}},
            {"KV": {"Verb": "set", "Key": "c", "Value": null}},
            {"KV": {"Verb": "get", "Key": "a"}}, {"KV": {"Verb": "get", "Key": "b"}}]"#;
        played.call("web-1", "PUT", "/v1/txn", txn);
        let decoded = [("a".to_owned(), "web-1".to_owned())];
        let (call, outcome) = played.answered();
        assert_eq!(AnswerView::new(call, outcome).decoded, decoded, "in a transaction");
        played.call("web-1", "GET", "/v1/kv/?recurse", "");
        let (call, outcome) = played.answered();
        let view = AnswerView::new(call, outcome);
        assert_eq!(view.decoded, decoded, "in a list");
        let index = outcome.index().map(|index| index.to_string());
        assert_eq!((view.phrase, view.index), ("OK", index));
        played.call("web-1", "GET", "/v1/kv/a?raw", "");
        let (call, outcome) = played.answered();
        assert_eq!(AnswerView::new(call, outcome).decoded, [], "a raw value is not encoded");
    }
}
