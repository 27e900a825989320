//! JSON as it is written: value after value, straight into the text.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// A JSON text that grows. A value is either the whole text, the next of a list, or follows its
/// [`member`](Self::member) name; the commas come by themselves.
pub struct Writer {
    text: String,
    markup: Markup,
}

/// What becomes of `<`, `>` and `&`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Snapshot,
    Escaped,
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    No,
    Yes,
}

impl From<bool> for Truth {
    fn from(flag: bool) -> Self {
        if flag { Self::Yes } else { Self::No }
    }
}

impl Writer {
    /// Writes as records are kept.
    pub fn plain() -> Self {
        Self { text: String::new(), markup: Markup::Snapshot }
    }

    /// Writes as Go does: `<`, `>` and `&` escaped (HTTP-19).
    pub fn go() -> Self {
        Self { text: String::new(), markup: Markup::Escaped }
    }

    pub fn null(&mut self) {
        self.word("null");
    }

    pub fn truth(&mut self, truth: Truth) {
        self.word(match truth {
            Truth::No => "false",
            Truth::Yes => "true",
        });
    }

    pub fn unsigned(&mut self, number: u64) {
        self.separate();
        let _infallible = write!(self.text, "{number}");
    }

    pub fn signed(&mut self, number: i64) {
        self.separate();
        let _infallible = write!(self.text, "{number}");
    }

    pub fn text(&mut self, text: &str) {
        self.separate();
        self.quote(text);
    }

    /// The name of a member of the object that is open; its value follows.
    pub fn member(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.text.push(':');
        self
    }

    pub fn open_object(&mut self) {
        self.word("{");
    }

    pub fn close_object(&mut self) {
        self.text.push('}');
    }

    pub fn open_list(&mut self) {
        self.word("[");
    }

    pub fn close_list(&mut self) {
        self.text.push(']');
    }

    /// A list of items that are written one after the other.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.open_list();
        for item in items {
            write(self, item);
        }
        self.close_list();
    }

    pub fn into_text(self) -> String {
        self.text
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }

    /// The text as Go writes it with `?pretty` (HTTP-05): indented by four spaces, with a final
    /// newline.
    pub fn into_pretty(self) -> Vec<u8> {
        let mut body = indented(self.text.as_bytes());
        body.push(b'\n');
        body
    }

    fn word(&mut self, word: &str) {
        self.separate();
        self.text.push_str(word);
    }

    /// A value or a name stands behind a comma, unless it is the first in its place. Texts end in
    /// a quote, so none of these can be within one.
    fn separate(&mut self) {
        if !matches!(self.text.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(',');
        }
    }

    fn quote(&mut self, text: &str) {
        self.text.push('"');
        let mut from = 0;
        for (at, byte) in text.bytes().enumerate() {
            if !self.is_escaped(byte) {
                continue;
            }
            self.text.push_str(&text[from..at]);
            from = at + 1;
            match byte {
                b'"' => self.text.push_str("\\\""),
                b'\\' => self.text.push_str("\\\\"),
                b'\n' => self.text.push_str("\\n"),
                b'\r' => self.text.push_str("\\r"),
                b'\t' => self.text.push_str("\\t"),
                0x08 => self.text.push_str("\\b"),
                0x0c => self.text.push_str("\\f"),
                other => {
                    let _infallible = write!(self.text, "\\u{other:04x}");
                }
            }
        }
        self.text.push_str(&text[from..]);
        self.text.push('"');
    }

    fn is_escaped(&self, byte: u8) -> bool {
        match byte {
            b'"' | b'\\' | 0..0x20 => true,
            b'<' | b'>' | b'&' => self.markup == Markup::Escaped,
            _ => false,
        }
    }
}

/// A text as it stands in JSON.
pub fn quoted(text: &str) -> String {
    let mut json = Writer::plain();
    json.text(text);
    json.into_text()
}

/// Compact JSON with line breaks and four spaces for each level; empty lists and objects stay
/// closed.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0, false, false);
    for (at, byte) in json.iter().enumerate() {
        if in_text {
            in_text = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
            out.push(*byte);
            continue;
        }
        let is_empty = |open| at > 0 && json[at - 1] == open;
        match byte {
            b'"' => in_text = true,
            b'}' | b']' => {
                depth -= 1;
                if !is_empty(byte - 2) {
                    break_line(&mut out, depth);
                }
            }
            _ => {}
        }
        out.push(*byte);
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if json.get(at + 1) != Some(&(byte + 2)) {
                    break_line(&mut out, depth);
                }
            }
            b',' => break_line(&mut out, depth),
            b':' => out.push(b' '),
            _ => {}
        }
    }
    out
}

fn break_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + 4 * depth, b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_escaped_as_go_does() {
        let mut json = Writer::go();
        json.text("a&<b>\u{e9}\u{1}\u{1f}\u{8}\u{c}\n\r\t\"\\");
        let text = r#""a\u0026\u003cb\u003eé\u0001\u001f\b\f\n\r\t\"\\""#;
        assert_eq!(json.into_text(), text);
        assert_eq!(quoted("a&<b>"), "\"a&<b>\"");
    }

    #[test]
    fn commas_stand_between_values_and_nowhere_else() {
        let mut json = Writer::plain();
        json.open_object();
        json.member("{").list([1, 2], |json, number| json.signed(-number));
        json.member(":").open_object();
        json.close_object();
        json.member("a").list(["[", ","], Writer::text);
        json.member("b").null();
        json.member("c").truth(Truth::Yes);
        json.close_object();
        let text = r#"{"{":[-1,-2],":":{},"a":["[",","],"b":null,"c":true}"#;
        assert_eq!(json.into_text(), text);
    }

    #[test]
    fn pretty_bodies_are_indented_and_end_a_line() {
        let pretty = |items: &[&str]| {
            let mut json = Writer::go();
            json.list(items, |json, item| json.list([item], |json, item| json.text(item)));
            String::from_utf8(json.into_pretty()).expect("text")
        };
        assert_eq!(pretty(&[]), "[]\n");
        let nested = "[\n    [\n        \"a\\\\\\\"]\"\n    ]\n]\n";
        assert_eq!(pretty(&["a\\\"]"]), nested);
    }
}
