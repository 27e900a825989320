//! Base64 as Consul's bodies have it, and its form for addresses. It reads and writes what the
//! crate base64 does, with the same complaints; that one unrolls every step, which is a good part
//! of the page's code.

use alloc::string::String;
use alloc::vec::Vec;

/// An alphabet, and whether a text in it is filled up with `=`.
pub struct Base64 {
    symbols: &'static [u8; 64],
    is_padded: bool,
}

/// The form of bodies.
pub const STANDARD: Base64 = Base64 {
    symbols: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    is_padded: true,
};

/// The form of addresses: nothing in it has to be escaped.
pub const URL: Base64 = Base64 {
    symbols: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    is_padded: false,
};

/// Why a text is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("Invalid symbol {byte}, offset {at}.")]
    Symbol { at: usize, byte: u8 },
    #[error("Invalid input length: {0}")]
    Length(usize),
    /// It has bits that belong to no byte.
    #[error("Invalid last symbol {byte}, offset {at}.")]
    LastSymbol { at: usize, byte: u8 },
    #[error("Invalid padding")]
    Padding,
}

const PAD: u8 = b'=';

impl Base64 {
    pub fn encode(&self, bytes: impl AsRef<[u8]>) -> String {
        self.encode_bytes(bytes.as_ref())
    }

    pub fn decode(&self, text: impl AsRef<[u8]>) -> Result<Vec<u8>, Fault> {
        self.decode_bytes(text.as_ref())
    }

    fn encode_bytes(&self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
        for chunk in bytes.chunks(3) {
            let mut bits = 0;
            for place in 0..3 {
                bits = (bits << 8) | u32::from(chunk.get(place).copied().unwrap_or(0));
            }
            for place in 0..4 {
                if place <= chunk.len() {
                    let symbol = (bits >> (18 - 6 * place)) & 63;
                    text.push(char::from(self.symbols[symbol as usize]));
                } else if self.is_padded {
                    text.push(char::from(PAD));
                }
            }
        }
        text
    }

    fn decode_bytes(&self, text: &[u8]) -> Result<Vec<u8>, Fault> {
        // Where the last four symbols begin, or what is there of them.
        let tail = text.len().saturating_sub(1) / 4 * 4;
        if let ([.., last], 1) = (text, text.len() % 4)
            && *last != PAD
        {
            self.value(text.len() - 1, *last)?;
        }
        let (mut bytes, mut bits) = (Vec::with_capacity(text.len().div_ceil(4) * 3), 0);
        let (mut end, mut padding) = (0, None);
        for (at, &byte) in text.iter().enumerate() {
            if byte == PAD && at >= tail + 2 {
                padding = padding.or(Some(at));
                continue;
            }
            if let Some(at) = padding {
                return Err(Fault::Symbol { at, byte: PAD });
            }
            bits = (bits << 6) | self.value(at, byte)?;
            end = at + 1;
            if end.is_multiple_of(4) {
                bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            }
        }
        self.check_end(text, end, padding)?;
        // Two symbols are left over for one byte, three for two.
        let spare = match end % 4 {
            2 => 4,
            3 => 2,
            _ => return Ok(bytes),
        };
        if bits & ((1 << spare) - 1) != 0 {
            return Err(Fault::LastSymbol { at: end - 1, byte: text[end - 1] });
        }
        let left = (bits >> spare).to_be_bytes();
        bytes.extend_from_slice(&left[5 - end % 4..]);
        Ok(bytes)
    }

    /// Whether a text may end like that: behind its last symbol, with padding from there on.
    fn check_end(&self, text: &[u8], end: usize, padding: Option<usize>) -> Result<(), Fault> {
        let is_full = text.len().is_multiple_of(4);
        let is_whole = if self.is_padded { is_full } else { padding.is_none() };
        match end % 4 {
            1 => Err(Fault::Length(end)),
            _ if !is_whole => Err(Fault::Padding),
            _ => Ok(()),
        }
    }

    fn value(&self, at: usize, byte: u8) -> Result<u32, Fault> {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            _ if byte == self.symbols[62] => 62,
            _ if byte == self.symbols[63] => 63,
            _ => return Err(Fault::Symbol { at, byte }),
        };
        Ok(u32::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::Gather;
    use alloc::string::ToString;
    use base64::Engine as _;
    use base64::engine::general_purpose;

    /// All texts of up to so many bytes out of a few.
    fn texts(longest: usize) -> Vec<Vec<u8>> {
        let mut texts = alloc::vec![Vec::new()];
        let mut from = 0;
        for _ in 0..longest {
            let until = texts.len();
            for shorter in from..until {
                for byte in b"AQw9+-=\n" {
                    let mut text = texts[shorter].clone();
                    text.push(*byte);
                    texts.push(text);
                }
            }
            from = until;
        }
        texts
    }

    #[test]
    fn texts_are_read_as_the_crate_base64_reads_them() {
        for text in texts(6) {
            for start in ["", "bGlj"] {
                let text = [start.as_bytes(), &text].concat();
                let ours = STANDARD.decode(&text).map_err(|fault| fault.to_string());
                let theirs = general_purpose::STANDARD.decode(&text);
                assert_eq!(ours, theirs.map_err(|fault| fault.to_string()), "{text:?}");
                let ours = URL.decode(&text).map_err(|fault| fault.to_string());
                let theirs = general_purpose::URL_SAFE_NO_PAD.decode(&text);
                assert_eq!(ours, theirs.map_err(|fault| fault.to_string()), "{text:?}");
            }
        }
    }

    #[test]
    fn bytes_are_written_as_the_crate_base64_writes_them() {
        for length in 0..20 {
            let bytes: Vec<u8> =
                (0..length).map(|place: u8| place.wrapping_mul(83) ^ 0xfb).gather();
            let theirs = general_purpose::STANDARD.encode(&bytes);
            assert_eq!(STANDARD.encode(&bytes), theirs);
            assert_eq!(URL.encode(&bytes), general_purpose::URL_SAFE_NO_PAD.encode(&bytes));
        }
    }
}
