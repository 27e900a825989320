//! Consul's sessions, locks and semaphores as a deterministic engine.
#![no_std]
extern crate alloc;
