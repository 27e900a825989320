//! Lictor for JavaScript: what the npm package `lictor` compiles to WebAssembly.
//!
//! [`Server`] is one Consul server with a virtual clock, `WorldTimeline` a world of clients around
//! one, with the feature `world`. `bindings` and `world_bindings` export them to JavaScript, and
//! `js/npm` has the JavaScript of the package: `fetch`, event streams, timers. The modules under
//! `types` define what crosses the boundary; the TypeScript types of the package are generated from
//! them (types.d.ts, by the test `typescript`).

pub mod bindings;
pub mod client_bindings;
mod error;
mod options;
mod save;
mod server;
mod types;
#[cfg(feature = "world")]
mod world;
#[cfg(feature = "world")]
pub mod world_bindings;

pub use self::save::LoadError;
pub use self::server::{CallError, Server};
#[cfg(feature = "world")]
pub use self::world::{UnreadableWorld, WorldError, WorldTimeline};
