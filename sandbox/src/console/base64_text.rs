//! Decodes base64 as programs do: jq's `@base64d` and `base64 -d` of coreutils differ in what they
//! accept.

/// The output of jq 1.6 for a text. Fails with the last words of its error. Padding is optional,
/// and whatever follows it is ignored.
pub(super) fn jq_decoded(text: &str) -> Result<String, &'static str> {
    let digits = text.split('=').next().unwrap_or_default().as_bytes();
    if !digits.iter().all(|digit| value(*digit).is_some()) {
        return Err("is not valid base64 data");
    }
    if digits.len() % 4 == 1 {
        return Err("trailing base64 byte found");
    }
    let mut bytes = Vec::new();
    for group in digits.chunks(4) {
        // The last group may be incomplete.
        let _ = decode_group(group, &mut bytes);
    }
    Ok(jq_text(&bytes))
}

/// What a terminal shows for `base64 -d` with a text as its input: the bytes up to the first error,
/// and the error. Only complete groups are right, and only line ends are ignored.
pub(super) fn coreutils_decoded(text: &str) -> String {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'\n').collect();
    let mut bytes = Vec::new();
    let is_valid = digits.chunks(4).all(|group| decode_group(group, &mut bytes).is_some());
    let error = if is_valid { "" } else { "base64: invalid input" };
    String::from_utf8_lossy(&bytes).into_owned() + error
}

/// Decodes up to four digits. `None` if the group is incomplete or malformed; the bytes before that
/// are decoded.
fn decode_group(group: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let digit = |place: usize| value(*group.get(place)?);
    let (first, second) = (digit(0)?, digit(1)?);
    bytes.push(first << 2 | second >> 4);
    if group[2..] == *b"==" {
        return Some(());
    }
    let third = digit(2)?;
    bytes.push(second << 4 | third >> 2);
    if group[3..] == *b"=" {
        return Some(());
    }
    bytes.push(third << 6 | digit(3)?);
    Some(())
}

/// The value of a digit.
fn value(digit: u8) -> Option<u8> {
    match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Bytes as text. Unlike in Rust, one U+FFFD replaces a whole character that is cut off by the end,
/// or that is encoded in a forbidden way.
fn jq_text(bytes: &[u8]) -> String {
    let (mut text, mut rest) = (String::new(), bytes);
    while let Some(first) = rest.first() {
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        let taken = match rest.get(1..length) {
            Some(after) => 1 + after.iter().take_while(|byte| **byte & 0xc0 == 0x80).count(),
            None => rest.len(),
        };
        let (character, after) = rest.split_at(taken);
        text.push_str(core::str::from_utf8(character).unwrap_or("\u{fffd}"));
        rest = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with jq 1.6.
    #[test]
    fn jq_requires_no_padding_and_reads_no_further() {
        for (text, expected) in [
            ("", ""),
            ("d2ViLTE=", "web-1"),
            ("d2ViLTE", "web-1"),
            ("d2ViLTE==", "web-1"),
            ("d2Vi=LTE", "web"),
            ("YQ==YQ==", "a"),
            ("YR==", "a"),
            ("YQ==\n", "a"),
            ("====", ""),
        ] {
            assert_eq!(jq_decoded(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["d2Vi LTE=", "d2Vi\nLTE=", "!", "_-8=", "é"] {
            assert_eq!(jq_decoded(text), Err("is not valid base64 data"), "{text}");
        }
        for text in ["a", "abcde", "a===", "12345"] {
            assert_eq!(jq_decoded(text), Err("trailing base64 byte found"), "{text}");
        }
    }

    /// Observed with jq 1.6.
    #[test]
    fn jq_replaces_what_is_not_utf_8() {
        for (text, expected) in [
            ("null", "\u{fffd}\u{fffd}"),
            ("true", "\u{fffd}\u{fffd}\u{fffd}"),
            ("1234", "\u{fffd}m\u{fffd}"),
            ("4oKs", "€"),
            ("8J+Y", "\u{fffd}"),
            ("7aCA", "\u{fffd}"),
            ("wIA=", "\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(jq_decoded(text).as_deref(), Ok(expected), "{text}");
        }
    }

    /// Observed with base64 of coreutils 9.1.
    #[test]
    fn coreutils_decode_complete_groups_up_to_an_error() {
        for (text, expected) in [
            ("", ""),
            ("d2ViLTE=\n", "web-1"),
            ("d2Vi\nLTE=", "web-1"),
            ("YQ==YQ==", "aa"),
            ("YR==", "a"),
            ("d2ViLTE", "web-1base64: invalid input"),
            ("d2ViLTE==", "web-1base64: invalid input"),
            ("d2Vi LTE=", "webbase64: invalid input"),
            ("ab=c", "ibase64: invalid input"),
            ("a", "base64: invalid input"),
            ("\"YQ==\"", "base64: invalid input"),
            ("====", "base64: invalid input"),
            ("null", "\u{fffd}\u{fffd}e"),
        ] {
            assert_eq!(coreutils_decoded(text), expected, "{text}");
        }
    }
}
