//! Base64 as Go's `encoding/json` decodes it into bytes: line breaks are skipped, unused bits are
//! ignored, and an error names the byte at which Go stops.

use alloc::vec::Vec;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// The bytes of a base64 text, or the offset in bytes of what is not base64.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    BASE64.decode(digits).map_err(|_| error_offset(text.as_bytes()))
}

/// Where Go's decoder stops in a text that is not base64.
fn error_offset(text: &[u8]) -> usize {
    let is_digit = |(_, byte): &(usize, &u8)| !matches!(byte, b'\r' | b'\n');
    let mut rest = text.iter().enumerate().filter(is_digit);
    let (mut at, mut of_four) = (0, 0);
    for (offset, byte) in rest.by_ref() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => of_four = (of_four + 1) % 4,
            b'=' if of_four >= 2 => {
                at = offset;
                break;
            }
            _ => return offset,
        }
    }
    if at == 0 {
        return text.len() - of_four;
    }
    // Two digits need two padding signs; then nothing may follow.
    if of_four == 2 {
        match rest.next() {
            Some((_, b'=')) => {}
            other => return other.map_or(text.len(), |(offset, _)| offset - 1),
        }
    }
    rest.next().map_or(text.len(), |(offset, _)| offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_byte_at_which_go_stops() {
        for (text, at) in [
            ("YQ==YQ==", 4),
            ("YQ=== ", 4),
            ("YWJjZA=", 7),
            ("YWJjYQ==x", 8),
            ("YWI=YQ==", 4),
            ("YW==YW", 4),
            ("YW\nJ!", 4),
            ("\n\nabcde", 6),
            ("YWJj\nYWJ*", 8),
            ("=", 0),
            ("YQ=x", 2),
            ("YQ=\nx", 3),
            ("YQ=", 3),
            ("YQ==\n\nx", 6),
            ("Y=Q=", 1),
            ("YQI", 0),
            ("a", 0),
        ] {
            assert_eq!(error_offset(text.as_bytes()), at, "{text:?}");
        }
    }
}
