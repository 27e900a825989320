//! Reads the sizes of the chunks of a body, and refuses lines with sizes that are much longer than
//! the data, as Go's `net/http` does.

/// The longest line with a size, and the longest trailer, in bytes.
pub(super) const LINE_MAX: usize = 4096;

/// The bytes that lines with sizes may have in addition to 16 for each chunk and two for each byte
/// of data.
const EXCESS_MAX: u64 = 16 * 1024;

/// The error of a body that is not in chunks as HTTP defines them, or is over a limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MalformedChunk;

/// Reads the sizes of the chunks of one body, and counts the bytes of their lines that are more
/// than the data allows.
#[derive(Debug, Default)]
pub(super) struct ChunkSizes {
    excess: u64,
}

impl ChunkSizes {
    /// The size of a chunk in bytes, by its first line, which ends in CR and LF.
    pub(super) fn read(&mut self, line: &[u8]) -> Result<u64, MalformedChunk> {
        let text = line.strip_suffix(b"\r\n").ok_or(MalformedChunk)?;
        let digits = text.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
        let text = str::from_utf8(digits).unwrap_or_default();
        let is_number =
            (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let size = u64::from_str_radix(text, 16).ok().filter(|_| is_number);
        let size = size.ok_or(MalformedChunk)?;
        let allowed = size.saturating_mul(2).saturating_add(16);
        self.excess = (self.excess + line.len() as u64).saturating_sub(allowed);
        if self.excess > EXCESS_MAX {
            return Err(MalformedChunk);
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<u64> {
        ChunkSizes::default().read(line.as_bytes()).ok()
    }

    #[test]
    fn a_size_is_hexadecimal_and_may_have_an_extension() {
        for (line, size) in [
            ("0\r\n", Some(0)),
            ("aF\r\n", Some(175)),
            ("2;a=b\r\n", Some(2)),
            ("2 \r\n", Some(2)),
            ("ffffffffffffffff\r\n", Some(u64::MAX)),
            ("10000000000000000\r\n", None),
            ("2\n", None),
            ("\r\n", None),
            (" 2\r\n", None),
            ("+2\r\n", None),
            ("0x2\r\n", None),
            (";a\r\n", None),
        ] {
            assert_eq!(read(line), size, "{line:?}");
        }
    }

    #[test]
    fn extensions_may_not_be_the_most_of_a_body() {
        let mut sizes = ChunkSizes::default();
        let line = format!("1;{}\r\n", "x".repeat(2000));
        let admitted = (0..20).take_while(|_| sizes.read(line.as_bytes()).is_ok()).count();
        assert_eq!(admitted, 8);
    }
}
