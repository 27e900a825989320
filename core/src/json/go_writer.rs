//! JSON text as Go's `encoding/json` writes it (HTTP-05, HTTP-19): `<`, `>`, `&` and the two line
//! separators of Unicode are escaped, and indentation is four spaces. serde_json writes the text in
//! one line, and its bytes are escaped and indented afterwards: a second writer would double the
//! code of each type. (Without std, serde_json does not export its `Formatter`.)

use alloc::vec::Vec;

use serde::Serialize;

const WRITES: &str = "records have text keys, and a Vec takes all bytes";

/// The value in one line.
pub fn to_go_bytes(value: &impl Serialize) -> Vec<u8> {
    escaped(serde_json::to_vec(value).expect(WRITES))
}

/// The value indented by four spaces, with a newline at its end (`?pretty`).
pub fn to_go_bytes_pretty(value: &impl Serialize) -> Vec<u8> {
    let mut json = indented(&to_go_bytes(value));
    json.push(b'\n');
    json
}

/// Valid JSON with each member and element on a line of its own; what is empty stays `[]` or `{}`.
fn indented(json: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut is_in_string, mut is_escaped) = (0, false, false);
    let mut before = b' ';
    for &byte in json {
        if is_in_string {
            is_in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
        } else {
            if byte.is_ascii_whitespace() {
                continue;
            }
            let is_first = matches!(before, b'[' | b'{');
            let is_end = matches!(byte, b']' | b'}');
            depth -= usize::from(is_end);
            let is_on_new_line = if is_end { !is_first } else { is_first || before == b',' };
            if is_on_new_line {
                out.push(b'\n');
                out.resize(out.len() + depth * 4, b' ');
            }
            depth += usize::from(matches!(byte, b'[' | b'{'));
            is_in_string = byte == b'"';
        }
        out.push(byte);
        if byte == b':' && !is_in_string {
            out.push(b' ');
        }
        before = byte;
    }
    out
}

fn escaped(json: Vec<u8>) -> Vec<u8> {
    let Some(first) = json.iter().position(|byte| matches!(byte, b'<' | b'>' | b'&' | 0xe2)) else {
        return json;
    };
    let (mut out, mut rest) = (json[..first].to_vec(), &json[first..]);
    while let Some((byte, after)) = rest.split_first() {
        let (escape, length): (&[u8], usize) = match (byte, after) {
            (b'<', _) => (b"\\u003c", 1),
            (b'>', _) => (b"\\u003e", 1),
            (b'&', _) => (b"\\u0026", 1),
            (0xe2, [0x80, 0xa8, ..]) => (b"\\u2028", 3),
            (0xe2, [0x80, 0xa9, ..]) => (b"\\u2029", 3),
            _ => (core::slice::from_ref(byte), 1),
        };
        out.extend_from_slice(escape);
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).expect("JSON is UTF-8")
    }

    #[test]
    fn strings_are_escaped_as_go_does() {
        let value = "a&<b>\u{e9}\u{1}\u{1f}\u{8}\u{c}\n\r\t\"\\ \u{2028}\u{2029}\u{2022}";
        let json = r#""a\u0026\u003cb\u003eé\u0001\u001f\b\f\n\r\t\"\\ \u2028\u2029•""#;
        assert_eq!(text(to_go_bytes(&value)), json);
    }

    #[test]
    fn pretty_bodies_are_indented_by_four_spaces_and_end_in_a_newline() {
        let none: [&str; 0] = [];
        assert_eq!(text(to_go_bytes_pretty(&none)), "[]\n");
        let nested = "[\n    [\n        \"a\\\\\\\"]\"\n    ]\n]\n";
        assert_eq!(text(to_go_bytes_pretty(&[["a\\\"]"]])), nested);
    }

    #[test]
    fn indented_json_is_that_of_the_other_writer_with_twice_the_spaces() {
        let json = r#"{"a":[],"b":{},"c":[1,{"d":null,"e:[,":"x: {\\\"}"},[[]],-2.5],"":true}"#;
        for json in [json, "[]", "{}", "1", "\"\"", "[[],[{}]]", "[{},1]"] {
            let value: serde_json::Value = serde_json::from_str(json).expect("it is valid");
            let pretty = serde_json::to_string_pretty(&value).expect("it is valid");
            let lines = pretty.lines().map(|line| {
                let spaces = line.len() - line.trim_start().len();
                " ".repeat(spaces) + line + "\n"
            });
            assert_eq!(text(to_go_bytes_pretty(&value)), lines.collect::<String>());
            assert_eq!(text(indented(pretty.as_bytes())) + "\n", text(to_go_bytes_pretty(&value)));
        }
    }
}
