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
//!   lock-delays, and parks blocking queries. [`engine::Engine::step`] takes the time and
//!   one input and returns every effect: the same inputs give the same results everywhere.
//! - [`http`] decodes Consul's HTTP requests and encodes its answers, as values.
//!
//! # The contract of the engine
//!
//! An [`engine::Engine`] does nothing by itself. A program that steps one keeps these rules;
//! [`Consul`] keeps them for its user.
//!
//! - **It handles all effects of a step**, in their order. The engine keeps none of them. The
//!   answer to a request may come from its own step or from a later one: a blocking query is
//!   answered by the step that changes what it reads, after the writer, or by the step in which its
//!   wait ends.
//! - **It steps the engine by [`next_deadline`](engine::Engine::next_deadline)**, with
//!   [`Input::Tick`](engine::Input::Tick) if nothing else happens, and reads the deadline again
//!   after each step. A late step has the same effects as timely ones; events have the time of
//!   their deadline, but answers have no time.
//! - **It numbers requests** so that no request has the id of a blocking query that still waits; a
//!   counter does. Such a request is rejected and not carried out.
//! - **It says when a caller is gone**, by [`Input::Cancel`](engine::Input::Cancel). A cancelled
//!   query has no answer; every other request has exactly one, unless it is rejected.
//! - **Its time does not go back.** A time before the last one counts as the last one.
//!
//! ```
//! use lictor_core::engine::{Config, Effect, Engine, Input};
//! use lictor_core::http::{self, Agent, HttpRequest};
//! use lictor_core::id::RequestId;
//! use lictor_core::time::Instant;
//!
//! let mut engine = Engine::new(Config::default(), 1);
//! let agent = Agent::of(engine.config());
//!
//! let watch = HttpRequest::new("GET", "/v1/kv/config?index=1&wait=10s", b"");
//! let call = http::decode(&agent, &watch).expect("the request is valid");
//! let input = Input::Request { id: RequestId(1), request: call.request };
//! let effects = engine.step(Instant::EPOCH, input);
//! assert!(!effects.iter().any(|effect| matches!(effect, Effect::Reply { .. })), "it waits");
//!
//! let (at, _) = engine.next_deadline().expect("the wait ends");
//! for effect in engine.step(at, Input::Tick) {
//!     match effect {
//!         Effect::Reply { id, result, .. } => {
//!             assert_eq!(id, RequestId(1));
//!             assert_eq!(http::encode(&agent, &call.format, &result).status, 404);
//!         }
//!         Effect::Event(event) => assert_eq!(event.at, at),
//!         Effect::Rejected { .. } => unreachable!("no other query waits"),
//!     }
//! }
//! assert!(engine.next_deadline().is_none());
//! ```
//!
//! # Stability
//!
//! What a caller has to handle in full, such as [`engine::Effect`], [`engine::Event`] and
//! [`error::Reason`], can be matched without a wildcard; a new variant is a breaking change. Enums
//! that can grow without one, such as [`error::Error`] and [`engine::Input`], and the configuration
//! are `non_exhaustive`.
//!
//! Behaviour follows Consul 1.22.7, or 1.13.9, as set in [`engine::Config`]. Ids such as `LCK-03`
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
pub mod time;
pub mod user_event;
mod version;

// Other packages of Lictor share these tools: Go's durations, numbers, JSON and regular
// expressions, one generator of random numbers, tables of deadlines and of ended sessions. They say
// nothing about Consul to a user of this library, and may change in any release.
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
#[doc(hidden)]
pub mod strconv;

pub use self::consul::{Consul, Handle, SessionBuilder, Watch, Watched, Written};
pub use self::version::{ConsulVersion, UnknownVersion};
