//! The leader around the [`store`](crate::store): it has the timers and the waiting queries, and
//! makes the entries of the log.
//!
//! [`Engine::step`] takes the time and one [`Input`] and returns every [`Effect`] that follows. The
//! engine reads no clock and does no I/O, and the same inputs give the same effects.

mod admit;
mod agent_checks;
mod agent_endpoints;
mod alias_checks;
mod cluster_state;
mod event;
mod input;
mod own_node;
mod parked;
mod reads;
mod requests;
mod restart;
mod server;
mod snapshot;
mod timers;
mod user_events;
mod wake_reason;

pub use self::admit::TTL_MAX;
pub use self::cluster_state::{ClusterState, LockDelayState};
pub use self::event::{Effect, Event, Stamped, Wake};
pub use self::input::{Input, InputError};
pub use self::own_node::serf_health;
pub use self::parked::ParkedQuery;
pub use self::server::Engine;
pub use self::snapshot::{OutOfOrder, Snapshot, SnapshotRecord};
pub use self::timers::{
    LOCK_DELAY_MAX, LockDelay, SessionClock, TTL_GRACE, Timer, applied_lock_delay, reaped_at,
};
pub use crate::config::Config;
pub use crate::ended_sessions::EndedSession;
