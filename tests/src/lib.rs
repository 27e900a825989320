//! What the tests share: the conformance vectors and the replayer that holds a server against them.
//!
//! `vector` reads a recorded story, `replay` tells it to a `server` in virtual time, `compare`
//! holds the answers against the recorded ones.

pub mod bench;
pub mod vector;

pub mod json;

pub mod server;

pub mod replay;

pub mod compare;

pub mod rules;

/// The committed vectors by name: their files' texts, in the order of their names.
pub const VECTORS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/vectors.rs"));
