//! Writes and reads records in frames with a length and checksums, so that a record that was cut
//! off can be distinguished from one that was damaged.
//!
//! A frame is three numbers (little-endian, 4 bytes each: the length of the content, its CRC-32,
//! the CRC-32 of these two) and the content in postcard's form.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The frames of a file, one after the other.
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    offset: usize,
}

/// Why a frame cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FrameError {
    /// The file ends before the frame does, or has only zeros there: the writer was interrupted.
    #[error("the record is cut off")]
    CutOff,
    #[error("the record's sum is wrong")]
    Sum,
    #[error("the record cannot be read")]
    Content,
    #[error("the record is too long")]
    TooLong,
}

/// The length of the three numbers of a frame, in bytes.
const HEAD: usize = 12;

/// Appends a record in its frame.
pub(crate) fn write(record: &impl Serialize, bytes: &mut Vec<u8>) -> Result<(), FrameError> {
    let content = postcard::to_allocvec(record).map_err(|_| FrameError::Content)?;
    let length = u32::try_from(content.len()).map_err(|_| FrameError::TooLong)?;
    let mut head = length.to_le_bytes().to_vec();
    head.extend(crc32fast::hash(&content).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    bytes.extend(head);
    bytes.extend(content);
    Ok(())
}

impl<'a> Frames<'a> {
    /// The frames from an offset on, which must not be beyond the end.
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { bytes, offset }
    }

    /// The offset of the next frame.
    pub(crate) fn at(&self) -> usize {
        self.offset
    }

    /// The next record; `None` at the end. After an error the offset is that of the bad frame.
    pub(crate) fn read<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let rest = &self.bytes[self.offset..];
        if rest.is_empty() {
            return Ok(None);
        }
        let head = rest.first_chunk::<HEAD>().ok_or(FrameError::CutOff)?;
        let [length, sum, head_sum] = numbers(head);
        if crc32fast::hash(&head[..8]) != head_sum {
            // After a crash of the system the file may be longer than the data that was written.
            let is_unwritten = rest.iter().all(|byte| *byte == 0);
            return Err(if is_unwritten { FrameError::CutOff } else { FrameError::Sum });
        }
        let end = HEAD + usize::try_from(length).map_err(|_| FrameError::TooLong)?;
        let content = rest.get(HEAD..end).ok_or(FrameError::CutOff)?;
        if crc32fast::hash(content) != sum {
            return Err(FrameError::Sum);
        }
        let record = postcard::from_bytes(content).map_err(|_| FrameError::Content)?;
        self.offset += end;
        Ok(Some(record))
    }
}

fn numbers(head: &[u8; HEAD]) -> [u32; 3] {
    let number = |start| {
        u32::from_le_bytes([head[start], head[start + 1], head[start + 2], head[start + 3]])
    };
    [number(0), number(4), number(8)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&"first", &mut bytes).expect("short");
        write(&"second", &mut bytes).expect("short");
        bytes
    }

    fn all(bytes: &[u8]) -> Result<Vec<String>, (usize, FrameError)> {
        let mut frames = Frames::new(bytes, 0);
        let mut records = Vec::new();
        while let Some(record) = frames.read().map_err(|error| (frames.at(), error))? {
            records.push(record);
        }
        Ok(records)
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        assert_eq!(all(&two()), Ok(vec!["first".into(), "second".into()]));
    }

    #[test]
    fn a_cut_anywhere_is_reported_as_a_cut() {
        let bytes = two();
        let first = bytes.len() - HEAD - "second".len() - 1;
        for end in 0..bytes.len() {
            let start = if end < first { 0 } else { first };
            let expected = if end == start { Ok(()) } else { Err((start, FrameError::CutOff)) };
            assert_eq!(all(&bytes[..end]).map(drop), expected, "cut at {end}");
        }
        let longer = [&bytes[..], &[0; 100]].concat();
        assert_eq!(all(&longer), Err((bytes.len(), FrameError::CutOff)));
    }

    #[test]
    fn a_changed_byte_anywhere_is_reported_as_damage() {
        for offset in 0..two().len() {
            let mut bytes = two();
            bytes[offset] ^= 0x10;
            let result = all(&bytes).map_err(|(_, error)| error);
            assert_eq!(result, Err(FrameError::Sum), "changed at {offset}");
        }
    }
}
