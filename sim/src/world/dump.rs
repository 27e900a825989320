//! Binary dumps of a world, with everything that its future depends on: clocks, blocking queries
//! and the state of random numbers.
//!
//! A header (magic, version, length, checksum) precedes the content in postcard's format.
//! Truncated, damaged, newer, too old and inconsistent dumps are errors.

use alloc::vec::Vec;

use super::World;
use crate::checksum::CHECKSUM;

/// The first bytes of every dump.
const MAGIC: [u8; 8] = *b"\x89lictor\n";
/// Increased when older programs cannot read the format.
const VERSION: u32 = 7;
/// The oldest version that is still read. Each later one has added a field to the end of a world
/// that is empty in an older one: connections, and an election.
const OLDEST: u32 = 5;
/// Magic, version (4 bytes), length of the content (8), checksum of everything else (4); all
/// little-endian.
const HEAD: usize = 24;

/// Why bytes are not a dump of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// They do not begin as a dump does.
    #[error("this is not a dump of a world")]
    NotADump,
    /// A newer version of this program has written it, or one that is too old.
    #[error("the dump has version {found}; this program reads {known}")]
    UnknownVersion {
        /// The version of the dump.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// There are fewer bytes than the length in its header.
    #[error("the dump is cut off: {found} of {expected} bytes")]
    CutOff {
        /// The length in its header, with the header.
        expected: u64,
        /// The number of bytes.
        found: u64,
    },
    /// Its checksum does not match, or its content cannot be read.
    #[error("the dump is damaged")]
    Damaged,
    /// Its content violates this invariant of a world.
    #[error("the dump is at odds with itself: {0}")]
    AtOdds(&'static str),
}

impl World {
    /// The dump of the world.
    pub fn dump(&self) -> Vec<u8> {
        let mut dump = Vec::from(MAGIC);
        dump.extend(VERSION.to_le_bytes());
        dump.resize(HEAD, 0);
        let mut dump = postcard::to_extend(self, dump).expect("a Vec takes all bytes");
        let length = (dump.len() - HEAD) as u64;
        dump[12..20].copy_from_slice(&length.to_le_bytes());
        let sum = sum_of(&dump);
        dump[20..HEAD].copy_from_slice(&sum.to_le_bytes());
        dump
    }

    /// The world of a dump.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a dump, are damaged, cut off or of another version, or describe a
    /// world that cannot exist.
    pub fn restore(dump: &[u8]) -> Result<Self, DumpError> {
        let begun = dump.len().min(MAGIC.len());
        if begun == 0 || dump[..begun] != MAGIC[..begun] {
            return Err(DumpError::NotADump);
        }
        let found = dump.len() as u64;
        let cut_off = |expected| DumpError::CutOff { expected, found };
        let head = dump.first_chunk::<HEAD>().ok_or(cut_off(HEAD as u64))?;
        let version = number(&head[8..12]) as u32;
        if !(OLDEST..=VERSION).contains(&version) {
            return Err(DumpError::UnknownVersion { found: version, known: VERSION });
        }
        let expected = number(&head[12..20]).saturating_add(HEAD as u64);
        if found < expected {
            return Err(cut_off(expected));
        }
        if found > expected || number(&head[20..]) != u64::from(sum_of(dump)) {
            return Err(DumpError::Damaged);
        }
        // The fields that an older version lacks are empty, each of which is one zero byte.
        let mut content = Vec::from(&dump[HEAD..]);
        content.extend((version..VERSION).map(|_| 0));
        let world: Self = postcard::from_bytes(&content).map_err(|_| DumpError::Damaged)?;
        world
            .invariant_violation()
            .map_or(Ok(world), |invariant_violation| Err(DumpError::AtOdds(invariant_violation)))
    }
}

/// The checksum of everything but itself.
fn sum_of(dump: &[u8]) -> u32 {
    let mut sum = CHECKSUM.digest();
    sum.update(&dump[..20]);
    sum.update(&dump[HEAD..]);
    sum.finalize()
}

/// Little-endian.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::Act;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::ActorName;

    fn world() -> World {
        let mut world = World::new(7);
        let actor = ActorName::from("a");
        world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        for target in ["/v1/session/create", "/v1/kv/a?flags=3", "/v1/kv/a"] {
            let request = HttpRequest::new("PUT", target, br#"{"TTL": "10s"}"#);
            world.perform(Act::Request { actor: actor.clone(), request }).expect("it is possible");
        }
        let request = HttpRequest::new("GET", "/v1/kv/a?index=99", b"");
        world.perform(Act::Request { actor, request }).expect("it is possible");
        world
    }

    #[test]
    fn a_restored_world_is_the_same() {
        let world = world();
        assert_eq!(World::restore(&world.dump()).as_ref(), Ok(&world));
    }

    #[test]
    fn a_truncated_dump_is_refused() {
        let dump = world().dump();
        for length in 1..dump.len() {
            let found = World::restore(&dump[..length]);
            assert!(matches!(found, Err(DumpError::CutOff { .. })), "{length}: {found:?}");
        }
        assert_eq!(World::restore(b""), Err(DumpError::NotADump));
    }

    #[test]
    fn a_dump_with_one_changed_bit_is_refused() {
        let dump = world().dump();
        for at in 0..dump.len() {
            let mut damaged = dump.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(World::restore(&damaged).is_err(), "at byte {at}");
        }
        let longer = [dump.as_slice(), b"\0"].concat();
        assert_eq!(World::restore(&longer), Err(DumpError::Damaged));
    }

    #[test]
    fn a_newer_version_is_reported() {
        let mut dump = world().dump();
        dump[8] = 8;
        let error = World::restore(&dump).err().map(|error| alloc::format!("{error}"));
        assert_eq!(error.as_deref(), Some("the dump has version 8; this program reads 7"));
    }
}
