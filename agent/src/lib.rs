//! A Consul for tests: sessions, keys, locks, watches and transactions behind real HTTP, as Consul
//! 1.22 answers them, or 1.13. It runs in the process of a test, or as the program `lictor-agent`.
//!
//! [`Builder::start`] starts a server, by default on a free port of the loopback interface. It has
//! a thread of its own, so blocking and async code use it alike, and stops when it is dropped. With
//! [`Builder::manual_clock`] time passes only when the test advances it, so a test of a lost lock
//! needs no sleep.
//!
//! ```
//! use std::time::Duration;
//! use lictor_agent::Server;
//!
//! let server = Server::builder().manual_clock().seed(1).start()?;
//! let url = format!("http://{}/v1", server.addr());
//! let created: serde_json::Value = ureq::put(format!("{url}/session/create"))
//!     .send(r#"{"TTL": "10s"}"#)?.body_mut().read_json()?;
//! let session = created["ID"].as_str().expect("an id");
//! let acquire = format!("{url}/kv/db/leader?acquire={session}");
//! assert_eq!(ureq::put(&acquire).send("web-1")?.body_mut().read_to_string()?, "true");
//!
//! // A session that is not renewed ends after twice its TTL, and its lock is released.
//! server.advance(Duration::from_secs(20))?;
//! let key: serde_json::Value =
//!     ureq::get(format!("{url}/kv/db/leader")).call()?.body_mut().read_json()?;
//! assert!(key[0].get("Session").is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Consul's behaviour is in [`lictor_core`]: requests are decoded to values, one task owns the
//! engine, and values are encoded to answers. This crate adds sockets, a clock, a snapshot file,
//! and limits of size and time.
#![warn(missing_docs)]

mod address;
mod answers;
mod body;
mod builder;
mod clock;
mod clock_api;
mod connections;
mod control_error;
mod cors;
mod disk;
mod engine_task;
mod host_check;
mod listener;
mod log;
mod log_frame;
mod reason;
mod server;
mod service;
mod snapshot_file;
mod snapshot_writer;
mod stall_timeout;
mod wire;

pub use lictor_core;
pub use lictor_core::message::LogLevel;

pub use crate::address::ListenAddress;
pub use crate::builder::Builder;
pub use crate::clock_api::ClockReading;
pub use crate::control_error::{ControlError, Stopped};
pub use crate::log::{FieldValue, LogLine};
pub use crate::server::{Server, ServerError};
pub use crate::snapshot_file::SnapshotError;
