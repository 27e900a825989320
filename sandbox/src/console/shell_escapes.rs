//! The backslash sequences of `$'...'`: those of bash without `\a`, `\b`, `\f`, `\v` and `\c`. A
//! backslash before `$` or `<` is removed, so that no name begins there.

use super::text_cursor::TextCursor;

/// Reads one backslash sequence, at which the cursor is, and appends its bytes. An unknown sequence
/// stays as it is written.
pub(super) fn escape(cursor: &mut TextCursor<'_>, bytes: &mut Vec<u8>) {
    cursor.step();
    let Some(c) = cursor.step() else { return bytes.push(b'\\') };
    match c {
        'n' => bytes.push(b'\n'),
        't' => bytes.push(b'\t'),
        'r' => bytes.push(b'\r'),
        'e' | 'E' => bytes.push(0x1b),
        '\\' | '\'' | '"' | '?' | '$' | '<' => bytes.push(c as u8),
        'x' => bytes.push(digits(cursor, 2, 16) as u8),
        '0'..='7' => {
            let first = c as u32 - '0' as u32;
            let taken = cursor.at();
            let rest = digits(cursor, 2, 8);
            bytes.push((first * 8u32.pow((cursor.at() - taken) as u32) + rest) as u8);
        }
        'u' | 'U' => {
            let code = digits(cursor, if c == 'u' { 4 } else { 8 }, 16);
            let decoded = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(decoded.encode_utf8(&mut [0; 4]).as_bytes());
        }
        other => {
            bytes.push(b'\\');
            bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

/// Reads a number of at most `most` digits; 0 if there are none.
fn digits(cursor: &mut TextCursor<'_>, most: usize, radix: u32) -> u32 {
    let mut number = 0u32;
    for _ in 0..most {
        let Some(digit) = cursor.peek().and_then(|c| c.to_digit(radix)) else { break };
        number = number.wrapping_mul(radix).wrapping_add(digit);
        cursor.step();
    }
    number
}
