//! Encodes the numbers and texts of a link: varints, repeated texts as numbers, and ids of sessions
//! by the order in which the server created them. An id therefore takes few bytes, and a link keeps
//! its meaning if a later server draws other ids.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use lictor_core::id::SessionId;

use crate::ids::{LENGTH, ids_in};

/// Texts that every link may use by number. They are part of the format; adding one needs a new
/// version.
const KNOWN: [&[u8]; 6] = [b"", b"GET", b"PUT", b"DELETE", b"POST", b"{}"];
/// Precedes the number of an id within a text, or 0 for this byte itself. It does not occur in
/// UTF-8.
const ESCAPE: u8 = 0xff;
/// The limit in bytes of all texts of a link together, however often they occur.
const ROOM: usize = 64 << 20;

/// The link is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damaged;

#[derive(Clone, Debug)]
pub(super) struct SymbolWriter {
    pub(super) bytes: Vec<u8>,
    texts: BTreeMap<Vec<u8>, u64>,
    made: BTreeMap<SessionId, u64>,
}

#[derive(Clone, Debug)]
pub(super) struct SymbolReader<'a> {
    rest: &'a [u8],
    texts: Vec<Vec<u8>>,
    made: Vec<SessionId>,
    room: usize,
}

impl SymbolWriter {
    pub(super) fn new() -> Self {
        let mut texts = BTreeMap::new();
        for (number, text) in (1..).zip(KNOWN) {
            texts.insert(text.to_vec(), number);
        }
        Self { bytes: Vec::new(), texts, made: BTreeMap::new() }
    }

    /// Ids that the server gave.
    pub(super) fn learn(&mut self, ids: &[SessionId]) {
        for id in ids {
            let number = self.made.len() as u64 + 1;
            self.made.insert(*id, number);
        }
    }

    pub(super) fn number(&mut self, number: u64) {
        write_number(&mut self.bytes, number);
    }

    /// A text that is an id is an odd number, the latest id the smallest. An earlier text is its
    /// number, doubled. A new text follows a 0 and gets the next number.
    pub(super) fn text(&mut self, text: &[u8]) {
        if let Some(place) = self.number_of_id(text) {
            return self.number((self.made.len() as u64 - place) << 1 | 1);
        }
        let text = self.symbolic(text);
        if let Some(number) = self.texts.get(&text) {
            return self.number(*number << 1);
        }
        self.number(0);
        self.number(text.len() as u64);
        self.bytes.extend(&text);
        self.texts.insert(text, self.texts.len() as u64 + 1);
    }

    /// The number of an id in the order of creation, if the text is exactly an id.
    fn number_of_id(&self, text: &[u8]) -> Option<u64> {
        if text.len() != LENGTH {
            return None;
        }
        let (_, id) = ids_in(text).next()?;
        self.made.get(&id).copied()
    }

    fn symbolic(&self, text: &[u8]) -> Vec<u8> {
        let mut symbolic = Vec::new();
        let mut done = 0;
        for (at, id) in ids_in(text) {
            if let Some(number) = self.made.get(&id) {
                escape(&mut symbolic, &text[done..at]);
                symbolic.push(ESCAPE);
                write_number(&mut symbolic, *number);
                done = at + LENGTH;
            }
        }
        escape(&mut symbolic, &text[done..]);
        symbolic
    }
}

