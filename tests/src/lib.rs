//! What the tests share: the conformance vectors and the replayer that holds a server against them.
//!
//! `vector` reads a recorded story, `replay` tells it to a `server` in virtual time, `compare`
//! holds the answers against the recorded ones. `model` is a second opinion on the rules, which
//! `pair` holds the engine against in `steps`; `journal` writes random lives of a world with
//! the `misfortune` and the `cast` in them, and `checks` watches them; a `swarm` of worlds is
//! lived through with all of that; `fuzz` feeds what nobody means; `rules` lists where each rule is
//! kept.
//! `live` runs the core's client programs in real time, `tables` walks through their states.

pub mod vector;

pub mod json;

pub mod server;

pub mod replay;

pub mod compare;

pub mod model;

pub mod steps;

pub mod pair;

pub mod journal;

pub mod misfortune;

pub mod cast;

pub mod swarm;

pub mod checks;

pub mod fuzz;

pub mod rules;

#[cfg(not(target_arch = "wasm32"))]
pub mod live;

pub mod tables;

pub mod bench;

/// The committed vectors by name: their files' texts, in the order of their names.
pub const VECTORS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/vectors.rs"));
