//! Lictor for JavaScript: what the npm package `lictor` compiles to WebAssembly.
//!
//! [`Server`] is one Consul server with a virtual clock. `bindings` exports it to JavaScript, and
//! `js/npm` has the JavaScript of the package: `fetch`, event streams, timers. The modules under
//! `types` define what crosses the boundary; the TypeScript types of the package are generated from
//! them (types.d.ts, by the test `typescript`).

pub mod bindings;
pub mod client_bindings;
pub mod contender;
mod error;
mod options;
mod save;
mod server;
mod types;

pub use self::save::LoadError;
pub use self::server::{CallError, Server};
