//! Consul's sessions, locks and key/value store as a deterministic engine: no clock, no I/O,
//! no_std.
//!
//! Begin with [`Consul`], a server with a virtual clock in one value:
//!
//! ```
//! use core::time::Duration;
//! use lictor_core::Consul;
//!
//! let mut consul = Consul::seeded(1);
//! let session = consul.session().ttl(Duration::from_secs(10)).create()?;
//! assert!(consul.acquire("service/db/leader", "web-1", session)?.is_true());
//! consul.advance(Duration::from_secs(20));
//! assert!(consul.get("service/db/leader")?.expect("the key stays").holder().is_none());
//! # Ok::<(), lictor_core::error::Error>(())
//! ```
//!
//! Below it, each layer can be used by itself:
//!
//! - [`store`] is the pure state. One command of the log at a time changes it.
//! - [`engine`] is the leader around it: it creates ids, keeps the timers of sessions and
//!   lock-delays, and parks blocking queries. Its one function, [`engine::Engine::step`], takes the
//!   time and one input and returns every effect: the same inputs give the same results everywhere.
//! - [`http`] decodes Consul's HTTP requests and encodes its answers, as values.
//!
//! What a caller has to handle in full, such as [`engine::Effect`], [`engine::Event`] and
//! [`error::Reason`], can be matched without a wildcard; a new variant is a breaking change. All
//! other enums and the configuration are `non_exhaustive`.
//!
//! Behaviour follows Consul 1.22.7, or 1.13.9 if [`engine::Config`] says so. Ids such as `LCK-03`
//! in comments name the rules in `docs/en/reference/behaviour.md`.
#![no_std]
#![warn(missing_docs)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod config;
mod consul;
pub mod engine;
pub mod error;
pub mod filter;
pub mod http;
pub mod id;
pub mod message;
pub mod store;
mod strconv;
pub mod time;
pub mod user_event;
mod version;

// Other packages of Lictor share these tools: Go's durations, JSON and regular expressions, one
// generator of random numbers, tables of deadlines and of ended sessions. They say nothing about
// Consul to a user of this library, and may change in any release.
#[doc(hidden)]
pub mod deadlines;
#[doc(hidden)]
pub mod duration;
#[doc(hidden)]
pub mod ended_sessions;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod regexp;
#[doc(hidden)]
pub mod rng;

pub use self::consul::{Consul, Handle, SessionBuilder, Watch, Watched, Written};
pub use self::version::{ConsulVersion, UnknownVersion};
