//! Records in a file: each in a frame with its length and sums, so that a record which was cut off
//! can be told from one that was damaged.
//!
//! A frame is three numbers (little-endian, 4 bytes each: length, sum of the content, sum of these
//! two) and the content in postcard's form.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The frames of a file, one after the other.
pub(crate) struct Frames<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The file ends before the frame does: the writer was interrupted.
    #[error("the record is cut off")]
    CutOff,
    #[error("the record's sum is wrong")]
    Sum,
    #[error("the record cannot be read")]
    Content,
    #[error("the record is too long")]
    TooLong,
}

const HEAD: usize = 12;

/// Appends a record in its frame.
pub(crate) fn write(record: &impl Serialize, bytes: &mut Vec<u8>) -> Result<(), Fault> {
    let content = postcard::to_allocvec(record).map_err(|_| Fault::Content)?;
    let length = u32::try_from(content.len()).map_err(|_| Fault::TooLong)?;
    let mut head = length.to_le_bytes().to_vec();
    head.extend(crc32fast::hash(&content).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    bytes.extend(head);
    bytes.extend(content);
    Ok(())
}

impl<'a> Frames<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Where the next frame begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next record; none at the end.
    pub(crate) fn read<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        let head = rest.first_chunk::<HEAD>().ok_or(Fault::CutOff)?;
        let [length, sum, head_sum] = numbers(head);
        if crc32fast::hash(&head[..8]) != head_sum {
            // A system that went down may have made the file longer without filling it.
            let is_unwritten = rest.iter().all(|byte| *byte == 0);
            return Err(if is_unwritten { Fault::CutOff } else { Fault::Sum });
        }
        let end = HEAD + usize::try_from(length).map_err(|_| Fault::TooLong)?;
        let content = rest.get(HEAD..end).ok_or(Fault::CutOff)?;
        if crc32fast::hash(content) != sum {
            return Err(Fault::Sum);
        }
        let record = postcard::from_bytes(content).map_err(|_| Fault::Content)?;
        self.at += end;
        Ok(Some(record))
    }
}

fn numbers(head: &[u8; HEAD]) -> [u32; 3] {
    let number = |at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
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

    fn all(bytes: &[u8]) -> Result<Vec<String>, (usize, Fault)> {
        let mut frames = Frames::new(bytes, 0);
        let mut records = Vec::new();
        while let Some(record) = frames.read().map_err(|fault| (frames.at(), fault))? {
            records.push(record);
        }
        Ok(records)
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        assert_eq!(all(&two()), Ok(vec!["first".into(), "second".into()]));
    }

    #[test]
    fn a_cut_anywhere_is_known_as_such() {
        let bytes = two();
        let first = bytes.len() - HEAD - "second".len() - 1;
        for end in 0..bytes.len() {
            let start = if end < first { 0 } else { first };
            let expected = if end == start { Ok(()) } else { Err((start, Fault::CutOff)) };
            assert_eq!(all(&bytes[..end]).map(drop), expected, "cut at {end}");
        }
        let longer = [&bytes[..], &[0; 100]].concat();
        assert_eq!(all(&longer), Err((bytes.len(), Fault::CutOff)));
    }

    #[test]
    fn a_changed_byte_anywhere_is_noticed() {
        for at in 0..two().len() {
            let mut bytes = two();
            bytes[at] ^= 0x10;
            let fault = all(&bytes).map_err(|(_, fault)| fault);
            assert_eq!(fault, Err(Fault::Sum), "changed at {at}");
        }
    }
}
