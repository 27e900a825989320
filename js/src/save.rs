//! Saves a server and loads it: its whole state with its clock, timers and random numbers, in
//! postcard's format after a header. Truncated, damaged, foreign and inconsistent bytes are
//! refused.
//!
//! Blocking queries are cancelled when a server is loaded, because no connection survives that
//! could take their answers.

use lictor_core::engine::Engine;
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::server::Server;

/// The first bytes of every saved server.
const MAGIC: [u8; 8] = *b"\x89consul\n";
/// Increased when the format changes.
const VERSION: u32 = 1;
/// Magic, version (4 bytes), checksum of the content (4); both little-endian.
const HEAD: usize = 16;
/// JavaScript's whole numbers are exact up to this one.
const EXACT_MAX: u64 = 1 << 53;

/// Why bytes are not a saved server.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// They do not begin as a saved server does.
    #[error("these bytes are not a saved server")]
    NotASave,
    /// It was saved in another format, by another version of this package.
    #[error("the server was saved in format {found}, and this version of lictor reads {VERSION}")]
    UnknownVersion {
        /// The format of the bytes.
        found: u32,
    },
    /// The checksum does not match, or the content cannot be read.
    #[error("the saved server is damaged")]
    Damaged,
    /// The content violates an invariant, or has a number that JavaScript cannot represent.
    #[error("the saved server contradicts itself: {0}")]
    Inconsistent(&'static str),
}

#[derive(Serialize)]
struct Saved<'a> {
    engine: &'a Engine,
    now: Instant,
    last_request: u64,
}

#[derive(Deserialize)]
struct Loaded {
    engine: Engine,
    now: Instant,
    last_request: u64,
}

impl Server {
    /// The server as bytes.
    pub fn save(&self) -> Vec<u8> {
        let saved =
            Saved { engine: self.engine(), now: self.now(), last_request: self.last_request() };
        let content = postcard::to_allocvec(&saved).expect("a Vec takes all bytes");
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(crc32fast::hash(&content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    /// The server that [`Server::save`] wrote. Fails if the bytes are anything else.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(LoadError::NotASave)?;
        let (version, rest) = number(rest).ok_or(LoadError::Damaged)?;
        if version != VERSION {
            return Err(LoadError::UnknownVersion { found: version });
        }
        let (checksum, content) = number(rest).ok_or(LoadError::Damaged)?;
        debug_assert_eq!(bytes.len() - content.len(), HEAD);
        if crc32fast::hash(content) != checksum {
            return Err(LoadError::Damaged);
        }
        let (loaded, rest) =
            postcard::take_from_bytes::<Loaded>(content).map_err(|_| LoadError::Damaged)?;
        if !rest.is_empty() {
            return Err(LoadError::Damaged);
        }
        let Loaded { engine, now, last_request } = loaded;
        if let Some(violated) = engine.invariant_violation() {
            return Err(LoadError::Inconsistent(violated));
        }
        if engine.index().0.max(last_request) > EXACT_MAX {
            return Err(LoadError::Inconsistent("a number is above 2^53"));
        }
        Ok(Self::resumed(engine, now, last_request))
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*first), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::engine::Config;
    use lictor_core::http::HttpRequest;
    use std::time::Duration;

    fn used() -> Server {
        let mut server = Server::new(Config::default(), 7);
        let body = br#"{"TTL":"10s"}"#;
        server.request(&HttpRequest::new("PUT", "/v1/session/create", body));
        server.request(&HttpRequest::new("PUT", "/v1/kv/a?flags=3304740253564472344", b"x"));
        server.advance(Duration::from_millis(1_500));
        server
    }

    #[test]
    fn a_loaded_server_continues_with_its_clock_its_timers_and_its_ids() {
        let mut server = used();
        let mut loaded = Server::load(&server.save()).expect("it was just saved");
        assert_eq!(loaded.now(), server.now());
        for server in [&mut server, &mut loaded] {
            server.advance_to_next();
            server.take_answers();
            server.request(&HttpRequest::new("PUT", "/v1/session/create", b""));
        }
        assert_eq!(loaded.now(), Instant::from_millis(20_000));
        assert_eq!(loaded.take_answers(), server.take_answers());
        assert_eq!(loaded.engine(), server.engine());
    }

    #[test]
    fn a_loaded_server_has_no_blocking_queries() {
        let mut server = used();
        let target = format!("/v1/kv/a?index={}", server.engine().index().0);
        server.request(&HttpRequest::new("GET", &target, b""));
        assert_eq!(server.engine().parked().count(), 1);
        let loaded = Server::load(&server.save()).expect("it was just saved");
        assert_eq!(loaded.engine().parked().count(), 0);
    }

    #[test]
    fn every_changed_or_missing_byte_is_noticed() {
        let saved = used().save();
        for length in 0..saved.len() {
            assert!(Server::load(&saved[..length]).is_err(), "{length}");
        }
        for offset in 0..saved.len() {
            let mut bytes = saved.clone();
            bytes[offset] ^= 0x10;
            assert!(Server::load(&bytes).is_err(), "{offset}");
        }
        let mut newer = saved;
        newer[8] = 9;
        let error = Server::load(&newer).expect_err("it is newer");
        assert_eq!(error, LoadError::UnknownVersion { found: 9 });
    }
}
