//! The Rust part of the npm package `lictor`, which is compiled to three WebAssembly files; a
//! feature for each decides which functions it exports.
//!
//! [`Server`] is one Consul server with a virtual clock, `WorldTimeline` a world of clients around
//! one. The JavaScript part, in `js/npm`, has `fetch`, event streams and timers. The values that
//! JavaScript receives are the types in `types`, from which the TypeScript types are generated.
#![cfg_attr(not(feature = "server"), expect(dead_code, reason = "only bindings are left out"))]

#[cfg(feature = "server")]
pub mod bindings;
pub mod boundary;
#[cfg(feature = "server")]
pub mod client_bindings;
mod error;
#[cfg(feature = "incident")]
pub mod incident_bindings;
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
