//! The parts that tests, tools and the benchmark share: recorded exchanges of Consul and their
//! replay, a model of the engine's rules, random worlds and their checks, fuzz targets, programs in
//! real time, the tables of generated documents, and the rows of the benchmark.

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
