//! JSON text as Go's `encoding/json` writes it (HTTP-05, HTTP-19): `<`, `>`, `&` and the two line
//! separators of Unicode are escaped, and indentation is four spaces. serde_json writes the text,
//! and these bytes are replaced afterwards: the characters occur within strings only, and strings
//! have no raw line breaks. (Without std, serde_json does not export its `Formatter`.)

use alloc::vec::Vec;

use serde::Serialize;

const WRITES: &str = "records have text keys, and a Vec takes all bytes";

/// The value in one line.
pub fn to_go_bytes(value: &impl Serialize) -> Vec<u8> {
    escaped(serde_json::to_vec(value).expect(WRITES))
}

/// The value indented by four spaces, with a newline at its end (`?pretty`).
pub fn to_go_bytes_pretty(value: &impl Serialize) -> Vec<u8> {
    let json = serde_json::to_vec_pretty(value).expect(WRITES);
    let mut indented = Vec::with_capacity(json.len() * 2);
    for line in json.split(|byte| *byte == b'\n') {
        // serde_json indents by two spaces.
        let spaces = line.iter().take_while(|byte| **byte == b' ').count();
        indented.extend_from_slice(&line[..spaces]);
        indented.extend_from_slice(line);
        indented.push(b'\n');
    }
    escaped(indented)
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
}
