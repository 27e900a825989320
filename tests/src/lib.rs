//! What the tests share: recorded conformance vectors, a model, random worlds and their checks.
//!
//! `vector` reads recorded exchanges, `replay` sends them to a `server` in virtual time, `compare`
//! compares the answers. `model` implements the rules a second time; `model_comparison` takes the
//! same `model_steps` in it and in the engine. `random_acts`, `random_faults` and `random_programs`
//! choose what happens in a simulated world; `checked_world` and `random_worlds` check the result.
//! `fuzz` has the targets for arbitrary bytes, `rules` lists the files that implement each rule,
//! `real_time` runs client programs over HTTP, `tables` writes their state tables, and `bench` has
//! the rows of the benchmark.

pub mod vector;

pub mod json;

pub mod server;

pub mod replay;

pub mod compare;

pub mod model;

pub mod dice;

pub mod model_steps;

pub mod model_comparison;

pub mod random_acts;

pub mod random_faults;

pub mod random_programs;

pub mod random_worlds;

pub mod checked_world;

pub mod fuzz;

pub mod compatibility;
pub mod rules;

#[cfg(not(target_arch = "wasm32"))]
pub mod real_time;

pub mod tables;

pub mod bench;

/// The committed vectors of all versions by name: their files' texts, in the order of their names.
pub const VECTORS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/vectors.rs"));
