//! The backslash sequences of `$'...'`, as in bash. No name begins after a backslash.

use std::string::FromUtf8Error;

use super::text_cursor::TextCursor;

/// Reads one backslash sequence, at which the cursor is, and appends its bytes. An unknown sequence
/// stays as it is written.
pub(super) fn escape(cursor: &mut TextCursor<'_>, bytes: &mut Vec<u8>) {
    cursor.step();
    if let Some(code) = number(cursor, 3, 8) {
        return bytes.push(code as u8);
    }
    let Some(c) = cursor.step() else { return bytes.push(b'\\') };
    let code = match c {
        'a' => Some(0x07),
        'b' => Some(0x08),
        't' => Some(b'\t'),
        'n' => Some(b'\n'),
        'v' => Some(0x0b),
        'f' => Some(0x0c),
        'r' => Some(b'\r'),
        'e' | 'E' => Some(0x1b),
        '\\' | '\'' | '"' | '?' => Some(c as u8),
        'c' if !cursor.rest().starts_with('\'') => return control(cursor, bytes),
        'x' => hexadecimal(cursor),
        'u' | 'U' => match number(cursor, if c == 'u' { 4 } else { 8 }, 16) {
            Some(code) => return push_code(code, bytes),
            None => None,
        },
        _ => None,
    };
    match code {
        Some(code) => bytes.push(code),
        None => {
            bytes.push(b'\\');
            push(c, bytes);
        }
    }
}

/// The text of bytes, which ends before the first zero. Fails if it is not UTF-8.
pub(super) fn text_of(mut bytes: Vec<u8>) -> Result<String, FromUtf8Error> {
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    String::from_utf8(bytes)
}

fn push(c: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Appends the character with a code. For a code without one, this is a byte that no text contains,
/// so the word is refused.
fn push_code(code: u32, bytes: &mut Vec<u8>) {
    match char::from_u32(code) {
        Some(c) => push(c, bytes),
        None => bytes.push(0xff),
    }
}

/// Reads the character after `\c`, and appends the control character that its key makes. A second
/// backslash after a backslash is skipped; any other character there is text.
fn control(cursor: &mut TextCursor<'_>, bytes: &mut Vec<u8>) {
    let Some(key) = cursor.step() else { return };
    let first = bytes.len();
    push(key, bytes);
    bytes[first] = if key == '?' { 0x7f } else { bytes[first] & 0x1f };
    if key == '\\'
        && let Some(c) = cursor.step().filter(|c| *c != '\\')
    {
        push(c, bytes);
    }
}

/// Reads the two digits after `\x`, or any number of them in braces, of which the last two count.
fn hexadecimal(cursor: &mut TextCursor<'_>) -> Option<u8> {
    if !cursor.eat("{") {
        return number(cursor, 2, 16).map(|code| code as u8);
    }
    let code = number(cursor, usize::MAX, 16).unwrap_or_default();
    cursor.eat("}");
    Some(code as u8)
}

/// Reads a number of at most `most` digits; `None` if there are none.
fn number(cursor: &mut TextCursor<'_>, most: usize, radix: u32) -> Option<u32> {
    let mut number = None;
    for _ in 0..most {
        let Some(digit) = cursor.peek().and_then(|c| c.to_digit(radix)) else { break };
        number = Some(number.unwrap_or(0u32).wrapping_mul(radix).wrapping_add(digit));
        cursor.step();
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a text in which each backslash begins a sequence.
    fn bytes(text: &str) -> Vec<u8> {
        let (mut cursor, mut bytes) = (TextCursor::new(text), Vec::new());
        while let Some(c) = cursor.peek().filter(|c| *c != '\'') {
            if c == '\\' {
                escape(&mut cursor, &mut bytes);
            } else {
                push(c, &mut bytes);
                cursor.step();
            }
        }
        bytes
    }

    /// Observed with bash 5.2.
    #[test]
    fn sequences_are_those_of_bash() {
        for (text, expected) in [
            (r"\a\b\e\E\f\n\r\t\v", &b"\x07\x08\x1b\x1b\x0c\n\r\t\x0b"[..]),
            (r#"\\\'\"\?"#, br#"\'"?"#),
            (r"\101\1018\8", br"AA8\8"),
            (r"\x4\x414\xg\x", b"\x04A4\\xg\\x"),
            (r"\x{41}\x{414}z\x{4g", b"A\x14z\x04g"),
            (r"\u00e9\u41\ug\U0001F600x\U", "éA\\ug😀x\\U".as_bytes()),
            (r"\ca\cA\c?\c[\c*\c0\c$x", b"\x01\x01\x7f\x1b\n\x10\x04x"),
            (r"\c\\a\c\'a\c\n", b"\x1ca\x1c'a\x1cn"),
            (r"\cé", b"\x03\xa9"),
            (r"\$s\<s>\q\ ", br"\$s\<s>\q\ "),
            (r"\c'", br"\c"),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn a_code_that_is_no_character_makes_no_text() {
        for text in [r"\ud800", r"\U110000"] {
            assert!(text_of(bytes(text)).is_err(), "{text}");
        }
    }
}
