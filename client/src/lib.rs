//! The lock, the semaphore and the leader election of Consul's Go client for tokio, with a lease:
//! the lease of a holder that loses its network ends before another client can begin.
//!
//! ```no_run
//! use std::time::Duration;
//! use lictor_client::Client;
//!
//! # async fn work() {}
//! # async fn example() -> Result<(), lictor_client::Error> {
//! let consul = Client::new("http://127.0.0.1:8500")?;
//! let held = consul.lock("db/leader").value("web-1").ttl(Duration::from_secs(15)).await?;
//! tokio::select! {
//!     () = work() => {}
//!     loss = held.lost() => eprintln!("stop now: {loss}"),
//! }
//! held.release().await?;
//! # Ok(())
//! # }
//! ```
//!
//! - [`Guard::is_held`] reads the clocks of the host each time, so it is right even directly after
//!   a long block. [`Guard::lost`] resolves as soon as the runtime runs its task.
//! - Work that must not overlap compares the [`Token`] of [`Guard::fence`] where it writes: a lease
//!   cannot stop a process that is suspended between the check and the write.
//! - Every future can be dropped at any time. After a dropped wait for the lock, a dropped
//!   [`Guard`] or a dropped [`Guard::release`], the lock is released in the background, as long as
//!   the runtime runs. If it stops before, the session ends by its TTL.
//!
//! All rules about safety are in [`lictor_recipes::Contender`], which is tested under simulated
//! faults. This crate sends its requests with [`reqwest`] (hyper with a pool of connections) and
//! reads the clocks. For an address with https, enable a TLS feature of `reqwest` 0.13.
#![warn(missing_docs)]

mod acquire;
mod client;
mod driver;
mod error;
mod guard;

pub use lictor_recipes::{LockLoss, Token};

pub use crate::acquire::Acquire;
pub use crate::client::Client;
pub use crate::error::{Error, LockedUntil, ReleaseError};
pub use crate::guard::Guard;
