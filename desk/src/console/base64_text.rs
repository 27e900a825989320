//! Decodes base64 as programs do: jq's `@base64d` and `base64 -d` of coreutils differ in what they
//! accept.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Decodes digits without padding. Bits of the last digit that belong to no byte are ignored.
const DIGITS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// The output of jq 1.6 for a text. Fails with the last words of its error. Padding is optional,
/// and whatever follows it is ignored.
pub(super) fn jq_decoded(text: &str) -> Result<String, &'static str> {
    let digits = text.split('=').next().unwrap_or_default();
    if !digits.chars().all(is_digit) {
        return Err("is not valid base64 data");
    }
    let bytes = DIGITS.decode(digits).map_err(|_| "trailing base64 byte found")?;
    Ok(jq_text(&bytes))
}

/// What `base64 -d` prints for a text: the bytes up to the first error, and the error, which is
/// empty without one. Only complete groups are right, and only line ends are ignored.
pub(super) fn coreutils_decoded(text: &str) -> (String, &'static str) {
    let text: Vec<char> = text.chars().filter(|c| *c != '\n').collect();
    let mut bytes = Vec::new();
    let is_valid = text.chunks(4).all(|group| decode_group(group, &mut bytes));
    let error = if is_valid { "" } else { "base64: invalid input" };
    (String::from_utf8_lossy(&bytes).into_owned(), error)
}

/// Decodes the digits at the beginning of a group, and returns whether it is complete.
fn decode_group(group: &[char], bytes: &mut Vec<u8>) -> bool {
    let digits: String = group.iter().take_while(|c| is_digit(**c)).collect();
    bytes.extend(DIGITS.decode(&digits).unwrap_or_default());
    match &group[digits.len()..] {
        [] => digits.len() == 4,
        ['='] => digits.len() == 3,
        ['=', '='] => digits.len() == 2,
        _ => false,
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/')
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
            let (output, error) = coreutils_decoded(text);
            assert_eq!(output + error, expected, "{text}");
        }
    }
}
