//! Consul's sessions, locks and semaphores as a deterministic engine.
//!
//! The [`store`] is pure state: one command of the log at a time changes it. The [`engine`] is the
//! leader around it: it mints ids, keeps the timers of sessions and lock-delays, and parks blocking
//! queries. Time is an argument of its one function `step`, chance is a seed, and every answer is a
//! returned value: the same inputs give the same results everywhere. [`http`] turns Consul's HTTP
//! into requests and answers back into HTTP, as values. [`sim`] is a world of clients around one
//! engine, with a journal of what they did.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod deadlines;
pub mod duration;
pub mod ended_sessions;
pub mod engine;
pub mod error;
pub mod http;
pub mod id;
pub mod json;
pub mod message;
pub mod rng;
pub mod store;
pub mod time;