impl<'a> SymbolReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let texts = KNOWN.iter().map(|text| text.to_vec()).collect();
        Self { rest: bytes, texts, made: Vec::new(), room: ROOM }
    }

    /// Ids that the server gave.
    pub(super) fn learn(&mut self, ids: &[SessionId]) {
        self.made.extend_from_slice(ids);
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn byte(&mut self) -> Result<u8, Damaged> {
        let (byte, rest) = self.rest.split_first().ok_or(Damaged)?;
        self.rest = rest;
        Ok(*byte)
    }

    pub(super) fn number(&mut self) -> Result<u64, Damaged> {
        read_number(&mut self.rest)
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, Damaged> {
        let number = self.number()?;
        let place = usize::try_from(number >> 1).map_err(|_| Damaged)?;
        if number & 1 == 1 {
            let id = self.recent_id(place).ok_or(Damaged)?.to_string().into_bytes();
            return self.literal(&[]).map(|_| id);
        }
        let text = match place.checked_sub(1) {
            Some(place) => self.texts.get(place).ok_or(Damaged)?.clone(),
            None => {
                let length = usize::try_from(self.number()?).map_err(|_| Damaged)?;
                let (text, rest) = self.rest.split_at_checked(length).ok_or(Damaged)?;
                self.rest = rest;
                self.texts.push(text.to_vec());
                text.to_vec()
            }
        };
        self.literal(&text)
    }

    /// The id that the server created this many ids before the latest one.
    fn recent_id(&self, ago: usize) -> Option<SessionId> {
        self.made.iter().rev().nth(ago).copied()
    }

    pub(super) fn text(&mut self) -> Result<String, Damaged> {
        String::from_utf8(self.bytes()?).map_err(|_| Damaged)
    }

    fn literal(&mut self, symbolic: &[u8]) -> Result<Vec<u8>, Damaged> {
        let mut literal = Vec::new();
        let mut rest = symbolic;
        while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
            literal.extend(&rest[..at]);
            rest = &rest[at + 1..];
            match read_number(&mut rest)?.checked_sub(1) {
                None => literal.push(ESCAPE),
                Some(place) => {
                    let id = usize::try_from(place).ok().and_then(|place| self.made.get(place));
                    literal.extend(id.ok_or(Damaged)?.to_string().bytes());
                }
            }
        }
        literal.extend(rest);
        self.room = self.room.checked_sub(literal.len()).ok_or(Damaged)?;
        Ok(literal)
    }
}

fn escape(symbolic: &mut Vec<u8>, text: &[u8]) {
    for byte in text {
        symbolic.push(*byte);
        if *byte == ESCAPE {
            symbolic.push(0);
        }
    }
}

fn write_number(bytes: &mut Vec<u8>, number: u64) {
    let written = postcard::to_extend(&number, core::mem::take(bytes));
    *bytes = written.expect("a Vec takes all bytes");
}

fn read_number(rest: &mut &[u8]) -> Result<u64, Damaged> {
    let (number, after) = postcard::take_from_bytes(rest).map_err(|_| Damaged)?;
    *rest = after;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for number in [0, 1, 127, 128, 300, 1 << 32, u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            assert_eq!(read_number(&mut bytes.as_slice()), Ok(number));
        }
        let too_large = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02];
        assert_eq!(read_number(&mut too_large.as_slice()), Err(Damaged));
        assert_eq!(read_number(&mut [0x80].as_slice()), Err(Damaged));
    }

    #[test]
    fn an_id_before_the_first_one_is_damage() {
        let id = SessionId::from_bytes([7; 16]);
        let mut reader = SymbolReader::new(&[]);
        reader.learn(&[id]);
        assert_eq!(reader.recent_id(0), Some(id));
        // In a browser a link can contain the largest `usize`: 2^32 - 1.
        for ago in [1, usize::MAX - 1, usize::MAX] {
            assert_eq!(reader.recent_id(ago), None);
        }
        for number in [3, (u64::from(u32::MAX) << 1) | 1, u64::MAX] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            let mut reader = SymbolReader::new(&bytes);
            reader.learn(&[id]);
            assert_eq!(reader.bytes(), Err(Damaged), "{number}");
        }
    }

    #[test]
    fn repeated_texts_and_ids_take_few_bytes() {
        let id = SessionId::parse("adf4238a-882b-9ddc-4a9d-5b6758e4159e").expect("an id");
        let text = alloc::format!("a={id}&b=\u{e9}");
        let mut writer = SymbolWriter::new();
        writer.learn(&[id]);
        writer.text(text.as_bytes());
        assert!(writer.bytes.len() < 15, "{:?}", writer.bytes);
        let once = writer.bytes.len();
        writer.text(text.as_bytes());
        assert_eq!(writer.bytes.len(), once + 1);
        writer.text(&[ESCAPE, 1, ESCAPE]);
        let mut reader = SymbolReader::new(&writer.bytes);
        reader.learn(&[id]);
        assert_eq!(reader.text().as_deref(), Ok(text.as_str()));
        assert_eq!(reader.text().as_deref(), Ok(text.as_str()));
        assert_eq!(reader.bytes(), Ok([ESCAPE, 1, ESCAPE].to_vec()));
        assert!(reader.is_at_end());
    }
}
